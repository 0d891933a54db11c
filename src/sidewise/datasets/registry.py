"""The data sets that are known by name: what the registry files say of each, checked when they are read."""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from sidewise.errors import DataError
from sidewise.numbers import is_count

OWN = Path(__file__).with_name("registry.toml")
VARIABLE = "SIDEWISE_REGISTRY"  # names a further registry, of data sets of one's own

HOLDS = ("comparisons", "boxes", "preferences")  # what a data set may be made of
SHA256 = re.compile(r"[0-9a-f]{64}")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class DataFile:
    """A file of a data set: how to know it, and where it can be had."""

    name: str
    bytes: int | None = None  # None: nobody says
    sha256: str | None = None  # None: none was published
    addresses: tuple[str, ...] = ()  # to be tried in order; none: bring your own
    optional: bool = False  # whether get() leaves it out unless it is asked for


@dataclass(frozen=True)
class Images:
    """Many files, named and hashed by a manifest, each at an address that its name completes."""

    manifest: str
    folder: str
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entry:
    """What the registry says of a data set."""

    name: str
    title: str
    about: str
    paper: str
    licence: str
    citation: str
    rows: int
    folder: str
    pages: tuple[str, ...] = ()
    note: str = ""
    files: Mapping[str, DataFile] = field(default_factory=dict)
    images: Images | None = None
    comparisons: Mapping[str, Any] | None = None
    truth: Mapping[str, Any] | None = None
    groups: Mapping[str, Any] | None = None
    boxes: Mapping[str, str] | None = None
    crowd: Mapping[str, str] | None = None
    preferences: Mapping[str, Any] | None = None
    qrels: Mapping[str, Any] | None = None

    @property
    def holds(self) -> str:
        """What it is made of: comparisons, boxes or preferences."""
        return next(what for what in HOLDS if getattr(self, what) is not None)

    @property
    def size(self) -> int | None:
        """The bytes of all files together, where they are known of every one that is needed."""
        sizes = [file.bytes for file in self.files.values() if not file.optional]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None

    @property
    def offered(self) -> bool:
        """Whether all that is needed can be downloaded, and nothing has to be brought."""
        return all(file.addresses for file in self.files.values() if not file.optional)


def registry() -> dict[str, Entry]:
    """Every data set that is known, by its name: those of Sidewise, and those of ``SIDEWISE_REGISTRY``."""
    further = os.environ.get(VARIABLE)
    if not further:
        return _read(OWN)
    try:
        text = Path(further).read_bytes()
    except OSError as error:
        raise DataError(f"{VARIABLE} names {further}, which cannot be read: {error.strerror}") from None
    return _read(OWN) | parse_registry(text, further)


def find(name: str) -> Entry:
    """What is said of a data set."""
    known = registry()
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise DataError(f"no data set is called {name!r}; {hint}There are: {', '.join(known)}")


@cache
def _read(path: Path) -> dict[str, Entry]:
    return parse_registry(path.read_bytes(), path.name)


def parse_registry(text: bytes, source: str) -> dict[str, Entry]:
    """The data sets that a registry file describes; one that is not whole is refused."""
    try:
        said = tomllib.loads(text.decode())
    except ValueError as error:
        raise DataError(f"{source} is not TOML: {error}") from None
    return {name: _entry(name, about, f"{source}: {name}") for name, about in said.items()}


def _entry(name: str, said: Any, where: str) -> Entry:
    if not NAME.fullmatch(name):
        raise DataError(f"{where}: a data set's name is of small letters, figures and single hyphens")
    said = dict(_table(said, where))
    files = {
        file: _file(file, about, f"{where}: {file}") for file, about in _table(said.pop("files", {}), where).items()
    }
    images = said.pop("images", None)
    _check_keys(said, Entry, where, given={"name", "files", "images"})
    entry = Entry(
        **{**said, "name": name, "pages": _texts(said.get("pages", ()), f"{where}: pages")},
        files=files,
        images=_images(images, f"{where}: images") if images is not None else None,
    )
    _check(entry, where)
    return entry


def _file(name: str, said: Any, where: str) -> DataFile:
    _check_keys(_table(said, where), DataFile, where, given={"name"})
    file = DataFile(**{**said, "name": name, "addresses": _texts(said.get("addresses", ()), where)})
    if file.sha256 is not None and not SHA256.fullmatch(str(file.sha256)):
        raise DataError(f"{where}: sha256 is {file.sha256!r}; it is 64 of the figures 0–9 and a–f")
    if file.bytes is not None and not is_count(file.bytes, 0):
        raise DataError(f"{where}: bytes is {file.bytes!r}; it is a count")
    check_inside(name, where)
    _check_addresses(file.addresses, where)
    return file


def _images(said: Any, where: str) -> Images:
    _check_keys(_table(said, where), Images, where)
    images = Images(**{**said, "addresses": _texts(said.get("addresses", ()), where)})
    check_inside(images.folder, where)
    _check_addresses(images.addresses, where)
    if not all("{name}" in address for address in images.addresses):
        raise DataError(f"{where}: an address of images has {{name}} where the image's name belongs")
    return images


def _check(entry: Entry, where: str) -> None:
    """See that it holds one thing, and that everything to be parsed is among its files."""
    held = [what for what in HOLDS if getattr(entry, what) is not None]
    if len(held) != 1:
        raise DataError(
            f"{where}: says how to parse {' and '.join(held) or 'nothing'}; it is one of {', '.join(HOLDS)}"
        )
    _check_texts(entry, where)
    check_inside(entry.folder, where)
    if "/" in entry.folder:
        raise DataError(f"{where}: folder is {entry.folder!r}; it is one name, below the folder of data sets")
    for file in parsed_files(entry):
        if file not in entry.files:
            raise DataError(f"{where}: {file} is to be parsed, but is not among its files")


def _check_texts(entry: Entry, where: str) -> None:
    for name in ("title", "about", "paper", "licence", "citation", "note", "folder"):
        if not isinstance(getattr(entry, name), str):
            raise DataError(f"{where}: {name} is {getattr(entry, name)!r}; it is a text")
    if not is_count(entry.rows, 0):
        raise DataError(f"{where}: rows is {entry.rows!r}; it is a count")
    for name in ("comparisons", "truth", "groups", "preferences", "qrels"):
        said = getattr(entry, name)
        if said is not None and not isinstance(_table(said, f"{where}: {name}").get("file"), str):
            raise DataError(f'{where}: {name} should say which file to parse, as in {{ file = "answers.csv" }}')
    for name in ("boxes", "crowd"):
        said = getattr(entry, name)
        if said is not None and not all(isinstance(file, str) for file in _table(said, f"{where}: {name}").values()):
            raise DataError(f'{where}: {name} should name a file for each split, as in {{ test = "test.csv" }}')


def parsed_files(entry: Entry) -> list[str]:
    """The files that parsing reads."""
    named = [part["file"] for part in (entry.comparisons, entry.truth, entry.groups, entry.preferences, entry.qrels)
             if part is not None]  # fmt: skip
    manifest = [entry.images.manifest] if entry.images else []
    return list(dict.fromkeys([*named, *split_files(entry), *manifest]))


def split_files(entry: Entry) -> list[str]:
    """The files that hold a split each: any of them can be read without the others."""
    return [*(entry.boxes or {}).values(), *(entry.crowd or {}).values()]


def check_inside(name: str, where: str) -> None:
    """Refuse a name that would lead out of the folder it belongs to."""
    path = PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or "\0" in name:
        raise DataError(f"{where}: {name!r} leads out of its folder; a name is relative and has no ..")


def _check_addresses(addresses: Sequence[str], where: str) -> None:
    for address in addresses:
        if not address.startswith(("https://", "http://")):
            raise DataError(f"{where}: {address!r} is no address; they begin with https:// or http://")


def _check_keys(said: Mapping[str, Any], kind: type, where: str, given: set[str] | None = None) -> None:
    known = {known.name for known in fields(kind)} - (given or set())
    needed = {each.name for each in fields(kind) if _has_no_default(each)} - (given or set())
    for strange in sorted(set(said) - known):
        raise DataError(f"{where}: {strange!r} means nothing here; there are: {', '.join(sorted(known))}")
    for missing in sorted(needed - set(said)):
        raise DataError(f"{where}: {missing} is missing")


def _has_no_default(each: Any) -> bool:
    from dataclasses import MISSING

    return each.default is MISSING and each.default_factory is MISSING


def _table(said: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(said, Mapping):
        raise DataError(f"{where}: should be a table, not {said!r}")
    return said


def _texts(said: Any, where: str) -> tuple[str, ...]:
    if isinstance(said, str) or not all(isinstance(text, str) for text in said):
        raise DataError(f"{where}: should be a list of texts, not {said!r}")
    return tuple(said)
