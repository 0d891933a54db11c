"""Files of judgments, piece by piece: CSV, TSV, Parquet and JSON Lines, compressed or not, one or many."""

import csv
import glob
import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.json as pajson

from sidewise.comparisons.parse import Parser, Piece
from sidewise.errors import ComparisonError

Progress = Callable[[int, int], None]  # done, total (0 where it is not known)

PARQUET, GZIP = b"PAR1", b"\x1f\x8b"
PIECE_ROWS = 1 << 20
BLOCK_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class Source:
    """One file, and what it holds."""

    path: Path
    kind: str  # csv, parquet, jsonl
    delimiter: str = ","

    @property
    def name(self) -> str:
        """The name to show in messages."""
        return str(self.path)


def sources(path: str | Path, *, delimiter: str | None = None) -> list[Source]:
    """The files that a path or a glob names, in order of their names."""
    text = str(path)
    paths = [Path(text)] if Path(text).exists() else [Path(name) for name in sorted(glob.glob(text, recursive=True))]  # noqa: PTH207 - absolute patterns
    folders = [found for found in paths if found.is_dir()]
    if folders:
        raise ComparisonError(f"{folders[0]} is a folder; name its files with a pattern such as {folders[0]}/*.parquet")
    if not paths:
        what = "no file matches" if glob.has_magic(text) else "there is no file"
        raise ComparisonError(f"{what} {text}")
    return [_source(found, delimiter) for found in paths]


def read_pieces(
    files: list[Source], parser: Parser, *, whole: bool, progress: Progress | None = None
) -> Iterator[Piece]:
    """The rows of all files: each file whole, or in pieces of bounded size where memory matters."""
    total, before = sum(file.path.stat().st_size for file in files), 0
    for file in files:
        size, offset = file.path.stat().st_size, 0
        with _explained(file):
            for batch in _READERS[file.kind](file, parser, whole):
                yield Piece(batch.table, file.name, offset, batch.gaps)
                offset += batch.table.num_rows
                if progress:
                    progress(before + int(size * batch.share), total)
        before += size


@contextmanager
def _explained(file: Source) -> Iterator[None]:
    """Turn the reader's own errors into ones that name the file and the cure."""
    try:
        yield
    except UnicodeDecodeError:
        raise ComparisonError(f"{file.name} is not UTF-8 text; save it as UTF-8") from None
    except (pa.ArrowException, OSError, EOFError, UnicodeEncodeError) as error:
        if "utf8" in str(error).lower():
            raise ComparisonError(f"{file.name} is not UTF-8 text; save it as UTF-8") from None
        raise ComparisonError(f"{file.name} cannot be read as {file.kind}: {error}") from None


def _source(path: Path, delimiter: str | None) -> Source:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    ending = (suffixes[:-1] if packed else suffixes)[-1:]
    kind = _KINDS.get(ending[0]) if ending else None
    if kind is None or (packed and kind == "parquet"):
        raise ComparisonError(
            f"{path}: cannot tell from its name what it holds; known are .csv, .tsv, .txt and .jsonl, also with .gz "
            "behind, and .parquet",
        )
    if path.stat().st_size == 0:
        raise ComparisonError(f"{path} is empty: it should have at least a header, the names of its columns")
    _check_nature(path, kind, packed=packed)
    return Source(path, kind, delimiter or ("\t" if ending[0] in (".tsv", ".tab") else ","))


_KINDS = {".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv", ".parquet": "parquet", ".pq": "parquet",
          ".jsonl": "jsonl", ".ndjson": "jsonl"}  # fmt: skip


def _check_nature(path: Path, kind: str, *, packed: bool) -> None:
    """Refuse a file that is not what its name says, by its first bytes."""
    with path.open("rb") as file:
        head = file.read(4)
    if packed and not head.startswith(GZIP):
        raise ComparisonError(f"{path} is named .gz, but it is not gzip")
    if not packed and head.startswith(GZIP):
        raise ComparisonError(f"{path} is gzip: give it a name that ends in .gz")
    if kind == "parquet" and head != PARQUET:
        raise ComparisonError(f"{path} is named like a Parquet file, but it is none")
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ComparisonError(f"{path} is UTF-16 text; save it as UTF-8")
    if kind != "parquet" and head == PARQUET:
        raise ComparisonError(f"{path} is a Parquet file: give it a name that ends in .parquet")


class Batch(NamedTuple):
    """Some rows of one file, the share of the file read so far, and the numbers of the rows left out so far."""

    table: pa.Table
    share: float = 1.0
    gaps: Sequence[int] = ()


def _read_csv(file: Source, parser: Parser, whole: bool) -> Iterator[Batch]:  # noqa: FBT001 - one signature for all readers
    columns = parser.resolve(_csv_header(file), file.name).used()
    convert = pacsv.ConvertOptions(column_types=dict.fromkeys(columns, pa.string()), include_columns=columns)
    options = pacsv.ReadOptions(block_size=BLOCK_BYTES)
    if whole:
        try:
            yield Batch(pacsv.read_csv(file.path, options, _csv_dialect(file), convert))
        except pa.ArrowInvalid as error:
            if "columns, got" not in str(error):
                raise
        else:
            return
    # Some row has another number of fields than the header, or the file is read in pieces: rows can only be
    # numbered by a single thread.
    options.use_threads = False
    numbers: list[int] = []
    texts: list[str] = []

    def set_aside(row: pacsv.InvalidRow) -> str:
        numbers.append(row.number - 1)  # the header is the first row
        texts.append(row.text)
        return "skip"

    size, read = file.path.stat().st_size, 0
    with pacsv.open_csv(file.path, options, _csv_dialect(file, set_aside), convert) as reader:
        for batch in reader:
            read += batch.nbytes
            yield Batch(pa.Table.from_batches([batch]), min(read / size, 1.0), numbers)
    if numbers:
        parser.rows += len(numbers)
        marks = [("wrong number of fields", "text")] * len(numbers)
        parser.rejects.add(pa.table({"text": texts}), file.name, np.array(numbers, np.int64), marks)


def _csv_dialect(file: Source, on_invalid: Callable[[pacsv.InvalidRow], str] | None = None) -> pacsv.ParseOptions:
    return pacsv.ParseOptions(delimiter=file.delimiter, newlines_in_values=True, invalid_row_handler=on_invalid)


def _csv_header(file: Source) -> list[str]:
    with pa.input_stream(file.path, compression="detect") as stream:
        text = io.TextIOWrapper(io.BytesIO(stream.read(1 << 16)), "utf-8-sig", errors="replace")
        return next(csv.reader(text, delimiter=file.delimiter), [])


def _read_parquet(file: Source, parser: Parser, whole: bool) -> Iterator[Batch]:  # noqa: FBT001
    import pyarrow.parquet as pq

    parquet = pq.ParquetFile(file.path)
    columns = parser.resolve(parquet.schema_arrow.names, file.name).used()
    if whole:
        yield Batch(parquet.read(columns=columns))
        return
    read, total = 0, max(parquet.metadata.num_rows, 1)
    for batch in parquet.iter_batches(PIECE_ROWS, columns=columns):
        read += batch.num_rows
        yield Batch(pa.Table.from_batches([batch]), read / total)


def _read_jsonl(file: Source, parser: Parser, whole: bool) -> Iterator[Batch]:  # noqa: FBT001
    size, read, line, rest = file.path.stat().st_size, 0, 1, b""
    with pa.input_stream(file.path, compression="detect") as stream:
        if whole:
            yield Batch(_json_table(stream.read(), file.name, parser, line))
            return
        while block := stream.read(4 * BLOCK_BYTES):
            read += len(block)
            lines, newline, rest = (rest + block).rpartition(b"\n")
            if newline:
                yield Batch(_json_table(lines, file.name, parser, line), min(read / size, 1.0))
                line += lines.count(b"\n") + 1
        if rest.strip():
            yield Batch(_json_table(rest, file.name, parser, line))


_ARROW = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


def _json_table(lines: bytes, source: str, parser: Parser, line: int) -> pa.Table:
    """Lines of JSON as a table. Arrow reads them fast where all have the columns and types of the first one.

    Types are given, not inferred: Arrow would take an id such as 2020-01-01 for a date. Python reads the rest.
    """
    first = _json_record(lines.lstrip().partition(b"\n")[0], source, line)
    kinds = {name: _ARROW.get(type(value)) for name, value in first.items()}
    if all(kinds.values()):
        options = pajson.ParseOptions(explicit_schema=pa.schema(kinds), unexpected_field_behavior="error")
        try:
            table = pajson.read_json(pa.BufferReader(lines), pajson.ReadOptions(block_size=BLOCK_BYTES), options)
            return table.select(parser.resolve(table.column_names, source).used())
        except pa.ArrowInvalid:
            pass
    found = [
        (line + n, _json_record(text, source, line + n)) for n, text in enumerate(lines.split(b"\n")) if text.strip()
    ]
    names = parser.resolve(list(dict.fromkeys(name for _, row in found for name in row)), source).used()
    spelt = {name: [_spelt(row.get(name), name, source, number) for number, row in found] for name in names}
    return pa.table({name: pa.array(values, pa.string()) for name, values in spelt.items()})


def _json_record(text: bytes, source: str, line: int) -> dict[str, object]:
    try:
        record = json.loads(text)
    except ValueError as error:
        raise ComparisonError(f"{source} line {line} is not JSON: {error}") from None
    if not isinstance(record, dict):
        raise ComparisonError(f"{source} line {line} is not a JSON object of columns and values")
    return record


def _spelt(value: object, name: str, source: str, line: int) -> str | None:
    """A value by its spelling; what has none is refused."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return json.dumps(value)
    raise ComparisonError(f"{source} line {line}: {name} is {value!r}, which is neither text nor a number")


_READERS = {"csv": _read_csv, "parquet": _read_parquet, "jsonl": _read_jsonl}
