"""Bradley–Terry: the model of pairwise comparison, with priors, ties, covariates and honest intervals."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from sidewise.comparisons import Comparisons, Graph, PairCounts, components
from sidewise.errors import ConvergenceError, Disconnected, ModelError, NotConverged, PriorConflict
from sidewise.models import robust
from sidewise.models.bootstrap import Progress, Unit, check_workers
from sidewise.models.existence import require_maximum
from sidewise.models.likelihood import Chances
from sidewise.models.newton import Optimum
from sidewise.models.posterior import Posterior
from sidewise.models.priors import Normal, VirtualItem
from sidewise.models.problem import SIDE, Problem, Ties
from sidewise.models.spread import LOOSE, estimate_spread
from sidewise.models.taking import as_counts
from sidewise.ranking import Fit, Ranking, Uncertainty

Intervals = Literal["posterior", "hessian", "sandwich", "bootstrap", "none"]


def bradley_terry(
    comparisons: Comparisons | PairCounts,
    *,
    prior: Normal | VirtualItem | None = Normal(),  # noqa: B008 - frozen
    ties: Ties = "half",
    covariates: Sequence[str] = (),
    intervals: Intervals = "posterior",
    unit: Unit = "comparison",
    replicates: int = 200,
    level: float = 0.95,
    tol: float = 1e-6,
    limit: int = 100,
    seed: int = 0,
    strict: bool = False,
    progress: Progress | None = None,
) -> Ranking:
    """Rank by the Bradley–Terry model: P(left beats right) = σ(s_left − s_right).

    Prefer a model that knows workers where some of them may be careless, and Thurstone's where a normal noise is the
    better story; for everything else this is the place to start.

    Parameters
    ----------
    comparisons
        Judgments, or pair counts made from them.
    prior
        What holds the scores together. ``Normal()`` estimates their spread from the data (empirical Bayes),
        ``Normal(sd)`` states it, ``VirtualItem(strength)`` is the λ of the CrowdBT paper; ``None`` asks for maximum
        likelihood, which does not always exist.
    ties
        "half" counts a tie as half a win for each; "davidson" and "rao-kupper" model how likely ties are; "drop"
        leaves them out.
    covariates
        What else may sway a comparison, whatever the items: "side" for the left-hand side, or the names of factors.
        Their effects are in ``Ranking.effects``; with a prior on the scores they have a weak one too, N(0, 5²).
    intervals
        "posterior" inverts the Hessian averaged over the posterior, and minds that an estimated spread is not sure;
        "hessian" inverts it at the maximum (the same without a prior); "sandwich" holds where the model is not quite
        right; "bootstrap" refits resampled data; "none" saves the work.
    unit
        What sandwich and bootstrap take as independent: a "comparison" or a "worker".
    replicates, seed
        Of the bootstrap.
    level
        Of the intervals shown.
    tol, limit
        The fit has converged when a Newton step moves no score by more than ``tol``; it gives up after ``limit``.
    strict
        Raise, and do not only warn, where the fit has not converged.
    progress
        Called with the replicates done and in all.

    Examples
    --------
    >>> import sidewise as sw
    >>> answers = sw.Comparisons.from_matrix([[0, 7, 9], [3, 0, 6], [1, 4, 0]], ["tea", "coffee", "water"])
    >>> ranking = sw.bradley_terry(answers)
    >>> ranking.order
    ('tea', 'coffee', 'water')
    >>> round(ranking.probability("tea", "water"), 2)
    0.8
    """
    counts = as_counts(comparisons)
    _check(ties, intervals, unit, comparisons, covariates, prior)
    if ties == "drop":
        comparisons = _without_ties(comparisons)
        counts = as_counts(comparisons)
    graph = components(counts)
    if prior is None:
        require_maximum(counts, graph)
    problem = Problem.of(comparisons, counts, graph, ties=ties, covariates=tuple(covariates), prior=prior)
    problem, optimum, loosened = _maximise(problem, covariates, tol=tol, limit=limit)
    notes = _report(optimum, graph, counts, prior, strict=strict, loosened=loosened)
    settings = {"prior": problem.stated_prior, "ties": ties, "covariates": tuple(covariates), "intervals": intervals,
                "unit": unit, "level": level, "tol": tol}  # fmt: skip
    return Ranking(
        items=counts.items,
        raw=problem.scores(optimum),
        fit=Fit(
            "bradley_terry", settings, optimum.converged, optimum.steps, optimum.gap,
            problem.log_likelihood(optimum.point), seed if intervals == "bootstrap" else None, comparisons.digest,
            counts.rows, notes,
        ),
        comparisons=counts.item_weight(),
        component=graph.label,
        comparable=prior is not None or graph.count == 1,
        link=Chances(problem.link, problem.shape(optimum.point)),
        level=level,
        effects=problem.effects(optimum, level) if problem.others else None,
        uncertainty=_uncertainty(problem, optimum, comparisons, intervals, unit, replicates, seed, progress,
                                 spread_estimated=_is_estimated(prior) and not loosened),
    )  # fmt: skip


def _is_estimated(prior: object) -> bool:
    return isinstance(prior, Normal) and prior.sd is None


def _maximise(problem: Problem, covariates: Sequence[str], *, tol: float, limit: int) -> tuple[Problem, Optimum, bool]:
    """The problem with its prior filled in, its maximum, and whether the data made that prior a loose one."""
    start, loosened = problem.start(), False
    try:
        if _is_estimated(problem.prior):
            problem, start, loosened = estimate_spread(problem, start)
        if loosened:
            problem = replace(problem, prior=Normal(LOOSE))
        optimum = problem.climb(start, tol=tol, limit=limit)
    except np.linalg.LinAlgError:
        what = f"the effects of {', '.join(covariates)}" if covariates else "weights of such different size"
        raise ModelError(
            f"{what} cannot be told apart from each other or from the items: leave one out, or use a prior",
        ) from None
    return problem, optimum, loosened


def _uncertainty(
    problem: Problem, optimum: Optimum, comparisons: Comparisons | PairCounts, intervals: Intervals,
    unit: Unit, replicates: int, seed: int, progress: Progress | None, *, spread_estimated: bool,
) -> Uncertainty | None:  # fmt: skip
    if intervals == "none":
        return None
    if intervals in ("posterior", "hessian"):
        return Posterior(problem, optimum.point, comparisons.items, intervals == "posterior", spread_estimated, seed)
    assert isinstance(comparisons, Comparisons)
    if intervals == "sandwich":
        return robust.sandwich(problem, optimum, comparisons, unit, seed=seed)
    return robust.resampled(problem, optimum.point, comparisons, unit, replicates, seed, progress)


def _check(
    ties: str, intervals: str, unit: str, comparisons: Comparisons | PairCounts, covariates: Sequence[str],
    prior: Normal | VirtualItem | None,
) -> None:  # fmt: skip
    for name, value, allowed in (("ties", ties, Ties), ("intervals", intervals, Intervals), ("unit", unit, Unit)):
        if value not in get_args(allowed):
            raise ModelError(f"{name}={value!r} is not one of {', '.join(get_args(allowed))}")
    if not isinstance(prior, Normal | VirtualItem | None):
        raise ModelError(f"prior={prior!r} is neither Normal(…), VirtualItem(…) nor None")
    if isinstance(covariates, str):
        raise ModelError(f"covariates is a list of names: covariates=[{covariates!r}]")
    if prior is None and intervals == "bootstrap":
        raise ModelError("some resamples of the data have no maximum likelihood: bootstrap with a prior")
    if isinstance(comparisons, PairCounts):
        if covariates or intervals in ("sandwich", "bootstrap"):
            raise ModelError("pair counts have forgotten the single comparisons: covariates, sandwich and bootstrap "
                             "need Comparisons, as sidewise.read gives")  # fmt: skip
        return
    if unit == "worker" and intervals in ("sandwich", "bootstrap"):
        check_workers(comparisons)
    for name in covariates:
        _check_covariate(comparisons, name)


def _check_covariate(comparisons: Comparisons, name: str) -> None:
    if name == SIDE:
        if not comparisons.sided:
            raise ModelError("the data do not say what was shown on which side: there is no side effect to fit")
        return
    if name not in comparisons.factors:
        known = ", ".join([SIDE, *comparisons.factors])
        raise ModelError(f"no covariate {name!r}; there are: {known}. Factors are named when the data are read")
    if not comparisons.factors[name].any():
        raise ModelError(f"the factor {name!r} is 0 in every comparison: it has no effect to fit")


def _report(
    optimum: Optimum, graph: Graph, counts: PairCounts, prior: Normal | VirtualItem | None, *,
    strict: bool, loosened: bool,
) -> tuple[str, ...]:  # fmt: skip
    """Say what a reader of the result must know; warn about what needs an eye."""
    notes: list[str] = []
    if not optimum.converged:
        notes.append(f"not converged: the last of {optimum.steps} steps still moved a score by {optimum.gap:.2g}")
    for message in notes:
        if strict:
            raise ConvergenceError(message)
        warnings.warn(message, NotConverged, stacklevel=3)
    if loosened:
        message = (
            "the data contradict a common spread of all items (were only neighbours compared?); "
            f"a loose prior, {Normal(LOOSE)}, is used instead of an estimated one"
        )
        warnings.warn(message, PriorConflict, stacklevel=3)
        notes.append(message)
    sizes = np.bincount(graph.label)
    if (parts := int((sizes > 1).sum())) > 1:
        basis = "rests on the prior alone" if prior is not None else "means nothing: each has its own zero"
        message = f"the comparison graph falls into {parts} parts; the order between them {basis}"
        warnings.warn(message, Disconnected, stacklevel=3)
        notes.append(message)
    if unseen := int((counts.item_weight() == 0).sum()):
        stand = "stand where the prior puts them" if prior is not None else "have no score"
        notes.append(f"{unseen} items were never compared and {stand}")
    return tuple(notes)


def _without_ties(data: Comparisons | PairCounts) -> Comparisons | PairCounts:
    if isinstance(data, Comparisons):
        return data.select(data.outcome != 0.5)
    return replace(data, ties=np.zeros_like(data.ties))
