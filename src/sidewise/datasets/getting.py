"""Data sets into the folder of data sets: downloaded, or copied from files that are at hand; verified either way."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from sidewise.datasets.checking import check_file
from sidewise.datasets.images import get_images
from sidewise.datasets.locking import locked
from sidewise.datasets.obtaining import LOCK, Got, Step, Tell, Way, mirrored, obtain, sources_of
from sidewise.datasets.places import data_folder
from sidewise.datasets.registry import DataFile, Entry, find
from sidewise.errors import Absent, DataError, DownloadError, PartlyAbsent


def get(
    name: str,
    *,
    files: Sequence[str] = (),
    everything: bool = False,
    images: bool = False,
    source: str | Path | None = None,
    folder: str | Path | None = None,
    mirrors: Sequence[str] = (),
    unverified: bool = False,
    timeout: float = 30.0,
    progress: Callable[[Step], None] | None = None,
    tell: Tell | None = None,
) -> list[Got]:
    """Have the files of a data set here, verified: those that are not are downloaded, or copied from a folder.

    A file appears under its name only when it is whole and its SHA-256 is right. An interrupted download goes on where
    it stopped; several processes may ask for the same file at once, and one of them fetches it.

    Parameters
    ----------
    name
        One of :func:`registry`.
    files
        Only these; where none is named, all that :func:`load` needs.
    everything
        Optional files too.
    images
        Also the images, for a data set that has a manifest of them.
    source
        A folder to copy from, instead of downloading; laid out like the folder of data sets, or just of the files. If
        it lacks some of the files, the others are copied, and then the error ``PartlyAbsent`` names those.
    folder
        The folder of data sets, where it is not :func:`data_folder`.
    mirrors
        Addresses of copies of the folder of data sets, to be tried first.
    unverified
        Download files of which no SHA-256 was published too; they are refused otherwise.
    timeout
        Seconds of silence after which a server is given up.
    progress, tell
        Called with every :class:`Step`, and with lines about what went wrong and was tried next.
    """
    entry = find(name)
    place = (data_folder() if folder is None else Path(folder)) / entry.folder
    source = None if source is None else Path(source)
    way = Way(timeout, progress, tell)
    wanted = [replace(file, addresses=(*mirrored(entry, file.name, mirrors), *file.addresses))
              for file in _wanted(entry, files, everything=everything, images=images)]  # fmt: skip
    sources = {file.name: sources_of(entry, file, source) for file in wanted}
    lacking = [file for file in wanted if not check_file(file, place / file.name).good]
    missing = [] if source is None else [file.name for file in lacking if not sources[file.name]]
    if source is None:
        _check(entry, lacking, unverified=unverified)
    elif len(missing) == len(wanted):
        raise Absent(_nowhere(entry, missing, source))
    got = list(_all(entry, [file for file in wanted if file.name not in missing], sources, place, way))
    if images and entry.images and entry.images.manifest not in missing:
        got.append(get_images(entry, entry.images, place, source, mirrors, way))
    if missing:
        here = ", ".join(f"{one.file} {one.how}" for one in got)
        raise PartlyAbsent(f"{_nowhere(entry, missing, source)}; the others are here: {here}")
    return got


def _all(
    entry: Entry, wanted: Sequence[DataFile], sources: dict[str, list[Path]], place: Path, way: Way
) -> Iterator[Got]:
    """One file after another. What is here already needs no lock, and so no folder that can be written to."""
    for file in wanted:
        path = place / file.name
        if check_file(file, path).good:
            yield Got(file.name, path, "was here")
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        with locked(place / LOCK, partial(way.say, f"{entry.name}: another process is getting it; waiting")):
            yield obtain(file, path, sources[file.name], way)


def _wanted(entry: Entry, names: Sequence[str], *, everything: bool, images: bool) -> list[DataFile]:
    for name in names:
        if name not in entry.files:
            raise DataError(f"{entry.name} has no file {name!r}; there are: {', '.join(entry.files)}")
    if images and entry.images is None:
        raise DataError(f"{entry.name} has no images to get")
    manifest = [entry.images.manifest] if images and entry.images else []
    if names:
        return [file for file in entry.files.values() if file.name in (*names, *manifest)]
    return [file for file in entry.files.values() if everything or not file.optional or file.name in manifest]


def _nowhere(entry: Entry, missing: Sequence[str], source: Path | None) -> str:
    """Which files a folder does not have, and where they were looked for."""
    folder = Path(source or "") / entry.folder
    where = f"nor has {folder}" if folder.is_dir() else f"nor is there a folder {entry.folder} in it"
    return f"{source} has no {' and no '.join(missing)}, {where}"


def _check(entry: Entry, lacking: Sequence[DataFile], *, unverified: bool) -> None:
    """Refuse before any work what cannot be downloaded."""
    for file in lacking:
        if not file.addresses:
            raise DownloadError(f"{entry.name}: {file.name} is offered at no lasting address: bring your own, with --from FOLDER. "  # noqa: E501
                                f"Where it is described: {' '.join(entry.pages) or entry.paper}")  # fmt: skip
        if file.sha256 is None and not unverified:
            raise DataError(f"{entry.name}: {file.name} has no published SHA-256, so that nobody can tell whether what comes is "  # noqa: E501
                            "right; say --unverified to download it all the same")  # fmt: skip
