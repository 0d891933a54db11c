"""Least squares on the comparison graph: scores whose differences come nearest to what was seen of every pair."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from sidewise.comparisons import Graph, PairCounts
from sidewise.comparisons.arrow import Floats
from sidewise.models.laplacian import Pin
from sidewise.models.likelihood import Observations, Slopes, Tieless
from sidewise.models.priors import Flat
from sidewise.models.problem import Problem, observe

SATURATED = 1e-12  # a smaller variance of the noise is none: where scores explain all, nothing tells how sure they are


class Flow(NamedTuple):
    """How the share of comparisons that a pair's first item won turns into a difference of scores, and back."""

    unit: str
    difference: Callable[[Floats], Floats]
    share: Callable[[Floats], Floats]
    added: float  # wins to each side, where an item that won all its comparisons would be infinitely far ahead


def _mean(p: Floats) -> Floats:
    return 2 * p - 1


def _of_mean(d: Floats) -> Floats:
    return np.clip((1 + d) / 2, 0, 1)


def _angle(p: Floats) -> Floats:
    return np.asarray(np.arcsin(2 * p - 1))


def _of_angle(d: Floats) -> Floats:
    return np.asarray((1 + np.sin(np.clip(d, -np.pi / 2, np.pi / 2))) / 2)


# The four of Jiang et al. (2011).
FLOWS = {
    "mean": Flow("mean outcome", _mean, _of_mean, 0.0),
    "logit": Flow("log-odds", logit, expit, 0.5),
    "probit": Flow("probits", ndtri, ndtr, 0.5),
    "angular": Flow("radians", _angle, _of_angle, 0.0),
}


@dataclass(frozen=True)
class LeastSquares(Tieless):
    """The flow of a pair is the difference of its scores and normal noise, whose variance its comparisons share.

    A link like those of the likelihoods, so that all that is known of a likelihood is known of it.
    """

    flow: Flow
    noise: float = 1.0

    shortens = False

    def seen(self, seen: Observations) -> Floats:
        """The flow of every pair; 0 where a pair has no comparison."""
        added, total = self.flow.added, seen.total
        half = np.full_like(total, 0.5)
        return self.flow.difference(np.divide(seen.halved + added, total + 2 * added, out=half, where=total > 0))

    def value(self, d: Floats, t: float, seen: Observations) -> Floats:  # noqa: ARG002
        """−N (y − d)² / 2 σ²."""
        return seen.total * (self.seen(seen) - d) ** 2 / (-2 * self.noise)

    def slopes(self, d: Floats, t: float, seen: Observations) -> Slopes:  # noqa: ARG002
        """N (y − d) / σ², and N / σ²."""
        weight = seen.total / self.noise
        return Slopes(weight * (self.seen(seen) - d), weight)

    def win(self, d: Floats, t: float) -> Floats:  # noqa: ARG002
        """The share that belongs to a difference."""
        return np.asarray(self.flow.share(d))


def least_squares(counts: PairCounts, graph: Graph, flow: str) -> Problem:
    """The problem whose maximum is the least-squares solution; every part of the graph has mean 0."""
    return Problem(
        observe(counts, counts, ()), LeastSquares(FLOWS[flow]), Flat(), Pin.to(graph.label), (), counts.unseen()
    )


def solve(problem: Problem) -> Floats:
    """Its scores, in one step."""
    slope = problem.slope(np.zeros(problem.seen.n))
    return slope.curvature().solve(slope.gradient, 1e-12)


def residual(problem: Problem, point: Floats) -> tuple[Floats, Floats]:
    """The flow of every pair, and what is left of it when the scores are taken off."""
    assert isinstance(problem.link, LeastSquares)
    flow = problem.link.seen(problem.seen)
    return flow, flow - problem.seen.differences(point)


def noise_variance(problem: Problem, point: Floats, *, by_row: bool) -> float | None:
    """σ² from the squared residuals, of single comparisons (outcomes ±1, ties 0) or of pairs; None where none is left.

    A comparison of weight 2 counts as two. Free are so many more than there are scores to be determined.
    """
    seen, pin = problem.seen, problem.pin
    assert pin is not None
    determined = seen.n - len(pin.size)
    if by_row:
        d = seen.differences(point)
        squares, number = seen.wins * (1 - d) ** 2 + seen.losses * (1 + d) ** 2 + seen.ties * d**2, seen.total.sum()
    else:
        squares, number = seen.total * residual(problem, point)[1] ** 2, np.count_nonzero(seen.total)
    found = float(squares.sum() / (number - determined)) if number > determined else 0.0
    return found if found > SATURATED else None


def with_noise(problem: Problem, noise: float) -> Problem:
    """The same with the variance of the noise filled in."""
    assert isinstance(problem.link, LeastSquares)
    return replace(problem, link=replace(problem.link, noise=noise))
