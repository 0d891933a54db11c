"""Quicksort: sort the items again and again, with random pivots, and ask what the sorting asks."""

from dataclasses import dataclass, field

import numpy as np

from sidewise.sampling.picking import best
from sidewise.sampling.state import Positions, State, pair_numbers

SEED = 1962  # of the pivots, which must be the same whenever the answers are replayed
AHEAD = 2  # sorts that answers are given to: the present one, and the next for when that one waits for answers
EMPTY = 20  # sorts in a row that ask nothing, since few pairs may be asked, before pairs are drawn at random


def quicksort(state: State, count: int, rng: np.random.Generator) -> Positions:
    """Sort the items over and over with random pivots, and ask what that asks (Maystre and Grossglauser, ICML 2017).

    Each sort is a Quicksort of its own: all items of a part are compared with its pivot, those that win go above it,
    the others below, and both are parts again. All comparisons with the pivots of the parts that are ready can be asked
    at once, so a batch holds no more than those. Nothing is remembered between calls: the answers are replayed in their
    order, each goes to the comparison of the present sort that waits for it, or else of the next sort, and what neither
    needs is left out. The pivot of a part is the first of its items in an order drawn at random for each sort, from a
    seed that is always the same.

    Ties, and pairs that may not be asked, are settled by a coin; no answer weighs more than another. While all
    comparisons of the present sort are out, those of the next are asked. It costs next to nothing and finds orders
    well; for scores, prefer ``optimal``.

    Examples
    --------
    >>> import numpy as np
    >>> from sidewise.sampling.state import State
    >>> pairs = quicksort(State.empty(5), 10, np.random.default_rng(0))
    >>> len(pairs), np.bincount(pairs.ravel()).max()  # all against one pivot
    (4, np.int64(4))
    """
    if count < 1 or not state.open.any():
        return np.empty((0, 2), np.int64)
    ready = np.zeros((state.n, state.n), bool)
    out = np.bincount(pair_numbers(state.out, state.n), minlength=state.n**2).tolist()
    for sort in replayed(state):
        for key in sort.waiting:
            if out[key]:
                out[key] -= 1
            else:
                ready[divmod(key, state.n)] = True
        ready &= state.open
        if ready.any():
            break
    return best(np.zeros(ready.shape), ready if ready.any() else state.open, count, rng)


@dataclass
class Part:
    """Items that are being compared with one of them, and how many answers are missing."""

    pivot: int
    missing: int
    above: list[int] = field(default_factory=list)
    below: list[int] = field(default_factory=list)


@dataclass
class Sort:
    """One Quicksort under way; a pair i < j is known by the number i·n + j."""

    place: list[int]  # of every item in the order from which pivots are taken; where it is even, the coin is a win
    settled: list[bool]  # by number of pair: what will never be answered
    waiting: dict[int, Part] = field(default_factory=dict)

    def begin(self, items: list[int]) -> "Sort":
        """Compare all these items with a pivot, and go on with what is above and below it where nothing is to ask."""
        todo = [items]
        while todo:
            if len(part := todo.pop()) > 1:
                todo += self._divide(part)
        return self

    def _divide(self, items: list[int]) -> list[list[int]]:
        part = Part(min(items, key=self.place.__getitem__), len(items) - 1)
        for item in items:
            if item != part.pivot:
                low, high = sorted((item, part.pivot))
                if self.settled[key := low * len(self.place) + high]:
                    self._put(part, item, 0.5)
                else:
                    self.waiting[key] = part
        return [] if part.missing else [part.above, part.below]

    def _put(self, part: Part, item: int, y: float) -> None:
        """Above the pivot or below it, as it won or lost against it; by the coin if neither."""
        won = self.place[item] % 2 == 0 if y == 0.5 else y > 0.5
        (part.above if won else part.below).append(item)
        part.missing -= 1

    def take(self, key: int, y: float) -> bool:
        """Use an answer about a pair, y being that of the item with the lower number, if it is waited for."""
        part = self.waiting.pop(key, None)
        if part is None:
            return False
        low, high = divmod(key, len(self.place))
        self._put(part, high if low == part.pivot else low, 1 - y if low == part.pivot else y)
        if not part.missing:
            self.begin(part.above)
            self.begin(part.below)
        return True


def replayed(state: State) -> list[Sort]:
    """The present sort and the next, after all answers in their order."""
    keys = pair_numbers(state.pairs, state.n)
    low_wins = np.where(state.left < state.right, state.outcome, 1 - state.outcome)
    to_come = np.bincount(keys, minlength=state.n**2).tolist()
    closed = (~state.open.ravel()).tolist()
    settled = [shut and not answers for shut, answers in zip(closed, to_come, strict=True)]
    orders = np.random.default_rng(SEED)
    sorts = [_begun(state.n, settled, orders) for _ in range(AHEAD)]
    for key, y in zip(keys[: len(low_wins)].tolist(), low_wins.tolist(), strict=True):
        any(sort.take(key, y) for sort in sorts)  # the first that waits for it
        to_come[key] -= 1
        if closed[key] and not to_come[key]:
            settled[key] = True
            for sort in sorts:
                sort.take(key, 0.5)
        if not all(sort.waiting for sort in sorts):
            sorts = [sort for sort in sorts if sort.waiting]
            sorts += [_begun(state.n, settled, orders) for _ in range(AHEAD - len(sorts))]
    return sorts


def _begun(n: int, settled: list[bool], orders: np.random.Generator) -> Sort:
    """A new sort that has something to ask, unless many in a row have not."""
    for _ in range(EMPTY):
        sort = Sort(orders.permutation(n).tolist(), settled).begin(list(range(n)))
        if sort.waiting:
            break
    return sort
