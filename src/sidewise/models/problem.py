"""A pairwise likelihood with its prior: the sum that is maximised, its gradient and its Hessian."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array

from sidewise.comparisons import Comparisons, Graph, PairCounts
from sidewise.comparisons.arrow import Codes, Floats
from sidewise.errors import ModelError
from sidewise.models.laplacian import Information, Laplacian, Pin
from sidewise.models.likelihood import Davidson, Logistic, Observations, RaoKupper, TieLink
from sidewise.models.newton import Optimum, Slope, climb
from sidewise.models.priors import Flat, Normal, Prior, VirtualItem
from sidewise.ranking.uncertainty import normal_bounds

Ties = Literal["half", "davidson", "rao-kupper", "drop"]

SIDE = "side"
EFFECT_SD = 5.0  # log-odds: only a covariate that settles every comparison comes near it
LINKS: dict[str, TieLink] = {
    "half": Logistic(),
    "davidson": Davidson(),
    "rao-kupper": RaoKupper(),
    "drop": Logistic(),
}


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
            unknown=counts.unseen() if prior is None else np.empty(0, np.int32),
        )  # fmt: skip

    @property
    def effect_precision(self) -> float:
        """1 / sd² of the weak normal prior that keeps an effect finite; none without a prior on the scores."""
        return 0.0 if isinstance(self.prior, Flat) else EFFECT_SD**-2

    @property
    def others(self) -> int:
        """Parameters that are not scores."""
        return len(self.names) + self.link.shapes

    @property
    def stated_prior(self) -> str:
        """The prior, in words that can be typed in again."""
        match self.prior:
            case Flat():
                return "None"
            case Normal(sd=float(sd)):
                return f"Normal({sd:.6g})"
            case prior:
                return repr(prior)

    def start(self) -> Floats:
        """Where the climb begins: at the items' win rates, as if all opponents were alike."""
        start = np.zeros(self.seen.n + self.others)
        won, met = self.seen.to_items(self.seen.halved - self.seen.total / 2), self.seen.degree(self.seen.total)
        start[: self.seen.n] = 2 * np.arctanh(2 * won / (met + 1))  # the log-odds of a win, half a win and a loss added
        if self.link.shapes:
            start[-1] = self.link.start(float(self.seen.ties.sum()), float(self.seen.total.sum()))
        return start

    def climb(self, start: Floats, *, tol: float, limit: int) -> Optimum:
        """Maximise from a start."""
        return climb(self.slope, start, tol=tol, limit=limit)

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
        """The d of every pair."""
        s, beta, _ = self.parts(point)
        return self.seen.differences(s) + self.seen.covariates @ beta if len(beta) else self.seen.differences(s)

    def log_likelihood(self, point: Floats) -> float:
        """Σ over pairs."""
        return float(self.link.value(self.differences(point), self.shape(point), self.seen).sum())

    def objective(self, point: Floats) -> float:
        """Log-likelihood plus log prior: what is maximised."""
        s = point[: self.seen.n]
        pinned = 0.0 if self.pin is None else float(s @ self.pin.mean(s)) / 2
        _, beta, _ = self.parts(point)
        return (
            self.log_likelihood(point) + self.prior.value(s) - pinned - self.effect_precision * float(beta @ beta) / 2
        )

    def slope(self, point: Floats) -> Slope[Information]:
        """Gradient and curvature of the objective."""
        s, beta, t = self.parts(point)
        slopes = self.link.slopes(self.differences(point), t, self.seen)
        own = self.seen.to_items(slopes.d) + self.prior.slope(s)
        if self.pin is not None:
            own -= self.pin.mean(s)
        other = [self.seen.covariates.T @ slopes.d - self.effect_precision * beta] if self.names else []
        if slopes.t is not None:
            other.append(np.array([slopes.t.sum()]))

        def curvature() -> Information:
            border, corner = self._border(slopes.dd, slopes.dt, slopes.tt)
            return Information(self._laplacian(slopes.dd, self.prior.curvature(s)), border, corner)

        return Slope(np.concatenate([own, *other]), curvature)

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
        covariates = np.arange(len(self.names))
        corner[covariates, covariates] += self.effect_precision
        if tt is not None:
            corner[-1, -1] = tt.sum()
        return border, corner

    def effects(self, optimum: Optimum, level: float) -> pa.Table:
        """Estimates and intervals of the parameters that are not scores."""
        information = self.slope(optimum.point).curvature()
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
        weight * is_tie, np.array([sides[name] for name in covariates]).T.reshape(len(rows), -1),
    )  # fmt: skip
