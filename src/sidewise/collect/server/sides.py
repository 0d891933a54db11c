"""Which item of a pair stands on the left: chance decides, and is recorded; but a document that is held stays."""

import random
from collections.abc import Sequence

from sidewise.collect.server.models import Task, Worker

Shown = tuple[int | None, int | None]  # the items on the left and on the right


def sides(worker: Worker, tasks: Sequence[Task]) -> list[bool]:
    """Of each task, whether its items are shown in the other order."""
    search = worker.campaign.spec.search
    if search is None or not search.hold:
        return [random.random() < 0.5 for _ in tasks]  # noqa: S311
    before, chosen = _last(worker), []
    for task in tasks:
        swapped = _held(task, before)
        before = (task.second_id, task.first_id) if swapped else (task.first_id, task.second_id)
        chosen.append(swapped)
    return chosen


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
