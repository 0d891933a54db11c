"""Pictures of the study of preference judgments: a line for every method, a dot for every model."""

from collections.abc import Mapping, Sequence
from typing import Any

from sidewise.extras import need
from sidewise.ranking.plot import ACCENT, INK, OTHER, styled
from sidewise.studies.pj_published import BINARY_SVM, METHODS, RANDOM, RANK_SVM

COLOURS = {RANK_SVM: ACCENT, BINARY_SVM: OTHER, RANDOM: "#5f6b76"}
WIDTH, HEIGHT = 460, 300
Drawn = Sequence[Mapping[str, Any]]


def method_lines(rows: Drawn, *, x: str, titles: tuple[str, str], across: tuple[float, float]) -> Any:
    """The ``value`` by ``x``, a line a method, a band from ``low`` to ``high``, and the names where there is room."""
    alt = need("altair", extra="plot")
    scale = alt.Scale(zero=False)
    colour = alt.Color(
        "method:N", scale=alt.Scale(domain=list(METHODS), range=list(COLOURS.values())), legend=None
    )  # fmt: skip
    base = alt.Chart(alt.Data(values=[dict(row) for row in rows]), width=WIDTH, height=HEIGHT).encode(
        x=alt.X(f"{x}:Q", title=titles[0], scale=alt.Scale(domain=list(across), nice=False)), color=colour
    )
    value = alt.Y("value:Q", title=titles[1], scale=scale)
    first = [row["value"] for row in rows if row["method"] == RANK_SVM]
    top = 16 if first[-1] > first[0] else HEIGHT - 20 * len(METHODS)  # above lines that rise, below those that fall
    return styled(
        alt.layer(
            base.mark_area(opacity=0.15, clip=True).encode(y=alt.Y("low:Q", title=titles[1], scale=scale), y2="high:Q"),
            base.mark_line(strokeWidth=2, clip=True).encode(y=value, tooltip=["method:N", f"{x}:Q", "value:Q"]),
            base.mark_point(filled=True, size=25, opacity=1, clip=True).encode(y=value),
            *(
                alt.Chart(alt.Data(values=[{"method": method}]))
                .mark_text(align="left", fontSize=13)
                .encode(x=alt.value(14), y=alt.value(top + 20 * place), text="method:N", color=colour)
                for place, method in enumerate(METHODS)
            ),
        )
    )


def model_dots(rows: Drawn, *, panels: Mapping[str, str]) -> Any:
    """A dot with its interval for every model, a panel for every figure that ``panels`` has a title for."""
    alt = need("altair", extra="plot")
    models = list(dict.fromkeys(row["model"] for row in rows))
    drawn = []
    for place, (figure, title) in enumerate(panels.items()):
        here = [dict(row) for row in rows if row["figure"] == figure]
        axis = alt.Axis(labelLimit=300) if place == 0 else None
        base = alt.Chart(alt.Data(values=here), height=alt.Step(20), width=WIDTH // 2).encode(
            y=alt.Y("model:N", sort=models, title=None, axis=axis)
        )
        bars = base.mark_rule(strokeWidth=2, opacity=0.5, color=ACCENT).encode(
            x=alt.X("low:Q", title=title, scale=alt.Scale(zero=False)), x2="high:Q"
        )
        points = base.mark_point(filled=True, size=60, opacity=1, color=ACCENT).encode(
            x=alt.X("value:Q", title=title, scale=alt.Scale(zero=False)), tooltip=["model:N", "value:Q"]
        )
        drawn.append(bars + points)
    return styled(alt.concat(*drawn, columns=len(drawn), spacing=20)).configure_title(color=INK)
