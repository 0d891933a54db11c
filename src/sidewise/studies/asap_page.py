"""What the page of the ASAP study says: every number in it comes from the tables."""

from collections.abc import Mapping
from math import hypot
from typing import Any

from sidewise.studies.asap_pictures import bars, curves, maps
from sidewise.studies.asap_runs import ALL_WEIGHED, BY_MESSAGES, FOR_ORDER, LIMIT, ONE_BY_ONE, OPTIMAL_ONE_BY_ONE
from sidewise.studies.asap_words import (
    X,
    by_trials,
    errors,
    in_order,
    limit_at,
    mean_of,
    more,
    orders,
    percent,
    ratios,
    run_counts,
    runs_of,
    runs_said,
    shown,
    standing,
    stops_of,
    value_of,
)
from sidewise.studies.parts import Rows, Shown
from sidewise.studies.tables import table_of, three

RANGES = {"large": "Large range, [0, 20]", "medium": "Medium range, [0, 5]", "small": "Small range, [0, 1]"}
NEAR = 3  # places

TEXT = """
Which pairs should people be asked about, so that few answers give accurate scores? This is the study of the ASAP paper
(Mikhailiuk et al. 2020), run with Sidewise on one simulator for all strategies, with three additions: our own strategy,
`optimal`, *the limit*, and *the limit's pairs*.

- **The crowd.** Item i beats item j with the chance Φ(sᵢ − sⱼ): a difference of 1 is noise of variance 1. True scores
  are uniform in a range. All strategies of a run have the same scores.
- **A standard trial** is as many comparisons as there are pairs, n (n − 1) / 2. All strategies choose batches of n − 1
  pairs, also those that were made to choose one at a time.
- **The estimator** is the same for all: the mean of a normal posterior with all covariances, the spread of its prior
  and the share of lapses estimated from the answers (`sidewise.sampling.belief`). RMSE is after the best shift; SROCC
  is Spearman's rank correlation, shown as artanh as in the paper, where a perfect order counts as halfway to two
  neighbours swapped.
- **The limit** is the Cramér–Rao bound of the best design for one who knows the scores already: no unbiased scores can
  have a smaller mean squared error, whichever pairs are asked. A prior can go below it where scores are close, or where
  a gap is so wide that no answer tells how wide. It is shown as the median over runs, and dashed: on the large range
  about one draw in seventeen has neighbours more than 5 apart, whose bound is so high that the mean says nothing.
- **The limit's pairs** are asked as that design shares them out, by one who knows the scores, and their answers are
  given to the same estimator: the bound is one for many answers, and this is what is left of it with few.

Lines are means over runs; bands, in the colours of `optimal` and `asap`, hold the middle 75 % of their runs. The
paper's simulator may have had other noise than ours, so that its figures and ours compare strategy with strategy and
not one by one. Its pictures are lost in the text that we have; what it says in words stands beside ours.

`sidewise reproduce asap --out docs/studies` runs all parts, with seed 0, in less than an hour on two cores, and
writes this page; a study that is interrupted goes on where it stopped when it is called again. `--only figure-4` runs
one part, `--quick` has fewer runs, stops and items.
"""


def figure_2(rows: Rows) -> Shown:
    """Saved, weighed, and at what cost."""
    saved, chance = ([row for row in rows if row["what"] == what] for what in ("saved", "chance"))
    last = max(row["trials"] for row in saved)
    at = {row["world"]: row["value"] for row in saved if row["trials"] == last}
    most = max(saved, key=lambda row: row["value"])
    accuracy = table_of(["RMSE / SROCC after", *(f"{trials:g}" for trials in stops_of(rows, "rmse"))], [
        [name, *(f"{three(value_of(rows, 'rmse', name, trials))} / {three(value_of(rows, 'srocc', name, trials))}"
                 for trials in stops_of(rows, "rmse"))] for name in ("asap", ALL_WEIGHED)])  # fmt: skip
    text = f"""
ASAP weighs a pair with a chance that is the smaller, the surer its answer is. After {last:g} standard trials, it
leaves out
{percent(at["large"])} of the pairs on the large range, {percent(at["medium"])} on the medium one and
{percent(at["small"])} on the small one; the most at any stop are {percent(most["value"])} ({most["world"]} range, after
{most["trials"]:g}). *The paper*: up to 80 %, more on the large range than on the small one. {runs_said(saved)}

![Figure 2a](figure-2-saved.svg)

The chance that a pair is weighed, medium range, after {chance[0]["trials"]:g} standard trials:

![Figure 2b](figure-2-map.svg)

Scores are as accurate with the selection as without, *the paper* says. Medium range, {runs_of(rows, "rmse")}:

![Figure 2c](figure-2-accuracy.svg)

{accuracy}
"""
    lines = [dict(row) | {"x": row["trials"], "strategy": row["world"], "value": 100 * row["value"]} for row in saved]
    errors_of = [dict(row) | {"x": row["trials"]} for row in rows if row["what"] == "rmse"]
    return shown(text, {
        "figure-2-saved": curves(lines, panels={"Pairs that are not weighed": lines}, titles=(X, "% of all pairs"),
                                 log_scale=False),
        "figure-2-accuracy": curves(errors_of, panels={"Medium range": errors_of}, titles=(X, "RMSE"), log_scale=True),
        "figure-2-map": maps({"Chance to be weighed": chance}, value="value", title="chance"),
    })  # fmt: skip


def figure_3(rows: Rows) -> Shown:
    """Trees."""
    last = max(row["trials"] for row in rows)
    theirs, ours = (
        _against(rows, one, batches, last) for one, batches in ((ONE_BY_ONE, "asap"), (OPTIMAL_ONE_BY_ONE, "optimal"))
    )
    text = f"""
ASAP's batches are trees that join all items; without them it asks the one pair with the largest gain, looks at the
answer, and so on. *The paper*: one pair at a time is worse, and the more so the more is asked, as some items are asked
about much more often than others. Here, on the medium range after {last:g} standard trials, the RMSE of one pair at a
time is {theirs} for `asap`, and {ours} for `optimal`; ± is one standard error. {runs_said(rows)}

![Figure 3](figure-3.svg)

{by_trials(rows, "rmse")}
"""
    return shown(text, {"figure-3": errors({"Medium range": rows})})


def _against(rows: Rows, one: str, batches: str, at: float) -> str:
    """By how much the error of one way is more than that of the other, in words."""
    mean = mean_of(rows, batches, at)
    error = hypot(*(mean_of(rows, name, at, "rmse_se") for name in (one, batches))) / mean
    return f"{more(mean_of(rows, one, at) / mean - 1)} (± {100 * error:.0f})"


def figure_4(rows: Rows) -> Shown:
    """All strategies on three ranges."""
    of = {title: [row for row in rows if row["world"] == world] for world, title in RANGES.items()}
    tables = "\n\n".join(f"{title}, RMSE:\n\n{by_trials(here, 'rmse')}" for title, here in of.items())
    correlations = "\n\n".join(f"{title}, SROCC:\n\n{by_trials(here, 'srocc')}" for title, here in of.items())
    text = f"""
{rows[0]["n"]} items, all strategies. *The paper*: ASAP is the most accurate on all ranges by a substantial margin;
methods of
information gain beat sorting (`quicksort`, `swiss`); `trueskill` and `crowd-bt` are good on the large range and among
the worst on the small one; for SROCC there is no clear winner, and ASAP reaches .99 within five standard trials on the
large range. {run_counts(rows)}

![Figure 4, RMSE](figure-4.svg)

The same as multiples of the limit, by medians over runs: 1 is as good as any design can be without a prior.

![Figure 4, multiples of the limit](figure-4-limit.svg)

{" ".join(standing(title, here) for title, here in of.items())}

{tables}

The same as rank correlations. `optimal` is after accurate scores; `{FOR_ORDER}` is the same strategy with the goal
`ranking` (see [the decision](../../decisions/0005-choosing-pairs.md#the-gain)), which asks about those who may change
places, and has larger errors for it. {in_order(of, "optimal")} {in_order(of, FOR_ORDER)}

![Figure 4, SROCC](figure-4-srocc.svg)

{correlations}

{_estimators(rows)}
"""
    return shown(text, {"figure-4": errors(of), "figure-4-limit": ratios(of), "figure-4-srocc": orders(of)})


def _estimators(rows: Rows) -> str:
    """The paper's estimator beside ours."""
    stops = sorted({row["trials"] for row in rows})
    lines = [
        [RANGES[world].split(",")[0], name, *(
            f"{three(mean_of(own, name, at))} / {three(mean_of(own, name, at, 'rmse_by_messages'))}" for at in stops)]
        for world in RANGES for own in [[row for row in rows if row["world"] == world]] for name in BY_MESSAGES
    ]  # fmt: skip
    large = [row for row in rows if row["world"] == "large"]
    last = stops[-1]
    return f"""
### The paper's own estimator

The paper scores all strategies by message passing, whose prior has variance 0.5 and which keeps no covariances. RMSE of
the same answers, by our estimator / by the paper's:

{table_of(["", "", *(f"{at:g}" for at in stops)], lines)}

Such a prior draws scores together that range wider than it allows: on the large range, after {last:g} standard trials,
the answers that `asap` has asked for give {three(mean_of(large, "asap", last))} by ours and
{three(mean_of(large, "asap", last, "rmse_by_messages"))} by messages.
""".strip()


def figure_5(rows: Rows) -> Shown:
    """Images."""
    text = f"""
The paper draws 40 of 100 conditions whose comparisons are not public here. In their place stand 15 references with 16
distorted images each (`image-quality`, 6 to 56 judgments a pair). An answer is drawn with the empirical chance of the
pair; the truth is the scale of the whole matrix, by the same estimator. Means are over all references. {_real(rows)}

*The paper*: ASAP is best, then ASAP-approx, Hybrid-MST and TS-sampling; Crowd-BT and HR-active are worst.

![Figure 5, RMSE](figure-5.svg)

![Figure 5, SROCC](figure-5-srocc.svg)

{_tables(rows)}

{_by_reference(rows)}

{_unit(rows)}
"""
    return shown(text, _both("figure-5", rows))


def figure_6(rows: Rows) -> Shown:
    """Videos."""
    text = f"""
10 references with 16 distorted videos each, every pair judged 32 times: the paper's own data (`video-quality`).
Otherwise as Figure 5. {_real(rows)}

*The paper*: ASAP is best throughout; Hybrid-MST beats ASAP-approx while little is asked; TS-sampling does much worse
than in simulation.

![Figure 6, RMSE](figure-6.svg)

![Figure 6, SROCC](figure-6-srocc.svg)

{_tables(rows)}

{_by_reference(rows)}

{_unit(rows)}
"""
    return shown(text, _both("figure-6", rows))


def _real(rows: Rows) -> str:
    counts = run_counts([row for row in rows if row["world"] != "all"])
    return f"""{counts} The limit is that of a crowd which answers by the model; these answers do not, quite, so that it
is a guide here and no bound."""


def _tables(rows: Rows) -> str:
    whole = [row for row in rows if row["world"] == "all"]
    return f"""RMSE:

{by_trials(whole, "rmse")}

RMSE after the best scale, too, for who does not mind the unit; and how wide the scores are, as a multiple of the
truth's standard deviation:

{by_trials(whole, "scaled")}

{by_trials(whole, "width")}

SROCC:

{by_trials(whole, "srocc")}"""


def _both(name: str, rows: Rows) -> dict[str, Any]:
    whole = {"All references": [row for row in rows if row["world"] == "all"]}
    return {name: errors(whole), f"{name}-srocc": orders(whole)}


def _unit(rows: Rows) -> str:
    """What real answers have that simulated ones have not, and who is ahead of pairs at random."""
    whole = [row for row in rows if row["world"] == "all" and row["strategy"] != LIMIT]
    stops = sorted({row["trials"] for row in whole})
    half, last = stops[len(stops) // 2], stops[-1]

    def in_the_end(name: str, what: str) -> float:
        return mean_of(whole, name, last, what)

    def ahead(measure: str) -> str:
        return " and ".join(str(_ahead_of_random(whole, measure, at)) for at in (half, last))

    others = len({row["strategy"] for row in whole}) - 1
    return f"""People err about clear pairs more often than a probit model lets them. The estimator takes that for a
share of lapses, answers without a look: {percent(in_the_end("optimal", "lapse_of_all"), 1)} of all answers, on average
over references, {percent(in_the_end("optimal", "lapse"), 1)} of those that `optimal` has asked for in the end and
{percent(in_the_end("random", "lapse"), 1)} of those of `random`, as it takes many answers to show them. The scores of
`optimal` are {three(in_the_end("optimal", "width"))} times as wide as those of the whole matrix then, those of `random`
{three(in_the_end("random", "width"))} times. Of {others} strategies, after {half:g} and after {last:g} standard trials,
{ahead("rmse")} have a smaller RMSE than `random`, {ahead("scaled")} a smaller one after the best scale,
{ahead("srocc")} a better order. Without lapses in the belief, pairs at random had seemed the most accurate:
[the decision](../../decisions/0005-choosing-pairs.md#real-answers) tells why."""


def _ahead_of_random(rows: Rows, measure: str, at: float) -> int:
    """How many strategies are better than pairs at random at a stop."""
    sign = 1 if measure == "srocc" else -1
    own = {row["strategy"]: sign * row[measure] for row in rows if row["trials"] == at}
    return sum(value > own["random"] for value in own.values())


def _by_reference(rows: Rows) -> str:
    """Every reference at one stop, and in how many our strategy is ahead."""
    worlds = list(dict.fromkeys(row["world"] for row in rows if row["world"] != "all"))
    stops = sorted({row["trials"] for row in rows})
    at = stops[len(stops) // 2]
    names = [name for name in dict.fromkeys(row["strategy"] for row in rows) if name != LIMIT]
    cells = {(row["world"], row["strategy"]): row["rmse"] for row in rows if row["trials"] == at}
    lines = [[world.rsplit(" ", 1)[1], *(three(cells.get((world, name))) for name in names)] for world in worlds]
    ahead = sum(cells[world, "optimal"] < cells[world, "asap"] for world in worlds)
    return (f"By reference, RMSE after {at:g} standard trials; `optimal` is ahead of `asap` in {ahead} of "
            f"{len(worlds)}:\n\n{table_of(['reference', *names], lines)}")  # fmt: skip


def figure_7(rows: Rows) -> Shown:
    """Many items."""
    n = rows[0]["n"]
    text = f"""
{n} items from the medium range, where a standard trial is {n * (n - 1) // 2:,} comparisons. *The paper*: ASAP is
ahead even
with few trials, followed by ASAP-approx and Hybrid-MST. {run_counts(rows)}

![Figure 7](figure-7.svg)

{standing(f"{n} items", rows)} *The paper's* ASAP has 0.15 after 0.355 standard trials of 200 items; here `asap` has
{three(mean_of(rows, "asap", 0.355))} then, `optimal` {three(mean_of(rows, "optimal", 0.355))}, and the limit is
{three(limit_at(rows, 0.355))}.

RMSE:

{by_trials(rows, "rmse")}

SROCC:

![Figure 7, SROCC](figure-7-srocc.svg)

{by_trials(rows, "srocc")}
"""
    of = {f"{n} items, medium range": rows}
    return shown(text, {"figure-7": errors(of), "figure-7-srocc": orders(of)})


def figure_8(rows: Rows) -> Shown:
    """Time."""
    sizes = sorted({row["n"] for row in rows})
    at = {(row["strategy"], row["n"]): row for row in rows}
    names = list(dict.fromkeys(row["strategy"] for row in rows))
    names.sort(key=lambda name: -max(row["seconds"] for row in rows if row["strategy"] == name))

    def table(what: str) -> str:
        lines = [[name, *(_seconds(at.get((name, n)), what) for n in sizes)] for name in names]
        return table_of(["", *map(str, sizes)], lines)

    text = f"""
The time it takes to choose the next pairs when all pairs have been asked five times, on one core: a batch of n − 1
pairs, and a single pair, as the paper has it. A strategy that takes more than five seconds is not asked about more
items. *The paper*: on a processor, ASAP takes longest of all; on a GPU it is faster than the others. `make
bench-sampling` measures memory too, up to 5,000 items, and a literal ASAP beside ours: see
[its results](../../benchmarks.md).

![Figure 8](figure-8.svg)

A batch, by the number of items:

{table("seconds")}

A single pair:

{table("seconds_one")}
"""
    drawn = [dict(row) | {"x": row["n"], "value": row["seconds"]} for row in rows]
    panels = {"A batch of n − 1 pairs": drawn}
    return shown(text, {"figure-8": curves(drawn, panels=panels, titles=("items", "seconds"), log_scale=True)})


def _seconds(row: Mapping[str, Any] | None, what: str) -> str:
    if row is None:
        return "–"
    value = float(f"{row[what]:.2g}")
    unit, size = ("s", 1.0) if value >= 1 else ("ms", 1e-3) if value >= 1e-3 else ("µs", 1e-6)
    return f"{value / size:g} {unit}"


def figure_9(rows: Rows) -> Shown:
    """Effort."""
    panels, tables = {}, []
    for n in dict.fromkeys(row["n"] for row in rows):
        own = sorted((row for row in rows if row["n"] == n), key=lambda row: row["comparisons"] or 10 * row["tried"])
        panels[f"{n} items"] = [_bar(row) for row in own]
        lines = [[row["strategy"], *_effort(row), f"{row['paper']:,}" if row["paper"] else "–"] for row in own]
        tables.append(f"{n} items:\n\n" + table_of(["", "comparisons", "hours", "the paper's"], lines))
    text = f"""
Comparisons until the mean RMSE is {rows[0]["target"]:g}, and hours if one takes 5 seconds; between stops, the error is
taken to fall as a power of the number of comparisons. Medium range. The diamonds are the paper's figures, which were
had on another simulator. Pale bars end where the study ended, above the target.

![Figure 9](figure-9.svg)

{(chr(10) * 2).join(tables)}
"""
    return shown(text, {"figure-9": bars(panels, title="comparisons")})


def _effort(row: Mapping[str, Any]) -> tuple[str, str]:
    if row["comparisons"] is None:
        return f"more than {row['tried']:,}", "–"
    return f"{row['comparisons']:,}", f"{row['hours']:.2f}"


def _bar(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"strategy": row["strategy"], "value": row["comparisons"] or row["tried"], "says": _effort(row)[0],
            "more": row["comparisons"] is None, "paper": row["paper"]}  # fmt: skip


def heat_maps(rows: Rows) -> Shown:
    """Near the diagonal."""
    panels, lines = {}, []
    strategies = list(dict.fromkeys(row["strategy"] for row in rows))
    for world, title in RANGES.items():
        cells = [title]
        for strategy in strategies:
            own = [row for row in rows if (row["world"], row["strategy"]) == (world, strategy)]
            panels[f"{strategy}, {title.split(',')[0].lower()}"] = own
            near = sum(row["asked"] for row in own if row["j"] - row["i"] <= NEAR) / sum(row["asked"] for row in own)
            cells.append(percent(near))
        lines.append(cells)
    n = max(row["j"] for row in rows)
    even = sum(n - apart for apart in range(1, NEAR + 1)) / (n * (n - 1) / 2)
    text = f"""
How often each pair is asked in {rows[0]["trials"]:g} standard trials; items are in the order of their true scores. *The
paper*: on the small range all pairs about equally often, on the others mostly those along the diagonal.
{runs_said(rows)}

![Heat maps](heat-maps.svg)

Comparisons of items at most {NEAR} places apart, in % of all; {percent(even)} where all pairs are asked equally often:

{table_of(["", *strategies], lines)}
"""
    return shown(text, {"heat-maps": maps(panels, value="asked", title="times asked")})
