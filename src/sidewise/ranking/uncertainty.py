"""How sure we are of the scores: a covariance, or draws, from which every interval follows.

Scores of a pairwise model are known only up to a shift, so a variance is always that of a contrast: of a score
against a zero. The zero is the model's own (``MODEL``), the mean of all items (``MEAN``), or one item's code.
"""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons.arrow import Floats

MODEL: Literal["model"] = "model"
MEAN: Literal["mean"] = "mean"
Zero = Literal["model", "mean"] | int


class Uncertainty(Protocol):
    """What a ranking asks of its uncertainty."""

    @property
    def kind(self) -> str:
        """How it was obtained, in words."""
        ...

    @property
    def compares(self) -> bool:
        """Whether differences of scores are known; otherwise items are surely apart where their intervals are."""
        ...

    def variance(self, zero: Zero) -> Floats:
        """The variance of every score, measured from a zero."""
        ...

    def covariance(self) -> Floats | None:
        """The covariance of all scores about the model's own zero, where there are few enough items to hold it."""
        ...

    def bounds(self, score: Floats, zero: Zero, level: float) -> tuple[Floats, Floats]:
        """The limits of an interval for every score, measured from a zero."""
        ...


def shift(score: Floats, zero: Zero) -> Floats:
    """Scores measured from a zero; the last axis runs over items."""
    if zero == MODEL:
        return score
    if zero == MEAN:
        return np.asarray(score - np.nanmean(score, axis=-1, keepdims=True))
    return np.asarray(score - score[..., zero, None])


def normal_quantile(level: float) -> float:
    """How many standard deviations a two-sided interval of this level reaches."""
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


def normal_bounds(score: Floats, variance: Floats, level: float) -> tuple[Floats, Floats]:
    """Score ± z·sd."""
    reach = normal_quantile(level) * np.sqrt(variance)
    return score - reach, score + reach


@dataclass(frozen=True)
class Dense:
    """A full covariance matrix."""

    matrix: Floats
    kind: str = "covariance from the Hessian"
    compares: bool = True

    def covariance(self) -> Floats:
        """The matrix itself."""
        return self.matrix

    def variance(self, zero: Zero) -> Floats:
        """Var(x − zero) from the entries of the matrix."""
        own = np.diagonal(self.matrix)
        if zero == MODEL:
            return own.copy()
        if zero == MEAN:
            known = ~np.isnan(own)
            with_mean = self.matrix[:, known].mean(axis=1)
            return np.asarray(own - 2 * with_mean + with_mean[known].mean(), float)
        return np.asarray(np.maximum(own + own[zero] - 2 * self.matrix[zero], 0))

    def bounds(self, score: Floats, zero: Zero, level: float) -> tuple[Floats, Floats]:
        """Normal intervals."""
        return normal_bounds(shift(score, zero), self.variance(zero), level)


@dataclass(frozen=True)
class Draws:
    """Scores of many replicates, one row each; intervals are their quantiles."""

    scores: NDArray[np.float64]
    kind: str = "bootstrap"
    compares: bool = True

    def covariance(self) -> Floats | None:
        """The replicates' covariance."""
        return np.cov(self.scores, rowvar=False) if self.scores.shape[1] <= 2000 else None

    def variance(self, zero: Zero) -> Floats:
        """The replicates' variance."""
        return np.asarray(shift(self.scores, zero).var(axis=0, ddof=1))

    def bounds(self, score: Floats, zero: Zero, level: float) -> tuple[Floats, Floats]:
        """Percentile intervals, widened where needed so that the estimate itself is inside."""
        tail = (1 - level) / 2
        low, high = np.quantile(shift(self.scores, zero), [tail, 1 - tail], axis=0)
        middle = shift(score, zero)
        return np.minimum(low, middle), np.maximum(high, middle)
