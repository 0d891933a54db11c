"""What strategies share that would rather ask one pair at a time: ties among gains, and pair after pair."""

from collections.abc import Callable

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.sampling.state import Mask, Positions


def level(gain: Floats, usable: Mask) -> Floats:
    """Gains without what only rounding tells apart, so that chance and not the order of the items settles ties.

    Rounding is of the order of the largest usable gain: what may not be asked tells nothing about the rest.
    """
    top = float(np.abs(gain[usable]).max(initial=0.0))
    return np.round(gain / top, 10) if top else gain


def one_by_one(
    gain: Floats, usable: Mask, count: int, rng: np.random.Generator, asked: Callable[[int, int], Floats]
) -> Positions:
    """The best pairs, each chosen after ``asked`` has told the gains that are left once the one before it is out.

    Equal gains are settled at random.
    """
    free = np.triu(usable, 1)
    pairs = np.empty((max(0, min(count, int(free.sum()))), 2), np.int64)
    for row in range(len(pairs)):
        if row:
            gain = asked(*pairs[row - 1].tolist())
        pairs[row] = _highest(np.where(free, level(gain, free), -np.inf), rng)
        free[tuple(pairs[row])] = False
    return pairs


def _highest(gain: Floats, rng: np.random.Generator) -> tuple[int, int]:
    """Row and column of the highest entry, of one of them at random where there are several."""
    tops = np.flatnonzero(gain == gain.max())
    return divmod(int(tops[rng.integers(len(tops))]), len(gain))
