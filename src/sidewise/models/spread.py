"""How far apart are the items? The spread of a normal prior, estimated from the data themselves.

Curvature at the mode (Laplace's method) underestimates the spread badly where items have few comparisons: with eight
each and a true spread of 2, it finds 1.3. The posterior is therefore approximated by the Gaussian that is nearest to
it (the variational one), whose likelihood terms are averaged over the uncertainty of each difference.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.models.laplacian import SMALL, Information, Laplacian, trace_of_inverse
from sidewise.models.likelihood import Observations, Slopes, TieLink
from sidewise.models.priors import Normal
from sidewise.models.problem import Problem

TOL, TOL_SMALL = 0.005, 1e-3  # of log sd; half a percent of spread moves no score that a reader could see
WIDE = 3.0  # log-odds: a spread at which most comparisons are foregone conclusions
TURNS = 100
EAGER = 1.5  # the equation's own steps are too short: scores and averages follow the spread
EAGERNESS = (0.7, 6.0)  # what a secant may make of it
RESTLESS = 15  # turns after which steps are shortened: means, averages and spread may chase each other
LONGEST = 4.0  # the longest step of a score in one turn


class Spread(NamedTuple):
    """The problem with the spread filled in, scores near its maximum, and whether the spread settled."""

    problem: Problem
    point: Floats
    settled: bool


def estimate_spread(problem: Problem, start: Floats) -> Spread:
    """Estimate the spread of the prior, and the scores with it.

    At the best spread, sd² = Σ m² / (n − Tr S / sd²): the squared posterior means, over the number of scores that the
    data and not the prior determine (MacKay 1992), with mean and covariance of the variational Gaussian. Few or
    one-sided data could drive that to 0 or to infinity, so the spread has a weak prior of its own: one imaginary item
    of score 1 is added to both sides, and (sd / WIDE)² to the number, which is nothing until sd itself is WIDE.
    Every turn makes one Newton step of the means and one guarded secant step of log sd.
    """
    log_sd = float(np.log(np.clip(np.std(start[: problem.seen.n]), 0.3, WIDE)))
    point, seen = start, replace(problem.seen, blur=np.zeros(len(problem.seen.left)))
    before: tuple[float, float] | None = None
    settled, tol, moved = False, TOL_SMALL if problem.seen.n <= SMALL else TOL, np.inf
    for turn in range(TURNS):
        here = replace(problem, seen=seen, prior=Normal(float(np.exp(log_sd))), link=Blurred(problem.link))
        slope = here.slope(point)
        information = slope.curvature()
        calm = 1.0 if turn < RESTLESS else 0.4
        step = information.solve(slope.gradient, 0.02)
        point = point + step * min(calm, LONGEST / max(float(np.abs(step).max()), 1e-12))
        pair_variance(information.laplacian, seen, out=seen.blur)
        miss = next_log_sd(here, point, information) - log_sd
        eager = EAGER
        if before is not None and (miss - before[1]) * (log_sd - before[0]) < 0:
            eager = float(np.clip((log_sd - before[0]) / (before[1] - miss), *EAGERNESS))
        move = float(np.clip(eager * miss, -1, 1))
        # One small move may be chance, with the means still under way: the one before must have been small as well.
        settled = turn > 1 and abs(move) < tol and abs(moved) < 5 * tol
        if settled:
            break
        before, moved = (log_sd, miss), move
        log_sd += calm * move
    return Spread(replace(problem, prior=here.prior), point, settled)


def next_log_sd(problem: Problem, point: Floats, information: Information) -> float:
    """The right-hand side of the equation for the spread."""
    assert isinstance(problem.prior, Normal)
    s = point[: problem.seen.n]
    determined = len(s) - problem.prior.precision * trace_of_inverse(information.laplacian)
    wall = (problem.prior.precision * WIDE**2) ** -1
    return float(np.log((s @ s + 1) / (max(determined, 0.0) + 1 + wall)) / 2)


def pair_variance(laplacian: Laplacian, seen: Observations, out: Floats | None = None) -> Floats:
    """Var(s_i − s_j) of every pair that was compared.

    For few items from the inverse. For many, all opponents of i and j are integrated out as if they met nobody else,
    which is right to second order in 1 / number of opponents.
    """
    found = np.empty(len(seen.left)) if out is None else out
    weight, rest = laplacian.upper.data, 1 / laplacian.diagonal
    if laplacian.n <= SMALL:
        own, i, j = np.diagonal(laplacian.inverse), seen.left, seen.right
        found[:] = own[i] + own[j] - 2 * laplacian.inverse[i, j]
        return found
    told = laplacian.diagonal.copy()
    for here, shard in seen.shards():
        i, j, ww = shard.left, shard.right, weight[here] ** 2
        told -= np.bincount(i, ww * rest[j], laplacian.n) + np.bincount(j, ww * rest[i], laplacian.n)
    for here, shard in seen.shards():
        i, j, w = shard.left, shard.right, weight[here]
        first, second = told[i] + w * w * rest[j], told[j] + w * w * rest[i]
        found[here] = (first + second - 2 * w) / (first * second - w * w)
    return found


@dataclass(frozen=True)
class Blurred:
    """A link averaged over a normal difference: E σ(d) ≈ σ(κ d) with κ = 1 / √(1 + π v / 8) (MacKay 1992).

    The log-likelihood ℓ(d, t) becomes ℓ(κ d, t) / κ, whose slope in d is that of ℓ at κ d. The variances v are in the
    observations.
    """

    link: TieLink

    @property
    def shapes(self) -> int:
        """As many as the link has."""
        return self.link.shapes

    def slopes(self, d: Floats, t: float, seen: Observations) -> Slopes:
        """Derivatives of ℓ(κ d, t) / κ."""
        kappa = shortening(seen)
        sharp = self.link.slopes(kappa * d, t, seen)
        if sharp.t is None or sharp.tt is None:
            return Slopes(sharp.d, kappa * sharp.dd)
        return Slopes(sharp.d, kappa * sharp.dd, sharp.t / kappa, sharp.dt, sharp.tt / kappa)

    def value(self, d: Floats, t: float, seen: Observations) -> Floats:
        """ℓ(κ d, t) / κ."""
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
