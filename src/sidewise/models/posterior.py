"""The Gaussian posterior of the scores: exact for some thousand items, and for more by draws that lose little."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.models.laplacian import SMALL, Information, Laplacian
from sidewise.ranking.uncertainty import MEAN, MODEL, Dense, Uncertainty, Zero, normal_bounds, shift

DENSE = 2000  # up to here the covariance is inverted whole: 0.2 s and 32 MB
DRAWS, MOST_DRAWS = 32, 256
ACCURACY = 0.05  # wanted relative error of a standard deviation; beyond it, more draws are taken


def posterior(information: Information, *, seed: int = 0) -> Uncertainty:
    """The inverse of minus the Hessian, restricted to the scores."""
    n = information.laplacian.n
    if n > DENSE:
        return SparsePosterior(information, seed=seed)
    covariance = np.linalg.inv(information.dense())[:n, :n]
    return Dense(without_pin((covariance + covariance.T) / 2, information.laplacian))


def without_pin(covariance: Floats, laplacian: Laplacian) -> Floats:
    """Take out the variance of the component's mean, which the pin and not the data determined."""
    if laplacian.pin is None:
        return covariance
    label = laplacian.pin.label
    return covariance - (label[:, None] == label) / laplacian.pin.size[label]


@dataclass(frozen=True)
class SparsePosterior:
    """The posterior by its sparse precision: contrasts with one item are exact, variances come from draws.

    A variance is split as Var x_i = 1/H_ii + Var E[x_i | the others] (Sidén et al. 2018): the first part is known,
    only the second is estimated from draws, and where items have many opponents it is a small part of the whole.
    """

    information: Information
    seed: int = 0
    kind: str = field(default="covariance from the Hessian, by draws", init=False)

    def covariance(self) -> None:
        """Too large to hold."""
        return

    def variance(self, zero: Zero) -> Floats:
        """Var(x − zero): what links x to the zero is solved for exactly."""
        own = self._variance
        if zero == MODEL:
            return own
        weight = np.zeros(len(own))
        if zero == MEAN:
            weight += 1 / len(own)
        else:
            weight[zero] = 1
        with_zero = self._columns(weight)
        return np.maximum(own - 2 * with_zero + weight @ with_zero, 0)  # type: ignore[no-any-return]

    def bounds(self, score: Floats, zero: Zero, level: float) -> tuple[Floats, Floats]:
        """Normal intervals."""
        return normal_bounds(shift(score, zero), self.variance(zero), level)

    def _columns(self, weight: Floats) -> Floats:
        """Covariance with a combination of scores."""
        n = self.information.laplacian.n
        full = np.concatenate([weight, np.zeros(self.information.others)])
        return _without_mean(self.information.laplacian, self.information.solve(full, 1e-6)[:n], weight)

    @cached_property
    def _variance(self) -> Floats:
        laplacian, rng = self.information.laplacian, np.random.default_rng(self.seed)
        known = 1 / laplacian.diagonal
        squares, draws = np.zeros(laplacian.n), 0
        while draws < MOST_DRAWS:
            x = draw(laplacian, DRAWS, rng)
            given_others = x - (laplacian @ x) / laplacian.diagonal[:, None]
            squares += (given_others**2).sum(axis=1)
            draws += DRAWS
            variance = known + squares / draws
            error = (1 - known / variance) / np.sqrt(2 * draws)  # of the standard deviation, relative
            if np.median(error) <= ACCURACY / 2 and np.quantile(error, 0.99) <= ACCURACY:
                break
        if laplacian.pin is not None:
            variance = variance - 1 / laplacian.pin.size[laplacian.pin.label]
        if self.information.others:
            z = self.information.across(1e-6)
            variance = variance + np.sum(z * np.linalg.solve(self.information.schur(z), z.T).T, axis=1)
        return variance


def draw(laplacian: Laplacian, count: int, rng: np.random.Generator) -> Floats:
    """Columns with mean 0 and covariance L⁻¹.

    A random sign on every pair, item and pin gives noise of covariance L, which L is then solved with. Signs do as
    well as normal numbers, since only second moments are used, and cost a tenth.
    """
    upper, n = laplacian.upper.tocoo(), laplacian.n
    root = np.sqrt(upper.data)
    b = np.sqrt(laplacian.extra)[:, None] * signs(rng, (n, count))
    for column in b.T:
        noise = root * signs(rng, len(root))
        column += np.bincount(upper.row, noise, n) - np.bincount(upper.col, noise, n)
    if laplacian.pin is not None:
        pins = signs(rng, (len(laplacian.pin.size), count)) / np.sqrt(laplacian.pin.size)[:, None]
        b += pins[laplacian.pin.label]
    return laplacian.solve(b, 1e-3)


def signs(rng: np.random.Generator, shape: int | tuple[int, ...]) -> Floats:
    """Random signs."""
    return rng.integers(2, size=shape, dtype=np.int8) * 2.0 - 1.0


def trace_of_inverse(laplacian: Laplacian, *, seed: int = 0) -> float:
    """Tr L⁻¹: exact for few items, by random signs (Hutchinson 1989) for many, where one or two vectors do."""
    if laplacian.n <= SMALL:
        return float(np.trace(np.linalg.inv(laplacian.dense())))
    probes = max(1, round(8192 / laplacian.n))
    probe = signs(np.random.default_rng(seed), (laplacian.n, probes))
    return float((probe * laplacian.solve(probe, 1e-2)).sum() / probes)


def _without_mean(laplacian: Laplacian, column: Floats, weight: Floats) -> Floats:
    """Covariances as they are without the pin."""
    return column if laplacian.pin is None else column - laplacian.pin.mean(weight)
