"""Graphs of pairs, sides, controls and pages: what must hold for any size."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sidewise.datasets.building.card_pictures import binomial_shares, edges_of, labels_of
from sidewise.datasets.building.controls import draw_controls
from sidewise.datasets.building.graphs import all_pairs, distinct_numbers, pair_numbers, random_graph, spare
from sidewise.datasets.building.pages import Layout, page_rows
from sidewise.datasets.building.regular import regular_graph
from sidewise.datasets.building.sides import balanced_sides
from sidewise.errors import DataError
from sidewise.simulate.design import pairs_at


@st.composite
def sizes(draw, least=2, most=40):
    n = draw(st.integers(least, most))
    return n, draw(st.integers(n - 1, all_pairs(n)))


def as_networkx(n, graph):
    made = nx.Graph()
    made.add_nodes_from(range(n))
    made.add_edges_from(zip(graph.first.tolist(), graph.second.tolist(), strict=True))
    return made


@pytest.mark.parametrize("draw", [random_graph, regular_graph])
@given(size=sizes(), seed=st.integers(0, 1000))
def test_a_graph_has_the_pairs_wanted_none_twice_and_hangs_together(draw, size, seed):
    n, count = size
    made = as_networkx(n, draw(n, count, np.random.default_rng(seed)))
    assert made.number_of_edges() == count
    assert nx.number_of_selfloops(made) == 0
    assert nx.is_connected(made)


@given(size=sizes(), seed=st.integers(0, 1000))
def test_degrees_of_a_regular_graph_differ_by_one_at_most(size, seed):
    n, count = size
    degree = [d for _, d in as_networkx(n, regular_graph(n, count, np.random.default_rng(seed))).degree]
    assert max(degree) - min(degree) <= 1


def test_every_connected_graph_of_four_items_is_equally_likely():
    """Three pairs make 20 graphs, 16 of them connected: trees, as Cayley counts them."""
    rng = np.random.default_rng(0)
    seen = Counter(tuple(sorted(pair_numbers(*random_graph(4, 3, rng)[:2]).tolist())) for _ in range(4000))
    assert len(seen) == 16
    assert stats.chisquare(list(seen.values())).pvalue > 0.001


def test_a_sparse_graph_moves_no_more_pairs_than_it_has_parts_too_many():
    n, count = 2000, 2100
    drawn = distinct_numbers(all_pairs(n), count, np.random.default_rng(5))
    before = nx.Graph()
    before.add_nodes_from(range(n))
    before.add_edges_from(zip(*(side.tolist() for side in pairs_at(drawn)), strict=True))
    graph = random_graph(n, count, np.random.default_rng(5))
    assert graph.moved == nx.number_connected_components(before) - 1 > 0
    kept = np.isin(pair_numbers(graph.first, graph.second), drawn).sum()
    assert kept == count - graph.moved


@given(size=sizes(), seed=st.integers(0, 100))
def test_pairs_off_the_forest_can_all_be_taken_out(size, seed):
    n, count = size
    graph = random_graph(n, count, np.random.default_rng(seed))
    off = spare(n, graph.first, graph.second)
    rest = as_networkx(n, graph._replace(first=graph.first[~off], second=graph.second[~off]))
    assert nx.is_tree(rest)


@given(total=st.integers(1, 10**12), seed=st.integers(0, 100), count=st.integers(0, 300))
def test_distinct_numbers_are_distinct_and_in_range(total, seed, count):
    count = min(count, total)
    found = distinct_numbers(total, count, np.random.default_rng(seed))
    assert len(set(found.tolist())) == len(found) == count
    assert ((found >= 0) & (found < total)).all()


@pytest.mark.parametrize("count", [2, 3])
def test_all_sets_of_distinct_numbers_are_equally_likely(count):
    rng = np.random.default_rng(1)
    seen = Counter(tuple(distinct_numbers(5, count, rng).tolist()) for _ in range(5000))
    assert len(seen) == 10
    assert stats.chisquare(list(seen.values())).pvalue > 0.001


@given(first=st.lists(st.integers(0, 10**6), min_size=1, max_size=50), step=st.integers(1, 1000))
def test_numbers_of_pairs_and_pairs_of_numbers_agree(first, step):
    low = np.array(first)
    assert all((a == b).all() for a, b in zip(pairs_at(pair_numbers(low + step, low)), (low, low + step), strict=True))


@given(size=sizes(), seed=st.integers(0, 1000))
def test_every_item_is_on_the_left_half_of_the_time_or_one_off(size, seed):
    n, count = size
    rng = np.random.default_rng(seed)
    graph = random_graph(n, count, rng)
    left, right = balanced_sides(graph.first, graph.second, rng)
    assert (np.abs(np.bincount(left, minlength=n) - np.bincount(right, minlength=n)) <= 1).all()
    assert (np.minimum(left, right) == graph.first).all()
    assert (np.maximum(left, right) == graph.second).all()


def test_either_side_is_as_likely_for_every_pair():
    rng = np.random.default_rng(0)
    graph = random_graph(9, 20, rng)
    turned = sum(balanced_sides(graph.first, graph.second, rng)[0] == graph.first for _ in range(2000))
    assert np.abs(turned / 2000 - 0.5).max() < 4 * np.sqrt(0.25 / 2000)


@given(
    truth=st.lists(st.integers(0, 60), min_size=5, max_size=40), margin=st.integers(0, 30), seed=st.integers(0, 100),
    share=st.floats(0, 1),
)  # fmt: skip
def test_controls_differ_by_more_than_the_margin_and_are_not_asked_anyway(truth, margin, seed, share):
    values, rng = np.array(truth, float), np.random.default_rng(seed)
    n = len(values)
    asked = np.sort(rng.choice(all_pairs(n), int(share * all_pairs(n)), replace=False))
    low, high = pairs_at(np.arange(all_pairs(n)))
    free = set(np.flatnonzero(np.abs(values[low] - values[high]) > margin).tolist()) - set(asked.tolist())
    if not free:
        with pytest.raises(DataError, match="differ by more than"):
            draw_controls(values, 1, margin, asked, rng)
        return
    found = draw_controls(values, len(free), margin, asked, rng)
    assert set(pair_numbers(found.left, found.right).tolist()) == free
    assert ((values[found.left] > values[found.right]) == found.left_wins).all()
    assert abs(int(found.left_wins.sum()) * 2 - len(found)) <= 1
    with pytest.raises(DataError, match="differ by more than"):
        draw_controls(values, len(free) + 1, margin, asked, rng)
    turned = draw_controls(values, 1, margin, asked, rng, lower_wins=True)
    assert ((values[turned.left] < values[turned.right]) == turned.left_wins).all()


@given(pairs=st.integers(1, 200), tasks=st.integers(1, 6), each=st.integers(0, 3), more=st.integers(0, 20))
def test_pages_hold_every_pair_once_and_controls_evenly(pairs, tasks, each, more):
    controls = each + more
    parts = list(page_rows(pairs, controls, Layout(tasks, each), np.random.default_rng(0)))
    page, position, task = (np.concatenate(column) for column in zip(*parts, strict=True))
    assert sorted(task[task < pairs].tolist()) == list(range(pairs))
    for number in range(1, int(page.max()) + 1):
        there = task[page == number]
        assert position[page == number].tolist() == list(range(1, len(there) + 1))
        assert len(set(there.tolist())) == len(there)
        assert (there >= pairs).sum() == each
    dealt = np.bincount(task[task >= pairs] - pairs, minlength=controls)
    if each and controls % each == 0:
        assert np.ptp(dealt) <= 1


def test_a_control_stands_anywhere_on_a_page():
    (rows,) = page_rows(6000, 200, Layout(3, 1), np.random.default_rng(0))
    places = np.bincount(rows.position[rows.task >= 6000])[1:]
    assert stats.chisquare(places).pvalue > 0.001


@given(values=st.lists(st.floats(-1e6, 1e6) | st.integers(-1000, 1000), min_size=1, max_size=50))
def test_bins_hold_all_values(values):
    edges = edges_of(np.array(values, float))
    assert np.histogram(values, edges)[0].sum() == len(values)
    assert (np.diff(edges) > 0).all()
    assert len(edges) <= 66


def test_labels_are_round_numbers_or_every_so_many_words():
    assert labels_of([str(age) for age in range(10, 71)]) == [str(age) for age in range(10, 71, 5)]
    assert labels_of(list("abc")) == list("abc")
    assert len(labels_of([f"w{n}" for n in range(100)])) <= 24


def test_shares_of_the_binomial_distribution():
    edges = np.arange(-0.5, 11)
    assert binomial_shares(10, 0.3, edges) == pytest.approx(stats.binom(10, 0.3).pmf(np.arange(11)))
