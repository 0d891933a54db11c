"""Rows of any source, with where each of them stood: a file, several parts of one, a dataframe, or columns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sidewise.comparisons.arrow import from_frame
from sidewise.comparisons.columns import refuse_one_column
from sidewise.comparisons.files import read_pieces, sources
from sidewise.comparisons.parse import Parser, Piece
from sidewise.comparisons.rejects import Rejects
from sidewise.errors import ComparisonError, DataError

Choose = Callable[[Sequence[str], str], list[str]]  # the columns to read, of those there are in a source


@dataclass(frozen=True)
class Rows:
    """Rows of one or more parts, and how to speak of them; ``rejects`` are lines that are no rows at all."""

    table: pa.Table
    parts: tuple[str, ...]
    part: NDArray[np.int64]
    number: NDArray[np.int64]
    rejects: Rejects

    def place(self, position: int) -> str:
        """Where a row stands, as a person would look for it."""
        return f"{self.parts[self.part[position]]} row {self.number[position]}"


def read_rows(source: Any, choose: Choose, *, delimiter: str | None = None) -> Rows:
    """Read the chosen columns of a file (CSV, TSV, Parquet, JSON Lines), a dataframe, or a mapping of columns."""
    picker = _Picker(choose)
    try:
        pieces = list(_pieces(source, picker, delimiter))
    except ComparisonError as error:
        raise DataError(str(error)) from None
    if not pieces:
        broken = len(picker.rejects)
        raise DataError(picker.rejects.message(broken) if broken else f"{source}: there are no rows")
    numbers = [piece.numbers(np.arange(piece.table.num_rows)) for piece in pieces]
    names = tuple(dict.fromkeys(piece.source for piece in pieces))
    parts = [np.full(piece.table.num_rows, names.index(piece.source)) for piece in pieces]
    try:
        table = pa.concat_tables([piece.table for piece in pieces], promote_options="permissive")
    except pa.ArrowException as error:
        raise DataError(f"{pieces[-1].source}: its columns differ from those of the parts before it: {error}") from None
    return Rows(table, names, np.concatenate(parts), np.concatenate(numbers), picker.rejects)


def column_names(source: Any, *, delimiter: str | None = None) -> list[str]:
    """The names of the columns of a source, without reading its rows."""

    def show(names: Sequence[str], source: str) -> list[str]:  # noqa: ARG001
        raise _Shown(list(names))

    try:
        read_rows(source, show, delimiter=delimiter)
    except _Shown as shown:
        return shown.names
    return []


class _Shown(Exception):  # noqa: N818 - not an error: it carries names past readers that would go on
    def __init__(self, names: list[str]) -> None:
        self.names = names


@dataclass
class _Picker:
    """Stands where the parser of comparisons stands when files are read: chooses columns, notes broken lines."""

    choose: Choose
    rejects: Rejects = field(default_factory=Rejects)
    rows: int = 0

    def resolve(self, names: Sequence[str], source: str) -> "_Chosen":
        twins = sorted({name for name in names if list(names).count(name) > 1})
        if twins:
            raise DataError(
                f"{source}: the column name {twins[0]!r} stands more than once; rename one of them; a "
                "table of workers by units that has no header is read by read_answer_grid (command line: --grid)",
            )
        refuse_one_column(names, source)
        return _Chosen(self.choose(names, source))


@dataclass(frozen=True)
class _Chosen:
    names: list[str]

    def used(self) -> list[str]:
        return self.names


def _pieces(source: Any, picker: _Picker, delimiter: str | None) -> Iterator[Piece]:
    if isinstance(source, str | Path):
        yield from read_pieces(sources(source, delimiter=delimiter), cast("Parser", picker), whole=True)
        return
    table = _columns(source) if isinstance(source, Mapping) else _frame(source)
    yield Piece(table.select(picker.resolve(table.column_names, "the data").used()), "the data")


def _frame(source: Any) -> pa.Table:
    if isinstance(source, pa.Table | pa.RecordBatch) or hasattr(source, "__arrow_c_stream__"):
        return from_frame(source)
    raise DataError(
        f"{type(source).__name__} is no table: pass a path, a dataframe that speaks the Arrow PyCapsule protocol "
        "(pandas, polars, DuckDB, pyarrow), or a mapping of column names to lists",
    )


def _columns(source: Mapping[str, Any]) -> pa.Table:
    columns = {str(name): _column(values, str(name)) for name, values in source.items()}
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise DataError(f"the columns differ in length: {lengths}")
    return pa.table(columns)


def _column(values: Any, name: str) -> pa.Array:
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    try:
        return pa.array(values, from_pandas=True)  # NaN means that there is nothing, as in pandas
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(f"the column {name!r} cannot be read: {error}") from None
