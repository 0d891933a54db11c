"""Boxes against the truth: average IoU, accuracy at a threshold, and matching where an image has several boxes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa

from sidewise.boxes import Boxes, iou, read_boxes
from sidewise.boxes.geometry import as_boxes
from sidewise.boxes.table import labels
from sidewise.comparisons.arrow import Codes, Floats
from sidewise.errors import MeasureError
from sidewise.measures.estimate import RESAMPLES, Estimate, estimate_mean

Missing = Literal["error", "zero", "drop"]
NAMED = 3


def average_iou(predicted: Any, truth: Any, *, missing: Missing = "error") -> float:
    """The mean IoU of one box for each image with the true one: AIoU = 1/N Σ IoU_i.

    The criterion of the Toloka VQA benchmark (Ustalov et al. 2023, section 5), which multiplies it by 100. It tells
    better from good; :func:`iou_accuracy` says how often a box is good enough. :func:`score_boxes` gives intervals.

    Parameters
    ----------
    predicted, truth
        Arrays of left, top, right, bottom, row by row; or :class:`sidewise.boxes.Boxes`, or whatever
        :func:`sidewise.boxes.read_boxes` reads, which are joined by image.
    missing
        What to do about an image of the truth without a prediction: "error" refuses; "zero" counts it as 0, as a
        competition would; "drop" leaves out all images that are on one side only. A prediction for an image that the
        truth does not know is an error, but for "drop".

    Examples
    --------
    >>> average_iou([[0, 0, 10, 10], [0, 0, 10, 5]], [[0, 0, 10, 10], [0, 0, 10, 10]])
    0.75
    """
    return float(_joined(predicted, truth, missing).iou.mean())


def iou_accuracy(predicted: Any, truth: Any, *, threshold: float = 0.5, missing: Missing = "error") -> float:
    """The share of images whose box has an IoU above the threshold (above, not at it): 1/N Σ [IoU_i > t].

    Written "IoU > 50" for a threshold of 0.5 (Ustalov et al. 2023). A box just above and one far above count the same:
    see :func:`average_iou`.

    Parameters
    ----------
    predicted, truth, missing
        As of :func:`average_iou`.
    threshold
        From 0 to below 1.

    Examples
    --------
    >>> iou_accuracy([[0, 0, 10, 10], [0, 0, 10, 5]], [[0, 0, 10, 10], [0, 0, 10, 10]])
    0.5
    """
    _check_threshold(threshold)
    return float((_joined(predicted, truth, missing).iou > threshold).mean())


@dataclass(frozen=True, eq=False)
class BoxScores:
    """Scores of one box for each image, with intervals; ``images`` is a table of image and iou, the worst first."""

    average: Estimate
    accuracy: dict[float, Estimate]
    images: pa.Table

    def __str__(self) -> str:
        lines = [f"AIoU × 100     {_percent(self.average)}"]
        lines += [f"{f'IoU > {100 * at:g}':<15}{value}" for at, value in self.accuracy.items()]
        return "\n".join(lines)


def score_boxes(
    predicted: Any,
    truth: Any,
    *,
    thresholds: Sequence[float] = (0.5, 0.7),
    missing: Missing = "error",
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> BoxScores:
    """Average IoU and accuracy at each threshold, with bootstrap intervals over images, and the IoU of each image.

    Parameters
    ----------
    predicted, truth, missing
        As of :func:`average_iou`.
    thresholds
        Of :func:`iou_accuracy`.
    confidence, resamples, seed
        Of the intervals.

    Examples
    --------
    >>> print(score_boxes([[0, 0, 10, 10], [0, 0, 10, 5]], [[0, 0, 10, 10], [0, 0, 10, 10]]))
    AIoU × 100     75.000 [50.000, 100.000]
    IoU > 50       0.500 [0.000, 1.000]
    IoU > 70       0.500 [0.000, 1.000]
    """
    for threshold in thresholds:
        _check_threshold(threshold)
    joined = _joined(predicted, truth, missing)
    options = {"confidence": confidence, "resamples": resamples, "seed": seed}

    def mean(values: Floats) -> Estimate:
        return estimate_mean(values, **options)  # type: ignore[arg-type]

    order = np.argsort(joined.iou, kind="stable")
    table = pa.table({"image": joined.images.take(pa.array(order)), "iou": joined.iou[order]})
    return BoxScores(mean(joined.iou), {at: mean((joined.iou > at).astype(float)) for at in thresholds}, table)


class _Joined(NamedTuple):
    images: pa.Array
    iou: Floats


def _joined(predicted: Any, truth: Any, missing: Missing) -> _Joined:
    """The IoU of each image."""
    if missing not in get_args(Missing):
        raise MeasureError(f"missing={missing!r} is none of {', '.join(get_args(Missing))}")
    if _is_array(predicted) and _is_array(truth):
        return _by_position(as_boxes(predicted, "predicted"), as_boxes(truth, "truth"))
    made, true = (side if isinstance(side, Boxes) else read_boxes(side) for side in (predicted, truth))
    for side, name in ((made, "predicted"), (true, "truth")):
        if len(np.unique(side.image)) < len(side):
            raise MeasureError(
                f"{name} has several boxes of one image: join those of workers with boxes.consensus, or match several "
                "objects with match_boxes",
            )
    place = _places(made, true, missing)
    found = np.where(place < 0, 0.0, iou(made.edges[place], true.edges)) if len(made) else np.zeros(len(true))
    kept = np.flatnonzero(place >= 0) if missing == "drop" else np.arange(len(true))
    if not len(kept):
        raise MeasureError("predicted and truth have no image in common")
    return _Joined(labels(true.images, true.image[kept]), found[kept])


def _places(made: Boxes, true: Boxes, missing: Missing) -> Codes:
    """For each row of the truth, the row of the prediction, or −1."""
    row = {made.images[code]: position for position, code in enumerate(made.image)}
    known = {true.images[code] for code in true.image}
    unknown = [image for image in row if image not in known]
    if unknown and missing != "drop":
        raise MeasureError(
            f"{_some(unknown)} in predicted, but not in the truth: leave them out, or say missing='drop' (command "
            "line: --missing drop)"
        )
    place = np.array([row.get(true.images[code], -1) for code in true.image])
    if missing == "error" and (place < 0).any():
        lost = [true.images[true.image[position]] for position in np.flatnonzero(place < 0)]
        raise MeasureError(
            f"{_some(lost)} in the truth, but not in predicted: add them, count them as 0 with missing='zero', or "
            "leave them out with missing='drop' (command line: --missing)",
        )
    return place


def _some(images: Sequence[str]) -> str:
    named = ", ".join(repr(image) for image in images[:NAMED])
    if len(images) == 1:
        return f"the image {named} is"
    return f"{len(images):,} images are ({named}{', …' if len(images) > NAMED else ''})"


def _by_position(predicted: Floats, truth: Floats) -> _Joined:
    if predicted.shape != truth.shape or predicted.ndim != 2:
        raise MeasureError(
            f"predicted has the shape {predicted.shape} and truth {truth.shape}: both must have one row of left, top, "
            "right, bottom for each image, in the same order",
        )
    if not len(truth):
        raise MeasureError("there are no boxes")
    found = iou(predicted, truth)
    if np.isnan(found).any():
        raise MeasureError(f"row {int(np.flatnonzero(np.isnan(found))[0])} has an edge that is not a finite number")
    return _Joined(pa.array([str(number) for number in range(len(truth))]), found)


def _is_array(side: Any) -> bool:
    return isinstance(side, np.ndarray | list | tuple)


def _check_threshold(threshold: float) -> None:
    if not 0 <= threshold < 1:
        raise MeasureError(f"threshold is {threshold}; it is an IoU, from 0 to below 1")


def _percent(average: Estimate) -> str:
    return f"{100 * average.value:.3f} [{100 * average.low:.3f}, {100 * average.high:.3f}]"
