"""What a state tells, against loops over its answers."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sidewise.sampling.state import State, pair_counts, pair_numbers

PAIRS = st.tuples(st.integers(0, 4), st.integers(1, 4)).map(lambda p: (p[0], (p[0] + p[1]) % 5))
ANSWERS = st.lists(st.tuples(PAIRS, st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.25, 1.0, 3.0])), max_size=20)


def as_pairs(pairs):
    return np.array(pairs, np.int64).reshape(-1, 2)


@given(ANSWERS, st.lists(PAIRS, max_size=5), st.lists(PAIRS, max_size=5), st.integers(0, 20))
def test_wins_asked_and_open(answers, out, closed, end):
    told = State.empty(5).with_answers(as_pairs([pair for pair, *_ in answers]), np.array([y for _, y, _ in answers]))
    assert (told.weight == 1).all()
    weight = np.array([w for *_, w in answers])
    state = replace(told, weight=weight, out=as_pairs(out), closed=as_pairs(closed))
    wins, asked, may = np.zeros((5, 5)), np.zeros((5, 5), int), ~np.eye(5, dtype=bool)
    for row, ((i, j), y, w) in enumerate(answers):
        asked[[i, j], [j, i]] += 1
        if row < end:
            wins[i, j] += w * y
            wins[j, i] += w * (1 - y)
    for i, j in out:
        asked[[i, j], [j, i]] += 1
    for i, j in closed:
        may[[i, j], [j, i]] = False
    np.testing.assert_allclose(state.only(slice(end)).wins, wins)
    assert state.wins.dtype == float  # with no answer too
    np.testing.assert_array_equal(state.asked, asked)
    np.testing.assert_array_equal(state.open, may)
    assert state.pairs.tolist() == [list(pair) for pair, *_ in answers] + [list(pair) for pair in out]


def test_a_mask_stays_as_it_was_given():
    mask = np.ones((3, 3), bool)
    state = replace(State.empty(3), usable=mask, closed=as_pairs([(2, 0)]))
    assert state.open.tolist() == [[False, True, False], [True, False, True], [False, True, False]]
    assert mask.all()


@given(st.lists(PAIRS, max_size=9))
def test_a_pair_has_one_number_either_way_round(pairs):
    there = as_pairs(pairs)
    np.testing.assert_array_equal(pair_numbers(there, 5), pair_numbers(there[:, ::-1], 5))
    i, j = np.divmod(pair_numbers(there, 5), 5)
    assert (i < j).all()
    assert pair_counts(there, 5).sum() == 2 * len(pairs)
