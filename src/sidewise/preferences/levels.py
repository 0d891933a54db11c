"""Judgments by levels: trec_eval's ``prefs`` files, and preferences that follow from grades of relevance."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from sidewise.comparisons.arrow import Codes, Floats
from sidewise.comparisons.index import Encoder
from sidewise.preferences.judged import FIRST, FIRST_BAD
from sidewise.preferences.lines import Lines, encoded, numbers
from sidewise.preferences.table import Levels, Preferences

Zero = Literal["level", "bad"]


def from_levels(lines: Lines, levels: Levels, *, zero: Zero = "level") -> Preferences:
    """The judgments that levels state: of two documents of a sub-group, the one of the higher level is preferred.

    Only documents of adjacent levels become judgments, since the others follow from them. Equal levels say nothing.
    A level of 0 means non-relevant by convention; ``zero="bad"`` takes it as a mark, so that such a document is below
    all others of the query, and not only of its sub-group.
    """
    queries, groups, subgroups, documents = Encoder(), Encoder(), Encoder(), Encoder()
    query, group, subgroup, document = (
        encoded(encoder, column)[0]
        for encoder, column in zip((queries, groups, subgroups, documents), levels[:4], strict=True)
    )
    rows = _Rows(query, group, subgroup, document, numbers(levels.level))
    _check(lines, rows)
    better, worse, marks = _pairs(rows, zero)
    sides = np.concatenate([better, marks])
    return Preferences(
        query[sides],
        document[sides],
        np.concatenate([document[worse], np.full(len(marks), -1, np.int32)]),
        np.repeat(np.array([FIRST, FIRST_BAD], np.int8), [len(better), len(marks)]),
        queries.index(),
        documents.index(),
        group=group[sides] if len(groups) > 1 else None,
        groups=groups.index(),
        line=np.array(lines.number, np.int64)[sides],
        source=lines.source,
        form="prefs",
        levels=levels,
    )


class _Rows(NamedTuple):
    query: Codes
    group: Codes
    subgroup: Codes
    document: Codes
    level: Floats


def _check(lines: Lines, rows: _Rows) -> None:
    lines.refuse(~(np.isfinite(rows.level) & (rows.level >= 0)), "no level")
    lines.refuse(_repeated(rows.query, rows.group, rows.subgroup, rows.document), "a document twice in one sub-group")
    _, judge = np.unique(np.stack([rows.query, rows.group, rows.document]), axis=1, return_inverse=True)
    highest = np.zeros(judge.max(initial=-1) + 1)
    np.maximum.at(highest, judge, np.nan_to_num(rows.level))
    reason = "level 0 here and another level elsewhere in the group"
    lines.refuse((rows.level == 0) & (highest[judge] > 0), reason)
    lines.check()


def _repeated(*columns: Codes) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which rows say again what an earlier one said."""
    _, start = np.unique(np.stack(columns), axis=1, return_index=True)
    again = np.ones(len(columns[0]), bool)
    again[start] = False
    return again


def _pairs(rows: _Rows, zero: Zero) -> tuple[Codes, Codes, Codes]:
    """Positions of the better and the worse documents of all pairs, and of documents that are marked as bad."""
    better, worse, marks = [], [], []
    for members in _subgroups(rows):
        steps = np.flatnonzero(np.diff(rows.level[members])) + 1
        ranked = np.split(members, steps)
        if zero == "bad" and rows.level[ranked[-1][0]] == 0:
            marks.append(ranked[-1])
        for above, below in pairwise(ranked):
            better.append(np.repeat(above, len(below)))
            worse.append(np.tile(below, len(above)))
    _, once = np.unique(np.stack([rows.query, rows.group, rows.document])[:, _joined(marks)], axis=1, return_index=True)
    return _joined(better), _joined(worse), _joined(marks)[np.sort(once)]


def _subgroups(rows: _Rows) -> Iterator[Codes]:
    """The rows of each sub-group, by falling level."""
    order = np.lexsort((np.arange(len(rows.level)), -rows.level, rows.subgroup, rows.group, rows.query)).astype(
        np.int32
    )
    sorted_keys = np.stack([rows.query, rows.group, rows.subgroup])[:, order]
    yield from np.split(order, np.flatnonzero((np.diff(sorted_keys) != 0).any(axis=0)) + 1)


def _joined(parts: Sequence[Codes]) -> Codes:
    return np.concatenate([np.empty(0, np.int32), *parts])
