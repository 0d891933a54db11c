"""What the report says of the data: how well the comparisons hang together, and whether a side was favoured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons import Comparisons, PairCounts
from sidewise.comparisons.arrow import Floats
from sidewise.models.win_rate import wilson

FEWEST_ANSWERS = 10  # of a worker whose share of left answers is shown


@dataclass(frozen=True)
class SideBias:
    """How often the left side won, of the decided comparisons."""

    share: float
    low: float
    high: float
    decided: float
    by_worker: Floats  # shares of left answers of the workers with enough answers

    def verdict(self, effects: Sequence[Mapping[str, Any]] = (), *, by_worker: bool = False) -> str:
        """What follows, in words; advice only where the effect of the side is not fitted yet."""
        side = "left" if self.share > 0.5 else "right"
        seen = f"The {side} side is favoured" if self.shows else "No favoured side can be seen in the whole"
        for row in effects:
            if row["effect"] == "side":
                return (f"{seen}; the effect of the left side is fitted, {row['estimate']:.2f} "
                        f"({row['low']:.2f} to {row['high']:.2f}), and the scores are free of it.")  # fmt: skip
        if by_worker:
            return f"{seen}; every worker’s own bias to a side is fitted, and the scores are free of it."
        advice = ": fit its effect (bradley-terry with --covariate side), or balance the sides" if self.shows else ""
        return f"{seen}{advice}."

    @property
    def shows(self) -> bool:
        """Whether one side is surely favoured."""
        return not self.low <= 0.5 <= self.high


def side_bias(comparisons: Comparisons | PairCounts, level: float) -> SideBias | None:
    """The share of left answers, with an interval; None where the sides are not known."""
    counts = comparisons if isinstance(comparisons, PairCounts) else comparisons.counts()
    decided = counts.left_wins + counts.right_wins
    if not decided:
        return None
    share = counts.left_wins / decided
    low, high = wilson(np.array([share]), np.array([decided]), level)
    return SideBias(share, float(low[0]), float(high[0]), decided, _by_worker(comparisons))


def _by_worker(comparisons: Comparisons | PairCounts) -> Floats:
    if isinstance(comparisons, PairCounts) or comparisons.worker is None:
        return np.empty(0)
    decided = comparisons.outcome != 0.5
    who, left = comparisons.worker[decided], comparisons.outcome[decided] > 0.5
    answers = np.bincount(who, minlength=len(comparisons.workers))
    share = np.bincount(who, left, minlength=len(comparisons.workers)) / np.maximum(answers, 1)
    return np.asarray(share[answers >= FEWEST_ANSWERS])


def opponents(counts: PairCounts) -> NDArray[np.int64]:
    """How many different opponents every item has met."""
    met, n = counts.total > 0, len(counts.items)
    return np.bincount(counts.first[met], minlength=n) + np.bincount(counts.second[met], minlength=n)


def repeats(counts: PairCounts) -> Floats:
    """How often each pair that was compared was compared."""
    return counts.total[counts.total > 0]
