"""Who a worker is: entry links are signed and bound to one worker, and so is what a browser keeps afterwards."""

import secrets

from django.core.signing import BadSignature, Signer
from django.db import IntegrityError, transaction

from sidewise.collect.server.log import Kind, record
from sidewise.collect.server.models import Campaign, Worker
from sidewise.collect.server.statements import find_worker

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
    if told.get("campaign") != campaign.pk:
        return None
    return _made(campaign, told["worker"], invited=True)


def joined(campaign: Campaign, claim: str = "") -> Worker:
    """A new worker of an open campaign. A platform's id in the address is a claim: kept, and not believed twice."""
    claim = claim.strip()[:150]
    if not claim:
        return _made(campaign, f"w-{secrets.token_hex(6)}")
    if not campaign.workers.filter(name=claim).exists():
        return _made(campaign, claim)
    return _made(campaign, f"{claim}~{secrets.token_hex(3)}", claim=claim, again=True)


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


def _made(campaign: Campaign, name: str, *, invited: bool = False, **facts: object) -> Worker:
    try:
        with transaction.atomic():
            worker = Worker.objects.create(campaign=campaign, name=name, invited=invited)
            record(campaign, Kind.JOINED, worker=worker, name=name, **facts)
    except IntegrityError:  # joined at the same moment, or long ago
        worker = Worker.objects.get(campaign=campaign, name=name)
    return worker
