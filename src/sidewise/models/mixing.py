"""Anderson's mixing: steps that shrink by a constant factor, put together so that far fewer are needed."""

from collections import deque
from collections.abc import Sequence

import numpy as np

from sidewise.comparisons.arrow import Floats

MEMORY = 6  # steps to look back on


def memory() -> "deque[tuple[Floats, Floats]]":
    """Room for the last points and the steps taken from them."""
    return deque(maxlen=MEMORY)


def mixed(past: Sequence[tuple[Floats, Floats]]) -> Floats:
    """The combination of past points whose steps nearly cancel, plus its step; the last of them counts for itself."""
    point, step = past[-1]
    if len(past) < 2:
        return point + step
    points, steps = (np.stack([past[-1][part] - old[part] for old in past][:-1], axis=1) for part in (0, 1))
    share, *_ = np.linalg.lstsq(steps.T @ steps, steps.T @ step, rcond=1e-10)
    return np.asarray(point + step - (points + steps) @ share)
