"""Serving: which tasks a worker has now. A lease takes a slot of the task, so that never too many have it at once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from sidewise.collect.server import jobs, planning, statements
from sidewise.collect.server.log import Kind, event, record_all
from sidewise.collect.server.models import Assignment, Campaign, Event, Task, Worker
from sidewise.collect.server.sides import sides

State = Assignment.State


@dataclass(frozen=True)
class Served:
    """What a worker has to do: tasks on the page, and those that come next, whose media can be loaded already."""

    page: Sequence[Assignment] = ()
    ahead: Sequence[Assignment] = ()
    why: str = ""  # there is nothing on the page: paused, closed, done, later, nothing (now), barred


def serve(worker: Worker, now: datetime | None = None) -> Served:
    """The tasks of a worker: those that are leased already, filled up with new ones.

    Where the queue has run dry, leases that have run out come first; pairs at random follow if the strategy is late.
    """
    now = now or timezone.now()
    served = _serve(worker, now)
    if served.why == "nothing" and (expire(worker.campaign_id, now) or planning.revive(worker.campaign, now)):
        served = _serve(worker, now)
    return served


def _serve(worker: Worker, now: datetime) -> Served:
    campaign, serving = worker.campaign, worker.campaign.spec.serving
    if worker.barred:
        return Served(why="barred")
    with transaction.atomic():
        held = statements.held(worker, now)
        lacking = serving.tasks_per_page + serving.preload - len(held)
        why, fresh = _nothing_more(worker, held, now) if lacking > 0 else "", list[Assignment]()
        if lacking > 0 and not why:
            lacking = min(lacking, _room(worker, len(held)))
            fresh = _leased(worker, lacking, now)
            jobs.want_plan(campaign, least=0 if fresh else 2 * lacking)
        page = [*held, *fresh][: serving.tasks_per_page]
        _write(held, fresh, page, now)
    if page:
        return Served(page, [*held, *fresh][serving.tasks_per_page :])
    return Served(why=why or ("done" if campaign.finished else "nothing"))


def lease(worker: Worker, count: int, now: datetime) -> list[Assignment]:
    """Take so many open tasks, each with a slot, for a worker who has not had them."""
    made = _leased(worker, count, now)
    _write([], made, [], now)
    return made


def _leased(worker: Worker, count: int, now: datetime) -> list[Assignment]:
    """Leases that are yet to be written, of tasks whose slots are taken."""
    serving = worker.campaign.spec.serving
    tasks = _claimed(worker, count)
    return [
        Assignment(
            campaign_id=worker.campaign_id, task=task, worker=worker, swapped=swapped, leased_at=now,
            # One that waits for its turn behind others is not late because of them.
            expires_at=now + timedelta(seconds=serving.lease_seconds * (1 + position // serving.tasks_per_page)),
        )
        for position, (task, swapped) in enumerate(zip(tasks, sides(worker, tasks) if tasks else (), strict=True))
    ]  # fmt: skip


def _write(held: Sequence[Assignment], fresh: Sequence[Assignment], page: Sequence[Assignment], now: datetime) -> None:
    """Write new leases, and when a worker first saw a task: times are the server's, never a browser's."""
    shown = [one for one in page if one.served_at is None]
    for one in shown:
        one.served_at = now
        if one in held:
            statements.note_served(one)
    statements.insert_leases(fresh)
    statements.insert_events([*(_lease_event(one) for one in fresh), *(_served_event(one) for one in shown)])


def _lease_event(one: Assignment) -> Event:
    return event(one.campaign_id, Kind.LEASED, at=one.leased_at, assignment=one, task=one.task_id, swapped=one.swapped)


def _served_event(one: Assignment) -> Event:
    return event(one.campaign_id, Kind.SERVED, at=one.served_at, assignment=one)


def _claimed(worker: Worker, count: int) -> list[Task]:
    """The first open tasks that the worker has not had, with a slot of each taken."""
    if count <= 0:
        return []
    if worker.campaign.spec.search is None:
        return statements.claim(worker, count)
    had = Assignment.objects.filter(task=OuterRef("pk"), worker=worker)
    open_tasks = Task.objects.filter(campaign_id=worker.campaign_id, taken__lt=F("wanted")).exclude(Exists(had))
    if connection.features.has_select_for_update_skip_locked:
        open_tasks = open_tasks.select_for_update(skip_locked=True, no_key=True)
    tasks = _of_query(open_tasks, worker, count)
    if tasks:
        Task.objects.filter(pk__in=[task.pk for task in tasks]).update(taken=F("taken") + 1)
    return tasks


def _of_query(tasks: QuerySet[Task], worker: Worker, count: int) -> list[Task]:
    """In the order of the queue, those first that belong to the query the worker is at."""
    last = worker.assignments.order_by("-leased_at").values_list("task__group", flat=True).first()
    same = list(tasks.filter(group=last).order_by("place")[:count]) if last is not None else []
    taken = [task.pk for task in same]
    return same + list(tasks.exclude(pk__in=taken).order_by("place")[: count - len(same)])


def _nothing_more(worker: Worker, held: Sequence[Assignment], now: datetime) -> str:
    """Why a worker gets no new tasks, if so."""
    campaign = worker.campaign
    if campaign.state != Campaign.State.OPEN:
        return str(campaign.state)
    if _room(worker, len(held)) <= 0:
        return "done"
    hourly = campaign.spec.budget.per_hour
    if hourly is not None:
        since = campaign.assignments.filter(answered_at__gt=now - timedelta(hours=1), state=State.ANSWERED)
        return "later" if since[:hourly].count() >= hourly else ""
    return ""


def _room(worker: Worker, held: int) -> int:
    """How many tasks more a worker may have."""
    most = worker.campaign.spec.serving.tasks_per_worker
    return 10**9 if most is None else most - held - done_by(worker)


def done_by(worker: Worker) -> int:
    """How many tasks a worker has answered."""
    return worker.assignments.filter(state__in=(State.ANSWERED, State.SURPLUS)).count()


def expire(campaign_id: int, now: datetime | None = None, most: int = 1_000) -> int:
    """End the leases that have run out, and give their slots back; how many there were."""
    now = now or timezone.now()
    with transaction.atomic():
        over = Assignment.objects.filter(campaign_id=campaign_id, state=State.LEASED, expires_at__lte=now)
        if connection.features.has_select_for_update_skip_locked:
            over = over.select_for_update(skip_locked=True, no_key=True)
        ended = list(over.order_by("expires_at")[:most])
        Assignment.objects.filter(pk__in=[one.key for one in ended]).update(state=State.EXPIRED)
        give_back(ended)
        record_all(event(campaign_id, Kind.EXPIRED, at=now, assignment=one) for one in ended)
    return len(ended)


def give_back(assignments: Sequence[Assignment]) -> None:
    """Free the slots that assignments had taken; in the order of the tasks, so that no two wait for each other."""
    slots = Counter(one.task_id for one in assignments)
    for task_id, count in sorted(slots.items()):
        Task.objects.filter(pk=task_id).update(taken=F("taken") - count)
