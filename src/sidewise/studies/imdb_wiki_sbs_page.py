"""What the page of the study of IMDB-WIKI-SbS says: every number in it comes from the tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from sidewise.studies.contenders import OURS
from sidewise.studies.imdb_wiki_sbs_pictures import beside_chance
from sidewise.studies.imdb_wiki_sbs_published import ITEMS, LEFT, LEFT_SHARE, PAIRS, WORKERS
from sidewise.studies.imdb_wiki_sbs_published import WHOLE as PUBLISHED
from sidewise.studies.imdb_wiki_sbs_words import (
    FULL,
    ITS_OWN,
    MEASURES,
    RANDOM,
    REVERSED,
    SEEN,
    SHARED,
    USED,
    WHOLE,
)
from sidewise.studies.lines import lines
from sidewise.studies.parts import Rows, Shown
from sidewise.studies.tables import by_share, table_of, three, trials_of, with_sd

BY = "bradley-terry"


def table_2(rows: Rows) -> Shown:
    """The whole, the genders, and what others report."""
    groups = list(dict.fromkeys(row["group"] for row in rows))
    all_rows = [row for row in rows if row["group"] == groups[0]]
    cells = {row["model"]: [_cell(rows, group, row["model"], ITS_OWN) for group in groups[1:]] for row in all_rows}
    genders = [[model, *(three(cell[name]) for cell in own for name in MEASURES)] for model, own in cells.items()]
    head = ["", *(f"{group}, {title}" for group in groups[1:] for title in MEASURES.values())]
    places = " and ".join(f"{three(_cell(rows, group, OURS, WHOLE)['accuracy'])} ({group})" for group in groups[1:])
    others = [[model, f"{accuracy:.4f}", f"{tau:.4f}"] for model, (accuracy, tau) in PUBLISHED.items()]
    text = f"""
{USED[rows[0]["data"]]} In brackets the standard deviation over {all_rows[0]["draws"]} draws of the comparisons with
replacement; of `{RANDOM}`, over {_of(all_rows, RANDOM)["draws"]} orders.

{table_of(["", *MEASURES.values()], [[row["model"], *_figures(row)] for row in all_rows])}

The measures do not agree on what is best, and NDCG@10 is the least fit to say: it looks at ten photos of
{all_rows[0]["items"]:,}, and moves by {_least_most(all_rows, "ndcg10")} from one draw of the comparisons to the next;
accuracy moves by {_least_most(all_rows, "accuracy")}. The reversed truth has {_least(all_rows)},
which is the least there can be, and a random order {three(_of(all_rows, RANDOM)["ndcg10"])}: an NDCG below .6 is no
better than chance.

Others on all {PAIRS:,} comparisons (*a public repository*), for orientation:

{table_of(["", "accuracy", "tau"], others)}

By gender, from the comparisons of two women or of two men alone, as the paper does it. It finds "no specific
difference" between the genders:

{table_of(head, genders)}

Half of the photos keep a quarter of the comparisons, and a gender ranked by its own has less to go by: in the
ranking from all comparisons `{OURS}` has an accuracy of {places}.
"""
    return Shown(text, {})


def table_3(rows: Rows) -> Shown:
    """Groups of eleven years."""
    groups = list(dict.fromkeys(row["group"] for row in rows))
    tables = [
        f"{title}, {said}:\n\n" + table_of(["", *groups], _by_group(rows, groups, measure, fitted))
        for measure, title in (("ndcg10", "NDCG@10"), ("accuracy", "Accuracy"))
        for fitted, said in ((ITS_OWN, "from comparisons within the group"), (WHOLE, "from all comparisons"))
    ]
    below = [group for group in groups if _below_chance(rows, group, ITS_OWN)]
    right = sum(_cell(rows, group, BY, ITS_OWN)["accuracy"] > 0.5 for group in groups)
    panels = {"ndcg10": "NDCG@10", "ndcg100": "NDCG@100", "accuracy": "accuracy"}
    kinds = {ITS_OWN: f"{BY} within the group", WHOLE: f"{BY} from all comparisons"}
    text = f"""
{used(rows)} The paper's groups are lost; it says that each had the same number of photos. No partition of the 61
ages has equal groups, 61 being a prime number, but decades with both ends have: 10–20, 20–30, … 60–70, eleven years
and {rows[0]["items"]:,} photos each. These we take. A group is evaluated as the paper does it, by comparisons of
two of its members alone, and beside it by its members' places in the ranking from all comparisons.

![Age groups beside chance](table-3.svg)

Grey: {RANDOM}, the mean and two standard deviations each way over {_of(rows, RANDOM)["draws"]} orders.

{(chr(10) * 2).join(tables)}

The paper finds its models worse than random within groups. Here Bradley–Terry from the group's own comparisons has
an NDCG@10 below the mean of random orders in {_counted(below, groups)}, and its accuracy is above one half in
{right} of {len(groups)}. NDCG@10 tells little here: within a group the ages hardly differ, so that random orders
have {_range(rows, groups, RANDOM, "ndcg10")}, the reversed truth {_range(rows, groups, REVERSED, "ndcg10")}, and a
standard deviation of random orders is {_range(rows, groups, RANDOM, "ndcg10_sd")}. But the accuracies are low, too;
and those of `page-rank` and `win-rate` from a group's own comparisons are below those of random orders where few
comparisons are left, since photos that were compared alike have equal scores with them, which count as wrong. The
next four sections say why. (NDCG@100 and tau are in `table-3.csv`.)
"""
    return Shown(text, {"table-3": beside_chance(list(_drawn(rows, groups, panels, kinds)), panels, kinds)})


def spammers(rows: Rows) -> Shown:
    """Left-biased ones."""
    first = rows[0]["data"]
    picture = lines(
        rows, y="accuracy", panels={first: plain(rows)}, panel="data",
        titles=("spammers who always choose left, in % of the workers", "pair accuracy"),
    )  # fmt: skip
    shares = sorted({row["share"] for row in rows})
    falls = "; ".join(
        _fall(rows, model, (shares[0], shares[-1])) for model in dict.fromkeys(row["model"] for row in rows)
    )
    text = f"""
{used(rows)} Each spammer gives as many answers as a worker does on average, to tasks drawn from the data.
{trials_of(rows)}

![Spammers](spammers.svg)

{by_share(rows, LEFT)}

The last rows are *a public repository*'s on **all {PAIRS:,} comparisons**: other data, so that levels cannot be
compared, but falls can. From no spammers to {100 * shares[-1]:.0f} %, accuracy goes {falls}. `{OURS}` takes a pull
to one side off before it weighs what a worker says, and keeps nearly all; how CrowdBT and factorBT of that
repository hold where ours fall, whether by more answers of each worker or by other settings, we do not know. Fits
that converged, of all: {_converged(rows)}.
"""
    return Shown(text, {"spammers": picture})


def strength(rows: Rows) -> Shown:
    """By λ."""
    best = max(rows, key=lambda row: row["tau"])
    body = [[f"{row['strength']:g}", *(f"{row[name]:.4f}".replace("0.", ".", 1) for name in MEASURES)] for row in rows]
    text = f"""
{used(rows)} The virtual item is compared with every photo, once won and once lost, each with weight λ.

{table_of(["λ", *MEASURES.values()], body)}

Tau is best at λ = {best["strength"]:g} of these. With next to no prior, photos that won all of their few
comparisons come first, wherever they belong.
"""
    return Shown(text, {})


def simulated(rows: Rows) -> Shown:
    """A set that everyone has."""
    one = rows[0]
    text = f"""
{one["items"]:,.0f} photos, as many of every age from 10 to 70 and gender; {one["comparisons"]:,.0f} different
pairs, drawn evenly, each shown to one of {one["workers"]:,.0f} workers (the paper: {ITEMS:,}, {PAIRS:,},
{WORKERS:,}). Its graph is in {one["parts"]:.0f} part, a photo is in {one["least"]:.0f} to {one["most"]:.0f}
comparisons, {100 * one["left"]:.1f} % of the answers are "left" (the paper: {100 * LEFT_SHARE:.1f} %), and
{100 * one["right"]:.1f} % go to the older one, where one is.

A year is worth 0.095 log-odds; some look older than others of their age, with a standard deviation of 1; for 12 %
of the photos the age on record is drawn at random; 3 % of the workers toss a coin and all others look. These four
numbers were chosen so that nearly as many answers are right as in the real ones at every difference of ages ([how
nearly](#is-it-the-answers)), and Bradley–Terry is about as accurate as on the real data. Real workers differ from
one another in more ways.

Others report {three(PUBLISHED[BY][0])} and {three(PUBLISHED[BY][1])} of Bradley–Terry on all real answers. Means
over {rows[0]["trials"]} sets, in brackets the standard deviation over them; each has other photos and other
answers:

{table_of(["", *MEASURES.values()], [[row["model"], *_figures(row)] for row in rows])}

The last line is an order by how old people look, without any error of the crowd's: more answers could not get
further.
"""
    return Shown(text.replace("1 part,", "one part,"), {}) if SEEN in {row["model"] for row in rows} else Shown("", {})


def used(rows: Rows) -> str:
    """What a section was made from, as a sentence."""
    return f"From {plain(rows)}{'' if rows[0]['data'] == FULL else ', not the whole file'}."


def plain(rows: Rows) -> str:
    """The data in a few words."""
    return {FULL: "the whole file", SHARED: "the 48,627 comparisons"}.get(rows[0]["data"], "the simulated set")


def _figures(row: Mapping[str, Any]) -> list[str]:
    return [with_sd(row[name], row[f"{name}_sd"]) for name in MEASURES]


def _ranked(rows: Rows) -> Rows:
    return [row for row in rows if row["model"] not in (RANDOM, REVERSED)]


def _cell(rows: Rows, group: str, model: str, fitted: str) -> Mapping[str, Any]:
    where = {"group": group, "model": model}
    return find(rows, **(where if model in (RANDOM, REVERSED) else where | {"fitted": fitted}))


def _by_group(rows: Rows, groups: Sequence[str], measure: str, fitted: str) -> list[list[str]]:
    models = dict.fromkeys(row["model"] for row in rows if row["fitted"] in (fitted, ""))
    found = {model: [_cell(rows, group, model, fitted) for group in groups] for model in models}
    return [[model, *(with_sd(one[measure], one[f"{measure}_sd"]) for one in cells)] for model, cells in found.items()]


def _below_chance(rows: Rows, group: str, fitted: str) -> bool:
    below: bool = _cell(rows, group, BY, fitted)["ndcg10"] < _cell(rows, group, RANDOM, fitted)["ndcg10"]
    return below


def _counted(some: Sequence[str], every: Sequence[str]) -> str:
    return f"{len(some)} of {len(every)} groups" + (f" ({', '.join(some)})" if some else "")


def _range(rows: Rows, groups: Sequence[str], model: str, measure: str) -> str:
    values = [_cell(rows, group, model, "")[measure] for group in groups]
    return f"{three(min(values))} to {three(max(values))}"


def _least(rows: Rows) -> str:
    """The figure of the reversed truth: 10 / 70 where there are ten of 10 years and ten of 70."""
    found = _of(rows, REVERSED)["ndcg10"]
    return three(found) + (" = 10 / 70" if abs(found - 10 / 70) < 1e-5 else "")


def _least_most(rows: Rows, measure: str) -> str:
    spreads = [row[f"{measure}_sd"] for row in _ranked(rows) if row[f"{measure}_sd"] is not None]
    return f"{three(min(spreads))} to {three(max(spreads))}"


def _drawn(rows: Rows, groups: Sequence[str], panels: Mapping[str, str], kinds: Mapping[str, str]) -> Any:
    for group in groups:
        for measure in panels:
            random = _cell(rows, group, RANDOM, "")
            value, spread = random[measure], random[f"{measure}_sd"]
            yield {"group": group, "measure": measure, "kind": RANDOM, "value": value, "low": value - 2 * spread,
                   "high": value + 2 * spread}  # fmt: skip
            for fitted, kind in kinds.items():
                found = _cell(rows, group, BY, fitted)[measure]
                yield {"group": group, "measure": measure, "kind": kind, "value": found, "low": found, "high": found}


def _fall(rows: Rows, model: str, shares: tuple[float, float]) -> str:
    """From where to where, here and there."""
    here = [three(find(rows, model=model, share=share)["accuracy"]) for share in shares]
    there = [three(LEFT[model].get(share)) for share in shares] if model in LEFT else []
    return f"from {' to '.join(here)} for `{model}`" + (f" (there: {' to '.join(there)})" if there else "")


def _converged(rows: Rows) -> str:
    trials = {model: [(row["trials"], row["converged"]) for row in rows if row["model"] == model]
              for model in dict.fromkeys(row["model"] for row in rows)}  # fmt: skip
    return ", ".join(f"{sum(count * share for count, share in each) / sum(count for count, _ in each):.0%} of `{model}`"
                     for model, each in trials.items())  # fmt: skip


def find(rows: Rows, **where: object) -> Mapping[str, Any]:
    """The first row that says so."""
    return next(row for row in rows if all(row[name] == value for name, value in where.items()))


def _of(rows: Rows, model: str) -> Mapping[str, Any]:
    return find(rows, model=model)
