"""Answers by worker: the rows of a crowd's likelihood, and where each worker meets each item."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Codes, Floats
from sidewise.comparisons.counts import no_ties, sort_order
from sidewise.models.factors import columns
from sidewise.models.likelihood import Observations


@dataclass(frozen=True)
class Answers:
    """One row per answer, sorted by worker; the covariates of ``seen`` are the factors that may sway a worker."""

    seen: Observations
    worker: Codes
    k: int  # workers

    @classmethod
    def of(cls, comparisons: Comparisons, factors: Sequence[str]) -> "Answers":
        """Take the rows of a table, with factors measured by their usual size."""
        assert comparisons.worker is not None
        rows = comparisons.select(sort_order(comparisons.worker.astype(np.int64)))
        assert rows.worker is not None
        weight, is_tie = rows.weights(), rows.outcome == 0.5
        seen = Observations(
            len(rows.items), rows.left, rows.right, weight * rows.outcome * ~is_tie,
            weight * (1 - rows.outcome) * ~is_tie, weight * is_tie,
            columns(rows, factors),
        )  # fmt: skip
        return cls(seen, rows.worker, len(rows.workers))

    def shards(self) -> Iterator[tuple[slice, Observations, Codes]]:
        """The rows in parts: what is a sum over answers is a sum over shards."""
        for here, shard in self.seen.shards():
            yield here, shard, self.worker[here]

    @cached_property
    def answered(self) -> Floats:
        """The weight of each worker's answers."""
        return np.asarray(np.bincount(self.worker, self.seen.total, self.k), float)

    @cached_property
    def pairs(self) -> "Pairs":
        """The pairs of items that the rows compare."""
        return Pairs.of(self.seen)

    @cached_property
    def meetings(self) -> "Meetings":
        """Where each worker met each item."""
        return Meetings.of(self)


@dataclass(frozen=True)
class Pairs:
    """The distinct pairs, sorted by their first item, and which of them each row is."""

    seen: Observations  # the pairs alone: nothing was counted
    slot: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Observations) -> "Pairs":
        """Find them."""
        low, high = np.minimum(rows.left, rows.right).astype(np.int64), np.maximum(rows.left, rows.right)
        key, slot = distinct(low * rows.n + high)
        first, second = (part.astype(np.int32) for part in np.divmod(key, rows.n))
        nothing = no_ties(len(key))
        return cls(Observations(rows.n, first, second, nothing, nothing, nothing, np.empty((len(key), 0))), slot)

    def add(self, per_row: Floats) -> Floats:
        """Σ over the rows of each pair."""
        return np.asarray(np.bincount(self.slot, per_row, len(self.seen.left)), float)


def distinct(key: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct keys in order, and which of them each key is."""
    order = sort_order(key)
    is_first = np.diff(key[order], prepend=-1) > 0
    slot = np.empty(len(key), np.int64)
    slot[order] = np.cumsum(is_first) - 1
    return key[order][is_first], slot


@dataclass(frozen=True)
class Meetings:
    """The distinct pairs of worker and item, sorted: the pattern of every matrix between workers and items."""

    item: Codes
    worker: Codes
    edges: Codes  # where each worker's items begin
    slot_left: NDArray[np.int64]  # which meeting the left item of each row is
    slot_right: NDArray[np.int64]

    @classmethod
    def of(cls, answers: Answers) -> "Meetings":
        """Find them."""
        seen, n = answers.seen, answers.seen.n
        ends = np.concatenate([seen.left, seen.right]).astype(np.int64)
        key, slot = distinct(np.tile(answers.worker.astype(np.int64), 2) * n + ends)
        worker, item = (part.astype(np.int32) for part in np.divmod(key, n))
        edges = np.searchsorted(worker, np.arange(answers.k + 1)).astype(np.int32)
        return cls(item, worker, edges, slot[: len(seen.left)], slot[len(seen.left) :])

    def spread(self, per_row: Floats) -> Floats:
        """Σ over rows of per_row (e_left − e_right), for every worker apart."""
        size = len(self.item)
        return np.asarray(
            np.bincount(self.slot_left, per_row, size) - np.bincount(self.slot_right, per_row, size), float
        )
