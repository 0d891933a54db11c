"""Columns of text that hold numbers as numbers: text files cannot say which is which, Parquet files do."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from sidewise.comparisons.arrow import is_text

# A number that is written so comes back as it was: 007 would lose its zeros and a long number its last digits.
WHOLE = "^(0|-?[1-9][0-9]{0,17})$"
DECIMAL = r"^-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?([eE][-+]?[0-9]{1,2})?$"


def with_numbers(tables: Sequence[pa.Table]) -> list[pa.Table]:
    """Tables of one source, each column of text as numbers where it holds nothing else in any of them."""
    found = list(tables)
    for name in dict.fromkeys(name for table in found for name in table.column_names):
        there = [place for place, table in enumerate(found) if name in table.column_names]
        kind = _kind([found[place][name] for place in there])
        for place in there if kind else ():
            table = found[place]
            column = _blank_as_null(table[name]).cast(kind)
            found[place] = table.set_column(table.column_names.index(name), name, column)
    return found


def _kind(columns: Sequence[pa.ChunkedArray]) -> pa.DataType | None:
    """The type of the numbers that all columns hold; None where something else is there, or nothing at all."""
    if not all(is_text(column.type) for column in columns):
        return None
    values = [pc.drop_null(_blank_as_null(column)) for column in columns]
    if not any(len(each) for each in values):
        return None
    for pattern, kind in ((WHOLE, pa.int64()), (DECIMAL, pa.float64())):
        if all(pc.all(pc.match_substring_regex(each, pattern), min_count=0).as_py() for each in values):
            return kind
    return None


def _blank_as_null(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(pc.equal(column, ""), None, column)
