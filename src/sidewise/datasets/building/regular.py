"""Random graphs in which every item has as many pairs as any other, or one more. Kernels: no names, no files."""

import numpy as np

from sidewise.comparisons.arrow import Mask
from sidewise.datasets.building.graphs import Ends, Graph, Positions, all_pairs, components, ends, pair_numbers, spare
from sidewise.errors import SidewiseError
from sidewise.simulate.design import pairs_at

RESTARTS = 1_000  # of a graph so small that its last pairs may find no place
ROUNDS = 200  # of mending before it starts anew


def regular_graph(n: int, count: int, rng: np.random.Generator) -> Graph:
    """A connected random graph of so many pairs whose degrees differ by at most one; who has one more is drawn.

    The ends of pairs are matched at random, and pairs of an item with itself or that come twice swap an end with others
    until there are none (Steger and Wormald 1999 show such graphs to be nearly uniform). Where it falls apart, pairs of
    different parts swap ends, which keeps all degrees. As few pairs as n − 1 make a path, and n a cycle.
    """
    if count <= n:
        path = rng.permutation(n)
        return Graph(*(ends(path, np.roll(path, -1)) if count == n > 2 else ends(path[:-1], path[1:])))
    degree = np.full(n, 2 * count // n)
    degree[rng.choice(n, 2 * count % n, replace=False)] += 1
    if 2 * count <= all_pairs(n):
        first, second = _matched(degree, rng)
    else:  # the pairs that are left out are fewer, and the rest is as regular as they are
        absent = np.ones(all_pairs(n), bool)
        absent[pair_numbers(*_matched(n - 1 - degree, rng))] = False
        first, second = ends(*pairs_at(np.flatnonzero(absent)))
    return _joined(n, first, second)


def _matched(degree: Positions, rng: np.random.Generator) -> tuple[Ends, Ends]:
    """A simple graph of these degrees."""
    for _ in range(RESTARTS):
        stubs = rng.permutation(np.repeat(np.arange(len(degree), dtype=np.int32), degree))
        first, second = stubs[::2].copy(), stubs[1::2].copy()
        for _ in range(ROUNDS):
            bad = _bad(first, second)
            if not bad.any():
                return ends(first, second)
            _swap_some(first, second, bad, rng)
    raise SidewiseError("no regular graph was found: ask for fewer or more pairs, or for the design erdos-renyi")


def _bad(first: Ends, second: Ends) -> Mask:
    """Pairs of an item with itself, and all but one of equal pairs."""
    number = pair_numbers(first, second)
    order = np.argsort(number, kind="stable")
    again = np.zeros(len(order), bool)
    again[order[1:]] = number[order[1:]] == number[order[:-1]]
    return np.asarray(again | (first == second))


def _swap_some(first: Ends, second: Ends, bad: Mask, rng: np.random.Generator) -> None:
    """Let bad pairs swap their second ends with good ones, where what comes out is new: bad ones only get fewer."""
    good = np.flatnonzero(~bad)
    ill = np.flatnonzero(bad)[: len(good)]
    partner = rng.choice(good, len(ill), replace=False)
    known = np.sort(pair_numbers(first, second))
    one, two = pair_numbers(first[ill], second[partner]), pair_numbers(first[partner], second[ill])
    fine = (first[ill] != second[partner]) & (first[partner] != second[ill]) & (one != two)
    fine &= ~_among(known, one) & ~_among(known, two)
    _, where, times = np.unique(np.concatenate([one, two]), return_inverse=True, return_counts=True)
    fine &= (times[where] == 1).reshape(2, -1).all(axis=0)
    ill, partner = ill[fine], partner[fine]
    second[ill], second[partner] = second[partner], second[ill]


def _among(known: Positions, wanted: Positions) -> Mask:
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.asarray(known[place] == wanted)


def _joined(n: int, first: Ends, second: Ends) -> Graph:
    """Join the parts: a pair of one and a pair of the next swap ends, both off a spanning forest.

    Of the two pairs that come out, one links the parts and the other is off the forest again, for the next part. Every
    item has two pairs or more here, so every part has such a pair.
    """
    parts, label = components(n, first, second)
    if parts > 1:
        loose = np.flatnonzero(spare(n, first, second))
        _, place = np.unique(label[first[loose]], return_index=True)
        current, *others = loose[place].tolist()
        for other in others:
            second[current], second[other] = second[other], second[current]
            current = other
    return Graph(*ends(first, second), moved=2 * (parts - 1))
