"""The Gaussian posterior of the scores: exact for some thousand items, and for more by draws that lose little."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.models.laplacian import Information, Laplacian, random_signs, trace_of_inverse
from sidewise.models.priors import Flat, Normal
from sidewise.models.problem import Problem
from sidewise.models.spread import Blurred, pair_variance
from sidewise.ranking.uncertainty import MEAN, MODEL, Dense, Zero, normal_bounds, shift

DENSE = 2000  # up to here the covariance is inverted whole: 0.2 s and 32 MB
DRAWS, MOST_DRAWS = 32, 256
ACCURACY = 0.05  # wanted relative error of a standard deviation; beyond it, more draws are taken
PASSES = 2  # of averaging the curvature over the posterior that it gives


@dataclass(frozen=True)
class Posterior:
    """The posterior of the scores, worked out when it is first asked for.

    Up to some thousand items its covariance is held whole. Beyond, contrasts with one item are solved for exactly and
    variances come from draws: Var x_i = 1/H_ii + Var E[x_i | the others] (Sidén et al. 2018), where the first part is
    known, and the second is small for items with many opponents, so that a few draws do.
    """

    problem: Problem = field(repr=False)
    point: Floats = field(repr=False)
    averaged: bool = True  # over the posterior, or taken at the mode
    spread_estimated: bool = False
    seed: int = 0

    @property
    def kind(self) -> str:
        """How it was obtained, in words."""
        how = "averaged over the posterior" if self.averaged else "at the maximum"
        return f"from the curvature of the likelihood {how}" + ("" if self._whole else ", variances by draws")

    @cached_property
    def information(self) -> Information:
        """Minus the Hessian, averaged where asked for, with the spread as one more parameter where it was fitted."""
        found = self.problem.slope(self.point).curvature()
        if not self.averaged or isinstance(self.problem.prior, Flat):
            return found
        for _ in range(PASSES):
            seen = replace(self.problem.seen, blur=pair_variance(found.laplacian, self.problem.seen))
            found = replace(self.problem, seen=seen, link=Blurred(self.problem.link)).slope(self.point).curvature()
        return self._with_spread(found) if self.spread_estimated else found

    def _with_spread(self, information: Information) -> Information:
        """Let the uncertainty of log sd widen that of the scores (Kass and Steffey 1989).

        The information on log sd is twice the number of scores that the data determine, as for the variance of so
        many normal numbers; its border is how the scores' gradient changes with it.
        """
        prior, laplacian = self.problem.prior, information.laplacian
        assert isinstance(prior, Normal)
        determined = max(laplacian.n - prior.precision * trace_of_inverse(laplacian), 0.5)
        column = (-2 * prior.precision * self.point[: laplacian.n])[:, None]
        border = np.hstack([information.border, column])
        through = border.T @ laplacian.solve(column, 1e-6)
        corner = np.zeros((border.shape[1], border.shape[1]))
        corner[:-1, :-1] = information.corner
        corner[-1, -1] = 2 * determined + through[-1, 0]
        return Information(laplacian, border, corner)

    @property
    def _whole(self) -> bool:
        return self.problem.seen.n <= DENSE

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
        """Var(x − zero): what links x to the zero is solved for exactly."""
        if self._whole:
            return self._dense.variance(zero)
        own = self._variance
        if zero == MODEL:
            return own
        weight = np.zeros(len(own))
        if zero == MEAN:
            weight += 1 / len(own)
        else:
            weight[zero] = 1
        with_zero = self._covariance_with(weight)
        return np.maximum(own - 2 * with_zero + weight @ with_zero, 0)

    def bounds(self, score: Floats, zero: Zero, level: float) -> tuple[Floats, Floats]:
        """Normal intervals."""
        return normal_bounds(shift(score, zero), self.variance(zero), level)

    def _covariance_with(self, weight: Floats) -> Floats:
        """Covariance of every score with a combination of scores."""
        laplacian = self.information.laplacian
        full = np.concatenate([weight, np.zeros(self.information.others)])
        column = self.information.solve(full, 1e-6)[: laplacian.n]
        return column if laplacian.pin is None else column - laplacian.pin.mean(weight)

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
            if np.quantile(error, 0.99) <= ACCURACY:
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
    b = np.sqrt(laplacian.extra)[:, None] * random_signs(rng, (n, count))
    for column in range(count):
        noise = root * random_signs(rng, len(root))
        b[:, column] += np.bincount(upper.row, noise, n) - np.bincount(upper.col, noise, n)
    if laplacian.pin is not None:
        pins = random_signs(rng, (len(laplacian.pin.size), count)) / np.sqrt(laplacian.pin.size)[:, None]
        b += pins[laplacian.pin.label]
    return laplacian.solve(b, 1e-3)


def _without_pin(covariance: Floats, laplacian: Laplacian) -> Floats:
    """Take out the variance of the component's mean, which the pin and not the data determined."""
    if laplacian.pin is None:
        return covariance
    label = laplacian.pin.label
    return np.asarray(covariance - (label[:, None] == label) / laplacian.pin.size[label])
