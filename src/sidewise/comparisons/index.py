"""Ids and their codes: an ``Index`` is a fixed list of distinct ids, an ``Encoder`` one that still grows."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import overload

import numpy as np
import pyarrow as pa

from sidewise.comparisons.arrow import Codes, encode
from sidewise.errors import ComparisonError

THREADS_PAY = 50_000  # rows
MISSING, PADDED = -1, -2  # codes of what cannot be an id: nothing, and an id with blanks around it


class Index(Sequence[str]):
    """Distinct ids in a fixed order; the position of an id is its code.

    >>> index = Index(["007", "b"])
    >>> index.code("b"), index[0], "c" in index
    (1, '007', False)
    """

    def __init__(self, ids: Iterable[str] = ()) -> None:
        self._ids = tuple(ids)

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {label: code for code, label in enumerate(self._ids)}

    def code(self, label: str) -> int:
        """The code of an id, or an error that names it."""
        try:
            return self._codes[label]
        except KeyError:
            near = ", ".join(repr(known) for known in self._ids[:5])
            raise ComparisonError(f"no item {label!r} among the {len(self)} known ({near}, …)") from None

    @overload
    def __getitem__(self, position: int) -> str: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[str, ...]: ...
    def __getitem__(self, position: int | slice) -> str | tuple[str, ...]:
        return self._ids[position]

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __contains__(self, label: object) -> bool:
        return label in self._codes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Index) and self._ids == other._ids

    def __hash__(self) -> int:
        return hash(self._ids)

    def __repr__(self) -> str:
        shown = ", ".join(repr(label) for label in self._ids[:3])
        return f"Index({len(self)}: {shown}{', …' if len(self) > 3 else ''})"


class Encoder:
    """Gives every id that it meets a code, in order of first appearance."""

    def __init__(self, ids: Iterable[str] = ()) -> None:
        self._codes: dict[str, int] = {}
        for label in ids:
            self._codes.setdefault(label, len(self._codes))

    def __len__(self) -> int:
        return len(self._codes)

    def __contains__(self, label: object) -> bool:
        return label in self._codes

    def encode(self, *columns: pa.ChunkedArray) -> list[Codes]:
        """Codes for columns of strings that share one set of ids; what cannot be an id gets a negative code.

        Arrow hashes the strings once, each column in a thread of its own; Python sees only the distinct ones.
        """
        if len(columns) > 1 and len(columns[0]) > THREADS_PAY:
            with ThreadPoolExecutor(len(columns)) as pool:
                encoded = list(pool.map(encode, columns))
        else:
            encoded = list(map(encode, columns))
        return [np.array([*self._coded(distinct), MISSING], np.int32)[codes] for codes, distinct in encoded]

    def _coded(self, labels: list[str]) -> Iterator[int]:
        known = self._codes
        for label in labels:
            if label.strip() == label and label:
                yield known.setdefault(label, len(known))
            else:
                yield PADDED if label else MISSING

    def index(self) -> Index:
        """The ids met so far."""
        return Index(self._codes)


def is_missing(value: object) -> bool:
    """Whether an id is none: None, or the NaN that pandas writes into empty cells, which is no item "nan"."""
    return value is None or (isinstance(value, float) and value != value)  # noqa: PLR0124
