"""Boxes as arrays of left, top, right, bottom: areas, overlaps, frames. Kernels: no names, no files."""

import numpy as np
from numpy.typing import ArrayLike

from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError

SIDES = ("left", "top", "right", "bottom")


def iou(a: ArrayLike, b: ArrayLike) -> Floats:
    """Intersection over union (the Jaccard index) of boxes: area of the overlap / area covered by either.

    ::

        IoU = |A ∩ B| / |A ∪ B|,    |A ∪ B| = |A| + |B| − |A ∩ B|

    Edges are where they are said to be: a box from 10 to 20 is 10 wide, with no pixel added, as in the Toloka VQA
    benchmark (Ustalov et al. 2023, section 5). The arrays broadcast: ``iou(a[:, None], b[None])`` has every pair.

    A box whose right edge is not beyond its left one, or whose bottom edge is not beyond its top one, is empty: it
    overlaps nothing, not even itself, so its IoU is 0. A box with an edge that is not a number has no IoU: NaN. Boxes
    know no frame and may reach anywhere; :func:`clip_boxes` cuts them to one.

    Where boxes hardly ever overlap, IoU is 0 however far apart they are: compare edges instead.

    Parameters
    ----------
    a, b
        Arrays of left, top, right, bottom in their last axis.

    Examples
    --------
    >>> float(iou([0, 0, 10, 10], [5, 0, 15, 10]).round(3))
    0.333
    >>> iou([[0, 0, 10, 10], [3, 3, 3, 9]], [0, 0, 10, 10]).tolist()
    [1.0, 0.0]
    """
    first, second = as_boxes(a, "a"), as_boxes(b, "b")
    _check_broadcast(first, second)
    with np.errstate(invalid="ignore", over="ignore"):  # endless boxes: ∞ − ∞ is not a number, and so is their IoU
        width = np.minimum(first[..., 2], second[..., 2]) - np.maximum(first[..., 0], second[..., 0])
        height = np.minimum(first[..., 3], second[..., 3]) - np.maximum(first[..., 1], second[..., 1])
        shared = np.maximum(width, 0) * np.maximum(height, 0)
        covered = area(first) + area(second) - shared
        return np.asarray(shared / np.where(covered == 0, 1.0, covered))  # nothing of nothing is 0


def area(boxes: ArrayLike) -> Floats:
    """The area of boxes; an empty box has none.

    >>> area([[0, 0, 4, 5], [4, 0, 0, 5]]).tolist()
    [20.0, 0.0]
    """
    edges = as_boxes(boxes, "boxes")
    width, height = edges[..., 2] - edges[..., 0], edges[..., 3] - edges[..., 1]
    return np.asarray(np.maximum(width, 0) * np.maximum(height, 0))


def clip_boxes(boxes: ArrayLike, width: ArrayLike, height: ArrayLike) -> Floats:
    """Boxes cut to a frame of this width and height; what lies outside of it altogether becomes empty.

    >>> clip_boxes([-5, 10, 700, 90], 640, 480).tolist()
    [0.0, 10.0, 640.0, 90.0]
    """
    edges = as_boxes(boxes, "boxes")
    wide, high = np.asarray(width, float), np.asarray(height, float)
    frame = np.stack(np.broadcast_arrays(wide, high, wide, high), axis=-1)
    return np.asarray(np.clip(edges, 0.0, frame))


def _check_broadcast(first: Floats, second: Floats) -> None:
    try:
        np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        raise MeasureError(
            f"a has the shape {first.shape} and b {second.shape}, which do not go together: give one box of b for each "
            "of a, or every pair by iou(a[:, None], b[None])",
        ) from None


def as_boxes(values: ArrayLike, name: str) -> Floats:
    """An array of numbers with four in its last axis, or an error."""
    try:
        boxes = np.asarray(values, float)
    except (TypeError, ValueError):
        raise MeasureError(f"{name} holds no numbers; a box is left, top, right, bottom") from None
    if not boxes.ndim or boxes.shape[-1] != len(SIDES):
        raise MeasureError(f"{name} has the shape {boxes.shape}; its last axis must hold left, top, right, bottom")
    return boxes
