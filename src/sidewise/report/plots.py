"""The report's pictures, as SVG that stands in the page itself."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons.arrow import Floats
from sidewise.extras import need
from sidewise.ranking import Ranking
from sidewise.ranking.display import counted
from sidewise.ranking.plot import ACCENT, INK, OTHER, short_labels, styled
from sidewise.report.health import SideBias

MOST_ITEMS = 40  # in a heat map that can still be read
MAP_WIDTH, SMALLEST_CELL, LARGEST_CELL = 480, 15, 60  # of the heat map, in pixels: few items have large cells
LETTER = 8  # pixels
WRITTEN_CELL = 40  # from here on the chance is written into the cell
FEWEST_BINS = 5  # of a histogram: one bar over the whole width looks like none


def svg(chart: Any) -> str:
    """A chart as SVG text."""
    convert = need("vl_convert", extra="plot")
    return str(convert.vegalite_to_svg(chart.to_dict()))


def win_map(ranking: Ranking) -> Any:
    """How likely the item of the row is to be preferred to the item of the column."""
    alt = need("altair", extra="plot")
    items = ranking.order[:MOST_ITEMS]
    values = []
    for a in items:
        for b in items:
            if a != b:
                chance = ranking.probability(a, b)
                values.append({"row": a, "column": b, "chance": chance, "says": f"{a} over {b}: {chance:.0%}"})
    step = min(LARGEST_CELL, max(SMALLEST_CELL, MAP_WIDTH // len(items)))
    labels = short_labels(items)
    upright = max(map(len, items)) * LETTER < step
    base = alt.Chart(alt.Data(values=values), width=alt.Step(step), height=alt.Step(step)).encode(
        x=alt.X(
            "column:N",
            sort=list(items),
            title=None,
            axis=alt.Axis(orient="top", labelAngle=0 if upright else -60, labelExpr=labels),
        ),
        y=alt.Y("row:N", sort=list(items), title=None, axis=alt.Axis(labelExpr=labels)),
        description="says:N",
    )
    fields = base.mark_rect().encode(
        color=alt.Color(
            "chance:Q", title="row over column", legend=alt.Legend(format=".0%"),
            scale=alt.Scale(domain=[0, 0.5, 1], range=[OTHER, "#f7f7f5", ACCENT]),
        )
    )  # fmt: skip
    if step < WRITTEN_CELL:
        return styled(fields)
    dark = alt.expr.abs(alt.datum.chance - 0.5) > 0.35
    figures = base.mark_text(fontSize=12).encode(
        text=alt.Text("chance:Q", format=".0%"), color=alt.condition(dark, alt.value("#fff"), alt.value(INK))
    )
    return styled(fields + figures)


def histogram(values: Floats | NDArray[np.int64], title: str) -> Any:
    """How many there are of each whole number: binned here, so that a million values make a small picture."""
    alt = need("altair", extra="plot")
    edges = whole_edges(np.asarray(values, float))
    heights, _ = np.histogram(values, edges)
    rows = [
        {"from": low, "to": high, "count": count, "says": f"{title}: {_whole(low, high)}: {count:,}"}
        for low, high, count in zip(edges[:-1].tolist(), edges[1:].tolist(), heights.tolist(), strict=True)
    ]
    return styled(
        alt.Chart(alt.Data(values=rows), width=330, height=150)
        .mark_bar(color=ACCENT, binSpacing=1)
        .encode(
            x=alt.X("from:Q", title=title, bin="binned", scale=alt.Scale(nice=False),
                    axis=alt.Axis(values=whole_ticks(edges[0], edges[-1]), format=",d")),
            x2="to:Q",
            y=alt.Y("count:Q", title="count", axis=alt.Axis(tickMinStep=1, format=",d", tickCount=5)),
            description="says:N",
        )
    )  # fmt: skip


def whole_edges(values: Floats, bins: int = 24) -> Floats:
    """Edges of bins that hold whole numbers, centred on them."""
    low, high = np.floor(values.min(initial=np.inf)), np.ceil(values.max(initial=-np.inf))
    if not np.isfinite(low):
        low, high = 0.0, 1.0
    low = max(min(low, 0), low - max(0, FEWEST_BINS - 1 - (high - low)) // 2)
    high = max(high, low + FEWEST_BINS - 1)
    step = np.ceil((high - low + 1) / bins)
    return np.arange(low, high + step + 1, step) - 0.5


def whole_ticks(low: float, high: float, most: int = 9) -> list[int]:
    """Round whole numbers between two edges: multiples of 1, 2 or 5 times a power of ten."""
    steps = (digit * 10**power for power in range(18) for digit in (1, 2, 5))
    step = next(step for step in steps if (high - low) / step <= most)
    return list(range(int(np.ceil(low / step)) * step, int(np.floor(high)) + 1, step))


def _whole(low: float, high: float) -> str:
    first, last = round(low + 0.5), round(high - 0.5)
    return str(first) if first == last else f"{first}–{last}"


def side_picture(bias: SideBias) -> Any:
    """The share of left answers with its interval, above the shares of the workers."""
    alt = need("altair", extra="plot")
    axis = alt.X("share:Q", title="share of answers for the left side", scale=alt.Scale(domain=[0, 1]),
                 axis=alt.Axis(format=".0%"))  # fmt: skip
    whole = alt.Chart(alt.Data(values=[{"share": bias.share, "low": bias.low, "high": bias.high}]), width=560)
    even = alt.Chart(alt.Data(values=[{"share": 0.5}]), width=560).mark_rule(strokeDash=[4, 3], color=INK)
    bar = whole.mark_rule(strokeWidth=5, color=ACCENT, opacity=0.55).encode(x=alt.X("low:Q"), x2="high:Q")
    dot = whole.mark_point(filled=True, size=90, color=ACCENT, opacity=1).encode(x=axis)
    top = (even.encode(x=axis) + bar + dot).properties(height=34)
    if not len(bias.by_worker):
        return styled(top)
    edges = np.linspace(0, 1, 26)
    heights, _ = np.histogram(bias.by_worker, edges)
    rows = [
        {
            "share": low,
            "to": high,
            "workers": count,
            "says": f"{low:.0%} to {high:.0%} left: {counted(count, 'worker')}",
        }
        for low, high, count in zip(edges[:-1].tolist(), edges[1:].tolist(), heights.tolist(), strict=True)
    ]
    bars = alt.Chart(alt.Data(values=rows), width=560, height=110).mark_bar(color=ACCENT, opacity=0.8)
    below = bars.encode(
        x=axis.bin("binned"), x2="to:Q", y=alt.Y("workers:Q", axis=alt.Axis(tickMinStep=1)), description="says:N"
    )
    return styled(alt.vconcat(top, below, spacing=8))
