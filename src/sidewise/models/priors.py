"""What is believed of the scores before any comparison: it keeps an unbeaten item from running to infinity."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import expit, log_expit

from sidewise.comparisons.arrow import Floats
from sidewise.errors import ModelError
from sidewise.numbers import is_number

LEAST_WIDTH, MOST_WIDTH = 1e-100, 1e100  # beyond, squares are out of reach of the machine


def check_width(name: str, value: object) -> None:
    """See that it can be a standard deviation."""
    if not (is_number(value) and value > 0):
        raise ModelError(f"{name} is a positive number, not {value!r}")
    if not LEAST_WIDTH <= float(value) <= MOST_WIDTH:
        raise ModelError(f"{name} is {value!r}: it lies between {LEAST_WIDTH:g} and {MOST_WIDTH:g}")


class Prior(Protocol):
    """The logarithm of a density, item by item, with its slope and (negative) curvature."""

    def value(self, s: Floats) -> float:
        """Σ log density, up to a constant."""
        ...

    def slope(self, s: Floats) -> Floats:
        """Its gradient."""
        ...

    def curvature(self, s: Floats) -> Floats:
        """Minus the diagonal of its Hessian."""
        ...


@dataclass(frozen=True)
class Normal:
    """Scores are drawn from N(0, sd²). Without ``sd`` the spread is estimated from the data themselves.

    >>> Normal(1.5)
    Normal(sd=1.5)
    """

    sd: float | None = None

    def __post_init__(self) -> None:
        if self.sd is not None:
            check_width("the standard deviation of a prior", self.sd)

    @property
    def precision(self) -> float:
        """1 / sd²."""
        assert self.sd is not None, "an estimated spread is filled in before fitting"
        return float(self.sd) ** -2  # NumPy's whole numbers have no negative powers

    def value(self, s: Floats) -> float:
        """−Σ s² / 2 sd²."""
        return float(-(s @ s) * self.precision / 2)

    def slope(self, s: Floats) -> Floats:
        """−s / sd²."""
        return -s * self.precision

    def curvature(self, s: Floats) -> Floats:
        """1 / sd²."""
        return np.full_like(s, self.precision)


@dataclass(frozen=True)
class VirtualItem:
    """Every item has won and lost ``strength`` comparisons against a virtual item of score 0 (Chen et al. 2013).

    The λ of the CrowdBT paper: λ Σ (log σ(s) + log σ(−s)).
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        if not (is_number(self.strength) and self.strength > 0):
            raise ModelError(f"the strength of a virtual item is a positive number, not {self.strength!r}")

    def value(self, s: Floats) -> float:
        """λ Σ (log σ(s) + log σ(−s))."""
        return float(self.strength * (log_expit(s) + log_expit(-s)).sum())

    def slope(self, s: Floats) -> Floats:
        """λ (1 − 2 σ(s))."""
        return np.asarray(self.strength * (1 - 2 * expit(s)))

    def curvature(self, s: Floats) -> Floats:
        """2 λ σ(s) σ(−s)."""
        return np.asarray(2 * self.strength * expit(s) * expit(-s))


@dataclass(frozen=True)
class Flat:
    """No prior at all: maximum likelihood."""

    def value(self, s: Floats) -> float:  # noqa: ARG002 - one signature for all priors
        """0."""
        return 0.0

    def slope(self, s: Floats) -> Floats:
        """0."""
        return np.zeros_like(s)

    def curvature(self, s: Floats) -> Floats:
        """0."""
        return np.zeros_like(s)
