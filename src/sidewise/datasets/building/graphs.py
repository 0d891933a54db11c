"""Graphs of pairs, as arrays: random ones that hang together. Kernels: no names, no files.

A pair is two positions below n, the lower one first; no pair comes twice.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons.arrow import Mask
from sidewise.simulate.design import pairs_at

Positions = NDArray[np.int64]
Ends = NDArray[np.int32]

TRIES = 5  # draws, where a connected graph is likely


class Graph(NamedTuple):
    """Pairs, and what it took to have them hang together."""

    first: Ends
    second: Ends
    draws: int = 1
    moved: int = 0  # pairs that were moved to join the parts


def all_pairs(n: int) -> int:
    """How many pairs n items have."""
    return n * (n - 1) // 2


def random_graph(n: int, count: int, rng: np.random.Generator) -> Graph:
    """A connected Erdős–Rényi graph G(n, m): all sets of so many pairs are equally likely.

    The graph is drawn again while it falls apart, for a connected graph drawn so is equally likely to be any connected
    one. That is hopeless where n·exp(−2m/n), the expected number of items without a pair (Erdős and Rényi 1959), is 1
    or more: there the parts are joined by moving as few pairs as possible, one for each part but the first.
    """
    tries = TRIES if n * np.exp(-2 * count / n) < 1 else 1
    for draw in range(1, tries + 1):
        graph = Graph(*ends(*pairs_at(distinct_numbers(all_pairs(n), count, rng))), draw)
        parts, label = components(n, graph.first, graph.second)
        if parts == 1:
            return graph
    return _joined(graph, parts, label, rng)


def distinct_numbers(total: int, count: int, rng: np.random.Generator) -> Positions:
    """So many different numbers below the total, in order, all sets of them equally likely.

    Memory grows with the count, whatever the total: what comes twice is drawn again, and what is too much is dropped.
    """
    if 2 * count > total:
        left = np.ones(total, bool)
        left[distinct_numbers(total, total - count, rng)] = False
        return np.flatnonzero(left)
    found = np.empty(0, np.int64)
    while len(found) < count:
        lacking = count - len(found)
        found = np.union1d(found, rng.integers(total, size=lacking + lacking // 16 + 16))
    return np.delete(found, rng.choice(len(found), len(found) - count, replace=False))


def components(n: int, first: Ends, second: Ends) -> tuple[int, Ends]:
    """How many parts a graph has, and the part of each item."""
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(_matrix(n, first, second, np.ones(len(first), np.int8)), directed=False)
    return int(count), label


def ends(first: NDArray[np.integer], second: NDArray[np.integer]) -> tuple[Ends, Ends]:
    """Positions in half the memory, the lower one first."""
    return np.minimum(first, second).astype(np.int32), np.maximum(first, second).astype(np.int32)


def pair_numbers(first: NDArray[np.integer], second: NDArray[np.integer]) -> Positions:
    """The number of each pair, whichever way round: the opposite of ``pairs_at``."""
    low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second).astype(np.int64)
    return np.asarray(high * (high - 1) // 2 + low)


def spare(n: int, first: Ends, second: Ends) -> Mask:
    """Pairs that can be taken out, all at once, without any part falling apart: those off a spanning forest."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    number = np.arange(1.0, len(first) + 1)  # as weights, so that the forest tells which pairs are in it
    off = np.ones(len(first), bool)
    off[minimum_spanning_tree(_matrix(n, first, second, number)).data.astype(np.int64) - 1] = False
    return off


def _matrix(n: int, first: Ends, second: Ends, values: NDArray[np.generic]) -> object:
    from scipy.sparse import csr_array

    return csr_array((values, (first, second)), shape=(n, n))


def _joined(graph: Graph, parts: int, label: Ends, rng: np.random.Generator) -> Graph:
    """Move as many pairs as there are parts too many: each joins a part to one before it, parts in random order.

    There are always enough to move: m ≥ n − 1 pairs have at least parts − 1 off any spanning forest. A moved pair joins
    two parts, so it cannot have been there before.
    """
    first, second = graph.first.copy(), graph.second.copy()
    moved = rng.choice(np.flatnonzero(spare(len(label), first, second)), parts - 1, replace=False)
    order = rng.permutation(parts)
    before = order[rng.integers(np.arange(1, parts))]
    from_part, to_part = (_any_of(label, part, rng) for part in (before, order[1:]))
    first[moved], second[moved] = ends(from_part, to_part)
    return graph._replace(first=first, second=second, moved=parts - 1)


def _any_of(label: Ends, parts: Positions, rng: np.random.Generator) -> Positions:
    """Any item of each part."""
    members, sizes = np.argsort(label, kind="stable"), np.bincount(label)
    return np.asarray(members[(np.cumsum(sizes) - sizes)[parts] + rng.integers(sizes[parts])])
