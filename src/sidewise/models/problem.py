"""A pairwise likelihood with its prior: the sum that is maximised, its gradient and its Hessian."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array

from sidewise.comparisons import Comparisons, Graph, PairCounts
from sidewise.comparisons.arrow import Codes, Floats
from sidewise.errors import ModelError
from sidewise.models.factors import columns, usual_sizes
from sidewise.models.laplacian import Information, Laplacian, Pin
from sidewise.models.likelihood import Davidson, Logistic, Observations, RaoKupper, Slopes, TieLink
from sidewise.models.newton import Optimum, Slope, climb
from sidewise.models.priors import Flat, Normal, Prior, VirtualItem
from sidewise.models.probit import ProbitThreshold
from sidewise.ranking.uncertainty import normal_bounds

Ties = Literal["half", "davidson", "rao-kupper", "drop"]

EFFECT_SD = 5.0  # log-odds, by a covariate of its usual size: only one that settles every comparison comes near it
LINKS: dict[str, TieLink] = {
    "half": Logistic(),
    "davidson": Davidson(),
    "rao-kupper": RaoKupper(),
    "drop": Logistic(),
}
SHAPES = {Davidson: "ties (log ν)", RaoKupper: "ties (log θ)", ProbitThreshold: "ties (threshold)"}


@dataclass(frozen=True)
class Problem:
    """What is to be maximised: likelihood plus prior, in scores, covariates' effects and the shape of ties."""

    seen: Observations
    link: TieLink
    prior: Prior
    pin: Pin | None
    names: tuple[str, ...]
    unknown: Codes  # items that nobody compared, where no prior speaks for them
    sizes: Floats = field(default_factory=lambda: np.empty(0))  # of the covariates, which ``seen`` measures by them

    @classmethod
    def of(
        cls, comparisons: Comparisons | PairCounts, counts: PairCounts, graph: Graph, *, ties: str,
        covariates: tuple[str, ...], prior: Normal | VirtualItem | None, links: Mapping[str, TieLink] = LINKS,
    ) -> "Problem":  # fmt: skip
        """Set up the sum; ``links`` has one for every way to treat ties."""
        seen = observe(comparisons, counts, covariates)
        link = links[ties]
        if link.shapes and seen.ties.sum() == seen.total.sum():
            raise ModelError(f"every comparison is a tie: there is nothing for ties={ties!r} to learn from")
        if not seen.ties.any():
            link = links["half"]  # without ties, all models of ties are the plain one
        return cls(
            seen=seen,
            link=link,
            prior=Flat() if prior is None else prior,
            pin=Pin.to(graph.label) if prior is None else None,
            names=covariates,
            unknown=counts.unseen() if prior is None else np.empty(0, np.int32),
            sizes=usual_sizes(comparisons, covariates) if isinstance(comparisons, Comparisons) else np.empty(0),
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

    def log_likelihood(self, point: Floats) -> float:
        """Σ over pairs."""
        return sum(
            float(self.link.value(d, self.shape(point), shard).sum()) for _, shard, d in self._shards(point)
        )  # fmt: skip

    def _shards(self, point: Floats) -> Iterator[tuple[slice, Observations, Floats]]:
        """The pairs in parts, each with its differences d."""
        s, beta, _ = self.parts(point)
        for here, shard in self.seen.shards():
            yield here, shard, shard.differences(s) + (shard.covariates @ beta if len(beta) else 0.0)

    def objective(self, point: Floats) -> float:
        """Log-likelihood plus log prior: what is maximised."""
        s, beta, _ = self.parts(point)
        pinned = 0.0 if self.pin is None else float(s @ self.pin.mean(s)) / 2
        return (
            self.log_likelihood(point) + self.prior.value(s) - pinned - self.effect_precision * float(beta @ beta) / 2
        )

    def slope(self, point: Floats) -> Slope[Information[Laplacian]]:
        """Gradient and curvature of the objective."""
        (s, beta, t), n = self.parts(point), self.seen.n
        gradient, weight = np.zeros(n + self.others), np.empty(len(self.seen.left))
        border, corner = np.zeros((n, self.others)), np.zeros((self.others, self.others))
        for here, shard, d in self._shards(point):
            slopes = self.link.slopes(d, t, shard)
            weight[here] = slopes.dd
            gradient[:n] += shard.to_items(slopes.d)
            if self.others:
                self._add_others(shard, slopes, gradient[n:], border, corner)
        gradient[:n] += self.prior.slope(s)
        if self.pin is not None:
            gradient[:n] -= self.pin.mean(s)
        effects = np.arange(len(beta))
        gradient[n + effects] -= self.effect_precision * beta
        corner[effects, effects] += self.effect_precision
        upper = csr_array((weight, self.seen.right, self.seen.edges), shape=(n, n))

        def curvature() -> Information[Laplacian]:
            return Information(Laplacian(upper, self.prior.curvature(s), self.pin), border, corner)

        return Slope(gradient, curvature)

    def _add_others(
        self, shard: Observations, slopes: Slopes, gradient: Floats, border: Floats, corner: Floats
    ) -> None:
        """Add a shard's derivatives in the parameters that are not scores."""
        x, q = shard.covariates, len(self.names)
        gradient[:q] += x.T @ slopes.d
        columns = [slopes.dd * column for column in x.T] + ([] if slopes.dt is None else [slopes.dt])
        for k, column in enumerate(columns):
            border[:, k] += shard.to_items(column)
            corner[k, :q] += column @ x
        if slopes.t is not None and slopes.tt is not None:
            gradient[-1] += slopes.t.sum()
            corner[-1, -1] += slopes.tt.sum()
            corner[:q, -1] = corner[-1, :q]

    def effects(self, optimum: Optimum, level: float) -> pa.Table:
        """Estimates and intervals of the parameters that are not scores, by one unit of a covariate."""
        information = self.slope(optimum.point).curvature()
        variance = np.diagonal(np.linalg.inv(information.schur(information.across(1e-8))))
        size = np.concatenate([self.sizes, np.ones(self.link.shapes)])
        estimate = optimum.point[self.seen.n :]
        low, high = normal_bounds(estimate, variance, level)
        shape = SHAPES.get(type(self.link))
        names = [*self.names, *([shape] if shape else [])]
        return pa.table({"effect": names, "estimate": estimate / size, "low": low / size, "high": high / size})


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
    return Observations(
        len(rows.items), rows.left, rows.right, weight * rows.outcome * ~is_tie, weight * (1 - rows.outcome) * ~is_tie,
        weight * is_tie, columns(rows, covariates),
    )  # fmt: skip
