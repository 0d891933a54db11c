"""Measure Sidewise beside its peers, in one run and on the same data: ``make bench``.

``--quick`` takes the small cases alone (under a minute); ``--only NAME`` one case. Whole runs are written to
``results/latest.md`` and ``latest.csv``, others to ``partial.*``.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import measure
import report
from cases import CASES, Case, Command, Fit, Skip
from measure import FailedError, Measured
from report import Line, Outcome
from rich.console import Console

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Run the cases that were asked for, show each as it ends, and write all."""
    asked = _arguments()
    measure.use_few_cores()
    console = Console(width=max(Console().width, 160))
    setting = report.machine()
    console.print(setting, style="dim")
    outcomes: list[Outcome] = []
    for case in _chosen(asked.quick, asked.only):
        with console.status(case.title) as status:
            outcomes.append(_outcome(case, asked, status.update))
        report.show(console, outcomes[-1])
        name = "partial" if asked.quick or asked.only else "latest"
        report.write(RESULTS, name, setting, outcomes)
    verdicts = [verdict for outcome in outcomes for verdict in outcome.verdicts()]
    console.print(f"{sum(verdict.met is True for verdict in verdicts)} of {len(verdicts)} goals met.")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure Sidewise beside its peers.")
    parser.add_argument("--quick", action="store_true", help="small cases only")
    parser.add_argument("--only", metavar="NAME", choices=[case.name for case in CASES], help="one case")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="calls per measurement (5)")
    return parser.parse_args()


def _chosen(quick: bool, only: str | None) -> list[Case]:  # noqa: FBT001 - as the command line gives them
    return [case for case in CASES if (case.quick or not quick) and only in (None, case.name)]


def _outcome(case: Case, asked: argparse.Namespace, tell: Callable[[str], None]) -> Outcome:
    others = measure.Others()
    lines = tuple(_lines(case, asked, tell))
    return Outcome(case, lines, others.cores())


def _lines(case: Case, asked: argparse.Namespace, tell: Callable[[str], None]) -> Iterator[Line]:
    tell(f"{case.name}: making the data")
    measure.prepare(case.data)
    for row in case.rows:
        if not (asked.quick and row.slow):
            tell(f"{case.name}: {row.tool} {row.call}")
            yield Line(row.name, row.tool, row.call, _result(row, case.data, asked.repeat))


def _result(row: Fit | Command | Skip, data: str, repeats: int) -> Measured | str:
    """A failure is a result too: it is shown in the table, and the run goes on."""
    if isinstance(row, Skip):
        return ""
    try:
        return measure.fit(row, data, repeats) if isinstance(row, Fit) else measure.command(row, data, repeats)
    except FailedError as failure:
        return str(failure)


if __name__ == "__main__":
    main()
