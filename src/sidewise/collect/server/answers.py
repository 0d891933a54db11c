"""The answers of a campaign as comparisons: what the numeric core is given."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sidewise.collect.server.kinds import OUTCOMES
from sidewise.collect.server.models import Assignment, Campaign
from sidewise.comparisons import Comparisons
from sidewise.errors import NoComparisons

WORDS = {1.0: "left", 0.0: "right", 0.5: "tie"}


class Said(NamedTuple):
    """An answer that counts: the items' and the worker's numbers, and what it says about the left one."""

    left: int
    right: int
    outcome: float
    worker: int


def said(campaign: Campaign, group: str | None = None) -> Iterator[Said]:
    """All answers that count, in the order in which they came."""
    counted = campaign.assignments.filter(state=Assignment.State.ANSWERED, set_aside=False)
    if group is not None:
        counted = counted.filter(task__group=group)
    rows = counted.order_by("answered_at", "key").values_list(
        "task__first_id", "task__second_id", "swapped", "answer", "verdict", "worker_id"
    )
    for first, second, swapped, answer, verdict, worker in rows.iterator(chunk_size=10_000):
        left, right = (second, first) if swapped else (first, second)
        yield Said(left, right, OUTCOMES[verdict or answer], worker)


def comparisons(campaign: Campaign, group: str | None = None) -> Comparisons:
    """The answers of a campaign, or of one of its groups; items that nobody has seen are there too."""
    items = campaign.items.all() if group is None else campaign.items.filter(group=group)
    names = dict(items.order_by("id").values_list("id", "name"))
    workers = dict(campaign.workers.values_list("id", "name"))
    rows = list(said(campaign, group))
    if not rows:
        raise NoComparisons("there are no answers yet")
    return Comparisons.from_arrays(
        left=[names[row.left] for row in rows],
        right=[names[row.right] for row in rows],
        winner=np.array([WORDS[row.outcome] for row in rows], dtype=str),
        worker=[workers[row.worker] for row in rows],
        items=names.values(),
        winner_is="side",
    )
