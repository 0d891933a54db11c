"""All preferences that follow from the judgments, by transitivity; or the contradictions that are in the way."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa

from sidewise.comparisons.index import Encoder
from sidewise.errors import DataError
from sidewise.preferences.bits import positions
from sidewise.preferences.building import closed, silent, stated
from sidewise.preferences.judged import DUPLICATES, FIRST, FIRST_BAD, Judged, judged
from sidewise.preferences.lines import encoded
from sidewise.preferences.order import PartialOrder
from sidewise.preferences.table import Preferences
from sidewise.preferences.tangle import Contradiction, found_in, tangle
from sidewise.preferences.words import counted

OnContradiction = Literal["raise", "drop"]
SHOWN = 3  # contradictions in a message
OR_DROP = (
    "mend the judgments, take what most people said (majority), or leave contradictory pairs undecided with "
    "on_contradiction='drop' (command line: --drop-contradictions)"
)


class Row(NamedTuple):
    """A judgment, by names."""

    query: str
    group: str | None
    first: str
    second: str | None
    judgment: int
    degree: float = 1.0


@dataclass(frozen=True, eq=False)
class Closure:
    """Every preference of every query, and the contradictions that were dropped on the way.

    Judgments of different groups stay apart: a query has one :class:`PartialOrder` for each, and a preference counts
    as often as groups have it.
    """

    queries: tuple[str, ...]
    orders: tuple[PartialOrder, ...]
    contradictions: tuple[Contradiction, ...] = ()
    source: str = "the data"

    def __getitem__(self, query: str) -> tuple[PartialOrder, ...]:
        """The preferences of a query, one order for each group of judges."""
        if query not in self._by_query:
            raise DataError(f"{self.source} has no query {query!r}")
        return tuple(self._by_query[query])

    @cached_property
    def _by_query(self) -> dict[str, list[PartialOrder]]:
        found: dict[str, list[PartialOrder]] = {query: [] for query in self.queries}
        for order in self.orders:
            found[order.query].append(order)
        return found

    def __iter__(self) -> Iterator[PartialOrder]:
        return iter(self.orders)

    def __len__(self) -> int:
        return sum(map(len, self.orders))

    def __repr__(self) -> str:
        dropped = f", {counted(len(self.contradictions), 'contradiction')} dropped" if self.contradictions else ""
        queries = counted(len(self.queries), "query", "queries")
        return f"Closure({queries}, {counted(len(self), 'preference')}{dropped})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Closure) and self.queries == other.queries and self.orders == other.orders

    __hash__ = None  # type: ignore[assignment]

    def to_frame(self) -> pa.Table:
        """All preferences as an Arrow table of query, better, worse and degree, and group where there are several."""
        parts = [_frame(order) for order in self.orders]
        table = pa.concat_tables(parts)
        return table if any(order.group is not None for order in self.orders) else table.drop_columns(["group"])

    def to_preferences(self, *, marks: bool = True) -> Preferences:
        """All preferences as judgments, to be written to a file; with ``marks``, also duplicates and bad documents."""
        return as_preferences((row for order in self.orders for row in _rows(order, marks=marks)), self.queries)


def closure(
    preferences: Preferences, *, transitive: bool = True, on_contradiction: OnContradiction = "raise"
) -> Closure:
    """All preferences that follow from the judgments of each query: n judgments of n documents give up to n(n−1)/2.

    If a is preferred to b and b to c, then a is preferred to c. Duplicates are equal: what holds for one holds for
    the other. A document judged bad is below all that were not, and a duplicate of a bad one is bad. Pairs of
    duplicates, of two bad documents, and those that no chain of judgments orders are in neither direction (Carterette,
    Bennett and Chapelle, *A test collection of preference judgments*, 2008, sections 2 to 4). An implied preference is
    as strong as the strongest judgment on a way from one document to the other, and that for a good document over a
    bad one has degree 1, unless judgments say more; the paper leaves both open.

    Where several people judged the same pairs, take what most of them say first (:func:`majority`), or fit a ranking
    model to all of them: one slip among transitive judgments turns many implied preferences round.

    Parameters
    ----------
    preferences
        The judgments.
    transitive
        False takes only what was stated, and bad documents as below all others.
    on_contradiction
        "raise" refuses judgments that contradict each other, and names a shortest chain of them; "drop" leaves the
        pairs within each knot of contradictions undecided, and keeps the contradictions in the result.

    Examples
    --------
    >>> chain = Preferences.from_arrays(query=[1, 1], first=["a", "b"], second=["b", "c"], judgment=[-1, -1])
    >>> closure(chain)
    Closure(1 query, 3 preferences)
    >>> closure(chain).to_frame().to_pydict()["better"]
    ['a', 'a', 'b']
    """
    if on_contradiction not in get_args(OnContradiction):
        raise DataError(f"on_contradiction={on_contradiction!r} is neither 'raise' nor 'drop'")
    orders: list[PartialOrder] = []
    found: list[Contradiction] = []
    for some in judged(preferences):
        order, knots = _ordered(some, transitive=transitive)
        orders.append(order)
        found += knots
    if found and on_contradiction == "raise":
        raise DataError(contradicting(preferences.source, found, OR_DROP))
    return Closure(tuple(preferences.queries), tuple(orders), tuple(found), preferences.source)


def contradictions(preferences: Preferences) -> list[Contradiction]:
    """Where the judgments of a query contradict each other: cycles, preferences between duplicates, bad documents
    that are preferred to good ones.

    There is one for every knot: a set of documents each of which is, by some chain of judgments, preferred to
    itself. It names a shortest chain in the knot; a knot may hold many.

    Parameters
    ----------
    preferences
        The judgments.

    Examples
    --------
    >>> ring = Preferences.from_arrays(query=[1] * 3, first=["a", "b", "c"], second=["b", "c", "a"], judgment=[-1] * 3)
    >>> print(contradictions(ring)[0])
    query 1: a > b (line 1), b > c (line 2), c > a (line 3)
    """
    return [found for some in judged(preferences) for found in found_in(tangle(some))]


def _ordered(some: Judged, *, transitive: bool) -> tuple[PartialOrder, Sequence[Contradiction]]:
    if not some.documents:
        return silent(some), ()
    if not transitive:
        return stated(tangle(some._replace(duplicates=[])))
    graph = tangle(some)
    knots = found_in(graph)
    return closed(graph, knots), knots


def contradicting(source: str, found: Sequence[Contradiction], cure: str) -> str:
    """What to say of judgments that contradict each other."""
    shown = [str(knot) for knot in found[:SHOWN]]
    rest = [f"… and {len(found) - SHOWN:,} more"] if len(found) > SHOWN else []
    return "\n  ".join([f"{source}: the judgments contradict each other:", *shown, *rest, cure])


def as_preferences(rows: Iterable[Row], queries: Sequence[str]) -> Preferences:
    """Judgments as a table."""
    held = list(rows)
    known, documents, groups = Encoder(queries), Encoder(), Encoder()
    (query,) = encoded(known, [row.query for row in held])
    first, second = encoded(documents, [row.first for row in held], [row.second for row in held])
    (group,) = encoded(groups, [row.group for row in held])
    degree = np.array([row.degree for row in held], float)
    return Preferences(
        query,
        first,
        second,
        np.array([row.judgment for row in held], np.int8),
        known.index(),
        documents.index(),
        degree=degree if (degree != 1).any() else None,
        group=group if len(groups) else None,
        groups=groups.index(),
    )


def _rows(order: PartialOrder, *, marks: bool) -> Iterator[Row]:
    name, (better, worse, degree) = order.documents, order.pairs
    for a, b, strength in zip(better.tolist(), worse.tolist(), degree.tolist(), strict=True):
        yield Row(order.query, order.group, name[a], name[b], FIRST, strength)
    if marks:
        yield from mark_rows(order)


def mark_rows(order: PartialOrder, *, representative: bool = False) -> Iterator[Row]:
    """Duplicates, each with the next, and bad documents: all, or the first of its duplicates alone."""
    name, spared = order.documents, set[int]()
    for members in order.duplicates:
        for a, b in pairwise(members):
            yield Row(order.query, order.group, name[a], name[b], DUPLICATES)
        spared.update(members[1:] if representative else ())
    for document in positions(order.bad):
        if document not in spared:
            yield Row(order.query, order.group, name[document], None, FIRST_BAD)


def _frame(order: PartialOrder) -> pa.Table:
    names = pa.array(order.documents, pa.string())
    better, worse, degree = order.pairs
    return pa.table(
        {
            "query": pa.array([order.query] * len(better), pa.string()),
            "better": names.take(pa.array(better)),
            "worse": names.take(pa.array(worse)),
            "degree": degree,
            "group": pa.array([order.group] * len(better), pa.string()),
        }
    )
