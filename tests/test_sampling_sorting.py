"""Strategies that sort, that pair by rounds, or that hardly look at the answers."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from sidewise.sampling.asking import Limits, chosen
from sidewise.sampling.passive import full, nearest, random
from sidewise.sampling.quicksort import quicksort, replayed
from sidewise.sampling.rectangular import neighbours, rectangular, spiral
from sidewise.sampling.state import State, pair_counts
from sidewise.sampling.swiss import swiss, tournament


def told(state, pairs, rank):
    """With answers of one who is never wrong: the item with the lower rank wins."""
    return state.with_answers(pairs, (rank[pairs[:, 0]] < rank[pairs[:, 1]]).astype(float))


def asked_pairs(pairs):
    return {tuple(sorted(pair)) for pair in np.asarray(pairs).tolist()}


# Quicksort


def one_sort(n, batch, rank):
    """The state when the first sort has ended."""
    rng, state, started = np.random.default_rng(batch), State.empty(n), replayed(State.empty(n))[0].place
    while replayed(state)[0].place == started:
        state = told(state, quicksort(state, batch, rng), rank)
    return state


@pytest.mark.parametrize("n", [6, 10, 40])
def test_quicksort_sorts_with_few_comparisons(n):
    """The first sort ends in the true order: all neighbours have met, after about 2 n ln n comparisons."""
    rank = np.random.default_rng(n).permutation(n)
    state = one_sort(n, 1, rank)
    item = np.argsort(rank)
    assert asked_pairs(np.column_stack([item[:-1], item[1:]])) <= asked_pairs(state.pairs)
    assert len(state.left) <= 2 * n * math.log(n) + n
    assert state.asked.max() == 1


@pytest.mark.parametrize("n", [6, 10, 40])
@pytest.mark.parametrize("batch", [4, 1000])
def test_quicksort_asks_the_same_whether_answers_come_one_by_one_or_at_once(n, batch):
    rank = np.random.default_rng(n).permutation(n)
    assert asked_pairs(one_sort(n, batch, rank).pairs) == asked_pairs(one_sort(n, 1, rank).pairs)


def test_quicksort_goes_on_with_the_next_sort_while_answers_are_out():
    state = State.empty(6)
    first = quicksort(state, 99, np.random.default_rng(0))
    waiting = replace(state, out=first)
    ahead = quicksort(waiting, 99, np.random.default_rng(0))
    assert len(first) == len(ahead) == 5
    assert [len(set.intersection(*map(set, pairs.tolist()))) for pairs in (first, ahead)] == [1, 1]  # one pivot each
    both = told(told(state, first, np.arange(6)), ahead, np.arange(6))
    assert len(quicksort(both, 99, np.random.default_rng(0)))


def test_quicksort_needs_no_answer_that_nobody_waits_for():
    """Answers from elsewhere do not disturb the sorting."""
    rank, rng = np.arange(8), np.random.default_rng(0)
    pairs = rng.permuted(np.tile(rank, (300, 1)), axis=1)[:, :2]
    state = told(State.empty(8), pairs, rank)
    assert len(quicksort(state, 5, rng))


# The Swiss system


@pytest.mark.parametrize("n", [2, 3, 4, 5, 7, 8, 9, 13, 16, 20])
def test_nobody_meets_twice_in_a_swiss_tournament_while_that_is_possible(n):
    import networkx as nx

    rounds, size = math.ceil(math.log2(n)) + 2, n // 2
    for seed in range(4):
        rng = np.random.default_rng([n, seed])
        score = rng.uniform(0, 5, n)
        state = State.empty(n)
        for played in range(2 * rounds):
            if played % rounds == 0:
                met = np.zeros((n, n), int)
            pairs = swiss(state, 999, rng)
            assert len(pairs) == size
            assert len(set(pairs.ravel().tolist())) == 2 * size  # everyone once
            again = sum(met[i, j] for i, j in pairs)
            unmet = nx.Graph([(i, j) for i, j in combinations(range(n), 2) if not met[i, j]])
            if len(nx.max_weight_matching(unmet, maxcardinality=True)) == size:
                assert not again
            met += pair_counts(pairs, n)
            won = rng.normal(size=size) < score[pairs[:, 0]] - score[pairs[:, 1]]
            state = state.with_answers(pairs, won.astype(float))


def test_swiss_pairs_items_with_about_as_many_wins():
    """With nobody ever wrong, those with all wins meet in the second round, and so on."""
    rng, rank = np.random.default_rng(0), np.arange(16)
    state = State.empty(16)
    for _ in range(4):
        wins, _, _ = tournament(state)
        pairs = swiss(state, 8, rng)
        apart = np.abs(wins[pairs[:, 0]] - wins[pairs[:, 1]])
        assert apart.max() <= 1
        assert apart.mean() <= 0.5
        state = told(state, pairs, rank)


def test_a_swiss_tournament_begins_anew_after_its_last_round():
    state, rng = State.empty(8), np.random.default_rng(0)
    for _ in range(5):
        state = told(state, swiss(state, 4, rng), np.arange(8))
    wins, met, playing = tournament(state)
    assert not wins.any()
    assert not met.any()
    assert not playing.any()


def test_in_the_middle_of_a_swiss_round_only_the_others_are_paired():
    state, rng = State.empty(8), np.random.default_rng(0)
    first = swiss(state, 2, rng)
    rest = swiss(replace(state, out=first), 99, rng)
    assert len(rest) == 2
    assert not set(first.ravel()) & set(rest.ravel())


# Rectangles


@pytest.mark.parametrize("n", [2, 3, 4, 5, 7, 9, 12, 13, 16, 20, 30])
def test_the_spiral_goes_from_cell_to_neighbouring_cell_once_round_the_rectangle(n):
    cells = spiral(n)
    rows, columns = math.isqrt(n), -(-n // math.isqrt(n))
    assert len({tuple(cell) for cell in cells.tolist()}) == n
    assert (cells >= 0).all()
    assert (cells < [rows, columns]).all()
    assert (np.abs(np.diff(cells, axis=0)).sum(axis=1) == 1).all()
    around = cells[: 2 * (rows + columns) - 4] if rows > 1 else cells
    on_the_edge = (around % [max(rows - 1, 1), max(columns - 1, 1)] == 0).any(axis=1)
    assert on_the_edge.all()  # from the outside in


def test_a_rectangle_of_nine_by_hand():
    """0 1 2 / 7 8 3 / 6 5 4: each item meets those in its row and its column."""
    mates = neighbours(np.arange(9)) & ~np.eye(9, dtype=bool)
    assert [np.flatnonzero(row).tolist() for row in mates] == [
        [1, 2, 6, 7], [0, 2, 5, 8], [0, 1, 3, 4],
        [2, 4, 7, 8], [2, 3, 5, 6], [1, 4, 6, 8],
        [0, 4, 5, 7], [0, 3, 6, 8], [1, 3, 5, 7],
    ]  # fmt: skip


@pytest.mark.parametrize("n", [4, 9, 12, 14])
@pytest.mark.parametrize("batch", [1, 5, 999])
def test_the_second_rectangle_is_laid_out_by_the_scores_of_the_first(n, batch):
    rng, rank = np.random.default_rng(n), np.random.default_rng(5).permutation(n)
    state = State.empty(n)
    size = len(rectangular(state, 999, rng))
    while len(state.left) < size:
        state = told(state, rectangular(state, min(batch, size - len(state.left)), rng), rank)
    assert len(asked_pairs(state.pairs)) == size  # each pair of the first once

    from sidewise.sampling.hybrid_mst import bradley_terry

    score = np.round(bradley_terry(state.wins), 9)
    if len(set(score)) == n:
        expected = neighbours(np.argsort(score)) & ~np.eye(n, dtype=bool)
        assert asked_pairs(rectangular(state, 999, rng)) == asked_pairs(np.argwhere(expected))


@pytest.mark.parametrize("limits", [Limits(), Limits(per_pair=2), Limits(per_item=9)])
def test_a_batch_longer_than_a_rectangle_goes_on_with_the_next(limits):
    """What a batch or a limit has closed belongs to the rounds in which it was asked."""
    state = State.empty(9)
    first = rectangular(state, 999, np.random.default_rng(0))
    done = told(state, first, np.arange(9))
    second = asked_pairs(rectangular(done, 999, np.random.default_rng(0)))
    closed = replace(done, closed=first)
    assert asked_pairs(rectangular(closed, 999, np.random.default_rng(0))) == second - asked_pairs(first)
    two = chosen(state, rectangular, 36, limits, np.random.default_rng(0))
    assert len(asked_pairs(two)) == 36


# Passive ones


@given(st.integers(2, 7), st.integers(1, 9), st.integers(0, 9))
def test_full_is_balanced_at_any_time(n, batch, seed):
    rng, state = np.random.default_rng(seed), State.empty(n)
    for _ in range(6):
        pairs = full(state, batch, rng)
        state = state.with_answers(pairs, np.ones(len(pairs)))
        counts = state.asked[np.triu_indices(n, 1)]
        assert counts.max() - counts.min() <= 1


def test_random_pairs_are_even():
    counts = np.zeros((5, 5), int)
    for seed in range(2000):
        counts += pair_counts(random(State.empty(5), 1, np.random.default_rng(seed)), 5)
    assert chisquare(counts[np.triu_indices(5, 1)]).pvalue > 1e-3


def test_nearest_asks_neighbours_in_the_order_so_far():
    pairs = np.array(list(combinations(range(6), 2)))
    state = told(State.empty(6), pairs, np.arange(6))
    found = asked_pairs(nearest(state, 5, np.random.default_rng(0)))
    assert found == {(k, k + 1) for k in range(5)}
    again = state.with_answers(np.array([[0, 1], [1, 2]]), np.ones(2))
    assert asked_pairs(nearest(again, 3, np.random.default_rng(0))) == {(2, 3), (3, 4), (4, 5)}  # those asked least


@pytest.mark.parametrize("strategy", [quicksort, swiss, rectangular])
def test_rounds_that_end_within_a_batch_are_followed_by_the_next(strategy):
    pairs = chosen(State.empty(7), strategy, 21, Limits(), np.random.default_rng(0))
    assert len(asked_pairs(pairs)) == 21
