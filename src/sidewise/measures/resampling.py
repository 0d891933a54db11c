"""How sure is a measure, and do two rankings differ? Items are drawn again and again."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError
from sidewise.measures.aligned import RANKING, TRUTH, Missing, align
from sidewise.measures.by_name import Measure, as_measure
from sidewise.measures.estimate import RESAMPLES, Estimate, check_confidence, quantiles
from sidewise.measures.runs import Prepared

Progress = Callable[[int, int], None]
AT_ONCE = 200_000  # numbers in one block of resamples: they stay in the cache; millions take half as long again
FIRST, SECOND = "the first ranking", "the second ranking"


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much a measure of one ranking is above that of another, on the same items.

    >>> print(Difference(0.81, 0.79, 0.02, 0.004, 0.037, 0.95, 0.018))
    +0.020 [+0.004, +0.037], p = 0.018
    """

    first: float
    second: float
    value: float  # first − second
    low: float
    high: float
    confidence: float
    p_value: float

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:+.3f} [{self.low:+.3f}, {self.high:+.3f}], p = {self.p_value:.3f}"


def bootstrap(
    measure: Any, ranking: Any, truth: Any, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0,
    missing: Missing = "error", progress: Progress | None = None,
) -> Estimate:  # fmt: skip
    """A measure with the interval that it would have, had other items of the same kind been ranked.

    As many items as there are get drawn with replacement, again and again; the interval holds the middle of the values
    that the measure takes (Efron's percentile interval). Copies of an item make no pair with one another: these would
    be ties on both sides that no real sample has, and tau-b would come out too low.

    The interval is about the choice of items, not about the crowd's answers: the scores are taken as they are. Measures
    of the top k hang on few items, and their intervals say less the smaller k is.

    Parameters
    ----------
    measure
        A name such as "ndcg@10" (see :func:`find_measure`), one of our functions, also as a ``partial`` with options,
        or any function of two arrays, scores and truth. The latter sees an item as often as it was drawn.
    ranking, truth, missing
        As of :func:`pair_accuracy`.
    confidence
        The share of the values that the interval holds.
    resamples
        How many.
    seed
        The same seed gives the same interval.
    progress
        Called with how many resamples are done, and how many there are.

    >>> bootstrap("pair-accuracy", [1, 3, 2, 5, 4], [1, 2, 3, 4, 5], seed=1)
    Estimate(value=0.8, low=0.5, high=1.0, confidence=0.95)
    """
    check_confidence(confidence)
    score, true = align({RANKING: ranking, TRUTH: truth}, missing=missing).values
    prepared = _prepared(measure, score, true)
    value = float(prepared(np.ones(len(score))))
    draws = np.concatenate([prepared(copies) for copies in draw_copies(len(score), resamples, seed, progress)])
    low, high = quantiles(draws, confidence)
    return Estimate(value, low, high, confidence)


def compare(
    measure: Any, first: Any, second: Any, truth: Any, *, confidence: float = 0.95, resamples: int = RESAMPLES,
    seed: int = 0, missing: Missing = "error", progress: Progress | None = None,
) -> Difference:  # fmt: skip
    """By how much the first ranking is better than the second, and whether that could be chance.

    Both rankings are measured on the same resamples of the items, so that what makes items easy or hard cancels out.
    The p-value is twice the share of resamples in which the difference is not on the side where it was found::

        p = 2 min(1 + #{d* ≤ 0}, 1 + #{d* ≥ 0}) / (resamples + 1), at most 1

    so that it is below 1 − confidence where the interval leaves out 0. A randomisation test, which exchanges the two
    rankings' scores item by item, would not do here: the scores of two rankings need not be on one scale, and it asks
    whether the two can be told apart at all, not whether one is better.

    Parameters
    ----------
    measure, confidence, resamples, seed, progress
        As of :func:`bootstrap`.
    first, second, truth, missing
        As of :func:`pair_accuracy`.

    >>> found = compare("pair-accuracy", [1, 2, 3, 4, 5, 6], [6, 1, 3, 2, 5, 4], [1, 2, 3, 4, 5, 6])
    >>> round(found.value, 3), found.first
    (0.467, 1.0)
    """
    check_confidence(confidence)
    one, other, true = align({FIRST: first, SECOND: second, TRUTH: truth}, missing=missing).values
    a, b = _prepared(measure, one, true), _prepared(measure, other, true)
    plain = np.ones(len(true))
    values = float(a(plain)), float(b(plain))
    draws = np.concatenate([a(copies) - b(copies) for copies in draw_copies(len(true), resamples, seed, progress)])
    low, high = quantiles(draws, confidence)
    return Difference(*values, values[0] - values[1], low, high, confidence, _p_value(draws))


def _p_value(draws: Floats) -> float:
    known = draws[~np.isnan(draws)]
    if not len(known):
        return float("nan")
    below, above = np.count_nonzero(known <= 0), np.count_nonzero(known >= 0)
    return min(1.0, 2 * (1 + min(below, above)) / (1 + len(known)))


def draw_copies(items: int, resamples: int, seed: int, progress: Progress | None = None) -> Iterator[Floats]:
    """How often each item is drawn: blocks with a row for each item and a column for each resample."""
    if resamples < 2:
        raise MeasureError(f"an interval needs at least 2 resamples, not {resamples}")
    rng = np.random.default_rng(seed)
    block = max(1, AT_ONCE // items)
    for start in range(0, resamples, block):
        many = range(start, min(start + block, resamples))
        drawn = [np.bincount(rng.integers(items, size=items), minlength=items) for _ in many]
        yield np.stack(drawn, axis=1).astype(float)
        if progress:
            progress(many.stop, resamples)


def _prepared(measure: Any, score: Floats, truth: Floats) -> Prepared:
    known = as_measure(measure)
    if isinstance(known, Measure):
        return known.prepare(score, truth)

    def repeated(copies: Floats) -> Floats:
        columns = copies.reshape(len(score), -1).T.astype(np.int64)
        values = [float(known(np.repeat(score, drawn), np.repeat(truth, drawn))) for drawn in columns]
        return np.array(values).reshape(copies.shape[1:])

    return repeated
