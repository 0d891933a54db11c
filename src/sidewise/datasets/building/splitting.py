"""Parts of a table, such as train and test, by shares or counts; what another data set shows already goes to train."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isclose
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sidewise.boxes.geometry import iou
from sidewise.comparisons.arrow import Floats, Mask, encode
from sidewise.datasets.building.table import absent, boxes_of, check_columns, last_part, read_table, texts
from sidewise.errors import DataError, SidewiseError
from sidewise.numbers import check_seed, is_count, is_number

Positions = NDArray[np.int64]
Overlap = Literal["boxes", "images"]
PAIRS = 1_000_000  # of boxes, compared at once


@dataclass(frozen=True, eq=False)
class Split:
    """The parts of a table by name, each in the order of the table.

    ``held`` is the number of rows that were put into the first part since another data set has what they show.
    """

    parts: Mapping[str, pa.Table]
    held: int = 0
    units: str = "rows"

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {part.num_rows:,}" for name, part in self.parts.items())
        return f"Split({sizes}; {self.held:,} held)"


def split_table(
    source: Any,
    shares: Mapping[str, float],
    *,
    together: str | None = None,
    others: Any = None,
    overlap: Overlap = "boxes",
    by_name: bool = False,
    seed: int = 0,
    delimiter: str | None = None,
) -> Split:
    """Split a table at random into parts of given shares, or of given numbers of rows.

    With ``others``, rows whose box overlaps one of those boxes on the same image go to the part that is named first, as
    in the Toloka VQA data (Ustalov et al. 2023, section 4.4): nobody can have met the answer to a test in the other
    data set. They count towards that part's share; the rest is random.

    Parameters
    ----------
    source
        A table: a path, a dataframe or a mapping of columns. All its columns are kept.
    shares
        The parts in order: shares that sum to 1, or whole numbers that sum to the number of rows.
    together
        A column whose equal values stay in one part, such as an image or a person. Shares and numbers are then of its
        values, not of rows.
    others
        The other data set: whatever :func:`sidewise.boxes.read_boxes` reads, or, for images, any table with an image.
    overlap
        "boxes": the same image, and boxes that share some area; "images": the same image.
    by_name
        Images are the same where the last part of their path is, so that addresses and file names can meet.
    seed, delimiter
        Of the draw; of text files.

    Examples
    --------
    >>> table = {"image": [f"{n}.jpg" for n in range(10)]}
    >>> split_table(table, {"train": 0.7, "test": 0.3}, others={"image": ["3.jpg", "8.jpg"]}, overlap="images")
    Split(train 7, test 3; 2 held)
    """
    check_seed(seed)
    rows = read_table(source, delimiter=delimiter)
    if not rows.table.num_rows:
        raise DataError(f"{rows.parts[0]}: there are no rows to split")
    check_columns([together], rows.table.column_names, rows.parts[0])
    again = source if isinstance(source, str | Path) else rows.table  # a file again, for errors to name it
    held = np.zeros(rows.table.num_rows, bool) if others is None else overlapping(
        again, others, overlap=overlap, by_name=by_name, delimiter=delimiter
    )  # fmt: skip
    unit = _units(rows.table, together)
    sizes = _sizes(shares, int(unit.max()) + 1 if len(unit) else 0, together or "row")
    bound = np.zeros(sum(sizes), bool)
    bound[unit[held]] = True
    part = _assigned(sizes, bound, list(shares), np.random.default_rng(seed))[unit]
    found = {name: rows.table.filter(pa.array(part == place)) for place, name in enumerate(shares)}
    return Split(found, int(bound[unit].sum()), together or "rows")


def overlapping(
    source: Any, others: Any, *, overlap: Overlap = "boxes", by_name: bool = False, delimiter: str | None = None
) -> Mask:
    """Which rows show what another data set shows."""
    if overlap not in get_args(Overlap):
        raise SidewiseError(f"overlap={overlap!r} is none of {', '.join(get_args(Overlap))}")
    if overlap == "images":
        images, theirs = _images(_named(source, delimiter), _named(others, None), by_name=by_name)
        there = set(theirs)
        return np.array([image in there for image in images], bool)
    own, their = boxes_of(source, several=True, delimiter=delimiter), boxes_of(others, several=True)
    names = _images(list(own.images), list(their.images), by_name=by_name)
    known = {name: code for code, name in enumerate(dict.fromkeys(names[1]))}
    of_theirs = np.array([known[name] for name in names[1]], np.int64)
    of_own = np.array([known.get(name, len(known)) for name in names[0]], np.int64)
    return _meets(own.edges, of_own[own.image], their.edges, of_theirs[their.image])


def _meets(own: Floats, image: Positions, their: Floats, their_image: Positions) -> Mask:
    """Which boxes share an area with another of the same image, a bounded number of pairs at a time."""
    order = np.argsort(their_image, kind="stable")
    first, last = (np.searchsorted(their_image[order], image, side=side) for side in ("left", "right"))
    ends, total = np.cumsum(last - first), int((last - first).sum())
    found = np.zeros(len(own), bool)
    for start in range(0, total, PAIRS):
        pair = np.arange(start, min(start + PAIRS, total))
        row = np.searchsorted(ends, pair, side="right")
        other = order[last[row] - ends[row] + pair]  # as many before the row's last as the pair is before its end
        found[row[iou(own[row], their[other]) > 0]] = True
    return found


def _named(source: Any, delimiter: str | None) -> list[str]:
    """The image of every row."""
    rows = read_table(source, delimiter=delimiter)
    check_columns(["image"], rows.table.column_names, rows.parts[0])
    images = texts(rows.table, "image")
    if absent(images).any():
        raise DataError(f"{rows.place(int(np.argmax(absent(images))))}: there is no image; give every row one")
    found: list[str] = images.to_pylist()
    return found


def _images(own: Sequence[str], their: Sequence[str], *, by_name: bool) -> tuple[list[str], list[str]]:
    """What the images of the one and of the other are called; names that never meet would hold back nothing."""
    short, theirs = [last_part(name) for name in own], [last_part(name) for name in their]
    if by_name:
        return short, theirs
    if set(own).isdisjoint(their) and (alike := set(short) & set(theirs)):
        one = next(name for name in own if last_part(name) in alike)
        raise DataError(
            f"no image of the other data set is called as in the table, yet {len(alike):,} are but for the folders "
            f"before the name, such as {one!r}: say by_name=True (command line: --by-name); or leave the other data "
            "set out, if these are other images"
        )
    return list(own), list(their)


def _units(table: pa.Table, together: str | None) -> Positions:
    """The number of what stays together: every row for itself, or all rows of one value."""
    if together is None:
        return np.arange(table.num_rows)
    column = texts(table, together)
    if absent(column).any():
        raise DataError(f"row {int(np.argmax(absent(column))) + 1} has no {together}: rows that stay together need one")
    return encode(column)[0].astype(np.int64)


def _sizes(shares: Mapping[str, float], total: int, what: str) -> list[int]:
    """How many of each part: as given, or shares rounded so that the sum is right (the largest remainders go up)."""
    if len(shares) < 2:
        raise SidewiseError("a split has two parts at the least: {'train': 0.8, 'test': 0.2}")
    values = list(shares.values())
    if all(is_count(value, 0) for value in values) and sum(values) != 1:
        if sum(values) != total:
            raise DataError(f"the parts have {sum(values):,.10g} in all, and there are {total:,} ({what})")
        return [int(value) for value in values]
    wrong = next((name for name, value in shares.items() if not (is_number(value) and 0 <= value <= 1)), None)
    if wrong is not None:
        raise SidewiseError(f"the share of {wrong} is {shares[wrong]!r}; a share lies between 0 and 1")
    if not isclose(sum(values), 1, abs_tol=1e-9):
        raise SidewiseError(f"the shares sum to {sum(values):.10g}, not to 1")
    exact = np.array(values) * total
    sizes = np.floor(exact + 1e-9).astype(np.int64)
    up = np.argsort(-(exact - sizes), kind="stable")[: total - int(sizes.sum())]
    sizes[up] += 1
    empty = [name for name, size in zip(shares, sizes.tolist(), strict=True) if not size]
    if empty:
        raise DataError(f"{total:,} are too few ({what}): nothing is left for {', '.join(empty)}")
    return [int(size) for size in sizes]


def _assigned(sizes: list[int], bound: Mask, names: list[str], rng: np.random.Generator) -> Positions:
    """The part of each unit: what is bound goes to the first one, the rest by chance to what is left of each."""
    count = int(bound.sum())
    if count > sizes[0]:
        least = ceil(10_000 * count / len(bound)) / 10_000
        raise DataError(
            f"{count:,} of {len(bound):,} overlap the other data set and go to {names[0]}, which is to have only "
            f"{sizes[0]:,}: give it {count:,} or more, or a share of {least:.4f}"
        )
    part = np.zeros(len(bound), np.int64)
    free = [sizes[0] - count, *sizes[1:]]
    part[~bound] = rng.permutation(np.repeat(np.arange(len(sizes)), free))
    return part
