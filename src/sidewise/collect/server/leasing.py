"""Serving: which tasks a worker has now. A lease takes a slot of the task, so that never too many have it at once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from sidewise.collect.server import jobs, planning
from sidewise.collect.server.log import Kind, event, record_all
from sidewise.collect.server.models import Assignment, Campaign, Task, Worker
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
        held = list(_held(worker, now))
        lacking = serving.tasks_per_page + serving.preload - len(held)
        why = _nothing_more(worker, held, now) if lacking > 0 else ""
        if lacking > 0 and not why:
            lacking = min(lacking, _room(worker, len(held)))
            fresh = lease(worker, lacking, now)
            held += fresh
            jobs.want_plan(campaign, least=0 if fresh else 2 * lacking)
        page = held[: serving.tasks_per_page]
        _show(page, now)
    if page:
        return Served(page, held[serving.tasks_per_page :])
    return Served(why=why or ("done" if campaign.finished else "nothing"))


def lease(worker: Worker, count: int, now: datetime) -> list[Assignment]:
    """Take so many open tasks, each with a slot, for a worker who has not had them."""
    tasks = _claimed(worker, count)
    if not tasks:
        return []
    campaign = worker.campaign
    serving = campaign.spec.serving
    made = [
        Assignment(
            campaign=campaign, task=task, worker=worker, swapped=swapped, leased_at=now,
            # One that waits for its turn behind others is not late because of them.
            expires_at=now + timedelta(seconds=serving.lease_seconds * (1 + position // serving.tasks_per_page)),
        )
        for position, (task, swapped) in enumerate(zip(tasks, sides(worker, tasks), strict=True))
    ]  # fmt: skip
    Assignment.objects.bulk_create(made)
    record_all(
        event(campaign.pk, Kind.LEASED, at=now, assignment=one, task=one.task_id, swapped=one.swapped) for one in made
    )
    return made


def _claimed(worker: Worker, count: int) -> list[Task]:
    """The first open tasks that the worker has not had, with a slot of each taken.

    Rows that another is just claiming are passed over, not waited for (PostgreSQL); SQLite has one writer at a time.
    """
    had = Assignment.objects.filter(task=OuterRef("pk"), worker=worker)
    open_tasks = Task.objects.filter(campaign_id=worker.campaign_id, taken__lt=F("wanted")).exclude(Exists(had))
    if connection.features.has_select_for_update_skip_locked:
        open_tasks = open_tasks.select_for_update(skip_locked=True)
    tasks = list(_preferred(open_tasks, worker, count))
    if tasks:
        Task.objects.filter(pk__in=[task.pk for task in tasks]).update(taken=F("taken") + 1)
    return tasks


def _preferred(tasks: QuerySet[Task], worker: Worker, count: int) -> list[Task]:
    """In the order of the queue; in a search campaign those first that belong to the query the worker is at."""
    if worker.campaign.spec.search is None:
        return list(tasks.order_by("place")[:count])
    last = worker.assignments.order_by("-leased_at").values_list("task__group", flat=True).first()
    same = list(tasks.filter(group=last).order_by("place")[:count]) if last is not None else []
    taken = [task.pk for task in same]
    return same + list(tasks.exclude(pk__in=taken).order_by("place")[: count - len(same)])


def _held(worker: Worker, now: datetime) -> QuerySet[Assignment]:
    """Leases that run, the oldest first."""
    running = worker.assignments.filter(state=State.LEASED, expires_at__gt=now)
    return running.select_related("task").order_by("leased_at", "task__place")


def _show(page: Sequence[Assignment], now: datetime) -> None:
    """Note when a worker first saw a task: times are the server's, never a browser's."""
    fresh = [one for one in page if one.served_at is None]
    for one in fresh:
        one.served_at = now
    if fresh:
        Assignment.objects.filter(pk__in=[one.key for one in fresh]).update(served_at=now)
        record_all(event(one.campaign_id, Kind.SERVED, at=now, assignment=one) for one in fresh)


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
            over = over.select_for_update(skip_locked=True)
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
