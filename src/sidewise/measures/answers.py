"""Answers in long form: one row says which worker gave which unit which value."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sidewise.boxes import Boxes, read_boxes
from sidewise.boxes.rows import read_rows
from sidewise.comparisons.arrow import Codes, Mask, as_mask, as_text, is_text
from sidewise.comparisons.columns import WORKERS
from sidewise.comparisons.index import MISSING, Encoder, Index
from sidewise.errors import ComparisonError, DataError

UNITS = ("unit", "task", "item", "image", "question", "document")
VALUES = ("value", "label", "answer", "response", "rating", "score")
SHOWN = 3


@dataclass(frozen=True, eq=False)
class Answers:
    """Values by unit and worker; ``worker`` is None where nobody is named. Rows without a value are not in it."""

    unit: Codes
    units: Index
    value: Any  # a column of Arrow, or an array of boxes
    worker: Codes | None = None
    workers: Index = field(default_factory=Index)

    def __len__(self) -> int:
        return len(self.unit)


def find_answers(
    answers: Any,
    *,
    unit: str | None = None,
    worker: str | None = None,
    value: str | None = None,
    boxes: bool = False,
    delimiter: str | None = None,
) -> Answers:
    """Take answers from a file, a dataframe or a mapping, or boxes from these or from :class:`Boxes`."""
    if isinstance(answers, Answers):
        return answers
    if boxes or isinstance(answers, Boxes):
        if not boxes:
            raise DataError("these are boxes: take them with distance='iou'")
        if value is not None:
            raise DataError("boxes have four edges for a value: leave out value=")
        drawn = answers
        if not isinstance(answers, Boxes):
            drawn = read_boxes(answers, image=unit, worker=worker, delimiter=delimiter)
        found = Answers(drawn.image, drawn.images, drawn.edges, drawn.worker, drawn.workers)
    else:
        found = _read(answers, _Chooser(unit, worker, value), delimiter)
    _refuse_repeated(found)
    return found


def _read(answers: Any, chooser: "_Chooser", delimiter: str | None) -> Answers:
    rows = read_rows(answers, chooser, delimiter=delimiter)
    if rows.rejects:
        raise DataError(rows.rejects.message(rows.table.num_rows + len(rows.rejects)))
    table, value = rows.table, _plain(rows.table[chooser.value], chooser.value)
    known = ~_missing(value)
    columns: list[tuple[Codes | None, Index]] = []
    for name in (chooser.unit, chooser.worker):
        if name is None:
            columns.append((None, Index()))
            continue
        codes, index = _ids(table, name)
        wrong = np.flatnonzero((codes < 0) & known)
        if len(wrong):
            why = "missing" if codes[wrong[0]] == MISSING else "an id with blanks around it: strip them"
            raise DataError(f"{rows.place(int(wrong[0]))}: {name} is {table[name][int(wrong[0])].as_py()!r}, {why}")
        columns.append((codes[known], index))
    (unit, units), (worker, workers) = columns
    assert unit is not None
    return Answers(unit, units, value.filter(pa.array(known)), worker, workers)


class _Chooser:
    """Finds the columns by the names that were given, or the usual ones; workers may be absent."""

    def __init__(self, unit: str | None, worker: str | None, value: str | None) -> None:
        self.given = {"unit": unit, "worker": worker, "value": value}
        self.unit, self.value, self.worker = "", "", worker

    def __call__(self, names: Sequence[str], source: str) -> list[str]:
        self.unit = self._one("unit", UNITS, names, source) or ""
        self.value = self._one("value", [name for name in VALUES if name != self.unit], names, source) or ""
        self.worker = self._one("worker", WORKERS, names, source)
        used = [name for name in (self.unit, self.worker, self.value) if name is not None]
        if len(set(used)) < len(used):
            raise DataError(f"{source}: unit, worker and value are three columns, but here they are {used}")
        return used

    def _one(self, meaning: str, usual: Sequence[str], names: Sequence[str], source: str) -> str | None:
        given = self.given[meaning]
        found = [name for name in usual if name in names] if given is None else [given] if given in names else []
        if found:
            return found[0]
        if meaning == "worker" and given is None:
            return None
        there = ", ".join(map(repr, names)) or "none"
        what = f"no column {given!r}" if given else f"no column for {meaning}"
        raise DataError(
            f"{source}: {what}; there are {there}. Answers have the columns unit, worker and value; name others, as in "
            f"{meaning}='…' (command line: --{meaning} …). A table of workers by units: read_answer_grid reads it",
        )


def _ids(table: pa.Table, name: str) -> tuple[Codes, Index]:
    encoder = Encoder()
    try:
        (codes,) = encoder.encode(as_text(table[name], name))
    except ComparisonError as error:
        raise DataError(str(error)) from None
    return codes, encoder.index()


def _plain(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Values as text or numbers, whatever layout a dataframe has for categories and strings."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
        if not (is_text(kind) or pa.types.is_string_view(kind)):
            return pc.cast(column, kind)
        return as_text(column, name)
    if pa.types.is_boolean(kind):
        return pc.cast(column, pa.string())
    if pa.types.is_nested(kind) or pa.types.is_temporal(kind):
        raise DataError(f"the column {name!r} holds {kind} values: answers are words or numbers")
    return as_text(column, name) if pa.types.is_string_view(kind) else column


def _missing(column: pa.ChunkedArray) -> Mask:
    """Which values are null, not a number, or empty."""
    missing = as_mask(pc.is_null(column, nan_is_null=True))
    return missing | as_mask(pc.equal(pc.binary_length(column), 0)) if is_text(column.type) else missing


def _refuse_repeated(found: Answers) -> None:
    """One worker has one answer to a unit: which of several counts, only the caller can know."""
    if found.worker is None:
        return
    key = found.unit.astype(np.int64) * max(len(found.workers), 1) + found.worker
    distinct, count = np.unique(key, return_counts=True)
    again = distinct[count > 1]
    if len(again):
        unit, worker = divmod(int(again[0]), len(found.workers))
        more = f" (and {len(again) - 1:,} more such cases)" if len(again) > 1 else ""
        raise DataError(
            f"worker {found.workers[worker]!r} answered unit {found.units[unit]!r} more than once{more}: keep one "
            "answer of a worker to a unit; repeats belong in repeat_consistency, or under a unit of their own",
        )


def read_answer_grid(source: Any, *, workers: Literal["rows", "columns"], names: bool = False) -> pa.Table:
    """Turn a table of workers by units, as reliability data are often printed, into columns unit, worker and value.

    Empty cells, nulls and NaN are answers that were not given.

    Parameters
    ----------
    source
        The path of a comma-separated text file, a dataframe, or a sequence of rows.
    workers
        Whether each worker has one of the "rows" or one of the "columns".
    names
        Whether the first row and the first column hold names. Else workers and units are numbered from 1 (of a
        dataframe, the columns keep their names).

    Examples
    --------
    >>> read_answer_grid([[1, 2, None], [1, 3, 3]], workers="rows").to_pylist()[-1]
    {'unit': '3', 'worker': '2', 'value': 3}
    """
    if workers not in ("rows", "columns"):
        raise DataError(f"workers={workers!r}: say whether they have the 'rows' or the 'columns'")
    cells, rows, columns = _grid(source, names=names)
    down, across = (place.ravel() for place in np.indices((len(rows), len(columns))))
    flat = pa.chunked_array([pa.array([value for row in cells for value in row], from_pandas=True)])
    known = ~_missing(flat)
    row, column = (np.array(labels, object)[place[known]] for labels, place in ((rows, down), (columns, across)))
    unit, worker = (column, row) if workers == "rows" else (row, column)
    words = pa.string()
    return pa.table(
        {"unit": pa.array(unit, words), "worker": pa.array(worker, words), "value": flat.filter(pa.array(known))}
    )


def _grid(source: Any, *, names: bool) -> tuple[list[list[Any]], list[str], list[str]]:
    """The cells, and the names of rows and columns."""
    heads: list[str] | None = None
    if isinstance(source, str | Path):
        cells = _csv_cells(Path(source))
    elif hasattr(source, "__arrow_c_stream__") or isinstance(source, pa.Table):
        table = pa.table(source)
        heads, cells = list(table.column_names), [list(row.values()) for row in table.to_pylist()]
    else:
        try:
            cells = [list(row) for row in source]
        except TypeError:
            raise DataError("a table is wanted: a path, a dataframe, or a sequence of rows of cells") from None
    if names and heads is None and cells:
        heads, cells = [str(cell) for cell in cells[0]], cells[1:]
    labels = [str(number) for number in range(1, len(cells) + 1)]
    if names and heads is not None:
        labels, heads, cells = [str(row[0]) for row in cells], heads[1:], [row[1:] for row in cells]
    if not cells or not cells[0]:
        raise DataError("the table is empty")
    heads = heads or [str(number) for number in range(1, len(cells[0]) + 1)]
    for number, row in enumerate(cells, 1):
        if len(row) != len(heads):
            raise DataError(
                f"row {number} has {len(row)} cells, where {len(heads)} are wanted: leave unknown ones empty"
            )
    return cells, labels, heads


def _csv_cells(path: Path) -> list[list[Any]]:
    import csv

    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return [[cell.strip() or None for cell in row] for row in csv.reader(file) if row]
    except UnicodeDecodeError:
        raise DataError(f"{path} is not UTF-8 text; save it as UTF-8") from None
    except FileNotFoundError:
        raise DataError(f"there is no file {path}") from None
