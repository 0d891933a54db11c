"""``Preferences``: which of two documents was preferred for a query, and which documents were judged bad."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from sidewise.comparisons import Comparisons, Index
from sidewise.comparisons.arrow import Codes, Floats, as_text, from_frame
from sidewise.comparisons.index import Encoder
from sidewise.errors import ComparisonError, DataError
from sidewise.preferences.lines import Lines, encoded, numbers, rows_of, spelled
from sidewise.preferences.words import counted

Form = Literal["collection", "prefs", "winner"]
Signs = NDArray[np.int8]
NA = "NA"


class Levels(NamedTuple):
    """Documents with levels: those of one sub-group are preferred by falling level (trec_eval's ``prefs``)."""

    query: tuple[str, ...]
    group: tuple[str, ...]
    subgroup: tuple[str, ...]
    document: tuple[str, ...]
    level: tuple[str, ...]  # as it was written


@dataclass(frozen=True, eq=False)
class Preferences:
    """Preference judgments: for a query, which of two documents is better, are duplicates, or which one is bad.

    ``judgment`` has the codes of the test collection (Carterette, Bennett and Chapelle 2008): −1 the first document is
    preferred, 1 the second, 0 they are duplicates, −2 the first is bad and 2 the second, with −1 for the code of the
    document that is not there. ``degree`` says how strongly, where the judgments are graded. Judgments of different
    groups may contradict each other, those of one group should not. Build one with :func:`read_preferences`,
    :meth:`from_frame` or :meth:`from_arrays`.

    >>> Preferences.from_arrays(query=["q", "q"], first=["a", "c"], second=["b", "NA"], judgment=[-1, -2])
    Preferences(1 query, 3 documents, 2 judgments)
    """

    query: Codes
    first: Codes
    second: Codes
    judgment: Signs
    queries: Index
    documents: Index
    degree: Floats | None = None
    group: Codes | None = None
    groups: Index = field(default_factory=Index)
    line: NDArray[np.int64] | None = None
    source: str = "the data"
    form: Form = "collection"
    levels: Levels | None = None  # the lines of a file of levels, from which the judgments follow

    @classmethod
    def from_arrays(
        cls,
        *,
        query: ArrayLike,
        first: ArrayLike,
        second: ArrayLike,
        judgment: ArrayLike,
        group: ArrayLike | None = None,
        graded: bool = False,
    ) -> "Preferences":
        """Take judgments from arrays or lists of equal length, coded as in the test collection's files."""
        given = {"query": query, "first": first, "second": second, "judgment": judgment, "group": group}
        table = {name: _listed(values, name) for name, values in given.items() if values is not None}
        lengths = {name: len(values) for name, values in table.items()}
        if len(set(lengths.values())) > 1:
            raise DataError(f"the arrays differ in length: {lengths}")
        return cls.from_frame(pa.table(table), group=None if group is None else "group", graded=graded)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        query: str = "query",
        first: str = "first",
        second: str = "second",
        judgment: str = "judgment",
        group: str | None = None,
        graded: bool = False,
    ) -> "Preferences":
        """Take judgments from any dataframe that speaks the Arrow PyCapsule protocol (pandas, polars, DuckDB …).

        Parameters
        ----------
        frame
            The dataframe; a document that is not there is null or "NA".
        query, first, second, judgment
            Names of the columns.
        group
            Column of who judged, where there are several judges who may contradict each other.
        graded
            Whether judgments are degrees of preference: −3 says that the first document is strongly preferred.
        """
        table = from_frame(frame)
        names = [name for name in (query, first, second, judgment, group) if name is not None]
        for name in names:
            if name not in table.column_names:
                known = ", ".join(table.column_names)
                raise DataError(f"there is no column {name!r}; the columns are {known}")
        columns = [_words(table[name], name, NA if name in (first, second) else "") for name in names]
        rows = rows_of("the data", columns)
        return from_pairs(rows, columns[:4], graded=graded, group=columns[4] if group else None)

    def __len__(self) -> int:
        return len(self.query)

    def __repr__(self) -> str:
        queries, documents = counted(len(self.queries), "query", "queries"), counted(len(self.documents), "document")
        return f"Preferences({queries}, {documents}, {counted(len(self), 'judgment')})"

    def select(self, queries: Iterable[str]) -> "Preferences":
        """The judgments of some queries."""
        chosen = [self._code(query) for query in dict.fromkeys(queries)]
        renumbered = np.full(len(self.queries), -1, np.int32)
        renumbered[chosen] = np.arange(len(chosen), dtype=np.int32)
        rows = np.flatnonzero(renumbered[self.query] >= 0)
        kept = replace(self.rows(rows), queries=Index(self.queries[code] for code in chosen))
        return replace(kept, query=renumbered[self.query[rows]], levels=_chosen(self.levels, kept.queries))

    def rows(self, rows: NDArray[np.int64]) -> "Preferences":
        """Some of the judgments, by position; queries and documents stay known."""
        kept: dict[str, Any] = {name: values[rows] for name in _COLUMNS if (values := getattr(self, name)) is not None}
        return replace(self, **kept)

    def _code(self, query: str) -> int:
        if query not in self.queries:
            near = ", ".join([*map(repr, self.queries[:5]), *(["…"] if len(self.queries) > 5 else [])])
            raise DataError(f"{self.source} has no query {query!r}; it has {near}")
        return self.queries.code(query)

    def to_frame(self) -> pa.Table:
        """The judgments as an Arrow table of query, first, second and judgment (times its degree), and the group."""
        names = pa.array(list(self.documents), pa.string())
        sides = {
            name: pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), names).cast(pa.string())
            for name, codes in (("first", self.first), ("second", self.second))
        }
        columns: dict[str, Any] = {"query": _named(self.queries, self.query), **sides, "judgment": self.strength()}
        if self.group is not None:
            columns["group"] = _named(self.groups, self.group)
        return pa.table(columns)

    def strength(self) -> NDArray[Any]:
        """The judgments as a file has them: codes, times their degrees where there are any."""
        if self.degree is None:
            return self.judgment
        return np.where(abs(self.judgment) == 1, self.judgment * self.degree, self.judgment)

    def to_comparisons(self, query: str) -> Comparisons:
        """The judgments of one query as comparisons, for the models that rank.

        Every judgment of a pair is a comparison of its own, duplicates are ties, groups are workers. Marks of bad
        documents compare no two documents and are left out; the documents are still among the items. Degrees of
        preference are not kept: a comparison has none.
        """
        rows = np.flatnonzero(self.query == self._code(query))
        used = np.unique(np.concatenate([self.first[rows], self.second[rows]]))
        used = used[used >= 0]
        rows = rows[abs(self.judgment[rows]) < 2]
        if not len(rows):
            raise ComparisonError(f"query {query!r} has no judgments of two documents, so there is nothing to compare")
        worker, workers = (None, Index()) if self.group is None else _compact(self.group[rows], self.groups)
        return Comparisons(
            np.searchsorted(used, self.first[rows]).astype(np.int32),
            np.searchsorted(used, self.second[rows]).astype(np.int32),
            (1 - self.judgment[rows]) / 2,
            Index(self.documents[code] for code in used.tolist()),
            worker,
            workers,
        )


_COLUMNS = ("query", "first", "second", "judgment", "degree", "group", "line")


def from_pairs(
    lines: Lines,
    columns: Sequence[Sequence[str]],
    *,
    graded: bool = False,
    group: Sequence[str] | None = None,
    form: Form = "collection",
) -> Preferences:
    """Judgments of pairs, checked: columns of query, first, second and the test collection's code."""
    queries, documents, groups = Encoder(), Encoder(), Encoder()
    (query,) = encoded(queries, columns[0])
    first, second = encoded(documents, *([None if name == NA else name for name in side] for side in columns[1:3]))
    who = None if group is None else encoded(groups, group)[0]
    strength = numbers(columns[3])
    for codes, names in ((query, columns[0]), (first, columns[1]), (second, columns[2]), (who, group)):
        if codes is not None and names is not None and codes.min(initial=0) < 0:
            lines.refuse((codes < 0) & (np.array(names) != NA), "no id")
    _check(lines, (first, second), strength, graded=graded)
    marks = (first < 0) | (second < 0)
    return Preferences(
        query,
        first,
        second,
        np.where(marks, np.where(first < 0, 2, -2), np.sign(strength)).astype(np.int8),
        queries.index(),
        documents.index(),
        degree=np.where(marks | (strength == 0), 1.0, abs(strength)) if graded else None,
        group=who,
        groups=groups.index(),
        line=np.array(lines.number, np.int64),
        source=lines.source,
        form=form,
    )


def _check(lines: Lines, sides: Sequence[Codes], strength: Floats, *, graded: bool) -> None:
    first, second = (side < 0 for side in sides)
    known = np.isfinite(strength) if graded else np.isin(strength, (-2, -1, 0, 1, 2))
    lines.refuse(~known, "no degree of preference" if graded else "no judgment")
    lines.refuse(first & second, "both documents are NA")
    marked = first ^ second
    lines.refuse(marked & (abs(strength) != 2), "NA without 2 or -2")
    if not graded:
        lines.refuse(~marked & (abs(strength) == 2), "2 or -2 without NA")
    lines.refuse(~first & (sides[0] == sides[1]), "a document against itself")
    lines.check()


def _listed(values: ArrayLike, name: str) -> pa.Array:
    column = np.asarray(values)
    if column.ndim != 1:
        raise DataError(f"{name} is {values!r}; pass a list or an array with one entry for every judgment")
    return pa.array(column.tolist(), from_pandas=True)


def _words(column: pa.ChunkedArray, name: str, absent: str) -> list[str]:
    """A column of ids or judgments by their spelling."""
    if pa.types.is_floating(column.type):
        return [absent if value is None or value != value else spelled(value) for value in column.to_pylist()]  # noqa: PLR0124
    return [absent if value is None else value for value in as_text(column, name).to_pylist()]


def _named(index: Index, codes: Codes) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(list(index), pa.string())).cast(pa.string())


def _compact(codes: Codes, index: Index) -> tuple[Codes, Index]:
    used, renumbered = np.unique(codes, return_inverse=True)
    return renumbered.astype(np.int32), Index(index[code] for code in used.tolist())


def _chosen(levels: Levels | None, queries: Index) -> Levels | None:
    if levels is None:
        return None
    rows = [row for row in zip(*levels, strict=True) if row[0] in queries]
    return Levels(*zip(*rows, strict=True))
