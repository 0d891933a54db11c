"""Arrow columns as numpy arrays: strings stay in Arrow, where they are hashed once; numbers come out as floats."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sidewise.errors import ComparisonError

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def is_text(kind: pa.DataType) -> bool:
    """Whether a column holds strings in one of the layouts that Arrow can hash and compare."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def as_text(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """A column of ids as strings. Whole numbers have one spelling and are taken; fractions and dates are refused."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = _decoded(column)
        kind = column.type
    if is_text(kind):
        return column
    if not len(column):  # NumPy takes an empty list for numbers
        return pa.chunked_array([[]], pa.string())
    if pa.types.is_integer(kind) or pa.types.is_string_view(kind) or pa.types.is_null(kind):
        return pc.cast(column, pa.string())
    raise ComparisonError(f"the column {name!r} holds {kind} values; ids are strings or whole numbers: convert it")


def as_floats(column: pa.ChunkedArray) -> Floats:
    """A column of numbers, or of strings that are numbers; what is no number becomes NaN."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = _decoded(column)
        kind = column.type
    if pa.types.is_string_view(kind):
        column, kind = pc.cast(column, pa.string()), pa.string()
    if is_text(kind):
        codes, distinct = encode(column)
        return np.array([*map(_float, distinct), np.nan])[codes]
    try:
        return np.asarray(pc.cast(column, pa.float64()).to_numpy(), float)
    except pa.ArrowNotImplementedError:
        return np.full(len(column), np.nan)


def encode(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], list[str]]:
    """Codes and distinct values of a column of strings; nulls get the code after the last."""
    if not len(column):
        return np.empty(0, np.int64), []
    encoded = column.dictionary_encode().unify_dictionaries()
    distinct = encoded.chunk(0).dictionary.to_pylist()
    parts = [_filled(chunk.indices, len(distinct)) for chunk in encoded.chunks]
    return (parts[0] if len(parts) == 1 else np.concatenate(parts)), distinct


def as_mask(column: pa.ChunkedArray, *, null: bool = False) -> Mask:
    """A column of booleans, with a value for the nulls."""
    return np.asarray(pc.fill_null(column, null).to_numpy(), bool)


def from_frame(frame: Any) -> pa.Table:
    """Any dataframe that speaks the Arrow PyCapsule protocol (pandas, polars, DuckDB, pyarrow …) as a table."""
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    if hasattr(frame, "__arrow_c_stream__"):
        try:
            return pa.table(frame)
        except (pa.ArrowException, ValueError, TypeError) as error:
            raise ComparisonError(f"the dataframe cannot be read: {error}") from None
    raise ComparisonError(
        f"{type(frame).__name__} is not a dataframe: pass one that speaks the Arrow PyCapsule protocol "
        "(pandas, polars, DuckDB, pyarrow), or use Comparisons.from_arrays",
    )


def plain_values(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column without dictionaries and views, which not all of Arrow's functions take."""
    if pa.types.is_dictionary(column.type):
        return _decoded(column)
    return pc.cast(column, pa.string()) if pa.types.is_string_view(column.type) else column


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A dictionary column as plain values; Arrow cannot cast every layout that polars makes, but it can decode it."""
    text = pa.string() if pa.types.is_string_view(column.type.value_type) else column.type.value_type
    chunks = [pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(text)) for chunk in column.chunks]
    return pa.chunked_array([chunk.dictionary_decode() for chunk in chunks], text)


def _filled(indices: pa.Array, null: int) -> NDArray[np.int64]:
    if indices.null_count:
        indices = pc.fill_null(pc.cast(indices, pa.int64()), null)
    return np.asarray(indices.to_numpy(zero_copy_only=False))


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
