"""How good can a choice of pairs be? The Cramér–Rao bound of the best design, for one who knows the scores."""

from dataclasses import dataclass

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import SidewiseError
from sidewise.sampling.state import Positions

CLOSE = 0.002  # the total variance may be so much above the least there is, and the RMSE half as much
STEPS = 5000
FAINT = 1e-7  # pairs with less than this part of all comparisons are let go, unless they come to be worth it again
LOOK = 10  # steps between looks at all pairs
# What a pair tells at the least, at a difference of 6: what tells less, and leaves the bound of no use, counts as this
# much, as numbers of all sizes do not go into one matrix. The bound stays a bound: it can only be too low.
LEAST = 1e-8


@dataclass(frozen=True)
class Design:
    """How a budget is best shared out among the pairs, and the total variance of the scores that one answer buys."""

    n: int
    pairs: Positions  # one a row, those that get any
    share: Floats  # of the comparisons, 1 in all
    variance: float  # the trace of the inverse information of one comparison that is shared out so
    gap: float  # by which part the least variance may be below it

    def rmse(self, comparisons: float) -> float:
        """The least root mean square error of unbiased scores after so many comparisons, their mean known."""
        return float(np.sqrt(self.variance / self.n / comparisons))


def best_design(scores: Floats) -> Design:
    """The shares x of the pairs that make the total variance least, where i beats j with the chance Φ(s_i − s_j).

    The information of one comparison is M(x) = Σ x_ij w_ij (e_i − e_j)(e_i − e_j)ᵀ with the w of :func:`told`. Its
    pseudo-inverse bounds the covariance of unbiased scores from below (Cramér and Rao), and x ∝ x √g with g_ij = w_ij
    ‖M⁺(e_i − e_j)‖² lessens its trace at every step. At the least, g is the trace wherever x is not 0, and nowhere
    more: tr² / max g is below what any design can have (Kiefer and Wolfowitz's equivalence), which says when to stop.

    Examples
    --------
    >>> import numpy as np
    >>> round(best_design(np.array([0.0, 1.0, 2.0])).rmse(300), 3)
    0.082
    """
    if len(scores) < 2:
        raise SidewiseError("a design takes two items at least")
    every = np.column_stack(np.triu_indices(len(scores), 1))
    information = np.maximum(told(scores[every[:, 0]] - scores[every[:, 1]]), LEAST)
    share, kept = _start(scores, every, information), np.arange(len(every))
    for step in range(STEPS):
        spread = _inverse(len(scores), every[kept], share[kept] * information[kept])
        look = step % LOOK == 0
        slope = _slope(spread, every if look else every[kept], information if look else information[kept])
        if look:
            gap = 1 - np.trace(spread) / slope.max()
            if gap < CLOSE:
                break
            kept = np.flatnonzero((share > FAINT) | (slope > np.trace(spread)))
            share[kept] = np.maximum(share[kept], FAINT)
            slope = slope[kept]
        moved = share[kept] * np.sqrt(slope)
        share = np.zeros(len(every))
        share[kept] = moved / moved.sum()
    used = share > FAINT
    return Design(len(scores), every[used], share[used], float(np.trace(spread)), float(gap))


def told(d: Floats) -> Floats:
    """Fisher's information of an answer about a difference d: φ(d)² / Φ(d) Φ(−d)."""
    from scipy.special import log_ndtr

    return np.asarray(np.exp(-(d**2) - np.log(2 * np.pi) - log_ndtr(d) - log_ndtr(-d)))


def _start(scores: Floats, pairs: Positions, information: Floats) -> Floats:
    """Half for neighbours, the more the less they tell, as is best where nobody else is compared; half for all."""
    place = np.argsort(np.argsort(scores))
    chain = np.where(np.abs(place[pairs[:, 0]] - place[pairs[:, 1]]) == 1, information**-0.5, 0.0)
    whole = information / information.sum()
    return np.asarray((chain / chain.sum() + whole) / 2)


def _inverse(n: int, pairs: Positions, weight: Floats) -> Floats:
    """The pseudo-inverse of a connected Laplacian: with 1/n added everywhere it has an inverse, and then loses it."""
    laplacian = np.zeros((n, n))
    laplacian[pairs[:, 0], pairs[:, 1]] = laplacian[pairs[:, 1], pairs[:, 0]] = -weight
    np.fill_diagonal(laplacian, -laplacian.sum(axis=1))
    return np.asarray(np.linalg.inv(laplacian + 1 / n) - 1 / n)


def _slope(spread: Floats, pairs: Positions, information: Floats) -> Floats:
    """By how much the trace falls for a little more of each pair."""
    squared = spread @ spread
    i, j = pairs.T
    return np.asarray(information * (squared[i, i] + squared[j, j] - 2 * squared[i, j]))
