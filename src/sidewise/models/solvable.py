"""Equations that cannot be solved: said in words that help, whatever the model."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from sidewise.comparisons import Comparisons, PairCounts
from sidewise.errors import ModelError

OVERFLOWN = "infs or NaNs"  # what numpy says of such a matrix


@contextmanager
def solvable(data: Comparisons | PairCounts, factors: Sequence[str] = ()) -> Iterator[None]:
    """Refuse the data where a matrix turns out to be singular: effects that say the same, or weights beyond reason."""
    try:
        yield
    except ValueError as error:  # of which LinAlgError is one
        if not (isinstance(error, np.linalg.LinAlgError) or OVERFLOWN in str(error)):
            raise
        raise ModelError(f"the equations for the scores cannot be solved; {_why(data, factors)}") from None


def _why(data: Comparisons | PairCounts, factors: Sequence[str]) -> str:
    weight = data.weights() if isinstance(data, Comparisons) else data.total
    some = weight[weight > 0]
    weights = f"weights go from {some.min(initial=np.inf):.3g} to {some.max(initial=0.0):.3g}: bring them nearer to 1"
    if not factors:
        return weights
    effects = f"the effects of {', '.join(factors)} cannot be told apart from each other or from the items"
    return f"{effects}: leave one out, or use a prior; or {weights}"
