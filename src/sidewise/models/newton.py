"""Newton's method for concave objectives: a handful of steps where fixed-point sweeps take thousands."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from sidewise.comparisons.arrow import Floats


class Curvature(Protocol):
    """Minus the Hessian, which can be solved with."""

    def solve(self, b: Floats, tol: float) -> Floats:
        """The x of H x = b."""
        ...


C = TypeVar("C", bound=Curvature)


@dataclass(frozen=True)
class Slope(Generic[C]):
    """The gradient at a point, and the curvature there."""

    gradient: Floats
    curvature: Callable[[], C]


@dataclass(frozen=True)
class Optimum:
    """Where the climb ended."""

    point: Floats
    steps: int
    gap: float
    converged: bool


def climb(slope: Callable[[Floats], Slope[C]], start: Floats, *, tol: float, limit: int) -> Optimum:
    """Maximise a concave function from its slope.

    The step is halved until the slope along it no longer points back by more than half of what it was, which for a
    concave function replaces the search for a higher value, and needs none. The linear systems are solved only as
    well as the step deserves (inexact Newton): a rough direction far away, an exact one at the end.
    """
    point, here = start, slope(start)
    gap, steps = np.inf, 0
    while steps < limit:
        steps += 1
        step = here.curvature().solve(here.gradient, float(np.clip(0.1 * gap, 1e-12, 0.1)))
        if (gap := float(np.abs(step).max(initial=0.0))) <= tol:
            return Optimum(point + step, steps, gap, converged=True)
        if not np.isfinite(gap):  # weights near 1e300: halving would find nothing better, and take minutes
            break
        rise, length, there = here.gradient @ step, 1.0, slope(point + step)
        while not there.gradient @ step >= -0.5 * rise and length > 1e-10:
            length /= 2
            there = slope(point + length * step)
        point, here, gap = point + length * step, there, length * gap
    return Optimum(point, steps, gap, converged=False)
