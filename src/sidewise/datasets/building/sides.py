"""Left and right: drawn at random, and so that every item is as often on the one side as on the other."""

import numpy as np

from sidewise.datasets.building.graphs import Ends, Positions


def balanced_sides(first: Ends, second: Ends, rng: np.random.Generator) -> tuple[Ends, Ends]:
    """Each pair with its items left and right, each item on the left half of the time, or one time off.

    At every item its pairs are coupled two and two at random; an item with an odd number has one left over, which is
    coupled with that of another such item. Following the couples from pair to pair gives closed walks, and whoever
    walks along one leaves every item as often as they come to it (Euler's argument). Chance sets each walk's direction.
    """
    if not len(first):
        return first, second
    walk = _walks(_mates(first, second, rng))
    coin = rng.permutation(int(walk.max()) + 1)
    forward = coin[walk[0::2]] > coin[walk[1::2]]  # a walk and its way back are two, and one of them is taken
    return np.where(forward, first, second), np.where(forward, second, first)


def _mates(first: Ends, second: Ends, rng: np.random.Generator) -> Ends:
    """For each end of a pair (two a pair, side by side) the end that it is coupled with."""
    item = np.column_stack([first, second]).ravel()
    key = item.astype(np.uint64) << np.uint64(32)
    key |= rng.integers(1 << 32, size=len(item), dtype=np.uint32)
    order = np.argsort(key).astype(np.int32)
    del key
    degree = np.bincount(item)
    odd_ends = np.cumsum(degree)[degree % 2 == 1] - 1  # the last place of every item with an odd number
    couples = np.delete(order, odd_ends)
    couples = np.concatenate([couples, rng.permutation(order[odd_ends])])
    mate = np.empty_like(order)
    mate[couples[0::2]], mate[couples[1::2]] = couples[1::2], couples[0::2]
    return mate


def _walks(mate: Ends) -> Ends:
    """The number of the walk that enters a pair at each end: in at x, out at x's other end, on to that one's mate."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    size = len(mate)
    following = mate.reshape(-1, 2)[:, ::-1].ravel()
    steps = csr_array((np.ones(size, np.int8), following, np.arange(size + 1, dtype=np.int32)), shape=(size, size))
    label: Ends = connected_components(steps, connection="strong")[1]
    return label


def left_counts(n: int, left: Ends) -> Positions:
    """How often each item is on the left."""
    return np.bincount(left, minlength=n)
