"""A ranking to look at: as text in a terminal, as a table in a notebook."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from html import escape
from math import log10
from os.path import commonprefix
from typing import TYPE_CHECKING

import numpy as np

from sidewise.ranking.workers import about

if TYPE_CHECKING:
    from sidewise.ranking.result import Ranking

ROWS = 20
FINEST = 12  # decimals: beyond them are rounding errors


def cells(ranking: "Ranking", limit: int) -> tuple[list[str], list[list[str]]]:
    """The head and the first rows of a leaderboard, as strings."""
    table = ranking.to_frame().slice(0, limit)
    digits = decimals(ranking, least=3)
    known, parts = "low" in table.column_names, "component" in table.column_names
    head = ["rank", "item", "score", *(["interval", "ranks", "tier"] if known else []), "comparisons"]
    rows = []
    for row in table.to_pylist():
        cell = [_dash(row["rank"]), row["item"], f"{row['score']:z.{digits}f}"]
        if known:
            cell += [f"{row['low']:z.{digits}f} … {row['high']:z.{digits}f}", span(row["rank_low"], row["rank_high"])]
            cell.append(_dash(row["tier"]))
        cell.append(f"{row['comparisons']:,.10g}")
        rows.append([*cell, *([str(row["component"])] if parts else [])])
    return [*head, *(["part"] if parts else [])], rows


def decimals(ranking: "Ranking", *, least: int) -> int:
    """How many decimals tell the scores apart: the least for a range of 1 or more, one more for every tenth of it.

    The range is that of all numbers shown. Where an interval is wide, more decimals of its score would say nothing.
    """
    if ranking.factor != 1 or ranking.unit == "points":
        return 0
    table = ranking.to_frame()
    low, high = ("low", "high") if "low" in table.column_names else ("score", "score")
    lows, highs = (table[name].to_numpy() for name in (low, high))
    shown = np.concatenate([lows[np.isfinite(lows)], highs[np.isfinite(highs)]])
    reach, largest = (float(np.ptp(shown)), float(np.abs(shown).max())) if len(shown) else (0.0, 0.0)
    if reach < 1e-9 * largest:  # all alike but for rounding errors: show what they are
        reach = largest
    finer = round(-log10(reach)) if reach > 0 else 0
    return min(FINEST, least + max(0, finer))


def span(low: int | None, high: int | None) -> str:
    """An interval of ranks, short where it is one rank."""
    return "–" if low is None else f"{low}" if low == high else f"{low}–{high}"


def counted(number: float, thing: str) -> str:
    """A number of things, in the right form.

    >>> counted(1, "item"), counted(2000, "item")
    ('1 item', '2,000 items')
    """
    return f"{number:,.10g} {thing}" if number == 1 else f"{number:,.10g} {thing}s"


def shorten(name: str, width: int, *, lead: float = 0.5) -> str:
    """A name on one line of at most ``width`` cells of a terminal; what does not fit is left out of its middle.

    ``lead`` is the share of the room that the beginning has.

    >>> shorten("https://example.org/cakes/0001.jpg", 20)
    'https://e…s/0001.jpg'
    """
    from rich.cells import cell_len

    name = " ".join(name.splitlines())
    if cell_len(name) <= width:
        return name
    head = _filling(name, int((width - 1) * lead))
    tail = _filling(reversed(name), width - 1 - cell_len(head))[::-1]
    return f"{head}…{tail}"


def _filling(characters: Iterable[str], room: int) -> str:
    """The first characters that fill so many cells; those of some scripts take two."""
    from rich.cells import cell_len

    taken = ""
    for character in characters:
        room -= cell_len(character)
        if room < 0:
            break
        taken += character
    return taken


def shorten_all(names: Sequence[str], width: int) -> list[str]:
    """The names of a list, shortened so that they can still be told apart, where one of a few ways to do it can.

    Names of a collection often begin alike (addresses) or end alike (kinds of files): then the other end has the room.

    >>> shorten_all(["https://example.org/1-large.jpg", "https://example.org/2-large.jpg"], 16)
    ['htt…/1-large.jpg', 'htt…/2-large.jpg']
    """
    alike = len(commonprefix([name for name in names if len(name) > width]))  # noqa: RUF071 - names, not paths
    ways: list[Callable[[str], str]] = [partial(shorten, width=width, lead=lead) for lead in (0.5, 0.25, 0.75, 0, 1)]
    ways.append(lambda name: name if len(name) <= width else f"…{shorten(name[alike:], width - 1, lead=1)}")
    best: list[str] = []
    for way in ways:
        short = [way(name) for name in names]
        if len(set(short)) > len(set(best)):
            best = short
        if len(set(best)) == len(set(names)):
            break
    return best


def text(ranking: "Ranking") -> str:
    """A leaderboard for a terminal."""
    head, rows = cells(ranking, ROWS)
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    left = head.index("item")
    lines = [
        "  ".join(cell.ljust(width) if column == left else cell.rjust(width)
                  for column, (cell, width) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in [head, *rows]
    ]  # fmt: skip
    if len(ranking) > ROWS:
        lines.append(f"… and {len(ranking) - ROWS:,} more")
    lines.append(f"scores: {ranking.scale}")
    if ranking.workers is not None:
        lines.append(f"{about(ranking.workers, alike=ranking.alike)} (see .workers)")
    return "\n".join(lines)


def html(ranking: "Ranking") -> str:
    """A leaderboard for a notebook."""
    head, rows = cells(ranking, ROWS)

    def line(row: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    more = f"<p>… and {len(ranking) - ROWS:,} more</p>" if len(ranking) > ROWS else ""
    crowd = ""
    if ranking.workers is not None:
        crowd = f" {escape(about(ranking.workers, alike=ranking.alike))} (see <code>.workers</code>)."
    return (
        f"<p>{escape(repr(ranking))}</p><table><thead>{line(head, 'th')}</thead><tbody>{body}</tbody></table>{more}"
        f"<p>Scores: {escape(ranking.scale)}.{crowd}</p>"
    )


def _dash(value: int | None) -> str:
    return "–" if value is None else str(value)
