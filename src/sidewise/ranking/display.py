"""A ranking to look at: as text in a terminal, as a table in a notebook."""

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidewise.ranking.result import Ranking

ROWS = 20


def cells(ranking: "Ranking", limit: int) -> tuple[list[str], list[list[str]]]:
    """The head and the first rows of a leaderboard, as strings."""
    table = ranking.to_frame().slice(0, limit)
    digits = 0 if ranking.factor != 1 or ranking.unit == "points" else 3
    known = "low" in table.column_names
    head = ["rank", "item", "score", *(["interval", "ranks", "tier"] if known else []), "comparisons"]
    rows = []
    for row in table.to_pylist():
        cell = [_dash(row["rank"]), row["item"], f"{row['score']:.{digits}f}"]
        if known:
            cell += [f"{row['low']:.{digits}f} … {row['high']:.{digits}f}", span(row["rank_low"], row["rank_high"])]
            cell.append(_dash(row["tier"]))
        rows.append([*cell, f"{row['comparisons']:,.10g}"])
    return head, rows


def span(low: int | None, high: int | None) -> str:
    """An interval of ranks, short where it is one rank."""
    return "–" if low is None else f"{low}" if low == high else f"{low}–{high}"


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
    return "\n".join([*lines, f"scores: {ranking.scale}"])


def html(ranking: "Ranking") -> str:
    """A leaderboard for a notebook."""
    head, rows = cells(ranking, ROWS)

    def line(row: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    more = f"<p>… and {len(ranking) - ROWS:,} more</p>" if len(ranking) > ROWS else ""
    return (
        f"<p>{escape(repr(ranking))}</p><table><thead>{line(head, 'th')}</thead><tbody>{body}</tbody></table>{more}"
        f"<p>Scores: {escape(ranking.scale)}.</p>"
    )


def _dash(value: int | None) -> str:
    return "–" if value is None else str(value)
