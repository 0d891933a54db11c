"""How far apart two answers are: nominal, ordinal, interval, ratio, any function, or 1 − IoU.

Krippendorff writes δ² for what is called the distance here: it enters alpha as it is. Each class below knows two sums.
``each`` is, for an entry of a profile, the mean distance of one such answer to the other answers of its unit; ``total``
is Σ n_v n_w δ(v, w) over all pairs of values that occur n_v and n_w times. Neither needs a matrix of values by values.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidewise.boxes.pairs import against, pairs_within
from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError
from sidewise.measures.profiles import Profiles

DENSE = 1500  # distinct values, up to which their distances are held in a matrix
REACH = 13.0  # frequencies of the ratio distance: πω/sinh πω is below 10⁻¹⁶ beyond
SAMPLE = 50  # values that a caller's distance is tried on
TAIL = 40.0  # e⁻⁴⁰ is below the rounding error


class Distance(ABC):
    """The sums that alpha needs, for given profiles."""

    def __init__(self, profiles: Profiles) -> None:
        self.profiles = profiles

    @cached_property
    @abstractmethod
    def each(self) -> Floats:
        """The mean distance of one answer of each entry to the other answers of its unit."""

    @abstractmethod
    def total(self, times: Floats) -> Floats:
        """Σ n_v n_w δ(v, w), where the profiles occur so often; a number for each row."""

    @cached_property
    def whole(self) -> float:
        """The total of the data themselves."""
        return float(self.total(self.profiles.times[None])[0])

    @cached_property
    def apart(self) -> Floats:
        """For each profile, Σ of the distances between its answers, divided by the answers but one."""
        return self.profiles.sums(self.each * self.profiles.count)

    def observed(self, times: Floats) -> Floats:
        """Σ over units of how far their answers are apart; a number for each row."""
        return np.asarray(times @ self.apart)


class Nominal(Distance):
    """0 for the same value, else 1."""

    @cached_property
    def each(self) -> Floats:
        """The share of the others that say something else."""
        size = self.profiles.size[self.profiles.of_entry]
        return np.asarray((size - self.profiles.count) / (size - 1))

    def total(self, times: Floats) -> Floats:
        """n² − Σ n_v²."""
        counts = self.profiles.counts_in(times)
        return np.asarray(counts.sum(axis=1) ** 2 - (counts**2).sum(axis=1))


class Interval(Distance):
    """(a − b)²: from the sums of the numbers and of their squares."""

    def __init__(self, profiles: Profiles, number: Floats) -> None:
        super().__init__(profiles)
        self.number = _standard(number, profiles.counts)

    @cached_property
    def each(self) -> Floats:
        """From the n answers of the unit: (n (a − mean)² + Σ (b − mean)²) / (n − 1)."""
        return _square_distances(self.profiles, self.number)

    def total(self, times: Floats) -> Floats:
        """2 (n Σ n_v v² − (Σ n_v v)²)."""
        first, second = self._moments
        return np.asarray(2 * ((times @ self.profiles.size) * (times @ second) - (times @ first) ** 2))

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        given = self.number[self.profiles.value]
        return self.profiles.sums(given * self.profiles.count), self.profiles.sums(given**2 * self.profiles.count)


class Ordinal(Distance):
    """(rank of a − rank of b)², with the mean ranks that the values have among all answers: ranks of each draw."""

    @cached_property
    def each(self) -> Floats:
        """As for numbers, with ranks for these."""
        return _square_distances(self.profiles, _ranks(self.profiles.counts))

    def total(self, times: Floats) -> Floats:
        """As for numbers, with ranks for these."""
        counts = self.profiles.counts_in(times)
        rank = _ranks(counts)
        square = (counts * rank**2).sum(axis=1)
        return np.asarray(2 * (counts.sum(axis=1) * square - (counts * rank).sum(axis=1) ** 2))

    def observed(self, times: Floats) -> Floats:
        """Σ over units of 2 (n Σ rank² − (Σ rank)²) / (n − 1)."""
        rank, size = _ranks(self.profiles.counts_in(times)), self.profiles.size
        apart = size * self.profiles.sums_of(rank**2) - self.profiles.sums_of(rank) ** 2
        return np.asarray((times * (2 * apart / (size - 1))).sum(axis=1))


class Pairwise(Distance):
    """Any distance between values, block by block; that of many values is resampled by its linear part.

    The total is a quadratic form in the counts, n′Δn. Where Δ is too large to be held, a resample n + d has
    n′Δn + 2 d′Δn + the mean of d′Δd, which is known; what is left out is smaller by a factor of √units.
    """

    def __init__(
        self, profiles: Profiles, values: NDArray[Any], distance: Callable[[Any, Any], Any], *, seed: int = 0
    ) -> None:
        super().__init__(profiles)
        self.values, self.distance, self.seed = values, distance, seed

    @cached_property
    def each(self) -> Floats:
        """Summed over the pairs of entries of each profile; those of the same value are at 0."""
        profiles, found = self.profiles, np.zeros(len(self.profiles.value))
        for first, second in pairs_within(profiles.start):
            apart = self.distance(self.values[profiles.value[first]], self.values[profiles.value[second]])
            found[first] += profiles.count[second] * apart
            found[second] += profiles.count[first] * apart
        return found / (profiles.size[profiles.of_entry] - 1)

    def total(self, times: Floats) -> Floats:
        """n′Δn, or its linear part."""
        profiles = self.profiles
        if len(self.values) <= DENSE:
            counts = profiles.counts_in(times)
            return np.asarray((counts @ self.matrix * counts).sum(axis=1))
        whole, own = self.whole, self.apart * (profiles.size - 1) @ profiles.times
        row = profiles.sums(self.row[profiles.value] * profiles.count)
        return np.asarray(2 * (times @ row) - whole + own - whole / len(profiles.kind))

    @cached_property
    def whole(self) -> float:
        """The total of the data."""
        if len(self.values) <= DENSE:
            return float(self.total(self.profiles.times[None])[0])
        return self.summed()

    def summed(self) -> float:
        """The total of the data, where there are many values."""
        return float(self.profiles.counts @ self.row)

    @cached_property
    def matrix(self) -> Floats:
        """Δ."""
        return np.asarray(self.distance(self.values[:, None], self.values[None]), float)

    @cached_property
    def row(self) -> Floats:
        """Σ_w n_w δ(v, w) for each value v, with the counts of the data."""
        return against(self.values, self.profiles.counts, self.distance, seed=self.seed)


class Ratio(Pairwise):
    """((a − b) / (a + b))² for numbers of 0 or more; 0 for two zeros.

    With x = log a it is tanh²((x_a − x_b)/2) = 1 − 4 k(x_a − x_b), where k is the logistic density, whose Fourier
    transform is πω/sinh πω. So the total of any number of values is an integral over one frequency,

        Σ n_v n_w δ = (2/π) ∫ πω/sinh πω · (n² − |Σ n_v exp(iωx_v)|²) dω,

    and the trapezoid rule takes it to the last digit in a few hundred steps, since the integrand is smooth.
    """

    def __init__(self, profiles: Profiles, number: Floats) -> None:
        super().__init__(profiles, number, _ratio)

    @cached_property
    def row(self) -> Floats:
        """Σ_w n_w δ(v, w) for each value v."""
        log, zero, counts = self._logs()
        found = np.where(zero, counts[~zero].sum(), counts[zero].sum())
        found[~zero] += _ratio_row(log, counts[~zero])
        return np.asarray(found)

    def summed(self) -> float:
        """The total of the data, where there are many values."""
        log, zero, counts = self._logs()
        others = counts[~zero]
        waves = sum(weight * (2 * others.sum() * a - a * a - b * b) for weight, _, a, b in _waves(log, others))
        return float(2 * counts[zero].sum() * others.sum() + waves)

    def _logs(self) -> tuple[Floats, NDArray[np.bool_], Floats]:
        zero, counts = self.values == 0, self.profiles.counts
        log = np.log(self.values[~zero])
        return (log - np.average(log, weights=counts[~zero]) if len(log) else log), zero, counts


def _waves(log: Floats, counts: Floats) -> Iterator[tuple[float, NDArray[np.complex128], float, float]]:
    """For each frequency: its weight, exp(iωx/2) of each x, Σ n (1 − cos ωx) and Σ n sin ωx, with no digits lost."""
    step = 2 * np.pi / (float(np.ptp(log)) + TAIL)
    turn, wave = np.exp(0.5j * step * log), np.ones(len(log), complex)
    for number in range(1, int(REACH / step) + 2):
        wave *= turn
        omega = number * step
        weight = 4 * step * omega / np.sinh(np.pi * omega)  # (2/π) πω/sinh πω, for ω and for −ω
        yield weight, wave, 2 * float(counts @ wave.imag**2), 2 * float(counts @ (wave.real * wave.imag))


def _ratio_row(log: Floats, counts: Floats) -> Floats:
    """Σ_w n_w tanh²((x_v − x_w)/2) for each x_v."""
    found, whole = np.zeros(len(log)), counts.sum()
    for weight, wave, less, sine in _waves(log, counts):
        square, sides = 2 * wave.imag**2, 2 * wave.real * wave.imag  # 1 − cos ωx and sin ωx
        found += weight * (whole * square + less * (1 - square) - sine * sides)
    return found


def _ratio(a: Floats, b: Floats) -> Floats:
    whole = a + b
    return np.asarray(((a - b) / np.where(whole == 0, 1.0, whole)) ** 2)


def _square_distances(profiles: Profiles, number: Floats) -> Floats:
    """The mean of (a − b)² over the other answers of the unit, for each entry; numbers by value, or rows of these."""
    given = number[..., profiles.value]
    mean = profiles.sums(given * profiles.count) / profiles.size
    off = (given - mean[..., profiles.of_entry]) ** 2
    spread = profiles.sums(off * profiles.count)
    size = profiles.size[profiles.of_entry]
    found = (size * off + spread[..., profiles.of_entry]) / (size - 1)
    alone = np.diff(profiles.start)[profiles.of_entry] == 1  # all say the same: 0, with no rounding error
    return np.where(alone, 0.0, found)


def _ranks(counts: Floats) -> Floats:
    """The mean rank of each value among all answers, from 0 to 1."""
    return np.asarray((np.cumsum(counts, axis=-1) - counts / 2) / counts.sum(axis=-1, keepdims=True))


def _standard(number: Floats, counts: Floats) -> Floats:
    """Numbers less their mean, in units of their spread: alpha stays the same, and large ones lose no digits.

    What nothing was held against, as the only answer to a unit, counts nowhere: were it large, the others would vanish.
    """
    off = np.where(counts > 0, number - np.average(number, weights=counts), 0.0)
    largest = np.abs(off).max()
    if not largest:  # all are equal
        return np.asarray(off)
    off = off / largest
    return np.asarray(off / np.sqrt(np.average(off**2, weights=counts)))


def checked(distance: Callable[[Any, Any], Any], values: NDArray[Any]) -> Callable[[Any, Any], Floats]:
    """A caller's function, with what it returns looked at: as many numbers as pairs, 0 or more, 0 for equal values."""

    def measured(a: NDArray[Any], b: NDArray[Any]) -> Floats:
        try:
            found = np.asarray(distance(a, b), float)
        except (TypeError, ValueError) as error:
            raise MeasureError(
                f"the distance cannot be taken of arrays of values: {error}. A function of two single values becomes "
                "one of arrays by numpy.vectorize(function)",
            ) from error
        if found.shape != np.broadcast_shapes(a.shape, b.shape):
            raise MeasureError(
                f"the distance gave {found.shape} numbers for arrays of {a.shape} and {b.shape} values; it must take "
                "two arrays that broadcast. A function of two single values becomes one by numpy.vectorize(function)",
            )
        if not (found >= 0).all():
            raise MeasureError("the distance gave numbers below 0, or none (NaN): distances are 0 or more")
        return found

    some = values[:SAMPLE]
    found = measured(some[:, None], some[None])
    if np.diagonal(found).any() or not np.allclose(found, found.T):
        raise MeasureError("the distance is no distance: it must be 0 for equal values, and the same both ways round")
    return measured
