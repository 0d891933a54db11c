"""A crowd's likelihood with its priors: a sum over answers in scores, workers' parameters and the shape of ties."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sidewise.comparisons.arrow import Codes, Floats
from sidewise.models.answers import Answers
from sidewise.models.habits import Habit, Predicted, WorkerPrior
from sidewise.models.laplacian import Laplacian
from sidewise.models.likelihood import Observations, Slopes, TieLink
from sidewise.models.newton import Slope
from sidewise.models.priors import Prior
from sidewise.models.reduced import Blocks, CrowdInformation, Reduced, Rows
from sidewise.models.spread import Blurred

HAIR = 1e-9  # information that a worker's parameter always has, so that blocks without a prior can be inverted


class Parts(NamedTuple):
    """A point taken apart."""

    s: Floats
    theta: Floats  # parameters × workers
    t: float


class Terms(NamedTuple):
    """What a shard of answers gives."""

    here: slice
    seen: Observations
    worker: Codes
    predicted: Predicted
    slopes: Slopes


@dataclass(frozen=True)
class CrowdProblem:
    """What is to be maximised.

    ``variance`` is that of every row's difference, where the likelihood is averaged over scores that are not known:
    the link is then blurred, and a worker's parameters feel that d itself is uncertain (Stein's lemma).
    """

    answers: Answers
    habit: Habit
    link: TieLink
    prior: Prior
    worker_priors: tuple[WorkerPrior, ...]  # one a parameter
    variance: Floats | None = None

    @property
    def n(self) -> int:
        """Items."""
        return self.answers.seen.n

    @property
    def parameters(self) -> int:
        """Of every worker."""
        return len(self.worker_priors)

    def parts(self, point: Floats) -> Parts:
        """Scores, workers' parameters, shape."""
        n, size = self.n, self.parameters * self.answers.k
        theta = point[n : n + size].reshape(self.parameters, self.answers.k)
        return Parts(point[:n], theta, float(point[-1]) if self.link.shapes else 0.0)

    def joined(self, s: Floats, theta: Floats, t: float) -> Floats:
        """A point put together."""
        return np.concatenate([s, theta.ravel(), [t] * self.link.shapes])

    def log_likelihood(self, point: Floats) -> float:
        """Σ over answers."""
        t = self.parts(point).t
        return sum(
            float(self.link.value(predicted.u, t, seen).sum()) for _, seen, _, predicted in self._predicted(point)
        )

    def objective(self, point: Floats) -> float:
        """Log-likelihood plus log priors."""
        s, theta, _ = self.parts(point)
        held = sum(prior.value(row) for prior, row in zip(self.worker_priors, theta, strict=True))
        return self.log_likelihood(point) + self.prior.value(s) + held

    def _predicted(self, point: Floats) -> Iterator[tuple[slice, Observations, Codes, Predicted]]:
        s, theta, _ = self.parts(point)
        for here, seen, worker in self.answers.shards():
            yield (
                here,
                seen,
                worker,
                self.habit.predict(seen.differences(s), [row[worker] for row in theta], seen.covariates),
            )

    def _terms(self, point: Floats) -> Iterator[Terms]:
        t = self.parts(point).t
        for here, seen, worker, predicted in self._predicted(point):
            if self.variance is None:
                slopes = self.link.slopes(predicted.u, t, seen)
            else:
                blurred = seen.blurred(predicted.d**2 * self.variance[here])
                slopes = Blurred(self.link).slopes(predicted.u, t, blurred)
            yield Terms(here, seen, worker, predicted, slopes)

    def slope(self, point: Floats) -> Slope[CrowdInformation]:
        """Gradient, and Fisher's information: the curvature that the answers have on average, never negative."""
        (s, theta, _), sums = self.parts(point), Sums.zero(self)
        for terms in self._terms(point):
            sums.add(self, terms)
        gradient = self.joined(sums.s + self.prior.slope(s), sums.theta, sums.t)
        pulled = gradient[self.n : self.n + theta.size].reshape(theta.shape)
        extra = sums.stein + np.maximum(sums.excess, HAIR)
        for p, (prior, row) in enumerate(zip(self.worker_priors, theta, strict=True)):
            pulled[p] += prior.slope(row)
            extra[p] += prior.curvature(row)

        def curvature() -> CrowdInformation:
            return sums.information(self, s, extra)

        return Slope(gradient, curvature)


@dataclass
class Sums:
    """First and second derivatives of the log-likelihood, added up shard by shard."""

    s: Floats
    theta: Floats
    t: float
    blocks: Floats
    stein: Floats  # what the uncertainty of d adds to the diagonal of the blocks
    excess: Floats  # what the answers have of curvature above its expectation
    border: Floats
    worker_border: Floats
    corner: Floats
    h: Floats  # row by row: the information on u, and the derivatives of u
    d: Floats
    slopes: list[Floats]

    @classmethod
    def zero(cls, problem: CrowdProblem) -> "Sums":
        """Nothing yet."""
        n, p, k, m = problem.n, problem.parameters, problem.answers.k, len(problem.answers.worker)
        shapes = problem.link.shapes
        return cls(
            s=np.zeros(n), theta=np.zeros((p, k)), t=0.0, blocks=np.zeros((p, p, k)), stein=np.zeros((p, k)),
            excess=np.zeros((p, k)), border=np.zeros((n, shapes)), worker_border=np.zeros((p, k, shapes)),
            corner=np.zeros((shapes, shapes)), h=np.empty(m), d=np.empty(m), slopes=[np.empty(m) for _ in range(p)],
        )  # fmt: skip

    def add(self, problem: CrowdProblem, terms: Terms) -> None:
        """Add a shard."""
        here, seen, worker, predicted, slopes = terms
        k, h = problem.answers.k, slopes.dd
        self.h[here], self.d[here] = h, predicted.d
        self.s += seen.to_items(slopes.d * predicted.d)
        for p, column in enumerate(predicted.theta):
            self.slopes[p][here] = column
            self.theta[p] += np.bincount(worker, slopes.d * column, k)
            if slopes.seen is not None:
                self.excess[p] += np.bincount(worker, (slopes.seen - h) * column**2, k)
            weighted = h * column
            for q in range(p + 1):
                self.blocks[p, q] += np.bincount(worker, weighted * predicted.theta[q], k)
        if problem.variance is not None:
            self._feel(problem.variance[here], k, terms)
        if slopes.t is not None and slopes.dt is not None and slopes.tt is not None:
            self.t += float(slopes.t.sum())
            self.corner += float(slopes.tt.sum())
            self.border[:, 0] += seen.to_items(slopes.dt * predicted.d)
            for p, column in enumerate(predicted.theta):
                self.worker_border[p, :, 0] += np.bincount(worker, slopes.dt * column, k)

    def _feel(self, variance: Floats, k: int, terms: Terms) -> None:
        """E[ℓ′(u) ∂u/∂θ] = E ℓ′ · E ∂u/∂θ + Cov, and Cov = E ℓ″ · ∂u/∂d · Var d · ∂²u/∂d∂θ."""
        for p, crossed in enumerate(terms.predicted.crossed):
            if crossed is None:
                continue
            felt = terms.slopes.dd * variance * crossed
            self.theta[p] -= np.bincount(terms.worker, felt * terms.predicted.d, k)
            self.stein[p] += np.bincount(terms.worker, felt * crossed, k)

    def information(self, problem: CrowdProblem, s: Floats, extra: Floats) -> CrowdInformation:
        """The whole matrix."""
        answers, n, p, k = problem.answers, problem.n, problem.parameters, problem.answers.k
        weight, across = self.h * self.d, []
        meetings, pairs = answers.meetings, answers.pairs
        for column in self.slopes:
            data = meetings.spread(weight * column)
            across.append(csr_array((data, meetings.item, meetings.edges), shape=(k, n)))
        upper = csr_array((pairs.add(weight * self.d), pairs.seen.right, pairs.seen.edges), shape=(n, n))
        whole = self.blocks.copy()
        for i in range(p):
            for j in range(i):
                whole[j, i] = whole[i, j]
            whole[i, i] += extra[i]
        root = np.sqrt(self.h)
        seen = answers.seen
        rows = Rows(seen.left, seen.right, answers.worker, root * self.d, tuple(root * x for x in self.slopes), extra)
        reduced = Reduced(
            Laplacian(upper, problem.prior.curvature(s)), tuple(across), meetings.worker, Blocks(whole), rows
        )
        return CrowdInformation(reduced, self.border, self.worker_border, self.corner)
