"""What a search engine returned: for every query, documents in order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from sidewise.comparisons.arrow import Floats
from sidewise.errors import DataError
from sidewise.preferences.lines import Lines, again, check_name, name_of, numbers, read_lines, rows_of, write_lines
from sidewise.preferences.words import counted

Order = Literal["score", "rank"]


@dataclass(frozen=True, eq=False)
class Run(Mapping[str, tuple[str, ...]]):
    """A run: for every query the documents that were retrieved, best first, with their scores.

    >>> run = Run.from_arrays(query=["q", "q"], document=["a", "b"], score=[0.5, 0.9])
    >>> run["q"], run
    (('b', 'a'), Run(1 query, 2 documents))
    """

    ranked: Mapping[str, tuple[str, ...]]
    scores: Mapping[str, Floats]
    tag: str = "sidewise"

    @classmethod
    def from_arrays(cls, *, query: ArrayLike, document: ArrayLike, score: ArrayLike, tag: str = "sidewise") -> "Run":
        """Take a run from arrays of equal length: documents are ordered as :func:`read_run` does."""
        queries, documents = ([name_of(name) for name in np.asarray(column).tolist()] for column in (query, document))
        values = np.asarray(score, float)
        if not len(queries) == len(documents) == len(values):
            sizes = f"{len(queries)} queries, {len(documents)} documents, {len(values)} scores"
            raise DataError(f"the arrays differ in length: {sizes}")
        rows = rows_of("the data", (queries, documents, list(map(str, values.tolist()))))
        return _ordered(rows, queries, documents, values, tag)

    @classmethod
    def from_lists(cls, lists: Mapping[str, Sequence[str]], *, tag: str = "sidewise") -> "Run":
        """Take a run from lists of documents, best first; scores fall by one from rank to rank.

        >>> Run.from_lists({"q": ["b", "a"]})["q"]
        ('b', 'a')
        """
        ranked = {}
        for query, documents in lists.items():
            if isinstance(documents, str) or not isinstance(documents, Iterable):
                raise DataError(f"query {query!r} has {documents!r}; give it a list of documents, best first")
            ranked[name_of(query)] = tuple(map(name_of, documents))
        for query, documents in ranked.items():
            if len(set(documents)) < len(documents):
                again = next(name for place, name in enumerate(documents) if name in documents[:place])
                raise DataError(f"query {query!r}: the document {again!r} stands twice in the list")
        return cls(ranked, {name: np.arange(len(some), 0.0, -1.0) for name, some in ranked.items()}, tag)

    def __getitem__(self, query: str) -> tuple[str, ...]:
        return self.ranked[query]

    def __iter__(self) -> Iterator[str]:
        return iter(self.ranked)

    def __len__(self) -> int:
        return len(self.ranked)

    def __repr__(self) -> str:
        held = sum(map(len, self.ranked.values()))
        return f"Run({counted(len(self), 'query', 'queries')}, {counted(held, 'document')})"

    def to_frame(self) -> pa.Table:
        """The run as an Arrow table of query, document, rank and score."""
        rows: dict[str, list[Any]] = {"query": [], "document": [], "rank": [], "score": []}
        for query, documents in self.ranked.items():
            rows["query"] += [query] * len(documents)
            rows["document"] += documents
            rows["rank"] += range(1, len(documents) + 1)
            rows["score"] += self.scores[query].tolist()
        return pa.table(rows)


def read_run(path: str | Path, *, order: Order = "score") -> Run:
    r"""Read a run in TREC's form: lines of query, ``Q0``, document, rank, score and tag.

    Parameters
    ----------
    path
        A text file, gzipped or not.
    order
        "score" orders the documents of a query by falling score, and those of equal scores by falling name, whatever
        the ranks say: trec_eval does so. (It keeps scores in single precision, we in double: scores that differ from
        the eighth digit on are equal there and not here.) "rank" goes by the ranks in the file, and by its lines where
        they are equal.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "run.txt"
    >>> _ = path.write_text("1 Q0 a 1 7.5 me\n1 Q0 b 2 7.5 me\n")
    >>> read_run(path)["1"], read_run(path, order="rank")["1"]
    (('b', 'a'), ('a', 'b'))
    """
    if order not in get_args(Order):
        raise DataError(f"order={order!r} is neither 'score' nor 'rank'")
    lines = read_lines(path)
    query, _, document, rank, score, tag = lines.columns(6)
    scores, ranks = numbers(score), numbers(rank)
    lines.refuse(~np.isfinite(ranks) if order == "rank" else np.zeros(len(lines), bool), "no rank")
    return _ordered(lines, query, document, scores, tag[0], ranks if order == "rank" else None)


def _ordered(
    lines: Lines, query: Sequence[str], document: Sequence[str], score: Floats, tag: str, rank: Floats | None = None
) -> Run:
    lines.refuse(~np.isfinite(score), "no score")
    rows: dict[str, list[int]] = {}
    for position, name in enumerate(query):
        rows.setdefault(name, []).append(position)
    if any(len({document[position] for position in held}) < len(held) for held in rows.values()):
        lines.refuse(again(query, document), "a document twice in one query")
    lines.check()
    ranked, scores = {}, {}
    place = (-score if rank is None else rank).tolist()
    for name, held in rows.items():
        if rank is None:
            held.sort(key=document.__getitem__, reverse=True)
        held.sort(key=place.__getitem__)  # a stable sort: what was in order stays so where places are equal
        ranked[name] = tuple(document[position] for position in held)
        scores[name] = score[held]
    return Run(ranked, scores, tag)


def write_run(run: Run, path: str | Path) -> None:
    """Write a run in TREC's form; :func:`read_run` gives it back (with order="rank" where scores do not fall)."""
    for name in (*run, *(document for documents in run.values() for document in documents), run.tag):
        check_name(name, path)
    write_lines(
        path,
        (
            f"{query} Q0 {document} {rank} {score!r} {run.tag}"
            for query, documents in run.items()
            for rank, (document, score) in enumerate(zip(documents, run.scores[query].tolist(), strict=True), 1)
        ),
    )
