"""What the page of the ASAP study says: every number in it comes from the tables."""

from math import hypot

from sidewise.studies.asap_pictures import curves, maps
from sidewise.studies.asap_runs import ALL_WEIGHED, BY_MESSAGES, FOR_ORDER, ONE_BY_ONE, OPTIMAL_ONE_BY_ONE
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

Lines are means over runs. The band of `optimal` holds the middle 75 % of its runs, and dotted lines those of `asap`.
The paper's simulator may have had other noise than ours, so that its figures and ours compare strategy with strategy
and not one by one. Its pictures are lost in the text that we have; what it says in words stands beside ours.

`sidewise reproduce asap --out docs/studies` runs all parts, with seed 0 unless another is named, in about two hours on
two cores, and writes this page; a study that is interrupted goes on where it stopped when it is called again. `--only
figure-4` runs one part, `--quick` has fewer runs, stops and items.
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
