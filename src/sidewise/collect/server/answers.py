"""The answers of a campaign as comparisons: what the numeric core is given."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

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
    rows = np.fromiter(
        said(campaign, group), dtype=[("left", "i8"), ("right", "i8"), ("outcome", "f8"), ("worker", "i8")]
    )
    if not len(rows):
        raise NoComparisons("there are no answers yet")
    names = list(items.order_by("id").values_list("id", "name"))
    return Comparisons.from_arrays(
        left=_named(rows["left"], names),
        right=_named(rows["right"], names),
        winner=np.array(["right", "tie", "left"])[(2 * rows["outcome"]).astype(int)],
        worker=_named(rows["worker"], list(campaign.workers.order_by("id").values_list("id", "name"))),
        items=[name for _, name in names],
        winner_is="side",
    )


def _named(numbers: np.ndarray, names: Sequence[tuple[int, str]]) -> pa.DictionaryArray:
    """What numbers stand for; each name is kept once, however many rows there are."""
    known = np.array([number for number, _ in names])
    return pa.DictionaryArray.from_arrays(np.searchsorted(known, numbers), pa.array([name for _, name in names]))
