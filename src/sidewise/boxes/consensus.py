"""One box out of many: what the crowd drew, joined without looking at the truth."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa

from sidewise.boxes.agreement import iou_alpha
from sidewise.boxes.geometry import SIDES, iou
from sidewise.boxes.joining import Joined, by_median, by_medoid, by_weight
from sidewise.boxes.pairs import starts_of
from sidewise.boxes.reading import read_boxes
from sidewise.boxes.table import Boxes, compacted, labels
from sidewise.errors import DataError

Method = Literal["weighted", "median", "medoid"]
JOINERS = {"weighted": by_weight, "median": by_median, "medoid": by_medoid}


@dataclass(frozen=True, eq=False)
class Consensus:
    """One box for each image, and what was found out about the answers and the workers on the way.

    ``images`` is a table of image, left, top, right, bottom, answers, kept and agreement (the mean IoU of the kept
    answers with the box); ``workers`` one of worker, answers, agreement and dropped, with reliability (the chance that
    an answer is about the object), whole_image (that it is the whole image), spread and margin where the method is
    "weighted"; ``dropped`` holds the answers that were left out, with their IoU.
    """

    boxes: Boxes
    images: pa.Table
    workers: pa.Table | None
    dropped: pa.Table
    answers: Boxes
    method: str
    steps: int

    @cached_property
    def alpha(self) -> float:
        """Krippendorff's alpha of the answers with the distance 1 − IoU: how well they agree beyond chance."""
        return iou_alpha(self.answers)

    def __repr__(self) -> str:
        return (
            f"Consensus({len(self.boxes):,} images, {len(self.answers):,} answers, {self.dropped.num_rows:,} dropped, "
            f"{self.method})"
        )


def consensus(answers: Any, *, method: Method = "weighted", drop_below: float = 0.25) -> Consensus:
    """Join several workers' boxes of each image into one, without looking at the truth.

    "median" takes the median of each edge. "medoid" takes the answer that overlaps the others most. "weighted"
    estimates the boxes and the workers together: an answer is about the object, about something else (anywhere in the
    frame), or the whole image, with chances of the worker's own; an edge drawn around the object is off by

        margin_k · size, outwards, and by spread_k · √(size · usual size) · t₄,

    with Student's t for slips. Starting from the medoid, it takes turns: the answer that best explains the others is
    found for each image, the box is the mean of the answers about the same object weighted by their precision, less
    the workers' margins, and the workers are judged by the boxes (expectation–maximisation, as Dawid and Skene 1979 do
    for labels; margins are relative to the median worker's, since the crowd's own cannot be told). Where all answers
    are whole pixels, so are the boxes.

    Prefer "median" where workers are not known; "weighted" needs them, and gains with every further image of a worker.

    Parameters
    ----------
    answers
        :class:`Boxes` with workers, or whatever :func:`read_boxes` reads. Widths and heights of the images are of use:
        without them, workers who mark the whole image are not told apart.
    method
        "weighted", "median" or "medoid".
    drop_below
        Answers whose IoU with the consensus is lower are left out of it, and listed in ``dropped``; 0 keeps all.

    Examples
    --------
    >>> from sidewise.simulate.boxes import box_crowd
    >>> made = box_crowd(50, workers=8, overlap=4, kinds={"lazy": 0.25}, seed=1)
    >>> found = consensus(made.answers)
    >>> found
    Consensus(50 images, 200 answers, 42 dropped, weighted)
    """
    if method not in get_args(Method):
        raise DataError(f"method={method!r} is not one of {', '.join(get_args(Method))}")
    if not 0 <= drop_below < 1:
        raise DataError(f"drop_below is {drop_below}; it is an IoU, from 0 to below 1")
    boxes = answers if isinstance(answers, Boxes) else read_boxes(answers)
    boxes = compacted(boxes.select(np.argsort(boxes.image, kind="stable")))
    if not len(boxes):
        raise DataError("there are no boxes to join")
    return _told(boxes, JOINERS[method](boxes, drop_below), method)


def _told(boxes: Boxes, joined: Joined, method: str) -> Consensus:
    count = len(boxes.images)
    first = starts_of(boxes.image, count)[:-1]
    answers = np.bincount(boxes.image, minlength=count)
    kept = np.bincount(boxes.image, joined.kept, count).astype(np.int64)
    agreement = np.bincount(boxes.image, joined.kept * joined.near, count) / kept
    size = None if boxes.size is None else boxes.size[first]
    question = None if boxes.question is None else boxes.question.take(pa.array(first))
    made = Boxes(np.arange(count, dtype=np.int32), boxes.images, joined.box, size=size, question=question)
    names = {"image": labels(boxes.images, made.image)}
    edges = {side: joined.box[:, column] for column, side in enumerate(SIDES)}
    images = pa.table({**names, **edges, "answers": answers, "kept": kept, "agreement": agreement})
    out = boxes.select(~joined.kept).to_frame().append_column("iou", pa.array(joined.near[~joined.kept]))
    return Consensus(made, images, _workers(boxes, joined), out, boxes, method, joined.fit.steps if joined.fit else 0)


def _workers(boxes: Boxes, joined: Joined) -> pa.Table | None:
    if boxes.worker is None:
        return None
    who, count = boxes.worker, len(boxes.workers)
    answers = np.bincount(who, minlength=count)
    columns: dict[str, Any] = {"worker": pa.array(list(boxes.workers), pa.string()), "answers": answers}
    if joined.fit is not None:
        crowd = joined.fit.crowd
        columns |= {"reliability": crowd.chance[:, 0], "whole_image": crowd.chance[:, 2], "spread": crowd.spread,
                    "margin": crowd.margin}  # fmt: skip
    with np.errstate(invalid="ignore"):  # a worker without answers has no agreement
        columns["agreement"] = np.bincount(who, iou(boxes.edges, joined.box[boxes.image]), count) / answers
    columns["dropped"] = np.bincount(who, ~joined.kept, count).astype(np.int64)
    return pa.table(columns)
