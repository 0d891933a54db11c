"""Pairs that two orders agree about, counted in O(n log n)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.measures.runs import Places, Runs, codes, equal_runs

BothWays = tuple[Floats, Floats]  # Σ a_i b_j and Σ b_i a_j over the pairs of some i below some j
Concordance = Callable[[Floats, Floats], BothWays]


def concordance(score: Floats | Places, truth: Floats | Places) -> Concordance:
    """Σ a_i b_j, and Σ b_i a_j, over the pairs with g_i < g_j and s_i < s_j, as a function of the weights a and b.

    Items are put in order of the truth, equal ones from the highest score to the lowest, so that none of these rises
    above another that comes before it; in the same way equal scores are listed against that order.
    """
    n, rank = len(score), codes(score)
    by_truth = np.argsort(codes(truth) * n + (n - 1 - rank), kind="stable")
    place = np.argsort(rank[by_truth] * n + np.arange(n)[::-1])  # places in the order of the truth, by score
    listed = by_truth[place]

    def total(a: Floats, b: Floats) -> BothWays:
        taken = a[listed]
        return rising(place, taken, taken if b is a else b[listed])

    return total


@dataclass(frozen=True, slots=True)
class Signs:
    """sign(s_i − s_j) and sign(g_i − g_j) of all pairs, summed with weights a_i b_j."""

    agreeing: Concordance
    by_score: Runs
    by_truth: Runs
    by_both: Runs

    @classmethod
    def of(cls, score: Floats, truth: Floats) -> "Signs":
        """From scores s and truth g."""
        s, g = codes(score), codes(truth)
        return cls(concordance(s, g), equal_runs(s), equal_runs(g), equal_runs(s * len(s) + g))

    def products(self, a: Floats, b: Floats) -> Floats:
        """Σ a_i b_j sign(s_i − s_j) sign(g_i − g_j)."""
        above, below = self.agreeing(a, b)
        differing = self.scores(a, b) + self.truths(a, b) - _apart(self.by_both, a, b)
        return 2 * (above + below) - differing

    def scores(self, a: Floats, b: Floats) -> Floats:
        """Σ a_i b_j sign(s_i − s_j)²."""
        return _apart(self.by_score, a, b)

    def truths(self, a: Floats, b: Floats) -> Floats:
        """Σ a_i b_j sign(g_i − g_j)²."""
        return _apart(self.by_truth, a, b)


def _apart(runs: Runs, a: Floats, b: Floats) -> Floats:
    """Σ a_i b_j over the i and j that are in different runs."""
    return np.asarray(a.sum(axis=0) * b.sum(axis=0) - (runs.sums(a) * runs.sums(b)).sum(axis=0))


def rising(place: Places, a: Floats, b: Floats) -> BothWays:
    """Σ a_i b_j, and Σ b_i a_j, over i < j with place_i < place_j, for a permutation of 0 … n − 1.

    Places below the largest power of two in n, and those from it on, make pairs with one another, and pairs among
    themselves; a full power of two is dealt with bit by bit.
    """
    n = len(place)
    if n < 2:
        return np.zeros(a.shape[1:]), np.zeros(a.shape[1:])
    half = 1 << ((n - 1).bit_length() - 1)
    low, high = np.flatnonzero(place < half), np.flatnonzero(place >= half)
    across = _crossing(a, b, high, n)
    below = _rising_by_bits(place[low], a[low], a[low] if b is a else b[low])
    above = rising(place[high] - half, a[high], a[high] if b is a else b[high])
    return across[0] + below[0] + above[0], across[1] + below[1] + above[1]


def _rising_by_bits(place: Places, a: Floats, b: Floats) -> BothWays:
    """The same for a power of two, from the highest bit of the places to the lowest.

    Among items whose higher bits are equal, those with the bit are above those without it. Then the items are parted by
    the bit, so that neighbours form blocks with the same higher bits; all blocks are full, and parting is a reshape.
    """
    ab, ba = np.zeros(a.shape[1:]), np.zeros(a.shape[1:])
    block = len(place)
    while block > 1:
        above = place & (block // 2) != 0
        low, high = np.flatnonzero(~above), np.flatnonzero(above)
        across = _crossing(a, b, high, block)
        ab, ba = ab + across[0], ba + across[1]
        block //= 2
        place, same = _parted(place, low, high, block), b is a
        a = _parted(a, low, high, block)
        b = a if same else _parted(b, low, high, block)
    return ab, ba


def _crossing(a: Floats, b: Floats, high: Places, block: int) -> BothWays:
    """Pairs of a low item and a high one after it, in the same block."""
    ab = _sum_of_products(b[high], _ahead(a, high, block))
    return ab, (ab if b is a else _sum_of_products(a[high], _ahead(b, high, block)))


def _ahead(weights: Floats, high: Places, block: int) -> Floats:
    """The weight of the low items that come before each high one in its block."""
    low = weights.copy()
    low[high] = 0
    return np.asarray(np.cumsum(low.reshape(-1, block, *low.shape[1:]), axis=1).reshape(low.shape)[high])


def _sum_of_products(x: Floats, y: Floats) -> Floats:
    return np.asarray(np.einsum("i...,i...->...", x, y))


def _parted(values: Any, low: Places, high: Places, block: int) -> Any:
    """In every block, those without the bit before those with it."""
    shape = (-1, block, *values.shape[1:])
    return np.stack([values[low].reshape(shape), values[high].reshape(shape)], axis=1).reshape(values.shape)
