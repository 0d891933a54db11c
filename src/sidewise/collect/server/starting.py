"""The first start of a server: its requester, and the campaign that it was started with."""

import os
import secrets
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from sidewise.collect.campaign import Checked
from sidewise.collect.server import jobs
from sidewise.collect.server.log import Kind, record
from sidewise.collect.server.models import Campaign
from sidewise.collect.server.opening import change_state, create

NAME = "requester"


def started(checked: Checked) -> Campaign:
    """The campaign of a file: made and opened at the first start, the same at every other."""
    requester = first_requester()
    found = Campaign.objects.filter(name=checked.campaign.name).first()
    if found is None:
        found = create(checked, requester)
        change_state(found, Campaign.State.OPEN, by=requester)
    else:
        _follow(found, checked)
    jobs.want_all()
    return found


def first_requester() -> User:
    """The requester whom a server has from the start; the password is random and lies in a file for its owner alone."""
    found = User.objects.filter(username=NAME).first()
    if found is not None:
        return found
    password = secrets.token_urlsafe(12)
    path = Path(settings.HOME) / "password.txt"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(password + "\n")
    return User.objects.create_user(NAME, password=password)


def first_password(home: Path) -> str | None:
    """The password that the first start made, until its file is deleted."""
    path = home / "password.txt"
    return path.read_text().strip() if path.exists() else None


@transaction.atomic
def _follow(campaign: Campaign, checked: Checked) -> None:
    """A campaign file that has changed since: what workers are told and how they are served may; the items may not."""
    content = checked.campaign.to_dict()
    if content != campaign.content or checked.instructions != campaign.instructions:
        campaign.content, campaign.instructions = content, checked.instructions
        campaign.folder = str(checked.campaign.media_folder.resolve())
        campaign.save(update_fields=["content", "instructions", "folder"])
        record(campaign, Kind.CREATED, content=content, changed=True)
