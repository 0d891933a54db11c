"""For requesters' programs: campaigns, items, states, rankings, exports. Another's campaign does not exist."""

from collections.abc import Container, Iterable
from typing import Annotated, Any, Literal

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from sidewise.collect.campaign import Campaign as Spec
from sidewise.collect.campaign import Checked, Query
from sidewise.collect.campaign import Item as SpecItem
from sidewise.collect.campaign.instructions import images
from sidewise.collect.campaign.items import text_trouble
from sidewise.collect.campaign.media import address_trouble
from sidewise.collect.server import exporting
from sidewise.collect.server.api.auth import RequesterToken
from sidewise.collect.server.api.errors import told
from sidewise.collect.server.models import Campaign
from sidewise.collect.server.opening import add_items, change_state, create
from sidewise.collect.server.standing import latest
from sidewise.errors import SidewiseError
from sidewise.names import NAME, NAME_CURE

router = Router(tags=["campaigns"], auth=RequesterToken())
TOLD = told(401, 404, 413, 422)


NAMED = r"^\S(.*\S)?$"  # no blanks around, on one line


class ItemIn(Schema):
    """An item: its media is an https address, or the text itself where the campaign's kind is text."""

    id: str = Field(min_length=1, max_length=400)
    media: str = Field(min_length=1, max_length=100_000)
    group: str | None = Field(None, max_length=400)
    attributes: dict[str, str | int | float | bool | None] = Field(default_factory=dict)


class QueryIn(Schema):
    """What stands above the items of a group, in a search campaign."""

    id: str = Field(pattern=NAMED, max_length=255)
    query: str = Field(min_length=1, max_length=20_000)
    description: str = Field("", max_length=20_000)


class CampaignIn(Schema):
    """The tables of a campaign file, and what its files would say."""

    campaign: dict[str, Any] = Field(description="The tables: campaign, items, answers, serving, sampling …")
    items: list[ItemIn] = Field(default_factory=list, max_length=100_000)
    queries: list[QueryIn] = Field(default_factory=list, max_length=100_000)
    workers: list[Annotated[str, Field(pattern=NAMED, max_length=200)]] = Field(
        default_factory=list, max_length=100_000, description="The invited, where [access] open is false."
    )


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
def new(request: HttpRequest, data: CampaignIn) -> Status[CampaignOut]:
    """In draft; open it when all items are there."""
    spec = _spec(data.campaign)
    if spec.search is not None and not data.queries:
        raise SidewiseError("queries: a campaign with [search] needs them")
    queries = {one.id: Query(one.id, one.query, one.description) for one in data.queries}
    checked = Checked(spec, _items(spec, data.items, queries), queries, None, data.workers or None, spec.instructions)
    return Status(201, _told(create(checked, request.auth)))  # type: ignore[attr-defined]


@router.get("/campaigns/{slug:name}", response={200: CampaignOut, **TOLD}, summary="A campaign")
def one(request: HttpRequest, name: str) -> CampaignOut:
    """How it is, and how far."""
    return _told(mine(request, name))


@router.post("/campaigns/{slug:name}/items", response={200: Added, **TOLD}, summary="Add items")
def more(request: HttpRequest, name: str, data: list[ItemIn]) -> Added:
    """Their ids must be new."""
    campaign = mine(request, name)
    items = _items(campaign.spec, data, campaign.queries)
    return Added(added=add_items(campaign, items, by=request.auth))  # type: ignore[attr-defined]


@router.post("/campaigns/{slug:name}/state", response={200: CampaignOut, **TOLD}, summary="Open, pause or close")
def state(request: HttpRequest, name: str, data: StateIn) -> CampaignOut:
    """Closing is for good."""
    campaign = mine(request, name)
    change_state(campaign, data.state, by=request.auth)  # type: ignore[attr-defined]
    return _told(campaign)


@router.get("/campaigns/{slug:name}/ranking", response={200: RankingOut, **TOLD}, summary="The ranking")
def ranking(request: HttpRequest, name: str) -> RankingOut:
    """The newest, with the number and the digest of the answers that it was made from."""
    standing = latest(mine(request, name))
    if standing is None:
        return RankingOut(answers=0, digest="", at="", model="", items=[], remarks=["no answers yet"])
    schema, rows = exporting.ranking(mine(request, name))
    seen = standing.summary
    return RankingOut(answers=standing.answers, digest=standing.digest, at=standing.at.isoformat(),
                      items=[dict(zip(schema.names, row, strict=True)) for row in exporting.plain(schema, rows)],
                      model=seen.get("model", ""), remarks=seen.get("remarks", []))  # fmt: skip


@router.get(
    "/campaigns/{slug:name}/export/{what}.{form}", summary="Export", response={200: None, **TOLD},
    openapi_extra={"responses": {200: {"content": {kind.split(";")[0]: {} for kind in exporting.TYPES.values()}}}},
)  # fmt: skip
def export(
    request: HttpRequest,
    name: str,
    what: Literal["answers", "events", "ranking", "items"],
    form: Literal["csv", "jsonl", "parquet"],
) -> HttpResponseBase:
    """Streams, however many there are."""
    return exporting.response(mine(request, name), what, form)


# Keys that name files on the server's disk: a program may not have them read.
FILES = (
    ("campaign", "instructions_file"),
    ("items", "source"),
    ("items", "folder"),
    ("search", "queries"),
    ("sampling", "allowed"),
    ("access", "workers"),
    ("output", "folder"),
)


def _spec(tables: dict[str, Any]) -> Spec:
    """A campaign of tables that name no files; its folder is one that does not exist."""
    named = [f"[{table}] {key}" for table, key in FILES if _has(tables.get(table), key)]
    if "folder" in tables or named:
        raise SidewiseError(f"{', '.join(named) or 'folder'}: the server reads no files for a program; leave it out")
    items = tables.get("items", {})
    if isinstance(items, dict):
        kept_here = {"text": "text"} if items.get("kind") == "text" else {}
        tables = {**tables, "items": {**items, "source": "items.csv", **kept_here}}
    spec = Spec.from_dict(tables, folder=settings.HOME / "no-files")
    if images(spec.instructions):
        raise SidewiseError("[campaign] instructions show an image, which pages of workers do not; take it out")
    return spec


def _has(table: Any, key: str) -> bool:
    return isinstance(table, dict) and table.get(key) is not None


def _items(spec: Spec, items: Iterable[ItemIn], queries: Container[str]) -> list[SpecItem]:
    """Items as the server keeps them; media that are not texts lie elsewhere."""
    checked = []
    for item in items:
        trouble = _trouble(spec, item, queries)
        if trouble:
            raise SidewiseError(f"item {item.id[:60]!r}: {trouble}")
        checked.append(SpecItem(item.id, item.media, item.group, item.attributes))
    return checked


def _trouble(spec: Spec, item: ItemIn, queries: Container[str]) -> str | None:
    """What is wrong with an item."""
    for what, name in {"id": item.id, "group": item.group or "none"}.items():
        if not NAME.fullmatch(name):
            return f"the {what} is {name[:60]!r}; {NAME_CURE}"
    if spec.search is not None and item.group not in queries:
        return f"its group is {item.group!r}, and there is no such query"
    if spec.items.kind == "text":
        return text_trouble(item.media)
    wrong = address_trouble(spec.items.kind, item.media)
    return wrong and f"{item.media[:60]!r} {wrong}"


def _told(campaign: Campaign) -> CampaignOut:
    return CampaignOut(
        name=campaign.name, state=campaign.state, finished=campaign.finished, trouble=campaign.trouble,
        items=campaign.items.count(), workers=campaign.workers.count(),
        content={name: table for name, table in campaign.content.items() if name != "folder"},  # nobody's business

        answers=campaign.assignments.filter(state="answered", set_aside=False).count(),
    )  # fmt: skip
