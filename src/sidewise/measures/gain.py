"""Is the top right? Discounted cumulative gain and expected reciprocal rank."""

from typing import Any, Literal, get_args

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError
from sidewise.measures.aligned import RANKING, TRUTH, Missing, align
from sidewise.measures.order import check_choice, finite
from sidewise.measures.runs import Places, Prepared, Runs, equal_runs, once, ratio

Gain = Literal["linear", "exp2"]
Ties = Literal["average", "first", "best", "worst"]
NEGLIGIBLE = 40  # a chance of e⁻⁴⁰ that a reader is still reading adds nothing to a float
MOST_STEPS = 1e10  # of averaging over orders of equal scores; more would take minutes


def ndcg(
    ranking: Any, truth: Any, *, k: int | None = None, gain: Gain = "linear", ties: Ties = "average",
    missing: Missing = "error",
) -> float:  # fmt: skip
    """Normalised discounted cumulative gain: what the top k hold, against the best that they could hold.

    With the items in order of their scores and γ the gain of a true value, g or 2^g − 1 (Järvelin and Kekäläinen 2002;
    Burges et al. 2005)::

        DCG@k = Σ_{r ≤ k} γ(g_r) / log₂(r + 1)        NDCG@k = DCG@k / DCG@k of the true order

    1 is the best order. Take it where the top matters more than the rest. What a random order reaches depends on the
    truth, and is far from 0: compare with :func:`~sidewise.random_order`, and where every place matters alike take
    :func:`pair_accuracy`. True values are gains, so that negative ones are refused and a constant added to all of them
    changes the result. Where all gains are 0 it is NaN. All items are known on both sides; those that a search engine
    has not retrieved, or nobody judged, need a score or a true value first.

    Parameters
    ----------
    ranking, truth, missing
        As of :func:`pair_accuracy`.
    k
        How many of the top to look at; all, if not said.
    gain
        "linear", or "exp2", by which one grade more is worth twice as much.
    ties
        Equal scores say nothing about their order. "average" takes the mean over all orders of them (McSherry and
        Najork 2008), "first" the order in which the ranking lists the items, "best" and "worst" the order of the
        truth and its opposite.

    >>> ndcg({"a": 0.9, "b": 0.5, "c": 0.1}, {"a": 3, "b": 2, "c": 1})
    1.0
    >>> round(ndcg([0.9, 0.5, 0.1], [1, 2, 3], k=2), 4)
    0.5307
    """
    score, true = align({RANKING: ranking, TRUTH: truth}, missing=missing).values
    return once(prepare_ndcg(score, true, k=k, gain=gain, ties=ties), len(score))


def prepare_ndcg(
    score: Floats, truth: Floats, *, k: int | None = None, gain: Gain = "linear", ties: Ties = "average"
) -> Prepared:
    """NDCG as a function of how often each item was drawn."""
    gains = as_gains(truth, gain)
    found, best = _listed(score, truth, ties), equal_runs(-truth)
    checked_depth(k)

    def share(copies: Floats) -> Floats:
        discount = _discounts(int(copies.sum(axis=0).max()), k)
        return ratio(_dcg(found, gains, discount, copies), _dcg(best, gains, discount, copies))

    return share


def _dcg(runs: Runs, gains: Floats, discount: Floats, copies: Floats) -> Floats:
    """Σ over runs of equal scores: their mean gain times the discounts of the ranks that they share."""
    counts = runs.sums(copies)
    last = np.cumsum(counts, axis=0).astype(np.int64)
    discounts = discount[last] - discount[last - counts.astype(np.int64)]
    means = runs.sums((copies.T * gains).T) / np.maximum(counts, 1)
    return np.asarray((means * discounts).sum(axis=0))


def _discounts(ranks: int, k: int | None) -> Floats:
    """Σ_{r ≤ t} 1 / log₂(r + 1) for t from 0, without more beyond rank k."""
    each = 1 / np.log2(np.arange(2, ranks + 2))
    if k is not None:
        each[k:] = 0
    return np.concatenate([[0.0], np.cumsum(each)])


def as_gains(truth: Floats, gain: Gain) -> Floats:
    """What each item is worth: its grade, or 2^grade − 1."""
    check_choice("gain", gain, get_args(Gain))
    finite(truth, TRUTH)
    if (truth < 0).any():
        raise MeasureError(
            f"the truth has negative values, the least {truth.min():g}, but gains are 0 or more: shift or grade them, "
            "or use a measure of the order, such as pair_accuracy",
        )
    with np.errstate(over="ignore"):
        gains = truth if gain == "linear" else np.exp2(truth) - 1
    if not np.isfinite(gains.sum()):
        raise MeasureError(
            f"2 to the power of {truth.max():g} is too large a gain: use gain='linear', or smaller grades"
        )
    return gains


def _listed(score: Floats, truth: Floats, ties: Ties) -> Runs:
    """Items from the best score on, in runs whose order is left to chance."""
    check_choice("ties", ties, get_args(Ties))
    if ties == "average":
        return equal_runs(-score)
    then = {"first": np.arange(len(score)), "best": -truth, "worst": truth}[ties]
    return Runs(np.lexsort((then, -score)), np.arange(len(score)))


def checked_depth(k: int | None) -> None:
    """Refuse a k that is no number of ranks."""
    if k is not None and (isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1):
        raise MeasureError(f"k={k!r}: it takes a whole number of ranks, 1 or more, or None for all")


def expected_reciprocal_rank(
    ranking: Any, truth: Any, *, k: int | None = None, highest: float | None = None, ties: Ties = "average",
    missing: Missing = "error",
) -> float:  # fmt: skip
    """Expected reciprocal rank: how early a reader, who goes down the list until satisfied, can stop.

    A reader at rank r is satisfied with chance R_r and goes on otherwise (Chapelle et al. 2009)::

        ERR = Σ_r (1/r) R_r Π_{i < r} (1 − R_i)        R = (2^g − 1) / 2^highest

    Take it where one good item is enough, so that what comes behind it hardly matters; where every good item counts,
    take :func:`ndcg`. It is not normalised: the best order reaches less than 1.

    Parameters
    ----------
    ranking, truth, missing
        As of :func:`pair_accuracy`; true values are grades, 0 or more.
    k
        How many of the top to look at; all, if not said.
    highest
        The highest grade that could have been given. The highest in the truth if not said; to compare different
        truths, say it.
    ties
        As of :func:`ndcg`.

    >>> expected_reciprocal_rank({"a": 0.9, "b": 0.5, "c": 0.1}, {"a": 1, "b": 2, "c": 0})
    0.53125
    """
    score, true = align({RANKING: ranking, TRUTH: truth}, missing=missing).values
    return once(prepare_expected_reciprocal_rank(score, true, k=k, highest=highest, ties=ties), len(score))


def prepare_expected_reciprocal_rank(
    score: Floats, truth: Floats, *, k: int | None = None, highest: float | None = None, ties: Ties = "average"
) -> Prepared:
    """The expected reciprocal rank as a function of how often each item was drawn."""
    checked_depth(k)
    runs = _listed(score, truth, ties)
    top = truth.max() if highest is None else highest
    if highest is not None and not np.isfinite(highest):
        raise MeasureError(f"highest={highest:g}: it is the highest grade that could have been given, a finite number")
    if truth.max() > top:
        raise MeasureError(f"the truth has a grade of {truth.max():g}, but highest={top:g}")
    as_gains(truth, "linear")  # refuses what are no grades
    going_on = (1 - (np.exp2(truth - top) - np.exp2(-float(top))))[runs.order]
    run = np.repeat(np.arange(len(runs.start)), np.diff(runs.start, append=len(runs.order)))

    def expected(copies: Floats) -> Floats:
        columns = copies[runs.order].reshape(len(runs.order), -1).T.astype(np.int64)
        values = [_stopping(np.repeat(going_on, drawn), np.repeat(run, drawn), k) for drawn in columns]
        return np.array(values).reshape(copies.shape[1:])

    return expected


def _stopping(going_on: Floats, run: Places, k: int | None) -> float:
    """Σ (1/r) times the chance to stop at r, from the chances to go on; those of equal runs come in any order."""
    depth = len(going_on) if k is None else min(k, len(going_on))
    reading = np.cumprod(_in_any_order(going_on, run, depth))
    stopping = -np.diff(reading, prepend=1.0)
    return float((stopping / np.arange(1, depth + 1)).sum())


def _in_any_order(going_on: Floats, run: Places, depth: int) -> Floats:
    """The chances to go on, as if the items of a run came in an order drawn at random."""
    found = going_on[:depth].copy()
    followed = depth - np.count_nonzero(np.cumprod(found) < np.exp(-NEGLIGIBLE))  # hardly anybody reads on from there
    mixed = np.flatnonzero((run[1:] == run[:-1]) & (going_on[1:] != going_on[:-1]))
    for one in np.unique(run[mixed]).tolist():
        first, last = np.searchsorted(run, [one, one + 1])
        if first < depth and first <= followed:
            reading = _mean_products(going_on[first:last], min(last, depth) - first)
            found[first : first + len(reading)] = reading / np.concatenate([[1.0], reading[:-1]])
            found[first + len(reading) : last] = 0
    return found


def _mean_products(chances: Floats, most: int) -> Floats:
    """Of any t of the chances, their product in the mean, for t from 1 to the most, or until nothing is left of it.

    These are the elementary symmetric polynomials over their numbers of terms, built up one chance at a time. By
    Maclaurin's inequality the one of t is at most the mean chance to the power of t, which tells when to stop.
    """
    lost = -np.log(np.maximum(chances.mean(), 1e-300))
    depth = int(min(most, np.ceil(NEGLIGIBLE / max(lost, 1e-12))))
    if depth * len(chances) > MOST_STEPS:
        raise MeasureError(
            f"{len(chances):,} items have equal scores: to average over their orders takes too long; give k, or "
            "ties='first'",
        )
    found = np.zeros(depth + 1)
    found[0] = 1
    terms = np.arange(1, depth + 1)
    for taken, chance in enumerate(chances, 1):
        found[1:] = ((taken - terms) * found[1:] + terms * chance * found[:-1]) / taken
    reading = found[1:]
    return reading[reading > 0]
