"""Who a worker is: entry links are signed and bound to one worker, and so is what a browser keeps afterwards."""

import re
import secrets

from django.core.signing import BadSignature, Signer
from django.db import IntegrityError, transaction

from sidewise.collect.server.log import Kind, record
from sidewise.collect.server.models import Campaign, Worker
from sidewise.collect.server.statements import find_worker
from sidewise.errors import SidewiseError

# What platforms give as ids. Nothing that a spreadsheet would take for a formula: strangers write these.
CLAIM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:~@-]{0,149}")
ENTRY, PASS = Signer(salt="sidewise.entry"), Signer(salt="sidewise.worker")


def entry(campaign: Campaign, name: str) -> str:
    """The secret part of an invited worker's link."""
    return ENTRY.sign_object({"campaign": campaign.pk, "worker": name})


def entered(campaign: Campaign, link: str) -> Worker | None:
    """The worker of a signed link; None if it is not one of this campaign's."""
    try:
        told = ENTRY.unsign_object(link)
    except (BadSignature, ValueError):
        return None
    if told["campaign"] != campaign.pk:
        return None
    try:
        return _new(campaign, told["worker"], invited=True)
    except IntegrityError:  # has come before, or stands in the list
        return campaign.workers.filter(name=told["worker"], invited=True).first()


def joined(campaign: Campaign, claim: str = "") -> Worker:
    """A new worker of an open campaign. A platform's id in the address is a claim: kept, and not believed twice."""
    claim = claim.strip()
    if not claim:
        return _new(campaign, f"w-{secrets.token_hex(8)}")
    if not CLAIM.fullmatch(claim):
        raise SidewiseError("this is not the id of a worker: letters, digits and . _ : ~ @ - only, 150 at most")
    try:
        return _new(campaign, claim)
    except IntegrityError:
        return _new(campaign, f"{claim}~{secrets.token_hex(4)}", claim=claim, again=True)


def worker_pass(worker: Worker) -> str:
    """What proves to be the worker, in a cookie or a header."""
    return PASS.sign(f"{worker.campaign_id}.{worker.pk}")


def worker_of(token: str, campaign_name: str) -> Worker | None:
    """The worker of a pass, with the campaign; None unless it is one for this campaign."""
    try:
        campaign_id, worker_id = map(int, PASS.unsign(token).split("."))
    except (BadSignature, ValueError):
        return None
    found = find_worker(worker_id, campaign_id)
    return found if found is not None and found.campaign.name == campaign_name else None


def _new(campaign: Campaign, name: str, *, invited: bool = False, **facts: object) -> Worker:
    """A worker of a name that nobody has."""
    with transaction.atomic():
        worker = Worker.objects.create(campaign=campaign, name=name, invited=invited)
        record(campaign, Kind.JOINED, worker=worker, name=name, **facts)
    return worker
