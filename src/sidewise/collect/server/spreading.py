"""A random design that asks about all items equally often."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

import numpy as np

Pair = tuple[int, int]


def balanced(
    items: Sequence[int], degree: Mapping[int, int], known: AbstractSet[Pair], count: int, rng: np.random.Generator
) -> list[Pair]:
    """So many new pairs, of the items that are in fewest so far; fewer where there are no more.

    In every round all items are put in the order of their degrees, chance deciding among equals, and neighbours are
    joined unless they have been before.
    """
    degrees = np.array([degree.get(item, 0) for item in items], dtype=float)
    asked = set(known)
    chosen: list[Pair] = []
    idle = 0
    while len(chosen) < count and idle < 8 and len(items) > 1:
        before = len(chosen)
        order = np.argsort(degrees + rng.random(len(items)), kind="stable")
        for place, other in zip(order[0::2].tolist(), order[1::2].tolist(), strict=False):
            pair = (min(items[place], items[other]), max(items[place], items[other]))
            if pair not in asked and len(chosen) < count:
                asked.add(pair)
                chosen.append(pair)
                degrees[[place, other]] += 1
        idle = idle + 1 if len(chosen) == before else 0
    return chosen + _rest(items, asked, count - len(chosen), rng)


def _rest(items: Sequence[int], asked: AbstractSet[Pair], count: int, rng: np.random.Generator) -> list[Pair]:
    """When chance no longer finds new pairs: all that are left, if there are few items enough to list them."""
    if count <= 0 or len(items) > 2_000:
        return []
    ordered = sorted(items)
    left = [
        (one, other) for place, one in enumerate(ordered) for other in ordered[place + 1 :] if (one, other) not in asked
    ]
    return [left[place] for place in rng.permutation(len(left))[:count]]
