"""The items that may be chosen: read, checked, and filtered by ranges and missing values, with the reasons kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sidewise.boxes.rows import Rows
from sidewise.comparisons.arrow import Codes, Floats, Mask
from sidewise.datasets.building.table import absent, check_columns, check_ids, coded, numbers, read_table, texts
from sidewise.errors import DataError, SidewiseError
from sidewise.numbers import is_number

Range = tuple[float | None, float | None]


class Columns(NamedTuple):
    """What the columns of a table of items are called."""

    id: str = "id"
    media: str | None = None
    groups: tuple[str, ...] = ()
    truth: str | None = None
    quality: str | None = None
    identity: str | None = None
    keep: tuple[str, ...] = ()

    def named(self) -> list[str]:
        """All of them, once each, in the order in which they are written."""
        single = (self.id, self.media, *self.groups, self.truth, self.quality, self.identity, *self.keep)
        return list(dict.fromkeys(name for name in single if name is not None))

    def needed(self) -> list[str]:
        """Those that an item must have a value of: what is only kept may be missing."""
        return self._replace(keep=()).named()[1:]


@dataclass(frozen=True, eq=False)
class Offered:
    """Items to choose from, row by row, and the rows that were left out, with reasons."""

    table: pa.Table
    group: NDArray[np.int64]
    groups: tuple[tuple[str, ...], ...]
    truth: Floats | None
    quality: Floats | None
    identity: NDArray[np.int64] | None
    read: int
    left_out: pa.Table
    reasons: Mapping[str, int]

    def __len__(self) -> int:
        return int(self.table.num_rows)


def offered_items(
    source: Any, columns: Columns, ranges: Mapping[str, Range], *, delimiter: str | None = None
) -> Offered:
    """Read a table of items, refuse what is wrong with it, and leave out what has no value or lies out of range."""
    _check_ranges(ranges)
    wanted = list(dict.fromkeys([*columns.named(), *ranges]))

    def choose(names: Sequence[str], place: str) -> list[str]:
        check_columns(wanted, names, place)
        return wanted

    rows = read_table(source, delimiter=delimiter, choose=choose)
    check_ids(rows, columns.id)
    values = {name: numbers(rows, name) for name in dict.fromkeys([columns.truth, columns.quality, *ranges]) if name}
    _check_finite(rows, columns.truth, values, ranges)
    reasons = _filtered(rows.table, [*columns.needed(), *ranges], values, ranges)
    return _kept(rows, columns, values, reasons)


class Reasons:
    """Why rows are left out: the first reason stands."""

    def __init__(self, rows: int) -> None:
        self.said: list[str] = []
        self.code: Codes = np.full(rows, -1, np.int32)

    def add(self, mask: Mask, reason: str) -> None:
        """Give a reason for some rows."""
        new = mask & (self.code < 0)
        if new.any():
            self.code[new] = len(self.said)
            self.said.append(reason)

    def counts(self) -> dict[str, int]:
        """How many rows each reason stands for."""
        found = np.bincount(self.code[self.code >= 0], minlength=len(self.said))
        return dict(zip(self.said, found.tolist(), strict=True))


def _filtered(
    table: pa.Table, needed: Sequence[str], values: Mapping[str, Floats], ranges: Mapping[str, Range]
) -> Reasons:
    reasons = Reasons(table.num_rows)
    for name in dict.fromkeys(needed):
        reasons.add(absent(table[name], number=name in values), f"no {name}")
    for name, (low, high) in ranges.items():
        if low is not None:
            reasons.add(values[name] < low, f"{name} below {low:g}")
        if high is not None:
            reasons.add(values[name] > high, f"{name} above {high:g}")
    return reasons


def _kept(rows: Rows, columns: Columns, values: Mapping[str, Floats], reasons: Reasons) -> Offered:
    """The rows without a reason, with what is known of each as arrays."""
    keep = np.flatnonzero(reasons.code < 0)
    if not len(keep):
        told = ", ".join(f"{reason}: {count:,}" for reason, count in reasons.counts().items())
        raise DataError(f"{rows.parts[0]}: none of the {len(reasons.code):,} items is left ({told})")
    out = np.flatnonzero(reasons.code >= 0)
    said = pa.array(reasons.said or [""]).take(pa.array(np.maximum(reasons.code[out], 0)))
    left_out = {
        columns.id: texts(rows.table, columns.id).take(pa.array(out)),
        "row": pa.array(rows.number[out]),
        "reason": said,
    }
    table = rows.table.select(columns.named()).take(pa.array(keep)).combine_chunks()
    group, groups = grouped(table, columns.groups)

    def of(name: str | None) -> Floats | None:
        return None if name is None else values[name][keep]

    identity = None if columns.identity is None else coded(table, columns.identity)[0]
    return Offered(
        table, group, groups, of(columns.truth), of(columns.quality), identity,
        len(reasons.code), pa.table(left_out), reasons.counts(),
    )  # fmt: skip


def grouped(table: pa.Table, names: Sequence[str]) -> tuple[NDArray[np.int64], tuple[tuple[str, ...], ...]]:
    """The group of each row, and the values that make each group, in the order of numbers and letters."""
    code, labels = np.zeros(table.num_rows, np.int64), [()]
    for name in names:
        single, values = coded(table, name)
        order = sorted(range(len(values)), key=lambda place: in_order(values[place]))
        rank = np.argsort(order)
        used, code = np.unique(code * len(values) + rank[single], return_inverse=True)
        labels = [(*labels[one // len(values)], values[order[one % len(values)]]) for one in used.tolist()]
    return code, tuple(labels)


def in_order(text: str) -> tuple[float, str]:
    """A key that sorts numbers by size, and words after them by their letters."""
    try:
        return (float(text), text)
    except ValueError:
        return (np.inf, text)


def _check_ranges(ranges: Mapping[str, Range]) -> None:
    if not isinstance(ranges, Mapping):
        raise SidewiseError(f"ranges is {ranges!r}; it is a mapping of columns: {{'age': (10, 70)}}")
    for name, span in ranges.items():
        if not (isinstance(span, tuple | list) and len(span) == 2):
            raise SidewiseError(f"the range of {name} is {span!r}; give its lowest and its highest value: (10, 70)")
        low, high = span
        for end in span:
            if end is not None and not is_number(end):
                raise SidewiseError(f"the range of {name} ends at {end!r}, which is no number")
        if low is not None and high is not None and low > high:
            raise SidewiseError(f"the range of {name} goes from {low:g} to {high:g}: nothing lies in it")


def _check_finite(rows: Rows, truth: str | None, values: Mapping[str, Floats], ranges: Mapping[str, Range]) -> None:
    """A truth without end can only be left out, by a range."""
    if truth is None:
        return
    low, high = ranges.get(truth, (None, None))
    endless = np.isposinf(values[truth]) & (high is None) | np.isneginf(values[truth]) & (low is None)
    if endless.any():
        raise DataError(
            f"{rows.place(int(np.argmax(endless)))}: {truth} is infinite; leave it empty if it is not known"
        )
