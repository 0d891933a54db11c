"""What follows from answers given need not be asked: a over b and b over c say a over c (for search campaigns)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from django.db import connection
from django.db.models import F
from django.utils import timezone

from sidewise.collect.server.kinds import OUTCOMES
from sidewise.collect.server.log import Kind, event, record, record_all
from sidewise.collect.server.models import Assignment, Campaign, Event, Task

Graph = Mapping[int, set[int]]


def close_implied(campaign: Campaign, said: Assignment) -> int:
    """Ask no more about pairs of the query whose order follows from its answers, this one included; how many."""
    search = campaign.spec.search
    if search is None or not search.transitivity or said.answer not in OUTCOMES or OUTCOMES[said.answer] == 0.5:
        return 0
    below = preferences(campaign, said.task.group)
    winner, loser = _order(said.task, said.swapped, said.verdict or said.answer)
    better, worse = {winner, *reached(_turned(below), winner)}, {loser, *reached(below, loser)}
    open_tasks = Task.objects.filter(campaign=campaign, group=said.task.group, wanted__gt=0).exclude(pk=said.task_id)
    implied = [
        task.pk
        for task in open_tasks
        if (task.first_id in better and task.second_id in worse)
        or (task.second_id in better and task.first_id in worse)
    ]
    _call_back(campaign, implied)
    closed = Task.objects.filter(pk__in=implied, taken=0, wanted__gt=0).update(wanted=0)
    if closed:
        record(campaign, Kind.IMPLIED, assignment=said, tasks=implied)
    return closed


def reopen_implied(said: Assignment) -> int:
    """Ask after all what an answer had made unnecessary, when it is taken back; how many pairs."""
    told = Event.objects.filter(assignment=said, kind=Kind.IMPLIED).values_list("data__tasks", flat=True)
    closed = [task for tasks in told for task in tasks]
    if not closed:
        return 0
    serving = said.campaign.spec.serving
    opened = Task.objects.filter(pk__in=closed, wanted=0).update(wanted=serving.overlap)
    ended = Assignment.objects.filter(
        task__in=closed, worker=said.worker_id, state=Assignment.State.EXPIRED, served_at=None
    )
    for one in ended:  # a worker gets a task once: who had it ahead, and never saw it, has it again
        if Task.objects.filter(pk=one.task_id, taken__lt=F("wanted")).update(taken=F("taken") + 1):
            until = timezone.now() + timedelta(seconds=serving.lease_seconds)
            Assignment.objects.filter(pk=one.key).update(state=Assignment.State.LEASED, expires_at=until)
            record(said.campaign_id, Kind.LEASED, assignment=one, task=one.task_id, swapped=one.swapped)
    return opened


def _call_back(campaign: Campaign, tasks: Sequence[int]) -> None:
    """End leases of pairs that nobody has seen yet: they were given out ahead, so that their media could be loaded."""
    unseen = Assignment.objects.filter(task__in=tasks, state=Assignment.State.LEASED, served_at=None)
    if connection.features.has_select_for_update_skip_locked:
        unseen = unseen.select_for_update(skip_locked=True)
    ended = list(unseen)
    Assignment.objects.filter(pk__in=[one.key for one in ended]).update(state=Assignment.State.EXPIRED)
    for one in ended:
        Task.objects.filter(pk=one.task_id).update(taken=F("taken") - 1)
    record_all(event(campaign.pk, Kind.EXPIRED, assignment=one, why="implied") for one in ended)


def preferences(campaign: Campaign, group: str) -> dict[int, set[int]]:
    """Who was directly preferred to whom, within a group."""
    counted = Assignment.objects.filter(
        campaign=campaign, task__group=group, state=Assignment.State.ANSWERED, set_aside=False
    ).select_related("task")
    below: dict[int, set[int]] = defaultdict(set)
    for one in counted:
        said = one.verdict or one.answer
        if OUTCOMES.get(said, 0.5) != 0.5:
            winner, loser = _order(one.task, one.swapped, said)
            below[winner].add(loser)
    return below


def reached(graph: Graph, start: int) -> set[int]:
    """All that can be reached from an item, step by step."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        fresh = graph.get(waiting.pop(), set()) - found
        found |= fresh
        waiting += fresh
    return found


def _turned(below: Mapping[int, Iterable[int]]) -> Graph:
    above: dict[int, set[int]] = defaultdict(set)
    for winner, losers in below.items():
        for loser in losers:
            above[loser].add(winner)
    return above


def _order(task: Task, swapped: bool, said: str) -> tuple[int, int]:  # noqa: FBT001
    """The winner's and the loser's number."""
    left, right = (task.second_id, task.first_id) if swapped else (task.first_id, task.second_id)
    assert left is not None
    assert right is not None
    return (left, right) if OUTCOMES[said] == 1.0 else (right, left)
