"""What the page of the study of Toloka VQA says of errors: their kinds by rule, beside those that people told."""

from collections.abc import Mapping, Sequence
from typing import Any

from sidewise.studies import toloka_vqa_pictures as pictures
from sidewise.studies.parts import Rows, Shown
from sidewise.studies.tables import table_of
from sidewise.studies.toloka_vqa_errors import GOOD, INACCURATE, INSIGNIFICANT, RULES, SMALL, WRONG
from sidewise.studies.toloka_vqa_published import METHODS, POOL, TABLE_3
from sidewise.studies.toloka_vqa_words import KNOWN, SIMULATED, absent, find, named, spoken, spoken_of

# What the paper calls our kinds.
SAME: Mapping[str, tuple[str, ...]] = {
    WRONG: ("wrong object predicted",),
    SMALL: ("small object",),
    INSIGNIFICANT: ("insignificant error",),
    INACCURATE: ("inaccurate ground truth", "inaccurate prediction"),
}
OF_BOXES = sum(TABLE_3[name][0] for names in SAME.values() for name in names)  # of the 100, not due to the question


def table_3(rows: Rows) -> Shown:
    """Shares by rule, beside the paper's by people."""
    boxes = [name for name in dict.fromkeys(row["boxes"] for row in rows) if not name.startswith(KNOWN)]
    head = ["", *(f"{named(name)}, {find(rows, boxes=name)['errors']:,} errors" for name in boxes)]
    head += ["*the paper*, of 100", f"*the paper*, of {OF_BOXES}"]
    body = [[kind, *(_percent(find(rows, boxes=name, kind=kind)) for name in boxes), *_paper(kind)] for kind in RULES]
    drawn = [row for row in rows if row["boxes"] in boxes and row["kind"] != GOOD]
    text = f"""
The authors looked at 100 boxes and sorted them by eye. The boxes alone tell less, but of all instances, and need
nobody's time. As in the paper, an error is an IoU below 80. Its kind is the first of these that holds:

{_rules()}

{_no_zero(rows, boxes)}
{absent(boxes)}
{table_of(head, body)}

![Kinds of errors](table-3.svg)

Shares of all errors, with 95 % intervals (Wilson's); the upright lines in the picture are the paper's. The simulated
crowd is the one above, one answer on each image that nobody has picked, so that more of its errors are wrong objects.

Beside the paper's figures, mind three things. *Inaccurate* is its *inaccurate ground truth*
({TABLE_3["inaccurate ground truth"][0]}) and *inaccurate prediction* ({TABLE_3["inaccurate prediction"][0]}) together,
since boxes do not tell which of two is right. That a question is wrong or ambiguous ({100 - OF_BOXES} of 100) cannot
be told from boxes at all: such errors are somewhere among our four kinds, and the last column has the paper's shares
without them; {OF_BOXES} boxes leave a share open by up to 12 points each way. And the paper's 100 are of {POOL}
instances on which the three best systems failed too, ours are all on which the crowd did.

{_order_matters(rows, spoken_of(boxes))}

**Do the rules find what they are made for?** Of simulated workers it is known around what they drew:

{_known(rows)}

Another object is not found where it lies within the right one or around it.

The printed Table 3 as a whole:

{table_of(["", *METHODS], [[kind, *map(str, counts)] for kind, counts in TABLE_3.items()])}
"""
    return Shown(text, {"table-3": pictures.kinds(drawn, boxes, {kind: _printed(kind) / OF_BOXES for kind in RULES})})


def _rules() -> str:
    lines = [f"{number}. **{kind}**: {rule}" for number, (kind, rule) in enumerate(RULES.items(), 1)]
    return ";\n".join(lines) + "."


def _no_zero(rows: Rows, boxes: Sequence[str]) -> str:
    """Why the first rule is not the paper's."""
    real = [find(rows, boxes=name) for name in boxes if name != SIMULATED]
    said = 'For the paper a wrong object is one whose "IoU was zero", and 5 of its 100 are.'
    if not real:
        return said
    zeros, count = sum(row["no_overlap"] for row in real), sum(row["instances"] for row in real)
    if zeros:
        return f"{said} Of the {count:,} published boxes {zeros:,} are."
    return (
        f"{said} Of the {count:,} published boxes not a single one is: instances that nobody found may have been left "
        "out since, or it was not meant to the letter. Hence the first rule goes by centres."
    )


def _percent(row: Mapping[str, Any]) -> str:
    return f"{100 * row['share']:.0f} % ({100 * row['low']:.0f}–{100 * row['high']:.0f})"


def _printed(kind: str) -> int:
    return sum(TABLE_3[name][0] for name in SAME[kind])


def _paper(kind: str) -> list[str]:
    return [str(_printed(kind)), f"{100 * _printed(kind) / OF_BOXES:.0f} %"]


def _order_matters(rows: Rows, boxes: str) -> str:
    """How much hangs on the order of the rules."""
    found = [find(rows, boxes=boxes, kind=kind) for kind in (INSIGNIFICANT, INACCURATE)]
    counts = " and ".join(f"{row['by_overlap']:,} *{row['kind']}*" for row in found)
    small = " and ".join(f"{row['of_them_small']:,}" for row in found)
    return (
        f"The order of the rules matters: without the second, {spoken(boxes)} would have {counts} errors, of which "
        f"{small} are around small objects."
    )


def _known(rows: Rows) -> str:
    body = []
    for name in dict.fromkeys(row["boxes"] for row in rows if row["boxes"].startswith(KNOWN)):
        here = [find(rows, boxes=name, kind=kind) for kind in (GOOD, *RULES)]
        shares = (f"{100 * row['count'] / row['instances']:.1f} %" for row in here)
        body.append([name.removeprefix(KNOWN), *shares])
    return table_of(["drawn around", GOOD, *RULES], body)


def figure_4(rows: Rows) -> Shown:
    """Boxes without their images."""
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    asked = {kind: ", ".join(_asked(row) for row in rows if row["kind"] == kind) for kind in kinds}
    lists = "\n".join(f"- **{kind}**: {questions}" for kind, questions in asked.items())
    text = f"""
Errors of every kind, drawn at random from `{rows[0]["split"]}`, without the images, which are not part of the
files. The true box is filled, the crowd's is a line. Every square is cut out around the two, and as wide as it says;
grey is the image.

![Examples of errors](figure-4.svg)

The questions, in this order:

{lists}
"""
    return Shown(text, {"figure-4": pictures.examples(rows, kinds)})


def _asked(row: Mapping[str, Any]) -> str:
    return f"“{' '.join(str(row['question']).split())}”"
