"""Files and frames of boxes: read, checked row by row, refused with the row's number and the cure."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sidewise.boxes.geometry import area, clip_boxes
from sidewise.boxes.rows import Rows, read_rows
from sidewise.boxes.table import Boxes, compacted
from sidewise.comparisons.arrow import Codes, Floats, Mask, as_floats, as_mask, as_text, is_text
from sidewise.comparisons.columns import WORKERS
from sidewise.comparisons.index import MISSING, PADDED, Encoder
from sidewise.comparisons.rejects import SHOWN, Rejects
from sidewise.errors import ComparisonError, DataError

OnBad = Literal["raise", "skip"]
TO_SKIP = "\n  To go on without them: on_bad='skip' (command line: boxes consensus --skip-bad rejects.csv)"
TO_CLIP = ", or cut boxes to their frames with clip=True (command line: --clip)"
IMAGES = ("image", "image_id", "image_url", "file_name", "filename")
SIZE = ("width", "height")

CURES = {
    "missing image": "give every box the name of its image",
    "missing worker": "give every box a worker, or leave the worker column out",
    "blank around id": "strip the blanks: they would make two of one",
    "missing edge": "give left, top, right and bottom, or leave the row out",
    "not a number": "edges are finite numbers, in pixels or any other unit",
    "right ≤ left": "the right edge lies beyond the left one; or are the columns x, y, width, height?",
    "bottom ≤ top": "the bottom edge lies beyond the top one, since y grows downwards",
    "bad size": "width and height of an image are numbers above 0",
    "outside the image": f"correct the box or the size{TO_CLIP}",
    "wholly outside the image": "nothing is left of it when it is cut to the frame: correct the box or the size",
    "image again": "keep one box of an image; several boxes of one image need several=True, or a worker column",
    "worker again": "keep one box of a worker for an image; several boxes of one image need several=True",
    "wrong number of fields": "every row needs as many fields as the header; quote a field that holds the delimiter",
}


def read_boxes(
    source: Any,
    *,
    image: str | None = None,
    left: str = "left",
    top: str = "top",
    right: str = "right",
    bottom: str = "bottom",
    worker: str | None = None,
    several: bool = False,
    clip: bool = False,
    on_bad: OnBad = "raise",
    delimiter: str | None = None,
) -> Boxes:
    """Read boxes from a CSV, TSV, Parquet or JSON Lines file, a dataframe, or a mapping of columns.

    The columns are ``image, left, top, right, bottom``, and where they are there also ``width, height`` (of the image:
    then no box may reach out of it), ``question`` and ``worker``: the form of the Toloka VQA data and of submissions to
    its competition. Without workers an image has one box; with workers, one of each.

    Parameters
    ----------
    source
        The path or pattern of a file, a dataframe that speaks the Arrow PyCapsule protocol, or a mapping.
    image, left, top, right, bottom, worker
        Names of the columns, where they are not the usual ones.
    several
        Let an image have several boxes of one hand, to be matched with :func:`sidewise.measures.match_boxes`.
    clip
        Cut boxes that reach out of their image to its frame, instead of refusing them.
    on_bad
        "raise" refuses the data if a row is bad; "skip" keeps the good rows, and the bad ones in ``rejects``. Of
        several boxes where one may be, the first is kept.
    delimiter
        What separates the columns of a text file, where it is not a comma (a tab in .tsv).

    Examples
    --------
    >>> boxes = read_boxes({"image": ["a.jpg"], "left": [10], "top": [20], "right": [110], "bottom": [70]})
    >>> boxes.area.tolist()
    [5000.0]
    """
    if on_bad not in get_args(OnBad):
        raise DataError(f"on_bad={on_bad!r} is not one of {', '.join(get_args(OnBad))}")
    chooser = _Chooser((left, top, right, bottom), image, worker)
    rows = read_rows(source, chooser, delimiter=delimiter)
    found, columns, bad = _parsed(rows.table, chooser.columns, clip=clip)
    if not several:
        _mark_repeated(found, columns, bad)
    return _settled(found, bad, rows, on_bad)


class _Columns(NamedTuple):
    image: str
    edges: tuple[str, ...]
    worker: str | None
    size: tuple[str, ...]
    question: str | None

    def used(self) -> list[str]:
        extra = [name for name in (self.worker, self.question) if name]
        return list(dict.fromkeys([self.image, *self.edges, *self.size, *extra]))


class _Chooser:
    """Finds the columns by the names that were given, or the usual ones."""

    columns: _Columns

    def __init__(self, edges: tuple[str, ...], image: str | None, worker: str | None) -> None:
        self.edges, self.image, self.worker = edges, image, worker

    def __call__(self, names: Sequence[str], source: str) -> list[str]:
        for name in [self.image, *self.edges, self.worker]:
            if name is not None and name not in names:
                raise _no_column(name, names, source)
        image = self.image or next((name for name in IMAGES if name in names), None)
        if image is None:
            raise _no_column("image", names, source)
        worker = self.worker or next((name for name in WORKERS if name in names), None)
        size = SIZE if set(SIZE) <= set(names) - set(self.edges) else ()
        self.columns = _Columns(image, self.edges, worker, size, "question" if "question" in names else None)
        return self.columns.used()


def _no_column(name: str, names: Sequence[str], source: str) -> DataError:
    there = ", ".join(map(repr, names)) or "none"
    return DataError(
        f"{source}: no column {name!r}; there are {there}. A file of boxes has image, left, top, right, bottom; other "
        "names can be given, as in image='file', left='x1'",
    )


class _Bad:
    """Which rows are bad and why: the first reason stands."""

    def __init__(self, rows: int) -> None:
        self.marks: list[tuple[str, str]] = []
        self.code = np.full(rows, -1)

    @property
    def mask(self) -> Mask:
        return np.asarray(self.code >= 0)

    def mark(self, rows: Mask, reason: str, column: str) -> None:
        new = rows & ~self.mask
        if new.any():
            self.code[new] = len(self.marks)
            self.marks.append((reason, column))


def _parsed(table: pa.Table, columns: _Columns, *, clip: bool) -> tuple[Boxes, _Columns, _Bad]:
    bad = _Bad(table.num_rows)
    image, images = _ids(table, columns.image, bad, "missing image")
    worker, workers = _ids(table, columns.worker, bad, "missing worker") if columns.worker else (None, Encoder())
    edges = np.column_stack([_numbers(table, name, bad, "missing edge", "not a number") for name in columns.edges])
    bad.mark(edges[:, 2] <= edges[:, 0], "right ≤ left", columns.edges[2])
    bad.mark(edges[:, 3] <= edges[:, 1], "bottom ≤ top", columns.edges[3])
    size, clipped = None, 0
    if columns.size:
        size = np.column_stack([_numbers(table, name, bad, "bad size", "bad size") for name in columns.size])
        for column, name in enumerate(columns.size):
            bad.mark(~(size[:, column] > 0), "bad size", name)
        edges, clipped = _framed(edges, size, columns, bad, clip=clip)
    question = table[columns.question] if columns.question else None
    return Boxes(image, images.index(), edges, worker, workers.index(), size, question, clipped), columns, bad


def _framed(edges: Floats, size: Floats, columns: _Columns, bad: _Bad, *, clip: bool) -> tuple[Floats, int]:
    """Refuse what reaches out of its image, or cut it; what lies outside altogether cannot be cut to anything."""
    with np.errstate(invalid="ignore"):
        cut = clip_boxes(edges, np.maximum(size[:, 0], 0), np.maximum(size[:, 1], 0))
    if clip:
        moved = (cut != edges).any(axis=1) & ~bad.mask
        bad.mark(area(cut) == 0, "wholly outside the image", columns.edges[0])
        return cut, int((moved & ~bad.mask).sum())
    for column, name in enumerate(columns.edges):
        bad.mark(cut[:, column] != edges[:, column], "outside the image", name)
    return edges, 0


def _ids(table: pa.Table, name: str, bad: _Bad, missing: str) -> tuple[Codes, Encoder]:
    encoder = Encoder()
    try:
        (codes,) = encoder.encode(as_text(table[name], name))
    except ComparisonError as error:
        raise DataError(str(error)) from None
    bad.mark(codes == MISSING, missing, name)
    bad.mark(codes == PADDED, "blank around id", name)
    return codes, encoder


def _numbers(table: pa.Table, name: str, bad: _Bad, missing: str, wrong: str) -> Floats:
    column = table[name]
    absent = as_mask(pc.is_null(column, nan_is_null=True))
    if is_text(column.type):
        absent |= as_mask(pc.equal(pc.utf8_trim_whitespace(column), ""))
    bad.mark(absent, missing, name)
    value = as_floats(column)
    bad.mark(~np.isfinite(value), wrong, name)
    return value


def _mark_repeated(found: Boxes, columns: _Columns, bad: _Bad) -> None:
    good = np.flatnonzero(~bad.mask)
    key = found.image[good].astype(np.int64)
    if found.worker is not None:
        key = key * len(found.workers) + found.worker[good]
    again = np.ones(len(good), bool)
    again[np.unique(key, return_index=True)[1]] = False
    rows = np.zeros(len(found), bool)
    rows[good[again]] = True
    bad.mark(rows, "image again" if found.worker is None else "worker again", columns.worker or columns.image)


def _settled(found: Boxes, bad: _Bad, rows: Rows, on_bad: OnBad) -> Boxes:
    """The good rows, with the others set aside; or an error, where that was asked for or nothing is left."""
    rejects = rows.rejects
    for part, name in enumerate(rows.parts):
        here = np.flatnonzero(bad.mask & (rows.part == part))
        if len(here):
            marks = [bad.marks[code] for code in bad.code[here]]
            rejects.add(rows.table.take(pa.array(here)), name, rows.number[here], marks)
    whole = len(found) + rejects.counts["wrong number of fields"]
    if rejects and on_bad == "raise":
        raise DataError(refusal(rejects, whole))
    if whole == len(rejects):
        what = f"none of the {whole:,} rows is good" if whole else "there are no rows"
        raise DataError(f"{rows.parts[0]}: {what}")
    kept = found if not bad.mask.any() else compacted(found.select(~bad.mask))
    return replace(kept, rejects=rejects)


def refusal(rejects: Rejects, rows: int) -> str:
    """How many rows are bad, by kind, with the first few of each and the cure."""
    first = next(iter(rejects.examples))
    if len(rejects) == 1:
        return f"{rejects.examples[first][0]}: {first}; {CURES[first]}"
    lines = [f"{len(rejects):,} of {rows:,} rows are bad (none was used):"]
    for kind, count in rejects.counts.most_common():
        lines.append(f"  {kind}: {count:,} {'row' if count == 1 else 'rows'}; {CURES[kind]}")
        lines += [f"    {example}" for example in rejects.examples[kind][: SHOWN if len(rejects.counts) < 4 else 2]]
    return "\n".join(lines) + TO_SKIP
