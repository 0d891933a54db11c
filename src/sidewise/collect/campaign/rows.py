"""Tables that a campaign names, row by row, each with the line that it stands on: CSV, TSV, JSON Lines and Parquet."""

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sidewise.collect.campaign.problems import Problem

ENDINGS = (".csv", ".tsv", ".parquet", ".jsonl")


@dataclass
class Rows:
    """The columns of a table, the line of every row, and what is wrong with the table so far."""

    file: str
    columns: dict[str, list[Any]] = field(default_factory=dict)
    lines: Sequence[int] = ()
    word: str = "line"  # of the numbers: a Parquet file has no lines
    problems: list[Problem] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.lines)

    def add(self, what: str, row: int | None = None) -> None:
        """Note a problem, with the whole table or with a row."""
        self.problems.append(self._problem(what, None if row is None else self.lines[row]))

    def note(self, what: str, line: int | None) -> None:
        """Note a problem on a line that makes no row."""
        self.problems.append(self._problem(what, line))

    def _problem(self, what: str, line: int | None) -> Problem:
        if line is not None and self.word != "line":
            return Problem(what, f"{self.file} {self.word} {line:,}")
        return Problem(what, self.file, line)

    def column(self, name: str, table: str, key: str, *, needed: bool = True) -> list[Any] | None:
        """A column by its name; the cure names the key that says which one it is."""
        if name in self.columns:
            return self.columns[name]
        if needed and self.columns:
            near = get_close_matches(name, self.columns, 1)
            there = f"did you mean {near[0]}? write" if near else f"there are: {', '.join(self.columns)}. Write"
            self.add(f'it has no column {name}; {there} it in [{table}]: {key} = "…"')
        return None

    def texts(self, name: str, table: str, key: str) -> list[str]:
        """A column of names, such as ids; whole numbers are spelt out, and whatever is no name becomes empty."""
        values = self.column(name, table, key) or []
        return [one if type(one) is str else str(one) if type(one) is int else "" for one in values]


def read_rows(path: Path, name: str) -> Rows:
    """A table by the ending of its file; where it cannot be read, there is a problem and no row."""
    rows = Rows(name)
    read = _READERS.get(path.suffix.lower())
    if read is None:
        rows.add(f"cannot tell from its name what it holds; a table ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}")
        return rows
    try:
        read(path, rows)
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1 if isinstance(error.object, bytes) else None
        rows.note("it is not UTF-8 text; save it as UTF-8", line if path.stat().st_size < 8192 else None)
    except OSError as error:
        rows.add(f"it cannot be read: {error.strerror or error}")
    if not rows and not rows.problems:
        rows.add("it has no rows; there should be one for each")
    return rows


def rows_of(records: Iterable[Mapping[str, Any]], word: str) -> Rows:
    """Rows of what a program gave, numbered from 1."""
    rows = Rows("", word=word)
    _gather(rows, enumerate(records, 1))
    return rows


def _read_csv(path: Path, rows: Rows) -> None:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",", strict=True)
        names = next(reader, [])
        if not names or len(set(names)) < len(names) or "" in names:
            rows.note(f"the first line should name the columns, each once; it is {','.join(names)!r}", 1)
            return
        kept, lines = [], []
        before = reader.line_num
        try:
            for row in reader:
                if len(row) == len(names):
                    kept.append(row)
                    lines.append(before + 1)
                elif row:
                    rows.note(f"{len(row)} fields where the first line names {len(names)}; add or take out", before + 1)
                before = reader.line_num
        except csv.Error as error:
            rows.note(_csv_trouble(str(error)), before + 1)
    rows.columns = {name: list(column) for name, column in zip(names, zip(*kept, strict=True), strict=False)}
    rows.columns = rows.columns or {name: [] for name in names}
    rows.lines = lines


def _csv_trouble(message: str) -> str:
    if "limit" in message:
        return f"a field has more than {csv.field_size_limit():,} characters; put long texts into files of their own"
    return f"this is not CSV ({message}); look for a quote that is not closed"


def _read_json_lines(path: Path, rows: Rows) -> None:
    found: list[tuple[int, Mapping[str, Any]]] = []
    with path.open(encoding="utf-8-sig") as file:
        for line, text in enumerate(file, 1):
            if not text.strip():
                continue
            try:
                record = json.loads(text)
            except ValueError as error:
                rows.note(f"this is not JSON: {error}", line)
                continue
            if isinstance(record, dict):
                found.append((line, record))
            else:
                rows.note('this is not a JSON object; write {"id": …}', line)
    _gather(rows, found)


def _gather(rows: Rows, found: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
    """Columns of records, which need not all have the same names."""
    numbered = list(found)
    names = dict.fromkeys(name for _, record in numbered for name in record)
    rows.columns = {str(name): [record.get(name) for _, record in numbered] for name in names}
    rows.lines = [line for line, _ in numbered]


def _read_parquet(path: Path, rows: Rows) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows.word = "row"
    try:
        table = pq.read_table(path)
    except pa.ArrowException as error:
        rows.add(f"it cannot be read as Parquet: {error}")
        return
    rows.columns = {name: column.to_pylist() for name, column in zip(table.column_names, table.columns, strict=True)}
    rows.lines = range(1, table.num_rows + 1)


_READERS: dict[str, Callable[[Path, Rows], None]] = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".jsonl": _read_json_lines,
    ".parquet": _read_parquet,
}
