"""What the page of the study of IMDB-WIKI-SbS says: every number in it comes from the tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from sidewise.studies.contenders import OURS
from sidewise.studies.imdb_wiki_sbs_pictures import asked_otherwise, beside_chance, right_answers
from sidewise.studies.imdb_wiki_sbs_published import ITEMS, LEFT, LEFT_SHARE, PAIRS, WORKERS
from sidewise.studies.imdb_wiki_sbs_published import WHOLE as PUBLISHED
from sidewise.studies.imdb_wiki_sbs_words import (
    ANYONE,
    AS_WITHIN,
    DESIGN,
    EVERY,
    FULL,
    ITS_OWN,
    LOOKS_OLD,
    MEASURES,
    NARROW,
    RANDOM,
    REVERSED,
    SEEN,
    SHARED,
    USED,
    WHOLE,
    WIDE,
    WITHIN,
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
{USED[rows[0]["data"]]} In brackets the standard deviation over five draws of the comparisons with replacement; of
`{RANDOM}`, over a hundred orders.

{table_of(["", *MEASURES.values()], [[row["model"], *_figures(row)] for row in all_rows])}

The measures do not agree on what is best, and NDCG@10 is the least fit to say: it looks at ten photos of {ITEMS:,},
and moves by {_least_most(all_rows, "ndcg10")} from one draw of the comparisons to the next; accuracy moves by
{_least_most(all_rows, "accuracy")}. The reversed truth has {three(_of(all_rows, REVERSED)["ndcg10"])} = 10 / 70,
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
{_used(rows)} The paper's groups are lost; it says that each had the same number of photos. No partition of the 61
ages has equal groups, 61 being a prime number, but decades with both ends have: 10–20, 20–30, … 60–70, eleven years
and 1,650 photos each. These we take. A group is evaluated as the paper does it, by comparisons of two of its
members alone, and beside it by its members' places in the ranking from all comparisons.

![Age groups beside chance](table-3.svg)

Grey: {RANDOM}, the mean and two standard deviations each way over a hundred orders.

{(chr(10) * 2).join(tables)}

The paper finds its models worse than random within groups. Here Bradley–Terry from the group's own comparisons has
an NDCG@10 below the mean of random orders in {_counted(below, groups)}, and its accuracy is above one half in
{right} of {len(groups)}. NDCG@10 tells little here: within a group the ages hardly differ, so that random orders
have {_range(rows, groups, RANDOM, "ndcg10")}, the reversed truth {_range(rows, groups, REVERSED, "ndcg10")}, and a
standard deviation of random orders is {_range(rows, groups, RANDOM, "ndcg10_sd")}. But the accuracies are low, too;
and those of `page-rank` and `win-rate` from a group's own comparisons are below those of random orders where few
comparisons are left, since photos that were compared alike have equal scores with them, which count as wrong. The
next four sections say why. (NDCG@100 and tau are in `table-3.csv`; `linear-bias` takes minutes to rank a group
alone and is left out there.)
"""
    return Shown(text, {"table-3": beside_chance(list(_drawn(rows, groups, panels, kinds)), panels, kinds)})


def graph(rows: Rows) -> Shown:
    """Components."""
    head = ["", "groups", "photos", "comparisons", "per photo", "parts", "photos alone", "in the largest part",
            "groups in one part"]  # fmt: skip
    tables = []
    for data in dict.fromkeys(row["data"] for row in rows):
        body = [
            [row["kind"], str(row["groups"]), f"{row['items']:,.0f}", f"{row['comparisons']:,.0f}",
             f"{row['per_item']:.1f}", f"{row['parts']:,.1f}", f"{row['alone']:,.1f}",
             f"{100 * row['largest']:.1f} %", f"{row['connected']} of {row['groups']}"]
            for row in rows if row["data"] == data
        ]  # fmt: skip
        tables.append(f"{_named(data)} (means over groups):\n\n{table_of(head, body)}")
    ours, design = (_find(rows, data=data, kind=NARROW) for data in (rows[0]["data"], DESIGN))
    text = f"""
"As the comparison graph, in this case, is not connected, the Bradley-Terry model failed to deliver a meaningful
ranking", the paper guesses. So we count: what is left of the graph of comparisons inside a group?

{(chr(10) * 2).join(tables)}

A random pair has both ends in a group of eleven years of 61 with a chance of 3 %, so that a photo keeps 18 % of its
comparisons. In the data used here that leaves {ours["per_item"]:.1f} of them, and the graph does fall apart, into
{ours["parts"]:.0f} parts, most of them one photo. **With as many pairs as the paper has it does not**: a photo
keeps {design["per_item"]:.1f}, and {design["connected"]} of {design["groups"]} such groups hang together. (The
graph depends on nothing but the numbers of photos and pairs; this one is drawn by the paper's recipe, an
Erdős–Rényi graph.) Unless the paper's groups were far narrower than ten years, the reason that it gives was not
there.
"""
    return Shown(text, {})


def answers(rows: Rows) -> Shown:
    """Coin tosses."""
    names = list(dict.fromkeys(row["data"] for row in rows))
    first = [row for row in rows if row["data"] == names[0]]
    body = [
        [f"{row['from']}–{row['to']}", f"{row['comparisons']:,}",
         *(three(_find(rows, data=name, to=row["to"])["right"]) for name in names)]
        for row in first
    ]  # fmt: skip
    within = [row for row in first if row["to"] < 10]
    share = sum(row["right"] * row["comparisons"] for row in within) / sum(row["comparisons"] for row in within)
    text = f"""
{_used(rows)} "Between-group comparisons were more straightforward", is the paper's other guess. The share of
answers that go to the older one, by how many years the two are apart:

![Right answers](answers.svg)

{table_of(["years apart", "comparisons", *names], body)}

Of two people less than ten years apart, workers call the right one older {three(share)} of the time, little better
than a coin; more than thirty years apart, {three(first[-1]["right"])}. Comparisons within a group are all of the
first kind. That makes the *pairs* hard. Whether it makes the *answers* worth less is another question, and the next
section's.
"""
    return Shown(text, {"answers": right_answers(rows)})


def causes(rows: Rows) -> Shown:
    """The controlled comparison."""
    real = [row for row in rows if not row["simulated"]]
    simulated = [row for row in rows if row["simulated"]]
    body = [[row["ages"], row["whom"], f"{row['comparisons_per_item']:.1f}", *(with_sd(row[name], row[f"{name}_sd"])
             for name in ("right", "accuracy", "near", "joined"))] for row in real]  # fmt: skip
    head = ["photos of", "compared", "comparisons of each", "answers right", "accuracy",
            "of pairs ten years apart at most", "of pairs in one part"]  # fmt: skip
    own, few, every = (_find(real, ages=NARROW, whom=whom, per_item=count)
                       for whom, count in ((WITHIN, EVERY), (ANYONE, AS_WITHIN), (ANYONE, EVERY)))  # fmt: skip
    wide, wide_own = (_find(real, ages=WIDE, whom=whom, per_item=EVERY) for whom in (ANYONE, WITHIN))
    ceiling = sum(row["ceiling"] for row in simulated) / len(simulated)
    most = simulated[-1]["comparisons_per_item"]
    text = f"""
{_used(real)} Two causes can be told apart, for both can be had without the other. As few comparisons in as many
parts, but no narrow range: a group of as many photos *of any age*. A narrow range, but no missing comparisons: the
same photos and the same pairs, ranked by comparisons *with anyone*, all of them or as few as there are within the
group. Always Bradley–Terry with λ = 1; equal scores count half here, so that one half is a coin, also for photos
that nobody compared. Means over {own["rankings"]} groups, in brackets the standard deviation over groups.

{table_of(head, body)}

- **It is not that the graph falls apart.** Groups of any age keep as few comparisons, in as many parts, and have
  {three(wide_own["accuracy"])}, where age groups have {three(own["accuracy"])}. Pairs that hang together fare
  little better ({three(own["joined"])}) than all pairs.
- **It is the narrow range, and it is so for every ranking.** The ranking from all comparisons, in one part, has
  {three(wide["accuracy"])} over pairs of all ages, {three(wide["near"])} over those of them that are at most ten
  years apart, and {three(every["accuracy"])} within age groups.
- **Few comparisons cost the rest**: {three(every["accuracy"] - own["accuracy"])} between
  {every["comparisons_per_item"]:.1f} comparisons of each photo and {own["comparisons_per_item"]:.1f}.
- **Questions within the group are not worth less, but more.** With as few comparisons, those with anyone give
  {three(few["accuracy"])}, those within the group {three(own["accuracy"])}, although {three(few["right"])} of the
  former are answered rightly, and {three(own["right"])} of the latter. That grandfather looks older than the boy is
  a right answer that says nothing about him and his brother.

How far would more comparisons get? That can be asked of the simulated crowd, which answers as often as we like:

![The same pairs, asked otherwise](causes.svg)

Lines: the simulated crowd, with a standard error each way. Diamonds: {_plain(real)}. With up to {most:.0f}
comparisons of each photo, those within the group stay ahead or level, and both near {three(ceiling)}, which is what
an order by all that people see would reach: some look older than they are, and some ages on record are wrong. If
people see as the simulated ones do, no ranking of such a group can be much better, whatever the graph.
"""
    drawn = [row for row in real if row["ages"] == NARROW]
    return Shown(text, {"causes": asked_otherwise(simulated, drawn, ceiling)})


def ages(rows: Rows) -> Shown:
    """Wrong ages."""
    names = list(dict.fromkeys(row["data"] for row in rows))
    old = [row for row in rows if row["figure"] == LOOKS_OLD]
    shares = [[span, *(f"{100 * _find(old, data=name, ages=span)['value']:.1f} %" for name in names)]
              for span in dict.fromkeys(row["ages"] for row in old)]  # fmt: skip
    tops = [row for row in rows if row["figure"] != LOOKS_OLD]
    body = [[figure, span, *(_beside_random(_find(tops, data=name, figure=figure, ages=span)) for name in names)]
            for figure in dict.fromkeys(row["figure"] for row in tops)
            for span in dict.fromkeys(row["ages"] for row in tops)]  # fmt: skip
    youngest = _find(tops, data=names[0], figure="NDCG@100", ages=tops[0]["ages"])
    text = f"""
{_used(rows)} One thing is left: NDCG below that of random orders, also from all comparisons, is no lack of
knowledge, which would give random orders. In the youngest group NDCG@100 is {three(youngest["value"])}, and random
orders have {three(youngest["random"])} with a standard deviation of {three(youngest["random_sd"])}.

Whoever comes first among the youngest is ranked above the median of those on record as 40; so are so many:

{table_of(["age on record", *names], shares)}

If people looked their age, give or take, there would be ever fewer the younger they are. There are not. The
likeliest reason is that some ages on record are wrong, or that the face cut out is another's (the paper says as
much of genders); such a photo lands anywhere in the ranking. At the top of a young group all that is there are
photos with wrong ages, and NDCG@k looks at nothing but the top. The simulated crowd was told that some ages are
wrong, and beside it a crowd for which all are right:

{table_of(["", "age on record", *names], body)}

In brackets, by how many standard deviations that is above the mean of random orders, all from `{OURS}` on all
comparisons. With all ages right the first hundred of every group are well above chance. Where ages are wrong, and
as often at every age, those of the youngest group fall to about chance; and below it where the very youngest are
wrong more often than others, as the table above has it of the real data. So a model that ranks what people see, as
well as can be, is punished by NDCG for doing so. Accuracy and tau, which count all pairs alike, are not led astray.
"""
    return Shown(text, {})


def spammers(rows: Rows) -> Shown:
    """Left-biased ones."""
    first = rows[0]["data"]
    picture = lines(
        rows, y="accuracy", panels={first: _plain(rows)}, panel="data",
        titles=("spammers who always choose left, in % of the workers", "pair accuracy"),
    )  # fmt: skip
    shares = sorted({row["share"] for row in rows})
    falls = "; ".join(
        _fall(rows, model, (shares[0], shares[-1])) for model in dict.fromkeys(row["model"] for row in rows)
    )
    text = f"""
{_used(rows)} Each spammer gives as many answers as a worker does on average, to tasks drawn from the data.
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
{_used(rows)} The virtual item is compared with every photo, once won and once lost, each with weight λ.

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
numbers were chosen so that about as many answers are right as in the real ones at every difference of ages
([above](#is-it-the-answers)), and Bradley–Terry is about as accurate as on the real data. Real workers differ from
one another in more ways.

Others report {three(PUBLISHED[BY][0])} and {three(PUBLISHED[BY][1])} of Bradley–Terry on all real answers. Means
over {rows[0]["trials"]} sets, in brackets the standard deviation over them; each has other photos and other
answers:

{table_of(["", *MEASURES.values()], [[row["model"], *_figures(row)] for row in rows])}

The last line is an order by how old people look, without any error of the crowd's: more answers could not get
further.
"""
    return Shown(text.replace("1 part,", "one part,"), {}) if SEEN in {row["model"] for row in rows} else Shown("", {})


def _used(rows: Rows) -> str:
    return f"From {_plain(rows)}{'' if rows[0]['data'] == FULL else ', not the whole file'}."


def _plain(rows: Rows) -> str:
    """The data in a few words."""
    return {FULL: "the whole file", SHARED: "the 48,627 comparisons"}.get(rows[0]["data"], "the simulated set")


def _named(data: str) -> str:
    return data[0].upper() + data[1:] if data == DESIGN else f"`{data}`"


def _figures(row: Mapping[str, Any]) -> list[str]:
    return [with_sd(row[name], row[f"{name}_sd"]) for name in MEASURES]


def _ranked(rows: Rows) -> Rows:
    return [row for row in rows if row["model"] not in (RANDOM, REVERSED)]


def _cell(rows: Rows, group: str, model: str, fitted: str) -> Mapping[str, Any]:
    where = {"group": group, "model": model}
    return _find(rows, **(where if model in (RANDOM, REVERSED) else where | {"fitted": fitted}))


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


def _beside_random(row: Mapping[str, Any]) -> str:
    """A figure, and how many standard deviations it is above chance."""
    return f"{three(row['value'])} ({(row['value'] - row['random']) / row['random_sd']:+.1f})"


def _fall(rows: Rows, model: str, shares: tuple[float, float]) -> str:
    """From where to where, here and there."""
    here = [three(_find(rows, model=model, share=share)["accuracy"]) for share in shares]
    there = [three(LEFT[model].get(share)) for share in shares] if model in LEFT else []
    return f"from {' to '.join(here)} for `{model}`" + (f" (there: {' to '.join(there)})" if there else "")


def _converged(rows: Rows) -> str:
    trials = {model: [(row["trials"], row["converged"]) for row in rows if row["model"] == model]
              for model in dict.fromkeys(row["model"] for row in rows)}  # fmt: skip
    return ", ".join(f"{sum(count * share for count, share in each) / sum(count for count, _ in each):.0%} of `{model}`"
                     for model, each in trials.items())  # fmt: skip


def _find(rows: Rows, **where: object) -> Mapping[str, Any]:
    return next(row for row in rows if all(row[name] == value for name, value in where.items()))


def _of(rows: Rows, model: str) -> Mapping[str, Any]:
    return _find(rows, model=model)
