"""The limits of one parameter of every worker, where its posterior leans to a side or has a kink.

Along the ridge of the posterior, on which a worker's other parameters follow the one that is looked at, its logarithm
is taken at a few nodes with the others integrated out (Laplace's method at every node). A cubic spline joins them, and
the parameter's own prior is added on a fine grid, which is summed: the prior stays out of the spline, since it has a
kink where doubt begins. Curvature at the mode alone would give limits that are as far away on both sides.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import CubicSpline

from sidewise.comparisons.arrow import Floats, Mask
from sidewise.models.crowd_problem import HAIR, CrowdProblem, Parts

REACH = 8.0  # standard deviations to both sides: skewed posteriors are long on one of them
NODES = REACH * np.sinh(np.linspace(-2.9, 2.9, 13)) / np.sinh(2.9)  # close to each other where the mass is
FINE, STEP = np.linspace(-REACH, REACH, 641, retstep=True)
NEARLY = 0.9  # a chance goes no further than this towards 0 or 1 from one node to the next
EDGE = 2e-3  # and stays so far inside them, but for the one that is looked at:
LEAST = 1e-9  # its logarithm must mean something


@dataclass(frozen=True)
class Ridge:
    """One parameter of every worker, with the others following it."""

    problem: CrowdProblem  # not blurred
    at: Parts
    p: int
    along: Floats  # parameters × workers: a standard deviation of the one, and what the others do meanwhile

    @classmethod
    def of(cls, problem: CrowdProblem, point: Floats, p: int, inverse: Floats) -> "Ridge":
        """The ridge that the curvature at the mode has, of which ``inverse`` has the workers' blocks."""
        return cls(replace(problem, variance=None), problem.parts(point), p, inverse[:, p] / np.sqrt(inverse[p, p]))

    def limits(self, level: float, stretch: Floats) -> tuple[Floats, Floats]:
        """The limits, by how much further from the mode each worker's are because the scores are unsure as well."""
        value, sd = self.at.theta[self.p], self.along[self.p]
        log_density = self.heights() + self.problem.worker_priors[self.p].log_density(value + FINE[:, None] * sd)
        mass = np.exp(log_density - log_density.max(axis=0))
        low, high = (value + stretch * sd * quantile(mass, tail) for tail in ((1 - level) / 2, (1 + level) / 2))
        if self.problem.worker_priors[self.p].is_chance:
            low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
        return np.minimum(low, value), np.maximum(high, value)

    def heights(self) -> Floats:
        """The log posterior without the parameter's own prior and with the others integrated out, on the fine grid."""
        middle, found = len(NODES) // 2, np.empty((len(NODES), self.problem.answers.k))
        for outward in (range(middle, len(NODES)), range(middle, -1, -1)):
            off = np.zeros_like(self.along)  # how far the others have left the straight ridge
            for node in outward:
                found[node], off = self._node(self.at.theta + NODES[node] * self.along, off)
        if not np.isfinite(found).all():
            raise np.linalg.LinAlgError("overflown")  # as weights beyond reason do
        return np.asarray(CubicSpline(NODES, found)(FINE))

    def _node(self, straight: Floats, off: Floats) -> tuple[Floats, Floats]:
        """The height at a node, and where the ridge turns out to be there."""
        theta = self._possible(straight + off)
        value, gradient, information = self._look(theta)
        if not len(gradient):
            return value, off
        there, others = theta.copy(), self._others
        there[others] += np.linalg.solve(information, gradient.T[..., None])[..., 0].T
        there = self._kept(theta, there)
        step = (there - theta)[others]
        value += (step * gradient).sum(axis=0) - np.einsum("pk,kpq,qk->k", step, information, step) / 2
        return value - np.linalg.slogdet(information)[1] / 2, there - straight

    @property
    def _others(self) -> list[int]:
        return [q for q in range(self.problem.parameters) if q != self.p]

    @property
    def _is_chance(self) -> Mask:
        return np.array([[prior.is_chance] for prior in self.problem.worker_priors])

    def _possible(self, theta: Floats) -> Floats:
        """Chances that are chances."""
        edge = np.full((len(theta), 1), EDGE)
        edge[self.p] = LEAST
        return np.where(self._is_chance, np.clip(theta, edge, 1 - edge), theta)

    def _kept(self, theta: Floats, there: Floats) -> Floats:
        """Where a step leads that takes no chance all the way to 0 or 1."""
        kept = np.clip(there, (1 - NEARLY) * theta, 1 - (1 - NEARLY) * (1 - theta))
        return np.where(self._is_chance, kept, there)

    def _look(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """The log posterior of every worker, with gradient and information in the others (worker × other × other)."""
        problem, (s, _, t), k = self.problem, self.at, self.problem.answers.k
        others = self._others
        value, gradient = np.zeros(k), np.zeros((len(others), k))
        information = np.zeros((len(others), len(others), k))
        for _, seen, worker in problem.answers.shards():
            predicted = problem.habit.predict(seen.differences(s), [row[worker] for row in theta], seen.covariates)
            value += np.bincount(worker, problem.link.value(predicted.u, t, seen), k)
            if not others:
                continue
            slopes = problem.link.slopes(predicted.u, t, seen)
            for i, q in enumerate(others):
                gradient[i] += np.bincount(worker, slopes.d * predicted.theta[q], k)
                weighted = slopes.dd * predicted.theta[q]
                for j in range(i + 1):
                    information[i, j] += np.bincount(worker, weighted * predicted.theta[others[j]], k)
        for i, q in enumerate(others):
            prior = problem.worker_priors[q]
            value += prior.log_density(theta[q])
            gradient[i] += prior.slope(theta[q])
            information[i, i] += prior.curvature(theta[q]) + HAIR
            information[:i, i] = information[i, :i]
        return value, gradient, information.transpose(2, 0, 1)


def quantile(mass: Floats, share: float) -> Floats:
    """Where on the fine grid this share of every column's mass lies below; each point stands for the step around it."""
    summed = np.cumsum(mass, axis=0)
    wanted = share * summed[-1]
    point = np.minimum((summed < wanted).sum(axis=0), len(FINE) - 1)
    column = np.arange(mass.shape[1])
    return np.asarray(FINE[point] + STEP * (0.5 - (summed[point, column] - wanted) / mass[point, column]))
