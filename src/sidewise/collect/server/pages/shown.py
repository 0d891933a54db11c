"""A task as a page shows it: nothing in it tells which item it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.urls import reverse

from sidewise.collect.campaign import Campaign as Spec
from sidewise.collect.campaign.instructions import instructions_html
from sidewise.collect.server.models import Assignment, Campaign, Item
from sidewise.errors import SidewiseError

SIDES = ("left", "right")


@dataclass(frozen=True)
class Side:
    """One of the two things, as the page shows it."""

    side: str
    kind: str
    address: str = ""  # of media
    text: str = ""  # a plain text …
    html: str = ""  # … or one that was Markdown, made safe


@dataclass(frozen=True)
class Choice:
    """A button."""

    name: str
    label: str
    key: str

    @property
    def side(self) -> str:
        """Which of the two it is about, if one of them."""
        return next((side for side in SIDES if self.name.startswith(side)), "")


@dataclass(frozen=True)
class ShownTask:
    """A task on a page."""

    key: str
    sides: Sequence[Side]
    query: str = ""
    description: str = ""


def choices(spec: Spec) -> list[Choice]:
    """The buttons of a campaign, in the order of the page."""
    return [Choice(name, spec.labels[name], spec.keys[name]) for name in spec.choices]


def shown(campaign: Campaign, assignments: Sequence[Assignment]) -> list[ShownTask]:
    """Tasks as a page shows them."""
    wanted = {item for one in assignments for item in (one.task.first_id, one.task.second_id)}
    items = Item.objects.in_bulk(wanted)
    tasks = []
    for one in assignments:
        query, description = campaign.queries.get(one.task.group, ("", ""))
        sides = [_side(campaign, one, items[item], side) for side, item in zip(SIDES, order(one), strict=True)]
        tasks.append(ShownTask(str(one.key), sides, query, description))
    return tasks


def order(one: Assignment) -> tuple[int, int]:
    """The items of a task, as they stand on the page: left, right."""
    first, second = one.task.first_id, one.task.second_id
    assert first is not None
    assert second is not None
    return (second, first) if one.swapped else (first, second)


def _side(campaign: Campaign, one: Assignment, item: Item, side: str) -> Side:
    return seen(campaign, item, reverse("media", args=[campaign.name, one.key, side]), side)


def seen(campaign: Campaign, item: Item, address: str, side: str = "") -> Side:
    """An item as a page shows it; media that lie on this server are at the address."""
    spec = campaign.spec
    kind = spec.items.kind
    if kind != "text":
        return Side(side, kind, address=item.media if linked(item.media) else address)
    text = item.media if spec.items.inline else _read(campaign, item)
    if spec.items.format == "markdown":
        return Side(side, kind, html=instructions_html(text))
    return Side(side, kind, text=text)


def linked(media: str) -> bool:
    """Whether media lie elsewhere."""
    return media[:8].lower() == "https://"


def media_path(campaign: Campaign, item: Item) -> Path:
    """Where the media of an item are; always inside the campaign's folder, and never in its output."""
    spec = campaign.spec
    try:
        path = None if spec.items.inline else spec.media_path(item.media)
    except (OSError, ValueError):  # no path at all
        path = None
    if path is None:
        raise SidewiseError(f"the media of item {item.name!r} are not there: {item.media[:200]}")
    return path


def _read(campaign: Campaign, item: Item) -> str:
    """A text from its file. One that is gone since the check is said to be: the worker can skip the task."""
    try:
        return media_path(campaign, item).read_text(encoding="utf-8", errors="replace")
    except SidewiseError:
        return "This text cannot be found."
