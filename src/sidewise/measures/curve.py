"""Precision of preferences against their recall, interpolated: the curve of a run, and its picture."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError
from sidewise.extras import need
from sidewise.measures.estimate import RESAMPLES, check_confidence
from sidewise.measures.preference_tally import AnyRun, Missing, Tally, tallied
from sidewise.preferences import Closure, Preferences
from sidewise.ranking.plot import ACCENT, OTHER, styled

COLOURS = (ACCENT, OTHER, "#3b5bdb", "#5f6b76", "#a43e8c", "#7a8b1d")
WIDTH, HEIGHT = 420, 300


@dataclass(frozen=True, eq=False)
class PreferenceCurve:
    """Interpolated precision of preferences at levels of recall: one row of ``precisions`` for each query."""

    recall: Floats
    precisions: NDArray[np.float64]  # query × level
    queries: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def precision(self) -> Floats:
        """The mean over queries at each level."""
        return np.asarray(self.precisions.mean(axis=0))

    def interval(self, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0) -> tuple[Floats, Floats]:
        """Low and high limits of the mean at each level, by drawing queries again and again."""
        check_confidence(confidence)
        rng = np.random.default_rng(seed)
        count = len(self.queries)
        drawn = rng.multinomial(count, np.full(count, 1 / count), size=resamples) / count
        low, high = np.quantile(drawn @ self.precisions, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
        return low, high

    def to_frame(self) -> pa.Table:
        """The curve as an Arrow table of recall, precision, low and high."""
        low, high = self.interval()
        return pa.table({"recall": self.recall, "precision": self.precision, "low": low, "high": high})

    def plot(self) -> Any:
        """The curve with its interval, as an Altair chart (extra ``plot``); several: :func:`plot_curves`."""
        return plot_curves({"": self})

    def __repr__(self) -> str:
        return f"PreferenceCurve({len(self.queries):,} queries, {len(self.recall):,} levels)"


def preference_curve(
    run: AnyRun, preferences: Preferences | Closure, *, levels: int = 101, missing: Missing = "zero"
) -> PreferenceCurve:
    """The interpolated precision–recall curve of preferences: at each recall, the best precision from there on.

    ::

        precision(r) = max {ppref@k: rpref@k ≥ r}, and 0 where no rank reaches the recall r

    in the mean over queries (Carterette, Bennett and Chapelle 2008, section 4 and figure 3; the interpolation is
    trec_eval's). Queries without preferences are left out. A curve shows where along the ranks one run is better than
    another; for one number take :func:`average_ppref`.

    Parameters
    ----------
    run, preferences, missing
        As of :func:`ppref`.
    levels
        How many levels of recall, from 0 to 1: 11 is usual in tables, 101 draws a smooth line.

    Examples
    --------
    >>> judged = Preferences.from_arrays(query=["q", "q"], first=["a", "b"], second=["b", "c"], judgment=[-1, -1])
    >>> preference_curve({"q": ["a", "c", "b"]}, judged, levels=4).precision.round(3).tolist()
    [1.0, 1.0, 1.0, 0.0]
    """
    if isinstance(levels, bool) or not isinstance(levels, int) or levels < 2:
        raise MeasureError(f"levels={levels!r}: it takes a whole number, 2 or more")
    tallies = tallied(run, preferences, missing=missing)
    recall = np.linspace(0, 1, levels)
    kept = [
        (query, np.zeros(levels) if tally is None else _interpolated(tally, recall))
        for query, tally, absent in zip(tallies.queries, tallies.tallies, tallies.absent.tolist(), strict=True)
        if tally is not None or absent == 0
    ]
    if not kept:
        raise MeasureError("no query has preferences to measure by, so there is no curve")
    queries, rows = zip(*kept, strict=True)
    return PreferenceCurve(recall, np.array(rows), queries, tallies.notes)


def _interpolated(tally: Tally, levels: Floats) -> Floats:
    correct, ordered = np.cumsum(tally.correct), np.cumsum(tally.correct + tally.wrong)
    precision = np.divide(correct, ordered, out=np.zeros(len(correct)), where=ordered > 0)
    best = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    return best[np.searchsorted(correct / tally.total, levels - 1e-12)]


def plot_curves(curves: Mapping[str, PreferenceCurve], *, confidence: float = 0.95) -> Any:
    """Curves of several runs in one picture, with bands about them, as an Altair chart (extra ``plot``).

    Parameters
    ----------
    curves
        Name → curve.
    confidence
        Of the bands, which a bootstrap over the queries gives.

    Examples
    --------
    >>> judged = Preferences.from_arrays(query=["q", "q"], first=["a", "b"], second=["b", "c"], judgment=[-1, -1])
    >>> runs = {"mine": {"q": ["a", "b", "c"]}, "other": {"q": ["c", "a", "b"]}}
    >>> chart = plot_curves({name: preference_curve(run, judged) for name, run in runs.items()})
    >>> chart.to_dict()["layer"][1]["encoding"]["y"]["title"]
    'precision of preferences (ppref)'
    """
    alt = need("altair", extra="plot")
    rows, names = [], list(curves)
    for name, curve in curves.items():
        limits = curve.interval(confidence=confidence)
        columns = (curve.recall, curve.precision, *limits)
        for recall, precision, low, high in zip(*(column.tolist() for column in columns), strict=True):
            rows.append({"run": name, "recall": recall, "precision": precision, "low": low, "high": high})
    x = alt.X("recall:Q", title="recall of preferences (rpref)", scale=alt.Scale(domain=[0, 1]))
    upright = {"title": "precision of preferences (ppref)", "scale": alt.Scale(domain=[0, 1])}
    marks = {"symbolType": "stroke", "symbolOpacity": 1, "symbolStrokeWidth": 3, "symbolSize": 250}
    legend = None if names == [""] else alt.Legend(orient="bottom", direction="horizontal", **marks)
    scale = alt.Scale(domain=names, range=[COLOURS[place % len(COLOURS)] for place in range(len(names))])
    base = alt.Chart(alt.Data(values=rows), width=WIDTH, height=HEIGHT).encode(
        x=x, color=alt.Color("run:N", title=None, sort=None, scale=scale, legend=legend)
    )
    band = base.mark_area(opacity=0.2).encode(y=alt.Y("low:Q", **upright), y2="high:Q")
    line = base.mark_line(strokeWidth=2).encode(
        y=alt.Y("precision:Q", **upright), tooltip=["run:N", "recall:Q", "precision:Q"]
    )
    return styled(band + line)
