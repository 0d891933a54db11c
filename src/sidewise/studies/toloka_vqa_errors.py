"""Kinds of errors of boxes, told from the boxes alone, after Table 3 of the Toloka VQA paper (Ustalov et al. 2023).

What needs eyes on the image is left to people: whether the truth itself is inaccurate, and whether the question is
wrong or ambiguous.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sidewise.boxes import area, iou
from sidewise.comparisons.arrow import Floats, Mask

GOOD, WRONG, SMALL = "no error", "wrong object", "small object"
INSIGNIFICANT, INACCURATE = "insignificant", "inaccurate"
HARD = 0.8  # the paper looks at instances with a lower IoU
MARGINAL = 0.7  # "roughly, it means that IoU was greater than 70"
SMALL_SIDE = 32  # pixels: a small object of MS COCO, whose images these are, has an area below 32²

RULES: Mapping[str, str] = {
    WRONG: "neither box has the other's centre inside: two boxes beside each other",
    SMALL: f"of the others, those whose true box has an area below {SMALL_SIDE}² pixels, which is what MS COCO calls "
    "small",
    INSIGNIFICANT: f"of the others, an IoU above {100 * MARGINAL:.0f}",
    INACCURATE: "the rest: the right object, but not its edges",
}

Kinds = NDArray[Any]


def error_kinds(drawn: ArrayLike, true: ArrayLike) -> Kinds:
    """The kind of error of every box, by the first of :data:`RULES` that holds; none where the IoU is 80 or more."""
    kinds = kinds_of_overlap(drawn, true)
    return np.where(is_small(true) & np.isin(kinds, (INSIGNIFICANT, INACCURATE)), SMALL, kinds)


def kinds_of_overlap(drawn: ArrayLike, true: ArrayLike) -> Kinds:
    """The same, whatever the size of the object."""
    near = iou(drawn, true)
    return np.select([near >= HARD, is_beside(drawn, true), near > MARGINAL], [GOOD, WRONG, INSIGNIFICANT], INACCURATE)


def is_small(true: ArrayLike) -> Mask:
    """Whether the object is small."""
    return np.asarray(area(true) < SMALL_SIDE**2)


def is_beside(one: ArrayLike, other: ArrayLike) -> Mask:
    """Whether neither box has the other's centre inside, as those of two objects; a box around the other has."""
    first, second = np.asarray(one, float), np.asarray(other, float)
    return ~(_inside(_centre(first), second) | _inside(_centre(second), first))


def _centre(boxes: Floats) -> Floats:
    return (boxes[..., :2] + boxes[..., 2:]) / 2


def _inside(point: Floats, boxes: Floats) -> Mask:
    return np.asarray(((point >= boxes[..., :2]) & (point <= boxes[..., 2:])).all(axis=-1))
