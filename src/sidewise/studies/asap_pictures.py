"""Pictures of the ASAP study: errors against standard trials, maps of pairs, and bars of effort.

Panels stand one below the other, with letters that are still read when a phone shows the picture half as wide.
"""

from collections.abc import Mapping, Sequence
from math import exp, log
from typing import Any

from sidewise.extras import need
from sidewise.ranking.plot import ACCENT, INK, OTHER, styled
from sidewise.studies.asap_runs import ALL_WEIGHED, AS_LIMIT, FOR_ORDER, LIMIT, ONE_BY_ONE, OPTIMAL_ONE_BY_ONE
from sidewise.studies.lines import apart

Drawn = Sequence[Mapping[str, Any]]
WIDTH, HEIGHT, LETTERS = 400, 330, 14
COLOURS = {
    "optimal": ACCENT,
    "asap": OTHER,
    "random": INK,
    "hybrid-mst": "#3b5bdb",
    LIMIT: INK,
    AS_LIMIT: "#8b6fc0",
    ALL_WEIGHED: "#3b5bdb",
    ONE_BY_ONE: "#e8a06a",
    OPTIMAL_ONE_BY_ONE: "#5fb0b0",
    FOR_ORDER: "#5fb0b0",
    "large": "#5f6b76",
    "medium": ACCENT,
    "small": OTHER,
}
REST, REST_NAME = "#a9b3bd", "#6b7783"  # strategies that are there for completeness, and their names: letters are thin
FILLED, EDGED = "optimal", "asap"  # two filled bands, one upon the other, have no colour of their own


def curves(
    rows: Drawn, *, panels: Mapping[str, Drawn], titles: tuple[str, str], log_scale: bool, group: str = "strategy"
) -> Any:
    """A line a strategy, with its name at the end and, for two of them, the middle 75 %; the limit dashed.

    Rows have x, value and, where there is a band, low and high.
    """
    alt = need("altair", extra="plot")
    ticks = sorted({row["x"] for row in rows})
    drawn = [
        _panel(alt, here, titles, ticks, group, log_scale=log_scale).properties(
            width=WIDTH, height=HEIGHT, title=alt.TitleParams(title, anchor="start")
        )
        for title, here in panels.items()
    ]
    return _large(alt.vconcat(*drawn, spacing=28))


def _panel(
    alt: Any, rows: Drawn, titles: tuple[str, str], ticks: Sequence[float], group: str, *, log_scale: bool
) -> Any:  # fmt: skip
    values = [dict(row) for row in rows if row["value"] is not None]
    domain = _domain(values, log_scale=log_scale)
    along = {"type": "log"} if log_scale and ticks[0] > 0 else {}
    x = alt.X("x:Q", title=titles[0], scale=alt.Scale(domain=[ticks[0], ticks[-1]], nice=False, **along),
              axis=alt.Axis(values=list(ticks), format="~r", grid=False, labelOverlap=True))  # fmt: skip
    scale = alt.Scale(domain=domain, nice=False, clamp=True, type="log" if log_scale else "linear")
    y = alt.Y("value:Q", title=titles[1], scale=scale, axis=alt.Axis(format="~r", tickCount=6))
    names = list(dict.fromkeys(row[group] for row in values))
    colour = alt.Color(f"{group}:N", legend=None,
                       scale=alt.Scale(domain=names, range=[COLOURS.get(name, REST) for name in names]))  # fmt: skip
    filled, edged = ([row for row in values if row[group] == name and row.get("low") is not None]
                     for name in (FILLED, EDGED))  # fmt: skip
    edges = [row | {"value": row[end], "end": end} for row in edged for end in ("low", "high")]
    behind = [row for row in values if row[group] not in COLOURS]
    before = [row for row in values if row[group] in COLOURS and row[group] != LIMIT]

    def lines(some: Drawn, **style: Any) -> Any:
        return alt.Chart(alt.Data(values=list(some))).mark_line(clip=True, **style).encode(x=x, y=y, color=colour)

    return alt.layer(
        alt.Chart(alt.Data(values=filled)).mark_area(opacity=0.15, clip=True).encode(
            x=x, y=alt.Y("low:Q", scale=scale, title=titles[1]), y2="high:Q", color=colour),
        lines(edges, strokeWidth=1.2, strokeDash=[1, 3], strokeCap="round").encode(detail="end:N"),
        lines(behind, strokeWidth=1.2),
        lines([row for row in values if row[group] == LIMIT], strokeDash=[6, 4], strokeWidth=1.8),
        lines(before, strokeWidth=2, point={"size": 28}),
        lines([row for row in before if row[group] == "optimal"], strokeWidth=3.5),
        _names(alt, values, domain, group, log_scale=log_scale),
    )  # fmt: skip


def _domain(values: Drawn, *, log_scale: bool) -> list[float]:
    """From the least to the most that a line, not a band, comes to, with a little room."""
    heights = [row["value"] for row in values]
    low, high = min(heights), max(heights)
    return [low / 1.12, high * 1.12] if log_scale else [low - 0.05 * (high - low), high + 0.05 * (high - low)]


def _names(alt: Any, values: Drawn, domain: Sequence[float], group: str, *, log_scale: bool) -> Any:
    """Names at the ends of lines, none upon another."""
    last: dict[str, Mapping[str, Any]] = {row[group]: row for row in sorted(values, key=lambda row: row["x"])}
    low, high = (log(end) if log_scale else end for end in domain)
    ends = [{group: name, "x": row["x"], "value": log(row["value"]) if log_scale else row["value"]}
            for name, row in last.items()]  # fmt: skip
    gap = (LETTERS + 1) / HEIGHT * (high - low)
    placed = within(apart(ends, gap), gap, low + gap / 2, high)
    for row in placed:
        row |= {"at": exp(row["at"]) if log_scale else row["at"], "colour": COLOURS.get(row[group], REST_NAME)}
    scale = alt.Scale(domain=list(domain), nice=False, type="log" if log_scale else "linear")
    chart = alt.Chart(alt.Data(values=placed)).mark_text(align="left", dx=8, fontSize=LETTERS - 1)
    return chart.encode(
        x="x:Q", y=alt.Y("at:Q", scale=scale), text=f"{group}:N", color=alt.Color("colour:N", scale=None)
    )


def within(placed: list[dict[str, Any]], gap: float, low: float, high: float) -> list[dict[str, Any]]:
    """The same names, from the lowest up, none above or below the panel, and none upon another for that."""
    for place, row in enumerate(reversed(placed)):
        row["at"] = min(row["at"], high - place * gap)
    for place, row in enumerate(placed):
        row["at"] = max(row["at"], low + place * gap)
    return placed


def maps(panels: Mapping[str, Drawn], *, value: str, title: str) -> Any:
    """A square for every pair, items in the order of their true scores, both halves filled; a panel each."""
    alt = need("altair", extra="plot")
    most = max(row[value] for rows in panels.values() for row in rows)
    drawn = []
    for name, rows in panels.items():
        both = [{"i": a, "j": b, value: row[value]} for row in rows for a, b in
                ((row["i"], row["j"]), (row["j"], row["i"]))]  # fmt: skip
        axis = alt.Axis(labels=False, ticks=False, domain=False)
        drawn.append(
            alt.Chart(alt.Data(values=both), width=190, height=190, title=alt.TitleParams(name, anchor="start"))
            .mark_rect()
            .encode(
                x=alt.X("i:O", title="low to high score", axis=axis),
                y=alt.Y("j:O", title=None, axis=axis, sort="descending"),
                color=alt.Color(f"{value}:Q", title=title, scale=alt.Scale(
                    domain=[0, most], range=["#f4f7f7", "#8fc4c4", ACCENT, "#03302f"]),
                    legend=alt.Legend(orient="bottom", gradientLength=300, titleLimit=400)),
            )
        )  # fmt: skip
    return _large(alt.concat(*drawn, columns=2, spacing=22))


def bars(panels: Mapping[str, Drawn], *, title: str) -> Any:
    """A bar a strategy, the shortest on top, with its value in words; a diamond where others have published one."""
    alt = need("altair", extra="plot")
    drawn = []
    for name, rows in panels.items():
        values = [dict(row) for row in sorted(rows, key=lambda row: row["value"])]
        names = [row["strategy"] for row in values]
        most = 1.25 * max(value for row in values for value in (row["value"], row.get("paper") or 0))
        for row in values:  # what a bar says stands behind a diamond that would stand on it
            theirs = row.get("paper") or 0
            row["end"] = theirs if 0 < theirs - row["value"] < most / 5 else row["value"]
        base = alt.Chart(alt.Data(values=values), width=WIDTH, height=alt.Step(24)).encode(
            y=alt.Y("strategy:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False)))  # fmt: skip
        x = alt.X("value:Q", title=title, scale=alt.Scale(domain=[0, most], nice=False), axis=alt.Axis(tickCount=5))
        colour = alt.Color("strategy:N", legend=None, scale=alt.Scale(
            domain=names, range=[COLOURS.get(name, REST) for name in names]))  # fmt: skip
        layers = [
            base.mark_bar(height=14).encode(x=x, color=colour, opacity=alt.condition(
                "datum.more", alt.value(0.35), alt.value(1))),
            base.mark_text(align="left", dx=9, fontSize=LETTERS - 1, color=INK).encode(
                x=alt.X("end:Q", title=title), text="says:N"),
        ]  # fmt: skip
        if published := [row for row in values if row.get("paper")]:
            theirs = alt.Chart(alt.Data(values=published)).mark_point(
                shape="diamond", filled=True, size=110, opacity=1, color="white", stroke=INK, strokeWidth=1.6
            )
            layers.append(theirs.encode(x=alt.X("paper:Q", title=title), y=alt.Y("strategy:N", sort=names)))
        drawn.append(alt.layer(*layers).properties(title=alt.TitleParams(name, anchor="start")))
    return _large(alt.vconcat(*drawn, spacing=28))


def _large(chart: Any) -> Any:
    return (
        styled(chart)
        .configure_title(fontSize=LETTERS + 1, color=INK, fontWeight="normal")
        .configure_axis(labelFontSize=LETTERS - 1, titleFontSize=LETTERS - 1, titleFontWeight="normal", labelColor=INK,
                        titleColor=INK, gridColor="#eef1f4", domainColor="#d5dbe1", tickColor="#d5dbe1")
        .configure_legend(labelFontSize=LETTERS - 1, titleFontSize=LETTERS - 1, titleFontWeight="normal")
    )  # fmt: skip
