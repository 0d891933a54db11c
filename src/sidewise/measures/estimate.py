"""A number and how sure we are of it: the value of a measure with its interval."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sidewise.errors import MeasureError

RESAMPLES = 1000
AT_ONCE = 2_000_000  # numbers drawn in one block, to bound memory


@dataclass(frozen=True, slots=True)
class Estimate:
    """The value of a measure, and the interval that a bootstrap gives it.

    >>> print(Estimate(0.703, 0.691, 0.715, 0.95))
    0.703 [0.691, 0.715]
    """

    value: float
    low: float
    high: float
    confidence: float

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def estimate_mean(
    values: ArrayLike, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """The mean of values, one for each query or image, with a percentile bootstrap interval.

    Values that are not known (NaN) are left out, as they are in the mean.

    >>> estimate_mean([0.2, 0.4, 0.6, 0.8]).value
    0.5
    """
    check_confidence(confidence)
    known = np.asarray(values, float)
    known = known[~np.isnan(known)]
    if not len(known):
        return Estimate(float("nan"), float("nan"), float("nan"), confidence)
    rng = np.random.default_rng(seed)
    block = max(1, AT_ONCE // len(known))
    sizes = [min(block, resamples - start) for start in range(0, resamples, block)]
    means = np.concatenate([known[rng.integers(len(known), size=(size, len(known)))].mean(axis=1) for size in sizes])
    low, high = quantiles(means, confidence)
    return Estimate(float(known.mean()), low, high, confidence)


def quantiles(draws: ArrayLike, confidence: float) -> tuple[float, float]:
    """The interval that holds the middle share of the draws; draws that are not known (NaN) are left out."""
    known = np.asarray(draws, float)
    known = known[~np.isnan(known)]
    if not len(known):
        return float("nan"), float("nan")
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def check_confidence(confidence: float) -> None:
    """Refuse a confidence outside of (0, 1)."""
    if not 0 < confidence < 1:
        raise MeasureError(f"confidence must lie between 0 and 1, such as 0.95; it is {confidence!r}")
