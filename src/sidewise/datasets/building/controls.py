"""Control comparisons: pairs whose truth differs so much that whoever looks must see it."""

from typing import NamedTuple

import numpy as np

from sidewise.comparisons.arrow import Floats, Mask
from sidewise.datasets.building.graphs import Ends, Positions, distinct_numbers, pair_numbers
from sidewise.errors import DataError


class Controls(NamedTuple):
    """Pairs of items, and whether the right answer is left."""

    left: Ends
    right: Ends
    left_wins: Mask

    def __len__(self) -> int:
        return len(self.left)


def draw_controls(
    truth: Floats, count: int, margin: float, taken: Positions, rng: np.random.Generator, *, lower_wins: bool = False
) -> Controls:
    """So many pairs whose truth differs by more than the margin, any of them, none of those that are asked anyway.

    ``taken`` are the numbers of the pairs that are asked, in order. The right answer is left for half of the controls.
    """
    wide = _Wide(truth, margin)
    if count > wide.total:
        raise DataError(
            f"{wide.total:,} pairs differ by more than {margin:g}, and {count:,} controls were asked for: lower the "
            "margin, or ask for fewer"
        )
    low, high = _free(wide, count, taken, rng)
    winner, loser = (low, high) if lower_wins else (high, low)
    left_wins = rng.permutation(np.arange(count) % 2 == 0)
    return Controls(
        np.where(left_wins, winner, loser).astype(np.int32),
        np.where(left_wins, loser, winner).astype(np.int32),
        left_wins,
    )


def _free(wide: "_Wide", count: int, taken: Positions, rng: np.random.Generator) -> tuple[Positions, Positions]:
    """Draw twice as many as are wanted, and more where too few of them are free."""
    size = min(wide.total, 2 * count + 16)
    while True:
        low, high = wide.pairs(distinct_numbers(wide.total, size, rng))
        number = pair_numbers(low, high)
        place = np.minimum(np.searchsorted(taken, number), max(len(taken) - 1, 0))
        free = np.flatnonzero(taken[place] != number) if len(taken) else np.arange(size)
        if len(free) >= count:
            chosen = rng.choice(free, count, replace=False)
            return low[chosen], high[chosen]
        if size == wide.total:
            raise DataError(
                f"{wide.total:,} pairs differ by more than {wide.margin:g}, but only {len(free):,} of them are not "
                f"asked anyway, and {count:,} controls are wanted: ask for fewer pairs or controls, or lower the "
                "margin"
            )
        size = min(wide.total, 4 * size)


class _Wide:
    """All pairs that differ by more than the margin, numbered without being listed."""

    def __init__(self, truth: Floats, margin: float) -> None:
        self.margin = margin
        self.order = np.argsort(truth, kind="stable")
        rising = truth[self.order]
        self.start = np.searchsorted(rising, rising + margin, side="right")  # from here on the others are far above
        self.until = np.cumsum(len(truth) - self.start)
        self.total = int(self.until[-1]) if len(truth) else 0

    def pairs(self, number: Positions) -> tuple[Positions, Positions]:
        """The lower and the higher item of the pairs of these numbers."""
        low = np.searchsorted(self.until, number, side="right")
        high = self.start[low] + number - np.where(low > 0, self.until[low - 1], 0)
        return self.order[low], self.order[high]
