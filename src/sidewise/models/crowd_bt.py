"""CrowdBT: Bradley–Terry where every worker is right with a chance of their own (Chen et al. 2013)."""

from functools import partial
from typing import get_args

import numpy as np

from sidewise.comparisons import Comparisons
from sidewise.models.bootstrap import Progress, Unit
from sidewise.models.crowd import Crowd, Found, Intervals
from sidewise.models.crowd_fit import PlainTies, check_mixture, maximum
from sidewise.models.crowd_problem import CrowdProblem
from sidewise.models.habits import Chance, Credit, Qualified
from sidewise.models.priors import Normal, VirtualItem
from sidewise.models.wanted import Wanted
from sidewise.models.worker_table import Scale
from sidewise.ranking import Ranking

START = 0.8  # where every η begins: a crowd is believed until it contradicts itself


def crowd_bt(
    comparisons: Comparisons,
    *,
    prior: VirtualItem | Normal = VirtualItem(1.0),  # noqa: B008 - frozen
    credit: tuple[float, float] = (4.0, 1.0),
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
    """Rank by CrowdBT: P(left beats right) = η_k σ(s_left − s_right) + (1 − η_k) σ(s_right − s_left).

    η is 1 for a perfect worker, 0.5 for a coin, 0 for one who says the opposite. A worker who always says "left" looks
    like a coin to it: prefer :func:`worker_bt`, which also learns from them, unless the paper's model is wanted.

    Parameters
    ----------
    comparisons
        Judgments, with workers.
    prior
        ``VirtualItem(strength)`` is the paper's λ: one win and one loss against a virtual item, that often;
        ``Normal(sd)`` is a normal prior.
    credit
        Right and wrong answers that every worker is credited with before the first one, so that nobody is judged by
        three answers. ``(0, 0)`` is the paper's own target.
    ties
        "half" counts a tie as half a win for each; "drop" leaves them out.
    intervals, unit, replicates, level, tol, limit, seed, strict, progress
        As in :func:`worker_bt`.

    Examples
    --------
    >>> import sidewise as sw
    >>> crowd = sw.simulate.crowd(8, workers=12, comparisons=1200, kinds={"contrary": 0.25}, seed=1)
    >>> ranking = sw.crowd_bt(crowd.comparisons)
    >>> [row["worker"] for row in ranking.workers.to_pylist() if row["flag"] == "contrary"]
    ['w01', 'w03', 'w07']
    """
    check_mixture("crowd_bt", prior, credit, ties)
    wanted = Wanted(known=get_args(Intervals), intervals=intervals, unit=unit, replicates=replicates, level=level,
                    tol=tol, limit=limit, seed=seed, strict=strict, progress=progress)  # fmt: skip
    crowd = Crowd.of("crowd_bt", comparisons, (), ties)
    return crowd.ranking(
        partial(_fit, prior=prior, credit=credit, tol=tol, limit=limit),
        wanted,
        Scale(random=0.5, typical=1.0),
        lambda _: {"prior": repr(prior), "credit": credit, "ties": ties},
    )


def _fit(crowd: Crowd, *, prior: VirtualItem | Normal, credit: tuple[float, float], tol: float, limit: int) -> Found:
    problem = CrowdProblem(crowd.answers, Qualified(), Chance(), prior, (Credit(*credit),))
    start = problem.joined(np.zeros(problem.n), np.full((1, crowd.answers.k), START), 0.0)
    found = maximum(problem, start, tol=tol, limit=limit)
    s, eta, _ = problem.parts(found.point)
    if eta[0][crowd.answers.answered > 0].mean() >= 0.5:
        return found
    # Upside down: most workers would be contrary. The likelihood is the same the other way round, the prior is not.
    return maximum(problem, problem.joined(-s, 1 - eta, 0.0), tol=tol, limit=limit)
