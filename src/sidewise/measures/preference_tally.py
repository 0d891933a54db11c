"""Which preferences a run orders, rightly or wrongly, counted at the rank that decides."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError
from sidewise.preferences import Closure, PartialOrder, Preferences, Run, closure

Missing = Literal["zero", "skip"]
AnyRun = Run | Mapping[str, Sequence[str]]
SHOWN = 5  # queries named in a note


class Tally(NamedTuple):
    """The preferences of a query, counted at the higher of the two ranks: from that rank on, a run has ordered them.

    ``correct`` are those whose better document stands there, ``wrong`` those whose worse document does. The gains are
    the same with each preference counted 2^degree − 1 times.
    """

    rank: NDArray[np.int64]
    correct: Floats
    wrong: Floats
    correct_gain: Floats
    wrong_gain: Floats
    total: int  # also those of which neither document was retrieved

    def top(self, k: int | None) -> "Tally":
        """What is decided within the first k ranks."""
        end = len(self.rank) if k is None else int(np.searchsorted(self.rank, k, side="right"))
        return self._replace(
            rank=self.rank[:end],
            correct=self.correct[:end],
            wrong=self.wrong[:end],
            correct_gain=self.correct_gain[:end],
            wrong_gain=self.wrong_gain[:end],
        )


@dataclass(frozen=True)
class Tallies:
    """A tally for every judged query: None where the query has no preferences, or is not in the run."""

    queries: tuple[str, ...]
    tallies: tuple[Tally | None, ...]
    absent: Floats  # the value of queries without a tally: NaN, or 0 where the run returned nothing
    notes: tuple[str, ...]


def tallied(run: AnyRun, preferences: Preferences | Closure, *, missing: Missing = "zero") -> Tallies:
    """Count the preferences of every judged query."""
    if missing not in get_args(Missing):
        raise MeasureError(f"missing={missing!r} is neither 'zero' nor 'skip'")
    run, whole = as_run(run), as_closure(preferences)
    check_common(run, whole.queries, whole.source)
    orders = {query: whole[query] for query in whole.queries}
    silent = {query for query in orders if not any(map(len, orders[query]))}
    lacking = {query for query in orders if query not in run}
    without = silent | lacking
    tallies = [None if query in without else tally(orders[query], run[query]) for query in orders]
    nothing = 0.0 if missing == "zero" else float("nan")
    absent = [float("nan") if query in silent else nothing for query in orders]
    return Tallies(whole.queries, tuple(tallies), np.array(absent), notes(run, whole.queries, silent, lacking, missing))


def as_run(run: Any) -> Run:
    """A run, also from a mapping from query to documents."""
    if isinstance(run, Run):
        return run
    if isinstance(run, Mapping):
        return Run.from_lists(run)
    kind = type(run).__name__
    raise MeasureError(f"a run is wanted, not {kind}: read it with read_run, or pass query → documents, best first")


def as_closure(preferences: Any) -> Closure:
    """All preferences; of judgments, all that follow from them."""
    if isinstance(preferences, Closure):
        return preferences
    if isinstance(preferences, Preferences):
        return closure(preferences)
    kind = type(preferences).__name__
    raise MeasureError(f"preferences are wanted, not {kind}: use read_preferences, or preferences() of grades")


def check_common(run: AnyRun, queries: Sequence[str], source: str) -> None:
    """Refuse a run that has none of the judged queries: it belongs to others."""
    if not any(query in run for query in queries):
        mine, theirs = (", ".join(map(repr, list(some)[:SHOWN])) or "none" for some in (run, queries))
        raise MeasureError(f"the run has no query that was judged: it has {mine}, and {source} has {theirs}")


def notes(
    run: AnyRun, queries: Sequence[str], silent: Collection[str], lacking: Collection[str], missing: Missing
) -> tuple[str, ...]:
    """What was left out of the mean, or counted as nothing."""
    known, nothing = set(queries), "counted as 0" if missing == "zero" else "left out"
    strangers = [query for query in run if query not in known]
    told = {
        "no preferences to measure by; left out": [query for query in queries if query in silent],
        f"judged, but not in the run; {nothing}": [
            query for query in queries if query in lacking and query not in silent
        ],
        "in the run, but not judged; left out": strangers,
    }
    return tuple(f"{_some(some)}: {what}" for what, some in told.items() if some)


def _some(queries: Sequence[str]) -> str:
    shown = ", ".join([*queries[:SHOWN], *(["…"] if len(queries) > SHOWN else [])])
    return f"{len(queries):,} {'query' if len(queries) == 1 else 'queries'} ({shown})"


def tally(orders: Sequence[PartialOrder], ranked: Sequence[str]) -> Tally:
    """Count the preferences of one query, over all groups of judges."""
    rank = {document: place for place, document in enumerate(ranked, 1)}
    counted = [_counted(order, rank) for order in orders]
    total = sum(map(len, orders))
    if len(counted) == 1:
        return counted[0]._replace(total=total)
    ranks, place = np.unique(np.concatenate([some.rank for some in counted]), return_inverse=True)

    def summed(name: str) -> Floats:
        parts = np.concatenate([getattr(some, name) for some in counted])
        return np.bincount(place, parts, len(ranks)).astype(float)

    return Tally(ranks, summed("correct"), summed("wrong"), summed("correct_gain"), summed("wrong_gain"), total)


def _counted(order: PartialOrder, rank: Mapping[str, int]) -> Tally:
    """Go down the run: a retrieved document decides its preferences with all documents not met before.

    Those are the ones further down and the ones not retrieved, so that a pair of two documents that were not retrieved
    is never decided, and of a pair of which one was, that one counts as ranked above.
    """
    placed = sorted((rank[name], number) for number, name in enumerate(order.documents) if name in rank)
    numbers = [number for _, number in placed]
    unseen, left = [], (1 << len(order.documents)) - 1
    for number in numbers:
        left ^= 1 << number
        unseen.append(left)
    right, wrong = (
        np.array(
            [
                [(held[number] & rest).bit_count() for number, rest in zip(numbers, unseen, strict=True)]
                for held in levels
            ]
        )
        for levels in (order.below, order.above)
    )
    # 2^degree − 1, from how many have at least each degree: every level adds what it is worth more than the last.
    steps = np.diff(2.0 ** np.array(order.degrees) - 1, prepend=0.0)
    ranks = np.array([place for place, _ in placed], np.int64)
    return Tally(ranks, right[0].astype(float), wrong[0].astype(float), steps @ right, steps @ wrong, len(order))
