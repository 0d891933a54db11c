"""The picture of a crowd: how reliable everybody is, against their bias, or against how much they answered."""

from typing import Any

import numpy as np
import pyarrow as pa

from sidewise.extras import need
from sidewise.ranking import Ranking
from sidewise.ranking.display import shorten
from sidewise.ranking.plot import ACCENT, INK, OTHER, styled
from sidewise.ranking.workers import BIAS, bias_names, worst_first
from sidewise.report.crowd import MEANINGS, UNKNOWN, Meaning

WIDTH, HEIGHT = 560, 340
MOST_WITH_INTERVALS = 60  # workers: more whiskers than these hide each other
MOST_NAMED = 12  # flagged workers who are named in the picture
MOST_DOTS = 500  # more unflagged workers than these become a map of how many there are
MOST_FLAGGED_DOTS = 500
COLUMNS, ROWS = 56, 34  # of that map


def worker_picture(ranking: Ranking) -> Any:
    """Every worker as a dot; of a large crowd, the flagged ones, over a map of where all others are."""
    alt = need("altair", extra="plot")
    workers = ranking.workers
    assert workers is not None
    meaning, axes = MEANINGS.get(ranking.fit.model, UNKNOWN), Axes.of(alt, workers)
    suspected = workers["flag"].is_valid()
    flagged, others = workers.filter(suspected), workers.filter(workers["flag"].is_null())
    layers = _landmarks(alt, axes, meaning)
    if len(others) > MOST_DOTS:
        layers.append(_crowd_map(alt, axes, others))
        shown = flagged.take(_busiest(flagged, MOST_FLAGGED_DOTS))
    else:
        shown = pa.concat_tables([others, flagged.take(_busiest(flagged, MOST_FLAGGED_DOTS))])
    layers += _dots(alt, axes, shown, whiskers=len(workers) <= MOST_WITH_INTERVALS and axes.limits)
    if 0 < len(flagged) <= MOST_NAMED:
        layers.append(_names(alt, axes, flagged))
    return styled(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT))


class Axes:
    """What is drawn against what: bias or answers across, reliability (or bias, where there is none) upwards."""

    def __init__(self, alt: Any, across: str, upwards: str, *, reach: float, limits: bool) -> None:
        self.across, self.upwards, self.limits = across, upwards, limits
        self.log = across == "answers"
        scale = (
            alt.Scale(type="log", nice=False, padding=12)
            if self.log
            else alt.Scale(
                domain=[-reach, reach],
                reverse=across == f"side{BIAS}",  # so that who favours left is on the left
            )
        )
        wide = {"title": _title(across, "left", "right"), "scale": scale, "axis": alt.Axis(tickCount=7, grid=False)}
        high = {"title": _title(upwards, "right", "left"), "scale": alt.Scale(zero=False, nice=False, padding=12)}
        self.x, self.y = alt.X(f"{across}:Q", **wide), alt.Y(f"{upwards}:Q", **high)
        self.low, self.left, self.bottom = alt.Y(f"{upwards}_low:Q", **high), alt.X("x:Q", **wide), alt.Y("y:Q", **high)

    @classmethod
    def of(cls, alt: Any, workers: pa.Table) -> "Axes":
        """The axes that a table has columns for."""
        factors, rated = bias_names(workers), "reliability" in workers.column_names
        bias = f"{factors[0]}{BIAS}" if factors else ""
        across, upwards = bias if rated and bias else "answers", "reliability" if rated else bias
        reach = 1.08 * max(1.0, float(np.nanmax(np.abs(workers[across].to_numpy()))))
        return cls(alt, across, upwards, reach=reach, limits=rated)


def _title(column: str, first: str, last: str) -> str:
    if column == f"side{BIAS}":
        return "← favours {1}{0}side bias{0}favours {2} →".format("\N{NO-BREAK SPACE}" * 12, first, last)
    return f"bias towards {column.removesuffix(BIAS)}" if column.endswith(BIAS) else column


def _landmarks(alt: Any, axes: Axes, meaning: Meaning) -> list[Any]:
    """Dashed lines with a word each: where a coin is, where a good worker, where there is no bias."""
    layers = []
    if not axes.log:
        data = alt.Data(values=[{axes.across: 0}])
        layers.append(alt.Chart(data).mark_rule(strokeDash=[4, 3], color=INK, opacity=0.35).encode(x=axes.x))
    places = [(meaning.coin, "a coin"), (meaning.good, meaning.best)] if axes.limits else [(0.0, "no bias")]
    rows = [{axes.upwards: place, "word": word} for place, word in places if place is not None]
    lines = alt.Chart(alt.Data(values=rows)).encode(y=axes.y)
    layers.append(lines.mark_rule(strokeDash=[4, 3], color=INK, opacity=0.35))
    words = lines.mark_text(align="left", dx=6, color=INK, opacity=0.7, fontSize=11)
    layers.append(words.encode(x=alt.value(WIDTH), text="word:N"))
    return layers


def _dots(alt: Any, axes: Axes, workers: pa.Table, *, whiskers: bool) -> list[Any]:
    rows = [row | {"state": "flagged" if row["flag"] else "not flagged", "says": _said(row, axes)}
            for row in workers.to_pylist()]  # fmt: skip
    colour = alt.Color(
        "state:N", title=None, legend=alt.Legend(orient="top", symbolOpacity=1),
        scale=alt.Scale(domain=["not flagged", "flagged"], range=[ACCENT, OTHER]),
    )  # fmt: skip
    base = alt.Chart(alt.Data(values=rows)).encode(x=axes.x, color=colour, description="says:N")
    size = alt.Size("answers:Q", legend=None, scale=alt.Scale(type="sqrt", range=[18, 160]))
    dots = base.mark_point(filled=True, opacity=0.75).encode(y=axes.y, size=size)
    if not whiskers:
        return [dots]
    bars = base.mark_rule(strokeWidth=1.5, opacity=0.3)
    return [bars.encode(y=axes.low, y2=f"{axes.upwards}_high:Q"), dots]


def _names(alt: Any, axes: Axes, flagged: pa.Table) -> Any:
    rows = [row | {"name": shorten(row["worker"], 16)} for row in worst_first(flagged).to_pylist()]
    written = alt.Chart(alt.Data(values=rows)).mark_text(align="left", dx=9, fontSize=11, color=INK)
    return written.encode(x=axes.x, y=axes.y, text="name:N")


def _crowd_map(alt: Any, axes: Axes, others: pa.Table) -> Any:
    """How many unflagged workers there are where."""
    x, y = (others[name].to_numpy().astype(float) for name in (axes.across, axes.upwards))
    known = np.isfinite(x) & np.isfinite(y)
    count, across, upwards = np.histogram2d(np.log(x[known]) if axes.log else x[known], y[known], (COLUMNS, ROWS))
    across = np.exp(across) if axes.log else across
    rows = [
        {"x": across[i], "x2": across[i + 1], "y": upwards[j], "y2": upwards[j + 1], "count": int(count[i, j]),
         "says": f"{int(count[i, j]):,} not flagged"}
        for i, j in zip(*np.nonzero(count), strict=True)
    ]  # fmt: skip
    shade = alt.Opacity("count:Q", legend=None, scale=alt.Scale(type="log", range=[0.15, 0.9]))
    fields = alt.Chart(alt.Data(values=rows)).mark_rect(color=ACCENT)
    return fields.encode(x=axes.left, x2="x2:Q", y=axes.bottom, y2="y2:Q", opacity=shade, description="says:N")


def _busiest(workers: pa.Table, most: int) -> pa.Array:
    return pa.array(np.argsort(-workers["answers"].to_numpy(), kind="stable")[:most])


def _said(row: dict[str, Any], axes: Axes) -> str:
    """What a dot says to a pointer or a screen reader."""
    said = f"{row['worker']}: {row['answers']:,} answers"
    if axes.limits:
        said += f", reliability {row['reliability']:.2f}"
        if row["reliability_low"] <= row["reliability_high"]:  # which are NaN for one worker alone
            said += f" ({row['reliability_low']:.2f} to {row['reliability_high']:.2f})"
    if axes.across != "answers":
        said += f", {axes.across.replace('_', ' ')} {row[axes.across]:.2f}"
    return said + (f", {row['flag']}" if row["flag"] else "")
