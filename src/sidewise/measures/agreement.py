"""How well do the workers agree? All measures of agreement of one set of answers, each with its interval."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError
from sidewise.measures.answers import Answers, find_answers
from sidewise.measures.by_worker import agreement_picture, worker_table
from sidewise.measures.estimate import RESAMPLES, Estimate
from sidewise.measures.kappa import agreeing, cohen_interval, cross, fleiss, named_profiles
from sidewise.measures.krippendorff import DistanceName, alpha_interval, measured
from sidewise.measures.profiles import resampled


@dataclass(frozen=True, eq=False)
class Agreement:
    """What is said of the agreement of workers; a measure that cannot be taken is None, and ``notes`` say why.

    ``by_worker`` is the table of :func:`agreement_by_worker`, or None where workers are not named.
    """

    distance: str
    answers: int
    units: int
    compared: int  # units with two answers or more
    workers: int
    alpha: Estimate | None
    percent: Estimate | None
    fleiss: Estimate | None
    cohen: Estimate | None
    by_worker: pa.Table | None
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        known = {
            f"Krippendorff's alpha ({self.distance})": self.alpha,
            "percent agreement": self.percent,
            "Fleiss' kappa": self.fleiss,
            "Cohen's kappa": self.cohen,
        }
        return "\n".join(f"{name:<34}{estimate}" for name, estimate in known.items() if estimate is not None)

    def plot(self, *, limit: int = 40) -> Any:
        """Each worker's agreement with the others, as a picture (needs the extra ``plot``)."""
        if self.by_worker is None:
            raise MeasureError("no column says who answered, so there are no workers to draw")
        return agreement_picture(self.by_worker, limit=limit, alpha=None if self.alpha is None else self.alpha.value)


def agreement(
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
) -> Agreement:
    """All measures of agreement that the answers allow, each with a bootstrap interval over units.

    Krippendorff's alpha with the distance asked for, percent agreement and Fleiss' kappa (which take values as names;
    not for boxes), Cohen's kappa where there are two workers (weighted quadratically for "ordinal" and "interval"), and
    each worker against the others. The functions of these names hold the formulas.

    Parameters
    ----------
    answers, distance, unit, worker, value, levels, confidence, resamples, seed
        As of :func:`krippendorff_interval`.

    Examples
    --------
    >>> answers = {"unit": [1, 1, 2, 2, 3, 3, 4, 4], "worker": list("abababab"), "value": [1, 1, 2, 2, 3, 2, 5, 4]}
    >>> print(agreement(answers, distance="ordinal"))
    Krippendorff's alpha (ordinal)    0.889 [-0.167, 1.000]
    percent agreement                 0.500 [0.000, 1.000]
    Fleiss' kappa                     0.333 [-0.455, 1.000]
    Cohen's kappa                     0.862 [0.000, 1.000]
    """
    found = find_answers(answers, unit=unit, worker=worker, value=value, boxes=distance == "iou")
    known = measured(found, distance, levels=levels, seed=seed)
    options = {"confidence": confidence, "resamples": resamples, "seed": seed}
    notes: list[str] = []

    def tried(take: Callable[[], Estimate]) -> Estimate | None:
        try:
            return take()
        except MeasureError as error:
            notes.append(str(error))
            return None

    alpha = tried(lambda: alpha_interval(known, **options))  # type: ignore[arg-type]
    percent, kappa = (None, None) if distance == "iou" else _by_name(found, options)
    cohen = tried(lambda: _cohen(found, distance, levels, options)) if _two_workers(found, distance) else None
    table = None
    if found.worker is not None:
        table = worker_table(found, known, boxes=distance == "iou", **options)  # type: ignore[arg-type]
    named = distance if isinstance(distance, str) else getattr(distance, "__name__", "a function")
    return Agreement(
        named, len(found), len(np.unique(found.unit)), len(known.profiles.kind), len(found.workers), alpha, percent,
        kappa, cohen, table, tuple(notes),
    )  # fmt: skip


def _by_name(found: Answers, options: dict[str, Any]) -> tuple[Estimate, Estimate | None]:
    """Percent agreement and Fleiss' kappa, from the same draws."""
    profiles = named_profiles(found)
    share, kappa = agreeing(profiles), fleiss(profiles)

    def percent(times: Floats) -> Floats:
        return np.asarray(times @ share / times.sum(axis=1))

    now = profiles.times[None]
    first = resampled(profiles, float(percent(now)[0]), percent, **options)
    value = float(kappa(now)[0])
    return first, None if np.isnan(value) else resampled(profiles, value, kappa, **options)


def _two_workers(found: Answers, distance: Any) -> bool:
    return found.worker is not None and len(found.workers) == 2 and distance != "iou"


def _cohen(
    found: Answers, distance: Any, levels: Sequence[str] | None, options: dict[str, Any]
) -> Estimate:  # fmt: skip
    weights: Any = "quadratic" if distance in ("ordinal", "interval") else "none"
    return cohen_interval(cross(found, None, weights, levels), weights, **options)
