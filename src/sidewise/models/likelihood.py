"""The likelihood of pairwise outcomes: one term per observed pair, summed.

The log-likelihood of a pair depends on d = s_left − s_right + x·β and, where ties have a model of their own, on one
shape parameter t. A link gives each pair's value and its derivatives in (d, t); everything else is linear algebra.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import expit, log_expit

from sidewise.comparisons.arrow import Codes, Floats

SHARD = 1 << 15  # pairs; the dozen arrays of a shard stay in the cache, which halves the time of a pass


@dataclass(frozen=True)
class Observations:
    """Pairs, sorted by their left item, with the weight of each outcome, and covariates seen from the left."""

    n: int
    left: Codes
    right: Codes
    wins: Floats  # of the left item
    losses: Floats
    ties: Floats
    covariates: Floats  # one column each
    blur: Floats | None = None  # the variance of each difference, where a link averages over it

    @property
    def total(self) -> Floats:
        """The weight of all comparisons of each pair."""
        decided = self.wins + self.losses
        return decided + self.ties if self.tied else decided

    @property
    def halved(self) -> Floats:
        """The weight for the left item where a tie is half a win."""
        return self.wins + self.ties / 2 if self.tied else self.wins

    @property
    def tied(self) -> bool:
        """Whether there may be ties: where there are none, all zeros are one (see ``comparisons.counts.no_ties``)."""
        return self.ties.strides != (0,)

    @cached_property
    def edges(self) -> Codes:
        """Where the pairs of each left item begin: with ``right``, the rows of a sparse matrix."""
        return np.searchsorted(self.left, np.arange(self.n + 1)).astype(np.int32)

    def shards(self) -> Iterator[tuple[slice, "Observations"]]:
        """The pairs in parts that fit into the processor's cache: what is a sum over pairs is a sum over shards."""
        size = max(SHARD, self.n)
        for start in range(0, len(self.left), size):
            here = slice(start, start + size)
            yield here, Observations(
                self.n, self.left[here], self.right[here], self.wins[here], self.losses[here], self.ties[here],
                self.covariates[here], None if self.blur is None else self.blur[here],
            )  # fmt: skip

    def blurred(self, variance: Floats) -> "Observations":
        """The same pairs, with the variance of what the link is a function of."""
        return replace(self, blur=variance)

    def differences(self, s: Floats) -> Floats:
        """s_left − s_right."""
        return s[self.left] - s[self.right]

    def to_items(self, per_pair: Floats) -> Floats:
        """Σ over pairs of per_pair (e_left − e_right)."""
        return np.asarray(np.bincount(self.left, per_pair, self.n) - np.bincount(self.right, per_pair, self.n), float)

    def degree(self, per_pair: Floats) -> Floats:
        """Σ over the pairs of each item."""
        return np.asarray(np.bincount(self.left, per_pair, self.n) + np.bincount(self.right, per_pair, self.n), float)


class Slopes(NamedTuple):
    """First derivatives of every pair's log-likelihood, and minus the second ones."""

    d: Floats
    dd: Floats
    t: Floats | None = None
    dt: Floats | None = None
    tt: Floats | None = None
    seen: Floats | None = None  # −∂²ℓ/∂d² of the outcomes themselves, where dd is its expectation


class TieLink(Protocol):
    """A link with or without a shape parameter for ties."""

    @property
    def shortens(self) -> bool:
        """Whether its slope, averaged over a normal d, is that of a shorter d: E σ(d) ≈ σ(κ d) (see ``Blurred``)."""
        ...

    @property
    def shapes(self) -> int:
        """How many parameters ties have: none or one."""
        ...

    def start(self, ties: float, total: float) -> float:
        """A first guess of the shape from the share of ties."""
        ...

    def value(self, d: Floats, t: float, seen: Observations) -> Floats:
        """The log-likelihood of every pair."""
        ...

    def slopes(self, d: Floats, t: float, seen: Observations) -> Slopes:
        """Its derivatives."""
        ...

    def win(self, d: Floats, t: float) -> Floats:
        """The chance that left wins."""
        ...

    def tie(self, d: Floats, t: float) -> Floats:
        """The chance of a tie."""
        ...


class Tieless:
    """What links have in common that take a tie for half a win, and so foretell none."""

    shapes = 0

    def start(self, ties: float, total: float) -> float:  # noqa: ARG002
        """There is no shape."""
        return 0.0

    def tie(self, d: Floats, t: float) -> Floats:  # noqa: ARG002
        """There are none."""
        return np.zeros_like(d)


class Logistic(Tieless):
    """P(left wins) = σ(d) (Bradley and Terry 1952); a tie is half a win for each side."""

    shortens = True

    def value(self, d: Floats, t: float, seen: Observations) -> Floats:  # noqa: ARG002
        """W log σ(d) + L log σ(−d) = W d − N log(1 + e^d), with W and L holding half of the ties each."""
        softplus = np.maximum(d, 0) + np.log1p(np.exp(-np.abs(d)))
        return np.asarray(seen.halved * d - seen.total * softplus)

    def slopes(self, d: Floats, t: float, seen: Observations) -> Slopes:  # noqa: ARG002
        """W − N p, and N p (1 − p)."""
        p = expit(d)
        expected = seen.total * p
        return Slopes(seen.halved - expected, expected * (1 - p))

    def win(self, d: Floats, t: float) -> Floats:  # noqa: ARG002
        """σ(d)."""
        return np.asarray(expit(d))


class Davidson:
    """P(left) : P(right) : P(tie) = e^{d/2} : e^{−d/2} : e^t (Davidson 1970, ν = e^t)."""

    shapes = 1
    shortens = True

    def start(self, ties: float, total: float) -> float:
        """The ν of equal items."""
        return float(np.log(2 * ties / (total - ties)))

    def _chances(self, d: Floats, t: float) -> tuple[Floats, Floats, Floats]:
        top = np.maximum(np.abs(d) / 2, t)
        left, right, tie = np.exp(d / 2 - top), np.exp(-d / 2 - top), np.exp(t - top)
        whole = left + right + tie
        return left / whole, right / whole, tie / whole

    def value(self, d: Floats, t: float, seen: Observations) -> Floats:
        """W d/2 − L d/2 + T t − N log(e^{d/2} + e^{−d/2} + e^t)."""
        whole = np.logaddexp(np.logaddexp(d / 2, -d / 2), t)
        return (seen.wins - seen.losses) * d / 2 + seen.ties * t - seen.total * whole

    def slopes(self, d: Floats, t: float, seen: Observations) -> Slopes:
        """A multinomial logit: observed minus expected, and N times the covariance of (±1/2, tie)."""
        left, right, tie = self._chances(d, t)
        total, lead = seen.total, left - right
        return Slopes(
            d=(seen.wins - seen.losses) / 2 - total * lead / 2,
            dd=total * (left + right - lead**2) / 4,
            t=seen.ties - total * tie,
            dt=-total * tie * lead / 2,
            tt=total * tie * (1 - tie),
        )

    def win(self, d: Floats, t: float) -> Floats:
        """The first of the three chances."""
        return self._chances(d, t)[0]

    def tie(self, d: Floats, t: float) -> Floats:
        """The last of the three chances."""
        return self._chances(d, t)[2]


class RaoKupper:
    """P(left) = σ(d − t), P(right) = σ(−d − t), a tie otherwise (Rao and Kupper 1967, θ = e^t): t is a threshold."""

    shapes = 1
    shortens = True

    def start(self, ties: float, total: float) -> float:
        """The threshold of equal items."""
        share = ties / total
        return float(np.log((1 + share) / (1 - share)))

    def value(self, d: Floats, t: float, seen: Observations) -> Floats:
        """(W + T) log σ(d − t) + (L + T) log σ(−d − t) + T log(e^{2t} − 1)."""
        return np.asarray(
            (seen.wins + seen.ties) * log_expit(d - t)
            + (seen.losses + seen.ties) * log_expit(-d - t)
            + seen.ties * np.log(np.expm1(2 * t))
        )

    def slopes(self, d: Floats, t: float, seen: Observations) -> Slopes:
        """Two logistic terms, and the logarithm that keeps the threshold positive."""
        if t <= 0:  # outside the model: no step may end here
            nowhere = np.full_like(d, np.nan)
            return Slopes(nowhere, nowhere, nowhere, nowhere, nowhere)
        up, down = seen.wins + seen.ties, seen.losses + seen.ties
        p, q = expit(d - t), expit(-d - t)
        rise, fall = up * (1 - p), down * (1 - q)
        return Slopes(
            d=rise - fall,
            dd=rise * p + fall * q,
            t=seen.ties * (2 / -np.expm1(-2 * t)) - rise - fall,
            dt=fall * q - rise * p,
            tt=rise * p + fall * q + seen.ties * np.sinh(t) ** -2,
        )

    def win(self, d: Floats, t: float) -> Floats:
        """σ(d − t)."""
        return np.asarray(expit(d - t))

    def tie(self, d: Floats, t: float) -> Floats:
        """What is left of both."""
        return 1 - self.win(d, t) - self.win(-d, t)


@dataclass(frozen=True)
class Chances:
    """A link with its shape fitted: what a ranking needs to tell how likely an outcome is."""

    link: TieLink
    shape: float = 0.0

    def win(self, difference: Floats) -> Floats:
        """The chance that the first of two items wins."""
        return self.link.win(np.asarray(difference, float), self.shape)

    def tie(self, difference: Floats) -> Floats:
        """The chance of a tie."""
        return self.link.tie(np.asarray(difference, float), self.shape)
