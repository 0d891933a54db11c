"""What follows from answers given need not be asked: a over b and b over c say a over c (for search campaigns)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from django.db.models import F

from sidewise.collect.server.kinds import OUTCOMES
from sidewise.collect.server.log import Kind, record
from sidewise.collect.server.models import Assignment, Campaign, Task

Graph = Mapping[int, set[int]]


def close_implied(campaign: Campaign, said: Assignment) -> int:
    """Ask no more about pairs of the query whose order follows from its answers, this one included; how many."""
    if not transitive(campaign) or said.answer not in OUTCOMES or OUTCOMES[said.answer] == 0.5:
        return 0
    below = preferences(campaign, said.task.group)
    winner, loser = _order(said.task, said.swapped, said.verdict or said.answer)
    better, worse = {winner, *reached(_turned(below), winner)}, {loser, *reached(below, loser)}
    untouched = Task.objects.filter(campaign=campaign, group=said.task.group, taken=0, wanted__gt=0)
    implied = [
        task.pk
        for task in untouched
        if (task.first_id in better and task.second_id in worse)
        or (task.second_id in better and task.first_id in worse)
    ]
    closed = Task.objects.filter(pk__in=implied, taken=0).update(wanted=F("taken"))
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
