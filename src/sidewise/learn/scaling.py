"""Features on a common scale, so that the penalty on weights weighs them alike."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import SidewiseError
from sidewise.learn.features import Features

Scale = Literal["deviation", "query", "none"]


@dataclass(frozen=True, eq=False)
class Scaling:
    """How features are scaled: x → (x − centre) / unit, or by each query's own least and greatest value."""

    kind: Scale
    centre: Floats
    unit: Floats

    def apply(self, features: Features) -> Floats:
        """The features on the scale, rows × features."""
        if self.kind == "query":
            return _by_query(features)
        return np.asarray((features.values - self.centre) / self.unit)


def fit_scaling(features: Features, kind: Scale = "deviation") -> Scaling:
    """Find the scale of features, from the documents that a ranker is trained on and no others.

    Parameters
    ----------
    features
        Of the training queries.
    kind
        "deviation" gives every feature mean 0 and standard deviation 1 over all these documents, as in Carterette et
        al. (2008); a feature that is the same everywhere becomes 0. "query" is LETOR's own: within each query, also
        a new one, from 0 to 1. "none" leaves features as they are, for files that are scaled already.

    Examples
    --------
    >>> made = Features.from_arrays([1, 1], ["a", "b"], [[1, 5], [3, 5]])
    >>> fit_scaling(made).apply(made).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    if kind not in get_args(Scale):
        raise SidewiseError(f"no scale {kind!r}; there are: {', '.join(get_args(Scale))}")
    if kind != "deviation":
        return Scaling(kind, np.zeros(features.width), np.ones(features.width))
    spread = np.ptp(features.values, axis=0) > 0  # a deviation of rounding errors is no spread
    return Scaling(kind, features.values.mean(axis=0), np.where(spread, features.values.std(axis=0), 1.0))


def _by_query(features: Features) -> Floats:
    scaled = np.zeros_like(features.values)
    for rows in features.rows_of.values():
        here = features.values[rows]
        least, range_ = here.min(axis=0), np.ptp(here, axis=0)
        scaled[rows] = np.where(range_ > 0, (here - least) / np.where(range_ > 0, range_, 1.0), 0.0)
    return scaled
