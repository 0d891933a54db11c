"""Leanings: how far each worker leans to a side, or to another factor, read off where the scores are known already.

Models that weigh all workers alike have nobody's bias in their fit; each worker's answers tell it afterwards, with the
scores taken as known. Most people lean little and few answers tell little, so that a normal prior holds every leaning
near the one that all share: 0, unless the model has fitted a common effect.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Floats
from sidewise.models.answers import Answers
from sidewise.models.factors import SIDE, is_side, usual_sizes
from sidewise.models.least_squares import SATURATED
from sidewise.models.likelihood import TieLink
from sidewise.models.newton import Slope, climb
from sidewise.models.problem import Problem
from sidewise.models.reduced import Blocks
from sidewise.models.worker_table import STRONG_OUTCOME, STRONG_PROBIT, Estimate
from sidewise.ranking.uncertainty import normal_bounds

SD = 0.5  # probits, of the prior: two of three workers turn an even choice into 69 to 31 at most
SD_OUTCOME = float(2 * ndtr(SD) - 1)  # the same of ±1 outcomes

TOL, LIMIT = 1e-3, 100  # of the last step of Newton's method, which leaves about the square of it


@dataclass(frozen=True)
class Leaning:
    """What is maximised for every worker: Σ log P(answer | d + x·b) − Σ (b − m)² / 2 sd², with d known."""

    answers: Answers
    d: Floats
    link: TieLink
    shape: float  # of ties
    common: Floats  # m, one for every factor

    def slope(self, point: Floats) -> Slope["Apart"]:
        """Gradient and curvature in b, factor by factor, each with all workers."""
        q, k = len(self.common), self.answers.k
        b = point.reshape(q, k)
        gradient = (self.common[:, None] - b) / SD**2
        curvature = np.zeros((q, q, k))
        curvature[np.arange(q), np.arange(q)] = SD**-2
        for here, seen, worker in self.answers.shards():
            x = seen.covariates.T
            lean = sum((each[worker] * column for each, column in zip(b, x, strict=True)), start=self.d[here])
            slopes = self.link.slopes(np.asarray(lean), self.shape, seen)
            for i, column in enumerate(x):
                gradient[i] += np.bincount(worker, slopes.d * column, k)
                weighted = slopes.dd * column
                for j in range(i + 1):
                    curvature[i, j] += np.bincount(worker, weighted * x[j], k)
        for i in range(q):
            curvature[:i, i] = curvature[i, :i]
        return Slope(gradient.ravel(), lambda: Apart(Blocks(curvature)))

    def fitted(self) -> tuple[Floats, Floats]:
        """Every worker's b and its variance, factor by factor."""
        start = np.repeat(self.common, self.answers.k)
        found = climb(self.slope, start, tol=TOL, limit=LIMIT)
        if not found.converged:
            raise np.linalg.LinAlgError("overflown")  # it is concave: only weights beyond reason stop the climb
        inverse = self.slope(found.point).curvature().blocks.inverse
        variance = np.einsum("iik->ik", inverse)
        return found.point.reshape(variance.shape), variance


@dataclass(frozen=True)
class Apart:
    """The curvature of workers who have nothing to do with each other: a block each."""

    blocks: Blocks

    def solve(self, b: Floats, tol: float) -> Floats:  # noqa: ARG002 - it is exact
        """The x of H x = b."""
        return self.blocks.solve(b.reshape(len(self.blocks.c), -1)).ravel()


def leanings(comparisons: Comparisons, problem: Problem, point: Floats, level: float) -> dict[str, Estimate]:
    """Each worker's leaning to the side and to the covariates of a fit in probits, with what all lean in it."""
    names = (*_side(comparisons, problem), *problem.names)
    if not names:
        return {}
    s, effects, shape = problem.parts(point)
    answers = Answers.of(comparisons, names)
    sizes, shared = usual_sizes(comparisons, names), dict(zip(problem.names, effects / problem.sizes, strict=True))
    common = np.array([shared.get(name, 0.0) for name in names]) * sizes
    b, variance = Leaning(answers, answers.seen.differences(s), problem.link, shape, common).fitted()
    estimates = (
        Estimate(each, *normal_bounds(each, unsure, level), STRONG_PROBIT).by(size)
        for each, unsure, size in zip(b, variance, sizes, strict=True)
    )
    return dict(zip(names, estimates, strict=True))


def _side(comparisons: Comparisons, problem: Problem) -> tuple[str, ...]:
    """The side, where it is known, and none of the covariates is the side or cannot be told from it."""
    taken = SIDE in problem.names or any(is_side(comparisons.factors[name]) for name in problem.names)
    return (SIDE,) if comparisons.sided and not taken else ()


def mean_residuals(residual: Floats, answers: Floats, noise: float | None) -> tuple[Floats, Floats]:
    """The mean of each worker's residuals, of which there are sums, and its variance; NaN where nothing is known."""
    some = answers > 0
    mean, variance = np.full(len(some), np.nan), np.full(len(some), np.nan)
    mean[some] = residual[some] / answers[some]
    variance[some] = (np.nan if noise is None else noise) / answers[some]
    return mean, variance


def leaning_outcomes(comparisons: Comparisons, chance: Floats, determined: int, level: float) -> Estimate:
    """How far each worker's answers, of ±1 and 0 for a tie, lie to the left of the chances that the scores give.

    The mean of a worker's residuals has the variance σ² over their number, and the prior draws it towards 0. σ² is the
    mean square of all residuals but those that scores ``determined`` take up; NaN where none is left.
    """
    assert comparisons.worker is not None
    weight, k = comparisons.weights(), len(comparisons.workers)
    residual = 2 * (comparisons.outcome - chance)
    free = weight.sum() - determined
    noise = float(weight @ residual**2 / free) if free > 0 else 0.0
    left = np.asarray(np.bincount(comparisons.worker, weight * residual, k), float)
    answers = np.asarray(np.bincount(comparisons.worker, weight, k), float)
    mean, variance = mean_residuals(left, answers, noise if noise > SATURATED else None)
    held = SD_OUTCOME**2 / (SD_OUTCOME**2 + variance)
    return Estimate(mean * held, *normal_bounds(mean * held, variance * held, level), STRONG_OUTCOME)
