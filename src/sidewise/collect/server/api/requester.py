"""For requesters' programs: campaigns, items, states, rankings, exports. Another's campaign does not exist."""

from collections.abc import Iterable
from typing import Any, Literal

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema

from sidewise.collect.campaign import Campaign as Spec
from sidewise.collect.campaign import Checked
from sidewise.collect.campaign import Item as SpecItem
from sidewise.collect.server import exporting
from sidewise.collect.server.api.auth import RequesterToken
from sidewise.collect.server.api.errors import Problem
from sidewise.collect.server.models import Campaign
from sidewise.collect.server.opening import add_items, change_state, create
from sidewise.collect.server.standing import latest, unpacked
from sidewise.errors import SidewiseError

router = Router(tags=["campaigns"], auth=RequesterToken())
TOLD = {401: Problem, 404: Problem, 413: Problem, 422: Problem}


class ItemIn(Schema):
    """An item: its media is an https address, or the text itself where the campaign's kind is text."""

    id: str = Field(min_length=1, max_length=400)
    media: str = Field(min_length=1, max_length=100_000)
    group: str | None = Field(None, max_length=400)
    attributes: dict[str, str | float | bool | None] = Field(default_factory=dict)


class CampaignIn(Schema):
    """The tables of a campaign file, and the items."""

    campaign: dict[str, Any]
    items: list[ItemIn] = Field(default_factory=list)


class CampaignOut(Schema):
    """A campaign."""

    name: str
    state: str
    finished: str
    trouble: str
    items: int
    workers: int
    answers: int
    content: dict[str, Any]


class Added(Schema):
    """How many items were added."""

    added: int


class StateIn(Schema):
    """What a campaign shall become."""

    state: Literal["open", "paused", "closed"]


class RankingOut(Schema):
    """The newest ranking."""

    answers: int
    digest: str
    at: str
    model: str
    items: list[dict[str, Any]]
    remarks: list[str]


def mine(request: HttpRequest, name: str) -> Campaign:
    """A campaign of the caller's; to them, others do not exist."""
    return get_object_or_404(Campaign, name=name, owner=request.auth)  # type: ignore[attr-defined]


@router.get("/campaigns", response={200: list[CampaignOut], **TOLD}, summary="Your campaigns")
def campaigns(request: HttpRequest) -> list[CampaignOut]:
    """All of them, the newest first."""
    return [_told(one) for one in Campaign.objects.filter(owner=request.auth).order_by("-id")]  # type: ignore[attr-defined]


@router.post("/campaigns", response={201: CampaignOut, **TOLD}, summary="Create a campaign")
def new(request: HttpRequest, data: CampaignIn) -> tuple[int, CampaignOut]:
    """In draft; open it when all items are there."""
    tables = {**data.campaign, "items": {"source": "items.csv", **_table(data.campaign.get("items", {}))}}
    if tables["items"].get("kind") == "text":
        tables["items"]["text"] = "text"
    unread = [f"[{table}] {key}" for table, key in FILES if _table(tables.get(table, {})).get(key) is not None]
    if unread:
        raise SidewiseError(f"{', '.join(unread)}: the server reads no files for a program; leave it out")
    name = str(_table(data.campaign.get("campaign", {})).get("name", "new"))
    spec = Spec.from_dict(
        tables, folder=settings.HOME / "media" / "".join(c for c in name if c.isalnum() or c == "-")[:64]
    )
    checked = Checked(spec, _items(spec, data.items), {}, None, None, spec.instructions)
    return 201, _told(create(checked, request.auth))  # type: ignore[attr-defined]


@router.get("/campaigns/{name}", response={200: CampaignOut, **TOLD}, summary="A campaign")
def one(request: HttpRequest, name: str) -> CampaignOut:
    """How it is, and how far."""
    return _told(mine(request, name))


@router.post("/campaigns/{name}/items", response={200: Added, **TOLD}, summary="Add items")
def more(request: HttpRequest, name: str, data: list[ItemIn]) -> Added:
    """Their ids must be new."""
    campaign = mine(request, name)
    return Added(added=add_items(campaign, _items(campaign.spec, data), by=request.auth))  # type: ignore[attr-defined]


@router.post("/campaigns/{name}/state", response={200: CampaignOut, **TOLD}, summary="Open, pause or close")
def state(request: HttpRequest, name: str, data: StateIn) -> CampaignOut:
    """Closing is for good."""
    campaign = mine(request, name)
    change_state(campaign, data.state, by=request.auth)  # type: ignore[attr-defined]
    return _told(campaign)


@router.get("/campaigns/{name}/ranking", response={200: RankingOut, **TOLD}, summary="The ranking")
def ranking(request: HttpRequest, name: str) -> RankingOut:
    """The newest, with the number and the digest of the answers that it was made from."""
    standing = latest(mine(request, name))
    if standing is None:
        return RankingOut(answers=0, digest="", at="", model="", items=[], remarks=["no answers yet"])
    table = unpacked(standing.ranking)
    rows = table.to_pylist() if table is not None else []
    told = standing.summary
    return RankingOut(answers=standing.answers, digest=standing.digest, at=standing.at.isoformat(), items=rows,
                      model=told.get("model", ""), remarks=told.get("remarks", []))  # fmt: skip


@router.get("/campaigns/{name}/export/{what}.{form}", summary="Export", response={200: None, **TOLD})
def export(
    request: HttpRequest,
    name: str,
    what: Literal["answers", "events", "ranking"],
    form: Literal["csv", "jsonl", "parquet"],
) -> HttpResponseBase:
    """Streams, however many there are."""
    return exporting.response(mine(request, name), what, form)


# Keys that name files on the server's disk: a program may not have them read.
FILES = (
    ("campaign", "instructions_file"),
    ("items", "folder"),
    ("search", "queries"),
    ("sampling", "allowed"),
    ("access", "workers"),
)


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _items(spec: Spec, items: Iterable[ItemIn]) -> list[SpecItem]:
    """Items as the server keeps them; media that are not texts lie elsewhere."""
    checked = []
    for item in items:
        if spec.items.kind != "text" and not item.media.startswith("https://"):
            raise SidewiseError(f"item {item.id!r}: media must be an https address; {item.media[:60]!r} is none")
        checked.append(SpecItem(item.id, item.media, item.group, item.attributes))
    return checked


def _told(campaign: Campaign) -> CampaignOut:
    return CampaignOut(
        name=campaign.name, state=campaign.state, finished=campaign.finished, trouble=campaign.trouble,
        items=campaign.items.count(), workers=campaign.workers.count(), content=campaign.content,
        answers=campaign.assignments.filter(state="answered", set_aside=False).count(),
    )  # fmt: skip
