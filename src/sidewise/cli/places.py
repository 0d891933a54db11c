"""Where a command writes: said to be impossible before the work, not after it; and the writing."""

import json
from collections.abc import Iterable, Iterator, Mapping
from glob import glob
from math import isfinite
from pathlib import Path
from typing import Any

import pyarrow as pa

from sidewise.cli.console import err
from sidewise.comparisons.writing import write_table
from sidewise.errors import SidewiseError

TABLES = (".csv", ".parquet")
JSON_TOO = (*TABLES, ".json")


def check_place(
    path: Path | None, *sources: Path | str | None, endings: tuple[str, ...] | None = TABLES, flag: str = ""
) -> None:
    """Refuse a file that cannot be written, whose name does not say what it should be, or that is to be read.

    Of files that need not be given, those that are not are None.
    """
    if path is None:
        return
    named = f"{flag} {path}".strip()
    if endings is not None and path.suffix not in endings:
        raise SidewiseError(f"{named}: end the name in {', '.join(endings[:-1])} or {endings[-1]}")
    if not path.parent.is_dir():
        raise SidewiseError(f"{named}: there is no folder {path.parent}; make it first")
    if path.is_dir():
        raise SidewiseError(f"{named} is a folder; name a file")
    if path.exists() and any(path.samefile(source) for source in _files(sources)):
        raise SidewiseError(f"{named} is the file that is read: write to another one")


def check_apart(*paths: Path | None) -> None:
    """Refuse to write two things to one file, of which the first would be lost."""
    places = [path.resolve() for path in paths if path is not None]
    for place in places:
        if places.count(place) > 1:
            raise SidewiseError(f"{place.name} is to hold two things, of which one would be lost: name two files")


def _files(sources: Iterable[Path | str | None]) -> Iterator[Path]:
    """The files that are read; a source may be a pattern."""
    for source in (source for source in sources if source is not None):
        found = [str(source)] if Path(source).exists() else glob(str(source), recursive=True)  # noqa: PTH207 - absolute patterns
        yield from map(Path, found)


def write_place(what: str, table: pa.Table | None, path: Path | None) -> None:
    """Write a table, as the name of the file says, and say where it is."""
    if path is None or table is None:
        return
    if path.suffix == ".json":
        path.write_text(json_text(table), encoding="utf-8")
    else:
        write_table(table, path)
    err.print(f"the {what} are in {path}", highlight=False, markup=False)


def json_text(value: Any) -> str:
    """JSON of anything that a command shows."""
    return json.dumps(_json_value(value), indent=1, ensure_ascii=False, allow_nan=False)


def _json_value(value: Any) -> Any:
    """Numbers, lists and null as JSON has them, which knows no NaN and no infinity; words for the rest."""
    match value:
        case Mapping():
            return {str(name): _json_value(held) for name, held in value.items()}
        case list() | tuple():
            return [_json_value(held) for held in value]
        case pa.Table():
            return _json_value(value.to_pylist())
        case float():
            return value if isfinite(value) else None
        case None | bool() | int():
            return value
        case _:
            return None if str(value) == "None" else str(value)  # a prior is stated in words, also where there is none
