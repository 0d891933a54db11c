"""What measures of a search run came out to: in the terminal and in files."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from rich import box
from rich.cells import cell_len
from rich.table import Table

from sidewise.cli.console import err, out, plain
from sidewise.cli.leaderboard import Format
from sidewise.cli.places import json_text
from sidewise.cli.score_table import Setting
from sidewise.comparisons.writing import write_table


class Found(NamedTuple):
    """The mean of every measure, the values of every query where they were asked for, and how intervals are made."""

    measures: pa.Table
    queries: pa.Table | None
    setting: Setting

    @property
    def table(self) -> pa.Table:
        """What a file of one table holds: the queries, where they were asked for."""
        return self.measures if self.queries is None else self.queries

    def json(self) -> str:
        """Everything, as JSON."""
        queries = {} if self.queries is None else {"queries": self.queries}
        return json_text({**self.setting._asdict(), "measures": self.measures, **queries})


def write_found(found: Found, path: Path) -> None:
    """Write the results, as the name of the file says."""
    if path.suffix == ".json":
        path.write_text(found.json(), encoding="utf-8")
    else:
        write_table(found.table, path)
    err.print(f"the results are in {path}", highlight=False, markup=False)


def print_found(found: Found, form: Format, against: Path | None) -> None:
    """Print tables for people, CSV or JSON for programs."""
    if form is Format.json:
        sys.stdout.write(found.json() + "\n")
    elif form is Format.csv:
        from pyarrow.csv import write_csv

        write_csv(found.table, sys.stdout.buffer)
    else:
        if found.queries is not None:
            _print(found.queries, {name: name for name in found.queries.column_names})
        _print_means(found, against)


def _print_means(found: Found, against: Path | None) -> None:
    level = f"{100 * found.setting.confidence:g} % interval"
    _print(found.measures, {"measure": "measure", "mean": "mean", "low": level, "queries": "queries"})
    if against is not None:
        out.print(f"against {plain(against)}:", highlight=False, soft_wrap=True)
        columns = {"against": "mean", "difference": "difference", "difference_low": level, "p_value": "p"}
        _print(found.measures, {"measure": "measure", **columns})


def _print(table: pa.Table, titles: Mapping[str, str]) -> None:
    """Some columns of a table, in several tables where one has no room for all: no number is cut."""
    known = {name: title for name, title in titles.items() if name in table.column_names}
    rows = table.to_pylist()
    columns = [[title, *(_cell(name, row) for row in rows)] for name, title in known.items()]
    for some in _fitting(columns, out.width):
        shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for place, (title, *_) in enumerate(some):
            shown.add_column(
                plain(title), justify="right" if place else "left", no_wrap=True, min_width=cell_len(title)
            )
        for cells in zip(*(column[1:] for column in some), strict=True):
            shown.add_row(*map(plain, cells))
        out.print(shown)


def _fitting(columns: Sequence[list[str]], width: int) -> Iterator[list[list[str]]]:
    """The columns in groups that there is room for side by side, each with the first one before it."""
    first, *others = columns
    room, group = width - _wide(first), list[list[str]]()
    for column in others:
        if group and sum(map(_wide, [*group, column])) > room:
            yield [first, *group]
            group = []
        group.append(column)
    yield [first, *group]


def _wide(column: Sequence[str]) -> int:
    return max(map(cell_len, column)) + 3  # and what parts it from the next


def _cell(name: str, row: Mapping[str, Any]) -> str:
    """A value for people; a low limit is shown with its high one."""
    value = row[name]
    if value is None or (isinstance(value, float) and isnan(value)):
        return "–"
    if isinstance(value, str | int):
        return f"{value:,}" if isinstance(value, int) else value
    sign = "+" if name.startswith("difference") else ""
    if name.endswith("low"):
        return f"{value:{sign}.4f} … {row[name.replace('low', 'high')]:{sign}.4f}"
    return f"{value:.3f}" if name == "p_value" else f"{value:{sign}.4f}"
