"""Krippendorff's alpha: agreement beyond chance, for any number of workers, missing answers, and any distance."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sidewise.boxes.agreement import box_distance
from sidewise.boxes.pairs import Positions
from sidewise.comparisons.arrow import Floats, as_floats, is_text
from sidewise.errors import MeasureError
from sidewise.measures.answers import Answers, find_answers
from sidewise.measures.distances import Distance, Interval, Nominal, Ordinal, Pairwise, Ratio, checked
from sidewise.measures.estimate import RESAMPLES, Estimate
from sidewise.measures.profiles import Profiles, resampled

DistanceName = Literal["nominal", "ordinal", "interval", "ratio", "iou"]
NAMES = ("nominal", "ordinal", "interval", "ratio", "iou")


def krippendorff_alpha(
    answers: Any,
    *,
    distance: DistanceName | Callable[[Any, Any], Any] = "nominal",
    unit: str | None = None,
    worker: str | None = None,
    value: str | None = None,
    levels: Sequence[str] | None = None,
    seed: int = 0,
) -> float:
    """Agreement of workers beyond chance, from 1 (perfect) over 0 (as by chance) to below 0 (worse).

    α = 1 − D_o / D_e, the mean distance between answers to the same unit over that between any two answers::

        D_o = 1/n Σ_u Σ_{i≠j in u} δ(i, j) / (n_u − 1)        D_e = 1/(n (n − 1)) Σ_{i≠j} δ(i, j)

    over the n answers to units that have two or more (Krippendorff, Content Analysis, 4th edition, 2018, chapter 12).
    An answer that is missing is a row that is not there, or whose value is null, NaN or empty.

    The distance is Krippendorff's δ², as it is: "nominal" 0 or 1; "ordinal" (difference of mean ranks)²; "interval"
    (a − b)²; "ratio" ((a − b)/(a + b))²; "iou" 1 − IoU of boxes, not squared (as in Ustalov et al. 2023); or a function
    of two arrays of values that broadcast against each other. For the first four, memory grows with the answers, and
    a million of them take a second. The others compare pairs of values: exactly up to 2·10⁸ of them, beyond that
    every value is held against a sample drawn with ``seed``.

    For two workers and names, :func:`cohen_kappa` is what readers may expect; where chance is no issue,
    :func:`percent_agreement` is simpler.

    Parameters
    ----------
    answers
        A file, a dataframe or a mapping with the columns unit, worker and value; for "iou" image, worker, left, top,
        right and bottom, or :class:`sidewise.boxes.Boxes`. A worker answers a unit once; workers may be unnamed.
    distance
        See above.
    unit, worker, value
        Names of the columns, where they are not the usual ones.
    levels
        For "ordinal": all levels from the lowest to the highest, where the values are words.
    seed
        For the sample, where there is one.

    Examples
    --------
    >>> answers = {"unit": [1, 1, 2, 2, 3, 3], "worker": list("ababab"), "value": [1, 2, 2, 3, 3, 4]}
    >>> round(krippendorff_alpha(answers), 4), round(krippendorff_alpha(answers, distance="interval"), 4)
    (-0.1538, 0.5455)
    """
    found = find_answers(answers, unit=unit, worker=worker, value=value, boxes=distance == "iou")
    return alpha_of(measured(found, distance, levels=levels, seed=seed))


def krippendorff_interval(
    answers: Any,
    *,
    distance: DistanceName | Callable[[Any, Any], Any] = "nominal",
    unit: str | None = None,
    worker: str | None = None,
    value: str | None = None,
    levels: Sequence[str] | None = None,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Krippendorff's alpha with the interval that it would have, had other units of the same kind been asked about.

    Units are drawn with replacement, each with all of its answers, and alpha is taken anew, with what is expected by
    chance, and the ranks of "ordinal". Krippendorff's own bootstrap (2006, revised 2011) draws single pairs of answers
    and keeps the expected disagreement as it was. But answers to one unit share what is hard about it: drawn one by
    one they look like more evidence than they are, and the interval comes out too narrow. Where there are few units,
    say less than 20, so does this one. Draws in which all answers are alike have no alpha and are left out.

    With "ratio", "iou" or a function, and more than 1,500 distinct values, the expected disagreement of a draw is its
    linear part, which leaves out what is smaller by a factor of √units.

    Parameters
    ----------
    answers, distance, unit, worker, value, levels
        As of :func:`krippendorff_alpha`.
    confidence
        The share of the draws that the interval holds.
    resamples
        How many draws.
    seed
        The same seed gives the same interval.

    Examples
    --------
    >>> grid = [[1, 2, 3, 3, 2, 1, 4, 1, 2], [1, 2, 3, 3, 2, 2, 4, 1, 2], [1, 2, 3, 3, 2, 4, 4, 1, 2]]
    >>> from sidewise.measures.answers import read_answer_grid
    >>> print(krippendorff_interval(read_answer_grid(grid, workers="rows")))
    0.852 [0.480, 1.000]
    """
    found = find_answers(answers, unit=unit, worker=worker, value=value, boxes=distance == "iou")
    known = measured(found, distance, levels=levels, seed=seed)
    return alpha_interval(known, confidence=confidence, resamples=resamples, seed=seed)


def alpha_of(known: Distance) -> float:
    """Alpha from the sums of a distance."""
    profiles, whole = known.profiles, known.whole
    if not whole > 0:
        raise MeasureError(
            "all answers are alike: with nothing to disagree about, agreement beyond chance is not defined; "
            "ask about units that differ, or report percent_agreement",
        )
    return float(1 - known.apart @ profiles.times * (profiles.counts.sum() - 1) / whole)


def alpha_interval(known: Distance, *, confidence: float, resamples: int, seed: int) -> Estimate:
    """Alpha with its bootstrap interval."""

    def alpha(times: Floats) -> Floats:
        total, answers = known.total(times), times @ known.profiles.size
        ratio = known.observed(times) * (answers - 1) / np.where(total > 0, total, np.nan)
        return np.minimum(1 - ratio, 1.0)

    value = alpha_of(known)
    return resampled(known.profiles, value, alpha, confidence=confidence, resamples=resamples, seed=seed)


def measured(
    answers: Answers, distance: DistanceName | Callable[[Any, Any], Any], *, levels: Sequence[str] | None, seed: int
) -> Distance:
    """The answers reduced to profiles, with the distance between their values."""
    if levels is not None and distance != "ordinal":
        raise MeasureError("levels are the order of words, for distance='ordinal'")
    if callable(distance):
        codes, values = _any_values(answers.value)
        return Pairwise(Profiles.of(answers.unit, codes, len(values)), values, checked(distance, values), seed=seed)
    if distance not in NAMES:
        raise MeasureError(f"distance={distance!r} is none of {', '.join(NAMES)}, and no function of two values")
    if distance == "iou":
        profiles = Profiles.of(answers.unit, np.arange(len(answers), dtype=np.int64), len(answers))
        return Pairwise(profiles, answers.value, box_distance, seed=seed)
    if distance == "nominal":
        codes, names = coded(answers.value)
        return Nominal(Profiles.of(answers.unit, codes, len(names)))
    codes, numbers = ordered(answers.value, levels, distance)
    profiles = Profiles.of(answers.unit, codes, len(numbers))
    if distance == "ordinal":
        return Ordinal(profiles)
    return Interval(profiles, numbers) if distance == "interval" else Ratio(profiles, numbers)


def coded(column: pa.ChunkedArray) -> tuple[Positions, list[Any]]:
    """Codes of values, and the distinct ones."""
    if not len(column):
        return np.empty(0, np.int64), []
    encoded = pa.chunked_array([column.combine_chunks()]).dictionary_encode().chunk(0)
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False), np.int64), encoded.dictionary.to_pylist()


def ordered(column: pa.ChunkedArray, levels: Sequence[str] | None, distance: str) -> tuple[Positions, Floats]:
    """Codes of values from the lowest to the highest, and the numbers: their own, or the positions of the levels."""
    if levels is not None:
        codes, names = coded(column)
        strange = [name for name in names if str(name) not in levels]
        if strange or len(set(levels)) < len(levels):
            raise MeasureError(
                f"{strange[0]!r} is none of the levels {list(levels)}" if strange else "a level stands twice"
            )
        return np.array([list(levels).index(str(name)) for name in names])[codes], np.arange(len(levels), dtype=float)
    number = as_floats(column)
    if not np.isfinite(number).all():
        wrong = column[int(np.flatnonzero(~np.isfinite(number))[0])].as_py()
        levels_too = "give levels=[…] from the lowest to the highest (command line: --level, repeated)"
        cure = levels_too if distance == "ordinal" else "take 'nominal' for words"
        raise MeasureError(f"{wrong!r} is no number, and distance={distance!r} needs numbers: {cure}")
    if distance == "ratio" and (number < 0).any():
        raise MeasureError(f"{number.min():g} is below 0: ratios are of amounts; take 'interval'")
    numbers, place = np.unique(number, return_inverse=True)
    return place, numbers


def _any_values(column: pa.ChunkedArray) -> tuple[Positions, NDArray[Any]]:
    codes, names = coded(column)
    return codes, np.array(names, object) if is_text(column.type) else np.array(names)
