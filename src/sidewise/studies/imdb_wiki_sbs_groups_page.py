"""What the page of the study of IMDB-WIKI-SbS says of groups: every number in it comes from the tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from sidewise.studies.contenders import OURS
from sidewise.studies.imdb_wiki_sbs_page import find, plain, used
from sidewise.studies.imdb_wiki_sbs_pictures import asked_otherwise, right_answers
from sidewise.studies.imdb_wiki_sbs_words import (
    ANYONE,
    AS_WITHIN,
    DESIGN,
    EVERY,
    FULL,
    LOOKS_OLD,
    NARROW,
    SHARED,
    WIDE,
    WITHIN,
)
from sidewise.studies.parts import Rows, Shown
from sidewise.studies.tables import table_of, three, with_sd


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
    ours, design = (find(rows, data=data, kind=NARROW) for data in (rows[0]["data"], DESIGN))
    narrower = find(rows, data=DESIGN, kind="five years")
    text = f"""
"As the comparison graph, in this case, is not connected, the Bradley-Terry model failed to deliver a meaningful
ranking", the paper guesses. So we count: what is left of the graph of comparisons inside a group?

{(chr(10) * 2).join(tables)}

A random pair has both ends in a group of eleven years of 61 with a chance of 3 %, so that a photo keeps 18 % of its
comparisons. In the data used here that leaves {ours["per_item"]:.1f} of them, and {_fate(ours)}.
{_in_the_design(ours, design)} a photo keeps {design["per_item"]:.1f}, and {_fate(design)}. (The
graph depends on nothing but the numbers of photos and pairs; this one is drawn by the paper's recipe, an
Erdős–Rényi graph.) Groups of five years have {100 * narrower["largest"]:.1f} % of their photos in one part.
{_verdict(design)}
"""
    return Shown(text, {})


def _fate(groups: Mapping[str, Any]) -> str:
    """Whether groups of one kind hang together."""
    if not _held(groups):
        alone = ", most of them one photo" if 2 * groups["alone"] > groups["parts"] else ""
        return f"the graph does fall apart, into {groups['parts']:.0f} parts{alone}"
    if groups["connected"] == groups["groups"]:
        return f"all {groups['groups']} such groups hang together"
    share = f"{100 * groups['largest']:.2f} % of the photos being in the largest part"
    return f"{groups['connected']} of {groups['groups']} such groups hang together, {share}"


def _in_the_design(ours: Mapping[str, Any], design: Mapping[str, Any]) -> str:
    """How to go on from the data to the paper's design."""
    if _held(design) and not _held(ours):
        return "**With as many pairs as the paper has it does not**:"
    return "In the paper's design, drawn anew,"


def _verdict(design: Mapping[str, Any]) -> str:
    """Whether the paper's reason was there."""
    if _held(design):
        return "Unless the paper's groups were narrower still, the reason that it gives was hardly there."
    return "So the reason that it gives may well have been there."


def _held(groups: Mapping[str, Any]) -> bool:
    """Whether but for a few photos all are in one part."""
    return bool(groups["largest"] > 0.95)


def answers(rows: Rows) -> Shown:
    """Coin tosses."""
    names = list(dict.fromkeys(row["data"] for row in rows))
    first = [row for row in rows if row["data"] == names[0]]
    body = [
        [f"{row['from']}–{row['to']}", f"{row['comparisons']:,}",
         *(three(find(rows, data=name, to=row["to"])["right"]) for name in names)]
        for row in first
    ]  # fmt: skip
    within = [row for row in first if row["to"] < 10]
    share = sum(row["right"] * row["comparisons"] for row in within) / sum(row["comparisons"] for row in within)
    text = f"""
{used(rows)} "Between-group comparisons were more straightforward", is the paper's other guess. The share of
answers that go to the older one, by how many years the two are apart:

![Right answers](answers.svg)

{table_of(["years apart", "comparisons", *names], body)}

Of two people less than ten years apart, workers call the right one older {three(share)} of the time, little better
than a coin; {first[-1]["from"]} or more years apart, {three(first[-1]["right"])}. Comparisons within a group of eleven
years are nearly all of the first kind. That makes the *pairs* hard. Whether it makes the *answers* worth less is
another question, and the next section's.{_how_near(rows, names)}
"""
    return Shown(text, {"answers": right_answers(rows)})


def _how_near(rows: Rows, names: Sequence[str]) -> str:
    """How well the simulated crowd keeps to the real one, where both are there."""
    if len(names) < 2:
        return ""
    real, simulated = ([row["right"] for row in rows if row["data"] == name] for name in names)
    lower = [one - other for one, other in zip(real, simulated, strict=True)]
    least = f"in {sum(gap > 0 for gap in lower)} of {len(lower)} rows, by {three(max(lower))} at most"
    over = f"; above it by up to {three(-min(lower))}" if min(lower) < 0 else ""
    return f"""

The [simulated crowd](#the-simulated-set) is near, but not the same: fewer of its answers are right {least}{over}."""


def causes(rows: Rows) -> Shown:
    """The controlled comparison."""
    real = [row for row in rows if not row["simulated"]]
    simulated = [row for row in rows if row["simulated"]]
    body = [[row["ages"], row["whom"], f"{row['comparisons_per_item']:.1f}", *(with_sd(row[name], row[f"{name}_sd"])
             for name in ("right", "accuracy", "near", "joined"))] for row in real]  # fmt: skip
    head = ["photos of", "compared", "comparisons of each", "answers right", "accuracy",
            "of pairs ten years apart at most", "of pairs in one part"]  # fmt: skip
    own, few, every = (find(real, ages=NARROW, whom=whom, per_item=count)
                       for whom, count in ((WITHIN, EVERY), (ANYONE, AS_WITHIN), (ANYONE, EVERY)))  # fmt: skip
    wide, wide_own = (find(real, ages=WIDE, whom=whom, per_item=EVERY) for whom in (ANYONE, WITHIN))
    ceiling = sum(row["ceiling"] for row in simulated) / len(simulated)
    most = simulated[-1]["comparisons_per_item"]
    text = f"""
{used(real)} Two causes can be told apart, for both can be had without the other. As few comparisons in as many
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
  {every["comparisons_per_item"]:.1f} comparisons of each photo with anyone and {own["comparisons_per_item"]:.1f}
  within the group; {three(every["accuracy"] - few["accuracy"])} where all are with anyone.
- **Questions within the group are not worth less, but more.** With as few comparisons, those with anyone give
  {three(few["accuracy"])}, those within the group {three(own["accuracy"])}, although {three(few["right"])} of the
  former are answered rightly, and {three(own["right"])} of the latter. That grandfather looks older than the boy is
  a right answer that says nothing about him and his brother.

How far would more comparisons get? That can be asked of the simulated crowd, which answers as often as we like:

![The same pairs, asked otherwise](causes.svg)

Lines: the simulated crowd, with a standard error each way. Diamonds: {plain(real)}. With up to {most:.0f}
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
    shares = [[span, *(f"{100 * find(old, data=name, ages=span)['value']:.1f} %" for name in names)]
              for span in dict.fromkeys(row["ages"] for row in old)]  # fmt: skip
    tops = [row for row in rows if row["figure"] != LOOKS_OLD]
    body = [[figure, span, *(_beside_random(find(tops, data=name, figure=figure, ages=span)) for name in names)]
            for figure in dict.fromkeys(row["figure"] for row in tops)
            for span in dict.fromkeys(row["ages"] for row in tops)]  # fmt: skip
    youngest = find(tops, data=names[0], figure="NDCG@100", ages=tops[0]["ages"])
    text = f"""
{used(rows)} One thing is left: NDCG below that of random orders, also from all comparisons, is no lack of
knowledge, which would give random orders. In the youngest group NDCG@100 is {three(youngest["value"])}, and random
orders have {three(youngest["random"])} with a standard deviation of {three(youngest["random_sd"])}.

Of the photos of each age on record, so many are ranked above the median of those of 40; who comes first in the youngest
group is one of them:

{table_of(["age on record", *names], shares)}

If people looked their age, give or take, there would be ever fewer the younger they are. There are not. The
likeliest reason is that some ages on record are wrong, or that the face cut out is another's (the paper says as
much of genders); such a photo lands anywhere in the ranking. At the top of a young group all that is there are
photos with wrong ages, and NDCG@k looks at nothing but the top. The simulated crowd was told that some ages are
wrong, and beside it a crowd for which all are right:

{table_of(["", "age on record", *names], body)}

In brackets, by how many standard deviations that is above the mean of random orders, all from `{OURS}` on all
comparisons{_sides(names[0])}.

With all ages right the first hundred of every group are well above chance. Where ages are wrong, and as often at every
age, those of the youngest group fall to about chance{_below(names[0])}. So a model that ranks what people see, as
well as can be, is punished by NDCG for doing so. Accuracy and tau, which count all pairs alike, are not led astray.
"""
    return Shown(text, {})


def _named(data: str) -> str:
    return data[0].upper() + data[1:] if data == DESIGN else f"`{data}`"


def _below(data: str) -> str:
    """What only real data can show."""
    if data not in (FULL, SHARED):
        return ""
    return """; and below it where the very youngest are wrong more often than
others, as the table above has it of the real data"""


def _sides(data: str) -> str:
    """Why figures are not quite those of Table 3."""
    return ", without the sides that are drawn for Table 3" if data == SHARED else ""


def _beside_random(row: Mapping[str, Any]) -> str:
    """A figure, and how many standard deviations it is above chance."""
    return f"{three(row['value'])} ({(row['value'] - row['random']) / row['random_sd']:+.1f})"
