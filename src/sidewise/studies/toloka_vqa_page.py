"""What the page of the study of Toloka VQA says: every number in it comes from the tables, or from the paper."""

from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import Any

from sidewise.ranking.display import counted
from sidewise.studies import toloka_vqa_pictures as pictures
from sidewise.studies.parts import Rows, Shown
from sidewise.studies.tables import table_of, three
from sidewise.studies.toloka_vqa_published import ALPHA, TABLE_2
from sidewise.studies.toloka_vqa_words import PRINTED, SIMULATED, absent, find, named, spoken, spoken_of

AIOU, OVER_50, OVER_70, ABOVE = "AIoU × 100", "IoU > 50", "IoU > 70", "share above"
SINGLE, MEDIAN, WEIGHTED = "one answer", "joined: median", "joined: weighted"
NEAREST = "nearest to the truth"


def table_1(rows: Rows) -> Shown:
    """Means with intervals, and the paper's."""
    figures = list(dict.fromkeys(row["figure"] for row in rows))
    body = []
    for split in _splits(rows):
        here = [find(rows, split=split, figure=name) for name in figures]
        ours = [f"({row['low']:.1f}, {row['high']:.1f})" for row in here]
        body.append([f"`{split}`", f"{here[0]['instances']:,}", *ours])
        if here[0]["instances_paper"] is not None:
            paper = [f"({row['paper_low']}, {row['paper_high']})" for row in here]
            body.append([f"`{split}`, *the paper*", f"{here[0]['instances_paper']:,}", *paper])
    text = f"""
95 % intervals of means, in pixels and characters, blanks included.

{table_of(["", "instances", *figures], body)}

{_same_as_paper(rows)} {_sample(rows)}

{_twins(rows)}
"""
    return Shown(text, {})


def _same_as_paper(rows: Rows) -> str:
    """How many intervals come out as printed."""
    printed = [row for row in rows if row["paper_low"] is not None]
    same = sum((floor(row["low"]), ceil(row["high"])) == (row["paper_low"], row["paper_high"]) for row in printed)
    if not printed:
        return ""
    return (
        f"Of {len(printed)} intervals that the paper has, {same} come out to the digit: normal ones, their low end "
        "rounded down and their high end up."
    )


def _sample(rows: Rows) -> str:
    """What of the training split is here."""
    if "train_sample" not in _splits(rows):
        return "Each split comes into the table where its file is in the folder."
    return """`train_sample` holds 1,000 instances of the training split; that one itself, `train.csv`,
comes into the table where it is in the folder."""


def _twins(rows: Rows) -> str:
    """Images that are in two splits, under two names."""
    found = {row["split"]: row["elsewhere"] for row in rows if row["elsewhere"]}
    if not found:
        return ""
    there = ", ".join(f"{counted(count, 'image')} of `{split}`" for split, count in found.items())
    return f"By the published hashes, the very bytes of {there} are in another split too, under another name."


def figure_2a(rows: Rows) -> Shown:
    """The map, and how much lies in the middle."""
    splits = _splits(rows)
    text = f"""
The share of true boxes that cover a place, on images stretched to a square.

![Figure 2a](figure-2a.svg)

{_middle(rows, spoken_of(splits))}{" As in the paper, the splits look alike." if len(splits) > 1 else ""}
"""
    return Shown(text, {"figure-2a": pictures.maps(rows, splits)})


def _middle(rows: Rows, split: str) -> str:
    here = [row for row in rows if row["split"] == split]
    side = max(row["x"] for row in here) + 1
    most = max(here, key=lambda row: row["share"])
    corners = [row["share"] for row in here if {row["x"], row["y"]} <= {0, side - 1}]
    across, down = (f"{100 * (most[name] + 0.5) / side:.0f} %" for name in ("x", "y"))
    return (
        f"In `{split}`, {100 * most['share']:.0f} % of the boxes cover the place that most cover, {across} from the "
        f"left and {down} from the top; {100 * min(corners):.1f} to {100 * max(corners):.1f} % cover a corner."
    )


def table_2(rows: Rows) -> Shown:
    """The crowd's boxes, and the systems of the paper."""
    splits = _splits(rows)
    body = [[f"`{split}`", f"{find(rows, split=split)['instances']:,}", *_scores(rows, split)] for split in splits]
    body += [[f"{team}, *the paper*", "", f"{some[0]:.3f}", *map(three, some[1:])] for team, some in TABLE_2.items()]
    best = {team: some[1:] for team, some in TABLE_2.items() if "place" in team}
    text = f"""
The published boxes against the truth, with 95 % intervals by drawing instances; below them, what the paper has for
`{PRINTED}`. All of the crowd's figures are of boxes picked by the truth.

{table_of(["", "instances", AIOU, OVER_50, OVER_70], body)}

{_agrees(rows, splits)} The paper also gives 87.124 ± 0.746 for all three splits together, which cannot be seen again:
the crowd's boxes of the whole training split were not published. {_together(rows, splits)}

One line of the printed table cannot be right: komleva.ep has more boxes above 70 than above 50.

![The share of boxes above every IoU](table-2.svg)

The crowd's lines stay high up to an IoU of 80 and fall then: what is left to gain are, for the most part, edges.
"""
    return Shown(text, {"table-2": pictures.above([row for row in rows if row["figure"] == ABOVE], best)})


def _scores(rows: Rows, split: str) -> list[str]:
    first, *shares = (find(rows, split=split, figure=name) for name in (AIOU, OVER_50, OVER_70))
    return [
        f"{first['value']:.6f} ({first['low']:.2f}–{first['high']:.2f})",
        *(f"{row['value']:.4f} ({row['low']:.3f}–{row['high']:.3f})".replace("0.", ".") for row in shares),
    ]


def _agrees(rows: Rows, splits: Sequence[str]) -> str:
    if PRINTED not in splits:
        return ""
    found = [find(rows, split=PRINTED, figure=name) for name in (AIOU, OVER_50, OVER_70)]
    same = all(round(row["value"], 3) == row["paper"] for row in found)
    figures = "the paper’s figures, to all digits" if same else "other figures than in the paper"
    return f"On `{PRINTED}` the crowd has {figures}."


def _together(rows: Rows, splits: Sequence[str]) -> str:
    if len(splits) < 2:
        return f"Only `{splits[0]}` is here."
    found = [find(rows, split=split, figure=AIOU) for split in splits]
    pooled = sum(row["value"] * row["instances"] for row in found) / sum(row["instances"] for row in found)
    return f"The splits here have {pooled:.3f}\ntogether."


def picked(rows: Rows) -> Shown:
    """What a crowd gives without the truth, and with it."""
    ways = list(dict.fromkeys(row["way"] for row in rows))
    counts = sorted({row["answers"] for row in rows})
    body = [[way, *(_with_sd(find(rows, way=way, answers=count)) for count in counts)] for way in ways]
    first, few = rows[0], counts[1]
    of_few = {way: find(rows, way=way, answers=few)["aiou"] for way in ways}
    points = round(of_few[NEAREST], 2) - round(of_few[SINGLE], 2)  # as a reader of the table takes them
    text = f"""
The raw answers of the paper's crowd were not published, only how well they agree: Krippendorff's alpha with the
distance 1 − IoU is {ALPHA["test_public"]} and {ALPHA["test_private"]}. This is a simulated crowd that agrees about as
much (alpha {three(_mean_alpha(rows))}): most draw steadily, some have shaky hands, some often mistake the object. AIoU
× 100 of {first["images"]:,} images, by how many drew on each and how their boxes become one; means over
{first["trials"]} crowds, in brackets the standard deviation.

{table_of(["", *(f"{count} answers" for count in counts)], body)}

![What it is worth to pick by the truth](picked.svg)

With {few} answers on an image, one of them is worth {of_few[SINGLE]:.2f}, and the one nearest to the truth
{of_few[NEAREST]:.2f}: {points:.2f} points come from the picking. Who asks a crowd has no truth to pick
by, but can join the answers (`sidewise boxes consensus`). {_without(rows, counts)}

The levels are not those of Toloka VQA: simulated questions are never wrong and never ambiguous, so that workers err one
by one, and joining mends that. Where a question misleads all, nothing does.
"""
    return Shown(text, {"picked": pictures.by_answers(rows, ways)})


def _with_sd(row: Mapping[str, Any]) -> str:
    return f"{row['aiou']:.2f}" + (f" ({row['aiou_sd']:.2f})" if row["aiou_sd"] is not None else "")


def _mean_alpha(rows: Rows) -> float:
    return float(sum(row["alpha"] for row in rows) / len(rows))


def _without(rows: Rows, counts: Sequence[int]) -> str:
    """From how many answers on joined boxes are as good as picked ones."""
    lead = {count: find(rows, way=WEIGHTED, answers=count)["aiou"] - find(rows, way=NEAREST, answers=count)["aiou"]
            for count in counts}  # fmt: skip
    level = [count for count in counts if all(lead[more] >= 0 for more in counts if more >= count)]
    if not level:
        return "No joining comes up to the picking here."
    return f"From {level[0]} answers on, boxes joined and weighed are as good as picked ones, and need no truth."


def sizes(rows: Rows) -> Shown:
    """By size, IoU and pixels."""
    boxes = list(dict.fromkeys(row["boxes"] for row in rows))
    spans = dict(sorted({row["side_from"]: pictures.side_of(row) for row in rows}.items()))
    body = [[span, *(_by_size(rows, name, start) for name in boxes)] for start, span in spans.items()]
    text = f"""
AIoU × 100 by the size of the true box: the side of a square of its area. And how far the edges of a box are from the
true ones, in pixels, in the mean over its four edges and the median over boxes. The simulated crowd is the one above,
one answer on each image: nobody has picked.
{absent(boxes)}
{table_of(["side, px", *map(named, boxes)], body)}

![IoU by the size of the object](sizes.svg)

{_small_and_large(rows, spoken_of(boxes))}
"""
    return Shown(text, {"sizes": pictures.by_size(rows, boxes)})


def _by_size(rows: Rows, boxes: str, start: int) -> str:
    found = [row for row in rows if (row["boxes"], row["side_from"]) == (boxes, start)]
    return f"{found[0]['aiou']:.1f}, {found[0]['slip']:.2f} px" if found else "–"


def _small_and_large(rows: Rows, boxes: str) -> str:
    small, *_, large = (row for row in rows if row["boxes"] == boxes)
    said = f"""
Of {spoken(boxes)}, boxes around the smallest objects have {small["aiou"]:.1f}, around the largest {large["aiou"]:.1f};
their edges are {small["slip"]:.2f} px off around the smallest, and {large["slip"]:.2f} px around the largest."""
    if boxes != SIMULATED and small["slip"] < large["slip"]:
        said += " It is not that people take less care there: IoU is a share, and a pixel is more of a small object."
    return said.strip()


def _splits(rows: Rows) -> list[str]:
    return list(dict.fromkeys(row["split"] for row in rows))
