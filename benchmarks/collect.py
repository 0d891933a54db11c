"""Measure live collection: speed, waiting, memory, a campaign with a million answers: ``make bench-collect``.

``--quick`` takes a few small cases (half a minute); ``--only NAME`` leaves out others. Whole runs are written to
``results/collect.*``, others to ``results/collect-partial.*``.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import collect_big as big
import collect_load as load
import collect_page as page
import measure
import report
from collect_fill import Size
from collect_load import Case
from collect_server import Work
from rich.console import Console

RESULTS = Path(__file__).parent / "results"
BUSY = "Where other processes kept cores busy (a column says so), all took longer than it need have."
PACKAGES = ("sidewise", "django", "django-ninja", "gunicorn", "psycopg")


@dataclass(frozen=True)
class Setting:
    """What is measured."""

    cases: tuple[Case, ...]
    size: Size


PEERS = Work(150, pairs=5_000)  # the work that peers were measured on
DRY = Work(60, pairs=1_000, batch=50)  # the queue holds one pair for each worker
WHOLE = Setting(
    (
        Case("20 workers", "postgres", 20, PEERS),
        Case("100 workers", "postgres", 100, PEERS),
        Case("200 who think", "postgres", 200, Work(400, None), think=(1.0, 3.0), steps=20_000),
        Case("20 workers, SQLite", "sqlite", 20, Work(150, pairs=3_000)),
        Case("running dry", "postgres", 50, DRY),
        Case("running dry, SQLite", "sqlite", 50, DRY),
    ),
    Size(),
)
QUICK = Setting(
    (
        Case("20 workers", "postgres", 5, Work(20, pairs=100, batch=50)),
        Case("20 workers, SQLite", "sqlite", 5, Work(20, pairs=100, batch=50)),
    ),
    Size(200, 2_000, 20),
)
BIG = "a million answers"


def main(given: list[str] | None = None) -> None:
    """Measure, show and write."""
    asked = _arguments(given)
    measure.use_few_cores()
    setting = QUICK if asked.quick else WHOLE
    console = Console(width=max(Console().width, 160))
    found, large = [], None
    with console.status("collecting") as status:
        for case in (case for case in setting.cases if not asked.only or case.name in asked.only):
            status.update(case.name)
            found.append(load.run(case))
            console.print(page.told(found[-1]), highlight=False)
        if not asked.only or BIG in asked.only:
            status.update(BIG)
            large = big.run(setting.size)
            console.print(page.told_big(large), highlight=False)
    result = page.Result(report.machine(PACKAGES, busy=BUSY), tuple(found), large, whole=not asked.quick)
    for goal in result.goals():
        console.print(goal.mark, style="green" if goal.met else "red" if goal.met is False else "dim")
    page.write(asked.out, "collect-partial" if asked.quick or asked.only else "collect", result)


def _arguments(given: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure live collection.")
    parser.add_argument("--quick", action="store_true", help="a few small cases")
    names = [*(case.name for case in WHOLE.cases), BIG]
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=names, help=f"these alone, of: {'; '.join(names)}")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="FOLDER", help="where results go")
    return parser.parse_args(given)


if __name__ == "__main__":
    main()
