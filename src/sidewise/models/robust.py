"""Uncertainty that does not take the model at its word: the sandwich, and the bootstrap of Bradley–Terry."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit, ndtri

from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Floats
from sidewise.models.bootstrap import Progress, Unit, bootstrap
from sidewise.models.gaussian import DENSE
from sidewise.models.laplacian import conjugate_gradients
from sidewise.models.likelihood import Logistic
from sidewise.models.newton import Optimum
from sidewise.models.problem import Problem, observe, observe_rows
from sidewise.ranking import Dense, Draws, Uncertainty

SANDWICH_DRAWS = 400


def sandwich(problem: Problem, optimum: Optimum, comparisons: Comparisons, unit: Unit, *, seed: int) -> Uncertainty:
    """H⁻¹ G H⁻¹, with G the summed squares of the units' own gradients (Huber 1967; by worker: Liang, Zeger 1986)."""
    rows = replace(problem, seen=observe_rows(comparisons, problem.names))
    gradients = _unit_gradients(rows, optimum.point, comparisons, unit)
    information, n = problem.slope(optimum.point).curvature(), problem.seen.n
    kind = f"sandwich over {unit}s"
    if n <= DENSE:
        bread = np.linalg.inv(information.dense())
        half = bread @ gradients.T.toarray() if gradients.shape[0] <= 4 * n else None
        whole = half @ half.T if half is not None else bread @ (gradients.T @ gradients).toarray() @ bread
        covariance = whole[:n, :n].copy()
        unseen, variance = _unseen(problem)
        covariance[unseen, unseen] = variance
        return Dense(covariance, kind=kind)
    rng = np.random.default_rng(seed)
    noise = gradients.T @ rng.standard_normal((gradients.shape[0], SANDWICH_DRAWS))
    blocks = [information.solve(column, 1e-4)[:n] for column in noise.T]
    return _with_unseen(Draws(optimum.point[:n] + np.stack(blocks), kind=f"{kind}, by draws"), problem)


def _unit_gradients(rows: Problem, point: Floats, comparisons: Comparisons, unit: Unit) -> csr_array:
    """One row per unit: the gradient of its log-likelihood."""
    seen, m = rows.seen, len(rows.seen.left)
    s, beta, shape = rows.parts(point)
    slopes = rows.link.slopes(seen.differences(s) + seen.covariates @ beta, shape, seen)
    columns = [seen.left, seen.right, *(np.full(m, seen.n + k) for k in range(rows.others))]
    values = [slopes.d, -slopes.d, *(slopes.d * x for x in seen.covariates.T)]
    if slopes.t is not None:
        values.append(slopes.t)
    who: NDArray[np.integer[Any]] = np.arange(m)
    if unit == "worker":
        assert comparisons.worker is not None
        who = comparisons.worker[np.argsort(comparisons.left, kind="stable")]
    place = (np.tile(who, len(columns)), np.concatenate(columns))
    return csr_array((np.concatenate(values), place), shape=(int(who.max()) + 1, seen.n + rows.others))


def resampled(
    problem: Problem, point: Floats, comparisons: Comparisons, unit: Unit, replicates: int, seed: int,
    progress: Progress | None,
) -> Draws:  # fmt: skip
    """Refit resampled data from the fitted point: all replicates of a block at once where the model is plain."""
    plain = isinstance(problem.link, Logistic) and not problem.names
    refit = refit_together(problem, point, comparisons) if plain else refit_each(problem, point, comparisons)
    drawn = bootstrap(refit, comparisons, unit=unit, replicates=replicates, seed=seed, progress=progress)
    return _with_unseen(drawn, problem)


def _unseen(problem: Problem) -> tuple[NDArray[np.intp], float]:
    """Items that no comparison speaks of, and the variance that the prior gives them (none without a prior)."""
    unseen = np.flatnonzero(problem.seen.degree(problem.seen.total) == 0)
    precision = float(problem.prior.curvature(np.zeros(1))[0])
    return unseen, 1 / precision if precision else np.nan


def _with_unseen(drawn: Draws, problem: Problem) -> Draws:
    """Resampling says nothing of an item that nobody compared: it varies as the prior lets it."""
    unseen, variance = _unseen(problem)
    scores = drawn.scores.copy()
    quantiles = ndtri((np.arange(len(scores)) + 0.5) / len(scores))
    for code in unseen:
        scores[:, code] = np.sqrt(variance) * np.random.default_rng(int(code)).permutation(quantiles)
    return replace(drawn, scores=scores)


Refit = Callable[[Floats], Floats]  # row weights, one column per replicate → scores, one column per replicate


def refit_each(problem: Problem, point: Floats, comparisons: Comparisons) -> Refit:
    """One fit after the other, each started from the fit of all data."""

    def scores(weights: Floats) -> Floats:
        found = []
        for column in weights.T:
            data = replace(comparisons, weight=column)
            seen = observe(data, data.counts(), problem.names)
            found.append(replace(problem, seen=seen).climb(point, tol=1e-5, limit=50).point)
        return np.stack(found, axis=1)[: problem.seen.n]

    return scores


def refit_together(problem: Problem, point: Floats, comparisons: Comparisons) -> Refit:
    """Many Bradley–Terry fits at once: every array has one column per replicate."""
    seen, rows, n, m = problem.seen, len(comparisons), problem.seen.n, len(problem.seen.left)
    flipped = comparisons.left > comparisons.right
    first = np.where(flipped, comparisons.right, comparisons.left).astype(np.int64)
    second = np.where(flipped, comparisons.left, comparisons.right)
    says_first = np.where(flipped, 1 - comparisons.outcome, comparisons.outcome)[:, None]
    pair = np.searchsorted(seen.left.astype(np.int64) * n + seen.right, first * n + second)
    to_pairs = csr_array((np.ones(rows), (pair, np.arange(rows))), shape=(m, rows))
    ends = (np.tile(np.arange(m), 2), np.concatenate([seen.left, seen.right]))
    incidence = csr_array((np.repeat([1.0, -1.0], m), ends), shape=(m, n))

    def scores(weights: Floats) -> Floats:
        total, wins = to_pairs @ weights, to_pairs @ (weights * says_first)
        s = np.repeat(point[:n, None], weights.shape[1], axis=1)
        for _ in range(50):
            p = expit(incidence @ s)
            gradient = incidence.T @ (wins - total * p) + problem.prior.slope(s)
            hessian = Columns(incidence, total * p * (1 - p), problem.prior.curvature(s))
            step, _ = conjugate_gradients(hessian, gradient, 1e-3, 1000)
            s = s + step
            if np.abs(step).max() <= 1e-5:
                break
        return s

    return scores


@dataclass(frozen=True)
class Columns:
    """A Laplacian for every column: the same graph with other weights."""

    incidence: csr_array
    weight: Floats
    extra: Floats

    @cached_property
    def diagonal(self) -> Floats:
        """Σ_j w_ij + extra_i, for every column."""
        return np.asarray(abs(self.incidence).T @ self.weight + self.extra)

    def __matmul__(self, v: Floats) -> Floats:
        return np.asarray(self.incidence.T @ (self.weight * (self.incidence @ v)) + self.extra * v)
