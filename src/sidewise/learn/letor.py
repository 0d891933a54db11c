"""Feature files as SVMlight and LETOR have them: ``label qid:Q 1:v 2:v … #docid = D``."""

import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from sidewise.comparisons.arrow import Floats
from sidewise.comparisons.files import GZIP
from sidewise.errors import DataError
from sidewise.learn.features import Features, Rows

LINES = 4096  # read at once: the text of a block is forgotten when its numbers are known
WIDEST = 100_000  # features: the matrix is dense, and one wild index must not fill the memory
TO_NEWLINES = bytes.maketrans(b" \t\r\f\v", b"\n" * 5)
TWO_COLUMNS = pacsv.ReadOptions(column_names=["feature", "value"])
WORDS = pacsv.ParseOptions(delimiter=":", quote_char=False)
TYPES = pacsv.ConvertOptions(column_types={"feature": pa.int64(), "value": pa.float64()}, null_values=[])
DOCID = re.compile(r"\bdocid\s*=\s*(\S+)")


class Line(NamedTuple):
    """A line that holds a document: where it stands, and its parts."""

    number: int
    label: bytes
    query: bytes
    pairs: bytes
    comment: bytes


class Numbers(NamedTuple):
    """All features of some lines: which, its value, and in which of the lines."""

    feature: Rows
    value: Floats
    row: Rows


class Block(NamedTuple):
    """Some lines, read."""

    lines: list[Line]
    labels: Floats
    values: Floats


def read_features(path: str | Path, *, width: int | None = None) -> Features:
    r"""Read a feature file of SVMlight's, SVMrank's or LETOR's making, also compressed with gzip.

    A line is ``2 qid:10 1:0.03 2:0.0 … #docid = G21-63-2483329``: a label, a query, features by ascending number, and a
    comment. Features that a line leaves out are 0, which is what the format means by it. The document's id is what
    follows "docid =" in the comment, or else the comment's only word; in a file where no line names a document they
    are numbered within each query, from 1. Empty lines and lines of comment are passed over.

    Parameters
    ----------
    path
        The file.
    width
        How many features there are, where the last ones may be missing from the whole file; the highest number that
        is met if not said.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "two.txt"
    ...     _ = path.write_text("1 qid:7 1:0.5 3:2 #docid = a\n0 qid:7 1:0.25 #docid = b\n")
    ...     found = read_features(path)
    >>> found, found.documents, found.values.tolist()
    (Features(1 query, 2 documents, 3 features), ('a', 'b'), [[0.5, 0.0, 2.0], [0.25, 0.0, 0.0]])
    """
    blocks = [_parsed(lines, str(path)) for lines in _in_blocks(Path(path))]
    lines = [line for block in blocks for line in block.lines]
    if not lines:
        raise DataError(f"{path} holds no documents")
    widest = max(block.values.shape[1] for block in blocks)
    if width is not None and widest > width:
        raise DataError(f"{path} has a feature {widest}, and there should be {width}")
    values = np.zeros((len(lines), widest if width is None else width))
    start = 0
    for block in blocks:
        values[start : start + len(block.lines), : block.values.shape[1]] = block.values
        start += len(block.lines)
    queries = [_text(line.query, line, str(path)) for line in lines]
    comments = tuple(_text(line.comment, line, str(path)) for line in lines)
    documents = _documents(queries, comments, lines, str(path))
    _check_once(queries, documents, lines, str(path))
    return Features(tuple(queries), documents, values, np.concatenate([block.labels for block in blocks]), comments)


def write_features(features: Features, path: str | Path) -> None:
    """Write a feature file; numbers are spelt so that they are read back as the same.

    Labels that are not known are refused, since the format has no word for them. The comment of a line is the one it
    came with, or ``docid = …``.

    >>> from tempfile import TemporaryDirectory
    >>> made = Features.from_arrays([7, 7], ["a", "b"], [[0.1, 1], [0.25, 0]], labels=[2, 0])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "made.txt"
    ...     write_features(made, path)
    ...     print(path.read_text(), end="")
    2 qid:7 1:0.1 2:1.0 #docid = a
    0 qid:7 1:0.25 2:0.0 #docid = b
    """
    _check_writable(features)
    comments = features.comments or tuple(f"docid = {document}" for document in features.documents)
    rows = zip(features.labels.tolist(), features.queries, features.values.tolist(), comments, strict=True)
    numbers = [f"{number}:" for number in range(1, features.width + 1)]
    with Path(path).open("w", encoding="utf-8") as file:
        for label, query, values, comment in rows:
            pairs = "".join([f" {number}{value!r}" for number, value in zip(numbers, values, strict=True)])
            file.write(f"{label:.17g} qid:{query}{pairs} #{comment}\n")


@contextmanager
def lines_of(path: Path) -> Iterator[BinaryIO]:
    """The lines of a file, unpacked where its first bytes are those of gzip."""
    if not path.is_file():
        raise DataError(f"{path} is a folder; name a file in it" if path.is_dir() else f"there is no file {path}")
    try:
        with path.open("rb") as file:
            packed = file.read(2) == GZIP
        with gzip.open(path) if packed else path.open("rb") as stream:
            yield cast("BinaryIO", stream)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be unpacked: {error}") from None


def _in_blocks(path: Path) -> Iterator[list[Line]]:
    numbers = count(1)
    with lines_of(path) as stream:
        while block := list(islice(stream, LINES)):
            found = (_split(text, number, str(path)) for text, number in zip(block, numbers, strict=False))
            yield [line for line in found if line]


def _split(text: bytes, number: int, name: str) -> Line | None:
    body, _, comment = text.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").partition(b"#")
    parts = body.split(None, 2)
    if not parts:
        return None
    if len(parts) < 2 or not parts[1].startswith(b"qid:") or parts[1] == b"qid:":
        raise DataError(
            f"{name} line {number} begins with {_shown(body)!r}; a line of features begins with a label and a query, "
            "such as '2 qid:10'"
        )
    return Line(number, parts[0], parts[1][4:], parts[2] if len(parts) == 3 else b"", comment.strip())


def _parsed(lines: list[Line], name: str) -> Block:
    """The numbers of many lines at once; where that fails, word by word, which finds the one to blame."""
    found = _fast(lines)
    if found is None or not _sound(lines, *found):
        found = _slow(lines, name)
    feature, value, row = found
    values = np.zeros((len(lines), feature.max(initial=0)))
    values[row, feature - 1] = value
    labels = np.array([_number(line.label) for line in lines])
    return Block([line._replace(pairs=b"") for line in lines], labels, values)


def _fast(lines: list[Line]) -> Numbers | None:
    """Arrow reads number:value as a table of two columns, a word a row, which keeps the colons in their places."""
    words = b" ".join(line.pairs for line in lines).translate(TO_NEWLINES)
    if not words.strip():
        return Numbers(np.empty(0, np.intp), np.empty(0), np.empty(0, np.intp))
    try:
        table = pacsv.read_csv(pa.BufferReader(words), TWO_COLUMNS, WORDS, TYPES)
    except pa.ArrowInvalid:
        return None
    row = np.repeat(np.arange(len(lines)), [line.pairs.count(b":") for line in lines])
    return Numbers(table["feature"].to_numpy(), table["value"].to_numpy(), row)


def _sound(lines: list[Line], feature: Rows, value: Floats, row: Rows) -> bool:
    ascending = (np.diff(feature, prepend=0) > 0) | (np.diff(row, prepend=-1) > 0)
    in_range = (feature > 0) & (feature <= WIDEST) & np.isfinite(value)
    return bool((ascending & in_range).all() and np.isfinite([_number(line.label) for line in lines]).all())


def _slow(lines: list[Line], name: str) -> Numbers:
    """Word by word: what Arrow does not know, such as +0.5, is read; the first word that is wrong is named."""
    found: list[tuple[int, float, int]] = []
    for row, line in enumerate(lines):
        try:
            _check_label(line)
            found += [(feature, value, row) for feature, value in _ascending(line)]
        except ValueError as wrong:
            raise DataError(f"{name} line {line.number}: {wrong}") from None
    feature, value, rows = (np.array(column) for column in zip(*found, strict=True))
    return Numbers(feature, value.astype(float), rows)


def _check_label(line: Line) -> None:
    if not np.isfinite(_number(line.label)):
        raise ValueError(f"the label is {_shown(line.label)!r}, which is not a finite number")


def _ascending(line: Line) -> Iterator[tuple[int, float]]:
    last = 0
    for word in line.pairs.split():
        feature, colon, value = word.partition(b":")
        if not colon or not feature.isdigit():
            raise ValueError(f"{_shown(word)!r} is not a feature, which is written number:value, such as 3:0.25")
        number = int(feature[:20])
        if not np.isfinite(_number(value)):
            raise ValueError(f"feature {number} is {_shown(value)!r}, which is not a finite number")
        if number > WIDEST:
            raise ValueError(f"feature {number} is beyond {WIDEST:,}, the most that a dense matrix is made for")
        if number <= last:
            raise ValueError(f"feature {number} comes after {last}; features are numbered from 1 and ascend")
        last = number
        yield number, _number(value)


def _documents(queries: list[str], comments: tuple[str, ...], lines: list[Line], name: str) -> tuple[str, ...]:
    found = [_document(comment) for comment in comments]
    if not any(found):
        counters: dict[str, Iterator[int]] = {}
        return tuple(str(next(counters.setdefault(query, count(1)))) for query in queries)
    if not all(found):
        line = lines[found.index("")]
        raise DataError(
            f"{name} line {line.number} names no document, and other lines do; end it with '#docid = …', as they do"
        )
    return tuple(found)


def _document(comment: str) -> str:
    named = DOCID.search(comment)
    if named:
        return named.group(1)
    return comment if len(comment.split()) == 1 else ""


def _check_once(queries: list[str], documents: tuple[str, ...], lines: list[Line], name: str) -> None:
    seen: dict[tuple[str, str], int] = {}
    for query, document, line in zip(queries, documents, lines, strict=True):
        first = seen.setdefault((query, document), line.number)
        if first != line.number:
            raise DataError(
                f"{name} line {line.number}: document {document!r} of query {query!r} stood in line {first} already"
            )


def _check_writable(features: Features) -> None:
    unknown = np.flatnonzero(~np.isfinite(features.labels))
    if len(unknown):
        raise DataError(
            f"document {features.documents[unknown[0]]!r} of query {features.queries[unknown[0]]!r} has no label; a "
            "feature file needs one on every line: give labels, 0 if nothing is known"
        )
    for what, ids in (("query", features.queries), ("document", features.documents)):
        odd = next((name for name in ids if not name or "#" in name or name.split() != [name]), None)
        if odd is not None:
            raise DataError(f"{what} {odd!r} cannot be written to a feature file: ids there have no blanks and no #")


def _number(text: bytes) -> float:
    try:
        return float(text) if b"_" not in text else float("nan")
    except ValueError:
        return float("nan")


def _text(raw: bytes, line: Line, name: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise DataError(f"{name} line {line.number} is not UTF-8 text; save it as UTF-8") from None


def _shown(raw: bytes) -> str:
    text = raw.strip().decode(errors="replace")
    return text if len(text) <= 40 else text[:40] + "…"
