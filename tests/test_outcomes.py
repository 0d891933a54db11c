"""Winners given as items, sides or numbers; where two readings disagree, the caller is asked."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidewise as sw
from sidewise.errors import ComparisonError


def outcomes(winner, left=("a", "b"), right=("b", "c"), **options):
    table = pa.table({"left": list(left), "right": list(right), "winner": winner})
    return sw.Comparisons.from_frame(table, **options).outcome.tolist()


def test_items_sides_and_numbers_are_told_apart():
    assert outcomes(["a", "c"]) == [1.0, 0.0]
    assert outcomes(["LEFT", "right"]) == [1.0, 0.0]
    assert outcomes([1.0, 0.25]) == [1.0, 0.25]
    assert outcomes(["0.5", "1"]) == [0.5, 1.0]
    assert outcomes([True, False]) == [1.0, 0.0]
    assert outcomes(["a", "tie"]) == [1.0, 0.5]


def test_numeric_ids_are_not_taken_for_shares():
    assert outcomes([1, 57], left=[57, 1], right=[1, 57]) == [0.0, 0.0]


def test_a_column_that_can_be_read_in_two_ways_is_not_guessed():
    pair = {"left": ["0", "1"], "right": ["1", "0"]}
    with pytest.raises(ComparisonError, match="in more than one way .*winner_is='item'"):
        outcomes(["0", "1"], **pair)
    assert outcomes(["0", "1"], **pair, winner_is="item") == [1.0, 1.0]
    assert outcomes(["0", "1"], **pair, winner_is="number") == [0.0, 1.0]


def test_words_of_ones_own_can_be_explained():
    words = {"a1": 1.0, "a2": 0.0, "equal": 0.5}
    assert outcomes(["a1", "a2"], outcomes=words) == [1.0, 0.0]
    with pytest.raises(ComparisonError, match="row 2: winner is 'left': unknown outcome"):
        outcomes(["a1", "left"], outcomes=words)
    with pytest.raises(ComparisonError, match="not between 0"):
        outcomes(["a1", "a2"], outcomes={"a1": 2})


def test_a_few_wrong_words_do_not_change_how_the_others_are_read():
    with pytest.raises(ComparisonError, match="row 3: winner is 'lfet': unknown outcome"):
        outcomes(["left", "right", "lfet", "tie"], left=["a"] * 4, right=["b"] * 4)


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), None])
def test_numbers_outside_0_and_1_are_refused(value):
    with pytest.raises(ComparisonError, match="row 1"):
        outcomes([value, 0.5])


def test_numbers_are_no_sides():
    with pytest.raises(ComparisonError, match="no sides"):
        outcomes([1.0, 0.0], winner_is="side")


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.integers(1, 2), st.sampled_from([0.0, 0.5, 1.0])), min_size=1))
def test_the_three_ways_of_saying_it_agree(rows):
    left = [a for a, _, _ in rows]
    right = ["xyz"[("xyz".index(a) + step) % 3] for a, step, _ in rows]
    number = [outcome for _, _, outcome in rows]
    side = [{0.0: "right", 1.0: "left", 0.5: "tie"}[outcome] for outcome in number]
    item = [{0.0: b, 1.0: a, 0.5: "tie"}[outcome] for a, b, outcome in zip(left, right, number, strict=True)]
    assert outcomes(number, left, right) == outcomes(side, left, right) == outcomes(item, left, right) == number
