"""``sidewise agreement``: how well workers agree, with each other and with themselves."""

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.table import Table

from sidewise.cli.columns import (
    Delimiter,
    File,
    Left,
    Loser,
    OutcomeOption,
    Right,
    SkipBad,
    UndecidedOption,
    Winner,
    WinnerIsOption,
    Worker,
    one_character,
    outcome_words,
    read_answers,
)
from sidewise.cli.console import err, explained, out, plain
from sidewise.cli.leaderboard import fit_into
from sidewise.cli.places import check_place, write_place
from sidewise.errors import MeasureError, SidewiseError
from sidewise.ranking.display import counted

if TYPE_CHECKING:
    from sidewise.comparisons import Comparisons
    from sidewise.measures.agreement import Agreement

EDGES = {"left", "top", "right", "bottom"}


def agreement(
    file: File,
    distance: Annotated[str | None, typer.Option(help="How far apart two values are: nominal (the default), ordinal, interval, ratio; iou for boxes.")] = None,  # noqa: E501
    unit: Annotated[str | None, typer.Option(help="Column of what was asked about.", rich_help_panel="Columns")] = None,
    worker: Worker = None,
    value: Annotated[str | None, typer.Option(help="Column of the answer.", rich_help_panel="Columns")] = None,
    level: Annotated[list[str] | None, typer.Option(help="For ordinal answers that are words: a level, from the lowest to the highest; to be repeated.")] = None,  # noqa: E501
    grid: Annotated[str | None, typer.Option(help="The file is a table of workers by units without a header; workers have the rows, or the columns.")] = None,  # noqa: E501
    top: Annotated[int, typer.Option(help="How many workers to print; 0 prints all.", min=0)] = 10,
    confidence: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="Draws of the bootstrap.", min=1)] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same intervals.", min=0)] = 0,
    workers_out: Annotated[Path | None, typer.Option(help="Write the workers: .csv or .parquet.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the workers: .html, .png or .svg (needs the extra 'plot').")] = None,  # noqa: E501
    left: Left = None, right: Right = None, winner: Winner = None, loser: Loser = None,
    winner_is: WinnerIsOption = None, undecided: UndecidedOption = None, outcome: OutcomeOption = None,
    delimiter: Delimiter = None, skip_bad: SkipBad = None,
) -> None:  # fmt: skip
    """Say how well workers agree.

    Of answers (columns unit, worker, value): Krippendorff's alpha, percent agreement, kappas, and each worker against
    the others. Of boxes (image, worker, left, top, right, bottom): alpha with 1 − IoU. Of comparisons (left, right,
    winner): whether the same pair gets the same answer again, also the other way round, and how often preferences go
    round in circles.
    """
    options = {"confidence": confidence, "resamples": resamples, "seed": seed}
    with explained():
        for path, endings in ((workers_out, (".csv", ".parquet")), (picture, (".html", ".png", ".svg"))):
            check_place(path, file, endings=endings)
        kind = _kind(file, distance, grid, one_character(delimiter), named=bool(unit or value or level),
                     compared=bool(left or right or winner or loser))  # fmt: skip
        if kind == "comparisons":
            found = read_answers(
                file, skip_bad, stream=False, left=left, right=right, winner=winner, loser=loser, worker=worker,
                winner_is=winner_is, undecided=undecided, outcomes=outcome_words(outcome), delimiter=delimiter,
            )  # fmt: skip
            _refuse(
                workers_out or picture, "--workers-out and --picture are for answers and boxes, not for comparisons"
            )
            _print_comparisons(found, options)  # type: ignore[arg-type]
            return
        _refuse(skip_bad, "--skip-bad is for comparisons: answers without a value are left out as they are")
        told = _measured(file, kind, distance, unit, worker, value, level, grid, one_character(delimiter), options)
        _print_agreement(told, top)
        _write(told, workers_out, picture)


def _kind(
    file: str, distance: str | None, grid: str | None, delimiter: str | None, *, named: bool, compared: bool
) -> str:  # fmt: skip
    """What is in the file: as the options say, or by its columns."""
    from sidewise.boxes.rows import column_names
    from sidewise.comparisons.columns import Naming

    if compared:
        return "comparisons"
    if distance is not None or named or grid is not None:
        return "boxes" if distance == "iou" else "answers"
    names = column_names(file, delimiter=delimiter)
    if set(names) >= EDGES:
        return "boxes"
    try:
        Naming().resolve(names, source=file)
    except SidewiseError:
        return "answers"
    return "comparisons"


def _measured(
    file: str, kind: str, distance: str | None, unit: str | None, worker: str | None, value: str | None,
    level: list[str] | None, grid: str | None, delimiter: str | None, options: dict[str, Any],
) -> "Agreement":  # fmt: skip
    from sidewise.measures.agreement import agreement as measure
    from sidewise.measures.answers import find_answers, read_answer_grid
    from sidewise.measures.krippendorff import NAMES

    by: Any = "iou" if kind == "boxes" else distance or "nominal"
    _refuse(by not in NAMES, f"--distance {by}: take one of {', '.join(NAMES)}")
    source: Any = file if grid is None else read_answer_grid(file, workers=grid)  # type: ignore[arg-type]
    names = {} if grid else {"unit": unit, "worker": worker, "value": value}
    found = find_answers(source, boxes=by == "iou", delimiter=delimiter, **names)
    return measure(found, distance=by, levels=level or None, **options)


def _print_agreement(told: "Agreement", top: int) -> None:
    by = f" by {counted(told.workers, 'worker')}" if told.workers else ""
    what = f"{counted(told.answers, 'answer')}{by} to {counted(told.units, 'unit')}"
    alone = told.units - told.compared
    _say(what + (f"; {counted(alone, 'unit')} with one answer only, left out" if alone else ""))
    _say("")
    _say(str(told))
    for note in dict.fromkeys(told.notes):
        _say(f"note: {note}")
    if told.by_worker is not None:
        _print_workers(told, top or told.workers)


def _print_workers(told: "Agreement", top: int) -> None:
    assert told.by_worker is not None
    same = "mean IoU" if told.distance == "iou" else "agreement"
    head = ["worker", "answers", "compared", same, "alpha", "interval"]
    rows = [
        [row["worker"], f"{row['answers']:,}", f"{row['compared']:,}", _number(row["agreement"]), _number(row["alpha"]),
         f"{_number(row['low'])} … {_number(row['high'])}"]
        for row in told.by_worker.slice(0, top).to_pylist()
    ]  # fmt: skip
    head, rows = fit_into(head, rows, out.width, named="worker", left_out_first=("interval", "compared", "answers"))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in head:
        table.add_column(name, justify="left" if name == "worker" else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(plain, row))
    out.print(table)
    if told.workers > len(rows):
        _say(
            f"… and {told.workers - len(rows):,} more, who agree better (--top 0 prints all, --workers-out writes them)"
        )


def _print_comparisons(found: "Comparisons", options: dict[str, Any]) -> None:
    from sidewise.measures.consistency import mirror_consistency, repeat_consistency
    from sidewise.measures.triads import transitivity

    by = f" by {counted(len(found.workers), 'worker')}" if found.worker is not None else ""
    _say(f"{counted(len(found), 'comparison')}{by} of {counted(len(found.items), 'item')}")
    _say("")
    again = repeat_consistency(found, **options)
    rows = [("same pair, same worker", again.within), ("same pair, other workers", again.between)]
    if found.sided:
        turned = mirror_consistency(found, **options)
        rows += [("same way round, same worker", turned.unturned), ("mirrored pair, same worker", turned.within),
                 ("mirrored pair, other workers", turned.between)]  # fmt: skip
    for name, known in rows:
        _say(f"{name:<30}{known if known.groups else 'never asked'}")
    if found.sided and not isnan(turned.left.value):
        _say(f"{'contradictions that say left':<30}{turned.left}")
    try:
        circles = transitivity(found, **options)
    except MeasureError as error:
        _say(f"{'cyclic triads':<30}{error}")
        return
    _say(f"{'cyclic triads':<30}{circles if circles.triads else 'no three items were all compared'}")
    if not isnan(circles.coefficient):
        _say(f"{'coefficient of consistence':<30}{circles.coefficient:.3f}")
    _say("\nAgreement by chance: 0.5 without ties; cyclic triads by chance: 0.25.")


def _write(told: "Agreement", workers_out: Path | None, picture: Path | None) -> None:
    if workers_out is not None:
        _refuse(told.by_worker is None, "--workers-out: no column says who answered")
        write_place("workers", told.by_worker, workers_out)
    if picture is not None:
        told.plot().save(str(picture), inline=picture.suffix == ".html")  # a page that needs no network
        err.print(f"the picture is in {picture}", highlight=False, markup=False)


def _refuse(given: object, message: str) -> None:
    if given:
        raise SidewiseError(message)


def _number(value: float) -> str:
    return "–" if isnan(value) else f"{value:.3f}"


def _say(line: str) -> None:
    out.print(plain(line), highlight=False, soft_wrap=True)
