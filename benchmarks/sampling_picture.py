"""The paper's Figure 8 again: seconds and megabytes of a batch against the number of items, both on log scales."""

from collections.abc import Iterable
from itertools import groupby
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

from sampling_rows import AIM, Row, extrapolated

from sidewise.extras import need
from sidewise.ranking.plot import ACCENT, INK, OTHER, styled
from sidewise.studies.lines import GREY, apart

WIDTH, HEIGHT = 330, 420
COLOURS = {"optimal": ACCENT, "asap": OTHER, "asap-approx": "#d99a5b", "literal ASAP": INK, "hybrid-mst": "#3b5bdb"}
LITERAL = "literal ASAP"
LEAST_MEMORY = 1.0  # MB: what a process gets at once; less cannot be told from nothing


def save(path: Path, rows: Iterable[Row]) -> None:
    """As SVG."""
    drawn(list(rows)).save(path)


def drawn(rows: list[Row]) -> Any:
    """Both panels."""
    alt = need("altair", extra="plot")
    known = [row for row in rows if row.seconds]
    batches = sorted((row for row in known if row.what == "batch"), key=lambda row: row.name == "optimal")  # on top
    times = [_point(row, row.median) for row in (*batches, *(row for row in known if row.what == "literal"))]
    sizes = [_point(row, max((row.above or 0) / 1e6, LEAST_MEMORY)) for row in batches]
    panels = [
        _panel(alt, times, "seconds of a batch of n − 1 pairs", _extrapolation(known)),
        _panel(alt, sizes, "MB above the answers", []),
    ]
    return styled(alt.hconcat(*panels, spacing=20))


def _point(row: Row, value: float) -> dict[str, Any]:
    return {"name": row.name, "n": row.n, "value": value}


def _extrapolation(rows: list[Row]) -> list[dict[str, Any]]:
    """From the largest size of literal ASAP that was measured to the one that it is extrapolated to."""
    found = extrapolated(rows)
    if found is None:
        return []
    last = max((row for row in rows if row.what == "literal"), key=lambda row: row.n)
    return [_point(last, last.median), {"name": LITERAL, "n": AIM, "value": found.cautious}]


def _panel(alt: Any, points: list[dict[str, Any]], title: str, dashed: list[dict[str, Any]]) -> Any:
    every = [*points, *dashed]
    names = list(dict.fromkeys(point["name"] for point in every))
    colour = alt.Color(
        "name:N", legend=None, scale=alt.Scale(domain=names, range=[COLOURS.get(n, GREY) for n in names])
    )
    ticks = sorted({point["n"] for point in points if point["name"] != LITERAL})
    low, high = min(ticks) * 0.9, max(ticks) * 1.1
    x = alt.X("n:Q", title="items n", scale=alt.Scale(type="log", domain=[low, high], nice=False),
              axis=alt.Axis(values=ticks, format=",", grid=True))  # fmt: skip
    tens = _decades(every)
    y = alt.Y("value:Q", title=title, scale=alt.Scale(type="log", domain=[tens[0], tens[-1]], nice=False),
              axis=alt.Axis(format=",~g", values=tens))  # fmt: skip
    base = alt.Chart(alt.Data(values=points)).encode(x=x, y=y, color=colour, tooltip=["name:N", "n:Q", "value:Q"])
    wide = alt.condition(alt.datum.name == "optimal", alt.value(3), alt.value(1.5))
    layers = [base.mark_line().encode(strokeWidth=wide), base.mark_point(filled=True, size=22, opacity=1)]
    for last in (True, False):  # beside the end of a line at the right edge; else above it, where no other names are
        ends = [end for end in _labels(every) if (end["n"] == max(ticks)) is last]
        text = alt.Chart(alt.Data(values=ends)).encode(
            x=x, y=alt.Y("height:Q", title=title), text="name:N", color=colour
        )
        place = {"align": "left", "dx": 6} if last else {"align": "right", "dx": -3, "dy": -7}
        layers.append(text.mark_text(fontSize=11, **place))
    if dashed:
        more = alt.Chart(alt.Data(values=dashed)).encode(x=x, y=y, color=colour)
        layers.append(more.mark_line(strokeDash=[4, 3], strokeWidth=1.5))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _decades(points: list[dict[str, Any]]) -> list[float]:
    """The powers of ten that hold all of them."""
    heights = [log10(point["value"]) for point in points]
    return [10.0**power for power in range(floor(min(heights)), max(ceil(max(heights)), floor(min(heights)) + 1) + 1)]


def _labels(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The name of every line at its end; where many end at one n, none upon another."""
    gap = 13 / HEIGHT * (len(_decades(points)) - 1)
    ends = {point["name"]: point for point in sorted(points, key=lambda point: point["n"])}
    found: list[dict[str, Any]] = []
    for _, together in groupby(sorted(ends.values(), key=lambda end: end["n"]), key=lambda end: end["n"]):
        placed = apart([{**end, "value": log10(end["value"])} for end in together], gap)
        found += [{**end, "height": 10 ** end["at"]} for end in placed]
    return found
