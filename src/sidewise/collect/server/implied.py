"""What follows from answers given need not be asked: a over b and b over c say a over c (for search campaigns)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from django.db import connection
from django.db.models import F
from django.utils import timezone

from sidewise.collect.server.kinds import OUTCOMES
from sidewise.collect.server.log import Kind, event, record, record_all
from sidewise.collect.server.models import Assignment, Campaign, Task, Worker

Graph = Mapping[int, set[int]]


def close_implied(campaign: Campaign, said: Assignment) -> int:
    """Ask no more about pairs of the query whose order follows from its answers, this one included; how many."""
    if not transitive(campaign) or said.answer not in OUTCOMES or OUTCOMES[said.answer] == 0.5:
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


def transitive(campaign: Campaign) -> bool:
    """Whether a campaign uses that a over b and b over c say a over c."""
    search = campaign.spec.search
    return search is not None and search.transitivity


def following(campaign: Campaign, tasks: Iterable[Task], *, follows: bool) -> list[Task]:
    """Those tasks whose order follows from the answers that count, or those where it does not."""
    if not transitive(campaign):
        return [] if follows else list(tasks)
    below: dict[str, Graph] = {}
    found = []
    for task in tasks:
        graph = below.get(task.group) or below.setdefault(task.group, preferences(campaign, task.group))
        assert task.first_id is not None
        assert task.second_id is not None
        told = task.second_id in reached(graph, task.first_id) or task.first_id in reached(graph, task.second_id)
        if told == follows:
            found.append(task)
    return found


def regain_unseen(worker: Worker, group: str) -> None:
    """Give back to a worker what was called back unseen, where it is asked after all: they get a task only once."""
    ended = worker.assignments.filter(state=Assignment.State.EXPIRED, served_at=None, task__group=group)
    until = timezone.now() + timedelta(seconds=worker.campaign.spec.serving.lease_seconds)
    for one in ended.order_by("task_id"):
        if Task.objects.filter(pk=one.task_id, taken__lt=F("wanted")).update(taken=F("taken") + 1):
            Assignment.objects.filter(pk=one.key).update(state=Assignment.State.LEASED, expires_at=until)
            record(one.campaign_id, Kind.LEASED, assignment=one, task=one.task_id, swapped=one.swapped)


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
