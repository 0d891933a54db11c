"""Is the order right? Pair accuracy and Kendall's tau."""

from typing import Any, Literal, get_args

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError
from sidewise.measures.aligned import RANKING, TRUTH, WEIGHTS, Missing, align
from sidewise.measures.concordance import Concordance, Signs, concordance
from sidewise.measures.runs import Prepared, Runs, equal_runs, once, ratio

PairTies = Literal["wrong", "half"]
PairWeight = Literal["equal", "difference"]
Variant = Literal["b", "c"]


def pair_accuracy(
    ranking: Any, truth: Any, *, ties: PairTies = "wrong", weight: PairWeight = "equal", item_weight: Any = None,
    missing: Missing = "error",
) -> float:  # fmt: skip
    """The share of pairs with different truth that the ranking puts in the right order.

    With true values g and scores s (Bugakova et al. 2019, Eq. 3)::

        ACC = Σ [g_i > g_j and s_i > s_j] / Σ [g_i > g_j]

    1 is perfect, 0.5 what a coin reaches. Pairs of equal truth count nowhere. It is the easiest measure to explain;
    where equal scores are common and no fault, take ``ties="half"`` or :func:`kendall_tau`, and where the top matters
    more than the rest, :func:`ndcg`. If the truth has two values only, ``ties="half"`` gives the area under the ROC
    curve. Without a pair of different truth it is NaN.

    Parameters
    ----------
    ranking
        The scores, higher is better: a :class:`~sidewise.Ranking`, a mapping from item to score, a dataframe with
        an item and a score column, a pair (ids, values), or an array aligned with the truth by position.
    truth
        The true values, higher is better: a mapping, a dataframe, a pair, or an array if the ranking is one.
    ties
        "wrong" counts pairs of equal scores as the equation does; "half" as half right, as a coin would decide them.
    weight
        "equal" counts every pair once; "difference" counts a pair g_i − g_j times, so that a mistake about items that
        are far apart costs more.
    item_weight
        Weights w of the items (mapping, array …); the pair then counts w_i w_j times, as if there were w copies of
        each item.
    missing
        "error" refuses items that one side has not, or has no number for (NaN); "drop" leaves them out.

    >>> pair_accuracy({"a": 0.9, "b": 0.2, "c": 0.3, "d": 0.1}, {"a": 3, "b": 3, "c": 2, "d": 1})
    0.8
    >>> pair_accuracy([0.9, 0.2, 0.3, 0.1], [3, 3, 2, 1], weight="difference")
    0.8571428571428571
    """
    sides = {RANKING: ranking, TRUTH: truth} | ({} if item_weight is None else {WEIGHTS: item_weight})
    score, true, *weights = align(sides, missing=missing).values
    prepared = prepare_pair_accuracy(score, true, ties=ties, weight=weight)
    if not weights:
        return once(prepared, len(score))
    if not (np.isfinite(weights[0]) & (weights[0] >= 0)).all():
        raise MeasureError("weights of items are finite numbers, 0 or more")
    return float(prepared(weights[0]))


def prepare_pair_accuracy(
    score: Floats, truth: Floats, *, ties: PairTies = "wrong", weight: PairWeight = "equal"
) -> Prepared:
    """Pair accuracy as a function of how often each item counts."""
    check_choice("ties", ties, get_args(PairTies))
    check_choice("weight", weight, get_args(PairWeight))
    g = finite(truth, TRUTH) - truth.min() if weight == "difference" else None
    by_truth, right = equal_runs(truth), concordance(score, truth)
    wrong = concordance(-score, truth) if ties == "half" else None

    def accuracy(copies: Floats) -> Floats:
        total, found = _pairs(by_truth, copies, g), _agreeing(right, copies, g)
        return ratio(found if wrong is None else (found + total - _agreeing(wrong, copies, g)) / 2, total)

    return accuracy


def _agreeing(pairs: Concordance, copies: Floats, g: Floats | None) -> Floats:
    """Σ w_i w_j over the pairs i below j, or Σ w_i w_j (g_j − g_i)."""
    if g is None:
        return pairs(copies, copies)[0]
    above, below = pairs(copies, (copies.T * g).T)
    return above - below


def _pairs(by_truth: Runs, copies: Floats, g: Floats | None) -> Floats:
    """The same over all pairs of different truth."""
    sums = by_truth.sums(copies)
    if g is None:
        return np.asarray((sums.sum(axis=0) ** 2 - (sums**2).sum(axis=0)) / 2)
    weighted = (sums.T * g[by_truth.order[by_truth.start]]).T
    return np.asarray((weighted * _before(sums) - sums * _before(weighted)).sum(axis=0))


def _before(sums: Floats) -> Floats:
    return np.cumsum(sums, axis=0) - sums


def kendall_tau(ranking: Any, truth: Any, *, variant: Variant = "b", missing: Missing = "error") -> float:
    """Kendall's rank correlation: pairs in the right order less those in the wrong one.

    With C pairs in the same order on both sides, D in opposite orders, n₀ = n(n − 1)/2 pairs of which n₁ have equal
    scores and n₂ equal truth, and m the number of distinct values on the side that has fewer (Kendall 1945, Stuart
    1953)::

        tau-b = (C − D) / √((n₀ − n₁)(n₀ − n₂))        tau-c = 2 (C − D) / (n² (m − 1)/m)

    1 is the same order, −1 the opposite one, 0 none. Tau-b is the usual one. It reaches 1 only where both sides have
    ties in the same places: for a truth of few grades and scores without ties, tau-c can, or take
    :func:`pair_accuracy`, which asks nothing about pairs of equal truth. Without ties all say the same: tau is
    2 ACC − 1. Where a side has one value only it is NaN.

    Parameters
    ----------
    ranking, truth, missing
        As of :func:`pair_accuracy`.
    variant
        "b" or "c".

    >>> round(kendall_tau([10, 30, 20], [1, 2, 3]), 6)
    0.333333
    """
    score, true = align({RANKING: ranking, TRUTH: truth}, missing=missing).values
    return once(prepare_kendall_tau(score, true, variant=variant), len(score))


def prepare_kendall_tau(score: Floats, truth: Floats, *, variant: Variant = "b") -> Prepared:
    """Kendall's tau as a function of how often each item counts.

    Copies of one item are not a pair: they would be equal on both sides, and make tau-b fall short of what it is.
    """
    check_choice("variant", variant, get_args(Variant))
    signs = Signs.of(score, truth)

    def tau(copies: Floats) -> Floats:
        lead = signs.products(copies, copies)  # 2 (C − D)
        if variant == "b":
            return ratio(lead, np.sqrt(signs.scores(copies, copies) * signs.truths(copies, copies)))
        size = copies.sum(axis=0)
        least = np.minimum(_distinct(signs.by_score, copies), _distinct(signs.by_truth, copies))
        # Without copies the pairs are n (n − 1), and this is 2 (C − D) / (n² (m − 1)/m).
        pairs = size**2 - (copies**2).sum(axis=0)
        return ratio(lead * (size - 1) * least, pairs * size * (least - 1))

    return tau


def _distinct(runs: Runs, copies: Floats) -> Floats:
    return np.asarray((runs.sums(copies) > 0).sum(axis=0), float)


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Refuse a word that an option does not know."""
    if value not in choices:
        raise MeasureError(f"{name}={value!r} is not one of: {', '.join(choices)}")


def finite(values: Floats, name: str) -> Floats:
    """Refuse infinite numbers, for measures that calculate with them."""
    if not np.isfinite(values).all():
        raise MeasureError(f"{name} has infinite numbers, of which this measure cannot be taken")
    return values
