"""Runs of equal values, and shares that are not known: what most measures of rankings are made of.

The arrays of counts here (``copies``) say how often each item was drawn. They have one number for each item, or one row
for each item and a column for each resample; one expression serves both.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons.arrow import Floats

Places = NDArray[np.int64]
Prepared = Callable[[Floats], Floats]  # copies → the measure's value, of each resample


class Runs(NamedTuple):
    """Items in order, cut where the value changes."""

    order: Places
    start: Places

    def sums(self, copies: Floats) -> Floats:
        """The sum of every run."""
        return np.add.reduceat(copies[self.order], self.start, axis=0)

    def spread(self, values: Floats) -> Floats:
        """The value of every item's run, in the order in which the items came."""
        found = np.empty((len(self.order), *values.shape[1:]))
        found[self.order] = np.repeat(values, np.diff(self.start, append=len(self.order)), axis=0)
        return found


def equal_runs(values: Floats | Places) -> Runs:
    """Runs of equal values, from low to high.

    >>> equal_runs(np.array([2.0, 1.0, 2.0]))
    Runs(order=array([1, 0, 2]), start=array([0, 1]))
    """
    order = np.argsort(values, kind="stable")
    return Runs(order, np.flatnonzero(np.concatenate([[True], _changes(values[order])])))


def codes(values: Floats | Places) -> Places:
    """Whole numbers from 0, in the order of the values, equal where these are."""
    order = np.argsort(values)
    found = np.zeros(len(values), np.int64)
    found[order[1:]] = np.cumsum(_changes(values[order]))
    return found


def _changes(ordered: Floats | Places) -> NDArray[np.bool_]:
    return np.asarray(ordered[1:] != ordered[:-1])  # a difference of infinities would not be known


def once(prepared: Prepared, items: int) -> float:
    """The value of a measure, every item counting once."""
    return float(prepared(np.ones(items)))


def ratio(part: Floats, whole: Floats) -> Floats:
    """A share, not known (NaN) where there is no whole."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.asarray(whole) > 0, np.divide(part, whole), np.nan)
