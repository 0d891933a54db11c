"""Tables of what was measured: on the screen, as Markdown and as CSV."""

import csv
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from cases import Case, Goal
from measure import Measured
from rich.console import Console
from rich.table import Table

PACKAGES = ("sidewise", "numpy", "scipy", "pyarrow", "pandas", "evalica", "choix", "crowd-kit", "arena-rank", "jax")
HEADER = ("tool", "call", "first s", "best s", "median s", "runs", "× first row", "rows/s", "peak MB",
          "above data MB", "agreement", "goal")  # fmt: skip
BUSY = (
    "Below each table stands how busy other processes kept the machine: where that is not 0.0, times are longer than "
    "they need be."
)
DEFINITIONS = """\
Every measurement ran in a fresh process, on the same simulated data (`benchmarks/data.py`; the seeds are fixed), one
after the other, on two cores. The clock runs around the work from a dataframe of strings to scores, with every
conversion a tool needs; imports and loading the dataframe are outside it. Commands are timed from start to end.

- **first, best, median**: seconds of the first call in a process, the least and the median of all; goals are judged by
  the median, unless they say otherwise. Work that has taken 12 s is not repeated.
- **× first row**: the median, in units of the first row's; **rows/s**: comparisons by the median.
- **peak**: the largest resident set while working, with imports and data; **above data**: how far that is above what
  the process held just before. Goals are judged by the peak. 1 MB = 10⁶ bytes.
- **agreement**: the largest distance of a score from the exact optimum of what the tool aims at (the Bradley–Terry
  likelihood; for Sidewise with its default prior, the posterior), on the log scale, after centring. The optimum is
  verified by its gradient, computed in plain numpy. "Given its spread" takes the prior's spread as Sidewise estimated
  it: the error of that estimate moves scores too, by far more, and is not in the number (the spread stands below the
  table, beside the one that the data were drawn with); compare tools by the rows without a prior. Where the likelihood
  has no maximum: how far below its supremum the tool's scores are, in nats. For 10⁸ rows: the largest entry of the
  gradient at the scores. In the cases with workers, whose models differ: **pair accuracy**, the share of all pairs of
  items that the scores put in the order of the truth that the data were drawn with.
"""


@dataclass(frozen=True)
class Line:
    """One row of a case: what was measured, or why nothing was."""

    name: str
    tool: str
    call: str
    result: Measured | str


@dataclass(frozen=True)
class Verdict:
    """A goal, what came of it, and whether it is met; None where it cannot be told."""

    goal: Goal
    words: str
    met: bool | None

    @property
    def mark(self) -> str:
        """The words and their outcome."""
        return f"{self.words}: {'not measured' if self.met is None else 'met' if self.met else 'MISSED'}"


@dataclass(frozen=True)
class Outcome:
    """A case with its lines."""

    case: Case
    lines: tuple[Line, ...]
    others: float | None  # cores that other processes kept busy meanwhile

    def verdicts(self) -> list[Verdict]:
        """Every goal's outcome."""
        found = {line.name: line.result for line in self.lines if isinstance(line.result, Measured)}
        return [_verdict(goal, found.get(goal.row), found.get(goal.against or "")) for goal in self.case.goals]

    def cells(self) -> list[tuple[str, ...]]:
        """The table, as text."""
        base = next((line.result for line in self.lines if isinstance(line.result, Measured)), None)
        goals = {line.name: [v.mark for v in self.verdicts() if v.goal.row == line.name] for line in self.lines}
        return [_cells(line, base, "; ".join(goals[line.name])) for line in self.lines]

    def checks(self) -> list[str]:
        """How the optima were verified, each once."""
        said = [line.result.check for line in self.lines if isinstance(line.result, Measured) and line.result.check]
        return list(dict.fromkeys(said))


def _verdict(goal: Goal, own: Measured | None, other: Measured | None) -> Verdict:
    what = {"seconds": "time", "first": "first call", "peak": "memory"}[goal.measure]
    if goal.against is None:
        words = f"≤ {goal.limit:g} s" if goal.measure == "seconds" else f"≤ {goal.limit / 1e9:g} GB"
        return Verdict(goal, words, None if own is None else _value(own, goal) <= goal.limit)
    words = f"≤ 1/{1 / goal.limit:.0f} of {goal.against}'s {what}"
    if own is None or other is None:
        return Verdict(goal, words, None)
    share = _value(own, goal) / _value(other, goal)
    words += f", is 1/{1 / share:.1f}"
    if goal.measure == "seconds":
        words += f" (first call 1/{other.first / own.first:.1f})"
    elif goal.measure == "first":
        words += f" (median 1/{other.median / own.median:.1f})"
    elif own.above and other.above:
        words += f" (above data 1/{other.above / own.above:.1f})"
    return Verdict(goal, words, share <= goal.limit)


def _value(found: Measured, goal: Goal) -> float:
    return {"seconds": found.median, "first": found.first, "peak": found.peak}[goal.measure]


def _cells(line: Line, base: Measured | None, goal: str) -> tuple[str, ...]:
    found = line.result
    if isinstance(found, str):
        return (line.tool, line.call, *[""] * 8, found, goal)
    assert base is not None
    times = (seconds(found.first), seconds(found.best), seconds(found.median))
    rate = "" if found.rows is None else f"{found.rows / found.median:,.0f}"
    above = "" if found.above is None else f"{found.above / 1e6:,.0f}"
    return (line.tool, line.call, *times, str(len(found.seconds)), f"{found.median / base.median:.3g}", rate,
            f"{found.peak / 1e6:,.0f}", above, found.agreement, goal)  # fmt: skip


def seconds(value: float) -> str:
    """Three figures or so."""
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def show(console: Console, outcome: Outcome) -> None:
    """One table on the screen."""
    table = Table(title=f"{outcome.case.name}: {outcome.case.title}", title_justify="left", show_lines=False)
    for name in HEADER:
        table.add_column(name, justify="left" if name in ("tool", "call", "agreement", "goal") else "right")
    for cells in outcome.cells():
        colour = "red" if "MISSED" in cells[-1] else "green" if cells[-1] else ""
        table.add_row(*cells[:-1], f"[{colour}]{cells[-1]}[/]" if colour else cells[-1])
    console.print(table)
    for remark in remarks(outcome):
        console.print(f"  {remark}", style="dim")
    console.print()


def remarks(outcome: Outcome) -> list[str]:
    """What belongs below a table."""
    notes = [outcome.case.notes] if outcome.case.notes else []
    busy = [] if outcome.others is None else [f"other processes kept {outcome.others:.1f} cores busy meanwhile"]
    return [*notes, *outcome.checks(), *busy]


def machine(packages: Sequence[str] = PACKAGES, busy: str = BUSY) -> str:
    """What the numbers depend on, without naming the machine."""
    versions = ", ".join(f"{name} {_version(name)}" for name in packages)
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{datetime.now(UTC):%Y-%m-%d}; {cores()} cores, {memory:.0f} GiB, {system}; {versions}. {busy}"


def cores() -> int:
    """The cores that the run may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def write(folder: Path, name: str, setting: str, outcomes: Sequence[Outcome]) -> None:
    """Markdown for people, CSV for machines."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.md").write_text("\n".join(_markdown(setting, outcomes)), encoding="utf-8")
    with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("case", *HEADER))
        writer.writerows((outcome.case.name, *cells) for outcome in outcomes for cells in outcome.cells())


def _markdown(setting: str, outcomes: Iterable[Outcome]) -> Iterable[str]:
    yield from ("# Benchmark", "", "Made by `make bench`; do not edit.", "", setting, "", DEFINITIONS)
    for outcome in outcomes:
        yield from (f"## {outcome.case.name}", "", f"{outcome.case.title}.", "")
        yield from markdown_table(HEADER, outcome.cells())
        yield ""
        for remark in remarks(outcome):
            yield from (f"{remark[0].upper()}{remark[1:].rstrip('.')}.", "")


def markdown_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], words: Sequence[str] = ("tool", "call", "agreement", "goal")
) -> Iterable[str]:
    """A table whose columns are numbers, but for some that are words."""
    yield "| " + " | ".join(header) + " |"
    yield "|" + "|".join("---" if name in words else "--:" for name in header) + "|"
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
