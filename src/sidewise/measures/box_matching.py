"""Several boxes of an image against several true ones: which belongs to which, and what was found."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sidewise.boxes import Boxes, iou, read_boxes
from sidewise.boxes.pairs import starts_of
from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError
from sidewise.measures.estimate import AT_ONCE, RESAMPLES, Estimate, check_confidence, quantiles


@dataclass(frozen=True, eq=False)
class BoxMatches:
    """Which predicted box was matched to which true one.

    ``precision`` is the share of predicted boxes that were matched, ``recall`` the share of true ones, ``f1`` their
    harmonic mean, ``overlap`` the mean IoU of the matches (NaN where there is none). ``matches`` is a table of image,
    predicted and truth (row numbers from 0 in the data as given) and iou.
    """

    precision: Estimate
    recall: Estimate
    f1: Estimate
    overlap: Estimate
    matches: pa.Table

    def __str__(self) -> str:
        rows = {"precision": self.precision, "recall": self.recall, "F1": self.f1, "IoU of matches": self.overlap}
        return "\n".join(f"{name:<16}{value}" for name, value in rows.items())


def match_boxes(
    predicted: Any,
    truth: Any,
    *,
    threshold: float = 0.5,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> BoxMatches:
    """Match the boxes of each image one to one, and count what was found and what was not.

    Only boxes with an IoU above the threshold can be matched. Of all ways to match them, that with the most matches is
    taken, and of these the one whose IoUs add up to most (the Hungarian algorithm; Kuhn 1955). Then::

        precision = matches / predicted boxes    recall = matches / true boxes    F1 = 2 matches / (both together)

    over all images. Images may be on one side only: their boxes are unmatched. Intervals draw images, since the boxes
    of one image succeed and fail together. With one box an image, :func:`average_iou` and :func:`iou_accuracy` say
    more simply what there is to say.

    Parameters
    ----------
    predicted, truth
        :class:`sidewise.boxes.Boxes`, or whatever :func:`sidewise.boxes.read_boxes` reads.
    threshold
        The IoU above which a box can be a match, from 0 to below 1.
    confidence, resamples, seed
        Of the intervals.

    Examples
    --------
    >>> box = {"left": [0, 20], "top": [0, 0], "right": [10, 30], "bottom": [10, 10]}
    >>> found = match_boxes({"image": ["a", "a"], **box}, {"image": ["a", "b"], **box})
    >>> found.precision.value, found.recall.value, found.matches.num_rows
    (0.5, 0.5, 1)
    """
    if not 0 <= threshold < 1:
        raise MeasureError(f"threshold is {threshold}; it is an IoU, from 0 to below 1")
    made, true = (side if isinstance(side, Boxes) else read_boxes(side, several=True) for side in (predicted, truth))
    names = list(dict.fromkeys([*true.images, *made.images]))
    place = {name: code for code, name in enumerate(names)}
    mine, theirs = (np.array([place[name] for name in side.images])[side.image] for side in (made, true))
    rows = list(_matched(made.edges, mine, true.edges, theirs, len(names), threshold))
    first, second = (np.array([row[side] for row in rows], np.int64) for side in (0, 1))
    near = iou(made.edges[first], true.edges[second])
    table = pa.table({"image": pa.array([names[mine[row]] for row in first], pa.string()), "predicted": first,
                      "truth": second, "iou": near})  # fmt: skip
    sums = np.column_stack(
        [np.bincount(group, weight, len(names))
         for group, weight in ((mine[first], None), (mine, None), (theirs, None), (mine[first], near))]
    )  # fmt: skip
    precision, recall, f1, overlap = _estimates(sums.astype(float), confidence, resamples, seed)
    return BoxMatches(precision, recall, f1, overlap, table)


def _matched(
    made: Floats, mine: np.ndarray, true: Floats, theirs: np.ndarray, images: int, threshold: float
) -> Iterator[tuple[int, int]]:  # fmt: skip
    """Rows of predicted and of true boxes that belong together, image by image."""
    from scipy.optimize import linear_sum_assignment

    orders = [np.argsort(side, kind="stable") for side in (mine, theirs)]
    starts = [starts_of(side[order], images) for side, order in zip((mine, theirs), orders, strict=True)]
    for image in range(images):
        a, b = (order[start[image] : start[image + 1]] for order, start in zip(orders, starts, strict=True))
        if not (len(a) and len(b)):
            continue
        near = iou(made[a][:, None], true[b][None])
        # One more match is worth more than any gain in IoU of the others: their IoUs add up to less than this.
        worth = np.where(near > threshold, near + min(near.shape) + 1, 0.0)
        for i, j in zip(*linear_sum_assignment(worth, maximize=True), strict=True):
            if near[i, j] > threshold:
                yield int(a[i]), int(b[j])


def _estimates(sums: Floats, confidence: float, resamples: int, seed: int) -> list[Estimate]:
    """Precision, recall, F1 and mean IoU, from sums by image: matches, predicted, true, IoU of matches."""
    check_confidence(confidence)
    rng, images = np.random.default_rng(seed), len(sums)
    block = max(1, AT_ONCE // images)
    draws = []
    for start in range(0, resamples, block):
        taken = rng.integers(images, size=(min(block, resamples - start), images))
        draws.append(_ratios(sums[taken].sum(axis=1)))
    drawn = np.concatenate(draws)
    return [
        Estimate(float(value), *quantiles(drawn[:, column], confidence), confidence)
        for column, value in enumerate(_ratios(sums.sum(axis=0)))
    ]


def _ratios(sums: Floats) -> Floats:
    matches, made, true, near = (sums[..., column] for column in range(4))

    def over(part: Floats, whole: Floats) -> Floats:
        return np.asarray(part / np.where(whole > 0, whole, np.nan))

    return np.stack([over(matches, made), over(matches, true), over(2 * matches, made + true), over(near, matches)], -1)
