"""Grades of relevance (qrels): how relevant each judged document is to a query, by itself."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sidewise.errors import DataError
from sidewise.preferences.levels import Zero, from_levels
from sidewise.preferences.lines import Lines, again, check_name, numbers, read_lines, rows_of, spelled, write_lines
from sidewise.preferences.table import Levels, Preferences
from sidewise.preferences.words import counted


@dataclass(frozen=True, eq=False)
class Qrels(Mapping[str, Mapping[str, float]]):
    """Grades: query → document → relevance.

    >>> qrels = Qrels({"q": {"a": 2.0, "b": 0.0}})
    >>> qrels["q"]["a"], qrels
    (2.0, Qrels(1 query, 2 documents))
    """

    grades: Mapping[str, Mapping[str, float]]
    iterations: Mapping[str, Sequence[str]] | None = None  # the second field, which nobody uses, of every document
    source: str = "the data"

    def __getitem__(self, query: str) -> Mapping[str, float]:
        return self.grades[query]

    def __iter__(self) -> Iterator[str]:
        return iter(self.grades)

    def __len__(self) -> int:
        return len(self.grades)

    def __repr__(self) -> str:
        held = sum(map(len, self.grades.values()))
        return f"Qrels({counted(len(self), 'query', 'queries')}, {counted(held, 'document')})"

    def preferences(self, *, zero: Zero = "level") -> Preferences:
        """The preferences that grades imply: of two documents of a query, the one of the higher grade is preferred.

        Negative grades count as 0. ``zero="bad"`` marks documents of grade 0 as bad. (trec_eval: ``qrels_prefs``.)
        """
        rows = [
            (query, "0", "0", document, f"{max(grade, 0.0):.17g}")
            for query, grades in self.grades.items()
            for document, grade in grades.items()
        ]
        if not rows:
            raise DataError(f"{self.source} has no grades, so that no preferences follow from them")
        levels = Levels(*zip(*rows, strict=True))
        return from_levels(rows_of(self.source, levels, "grade"), levels, zero=zero)


def read_qrels(path: str | Path) -> Qrels:
    r"""Read grades of relevance in TREC's form: lines of query, iteration, document and grade.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("1 0 a 2\n1 0 b 0\n")
    >>> read_qrels(path)
    Qrels(1 query, 2 documents)
    """
    return from_lines(read_lines(path))


def from_lines(lines: Lines) -> Qrels:
    """Grades, checked."""
    query, iteration, document, words = lines.columns(4)
    relevance = numbers(words)
    lines.refuse(~np.isfinite(relevance), "no relevance")
    lines.refuse(again(query, document), "a document twice in one query")
    lines.check()
    grades: dict[str, dict[str, float]] = {}
    iterations: dict[str, list[str]] = {}
    for name, turn, held, grade in zip(query, iteration, document, relevance.tolist(), strict=True):
        grades.setdefault(name, {})[held] = grade
        iterations.setdefault(name, []).append(turn)
    return Qrels(grades, iterations, lines.source)


def write_qrels(qrels: Qrels, path: str | Path) -> None:
    """Write grades of relevance in TREC's form; :func:`read_qrels` gives them back."""
    for name in (*qrels, *(document for grades in qrels.values() for document in grades)):
        check_name(name, path)
    turns = qrels.iterations or {query: ["0"] * len(grades) for query, grades in qrels.items()}
    write_lines(
        path,
        (
            f"{query} {turn} {document} {spelled(grade)}"
            for query, grades in qrels.items()
            for turn, (document, grade) in zip(turns[query], grades.items(), strict=True)
        ),
    )
