"""The judgments of one query by one group of judges, documents by number: what closure and reduction work on."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons.arrow import Codes, Mask

if TYPE_CHECKING:
    from sidewise.preferences.table import Preferences

FIRST, SECOND, DUPLICATES, FIRST_BAD, SECOND_BAD = -1, 1, 0, -2, 2  # the codes of the test collection


class Judged(NamedTuple):
    """What one group of judges said about one query; every judgment with its line."""

    query: str
    group: str | None
    documents: list[str]
    preferred: list[tuple[int, int, float, int]]  # the better document, the worse one, the degree, the line
    duplicates: list[tuple[int, int, int]]
    bad: list[tuple[int, int]]


def judged(preferences: "Preferences") -> Iterator[Judged]:
    """The judgments query by query and group by group; a query of which nothing was said has no judgments."""
    order = np.argsort(preferences.query, kind="stable")
    bounds = np.searchsorted(preferences.query[order], np.arange(len(preferences.queries) + 1))
    for query, start, end in zip(preferences.queries, bounds, bounds[1:], strict=False):
        some = preferences.rows(order[start:end])
        if not len(some):
            yield Judged(query, None, [], [], [], [])
        elif some.group is None:
            yield _judged(some, query, None)
        else:
            for who in dict.fromkeys(some.group.tolist()):
                yield _judged(some.rows(np.flatnonzero(some.group == who)), query, preferences.groups[who])


def _judged(some: "Preferences", query: str, group: str | None) -> Judged:
    """The judgments of one query and group, with documents numbered as they come."""
    codes, first, second = _numbered(some.first, some.second)
    line = np.zeros(len(some), np.int64) if some.line is None else some.line
    degree = np.ones(len(some)) if some.degree is None else some.degree
    better = np.where(some.judgment == FIRST, first, second)
    worse = np.where(some.judgment == FIRST, second, first)
    marked = np.where(some.judgment == FIRST_BAD, first, second)
    pairs, same, bad = abs(some.judgment) == 1, some.judgment == DUPLICATES, abs(some.judgment) == SECOND_BAD
    return Judged(
        query,
        group,
        [some.documents[code] for code in codes.tolist()],
        _rows(pairs, better, worse, degree, line),
        _rows(same, first, second, line),
        _rows(bad, marked, line),
    )


def _rows(mask: Mask, *columns: NDArray[Any]) -> list[Any]:
    return list(zip(*(column[mask].tolist() for column in columns), strict=True))


def _numbered(first: Codes, second: Codes) -> tuple[Codes, Codes, Codes]:
    """The codes of the documents in the order in which they come, and the sides by their places in it."""
    both = np.stack([first, second], axis=1).ravel()
    codes, start, place = np.unique(both, return_index=True, return_inverse=True)
    start = np.where(codes < 0, len(both), start)  # NA is no document, and comes last
    by_place = np.argsort(start, kind="stable")
    number = np.empty(len(codes), np.int32)
    number[by_place] = np.arange(len(codes))
    sides = number[place].reshape(-1, 2)
    return codes[by_place][: int((codes >= 0).sum())], sides[:, 0], sides[:, 1]
