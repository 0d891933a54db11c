"""HodgeRank: least squares on the comparison graph, and how much of what was said goes round in circles."""

from typing import Literal, get_args

import numpy as np
from scipy.special import ndtri

from sidewise.comparisons import Comparisons, PairCounts, components
from sidewise.comparisons.arrow import Floats
from sidewise.models import notes
from sidewise.models.bootstrap import Progress, Unit, resampled
from sidewise.models.cycles import cycles
from sidewise.models.leaning import Known, Told
from sidewise.models.least_squares import (
    FLOWS,
    least_squares,
    noise_variance,
    solve,
    with_noise,
)
from sidewise.models.likelihood import Chances
from sidewise.models.posterior import Posterior
from sidewise.models.probit import PROBIT_LINKS
from sidewise.models.problem import Problem
from sidewise.models.solvable import solvable
from sidewise.models.taking import as_counts
from sidewise.models.wanted import Wanted, check_words
from sidewise.ranking import Fit, Ranking, Uncertainty

FlowName = Literal["mean", "logit", "probit", "angular"]
Intervals = Literal["least-squares", "bootstrap", "none"]
SURE = 0.99  # a straight line leads to chances beyond 1, of which no answer comes


def hodge_rank(
    comparisons: Comparisons | PairCounts,
    *,
    flow: FlowName = "mean",
    intervals: Intervals = "least-squares",
    unit: Unit = "comparison",
    replicates: int = 200,
    level: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
) -> Ranking:
    """Rank by HodgeRank: the scores that minimise Σ n_ij (s_i − s_j − y_ij)² over pairs (Jiang et al. 2011).

    y_ij is the flow of a pair and n_ij the weight of its comparisons. What is left of the flow when the scores are
    taken off goes round in circles: ``fit.findings`` has its share of ‖y‖² as "cyclic", and splits it into "curl"
    (triangles: a beats b beats c beats a) and "harmonic" (longer circles; both NaN where there are too many triangles
    to look at). Pairs that were compared once have a flow of ±1, and so much of it is cyclic however sure the crowd
    is: compare the share between data of one design only.

    It is one linear system and needs no prior, but weighs a sure win no more than a probable one: prefer
    :func:`~sidewise.bradley_terry` where pairs have few comparisons, or chances near 0 or 1.

    All workers are weighed alike. Where the data name them, ``Ranking.workers`` tells of each what follows when the
    scores are taken as known, and with them the chance p of every answer: P(left) = Φ(a Φ⁻¹(p) + b·x), whatever the
    flow, with p between 1 and 99 % and a tie as half of either answer. The reliability is the sensitivity a: 1 for a
    worker who follows the scores as the crowd as a whole does, 0 for a coin, negative for one who says the opposite
    (one worker alone has no limits). The biases b are to the side, where it is known, and to every factor that the data
    name. Normal priors, a ~ N(1, 1) and b ~ N(0, 0.5²) in probits, keep few answers from telling much.

    Parameters
    ----------
    comparisons
        Judgments, or pair counts made from them.
    flow
        Of a pair whose first item won the share p: "mean" is the mean outcome 2 p − 1 (a win 1, a tie 0, a loss −1);
        "logit" the log-odds and "probit" the Φ⁻¹ of p, with half a win added to each side; "angular" arcsin(2 p − 1).
    intervals
        "least-squares" is σ² L⁺, with L the graph's Laplacian and σ² from the residuals: of single comparisons for
        "mean", of pairs for the other flows, which need a circle in the graph to have any. "bootstrap" refits
        resampled data, where an item that drops out stands at the mean; "none" saves the work.
    unit, replicates, seed, progress
        Of the bootstrap.
    level
        Of the intervals shown.

    Examples
    --------
    >>> import sidewise as sw
    >>> answers = sw.Comparisons.from_matrix([[0, 3, 1], [1, 0, 3], [3, 1, 0]], ["rock", "scissors", "paper"])
    >>> ranking = sw.hodge_rank(answers)
    >>> round(ranking.fit.findings["cyclic"], 3), round(ranking.fit.findings["curl"], 3)
    (1.0, 1.0)
    >>> crowd = sw.simulate.crowd(8, workers=12, comparisons=900, kinds={"always-left": 0.25}, seed=1)
    >>> sw.hodge_rank(crowd.comparisons).workers.select(["worker", "answers", "flag"]).to_pylist()[3]
    {'worker': 'w03', 'answers': 58, 'flag': 'always left'}
    """
    counts = as_counts(comparisons)
    check_words(flow=(flow, tuple(FLOWS)))
    wanted = Wanted(known=get_args(Intervals), intervals=intervals, unit=unit, replicates=replicates, level=level,
                    seed=seed, progress=progress)  # fmt: skip
    graph = components(counts)
    problem = least_squares(counts, graph, flow)
    with solvable(comparisons):
        point = solve(problem)
        found = cycles(problem, point)
        told = _told(problem, point, comparisons, level)
    return Ranking(
        items=counts.items,
        raw=np.where(counts.item_weight() > 0, point, np.nan),
        fit=Fit(
            "hodge_rank", {"flow": flow, "intervals": intervals, "unit": unit, "level": level}, steps=1,
            seed=seed if intervals == "bootstrap" else None, digest=comparisons.digest, comparisons=counts.rows,
            notes=notes.of_the_graph(counts, graph, has_prior=False, stacklevel=2) + told.notes,
            findings=found._asdict(),
        ),
        comparisons=counts.item_weight(),
        uncertainty=_uncertainty(problem, point, comparisons, flow, wanted),
        component=graph.label,
        comparable=graph.count == 1,
        link=Chances(problem.link),
        unit=FLOWS[flow].unit,
        workers=told.workers,
        alike=told.workers is not None,
        level=level,
    )  # fmt: skip


def _told(problem: Problem, point: Floats, comparisons: Comparisons | PairCounts, level: float) -> Told:
    """What is told of workers when the scores are known, and the chance of every answer with them."""
    if not isinstance(comparisons, Comparisons) or comparisons.worker is None:
        return Told()

    def probits(d: Floats) -> Floats:
        return np.asarray(ndtri(np.clip(problem.link.win(d, 0.0), 1 - SURE, SURE)))

    return Known(point, probits, PROBIT_LINKS["half"]).tell(comparisons, level)


def _uncertainty(
    problem: Problem, point: Floats, comparisons: Comparisons | PairCounts, flow: FlowName, wanted: Wanted
) -> Uncertainty | None:
    if wanted.intervals == "least-squares":
        noise = noise_variance(problem, point, by_row=flow == "mean")
        return (
            None if noise is None else Posterior(with_noise(problem, noise), point, comparisons.items, averaged=False)
        )
    if wanted.intervals == "none":
        return None

    def scores(rows: Comparisons) -> Floats:
        counts = rows.counts()
        return solve(least_squares(counts, components(counts), flow))

    return resampled(comparisons, scores, unit=wanted.unit, replicates=wanted.replicates, seed=wanted.seed,
                     progress=wanted.progress)  # fmt: skip
