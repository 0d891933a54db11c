"""Each worker against the others: who agrees, who does not, and the picture of it."""

from collections.abc import Callable, Sequence
from math import isnan
from typing import Any

import numpy as np
import pyarrow as pa

from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError
from sidewise.extras import need
from sidewise.measures.answers import Answers, find_answers
from sidewise.measures.distances import Distance
from sidewise.measures.estimate import RESAMPLES, check_confidence, estimate_mean
from sidewise.measures.krippendorff import DistanceName, measured
from sidewise.ranking.plot import ACCENT, FAINT, INK, short_labels, styled

SHOWN = 40


def agreement_by_worker(
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
) -> pa.Table:
    """How well each worker agrees with the others, those who agree least first.

    The table has worker, answers, compared (answers to units that others answered too), agreement (the share of the
    others' answers that are the same; the mean IoU for boxes), alpha, low and high, where

        alpha_k = 1 − (mean distance of the worker's answers to the others' to the same unit) / D_e

    with the D_e of :func:`krippendorff_alpha` (Krippendorff 2018); weighted by answers, these average to alpha itself.
    The interval is a bootstrap over the worker's units. A worker whom nobody can be held against has NaN. Who disagrees
    with a wrong majority looks bad here: models that know workers, such as :func:`sidewise.worker_bt`, weigh who is
    right.

    Parameters
    ----------
    answers, distance, unit, worker, value, levels, confidence, resamples, seed
        As of :func:`krippendorff_interval`.

    Examples
    --------
    >>> answers = {"unit": [1, 1, 1, 2, 2, 2], "worker": list("abcabc"), "value": list("xxyyyx")}
    >>> agreement_by_worker(answers).select(["worker", "agreement"]).to_pylist()[0]
    {'worker': 'c', 'agreement': 0.0}
    """
    found = find_answers(answers, unit=unit, worker=worker, value=value, boxes=distance == "iou")
    known = measured(found, distance, levels=levels, seed=seed)
    return worker_table(found, known, boxes=distance == "iou", confidence=confidence, resamples=resamples, seed=seed)


def worker_table(
    answers: Answers, known: Distance, *, boxes: bool, confidence: float, resamples: int, seed: int
) -> pa.Table:
    """The table of :func:`agreement_by_worker`, from what is known of the answers."""
    check_confidence(confidence)
    if answers.worker is None:
        raise MeasureError("no column says who answered: name the worker column")
    profiles, count = known.profiles, len(answers.workers)
    rows = np.flatnonzero(profiles.entry >= 0)
    entry, who = profiles.entry[rows], answers.worker[rows]
    apart = known.each[entry]
    size = profiles.size[profiles.of_entry[entry]]
    same = 1 - apart if boxes else (profiles.count[entry] - 1) / (size - 1)
    compared = np.bincount(who, minlength=count)
    agreement = np.bincount(who, same, count) / np.where(compared > 0, compared, np.nan)
    n = profiles.counts.sum()
    expected = known.whole / (n * (n - 1)) if known.whole > 0 else np.nan
    limits = 1 - _limits(apart, who, count, confidence=confidence, resamples=resamples, seed=seed) / expected
    order = np.lexsort((np.arange(count), agreement, limits[:, 0]))
    table = pa.table(
        {
            "worker": pa.array(list(answers.workers), pa.string()),
            "answers": np.bincount(answers.worker, minlength=count),
            "compared": compared,
            "agreement": agreement,
            "alpha": limits[:, 0],
            "low": limits[:, 2],
            "high": limits[:, 1],
        }
    )
    return table.take(pa.array(order))


def _limits(
    values: Floats, who: np.ndarray, workers: int, *, confidence: float, resamples: int, seed: int
) -> Floats:  # fmt: skip
    """The mean of each worker's values, and the limits of its interval."""
    order = np.argsort(who, kind="stable")
    start = np.searchsorted(who[order], np.arange(workers + 1))
    found = np.full((workers, 3), np.nan)
    for code in np.flatnonzero(np.diff(start)):
        own = values[order[start[code] : start[code + 1]]]
        mean = estimate_mean(own, confidence=confidence, resamples=resamples, seed=seed)
        found[code] = mean.value, mean.low, mean.high
    return found


def agreement_picture(table: pa.Table, *, limit: int = SHOWN, alpha: float | None = None) -> Any:
    """The picture of :func:`agreement_by_worker`: a dot and an interval for each worker, those who agree least on top.

    Parameters
    ----------
    table
        What :func:`agreement_by_worker` returns.
    limit
        How many workers to show at the most.
    alpha
        The alpha of all, for a line to hold the workers against.

    Examples
    --------
    >>> answers = {"unit": [1, 1, 2, 2], "worker": list("abab"), "value": list("xxxy")}
    >>> agreement_picture(agreement_by_worker(answers)).to_dict()["layer"][0]["mark"]["type"]
    'rule'
    """
    alt = need("altair", extra="plot")
    rows = [row for row in table.to_pylist() if not isnan(row["alpha"])][:limit]
    if not rows:
        raise MeasureError("no worker has an alpha, so there is nothing to draw")
    for row in rows:
        row["says"] = (
            f"{row['worker']}: {row['alpha']:.2f} ({row['low']:.2f} to {row['high']:.2f}), "
            f"{row['compared']:,} of {row['answers']:,} answers compared"
        )
    labels = alt.Axis(labelExpr=short_labels([row["worker"] for row in rows]))
    base = alt.Chart(alt.Data(values=rows), height=alt.Step(18), width=520).encode(
        y=alt.Y("worker:N", sort=None, title=None, axis=labels), description="says:N", tooltip="says:N"
    )
    across = {
        "title": "agreement with the others beyond chance (alpha)", "scale": alt.Scale(zero=False),
        "axis": alt.Axis(tickCount=6, gridColor=FAINT),
    }  # fmt: skip
    bars = base.mark_rule(strokeWidth=2.5, opacity=0.55, color=ACCENT).encode(x=alt.X("low:Q", **across), x2="high:Q")
    dots = base.mark_point(filled=True, size=55, opacity=1, color=ACCENT).encode(x=alt.X("alpha:Q", **across))
    layers = [bars, dots]
    marks = [(0.0, "chance"), *([] if alpha is None else [(alpha, "all")])]
    for at, word in marks:
        layers += _landmark(alt, at, word, across)
    return styled(alt.layer(*layers))


def _landmark(alt: Any, at: float, word: str, across: dict[str, Any]) -> list[Any]:
    """A dashed line with a word."""
    base = alt.Chart(alt.Data(values=[{"alpha": at, "word": word}])).encode(x=alt.X("alpha:Q", **across))
    line = base.mark_rule(strokeDash=[4, 3], color=INK, opacity=0.35)
    text = base.mark_text(baseline="bottom", dy=-4, fontSize=11, color=INK, opacity=0.7)
    return [line, text.encode(y=alt.value(0), text="word:N")]
