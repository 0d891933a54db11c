"""PageRank on the graph of wins: every loser points to its winner."""

import warnings
from typing import Literal, get_args

import numpy as np
from scipy.sparse import csr_array

from sidewise.comparisons import Comparisons, PairCounts, components
from sidewise.comparisons.arrow import Floats
from sidewise.errors import ConvergenceError, ModelError, NotConverged
from sidewise.models.bootstrap import Progress, Unit, bootstrap, refit_counts
from sidewise.models.taking import as_counts
from sidewise.models.wanted import Wanted
from sidewise.numbers import is_number
from sidewise.ranking import Fit, Ranking
from sidewise.ranking.uncertainty import MODEL

Intervals = Literal["none", "bootstrap"]


def page_rank(
    comparisons: Comparisons | PairCounts,
    *,
    damping: float = 0.85,
    intervals: Intervals = "none",
    unit: Unit = "comparison",
    replicates: int = 200,
    level: float = 0.95,
    tol: float = 1e-12,
    limit: int = 1000,
    seed: int = 0,
    strict: bool = False,
    progress: Progress | None = None,
) -> Ranking:
    """Rank by PageRank: a walker goes from loser to winner, in proportion to the wins, and sometimes anywhere.

    The baseline of the IMDB-WIKI-SbS paper. It uses who beat whom, but has no model of chance: prefer
    :func:`~sidewise.bradley_terry` unless you want to compare with others' PageRank. A tie points both ways, by half.

    Parameters
    ----------
    comparisons
        Judgments, or pair counts made from them.
    damping
        How often the walker follows an arc.
    intervals, unit, replicates, level, seed, progress
        Of a bootstrap, where one is asked for.
    tol, limit
        The walk has converged when a step moves less than ``tol`` of the walkers; it gives up after ``limit``.
    strict
        Raise, and do not only warn, where the walk has not converged.

    Examples
    --------
    >>> import sidewise as sw
    >>> sw.page_rank(sw.Comparisons.from_matrix([[0, 3, 2], [1, 0, 3], [1, 1, 0]], ["a", "b", "c"])).order
    ('a', 'b', 'c')
    """
    if not (is_number(damping) and 0 < damping < 1):
        raise ModelError(f"damping lies between 0 and 1, not {damping!r}")
    Wanted(known=get_args(Intervals), intervals=intervals, unit=unit, replicates=replicates, level=level, tol=tol,
           limit=limit, seed=seed, strict=strict, progress=progress)  # fmt: skip
    counts = as_counts(comparisons)
    visits, steps, gap = stationary(arcs(counts), damping, tol, limit)
    if gap > tol:
        message = f"not converged: the last of {steps} steps still moved {gap:.2g} of the walkers"
        if strict:
            raise ConvergenceError(message)
        warnings.warn(message, NotConverged, stacklevel=2)
    uncertainty = None
    if intervals == "bootstrap":
        if not isinstance(comparisons, Comparisons):
            raise ModelError("a bootstrap needs Comparisons, not pair counts")
        refit = refit_counts(comparisons, lambda some: stationary(arcs(some), damping, 1e-9, limit)[0])
        uncertainty = bootstrap(refit, comparisons, unit=unit, replicates=replicates, seed=seed, progress=progress)
    return Ranking(
        items=counts.items,
        raw=visits,
        fit=Fit(
            "page_rank", {"damping": damping, "intervals": intervals, "tol": tol}, converged=gap <= tol, steps=steps,
            gap=gap, digest=comparisons.digest, comparisons=counts.rows,
        ),
        comparisons=counts.item_weight(),
        uncertainty=uncertainty,
        component=components(counts).label,
        unit="share of visits",
        zero=MODEL,
        level=level,
    )  # fmt: skip


def arcs(counts: PairCounts) -> csr_array:
    """The matrix whose row is the winner and whose column is the loser, each column adding up to 1 (or to 0)."""
    n = len(counts.items)
    half = counts.ties / 2
    weight = np.concatenate([counts.first_wins + half, counts.second_wins + half])
    winner = np.concatenate([counts.first, counts.second])
    loser = np.concatenate([counts.second, counts.first])
    losses = np.bincount(loser, weight, n)
    share = np.divide(weight, losses[loser], out=np.zeros_like(weight), where=losses[loser] > 0)
    return csr_array((share, (winner, loser)), shape=(n, n))


def stationary(share: csr_array, damping: float, tol: float, limit: int) -> tuple[Floats, int, float]:
    """The walk's stationary law, by power iteration; a walker at an item that never lost goes anywhere."""
    n = share.shape[0]
    stuck = np.asarray(share.sum(axis=0)) == 0
    law = np.full(n, 1 / n)
    gap, steps = np.inf, 0
    while gap > tol and steps < limit:
        steps += 1
        new = damping * (share @ law + law[stuck].sum() / n) + (1 - damping) / n
        gap, law = float(np.abs(new - law).sum()), new
    return law, steps, gap
