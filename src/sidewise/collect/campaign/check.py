"""Everything that a campaign names, read and checked before anything starts."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidewise.collect.campaign.checking import Place
from sidewise.collect.campaign.contents import contents_trouble
from sidewise.collect.campaign.files import Pair, Query, found_file, pairs_of, queries_of, workers_of
from sidewise.collect.campaign.instructions import images
from sidewise.collect.campaign.items import Item, items_of, source_rows
from sidewise.collect.campaign.media import is_address
from sidewise.collect.campaign.problems import CampaignError, Problem
from sidewise.collect.campaign.rows import Rows, rows_of
from sidewise.collect.campaign.tables import LONGEST_INSTRUCTIONS
from sidewise.collect.campaign.toml_lines import Lines

if TYPE_CHECKING:
    from sidewise.collect.campaign.campaign import Campaign

IMAGE = "the instructions show an image, which pages of workers do not; take it out and say it in words"


@dataclass(frozen=True)
class Checked:
    """A campaign that can start, with all that its files say."""

    campaign: "Campaign"
    items: Sequence[Item]
    queries: Mapping[str, Query]
    allowed: Sequence[Pair] | None
    workers: Sequence[str] | None
    instructions: str

    @property
    def groups(self) -> dict[str | None, int]:
        """How many items each group has; one group, None, where there are none."""
        return dict(Counter(item.group for item in self.items))

    @property
    def pairs(self) -> int:
        """How many pairs can be asked."""
        if self.allowed is not None:
            return len(self.allowed)
        return sum(size * (size - 1) // 2 for size in self.groups.values())


def check(campaign: "Campaign", *, contents: bool = True) -> Checked:
    """Read all that a campaign names, or raise a :class:`CampaignError` with all that is wrong.

    ``contents`` has every file of media opened, to see whether it is what its name says.
    """
    seen = Looking(campaign)
    instructions = seen.instructions()
    items = seen.items(contents=contents)
    queries = seen.named("search", "queries", lambda path, _: queries_of(campaign, path, items), {})
    allowed = seen.named("sampling", "allowed", lambda path, name: pairs_of(path, name, items), None)
    workers = seen.named("access", "workers", workers_of, None)
    checked = Checked(campaign, items, queries, allowed, workers, instructions)
    if not seen.problems:
        seen.problems += [seen.place.problem(what, *path) for path, what in _too_much(checked)]
    if seen.problems:
        raise CampaignError(seen.problems)
    return checked


def read_items(campaign: "Campaign", records: Sequence[Mapping[str, Any]] | None = None) -> list[Item]:
    """The items of a campaign's source, or of records that a program gives, with the columns that ``[items]`` names."""
    seen = Looking(campaign)
    if records is None:
        items = seen.items(contents=False)
    else:
        rows = rows_of(records, "item")
        items = items_of(campaign, rows)
        seen.problems += rows.problems
    if seen.problems:
        raise CampaignError(seen.problems)
    return items


class Looking:
    """Looks at the files of a campaign, and keeps what is wrong."""

    def __init__(self, campaign: "Campaign") -> None:
        self.campaign = campaign
        self.problems: list[Problem] = []
        self.place = _place(campaign)

    def path(self, table: str, key: str) -> Path | None:
        """Where the file of a key is; None where it is not named or cannot be."""
        own = table == "campaign"
        name = getattr(self.campaign if own else getattr(self.campaign, table), key, None)
        if name is None:
            return None
        found = found_file(self.campaign.folder, name)
        if isinstance(found, str):
            self.problems.append(self.place.problem(f"[{table}] {key}: {found}", table, key))
            return None
        return found

    def named(self, table: str, key: str, read: Callable[[Path, str], tuple[Any, Rows]], absent: Any) -> Any:
        """What a file says, by its own reader."""
        path = self.path(table, key)
        if path is None:
            return absent
        found, rows = read(path, getattr(getattr(self.campaign, table), key))
        self.problems += rows.problems
        return found

    def items(self, *, contents: bool) -> list[Item]:
        """The items of the source."""
        if self.campaign.items.source is None:
            self.problems.append(self.place.problem("[items] has no source; name a table or a folder", "items"))
        folder = self.path("items", "folder") if self.campaign.items.folder else self.campaign.folder
        path = self.path("items", "source")
        if path is None or folder is None:
            return []
        rows = source_rows(self.campaign, path)
        items = items_of(self.campaign, rows)
        if contents and not rows.problems and not self.campaign.items.inline:
            _check_contents(self.campaign, items, rows)
        self.problems += rows.problems
        return items

    def instructions(self) -> str:
        """The instructions, in Markdown."""
        path, name = self.path("campaign", "instructions_file"), self.campaign.instructions_file
        if path is None or name is None:
            text = self.campaign.instructions
            self.problems += [self.place.problem(IMAGE, "campaign", "instructions") for _ in images(text)]
            return text
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (UnicodeDecodeError, OSError):
            self.problems.append(Problem("it cannot be read as UTF-8 text; save it as UTF-8", name))
            return ""
        if len(text) > LONGEST_INSTRUCTIONS:
            what = f"it has {len(text):,} characters; {LONGEST_INSTRUCTIONS:,} is the most that anybody will read"
            self.problems.append(Problem(what, name))
        self.problems += [Problem(IMAGE, name, line) for line in images(text)]
        return text


def _check_contents(campaign: "Campaign", items: list[Item], rows: Rows) -> None:
    for row, item in enumerate(items):
        if not is_address(item.media):
            what = contents_trouble(campaign.items.kind, campaign.media_folder / item.media)
            if what is not None:
                rows.add(f"item {item.id!r}: {item.media!r} {what}", row)


def _too_much(checked: Checked) -> Iterator[tuple[tuple[str, ...], str]]:
    """What asks for more than there is."""
    campaign, smallest = checked.campaign, min(checked.groups.values(), default=0)
    for table in ("sampling", "stopping"):
        top = getattr(campaign, table).top
        if top is not None and top >= smallest:
            yield (table, "top"), f"[{table}] top is {top}, and there are {smallest} items to choose from; take fewer"
    if checked.workers is None:
        return
    many, serving = len(checked.workers), campaign.serving
    if serving.overlap > many:
        what = f"[serving] overlap is {serving.overlap}, and {many} workers are invited; each judges a pair once"
        yield ("serving", "overlap"), what
    most, wanted = serving.tasks_per_worker, campaign.budget.answers
    if most is not None and wanted is not None and many * most < wanted:
        what = (
            f"[budget] answers is {wanted:,}, and {many} workers with {most} tasks each give {many * most:,}; take less"
        )
        yield ("budget", "answers"), what


def _place(campaign: "Campaign") -> Place:
    """Where the keys of a campaign stand, if it came from a file that is still there."""
    if campaign.file is None or not campaign.file.is_file():
        return Place()
    return Place(campaign.file.name, Lines(campaign.file.read_text(encoding="utf-8-sig")))
