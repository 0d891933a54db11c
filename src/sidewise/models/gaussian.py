"""A Gaussian over the scores, known by its information: exact for some thousand items, for more by good draws."""

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from sidewise.comparisons import Index
from sidewise.comparisons.arrow import Floats
from sidewise.models.laplacian import Information, Precision
from sidewise.ranking.uncertainty import MEAN, Dense, Zero, normal_bounds, shift

DENSE = 2000  # up to here the covariance is inverted whole: 0.2 s and 32 MB
DRAWS, MOST_DRAWS = 32, 256
ACCURACY = 0.05  # wanted relative error of a standard deviation; beyond it, more draws are taken


class Gaussian(ABC):
    """Scores with the inverse of an information matrix as their covariance, worked out when it is first asked for.

    Up to some thousand items the covariance is held whole. Beyond, variances come from draws: Var x_i = 1/H_ii + Var
    E[x_i | the others] (Sidén et al. 2018), where the first part is known, and the second is small for items with many
    opponents, so that a few draws do.
    """

    items: Index
    seed: int
    how: str  # the information was obtained, in words
    compares = True

    @property
    @abstractmethod
    def information(self) -> Information[Any]:
        """Minus the Hessian in the scores and what goes with them."""

    @property
    def kind(self) -> str:
        """How it was obtained, in words."""
        return self.how + ("" if self._whole else ", variances by draws")

    @property
    def _whole(self) -> bool:
        return len(self.items) <= DENSE

    @cached_property
    def _dense(self) -> Dense:
        information = self.information
        covariance = information.laplacian.inverse
        if information.others:
            z = covariance @ information.border
            covariance = covariance + z @ np.linalg.solve(information.schur(z), z.T)
        return Dense(_without_pin(covariance, information.laplacian))

    def covariance(self) -> Floats | None:
        """The whole matrix, where it can be held."""
        return self._dense.covariance() if self._whole else None

    def variance(self, zero: Zero) -> Floats:
        """Var(x − zero)."""
        if self._whole:
            return self._dense.variance(zero)
        if not isinstance(zero, str):
            return self._variance_from(zero)
        if zero == MEAN or self.information.laplacian.pin is not None:
            return self._drawn.variance + self._border_part(self._across)
        n = len(self.items)
        with_mean = self._covariance_with(np.full(n, 1 / n))
        return np.asarray(self._drawn.variance + self._border_part(self._across) + 2 * with_mean - with_mean.mean())

    def bounds(self, score: Floats, zero: Zero, level: float) -> tuple[Floats, Floats]:
        """Normal intervals."""
        return normal_bounds(shift(score, zero), self.variance(zero), level)

    def _variance_from(self, anchor: int) -> Floats:
        """Var(x_i − x_a): from variances and exact covariances, or from draws, whichever is the more accurate.

        The first is best where items are nearly independent; where x_i and x_a go together, as neighbours in a chain
        do, the difference of large numbers is lost in their errors, and the draws' own differences are better.
        """
        drawn, n = self._drawn, len(self.items)
        weight = -self._centre(np.eye(1, n, anchor)[0])
        covariance = self._covariance_with(np.eye(1, n, anchor)[0] + weight)
        covariance = covariance - self._centre(covariance) - self._border_part(self._across, self._across[anchor])
        own = drawn.variance
        by_parts = own + own[anchor] - 2 * covariance
        by_draws = ((drawn.x - drawn.x[anchor]) ** 2).mean(axis=1)
        wrong_by_parts = 2 * (drawn.error * own + drawn.error[anchor] * own[anchor])
        wrong_by_draws = np.sqrt(2 / drawn.x.shape[1]) * by_draws
        better = np.where(wrong_by_parts < wrong_by_draws, by_parts, by_draws)
        found = np.maximum(better, 0) + self._border_part(self._across - self._across[anchor])
        found[anchor] = 0
        return np.asarray(found)

    def _centre(self, v: Floats) -> Floats:
        """What is taken off: the mean of all items, or of each part where parts have zeros of their own."""
        pin = self.information.laplacian.pin
        return np.full_like(v, v.mean()) if pin is None else pin.mean(v)

    def _covariance_with(self, weight: Floats) -> Floats:
        """Covariance of every score with a combination of scores."""
        full = np.concatenate([weight, np.zeros(self.information.others)])
        return self.information.solve(full, 1e-8)[: len(weight)]

    @cached_property
    def _across(self) -> Floats:
        """How the scores move with the other parameters, about their centre; one column each."""
        z = self.information.across(1e-8)
        return np.stack([column - self._centre(column) for column in z.T], axis=1) if z.size else z

    def _border_part(self, z: Floats, other: Floats | None = None) -> Floats:
        """zᵀ S⁻¹ z of every row: what the other parameters add to a variance, or to a covariance with ``other``."""
        if not self.information.others:
            return np.zeros(len(z))
        schur = self.information.schur(self.information.across(1e-8))
        return np.asarray(np.sum(np.linalg.solve(schur, z.T).T * (z if other is None else other), axis=1))

    @cached_property
    def _drawn(self) -> "Drawn":
        """Draws of the scores about their centre, in an order of the items that no order of the rows can change."""
        order = np.argsort(np.array(self.items, object), kind="stable")
        place = np.argsort(order)
        drawn = draw_until(self.information.laplacian.permuted(order), np.random.default_rng(self.seed))
        return Drawn(drawn.x[place], drawn.variance[place], drawn.error[place])


class Drawn(NamedTuple):
    """Draws about their centre, the variances they give, and the relative error of a standard deviation from them."""

    x: Floats
    variance: Floats
    error: Floats


def draw_until(matrix: Precision, rng: np.random.Generator) -> Drawn:
    """Draw until nearly all standard deviations are accurate, or there are many draws."""
    n, pin = matrix.n, matrix.pin
    size = np.full(n, float(n)) if pin is None else pin.size[pin.label]
    known = (1 - 1 / size) ** 2 / matrix.diagonal
    blocks: list[Floats] = []
    squares = np.zeros(n)
    for count in range(DRAWS, MOST_DRAWS + 1, DRAWS):
        x = draw(matrix, DRAWS, rng)
        mean = np.tile(x.mean(axis=0), (n, 1)) if pin is None else pin.mean(x)
        given_others = x - (matrix @ x) / matrix.diagonal[:, None]
        squares += ((given_others * (1 - 1 / size)[:, None] - (mean - x / size[:, None])) ** 2).sum(axis=1)
        blocks.append(x - mean)
        variance = known + squares / count
        error = (1 - known / variance) / np.sqrt(2 * count)
        if np.quantile(error, 0.99) <= ACCURACY:
            break
    return Drawn(np.hstack(blocks), variance, error)


def draw(matrix: Precision, count: int, rng: np.random.Generator) -> Floats:
    """Columns with mean 0 and covariance H⁻¹: noise of covariance H, which H is then solved with."""
    return matrix.solve(matrix.noise(count, rng), 1e-4)


def _without_pin(covariance: Floats, matrix: Precision) -> Floats:
    """Take out the variance of the component's mean, which the pin and not the data determined."""
    if matrix.pin is None:
        return covariance
    label = matrix.pin.label
    return np.asarray(covariance - (label[:, None] == label) / matrix.pin.size[label])
