"""What is said of a data set on the command line."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.filesize import decimal

if TYPE_CHECKING:
    from sidewise.datasets import DataFile, Entry, Got


def size_of(size: int | None) -> str:
    """So many bytes, in words; or that nobody says."""
    return "unknown size" if size is None else decimal(size)


def line_of(entry: "Entry", place: Path) -> str:
    """A data set in one line."""
    size = "?" if entry.size is None else decimal(entry.size)
    return f"{entry.name:<24} {entry.rows:>7,} {entry.holds:<11} {size:>8}  {entry.licence:<11}  {_state(entry, place)}"


def _state(entry: "Entry", place: Path) -> str:
    """Whether it is here, and if not, whether it can be downloaded; by sizes alone, which is quick."""
    lacking = [file for file in entry.files.values() if not _is_here(file, place / entry.folder)]
    needed = [file for file in lacking if not file.optional]
    wrong = [file.name for file in lacking if _is_there(file, place / entry.folder)]
    if wrong:
        return f"wrong: {', '.join(wrong)}"
    if not needed:
        return f"here, without {', '.join(file.name for file in lacking)}" if lacking else "here"
    if len(lacking) < len(entry.files):
        return f"without {', '.join(file.name for file in needed)}"
    return "can be downloaded" if entry.offered else "bring your own"


def _is_here(file: "DataFile", folder: Path) -> bool:
    path = folder / file.name
    return path.is_file() and file.bytes in (None, path.stat().st_size)


def _is_there(file: "DataFile", folder: Path) -> bool:
    """Whether there is a file of this name, whatever is in it."""
    return (folder / file.name).is_file()


def _word(file: "DataFile", folder: Path) -> str:
    """Whether a file is here; one of another size is wrong, as it is to verify, which also looks at hashes."""
    if _is_here(file, folder):
        return "here"
    if not _is_there(file, folder):
        return "not here"
    return f"wrong: has {(folder / file.name).stat().st_size:,} bytes, and not {file.bytes:,}"


def about(entry: "Entry") -> Iterator[tuple[str, str]]:
    """What there is to say of a data set, under labels."""
    yield "about", entry.about
    yield "holds", f"{entry.rows:,} {entry.holds}"
    yield "paper", entry.paper
    yield "licence", entry.licence
    yield "cite", entry.citation
    if entry.note:
        yield "note", entry.note
    for number, page in enumerate(entry.pages):
        yield "" if number else "see", page


def about_files(entry: "Entry", place: Path) -> Iterator[str]:
    """Of every file, how to know it and where it can be had, in lines that are not to be broken."""
    yield f"files in {place / entry.folder}"
    for file in entry.files.values():
        yield from _about_file(file, place / entry.folder)
    if entry.images:
        yield f"  {entry.images.folder}/: named and hashed by {entry.images.manifest}; get them with --images"
        yield from (f"    {address}" for address in entry.images.addresses)


def _about_file(file: "DataFile", folder: Path) -> Iterator[str]:
    optional = ", not needed to load it" if file.optional else ""
    yield f"  {file.name}: {size_of(file.bytes)}, {_word(file, folder)}{optional}"
    yield f"    sha256 {file.sha256}" if file.sha256 else "    no SHA-256 was published: get it with --unverified"
    yield from (f"    {address}" for address in file.addresses)
    if not file.addresses:
        yield "    no lasting address: bring your own, with --from FOLDER"


def got_line(got: "Got") -> str:
    """How a file came."""
    source = f" from {got.source}" if got.source else ""
    return f"{got.file} {got.how}{source}"


def as_json(entry: "Entry", place: Path) -> dict[str, Any]:
    """A data set as JSON has it."""
    files = [
        {"name": file.name, "bytes": file.bytes, "sha256": file.sha256, "addresses": list(file.addresses),
         "optional": file.optional, "here": _is_here(file, place / entry.folder),
         "state": _word(file, place / entry.folder).partition(":")[0]}
        for file in entry.files.values()
    ]  # fmt: skip
    told = ("name", "title", "about", "holds", "rows", "paper", "licence", "citation", "note")
    said: dict[str, Any] = {name: getattr(entry, name) for name in told}
    where = {"pages": list(entry.pages), "folder": str(place / entry.folder), "state": _state(entry, place)}
    return said | where | {"files": files}
