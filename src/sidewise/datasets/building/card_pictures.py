"""The pictures of a data card: groups, truth, degrees and gaps, binned here so that a million values stay small."""

from math import isfinite
from typing import Any

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.datasets.building.choosing import group_label
from sidewise.datasets.building.graphs import all_pairs
from sidewise.datasets.building.items import in_order
from sidewise.datasets.building.pair_set import PairSet
from sidewise.extras import need
from sidewise.ranking.plot import ACCENT, INK, OTHER, styled

WIDTH, HEIGHT, PALE = 560, 170, "#bfd8d8"
MOST_PANELS = 4  # of groups, one below the other
LABELLED = 24  # values of a group on the axis
BINS = 64
SHORT = "format(datum.value, '~s')"  # 20k, and 0 without a k


def pictures_of(made: PairSet) -> dict[str, Any]:
    """All pictures that the data set has something for."""
    charts: dict[str, Any] = {}
    if made.groups.names:
        charts["groups"] = _groups(made)
    if made.truth is not None and made.columns.truth not in made.groups.names:
        charts["truth"] = _truth(made)
    charts["degrees"] = _degrees(made)
    if made.truth is not None:
        charts["gaps"] = _gaps(made)
    return {name: styled(chart.properties(background="white", padding=12)) for name, chart in charts.items()}


def _groups(made: PairSet) -> Any:
    """What there was and what was taken, along the column of most values, a panel for each value of the rest."""
    alt = need("altair", extra="plot")
    groups = made.groups
    levels = [len({value[place] for value in groups.values}) for place in range(len(groups.names))]
    along = int(np.argmax(levels))
    others = groups.names[:along] + groups.names[along + 1 :]
    panels: dict[str, dict[str, list[int]]] = {}
    apart = len({value[:along] + value[along + 1 :] for value in groups.values}) <= MOST_PANELS
    for value, there, taken in zip(groups.values, groups.candidates.tolist(), groups.taken.tolist(), strict=True):
        rest = value[:along] + value[along + 1 :]
        panel = panels.setdefault(group_label(others, rest) if apart and rest else "", {})
        sums = panel.setdefault(value[along], [0, 0])
        sums[0], sums[1] = sums[0] + there, sums[1] + taken
    order = sorted({value[along] for value in groups.values}, key=in_order)
    charts = [_panel(alt, name, panel, order, groups.names[along]) for name, panel in panels.items()]
    return alt.vconcat(*charts, spacing=14).resolve_scale(y="shared")


def _panel(alt: Any, name: str, panel: dict[str, list[int]], order: list[str], along: str) -> Any:
    rows = [{"value": value, "there": there, "taken": taken} for value, (there, taken) in panel.items()]
    shown = labels_of(order)
    base = alt.Chart(alt.Data(values=rows), width=WIDTH, height=110, title=_title(alt, name)).encode(
        x=alt.X("value:N", sort=order, title=along, scale=alt.Scale(paddingInner=0.15),
                axis=alt.Axis(values=shown, labelAngle=0, labelOverlap=True, ticks=False)),
    )  # fmt: skip
    y = alt.Axis(tickCount=4, tickMinStep=1, labelExpr=SHORT)
    there = base.mark_bar(color=PALE).encode(y=alt.Y("there:Q", title="items", axis=y))
    return there + base.mark_bar(color=ACCENT).encode(y=alt.Y("taken:Q", axis=y))


def labels_of(order: list[str]) -> list[str]:
    """The values to write below an axis: all, if there is room; else round numbers, or every so many words."""
    if len(order) <= LABELLED:
        return order
    numbers = [in_order(value)[0] for value in order]
    for step in (2, 5, 10, 20, 50, 100):
        round_ones = [value for value, number in zip(order, numbers, strict=True) if number % step == 0]
        if all(map(isfinite, numbers)) and 0 < len(round_ones) <= LABELLED:
            return round_ones
    return order[:: -(-len(order) // LABELLED)]


def _title(alt: Any, text: str) -> Any:
    return alt.Title(text, anchor="start", fontSize=12, fontWeight="normal", color=INK, offset=4)


def _truth(made: PairSet) -> Any:
    assert made.truth is not None
    return _bars(made.truth, edges_of(made.truth), str(made.columns.truth), "items")


def _degrees(made: PairSet) -> Any:
    """Degrees as bars, the binomial distribution as dots on a line over them."""
    alt = need("altair", extra="plot")
    n, degree = made.items.num_rows, made.degree
    edges = edges_of(degree.astype(float))
    bars = _bars(degree.astype(float), edges, "pairs of an item", "items")
    chances = n * binomial_shares(n - 1, len(made) / all_pairs(n), edges)
    middle = (edges[:-1] + edges[1:]) / 2
    rows = [{"x": x, "y": y} for x, y in zip(middle.tolist(), chances.tolist(), strict=True)]
    line = alt.Chart(alt.Data(values=rows)).encode(x=alt.X("x:Q"), y=alt.Y("y:Q"))
    return bars + line.mark_line(color=OTHER, strokeWidth=1.5, point=alt.OverlayMarkDef(color=OTHER, size=14))


def binomial_shares(trials: int, p: float, edges: Floats) -> Floats:
    """The share of the binomial distribution between edges."""
    from scipy.special import bdtr

    at = np.floor(np.clip(edges, -1, trials))
    below = np.where(at < 0, 0.0, bdtr(np.maximum(at, 0), trials, p))
    return np.diff(below)


def _gaps(made: PairSet) -> Any:
    """How far apart the two items of a pair are; the controls below, on the same axis."""
    alt = need("altair", extra="plot")
    assert made.truth is not None
    gap = np.abs(made.truth[made.left] - made.truth[made.right])
    beyond = np.abs(made.truth[made.controls.left] - made.truth[made.controls.right])
    edges = edges_of(np.concatenate([gap, beyond]))
    title = f"difference in {made.columns.truth}"
    if not len(beyond):
        return _bars(gap, edges, title, "pairs")
    below = _bars(beyond, edges, title, "controls", color=OTHER, height=90)
    return alt.vconcat(_bars(gap, edges, "", "pairs"), below, spacing=10)


def edges_of(values: Floats) -> Floats:
    """Edges of up to 64 bins: whole numbers are put in the middle of bins of equal whole width."""
    low, high = float(values.min()), float(values.max())
    if not (values == np.round(values)).all():
        bins = int(np.clip(2 * np.cbrt(len(values)), 8, BINS))  # Rice's rule
        low = 0.0 if 0 <= low < (high - low) / bins else low
        return np.linspace(low, high, bins + 1) if high - low > 0 else np.array([low - 0.5, low + 0.5])
    step = max(1.0, np.ceil((high - low + 1) / BINS))
    if low >= 0 and low <= step:
        low = 0.0
    return np.arange(low, high + step + 1, step)[: int((high - low) // step) + 2] - 0.5


def _bars(values: Floats, edges: Floats, x: str, y: str, *, color: str = ACCENT, height: int = HEIGHT) -> Any:
    alt = need("altair", extra="plot")
    counts, _ = np.histogram(values, edges)
    rows = [
        {"from": low, "to": high, "count": count}
        for low, high, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
    ]
    chart = alt.Chart(alt.Data(values=rows), width=WIDTH, height=height).mark_bar(color=color, binSpacing=1)
    least = 1 if edges[1] - edges[0] >= 1 else 0  # between ticks: whole numbers have no parts
    return chart.encode(
        x=alt.X("from:Q", bin="binned", title=x or None, axis=alt.Axis(tickMinStep=least),
                scale=alt.Scale(nice=False, zero=False, domain=[edges[0], edges[-1]])),
        x2="to:Q",
        y=alt.Y("count:Q", title=y, axis=alt.Axis(tickCount=height // 34, tickMinStep=1, labelExpr=SHORT)),
    )  # fmt: skip
