"""What the page says of TREC's passages: every number in it comes from the table."""

from typing import Any

from sidewise.measures.estimate import Estimate, estimate_mean
from sidewise.studies.parts import Rows, Shown
from sidewise.studies.pj_pictures import model_dots
from sidewise.studies.tables import table_of, three

FIGURES = {
    "first": "best passage first", "reciprocal_rank": "reciprocal rank", "ndcg": "NDCG@10", "accuracy": "pair accuracy",
    "tau": "tau-b", "compatibility": "compatibility", "foretold": "judgments foretold",
}  # fmt: skip
DRAWN = {"reciprocal_rank": "reciprocal rank of the best passage", "foretold": "share of judgments foretold"}
COUNT = "number of judgments"
PAGE_RANK = "../factor-bt/README.md#ours-why-pagerank-looks-good-on-the-reading-data"
SHOWN = "bradley-terry"  # in the table of queries


def trec_dl_2021(rows: Rows) -> Shown:
    """All queries together, and one by one."""
    models = list(dict.fromkeys(row["model"] for row in rows))
    queries = [row for row in rows if row["model"] == models[0]]
    found = {model: {name: _estimate(rows, model, name) for name in FIGURES} for model in models}
    drawn = [
        {"model": model, "figure": name, "value": some[name].value, "low": some[name].low, "high": some[name].high}
        for model, some in found.items() for name in DRAWN
    ]  # fmt: skip
    text = f"""
{len(queries)} queries of TREC's Deep Learning track of 2021: {_sum(queries, "judgments"):,} times people said which of
two passages is the better answer, on {_sum(queries, "pairs"):,} pairs of {_sum(queries, "passages"):,} passages. Who
judged is not in the file.

**Contradictions.** In {_count(queries, "tangled")} of {len(queries)} queries the judgments contradict each other, and
{_percent(queries, "tangled")} of all passages are in a knot of them: in a set of passages each of which is, by some
chain of judgments, better than itself. To take what most people said of a pair still leaves knots in
{_count(queries, "tangled_by_majority")} queries, with {_percent(queries, "tangled_by_majority")} of the passages. The
transitivity that the paper counts on, for single judges whose judgments were vetted, is not there in these judgments
of many. They have no closure; a model that allows for error can rank them.

**Agreement with the qrels.** These name the best passage of every query, two in {_several(queries, 2)} and three in
{_several(queries, 3)}; all others that were judged count as not the best. As far as we know they come from the same
campaign of judging, and are no independent truth. Every query's passages are ranked by themselves; figures are means
over queries, with 95 % intervals by drawing queries. *Pair accuracy* is then the share of other passages that stand
below the best one, and *tau-b* can be nowhere near 1, since nearly all of the truth is tied.

{_table(found)}

*Judgments foretold* is the share of judgments that go to the passage with the higher score, each held out once, a fifth
at a time, in the mean over queries. It cannot be near 1 either: people disagree.

{_counting(found)}

![TREC DL 2021](trec-dl-2021.svg)

Query by query, ranked by `{SHOWN if SHOWN in models else models[0]}` (*in knots*: passages, by all judgments and by
the majority of each pair; *place*: the rank of the best passage):

{_by_query(rows, SHOWN if SHOWN in models else models[0])}
"""
    return Shown(text, {"trec-dl-2021": model_dots(drawn, panels=DRAWN)})


def _counting(found: dict[str, dict[str, Estimate]]) -> str:
    """Why PageRank foretells the most."""
    if COUNT not in found:
        return ""
    return f"""
`page-rank` foretells {three(found["page-rank"]["foretold"].value)} of the judgments, and the mere number of judgments
that a passage is in, with no look at how they went, {three(found[COUNT]["foretold"].value)}: passages that did well
were asked about again. That is [what makes PageRank look good]({PAGE_RANK}) on the reading data as well. The best
passage it finds less often than all models that go by the answers.
""".strip()


def _table(found: dict[str, dict[str, Estimate]]) -> str:
    head = ["", *FIGURES.values()]
    return table_of(head, [[model, *(_interval(some[name]) for name in FIGURES)] for model, some in found.items()])


def _interval(found: Estimate) -> str:
    return f"{three(found.value)} ({three(found.low)}–{three(found.high)})"


def _estimate(rows: Rows, model: str, name: str) -> Estimate:
    return estimate_mean([float("nan") if row[name] is None else row[name] for row in rows if row["model"] == model])


def _by_query(rows: Rows, model: str) -> str:
    head = ["query", "passages", "judgments", "pairs", "in knots", "by majority", "place", "compatibility", "foretold"]
    body = [
        [*(str(row[name]) for name in ("query", "passages", "judgments", "pairs", "tangled", "tangled_by_majority")),
         f"{1 / row['reciprocal_rank']:.3g}", three(row["compatibility"]), three(row["foretold"])]
        for row in rows if row["model"] == model
    ]  # fmt: skip
    return table_of(head, body)


def _sum(rows: Rows, name: str) -> int:
    return int(sum(row[name] for row in rows))


def _count(rows: Rows, name: str) -> int:
    return sum(bool(row[name]) for row in rows)


def _several(rows: Rows, best: int) -> int:
    return sum(row["best"] == best for row in rows)


def _percent(rows: Rows, name: str) -> Any:
    return f"{100 * _sum(rows, name) / _sum(rows, 'passages'):.0f} %"
