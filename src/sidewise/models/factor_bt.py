"""FactorBT: Bradley–Terry where a worker sometimes answers to factors that have nothing to do with the question."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import get_args

import numpy as np
from scipy.special import expit, logit

from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Floats
from sidewise.errors import ModelError
from sidewise.models.answers import Answers
from sidewise.models.bootstrap import Progress, Unit
from sidewise.models.crowd import Crowd, Found, Intervals
from sidewise.models.crowd_fit import PlainTies, check_mixture, maximum
from sidewise.models.crowd_problem import CrowdProblem
from sidewise.models.habits import Chance, Credit, Pull, Swayed, WorkerPrior
from sidewise.models.priors import Normal, VirtualItem, check_width
from sidewise.models.wanted import Wanted
from sidewise.models.worker_table import Scale
from sidewise.ranking import Ranking

LOOSE, NEAR = 100.0, 10.0  # the width and the tolerance, in tolerances, of the fit that one without a width begins with


def factor_bt(
    comparisons: Comparisons,
    *,
    factors: Sequence[str] | None = None,
    prior: VirtualItem | Normal = VirtualItem(1.0),  # noqa: B008 - frozen
    credit: tuple[float, float] = (4.0, 1.0),
    bias_sd: float = 2.0,
    ties: PlainTies = "half",
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
    """Rank by factorBT: P(left beats right) = f(γ_k) σ(s_left − s_right) + (1 − f(γ_k)) σ(x·r_k).

    With chance f(γ) a worker answers the question, otherwise they follow factors x: the side, a brand, a background
    (Bugakova et al. 2019). A worker who says the opposite has no place in it: prefer :func:`worker_bt`, unless the
    paper's model is wanted. The table of workers gives f(γ) as the reliability and r as the biases.

    Parameters
    ----------
    comparisons
        Judgments, with workers.
    factors
        What may sway a worker: "side" for the left-hand side (left is +1), or names of factors; without a word the
        side, where the data know it, and all factors that they name.
    prior
        ``VirtualItem(strength)`` is the paper's λ; ``Normal(sd)`` is a normal prior.
    credit
        Fair and swayed answers that every worker is credited with before the first one, so that nobody is judged by
        three answers. ``(0, 0)`` with ``bias_sd=inf`` is the paper's own target.
    bias_sd
        r ~ N(0, sd²), in log-odds by a factor of its usual size (1 for the side, and for −1, 0 and 1).
    ties
        "half" counts a tie as half a win for each; "drop" leaves them out.
    intervals, unit, replicates, level, tol, limit, seed, strict, progress
        As in :func:`worker_bt`.

    Examples
    --------
    >>> import sidewise as sw
    >>> crowd = sw.simulate.crowd(8, workers=12, comparisons=900, kinds={"always-left": 0.25}, seed=1)
    >>> ranking = sw.factor_bt(crowd.comparisons)
    >>> [row["worker"] for row in ranking.workers.to_pylist() if row["flag"] == "always left"]
    ['w01', 'w03', 'w07']
    """
    check_mixture("factor_bt", prior, credit, ties)
    if not (isinstance(bias_sd, float | np.floating) and bias_sd == np.inf):
        check_width("bias_sd", bias_sd)
    wanted = Wanted(known=get_args(Intervals), intervals=intervals, unit=unit, replicates=replicates, level=level,
                    tol=tol, limit=limit, seed=seed, strict=strict, progress=progress)  # fmt: skip
    crowd = Crowd.of("factor_bt", comparisons, factors, ties)
    if not crowd.factors:
        raise ModelError(
            "factor_bt needs a factor, and there is none: name the columns of left, right and winner when reading, or "
            "factors; crowd_bt needs none"
        )
    return crowd.ranking(
        partial(_fit, prior=prior, credit=credit, bias_sd=bias_sd, tol=tol, limit=limit),
        wanted,
        Scale(random=0.0, typical=1.0),
        lambda _: {"factors": crowd.factors, "prior": repr(prior), "credit": credit, "bias_sd": bias_sd, "ties": ties},
    )


def _fit(
    crowd: Crowd, *, prior: VirtualItem | Normal, credit: tuple[float, float], bias_sd: float, tol: float, limit: int
) -> Found:
    def problem(sd: float) -> CrowdProblem:
        priors: tuple[WorkerPrior, ...] = (Credit(*credit), *(Pull(0.0, sd) for _ in crowd.factors))
        return CrowdProblem(crowd.answers, Swayed(), Chance(), prior, priors)

    wanted, steps = problem(float(bias_sd)), 0
    start = wanted.joined(np.zeros(wanted.n), initial(crowd.answers), 0.0)
    if bias_sd == np.inf:  # biases that nothing holds run away before the scores are anywhere: first a loose hold
        held = maximum(problem(LOOSE), start, tol=NEAR * tol, limit=limit)
        start, steps = held.point, held.steps
    found = maximum(wanted, start, tol=tol, limit=max(limit - steps, 1))
    return replace(found, steps=found.steps + steps)


def initial(answers: Answers) -> Floats:
    """Where the paper begins (its section 5): γ is −1 for a worker who gives one and the same answer, else 1.

    r is the log-odds of the share of answers that follow the factor, smoothed by one answer either way. (The paper
    prints the logarithm of that share, which could only be negative; the log-odds are what f(x·r) makes a share of.)
    """
    seen, worker, k = answers.seen, answers.worker, answers.k
    said_left = np.bincount(worker, seen.halved, k) / np.maximum(np.bincount(worker, seen.total, k), 1e-300)
    f = expit(np.where((said_left == 0) | (said_left == 1), -1.0, 1.0))
    shares = []
    for column in seen.covariates.T:
        follows = np.where(column > 0, seen.halved, seen.total - seen.halved) * (column != 0)
        met = np.bincount(worker, seen.total * (column != 0), k)
        shares.append(logit((np.bincount(worker, follows, k) + 1) / (met + 2)))
    return np.stack([f, *shares])
