"""A ranking in the terminal and in files."""

import sys
from collections.abc import Sequence
from enum import StrEnum
from math import isnan
from pathlib import Path

import pyarrow as pa
from rich import box
from rich.cells import cell_len
from rich.table import Table

from sidewise.cli.console import out, plain
from sidewise.cli.places import json_text
from sidewise.comparisons.writing import write_table
from sidewise.ranking import Ranking
from sidewise.ranking.display import cells, counted, shorten_all
from sidewise.ranking.workers import about, bias_names, worker_cells, worst_first

PICTURE, PICTURE_CELLS, PICTURE_FROM = "picture", 30, 100  # the interval picture, its width, the least terminal for it
LEAST_NAME, FAIR_NAME = 12, 24  # cells of an item's name: the fewest, and those that a picture has to leave
LEFT_OUT_FIRST = (PICTURE, "comparisons", "ranks", "interval", "tier", "part")  # where there is no room for all


class Format(StrEnum):
    """What is printed."""

    table = "table"
    csv = "csv"
    json = "json"


def write_ranking(ranking: Ranking, path: Path) -> None:
    """Write all rows, as the name says: CSV, Parquet, or JSON with all that is known."""
    if path.suffix == ".json":
        path.write_text(to_json(ranking), encoding="utf-8")
    else:
        write_table(ranking.to_frame(), path)


def to_json(ranking: Ranking) -> str:
    """The ranking, its workers, and how it was fitted."""
    fit = ranking.fit
    made = {
        "model": fit.model, "settings": fit.settings, "converged": fit.converged, "steps": fit.steps,
        "log_likelihood": fit.log_likelihood, "seed": fit.seed, "digest": fit.digest, "comparisons": fit.comparisons,
        "notes": fit.notes, "scale": ranking.scale, "level": ranking.level,
        "effects": [] if ranking.effects is None else ranking.effects.to_pylist(), "findings": fit.findings,
    }  # fmt: skip
    workers = None if ranking.workers is None else worst_first(ranking.workers)
    return json_text({"fit": made, "items": ranking.to_frame(), "workers": workers})


def print_ranking(ranking: Ranking, form: Format, top: int, *, workers: bool) -> None:
    """Print the ranking: a table for people, CSV or JSON for programs; CSV has room for items or for workers."""
    if form is Format.json:
        sys.stdout.write(to_json(ranking) + "\n")
    elif form is Format.csv:
        from pyarrow.csv import write_csv

        write_csv(worst_first(ranking.workers) if workers else ranking.to_frame(), sys.stdout.buffer)
    else:
        _print_table(ranking, top or len(ranking))
        if ranking.workers is not None and workers:
            _print_workers(ranking.workers, top or len(ranking.workers), alike=ranking.alike)
        elif ranking.workers is not None:
            out.print(
                plain(f"{about(ranking.workers, alike=ranking.alike)} (see --workers)"), highlight=False, soft_wrap=True
            )


def _print_workers(workers: pa.Table, top: int, *, alike: bool) -> None:
    """The workers' table, as far as there is room."""
    head, rows = worker_cells(workers, top)
    least = ("interval", "agreement", *(f"{name} bias" for name in reversed(bias_names(workers))), "answers")
    head, rows = fit_into(head, rows, out.width, named="worker", left_out_first=least)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in head:
        table.add_column(name, justify="left" if name in ("worker", "flag") else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(plain, row), style="yellow" if row[-1] else None)
    out.print(table)
    hidden = len(workers) - len(rows)
    said = [f"… and {hidden:,} more (--top 0 prints all, --workers-out writes them)\n"] if hidden > 0 else []
    for line in [*said, about(workers, alike=alike)]:
        out.print(plain(line), highlight=False, soft_wrap=True)


def _print_table(ranking: Ranking, top: int) -> None:
    """A leaderboard with a line between tiers and a small picture of each interval, as far as there is room."""
    head, rows = cells(ranking, top)
    if "tier" in head and out.width >= PICTURE_FROM:
        head.append(PICTURE)
        rows = [[*row, drawn] for row, drawn in zip(rows, _whiskers(ranking, top), strict=True)]
    tiers = [row[head.index("tier")] if "tier" in head else "" for row in rows]
    head, rows = fit_into(head, rows, out.width)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in head:
        title = f"{ranking.level:.0%} interval" if name == PICTURE else name
        side = "left" if name in ("item", PICTURE) else "right"
        table.add_column(title, justify=side, no_wrap=True, style="cyan" if name == PICTURE else None)  # type: ignore[arg-type]
    for position, row in enumerate(rows):
        last = position + 1 < len(rows) and tiers[position + 1] != tiers[position]
        table.add_row(*map(plain, row), end_section=last)
    out.print(table)
    _print_footer(ranking, hidden=len(ranking) - len(rows))


def fit_into(
    head: list[str], rows: list[list[str]], width: int, *, named: str = "item",
    left_out_first: Sequence[str] = LEFT_OUT_FIRST,
) -> tuple[list[str], list[list[str]]]:  # fmt: skip
    """The columns that there is room for, with the names of items or workers shortened to the room that is left."""
    cell = [max(map(cell_len, column)) for column in zip(head, *rows, strict=True)]
    wide = dict(zip(head, cell, strict=True))
    kept = list(head)

    def room() -> int:
        return width - sum(wide[name] for name in kept if name != named) - 3 * (len(kept) - 1) - 2

    for name in left_out_first:
        if name in kept and room() < min(wide[named], FAIR_NAME if name == PICTURE else LEAST_NAME):
            kept.remove(name)
    space = max(room(), LEAST_NAME)
    places = [head.index(name) for name in kept]
    item = kept.index(named)
    fitted = [[row[place] for place in places] for row in rows]
    for row, name in zip(fitted, shorten_all([row[item] for row in fitted], space), strict=True):
        row[item] = name
    return kept, fitted


def _print_footer(ranking: Ranking, *, hidden: int) -> None:
    """What a reader of the table must know: what is not shown, how it was made, and what to mind."""
    said = [f"… and {hidden:,} more (--top 0 prints all)\n"] if hidden > 0 else []
    prior = f", prior {ranking.fit.settings['prior']}" if "prior" in ranking.fit.settings else ""
    made = f"{counted(ranking.fit.comparisons, 'comparison')}; {ranking.fit.model}{prior}"
    said.append(f"{made}; scores: {ranking.scale}")
    said += [
        f"effect of {row['effect']}: {row['estimate']:.3f} ({row['low']:.3f} … {row['high']:.3f})"
        for row in ([] if ranking.effects is None else ranking.effects.to_pylist())
    ]
    said += [f"{name}: {number:.3f}" for name, number in ranking.fit.findings.items() if isinstance(number, float)]
    said += [f"note: {note}" for note in ranking.fit.notes]
    for line in said:
        out.print(plain(line), highlight=False, soft_wrap=True)


def _whiskers(ranking: Ranking, top: int) -> list[str]:
    """A line from the low to the high limit of every row, with a dot at the score; nothing where there is none."""
    table = ranking.to_frame().slice(0, top).to_pylist()
    scored = [row for row in table if not isnan(row["score"])]
    lowest = min((row["low"] for row in scored), default=0.0)
    highest = max((row["high"] for row in scored), default=1.0)
    unit = (PICTURE_CELLS - 1) / max(highest - lowest, 1e-12)
    drawn = []
    for row in table:
        if isnan(row["score"]):
            drawn.append("")
            continue
        low, at, high = (round((row[name] - lowest) * unit) for name in ("low", "score", "high"))
        drawn.append(" " * low + "─" * (at - low) + "●" + "─" * (high - at))
    return drawn
