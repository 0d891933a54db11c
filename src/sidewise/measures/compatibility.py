"""How near is a run to an ideal ranking? Rank-biased overlap with the nearest ranking that judges would not mend."""

from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError
from sidewise.measures.preference_result import PerQuery
from sidewise.measures.preference_tally import AnyRun, Missing, as_closure, as_run, check_common, notes
from sidewise.preferences import Closure, PartialOrder, Preferences, Qrels

PERSISTENCE, DEPTH = 0.95, 1000


def compatibility(
    run: AnyRun,
    judgments: Preferences | Closure | Qrels,
    *,
    p: float = PERSISTENCE,
    depth: int = DEPTH,
    missing: Missing = "zero",
) -> PerQuery:
    """Compatibility: the overlap of a run with the ideal ranking that is nearest to it, at all depths.

    An ideal ranking holds the good documents in an order that no preference contradicts. With A_d the documents that
    the first d of the run and the first d of the ideal ranking have in common (Clarke, Vtyurina and Smucker,
    *Assessing top-k preferences*, 2021; rank-biased overlap by Webber, Moffat and Zobel 2010)::

        RBO = Σ_{d ≤ depth} p^(d−1) |A_d| / d  /  Σ_{d ≤ depth} p^(d−1)

    and compatibility is RBO over that of the ideal ranking with itself, so that 1 is reached where there are few good
    documents. It rewards good documents near the top, and needs but the first few of them in order: take it where few
    preferences are known, all about the best. Bad documents and those of grade 0 or less are in no ideal ranking.

    Of the ideal rankings, the one taken has the run's first document as early as the preferences allow, among those the
    second, and so on. Where the judgments are grades, or groups of equals in order, no other has more overlap. With
    partial orders one may: of random ones of 3 to 6 documents it was the best in 97 of 100, and 14 % short at worst.

    Parameters
    ----------
    run
        The run, or query → documents, best first.
    judgments
        Preferences, a closure of them, or grades of relevance. Of several groups of judges, the mean is taken.
    p
        How likely a reader is to go on from one rank to the next; 0.95 looks at about 20 documents.
    depth
        Ranks that count.
    missing
        Judged queries that are not in the run count as "zero", or are left out: "skip".

    Examples
    --------
    >>> grades = Qrels({"q": {"a": 2.0, "b": 1.0, "c": 1.0}})
    >>> compatibility({"q": ["a", "c", "b"]}, grades)["q"], round(compatibility({"q": ["b", "a"]}, grades)["q"], 3)
    (1.0, 0.617)
    """
    _check(p, depth, missing)
    run, judged = as_run(run), judgments if isinstance(judgments, Qrels) else as_closure(judgments)
    queries = tuple(judged) if isinstance(judged, Qrels) else judged.queries
    check_common(run, queries, judged.source)
    ideals = {query: ideal_rankings(judged, query, run.get(query, ())) for query in queries}
    silent = [query for query in queries if not ideals[query]]
    lacking = [query for query in queries if query not in run]
    skipped = {*silent, *(lacking if missing == "skip" else ())}
    values = [
        np.nan if query in skipped else np.mean([_near(run.get(query, ()), ideal, p, depth) for ideal in ideals[query]])
        for query in queries
    ]
    told = notes(run, queries, silent, lacking, missing)
    options = [f"p={p:g}"] * (p != PERSISTENCE) + [f"depth={depth}"] * (depth != DEPTH)
    name = f"compatibility({','.join(options)})" if options else "compatibility"
    return PerQuery(name, queries, np.array(values, float), told)


def _check(p: float, depth: int, missing: Missing) -> None:
    if not 0 < p < 1:
        raise MeasureError(f"p={p!r}: the chance to go on to the next rank lies between 0 and 1, such as 0.95")
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise MeasureError(f"depth={depth!r}: it takes a whole number of ranks, 1 or more")
    if missing not in get_args(Missing):
        raise MeasureError(f"missing={missing!r} is neither 'zero' nor 'skip'")


def ideal_rankings(judged: Closure | Qrels, query: str, ranked: Sequence[str]) -> list[list[str]]:
    """The ideal ranking nearest to the run, for every group of judges who call any document good."""
    rank = {document: place for place, document in enumerate(ranked)}
    if isinstance(judged, Qrels):
        good = [document for document, grade in judged[query].items() if grade > 0]
        found = [sorted(good, key=lambda name: (-judged[query][name], rank.get(name, len(rank))))]
    else:
        found = [_nearest(order, rank) for order in judged[query]]
    return [ideal for ideal in found if ideal]


def _nearest(order: PartialOrder, rank: Mapping[str, int]) -> list[str]:
    """The good documents, each before those it is preferred to, otherwise as near to the run as that allows.

    A document must come before all that it is preferred to, and so matters as much as the highest in the run of itself
    and them, then the second highest, and so on: sets of ranks, compared as words are in a dictionary. The set of a
    document holds the sets of those below it, and so comes first.
    """
    if not order.transitive:
        raise MeasureError("an ideal ranking takes all that follows from the judgments: closure with transitive=True")
    good = [number for number in range(len(order.documents)) if not order.bad >> number & 1]
    by_rank = sorted(good, key=lambda number: rank.get(order.documents[number], len(rank)))
    ahead = order.matrix
    np.fill_diagonal(ahead, val=True)
    words = [row.tobytes() for row in np.packbits(ahead[np.ix_(good, by_rank)], axis=1)]
    return [order.documents[good[place]] for place in sorted(range(len(good)), key=words.__getitem__, reverse=True)]


def _near(ranked: Sequence[str], ideal: Sequence[str], p: float, depth: int) -> float:
    """Rank-biased overlap with an ideal ranking, over that of the ideal ranking with itself."""
    place = {document: number for number, document in enumerate(ranked, 1)}
    both = [max(place[name], number) for number, name in enumerate(ideal, 1) if name in place]
    weights = p ** np.arange(depth) / np.arange(1, depth + 1)
    return float(weights @ _overlap(both, depth) / (weights @ _overlap(range(1, len(ideal) + 1), depth)))


def _overlap(since: Sequence[int], depth: int) -> Floats:
    """How many documents two lists have in common down to each depth, from the depths where each comes in."""
    return np.cumsum(np.bincount(np.array(since, np.int64), minlength=depth + 1)[1 : depth + 1]).astype(float)
