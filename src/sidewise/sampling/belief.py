"""What is believed about the scores: a Gaussian with its full covariance, by expectation propagation.

Scores are in probits: P(i beats j) = Φ(r_i − r_j), but for a share of lapses (see :mod:`~sidewise.sampling.lapses`),
and r ~ N(0, σ²), with σ and the share from the answers. Answers that say the same about one pair share a site, so that
the work grows with the pairs that were asked and not with the answers.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr

from sidewise.comparisons.arrow import Floats
from sidewise.models.laplacian import Laplacian
from sidewise.models.likelihood import Observations
from sidewise.models.spread import local_variance, pair_variance
from sidewise.sampling.algebra import Algebra, Matrix, Processor, blocks
from sidewise.sampling.lapses import likeliest, tilt
from sidewise.sampling.state import Positions, State

SWEEPS = 60
CLOSE = 1e-3  # of the widest score's standard deviation, of the spread, of all answers: what a sweep may still move
EAGER = 0.9  # part of the way that a site goes in one sweep: the whole of it can swing
DOUBT = 1.0  # before the first answer, the log of the spread is thought to be 0, give or take this
PART = 1 << 16  # answers that are looked at together: temporaries of it stay in the cache
DENSE = 8  # cells of a matrix of all pairs for every answer: up to here it is worth having
LEFT = 0.3  # of a precision, when a site is taken off of which only a part was put on
LONGEST = 0.5  # a step of the log of the spread
LEAST, MOST = 0.02, 100.0  # spreads
Part = TypeVar("Part")
SIGNS = np.array([[1.0], [-1.0]])


@dataclass(frozen=True)
class Belief:
    """Means and covariance of the scores."""

    mean: Floats
    spread: float  # of the prior
    precision: Laplacian  # of the posterior
    seen: Observations = field(repr=False)  # the pairs that were asked
    sites: Floats = field(repr=False)  # 2 × 2 × pairs: what one answer for the left, or the right, item tells
    lapse: float = 0.0  # the share of answers that came without a look at the items
    sweeps: int = 0
    settled: bool = True
    stated: bool = False  # whether the spread was stated, and is in no doubt

    @cached_property
    def covariance(self) -> Floats:
        """Of all scores, with the doubt about their spread."""
        return np.asarray(doubtful(Processor(), self))

    @property
    def variance(self) -> Floats:
        """Of every score."""
        return np.asarray(self.covariance.diagonal())


def believe(
    state: State, *, spread: float | None = None, lapse: float | None = None, before: Belief | None = None
) -> Belief:
    """The belief after all answers; the spread of the scores and the share of lapses are found with it unless stated.

    ``before`` is a belief after some of the answers: to start from it saves sweeps.
    """
    seen = observed(state)
    here = _start(seen, spread, lapse, before)
    while not here.settled and here.sweeps < SWEEPS:
        here = _swept(here, spread, lapse)
    return replace(here, stated=spread is not None)


def observed(state: State) -> Observations:
    """The answers collapsed to pairs, the lower item on the left; a tie is half a win for each."""
    dense = state.n**2 <= DENSE * len(state.left)  # counting into all cells is many times as fast as sorting
    codes, wins, losses = _counted(state) if dense else _sorted(state)
    left, right = (part.astype(np.int32) for part in np.divmod(codes, state.n))
    none = np.broadcast_to(0.0, len(codes))
    return Observations(state.n, left, right, wins, losses, none, np.empty((len(codes), 0)))


def _counted(state: State) -> tuple[Positions, Floats, Floats]:
    """The numbers of the pairs that were asked, and what was said for the lower item of each and for the other."""
    total, won = np.zeros(state.n**2), np.zeros(state.n**2)
    for start in range(0, len(state.left), PART):
        part = state.only(slice(start, start + PART))
        code, for_low = _told(part)
        np.add.at(total, code, part.weight)
        np.add.at(won, code, for_low)
    codes = np.flatnonzero(total)
    wins = won[codes]
    return codes, wins, total[codes] - wins


def _sorted(state: State) -> tuple[Positions, Floats, Floats]:
    """The same, for few answers about many items."""
    code, for_low = _told(state)
    codes, pair = np.unique(code, return_inverse=True)
    wins, losses = (np.bincount(pair, part, len(codes)) for part in (for_low, state.weight - for_low))
    return codes, wins.astype(float), losses.astype(float)  # bincount of nothing counts in whole numbers


def _told(state: State) -> tuple[Positions, Floats]:
    """Of every answer: the number of its pair, and how much it says for the lower item."""
    code = np.minimum(state.left, state.right) * state.n + np.maximum(state.left, state.right)
    return code, state.weight * np.where(state.left < state.right, state.outcome, 1 - state.outcome)


def _start(seen: Observations, spread: float | None, lapse: float | None, before: Belief | None) -> Belief:
    """All sites at nothing, or where they were."""
    sites, width, share = np.zeros((2, 2, len(seen.left))), 1.0, 0.0
    if before is not None:
        codes, known = (part.left.astype(np.int64) * seen.n + part.right for part in (seen, before.seen))
        sites[:, :, np.searchsorted(codes, known)] = before.sites
        width, share = before.spread, before.lapse
    width, share = width if spread is None else spread, share if lapse is None else lapse
    return told_by(seen, sites, width, lapse=share, settled=not len(seen.left))


def told_by(
    seen: Observations, sites: Floats, spread: float, *, lapse: float = 0.0, sweeps: int = 0, settled: bool = False
) -> Belief:
    """The Gaussian that the sites make with the prior."""
    told, pull = np.empty(len(seen.left)), np.zeros(seen.n)
    for here, shard in seen.shards():
        told[here], shift = shard.wins * sites[:, 0, here] + shard.losses * sites[:, 1, here]
        pull += shard.to_items(shift)
    upper = csr_array((told, seen.right, seen.edges), shape=(seen.n, seen.n))
    precision = Laplacian(upper, np.full(seen.n, spread**-2))
    mean = precision.solve(pull, 1e-6)
    return Belief(mean, spread, precision, seen, sites, lapse, sweeps, settled)


def _swept(belief: Belief, spread: float | None, lapse: float | None) -> Belief:
    """Every site anew from what all others say; then the whole, and the spread and the share of lapses it asks for.

    The sites are overwritten: fresh memory for them in every sweep took longer than the arithmetic.
    """
    variance = local_variance(belief.precision, belief.seen)
    v = pair_variance(belief.precision, belief.seen, variance)
    said, chance = np.stack([belief.seen.wins, belief.seen.losses]), np.empty((2, len(v)))

    def renew(part: tuple[slice, Observations]) -> None:
        here, shard = part
        site = belief.sites[:, :, here]
        rest = without(shard.differences(belief.mean), v[here], one_answer(site, said[:, here], v[here]))
        site += EAGER * (rest.matched(belief.lapse) - site)
        if lapse is None:
            chance[:, here] = ndtr(rest.z)

    _at_once(renew, list(belief.seen.shards()))
    width = _spread(belief, variance) if spread is None else spread
    share = likeliest(chance, said) if lapse is None else lapse
    after = told_by(belief.seen, belief.sites, width, lapse=share, sweeps=belief.sweeps + 1)
    moved = np.abs(after.mean - belief.mean).max() / np.sqrt(variance.max())
    done = moved < CLOSE and abs(width / belief.spread - 1) < CLOSE and abs(share - belief.lapse) < CLOSE
    return replace(after, settled=bool(done))


def _at_once(work: Callable[[Part], None], parts: Sequence[Part]) -> None:
    """Work on parts that have nothing to do with one another, on all cores: NumPy lets other threads run meanwhile."""
    if len(parts) < 2:
        for part in parts:
            work(part)
        return
    with ThreadPoolExecutor(min(len(parts), os.cpu_count() or 1)) as pool:
        list(pool.map(work, parts))


def one_answer(sites: Floats, said: Floats, v: Floats) -> Floats:
    """What is taken off for one answer: a site, or the part of it that leaves something, where less than one was said.

    Nothing is where nobody has said it yet: that site is not part of the whole, but waits for the first answer. Answers
    of workers who are hardly reliable weigh a hundredth and less. To take off a whole site, where so little of it was
    put on, can leave less than nothing of the precision 1 / v; what was put on can always be taken off.
    """
    if not ((said > 0) & (said < 1)).any():
        return np.where(said > 0, sites, 0.0)
    safe = (1 - LEFT) / np.maximum(v * sites[0], 1e-300)
    return sites * np.where(said > 0, np.clip(safe, np.minimum(said, 1.0), 1.0), 0.0)


class Rest(NamedTuple):
    """What all else says of a difference, for an answer for left and for one for right: N(middle, variance)."""

    middle: Floats
    variance: Floats

    @property
    def z(self) -> Floats:
        """How many standard deviations the difference is on the side of the answer."""
        return np.asarray(SIGNS * self.middle / np.sqrt(1 + self.variance))

    def matched(self, lapse: float) -> Floats:
        """The sites whose moments match: precision, and precision times mean, of one answer for left and for right."""
        slope, fall = tilt(self.z, lapse)
        left = 1 + self.variance - self.variance * fall
        told = fall / left
        return np.stack([told, self.middle * told + SIGNS * slope * np.sqrt(1 + self.variance) / left])


def without(d: Floats, v: Floats, sites: Floats) -> Rest:
    """What is left without one answer.

    ``d`` and ``v`` are mean and variance of the differences of pairs as all sites have them, and ``sites`` what one
    answer has told of that (see :func:`one_answer`).
    """
    told, shift = sites
    rest = 1 / np.maximum(1 / v - told, 1e-9)
    return Rest(rest * (d / v - shift), rest)


def _spread(belief: Belief, variance: Floats) -> float:
    """A step of Newton's method towards the likeliest spread, in u = log σ ~ N(0, DOUBT²).

    The slope of the evidence in u is (Σ r² + Tr S) / σ² − n (MacKay 1992), with r the means and S the covariance. How
    it bends is taken from the variances alone, without covariances, which makes steps shorter and never too long.
    """
    u, left = np.log(belief.spread), variance / belief.spread**2  # left to the prior: 1 for an item never asked about
    strayed = (belief.mean / belief.spread) ** 2
    slope = float(strayed.sum() + left.sum()) - len(left) - u / DOUBT**2
    bend = float((2 * left * (1 - left)).sum() + (2 * strayed * (1 - 2 * left)).sum()) + 1 / DOUBT**2
    step = slope / bend if bend > 0 else np.sign(slope) * LONGEST
    return float(np.exp(np.clip(u + np.clip(step, -LONGEST, LONGEST), *np.log([LEAST, MOST]))))


def doubtful(place: Algebra, belief: Belief) -> Matrix:
    """The covariance of the scores, with the doubt about their spread.

    All scores move together when the log u of the spread does, by dr/du = 2 S r / σ². The variance of u is one over how
    the evidence bends there, with what was thought of it before.
    """
    covariance = place.inverse(belief.precision)
    if belief.stated:
        return covariance
    mean, tight = place.array(belief.mean), belief.spread**-2
    along = 2 * tight * (covariance @ mean)
    flat = (covariance[rows].reshape(-1) for rows in blocks(place, len(mean)))  # PyTorch's dot has 2³¹ − 1 for a limit
    squares = sum(float(part @ part) for part in flat)
    bend = 2 * tight * (float(covariance.diagonal().sum()) - tight * squares + float(mean @ mean) - float(mean @ along))
    doubt = 1 / (max(bend, 0.0) + DOUBT**-2)
    for rows in blocks(place, len(mean)):
        covariance[rows] += doubt * along[rows, None] * along
    return covariance
