"""How good is a ranking? Against a truth by pairs, or by answers that it has not seen."""

import numpy as np
from numpy.typing import ArrayLike

BLOCK = 1024  # items compared with all others at once


def pair_accuracy(truth: ArrayLike, score: ArrayLike) -> float:
    """The share of pairs with g_i > g_j that have s_i > s_j (Bugakova et al. 2019, Eq. 3); equal scores are wrong.

    Items whose truth is not known (NaN) count nowhere. Without a pair to look at it is NaN.

    >>> pair_accuracy([1, 2, 3, 3], [0.1, 0.3, 0.2, 0.9])
    0.8
    """
    g, s = np.asarray(truth, float), np.asarray(score, float)
    known = np.flatnonzero(np.isfinite(g))
    order = known[np.argsort(g[known], kind="stable")]
    g, s = g[order], s[order]
    below = np.searchsorted(g, g, side="left")  # in this order, the items below i in truth are the first below[i]
    if not below.sum():
        return float("nan")
    right = 0
    for start in range(0, len(s), BLOCK):
        some = slice(start, start + BLOCK)
        lower = np.arange(below[some].max()) < below[some, None]
        right += int(np.count_nonzero(lower & (s[: lower.shape[1]] < s[some, None])))
    return float(right / below.sum())


def kendall_tau(truth: ArrayLike, score: ArrayLike) -> float:
    """Kendall's tau-b, over the items whose truth is known.

    >>> round(kendall_tau([1, 2, 3], [10, 30, 20]), 6)
    0.333333
    """
    from scipy.stats import kendalltau

    g, s = np.asarray(truth, float), np.asarray(score, float)
    known = np.isfinite(g)
    return float(kendalltau(g[known], s[known]).statistic)


def foretold(lead: ArrayLike, outcome: ArrayLike) -> float:
    """The share of decided answers that go to the item with the higher score; where scores are equal, half of one.

    ``lead`` is the left item's score less the right one's.

    >>> foretold([0.5, -1, 0, 2], [1, 1, 1, 0.5])
    0.5
    """
    ahead, said = np.sign(np.asarray(lead, float)), np.asarray(outcome, float)
    decided = said != 0.5
    agrees = (1 + ahead * np.sign(said - 0.5)) / 2
    return float(agrees[decided].mean()) if decided.any() else float("nan")
