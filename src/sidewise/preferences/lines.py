"""Files of lines whose fields blanks separate, as search evaluation has them; a bad line is refused with its cure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from sidewise.comparisons.arrow import Codes, Floats, Mask
from sidewise.comparisons.index import Encoder
from sidewise.errors import DataError

SHOWN = 5  # bad lines in a message

# What to do about each kind of bad line: one sentence, said once per kind.
CURES = {
    "a document against itself": "leave the line out: it says nothing",
    "a document twice in one sub-group": "leave all but one of its lines out",
    "a document twice in one query": "leave all but one of its lines out",
    "both documents are NA": "name the document that was judged bad",
    "level 0 here and another level elsewhere in the group": "0 means non-relevant: give the document one or the other",
    "NA without 2 or -2": "a line with NA says that the other document is bad: doc NA -2, or NA doc 2",
    "no degree of preference": "write -1 or 1 and, for stronger preferences, -2, -3, 2, 3 …; 0 for duplicates",
    "no id": "give the query, both documents and the judge an id without blanks around it",
    "no judgment": "write -1 (first preferred), 1 (second preferred), 0 (duplicates), or -2 or 2 with NA (bad); if it "
    "is a degree of preference, say graded=True (command line: --graded)",
    "no level": "levels are numbers, 0 or more",
    "no rank": "ranks are whole numbers",
    "no relevance": "grades of relevance are numbers",
    "no score": "scores are finite numbers",
    "2 or -2 without NA": "write NA in place of the other document if this one is bad; if 2 is a degree of preference, "
    "say graded=True (command line: --graded)",
    "winner is neither document": "write the id of the preferred document in the fourth field",
    "wrong number of fields": "every line needs as many as the form has",
}  # fmt: skip


@dataclass(frozen=True)
class Lines:
    """The lines of a file that are not blank, and their numbers."""

    source: str
    text: Sequence[str]
    number: Sequence[int]
    fields: Sequence[int]  # how many fields each line has
    noun: str = "line"
    bad: dict[int, str] = field(default_factory=dict)  # position → what is wrong with it

    def __len__(self) -> int:
        return len(self.text)

    def columns(self, count: int) -> list[list[str]]:
        """The fields column by column; a line with more or fewer is refused."""
        if set(self.fields) != {count}:
            self.refuse([fields != count for fields in self.fields], "wrong number of fields")
            self.check(f"{count} fields are wanted")
        # All fields in one list: a list for every line would keep the garbage collector busier than the reading takes.
        words = "\n".join(self.text).split()
        return [words[place::count] for place in range(count)]

    def refuse(self, rows: Mask | Iterable[bool], reason: str) -> None:
        """Note lines that are bad; the first reason stands."""
        mask = np.fromiter(rows, bool, len(self)) if not isinstance(rows, np.ndarray) else rows
        for position in np.flatnonzero(mask).tolist():
            self.bad.setdefault(position, reason)

    def check(self, wanted: str = "") -> None:
        """Raise if a line was refused: which, what it says, why, and what to do."""
        if not self.bad:
            return
        shown = [self._described(position) for position in sorted(self.bad)[:SHOWN]]
        hint = f" ({wanted})" if wanted else ""
        if len(self.bad) == 1:
            raise DataError(f"{self.source} {shown[0]}{hint}")
        head = f"{self.source}: {len(self.bad):,} of {len(self):,} {self.noun}s are bad{hint}; none was used:"
        rest = [f"… and {len(self.bad) - SHOWN:,} more"] if len(self.bad) > SHOWN else []
        raise DataError("\n  ".join([head, *shown, *rest]))

    def _described(self, position: int) -> str:
        reason, text = self.bad[position], " ".join(self.text[position].split())
        return f"{self.noun} {self.number[position]}: {text!r}: {reason}; {CURES[reason]}"


def read_lines(path: str | Path) -> Lines:
    """The lines of a text file, gzipped or not."""
    text = _text(Path(path)).split("\n")
    fields = [len(line.split()) for line in text]
    number = [position for position, count in enumerate(fields, 1) if count]
    if not number:
        raise DataError(f"{path} has no lines")
    return Lines(str(path), [text[place - 1] for place in number], number, [fields[place - 1] for place in number])


def rows_of(source: str, columns: Sequence[Sequence[str]], noun: str = "row") -> Lines:
    """Rows of a table, as if they were lines."""
    text = [" ".join(row) for row in zip(*columns, strict=True)]
    return Lines(source, text, range(1, len(text) + 1), [len(columns)] * len(text), noun)


def _text(path: Path) -> str:
    if not path.exists():
        raise DataError(f"there is no file {path}")
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a file in it")
    try:
        with pa.input_stream(path, compression="detect") as stream:
            return bytes(stream.read()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path} is not UTF-8 text; save it as UTF-8") from None
    except (OSError, EOFError, pa.ArrowException) as error:
        raise DataError(f"{path} cannot be read: {error}") from None


def write_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Write a text file."""
    with Path(path).open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def check_name(name: str, path: str | Path) -> None:
    """Refuse an id that would be read back as several fields, or as none."""
    if name.split() != [name]:
        raise DataError(
            f"the id {name!r} is empty or has a blank in it, which separates the fields of {path}: rename it"
        )


def again(query: Sequence[str], document: Sequence[str]) -> list[bool]:
    """Which lines name a document that the query has already."""
    seen: set[tuple[str, str]] = set()
    found = []
    for pair in zip(query, document, strict=True):
        found.append(pair in seen)
        seen.add(pair)
    return found


def encoded(encoder: Encoder, *columns: Iterable[str | None]) -> list[Codes]:
    """The codes of columns of ids; what is None gets −1."""
    return encoder.encode(*(pa.chunked_array([pa.array(column, pa.string())]) for column in columns))


def spelled(number: float) -> str:
    """A number as a file has it, with all of its digits: six would join neighbours among ids from a million on.

    >>> spelled(-1.0), spelled(1048576.0), spelled(0.123456789)
    ('-1', '1048576', '0.123456789')
    """
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def name_of(label: object) -> str:
    """An id by its spelling: 7, 7.0 and "7" are one document, wherever they come from.

    >>> name_of(7), name_of(7.0), name_of("07")
    ('7', '7', '07')
    """
    return spelled(label) if isinstance(label, float) else str(label)


def numbers(words: Sequence[str]) -> Floats:
    """Words as numbers; what is none becomes NaN."""
    try:
        return np.array(list(map(float, words)), float)
    except ValueError:
        return np.array([_number(word) for word in words], float)


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return float("nan")
