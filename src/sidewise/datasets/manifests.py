"""Manifests: a SHA-256 and a name a line, as ``sha256sum`` writes and checks them."""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from sidewise.datasets.registry import check_inside
from sidewise.errors import DataError

CHUNK = 1 << 20
LINE = re.compile(r"(?P<escaped>\\?)(?P<digest>[0-9a-fA-F]{64}) [ *](?P<name>.+)")
BSD = re.compile(r"(?P<escaped>\\?)SHA256 \((?P<name>.+)\) = (?P<digest>[0-9a-fA-F]{64})")

Progress = Callable[[int, int], None]  # done, total


def sha256_of(path: Path, progress: Callable[[int], None] | None = None) -> str:
    """The SHA-256 of a file, read piece by piece."""
    digest, done = hashlib.sha256(), 0
    with path.open("rb") as stream:
        while piece := stream.read(CHUNK):
            digest.update(piece)
            done += len(piece)
            if progress:
                progress(done)
    return digest.hexdigest()


def hash_files(
    paths: Iterable[str | Path],
    *,
    below: str | Path | None = None,
    leave_out: str | Path | None = None,
    progress: Progress | None = None,
) -> dict[str, str]:
    """The SHA-256 of files, and of all files in folders, by their names below a folder, in order of names.

    Parameters
    ----------
    paths
        Files and folders.
    below
        What names are relative to: where it is not given, a folder that is the only path, or else the working folder.
    leave_out
        A file not to be hashed, as the manifest that lies among them.
    progress
        Told how many files are done, and of how many.
    """
    given = [Path(path) for path in paths]
    _check_links(given)
    base = Path(below) if below is not None else given[0] if len(given) == 1 and given[0].is_dir() else Path()
    out = None if leave_out is None else Path(leave_out).absolute()
    found = {_name(path, base): path for start in given for path in _files(start) if path.absolute() != out}
    names = sorted(found)
    digests = _hashed([found[name] for name in names], progress)
    return dict(zip(names, digests, strict=True))


def write_manifest(digests: Mapping[str, str], path: str | Path) -> None:
    """Write a manifest that ``sha256sum --check`` takes, whole or not at all."""
    place = Path(path)
    text = "".join(f"{line}\n" for line in manifest_lines(digests))
    part = place.with_name(f"{place.name}.part")
    part.write_text(text, encoding="utf-8", newline="\n")
    part.replace(place)


def manifest_lines(digests: Mapping[str, str]) -> Iterator[str]:
    """A line for each file; names with line breaks or backslashes are escaped, as ``sha256sum`` does."""
    for name, digest in digests.items():
        escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
        yield f"{chr(92) if escaped != name else ''}{digest} *{escaped}"


def read_manifest(path: str | Path) -> dict[str, str]:
    """The SHA-256 of each name: lines of ``sha256sum``, or of BSD's form; a line that is neither is refused.

    Lines that begin with # are comments, as for ``sha256sum``. A file that names nothing is refused: nothing would be
    wrong with any folder then.
    """
    digests: dict[str, str] = {}
    if not Path(path).is_file():
        raise DataError(f"there is no manifest {path}")
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not a manifest: it is not UTF-8 ({error.reason})") from None
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            name, digest = _parsed(line.removesuffix("\r"), f"{path}, line {number}")
            if digests.setdefault(name, digest) != digest:
                raise DataError(f"{path}, line {number}: {name} has another SHA-256 than before: keep the right one")
    if not digests:
        raise DataError(f"{path} names no file: it is no manifest")
    return digests


def _parsed(line: str, where: str) -> tuple[str, str]:
    match = LINE.fullmatch(line) or BSD.fullmatch(line)
    if not match:
        raise DataError(f"{where}: {line[:80]!r} is not a SHA-256 of 64 figures, two characters and a name")
    name = match["name"]
    if match["escaped"]:
        name = re.sub(r"\\([\\nr])", lambda found: {"\\": "\\", "n": "\n", "r": "\r"}[found[1]], name)
    check_inside(name.replace("\\", "/").replace(":", ""), where)
    return name, match["digest"].lower()


def same_files(digests: Mapping[str, str]) -> list[tuple[str, ...]]:
    """The names of files that have the same bytes, together: one image under two names may be in train and in test.

    >>> same_files({"a.jpg": "00", "b.jpg": "11", "c.jpg": "00"})
    [('a.jpg', 'c.jpg')]
    """
    named: dict[str, list[str]] = {}
    for name, digest in digests.items():
        named.setdefault(digest, []).append(name)
    return [tuple(names) for names in named.values() if len(names) > 1]


@dataclass(frozen=True)
class Verified:
    """How files compare with a manifest."""

    good: list[str]
    wrong: list[str]  # other bytes than the manifest says
    missing: list[str]
    unlisted: list[str]  # in the folder, and not in the manifest

    def __bool__(self) -> bool:
        """Whether every file of the manifest is here and good."""
        return not (self.wrong or self.missing)

    def __str__(self) -> str:
        counts = {"good": self.good, "wrong": self.wrong, "missing": self.missing, "not in the manifest": self.unlisted}
        return ", ".join(f"{len(names):,} {what}" for what, names in counts.items() if names or what == "good")


def verify_manifest(
    manifest: str | Path | Mapping[str, str], folder: str | Path, *, progress: Progress | None = None
) -> Verified:
    """Compare the files of a folder with a manifest.

    Parameters
    ----------
    manifest
        A file of SHA-256 and names, or what :func:`read_manifest` makes of one.
    folder
        What the names are relative to.
    progress
        Told how many files are done, and of how many.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> _ = (folder / "a.txt").write_text("a")
    >>> digests = hash_files([folder])
    >>> _ = (folder / "b.txt").write_text("b")
    >>> print(verify_manifest(digests, folder))
    1 good, 1 not in the manifest
    """
    digests = manifest if isinstance(manifest, Mapping) else read_manifest(manifest)
    base = Path(folder)
    if not base.is_dir():
        raise DataError(f"there is no folder {base}")
    here = [name for name in digests if (base / name).is_file()]
    found = dict(zip(here, _hashed([base / name for name in here], progress), strict=True))
    present = {_name(path, base) for path in _files(base)}
    own = {_name(path, base) for path in _files(base) if not isinstance(manifest, Mapping) and path.samefile(manifest)}
    return Verified(
        good=[name for name in here if found[name] == digests[name]],
        wrong=[name for name in here if found[name] != digests[name]],
        missing=[name for name in digests if name not in found],
        unlisted=sorted(present - set(digests) - own),
    )


def _hashed(paths: list[Path], progress: Progress | None) -> list[str]:
    """Hashing lets go of Python's lock, so that threads use all cores."""
    digests = []
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        for digest in pool.map(sha256_of, paths):
            digests.append(digest)
            if progress:
                progress(len(digests), len(paths))
    return digests


def _files(start: Path) -> Iterator[Path]:
    """The file, or all files of the folder and of those in it; links to folders are not followed."""
    if not start.exists():
        raise DataError(f"there is no file or folder {start}")
    if not start.is_dir():
        yield start
        return
    for folder, _, names in os.walk(start):
        yield from (path for path in (Path(folder) / name for name in names) if path.is_file())


def _check_links(given: list[Path]) -> None:
    """A link that leads nowhere would be missing from the list without a word."""
    for start in given:
        for folder, _, names in os.walk(start):
            for path in (Path(folder) / name for name in names):
                if path.is_symlink() and not path.exists():
                    raise DataError(f"{path} is a link that leads nowhere: mend it, or take it out")


def _name(path: Path, base: Path) -> str:
    """Its name below the base, with slashes. Links are taken by where they are, not by where they lead."""
    try:
        return path.absolute().relative_to(base.absolute()).as_posix()
    except ValueError:
        raise DataError(f"{path} is not below {base.absolute()}: say what names are relative to (--below)") from None
