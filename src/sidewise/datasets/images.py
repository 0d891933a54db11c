"""The images of a data set: many files, known by a manifest of their hashes, several at once."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import quote

from sidewise.datasets.checking import check_file
from sidewise.datasets.locking import locked
from sidewise.datasets.manifests import read_manifest
from sidewise.datasets.obtaining import LOCK, Got, How, Step, Way, mirrored, obtain, sources_of
from sidewise.datasets.registry import DataFile, Entry, Images
from sidewise.errors import Absent, DownloadError, SidewiseError
from sidewise.ranking.display import counted

AT_ONCE = 8
ENOUGH = 20  # failures: then the rest is not tried


@dataclass
class _Tally:
    """What has come of them so far."""

    wanted: int
    got: list[Got] = field(default_factory=list)
    failures: list[SidewiseError] = field(default_factory=list)

    def add(self, done: Future[Got]) -> None:
        """Count one that is done, well or badly."""
        try:
            self.got.append(done.result())
        except SidewiseError as error:
            self.failures.append(error)

    def check(self) -> None:
        """Raise an error if any could not be had."""
        if self.failures:
            rest = ", and the rest was not tried" if len(self.failures) >= ENOUGH else ""
            failed = f"{counted(len(self.failures), 'image')} could not be had{rest}"
            here = f"{len(self.got):,} of {self.wanted:,} are here"
            raise DownloadError(f"{failed}; {here}. The first: {self.failures[0]}")


def get_images(entry: Entry, images: Images, place: Path, source: Path | None, mirrors: Sequence[str], way: Way) -> Got:
    """Have every image of the manifest here; those that are here and good stay."""
    folder = place / images.folder
    folder.mkdir(parents=True, exist_ok=True)
    wanted = list(_wanted(entry, images, place, mirrors))
    tally = _Tally(len(wanted))
    with locked(folder / LOCK, partial(way.say, f"{entry.name}: another process is getting the images; waiting")):
        for done in _each(entry, images, wanted, folder, source, way):
            tally.add(done)
            if way.progress:
                way.progress(Step(images.folder, len(tally.got), tally.wanted, "files"))
            if len(tally.failures) >= ENOUGH:
                break
    tally.check()
    how: How = next((one.how for one in tally.got if one.how != "was here"), "was here")
    return Got(f"{images.folder} ({len(tally.got):,} files)", folder, how)


def _each(
    entry: Entry, images: Images, wanted: Sequence[DataFile], folder: Path, source: Path | None, way: Way
) -> Iterator[Future[Got]]:
    """One after another as they are done; who stops asking stops the rest."""
    quiet = Way(way.timeout)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        doing = [pool.submit(_one, entry, images, file, folder, source, quiet) for file in wanted]
        try:
            yield from as_completed(doing)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _one(entry: Entry, images: Images, file: DataFile, folder: Path, source: Path | None, way: Way) -> Got:
    path = folder / file.name
    sources = sources_of(entry, file, source, images.folder)
    if source is not None and not sources and not check_file(file, path).good:
        raise Absent(f"{source} has no {file.name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    return obtain(file, path, sources, way)


def _wanted(entry: Entry, images: Images, place: Path, mirrors: Sequence[str]) -> Iterator[DataFile]:
    for name, digest in read_manifest(place / images.manifest).items():
        own = (address.replace("{name}", quote(name)) for address in images.addresses)
        copies = mirrored(entry, f"{images.folder}/{name}", mirrors)
        yield DataFile(name, sha256=digest, addresses=(*copies, *own))
