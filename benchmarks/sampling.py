"""Measure the strategies that choose pairs, against the number of items: ``make bench-sampling``.

``--quick`` takes a few small sizes (half a minute); ``--largest N`` and ``--strategies NAME`` leave out others. Whole
runs are written to ``results/sampling.*``, others to ``results/sampling-partial.*``.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import measure
import report
import sampling_page as page
from measure import FailedError
from rich.console import Console
from sampling_rows import Row, failed, of

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("sidewise", "numpy", "scipy", "pyarrow")
LONG = 60.0  # seconds: a strategy that took longer is not asked for larger batches
LIMIT = 300  # seconds of one process, with the time to make its answers


@dataclass(frozen=True)
class Setting:
    """What is measured at which numbers of items."""

    batches: tuple[int, ...]
    literal: tuple[int, ...]
    online: tuple[int, ...]
    repeats: int
    sample: int  # pairs of literal ASAP


WHOLE = Setting((20, 50, 100, 200, 500, 1000, 2000, 5000), (20, 25, 30, 40), (200, 500, 1000, 2000), 5, 190)
QUICK = Setting((10, 20), (6, 8), (10,), 2, 5)


def main(given: list[str] | None = None) -> None:
    """Measure, show and write."""
    asked = _arguments(given)
    measure.use_few_cores()
    console = Console(width=max(Console().width, 160))
    others, rows = measure.Others(), []
    with console.status("sampling") as status:
        for row in measurements(_setting(asked), asked.strategies, status.update):
            rows.append(row)
            console.print(row.said, highlight=False)
    result = page.Result(report.machine(PACKAGES), tuple(rows), others.cores())
    for goal in result.goals():
        console.print(goal.mark, style="green" if goal.met else "red" if goal.met is False else "dim")
    partial = asked.quick or asked.strategies or asked.largest
    page.write(asked.out, "sampling-partial" if partial else "sampling", result)


def _arguments(given: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure the strategies that choose pairs.")
    parser.add_argument("--quick", action="store_true", help="a few small sizes")
    parser.add_argument("--strategies", nargs="+", metavar="NAME", help="these alone")
    parser.add_argument("--largest", type=int, metavar="N", help="no more items than these")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="FOLDER", help="where results go")
    return parser.parse_args(given)


def _setting(asked: argparse.Namespace) -> Setting:
    setting = QUICK if asked.quick else WHOLE
    sizes = ("batches", "literal", "online")
    few = {name: tuple(n for n in getattr(setting, name) if n <= (asked.largest or n)) for name in sizes}
    return replace(setting, **few)


def measurements(setting: Setting, names: list[str] | None, tell: Callable[[str], None]) -> Iterator[Row]:
    """All that a setting asks for, small sizes first."""
    from sidewise.sampling.by_name import STRATEGIES

    for n in setting.literal:
        tell(f"literal ASAP, n = {n}")
        yield measured("literal", "literal ASAP", n, setting.sample)
    for n in setting.online:
        for what in ("answer", "refit"):
            tell(f"{what}, n = {n}")
            yield measured(what, what, n, setting.repeats)
    left = list(names or STRATEGIES)
    for n in setting.batches:
        for name in tuple(left):
            tell(f"{name}, n = {n}")
            row = measured("batch", name, n, setting.repeats)
            if not row.seconds or row.median > LONG:
                left.remove(name)
            yield row


def measured(what: str, name: str, n: int, repeats: int) -> Row:
    """One row, from a process of its own; a failure is a result too."""
    child = [sys.executable, "sampling_child.py", what, name, str(n), str(repeats)]
    try:
        return of(what, name, n, json.loads(measure.run_apart(child, LIMIT).splitlines()[-1]))
    except FailedError as failure:
        return failed(what, name, n, str(failure))


if __name__ == "__main__":
    main()
