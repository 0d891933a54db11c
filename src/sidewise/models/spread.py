"""How far apart are the items? The spread of a normal prior, estimated from the data themselves.

Curvature at the mode (Laplace's method) underestimates the spread badly where items have few comparisons: with eight
each and a true spread of 2, it finds 1.3. The posterior is therefore approximated by the Gaussian that is nearest to
it (the variational one), whose likelihood terms are averaged over the uncertainty of each difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.models.laplacian import SMALL, Laplacian
from sidewise.models.likelihood import Observations, Slopes, TieLink
from sidewise.models.priors import Normal
from sidewise.models.problem import Problem

TOL, LOOSEST = 0.001, 0.03  # of log sd, where the data leave all to the prior, and where they leave it next to nothing
WIDE = 3.0  # log-odds: a spread at which most comparisons are foregone conclusions
TURNS = 40
EAGER = 1.5  # the equation's own steps are too short: scores and averages follow the spread
EAGERNESS = (0.7, 6.0)  # what a secant may make of it
LOOSE = 30.0  # the spread of a prior that holds scores and decides nothing
SURELY, MUCH, TOGETHER = 3.0, 2.2, 3.5  # when the data contradict an estimated prior: see docs/decisions
LONGEST = 4.0  # the longest step of a score in one turn
WEIGHTS = (2 / 3, 1 / 6, 1 / 6)  # of the three points of an average over a normal number
RESTS = 40  # steps of the means for one spread, where the spread is found by bisection


class Spread(NamedTuple):
    """The problem with the spread filled in, scores near its maximum, and whether the data contradict it."""

    problem: Problem
    point: Floats
    contradicted: bool


def estimate_spread(problem: Problem, start: Floats) -> Spread:
    """Estimate the spread of the prior, and the scores with it.

    At the best spread, sd² = Σ m² / (n − Tr S / sd²): the squared posterior means, over the number of scores that the
    data and not the prior determine (MacKay 1992), with mean and covariance of the variational Gaussian. Few or
    one-sided data could drive that to 0 or to infinity, so the spread has a weak prior of its own: one imaginary item
    of score 1 is added to both sides, and (sd / WIDE)² to the number, which is nothing until sd itself is WIDE.
    Every turn makes one Newton step of the means and one guarded secant step of log sd; where they chase each other,
    the equation is solved by bisection.
    """
    log_sd = float(np.log(np.clip(np.std(start[: problem.seen.n]), 0.3, WIDE)))
    turn = Turn(problem, start)
    before, moved = (np.nan, np.nan), np.inf
    for count in range(TURNS):
        miss = turn.at(log_sd) - log_sd
        eager = EAGER
        if (miss - before[1]) * (log_sd - before[0]) < 0:
            eager = float(np.clip((log_sd - before[0]) / (before[1] - miss), *EAGERNESS))
        move = float(np.clip(eager * miss, -1, 1))
        tol = turn.tolerance()
        # One small move may be chance, with the means still under way: the one before must have been small as well.
        if count > 1 and abs(move) < tol and abs(moved) < 5 * tol:
            return turn.end(log_sd)
        before, moved = (log_sd, miss), move
        log_sd += move
    return _bisect(problem, start)


def _bisect(problem: Problem, start: Floats) -> Spread:
    """Solve for the spread with the means at rest: slow and sure."""
    low, high = np.log(0.02), np.log(50.0)
    turn = Turn(problem, start, calm=0.5)
    while high - low > TOL:
        middle = (low + high) / 2
        for _ in range(RESTS):
            found = turn.at(middle)
        low, high = (middle, high) if found > middle else (low, middle)
    return turn.end((low + high) / 2)


@dataclass
class Turn:
    """Takes one step at a time: means towards their maximum for a spread, and what spread they then ask for."""

    problem: Problem
    point: Floats
    calm: float = 1.0

    def __post_init__(self) -> None:
        self._blur = np.zeros(len(self.problem.seen.left))

    def with_sd(self, log_sd: float) -> Problem:
        """The problem with this spread."""
        return replace(self.problem, prior=Normal(float(np.exp(log_sd))))

    def tolerance(self) -> float:
        """How well log sd must be known: the less of the scores is left to the prior, the less it matters."""
        share = self._left_to_prior if self.problem.seen.n > SMALL else 1.0
        return min(TOL / max(share, 1e-9), LOOSEST)

    def end(self, log_sd: float) -> Spread:
        """The spread that was found, with a word on whether the data agree."""
        precision = float(np.exp(-2 * log_sd))
        s = self.point[: self.problem.seen.n]
        return Spread(self.with_sd(log_sd), self.point, contradicted(s, precision, self._laplacian, self._variance))

    def at(self, log_sd: float) -> float:
        """Take a step; the right-hand side of the equation for log sd comes back."""
        seen = replace(self.problem.seen, blur=self._blur)
        here = replace(self.with_sd(log_sd), seen=seen, link=Blurred(self.problem.link))
        slope = here.slope(self.point)
        information = slope.curvature()
        step = information.solve(slope.gradient, 0.02)
        self.point = self.point + step * min(self.calm, LONGEST / max(float(np.abs(step).max()), 1e-12))
        self._laplacian, self._variance = information.laplacian, local_variance(information.laplacian, seen)
        pair_variance(information.laplacian, seen, self._variance, out=self._blur)
        s, precision = self.point[: seen.n], float(np.exp(-2 * log_sd))
        self._left_to_prior = float(precision * self._variance.sum() / len(s))
        determined = max(len(s) * (1 - self._left_to_prior), 0.0)
        return float(np.log((s @ s + 1) / (determined + 1 + 1 / (precision * WIDE**2))) / 2)


def contradicted(s: Floats, precision: float, laplacian: Laplacian, variance: Floats) -> bool:
    """Whether the data pull against an estimated prior harder than chance allows, and along the whole graph.

    The prior takes items for draws from one heap. Where only neighbours were compared, as when sorting, the small
    differences that were asked about make the whole heap look small, and the ends of the line are pulled together. If
    the prior is right, taking it away would raise twice the log-likelihood by gᵀ L⁻¹ g with g = s / sd², about the
    number of scores that the data do not determine. Far more says that it is wrong, if most of the rise comes from
    moving neighbours together: extreme items alone, which have little information each, can double it as well.
    """
    pull, loose = s * precision, replace(laplacian, extra=np.full(len(s), LOOSE**-2))
    rise = float(pull @ loose.solve(pull, 0.01))
    each_alone = float(np.sum(pull**2 / loose.diagonal))
    expected = precision * float(variance.sum())
    sure = rise > expected + SURELY * np.sqrt(2 * expected)
    return bool(sure and rise > MUCH * expected and rise > TOGETHER * each_alone)


def local_variance(laplacian: Laplacian, seen: Observations) -> Floats:
    """Var s_i of every item: the diagonal of the inverse.

    For many items, the opponents of i are integrated out as if they met nobody else, which is right to second order in
    1 / number of opponents (their sum was 0.5 to 2 % too small on real and simulated data with 5 to 50 opponents each).
    """
    if laplacian.n <= SMALL:
        return np.diagonal(laplacian.inverse)
    weight, rest, told = laplacian.upper.data, 1 / laplacian.diagonal, laplacian.diagonal.copy()
    for here, shard in seen.shards():
        i, j, ww = shard.left, shard.right, weight[here] ** 2
        told -= np.bincount(i, ww * rest[j], laplacian.n) + np.bincount(j, ww * rest[i], laplacian.n)
    return np.asarray(1 / told)


def pair_variance(laplacian: Laplacian, seen: Observations, variance: Floats, out: Floats | None = None) -> Floats:
    """Var(s_i − s_j) of every pair that was compared, with the same approximation for many items."""
    found = np.empty(len(seen.left)) if out is None else out
    if laplacian.n <= SMALL:
        i, j = seen.left, seen.right
        found[:] = variance[i] + variance[j] - 2 * laplacian.inverse[i, j]
        return found
    weight, rest, told = laplacian.upper.data, 1 / laplacian.diagonal, 1 / variance
    for here, shard in seen.shards():
        i, j, w = shard.left, shard.right, weight[here]
        first, second = told[i] + w * w * rest[j], told[j] + w * w * rest[i]
        found[here] = (first + second - 2 * w) / (first * second - w * w)
    return found


@dataclass(frozen=True)
class Blurred:
    """A link averaged over a normal difference; the variances v are in the observations.

    Where the slope is a chance, E σ(d) ≈ σ(κ d) with κ = 1 / √(1 + π v / 8) (MacKay 1992), and the log-likelihood
    ℓ(d, t) becomes ℓ(κ d, t) / κ. Where it is not, E ℓ(d, t) is a sum over three points (Gauss–Hermite). For the
    probit no κ would do: E Φ(d) has one, but the slope of log Φ is not Φ, and the spread came out a fifth too small.
    """

    link: TieLink

    @property
    def shapes(self) -> int:
        """As many as the link has."""
        return self.link.shapes

    @property
    def shortens(self) -> bool:
        """As the link does."""
        return self.link.shortens

    def slopes(self, d: Floats, t: float, seen: Observations) -> Slopes:
        """Derivatives of ℓ(κ d, t) / κ, or of E ℓ(d, t)."""
        if not self.shortens:
            return _weighted([self.link.slopes(point, t, seen) for point in points(d, seen)])
        kappa = shortening(seen)
        sharp = self.link.slopes(kappa * d, t, seen)
        if sharp.t is None or sharp.tt is None:
            return Slopes(sharp.d, kappa * sharp.dd)
        return Slopes(sharp.d, kappa * sharp.dd, sharp.t / kappa, sharp.dt, sharp.tt / kappa)

    def value(self, d: Floats, t: float, seen: Observations) -> Floats:
        """ℓ(κ d, t) / κ, or E ℓ(d, t)."""
        if not self.shortens:
            values = (self.link.value(point, t, seen) for point in points(d, seen))
            return np.asarray(sum(w * value for w, value in zip(WEIGHTS, values, strict=True)))
        kappa = shortening(seen)
        return self.link.value(kappa * d, t, seen) / kappa

    def start(self, ties: float, total: float) -> float:
        """As the link has it."""
        return self.link.start(ties, total)

    def win(self, d: Floats, t: float) -> Floats:
        """As the link has it: chances are told of differences that are known."""
        return self.link.win(d, t)

    def tie(self, d: Floats, t: float) -> Floats:
        """As the link has it."""
        return self.link.tie(d, t)


def shortening(seen: Observations) -> Floats:
    """The κ of every pair."""
    assert seen.blur is not None
    return np.asarray(1 / np.sqrt(1 + np.pi / 8 * seen.blur))


def points(d: Floats, seen: Observations) -> tuple[Floats, Floats, Floats]:
    """Where a function of a normal difference is looked at to average it: the mean, and √3 deviations to both sides."""
    assert seen.blur is not None
    reach = np.sqrt(3 * seen.blur)
    return d, d + reach, d - reach


def _weighted(slopes: Sequence[Slopes]) -> Slopes:
    """The average of derivatives at the three points."""

    def average(column: Sequence[Any]) -> Any:
        return None if column[0] is None else sum(w * x for w, x in zip(WEIGHTS, column, strict=True))

    return Slopes(*(average(column) for column in zip(*slopes, strict=True)))
