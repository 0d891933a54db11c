"""Whether the files of a data set are those that were published."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from sidewise.datasets.manifests import sha256_of
from sidewise.datasets.places import data_folder
from sidewise.datasets.registry import DataFile, Entry, find


class Check(NamedTuple):
    """What a file is found to be: good, unknown (no SHA-256 was published), wrong or missing."""

    file: str
    state: str
    reason: str = ""

    @property
    def good(self) -> bool:
        """Whether nothing speaks against it."""
        return self.state in ("good", "unknown")


def check_file(file: DataFile, path: Path, progress: Callable[[int], None] | None = None) -> Check:
    """Compare a file's size and SHA-256 with what was published."""
    if not path.is_file():
        return Check(file.name, "missing", "is not here")
    size = path.stat().st_size
    if file.bytes is not None and size != file.bytes:
        return Check(file.name, "wrong", f"has {size:,} bytes, and not {file.bytes:,}")
    if file.sha256 is None:
        return Check(file.name, "unknown", "has no published SHA-256 to be checked against")
    found = sha256_of(path, progress)
    if found != file.sha256:
        return Check(file.name, "wrong", f"has SHA-256 {found}, and not {file.sha256}")
    return Check(file.name, "good")


def verify(name: str, *, folder: str | Path | None = None) -> list[Check]:
    """What the files of a data set are found to be, one after another; optional ones that are not here are left out."""
    entry = find(name)
    return list(_checks(entry, (data_folder() if folder is None else Path(folder)) / entry.folder))


def _checks(entry: Entry, place: Path) -> Iterator[Check]:
    for file in entry.files.values():
        found = check_file(file, place / file.name)
        if found.state != "missing" or not file.optional:
            yield found
