"""Words that the page of the study of Toloka VQA begins with, and names for what it speaks of."""

from collections.abc import Mapping, Sequence
from typing import Any

from sidewise.studies.parts import Rows

PRINTED = "test_private"  # the split of the paper's tables
SIMULATED, KNOWN = "simulated crowd", "simulated: "

TEXT = """
Toloka VQA (Ustalov, Pavlichenko, Koshelev, Likhobaba and Smirnova, *Toloka Visual Question Answering Benchmark*, 2023)
asks where on an image the answer to a question is. This page takes the paper's tables from the published files: the
true boxes, and the boxes of a crowd.

```text
sidewise data get toloka-vqa
sidewise reproduce toloka-vqa --out docs/studies
```

gets the files and makes this page, with seed 0, in a minute; `--only table-2` makes one part, `--quick` has fewer
simulated boxes. Without the files, parts that need them are skipped, and the others show a simulated crowd alone.

**Mind how the crowd's boxes were chosen.** Several workers drew a box for each question without knowing the truth. Of
their boxes the published one is that nearest to the truth, and the paper left out instances whose truth was far from
the crowd's boxes. So 87.154, against which the paper holds the systems, is what a crowd gives to somebody who knows the
truth already: an upper bound, not what one gets from asking. [Below](#ours-what-it-is-worth-to-pick-by-the-truth) it is
shown on simulated answers how much that matters.

IoU is the area that two boxes share over the area that either covers. Edges are where the files have them, and no pixel
is added.
"""

ABSENT = """
*The published boxes are not in this table: it was made where they are not. `sidewise data get toloka-vqa` gets them.*
"""


def named(boxes: str) -> str:
    """A split as the files have it, or what else boxes are called."""
    return f"`{boxes}`" if boxes != SIMULATED else boxes


def spoken(boxes: str) -> str:
    """The same within a sentence."""
    return named(boxes) if boxes != SIMULATED else f"the {boxes}"


def spoken_of(boxes: Sequence[str]) -> str:
    """The split that a page speaks of: that of the paper's tables, or another that is here, or the simulated crowd."""
    published = [name for name in boxes if name != SIMULATED]
    return PRINTED if PRINTED in boxes else (published or [SIMULATED])[-1]


def absent(boxes: Sequence[str]) -> str:
    """What a page says where it speaks of the simulated crowd alone."""
    return ABSENT if spoken_of(boxes) == SIMULATED else ""


def find(rows: Rows, **where: object) -> Mapping[str, Any]:
    """The first row where all that is said holds."""
    return next(row for row in rows if all(row[name] == value for name, value in where.items()))
