"""Pictures of the study of Toloka VQA: maps, curves, dots, and boxes seen near."""

from collections.abc import Mapping, Sequence
from typing import Any

from sidewise.extras import need
from sidewise.ranking.plot import ACCENT, FAINT, INK, LINE, OTHER, styled

Drawn = Sequence[Mapping[str, Any]]
LETTERS = 13
GREY = "#6b7783"
COLOURS = {
    "test_private": ACCENT, "test_public": "#3b5bdb", "train_sample": OTHER, "train": "#a43e8c",
    "simulated crowd": GREY, "nearest to the truth": OTHER, "joined: weighted": ACCENT, "joined: median": "#5fb0b0",
    "one answer": GREY,
}  # fmt: skip
SHADES = ["#f4f7f7", "#8fc4c4", ACCENT, "#03302f"]
CELL = 10
WINDOW = 150  # of an example


def maps(rows: Drawn, splits: Sequence[str]) -> Any:
    """A square for every place of the image, a panel a split."""
    alt = need("altair", extra="plot")
    cells = 1 + max(row["x"] for row in rows)
    x, y = (
        channel(f"{name}:Q", title=None, axis=None, scale=alt.Scale(domain=domain, nice=False))
        for channel, name, domain in ((alt.X, "x", [0, cells]), (alt.Y, "y", [cells, 0]))
    )
    scale = alt.Scale(domain=[0, max(row["share"] for row in rows)], range=SHADES)
    legend = alt.Legend(orient="bottom", format=".0%", gradientLength=300, titleLimit=400)
    colour = alt.Color("share:Q", title="share of boxes that cover a place", scale=scale, legend=legend)
    drawn = []
    for split in splits:
        # Squares reach under those after them, or light shows between.
        here = [{"x2": row["x"] + 1.1, "y2": row["y"] + 1.1, **row} for row in rows if row["split"] == split]
        chart = alt.Chart(alt.Data(values=here), width=CELL * cells, height=CELL * cells)
        chart = chart.mark_rect(aria=False, clip=True).encode(x=x, x2="x2:Q", y=y, y2="y2:Q", color=colour)
        drawn.append(chart.properties(title=alt.TitleParams(split, anchor="start")))
    return _titled(alt.concat(*drawn, columns=3, spacing=18))


def above(rows: Drawn, teams: Mapping[str, Sequence[float]]) -> Any:
    """The share of boxes above every threshold, a line a split, and others' shares as dots."""
    alt = need("altair", extra="plot")
    ticks = alt.Axis(values=[tenth / 10 for tenth in range(11)], labelExpr="round(100 * datum.value)")
    x = alt.X("threshold:Q", title="IoU", scale=alt.Scale(domain=[0, 1]), axis=ticks)
    y = alt.Y("value:Q", title="share of boxes above it", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"))
    splits = list(dict.fromkeys(row["split"] for row in rows))
    lines = alt.Chart(alt.Data(values=[dict(row) for row in rows])).mark_line(strokeWidth=2)
    others: list[dict[str, Any]] = [{"threshold": at, "value": value, "team": team}
              for team, some in teams.items() for at, value in zip((0.5, 0.7), some, strict=True)]  # fmt: skip
    dots = alt.Chart(alt.Data(values=others)).mark_point(filled=True, size=45, color=INK, opacity=0.7)
    lowest = min(others, key=lambda row: row["value"])
    name = alt.Chart(alt.Data(values=[lowest | {"says": "the three best systems"}]))
    name = name.mark_text(align="center", dy=18, fontSize=LETTERS - 1, color=INK)
    return _titled(
        alt.layer(
            lines.encode(x=x, y=y, color=_colour(alt, "split", splits)),
            dots.encode(x=x, y=y, tooltip=["team:N", "value:Q"]),
            name.encode(x=x, y=y, text="says:N"),
        ).properties(width=460, height=300)
    )


def by_answers(rows: Drawn, ways: Sequence[str]) -> Any:
    """AIoU by the number of answers, a line a way."""
    alt = need("altair", extra="plot")
    counts = sorted({row["answers"] for row in rows})
    across = alt.Scale(domain=[counts[0], counts[-1]])
    base = alt.Chart(alt.Data(values=[dict(row) for row in rows]), width=430, height=300).encode(
        x=alt.X("answers:Q", title="answers on an image", axis=alt.Axis(values=counts), scale=across),
        y=alt.Y("aiou:Q", title="AIoU × 100", scale=alt.Scale(zero=False)),
        color=_colour(alt, "way", ways),
    )
    return _titled(base.mark_line(strokeWidth=2) + base.mark_point(filled=True, size=45, opacity=1))


def by_size(rows: Drawn, boxes: Sequence[str]) -> Any:
    """AIoU and pixels by the size of the object."""
    alt = need("altair", extra="plot")
    values = [dict(row) | {"side": side_of(row)} for row in rows]
    starts = sorted({row["side_from"]: side_of(row) for row in rows}.items())
    x = alt.X("side:N", sort=[side for _, side in starts], title="side of the object, px",
              axis=alt.Axis(labelAngle=0), scale=alt.Scale(type="point", padding=0.4))  # fmt: skip
    base = alt.Chart(alt.Data(values=values), width=390, height=280).encode(x=x, color=_colour(alt, "boxes", boxes))
    offset = alt.XOffset("boxes:N", sort=list(boxes), scale=alt.Scale(range=[-7, 7]))
    title, scale = "AIoU × 100", alt.Scale(zero=False)
    near = alt.layer(
        base.mark_rule(strokeWidth=2, opacity=0.5).encode(
            y=alt.Y("low:Q", title=title, scale=scale), y2="high:Q", xOffset=offset
        ),
        base.mark_point(filled=True, size=40, opacity=1).encode(
            y=alt.Y("aiou:Q", title=title, scale=scale), xOffset=offset
        ),
    )
    slips = base.encode(y=alt.Y("slip:Q", title="edges off by, px (median)", scale=alt.Scale(zero=True)))
    off = slips.mark_line(strokeWidth=2) + slips.mark_point(filled=True, size=40, opacity=1)
    return _titled(alt.concat(near, off, columns=1, spacing=24))


def side_of(row: Mapping[str, Any]) -> str:
    """The sides that a row is about."""
    return f"{row['side_from']}+" if row["side_to"] is None else f"{row['side_from']}–{row['side_to']}"


def kinds(rows: Drawn, boxes: Sequence[str], paper: Mapping[str, float]) -> Any:
    """A dot with its interval for every kind of error, a colour a split; the paper's as upright lines."""
    alt = need("altair", extra="plot")
    y = alt.Y("kind:N", sort=list(paper), title=None, axis=alt.Axis(ticks=False, domain=False, grid=False),
              scale=alt.Scale(type="point", padding=0.5))  # fmt: skip
    offset = alt.YOffset("boxes:N", sort=list(boxes), scale=alt.Scale(range=[-14, 14]))
    title, axis, scale = "share of the errors", alt.Axis(format="%"), alt.Scale(domain=[0, 0.6], clamp=True)
    base = alt.Chart(alt.Data(values=[dict(row) for row in rows]), width=430, height=260)
    base = base.encode(y=y, color=_colour(alt, "boxes", boxes))
    printed = [{"kind": kind, "share": share} for kind, share in paper.items()]
    low, share = (alt.X(f"{name}:Q", title=title, axis=axis, scale=scale) for name in ("low", "share"))
    return _titled(
        alt.layer(
            alt.Chart(alt.Data(values=printed)).mark_tick(thickness=2, size=46, color=INK).encode(x=share, y=y),
            base.mark_rule(strokeWidth=2, opacity=0.5).encode(x=low, x2="high:Q", yOffset=offset),
            base.mark_point(filled=True, size=50, opacity=1).encode(x=share, yOffset=offset),
        )
    )


def examples(rows: Drawn, kinds: Sequence[str]) -> Any:
    """Both boxes of images, seen near, a line a kind."""
    alt = need("altair", extra="plot")
    lines = [
        alt.hconcat(*(_near(alt, row) for row in rows if row["kind"] == kind), spacing=14,
                    title=alt.TitleParams(kind, anchor="start"))
        for kind in kinds
    ]  # fmt: skip
    return _titled(alt.vconcat(*lines, spacing=14))


LOOKS: Mapping[str, Mapping[str, Any]] = {
    "frame": {"fill": FAINT, "stroke": LINE},
    "true": {"fill": ACCENT, "fillOpacity": 0.45},
    "drawn": {"fill": None, "stroke": OTHER, "strokeWidth": 2},
}


def _near(alt: Any, row: Mapping[str, Any]) -> Any:
    """A square cut out of an image around both boxes; where the image ends, so does its ground."""
    parts = [
        {"part": part, **{side: row[f"{part}_{side}"] for side in ("left", "top", "right", "bottom")}}
        for part in ("true", "drawn")
    ]
    left, top = (min(part[side] for part in parts) for side in ("left", "top"))
    right, bottom = (max(part[side] for part in parts) for side in ("right", "bottom"))
    half = 0.8 * max(right - left, bottom - top)
    x0, y0 = (left + right) / 2 - half, (top + bottom) / 2 - half
    parts.insert(0, {"part": "frame", "left": 0, "top": 0, "right": row["width"], "bottom": row["height"]})
    x = alt.X("left:Q", axis=None, scale=alt.Scale(domain=[x0, x0 + 2 * half], nice=False, zero=False))
    y = alt.Y("top:Q", axis=None, scale=alt.Scale(domain=[y0 + 2 * half, y0], nice=False, zero=False))
    said = alt.TitleParams(f"{2 * half:.0f} px, IoU {100 * row['iou']:.1f}", anchor="start", orient="bottom",
                           fontSize=LETTERS - 1, color=GREY)  # fmt: skip
    base = alt.Chart(alt.Data(values=parts), width=WINDOW, height=WINDOW, title=said)
    base = base.encode(x=x, x2="right:Q", y=y, y2="bottom:Q")
    return alt.layer(
        *(base.mark_rect(clip=True, **look).transform_filter(f"datum.part == '{part}'") for part, look in LOOKS.items())
    )


def _colour(alt: Any, name: str, values: Sequence[str]) -> Any:
    colours = [COLOURS.get(value, GREY) for value in values]
    scale = alt.Scale(domain=list(values), range=colours)
    return alt.Color(f"{name}:N", title=None, sort=None, scale=scale, legend=alt.Legend(symbolOpacity=1))


def _titled(chart: Any) -> Any:
    return (
        styled(chart)
        .configure_title(fontSize=LETTERS + 1, color=INK, fontWeight="normal")
        .configure_legend(labelFontSize=LETTERS, titleFontSize=LETTERS, titleFontWeight="normal", labelLimit=300)
    )
