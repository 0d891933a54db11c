"""The front door: ``sidewise rank answers.csv``."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from sidewise import __version__
from sidewise.comparisons import Comparisons, PairCounts, read, read_counts
from sidewise.errors import ComparisonError, SidewiseError, SidewiseWarning
from sidewise.ranking import Ranking
from sidewise.ranking.display import cells

STREAM_BYTES = 1 << 30  # larger files are reduced to pair counts on the way, where the model allows

out, err = Console(), Console(stderr=True)
app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    help="Turns human judgments into rankings and ground truth that people can trust.",
    epilog="Try it: sidewise rank examples/cakes.csv --report cakes.html",
)


class Format(str, Enum):
    """What is printed."""

    table = "table"
    csv = "csv"
    json = "json"


File = Annotated[str, typer.Argument(help="CSV, TSV, Parquet or JSON Lines, also .gz; a pattern such as 'part-*.csv' reads all parts.", show_default=False)]  # noqa: E501
Column = Annotated[str | None, typer.Option(rich_help_panel="Columns", show_default=False)]
Left = Annotated[str | None, typer.Option(help="Column of the left item.", rich_help_panel="Columns")]
Right = Annotated[str | None, typer.Option(help="Column of the right item.", rich_help_panel="Columns")]
Winner = Annotated[str | None, typer.Option(help="Column that says who won: an item, left/right/tie, or a number from 0 to 1.", rich_help_panel="Columns")]  # noqa: E501
Loser = Annotated[str | None, typer.Option(help="Column of the loser, for files of winners and losers.", rich_help_panel="Columns")]  # noqa: E501
Worker = Annotated[str | None, typer.Option(help="Column of the worker.", rich_help_panel="Columns")]
Weight = Annotated[str | None, typer.Option(help="Column of the weight.", rich_help_panel="Columns")]
Factor = Annotated[list[str] | None, typer.Option(help="Column of a factor seen from the left, such as −1/0/1; may be repeated.", rich_help_panel="Columns")]  # noqa: E501
WinnerIsOption = Annotated[str | None, typer.Option("--winner-is", help="Read the winner as: item, side or number (found out by itself where it is clear).", rich_help_panel="Columns")]  # noqa: E501
UndecidedOption = Annotated[str | None, typer.Option("--undecided", help="What to do with answers such as \"can't decide\": tie or drop.", rich_help_panel="Columns")]  # noqa: E501
OutcomeOption = Annotated[list[str] | None, typer.Option("--outcome", help="What a word of the winner column means, as in a1=left, a2=right, equal=tie; may be repeated.", rich_help_panel="Columns")]  # noqa: E501
Delimiter = Annotated[str | None, typer.Option(help="What separates the columns of a text file.", rich_help_panel="Columns")]  # noqa: E501
SkipBad = Annotated[Path | None, typer.Option("--skip-bad", help="Go on without bad rows, and write them to this CSV file with the reason.", rich_help_panel="Columns")]  # noqa: E501


@app.command()
def rank(
    file: File,
    model: Annotated[str, typer.Option(help="bradley-terry, elo, page-rank, random-order or win-rate.")] = "bradley-terry",
    ties: Annotated[str | None, typer.Option(help="half, davidson, rao-kupper or drop.")] = None,
    prior: Annotated[str | None, typer.Option(help="auto (spread estimated), none (maximum likelihood), normal:SD or virtual:STRENGTH.")] = None,  # noqa: E501
    covariate: Annotated[list[str] | None, typer.Option(help="What else sways a comparison: side, or a factor's name; may be repeated.")] = None,  # noqa: E501
    interval: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    intervals: Annotated[str | None, typer.Option(help="hessian, sandwich, bootstrap or none.")] = None,
    unit: Annotated[str | None, typer.Option(help="What bootstrap and sandwich take as independent: comparison or worker.")] = None,  # noqa: E501
    replicates: Annotated[int | None, typer.Option(help="Of the bootstrap.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of everything random.")] = None,
    scale: Annotated[str, typer.Option(help="model, or elo (400 points are odds of ten to one).")] = "model",
    anchor: Annotated[str | None, typer.Option(help="Item to put at the zero of the scale.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail where the fit has not converged.")] = False,
    output: Annotated[Path | None, typer.Option("--out", help="Write the ranking: .csv, .parquet or .json.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a report with pictures to this HTML file.")] = None,
    title: Annotated[str | None, typer.Option(help="Of the report.")] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.table,
    top: Annotated[int, typer.Option(help="How many rows of the table to print; 0 prints all.")] = 50,
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
        wanted = _options(model, ties, prior, covariate, interval, intervals, unit, replicates, seed, strict=strict)
        answers = _read(
            file, skip_bad, stream=_streams(file, stream, wanted), left=left, right=right, winner=winner, loser=loser,
            worker=worker, weight=weight, factors=tuple(factor or ()), winner_is=winner_is, undecided=undecided,
            outcomes=_outcomes(outcome), delimiter=delimiter, items=_lines(items),
        )  # fmt: skip
        ranking = _fit(answers, model, wanted)
        if scale != "model" or anchor is not None:
            ranking = ranking.rescale(anchor=anchor, scale=scale)
        if output is not None:
            _write(ranking, output)
        if report is not None:
            _write_report(report, ranking, answers, title or f"Ranking of {Path(file).name}")
        _print(ranking, form, top)
        _say_where(output, report)


@app.command()
def summary(
    file: File,
    left: Left = None, right: Right = None, winner: Winner = None, loser: Loser = None, worker: Worker = None,
    weight: Weight = None, winner_is: WinnerIsOption = None, undecided: UndecidedOption = None,
    outcome: OutcomeOption = None, delimiter: Delimiter = None, skip_bad: SkipBad = None,
) -> None:  # fmt: skip
    """Check a file of comparisons and say what is in it."""
    with explained():
        answers = _read(
            file, skip_bad, stream=False, left=left, right=right, winner=winner, loser=loser, worker=worker,
            weight=weight, winner_is=winner_is, undecided=undecided, outcomes=_outcomes(outcome), delimiter=delimiter,
        )  # fmt: skip
        assert isinstance(answers, Comparisons)
        out.print(str(answers.summary()), highlight=False)


@app.callback(invoke_without_command=True)
def version(
    show: Annotated[bool, typer.Option("--version", help="Say which version this is.", is_eager=True)] = False,
) -> None:
    """Say which version this is."""
    if show:
        out.print(f"sidewise {__version__}", highlight=False)
        raise typer.Exit


def main() -> None:
    """Run the command line."""
    app()


@contextmanager
def explained() -> Iterator[None]:
    """Errors that a user can mend are one message and exit code 2; warnings are lines, not tracebacks."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", SidewiseWarning)
            yield
        for warning in caught:
            if issubclass(warning.category, SidewiseWarning):
                err.print(f"[yellow]warning:[/] {_plain(warning.message)}", highlight=False)
    except (SidewiseError, OSError) as error:
        err.print(f"[red]error:[/] {_plain(error)}", highlight=False, soft_wrap=True)
        raise typer.Exit(2) from None


def _plain(message: object) -> str:
    from rich.markup import escape

    return escape(str(message))


@contextmanager
def progress(what: str) -> Iterator[Any]:
    """A progress bar on the error stream, which goes away when the work is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _read(file: str, skip_bad: Path | None, *, stream: bool, **columns: Any) -> Comparisons | PairCounts:
    on_bad = "raise" if skip_bad is None else "skip"
    with progress("reading") as bar:
        if stream:
            for name in ("worker", "factors"):
                columns.pop(name, None)
            answers: Comparisons | PairCounts = read_counts(file, on_bad=on_bad, progress=bar, **columns)  # type: ignore[arg-type]
        else:
            answers = read(file, on_bad=on_bad, progress=bar, **columns)  # type: ignore[arg-type]
    if answers.rejects and skip_bad is not None:
        answers.rejects.write(skip_bad)
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in answers.rejects.counts.most_common())
        err.print(f"[yellow]left out[/] {len(answers.rejects):,} rows ({kinds}); they are in {skip_bad}", highlight=False)
    elif answers.rejects:
        err.print(f"[yellow]dropped[/] {len(answers.rejects):,} undecided answers, as asked", highlight=False)
    return answers


def _streams(file: str, asked: bool | None, wanted: dict[str, Any]) -> bool:
    """Whether to reduce while reading: not where the single comparisons are needed later."""
    if asked is not None:
        return asked
    from sidewise.comparisons.files import sources

    needs_rows = {"covariates", "orders"} & wanted.keys() or wanted.get("intervals") in ("sandwich", "bootstrap")
    return not needs_rows and sum(part.path.stat().st_size for part in sources(file)) >= STREAM_BYTES


def _options(
    model: str, ties: str | None, prior: str | None, covariate: list[str] | None, interval: float,
    intervals: str | None, unit: str | None, replicates: int | None, seed: int | None, *, strict: bool,
) -> dict[str, Any]:  # fmt: skip
    """The options that were given, if the model takes them."""
    from inspect import signature

    from sidewise.models import find_model

    given: dict[str, Any] = {
        "ties": ties, "prior": _prior(prior), "covariates": covariate or None, "intervals": intervals, "unit": unit,
        "replicates": replicates, "seed": seed, "strict": strict or None,
    }  # fmt: skip
    given = {name: value for name, value in given.items() if value is not None}
    if given.get("prior") == "none":
        given["prior"] = None
    taken = signature(find_model(model)).parameters
    for name in given:
        if name not in taken:
            raise SidewiseError(f"{model} has no option {name}; it takes: {', '.join(list(taken)[1:])}")
    if "level" in taken:
        given["level"] = interval
    return given


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
        case ("auto" | "normal"), None:
            return Normal()
        case "normal", _:
            return Normal(value)
        case "virtual", _:
            return VirtualItem(1.0 if value is None else value)
        case _:
            raise SidewiseError(f"--prior {text!r} is not one of: auto, none, normal:SD, virtual:STRENGTH")


def _outcomes(pairs: list[str] | None) -> dict[str, float] | None:
    if not pairs:
        return None
    sides = {"left": 1.0, "right": 0.0, "tie": 0.5}
    meanings = {}
    for pair in pairs:
        word, _, side = pair.rpartition("=")
        try:
            meanings[word] = sides[side] if side in sides else float(side)
        except ValueError:
            raise ComparisonError(f"--outcome {pair!r}: write word=left, word=right, word=tie or word=0.7") from None
    return meanings


def _lines(path: Path | None) -> tuple[str, ...]:
    return () if path is None else tuple(line for line in path.read_text(encoding="utf-8").splitlines() if line)


def _fit(answers: Comparisons | PairCounts, model: str, wanted: dict[str, Any]) -> Ranking:
    from sidewise.models import find_model

    if wanted.get("intervals") != "bootstrap":
        return find_model(model)(answers, **wanted)
    with progress("bootstrap") as bar:
        return find_model(model)(answers, **wanted, progress=bar)


def _write(ranking: Ranking, path: Path) -> None:
    table = ranking.to_frame()
    match path.suffix:
        case ".csv":
            from pyarrow.csv import write_csv

            write_csv(table, path)
        case ".parquet":
            from pyarrow.parquet import write_table

            write_table(table, path)
        case ".json":
            path.write_text(_json(ranking), encoding="utf-8")
        case _:
            raise SidewiseError(f"--out {path}: end the name in .csv, .parquet or .json")


def _json(ranking: Ranking) -> str:
    import json

    fit = ranking.fit
    about = {
        "model": fit.model, "settings": {name: str(value) for name, value in fit.settings.items()},
        "converged": fit.converged, "steps": fit.steps, "log_likelihood": fit.log_likelihood, "digest": fit.digest,
        "comparisons": fit.comparisons, "notes": list(fit.notes), "scale": ranking.scale, "level": ranking.level,
        "effects": [] if ranking.effects is None else ranking.effects.to_pylist(),
    }  # fmt: skip
    rows = [{name: None if value != value else value for name, value in row.items()} for row in ranking.to_frame().to_pylist()]  # noqa: PLR0124 - NaN
    return json.dumps({"fit": about, "items": rows}, indent=1, ensure_ascii=False)


def _write_report(path: Path, ranking: Ranking, answers: Comparisons | PairCounts, title: str) -> None:
    from sidewise.report import write_report

    with progress("drawing the report"):
        write_report(path, ranking, answers, title=title)


def _print(ranking: Ranking, form: Format, top: int) -> None:
    if form is Format.json:
        sys.stdout.write(_json(ranking) + "\n")
    elif form is Format.csv:
        from pyarrow.csv import write_csv

        write_csv(ranking.to_frame(), sys.stdout.buffer)
    else:
        _print_table(ranking, top or len(ranking))


def _print_table(ranking: Ranking, top: int) -> None:
    """A leaderboard with a line between tiers and a small picture of each interval."""
    head, rows = cells(ranking, top)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in head:
        table.add_column(name, justify="left" if name == "item" else "right", overflow="fold", no_wrap=name != "item")
    known = "tier" in head
    pictures = _whiskers(ranking, top) if known and out.width >= 100 else None
    if pictures:
        table.add_column(f"{ranking.level:.0%} interval")
    tier = head.index("tier") if known else None
    for position, row in enumerate(rows):
        last = tier is not None and position + 1 < len(rows) and rows[position + 1][tier] != row[tier]
        table.add_row(*map(_plain, row), *([pictures[position]] if pictures else []), end_section=last)
    out.print(table)
    more = len(ranking) - len(rows)
    if more > 0:
        out.print(f"… and {more:,} more (--top 0 prints all)", highlight=False)
    prior = f", prior {ranking.fit.settings['prior']}" if "prior" in ranking.fit.settings else ""
    out.print(f"\n{ranking.fit.comparisons:,} comparisons; {ranking.fit.model}{prior}; scores: {ranking.scale}", highlight=False)
    for row in [] if ranking.effects is None else ranking.effects.to_pylist():
        out.print(f"effect of {row['effect']}: {row['estimate']:.3f} ({row['low']:.3f} … {row['high']:.3f})", highlight=False)
    for note in ranking.fit.notes:
        out.print(f"note: {_plain(note)}", highlight=False)


def _whiskers(ranking: Ranking, top: int, width: int = 30) -> list[str]:
    table = ranking.to_frame().slice(0, top).to_pylist()
    lowest, highest = min(row["low"] for row in table), max(row["high"] for row in table)
    unit = (width - 1) / max(highest - lowest, 1e-12)
    drawn = []
    for row in table:
        low, at, high = (round((row[name] - lowest) * unit) for name in ("low", "score", "high"))
        line = " " * low + "─" * (at - low) + "●" + "─" * (high - at)
        drawn.append(f"[cyan]{line}[/]")
    return drawn


def _say_where(output: Path | None, report: Path | None) -> None:
    for path, what in ((output, "ranking"), (report, "report")):
        if path is not None:
            err.print(f"the {what} is in {path}", highlight=False)


if __name__ == "__main__":
    main()
