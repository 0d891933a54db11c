"""What to learn from: pairs of documents, and documents with a sign, as rows of a table of features."""

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import DataError
from sidewise.learn.features import Features, Rows
from sidewise.preferences import Closure, PartialOrder, Preferences, closure

Missing = Literal["error", "drop"]
SHOWN = 5  # documents named in a message


class TrainingPairs(NamedTuple):
    """For each pair the row of the document that should stand first, and the row of the other."""

    better: Rows
    worse: Rows


class Signed(NamedTuple):
    """Rows of documents, and 1 for those that are relevant, −1 for those that are not."""

    rows: Rows
    sign: Floats


class _Placed(NamedTuple):
    """The preferences of a query, and the row of each of its documents; −1 for what has no features."""

    order: PartialOrder
    rows: Rows


def preference_pairs(
    features: Features, preferences: Preferences | Closure, *, missing: Missing = "error"
) -> TrainingPairs:
    """All pairs of which one document is preferred to the other: the O(n²) that follow from the judgments.

    Queries that are not among the features are passed over, so that one set of preferences serves all folds.

    Parameters
    ----------
    features
        Of the queries to learn from.
    preferences
        The judgments, or the closure of them; pairs that they leave undecided are in neither direction.
    missing
        What to do with documents that were judged but have no features: "error" names them, "drop" leaves them out.

    Examples
    --------
    >>> made = Features.from_arrays([1, 1, 1], "abc", [[1], [2], [3]])
    >>> judged = Preferences.from_arrays(query=[1, 1], first=["c", "a"], second=["b", "NA"], judgment=[-1, -2])
    >>> preference_pairs(made, judged)
    TrainingPairs(better=array([2, 2, 1]), worse=array([1, 0, 0]))
    """
    none = np.empty(0, np.intp)
    better, worse = [none], [none]
    for order, rows in _placed(features, preferences, missing):
        ahead, behind = rows[order.pairs.better], rows[order.pairs.worse]
        known = (ahead >= 0) & (behind >= 0)
        better.append(ahead[known])
        worse.append(behind[known])
    return TrainingPairs(np.concatenate(better), np.concatenate(worse))


def label_pairs(features: Features) -> TrainingPairs:
    """All pairs of documents of one query whose labels differ; the higher label is better.

    This is how RankSVM is trained on grades of relevance, as on LETOR's own labels. Documents without a label are in
    no pair.

    >>> made = Features.from_arrays([1, 1, 1, 2], "abca", [[1], [2], [3], [4]], labels=[0, 2, 2, 1])
    >>> label_pairs(made)
    TrainingPairs(better=array([1, 2]), worse=array([0, 0]))
    """
    better, worse = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
    for rows in features.rows_of.values():
        high, low = np.nonzero(features.labels[rows, None] > features.labels[rows])
        better.append(rows[high])
        worse.append(rows[low])
    return TrainingPairs(np.concatenate(better), np.concatenate(worse))


def signed(features: Features, preferences: Preferences | Closure, *, missing: Missing = "error") -> Signed:
    """Documents that were judged: −1 those marked as bad, and their duplicates, 1 all others."""
    rows_found, signs = [np.empty(0, np.intp)], [np.empty(0)]
    for order, rows in _placed(features, preferences, missing):
        bad = set(order.bad_documents())
        sign = np.array([-1.0 if document in bad else 1.0 for document in order.documents])
        rows_found.append(rows[rows >= 0])
        signs.append(sign[rows >= 0])
    return Signed(np.concatenate(rows_found), np.concatenate(signs))


def judged_only(features: Features, preferences: Preferences | Closure, *, missing: Missing = "error") -> Features:
    """The documents that preferences speak of, in the order of the features; all others are left out.

    LETOR has about a thousand documents a query, of which fifty were judged; only these can be ranked and measured.

    >>> made = Features.from_arrays([1, 1, 1], "abc", [[1], [2], [3]])
    >>> judged = Preferences.from_arrays(query=[1], first=["c"], second=["b"], judgment=[-1])
    >>> judged_only(made, judged).documents
    ('b', 'c')
    """
    keep = np.zeros(len(features), bool)
    for _, rows in _placed(features, preferences, missing):
        keep[rows[rows >= 0]] = True
    return features.select(keep)


def _placed(features: Features, preferences: Preferences | Closure, missing: Missing) -> Iterator[_Placed]:
    if missing not in get_args(Missing):
        raise DataError(f"missing={missing!r} is neither 'error' nor 'drop'")
    whole = preferences if isinstance(preferences, Closure) else closure(preferences)
    for order in whole:
        if order.query in features.rows_of:
            rows = [features.row_of.get((order.query, document), -1) for document in order.documents]
            if missing == "error" and -1 in rows:
                raise _no_features(order, rows)
            yield _Placed(order, np.array(rows, np.intp))


def _no_features(order: PartialOrder, rows: list[int]) -> DataError:
    absent = [document for document, row in zip(order.documents, rows, strict=True) if row < 0]
    shown = ", ".join(map(repr, absent[:SHOWN])) + (", …" if len(absent) > SHOWN else "")
    return DataError(
        f"{len(absent)} of the {len(rows)} documents judged for query {order.query!r} have no features: {shown}; "
        "missing='drop' leaves them out"
    )
