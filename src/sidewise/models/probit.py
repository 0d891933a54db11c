"""Probit links: a comparison is decided by the sign of a difference with normal noise of standard deviation 1."""

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr, ndtri

from sidewise.comparisons.arrow import Floats
from sidewise.models.likelihood import Observations, Slopes, Tieless, TieLink

ROOT = np.sqrt(2 / np.pi)


def hazard(x: Floats) -> Floats:
    """h(x) = φ(x) / Φ(x), the slope of log Φ; about −x far below 0."""
    return np.asarray(ROOT / erfcx(-x / np.sqrt(2)))


class Probit(Tieless):
    """P(left) = Φ(d), a tie being half a win for each."""

    shortens = False

    def value(self, d: Floats, t: float, seen: Observations) -> Floats:  # noqa: ARG002
        """W log Φ(d) + (N − W) log Φ(−d)."""
        return np.asarray(seen.halved * log_ndtr(d) + (seen.total - seen.halved) * log_ndtr(-d))

    def slopes(self, d: Floats, t: float, seen: Observations) -> Slopes:  # noqa: ARG002
        """W h(d) − (N − W) h(−d), and h (h + d) of each."""
        up, down = hazard(d), hazard(-d)
        rise, fall = seen.halved * up, (seen.total - seen.halved) * down
        return Slopes(rise - fall, rise * (up + d) + fall * (down - d))

    def win(self, d: Floats, t: float) -> Floats:  # noqa: ARG002
        """Φ(d)."""
        return np.asarray(ndtr(d))


class ProbitThreshold:
    """P(left) = Φ(d − t), P(right) = Φ(−d − t), a tie otherwise (Glenn and David 1960): t is a threshold."""

    shapes = 1
    shortens = False

    def start(self, ties: float, total: float) -> float:
        """The threshold of equal items."""
        return float(ndtri((1 + ties / total) / 2))

    def value(self, d: Floats, t: float, seen: Observations) -> Floats:
        """W log Φ(d − t) + L log Φ(−d − t) + T log(Φ(t − d) − Φ(−t − d))."""
        decided = seen.wins * log_ndtr(d - t) + seen.losses * log_ndtr(-d - t)
        return np.asarray(decided + seen.ties * log_tie(d, t))

    def slopes(self, d: Floats, t: float, seen: Observations) -> Slopes:
        """Two probit terms, and those of the strip between them."""
        if t <= 0:  # outside the model: no step may end here
            nowhere = np.full_like(d, np.nan)
            return Slopes(nowhere, nowhere, nowhere, nowhere, nowhere)
        up, down = hazard(d - t), hazard(-d - t)
        rise, fall = seen.wins * up, seen.losses * down
        bent_up, bent_down = rise * (up + d - t), fall * (down - d - t)
        high, low = t - d, -t - d  # the ends of the strip, and the density there over the mass between them
        at_high, at_low = (np.exp(-(end**2) / 2 - log_tie(d, t)) * ROOT / 2 for end in (high, low))
        ends, strip = at_high + at_low, at_high * high - at_low * low
        return Slopes(
            d=rise - fall + seen.ties * (at_low - at_high),
            dd=bent_up + bent_down + seen.ties * ((at_low - at_high) ** 2 + strip),
            t=seen.ties * ends - rise - fall,
            dt=bent_down - bent_up + seen.ties * ((at_low - at_high) * ends - at_high * high - at_low * low),
            tt=bent_up + bent_down + seen.ties * (ends**2 + strip),
        )

    def win(self, d: Floats, t: float) -> Floats:
        """Φ(d − t)."""
        return np.asarray(ndtr(d - t))

    def tie(self, d: Floats, t: float) -> Floats:
        """Φ(t − d) − Φ(−t − d)."""
        return np.exp(log_tie(d, t))


def log_tie(d: Floats, t: float) -> Floats:
    """log(Φ(t − d) − Φ(−t − d)), looked at from the side where both are small."""
    top = log_ndtr(t - np.abs(d))
    return np.asarray(top + np.log(-np.expm1(log_ndtr(-t - np.abs(d)) - top)))


PROBIT_LINKS: dict[str, TieLink] = {"half": Probit(), "threshold": ProbitThreshold(), "drop": Probit()}
