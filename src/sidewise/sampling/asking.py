"""What to ask next: pairs by the names of their items, by any strategy."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Floats
from sidewise.comparisons.index import Index, is_missing
from sidewise.errors import SidewiseError
from sidewise.numbers import is_number
from sidewise.sampling.by_name import find_strategy
from sidewise.sampling.optimal import optimal
from sidewise.sampling.state import Mask, Positions, State, Strategy, pair_numbers
from sidewise.sampling.trust import Reliability, trusted

HEAVIEST = 1e12  # weight: beyond, rounding leaves nothing of the others
Goal = Literal["rmse", "ranking", "top"]
Pair = tuple[str, str]
Allowed = Iterable[Pair] | Mask


def next_pairs(
    comparisons: Comparisons | Sequence[str],
    *,
    method: str = "optimal",
    batch: int = 1,
    seed: int = 0,
    allowed: Allowed | None = None,
    in_flight: Iterable[Pair] = (),
    goal: Goal = "rmse",
    top: int | None = None,
    most_per_pair: int | None = None,
    most_per_item: int | None = None,
    reliability: Reliability | None = None,
    device: str | None = None,
) -> list[Pair]:
    """The pairs most worth asking next, as (left, right); which item stands left is drawn at random.

    No pair comes twice in a batch. There are fewer than ``batch`` only where no more may be asked.

    Parameters
    ----------
    comparisons
        The answers so far, or, before the first answer, the ids of all items.
    method
        A strategy: "optimal" (ours), "asap", "asap-approx", "hybrid-mst", "crowd-bt", "hodge", "trueskill",
        "knowledge-gradient", "quicksort", "swiss", "rectangular", "full", "nearest" or "random".
    batch
        How many pairs are wanted.
    seed
        The same answers, pairs in flight and seed give the same pairs; with one more of either, luck is another.
    allowed
        Pairs that may be asked, either way round, or an n × n mask in the order of ``comparisons.items``; all, where it
        is not given.
    in_flight
        Pairs that workers are looking at now: they count as asked.
    goal
        What "optimal" is after: "rmse", accurate scores; "ranking", the right order; "top", the right ``top`` items.
    top
        How many items the goal "top" is about.
    most_per_pair, most_per_item
        How often a pair, or an item, may be asked at most, with what was asked and is in flight. An answer that weighs
        nothing does not count: its pair may be asked again.
    reliability
        Of workers: 1 is usual, 0 a coin, negative says the opposite; or the Ranking of :func:`~sidewise.worker_bt`,
        which has found it (what other models call reliability has scales of its own) and of which everybody is as near
        to 1 as one standard deviation reaches. An answer counts by the square of it, but "crowd-bt",
        "knowledge-gradient" and "quicksort" know no weights: there it counts in full, or not at all if it is 0. Whom it
        does not name count in full.
    device
        Where "optimal" computes: None is this machine's processor, "cuda" a GPU (with the extra ``gpu``).

    Examples
    --------
    >>> import sidewise as sw
    >>> answers = sw.Comparisons.from_arrays(
    ...     left=["a", "b", "a", "c"], right=["b", "c", "c", "d"], winner=["a", "b", "a", "c"])
    >>> len(sw.next_pairs(answers, batch=2))
    2
    >>> sorted(sw.next_pairs(answers, allowed=[("a", "d")])[0])
    ['a', 'd']
    >>> sorted(map(sorted, sw.next_pairs(["a", "b", "c"], batch=9, method="full")))
    [['a', 'b'], ['a', 'c'], ['b', 'c']]
    """
    state, items = begun(comparisons, reliability)
    check_two(state.n)
    limits = Limits(_count(most_per_pair, "most_per_pair"), _count(most_per_item, "most_per_item"))
    state = replace(state, out=_positions(in_flight, items, "in_flight"), usable=_mask(allowed, items))
    strategy = for_goal(method, goal, top, device, state.n)
    # With the seed alone, whoever asks for one pair at a time would have the same luck each time: the same side.
    rng = np.random.default_rng([whole(seed, "seed", least=0), len(state.left), len(state.out)])
    pairs = chosen(state, strategy, whole(batch, "batch"), limits, rng)
    swapped = rng.random(len(pairs)) < 0.5
    ordered = np.where(swapped[:, None], pairs[:, ::-1], pairs)
    return [(items[i], items[j]) for i, j in ordered.tolist()]


@dataclass(frozen=True)
class Limits:
    """How often a pair or an item may be asked; None is as often as one likes."""

    per_pair: int | None = None
    per_item: int | None = None

    def closed(self, state: State) -> Positions:
        """Pairs that have been asked so often already."""
        if self.per_pair is None:
            return np.empty((0, 2), np.int64)
        numbers, times = np.unique(pair_numbers(state.pairs, state.n), return_counts=True)
        return np.column_stack(np.divmod(numbers[times >= self.per_pair], state.n))

    def room(self, state: State) -> Floats:
        """How often each item may still be asked."""
        if self.per_item is None:
            return np.full(state.n, np.inf)
        return np.asarray(self.per_item - np.bincount(state.pairs.ravel(), minlength=state.n), float)


def chosen(state: State, strategy: Strategy, count: int, limits: Limits, rng: np.random.Generator) -> Positions:
    """So many pairs, asked of the strategy again with those it has chosen out, as long as it has any to offer."""
    pairs = np.empty((0, 2), np.int64)
    while len(pairs) < count:
        now = _limited(replace(state, out=np.concatenate([state.out, pairs])), limits, pairs)
        if now.n < 2 or not _something_open(now):
            break
        found = _within(strategy(now, count - len(pairs), rng), limits.room(now))
        if not len(found):
            break
        pairs = np.concatenate([pairs, found])
    return pairs


def begun(comparisons: Comparisons | Sequence[str], reliability: Reliability | None = None) -> tuple[State, Index]:
    """The state after the answers so far, and the items that its positions stand for."""
    if not isinstance(comparisons, Comparisons):
        items = _distinct(comparisons)
        return State.empty(len(items)), items
    left, right = (side.astype(np.int64) for side in (comparisons.left, comparisons.right))
    trust = trusted(comparisons, reliability)
    outcome = np.where(trust < 0, 1 - comparisons.outcome, comparisons.outcome)
    with np.errstate(over="ignore"):
        weight = comparisons.weights() * trust**2
    if weight.max(initial=0.0) > HEAVIEST:
        raise SidewiseError(
            f"answer {int(weight.argmax()) + 1} counts as {weight.max():.3g} of them; {HEAVIEST:.0e} is the most: "
            "divide the weights, or the reliabilities, by what is usual"
        )
    kept = weight > 0
    nothing = State.empty(len(comparisons.items))
    found = replace(nothing, left=left[kept], right=right[kept], outcome=outcome[kept], weight=weight[kept])
    return found, comparisons.items


def _distinct(items: Sequence[str]) -> Index:
    """The items, each named once, in an order that is the same each time."""
    if isinstance(items, str):
        raise SidewiseError(f"the items are a list of ids: [{items!r}]")
    unordered = isinstance(items, AbstractSet | Mapping)
    if unordered or hasattr(items, "columns") or not (hasattr(items, "__len__") and hasattr(items, "__iter__")):
        raise SidewiseError(
            f"a {type(items).__name__} is neither Comparisons nor a list of ids; make the one of answers with "
            "sw.Comparisons.from_frame(…) or sw.read(…), or the other of items with list(…)"
        )
    seen: dict[str, None] = {}
    for row, item in enumerate(items):
        name = "" if is_missing(item) else str(item)
        if not name or name.strip() != name:
            raise SidewiseError(f"items[{row}] is {item!r}: an id is not empty and has no blanks around it")
        if name in seen:
            raise SidewiseError(f"the item {name!r} stands twice in the list of items")
        seen[name] = None
    return Index(seen)


def for_goal(method: str, goal: Goal, top: int | None, device: str | None, n: int) -> Strategy:
    """The strategy, told what it is for."""
    strategy = find_strategy(method)
    name = method.replace("_", "-").lower()
    if goal not in ("rmse", "ranking", "top"):
        raise SidewiseError(f"goal={goal!r} is not one of rmse, ranking, top")
    if (goal == "top") != (top is not None):
        raise SidewiseError('goal="top" goes with top=, how many items it is about: goal="top", top=10')
    top = None if top is None else check_top(top, n)
    if name == "optimal":
        return partial(optimal, goal=goal, top=top, device=device)
    if goal != "rmse" or device is not None:
        raise SidewiseError(f"{'goal' if goal != 'rmse' else 'device'} goes with the method optimal; {name} has none")
    return strategy


def check_top(top: int, n: int) -> int:
    """How many the best are: a count, and not all items."""
    check_two(n)
    if is_number(top) and not 0 < top < n:
        raise SidewiseError(f"top is {top}, but there are {n} items: it is between 1 and {n - 1}")
    return whole(top, "top")


def check_two(n: int) -> None:
    """See that there is a pair."""
    if n < 2:
        raise SidewiseError(f"a pair takes two items, and there {'is one' if n else 'are none'}: name all in items=")


def _something_open(state: State) -> bool:
    """Whether any pair may be asked, without a look at all of them where that can be told."""
    if state.usable is None and len(state.closed) < state.n - 1:
        return True
    return bool(state.open.any())


def _limited(state: State, limits: Limits, pairs: Positions) -> State:
    """With all pairs closed that a limit or the batch itself forbids."""
    closed = np.concatenate([state.closed, pairs, limits.closed(state)])
    full = limits.room(state) <= 0
    if not full.any():
        return replace(state, closed=closed)
    usable = np.ones((state.n, state.n), bool) if state.usable is None else state.usable.copy()
    usable[full] = usable[:, full] = False
    return replace(state, closed=closed, usable=usable)


def _within(pairs: Positions, room: Floats) -> Positions:
    """The pairs for whose items there is room, in their order."""
    if np.isinf(room).all():
        return pairs
    kept = []
    for i, j in pairs.tolist():
        if room[i] > 0 and room[j] > 0:
            room[[i, j]] -= 1
            kept.append((i, j))
    return np.array(kept, np.int64).reshape(-1, 2)


def _mask(allowed: Allowed | None, items: Index) -> Mask | None:
    """The pairs that may be asked, as a symmetric matrix."""
    if allowed is None:
        return None
    n = len(items)
    if isinstance(allowed, np.ndarray) and allowed.dtype == bool:
        if allowed.shape != (n, n):
            raise SidewiseError(f"the mask allowed is {allowed.shape}, but there are {n} items: it is n × n")
        return np.asarray(allowed | allowed.T)
    if getattr(allowed, "shape", None) == (n, n) and (n != 2 or np.asarray(allowed).dtype.kind in "iuf"):
        raise SidewiseError("the mask allowed holds no True and False: write allowed.astype(bool)")
    pairs, usable = _positions(allowed, items, "allowed"), np.zeros((n, n), bool)
    usable[pairs[:, 0], pairs[:, 1]] = usable[pairs[:, 1], pairs[:, 0]] = True
    return usable


def _positions(pairs: Iterable[Pair], items: Index, name: str) -> Positions:
    """Positions of the items of pairs."""
    if not isinstance(pairs, Iterable):
        raise SidewiseError(f'{name} is {pairs!r}; it is a list of pairs of ids: [("a", "b")]')
    place = {item: position for position, item in enumerate(items)}
    found = []
    for row, pair in enumerate(pairs):
        if isinstance(pair, str | Mapping) or not hasattr(pair, "__getitem__") or len(pair) != 2:
            raise SidewiseError(f"{name}[{row}] is {pair!r}, not a pair of ids")
        first, second = str(pair[0]), str(pair[1])
        for item in (first, second):
            if item not in place:
                raise SidewiseError(f"{name}[{row}]: there is no item {item!r}; name it in items= of the comparisons")
        if first == second:
            raise SidewiseError(f"{name}[{row}] pairs {first!r} with itself")
        found.append((place[first], place[second]))
    return np.array(found, np.int64).reshape(-1, 2)


def whole(value: float, name: str, least: int = 1) -> int:
    """A whole number of any kind, large enough."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not float(value).is_integer() or value < least:
        raise SidewiseError(
            f"{name} is {value!r}; it is a {'count' if least else 'whole number'}, {least} at the least"
        )
    return int(value)


def _count(value: int | None, name: str) -> int | None:
    return None if value is None else whole(value, name)
