"""The specification of a campaign, from a file or from Python: the same things, checked the same way."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from sidewise.collect.campaign.checking import Place, checked_tables
from sidewise.collect.campaign.choices import ALWAYS, IN_ANSWERS, IN_SEARCH, KEYS, LABELS
from sidewise.collect.campaign.items import Item
from sidewise.collect.campaign.media import media_path
from sidewise.collect.campaign.problems import CampaignError, Problem
from sidewise.collect.campaign.tables import (
    LONGEST_INSTRUCTIONS,
    TABLES,
    Access,
    Answers,
    Budget,
    Items,
    Output,
    Sampling,
    Search,
    Serving,
    Stopping,
    Task,
    key,
)
from sidewise.collect.campaign.toml_lines import Lines
from sidewise.errors import SidewiseError

if TYPE_CHECKING:
    from sidewise.collect.campaign.check import Checked


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """A campaign: what is asked, about what, of whom, until when.

    ``Campaign.read("campaign.toml")`` reads one; from Python the tables of the file are given as mappings or as the
    classes of the same names. Whatever is wrong with it is told at once by a :class:`CampaignError`. Files that a
    campaign names are read and checked by :meth:`check`.

    >>> asked = {"name": "ages", "question": "Who looks older?"}
    >>> campaign = Campaign(**asked, items={"source": "faces.csv"}, serving={"overlap": 3})
    >>> campaign.serving.overlap, campaign.items.kind, campaign.choices
    (3, 'image', ('left', 'right'))
    """

    name: str = key("In addresses and file names; the name of the file, or of its folder, unless given.", longest=60)
    title: str = key("At the top of the page; the name unless given.", "", longest=200)
    question: str = key("What is asked about each pair.", needed=True, longest=500)
    instructions: str = key("In Markdown.", "", longest=LONGEST_INSTRUCTIONS)
    instructions_file: str | None = key("Where the instructions are, instead.", path=True)
    language: str = key("Of the page, such as `en` or `pt-BR`.", "en")

    task: Task = field(default_factory=Task)
    items: Items = field(default_factory=Items)
    answers: Answers = field(default_factory=Answers)
    search: Search | None = None
    serving: Serving = field(default_factory=Serving)
    sampling: Sampling = field(default_factory=Sampling)
    stopping: Stopping = field(default_factory=Stopping)
    budget: Budget = field(default_factory=Budget)
    access: Access = field(default_factory=Access)
    output: Output = field(default_factory=Output)
    rules: tuple[Mapping[str, Any], ...] = ()
    folder: Path = Path()
    file: Path | None = None

    def __post_init__(self) -> None:
        for name, value in _made(self._tables(), self.folder, self.file).items():
            object.__setattr__(self, name, value)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a campaign file."""
        path = Path(path)
        if path.is_dir() or not path.exists():
            cure = f"; name the file in it: {path}/campaign.toml" if path.is_dir() else ""
            raise CampaignError([Problem(f"{path} is {'a folder' if cure else 'not there'}{cure}")])
        data, lines = _parsed(path)
        own = data.get("campaign")
        if isinstance(own, dict):
            own.setdefault("name", slug(path.parent.resolve().name if path.stem == "campaign" else path.stem))
        return cls(**_made(data, path.parent, path, Place(path.name, lines)))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, folder: str | Path | None = None) -> Self:
        """A campaign of what :meth:`to_dict` gave, or of the tables of a file; paths begin in ``folder``."""
        tables = {name: value for name, value in data.items() if name != "folder"}
        place = folder if folder is not None else data.get("folder", ".")
        if not isinstance(place, str | Path):
            raise CampaignError([Problem(f"folder is {place!r}; it is the path of a folder")])
        return cls(**_made(tables, Path(place), None))

    def to_dict(self) -> dict[str, Any]:
        """The tables of a campaign file and the folder, with every default written out; plain JSON."""
        return {**self._tables(), "folder": str(self.folder.resolve())}

    def check(self, *, contents: bool = True) -> "Checked":
        """Read every file that the campaign names, or say all that is wrong with them."""
        from sidewise.collect.campaign.check import check

        return check(self, contents=contents)

    def read_items(self, records: Sequence[Mapping[str, Any]] | None = None) -> list[Item]:
        """The items of the source, or of records with its columns; whatever is wrong with them is told at once."""
        from sidewise.collect.campaign.check import read_items

        return read_items(self, records)

    @property
    def choices(self) -> tuple[str, ...]:
        """What a worker can say, in the order of the page."""
        offered = {*ALWAYS, *(name for name in IN_ANSWERS if getattr(self.answers, name))}
        if self.search is not None:
            offered |= {name for name, switch in IN_SEARCH.items() if getattr(self.search, switch)}
        return tuple(name for name in LABELS if name in offered)

    @property
    def labels(self) -> dict[str, str]:
        """The words on the button of each choice."""
        return {name: self.answers.labels.get(name, LABELS[name]) for name in self.choices}

    @property
    def keys(self) -> dict[str, str]:
        """The key of each choice, and of ``undo`` where answers can be taken back."""
        undo = ("undo",) if self.serving.undo_seconds else ()
        return {name: self.answers.keys.get(name, KEYS[name]) for name in (*self.choices, *undo)}

    @property
    def media_folder(self) -> Path:
        """Where the paths of media begin."""
        return self.folder / (self.items.folder or ".")

    def media_path(self, media: str) -> Path | None:
        """The file of an item's media, looked up anew, for sending it; None where it is none that may be sent."""
        return media_path(media, self.media_folder, self.folder, self.folder / self.output.folder)

    def _tables(self) -> dict[str, Any]:
        """The tables as a file has them."""
        own = {one.name: value for one in OWN if (value := getattr(self, one.name)) is not None}
        tables = {name: _plain(value) for name in TABLES if (value := getattr(self, name)) is not None}
        return {"campaign": own, **tables, **({"rules": list(self.rules)} if self.rules else {})}


OWN = tuple(one for one in fields(Campaign) if one.metadata)  # the keys of [campaign]


def slug(text: str) -> str:
    """A name that can stand in an address, made from any text."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60].strip("-")


def _plain(table: Any) -> Any:
    """A table as plain values; what is not given is left out."""
    if not hasattr(table, "__dataclass_fields__"):
        return table
    values = {one.name: getattr(table, one.name) for one in fields(table)}
    return {name: _listed(value) for name, value in values.items() if value is not None}


def _listed(value: Any) -> Any:
    match value:
        case tuple():
            return list(value)
        case Mapping():
            return dict(value)
        case _:
            return value


def _made(data: Mapping[str, Any], folder: Path, file: Path | None, place: Place | None = None) -> dict[str, Any]:
    """The fields of a campaign from the tables of a file, or everything that is wrong with them."""
    own = data.get("campaign")
    if isinstance(own, Mapping):
        told = own.get("name") or slug(str(own.get("title") or own.get("question") or ""))
        data = {**data, "campaign": {**own, "name": told, "title": own.get("title") or told}}
    return {**checked_tables(data, OWN, place or Place()), "folder": Path(folder), "file": file}


def _parsed(path: Path) -> tuple[dict[str, Any], Lines]:
    """What a file says, and where."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        return tomllib.loads(text), Lines(text)
    except UnicodeDecodeError:
        raise CampaignError([Problem("it is not UTF-8 text; save it as UTF-8", path.name)]) from None
    except tomllib.TOMLDecodeError as error:
        what, line = _where(str(error), text)
        raise CampaignError([Problem(f"this is not TOML: {what}", path.name, line)]) from None
    except OSError as error:
        raise SidewiseError(f"{path} cannot be read: {error.strerror}") from None


def _where(message: str, text: str) -> tuple[str, int]:
    """The reader's message without the place, and the line; it calls the last one the end of the document."""
    found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
    assert found is not None
    line = int(found[1]) if found[1] else text.count("\n") + 1
    return message[: found.start()], line
