"""The picture of a ranking: every score with its interval, best on top."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sidewise.extras import need
from sidewise.ranking.display import decimals, shorten_all, span

if TYPE_CHECKING:
    from sidewise.ranking.result import Ranking

INK, LINE, ACCENT, OTHER, FAINT = "#1f2933", "#d5dbe1", "#0b6e6e", "#b4530a", "#eef1f4"
FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif"
LABEL = 32  # characters of a label


def styled(chart: Any) -> Any:
    """One look for all pictures: no frame, few lines, the reader's own font."""
    return (
        chart.configure(font=FONT, background="transparent")
        .configure_view(stroke=None)
        .configure_axis(
            gridColor=FAINT, domainColor=LINE, tickColor=LINE, labelColor=INK, titleColor=INK, titleFontWeight="normal",
            labelFontSize=12, titleFontSize=12, labelLimit=320,
        )
        .configure_legend(labelColor=INK, titleColor=INK, titleFontWeight="normal")
    )  # fmt: skip


def short_labels(items: Sequence[str]) -> str:
    """An expression that shows long names shortened; the names themselves still keep the items apart."""
    short = zip(items, shorten_all(items, LABEL), strict=True)
    return f"{json.dumps({item: label for item, label in short if item != label})}[datum.value] || datum.label"


def forest(ranking: "Ranking", *, limit: int, level: float) -> Any:
    """Scores and intervals of the first ``limit`` items; the colour changes from tier to tier."""
    alt = need("altair", extra="plot")
    rows = ranking.to_frame(level).slice(0, limit).to_pylist()
    digits = decimals(ranking, least=2)
    for row in rows:
        row["even"] = bool(row.get("tier") and row["tier"] % 2 == 0)
        row["says"] = _described(row, digits)
    base = alt.Chart(alt.Data(values=rows), height=alt.Step(18), width=560).encode(
        y=alt.Y("item:N", sort=None, title=None, axis=alt.Axis(labelExpr=short_labels([row["item"] for row in rows]))),
        color=alt.Color("even:N", scale=alt.Scale(domain=[False, True], range=[ACCENT, OTHER]), legend=None),
        description="says:N",
        tooltip="says:N",
    )
    dots = base.mark_point(filled=True, size=55, opacity=1).encode(x=_x(alt, ranking, "score"))
    if ranking.uncertainty is None:
        return styled(dots)
    bars = base.mark_rule(strokeWidth=2.5, opacity=0.55).encode(x=_x(alt, ranking, "low"), x2="high:Q")
    return styled(bars + dots)


def _described(row: dict[str, Any], digits: int) -> str:
    """What a dot says to a pointer or a screen reader."""
    said = f"{row['item']}: {row['score']:z.{digits}f}"
    if "low" not in row:
        return said
    rank = span(row["rank_low"], row["rank_high"])
    return f"{said} ({row['low']:z.{digits}f} to {row['high']:z.{digits}f}), rank {rank}, tier {row['tier']}"


def _x(alt: Any, ranking: "Ranking", name: str) -> Any:
    return alt.X(f"{name}:Q", title=f"score ({ranking.scale})", scale=alt.Scale(zero=False))
