"""How far one more answer would move what is believed: four sweeps of message passing for each of thousands of answers.

Every imagined answer starts from messages at rest, which makes most of the work common to all, and exact still. Its
first sweep changes nothing but the two scores it is about; the second only messages of answers about one of these two;
from the third on, all messages change, but by little, so that ψ = φ / Φ comes from its series about where it rests.
"""

from collections.abc import Iterator

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.models.probit import hazard
from sidewise.sampling.messages import Settled, answer, difference, reply
from sidewise.sampling.state import Positions

SWEEPS = 4  # as the published code has it
TERMS = 12  # of the series, at most
REACH = 2.8  # how far the nearest pole of ψ is from any real number: 1.92 ± 2.82 i
EXACT = 1e-9  # what the series may be off by, as part of the change
BLOCK = 1 << 19  # messages held at once, of one kind: 4 MB
CHUNK = 1 << 14  # messages computed at once: what they need fits the cache


def divergences(settled: Settled, winner: Positions, loser: Positions) -> Floats:
    """KL divergence of the marginals after each imagined answer from those now (the paper's equation 5)."""
    now = settled.marginals
    found = np.empty(len(winner))
    imagined = _Imagined(settled)
    for block in _slices(len(winner), max(32, min(1024, BLOCK // max(len(settled.factors), 1)))):
        precision, shift = imagined.after(np.stack([winner[block], loser[block]]))
        excess = now.precision[:, None] / precision - 1
        moved = shift / precision - now.mean[:, None]
        found[block] = (excess - np.log1p(excess) + moved**2 * now.precision[:, None]).sum(axis=0) / 2
    return found


def series(z: Floats) -> Floats:
    """Taylor's coefficients of ψ about z, from ψ' = −ψ (ψ + z)."""
    c = np.empty((TERMS + 1, *z.shape))
    c[0] = hazard(z)
    for k in range(TERMS):
        square = (c[: k + 1] * c[k::-1]).sum(axis=0)
        c[k + 1] = -(z * c[k] + (c[k - 1] if k else 0) + square) / (k + 1)
    return c


def hazard_near(z: Floats, centre: Floats, coefficients: Floats) -> Floats:
    """ψ(z) by its series about the centre, with as many terms as it takes; by definition where they are too many."""
    d = z - centre
    far = float(np.abs(d).max(initial=1e-12)) / REACH
    terms = int(np.ceil(np.log(EXACT) / np.log(far))) if far < 1 else TERMS + 1
    if terms > TERMS:
        return hazard(z)
    value = d * coefficients[terms]
    for k in range(terms - 1, 0, -1):
        value += coefficients[k]
        value *= d
    value += coefficients[0]
    return np.asarray(value)


class _Imagined:
    """What all imagined answers share: the graph, the messages at rest, and the series of ψ there."""

    def __init__(self, settled: Settled) -> None:
        self.factors = settled.factors
        self.rest = settled.messages[..., None]
        self.marginals = np.stack([settled.marginals.precision, settled.marginals.shift])[..., None]
        self.centre = difference(settled.cavities).z[:, None]
        self.coefficients = series(self.centre)
        about = np.argsort(self.factors.ends, axis=None, kind="stable")
        self.about = about % max(len(self.factors), 1)  # factors by item, each at two places
        self.starts = np.concatenate([[0], np.cumsum(np.bincount(self.factors.ends.ravel(), minlength=self.factors.n))])

    def after(self, ends: Positions) -> Floats:
        """2 × n × answers: the marginals once each answer, by its ends (2 × answers), has been thought through."""
        each = np.arange(ends.shape[1])
        told = answer(np.take(self.marginals[..., 0], ends, axis=1))
        marginals = np.repeat(self.marginals, len(each), axis=2)
        marginals[:, ends, each] += told
        messages = np.repeat(self.rest, len(each), axis=3)
        for sweep in range(1, SWEEPS):
            told = answer(marginals[:, ends, each] - told)
            if sweep == 1:
                self._near(marginals, messages, ends)
            else:
                self._everywhere(marginals, messages)
            marginals = self.factors.collected(messages)
            marginals[:, ends, each] += told
        return marginals

    def _near(self, marginals: Floats, messages: Floats, ends: Positions) -> None:
        """New messages from answers about an item of the imagined one: all others see what they saw at rest."""
        first, count = self.starts[ends].ravel(), np.diff(self.starts)[ends].ravel()
        column = np.repeat(np.tile(np.arange(ends.shape[1]), 2), count)
        place = np.arange(len(column)) + np.repeat(first - np.cumsum(count) + count, count)
        factor = self.about[place]
        cavity = marginals[:, self.factors.ends[:, factor], column] - self.rest[:, :, factor, 0]
        messages[:, :, factor, column] = answer(cavity)

    def _everywhere(self, marginals: Floats, messages: Floats) -> None:
        """New messages from all answers, in place of the old ones."""
        for part in _slices(len(self.factors), max(1, CHUNK // marginals.shape[2])):
            into = messages[:, :, part]
            cavity = np.take(marginals, self.factors.ends[:, part], axis=1)
            cavity -= into
            seen = difference(cavity)
            slope = hazard_near(seen.z, self.centre[part], self.coefficients[:, part])
            reply(cavity, seen, slope, into)


def _slices(length: int, step: int) -> Iterator[slice]:
    return (slice(start, start + step) for start in range(0, length, step))
