"""Units reduced to what agreement rests on: the values that each was given, and how often. Equal units are one.

A unit's profile is how many answers it has of each value. Every measure of agreement is a function of the profiles, and
so is its bootstrap: to draw units is to draw profiles. A million answers on a scale of five have 126 profiles or so.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidewise.boxes.pairs import Positions
from sidewise.comparisons.arrow import Codes, Floats
from sidewise.errors import MeasureError
from sidewise.measures.estimate import Estimate, check_confidence, quantiles
from sidewise.simulate.design import scrambled

AT_ONCE = 8_000_000  # numbers held in one block of draws


@dataclass(frozen=True, eq=False)
class Profiles:
    """Distinct profiles of the units with two answers or more, as runs of entries: a value and its count.

    ``start`` says where the entries of each profile begin; ``kind`` is the profile of each unit, ``entry`` the entry of
    each answer (−1 for those that no other answer can be held against).
    """

    value: NDArray[Any]
    count: Floats
    start: Positions
    kind: Positions
    entry: Positions
    values: int

    @classmethod
    def of(cls, unit: Codes, value: NDArray[Any], values: int) -> "Profiles":
        """Reduce answers, coded by unit and by value."""
        size = np.bincount(unit)
        paired = np.flatnonzero(size[unit] > 1)
        if not len(paired):
            raise MeasureError(
                "no unit has two answers, so there is nothing that could agree: ask more than one worker about a unit"
            )
        key = unit[paired].astype(np.int64) * values + value[paired]
        cell, place, count = np.unique(key, return_inverse=True, return_counts=True)
        group, which = np.divmod(cell, values)
        start = np.append(np.flatnonzero(np.diff(group, prepend=-1)), len(group)).astype(np.int64)
        first, kind = _distinct(which, count, start)
        length = np.diff(start)
        kept = _runs(start[first], length[first])
        begins = np.concatenate([[0], np.cumsum(length[first])]).astype(np.int64)
        # An entry of a unit is the same one of its profile, since both are sorted by value.
        run = np.repeat(np.arange(len(length)), length)
        within = np.arange(len(group)) - start[run] + begins[kind[run]]
        entry = np.full(len(unit), -1, np.int64)
        entry[paired] = within[place]
        return cls(which[kept], count[kept].astype(float), begins, kind, entry, values)

    @cached_property
    def size(self) -> Floats:
        """Answers of each profile."""
        return self.sums(self.count)

    @cached_property
    def of_entry(self) -> Positions:
        """The profile of each entry."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @cached_property
    def times(self) -> Floats:
        """How many units have each profile."""
        return np.bincount(self.kind, minlength=len(self.start) - 1).astype(float)

    @cached_property
    def counts(self) -> Floats:
        """How many answers of all units say each value."""
        return np.asarray(np.bincount(self.value, self.count * self.times[self.of_entry], self.values), float)

    def sums(self, of_entries: Floats) -> Floats:
        """Sums over the entries of each profile, along the last axis."""
        return np.asarray(np.add.reduceat(of_entries, self.start[:-1], axis=-1))

    @cached_property
    def _matrix(self) -> Any:
        from scipy.sparse import csc_array

        return csc_array((self.count, self.value, self.start), shape=(self.values, len(self.start) - 1))

    def counts_in(self, times: Floats) -> Floats:
        """How many answers say each value, where the profiles occur so often; a row for each draw."""
        return np.ascontiguousarray((self._matrix @ np.ascontiguousarray(times.T)).T)

    def sums_of(self, numbers: Floats) -> Floats:
        """Σ count × number over the entries of each profile; numbers by value, a row for each draw."""
        return np.ascontiguousarray((self._matrix.T @ np.ascontiguousarray(numbers.T)).T)


def resampled(
    profiles: Profiles,
    value: float,
    measure: Callable[[Floats], Floats],
    *,
    confidence: float,
    resamples: int,
    seed: int,
) -> Estimate:
    """A value with the interval of its measure, which is a function of how often each profile occurs in each draw.

    The bootstrap draws units: as many as there are, with replacement, each with all of its answers.
    """
    check_confidence(confidence)
    if resamples < 1:
        raise MeasureError(f"resamples is {resamples}; it is a count, 1 at the least")
    rng = np.random.default_rng(seed)
    units, kinds = len(profiles.kind), len(profiles.start) - 1
    rows = max(1, AT_ONCE // max(kinds, profiles.values))
    draws: list[Floats] = []
    for start in range(0, resamples, rows):
        times = np.empty((min(rows, resamples - start), kinds))
        for row in times:
            row[:] = np.bincount(profiles.kind[rng.integers(units, size=units)], minlength=kinds)
        draws.append(measure(times))
    low, high = quantiles(np.concatenate(draws), confidence)
    return Estimate(value, low, high, confidence)


def _distinct(value: NDArray[Any], count: NDArray[Any], start: Positions) -> tuple[Positions, Positions]:
    """One unit of each profile, and the profile of each unit, by a fingerprint of values and counts.

    Two fingerprints of 64 bits: that two different profiles of a million share both has a chance of 10⁻²⁷.
    """
    cells = scrambled(value.astype(np.uint64)) * (2 * count.astype(np.uint64) + np.uint64(1))
    marks = [np.add.reduceat(scrambled(cells + np.uint64(salt)), start[:-1]) for salt in (1, 2)]
    pairs = np.stack(marks, axis=1).view([("first", np.uint64), ("second", np.uint64)]).ravel()
    _, first, kind = np.unique(pairs, return_index=True, return_inverse=True)
    return first, kind


def _runs(start: Positions, length: Positions) -> Positions:
    """The positions of several runs, one after the other."""
    ends = np.cumsum(length)
    return np.asarray(np.arange(ends[-1]) + np.repeat(start - ends + length, length))
