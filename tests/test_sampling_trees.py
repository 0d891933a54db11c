"""Pairs from gains: trees against all trees, the best pairs against a sorted list, one pair after the other."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

import literal_asap
from sidewise.sampling.asap import asap, believed, information_gain
from sidewise.sampling.batches import level, one_by_one
from sidewise.sampling.picking import best, spanning_tree
from sidewise.sampling.state import State


def symmetric(n, values):
    table = np.zeros((n, n))
    table[np.triu_indices(n, 1)] = values
    return table + table.T


def parts(n, edges):
    """How many pieces the edges leave."""
    joined = np.zeros((n, n))
    for i, j in edges:
        joined[i, j] = 1
    return connected_components(joined)[0]


def every_forest(n, edges):
    """All sets of edges that join what can be joined, without a circle: n − 1 of them where one tree joins all."""
    pieces = parts(n, edges)
    return [chosen for chosen in combinations(edges, n - pieces) if parts(n, chosen) == pieces]


@st.composite
def graphs(draw, values):
    n = draw(st.integers(2, 5))
    size = n * (n - 1) // 2
    gain = symmetric(n, draw(st.lists(values, min_size=size, max_size=size)))
    return n, gain, symmetric(n, draw(st.lists(st.booleans(), min_size=size, max_size=size))).astype(bool)


@given(graphs(st.sampled_from([1.0, 2.0, 3.0, 5.0, 1e-9, 1e-3, 7.0])), st.integers(0, 5))
def test_the_tree_is_the_lightest_of_all_trees(graph, seed):
    """With masks, ties, and masks that leave the items in pieces."""
    n, gain, usable = graph
    edges = [(i, j) for i, j in combinations(range(n), 2) if usable[i, j]]
    tree = spanning_tree(gain, usable, np.random.default_rng(seed))
    found = [tuple(pair) for pair in tree.tolist()]
    weight = min(sum(1 / gain[edge] for edge in forest) for forest in every_forest(n, edges))
    assert sum(1 / gain[edge] for edge in found) == pytest.approx(weight, rel=1e-12)
    assert set(found) <= set(edges)
    assert len(set(found)) == n - parts(n, edges)
    assert (np.diff(gain[tree[:, 0], tree[:, 1]]) <= 0).all()  # best first


@pytest.mark.parametrize("n", [4, 5])
def test_a_batch_of_asap_is_the_lightest_tree_of_the_literal_gains(n):
    rng = np.random.default_rng(n)
    pairs = rng.permuted(np.tile(np.arange(n), (15, 1)), axis=1)[:, :2]
    gain = np.array(literal_asap.gains(n, [tuple(pair) for pair in pairs.tolist()]))
    tree = asap(State.empty(n).with_answers(pairs, np.ones(15)), n - 1, rng, selective=False)
    lightest = min(
        every_forest(n, list(combinations(range(n), 2))), key=lambda tree: sum(1 / gain[edge] for edge in tree)
    )
    assert {tuple(pair) for pair in tree.tolist()} == set(lightest)


def test_there_are_as_many_trees_as_cayley_counts():
    assert [len(every_forest(n, list(combinations(range(n), 2)))) for n in (3, 4, 5)] == [3, 16, 125]


def test_equal_trees_are_drawn_evenly():
    """Of 16 trees of four equal items, none is left out: 960 draws, each tree 60 times but for chance."""
    times = {}
    for seed in range(960):
        tree = spanning_tree(np.ones((4, 4)), ~np.eye(4, dtype=bool), np.random.default_rng(seed))
        key = tuple(sorted(map(tuple, tree.tolist())))
        times[key] = times.get(key, 0) + 1
    assert len(times) == 16
    assert min(times.values()) > 20


@given(graphs(st.sampled_from([1.0, 2.0, -3.0, 0.0])), st.integers(0, 12))
def test_the_best_pairs_are_those_of_a_sorted_list(graph, count):
    n, gain, usable = graph
    edges = [(i, j) for i, j in combinations(range(n), 2) if usable[i, j]]
    found = best(gain, usable, count, np.random.default_rng(0))
    assert [gain[i, j] for i, j in found] == sorted((gain[edge] for edge in edges), reverse=True)[:count]
    assert {tuple(pair) for pair in found.tolist()} <= set(edges)
    assert len({tuple(pair) for pair in found.tolist()}) == min(count, len(edges))


@given(graphs(st.sampled_from([1.0, 2.0, 0.5, 4.0])), st.integers(0, 12))
def test_one_by_one_asks_again_after_every_pair(graph, count):
    """With gains that halve for both items of a pair that is out."""
    n, gain, usable = graph
    told = gain.copy()

    def asked(i, j):
        for k in (i, j):
            told[k] /= 2
            told[:, k] /= 2
        return told

    found = one_by_one(told, usable, count, np.random.default_rng(0), asked)
    left, free = gain.copy(), [(i, j) for i, j in combinations(range(n), 2) if usable[i, j]]
    assert len(found) == min(count, len(free))
    for i, j in found.tolist():
        assert left[i, j] == max(left[edge] for edge in free)
        free.remove((i, j))
        for k in (i, j):
            left[k] /= 2
            left[:, k] /= 2


def test_rounding_is_not_told_apart_but_a_small_gain_among_small_ones_is():
    gain = symmetric(3, [1.0, 3e-13, 1e-13])
    usable = symmetric(3, [0, 1, 1]).astype(bool)
    assert level(gain, usable)[0, 2] > level(gain, usable)[1, 2]
    assert (
        len(set(level(symmetric(3, [1.0, 1 + 2e-16, 1 - 1e-16]), ~np.eye(3, dtype=bool))[np.triu_indices(3, 1)])) == 1
    )


def test_asap_joins_two_groups_far_apart_by_the_best_bridge():
    """All bridges tell less than 1e-10 of the best pair, and one of them far more than the others."""
    chain = [pair for k in range(23) for pair in [(k, k + 1)] * 900 + [(k + 1, k)] * 90]
    said = State.empty(24).with_answers(np.array(chain), np.ones(len(chain)))
    usable = np.zeros((24, 24), bool)
    usable[:3, :3] = usable[-3:, -3:] = usable[:3, -3:] = usable[-3:, :3] = True
    gain = information_gain(believed(said), usable & ~np.eye(24, dtype=bool))
    bridges = {(i, j): gain[i, j] for i in range(3) for j in range(21, 24)}
    assert max(bridges.values()) < 1e-10 * gain.max()
    only = State(24, said.left, said.right, said.outcome, said.weight, said.out, usable)
    for seed in range(5):
        tree = asap(only, 99, np.random.default_rng(seed), selective=False)
        assert len(tree) == 5
        (bridge,) = [tuple(pair) for pair in tree.tolist() if pair[0] < 3 and pair[1] > 20]
        assert bridges[bridge] == max(bridges.values())
