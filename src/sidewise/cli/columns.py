"""Options that say what is in a file; every command that reads answers has them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from sidewise.cli.console import err, progress
from sidewise.comparisons import Comparisons, PairCounts, read, read_counts
from sidewise.errors import ComparisonError

STREAM_BYTES = 1 << 30  # larger files are reduced to pair counts on the way, where the model allows

File = Annotated[
    str,
    typer.Argument(
        help="CSV, TSV, Parquet or JSON Lines, also .gz; a pattern such as 'part-*.csv' reads all parts.",
        show_default=False,
    ),
]
Left = Annotated[str | None, typer.Option(help="Column of the left item.", rich_help_panel="Columns")]
Right = Annotated[str | None, typer.Option(help="Column of the right item.", rich_help_panel="Columns")]
Winner = Annotated[
    str | None,
    typer.Option(
        help="Column that says who won: an item, left/right/tie, or a number from 0 to 1.", rich_help_panel="Columns"
    ),
]
Loser = Annotated[
    str | None, typer.Option(help="Column of the loser, for files of winners and losers.", rich_help_panel="Columns")
]
Worker = Annotated[str | None, typer.Option(help="Column of the worker.", rich_help_panel="Columns")]
Weight = Annotated[str | None, typer.Option(help="Column of the weight.", rich_help_panel="Columns")]
Factor = Annotated[
    list[str] | None,
    typer.Option(
        help="Column of a factor seen from the left, such as −1/0/1; may be repeated.", rich_help_panel="Columns"
    ),
]
WinnerIsOption = Annotated[
    str | None,
    typer.Option(
        "--winner-is",
        help="Read the winner as: item, side or number (found out by itself where it is clear).",
        rich_help_panel="Columns",
    ),
]
UndecidedOption = Annotated[
    str | None,
    typer.Option(
        "--undecided", help='What to do with answers such as "can\'t decide": tie or drop.', rich_help_panel="Columns"
    ),
]
OutcomeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--outcome",
        help="What a word of the winner column means, as in a1=left, a2=right, equal=tie; may be repeated.",
        rich_help_panel="Columns",
    ),
]
Delimiter = Annotated[
    str | None, typer.Option(help="What separates the columns of a text file.", rich_help_panel="Columns")
]
SkipBad = Annotated[
    Path | None,
    typer.Option(
        "--skip-bad",
        help="Go on without bad rows, and write them to this CSV file with the reason.",
        rich_help_panel="Columns",
    ),
]


def read_answers(file: str, skip_bad: Path | None, *, stream: bool, **columns: Any) -> Comparisons | PairCounts:
    """Read a file as the options say; tell what was left out, and where it is."""
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
        err.print(
            f"[yellow]left out[/] {len(answers.rejects):,} rows ({kinds}); they are in {skip_bad}", highlight=False
        )
    elif answers.rejects:
        err.print(f"[yellow]dropped[/] {len(answers.rejects):,} undecided answers, as asked", highlight=False)
    return answers


def wants_stream(file: str, asked: bool | None, wanted: Mapping[str, Any]) -> bool:
    """Whether to reduce while reading: not where the single comparisons are needed later."""
    if asked is not None:
        return asked
    from sidewise.comparisons.files import sources

    needs_rows = {"covariates", "orders"} & wanted.keys() or wanted.get("intervals") in ("sandwich", "bootstrap")
    return not needs_rows and sum(part.path.stat().st_size for part in sources(file)) >= STREAM_BYTES


def outcome_words(pairs: list[str] | None) -> dict[str, float] | None:
    """What the words of the winner column mean, from word=left and the like."""
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


def lines(path: Path | None) -> tuple[str, ...]:
    """The lines of a file that are not empty."""
    return () if path is None else tuple(line for line in path.read_text(encoding="utf-8").splitlines() if line)
