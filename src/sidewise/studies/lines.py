"""Pictures of studies: lines with names at their ends, and dots with bars."""

from collections.abc import Mapping, Sequence
from typing import Any

from sidewise.extras import need
from sidewise.ranking.plot import ACCENT, FAINT, INK, OTHER, styled

COLOURS = {
    "worker-bt": ACCENT,
    "worker-bt, side alone": "#5fb0b0",
    "crowd-bt": "#3b5bdb",
    "factor-bt": OTHER,
    "bradley-terry": "#5f6b76",
    "pairwise-hits": "#a43e8c",
    "linear-bias": "#7a8b1d",
    "page-rank": "#c22f2f",
}
GREY = "#9aa5b1"
WIDTH, HEIGHT = 330, 300


def lines(
    rows: Sequence[Mapping[str, Any]],
    *,
    y: str,
    titles: tuple[str, str],
    panels: Mapping[str, str],
    panel: str,
    others: Sequence[Mapping[str, Any]] = (),
    level: Mapping[str, float] | None = None,
) -> Any:
    """Mean of ``y`` by the share of spammers, a line a model, a band of a standard deviation each way.

    ``panels`` maps values of the column ``panel`` to titles. ``others`` are published figures, drawn dashed; ``level``
    is a height for each panel to be marked, such as the truth.
    """
    alt = need("altair", extra="plot")
    drawn = []
    for value, title in panels.items():
        here = [_placed(row, y) for row in rows if row[panel] == value]
        seen = [dict(row) for row in others if row[panel] == value]
        layers = _layers(alt, here, seen, titles, (level or {}).get(value))
        drawn.append(layers.properties(width=WIDTH, height=HEIGHT, title=alt.TitleParams(title, anchor="start")))
    return styled(alt.concat(*drawn, columns=2, spacing=20)).configure_title(
        fontSize=13, color=INK, fontWeight="normal"
    )


def _placed(row: Mapping[str, Any], y: str) -> dict[str, Any]:
    spread = row[f"{y}_sd"] or 0.0
    return {"model": row["model"], "percent": 100 * row["share"], "value": row[y], "low": max(row[y] - spread, 0.0),
            "high": min(row[y] + spread, 1.0)}  # fmt: skip


def _layers(
    alt: Any, here: list[dict[str, Any]], seen: list[dict[str, Any]], titles: tuple[str, str], level: float | None
) -> Any:
    last = max(row["percent"] for row in here)
    heights = [row[key] for row in here for key in ("low", "high")] + [row["value"] for row in seen]
    low, high = min(heights) - 0.01, max(heights) + 0.01
    ends = apart([row for row in here if row["percent"] == last], gap=14 / HEIGHT * (high - low))
    colour = alt.Color("model:N", scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())), legend=None)
    x = alt.X(
        "percent:Q",
        title=titles[0],
        axis=alt.Axis(values=sorted({row["percent"] for row in here}), labelOverlap="greedy"),
    )
    value = alt.Y("value:Q", title=titles[1], scale=alt.Scale(domain=[low, high], nice=False))
    base = alt.Chart(alt.Data(values=here)).encode(x=x, color=colour)
    marks = [
        base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", scale=alt.Scale(domain=[low, high])), y2="high:Q"),
        base.mark_line(strokeWidth=2).encode(y=value),
        base.mark_point(filled=True, size=30, opacity=1).encode(y=value),
        alt.Chart(alt.Data(values=ends)).mark_text(align="left", dx=7, fontSize=11).encode(
            x="percent:Q", y="at:Q", text="model:N", color=colour
        ),
    ]  # fmt: skip
    if seen:
        published = alt.Chart(alt.Data(values=seen)).encode(x="percent:Q", y="value:Q", color=colour)
        marks += [published.mark_line(strokeDash=[4, 3], strokeWidth=1.5)]
    if level is not None:
        rule = alt.Chart(alt.Data(values=[{"value": level}])).encode(y="value:Q")
        marks += [rule.mark_rule(strokeDash=[2, 3], color=INK)]
    return alt.layer(*marks)


def apart(ends: list[dict[str, Any]], gap: float) -> list[dict[str, Any]]:
    """Where names stand at the ends of lines: in their order, none upon another, pushed off evenly up and down."""
    order = sorted(ends, key=lambda row: row["value"])
    blocks: list[list[dict[str, Any]]] = []
    for row in order:
        blocks.append([row])
        while len(blocks) > 1 and _foot(blocks[-1], gap) < _head(blocks[-2], gap) + gap:
            above = blocks.pop()
            blocks[-1] += above
    return [row | {"at": _foot(block, gap) + place * gap} for block in blocks for place, row in enumerate(block)]


def _foot(block: list[dict[str, Any]], gap: float) -> float:
    return float(sum(row["value"] for row in block) / len(block) - gap * (len(block) - 1) / 2)


def _head(block: list[dict[str, Any]], gap: float) -> float:
    return _foot(block, gap) + gap * (len(block) - 1)


def dots(rows: Sequence[Mapping[str, Any]], *, title: str, domain: tuple[float, float], zero: float = 0.0) -> Any:
    """A dot for every row's ``value`` in the line of its ``line``, coloured by ``who``, with a bar from low to high.

    ``zero`` is the half-width of a band about 0, for differences; 0 draws none.
    """
    alt = need("altair", extra="plot")
    who = list(dict.fromkeys(row["who"] for row in rows))
    values = [dict(row) for row in sorted(rows, key=lambda row: -who.index(row["who"]))]  # the first named on top
    order = list(dict.fromkeys(row["line"] for row in rows))
    colours = [COLOURS.get(name, GREY if name != "the paper" else INK) for name in who]
    base = alt.Chart(alt.Data(values=values), height=alt.Step(20), width=460).encode(
        y=alt.Y("line:N", sort=order, title=None, axis=alt.Axis(labelLimit=300)),
        color=alt.Color("who:N", title=None, sort=None, scale=alt.Scale(domain=who, range=colours)),
        tooltip=["line:N", "who:N", "value:Q"],
    )
    scale = alt.Scale(domain=list(domain), clamp=True, nice=False)
    layers = [
        base.mark_rule(strokeWidth=2, opacity=0.5).encode(x=alt.X("low:Q", title=title, scale=scale), x2="high:Q"),
        base.mark_point(filled=True, size=60, opacity=0.9).encode(x=alt.X("value:Q", title=title, scale=scale)),
    ]
    if zero:
        band = alt.Chart(alt.Data(values=[{"from": -zero, "to": zero}])).mark_rect(color=FAINT)
        layers.insert(0, band.encode(x=alt.X("from:Q", scale=scale), x2="to:Q"))
    return styled(alt.layer(*layers))
