"""From scores to ranks: intervals of ranks and tiers, by what is sure about each pair."""

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons.arrow import Codes, Floats
from sidewise.ranking.uncertainty import MODEL, Uncertainty, normal_quantile

Ranks = NDArray[np.int64]
SD_LEVELS = 64


def ranks(score: Floats) -> Ranks:
    """1 for the highest score; equal scores share the best rank; 0 where there is no score.

    Scores that differ by less than the arithmetic can tell are equal.
    """
    known = ~np.isnan(score)
    found = np.zeros(len(score), np.int64)
    unit = max(float(np.ptp(score[known])), 1.0) if known.any() else 1.0
    rounded = np.round(score[known] / unit, 9)
    found[known] = 1 + len(rounded) - np.searchsorted(np.sort(rounded), rounded, side="right")
    return found


def rank_bounds(
    score: Floats, uncertainty: Uncertainty, level: float, separate: Codes | None = None
) -> tuple[Ranks, Ranks]:
    """For every item, the best and the worst rank that the data allow.

    j stands surely above i where the interval of the contrast s_j − s_i lies above 0. The best rank of i is one more
    than the number of items surely above it; the worst leaves room for all that are not surely below it. Items of
    different parts are never sure where ``separate`` gives the parts of a fit without a prior.
    """
    known = ~np.isnan(score)
    above, below = np.zeros(len(score), np.int64), np.zeros(len(score), np.int64)
    reach = normal_quantile(level)
    covariance = uncertainty.covariance()
    if not uncertainty.compares:
        bottom, top = (limit[known] for limit in uncertainty.bounds(score, MODEL, level))
        above[known] = known.sum() - np.searchsorted(np.sort(bottom), top, side="right")
        below[known] = np.searchsorted(np.sort(top), bottom, side="left")
    elif covariance is not None:
        sure = _surely_above(score, covariance, reach)
        if separate is not None:
            sure &= separate[:, None] == separate
        above, below = sure.sum(axis=0), sure.sum(axis=1)
    else:
        # The covariance of two scores under such a model is never negative, so that leaving it out can only make
        # a pair look less sure: ranks become wider, not bolder.
        spread = np.sqrt(uncertainty.variance(MODEL))
        parts = np.zeros(len(score), np.int32) if separate is None else separate
        for part in np.unique(parts[known]):
            here = np.flatnonzero(known & (parts == part))
            above[here] = _count_above(score[here], spread[here], reach)
            below[here] = _count_above(-score[here], spread[here], reach)
    low, high = above + 1, known.sum() - below
    return np.where(known, low, 0), np.where(known, high, 0)


def _surely_above(score: Floats, covariance: Floats, reach: float) -> NDArray[np.bool_]:
    """Whether the row's item stands surely above the column's."""
    own = np.diagonal(covariance)
    spread = np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, 0))
    return score[:, None] - score > reach * spread + 1e-12


def _count_above(score: Floats, spread: Floats, reach: float) -> Ranks:
    """How many items stand surely above each, from independent spreads, without looking at every pair.

    Spreads are rounded up to one of a few levels; within a level the items surely above i are a tail of the sorted
    scores, except for the root of the summed squares, which is the same for the whole level.
    """
    if len(score) == 0:
        return np.zeros(0, np.int64)
    smallest = max(spread.min(), 1e-12)
    edges = np.geomspace(smallest, max(spread.max(), smallest * (1 + 1e-9)), SD_LEVELS)
    level = np.searchsorted(edges, spread * (1 - 1e-12))
    level = np.minimum(level, SD_LEVELS - 1)
    count = np.zeros(len(score), np.int64)
    for which in np.unique(level):
        peers = np.sort(score[level == which])
        bar = score + reach * np.hypot(spread, edges[which])
        count += len(peers) - np.searchsorted(peers, bar, side="right")
    return count


def tier_numbers(score: Floats, uncertainty: Uncertainty, level: float, separate: Codes | None = None) -> Ranks:
    """Tiers by the fixed-anchor rule: a tier is its best item and all those after it that are not surely below it.

    The anchor stays fixed while the tier grows, so that a long slope of small steps is cut, not chained into one.
    """
    order = np.argsort(-score, kind="stable")
    order = order[: int((~np.isnan(score)).sum())]
    found = np.zeros(len(score), np.int64)
    start, tier = 0, 0
    while start < len(order):
        tier += 1
        anchor, rest = order[start], order[start:]
        sure = _surely_below(int(anchor), rest, score, uncertainty, level)
        if separate is not None:
            sure &= separate[rest] == separate[anchor]
        length = int(np.argmax(sure)) if sure.any() else len(rest)
        found[rest[:length]] = tier
        start += length
    return found


def _surely_below(
    anchor: int, rest: NDArray[np.intp], score: Floats, uncertainty: Uncertainty, level: float
) -> NDArray[np.bool_]:
    """Which of the rest stand surely below the anchor."""
    if not uncertainty.compares:
        low, high = uncertainty.bounds(score, MODEL, level)
        return np.asarray(high[rest] < low[anchor])
    spread = np.sqrt(uncertainty.variance(anchor)[rest])
    return np.asarray(score[anchor] - score[rest] > normal_quantile(level) * spread + 1e-12)
