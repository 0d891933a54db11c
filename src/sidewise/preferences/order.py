"""``PartialOrder``: every preference among the documents of a query."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons.arrow import Codes, Floats
from sidewise.preferences.bits import Bits, positions
from sidewise.preferences.words import counted


class Pairs(NamedTuple):
    """Preferences by the numbers of the documents."""

    better: Codes
    worse: Codes
    degree: Floats


@dataclass(frozen=True, eq=False)
class PartialOrder:
    """Every preference among the documents of a query, stated or implied.

    Documents are numbered so that none is preferred to one before it. ``below[level][document]`` is the set, as bits of
    a number, of the documents that ``document`` is preferred to by at least ``degrees[level]``; ``above`` is the same
    seen from the other side. Duplicates, bad documents, and those that nothing orders are in neither.
    """

    query: str
    group: str | None
    documents: tuple[str, ...]
    degrees: tuple[float, ...]
    below: Sequence[Sequence[Bits]]
    above: Sequence[Sequence[Bits]]
    duplicates: tuple[tuple[int, ...], ...] = ()  # classes of two or more
    bad: Bits = 0
    undecided: tuple[tuple[str, ...], ...] = ()  # documents whose order contradictions leave open
    transitive: bool = True

    def __len__(self) -> int:
        return sum(below.bit_count() for below in self.below[0])

    def __repr__(self) -> str:
        sizes = f"{counted(len(self.documents), 'document')}, {counted(len(self), 'preference')}"
        return f"PartialOrder(query {self.query}, {sizes})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartialOrder) and self._content == other._content

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def _content(self) -> tuple[object, ...]:
        """What the order says, whatever the numbers of the documents."""
        name = self.documents
        columns = (column.tolist() for column in self.pairs)
        pairs = {(name[a], name[b], degree) for a, b, degree in zip(*columns, strict=True)}
        classes = {frozenset(name[document] for document in members) for members in self.duplicates}
        return self.query, self.group, pairs, classes, {name[document] for document in positions(self.bad)}

    @cached_property
    def pairs(self) -> Pairs:
        """All preferences as arrays: the numbers of the better and of the worse documents, and the degrees."""
        better, worse = np.nonzero(self.matrix)
        degree = np.full(len(better), self.degrees[0])
        for level, least in enumerate(self.degrees[1:], 1):
            degree[_matrix(self.below[level])[better, worse]] = least
        return Pairs(better.astype(np.int32), worse.astype(np.int32), degree)

    @property
    def matrix(self) -> NDArray[np.bool_]:
        """Whether the document of the row is preferred to that of the column."""
        return _matrix(self.below[0])

    def degree(self, better: int, worse: int) -> float:
        """How strongly one document is preferred to another; 0 if it is not."""
        held = [least for least, below in zip(self.degrees, self.below, strict=True) if below[better] >> worse & 1]
        return max(held, default=0.0)

    def bad_documents(self) -> Iterator[str]:
        """The documents that were judged bad."""
        return (self.documents[document] for document in positions(self.bad))


def _matrix(rows: Sequence[Bits]) -> NDArray[np.bool_]:
    size, width = len(rows), (len(rows) + 7) // 8
    packed = np.frombuffer(b"".join(row.to_bytes(width, "little") for row in rows), np.uint8).reshape(size, width)
    return np.unpackbits(packed, axis=1, count=size, bitorder="little").view(bool)
