"""``sidewise data``: get data sets by name, say what they are, and check files by their hashes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from sidewise.cli.console import err, explained, out, plain, progress
from sidewise.cli.data_build import app as build
from sidewise.cli.data_tables import diverging, filter_text, split
from sidewise.cli.data_words import about, about_files, as_json, got_line, line_of, size_of
from sidewise.cli.places import check_place, json_text
from sidewise.errors import PartlyAbsent, SidewiseError
from sidewise.ranking.display import counted

if TYPE_CHECKING:
    from sidewise.datasets import Step

SHOWN = 20  # files that are named, of those that are wrong or missing

Folder = Annotated[
    Path | None,
    typer.Option("--to", help="The folder of data sets; SIDEWISE_DATA, or one in your cache, if not said."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

app = typer.Typer(no_args_is_help=True, help="Data sets: get them by name, check them, build new ones.")
app.add_typer(build, name="build")
app.command()(split)
app.command("filter")(filter_text)
app.command()(diverging)


@app.command("list")
def list_(folder: Folder = None, json: Json = False) -> None:
    """List the data sets that are known by name, and which of them are here."""
    from sidewise.datasets import data_folder, registry

    with explained():
        place = folder or data_folder()
        if json:
            _print(json_text([as_json(entry, place) for entry in registry().values()]))
            return
        for entry in registry().values():
            out.print(plain(line_of(entry, place)), highlight=False, style="bold", soft_wrap=True)
            out.print(f"    [dim]{plain(entry.about)}[/]", highlight=False)
        _print(f"\nThe folder of data sets is {place}")


@app.command()
def info(
    name: Annotated[str, typer.Argument(help="A data set; 'sidewise data list' names them.", show_default=False)],
    folder: Folder = None,
    json: Json = False,
) -> None:
    """Say what a data set is: paper, licence, citation, files, where they can be had, and whether they are here."""
    from sidewise.datasets import data_folder, find

    with explained():
        entry, place = find(name), folder or data_folder()
        if json:
            _print(json_text(as_json(entry, place)))
            return
        out.print(f"[bold]{plain(entry.title)}[/]", highlight=False)
        for label, text in about(entry):
            _paragraph(label, text)
        for line in about_files(entry, place):
            _print(line)


@app.command()
def get(
    names: Annotated[list[str], typer.Argument(help="Data sets; 'sidewise data list' names them.", show_default=False)],
    source: Annotated[Path | None, typer.Option("--from", help="Copy from this folder instead of downloading.")] = None,
    folder: Folder = None,
    file: Annotated[list[str] | None, typer.Option("--file", help="Only this file; may be given again.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also the files that are not needed to load it.")] = False,
    images: Annotated[bool, typer.Option("--images", help="Also the images, where it has any: they may be many.")] = False,  # noqa: E501
    mirror: Annotated[list[str] | None, typer.Option("--mirror", help="Address of a copy of the folder of data sets, tried first; may be given again.")] = None,  # noqa: E501
    unverified: Annotated[bool, typer.Option("--unverified", help="Download files without a published SHA-256 too.")] = False,  # noqa: E501
    timeout: Annotated[float, typer.Option(help="Seconds of silence after which a server is given up.", min=0.1)] = 30,
) -> None:  # fmt: skip
    """Get data sets: download them, or copy files that you have; verified either way.

    A file gets its name only when it is whole and its SHA-256 is right. Interrupted, call again: it goes on where it
    stopped. A file that is not what was published is kept aside, with .bad after its name, and not used.
    Where --from has only some of the files, those are copied, the others named, and the exit code is 1.
    """
    from sidewise.datasets import find
    from sidewise.datasets import get as get_data_set

    partly = False
    with explained(), _interruptible():
        for entry in [find(name) for name in names]:
            try:
                with _bars() as step:
                    got = get_data_set(
                        entry.name, files=file or (), everything=everything, images=images, source=source,
                        folder=folder, mirrors=mirror or (), unverified=unverified, timeout=timeout, progress=step,
                        tell=_tell,
                    )  # fmt: skip
            except PartlyAbsent as some:
                partly = True
                err.print(f"[yellow]missing:[/] {plain(some)}", highlight=False, soft_wrap=True)
                continue
            for one in got:
                err.print(plain(got_line(one)), highlight=False, soft_wrap=True)
            what = entry.name if file else f"{entry.name} is here"
            err.print(plain(f"{what}. Licence: {entry.licence}. Cite: {entry.citation}"), highlight=False)
    if partly:
        raise typer.Exit(1)


@app.command()
def verify(
    what: Annotated[list[str] | None, typer.Argument(help="Data sets, all that are here if none is named; with --manifest, the folder of its files.", show_default=False)] = None,  # noqa: E501
    manifest: Annotated[Path | None, typer.Option(help="Check files against this list of SHA-256, as sha256sum writes it.")] = None,  # noqa: E501
    images: Annotated[bool, typer.Option("--images", help="Also the images of the data sets.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="With --manifest: files that it does not name are wrong too.")] = False,  # noqa: E501
    folder: Folder = None,
) -> None:  # fmt: skip
    """Check that files are what was published: exit code 2 if any is not, or is missing."""
    with explained():
        if manifest is not None:
            if what and len(what) > 1:
                raise SidewiseError("--manifest goes with one folder: the one that its names are relative to")
            good = _manifest(manifest, Path(what[0]) if what else manifest.parent, strict=strict)
        else:
            good = False not in [_data_set(name, folder, images=images) for name in what or _here(folder)]
        if not good:
            raise typer.Exit(2)


@app.command("hash")
def hash_(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders.", show_default=False)],
    output: Annotated[Path | None, typer.Option("--out", help="Write the list to this file, instead of printing it.")] = None,  # noqa: E501
    below: Annotated[Path | None, typer.Option(help="What names are relative to: the folder that is hashed, or the working folder.")] = None,  # noqa: E501
) -> None:  # fmt: skip
    """List the SHA-256 of files, for 'sidewise data verify --manifest' and 'sha256sum --check'."""
    from sidewise.datasets import hash_files, same_files, write_manifest
    from sidewise.datasets.manifests import manifest_lines

    with explained():
        check_place(output, endings=None)
        with progress("hashing") as bar:
            digests = hash_files(paths, below=below, leave_out=output, progress=bar)
        if output is None:
            for line in manifest_lines(digests):
                _print(line)
        else:
            write_manifest(digests, output)
            err.print(f"the SHA-256 of {counted(len(digests), 'file')} are in {output}", highlight=False, markup=False)
        same = same_files(digests)
        for names in same[:SHOWN]:
            _tell(f"the same bytes: {', '.join(names)}")
        if len(same) > SHOWN:
            _tell(f"… and {len(same) - SHOWN:,} more groups of the same bytes")


def _here(folder: Path | None) -> list[str]:
    from sidewise.datasets import data_folder, registry

    place = folder or data_folder()
    found = {name: place / entry.folder for name, entry in registry().items()}
    here = [name for name, entry in registry().items() if any((found[name] / file).is_file() for file in entry.files)]
    if not here:
        raise SidewiseError(f"there is nothing to verify in {place}: get a data set first, or name one")
    return here


def _data_set(name: str, folder: Path | None, *, images: bool) -> bool:
    from sidewise.datasets import data_folder, find, verify

    entry = find(name)
    checks = verify(name, folder=folder)
    for check in checks:
        colour = {"good": "green", "unknown": "yellow"}.get(check.state, "red")
        out.print(f"[{colour}]{check.state:<8}[/] {plain(f'{name}: {check.file} {check.reason}'.rstrip())}",
                  highlight=False, soft_wrap=True)  # fmt: skip
    good = all(check.good for check in checks)
    if images and entry.images is not None:
        place = (folder or data_folder()) / entry.folder
        good &= _manifest(place / entry.images.manifest, place / entry.images.folder, strict=False)
    return good


def _manifest(manifest: Path, folder: Path, *, strict: bool) -> bool:
    from sidewise.datasets import verify_manifest

    with progress("verifying") as bar:
        found = verify_manifest(manifest, folder, progress=bar)
    _name_some("wrong", found.wrong)
    _name_some("missing", found.missing)
    if strict:
        _name_some("not in the manifest", found.unlisted)
    _print(f"{folder}: {found}")
    return bool(found) and not (strict and found.unlisted)


def _name_some(state: str, names: list[str]) -> None:
    for name in names[:SHOWN]:
        out.print(f"[red]{state:<8}[/] {plain(name)}", highlight=False, soft_wrap=True)
    if len(names) > SHOWN:
        _print(f"… and {len(names) - SHOWN:,} more {state}")


@contextmanager
def _interruptible() -> Iterator[None]:
    """Say that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        err.print("interrupted: what has come is kept; call again to go on", highlight=False)
        raise typer.Exit(130) from None


@contextmanager
def _bars() -> Iterator[Callable[["Step"], None]]:
    """A bar for the file that comes, which goes away; speed and size in bytes, images in files."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[amount]}"),
        TimeRemainingColumn(),
    )
    tasks: dict[str, Any] = {}
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bars:

        def step(at: "Step") -> None:
            if at.what not in tasks:
                tasks[at.what] = bars.add_task(plain(at.what), total=at.total, amount="")
            bars.update(tasks[at.what], completed=at.done, total=at.total, amount=_amount(at))

        yield step


def _amount(at: "Step") -> str:
    if at.unit == "files":
        return f"{at.done:,} of {counted(at.total or 0, 'file')}"
    return f"{size_of(at.done)} of {size_of(at.total)}"


def _tell(line: str) -> None:
    err.print(f"[yellow]note:[/] {plain(line)}", highlight=False, soft_wrap=True)


def _print(text: str) -> None:
    out.print(text, highlight=False, markup=False, soft_wrap=True)


def _paragraph(label: str, text: str) -> None:
    """A label, and a text that is wrapped beside it; addresses stay whole, so that they can be copied."""
    from textwrap import wrap

    lines = wrap(text, max(out.width - 9, 30), break_long_words=False, break_on_hyphens=False)
    for number, line in enumerate(lines):
        out.print(f"[bold]{'' if number else label:<8}[/] {plain(line)}", highlight=False, soft_wrap=True)
