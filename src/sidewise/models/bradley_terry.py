"""Bradley–Terry: the model of pairwise comparison, with priors, ties, covariates and honest intervals."""

from collections.abc import Sequence

from sidewise.comparisons import Comparisons, PairCounts
from sidewise.models.bootstrap import Progress, Unit
from sidewise.models.driver import Family, Intervals, Options, fit
from sidewise.models.priors import Normal, VirtualItem
from sidewise.models.problem import LINKS, Ties
from sidewise.ranking import Ranking

FAMILY = Family("bradley_terry", LINKS, unit="log-odds")


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
    options = Options(
        prior=prior, ties=ties, covariates=covariates, intervals=intervals, unit=unit, replicates=replicates,
        level=level, tol=tol, limit=limit, seed=seed, strict=strict, progress=progress,
    )  # fmt: skip
    return fit(FAMILY, comparisons, options)
