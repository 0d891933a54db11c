"""Tables of any source with all that is in them, their columns as text or numbers, and what is missing."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sidewise.boxes import Boxes, read_boxes
from sidewise.boxes.reading import TO_CLIP, TO_SKIP
from sidewise.boxes.rows import Choose, Rows, read_rows
from sidewise.comparisons.arrow import Floats, Mask, as_floats, as_mask, as_text, encode, is_text, plain_values
from sidewise.errors import ComparisonError, DataError
from sidewise.names import NAME, NAME_CURE

NOTHING = pa.array(["", "na", "n/a", "nan", "null", "none"])  # spellings of a number that is not there
SHOWN = 5

Positions = NDArray[np.int64]


def read_table(source: Any, *, delimiter: str | None = None, choose: Choose | None = None) -> Rows:
    """All columns of a source, or the chosen ones; a line that is no row is refused, for none may get lost."""
    rows = read_rows(source, choose or (lambda names, _: list(names)), delimiter=delimiter)
    if rows.rejects:
        reason, (example, *_) = next(iter(rows.rejects.examples.items()))
        others = f", and {len(rows.rejects) - 1:,} others" if len(rows.rejects) > 1 else ""
        raise DataError(f"{example}: {reason}{others}; every row needs as many fields as the header")
    return replace(rows, table=_taken(rows.table))


def _taken(table: pa.Table) -> pa.Table:
    """The same in layouts that Arrow can take rows of and write: categories as what they stand for, views as text."""
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) or pa.types.is_string_view(field.type):
            table = table.set_column(place, field.name, plain_values(table[place]))
    return table


def check_columns(wanted: Sequence[str | None], names: Sequence[str], source: str) -> None:
    """See that there are the columns that were named."""
    for name in wanted:
        if name is not None and name not in names:
            raise DataError(f"{source}: no column {name!r}; there are {', '.join(map(repr, names)) or 'none'}")


def boxes_of(source: Any, rows: Rows | None = None, *, several: bool = False, delimiter: str | None = None) -> Boxes:
    """The boxes of a source, or of ``rows`` that were read from it; a bad one is refused: none is skipped or cut here.

    A file is read again, for errors then name it and its rows; of a stream the rows are taken.
    """
    there = source if rows is None or isinstance(source, str | Path) else rows.table
    try:
        return read_boxes(there, several=several, delimiter=delimiter)
    except DataError as error:
        raise DataError(str(error).removesuffix(TO_SKIP).replace(TO_CLIP, "")) from None


def last_part(image: str) -> str:
    """The name of a file without the folders or the address before it."""
    return image.rpartition("/")[2]


def texts(table: pa.Table, name: str) -> pa.ChunkedArray:
    """A column as text; whole numbers that were stored as fractions lose their point."""
    column = table[name]
    if pa.types.is_floating(column.type):
        try:
            column = pc.cast(column, pa.int64())
        except pa.ArrowInvalid:
            raise DataError(f"the column {name!r} holds fractions; ids and groups are text or whole numbers") from None
    if pa.types.is_boolean(column.type):
        column = pc.cast(column, pa.string())
    try:
        return as_text(column, name)
    except ComparisonError as error:
        raise DataError(str(error)) from None


def coded(table: pa.Table, name: str) -> tuple[Positions, list[str]]:
    """A column of words as codes and its distinct words; blanks around one would make two of what is one."""
    codes, words = encode(texts(table, name))
    padded = next((word for word in words if word != word.strip()), None)
    if padded is not None:
        raise DataError(f"{name} {padded!r} has blanks around it: take them out, for they would make two of one")
    return codes.astype(np.int64), words


def absent(column: pa.ChunkedArray, *, number: bool = False) -> Mask:
    """Where there is no value: null, not a number, blank, and in columns of numbers also words such as NA."""
    nothing = as_mask(pc.is_null(column, nan_is_null=True))
    if not is_text(column.type):
        return nothing
    trimmed = pc.utf8_trim_whitespace(column)
    blank = pc.is_in(pc.utf8_lower(trimmed), NOTHING.cast(column.type)) if number else pc.equal(trimmed, "")
    return nothing | as_mask(blank)


def numbers(rows: Rows, name: str) -> Floats:
    """A column of numbers, NaN where there is none; what is neither a number nor missing is refused."""
    column = rows.table[name]
    values = as_floats(column)
    wrong = np.flatnonzero(np.isnan(values) & ~absent(column, number=True))
    if len(wrong):
        raise DataError(
            f"{rows.place(wrong[0])}: {name} is {column[wrong[0]].as_py()!r}, which is no number"
            f"{_others(len(wrong) - 1)}; correct it, or leave it empty if it is not known"
        )
    return values


def check_ids(rows: Rows, name: str) -> pa.ChunkedArray:
    """The ids: every row has one that a campaign takes, without blanks around it, and no other row has the same."""
    ids = texts(rows.table, name)
    empty = np.flatnonzero(absent(ids))
    if len(empty):
        raise DataError(f"{rows.place(empty[0])}: {name} is empty{_others(len(empty) - 1)}; give every row an id")
    padded = np.flatnonzero(as_mask(pc.not_equal(ids, pc.utf8_trim_whitespace(ids))))
    if len(padded):
        raise DataError(
            f"{rows.place(padded[0])}: {name} {ids[padded[0]].as_py()!r} has blanks around it: take them out"
        )
    fits = NAME.fullmatch
    unfit = [row for row, value in enumerate(ids.to_pylist()) if fits(value) is None]
    if unfit:
        raise DataError(
            f"{rows.place(unfit[0])}: {name} is {ids[unfit[0]].as_py()[:60]!r}{_others(len(unfit) - 1)}; {NAME_CURE}"
        )
    if pc.count_distinct(ids).as_py() < len(ids):
        raise DataError(_repeated(rows, name, ids))
    return ids


def _repeated(rows: Rows, name: str, ids: pa.ChunkedArray) -> str:
    counts = pc.value_counts(ids)
    again = counts.filter(pc.greater(counts.field("counts"), 1))
    first = again[0]["values"].as_py()
    places = np.flatnonzero(as_mask(pc.equal(ids, first)))
    where = " and ".join(rows.place(place) for place in places[:2])
    return (
        f"{name} {first!r} stands in {where}{_others(len(again) - 1, 'id')}; an id names one row: take the others out"
    )


def _others(count: int, what: str = "row") -> str:
    return f" (and {count:,} other {what}{'s' if count > 1 else ''})" if count > 0 else ""
