"""What measures came out to: in the terminal and in files."""

import sys
from collections.abc import Callable, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from rich import box
from rich.table import Table

from sidewise.cli.console import err, out, plain
from sidewise.cli.leaderboard import Format
from sidewise.cli.places import json_text
from sidewise.comparisons.writing import write_table
from sidewise.ranking.display import counted, shorten_all

GROUP_CELLS = 24  # the room that the name of a group has

Row = Mapping[str, Any]


class Setting(NamedTuple):
    """How intervals are made."""

    confidence: float
    resamples: int
    seed: int


def write_scores(table: pa.Table, setting: Setting, path: Path) -> None:
    """Write all rows, as the name of the file says."""
    if path.suffix == ".json":
        path.write_text(_json(table, setting), encoding="utf-8")
    else:
        write_table(table, path)
    err.print(f"the results are in {path}", highlight=False, markup=False)


def _json(table: pa.Table, setting: Setting) -> str:
    return json_text({**setting._asdict(), "measures": table})


def print_scores(table: pa.Table, form: Format, by: str | None, against: str | None, setting: Setting) -> None:
    """Print a table for people, CSV or JSON for programs."""
    if form is Format.json:
        sys.stdout.write(_json(table, setting) + "\n")
    elif form is Format.csv:
        from pyarrow.csv import write_csv

        write_csv(table, sys.stdout.buffer)
    else:
        rows, level = table.to_pylist(), f"{100 * setting.confidence:g} % interval"
        _print(rows, by, ["value", *([level] if setting.resamples else [])], _values)
        if against is not None:
            out.print(f"against {plain(against)}:", highlight=False, soft_wrap=True)
            _print(rows, by, ["value", "difference", *([level, "p"] if setting.resamples else [])], _differences)
        _print_footer(rows, setting)


def _print(rows: Sequence[Row], by: str | None, head: Sequence[str], cells: Callable[[Row], list[str]]) -> None:
    """A line for every measure; groups are parted by lines, and named once."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in [*([by, "items"] if by else []), "measure", *head]:
        words = name in (by, "measure")  # which give way where there is no room for all; numbers do not
        table.add_column(plain(name), justify="left" if words else "right", no_wrap=not words, overflow="ellipsis")
    groups = shorten_all([row["group"] if by else "" for row in rows], GROUP_CELLS)
    for place, row in enumerate(rows):
        first = place == 0 or groups[place - 1] != groups[place]
        last = place + 1 < len(rows) and groups[place + 1] != groups[place]
        named = ([groups[place], f"{row['items']:,}"] if first else ["", ""]) if by else []
        table.add_row(*map(plain, [*named, row["measure"], *cells(row)[: len(head)]]), end_section=last)
    out.print(table)


def _values(row: Row) -> list[str]:
    return [_number(row["value"]), _span(row.get("low"), row.get("high"))]


def _differences(row: Row) -> list[str]:
    span, p = _span(row.get("difference_low"), row.get("difference_high"), "+"), row.get("p_value")
    chance = "–" if p is None or isnan(p) else f"{p:.3f}"
    return [_number(row["against"]), _number(row["difference"], "+"), span, chance]


def _print_footer(rows: Sequence[Row], setting: Setting) -> None:
    made = counted(rows[0]["items"], "item")
    if setting.resamples:
        made += f"; intervals by bootstrap over items, {setting.resamples:,} resamples, seed {setting.seed}"
    out.print(made, highlight=False, soft_wrap=True)
    if any(isnan(row["value"]) for row in rows):
        out.print("– is not known: it takes items of different truth, and scores that differ", highlight=False)


def _number(value: float | None, sign: str = "") -> str:
    return "–" if value is None or isnan(value) else f"{value:{sign}.4f}"


def _span(low: float | None, high: float | None, sign: str = "") -> str:
    return "–" if low is None or isnan(low) else f"{_number(low, sign)} … {_number(high, sign)}"
