"""What the page of the ASAP study says of real answers: every number in it comes from the tables."""

from sidewise.studies.asap_runs import LIMIT
from sidewise.studies.asap_words import by_trials, errors, mean_of, orders, percent, run_counts, shown
from sidewise.studies.parts import Rows, Shown
from sidewise.studies.tables import table_of, three


def figure_5(rows: Rows) -> Shown:
    """Images."""
    return _figure("figure-5", rows, f"""
The paper draws 40 of 100 conditions whose comparisons are not public here. In their place stand 15 references with 16
distorted images each (`image-quality`, 6 to 56 judgments a pair). An answer is drawn with the empirical chance of the
pair; the truth is the scale of the whole matrix, by the same estimator. Means are over all references. {_real(rows)}

*The paper*: ASAP is best, then ASAP-approx, Hybrid-MST and TS-sampling; Crowd-BT and HR-active are worst.
""")  # fmt: skip


def figure_6(rows: Rows) -> Shown:
    """Videos."""
    return _figure("figure-6", rows, f"""
10 references with 16 distorted videos each, every pair judged 32 times: the paper's own data (`video-quality`).
Otherwise as Figure 5. {_real(rows)}

*The paper*: ASAP is best throughout; Hybrid-MST beats ASAP-approx while little is asked; TS-sampling does much worse
than in simulation.
""")  # fmt: skip


def _figure(name: str, rows: Rows, about: str) -> Shown:
    """What a data set is, and what came out of it."""
    title = name.replace("-", " ").capitalize()
    text = f"""{about}
![{title}, RMSE]({name}.svg)

![{title}, SROCC]({name}-srocc.svg)

{_tables(rows)}

{_by_reference(rows)}

{_unit(rows)}
"""
    whole = {"All references": [row for row in rows if row["world"] == "all"]}
    return shown(text, {name: errors(whole), f"{name}-srocc": orders(whole)})


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
