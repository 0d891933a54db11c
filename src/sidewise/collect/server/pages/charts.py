"""Pictures of the dashboard, as SVG without scripts or styles of their own; beside each stands its table."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

WIDTH = 400  # of a drawing, in units that are pixels on a phone and little more elsewhere
NAMES = 110  # of it, for the names of items
ROW = 22


def bars(values: Sequence[tuple[str, int]], title: str, height: int = 150) -> str:
    """Counts side by side, such as answers by hour."""
    if not values:
        return ""
    most = max(count for _, count in values) or 1
    step = WIDTH / len(values)
    parts = [
        f'<rect x="{place * step + step * 0.08:.1f}" y="{height - 20 - (height - 40) * count / most:.1f}" '
        f'width="{step * 0.84:.1f}" height="{(height - 40) * count / most:.1f}" class="bar">'
        f"<title>{escape(label)}: {count:,}</title></rect>"
        for place, (label, count) in enumerate(values)
    ]
    parts += [
        f'<line x1="0" x2="{WIDTH}" y1="{height - 20}" y2="{height - 20}" class="axis"/>',
        f'<text x="0" y="{height - 4}">{escape(values[0][0])}</text>',
        f'<text x="{WIDTH}" y="{height - 4}" text-anchor="end">{escape(values[-1][0])}</text>',
        f'<text x="0" y="12">{most:,}</text>',
    ]
    return _drawing("".join(parts), title, height)


def intervals(rows: Sequence[Mapping[str, Any]], title: str) -> str:
    """Scores with their intervals, one line an item, tiers told apart by shade."""
    if not rows:
        return ""
    low, high = min(row["low"] for row in rows), max(row["high"] for row in rows)
    span = (high - low) or 1.0

    def across(value: float) -> float:
        return NAMES + 10 + (WIDTH - NAMES - 20) * float(value - low) / span

    parts = []
    for place, row in enumerate(rows):
        y = ROW * place + 15
        shade = "tier even" if int(row.get("tier") or 0) % 2 == 0 else "tier"
        parts.append(
            f'<text x="{NAMES}" y="{y + 4}" text-anchor="end">{escape(_short(str(row["item"])))}</text>'
            f'<line x1="{across(row["low"]):.1f}" x2="{across(row["high"]):.1f}" y1="{y}" y2="{y}" class="{shade}"/>'
            f'<circle cx="{across(row["score"]):.1f}" cy="{y}" r="4.5" class="{shade}">'
            f"<title>{escape(str(row['item']))}: {row['score']:.2f} ({row['low']:.2f} to {row['high']:.2f})</title>"
            "</circle>"
        )
    return _drawing("".join(parts), title, ROW * len(rows) + 8)


def matrix(names: Sequence[str], counts: Mapping[tuple[int, int], int], title: str) -> str:
    """How often each pair was asked, the best items first; rows and columns are called by their ranks."""
    if not names:
        return ""
    cell = min(32.0, (WIDTH - 24) / len(names))
    most = max(counts.values(), default=1) or 1
    parts = []
    for row, name in enumerate(names):
        middle = 22 + (row + 0.5) * cell
        parts.append(
            f'<text x="16" y="{middle + 3:.1f}" text-anchor="end" class="small">{row + 1}</text>'
            f'<text x="{middle:.1f}" y="14" text-anchor="middle" class="small">{row + 1}</text>'
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


def _short(name: str, most: int = 16) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
