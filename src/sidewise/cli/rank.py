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
from sidewise.cli.leaderboard import Format, check_name, print_ranking, write_ranking
from sidewise.comparisons import Comparisons, PairCounts
from sidewise.errors import SidewiseError
from sidewise.ranking import Ranking

# Named here, and not asked of the models, so that --help need not load them; a test compares.
MODEL_NAMES = (
    "bradley-terry", "crowd-bt", "elo", "factor-bt", "hodge-rank", "linear-bias", "page-rank", "pairwise-hits",
    "random-order", "thurstone", "win-rate", "worker-bt",
)  # fmt: skip
# What the options of the models are called here.
FLAGS = {
    "ties": "--ties", "prior": "--prior", "covariates": "--covariate", "intervals": "--intervals-by", "unit": "--unit",
    "replicates": "--replicates", "orders": "--orders", "seed": "--seed", "strict": "--strict", "level": "--interval",
    "flow": "--flow", "penalty": "--penalty",
}  # fmt: skip


def rank(
    file: File,
    model: Annotated[str, typer.Option(help=f"One of: {', '.join(MODEL_NAMES)}.")] = "bradley-terry",
    ties: Annotated[str | None, typer.Option(help="half, davidson, rao-kupper, threshold or drop.")] = None,
    prior: Annotated[str | None, typer.Option(help="auto (spread estimated), none (maximum likelihood), normal:SD or virtual:STRENGTH.")] = None,  # noqa: E501
    covariate: Annotated[list[str] | None, typer.Option(help="What else sways a comparison: side, or a factor's name; may be repeated.")] = None,  # noqa: E501
    interval: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    intervals: Annotated[str | None, typer.Option("--intervals-by", help="posterior, hessian, sandwich, least-squares, bootstrap or none.")] = None,  # noqa: E501
    unit: Annotated[str | None, typer.Option(help="What bootstrap and sandwich take as independent: comparison or worker.")] = None,  # noqa: E501
    replicates: Annotated[int | None, typer.Option(help="Of the bootstrap.", min=2)] = None,
    orders: Annotated[int | None, typer.Option(help="Average elo over so many random orders of rows.", min=0)] = None,
    flow: Annotated[str | None, typer.Option(help="hodge-rank: mean, logit, probit or angular; pairwise-hits: sum or mean.")] = None,  # noqa: E501
    penalty: Annotated[float | None, typer.Option(help="linear-bias: on the workers' biases, instead of one by BIC.", min=0)] = None,  # noqa: E501
    seed: Annotated[int | None, typer.Option(help="Of everything random.")] = None,
    scale: Annotated[str, typer.Option(help="model, or elo (400 points are odds of ten to one).")] = "model",
    anchor: Annotated[str | None, typer.Option(help="Item to put at the zero of the scale.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail where the fit has not converged.")] = False,
    output: Annotated[Path | None, typer.Option("--out", help="Write the ranking: .csv, .parquet or .json.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a report with pictures to this HTML file.")] = None,
    title: Annotated[str | None, typer.Option(help="Of the report.")] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.table,
    top: Annotated[int, typer.Option(help="How many rows of the table to print; 0 prints all.", min=0)] = 50,
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
        wanted = _options(model, ties, prior, covariate, interval, intervals, unit, replicates, orders, flow, penalty,
                          seed, strict=strict)  # fmt: skip
        _check_outputs(output, report)
        reduced = wants_stream(file, stream, model, wanted, {"worker": worker, "factor": factor})
        answers = read_answers(
            file, skip_bad, stream=reduced, left=left, right=right, winner=winner, loser=loser, worker=worker,
            weight=weight, factors=tuple(factor or ()), winner_is=winner_is, undecided=undecided,
            outcomes=outcome_words(outcome), delimiter=delimiter, items=lines(items),
        )  # fmt: skip
        ranking = _fit(answers, model, wanted)
        if scale != "model" or anchor is not None:
            ranking = ranking.rescale(anchor=anchor, scale=scale)
        if output is not None:
            write_ranking(ranking, output)
        if report is not None:
            _write_report(report, ranking, answers, title or f"Ranking of {Path(file).name}")
        print_ranking(ranking, form, top)
        _say_where(output, report)


def _options(
    model: str, ties: str | None, prior: str | None, covariate: list[str] | None, interval: float,
    intervals: str | None, unit: str | None, replicates: int | None, orders: int | None, flow: str | None,
    penalty: float | None, seed: int | None, *, strict: bool,
) -> dict[str, Any]:  # fmt: skip
    """The options that were given, if the model takes them."""
    from sidewise.models import find_model

    given: dict[str, Any] = {
        "ties": ties, "prior": _prior(prior), "covariates": covariate or None, "intervals": intervals, "unit": unit,
        "replicates": replicates, "orders": orders, "flow": flow, "penalty": penalty, "seed": seed,
        "strict": strict or None,
    }  # fmt: skip
    given = {name: value for name, value in given.items() if value is not None}
    if given.get("prior") == "none":
        given["prior"] = None
    taken = signature(find_model(model)).parameters
    for name in given:
        if name not in taken:
            known = ", ".join(flag for option, flag in FLAGS.items() if option in taken)
            raise SidewiseError(f"{model} has no option {FLAGS[name]}; it takes: {known}")
    if "level" in taken:
        given["level"] = interval
    return given


def _check_outputs(output: Path | None, report: Path | None) -> None:
    """What cannot be written is said before the work, not after it."""
    if output is not None:
        check_name(output)
    if report is not None:
        from sidewise.report.page import check_extras

        check_extras()
    for path in (output, report):
        if path is not None and not path.parent.is_dir():
            raise SidewiseError(f"{path}: there is no folder {path.parent}; make it first")


def _prior(text: str | None) -> Any:
    from sidewise.models import Normal, VirtualItem

    if text is None or text == "none":
        return text
    kind, _, number = text.partition(":")
    try:
        value = float(number) if number else None
    except ValueError:
        value, kind = None, ""
    match kind, value:
        case (("auto" | "normal"), None):
            return Normal()
        case "normal", _:
            return Normal(value)
        case "virtual", _:
            return VirtualItem(1.0 if value is None else value)
        case _:
            raise SidewiseError(f"--prior {text!r} is not one of: auto, none, normal:SD, virtual:STRENGTH")


def _fit(answers: Comparisons | PairCounts, model: str, wanted: dict[str, Any]) -> Ranking:
    from sidewise.models import find_model

    if wanted.get("intervals") != "bootstrap":
        return find_model(model)(answers, **wanted)
    with progress("bootstrap") as bar:
        return find_model(model)(answers, **wanted, progress=bar)


def _write_report(path: Path, ranking: Ranking, answers: Comparisons | PairCounts, title: str) -> None:
    from sidewise.report import write_report

    with progress("drawing the report"):
        write_report(path, ranking, answers, title=title)


def _say_where(output: Path | None, report: Path | None) -> None:
    for path, what in ((output, "ranking"), (report, "report")):
        if path is not None:
            err.print(f"the {what} is in {path}", highlight=False)
