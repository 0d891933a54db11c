"""``Features``: what is known of every document of every query, as a table of numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sidewise.comparisons.arrow import Floats
from sidewise.errors import DataError
from sidewise.preferences.lines import name_of

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)  # arrays have no one truth value
class Features:
    """Documents of queries, a row each: numbers that a ranker can learn from, and a label where there is one.

    Ids of queries and documents are strings. A document may belong to several queries, with other features in each, but
    stands only once in a query. Made by :func:`read_features` from a file, by :meth:`from_arrays` from anything else.
    """

    queries: tuple[str, ...]  # of every row
    documents: tuple[str, ...]  # of every row
    values: Floats  # rows × features
    labels: Floats  # relevance by the file, NaN where it is not known
    comments: tuple[str, ...] = ()  # of every row, as they stood in the file

    @classmethod
    def from_arrays(
        cls, queries: Iterable[Any], documents: Iterable[Any], values: ArrayLike, labels: ArrayLike | None = None
    ) -> "Features":
        """Features from columns: the query and the document of every row, and a matrix of numbers.

        >>> Features.from_arrays([1, 1, 2], ["a", "b", "a"], [[0.1, 3], [0.2, 2], [0.4, 1]])
        Features(2 queries, 3 documents, 2 features)
        """
        try:
            matrix = np.array(values, float)
            known = None if labels is None else np.array(labels, float)
        except (ValueError, TypeError) as error:
            raise DataError(f"features and labels are numbers, a row for every document: {error}") from None
        known = np.full(len(matrix), np.nan) if known is None else known
        return cls(tuple(map(name_of, queries)), tuple(map(name_of, documents)), matrix, known)

    def __post_init__(self) -> None:
        rows = len(self.queries)
        if self.values.ndim != 2 or {len(self.documents), len(self.values), len(self.labels)} != {rows}:
            raise DataError(
                f"features need a query, a document, a row of numbers and a label each: there are {rows} queries, "
                f"{len(self.documents)} documents, a matrix of {self.values.shape} and {len(self.labels)} labels"
            )
        bad = np.argwhere(~np.isfinite(self.values))
        if len(bad):
            row, column = bad[0].tolist()
            raise DataError(
                f"feature {column + 1} of document {self.documents[row]!r} of query {self.queries[row]!r} is "
                f"{self.values[row, column]}: give it a finite number, or leave the document out"
            )
        if len(self.row_of) < rows:
            seen: set[tuple[str, str]] = set()
            twice = next(key for key in self._keys() if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise DataError(f"document {twice[1]!r} stands twice in query {twice[0]!r}: leave out one of the two")

    @cached_property
    def row_of(self) -> dict[tuple[str, str], int]:
        """The row of a query's document."""
        return {key: row for row, key in enumerate(self._keys())}

    @cached_property
    def rows_of(self) -> dict[str, Rows]:
        """The rows of every query, queries in order of first appearance."""
        rows: dict[str, list[int]] = {}
        for row, query in enumerate(self.queries):
            rows.setdefault(query, []).append(row)
        return {query: np.array(some, np.intp) for query, some in rows.items()}

    @property
    def width(self) -> int:
        """How many features there are."""
        return int(self.values.shape[1])

    def select(self, rows: ArrayLike) -> "Features":
        """Some rows, by their numbers or by a mask."""
        chosen = np.arange(len(self))[np.asarray(rows)]
        numbers = chosen.tolist()
        return Features(
            tuple(self.queries[row] for row in numbers), tuple(self.documents[row] for row in numbers),
            self.values[chosen], self.labels[chosen],
            tuple(self.comments[row] for row in numbers) if self.comments else (),
        )  # fmt: skip

    def of_queries(self, queries: Iterable[str]) -> "Features":
        """The rows of some queries, in the order of the queries.

        >>> made = Features.from_arrays([1, 1, 2], ["a", "b", "a"], [[0.1], [0.2], [0.4]])
        >>> made.of_queries(["2"]).documents
        ('a',)
        """
        wanted = list(dict.fromkeys(queries))
        unknown = [query for query in wanted if query not in self.rows_of]
        if unknown:
            raise DataError(f"no features of {len(unknown)} queries: {_some(unknown)}")
        none = np.empty(0, np.intp)
        return self.select(np.concatenate([none, *(self.rows_of[query] for query in wanted)]))

    def _keys(self) -> Iterable[tuple[str, str]]:
        return zip(self.queries, self.documents, strict=True)

    def __len__(self) -> int:
        return len(self.queries)

    def __repr__(self) -> str:
        counts = {"query": len(self.rows_of), "document": len(self), "feature": self.width}
        return f"Features({', '.join(_counted(name, count) for name, count in counts.items())})"


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")


def _counted(name: str, count: int) -> str:
    plural = {"query": "queries"}.get(name, f"{name}s")
    return f"{count:,} {name if count == 1 else plural}"
