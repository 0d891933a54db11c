"""Ways to join the boxes of each image into one; answers are sorted by image. Those too far from it are left out."""

import warnings
from typing import NamedTuple

import numpy as np

from sidewise.boxes.geometry import clip_boxes, iou
from sidewise.boxes.model import INSET, OUTWARDS, Answers, Fit, fit
from sidewise.boxes.pairs import pairs_within, starts_of
from sidewise.boxes.table import Boxes
from sidewise.comparisons.arrow import Codes, Floats, Mask
from sidewise.errors import DataError, NotConverged

LIMIT, TOL = 200, 1e-3
ROUNDS = 10  # of dropping answers and joining the others again
FAINT = 1e-9  # the weight that an answer has at the least among those that are kept


class Joined(NamedTuple):
    """A box for each image, which answers were kept, and how near each was to its box."""

    box: Floats
    kept: Mask
    near: Floats
    fit: Fit | None = None


def by_medoid(boxes: Boxes, bound: float) -> Joined:
    """The answer that overlaps the others most."""
    box = medoid(boxes.edges, boxes.image, len(boxes.images))
    near = iou(boxes.edges, box[boxes.image])
    return Joined(box, near >= bound, near)


def by_median(boxes: Boxes, bound: float) -> Joined:
    """The median of each edge; with a bound, of the answers that overlap it enough, starting from the medoid."""
    if bound == 0:
        kept = np.ones(len(boxes), bool)
        box = _snapped(_median(boxes.edges, boxes.image, kept, len(boxes.images)), boxes)
        return Joined(box, kept, iou(boxes.edges, box[boxes.image]))
    box, kept = medoid(boxes.edges, boxes.image, len(boxes.images)), np.zeros(len(boxes), bool)
    for _ in range(ROUNDS):
        before, kept = kept, _near_enough(boxes.edges, boxes.image, box, bound)
        if (before == kept).all():
            break
        box = _median(boxes.edges, boxes.image, kept, len(box))
    box = _snapped(box, boxes)
    return Joined(box, kept, iou(boxes.edges, box[boxes.image]))


def by_weight(boxes: Boxes, bound: float) -> Joined:
    """The mean of the answers about the same object, weighted by what is known of the workers."""
    if boxes.worker is None:
        raise DataError(
            "the weighted consensus needs to know who drew which box: name the worker column, or take method='median'"
        )
    start = medoid(boxes.edges, boxes.image, len(boxes.images))
    found = fit(_with_frames(boxes, boxes.worker), start, limit=LIMIT, tol=TOL)
    if found.moved > TOL:
        warnings.warn(NotConverged(f"edges still move by {found.moved:.1e} of a box after {LIMIT} steps"), stacklevel=4)
    box, kept = found.box, np.ones(len(boxes), bool)
    size = np.tile(box[:, 2:] - box[:, :2], 2)[boxes.image]
    meant = boxes.edges - OUTWARDS * found.crowd.margin[boxes.worker, None] * size
    for _ in range(ROUNDS):
        before, kept = kept, _near_enough(meant, boxes.image, box, bound)
        if (before == kept).all():
            break
        box = _mean(meant, boxes.image, (found.weight + FAINT) * kept[:, None], len(box))
    box = _snapped(box, boxes)
    return Joined(box, kept, iou(meant, box[boxes.image]), found)


def medoid(edges: Floats, image: Codes, images: int) -> Floats:
    """For each image, the answer whose IoU with the others adds up to most; the first of those alike."""
    near, start = np.zeros(len(edges)), starts_of(image, images)
    for first, second in pairs_within(start):
        overlap = iou(edges[first], edges[second])
        near[first] += overlap
        near[second] += overlap
    return edges[np.lexsort((-near, image))[start[:-1]]]


def _near_enough(edges: Floats, image: Codes, box: Floats, bound: float) -> Mask:
    """Which answers overlap their box enough; where none does, the nearest one."""
    near = iou(edges, box[image])
    kept = near >= bound
    best = np.lexsort((-near, image))[starts_of(image, len(box))[:-1]]
    kept[best] = True
    return np.asarray(kept)


def _median(edges: Floats, image: Codes, kept: Mask, images: int) -> Floats:
    """The median of each edge over the kept answers of each image."""
    edges, image = edges[kept], image[kept]
    start = starts_of(image, images)
    low, high = start[:-1] + (np.diff(start) - 1) // 2, start[:-1] + np.diff(start) // 2
    found = np.empty((images, 4))
    for side in range(4):
        ordered = edges[np.lexsort((edges[:, side], image)), side]
        found[:, side] = (ordered[low] + ordered[high]) / 2
    return found


def _mean(edges: Floats, image: Codes, weight: Floats, images: int) -> Floats:
    sums = [np.bincount(image, weight[:, side] * edges[:, side], images) for side in range(4)]
    whole = [np.bincount(image, weight[:, side], images) for side in range(4)]
    return np.column_stack(sums) / np.column_stack(whole)


def _snapped(box: Floats, boxes: Boxes) -> Floats:
    """Boxes cut to their frames; whole pixels where all answers are, one pixel wide and high at the least."""
    if (boxes.edges == np.round(boxes.edges)).all():
        low = np.round(box[:, :2]) + 0.0  # which makes −0 a 0
        box = np.concatenate([low, np.maximum(np.round(box[:, 2:]), low + 1)], axis=1)
    if boxes.size is None:
        return box
    frame = boxes.size[starts_of(boxes.image, len(box))[:-1]]
    return clip_boxes(box, frame[:, 0], frame[:, 1])


def _with_frames(boxes: Boxes, worker: Codes) -> Answers:
    """The answers with their frames; where these are not known, the space that all boxes together take up."""
    edges, size = boxes.edges, boxes.size
    if size is None:
        reach = np.maximum(edges[:, 2:].max(axis=0) - edges[:, :2].min(axis=0), np.finfo(float).tiny)
        frame, inset = np.tile(reach, (len(edges), 1)), np.full(edges.shape, np.inf)
    else:
        frame, inset = size, np.concatenate([edges[:, :2], size - edges[:, 2:]], axis=1) / np.tile(size, 2)
    whole = np.asarray((inset <= INSET).all(axis=1))
    return Answers(edges, boxes.image, worker, frame, whole, len(boxes.images), len(boxes.workers))
