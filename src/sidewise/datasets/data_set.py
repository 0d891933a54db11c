"""A data set that is here: what it holds, read when it is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TypeVar

from sidewise.boxes import Boxes, read_boxes
from sidewise.comparisons import Comparisons
from sidewise.datasets.checking import Check, check_file
from sidewise.datasets.parsing import groups_of_pairs, read_comparisons, read_groups, read_truth
from sidewise.datasets.places import data_folder
from sidewise.datasets.registry import DataFile, Entry, find, parsed_files, split_files
from sidewise.errors import Absent, DataError, WrongChecksum
from sidewise.preferences import Preferences, Qrels, read_preferences, read_qrels

T = TypeVar("T")


@dataclass(frozen=True)
class DataSet:
    """Judgments, and what is known of the truth.

    What it holds is read when it is first asked for: ``comparisons`` with ``truth`` and ``groups``; or ``boxes`` and
    the ``crowd``'s boxes; or ``preferences`` with ``qrels``. To ask for what it does not hold is an error that says
    what it does; a truth or groups that nobody knows are None.
    """

    entry: Entry
    folder: Path

    @property
    def name(self) -> str:
        """Its name in the registry."""
        return self.entry.name

    @cached_property
    def comparisons(self) -> Comparisons:
        """Who was preferred to whom, and by which worker."""
        return read_comparisons(self.folder, self._held(self.entry.comparisons, "comparisons"))

    @cached_property
    def truth(self) -> Mapping[str, float] | None:
        """Each item's true score; None where nobody knows it: then answers held out have to do."""
        return read_truth(self.folder, self.entry.truth) if self.entry.truth is not None else None

    @cached_property
    def groups(self) -> Mapping[str, str] | None:
        """Each item's topic or scene, within which items can be compared; None where all can be."""
        if self.entry.groups is not None:
            return read_groups(self.folder, self.entry.groups)
        said = self.entry.comparisons
        return groups_of_pairs(self.folder, said) if said is not None and "group" in said else None

    @cached_property
    def boxes(self) -> Mapping[str, Boxes]:
        """The true boxes of each split that is here."""
        return self._splits(self._held(self.entry.boxes, "boxes"))

    @cached_property
    def crowd(self) -> Mapping[str, Boxes]:
        """The crowd's boxes of each split that is here."""
        return self._splits(self._held(self.entry.crowd, "boxes"))

    @cached_property
    def preferences(self) -> Preferences:
        """Which of two documents answers the query better."""
        return read_preferences(self.folder / self._held(self.entry.preferences, "preferences")["file"])

    @cached_property
    def qrels(self) -> Qrels:
        """How good each document is for its query."""
        return read_qrels(self.folder / self._held(self.entry.qrels, "qrels")["file"])

    def _splits(self, files: Mapping[str, str]) -> dict[str, Boxes]:
        return {split: read_boxes(self.folder / file) for split, file in files.items() if (self.folder / file).exists()}

    def _held(self, said: T | None, what: str) -> T:
        if said is None:
            raise DataError(f"{self.name} holds {self.entry.holds}, and no {what}")
        return said

    def __repr__(self) -> str:
        return f"DataSet({self.name}, {self.entry.rows:,} {self.entry.holds}, {self.folder})"


def load(name: str, *, folder: str | Path | None = None, check: bool = True) -> DataSet:
    """A data set by its name, from files that are here; nothing is downloaded.

    Of a data set in splits, those that are here will do.

    Parameters
    ----------
    name
        One of :func:`registry`, such as ``"imdb-wiki-sbs"``.
    folder
        The folder of data sets, where it is not :func:`data_folder`.
    check
        Whether to see first that the files are those that were published, by their SHA-256. Once checked, a file is
        taken as good for as long as its size and its time of change stay the same.
    """
    entry = find(name)
    place = (data_folder() if folder is None else Path(folder)) / entry.folder
    splits = split_files(entry)
    if splits and not any((place / name).is_file() for name in splits):
        raise Absent(f"{entry.name} is not here: none of its splits is in {place}; {how_to_get(entry)}")
    for file in entry.files.values():
        if file.name in parsed_files(entry):
            _see(entry, file, place, needed=not file.optional and file.name not in splits, check=check)
    return DataSet(entry, place)


def _see(entry: Entry, file: DataFile, place: Path, *, needed: bool, check: bool) -> None:
    path = place / file.name
    if not path.is_file():
        if not needed:
            return
        raise Absent(f"{entry.name} is not here: there is no {path}; {how_to_get(entry)}")
    if check:
        stat = path.stat()
        found = _checked(file, path, stat.st_size, stat.st_mtime_ns)
        if not found.good:
            raise WrongChecksum(f"{path} {found.reason}; get it anew with: sidewise data get {entry.name}")


def how_to_get(entry: Entry) -> str:
    """What a user can do about a data set that is not here."""
    source = "" if entry.offered else " --from FOLDER, from files that you have"
    return f"get it with: sidewise data get {entry.name}{source}"


@cache
def _checked(file: DataFile, path: Path, _size: int, _changed: int) -> Check:
    return check_file(file, path)
