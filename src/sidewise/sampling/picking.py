"""Pairs from a matrix of gains: the best ones, or a tree that joins all items."""

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.sampling.state import Mask, Positions


def best(gain: Floats, usable: Mask, count: int, rng: np.random.Generator) -> Positions:
    """The pairs with the highest gains, equal gains in random order."""
    first, second = np.nonzero(np.triu(usable, 1))
    if not len(first):
        return np.empty((0, 2), np.int64)
    order = np.lexsort((rng.random(len(first)), -gain[first, second]))[:count]
    return np.column_stack([first[order], second[order]])


def spanning_tree(gain: Floats, usable: Mask, rng: np.random.Generator) -> Positions:
    """The edges of the tree with the least Σ 1 / gain, best first; of the forest, where usable pairs do not join all.

    A minimum spanning tree depends on the order of the weights alone. Ranks as weights settle ties at random, and are
    never 0, which csgraph would take for no edge.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    n = len(gain)
    edges = best(gain, usable, n * n, rng)
    weights = coo_array((np.arange(1.0, len(edges) + 1), (edges[:, 0], edges[:, 1])), shape=(n, n))
    tree = minimum_spanning_tree(weights.tocsr()).tocoo()
    order = np.argsort(tree.data)
    return np.column_stack([tree.coords[0][order], tree.coords[1][order]]).astype(np.int64)
