"""Files of a data set into comparisons, truth and groups, as the registry says."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from sidewise.comparisons import Comparisons, read
from sidewise.errors import DataError

IDS = ("left", "right", "winner", "loser", "worker")
TABLE = {"file", "columns", "delimiter"}  # how a file of text is laid out
COMPARISONS = TABLE | {*IDS, "outcomes", "on_bad", "group"}
TRUTH = TABLE | {"item", "score", "lower_is_better"}
GROUPS = TABLE | {"item", "group"}
JOIN = "|"

Spec = Mapping[str, Any]


def read_comparisons(folder: Path, spec: Spec) -> Comparisons:
    """The comparisons: of a file as it is, or of one whose columns have to be named or joined first."""
    _check(spec, COMPARISONS)
    how: dict[str, Any] = {name: spec[name] for name in ("outcomes", "on_bad") if name in spec}
    ids = {name: spec[name] for name in IDS if name in spec}
    if not TABLE & {*spec} - {"file"} and all(isinstance(column, str) for column in ids.values()):
        return read(folder / spec["file"], **ids, **how)
    how |= {name: name for name in ids}
    return Comparisons.from_frame(pa.table(_columns(folder, spec, ids)), **how)


def read_truth(folder: Path, spec: Spec) -> dict[str, float]:
    """Each item's true score, higher being more."""
    _check(spec, TRUTH)
    table = _table(folder, spec, {spec["item"]: pa.string(), spec["score"]: pa.float64()})
    sign = -1.0 if spec.get("lower_is_better") else 1.0
    pairs = zip(table[spec["item"]].to_pylist(), table[spec["score"]].to_pylist(), strict=True)
    return {item: sign * score for item, score in pairs}


def read_groups(folder: Path, spec: Spec) -> dict[str, str]:
    """Each item's group, within which items can be compared."""
    _check(spec, GROUPS)
    table = _table(folder, spec, {spec["item"]: pa.string(), spec["group"]: pa.string()})
    return dict(zip(table[spec["item"]].to_pylist(), table[spec["group"]].to_pylist(), strict=True))


def groups_of_pairs(folder: Path, spec: Spec) -> dict[str, str]:
    """Each item's group, where a column of the comparisons says it of both items."""
    _check(spec, COMPARISONS)
    sides = [name for name in ("left", "right", "winner", "loser") if name in spec][:2]
    if "loser" in spec:
        sides = ["winner", "loser"]
    table = _columns(folder, spec, {**{side: spec[side] for side in sides}, "group": spec["group"]})
    groups = table["group"].to_pylist()
    return {item: group for side in sides for item, group in zip(table[side].to_pylist(), groups, strict=True)}


def _columns(folder: Path, spec: Spec, wanted: Mapping[str, str | Sequence[str]]) -> dict[str, pa.ChunkedArray]:
    """Columns of text by what they mean, joined where several name one thing."""
    parts = {name: [column] if isinstance(column, str) else list(column) for name, column in wanted.items()}
    table = _table(folder, spec, {column: pa.string() for columns in parts.values() for column in columns})
    return {name: _joined([table[column] for column in columns]) for name, columns in parts.items()}


def _joined(columns: list[pa.ChunkedArray]) -> pa.ChunkedArray:
    return columns[0] if len(columns) == 1 else pc.binary_join_element_wise(*columns, JOIN)


def _table(folder: Path, spec: Spec, types: Mapping[str, pa.DataType]) -> pa.Table:
    path = folder / spec["file"]
    try:
        return pacsv.read_csv(
            path,
            read_options=pacsv.ReadOptions(column_names=spec.get("columns")),
            parse_options=pacsv.ParseOptions(delimiter=spec.get("delimiter", ","), newlines_in_values=True),
            convert_options=pacsv.ConvertOptions(column_types=types, include_columns=list(types)),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
        raise DataError(f"{path} cannot be parsed as its registry says: {error}") from None


def _check(spec: Spec, known: set[str]) -> None:
    for strange in sorted({*spec} - known):
        listed = ", ".join(sorted(known))
        raise DataError(f"{spec.get('file')}: {strange!r} says nothing of how to parse it; there are: {listed}")
