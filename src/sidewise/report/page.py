"""The report: one HTML file that needs no network, with a caption that says how to read each part."""

from importlib.resources import files
from pathlib import Path
from typing import Any

from sidewise import __version__
from sidewise.comparisons import Comparisons, PairCounts
from sidewise.comparisons.summary import Summary, summarise
from sidewise.extras import need
from sidewise.ranking import Ranking
from sidewise.ranking.display import counted, decimals, shorten_all, span
from sidewise.ranking.plot import LABEL
from sidewise.report.crowd import bias_column, crowd_facts, findings, number
from sidewise.report.health import opponents, repeats, side_bias
from sidewise.report.plots import MOST_ITEMS, histogram, side_picture, svg, win_map
from sidewise.report.worker_plot import MOST_DOTS, MOST_WITH_INTERVALS, worker_picture

MOST_ROWS = 500  # in the page's leaderboard; files hold them all
MOST_INTERVALS = 60  # in the forest plot
MOST_OPEN_ROWS = 60  # a longer leaderboard scrolls in a box of its own
SEARCHED_ROWS = 20  # a longer table has a field to search it
EXTRAS = ("jinja2", "altair", "vl_convert")


def write_report(
    path: str | Path, ranking: Ranking, comparisons: Comparisons | PairCounts, *, title: str = "Ranking"
) -> None:
    """Write the report of a ranking and the comparisons it came from (extra ``plot``)."""
    Path(path).write_text(render(ranking, comparisons, title=title), encoding="utf-8")


def check_extras() -> None:
    """Say at once, before any work is done for a report, that the libraries which draw it are missing."""
    for module in EXTRAS:
        need(module, extra="plot")


def render(ranking: Ranking, comparisons: Comparisons | PairCounts, *, title: str) -> str:
    """The report as text."""
    jinja2 = need("jinja2", extra="plot")
    home = files("sidewise.report")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.filters["span"] = lambda row: span(row["rank_low"], row["rank_high"])
    environment.filters["counted"] = counted
    environment.filters["in_words"] = in_words
    environment.filters["two"] = number
    environment.filters["bias_column"] = bias_column
    template = environment.from_string(home.joinpath("template.html").read_text(encoding="utf-8"))
    safe = jinja2.utils.markupsafe.Markup
    parts = {name: safe(home.joinpath(name).read_text(encoding="utf-8")) for name in ("style.css", "page.js")}
    pictures = {name: safe(picture) for name, picture in _pictures(ranking, comparisons).items()}
    return str(template.render(
        title=title, style=parts["style.css"], script=parts["page.js"], pictures=pictures, version=__version__,
        **_facts(ranking, comparisons),
    ))  # fmt: skip


def _facts(ranking: Ranking, comparisons: Comparisons | PairCounts) -> dict[str, Any]:
    table = ranking.to_frame()
    digits = decimals(ranking, least=2)
    bias = side_bias(comparisons, ranking.level)
    effects = [] if ranking.effects is None else ranking.effects.to_pylist()
    return {
        "ranking": ranking,
        "fit": ranking.fit,
        "rows": _rows(table),
        "number": lambda value: f"{value:z.{digits}f}",
        "hidden": max(0, len(ranking) - MOST_ROWS),
        "known": ranking.uncertainty is not None,
        "parts": "component" in table.column_names,
        "summary": _summary(comparisons),
        "bias": bias,
        "verdict": "" if bias is None else bias.verdict(effects, by_worker=_knows_sides(ranking)),
        "crowd": crowd_facts(ranking),
        "findings": findings(ranking),
        "whiskers": MOST_WITH_INTERVALS,
        "dots": MOST_DOTS,
        "searched": SEARCHED_ROWS,
        "effects": effects,
        "prior": in_words(ranking.fit.settings.get("prior")) != "none",
        "tall": min(len(ranking), MOST_ROWS) > MOST_OPEN_ROWS,
        "drawn": min(len(ranking), MOST_INTERVALS),
        "mapped": min(len(ranking), MOST_ITEMS),
        "level": f"{ranking.level:.0%}",
    }


def _knows_sides(ranking: Ranking) -> bool:
    """Whether the scores are free of what draws each worker to a side."""
    return ranking.workers is not None and not ranking.alike and "side_bias" in ranking.workers.column_names


def _rows(table: Any) -> list[dict[str, Any]]:
    """The rows of the leaderboard, each with a short name for narrow screens."""
    rows: list[dict[str, Any]] = table.slice(0, MOST_ROWS).to_pylist()
    short = shorten_all([row["item"] for row in rows], LABEL)
    return [row | {"short": name} for row, name in zip(rows, short, strict=True)]


def in_words(value: Any) -> str:
    """A setting as a reader would write it, not as Python does."""
    match value:
        case list() | tuple():
            return ", ".join(map(in_words, value)) or "none"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case _:
            return "none" if str(value) == "None" else str(value)


def _summary(comparisons: Comparisons | PairCounts) -> Summary:
    if isinstance(comparisons, Comparisons):
        return comparisons.summary()
    return summarise(comparisons, workers=0, ties=round(float(comparisons.ties.sum())))


def _pictures(ranking: Ranking, comparisons: Comparisons | PairCounts) -> dict[str, str]:
    counts = comparisons if isinstance(comparisons, PairCounts) else comparisons.counts()
    charts = {
        "forest": ranking.plot(limit=MOST_INTERVALS),
        "opponents": histogram(opponents(counts), "different opponents of an item"),
        "repeats": histogram(repeats(counts), "comparisons of a pair"),
    }
    if ranking.link is not None and ranking.comparable:
        charts["map"] = win_map(ranking)
    bias = side_bias(comparisons, ranking.level)
    if ranking.workers is not None and len(ranking.workers):
        charts["workers"] = worker_picture(ranking)
    if bias is not None:
        charts["side"] = side_picture(bias)
    return {name: svg(chart) for name, chart in charts.items()}
