"""Rankings and truths in files: an item and a number in every row, and groups if they are asked for."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sidewise.comparisons.arrow import Floats, as_floats, as_text
from sidewise.comparisons.columns import Columns, refuse_one_column
from sidewise.comparisons.files import read_pieces, sources
from sidewise.comparisons.parse import Parser
from sidewise.comparisons.rejects import CURES
from sidewise.errors import DataError
from sidewise.measures.aligned import Numbers
from sidewise.measures.columns import SCORES, TRUTHS, find_columns

UNKNOWN = ("", "na", "n/a", "nan", "none", "null")  # a number that is not known, as files spell it
UNGROUPED = "(none)"

Choose = Callable[[Sequence[str]], Columns]


class Asked(NamedTuple):
    """Which columns to take, where their names were given."""

    item: str | None = None
    value: str | None = None
    group: str | None = None
    delimiter: str | None = None


class Scored(NamedTuple):
    """What a file says: a number for every item, and the group that it is in."""

    numbers: Numbers
    groups: dict[str, str]


def read_scores(path: Path, asked: Asked) -> Scored:
    """A file of scores, as ``sidewise rank --out`` writes it or any other with an item and a score column."""
    return _read(path, asked, SCORES, ("--item-column", "--score-column"))


def read_truth(path: Path, asked: Asked) -> Scored:
    """A file of true values."""
    return _read(path, asked, TRUTHS, ("--truth-item-column", "--truth-column"))


def _read(path: Path, asked: Asked, usual: Sequence[str], flags: tuple[str, str]) -> Scored:
    def choose(names: Sequence[str]) -> Columns:
        refuse_one_column(names, str(path))
        found = find_columns(names, usual, source=str(path), item=asked.item, value=asked.value, flags=flags)
        if asked.group is not None and asked.group not in names:
            raise DataError(f"{path}: no column {asked.group!r} for --by; there are {', '.join(map(repr, names))}")
        return Columns(*found, None, factors=() if asked.group is None else (asked.group,))

    table, columns = _read_json(path, choose) if path.suffix == ".json" else read_columns(path, choose, asked.delimiter)
    ids = as_text(table[columns.left], columns.left).cast(pa.string())
    groups = {} if asked.group is None else _groups(ids, as_text(_plain(table[asked.group]), asked.group))
    return Scored(Numbers(_numbers(table[columns.right], columns.right, path), ids), groups)


@dataclass
class Picking(Parser):
    """Tells the readers of files of comparisons which columns of another kind of file to read."""

    choose: Choose | None = None

    def resolve(self, names: list[str], source: str) -> Columns:  # noqa: ARG002 - the reader's signature
        """Find the columns."""
        assert self.choose is not None
        self.columns = self.choose(names)
        return self.columns


def read_columns(path: Path, choose: Choose, delimiter: str | None) -> tuple[pa.Table, Columns]:
    """The columns that are chosen, of any file that comparisons could be in."""
    parser = Picking(choose=choose)
    pieces = [piece.table for piece in read_pieces(sources(path, delimiter=delimiter), parser, whole=True)]
    for reason, examples in parser.rejects.examples.items():
        raise DataError(f"{examples[0]}: {reason}; {CURES[reason]}")
    if not pieces or parser.columns is None:
        raise DataError(f"{path} has no rows")
    return pa.concat_tables(pieces), parser.columns


def _read_json(path: Path, choose: Choose) -> tuple[pa.Table, Columns]:
    """A list of objects, or a ranking with all that is known about it, which holds one under "items"."""
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        rows = held["items"] if isinstance(held, dict) else held
        table = pa.Table.from_pylist(rows)
    except (ValueError, KeyError, TypeError, AttributeError, pa.ArrowException):
        raise DataError(
            f"{path}: neither a list of JSON objects nor a ranking that sidewise rank has written"
        ) from None
    return table, choose(table.column_names)


def _numbers(column: pa.ChunkedArray, name: str, path: Path) -> Floats:
    values = as_floats(column)
    for row in np.flatnonzero(np.isnan(values)).tolist():
        written = column[row].as_py()
        if isinstance(written, str) and written.strip().lower() not in UNKNOWN:
            raise DataError(
                f"{path} row {row + 1}: {name} is {written!r}, which is not a number; leave it empty if it is not known"
            )
    return values


def _groups(ids: pa.ChunkedArray, named: pa.ChunkedArray) -> dict[str, str]:
    return {item: group or UNGROUPED for item, group in zip(ids.to_pylist(), named.to_pylist(), strict=True)}


def _plain(column: pa.ChunkedArray) -> Any:
    """Groups may be anything that can be spelt."""
    return column if pa.types.is_dictionary(column.type) else pc.cast(column, pa.string())
