"""Media: which files are of which kind, and whether they are there, inside the campaign's folder."""

import os
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from sidewise.names import HIDDEN

TYPES: Mapping[str, Mapping[str, str]] = {
    "image": {
        ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
        ".avif": "image/avif", ".svg": "image/svg+xml",
    },
    "text": {".txt": "text/plain", ".md": "text/markdown"},
    "page": {".html": "text/html", ".htm": "text/html"},
    "video": {".mp4": "video/mp4", ".webm": "video/webm", ".ogv": "video/ogg"},
    "audio": {
        ".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".oga": "audio/ogg", ".opus": "audio/ogg", ".wav": "audio/wav",
        ".m4a": "audio/mp4", ".flac": "audio/flac", ".aac": "audio/aac",
    },
}  # fmt: skip
LONGEST_TEXT = 100_000  # bytes: more is not read side by side
LONGEST_ADDRESS = 2_000
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
HOST = re.compile(r"[A-Za-z0-9.-]*[A-Za-z0-9](:\d{1,5})?")  # nobody's name and password in it; xn--… for other letters
UNSAFE = re.compile(r"[\x00-\x20\x7f\"<>\\^`{|}]")


def media_type(kind: str, path: str) -> str | None:
    """The type that a file of a kind is sent as, by the ending of its name.

    >>> media_type("image", "faces/a.JPG")
    'image/jpeg'
    """
    return TYPES[kind].get(path[path.rfind(".") :].lower())


def is_address(media: str) -> bool:
    """Whether media lie elsewhere, and are no path."""
    return ADDRESS.match(media) is not None


def address_trouble(kind: str, address: str) -> str | None:
    """What is wrong with an address; only ``https:`` can be shown safely on a page that is itself https."""
    try:
        parts = urlsplit(address)
        bad = parts.scheme.lower() != "https" or not HOST.fullmatch(parts.netloc)
    except ValueError:
        bad = True
    if bad:
        return "is no https: address; write one, or the path of a file in the campaign's folder"
    if UNSAFE.search(address) or len(address) > LONGEST_ADDRESS:
        return (
            f"is no proper address; write blanks and quotes as %20 and the like, in at most {LONGEST_ADDRESS:,} signs"
        )
    ending = posixpath.splitext(parts.path)[1].lower()
    others = [other for other, types in TYPES.items() if ending in types]
    if kind == "text":
        return "lies elsewhere, and texts are read from files or a column; put it into one"
    if others and kind not in others and kind != "page":
        return f"ends in {ending}, which is {_named(others[0])}, and [items] kind is {kind}"
    return None


def media_path(media: str, root: Path, inside: Path, closed: Path) -> Path | None:
    """The file of media that is to be sent now: None where it is gone, or not where it was when it was checked."""
    if is_address(media) or HIDDEN.search(media):
        return None
    real, inside, closed = _real(root / media), _real(inside), _real(closed)
    fine = real.is_relative_to(inside) and not real.is_relative_to(closed) and real.is_file()
    return real if fine else None


OUTSIDE = "leaves the campaign's folder; copy the file into it and write its path there, with /"


class Shelf:
    """The files below a folder, each folder of which is looked at once.

    ``root`` is where paths begin, ``inside`` the folder that none may leave, ``closed`` one that none may enter.
    """

    def __init__(self, root: Path, inside: Path, closed: Path) -> None:
        self._root, self._inside, self._closed = _real(root), _real(inside), _real(closed)
        self._folders: dict[str, dict[str, os.DirEntry[str]] | str] = {}

    def trouble(self, kind: str, path: str) -> str | None:
        """What is wrong with a path, if anything."""
        if path.startswith("/"):
            return OUTSIDE
        folder, _, name = path.rpartition("/")
        entries = self._folders.get(folder)
        if entries is None:
            entries = self._folders[folder] = self._looked_at(folder)
        if isinstance(entries, str):
            return entries
        entry = entries.get(name)
        if entry is None or not _is_file(entry):
            return self._missing(name, entries)
        if entry.is_symlink() and not self._allowed(_real(entry.path)):
            return "is a link that leaves the campaign's folder; copy the file into it"
        return self._unfit(kind, name, entry)

    def _looked_at(self, folder: str) -> dict[str, os.DirEntry[str]] | str:
        if "\\" in folder or ".." in folder.split("/"):
            return OUTSIDE
        real = _real(self._root / folder)
        if not self._allowed(real):
            return "leaves the campaign's folder, or lies in its output; copy the file elsewhere in the folder"
        try:
            with os.scandir(real) as found:
                return {entry.name: entry for entry in found}
        except OSError:
            return f"is not there: there is no folder {folder or real}; check [items] folder"

    def _allowed(self, real: Path) -> bool:
        return real.is_relative_to(self._inside) and not real.is_relative_to(self._closed)

    def _missing(self, name: str, entries: Mapping[str, object]) -> str:
        near = [other for other in entries if other.casefold() == name.casefold() and other != name]
        return (
            f"is not there; {near[0]} is, mind the capitals"
            if near
            else "is not there; check the path and [items] folder"
        )

    @staticmethod
    def _unfit(kind: str, name: str, entry: os.DirEntry[str]) -> str | None:
        """A file that is there, but not such as can be shown."""
        if media_type(kind, name) is None:
            return f"is not {_named(kind)} by its name; its ending should be one of: {', '.join(TYPES[kind])}"
        if kind == "text" and (size := entry.stat().st_size) > LONGEST_TEXT:
            return f"has {size:,} bytes; {LONGEST_TEXT:,} is the most that can be read side by side"
        return None


def _real(path: str | Path) -> Path:
    """Where a path leads in the end; links that go round in circles lead to themselves."""
    return Path(os.path.realpath(path))


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link that goes round in circles
        return False


def _named(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
