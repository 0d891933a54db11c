"""Runs against grades of relevance: NDCG and ERR of what a search engine returned."""

from collections.abc import Callable, Sequence
from typing import Literal, get_args

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError
from sidewise.measures.gain import as_gains, checked_depth, prepare_expected_reciprocal_rank
from sidewise.measures.preference_result import PerQuery
from sidewise.measures.preference_tally import AnyRun, Missing, as_run, check_common, notes
from sidewise.measures.runs import once
from sidewise.preferences import Qrels

Gain = Literal["linear", "exp2"]
Ranked = Callable[[Floats, Floats], float]


def run_ndcg(
    run: AnyRun, qrels: Qrels, k: int | None = 10, *, gain: Gain = "linear", missing: Missing = "zero"
) -> PerQuery:
    """NDCG@k of a run: the gain of what it returned, against the best that could have been returned.

    With g_r the grade at rank r, or 2^g − 1 (Järvelin and Kekäläinen 2002; Burges et al. 2005)::

        NDCG@k = Σ_{r ≤ k} g_r / log₂(r + 1)  /  the same of all judged documents by falling grade

    A document that nobody judged has grade 0, and so has one of a negative grade; one that was not retrieved adds
    nothing, but is in the best order (trec_eval's ``ndcg_cut``). A query none of whose documents is relevant is NaN and
    left out. For rankings of items that are all known on both sides there is :func:`ndcg`.

    Parameters
    ----------
    run
        The run, or query → documents, best first.
    qrels
        Grades of relevance.
    k
        How many of the top to look at; None for all.
    gain
        "linear" takes the grades themselves, "exp2" takes 2^grade − 1.
    missing
        Judged queries that are not in the run count as "zero" (as with trec_eval -c), or are left out: "skip".

    Examples
    --------
    >>> float(run_ndcg({"q": ["b", "x", "a"]}, Qrels({"q": {"a": 2.0, "b": 1.0}})).values.round(4)[0])
    0.7602
    """
    if gain not in get_args(Gain):
        raise MeasureError(f"gain={gain!r} is neither 'linear' nor 'exp2'")

    def value(found: Floats, judged: Floats) -> float:
        gains = [as_gains(grades, gain) for grades in (found, -np.sort(-judged))]
        achieved, best = (_dcg(some[:k]) for some in gains)
        return achieved / best

    return _graded("ndcg", k, run, qrels, value, missing, "" if gain == "linear" else f"(gain={gain})")


def run_err(
    run: AnyRun, qrels: Qrels, k: int | None = 20, *, highest: float | None = None, missing: Missing = "zero"
) -> PerQuery:
    """Expected reciprocal rank of a run: how early a reader, who stops at the first satisfying document, can stop.

    With g_r the grade at rank r (Chapelle et al. 2009; :func:`expected_reciprocal_rank` has it of rankings)::

        ERR@k = Σ_{r ≤ k} (1/r) R_r Π_{i < r} (1 − R_i)        R = (2^g − 1) / 2^highest

    Take it where one good document is enough; where all of them count, take :func:`run_ndcg`. A document that nobody
    judged has grade 0. A query none of whose documents is relevant is NaN and left out.

    Parameters
    ----------
    run, qrels, missing
        As of :func:`run_ndcg`.
    k
        How many of the top to look at; None for all.
    highest
        The highest grade that could have been given; that of the whole collection, if not said.

    Examples
    --------
    >>> run_err({"q": ["b", "x", "a"]}, Qrels({"q": {"a": 2.0, "b": 1.0}}))["q"]
    0.4375
    """
    given = max((grade for grades in qrels.values() for grade in grades.values()), default=0.0)
    scale = given if highest is None else highest

    def value(found: Floats, _: Floats) -> float:
        if not len(found):
            return 0.0
        score = -np.arange(len(found), dtype=float)
        return once(prepare_expected_reciprocal_rank(score, found, k=k, highest=scale), len(found))

    return _graded("err", k, run, qrels, value, missing, "" if highest is None else f"(highest={highest:g})")


def _graded(
    name: str, k: int | None, run: AnyRun, qrels: Qrels, value: Ranked, missing: Missing, options: str
) -> PerQuery:  # fmt: skip
    """A measure of the grades that a run returned for each query, beside all that were given."""
    if missing not in get_args(Missing):
        raise MeasureError(f"missing={missing!r} is neither 'zero' nor 'skip'")
    checked_depth(k)
    if not isinstance(qrels, Qrels):
        raise MeasureError(f"grades of relevance are wanted, not {type(qrels).__name__}: read them with read_qrels")
    run = as_run(run)
    queries = tuple(qrels)
    check_common(run, queries, qrels.source)
    silent = [query for query in queries if max(qrels[query].values(), default=0.0) <= 0]
    lacking = [query for query in queries if query not in run]
    skipped = {*silent, *(lacking if missing == "skip" else ())}
    values = [
        np.nan if query in skipped else value(*(_clipped(some) for some in _found(run.get(query, ()), qrels, query)))
        for query in queries
    ]
    told = notes(run, queries, silent, lacking, missing)
    return PerQuery(f"{name}{'' if k is None else f'@{k}'}{options}", queries, np.array(values, float), told)


def _found(ranked: Sequence[str], qrels: Qrels, query: str) -> tuple[list[float], list[float]]:
    grades = qrels[query]
    return [grades.get(document, 0.0) for document in ranked], list(grades.values())


def _clipped(grades: Sequence[float]) -> Floats:
    return np.asarray(np.maximum(np.array(grades, float), 0.0))


def _dcg(gains: Floats) -> float:
    return float((gains / np.log2(np.arange(2, len(gains) + 2))).sum())
