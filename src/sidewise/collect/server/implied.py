"""What follows from answers given need not be asked: a over b and b over c say a over c (for search campaigns).

So the assessors of the preference collection were asked (Carterette, Bennett and Chapelle, 2008): a document that is
not relevant is not shown again, and duplicates have the same place.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import connection
from django.db.models import F
from django.utils import timezone

from sidewise.collect.server.kinds import OUTCOMES
from sidewise.collect.server.log import Kind, event, record, record_all
from sidewise.collect.server.models import Assignment, Campaign, Task, Worker

Graph = Mapping[int, set[int]]
DUPLICATES, NOT_RELEVANT = "duplicates", "_not_relevant"


def close_implied(campaign: Campaign, said: Assignment) -> int:
    """Ask no more about pairs of the query that its answers, this one included, have decided; how many."""
    if not transitive(campaign) or said.answer not in OUTCOMES:
        return 0
    open_tasks = Task.objects.filter(campaign=campaign, group=said.task.group, wanted__gt=0).exclude(pk=said.task_id)
    implied = [task.pk for task in following(campaign, open_tasks, follows=True)]
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
    """Those tasks that the answers that count have decided, or those that they have not."""
    if not transitive(campaign):
        return [] if follows else list(tasks)
    known: dict[str, Decided] = {}
    found = []
    for task in tasks:
        decided = known.get(task.group) or known.setdefault(task.group, Decided.by_answers(campaign, task.group))
        if decided.has(task) == follows:
            found.append(task)
    return found


@dataclass(frozen=True)
class Decided:
    """What the answers about a query have decided: which documents stand above which, and which are not relevant."""

    below: Graph  # of each document all that follow it, step by step
    irrelevant: frozenset[int]

    @classmethod
    def by_answers(cls, campaign: Campaign, group: str) -> "Decided":
        """By all answers about a query that count."""
        graph, irrelevant = preferences(campaign, group)
        return cls({one: reached(graph, one) for one in graph}, frozenset(irrelevant))

    def has(self, task: Task) -> bool:
        """Whether nothing is left to ask about a pair: its order follows, or one of the two is not relevant.

        Every other document is preferred to one that is not relevant, and two of them need no order.
        """
        first, second = task.first_id, task.second_id
        assert first is not None
        assert second is not None
        ordered = second in self.below.get(first, ()) or first in self.below.get(second, ())
        return ordered or not self.irrelevant.isdisjoint((first, second))


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


def preferences(campaign: Campaign, group: str) -> tuple[dict[int, set[int]], set[int]]:
    """Who was directly preferred to whom within a group, and what is not relevant.

    Duplicates stand above each other: so whatever is above or below the one is above or below the other.
    """
    counted = Assignment.objects.filter(
        campaign=campaign, task__group=group, state=Assignment.State.ANSWERED, set_aside=False
    ).select_related("task")
    below: dict[int, set[int]] = defaultdict(set)
    irrelevant = set()
    for one in counted:
        said = one.verdict or one.answer
        left, right = _sides(one)
        if OUTCOMES.get(said) == 1.0 or said == DUPLICATES:
            below[left].add(right)
        if OUTCOMES.get(said) == 0.0 or said == DUPLICATES:
            below[right].add(left)
        if said.endswith(NOT_RELEVANT):
            irrelevant.add(left if said.startswith("left") else right)
    return below, irrelevant


def reached(graph: Graph, start: int) -> set[int]:
    """All that can be reached from an item, step by step."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        fresh = graph.get(waiting.pop(), set()) - found
        found |= fresh
        waiting += fresh
    return found


def _sides(one: Assignment) -> tuple[int, int]:
    """The numbers of the items on the left and on the right."""
    first, second = one.task.first_id, one.task.second_id
    assert first is not None
    assert second is not None
    return (second, first) if one.swapped else (first, second)
