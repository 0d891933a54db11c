"""Do preferences go round in circles? The share of triads a > b > c > a among pairs that a majority decides."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidewise.comparisons import Comparisons, PairCounts
from sidewise.comparisons.arrow import Codes
from sidewise.errors import MeasureError
from sidewise.measures.estimate import RESAMPLES, Estimate, estimate_mean
from sidewise.ranking.display import counted

MOST_WEDGES = 3 * 10**8  # pairs of neighbours of an item, looked at one by one: some seconds


@dataclass(frozen=True, slots=True)
class Transitivity:
    """The share of triads that are cyclic: 0 where all preferences fit one order, 1/4 where they are tossed.

    ``triads`` is how many there are (an estimate, where they were sampled), ``looked_at`` how many were looked at.
    Where all were, ``exact`` is true and the interval has no width. ``decided`` and ``undecided`` count pairs.
    ``coefficient`` is Kendall and Babington Smith's, from 0 to 1, where every pair of items was decided; else NaN.
    """

    cyclic: Estimate
    triads: int
    looked_at: int
    exact: bool
    decided: int
    undecided: int
    coefficient: float

    def __str__(self) -> str:
        if self.exact:
            return f"{self.cyclic.value:.3f} of {counted(self.triads, 'triad')}"
        return f"{self.cyclic} of {self.looked_at:,} triads drawn from about {self.triads:,}"


def transitivity(
    comparisons: Comparisons | PairCounts,
    *,
    most: int = MOST_WEDGES,
    sample: int = 200_000,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Transitivity:
    """The share of triads of items whose majorities go round in a circle.

    A pair is decided by which item won more often (weights counted, ties half to each); pairs that stand even are
    left out. Of the triads whose three pairs are all decided, those are cyclic in which each item beats one of the
    others. With A the matrix of who beats whom and U = A + A′, there are Σ(AA ∘ A′)/3 cyclic ones among Σ(UU ∘ U)/6.
    With all of n items' pairs decided, Kendall and Babington Smith's coefficient of consistence (1940) is
    1 − 24 d/(n³ − n), or 1 − 24 d/(n³ − 4n) for even n, with d cyclic triads.

    One noisy answer a pair makes circles where the items are close, without anybody being inconsistent: compare with
    a simulated crowd, or see :func:`repeat_consistency`, which asks about one pair at a time.

    Parameters
    ----------
    comparisons
        Comparisons or pair counts.
    most
        Look at all triads where the items have at most so many pairs of neighbours; else at a sample.
    sample
        How many paths a–b–c to draw for it; those whose ends were compared too are triads, drawn evenly.
    confidence, resamples, seed
        Of the sample and its bootstrap interval.

    Examples
    --------
    >>> answers = Comparisons.from_arrays(winner=list("abca"), loser=list("bcad"))
    >>> found = transitivity(answers)
    >>> found.cyclic.value, found.triads
    (1.0, 1)
    """
    counts = comparisons.counts() if isinstance(comparisons, Comparisons) else comparisons
    lead = counts.first_wins - counts.second_wins
    decided = lead != 0
    better = np.where(lead > 0, counts.first, counts.second)[decided]
    worse = np.where(lead > 0, counts.second, counts.first)[decided]
    if not len(better):
        raise MeasureError("no pair is decided: in every one, both items won as often, so there are no triads")
    size = len(counts.items)
    degree = np.bincount(better, minlength=size) + np.bincount(worse, minlength=size)
    undecided = int((counts.total > 0).sum()) - len(better)
    if int((degree.astype(float) ** 2).sum()) <= most:
        cyclic, triads = _counted(better, worse, size)
        value = cyclic / triads if triads else float("nan")
        whole = _coefficient(cyclic, size) if len(better) == size * (size - 1) // 2 else float("nan")
        share = Estimate(value, value, value, confidence)
        return Transitivity(share, triads, triads, True, len(better), undecided, whole)
    circles, triads = _sampled(better, worse, degree, sample, seed)
    share = estimate_mean(circles, confidence=confidence, resamples=resamples, seed=seed)
    return Transitivity(share, triads, len(circles), False, len(better), undecided, float("nan"))


def _matrix(better: Codes, worse: Codes, size: int) -> Any:
    """Who beats whom."""
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(better), np.int64), (better, worse)), shape=(size, size))


def _counted(better: Codes, worse: Codes, size: int) -> tuple[int, int]:
    """Cyclic triads, and all."""
    beats = _matrix(better, worse, size)
    met = beats + beats.T
    return int(((beats @ beats) * beats.T).sum()) // 3, int(((met @ met) * met).sum()) // 6


def _coefficient(cyclic: int, size: int) -> float:
    return 1 - 24 * cyclic / (size**3 - size if size % 2 else size**3 - 4 * size) if size > 2 else float("nan")


def _sampled(better: Codes, worse: Codes, degree: Codes, sample: int, seed: int) -> tuple[np.ndarray, int]:
    """Of triads drawn evenly, whether each is cyclic; and about how many there are."""
    rng = np.random.default_rng(seed)
    met = _matrix(np.concatenate([better, worse]), np.concatenate([worse, better]), len(degree))
    wedges = degree * (degree - 1) / 2
    middle = rng.choice(len(degree), sample, p=wedges / wedges.sum())
    one = rng.integers(degree[middle])
    other = rng.integers(degree[middle] - 1)
    other += other >= one  # two different neighbours
    a, c = (met.indices[met.indptr[middle] + place] for place in (one, other))
    edges = np.sort(better.astype(np.int64) * len(degree) + worse)

    def beats(first: Codes, second: Codes) -> np.ndarray:
        key = first.astype(np.int64) * len(degree) + second
        return np.asarray(edges[np.minimum(np.searchsorted(edges, key), len(edges) - 1)] == key)

    closed = beats(a, c) | beats(c, a)
    a, b, c = a[closed], middle[closed], c[closed]
    round_one = beats(a, b) & beats(b, c) & beats(c, a)
    other_way = beats(b, a) & beats(c, b) & beats(a, c)
    return (round_one | other_way).astype(float), round(float(wedges.sum()) * float(closed.mean()) / 3)
