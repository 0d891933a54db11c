"""How well does a run agree with preferences? Precision and recall of preferences, and what is built on them.

Carterette, Bennett and Chapelle, *A test collection of preference judgments* (SIGIR workshop 2008), section 4.
"""

from collections.abc import Callable, Sequence

import numpy as np

from sidewise.errors import MeasureError
from sidewise.measures.preference_result import PerQuery
from sidewise.measures.preference_tally import AnyRun, Missing, Tallies, Tally, as_closure, tallied
from sidewise.preferences import Closure, PartialOrder, Preferences
from sidewise.preferences.bits import positions, strong_components, turned


def ppref(
    run: AnyRun, preferences: Preferences | Closure, k: int | None = 10, *, missing: Missing = "zero"
) -> PerQuery:
    """Precision of preferences: of the preferences that a run orders by rank k, the share that it orders rightly.

    A run orders a pair of documents at rank k if one of them, or both, stands at rank k or above; it does so rightly if
    the preferred one stands above the other (Carterette, Bennett and Chapelle 2008, section 4)::

        ppref@k = |correctly ordered at k| / |ordered at k|

    A document that was not retrieved stands below all that were; a pair of two such is not ordered. Pairs without a
    preference (duplicates, two bad documents, nothing known) count nowhere. With fewer than k documents retrieved, all
    of them count. Where a query has no preferences the value is NaN, and the query is left out of the mean. Where it
    has some and the run orders none of them by rank k, the value is 0, so that the same queries count for all runs and
    none gains by returning what nobody judged.

    Take it for the top of a run; :func:`rpref` says how much of all that judges said the run has got right, and
    :func:`average_ppref` joins both in one number.

    Parameters
    ----------
    run
        The run, or query → documents, best first.
    preferences
        The judgments, whose closure is taken, or a closure.
    k
        The rank; None for all that was retrieved (the paper's @max).
    missing
        Judged queries that are not in the run count as "zero" (as with trec_eval -c), or are left out: "skip".

    Examples
    --------
    >>> judged = Preferences.from_arrays(query=["q", "q"], first=["a", "b"], second=["b", "c"], judgment=[-1, -1])
    >>> ppref({"q": ["a", "c", "b"]}, judged, k=2)
    PerQuery(ppref@2 = 0.6667, 1 query)
    """
    return measured("ppref", k, tallied(run, preferences, missing=missing))


def rpref(
    run: AnyRun, preferences: Preferences | Closure, k: int | None = 10, *, missing: Missing = "zero"
) -> PerQuery:
    """Recall of preferences: of all preferences, the share that a run orders rightly by rank k.

    With "correctly ordered" as of :func:`ppref` (Carterette, Bennett and Chapelle 2008, section 4)::

        rpref@k = |correctly ordered at k| / |preferences|

    It rises with k, and is never above :func:`ppref` at the same rank. At small k even a perfect run has a low one:
    compare runs at one k, or take :func:`average_ppref`.

    Parameters
    ----------
    run, preferences, k, missing
        As of :func:`ppref`, and so are the special cases.

    Examples
    --------
    >>> judged = Preferences.from_arrays(query=["q", "q"], first=["a", "b"], second=["b", "c"], judgment=[-1, -1])
    >>> rpref({"q": ["a", "c", "b"]}, judged, k=1)["q"]
    0.6666666666666666
    """
    return measured("rpref", k, tallied(run, preferences, missing=missing))


def average_ppref(run: AnyRun, preferences: Preferences | Closure, *, missing: Missing = "zero") -> PerQuery:
    """Average precision of preferences: the mean of ppref@k over the ranks k at which rpref rises.

    The preferences' average precision (Carterette, Bennett and Chapelle 2008, section 4)::

        APpref = Σ_{k ∈ K} ppref@k / |K|,    K = {k: rpref@k > rpref@(k − 1)}

    These are the ranks of documents that are preferred to some document below them. A preferred document that was not
    retrieved lowers ppref at the ranks above it, but is no rank of its own; some evaluators count it as one. Where no
    preference is ordered rightly the value is 0.

    Parameters
    ----------
    run, preferences, missing
        As of :func:`ppref`.

    Examples
    --------
    >>> judged = Preferences.from_arrays(query=["q", "q"], first=["a", "b"], second=["b", "c"], judgment=[-1, -1])
    >>> average_ppref({"q": ["b", "a", "c"]}, judged)["q"]
    0.5833333333333333
    """
    return measured("average-ppref", None, tallied(run, preferences, missing=missing))


def wppref(
    run: AnyRun, preferences: Preferences | Closure, k: int | None = 10, *, missing: Missing = "zero"
) -> PerQuery:
    """Weighted precision of preferences: ppref with more weight on strong preferences and on high ranks.

    A pair at ranks i and j weighs (Carterette, Bennett and Chapelle 2008, section 4) ::

        w_ij = (2^|pref_ij| − 1) / log₂(min(i, j) + 1)

    where pref_ij is the degree of the preference, 1 unless the judgments are graded; wppref@k is the weight of the
    correctly ordered pairs over that of all ordered ones. (The rank of a document that was not retrieved is beyond
    all others, so that the other one's is the lesser.)

    Parameters
    ----------
    run, preferences, k, missing
        As of :func:`ppref`, and so are the special cases.

    Examples
    --------
    >>> judged = Preferences.from_arrays(
    ...     query=["q", "q"], first=["a", "c"], second=["b", "b"], judgment=[-1, -3], graded=True)
    >>> round(wppref({"q": ["a", "b", "c"]}, judged)["q"], 4)
    0.1846
    """
    return measured("wppref", k, tallied(run, preferences, missing=missing))


def nwppref(
    run: AnyRun, preferences: Preferences | Closure, k: int | None = 10, *, missing: Missing = "zero"
) -> PerQuery:
    """Normalised wppref: wppref@k over the best wppref that any run could have at the same rank.

    As NDCG normalises DCG (Carterette, Bennett and Chapelle 2008, section 4)::

        nwppref@k = wppref@k / max wppref@k

    A run that follows the preferences orders every pair rightly, and its wppref is 1 at every rank: as long as the
    preferences of a query contradict nothing, the divisor is 1 and nwppref equals :func:`wppref`. It is here because
    the paper has it. Where preferences do contradict each other (several groups of judges, or a closure with
    ``transitive=False``) the best run is hard to find, and the measure is refused.

    Parameters
    ----------
    run, preferences, k, missing
        As of :func:`ppref`, and so are the special cases.

    Examples
    --------
    >>> judged = Preferences.from_arrays(query=["q", "q"], first=["a", "b"], second=["b", "c"], judgment=[-1, -1])
    >>> float(nwppref({"q": ["a", "c", "b"]}, judged)) == float(wppref({"q": ["a", "c", "b"]}, judged))
    True
    """
    whole = as_closure(preferences)
    check_best_is_known(whole)
    return measured("nwppref", k, tallied(run, whole, missing=missing))


def measured(name: str, k: int | None, tallies: Tallies) -> PerQuery:
    """A measure by its name, from counts that are there already."""
    if k is not None and (isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1):
        raise MeasureError(f"k={k!r}: it takes a whole number of ranks, 1 or more, or None for all")
    kernel = KERNELS[name]
    values = [
        absent if tally is None else kernel(tally.top(k))
        for tally, absent in zip(tallies.tallies, tallies.absent.tolist(), strict=True)
    ]
    return PerQuery(name if k is None else f"{name}@{k}", tallies.queries, np.array(values, float), tallies.notes)


def _precision(tally: Tally) -> float:
    return _share(tally.correct.sum(), (tally.correct + tally.wrong).sum())


def _recall(tally: Tally) -> float:
    return _share(tally.correct.sum(), tally.total)


def _average_precision(tally: Tally) -> float:
    rises = tally.correct > 0
    correct, ordered = np.cumsum(tally.correct), np.cumsum(tally.correct + tally.wrong)
    return float((correct[rises] / ordered[rises]).mean()) if rises.any() else 0.0


def _weighted_precision(tally: Tally) -> float:
    discount = 1 / np.log2(tally.rank + 1)
    correct, wrong = (discount * tally.correct_gain).sum(), (discount * tally.wrong_gain).sum()
    return _share(correct, correct + wrong)


def _share(part: float, whole: float) -> float:
    """What is right of what was ordered; 0 where nothing was, so that no run gains by ordering nothing."""
    return float(part / whole) if whole else 0.0


KERNELS: dict[str, Callable[[Tally], float]] = {
    "ppref": _precision,
    "rpref": _recall,
    "average-ppref": _average_precision,
    "wppref": _weighted_precision,
    "nwppref": _weighted_precision,  # the best possible one is 1: see nwppref
}


def check_best_is_known(whole: Closure) -> None:
    """Refuse preferences that no order of the documents can satisfy."""
    for query in whole.queries:
        orders = whole[query]
        if not (len(orders) == 1 and orders[0].transitive) and _cyclic(orders):
            raise MeasureError(
                f"query {query}: the preferences contradict each other, so that no run can satisfy all of them, and "
                "the best one is hard to find: use wppref, or take the majority first",
            )


def _cyclic(orders: Sequence[PartialOrder]) -> bool:
    names: dict[str, int] = {}
    for order in orders:
        for name in order.documents:
            names.setdefault(name, len(names))
    edges: list[dict[int, float]] = [{} for _ in names]
    for order in orders:
        for number, below in enumerate(order.below[0]):
            edges[names[order.documents[number]]] |= {names[order.documents[other]]: 1.0 for other in positions(below)}
    return max(strong_components(edges, turned(edges)), default=-1) + 1 < len(names)
