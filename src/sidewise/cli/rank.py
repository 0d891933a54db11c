"""``sidewise rank``: a file of comparisons in, a leaderboard out."""

from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer

from sidewise.cli.columns import (
    Delimiter,
    Factor,
    File,
    Left,
    Loser,
    OutcomeOption,
    Right,
    SkipBad,
    UndecidedOption,
    Weight,
    Winner,
    WinnerIsOption,
    Worker,
    lines,
    outcome_words,
    read_answers,
    wants_stream,
)
from sidewise.cli.console import err, explained, progress
from sidewise.cli.leaderboard import Format, print_ranking, write_ranking
from sidewise.cli.options import (
    BiasSd,
    Choice,
    Covariate,
    CreditOption,
    Flow,
    Intervals,
    ModelName,
    Orders,
    Penalty,
    Prior,
    Replicates,
    SensitivitySd,
    Ties,
    Unit,
    check_taken,
    choose,
    given_options,
)
from sidewise.cli.places import JSON_TOO, check_apart, check_place, write_place
from sidewise.comparisons import Comparisons, PairCounts
from sidewise.errors import SidewiseError
from sidewise.ranking import Ranking
from sidewise.ranking.workers import worst_first


def rank(
    file: File,
    model: ModelName = None, ties: Ties = None, prior: Prior = None, covariate: Covariate = None,
    interval: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    intervals: Intervals = None, unit: Unit = None, replicates: Replicates = None, orders: Orders = None,
    flow: Flow = None, penalty: Penalty = None, credit: CreditOption = None, sensitivity_sd: SensitivitySd = None,
    bias_sd: BiasSd = None,
    seed: Annotated[int | None, typer.Option(help="Of everything random.")] = None,
    scale: Annotated[str, typer.Option(help="model, or elo (400 points are odds of ten to one).")] = "model",
    anchor: Annotated[str | None, typer.Option(help="Item to put at the zero of the scale.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail where the fit has not converged.")] = False,
    output: Annotated[Path | None, typer.Option("--out", help="Write the ranking: .csv, .parquet or .json.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a report with pictures to this HTML file.")] = None,
    title: Annotated[str | None, typer.Option(help="Of the report.")] = None,
    workers: Annotated[bool, typer.Option("--workers", help="Print what was learnt about the workers, worst first.")] = False,  # noqa: E501
    workers_out: Annotated[Path | None, typer.Option(help="Write what was learnt about the workers: .csv, .parquet or .json.")] = None,  # noqa: E501
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.table,
    top: Annotated[int, typer.Option(help="How many rows of a table to print; 0 prints all.", min=0)] = 50,
    left: Left = None, right: Right = None, winner: Winner = None, loser: Loser = None, worker: Worker = None,
    weight: Weight = None, factor: Factor = None, winner_is: WinnerIsOption = None, undecided: UndecidedOption = None,
    outcome: OutcomeOption = None, delimiter: Delimiter = None,
    items: Annotated[Path | None, typer.Option(help="File with the whole set of items, one a line, so that unseen ones are ranked too.", rich_help_panel="Columns")] = None,  # noqa: E501
    skip_bad: SkipBad = None,
    stream: Annotated[bool | None, typer.Option("--stream/--no-stream", help="Reduce to pair counts while reading (by itself from 1 GB on).", rich_help_panel="Columns")] = None,  # noqa: E501
) -> None:  # fmt: skip
    """Rank the items of a file of comparisons, and say how sure the ranking is.

    The columns are found by their usual names: left, right, label and worker; model_a, model_b and winner; winner and
    loser. Otherwise name them. Scores are log-odds unless you ask for --scale elo.
    """
    with explained():
        given = given_options(prior, credit, covariate, ties=ties, intervals=intervals, unit=unit, orders=orders,
                              replicates=replicates, flow=flow, penalty=penalty, sensitivity_sd=sensitivity_sd,
                              bias_sd=bias_sd, seed=seed, strict=strict)  # fmt: skip
        asked = workers or workers_out is not None
        check_taken(model, given, workers=asked)
        _check_outputs((file, items), output, report, workers_out, skip_bad)
        reduced = wants_stream(file, stream, model, given, {"worker": worker, "factor": factor, "workers": asked})
        answers = read_answers(
            file, skip_bad, stream=reduced, left=left, right=right, winner=winner, loser=loser, worker=worker,
            weight=weight, factors=tuple(factor or ()), winner_is=winner_is, undecided=undecided,
            outcomes=outcome_words(outcome), delimiter=delimiter, items=lines(items),
        )  # fmt: skip
        if asked and isinstance(answers, Comparisons) and answers.worker is None:
            raise SidewiseError(
                "no table of workers: the data do not say who said what: name the worker column (--worker)"
            )
        ranking = _fit(answers, Choice(model) if model else choose(answers, given, workers=asked), given, interval)
        if scale != "model" or anchor is not None:
            ranking = ranking.rescale(anchor=anchor, scale=scale)
        _write(ranking, answers, output, report, workers_out, title or f"Ranking of {Path(file).name}")
        print_ranking(ranking, form, top, workers=workers)
        _say_where(output, report)


def _check_outputs(
    sources: tuple[str, Path | None], output: Path | None, report: Path | None, workers: Path | None,
    skip_bad: Path | None,
) -> None:  # fmt: skip
    """What cannot be written is said before the work, not after it."""
    for path, flag in ((output, "--out"), (workers, "--workers-out")):
        check_place(path, *sources, endings=JSON_TOO, flag=flag)
    for path, flag in ((report, "--report"), (skip_bad, "--skip-bad")):
        check_place(path, *sources, endings=None, flag=flag)
    check_apart(output, workers, report, skip_bad)
    if report is not None:
        from sidewise.report.page import check_extras

        check_extras()


def _fit(answers: Comparisons | PairCounts, choice: Choice, given: dict[str, Any], level: float) -> Ranking:
    from sidewise.models import find_model

    if choice.why:
        err.print(f"ranked by {choice.model}, {choice.why}", highlight=False, markup=False, soft_wrap=True)
    model = find_model(choice.model)
    wanted = given | ({"level": level} if "level" in signature(model).parameters else {})
    if wanted.get("intervals") != "bootstrap":
        return model(answers, **wanted)
    with progress("bootstrap") as bar:
        return model(answers, **wanted, progress=bar)


def _write(
    ranking: Ranking, answers: Comparisons | PairCounts, output: Path | None, report: Path | None,
    workers: Path | None, title: str,
) -> None:  # fmt: skip
    if output is not None:
        write_ranking(ranking, output)
    if workers is not None:
        write_place("workers", worst_first(ranking.workers), workers)
    if report is not None:
        from sidewise.report import write_report

        with progress("drawing the report"):
            write_report(report, ranking, answers, title=title)


def _say_where(output: Path | None, report: Path | None) -> None:
    for path, what in ((output, "ranking"), (report, "report")):
        if path is not None:
            err.print(f"the {what} is in {path}", highlight=False)
