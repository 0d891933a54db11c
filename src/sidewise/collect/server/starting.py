"""The first start of a server: its requester, and the campaign that it was started with."""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from sidewise.collect.campaign import Checked, Item
from sidewise.collect.server.log import Kind, record
from sidewise.collect.server.models import Campaign
from sidewise.collect.server.models import Item as ItemRow
from sidewise.collect.server.opening import add_items, allow, change_state, create, invite, told_queries
from sidewise.collect.server.planning import reopen
from sidewise.errors import SidewiseError

NAME = "requester"


def started(checked: Checked) -> Campaign:
    """The campaign of a file: made and opened at the first start, the same at every other."""
    requester = first_requester()
    found = Campaign.objects.filter(name=checked.campaign.name).first()
    if found is not None and found.owner_id != requester.pk:
        raise SidewiseError(f"the campaign {found.name!r} is another requester's; give this one another name")
    with transaction.atomic():  # a start that is cut short has made nothing, or all
        if found is None:
            found = create(checked, requester)
            change_state(found, Campaign.State.OPEN, by=requester)
        else:
            _follow(found, checked)
    return found


def first_requester() -> User:
    """The requester whom a server has from the start; the password is random and lies in a file for its owner alone."""
    found = User.objects.filter(username=NAME).first()
    if found is not None:
        return found
    password = secrets.token_urlsafe(12)
    path = Path(settings.HOME) / "password.txt"
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(password + "\n")
    return User.objects.create_user(NAME, password=password)


def first_password(home: Path) -> str | None:
    """The password that the first start made, until its file is deleted."""
    path = home / "password.txt"
    return path.read_text().strip() if path.exists() else None


def _follow(campaign: Campaign, checked: Checked) -> None:
    """A campaign file that has changed since.

    What workers are told, how they are served, when it ends, who is invited: all that may change. Items, queries and
    allowed pairs may be added. What answers are about may not: an item that is gone or shows something else.
    """
    content = checked.campaign.to_dict()
    fresh = _new_items(campaign, checked)
    _note_attributes(campaign, checked)
    if campaign.state == Campaign.State.CLOSED or not (fresh or _changed(campaign, checked, content)):
        return
    campaign.content, campaign.instructions, campaign.finished = content, checked.instructions, ""
    campaign.queries, campaign.folder = told_queries(checked), str(checked.campaign.media_folder.resolve())
    campaign.__dict__.pop("spec", None)  # of the old content
    campaign.save(update_fields=["content", "instructions", "queries", "folder", "finished"])
    record(campaign, Kind.CREATED, content=content, changed=True)
    add_items(campaign, fresh, by=campaign.owner)
    allow(campaign, checked.allowed or ())
    invite(campaign, checked.workers or ())
    reopen(campaign)


def _note_attributes(campaign: Campaign, checked: Checked) -> None:
    """Attributes may be corrected and added, at any time: no worker has seen them."""
    told = {item.id: dict(item.attributes) for item in checked.items}
    those = [one for one in campaign.items.all() if told.get(one.name, one.attributes) != one.attributes]
    for one in those:
        one.attributes = told[one.name]
    ItemRow.objects.bulk_update(those, ["attributes"], batch_size=500)
    if those:
        record(campaign, Kind.ITEMS, attributes_changed=len(those))


def _changed(campaign: Campaign, checked: Checked, content: Mapping[str, Any]) -> bool:
    """Whether the file says something else than before, or lies elsewhere."""
    invited = campaign.workers.filter(invited=True).values_list("name", flat=True)
    return (
        content != campaign.content
        or str(checked.campaign.media_folder.resolve()) != campaign.folder
        or checked.instructions != campaign.instructions
        or told_queries(checked) != campaign.queries
        or len(checked.allowed or ()) != campaign.allowed.count()
        or _listed_otherwise(campaign, checked)
        or not set(checked.workers or ()) <= set(invited)
    )


def _listed_otherwise(campaign: Campaign, checked: Checked) -> bool:
    """Whether pairs are to stand left and right as they are listed, and are listed otherwise than before."""
    if checked.campaign.serving.sides != "as listed":
        return False
    rows = campaign.allowed.values_list("first__name", "second__name", "turned")
    before = {(second, first) if turned else (first, second) for first, second, turned in rows}
    return set(checked.allowed or ()) != before


def _new_items(campaign: Campaign, checked: Checked) -> list[Item]:
    """The items that were not there; those that were must be as they were."""
    old = campaign.spec
    if (old.items.kind, old.task.kind) != (checked.campaign.items.kind, checked.campaign.task.kind):
        raise _other(campaign, f"its items were of the kind {old.items.kind}")
    if campaign.restricted != (checked.allowed is not None):
        raise _other(campaign, "[sampling] allowed was " + ("given" if campaign.restricted else "not given"))
    known = {name: (media, group) for name, media, group in campaign.items.values_list("name", "media", "group")}
    told = {item.id: (item.media, item.group or "") for item in checked.items}
    for name, was in known.items():
        if name not in told:
            raise _other(campaign, f"the item {name!r} is not among the items any more")
        if told[name] != was:
            raise _other(campaign, f"the item {name!r} shows something else, or is of another group")
    return [item for item in checked.items if item.id not in known]


def _other(campaign: Campaign, why: str) -> SidewiseError:
    return SidewiseError(
        f"the campaign {campaign.name!r} has begun, and {why}: answers would no longer be about what was shown. "
        "Undo that, or give the campaign another name in the file"
    )
