"""Pictures of the dashboard, as SVG without scripts or styles of their own; beside each stands its table."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

WIDTH = 400  # of a drawing, in units that are pixels on a phone and little more elsewhere
GUTTER = 44  # of it, for the numbers of an axis


def bars(values: Sequence[tuple[str, int]], title: str, height: int = 190) -> str:
    """Counts side by side, such as answers by hour, over lines at round numbers."""
    if not values:
        return ""
    top, floor, ceiling = _round_up(max(count for _, count in values)), height - 22, 12
    step = (WIDTH - GUTTER) / len(values)
    parts = []
    for share in (0.0, 0.5, 1.0):
        y = floor - share * (floor - ceiling)
        parts.append(f'<line x1="{GUTTER}" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" class="axis"/>')
        parts.append(f'<text x="{GUTTER - 6}" y="{y + 4:.1f}" text-anchor="end">{top * share:,.0f}</text>')
    for place, (label, count) in enumerate(values):
        tall = (floor - ceiling) * count / top
        parts.append(
            f'<rect x="{GUTTER + place * step + step * 0.1:.1f}" y="{floor - tall:.1f}" width="{step * 0.8:.1f}" '
            f'height="{tall:.1f}" class="bar"><title>{escape(label)}: {count:,}</title></rect>'
        )
    parts.append(f'<text x="{GUTTER}" y="{height - 4}">{escape(values[0][0])}</text>')
    if len(values) > 1:
        parts.append(f'<text x="{WIDTH}" y="{height - 4}" text-anchor="end">{escape(values[-1][0])}</text>')
    return _drawing("".join(parts), title, height)


def _round_up(count: int) -> int:
    """The next number that reads well, and whose half does: 2, 4, 6, 8, 10, 20, 40 and so on."""
    size = 1
    while True:
        for step in (2, 4, 6, 8, 10):
            if count <= step * size:
                return step * size
        size *= 10


def interval_axis(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """From where to where the intervals of a table reach, with a little room at both ends."""
    low, high = min(row["low"] for row in rows), max(row["high"] for row in rows)
    room = 0.04 * ((high - low) or 1.0)
    return low - room, high + room


def interval(row: Mapping[str, Any], axis: tuple[float, float]) -> str:
    """A score with its interval, as high as a line of the table whose next cell says it in numbers; 0 is marked.

    Places are in per cent, so that the picture is as wide as the table has room and its dots stay round.
    """
    low, high = axis
    places = (100 * (value - low) / (high - low) for value in (row["low"], row["score"], row["high"], 0.0))
    start, at, end, zero = (f"{place:.2f}%" for place in places)
    shade = "tier even" if int(row.get("tier") or 0) % 2 == 0 else "tier"
    middle = f'<line x1="{zero}" x2="{zero}" y1="0" y2="100%" class="axis"/>' if low < 0 < high else ""
    return (
        f'<svg class="strip" aria-hidden="true">{middle}'
        f'<line x1="{start}" x2="{end}" y1="50%" y2="50%" class="{shade}"/>'
        f'<circle cx="{at}" cy="50%" r="4.5" class="{shade}"/></svg>'
    )


def matrix(names: Sequence[str], counts: Mapping[tuple[int, int], int], title: str) -> str:
    """How often each pair was asked, the best items first; rows and columns are called by their ranks."""
    if not names:
        return ""
    cell = min(32.0, (WIDTH - 24) / len(names))
    most = max(counts.values(), default=1) or 1
    parts = []
    for row, name in enumerate(names):
        middle = 22 + (row + 0.5) * cell
        if len(names) <= 12 or row == 0 or (row + 1) % 5 == 0:
            parts.append(
                f'<text x="17" y="{middle + 4:.1f}" text-anchor="end">{row + 1}</text>'
                f'<text x="{middle:.1f}" y="15" text-anchor="middle">{row + 1}</text>'
            )
        for column, other in enumerate(names):
            count = counts.get((min(row, column), max(row, column)), 0)
            if row != column:
                parts.append(
                    f'<rect x="{22 + column * cell:.1f}" y="{22 + row * cell:.1f}" width="{cell - 1:.1f}" '
                    f'height="{cell - 1:.1f}" class="cell" fill-opacity="{0.06 + 0.94 * count / most:.2f}">'
                    f"<title>{escape(name)} and {escape(other)}: {count}</title></rect>"
                )
    return _drawing("".join(parts), title, round(26 + len(names) * cell))


def _drawing(inside: str, title: str, height: int) -> str:
    return f'<svg class="chart" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">{inside}</svg>'
