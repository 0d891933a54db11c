"""A ranking in the terminal and in files."""

import json
import sys
from enum import StrEnum
from math import isnan
from pathlib import Path

from rich import box
from rich.table import Table

from sidewise.cli.console import out, plain
from sidewise.errors import SidewiseError
from sidewise.ranking import Ranking
from sidewise.ranking.display import cells


class Format(StrEnum):
    """What is printed."""

    table = "table"
    csv = "csv"
    json = "json"


def write_ranking(ranking: Ranking, path: Path) -> None:
    """Write all rows, as the name says: CSV, Parquet or JSON."""
    table = ranking.to_frame()
    match path.suffix:
        case ".csv":
            from pyarrow.csv import write_csv

            write_csv(table, path)
        case ".parquet":
            from pyarrow.parquet import write_table

            write_table(table, path)
        case ".json":
            path.write_text(to_json(ranking), encoding="utf-8")
        case _:
            raise SidewiseError(f"--out {path}: end the name in .csv, .parquet or .json")


def to_json(ranking: Ranking) -> str:
    """The ranking and how it was fitted."""
    fit = ranking.fit
    about = {
        "model": fit.model, "settings": {name: str(value) for name, value in fit.settings.items()},
        "converged": fit.converged, "steps": fit.steps, "log_likelihood": fit.log_likelihood, "digest": fit.digest,
        "comparisons": fit.comparisons, "notes": list(fit.notes), "scale": ranking.scale, "level": ranking.level,
        "effects": [] if ranking.effects is None else ranking.effects.to_pylist(),
    }  # fmt: skip
    rows = [
        {name: None if isinstance(value, float) and isnan(value) else value for name, value in row.items()}
        for row in ranking.to_frame().to_pylist()
    ]
    return json.dumps({"fit": about, "items": rows}, indent=1, ensure_ascii=False)


def print_ranking(ranking: Ranking, form: Format, top: int) -> None:
    """Print the ranking: a table for people, CSV or JSON for programs."""
    if form is Format.json:
        sys.stdout.write(to_json(ranking) + "\n")
    elif form is Format.csv:
        from pyarrow.csv import write_csv

        write_csv(ranking.to_frame(), sys.stdout.buffer)
    else:
        _print_table(ranking, top or len(ranking))


def _print_table(ranking: Ranking, top: int) -> None:
    """A leaderboard with a line between tiers and a small picture of each interval."""
    head, rows = cells(ranking, top)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in head:
        table.add_column(name, justify="left" if name == "item" else "right", overflow="fold", no_wrap=name != "item")
    known = "tier" in head
    pictures = _whiskers(ranking, top) if known and out.width >= 100 else None
    if pictures:
        table.add_column(f"{ranking.level:.0%} interval")
    tier = head.index("tier") if known else None
    for position, row in enumerate(rows):
        last = tier is not None and position + 1 < len(rows) and rows[position + 1][tier] != row[tier]
        table.add_row(*map(plain, row), *([pictures[position]] if pictures else []), end_section=last)
    out.print(table)
    _print_footer(ranking, hidden=len(ranking) - len(rows))


def _print_footer(ranking: Ranking, *, hidden: int) -> None:
    """What a reader of the table must know: what is not shown, how it was made, and what to mind."""
    said = [f"… and {hidden:,} more (--top 0 prints all)\n"] if hidden > 0 else []
    prior = f", prior {ranking.fit.settings['prior']}" if "prior" in ranking.fit.settings else ""
    said.append(f"{ranking.fit.comparisons:,} comparisons; {ranking.fit.model}{prior}; scores: {ranking.scale}")
    said += [
        f"effect of {row['effect']}: {row['estimate']:.3f} ({row['low']:.3f} … {row['high']:.3f})"
        for row in ([] if ranking.effects is None else ranking.effects.to_pylist())
    ]
    said += [f"note: {note}" for note in ranking.fit.notes]
    for line in said:
        out.print(plain(line), highlight=False, soft_wrap=True)


def _whiskers(ranking: Ranking, top: int, width: int = 30) -> list[str]:
    table = ranking.to_frame().slice(0, top).to_pylist()
    lowest, highest = min(row["low"] for row in table), max(row["high"] for row in table)
    unit = (width - 1) / max(highest - lowest, 1e-12)
    drawn = []
    for row in table:
        low, at, high = (round((row[name] - lowest) * unit) for name in ("low", "score", "high"))
        line = " " * low + "─" * (at - low) + "●" + "─" * (high - at)
        drawn.append(f"[cyan]{line}[/]")
    return drawn
