"""Which item of a pair stands on the left: chance decides, or the requester's table, and it is recorded.

A document that is held stays where it is.
"""

import random
from collections import Counter
from collections.abc import Sequence

from sidewise.collect.server.models import Allowed, Assignment, Task, Worker

Shown = tuple[int | None, int | None]  # the items on the left and on the right


def sides(worker: Worker, tasks: Sequence[Task]) -> list[bool]:
    """Of each task, whether its items are shown in the other order."""
    spec = worker.campaign.spec
    search = spec.search
    if spec.serving.sides == "as listed":
        return _as_listed(tasks)
    if search is None or not search.hold:
        return [random.random() < 0.5 for _ in tasks]  # noqa: S311
    before, chosen = _last(worker), []
    for task in tasks:
        swapped = _held(task, before)
        before = (task.second_id, task.first_id) if swapped else (task.first_id, task.second_id)
        chosen.append(swapped)
    return chosen


def _as_listed(tasks: Sequence[Task]) -> list[bool]:
    """As the requester's table has a pair; the other way round where it is shown, or was judged, so more often.

    A lease that ran out without an answer, a skip, and an answer that was set aside are no showing.
    """
    places = {"first_id__in": {task.first_id for task in tasks}, "second_id__in": {task.second_id for task in tasks}}
    turned = Allowed.objects.filter(campaign_id=tasks[0].campaign_id, turned=True, **places)
    pairs = set(turned.values_list("first_id", "second_id"))
    counting = Assignment.objects.filter(
        task_id__in=[task.pk for task in tasks], set_aside=False,
        state__in=(Assignment.State.LEASED, Assignment.State.ANSWERED),
    )  # fmt: skip
    shown = Counter(counting.values_list("task_id", "swapped"))
    listed = [(task.first_id, task.second_id) in pairs for task in tasks]
    return [swapped if shown[task.pk, swapped] <= shown[task.pk, not swapped] else not swapped
            for task, swapped in zip(tasks, listed, strict=True)]  # fmt: skip


def _held(task: Task, before: Shown) -> bool:
    """An item that the page before had, too, keeps its side: whoever judges has read it there."""
    left, right = before
    if task.first_id == left or task.second_id == right:
        return False
    if task.first_id == right or task.second_id == left:
        return True
    return random.random() < 0.5  # noqa: S311


def _last(worker: Worker) -> Shown:
    """What stood on either side of the last task that the worker was given."""
    given = worker.assignments.select_related("task").order_by("-leased_at", "-task__place").first()
    if given is None:
        return (None, None)
    first, second = given.task.first_id, given.task.second_id
    return (second, first) if given.swapped else (first, second)
