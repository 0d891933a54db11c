"""Thurstone's model: every comparison is a difference of scores with normal noise, of which only the sign is told."""

from collections.abc import Sequence
from typing import Literal

from sidewise.comparisons import Comparisons, PairCounts
from sidewise.comparisons.arrow import Floats
from sidewise.models.bootstrap import Progress, Unit
from sidewise.models.driver import Family, Intervals, Options, fit
from sidewise.models.leaning import Known, Told
from sidewise.models.priors import Normal
from sidewise.models.probit import PROBIT_LINKS
from sidewise.models.problem import Problem
from sidewise.ranking import Ranking

Ties = Literal["half", "threshold", "drop"]


def workers_of(comparisons: Comparisons, problem: Problem, point: Floats, level: float) -> Told:
    """What is told of workers when the scores are known."""
    s, _, t = problem.parts(point)
    return Known(s, lambda d: d, problem.link, t).tell(comparisons, level)


FAMILY = Family("thurstone", PROBIT_LINKS, unit="probits", priors=(Normal,), workers_of=workers_of)


def thurstone(
    comparisons: Comparisons | PairCounts,
    *,
    prior: Normal | None = Normal(),  # noqa: B008 - frozen
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
    """Rank by Thurstone's model (case V): P(left beats right) = Φ(s_left − s_right).

    The noise of a comparison has variance 1, so a lead of 1 wins 84 of 100 and scores are probits (log-odds are about
    1.7 times as large). Its tails are thinner than the logistic ones: a strong item that lost to a weak one by a slip
    is pulled further. Prefer :func:`~sidewise.bradley_terry` where slips happen, and a model that knows workers where
    some of them may be careless.

    All workers are weighed alike. Where the data name them, ``Ranking.workers`` tells of each what follows when the
    scores are taken as known, by a probit regression of the worker's own with ties as in the fit: P(left) =
    Φ(a (s_left − s_right) + b·x). The reliability is the sensitivity a: 1 for a worker who follows the scores as the
    crowd as a whole does, 0 for a coin, negative for one who says the opposite (one worker alone has no limits). The
    biases b are to the side, where it is known, and to every factor that the data name, covariate of the fit or not:
    what draws the worker there beyond the scores. What an item carries always, such as its brand, is in its score
    unless it is a covariate. Normal priors, a ~ N(1, 1) and b ~ N(0, 0.5²), keep few answers from telling much.

    Parameters
    ----------
    comparisons
        Judgments, or pair counts made from them.
    prior
        ``Normal()`` estimates the spread of the scores from the data (empirical Bayes), ``Normal(sd)`` states it, in
        probits; ``None`` asks for maximum likelihood, which does not always exist.
    ties
        "half" counts a tie as half a win for each; "threshold" has a tie where the noisy difference is below a
        threshold, which is fitted (Glenn and David 1960); "drop" leaves ties out.
    covariates
        What else may sway a comparison: "side" for the left-hand side, or the names of factors; their effects are in
        ``Ranking.effects``.
    intervals, unit, replicates, level, seed
        As those of :func:`~sidewise.bradley_terry`: "posterior", "hessian", "sandwich", "bootstrap" or "none".
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
    >>> ranking = sw.thurstone(answers)
    >>> ranking.order
    ('tea', 'coffee', 'water')
    >>> round(ranking.probability("tea", "water"), 2)
    0.82
    >>> crowd = sw.simulate.crowd(8, workers=12, comparisons=900, kinds={"always-left": 0.25}, seed=1)
    >>> sw.thurstone(crowd.comparisons).workers.select(["worker", "answers", "flag"]).to_pylist()[3]
    {'worker': 'w03', 'answers': 58, 'flag': 'always left'}
    """
    options = Options(
        prior=prior, ties=ties, covariates=covariates, intervals=intervals, unit=unit, replicates=replicates,
        level=level, tol=tol, limit=limit, seed=seed, strict=strict, progress=progress,
    )  # fmt: skip
    return fit(FAMILY, comparisons, options)
