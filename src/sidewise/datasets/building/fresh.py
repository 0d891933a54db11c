"""A folder that is there whole or not at all, and the manifest of what is in it."""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from sidewise.datasets.locking import try_lock
from sidewise.errors import SidewiseError

MANIFEST = "manifest.sha256"


@contextmanager
def fresh_folder(folder: Path, *, holds: Collection[str], force: bool = False) -> Iterator[Path]:
    """A folder to fill, beside the one that is wanted: it takes that name when all is done, and goes away otherwise.

    ``holds`` is all that may be put into it. What runs that were killed have left holds nothing else, and is removed.
    """
    check_free(folder, force=force)
    _remove_stale(folder, {MANIFEST, *holds})
    with _begun(folder) as filled:
        try:
            filled.chmod(0o755)
            yield filled
            _put(filled, folder)
        except BaseException:
            shutil.rmtree(filled, ignore_errors=True)
            raise


@contextmanager
def _begun(folder: Path) -> Iterator[Path]:
    """A folder under a name of its own, which is seen to be somebody's as long as this process lives."""
    while True:
        filled = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        handle = _handle(filled)
        if filled.exists():  # and was not taken for a stale one before it was locked
            break
        _close(handle)
    try:
        yield filled
    finally:
        _close(handle)


def _handle(folder: Path) -> int | None:
    """A lock on a folder, which ends with the process; None where somebody has it, or folders cannot be locked."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        if try_lock(handle):
            return handle
    except OSError:  # a file system without locks
        pass
    os.close(handle)
    return None


def _close(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)


def _remove_stale(folder: Path, holds: Collection[str]) -> None:
    """Remove what runs that were killed have left: unfinished folders of this name that no process holds."""
    ours = re.compile(rf"\.{re.escape(folder.name)}-[a-z0-9_]{{8}}")  # as mkdtemp names them
    for path in folder.parent.iterdir():
        if not ours.fullmatch(path.name) or path.is_symlink() or not path.is_dir():
            continue
        handle = _handle(path)
        if handle is not None and all(inside.name in holds for inside in path.iterdir()):
            shutil.rmtree(path, ignore_errors=True)
        _close(handle)


def check_free(folder: Path, *, force: bool = False) -> None:
    """See that a folder can be made without losing anything; ``force`` lets a data set of ours be replaced."""
    if not folder.parent.is_dir():
        raise SidewiseError(f"{folder}: there is no folder {folder.parent}; make it first")
    if folder.is_file():
        raise SidewiseError(f"{folder} is a file; name a folder that is not there yet")
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not force:
        raise SidewiseError(
            f"{folder} is there already; name another folder, or replace it with force=True (command line: --force)"
        )
    strangers = sorted(set(files_in(folder)) - {MANIFEST, *_listed(folder)})
    if strangers:
        more = f" and {len(strangers) - 1:,} others" if len(strangers) > 1 else ""
        raise SidewiseError(
            f"{folder} holds {strangers[0]}{more}, of which its {MANIFEST} does not know: move it away first, so that "
            "nothing is lost"
        )


def files_in(folder: Path) -> list[str]:
    """All files below a folder, with forward slashes, in order."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


def write_manifest(folder: Path) -> Path:
    """Write the SHA-256 of every file, as ``sha256sum --check`` reads it."""
    lines = [f"{digest(folder / name)}  {name}\n" for name in files_in(folder)]
    path = folder / MANIFEST
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return path


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _listed(folder: Path) -> list[str]:
    path = folder / MANIFEST
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [line.partition("  ")[2] for line in lines]


def _put(filled: Path, folder: Path) -> None:
    """Give the new folder its name; an old one of that name goes only after that, and comes back if it fails."""
    if not folder.exists():
        filled.rename(folder)
        return
    # It may be all that is left of a data set: its name is none that is taken for a stale folder's.
    old = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", suffix="-old", dir=folder.parent))
    os.replace(folder, old)  # noqa: PTH105 - onto the empty folder, in one step
    try:
        filled.rename(folder)
    except OSError:
        os.replace(old, folder)  # noqa: PTH105
        raise
    shutil.rmtree(old)
