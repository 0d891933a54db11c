"""Pictures of the study of IMDB-WIKI-SbS: groups beside chance, how many answers are right, who is asked about whom."""

from collections.abc import Mapping, Sequence
from typing import Any

from sidewise.extras import need
from sidewise.ranking.plot import ACCENT, INK, OTHER, styled
from sidewise.studies.imdb_wiki_sbs_words import ANYONE, WITHIN
from sidewise.studies.lines import GREY

Drawn = Sequence[Mapping[str, Any]]
SIDE = 270
COLOURS = {WITHIN: OTHER, ANYONE: ACCENT}


def beside_chance(rows: Drawn, panels: Mapping[str, str], kinds: Mapping[str, str]) -> Any:
    """By group, a dot for every kind of ranking; in grey what nineteen in twenty random orders reach."""
    alt = need("altair", extra="plot")
    drawn, where = [], alt.Legend(orient="bottom", labelLimit=400, symbolOpacity=1)
    for place, (measure, title) in enumerate(panels.items()):
        here = [dict(row) for row in rows if row["measure"] == measure]
        axis = alt.Axis(titlePadding=8) if place == 0 else alt.Axis(labels=False, ticks=False, domain=False)
        base = alt.Chart(alt.Data(values=here), width=190, height=alt.Step(30)).encode(
            y=alt.Y("group:N", sort=None, title="age on record" if place == 0 else None, axis=axis)
        )
        scale = alt.Scale(zero=False, nice=False, padding=12)
        colour = alt.Color("kind:N", title=None, sort=None,
                           scale=alt.Scale(domain=[*kinds.values(), "random"], range=[OTHER, ACCENT, GREY]),
                           legend=where if place == 0 else None)  # fmt: skip
        chance = base.transform_filter("datum.kind == 'random'")
        found = base.transform_filter("datum.kind != 'random'")
        drawn.append(alt.layer(
            chance.mark_bar(height=14, opacity=0.3).encode(
                x=alt.X("low:Q", title=title, scale=scale, axis=alt.Axis(tickCount=4)), x2="high:Q", color=colour
            ),
            chance.mark_tick(thickness=2, height=14).encode(x="value:Q", color=colour),
            found.mark_point(filled=True, size=75, opacity=1).encode(
                x="value:Q", color=colour, tooltip=["kind:N", "value:Q"]
            ),
        ))  # fmt: skip
    return styled(alt.concat(*drawn, columns=len(drawn), spacing=18))


def right_answers(rows: Drawn) -> Any:
    """The share of right answers by years apart, a line a data set."""
    alt = need("altair", extra="plot")
    names = list(dict.fromkeys(row["data"] for row in rows))
    values = [dict(row) | {"years": (row["from"] + row["to"]) / 2} for row in rows]
    colour = alt.Color("data:N", title=None, sort=None, legend=alt.Legend(orient="top-left"),
                       scale=alt.Scale(domain=names, range=[ACCENT, GREY][: len(names)]))  # fmt: skip
    base = alt.Chart(alt.Data(values=values), width=460, height=SIDE).encode(
        x=alt.X("years:Q", title="years between the two", scale=alt.Scale(domain=[0, 46], nice=False)), color=colour
    )
    value = alt.Y("right:Q", title="share of right answers", scale=alt.Scale(domain=[0.45, 0.95], nice=False))
    coin = alt.Chart(alt.Data(values=[{"right": 0.5}])).mark_rule(strokeDash=[2, 3], color=INK).encode(y=value)
    return styled(alt.layer(
        coin, base.mark_line(strokeWidth=2).encode(y=value),
        base.mark_point(filled=True, size=45, opacity=1).encode(y=value, tooltip=["data:N", "from:Q", "right:Q"]),
    ))  # fmt: skip


def asked_otherwise(simulated: Drawn, real: Drawn, ceiling: float) -> Any:
    """Accuracy by comparisons for each photo: lines are simulated, diamonds are the data at hand."""
    alt = need("altair", extra="plot")
    where = alt.Legend(orient="none", legendX=330, legendY=160, symbolOpacity=1)
    shades = alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))
    colour = alt.Color("whom:N", title="asked", sort=None, legend=where, scale=shades)
    x = alt.X("comparisons_per_item:Q", title="comparisons that a photo is in",
              scale=alt.Scale(type="log", domain=[0.9, 72], nice=False),
              axis=alt.Axis(values=[1, 2, 4, 8, 16, 32, 64]))  # fmt: skip
    across = alt.Scale(domain=[0.49, 0.605], nice=False)
    low, y, height = (alt.Y(f"{name}:Q", title="accuracy within eleven years", scale=across)
                      for name in ("low", "accuracy", "at"))  # fmt: skip
    lines = alt.Chart(alt.Data(values=[_banded(row) for row in simulated]), width=460, height=SIDE).encode(
        x=x, color=colour
    )
    dots = alt.Chart(alt.Data(values=[dict(row) for row in real])).encode(x=x, y=y, color=colour)
    rules = [{"at": 0.5, "says": "a coin"}, {"at": ceiling, "says": "simulated, all that people see"}]
    marked = alt.Chart(alt.Data(values=rules))
    return styled(alt.layer(
        marked.mark_rule(strokeDash=[2, 3], color=INK).encode(y=height),
        marked.mark_text(align="left", dy=-7, dx=6, fontSize=11, color=INK).encode(
            y=height, x=alt.value(0), text="says:N"
        ),
        lines.mark_area(opacity=0.12).encode(y=low, y2="high:Q"),
        lines.mark_line(strokeWidth=2).encode(y=y),
        lines.mark_point(filled=True, size=28, opacity=1).encode(y=y),
        dots.mark_point(filled=True, size=130, opacity=1, shape="diamond", stroke="white", strokeWidth=1),
    ))  # fmt: skip


def _banded(row: Mapping[str, Any]) -> dict[str, Any]:
    """A standard error each way."""
    error = (row["accuracy_sd"] or 0) / row["rankings"] ** 0.5
    return dict(row) | {"low": row["accuracy"] - error, "high": row["accuracy"] + error}
