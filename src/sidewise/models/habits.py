"""How workers answer: what a worker's own parameters make of a difference of scores.

A habit turns the difference d = s_left − s_right of a row, the parameters θ of its worker and the row's factors x into
a predictor u, which a link turns into the likelihood of the answer. Everything else is the chain rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from scipy.special import expit

from sidewise.comparisons.arrow import Floats
from sidewise.models.likelihood import Observations, Slopes, Tieless

NEVER = 1e-12  # a chance that is no smaller keeps logarithms finite


class Predicted(NamedTuple):
    """The predictor of every row and its derivatives."""

    u: Floats
    d: Floats
    theta: Sequence[Floats]  # one each
    crossed: Sequence[Floats | None]  # in d and each θ; None is 0


class Habit(Protocol):
    """A way to answer."""

    def predict(self, d: Floats, theta: Sequence[Floats], x: Floats) -> Predicted:
        """The predictor; ``theta`` holds each parameter of the workers, row by row."""
        ...


class Sensitive:
    """u = a d + b·x: a sensitivity, and a bias for every factor (signal detection's d′ and criterion)."""

    def predict(self, d: Floats, theta: Sequence[Floats], x: Floats) -> Predicted:
        """Linear in d, and linear in the worker's parameters."""
        a, *b = theta
        u = a * d
        for bias, column in zip(b, x.T, strict=True):
            u += bias * column
        return Predicted(u, a, [d, *x.T], [np.ones(1), *(None for _ in b)])


class Qualified:
    """u = η σ(d) + (1 − η) σ(−d): right with chance η, or else the other way (Chen et al. 2013)."""

    def predict(self, d: Floats, theta: Sequence[Floats], x: Floats) -> Predicted:  # noqa: ARG002
        """U = 1/2 + (2η − 1)(σ(d) − 1/2): linear in η, so that the likelihood is concave in it."""
        (eta,), p = theta, expit(d)
        slope = p * (1 - p)
        return Predicted(0.5 + (2 * eta - 1) * (p - 0.5), (2 * eta - 1) * slope, [2 * p - 1], [2 * slope])


class Swayed:
    """u = f σ(d) + (1 − f) σ(x·r): fair with chance f, or else swayed by factors (factorBT; the paper's f is f(γ))."""

    def predict(self, d: Floats, theta: Sequence[Floats], x: Floats) -> Predicted:
        """A mixture of an answer to the question and an answer to the factors: linear in f."""
        f, *r = theta
        lean = np.zeros_like(d)
        for reaction, column in zip(r, x.T, strict=True):
            lean += reaction * column
        fair, swayed = expit(d), expit(lean)
        slope_fair, slope_swayed = fair * (1 - fair), (1 - f) * swayed * (1 - swayed)
        slopes = [fair - swayed, *(slope_swayed * column for column in x.T)]
        return Predicted(f * fair + (1 - f) * swayed, f * slope_fair, slopes, [slope_fair, *(None for _ in r)])


class Chance(Tieless):
    """The predictor is the chance that left wins; a tie is half a win for each side."""

    shortens = False

    def value(self, d: Floats, t: float, seen: Observations) -> Floats:  # noqa: ARG002
        """W log u + L log(1 − u)."""
        u = np.clip(d, NEVER, 1 - NEVER)
        return np.asarray(seen.halved * np.log(u) + (seen.total - seen.halved) * np.log1p(-u))

    def slopes(self, d: Floats, t: float, seen: Observations) -> Slopes:  # noqa: ARG002
        """W / u − L / (1 − u), Fisher's information N / (u (1 − u)), and what was seen of it, W / u² + L / (1 − u)²."""
        u = np.clip(d, NEVER, 1 - NEVER)
        won, lost = seen.halved / u, (seen.total - seen.halved) / (1 - u)
        return Slopes(won - lost, seen.total / (u * (1 - u)), seen=won / u + lost / (1 - u))

    def win(self, d: Floats, t: float) -> Floats:  # noqa: ARG002
        """The predictor itself."""
        return d


@dataclass(frozen=True)
class Pull:
    """A normal prior on one parameter of all workers: N(mean, sd²)."""

    mean: float
    sd: float
    is_chance: ClassVar = False

    def value(self, theta: Floats) -> float:
        """Σ of the log density, up to a constant."""
        return float(self.log_density(theta).sum())

    def log_density(self, theta: Floats) -> Floats:
        """The log density, up to a constant."""
        return np.asarray(-((theta - self.mean) ** 2) / (2 * self.sd**2))

    def slope(self, theta: Floats) -> Floats:
        """Its derivative."""
        return (self.mean - theta) / self.sd**2

    def curvature(self, theta: Floats) -> Floats:
        """Minus its second derivative."""
        return np.full_like(theta, self.sd**-2, dtype=float)


@dataclass(frozen=True)
class Doubt:
    """A prior on the sensitivity of all workers: N(mean, sd²), and doubt below 0, where N(0, below²) comes on top.

    Answers that go against everybody's are believed, turned round, only of somebody who has given many: a slip in the
    data, or one person's answers copied and turned, looks the same.
    """

    sd: float
    mean: ClassVar = 0.8  # of what the sensitivity of those counts for who have answered much: see ``scale``
    below: ClassVar = 0.3
    is_chance: ClassVar = False

    def value(self, theta: Floats) -> float:
        """Σ of the log density, up to a constant."""
        return float(self.log_density(theta).sum())

    def log_density(self, theta: Floats) -> Floats:
        """The log density, up to a constant."""
        doubted = np.minimum(theta, 0) ** 2 / self.below**2
        return np.asarray(-((theta - self.mean) ** 2 / self.sd**2 + doubted) / 2)

    def slope(self, theta: Floats) -> Floats:
        """Its derivative."""
        return (self.mean - theta) / self.sd**2 - np.minimum(theta, 0) / self.below**2

    def curvature(self, theta: Floats) -> Floats:
        """Minus its second derivative."""
        return np.asarray(self.sd**-2 + (theta < 0) / self.below**2)

    def holds(self, theta: Floats) -> Floats:
        """The part of its curvature that its width rules."""
        return np.full_like(theta, self.sd**-2, dtype=float)


@dataclass(frozen=True)
class Tail:
    """Student's t about 0, as a prior on one parameter of all workers: most have next to none of it, a few have much.

    A normal prior shares a bias out: where a fifth of the crowd loves a brand, it lets the others hate it a little, and
    the brand's items look better than they are.
    """

    sd: float  # its scale
    freedom: ClassVar = 2.0
    mean: ClassVar = 0.0
    is_chance: ClassVar = False

    def value(self, theta: Floats) -> float:
        """Σ of the log density, up to a constant."""
        return float(self.log_density(theta).sum())

    def log_density(self, theta: Floats) -> Floats:
        """The log density, up to a constant."""
        return np.asarray(-(self.freedom + 1) / 2 * np.log1p(theta**2 / (self.freedom * self.sd**2)))

    def slope(self, theta: Floats) -> Floats:
        """Its derivative."""
        return -theta * self.curvature(theta)

    def curvature(self, theta: Floats) -> Floats:
        """The precision of the normal prior that has the same slope here (the true curvature turns negative)."""
        return np.asarray((self.freedom + 1) / (self.freedom * self.sd**2 + theta**2))

    def holds(self, theta: Floats) -> Floats:
        """The part of its curvature that its width rules: all of it."""
        return self.curvature(theta)


@dataclass(frozen=True)
class Credit:
    """A prior on a chance θ: as if every worker had so many right and so many wrong answers before the first one."""

    right: float
    wrong: float
    is_chance: ClassVar = True

    def value(self, theta: Floats) -> float:
        """Σ of the log density, up to a constant."""
        return float(self.log_density(theta).sum())

    def log_density(self, theta: Floats) -> Floats:
        """Right · log θ + wrong · log(1 − θ); minus infinity outside of 0 to 1."""
        inside = np.clip(theta, NEVER, 1 - NEVER)
        found = self.right * np.log(inside) + self.wrong * np.log1p(-inside)
        return np.where((theta > 0) & (theta < 1), found, -np.inf)

    def slope(self, theta: Floats) -> Floats:
        """Right / θ − wrong / (1 − θ)."""
        return np.asarray(self.right / theta - self.wrong / (1 - theta))

    def curvature(self, theta: Floats) -> Floats:
        """Right / θ² + wrong / (1 − θ)²."""
        return np.asarray(self.right / theta**2 + self.wrong / (1 - theta) ** 2)


WorkerPrior = Pull | Doubt | Tail | Credit
