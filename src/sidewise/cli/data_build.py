"""``sidewise data build pairs``: a side-by-side data set from a table of items."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidewise.cli.columns import Delimiter, one_character
from sidewise.cli.console import err, explained, out, plain, progress
from sidewise.errors import SidewiseError
from sidewise.ranking.display import counted

if TYPE_CHECKING:
    from sidewise.datasets.building import PairSet

COLUMNS, CHOICE, PAIRS, CONTROLS = "Columns", "Which items", "Which pairs", "Controls and pages"

app = typer.Typer(no_args_is_help=True, help="Build a new data set.")


@app.callback()
def build() -> None:
    """Build a new data set."""


@app.command()
def pairs(
    table: Annotated[str, typer.Argument(help="The items: CSV, TSV, Parquet or JSON Lines.", show_default=False)],
    output: Annotated[Path, typer.Option("--out", help="The new folder.", show_default=False)],
    number: Annotated[int, typer.Option("--pairs", help="How many different pairs, n − 1 for n items at the least.", show_default=False, rich_help_panel=PAIRS)],  # noqa: E501
    name: Annotated[str, typer.Option("--id", help="Column of the ids.", rich_help_panel=COLUMNS)] = "id",
    media: Annotated[str | None, typer.Option(help="Column of the media: paths or addresses.", rich_help_panel=COLUMNS)] = None,  # noqa: E501
    group: Annotated[list[str] | None, typer.Option(help="Column whose values make groups; may be repeated.", rich_help_panel=COLUMNS)] = None,  # noqa: E501
    truth: Annotated[str | None, typer.Option(help="Column of the truth, a number.", rich_help_panel=COLUMNS)] = None,
    quality: Annotated[str | None, typer.Option(help="Column of how good the medium is, a number: the best come first.", rich_help_panel=COLUMNS)] = None,  # noqa: E501
    identity: Annotated[str | None, typer.Option(help="Column of whom or what it shows: one item of each in a group.", rich_help_panel=COLUMNS)] = None,  # noqa: E501
    keep: Annotated[list[str] | None, typer.Option(help="Another column to keep; may be repeated.", rich_help_panel=COLUMNS)] = None,  # noqa: E501
    delimiter: Delimiter = None,
    within: Annotated[list[str] | None, typer.Option("--range", metavar="COLUMN=LOW:HIGH", help="Leave out items out of this range, such as age=10:70 or score=2:; may be repeated.", rich_help_panel=CHOICE)] = None,  # noqa: E501
    per_group: Annotated[int | None, typer.Option(help="How many items of each group; all, without it.", min=1, rich_help_panel=CHOICE)] = None,  # noqa: E501
    draw: Annotated[str, typer.Option(help="best takes the items of the best quality first, random any.", rich_help_panel=CHOICE)] = "best",  # noqa: E501
    few: Annotated[str, typer.Option(help="A group of too few items: error, keep (take all of them) or drop.", rich_help_panel=CHOICE)] = "error",  # noqa: E501
    design: Annotated[str, typer.Option(help="erdos-renyi, regular, or a strategy of sidewise next, such as rectangular.", rich_help_panel=PAIRS)] = "erdos-renyi",  # noqa: E501
    controls: Annotated[int, typer.Option(help="How many control comparisons.", min=0, rich_help_panel=CONTROLS)] = 0,
    margin: Annotated[float | None, typer.Option(help="Their truth differs by more than this.", min=0, rich_help_panel=CONTROLS)] = None,  # noqa: E501
    lower_wins: Annotated[bool, typer.Option("--lower-wins", help="The right answer is the item of the lower truth.", rich_help_panel=CONTROLS)] = False,  # noqa: E501
    tasks_per_page: Annotated[int, typer.Option(help="Real tasks on a page.", min=1, rich_help_panel=CONTROLS)] = 3,
    controls_per_page: Annotated[int | None, typer.Option(help="Controls on a page; 1 where there are any.", min=0, show_default=False, rich_help_panel=CONTROLS)] = None,  # noqa: E501
    question: Annotated[str, typer.Option(help="What workers are asked about a pair.")] = "",
    title: Annotated[str, typer.Option(help="Of the data set.")] = "",
    licence: Annotated[str, typer.Option(help="Of the data set, for its card.")] = "",
    media_folder: Annotated[Path | None, typer.Option(help="Where the media's paths begin: chosen files are copied from there.")] = None,  # noqa: E501
    pictures: Annotated[bool, typer.Option("--pictures/--no-pictures", help="Draw pictures for the data card (extra plot).")] = True,  # noqa: E501
    force: Annotated[bool, typer.Option("--force", help="Replace a data set that is there, if nothing else is in its folder.")] = False,  # noqa: E501
    seed: Annotated[int, typer.Option(help="The same seed gives the same data set.", min=0)] = 0,
) -> None:  # fmt: skip
    """Choose items, draw pairs that join them all, sides, controls and pages, and write what a campaign needs."""
    from sidewise.datasets.building.fresh import check_free
    from sidewise.datasets.building.pairs import build_pairs

    choices: Any = {"draw": draw, "few": few}
    with explained():
        check_free(output, force=force)
        made = build_pairs(
            table, pairs=number, id=name, media=media, groups=group or (), truth=truth, quality=quality,
            identity=identity, keep=keep or (), ranges=ranges_of(within), per_group=per_group, design=design,
            controls=controls, margin=margin, lower_wins=lower_wins, tasks_per_page=tasks_per_page,
            controls_per_page=controls_per_page, title=title, question=question, licence=licence, seed=seed,
            delimiter=one_character(delimiter), **choices,
        )  # fmt: skip
        with progress("writing") as bar:
            made.write(output, media_folder=media_folder, force=force, pictures=pictures, progress=bar)
        _tell(made, output)
        if media_folder is None and made.media_paths:
            _warn_of_media(made.media_paths, Path(table).parent, output)


def ranges_of(given: list[str] | None) -> dict[str, tuple[float | None, float | None]]:
    """Ranges by column, from column=low:high, of which either end may be left out."""
    ranges: dict[str, tuple[float | None, float | None]] = {}
    for text in given or ():
        column, equals, ends = text.rpartition("=")
        low, colon, high = ends.partition(":")
        try:
            bounds = (float(low) if low else None, float(high) if high else None)
        except ValueError:
            equals = ""
        if not (column and equals and colon):
            raise SidewiseError(f"--range {text!r}: write the column, its lowest and its highest value: age=10:70")
        if column in ranges:
            raise SidewiseError(f"--range {column} stands more than once")
        ranges[column] = bounds
    return ranges


def _tell(made: "PairSet", folder: Path) -> None:
    """What came out, in a few lines."""
    for reason, count in made.reasons.items():
        _say(f"left out {counted(count, 'item')}: {reason}")
    degree, balance, groups = made.degree, made.side_balance, int((made.groups.taken > 0).sum())
    _say(f"{counted(made.items.num_rows, 'item')} in {counted(groups, 'group')}, of {made.read:,}")
    spread = f"{degree.min():,} to {degree.max():,} of an item, mean {degree.mean():.1f}"
    _say(f"{counted(len(made), 'pair')}, {spread}{f'; {made.moved:,} moved to join parts' if made.moved else ''}")
    _say(f"on the left {balance.min():.0%} to {balance.max():.0%} of an item's pairs")
    _say(f"{counted(len(made.controls), 'control')}, {counted(made.pages, 'page')}")
    err.print(
        f"the data set is in {plain(folder)}; begin with {plain(folder / 'README.md')}", highlight=False, soft_wrap=True
    )


def _warn_of_media(paths: Sequence[str], beside: Path, folder: Path) -> None:
    """Say that media were not copied, and if they lie beside the table, how they will be."""
    found = not Path(paths[0]).is_absolute() and (beside / paths[0]).is_file()
    lie = f"--media-folder {beside}" if found else "--media-folder FOLDER, where the paths begin"
    what = "the file of 1 medium was" if len(paths) == 1 else f"the files of {len(paths):,} media were"
    err.print(
        f"[yellow]warning:[/] {plain(what)} not copied, and the campaign looks for them in {plain(folder)}: put them "
        f"there, or build with {plain(lie)}",
        highlight=False, soft_wrap=True,
    )  # fmt: skip


def _say(line: str) -> None:
    out.print(plain(line), highlight=False, soft_wrap=True)
