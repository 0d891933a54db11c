"""Leave out instances whose fresh answers disagree with the truth: the question, or the truth, is at fault."""

from collections import Counter
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sidewise.boxes import Boxes, consensus
from sidewise.boxes.geometry import iou
from sidewise.comparisons import Index
from sidewise.comparisons.arrow import Floats
from sidewise.datasets.building.table import boxes_of, last_part, read_table
from sidewise.datasets.building.words import Filtered, with_reasons
from sidewise.errors import DataError, SidewiseError
from sidewise.numbers import is_number

Agreement = Literal["median", "mean", "best", "consensus"]
Unanswered = Literal["error", "keep", "drop"]
NAMED = 3


def filter_divergent(
    source: Any,
    answers: Any,
    *,
    threshold: float = 0.5,
    agreement: Agreement = "median",
    unanswered: Unanswered = "error",
    by_name: bool = False,
    delimiter: str | None = None,
) -> Filtered:
    """Remove the instances whose fresh boxes have an IoU below the threshold with the true box.

    Toloka VQA left out instances whose truth diverged from boxes that other workers drew later (Ustalov et al. 2023,
    section 4.4; it states no threshold). ``removed`` says for each how many answers there were, and their IoU.

    Parameters
    ----------
    source
        The instances: a table with an image and its true box, and any other columns, which are kept.
    answers
        The fresh boxes, of one or several workers for each image: whatever :func:`sidewise.boxes.read_boxes` reads.
    threshold
        Between 0 and 1; an IoU equal to it is kept.
    agreement
        Which IoU stands for several answers: the "median" or the "mean" of theirs, the "best", or that of the box which
        :func:`sidewise.boxes.consensus` joins them to.
    unanswered
        What to do about an image without an answer: "error" refuses, "keep" or "drop". No answer is not a wrong one.
    by_name
        Images are the same where the last part of their path is, so that addresses and file names can meet.
    delimiter
        Of text files.

    Examples
    --------
    >>> truth = {"image": ["a", "b"], "left": [0, 0], "top": [0, 0], "right": [10, 10], "bottom": [10, 10]}
    >>> fresh = truth | {"right": [9, 4]}
    >>> filter_divergent(truth, fresh).removed.select(["row", "reason", "iou", "image"]).to_pylist()
    [{'row': 2, 'reason': 'IoU below 0.5', 'iou': 0.4, 'image': 'b'}]
    """
    _check(threshold, agreement, unanswered)
    rows = read_table(source, delimiter=delimiter)
    true, fresh = boxes_of(source, rows, delimiter=delimiter), boxes_of(answers, several=agreement != "consensus")
    if by_name:
        true, fresh = _by_last_part(true), _by_last_part(fresh)
    _check_known(true, fresh)
    place = {image: row for row, image in enumerate(true.images[code] for code in true.image)}
    instance = np.array([place[fresh.images[code]] for code in fresh.image], np.int64)
    times = np.bincount(instance, minlength=len(true))
    if unanswered == "error" and not times.all():
        lost = [true.images[true.image[row]] for row in np.flatnonzero(times == 0)]
        raise DataError(f"{_some(lost)} without a fresh answer: get one, or say unanswered='keep' or 'drop'")
    found = _agreement(true, fresh, instance, agreement)
    diverging = found < threshold  # False for NaN, which stands for no answer
    out = diverging | ((times == 0) & (unanswered == "drop"))
    reason = np.where(diverging[out], f"IoU below {threshold:g}", "no answer")
    told = {"row": rows.number[out], "reason": reason, "answers": times[out], "iou": found[out]}
    told_columns = {name: pa.array(values, from_pandas=True) for name, values in told.items()}
    removed = with_reasons(rows.table.filter(pa.array(out)), told_columns)
    return Filtered(rows.table.filter(pa.array(~out)), removed, Counter(reason.tolist()))


def _agreement(true: Boxes, fresh: Boxes, instance: NDArray[np.int64], agreement: Agreement) -> Floats:
    """The IoU that stands for the answers of each instance; NaN where there are none."""
    if agreement == "consensus":
        joined = consensus(fresh).boxes
        place = {image: row for row, image in enumerate(true.images[code] for code in true.image)}
        where = np.array([place[joined.images[code]] for code in joined.image], np.int64)
        found = np.full(len(true), np.nan)
        found[where] = iou(joined.edges, true.edges[where])
        return found
    single = iou(fresh.edges, true.edges[instance])
    times = np.bincount(instance, minlength=len(true))
    answered, last = times > 0, np.cumsum(times) - 1
    rising = single[np.lexsort((single, instance))]  # instance by instance
    found = np.full(len(true), np.nan)
    if agreement == "mean":
        found[answered] = np.bincount(instance, single, len(true))[answered] / times[answered]
        return found
    # The median is half way between the two in the middle, which are one where their number is odd.
    back = (np.zeros_like(times), np.zeros_like(times)) if agreement == "best" else (times // 2, (times - 1) // 2)
    found[answered] = (rising[(last - back[0])[answered]] + rising[(last - back[1])[answered]]) / 2
    return found


def _by_last_part(boxes: Boxes) -> Boxes:
    """The same, images called by the last part of their path; two that would be called alike are refused."""
    called: dict[str, str] = {}
    for image in boxes.images:
        if called.setdefault(last_part(image), image) != image:
            raise DataError(f"{called[last_part(image)]!r} and {image!r} have the same last part: leave by_name out")
    return replace(boxes, images=Index(called))


def _check_known(true: Boxes, fresh: Boxes) -> None:
    known = set(true.images)
    unknown = [image for image in fresh.images if image not in known]
    if unknown:
        alike = {last_part(image) for image in unknown} & {last_part(image) for image in known}
        cure = "say by_name=True (command line: --by-name), if they differ only in the folders before the name"
        raise DataError(f"{_some(unknown)} in the answers, but not in the table: {cure if alike else 'leave them out'}")


def _some(images: list[str]) -> str:
    named = ", ".join(map(repr, images[:NAMED])) + (", …" if len(images) > NAMED else "")
    return f"the image {named} is" if len(images) == 1 else f"{len(images):,} images ({named}) are"


def _check(threshold: float, agreement: str, unanswered: str) -> None:
    if not (is_number(threshold) and 0 <= threshold <= 1):
        raise SidewiseError(f"threshold is {threshold!r}; an IoU lies between 0 and 1")
    for name, value, known in (
        ("agreement", agreement, get_args(Agreement)), ("unanswered", unanswered, get_args(Unanswered)),
    ):  # fmt: skip
        if value not in known:
            raise SidewiseError(f"{name}={value!r} is none of {', '.join(known)}")
