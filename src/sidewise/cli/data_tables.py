"""``sidewise data split``, ``filter`` and ``diverging``: parts of a table, and what to leave out of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidewise.cli.columns import Delimiter, lines, one_character
from sidewise.cli.console import explained, out, plain
from sidewise.cli.places import check_apart, check_place, write_place
from sidewise.errors import SidewiseError
from sidewise.ranking.display import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from sidewise.datasets.building import Filtered

TableFile = Annotated[
    str, typer.Argument(help="CSV, TSV, Parquet or JSON Lines, also .gz; all its columns are kept.", show_default=False)
]
Out = Annotated[Path, typer.Option("--out", help="Write what is kept: .csv or .parquet.", show_default=False)]
Removed = Annotated[
    Path | None, typer.Option("--removed", help="Write what was removed, each row with the reason: .csv or .parquet.")
]
EXAMPLES = 5


def split(
    table: TableFile,
    output: Annotated[Path, typer.Option("--out", help="An existing folder: every part becomes a file in it, named after it.", show_default=False)],  # noqa: E501
    part: Annotated[list[str] | None, typer.Option(metavar="NAME=SHARE", help="A part and its share, or its number of rows; train=0.8 and test=0.2 if not said. Repeat for each.")] = None,  # noqa: E501
    together: Annotated[str | None, typer.Option(help="Column whose equal values stay in one part.")] = None,
    others: Annotated[Path | None, typer.Option(help="Another data set: rows that overlap its boxes go to the first part.")] = None,  # noqa: E501
    overlap: Annotated[str, typer.Option(help="What overlaps: boxes (on the same image) or images.")] = "boxes",
    by_name: Annotated[bool, typer.Option("--by-name", help="Images are the same where the last part of their path is.")] = False,  # noqa: E501
    form: Annotated[str, typer.Option("--format", help="Of the files: csv, or parquet, in which columns of a text file that hold only numbers are numbers.")] = "csv",  # noqa: E501
    seed: Annotated[int, typer.Option(help="The same seed gives the same parts.", min=0)] = 0,
    delimiter: Delimiter = None,
) -> None:  # fmt: skip
    """Split a table at random into parts such as train and test.

    With --others, what another data set shows already goes to the first part, so that no test has been met before.
    """
    from sidewise.datasets.building import split_table

    with explained():
        shares, kind = _shares(part or ["train=0.8", "test=0.2"]), _ending(form)
        if not output.is_dir():
            raise SidewiseError(f"--out {output}: there is no such folder; make it first")
        places = {name: output / f"{name}{kind}" for name in shares}
        for place in places.values():
            check_place(place, table, others, flag="--out")
            if place.exists():
                raise SidewiseError(f"{place} is there already: move it away, or name another folder")
        which: Any = overlap
        found = split_table(
            table, shares, together=together, others=others, overlap=which, by_name=by_name, seed=seed,
            delimiter=one_character(delimiter),
        )  # fmt: skip
        if others is not None:
            _say(f"{counted(found.held, 'row')} that {others} has too: all in {next(iter(shares))}")
        for name, rows in zip(places, _typed(table, list(found.parts.values()), kind), strict=True):
            _say(f"{name:<12}{counted(rows.num_rows, 'row')}")
            write_place(f"rows of {name}", rows, places[name])


def filter_text(
    table: TableFile,
    output: Out,
    words: Annotated[Path, typer.Option(help="File of words and phrases, one a line; what follows a # is a comment.", show_default=False)],  # noqa: E501
    column: Annotated[str, typer.Option(help="Column of the text.")] = "question",
    unless: Annotated[Path | None, typer.Option(help="File of phrases in which a word does not count, one a line.")] = None,  # noqa: E501
    inflect: Annotated[bool, typer.Option("--inflect/--no-inflect", help="Find regular English forms of words too.")] = True,  # noqa: E501
    removed: Removed = None,
    delimiter: Delimiter = None,
) -> None:  # fmt: skip
    """Remove the rows whose text has a word of a list, and say which and why.

    Capitals do not matter; a word is found as a word of its own, also inflected: kill finds killed, but not skill.
    """
    from sidewise.datasets.building import filter_words

    with explained():
        _check_places(output, removed, table, words, unless)
        found = filter_words(
            table, words, column=column, unless=lines(unless), inflect=inflect, delimiter=one_character(delimiter)
        )
        _report(table, found, output, removed, ("found", column))


def diverging(
    table: TableFile,
    answers: Annotated[str, typer.Argument(help="Fresh boxes of the same images, of one or several workers.", show_default=False)],  # noqa: E501
    output: Out,
    threshold: Annotated[float, typer.Option(help="Rows whose answers have a lower IoU are removed.")] = 0.5,
    agreement: Annotated[str, typer.Option(help="Which IoU stands for several answers: median, mean, best or consensus.")] = "median",  # noqa: E501
    unanswered: Annotated[str, typer.Option(help="Images without an answer: error, keep or drop.")] = "error",
    by_name: Annotated[bool, typer.Option("--by-name", help="Images are the same where the last part of their path is.")] = False,  # noqa: E501
    removed: Removed = None,
    delimiter: Delimiter = None,
) -> None:  # fmt: skip
    """Remove the rows whose true box fresh answers disagree with: either the question or the truth is at fault."""
    from sidewise.datasets.building import filter_divergent

    choices: Any = {"agreement": agreement, "unanswered": unanswered, "by_name": by_name}
    with explained():
        _check_places(output, removed, table, answers)
        found = filter_divergent(table, answers, threshold=threshold, delimiter=one_character(delimiter), **choices)
        _report(table, found, output, removed, ("iou", "image"))


def _report(source: str, found: "Filtered", output: Path, removed: Path | None, shown: tuple[str, str]) -> None:
    """What was removed and why, with a few examples."""
    both = [found.kept, found.removed]
    # Before a word is said: who reads only the first lines loses nothing.
    write_place("kept rows", _typed(source, both, output.suffix)[0], output)
    write_place("removed rows", _typed(source, both, removed.suffix)[1] if removed else None, removed)
    gone = found.removed.num_rows
    _say(f"kept {counted(found.kept.num_rows, 'row')}, removed {counted(gone, 'row')}")
    for reason, count in found.reasons.most_common():
        _say(f"  {count:>6,}  {reason}")
    for row in found.removed.slice(0, EXAMPLES).to_pylist():
        first, second = (row.get(name) for name in shown)
        _say(f"row {row['row']}: {f'{first:.3f}' if isinstance(first, float) else first}: {second}")
    if gone > EXAMPLES:
        _say(f"… and {gone - EXAMPLES:,} more{'' if removed else ' (--removed writes them all)'}")


def _typed(source: str, tables: "list[pa.Table]", ending: str) -> "list[pa.Table]":
    """Tables as a file of this ending holds them: of text files, numbers as numbers where the file can say so."""
    from sidewise.comparisons.files import sources
    from sidewise.datasets.building.inferring import with_numbers

    text = all(part.kind == "csv" for part in sources(source))
    return with_numbers(tables) if text and ending == ".parquet" else tables


def _check_places(output: Path, removed: Path | None, *sources: Path | str | None) -> None:
    check_place(output, *sources, flag="--out")
    check_place(removed, *sources, flag="--removed")
    check_apart(output, removed)


def _shares(given: list[str]) -> dict[str, float]:
    """Shares or numbers by part, from name=share."""
    shares: dict[str, float] = {}
    for text in given:
        name, _, share = text.rpartition("=")
        try:
            value = int(share) if share.isdecimal() else float(share)
        except ValueError:
            name = ""
        if not name:
            raise SidewiseError(f"--part {text!r}: write the part and its share: train=0.8")
        if name.casefold() in map(str.casefold, shares):
            raise SidewiseError(f"--part {name} stands more than once (capitals make no other file everywhere)")
        if set(name) & set("/\\") or name.startswith("."):
            raise SidewiseError(
                f"--part {name!r} is to be the name of a file: write it without slashes and dots in front"
            )
        shares[name] = value
    return shares


def _ending(form: str) -> str:
    if form not in ("csv", "parquet"):
        raise SidewiseError(f"--format {form!r}: csv or parquet")
    return f".{form}"


def _say(line: str) -> None:
    out.print(plain(line), highlight=False, soft_wrap=True)
