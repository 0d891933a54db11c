"""What the page of the study of preference judgments says: every number in it comes from the tables."""

from collections.abc import Mapping
from typing import Any

from sidewise.studies.parts import Rows, Shown
from sidewise.studies.pj_pictures import method_lines
from sidewise.studies.pj_published import BINARY_SVM, COLUMNS, METHODS, RANDOM, RANK_SVM, TABLE_1
from sidewise.studies.tables import table_of, three, with_sd

SIGNAL = 0.25
CURVE = "precision at recall"
SHARES = (0.0, 0.2, 0.4, 0.5, 0.6, 0.8)  # of bad documents
USUAL_SHARE = 0.4
BEST, WORST, RANDOM_ORDER = "the best order", "the best order reversed", "random"
BAD_LAST, BAD_FIRST = "bad documents last, else random", "bad documents first, else random"
FOUR_FIFTHS = "random, a fifth not ranked"
ORDERS = (BEST, BAD_LAST, RANDOM_ORDER, FOUR_FIFTHS, BAD_FIRST, WORST)

LEFT_OUT = {
    "queries_without_features": "Judged queries that have no features, left out",
    "documents_without_features": "Judged documents that have no features, which count as not retrieved",
    "contradictions": "Knots of judgments that contradict each other, left undecided",
}

TEXT = f"""
This is the comparison of Carterette, Bennett and Chapelle, *A test collection of preference judgments* (2008), run with
Sidewise: RankSVM, which learns from preferences, against a binary SVM, which learns only which documents were marked as
bad, and against chance. Their collection has 50 queries with 50 judged documents each, joined with LETOR's features.

```bash
sidewise reproduce list
```

lists the parts. `sidewise reproduce preference-judgments --out docs/studies` runs them all, with seed 0, in two minutes
on two cores, and writes this page; `--quick` ends in seconds, on collections that are too small for what is said here
to hold. Neither LETOR nor the judgments come with Sidewise; who has them adds `--letor
FOLDER --preferences FILE` and gets the same table for them. Everyone gets it for simulated collections of the same
shape (`simulate.search_collection`), which are written to files in the published formats and read back from there, so
that the whole path is walked: read, take all preferences that follow from the few judgments, learn, rank, measure.

Everything is as in the paper, where it says how: five folds of 30 training, 10 validation and 10 test queries, as
LETOR turns them; features with standard deviation 1, here over the training queries alone; a linear kernel; all
preferences that follow from the judgments. It says that C was chosen on the validation queries, and not by what: here
it is the mean APpref, of C from 10⁻⁶ to 10.

How much features tell of preferences was not tuned until the figures fitted. Utility correlates by {SIGNAL} with the
best weighted sum of features, a weak signal, and [a section below](#ours-more-and-less-to-learn-from) shows the whole
range. Four documents in ten are bad: the paper says that more than half are not.
"""


def table_1(rows: Rows) -> Shown:
    """Beside the paper's own."""
    count = rows[0]["collections"]
    top, least = _lead(rows, max), _lead(rows, min)
    text = f"""
{_figures(rows)}

Ours are means over {count} simulated collections, in brackets the standard deviation over collections, which is what
one collection of 50 queries leaves to chance. The simulated ones are no copy of the real one, and figures need not
agree; that RankSVM is ahead of the binary SVM by a little is what can be compared. Here it leads by {three(least)} to
{three(top)}, depending on the measure (the paper: {three(_paper_lead(min))} to {three(_paper_lead(max))}). One
collection says little about leads of that size: a single column's differs from one to the next by a standard
deviation of up to {three(_lead_sd(rows))}. RankSVM was ahead, column by column, in {_ahead(rows)} of {count}.

The curves are interpolated: at each recall the best precision from there on, in the mean over queries, 0 for a query
whose ranking never gets there. Where they fall, fewer and fewer queries get there. The figure in the paper is lost in
the text that we have; it says that preferences are superior at nearly every point, and so it is here, at
{_points(rows)}.

![Figure 3](figure-3.svg)
"""
    return Shown(text, {"figure-3": _curves(rows, "value_sd")})


def bounds(rows: Rows) -> Shown:
    """What follows for the paper's sentences."""
    usual = [row for row in rows if row["bad"] == USUAL_SHARE]
    orders = [order for order in ORDERS if any(row["order"] == order for row in usual)]
    known = table_of(["", *COLUMNS], [[order, *(_cell(usual, order=order, figure=name) for name in COLUMNS)]
                                      for order in orders])  # fmt: skip
    chance = [row for row in rows if row["order"] == RANDOM_ORDER]
    shares = list(dict.fromkeys(row["bad"] for row in chance))
    by_share = table_of(
        ["bad documents", *COLUMNS],
        [[f"{100 * share:.0f} %", *(_cell(chance, bad=share, figure=name) for name in COLUMNS)] for share in shares],
    )
    paper = table_of(["", *COLUMNS], [["*the paper*, random", *map(_printed, COLUMNS)]])
    text = f"""
Rankings of the simulated documents by someone who knows the truth, all of it or which documents are bad, beside chance
({max(row["draws"] for row in rows)} draws for all that is random; in brackets their standard deviation):

{known}

Chance, by the share of bad documents:

{by_share}

{paper}

{_lessons(usual, chance).strip()}
"""
    return Shown(text, {})


def _lessons(usual: Rows, chance: Rows) -> str:
    best_known = _number(usual, order=BAD_LAST, figure="APpref")
    fifth = [three(_number(usual, order=FOUR_FIFTHS, figure=name)) for name in ("ppref@max", "rpref@max")]
    shares = [row["bad"] for row in chance]
    ends = [_number(chance, bad=share, figure="ppref@10") for share in (min(shares), max(shares))]
    return f"""
What this teaches about the paper:

- *"ppref cannot be lower than 0.5"*: it can. The reversed order has 0, and the paper's own random ranker has
  {_printed("ppref@10")} at rank 10. *"rpref cannot be higher than ppref"* is true: both count the same
  correctly ordered pairs, and rpref divides them by more.
- *"The random baseline is quite high, likely because so many documents were judged relevant"*: it is not that. A pair
  that counts is a toss of a coin, whatever the share of bad documents, and pairs of two bad ones do not count: all
  ranks together, chance has one half at every share. At rank 10 it has *less* than one half, the more so the more
  documents are bad: {three(ends[0])} with the fewest, {three(ends[1])} with the most. (A top of good documents orders
  many pairs, and one of bad documents few, most of them wrongly; the mean of shares over queries is then below the
  share of all.) The paper's random row falls off in the same way, from {_printed("ppref@max")} to
  {_printed("ppref@10")}, about as ours does with five bad in ten.
- ppref@max and rpref@max are one number wherever all judged documents are ranked. In the paper they are for RankSVM,
  and are not for the binary SVM and for chance, so that these two seem to have left out documents. A random ranker that
  leaves out a fifth of them has {fifth[0]} and {fifth[1]}; the paper's has {_printed("ppref@max")} and
  {_printed("rpref@max")}. If so, its rpref@max does not compare like with like.
- APpref of chance rises above one half as bad documents come in: it passes over ranks where rpref does not rise, which
  are those of bad documents, and that is where ppref has just fallen. It does not get to the paper's
  {_printed("APpref")}, which one lucky draw might explain, or something that we do not know.
- To know which documents are bad, and nothing else, would be worth an APpref of {three(best_known)}. The SVMs above
  are far from that: what limits them is what features tell, more than what they learn from.
"""


def _printed(name: str, method: str = RANDOM) -> str:
    """A figure of the paper's, with the digits that it has there."""
    return f"{TABLE_1[method][name]:.4f}".replace("0.", ".", 1)


def signals(rows: Rows) -> Shown:
    """From nothing to everything."""
    levels = list(dict.fromkeys(row["signal"] for row in rows))
    body = [
        [f"{level:g}", *(_cell(rows, signal=level, method=method, figure=name)
                         for name in ("ppref@10", "APpref") for method in METHODS)]
        for level in levels
    ]  # fmt: skip
    head = ["signal", *(f"{name}, {method}" for name in ("ppref@10", "APpref") for method in METHODS)]
    drawn = [dict(row) | _band(row["value"], row["value_sd"]) for row in rows if row["figure"] == "APpref"]
    picture = method_lines(
        drawn, x="signal", across=(0, 1),
        titles=("correlation of utility with the best sum of features", "APpref"),
    )  # fmt: skip
    text = f"""
The same comparison on {rows[0]["collections"]} collections each, with more and less to learn from. The signal is the
correlation of a document's worth with the best sum of its features that there is.

![More and less to learn from](signals.svg)

{table_of(head, body)}

Where features tell nothing, nobody learns anything. Where they tell everything, there is the most to gain from knowing
more than who is bad: RankSVM leads by {three(_gain(rows, max(levels)))} in APpref there, and by
{three(_gain(rows, SIGNAL))} at the {SIGNAL} of Table 1.
"""
    return Shown(text, {"signals": picture})


def letor(rows: Rows) -> Shown:
    """The user's own."""
    first = rows[0]
    left_out = "".join(f" {said}: {first[name]:,}." for name, said in LEFT_OUT.items() if first[name])
    text = f"""
{first["queries"]} queries, {first["documents"]:,} judged documents with {first["features"]} features, and
{first["preferences"]:,} preferences that follow from the judgments.{left_out} In brackets 95 % intervals, by drawing
queries.

{_figures(rows)}

![Figure 3 on LETOR](letor.svg)
"""
    return Shown(text, {"letor": _curves(rows, None)})


def _figures(rows: Rows) -> str:
    """Table 1: ours, and below it the paper's."""
    body = []
    for method in METHODS:
        here = [_find(rows, method=method, figure=name) for name in COLUMNS]
        body.append([method, *(_shown(row) for row in here)])
        body.append([f"{method}, *the paper*", *(_printed(name, method) for name in COLUMNS)])
    return table_of(["", *COLUMNS], body)


def _shown(row: Mapping[str, Any]) -> str:
    if "low" in row:
        return f"{three(row['value'])} ({three(row['low'])}–{three(row['high'])})"
    return with_sd(row["value"], row["value_sd"])


def _curves(rows: Rows, spread: str | None) -> Any:
    drawn = [dict(row) | (_band(row["value"], row[spread]) if spread else {}) for row in rows if row["figure"] == CURVE]
    reached = max((row["recall"] for row in drawn if row["value"] > 0.005), default=1.0)
    return method_lines(
        drawn, x="recall", across=(0, min(1.0, reached + 0.05)),
        titles=("recall of preferences (rpref)", "precision of preferences (ppref)"),
    )  # fmt: skip


def _band(value: float, spread: float | None) -> dict[str, float]:
    return {"low": max(value - (spread or 0), 0.0), "high": min(value + (spread or 0), 1.0)}


def _find(rows: Rows, **where: object) -> Mapping[str, Any]:
    return next(row for row in rows if all(row[name] == value for name, value in where.items()))


def _number(rows: Rows, **where: object) -> float:
    return float(_find(rows, **where)["value"])


def _cell(rows: Rows, **where: object) -> str:
    row = _find(rows, **where)
    return with_sd(row["value"], row["value_sd"])


def _leads(rows: Rows) -> list[Mapping[str, Any]]:
    return [_find(rows, method=RANK_SVM, figure=name) for name in COLUMNS]


def _lead(rows: Rows, which: Any) -> float:
    return float(which(row["over_binary"] for row in _leads(rows)))


def _lead_sd(rows: Rows) -> float:
    """Of one collection's lead, from the standard error of their mean."""
    return float(max((row["over_binary_se"] or 0) * row["collections"] ** 0.5 for row in _leads(rows)))


def _paper_lead(which: Any) -> float:
    return float(which(TABLE_1[RANK_SVM][name] - TABLE_1[BINARY_SVM][name] for name in COLUMNS))


def _ahead(rows: Rows) -> str:
    counts = sorted({row["above_binary"] for row in _leads(rows)})
    return f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"


def _points(rows: Rows) -> str:
    curve = [row for row in rows if row["figure"] == CURVE and row["method"] == RANK_SVM]
    other = {row["recall"]: row["value"] for row in rows if row["figure"] == CURVE and row["method"] == BINARY_SVM}
    reached = [row for row in curve if row["value"] > 0 or other[row["recall"]] > 0]
    above = sum(row["value"] > other[row["recall"]] for row in reached)
    return f"{above} of {len(reached)} levels of recall that either reaches"


def _gain(rows: Rows, level: float) -> float:
    return _number(rows, signal=level, method=RANK_SVM, figure="APpref") - _number(
        rows, signal=level, method=BINARY_SVM, figure="APpref"
    )
