"""The posterior of the scores: a Gaussian with the curvature of likelihood and prior, averaged over itself."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sidewise.comparisons import Index
from sidewise.comparisons.arrow import Floats
from sidewise.models.gaussian import Gaussian
from sidewise.models.laplacian import Information, Laplacian, P
from sidewise.models.least_squares import LeastSquares
from sidewise.models.priors import Flat, Normal
from sidewise.models.problem import Problem
from sidewise.models.spread import Blurred, local_variance, pair_variance

PASSES = 2  # of averaging the curvature over the posterior that it gives


@dataclass(frozen=True)
class Posterior(Gaussian):
    """The posterior of the scores, worked out when it is first asked for."""

    problem: Problem = field(repr=False)
    point: Floats = field(repr=False)
    items: Index = field(repr=False)
    averaged: bool = True  # over the posterior, or taken at the mode
    spread_estimated: bool = False
    seed: int = 0

    @property
    def how(self) -> str:  # type: ignore[override]
        """How it was obtained, in words."""
        if isinstance(self.problem.link, LeastSquares):
            return "least squares"
        how = "averaged over the posterior" if self.averaged else "at the maximum"
        return f"from the curvature of the likelihood {how}"

    @cached_property
    def information(self) -> Information[Laplacian]:
        """Minus the Hessian, averaged where asked for, with the spread as one more parameter where it was fitted."""
        found = self.problem.slope(self.point).curvature()
        if not self.averaged or isinstance(self.problem.prior, Flat):
            return found
        for _ in range(PASSES):
            variance = local_variance(found.laplacian, self.problem.seen)
            seen = replace(self.problem.seen, blur=pair_variance(found.laplacian, self.problem.seen, variance))
            found = replace(self.problem, seen=seen, link=Blurred(self.problem.link)).slope(self.point).curvature()
        return self._with_spread(found) if self.spread_estimated else found

    def _with_spread(self, information: Information[Laplacian]) -> Information[Laplacian]:
        prior, laplacian = self.problem.prior, information.laplacian
        assert isinstance(prior, Normal)
        left = prior.precision * float(local_variance(laplacian, self.problem.seen).sum())
        return with_spread(information, self.point[: laplacian.n], prior.precision, laplacian.n - left)


def with_spread(information: Information[P], scores: Floats, precision: float, determined: float) -> Information[P]:
    """Let the uncertainty of log sd widen that of the scores (Kass and Steffey 1989).

    The information on log sd is twice the number of scores that the data determine, as for the variance of so many
    normal numbers; its border is how the scores' gradient changes with it.
    """
    column = (-2 * precision * scores)[:, None]
    border = np.hstack([information.border, column])
    through = border.T @ information.laplacian.solve(column, 1e-6)
    corner = np.zeros((border.shape[1], border.shape[1]))
    corner[:-1, :-1] = information.corner
    corner[-1, -1] = 2 * max(determined, 0.5) + through[-1, 0]
    return Information(information.laplacian, border, corner)
