"""True scores of items: drawn from a distribution with a name, or given."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import SidewiseError
from sidewise.numbers import is_number

# Mean 0 and standard deviation 1 each, in the limit; a name says what the histogram looks like.
DISTRIBUTIONS: Mapping[str, Callable[[int, np.random.Generator], Floats]] = {
    "normal": lambda n, rng: rng.normal(0, 1, n),
    "uniform": lambda n, rng: rng.uniform(-np.sqrt(3), np.sqrt(3), n),
    "exponential": lambda n, rng: rng.exponential(1, n) - 1,
    "equal-steps": lambda n, rng: np.sqrt(12 / (n**2 - 1)) * (rng.permutation(n) - (n - 1) / 2),
}
INTEGERS = "integers"  # 0 … n − 1 in random order, as the papers have them: their spread is what it is


def true_scores(
    names: Sequence[str], scores: str | Sequence[float] | Mapping[str, float], spread: float, rng: np.random.Generator
) -> Floats:
    """A score for every item; ``spread`` is the standard deviation of those that are drawn."""
    if not (is_number(spread) and spread >= 0):
        raise SidewiseError(f"spread is {spread!r}; it is a standard deviation, 0 at the least")
    if isinstance(scores, str):
        if scores == INTEGERS:
            if spread != 1:
                raise SidewiseError(f"spread is {spread:g}, but integers have a spread of their own: leave one out")
            return rng.permutation(len(names)).astype(float)
        if scores not in DISTRIBUTIONS:
            raise SidewiseError(f"scores={scores!r} is not one of {', '.join([*DISTRIBUTIONS, INTEGERS])}")
        return spread * DISTRIBUTIONS[scores](len(names), rng)
    if isinstance(scores, Mapping):
        missing = [name for name in names if name not in scores]
        if missing:
            raise SidewiseError(f"scores has none for the item {missing[0]!r}")
        scores = [scores[name] for name in names]
    try:
        given = np.asarray(scores, float)
    except (TypeError, ValueError):
        raise SidewiseError(f"scores={scores!r} is neither a distribution nor one number for each item") from None
    if given.shape != (len(names),) or not np.isfinite(given).all():
        raise SidewiseError(f"scores must be one finite number for each of the {len(names)} items")
    return given
