"""The event log: what happened, in order, for ever. Whatever changes anything writes it in the same transaction."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.utils import timezone

from sidewise.collect.server.models import Assignment, Campaign, Event, Worker

Kind = Event.Kind


def event(
    campaign_id: int,
    kind: Kind,
    *,
    at: datetime | None = None,
    worker_id: int | None = None,
    assignment: Assignment | None = None,
    by: Any = None,
    **data: Any,
) -> Event:
    """An event that is yet to be written."""
    return Event(
        campaign_id=campaign_id, kind=kind, at=at or timezone.now(), by=by, data=data,
        worker_id=assignment.worker_id if assignment else worker_id,
        assignment_id=assignment.key if assignment else None,
    )  # fmt: skip


def record(campaign: Campaign | int, kind: Kind, *, worker: Worker | None = None, **facts: Any) -> Event:
    """Write one event."""
    campaign_id = campaign if isinstance(campaign, int) else campaign.pk
    happened = event(campaign_id, kind, worker_id=worker.pk if worker else None, **facts)
    happened.save(force_insert=True)
    return happened


def record_all(events: Iterable[Event]) -> None:
    """Write many at once, in their order."""
    Event.objects.bulk_create(events, batch_size=1_000)
