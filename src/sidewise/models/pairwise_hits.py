"""Pairwise HITS: good workers agree with the scores, and scores follow good workers."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy.sparse import csr_array

from sidewise.comparisons import Comparisons, Graph, PairCounts, components
from sidewise.comparisons.arrow import Floats
from sidewise.models import notes
from sidewise.models.bootstrap import Progress, Unit, resampled
from sidewise.models.laplacian import Laplacian, Pin
from sidewise.models.solvable import solvable
from sidewise.models.wanted import Wanted, check_words
from sidewise.models.win_rate import wilson
from sidewise.models.worker_table import Estimate, Reliability, check_some, check_workers_known, worker_table
from sidewise.ranking import Fit, Ranking

FlowName = Literal["sum", "mean"]
Intervals = Literal["none", "bootstrap"]

EVEN = 1e-9  # of the largest score: two items that differ by less are level


def pairwise_hits(
    comparisons: Comparisons,
    *,
    flow: FlowName = "sum",
    intervals: Intervals = "none",
    unit: Unit = "comparison",
    replicates: int = 200,
    level: float = 0.95,
    limit: int = 100,
    seed: int = 0,
    strict: bool = False,
    progress: Progress | None = None,
) -> Ranking:
    """Rank by pairwise HITS: s_i − s_j = Σ r_k of those who said i − Σ r_k of those who said j (Sunahase et al. 2017).

    r_k, a worker's ability, is the share of the worker's answers that agree with the scores. The scores solve the
    equations of all pairs that were compared, by least squares; scores and abilities follow each other, from r = 1 on,
    until the abilities stay. They are a step function of the order, so that they may go round in a cycle instead: then
    the result is the mean over the cycle, and is said not to have converged.

    Abilities are weights between 0 and 1, so that a contrary worker is still half believed, and one with a side bias
    is taken for a poor one: prefer a likelihood with workers in it, such as :func:`~sidewise.crowd_bt`.

    A tie says that both are level and is no evidence of ability; a soft outcome is a bit of both answers; a weight of
    2 counts as two answers. Where two items are level, an answer about them is half right. ``Ranking.workers`` has
    the abilities, with Wilson's intervals (none for one worker alone, who has nobody else to agree with).

    Parameters
    ----------
    comparisons
        Judgments that say who made them.
    flow
        "sum" has the equation above for every pair, as the paper does, so that a pair that was asked about ten times
        as often is set ten times as far apart; "mean" has one equation, s_winner − s_loser = r_k, for every comparison,
        and is the better one where pairs differ in how often they were asked about.
    intervals, unit, replicates, seed, progress
        Of a bootstrap, where one is asked for; an item that drops out of a resample stands at the mean there.
    level
        Of the intervals shown.
    limit
        It gives up after so many turns.
    strict
        Raise, and do not only warn, where the abilities have not settled.

    Examples
    --------
    >>> import sidewise as sw
    >>> answers = sw.Comparisons.from_arrays(
    ...     winner=["a", "b", "a", "a", "b", "c"], loser=["b", "c", "c", "b", "c", "a"], worker=[*"xxxyyz"]
    ... )
    >>> ranking = sw.pairwise_hits(answers)
    >>> ranking.workers["reliability"].to_pylist()
    [1.0, 1.0, 0.0]
    """
    check_workers_known(comparisons, "pairwise_hits")
    check_some(comparisons, "pairwise_hits")
    check_words(flow=(flow, get_args(FlowName)))
    Wanted(known=get_args(Intervals), intervals=intervals, unit=unit, replicates=replicates, level=level, limit=limit,
           seed=seed, strict=strict, progress=progress)  # fmt: skip
    counts = comparisons.counts()
    graph = components(counts)
    with solvable(comparisons):
        settled = settle(Equations.of(comparisons, counts, graph, flow), limit)
    said = () if settled.converged else notes.not_converged(settled.trouble, strict=strict, stacklevel=2)
    said += notes.of_the_graph(counts, graph, has_prior=False, stacklevel=2) + notes.of_the_crowd(settled.answers)
    scores = np.where(counts.item_weight() > 0, settled.scores, np.nan)
    uncertainty = None
    if intervals == "bootstrap":
        uncertainty = resampled(comparisons, lambda rows: _scores(rows, flow, limit), unit=unit,
                                replicates=replicates, seed=seed, progress=progress)  # fmt: skip
    return Ranking(
        items=counts.items,
        raw=scores,
        fit=Fit(
            "pairwise_hits", {"flow": flow, "intervals": intervals, "unit": unit, "level": level, "limit": limit},
            settled.converged, settled.steps, settled.gap, seed=seed if intervals == "bootstrap" else None,
            digest=comparisons.digest, comparisons=counts.rows, notes=said,
        ),
        comparisons=counts.item_weight(),
        uncertainty=uncertainty,
        component=graph.label,
        comparable=graph.count == 1,
        unit="sums of abilities",
        workers=worker_table(comparisons, scores, reliability=_reliability(settled, level), biases={}),
        level=level,
    )  # fmt: skip


@dataclass(frozen=True)
class Equations:
    """The two equations that are solved in turn (4 and 5 of Bugakova et al. 2019)."""

    comparisons: Comparisons
    laplacian: Laplacian

    @classmethod
    def of(cls, comparisons: Comparisons, counts: PairCounts, graph: Graph, flow: FlowName) -> "Equations":
        """Set them up: one for every pair that was compared, or one for every comparison."""
        n = len(counts.items)
        weight = counts.total if flow == "mean" else (counts.total > 0).astype(float)
        upper = csr_array((weight, (counts.first, counts.second)), shape=(n, n))
        return cls(comparisons, Laplacian(upper, np.zeros(n), Pin.to(graph.label)))

    def scores(self, ability: Floats) -> Floats:
        """Least squares; every part of the graph has mean 0."""
        rows, n = self.comparisons, self.laplacian.n
        flow = rows.weights() * (2 * rows.outcome - 1) * ability[rows.worker]
        asked = np.bincount(rows.left, flow, n) - np.bincount(rows.right, flow, n)
        return self.laplacian.solve(np.asarray(asked, float), 1e-12)

    def decided(self) -> Floats:
        """The weight of each worker's answers that are not ties."""
        return self._per_worker(np.ones(len(self.comparisons)))

    def abilities(self, scores: Floats) -> Floats:
        """The share of each worker's decided answers that agree with the scores; half where there are none."""
        rows = self.comparisons
        lead = scores[rows.left] - scores[rows.right]
        lead[np.abs(lead) <= EVEN * np.abs(scores).max(initial=0.0)] = 0
        agreed = self._per_worker(0.5 + np.sign(lead) * (rows.outcome - 0.5))
        answers = self.decided()
        return np.divide(agreed, answers, out=np.full_like(answers, 0.5), where=answers > 0)

    def _per_worker(self, of_row: Floats) -> Floats:
        rows = self.comparisons
        assert rows.worker is not None
        decided = rows.weights() * (rows.outcome != 0.5)
        return np.asarray(np.bincount(rows.worker, decided * of_row, len(rows.workers)), float)


class Settled(NamedTuple):
    """Where the turns ended."""

    scores: Floats
    ability: Floats
    answers: Floats
    steps: int
    gap: float
    cycle: int  # 1 where the abilities stayed, 0 where they had not when time was up

    @property
    def converged(self) -> bool:
        """Whether the abilities stayed."""
        return self.cycle == 1

    @property
    def trouble(self) -> str:
        """What went wrong, in words."""
        if not self.cycle:
            return f"not converged: the last of {self.steps} steps still moved an ability by {self.gap:.2g}"
        return (
            f"not converged: scores and abilities go round in a cycle of {self.cycle} steps, which moves an ability "
            f"by {self.gap:.2g}; the scores are the mean over the cycle"
        )


def settle(equations: Equations, limit: int) -> Settled:
    """Solve in turn until the abilities are ones that were there before: the last ones, or the start of a cycle."""
    ability, answers = np.ones(len(equations.comparisons.workers)), equations.decided()
    met, history = {ability.tobytes(): 0}, []
    gap = np.inf
    for step in range(1, limit + 1):
        history.append(equations.scores(ability))
        before, ability = ability, equations.abilities(history[-1])
        gap = float(np.abs(ability - before).max(initial=0.0))
        since = step - met.setdefault(ability.tobytes(), step)
        if since:
            scores = np.mean(history[-since:], axis=0)
            return Settled(scores, equations.abilities(scores), answers, step, gap, since)
    return Settled(history[-1], ability, answers, limit, gap, 0)


def _reliability(settled: Settled, level: float) -> Reliability:
    """Abilities with Wilson's limits; a typical worker agrees as often as the crowd does.

    One worker alone agrees with a ranking of their own making, which says nothing of how reliable they are: no limits.
    """
    found = Estimate(settled.ability, *wilson(settled.ability, settled.answers, level))
    if np.count_nonzero(settled.answers) == 1:
        found = found.unlimited()
    whole = settled.answers.sum()
    typical = float(settled.ability @ settled.answers / whole) if whole else 1.0
    return Reliability(found, random=0.5, typical=typical)


def _scores(rows: Comparisons, flow: FlowName, limit: int) -> Floats:
    counts = rows.counts()
    return settle(Equations.of(rows, counts, components(counts), flow), limit).scores
