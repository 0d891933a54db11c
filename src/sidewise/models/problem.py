"""A pairwise likelihood with its prior: the sum that is maximised, its gradient and its Hessian."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array

from sidewise.comparisons import Comparisons, Graph, PairCounts
from sidewise.comparisons.arrow import Codes, Floats
from sidewise.errors import ModelError
from sidewise.models.laplacian import Information, Laplacian, Pin
from sidewise.models.likelihood import Davidson, Logistic, Observations, RaoKupper, Slopes, TieLink
from sidewise.models.newton import Optimum, climb
from sidewise.models.posterior import trace_of_inverse
from sidewise.models.priors import Flat, Normal, Prior, VirtualItem
from sidewise.ranking.uncertainty import normal_bounds

Ties = Literal["half", "davidson", "rao-kupper", "drop"]

SIDE = "side"
SPREAD_TOL = 0.005  # of log sd: half a percent of spread changes nothing that a reader could see
LINKS: dict[str, TieLink] = {
    "half": Logistic(),
    "davidson": Davidson(),
    "rao-kupper": RaoKupper(),
    "drop": Logistic(),
}


class ProblemSlope(NamedTuple):
    """The slope of likelihood and prior, and the likelihood's own part, which outlives a change of the prior."""

    gradient: Floats
    curvature: Callable[[], Information]
    slopes: Slopes
    likelihood: Floats


@dataclass(frozen=True)
class Problem:
    """What is to be maximised: likelihood plus prior, in scores, covariates' effects and the shape of ties."""

    seen: Observations
    link: TieLink
    prior: Prior
    pin: Pin | None
    names: tuple[str, ...]
    unknown: Codes  # items that nobody compared, where no prior speaks for them

    @classmethod
    def of(
        cls, comparisons: Comparisons | PairCounts, counts: PairCounts, graph: Graph, *, ties: Ties,
        covariates: tuple[str, ...], prior: Normal | VirtualItem | None,
    ) -> "Problem":  # fmt: skip
        """Set up the sum."""
        seen = observe(comparisons, counts, covariates)
        link = LINKS[ties]
        if link.shapes and seen.ties.sum() == seen.total.sum():
            raise ModelError(f"every comparison is a tie: there is nothing for ties={ties!r} to learn from")
        if not seen.ties.any():
            link = LINKS["half"]  # without ties, all models of ties are the plain one
        return cls(
            seen=seen,
            link=link,
            prior=Flat() if prior is None else prior,
            pin=Pin.to(graph.label) if prior is None else None,
            names=covariates,
            unknown=np.flatnonzero(counts.item_weight() == 0).astype(np.int32) if prior is None else np.empty(0, np.int32),
        )  # fmt: skip

    @property
    def others(self) -> int:
        """Parameters that are not scores."""
        return len(self.names) + self.link.shapes

    @property
    def stated_prior(self) -> str:
        """The prior, in words that can be typed in again."""
        return "None" if isinstance(self.prior, Flat) else repr(self.prior)

    def maximise(self, *, tol: float, limit: int) -> tuple["Problem", Optimum]:
        """Fit; where the prior's spread is not given, fit that too."""
        start = np.zeros(self.seen.n + self.others)
        if self.link.shapes:
            start[-1] = self.link.start(float(self.seen.ties.sum()), float(self.seen.total.sum()))
        if isinstance(self.prior, Normal) and self.prior.sd is None:
            return estimate_spread(self, start, tol=tol, limit=limit)
        return self, self.climb(start, tol=tol, limit=limit)

    def climb(self, start: Floats, *, tol: float, limit: int, known: "ProblemSlope | None" = None) -> Optimum:
        """Maximise from a start; ``known`` is the slope there, perhaps with another prior."""
        first = None if known is None else self.with_prior(start, known.slopes, known.likelihood)
        try:
            return climb(self.slope, start, tol=tol, limit=limit, first=first)
        except np.linalg.LinAlgError:
            raise ModelError(
                f"the effects of {', '.join(self.names) or 'ties'} cannot be told apart from each other or from the "
                "items: leave one out",
            ) from None

    def parts(self, point: Floats) -> tuple[Floats, Floats, float]:
        """Scores, effects, shape."""
        n, q = self.seen.n, len(self.names)
        return point[:n], point[n : n + q], self.shape(point)

    def shape(self, point: Floats) -> float:
        """The shape of ties, if there is one."""
        return float(point[-1]) if self.link.shapes else 0.0

    def scores(self, optimum: Optimum) -> Floats:
        """The scores; NaN for items that nothing is known of."""
        scores = optimum.point[: self.seen.n].copy()
        scores[self.unknown] = np.nan
        return scores

    def differences(self, point: Floats) -> Floats:
        """d of every pair."""
        s, beta, _ = self.parts(point)
        return self.seen.differences(s) + self.seen.covariates @ beta if len(beta) else self.seen.differences(s)

    def log_likelihood(self, point: Floats) -> float:
        """Σ over pairs."""
        return float(self.link.value(self.differences(point), self.shape(point), self.seen).sum())

    def objective(self, point: Floats) -> float:
        """Log-likelihood plus log prior: what is maximised."""
        s = point[: self.seen.n]
        pinned = 0.0 if self.pin is None else float(s @ self.pin.mean(s)) / 2
        return self.log_likelihood(point) + self.prior.value(s) - pinned

    def slope(self, point: Floats) -> "ProblemSlope":
        """Gradient and curvature of the objective."""
        slopes = self.link.slopes(self.differences(point), self.shape(point), self.seen)
        other = [self.seen.covariates.T @ slopes.d] if self.names else []
        if slopes.t is not None:
            other.append(np.array([slopes.t.sum()]))
        return self.with_prior(point, slopes, np.concatenate([self.seen.to_items(slopes.d), *other]))

    def with_prior(self, point: Floats, slopes: Slopes, likelihood: Floats) -> "ProblemSlope":
        """Add the prior to the likelihood's gradient and curvature."""
        s = point[: self.seen.n]
        gradient = likelihood.copy()
        gradient[: self.seen.n] += self.prior.slope(s)
        if self.pin is not None:
            gradient[: self.seen.n] -= self.pin.mean(s)

        def curvature() -> Information:
            border, corner = self._border(slopes.dd, slopes.dt, slopes.tt)
            return Information(self._laplacian(slopes.dd, self.prior.curvature(s)), border, corner)

        return ProblemSlope(gradient, curvature, slopes, likelihood)

    def information(self, optimum: Optimum) -> Information:
        """Minus the Hessian."""
        return optimum.slope.curvature()  # type: ignore[return-value]

    def _laplacian(self, weight: Floats, extra: Floats) -> Laplacian:
        seen = self.seen
        upper = csr_array((weight, seen.right, seen.edges), shape=(seen.n, seen.n))
        return Laplacian(upper, extra, self.pin)

    def _border(self, dd: Floats, dt: Floats | None, tt: Floats | None) -> tuple[Floats, Floats]:
        """Second derivatives that involve the other parameters."""
        x = self.seen.covariates
        columns = [dd * column for column in x.T] + ([] if dt is None else [dt])
        border = np.zeros((self.seen.n, self.others))
        corner = np.zeros((self.others, self.others))
        for k, column in enumerate(columns):
            border[:, k] = self.seen.to_items(column)
            corner[k, : len(self.names)] = corner[: len(self.names), k] = column @ x
        if tt is not None:
            corner[-1, -1] = tt.sum()
        return border, corner

    def effects(self, optimum: Optimum, level: float) -> pa.Table:
        """Estimates and intervals of the parameters that are not scores."""
        information = self.information(optimum)
        variance = np.diagonal(np.linalg.inv(information.schur(information.across(1e-8))))
        estimate = optimum.point[self.seen.n :]
        low, high = normal_bounds(estimate, variance, level)
        shape = {Davidson: "ties (log ν)", RaoKupper: "ties (log θ)"}.get(type(self.link))
        names = [*self.names, *([shape] if shape else [])]
        return pa.table({"effect": names, "estimate": estimate, "low": low, "high": high})


def observe(comparisons: Comparisons | PairCounts, counts: PairCounts, covariates: Sequence[str]) -> Observations:
    """The sum's terms: one per pair, or one per comparison where covariates tell them apart."""
    if not covariates:
        return Observations(len(counts.items), counts.first, counts.second, counts.first_wins, counts.second_wins,
                            counts.ties, np.empty((len(counts.first), 0)))  # fmt: skip
    assert isinstance(comparisons, Comparisons)
    return observe_rows(comparisons, covariates)


def observe_rows(comparisons: Comparisons, covariates: Sequence[str]) -> Observations:
    """One term per comparison."""
    order = np.argsort(comparisons.left, kind="stable")
    rows = comparisons.select(order)
    weight, is_tie = rows.weights(), rows.outcome == 0.5
    sides = {SIDE: np.ones(len(rows)), **rows.factors}
    return Observations(
        len(rows.items), rows.left, rows.right, weight * rows.outcome * ~is_tie, weight * (1 - rows.outcome) * ~is_tie,
        weight * is_tie, np.stack([sides[name] for name in covariates], axis=1) if covariates else np.empty((len(rows), 0)),
    )  # fmt: skip


def estimate_spread(problem: Problem, start: Floats, *, tol: float, limit: int) -> tuple[Problem, Optimum]:
    """Fit the scores and the spread of their prior together (empirical Bayes).

    At the maximum of the Laplace evidence, sd² = Σ s² / (n − Tr H⁻¹ / sd²): the squared scores, over the number of
    scores that the data and not the prior determine (MacKay 1992). One imaginary item of spread 1 is added to both,
    so that few or one-sided data cannot drive the spread to 0 or to infinity. The equation is solved for log sd by
    the secant method.
    """
    log_sd, point, steps, known = 0.0, start, 0, None
    before: tuple[float, float] | None = None
    for turn in range(50):
        here = replace(problem, prior=Normal(float(np.exp(log_sd))))
        # One Newton step follows a small move of the spread closely enough; the end is exact anyway.
        optimum = here.climb(point, tol=tol, limit=1, known=known)
        point, known, steps = optimum.point, optimum.slope, steps + 1
        miss = _next_log_sd(here, optimum) - log_sd
        if turn > 1 and not abs(miss) >= SPREAD_TOL:
            break
        move = miss
        if before is not None and abs(miss - before[1]) > 1e-9:
            move = -miss * (log_sd - before[0]) / (miss - before[1])
        if turn > 1:  # the first two steps are still far from the scores that the spread asks for
            before = (log_sd, miss)
        log_sd += float(np.clip(move, -1, 1))
    final = here.climb(point, tol=tol, limit=limit, known=known)
    return here, replace(final, steps=steps + final.steps)


def _next_log_sd(problem: Problem, optimum: Optimum) -> float:
    assert isinstance(problem.prior, Normal)
    s = optimum.point[: problem.seen.n]
    laplacian = problem.information(optimum).laplacian
    determined = len(s) - problem.prior.precision * trace_of_inverse(laplacian)
    return float(np.log((s @ s + 1) / (max(determined, 0) + 1)) / 2)
