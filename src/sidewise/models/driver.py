"""The one driver of models whose outcomes depend on a difference of scores: check, fit, report, measure the doubt."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from sidewise.comparisons import Comparisons, Graph, PairCounts, components
from sidewise.comparisons.arrow import Floats
from sidewise.errors import ModelError, PriorConflict
from sidewise.models import notes, robust
from sidewise.models.bootstrap import check_workers
from sidewise.models.existence import require_maximum
from sidewise.models.factors import as_names, chosen
from sidewise.models.leaning import Told
from sidewise.models.likelihood import Chances, TieLink
from sidewise.models.newton import Optimum
from sidewise.models.posterior import Posterior
from sidewise.models.priors import Normal, VirtualItem
from sidewise.models.problem import Problem
from sidewise.models.solvable import solvable
from sidewise.models.spread import LOOSE, estimate_spread
from sidewise.models.taking import as_counts
from sidewise.models.wanted import Wanted, check_words
from sidewise.ranking import Fit, Ranking, Uncertainty

Intervals = Literal["posterior", "hessian", "sandwich", "bootstrap", "none"]


WorkersOf = Callable[[Comparisons, Problem, Floats, float], Told]  # of a fit's maximum, with limits of a level


@dataclass(frozen=True)
class Family:
    """A model by its likelihood: a link for every way to treat ties, and the unit that it gives to scores."""

    model: str
    links: Mapping[str, TieLink]
    unit: str
    priors: tuple[type, ...] = (Normal, VirtualItem)
    workers_of: WorkersOf | None = None  # what it tells of workers afterwards, all being weighed alike


@dataclass(frozen=True, kw_only=True)
class Options(Wanted):
    """What every such model can be asked for besides."""

    known: Sequence[str] = get_args(Intervals)
    prior: Normal | VirtualItem | None
    ties: str
    covariates: Sequence[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "covariates", as_names("covariates", self.covariates))

    def settings(self, prior: str) -> dict[str, object]:
        """What the result says about itself, with the prior that was used."""
        return {"prior": prior, "ties": self.ties, "covariates": tuple(self.covariates), "intervals": self.intervals,
                "unit": self.unit, "level": self.level, "tol": self.tol}  # fmt: skip

    @property
    def spread_estimated(self) -> bool:
        """Whether the spread of the prior is to come from the data."""
        return isinstance(self.prior, Normal) and self.prior.sd is None


def fit(family: Family, comparisons: Comparisons | PairCounts, options: Options) -> Ranking:
    """Rank by a model of the family; the model's own function calls it, and warnings point to the caller of that."""
    counts = as_counts(comparisons)
    _check(family, comparisons, options)
    if options.ties == "drop":
        comparisons = _without_ties(comparisons)
        counts = as_counts(comparisons)
    graph, prior = components(counts), options.prior
    if prior is None:
        require_maximum(counts, graph)
    problem = Problem.of(comparisons, counts, graph, ties=options.ties, covariates=tuple(options.covariates),
                         prior=prior, links=family.links)  # fmt: skip
    with solvable(comparisons, options.covariates):
        problem, optimum, loosened = _maximise(problem, options)
        effects = problem.effects(optimum, options.level) if problem.others else None
        told = Told()
        if family.workers_of is not None and isinstance(comparisons, Comparisons) and comparisons.worker is not None:
            told = family.workers_of(comparisons, problem, optimum.point, options.level)
    said = _report(optimum, graph, counts, options, loosened=loosened) + told.notes
    return Ranking(
        items=counts.items,
        raw=problem.scores(optimum),
        fit=Fit(
            family.model, options.settings(problem.stated_prior), optimum.converged, optimum.steps, optimum.gap,
            problem.log_likelihood(optimum.point), options.seed if options.intervals == "bootstrap" else None,
            comparisons.digest, counts.rows, said,
        ),
        comparisons=counts.item_weight(),
        component=graph.label,
        comparable=prior is not None or graph.count == 1,
        link=Chances(problem.link, problem.shape(optimum.point)),
        unit=family.unit,
        level=options.level,
        effects=effects,
        workers=told.workers,
        alike=told.workers is not None,
        uncertainty=_uncertainty(problem, optimum, comparisons, options, loosened=loosened),
    )  # fmt: skip


def _maximise(problem: Problem, options: Options) -> tuple[Problem, Optimum, bool]:
    """The problem with its prior filled in, its maximum, and whether the data made that prior a loose one."""
    start, loosened = problem.start(), False
    if options.spread_estimated:
        problem, start, loosened = estimate_spread(problem, start)
    if loosened:
        problem = replace(problem, prior=Normal(LOOSE))
    return problem, problem.climb(start, tol=options.tol, limit=options.limit), loosened


def _uncertainty(
    problem: Problem, optimum: Optimum, comparisons: Comparisons | PairCounts, options: Options, *, loosened: bool
) -> Uncertainty | None:
    match options.intervals:
        case "none":
            return None
        case "posterior" | "hessian" as asked:
            estimated = options.spread_estimated and not loosened
            averaged = asked == "posterior"
            return Posterior(problem, optimum.point, comparisons.items, averaged, estimated, options.seed)
    assert isinstance(comparisons, Comparisons)
    if options.intervals == "sandwich":
        return robust.sandwich(problem, optimum, comparisons, options.unit, seed=options.seed)
    return robust.resampled(problem, optimum.point, comparisons, options.unit, options.replicates, options.seed,
                            options.progress)  # fmt: skip


def _check(family: Family, comparisons: Comparisons | PairCounts, options: Options) -> None:
    check_words(ties=(options.ties, tuple(family.links)))
    if not isinstance(options.prior, (*family.priors, type(None))):
        known = ", ".join(f"{kind.__name__}(…)" for kind in family.priors)
        raise ModelError(f"prior={options.prior!r} is neither {known} nor None")
    covariates, resamples = options.covariates, options.intervals in ("sandwich", "bootstrap")
    if options.prior is None and options.intervals == "bootstrap":
        raise ModelError("some resamples of the data have no maximum likelihood: bootstrap with a prior")
    if isinstance(comparisons, PairCounts):
        if covariates or resamples:
            raise ModelError("pair counts have forgotten the single comparisons: covariates, sandwich and bootstrap "
                             "need Comparisons, as sidewise.read gives")  # fmt: skip
        return
    if options.unit == "worker" and resamples:
        check_workers(comparisons)
    chosen("covariates", covariates, comparisons)


def _report(optimum: Optimum, graph: Graph, counts: PairCounts, options: Options, *, loosened: bool) -> tuple[str, ...]:
    """Say what a reader of the result must know; warn about what needs an eye."""
    said: list[str] = []
    if not optimum.converged:
        message = f"not converged: the last of {optimum.steps} steps still moved a score by {optimum.gap:.2g}"
        said += notes.not_converged(message, strict=options.strict, stacklevel=4)
    if loosened:
        said.append(
            "the data contradict a common spread of all items (were only neighbours compared?); "
            f"a loose prior, {Normal(LOOSE)}, is used instead of an estimated one"
        )
        warnings.warn(said[-1], PriorConflict, stacklevel=4)
    return (*said, *notes.of_the_graph(counts, graph, has_prior=options.prior is not None, stacklevel=4))


def _without_ties(data: Comparisons | PairCounts) -> Comparisons | PairCounts:
    if isinstance(data, Comparisons):
        return data.select(data.outcome != 0.5)
    return replace(data, ties=np.zeros_like(data.ties))
