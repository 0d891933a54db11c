"""How well the boxes of a crowd agree, with no truth at hand: Krippendorff's alpha with the distance 1 − IoU."""

import numpy as np
from numpy.typing import ArrayLike

from sidewise.boxes.geometry import iou
from sidewise.boxes.pairs import against, pairs_within, starts_of
from sidewise.boxes.table import Boxes
from sidewise.comparisons.arrow import Floats


def box_distance(a: ArrayLike, b: ArrayLike) -> Floats:
    """1 − IoU, which is a metric (the Jaccard distance); as it is, not squared.

    >>> float(box_distance([0, 0, 10, 10], [0, 0, 10, 5]))
    0.5
    """
    return 1 - iou(a, b)


def iou_alpha(boxes: Boxes, *, seed: int = 0) -> float:
    """Krippendorff's alpha of boxes, 1 − D_o/D_e with 1 − IoU; NaN where no image has two boxes or all are alike.

    What :func:`sidewise.measures.krippendorff_alpha` with ``distance="iou"`` is, of a table of boxes.

    >>> from sidewise.boxes import read_boxes
    >>> rows = {"image": list("aabb"), "worker": list("xyxy"), "left": [0, 0, 50, 50], "top": [0] * 4}
    >>> round(iou_alpha(read_boxes(rows | {"right": [10, 10, 60, 60], "bottom": [10, 8, 10, 10]})), 3)
    0.857
    """
    order = np.argsort(boxes.image, kind="stable")
    size = np.bincount(boxes.image, minlength=len(boxes.images))
    paired = size[boxes.image[order]] > 1
    edges, image = boxes.edges[order][paired], boxes.image[order][paired]
    if not len(image):
        return float("nan")
    apart = sum(
        float((2 * box_distance(edges[i], edges[j]) / (size[image[i]] - 1)).sum())
        for i, j in pairs_within(starts_of(image, len(size)))
    )
    expected = float(against(edges, np.ones(len(edges)), box_distance, seed=seed).sum()) / (len(edges) - 1)
    return 1 - apart / expected if expected > 0 else float("nan")
