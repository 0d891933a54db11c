"""Bradley–Terry that knows its workers: each has a sensitivity, and a bias to the left side or any other factor."""

from collections.abc import Sequence
from functools import partial
from typing import get_args

import numpy as np

from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Floats
from sidewise.errors import ModelError
from sidewise.models.bootstrap import Progress, Unit
from sidewise.models.crowd import Crowd, Found, Intervals
from sidewise.models.crowd_problem import CrowdProblem
from sidewise.models.habits import Doubt, Sensitive, Tail, WorkerPrior
from sidewise.models.priors import Normal, check_width
from sidewise.models.problem import LINKS, Ties
from sidewise.models.spread import LOOSE
from sidewise.models.wanted import Wanted, check_words
from sidewise.models.widths import loosen, settle
from sidewise.models.worker_table import SENSITIVITY
from sidewise.ranking import Ranking


def worker_bt(
    comparisons: Comparisons,
    *,
    factors: Sequence[str] | None = None,
    prior: Normal = Normal(),  # noqa: B008 - frozen
    sensitivity_sd: float | None = None,
    bias_sd: float | None = None,
    ties: Ties = "half",
    intervals: Intervals = "posterior",
    unit: Unit = "worker",
    replicates: int = 200,
    level: float = 0.95,
    tol: float = 1e-3,
    limit: int = 300,
    seed: int = 0,
    strict: bool = False,
    progress: Progress | None = None,
) -> Ranking:
    """Rank by scores, and by how each worker answers: P(left beats right) = σ(a_k (s_left − s_right) + b_k·x).

    A worker's sensitivity a is about 1 for a good one (``Σ a² / Σ |a|`` is 1), 0 for a coin, negative for one who says
    the opposite; b is their bias towards the left side, and towards every other factor. Signal detection calls them
    sensitivity and criterion.
    This is the model to begin with wherever it is known who said what; without workers it is :func:`bradley_terry`.

    Parameters
    ----------
    comparisons
        Judgments, with workers.
    factors
        What may bias a worker: "side" for the left-hand side, or names of factors; without a word the side, where the
        data know it, and all factors that they name.
    prior
        ``Normal()`` estimates the spread of the scores from the data, ``Normal(sd)`` states it.
    sensitivity_sd, bias_sd
        How much workers differ: a ~ N(0.8, sd²), with doubt about what is below 0, and b from Student's t with two
        degrees of freedom and this scale, since most people have next to no bias and a few have much: in log-odds, by a
        factor of its usual size (1 for the side, and for −1, 0 and 1). Estimated from the data unless stated.
    ties
        "half" counts a tie as half a win for each; "davidson" and "rao-kupper" model how likely ties are; "drop"
        leaves them out.
    intervals
        "posterior" from the curvature of the likelihood, with workers as unknown as they are; "bootstrap" refits
        resampled data; "none" saves the work.
    unit, replicates, seed, progress
        Of the bootstrap: resample a "worker" or a "comparison", so many times.
    level
        Of the intervals shown, of items and workers.
    tol, limit
        The fit has converged when a turn moves no score by more than ``tol``; it gives up after ``limit``.
    strict
        Raise, and do not only warn, where the fit has not converged.

    Examples
    --------
    >>> import sidewise as sw
    >>> crowd = sw.simulate.crowd(8, workers=12, comparisons=900, kinds={"always-left": 0.25}, seed=1)
    >>> ranking = sw.worker_bt(crowd.comparisons)
    >>> ranking.workers.select(["worker", "answers", "flag"]).to_pylist()[3]
    {'worker': 'w03', 'answers': 58, 'flag': 'always left'}
    """
    check_words(ties=(ties, get_args(Ties)))
    if not isinstance(prior, Normal):
        raise ModelError(f"worker_bt takes prior=Normal() or Normal(sd), not {prior!r}")
    wanted = Wanted(known=get_args(Intervals), intervals=intervals, unit=unit, replicates=replicates, level=level,
                    tol=tol, limit=limit, seed=seed, strict=strict, progress=progress)  # fmt: skip
    crowd = Crowd.of("worker_bt", comparisons, factors, ties)
    stated = _stated(prior, sensitivity_sd, bias_sd, len(crowd.factors))
    return crowd.ranking(
        partial(_fit, ties=ties, stated=stated, tol=tol, limit=limit),
        wanted,
        SENSITIVITY,
        lambda found: _settings(found, crowd, ties),
    )


def _stated(prior: Normal, sensitivity_sd: float | None, bias_sd: float | None, factors: int) -> Floats:
    """The widths that are stated; NaN for those to be estimated."""
    widths = [prior.sd, sensitivity_sd, *[bias_sd] * factors]
    for name, width in (("sensitivity_sd", sensitivity_sd), ("bias_sd", bias_sd)):
        if width is not None:
            check_width(name, width)
    return np.array([np.nan if width is None else float(width) for width in widths])


def _fit(crowd: Crowd, ties: Ties, stated: Floats, *, tol: float, limit: int) -> Found:
    answers = crowd.answers
    seen = answers.seen
    link = LINKS[ties] if seen.ties.any() else LINKS["half"]
    priors: tuple[WorkerPrior, ...] = (Doubt(1.0), *(Tail(1.0) for _ in crowd.factors))
    problem = CrowdProblem(answers, Sensitive(), link, Normal(1.0), priors)
    theta = np.zeros((len(priors), answers.k))
    theta[0] = 1
    if link.shapes and seen.ties.sum() == seen.total.sum():
        raise ModelError(f"every comparison is a tie: there is nothing for ties={ties!r} to learn from")
    shape = link.start(float(seen.ties.sum()), float(seen.total.sum())) if link.shapes else 0.0
    start = problem.joined(crowd.start(), theta, shape)
    settled, loosened = settle(problem, start, stated, tol=tol, limit=limit), ""
    s, theta, shape = problem.parts(settled.point)
    if theta[0][answers.answered > 0].mean() < 0:  # upside down: most workers would be contrary
        turned = problem.joined(-s, np.vstack([-theta[:1], theta[1:]]), shape)
        settled = settle(problem, turned, stated, tol=tol, limit=limit)
    if settled.contradicted:
        loosened = (
            "the data contradict a common spread of all items (were only neighbours compared?); "
            f"a loose prior, {Normal(LOOSE)}, is used instead of an estimated one"
        )
        settled = loosen(settled, LOOSE, tol=tol, limit=limit)
    estimated = np.isnan(stated[0]) and not loosened
    return Found(
        settled.problem, settled.point, settled.turns, settled.gap, settled.converged,
        settled.determined if estimated else None, loosened, settled.unsure if np.isnan(stated[1]) else None,
    )  # fmt: skip


def _settings(found: Found, crowd: Crowd, ties: Ties) -> dict[str, object]:
    """What the result says about itself, with the widths that were used."""
    sensitivity, *biases = (prior.sd for prior in found.problem.worker_priors if isinstance(prior, Doubt | Tail))
    prior = found.problem.prior
    assert isinstance(prior, Normal)
    return {
        "prior": f"Normal({prior.sd:.6g})", "factors": crowd.factors, "sensitivity_sd": round(sensitivity, 6),
        "bias_sd": tuple(round(bias, 6) for bias in biases), "ties": ties,
    }  # fmt: skip
