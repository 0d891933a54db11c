"""Options that say what is in a file; every command that reads answers has them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from sidewise.cli.console import err, plain, progress
from sidewise.cli.places import check_place
from sidewise.comparisons import Comparisons, PairCounts, read, read_counts
from sidewise.errors import ComparisonError, DataError, SidewiseError
from sidewise.ranking.display import counted

STREAM_BYTES = 1 << 30  # larger files are reduced to pair counts on the way, where the model allows
ROW_MODELS = ("crowd-bt", "elo", "factor-bt", "linear-bias", "pairwise-hits", "worker-bt")  # pair counts are too few
WORKER_MODELS = (
    "crowd-bt", "factor-bt", "hodge-rank", "linear-bias", "pairwise-hits", "thurstone", "worker-bt",
)  # fmt: skip
WORKER_OPTIONS = {"credit": "--credit", "bias_sd": "--bias-sd", "sensitivity_sd": "--sensitivity-sd"}

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
        help="Column of a factor seen from the left, such as −1/0/1, that may sway workers; may be repeated.",
        rich_help_panel="Columns",
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
    str | None,
    typer.Option(help="What separates the columns of a text file: one character.", rich_help_panel="Columns"),
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
    columns["delimiter"] = one_character(columns["delimiter"])
    on_bad = "raise" if skip_bad is None else "skip"
    check_place(skip_bad, file, endings=None, flag="--skip-bad")
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
            f"[yellow]left out[/] {counted(len(answers.rejects), 'row')} ({plain(kinds)}); see {plain(skip_bad)}",
            highlight=False,
        )
    elif answers.rejects:
        err.print(f"[yellow]dropped[/] {counted(len(answers.rejects), 'undecided answer')}, as asked", highlight=False)
    return answers


def wants_stream(
    file: str, asked: bool | None, model: str | None, wanted: Mapping[str, Any], named: Mapping[str, Any]
) -> bool:
    """Whether to reduce while reading: not where the single comparisons are needed later, and where that was asked
    for nevertheless, an error (``named`` are options about what pair counts cannot hold: columns, the workers' table).
    """
    from sidewise.comparisons.files import sources

    needing = _needs_rows(model, wanted) + [f"--{name}" for name in ("workers", "workers-out") if named.get(name)]
    if asked:
        forgotten = list(dict.fromkeys([*needing, *(f"--{name}" for name, value in named.items() if value)]))
        if forgotten:
            raise SidewiseError(
                f"--stream keeps pair counts alone, which are not enough for {' and '.join(forgotten)}: leave out one "
                "or the other",
            )
        return True
    return asked is None and not needing and sum(part.path.stat().st_size for part in sources(file)) >= STREAM_BYTES


def _needs_rows(model: str | None, wanted: Mapping[str, Any]) -> list[str]:
    """The options that pair counts are not enough for, as they are written."""
    name = (model or "").replace("_", "-").lower()
    needing = [f"--model {name}"] if name in ROW_MODELS else []
    needing += [flag for option, flag in WORKER_OPTIONS.items() if option in wanted]
    if "covariates" in wanted:
        needing.append("--covariate")
    if wanted.get("intervals") in ("sandwich", "bootstrap"):
        needing.append(f"--intervals-by {wanted['intervals']}")
    return needing


def one_character(delimiter: str | None) -> str | None:
    """A delimiter that the readers take; a tab may be written as a backslash and t, since shells make it hard."""
    if delimiter is None:
        return None
    delimiter = "\t" if delimiter == r"\t" else delimiter
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n':
        raise SidewiseError(f"--delimiter {delimiter!r}: one character separates columns, such as ',' or ';' or a tab")
    return delimiter


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
    if path is None:
        return ()
    try:
        return tuple(line for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip())
    except FileNotFoundError:
        raise DataError(f"there is no file {path}") from None
    except UnicodeDecodeError:
        raise DataError(f"{path} is not UTF-8 text; save it as UTF-8") from None
