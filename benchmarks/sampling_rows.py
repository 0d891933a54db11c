"""What was measured of sampling, and what follows from it: medians, exponents, extrapolations."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, log
from statistics import linear_regression, median
from typing import Any

from report import seconds

THEORY = 4.0  # literal ASAP: n² / 2 pairs, and for each, messages of all answers, 5 n² / 2 of them
AIM = 200  # items, to which literal ASAP is extrapolated


@dataclass(frozen=True)
class Row:
    """One measurement: what was done, for how many items, and what it took; or why it took nothing."""

    what: str
    name: str
    n: int
    seconds: tuple[float, ...] = ()
    busy: tuple[float, ...] = ()  # seconds of processor time, all threads together
    peak: int = 0
    above: int | None = None
    found: int = 0
    why: str = ""

    @property
    def median(self) -> float:
        """Seconds; goals are judged by it."""
        return median(self.seconds)

    @property
    def said(self) -> str:
        """One line."""
        name = f"{self.name}, n = {self.n:,}: "
        return name + (self.why or f"{seconds(self.median)} s, {self.peak / 1e6:,.0f} MB at most")


def of(what: str, name: str, n: int, found: dict[str, Any]) -> Row:
    """From what a process told."""
    times = {key: tuple(found[key]) for key in ("seconds", "busy")}
    return Row(what, name, n, **times, peak=found["peak"], above=found["above"], found=found["found"])


def failed(what: str, name: str, n: int, why: str) -> Row:
    """Nothing measured."""
    return Row(what, name, n, why=why)


def exponent(rows: Iterable[Row]) -> tuple[float, float] | None:
    """Slope and height of log seconds against log n, by least squares; None for fewer than two sizes."""
    points = [(log(row.n), log(row.median)) for row in rows if row.seconds]
    if len({x for x, _ in points}) < 2:
        return None
    line = linear_regression(*zip(*points, strict=True))
    return line.slope, line.intercept


@dataclass(frozen=True)
class Extrapolation:
    """Seconds of a batch of literal ASAP for AIM items, in two ways; the smaller one counts."""

    slope: float
    by_fit: float
    by_theory: float

    @property
    def cautious(self) -> float:
        """The one that flatters us less."""
        return min(self.by_fit, self.by_theory)


def extrapolated(rows: Iterable[Row]) -> Extrapolation | None:
    """By the exponent that was measured, and by the n⁴ of theory from the largest size that was measured."""
    known = [row for row in rows if row.what == "literal" and row.seconds]
    fit = exponent(known)
    if fit is None:
        return None
    largest = max(known, key=lambda row: row.n)
    return Extrapolation(fit[0], exp(fit[1]) * AIM ** fit[0], largest.median * (AIM / largest.n) ** THEORY)
