"""The linear model with position bias: scores by least squares, with a bias for the few workers who need one."""

from typing import Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa

from sidewise.comparisons import Comparisons, Graph, PairCounts, components
from sidewise.comparisons.arrow import Floats, Mask
from sidewise.errors import ModelError
from sidewise.models import notes
from sidewise.models.bootstrap import Progress, Unit, resampled
from sidewise.models.gaussian import DENSE
from sidewise.models.laplacian import PATIENCE, conjugate_gradients
from sidewise.models.lasso import Solution, Sums, path
from sidewise.models.least_squares import FLOWS, SATURATED, LeastSquares
from sidewise.models.likelihood import Chances
from sidewise.models.solvable import solvable
from sidewise.models.wanted import Wanted
from sidewise.models.worker_table import STRONG_OUTCOME, Estimate, check_some, check_workers_known, worker_table
from sidewise.numbers import is_count, is_number
from sidewise.ranking import Dense, Draws, Fit, Ranking, Uncertainty
from sidewise.ranking.uncertainty import normal_bounds

Intervals = Literal["least-squares", "bootstrap", "none"]

REACH = 1e-3  # the smallest penalty of the path, as a part of the largest
HELD = 0.4  # of the biased workers, who must have answered more than once
DRAWS = 200  # of the scores, where there are too many for their covariance


PERFECT = 0.01  # of the squared outcomes, below which residuals of ±1 outcomes are too good to be true


def linear_bias(
    comparisons: Comparisons,
    *,
    penalty: float | None = None,
    points: int = 50,
    intervals: Intervals = "least-squares",
    unit: Unit = "comparison",
    replicates: int = 200,
    level: float = 0.95,
    tol: float = 1e-6,
    limit: int = 100,
    seed: int = 0,
    strict: bool = False,
    progress: Progress | None = None,
) -> Ranking:
    """Rank by the linear model of Xu et al. (2016): y = s_left − s_right + γ_worker + noise, y = ±1 and 0 for a tie.

    Minimised is ½ Σ (y − (s_left − s_right) − γ_worker)² + λ ‖γ‖₁: only workers whose answers lean to a side by more
    than λ in all have a bias, and the scores are not held back. λ is the one of a path of ``points`` penalties, from
    that which leaves no bias down to its thousandth part, with the least BIC: N log(RSS / N) + log(N) · biased. The
    path is the table ``fit.findings["path"]``: penalty, biased (how many workers), rss, bic. Penalties that bias mostly
    workers with a single answer, which their bias would explain by itself, are not chosen.

    It finds workers who favour a side, and no others; and a straight line is a poor model of ±1: prefer
    :func:`~sidewise.factor_bt`.

    Parameters
    ----------
    comparisons
        Judgments that say who made them and what was shown on which side; a weight of 2 counts as two.
    penalty
        A λ of your choice instead of that of the path, in answers: 0 gives every worker a bias.
    points
        Of the path.
    intervals
        "least-squares" takes the choice of biased workers as given: σ² times the inverse of the scores' normal
        equations, by draws for more than 2,000 items. "bootstrap" refits resampled data with the chosen penalty (an
        item that drops out stands at the mean); "none" saves the work.
    unit, replicates, progress
        Of the bootstrap.
    level
        Of the intervals shown. Those of a bias are about the mean of a worker's residuals, which is not shortened.
    tol, limit
        A fit has converged when a step moves no score by more than ``tol``; it gives up after ``limit``.
    seed
        Of bootstrap and draws.
    strict
        Raise, and do not only warn, where the fit has not converged.

    Examples
    --------
    >>> import sidewise as sw
    >>> answers = sw.Comparisons.from_arrays(
    ...     left=[*"abcbca"] * 3, right=[*"bcaabc"] * 3, winner=[*"abaabaabaabaabcbca"], worker=[*"xxxxxxyyyyyyzzzzzz"]
    ... )
    >>> ranking = sw.linear_bias(answers)
    >>> ranking.order, [round(bias, 1) for bias in ranking.workers["side_bias"].to_pylist()]
    (('a', 'b', 'c'), [0.0, 0.0, 1.0])
    """
    wanted = Wanted(known=get_args(Intervals), intervals=intervals, unit=unit, replicates=replicates, level=level,
                    tol=tol, limit=limit, seed=seed, strict=strict, progress=progress)  # fmt: skip
    _check(comparisons, penalty, points)
    counts = comparisons.counts()
    graph = components(counts)
    sums = Sums.of(comparisons, counts, graph)
    with solvable(comparisons):
        found = solutions(sums, penalty, points, tol=tol, limit=limit)
        judged = [Judged.of(comparisons, solution) for solution in found]
        best = min((some for some in judged if some.held or some is judged[0]), key=lambda some: some.bic)
        chosen, noise = best.solution, best.noise(sums)
        uncertainty = _uncertainty(comparisons, sums, chosen, noise, wanted)
    said = _report(chosen, counts, graph, strict=strict)
    scores = np.where(counts.item_weight() > 0, chosen.scores, np.nan)
    biases = {"side": _biases(sums, chosen, noise, level)}
    return Ranking(
        items=counts.items,
        raw=scores,
        fit=Fit(
            "linear_bias",
            {"penalty": chosen.penalty, "intervals": intervals, "unit": unit, "level": level, "tol": tol},
            chosen.converged, chosen.steps, chosen.gap, seed=None if intervals == "none" else seed,
            digest=comparisons.digest, comparisons=counts.rows, notes=said, findings={"path": _table(judged)},
        ),
        comparisons=counts.item_weight(),
        uncertainty=uncertainty,
        component=graph.label,
        comparable=graph.count == 1,
        link=Chances(LeastSquares(FLOWS["mean"])),
        unit=FLOWS["mean"].unit,
        workers=worker_table(comparisons, scores, reliability=None, biases=biases),
        level=level,
    )  # fmt: skip


def solutions(sums: Sums, penalty: float | None, points: int, *, tol: float, limit: int) -> list[Solution]:
    """The path, or the one solution that was asked for."""
    if penalty is None:
        return path(sums, points, REACH, tol=tol, limit=limit)
    return [sums.solve(float(penalty), sums.unbiased(), tol=tol, limit=limit)]


class Judged(NamedTuple):
    """A solution with how well it fits and what that is worth, a bias costing log N (Schwarz 1978)."""

    solution: Solution
    weight: float
    rss: float
    bic: float
    held: bool

    @classmethod
    def of(cls, comparisons: Comparisons, solution: Solution) -> "Judged":
        """Judge a solution; a comparison of weight 2 counts as two."""
        left, weight = residual(comparisons, solution), comparisons.weights()
        rss, total = float(weight @ left**2), float(weight.sum())
        if not np.isfinite(rss):
            raise np.linalg.LinAlgError("overflown")
        # A fit that explains everything has a BIC of minus infinity whatever it costs: it must not win by that.
        fit = total * np.log(max(rss / total, PERFECT)) if total else 0.0
        bic = float(fit + np.log(max(total, 1.0)) * solution.biased.sum())
        return cls(solution, total, rss, bic, is_held(comparisons, solution.biased))

    def noise(self, sums: Sums) -> float | None:
        """σ²: the squared residuals over the comparisons that are more than scores and biases; None where none are."""
        pin = sums.laplacian.pin
        assert pin is not None
        free = self.weight - (sums.laplacian.n - len(pin.size)) - self.solution.biased.sum()
        return self.rss / free if free > 0 and self.rss / free > SATURATED else None


def is_held(comparisons: Comparisons, biased: Mask) -> bool:
    """Whether enough of the biases have a second answer that could speak against them.

    A single answer cannot be told from its noise. Where everybody has one, a bias each explains everything, and BIC,
    which is made for many comparisons to a parameter, would have most of them.
    """
    assert comparisons.worker is not None
    answers = np.bincount(comparisons.worker[comparisons.weights() > 0], minlength=len(biased))
    return not biased.any() or float(np.mean(answers[biased] > 1)) >= HELD


def residual(comparisons: Comparisons, solution: Solution) -> Floats:
    """What scores and biases leave of every comparison: y − (s_left − s_right) − γ_worker."""
    s = solution.scores
    said = 2 * comparisons.outcome - 1
    return np.asarray(said - (s[comparisons.left] - s[comparisons.right]) - solution.bias[comparisons.worker])


def _uncertainty(
    comparisons: Comparisons, sums: Sums, chosen: Solution, noise: float | None, wanted: Wanted
) -> Uncertainty | None:
    if wanted.intervals == "bootstrap":
        return resampled(comparisons, lambda rows: _scores(rows, chosen.penalty, wanted.limit), unit=wanted.unit,
                         replicates=wanted.replicates, seed=wanted.seed, progress=wanted.progress)  # fmt: skip
    if wanted.intervals == "none" or noise is None:
        return None
    return least_squares_doubt(comparisons, sums, chosen, noise, wanted.seed)


def least_squares_doubt(
    comparisons: Comparisons, sums: Sums, chosen: Solution, noise: float, seed: int
) -> Dense | Draws:
    """The covariance of least squares with the biased workers known, or draws that have it."""
    profile, pin = sums.profile(chosen.biased), sums.laplacian.pin
    assert pin is not None
    if profile.laplacian.n <= DENSE:
        inverse = np.asarray(np.linalg.inv(profile.dense()), float)
        return Dense(noise * (inverse - pin.mean(inverse)), kind="least squares, biased workers taken as known")
    rng, root = np.random.default_rng(seed), np.sqrt(comparisons.weights())
    pull = np.stack(
        [sums.pull(comparisons, root * rng.standard_normal(len(root)), chosen.biased) for _ in range(DRAWS)]
    )
    x, _ = conjugate_gradients(profile, pull.T, 1e-3, PATIENCE)
    return Draws(chosen.scores + np.sqrt(noise) * x.T, kind="least squares, biased workers taken as known, by draws")


def _biases(sums: Sums, chosen: Solution, noise: float | None, level: float) -> Estimate:
    """The biases; their limits are those of mean residuals, widened where needed so that the bias is inside."""
    residual, some = sums.residual(chosen.scores), sums.answers > 0
    mean, variance = np.full(len(some), np.nan), np.full(len(some), np.nan)
    mean[some] = residual[some] / sums.answers[some]
    variance[some] = (np.nan if noise is None else noise) / sums.answers[some]
    low, high = normal_bounds(mean, variance, level)
    return Estimate(chosen.bias, np.minimum(low, chosen.bias), np.maximum(high, chosen.bias), STRONG_OUTCOME)


def _table(judged: list[Judged]) -> pa.Table:
    return pa.table({
        "penalty": [some.solution.penalty for some in judged],
        "biased": [int(some.solution.biased.sum()) for some in judged],
        "rss": [some.rss for some in judged],
        "bic": [some.bic for some in judged],
    })  # fmt: skip


def _report(chosen: Solution, counts: PairCounts, graph: Graph, *, strict: bool) -> tuple[str, ...]:
    said: tuple[str, ...] = ()
    if not chosen.converged:
        message = f"not converged: the last of {chosen.steps} steps still moved a score by {chosen.gap:.2g}"
        said = notes.not_converged(message, strict=strict, stacklevel=3)
    return said + notes.of_the_graph(counts, graph, has_prior=False, stacklevel=3)


def _scores(rows: Comparisons, penalty: float, limit: int) -> Floats:
    counts = rows.counts()
    sums = Sums.of(rows, counts, components(counts))
    return sums.solve(penalty, sums.unbiased(), tol=1e-5, limit=limit).scores


def _check(comparisons: Comparisons, penalty: float | None, points: int) -> None:
    check_workers_known(comparisons, "linear_bias")
    check_some(comparisons, "linear_bias")
    if not comparisons.sided:
        raise ModelError("the data do not say what was shown on which side: linear_bias has no bias to find; "
                         "use hodge_rank, which is the same without biases")  # fmt: skip
    if penalty is not None and not (is_number(penalty) and penalty >= 0):
        raise ModelError(f"a penalty is a number and not negative, not {penalty!r}")
    if not is_count(points, 2):
        raise ModelError(f"a path has at least 2 points, not {points!r}")
