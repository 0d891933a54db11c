"""What every model of a crowd does: check the data, choose the factors, tell what was found of items and workers."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pyarrow as pa
from scipy.special import expit, logit

from sidewise.comparisons import Comparisons, Index, components
from sidewise.comparisons.arrow import Floats
from sidewise.errors import PriorConflict
from sidewise.models import notes
from sidewise.models.answers import Answers
from sidewise.models.bootstrap import resampled
from sidewise.models.crowd_problem import CrowdProblem
from sidewise.models.factors import all_of, chosen, usual_sizes
from sidewise.models.gaussian import Gaussian
from sidewise.models.habits import NEVER, Doubt, Pull, Sensitive, Swayed, Tail
from sidewise.models.laplacian import Information
from sidewise.models.likelihood import Chances, Logistic, Observations
from sidewise.models.limits import Ridge
from sidewise.models.posterior import with_spread
from sidewise.models.problem import SHAPES
from sidewise.models.reduced import CrowdInformation, Reduced
from sidewise.models.scale import size_slope, told
from sidewise.models.solvable import solvable
from sidewise.models.spread import local_variance
from sidewise.models.wanted import Wanted
from sidewise.models.worker_table import (
    STRONG,
    Estimate,
    Reliability,
    Scale,
    check_some,
    check_workers_known,
    worker_table,
)
from sidewise.ranking import Fit, Ranking, Uncertainty

Intervals = Literal["posterior", "bootstrap", "none"]
GRID = 401  # points that a posterior with heavy tails is summed over
WHOLE = 600  # items up to which the workers' variances mind how the scores vary together


@dataclass(frozen=True)
class Found:
    """Where a fit ended."""

    problem: CrowdProblem
    point: Floats
    steps: int
    gap: float
    converged: bool
    determined: float | None = None  # how many scores the data determine, where the spread was estimated
    loosened: str = ""  # why the prior of the scores is a loose one
    unsure: float | None = None  # the width of sensitivities for their intervals, where it was estimated


@dataclass(frozen=True)
class Crowd:
    """Answers with workers, checked, and the factors that may sway them."""

    model: str
    comparisons: Comparisons
    factors: tuple[str, ...]

    @classmethod
    def of(cls, model: str, comparisons: Comparisons, factors: Sequence[str] | None, ties: str) -> "Crowd":
        """Check; without a word on factors, take the side, where it is known, and all that the data name."""
        check_workers_known(comparisons, model)
        if ties == "drop":
            comparisons = comparisons.select(comparisons.outcome != 0.5)
        check_some(comparisons, model, "but ties" if ties == "drop" else "at all")
        if factors is None:
            factors = all_of(comparisons)
        return cls(model, comparisons, chosen("factors", factors, comparisons))

    @cached_property
    def answers(self) -> Answers:
        """The rows by worker."""
        return Answers.of(self.comparisons, self.factors)

    def start(self) -> Floats:
        """Scores to begin with: the log-odds of the items' win rates, as if all opponents were alike."""
        seen = self.answers.seen
        won, met = seen.to_items(seen.halved - seen.total / 2), seen.degree(seen.total)
        return np.asarray(2 * np.arctanh(2 * won / (met + 1)))

    def ranking(self, fit: "CrowdFit", wanted: Wanted, scale: Scale, settings: "Settings") -> Ranking:
        """Fit, and give the result with what a reader must know."""
        with solvable(self.comparisons):
            found = fit(self)
            workers, effects = workers_of(self, found, wanted.level, scale), _effects(found, wanted.level)
        counts, problem = self.comparisons.counts(), found.problem
        graph = components(counts)
        said = [*self._said(found, strict=wanted.strict)]
        said += notes.of_the_graph(counts, graph, has_prior=True, stacklevel=4)
        s, _, t = problem.parts(found.point)
        return Ranking(
            items=self.comparisons.items,
            raw=s.copy(),
            fit=Fit(
                self.model, {**settings(found), "intervals": wanted.intervals, "level": wanted.level,
                             "tol": wanted.tol},
                found.converged, found.steps, found.gap, _likelihood(found),
                wanted.seed if wanted.intervals == "bootstrap" else None, self.comparisons.digest, counts.rows,
                tuple(said),
            ),
            comparisons=counts.item_weight(),
            component=graph.label,
            link=Chances(problem.link if problem.link.shapes else Logistic(), t),
            level=wanted.level,
            workers=workers,
            effects=effects,
            uncertainty=self._uncertainty(fit, found, wanted),
        )  # fmt: skip

    def _uncertainty(self, fit: "CrowdFit", found: Found, wanted: Wanted) -> Uncertainty | None:
        if wanted.intervals == "none":
            return None
        if wanted.intervals == "posterior":
            return CrowdPosterior(found.problem, found.point, self.comparisons.items, found.determined, wanted.seed)

        def refit(rows: Comparisons) -> Floats:
            return fit(replace(self, comparisons=rows)).point[: len(rows.items)]

        return resampled(self.comparisons, refit, unit=wanted.unit, replicates=wanted.replicates, seed=wanted.seed,
                         progress=wanted.progress)  # fmt: skip

    def _said(self, found: Found, *, strict: bool) -> Sequence[str]:
        said: list[str] = []
        if not found.converged:
            message = f"not converged: the last of {found.steps} steps still moved a score by {found.gap:.2g}"
            said += notes.not_converged(message, strict=strict, stacklevel=5)
        if found.loosened:
            warnings.warn(found.loosened, PriorConflict, stacklevel=5)
            said.append(found.loosened)
        return [*said, *notes.of_the_crowd(self.answers.answered)]


CrowdFit = Callable[[Crowd], Found]
Settings = Callable[[Found], dict[str, object]]


def _likelihood(found: Found) -> float:
    return replace(found.problem, variance=None).log_likelihood(found.point)


def _information(problem: CrowdProblem, point: Floats) -> CrowdInformation:
    """Minus the Hessian, on average; the size of the sensitivities is 1 by definition, and so not in doubt."""
    whole = problem.slope(point).curvature()
    if not isinstance(problem.habit, Sensitive):
        return whole
    held = size_slope(problem.parts(point).theta[0], told(problem, point, whole)[1])
    return replace(whole, reduced=whole.reduced.holding(held))


@dataclass(frozen=True)
class CrowdPosterior(Gaussian):
    """The posterior of the scores, with workers' parameters as unknown as they are; worked out when first asked for."""

    problem: CrowdProblem = field(repr=False)
    point: Floats = field(repr=False)
    items: Index = field(repr=False)
    determined: float | None = None
    seed: int = 0

    how = "from the information in the answers, workers being uncertain too"

    @cached_property
    def information(self) -> Information[Reduced]:
        """The Schur complement, with the spread as one more parameter where it was estimated."""
        found = _information(self.problem, self.point).scores
        if self.determined is None:
            return found
        s = self.problem.parts(self.point).s
        return with_spread(found, s, float(self.problem.prior.curvature(s)[0]), self.determined)


def workers_of(crowd: Crowd, found: Found, level: float, scale: Scale) -> pa.Table:
    """The workers' table of a likelihood model: the first parameter is the reliability, the others are biases."""
    problem = found.problem
    s, _, _ = problem.parts(found.point)
    estimates = estimates_of(unsure_of_widths(found), found.point, level)
    if isinstance(problem.habit, Sensitive) and np.count_nonzero(problem.answers.answered) == 1:
        estimates[0] = estimates[0].unlimited()  # 1 by definition, which is not to be sure of it
    if isinstance(problem.habit, Swayed):
        strong = swaying(estimates[0].value)
        estimates[1:] = (replace(bias, strong=strong) for bias in estimates[1:])
    sizes = usual_sizes(crowd.comparisons, crowd.factors)
    biases = {name: bias.by(size) for name, bias, size in zip(crowd.factors, estimates[1:], sizes, strict=False)}
    reliability = Reliability.of(estimates[0], problem.answers.answered, scale)
    return worker_table(crowd.comparisons, s, reliability=reliability, biases=biases)


def estimates_of(problem: CrowdProblem, point: Floats, level: float) -> list[Estimate]:
    """Every parameter of all workers with its limits."""
    reduced = _information(without_doubt(problem), point).reduced
    exact = problem.n <= WHOLE
    variance = worker_variance(reduced) if exact else local_worker_variance(reduced, problem.answers.pairs.seen)
    found = []
    for p, (prior, value) in enumerate(zip(problem.worker_priors, problem.parts(point).theta, strict=True)):
        if isinstance(prior, Tail):
            found.append(Estimate(value, *tail_bounds(prior, value, variance[p], level)))
            continue
        inverse = reduced.blocks.inverse
        stretch = np.sqrt(variance[p] / inverse[p, p])
        found.append(Estimate(value, *Ridge.of(problem, point, p, inverse).limits(level, stretch)))
    return found


def unsure_of_widths(found: Found) -> CrowdProblem:
    """The problem for the intervals of workers: with few answers each, nobody knows how much they differ.

    The fit holds them near each other then, lest workers and scores talk each other into anything; to be sure of them
    for it would be to believe one's own caution.
    """
    first, *others = found.problem.worker_priors
    if not isinstance(first, Doubt) or found.unsure is None:
        return found.problem
    return replace(found.problem, worker_priors=(Doubt(max(found.unsure, first.sd)), *others))


def without_doubt(problem: CrowdProblem) -> CrowdProblem:
    """The problem with normal priors on sensitivities: doubt is there below 0 only, and no curvature for both sides."""
    priors = [Pull(p.mean, p.sd) if isinstance(p, Doubt) else p for p in problem.worker_priors]
    return replace(problem, worker_priors=tuple(priors))


def swaying(fair: Floats) -> Floats:
    """How strong a bias must be that the unfair answers alone follow, to turn an even choice as far as STRONG does."""
    share = (expit(STRONG) - fair / 2) / (1 - fair)
    return np.where(share < 1, logit(np.minimum(share, 1 - NEVER)), np.inf)


def tail_bounds(prior: Tail, value: Floats, variance: Floats, level: float) -> tuple[Floats, Floats]:
    """The limits of a parameter under a heavy-tailed prior: with few answers its posterior has the prior's tails.

    What the answers say is taken as normal; its product with the prior is summed over a grid.
    """
    held = prior.curvature(value)
    told = np.maximum(1 / variance - held, 1e-9)
    said = value + held * value / told
    reach = 4 * np.sqrt(variance) + 8 * prior.sd * np.sqrt(held / (held + told))
    grid = value[:, None] + reach[:, None] * np.linspace(-1, 1, GRID)
    log_density = -told[:, None] * (grid - said[:, None]) ** 2 / 2 + prior.log_density(grid)
    mass = np.cumsum(np.exp(log_density - log_density.max(axis=1, keepdims=True)), axis=1)
    share, tail = mass / mass[:, -1:], (1 - level) / 2
    low, high = ((share < limit).sum(axis=1) for limit in (tail, 1 - tail))
    rows = np.arange(len(value))
    return grid[rows, np.maximum(low - 1, 0)], grid[rows, np.minimum(high, GRID - 1)]


def worker_variance(reduced: Reduced) -> Floats:
    """The variance of every parameter: C⁻¹, and what the uncertainty of the scores adds to it."""
    blocks = reduced.blocks
    own = np.stack([blocks.inverse[p, p] for p in range(len(blocks.c))])
    if blocks.held is not None:
        own -= blocks.along**2 * (blocks.held @ (blocks.inverse[0, 0] * blocks.held))
    follows = blocks.solve(reduced.to_workers(np.eye(reduced.n)))
    return np.asarray(np.maximum(own + ((follows @ reduced.inverse) * follows).sum(axis=-1), 0.0))


def local_worker_variance(reduced: Reduced, pairs: Observations) -> Floats:
    """The same for many items, each taken to vary on its own."""
    inverse, k = reduced.blocks.inverse, reduced.blocks.c.shape[-1]
    follows = [sum(row[b][reduced.worker] * matrix.data for b, matrix in enumerate(reduced.across)) for row in inverse]
    unsure = local_variance(reduced.laplacian, pairs)[reduced.across[0].indices]
    return np.stack(
        [inverse[p, p] + np.bincount(reduced.worker, each**2 * unsure, k) for p, each in enumerate(follows)]
    )


def _effects(found: Found, level: float) -> pa.Table | None:
    """The shape of ties, where it was fitted."""
    if not found.problem.link.shapes:
        return None
    information = _information(found.problem, found.point).scores
    variance = np.diagonal(np.linalg.inv(information.schur(information.across(1e-8))))
    some = Estimate.normal(found.point[-1:], variance, level)
    name = SHAPES[type(found.problem.link)]
    return pa.table({"effect": [name], "estimate": some.value, "low": some.low, "high": some.high})
