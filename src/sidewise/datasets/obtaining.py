"""One file, from a folder or from its addresses in order, checked before it takes its place."""

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import quote, unquote

from sidewise.datasets.checking import check_file
from sidewise.datasets.fetching import Failed, fetch, forget, forget_note
from sidewise.datasets.registry import DataFile, Entry
from sidewise.errors import Absent, DataError, DownloadError, WrongChecksum

LOCK = ".getting.lock"  # in a folder that is being filled
ATTEMPTS = 3  # at one address, without getting any further
PAUSE = 0.5  # seconds before the second attempt; twice as many before each further one

Tell = Callable[[str], None]


class Step(NamedTuple):
    """How far the work is: of a file in bytes, or of many in files."""

    what: str
    done: int
    total: int | None
    unit: Literal["bytes", "files"] = "bytes"


How = Literal["was here", "downloaded", "copied"]


class Got(NamedTuple):
    """A file that is now here, and how it came: it "was here", was "downloaded" or "copied"."""

    file: str
    path: Path
    how: How
    source: str = ""


@dataclass(frozen=True)
class Way:
    """How files are obtained, and who is told."""

    timeout: float = 30.0
    progress: Callable[[Step], None] | None = None
    tell: Tell | None = None

    def say(self, text: str) -> None:
        """Tell whoever wants to know."""
        if self.tell:
            self.tell(text)

    def step(self, what: str) -> Callable[[int, int | None], None] | None:
        """What a download reports its bytes to."""
        report = self.progress
        return (lambda done, total: report(Step(what, done, total))) if report else None


def obtain(file: DataFile, path: Path, sources: Sequence[Path], way: Way) -> Got:
    """A file into its place: as it is there, from the first good source, or from the first good address."""
    found = check_file(file, path)
    if found.good:
        return Got(file.name, path, "was here")
    part = path.with_name(f"{path.name}.part")
    if sources:
        got = Got(file.name, path, "copied", str(_copied(file, part, sources)))
    else:
        got = Got(file.name, path, "downloaded", _downloaded(file, path, part, way))
    if found.state == "wrong":  # not before there is a better one
        way.say(f"{path} {found.reason}: it is put aside as {put_aside(path, path).name}")
    _settle(part, path)
    return got


def mirrored(entry: Entry, name: str, mirrors: Sequence[str]) -> Iterator[str]:
    """A file's addresses in copies of the folder of data sets."""
    for mirror in mirrors:
        if not mirror.startswith(("https://", "http://")):
            raise DataError(f"{mirror!r} is no address of a mirror; they begin with https:// or http://")
        yield f"{mirror.rstrip('/')}/{quote(entry.folder)}/{quote(name)}"


def sources_of(entry: Entry, file: DataFile, source: Path | None, inside: str = "") -> list[Path]:
    """Where a file lies in a folder to copy from: under its name here, or the one that it is published under."""
    if source is None:
        return []
    if not source.is_dir():
        raise Absent(f"--from {source}: there is no such folder")
    published = [unquote(re.split("[?#]", address)[0].rpartition("/")[2]) for address in file.addresses]
    places = [source / entry.folder / inside, source / inside, source]
    found = (place / name for place in places for name in dict.fromkeys([file.name, *published]))
    return [path for path in dict.fromkeys(found) if path.is_file()]


def put_aside(bad: Path, path: Path) -> Path:
    """Keep a bad file for a look at it, under a name that nothing takes for the good one."""
    aside = path.with_name(f"{path.name}.bad")
    bad.replace(aside)
    return aside


def _copied(file: DataFile, part: Path, sources: Sequence[Path]) -> Path:
    wrong = []
    for source in sources:
        forget(part)
        shutil.copyfile(source, part)
        found = check_file(file, part)
        if found.good:
            return source
        forget(part)
        wrong.append(f"{source} {found.reason}")
    raise WrongChecksum(f"{'; '.join(wrong)}: that is another file than the published {file.name}; nothing was changed")


def _downloaded(file: DataFile, path: Path, part: Path, way: Way) -> str:
    """The address that gave the file; of those that did not, what they said is told and goes into the error."""
    failures, aside = [], None
    for number, address in enumerate(file.addresses, 1):
        try:
            _from_address(file, address, part, way)
        except Failed as failed:
            failures.append(f"{address}: {failed}")
        else:
            found = check_file(file, part)
            if found.good:
                return address
            failures.append(f"{address}: what came {found.reason}")
            aside = put_aside(part, path)
            forget(part)
        if number < len(file.addresses):
            way.say(f"{failures[-1]}; the next address is tried")
    raise _refusal(file, failures, aside, part)


def _from_address(file: DataFile, address: str, part: Path, way: Way) -> None:
    """Fetch the file; where parts of different attempts do not make it up, fetch it once more from the beginning."""
    if _patiently(file, address, part, way) and not check_file(file, part).good:
        way.say(f"{file.name}: what was here before does not go with the rest: once more from the beginning")
        forget(part)
        _patiently(file, address, part, way)


def _patiently(file: DataFile, address: str, part: Path, way: Way) -> bool:
    """Fetch the file, again and again as long as that gets further; whether it was joined from several attempts."""
    best, idle, joined = 0, 0, False
    while True:
        try:
            known = file.sha256 is not None
            step = way.step(file.name)
            return fetch(address, part, size=file.bytes, known=known, timeout=way.timeout, progress=step) or joined
        except Failed as failed:
            reached = part.stat().st_size if part.exists() else 0
            best, idle = max(best, reached), 0 if reached > best else idle + 1
            if not failed.passing or idle >= ATTEMPTS:
                raise
            way.say(f"{file.name}: {address} {failed}; once more")
            joined = True
            time.sleep(PAUSE * 2**idle)


def _refusal(file: DataFile, failures: Sequence[str], aside: Path | None, part: Path) -> DownloadError | WrongChecksum:
    tried = "\n".join(f"  {failure}" for failure in failures)
    cure = "with --from FOLDER it is taken from files that you have"
    if not failures:
        return DownloadError(f"{file.name} is offered at no address; {cure}")
    if aside is not None:
        return WrongChecksum(
            f"{file.name} is not what was published, and is not used:\n{tried}\n"
            f"  the bad file is kept as {aside}; try again later, or {cure}"
        )
    kept = "what came so far is kept; " if part.exists() else ""
    return DownloadError(
        f"{file.name} can be had from none of its addresses:\n{tried}\n  {kept}try again later, or {cure}"
    )


def _settle(part: Path, path: Path) -> None:
    """Give a file its name only when its bytes are on the disk, so that not even a power cut leaves half of one."""
    with part.open("rb+") as stream:
        os.fsync(stream.fileno())
    part.replace(path)
    forget_note(part)
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
