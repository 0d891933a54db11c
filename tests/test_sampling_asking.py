"""next_pairs: what it takes, what it refuses, and what reaches the strategy."""

import numpy as np
import pytest

import sidewise as sw
from making import random_comparisons, with_workers
from sidewise.models import MODELS
from sidewise.sampling import STRATEGIES, State, next_pairs
from sidewise.sampling.asking import Limits, begun, chosen
from sidewise.sampling.rehearsal import probit_chances, rehearse

ITEMS = ["a", "b", "c", "d"]


def answers(**options):
    return sw.Comparisons.from_arrays(left=[*"aab"], right=[*"bcc"], winner=[*"aab"], items=ITEMS, **options)


@pytest.mark.parametrize("batch", [0, -1, 1.5, True, "many", None, float("nan"), float("inf")])
def test_a_batch_is_a_count(batch):
    with pytest.raises(sw.SidewiseError, match=r"batch is .*; it is a count, 1 at the least"):
        next_pairs(answers(), batch=batch)


@pytest.mark.parametrize("name", ["most_per_pair", "most_per_item"])
@pytest.mark.parametrize("value", [0, -3, 0.5, "two"])
def test_limits_are_counts(name, value):
    with pytest.raises(sw.SidewiseError, match=rf"{name} is .*; it is a count, 1 at the least"):
        next_pairs(answers(), **{name: value})


def test_whole_numbers_of_any_kind_are_counts():
    assert len(next_pairs(answers(), method="full", batch=np.int64(2))) == 2
    assert len(next_pairs(answers(), method="full", batch=2.0)) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "best"}, r"no strategy 'best'; there are: optimal, asap, .*random"),
        ({"goal": "speed"}, r"goal='speed' is not one of rmse, ranking, top"),
        ({"goal": "top"}, r'goal="top" goes with top='),
        ({"top": 2}, r'goal="top" goes with top='),
        ({"goal": "top", "top": 4}, r"top is 4, but there are 4 items: it is between 1 and 3"),
        ({"goal": "top", "top": 0}, r"top is 0"),
        ({"method": "asap", "goal": "ranking"}, r"goal goes with the method optimal; asap has none"),
        ({"method": "asap", "device": "cuda"}, r"device goes with the method optimal; asap has none"),
        ({"allowed": [("a", "z")]}, r"allowed\[0\]: there is no item 'z'"),
        ({"in_flight": [("a", "b"), ("q", "b")]}, r"in_flight\[1\]: there is no item 'q'"),
        ({"allowed": [("a", "a")]}, r"allowed\[0\] pairs 'a' with itself"),
        ({"allowed": ["ab"]}, r"allowed\[0\] is 'ab', not a pair of ids"),
        ({"in_flight": [("a", "b", "c")]}, r"in_flight\[0\] is .*, not a pair of ids"),
        ({"allowed": np.ones((3, 3), bool)}, r"the mask allowed is \(3, 3\), but there are 4 items"),
        ({"seed": -1}, r"seed is -1; it is a whole number, 0 at the least"),
        ({"seed": "now"}, r"seed is 'now'; it is a whole number, 0 at the least"),
        ({"goal": "top", "top": 1.5}, r"top is 1\.5; it is a count"),
        ({"goal": "top", "top": "2"}, r"top is '2'; it is a count"),
        ({"method": None}, r"no strategy None; there are"),
        ({"allowed": np.ones((4, 4))}, r"the mask allowed holds no True and False: write allowed\.astype\(bool\)"),
        ({"allowed": [None]}, r"allowed\[0\] is None, not a pair of ids"),
        ({"in_flight": None}, r"in_flight is None; it is a list of pairs of ids"),
        ({"reliability": {"w": 1.0}}, r"the comparisons do not say who gave them"),
    ],
)
def test_errors_name_what_is_wrong(options, message):
    with pytest.raises(sw.SidewiseError, match=message):
        next_pairs(answers(), **options)


def test_items_are_a_list_of_different_ids():
    with pytest.raises(sw.SidewiseError, match=r"the items are a list of ids: \['abc'\]"):
        next_pairs("abc")
    with pytest.raises(sw.SidewiseError, match="the item 'a' stands twice in the list of items"):
        next_pairs(["a", "b", "a"])
    with pytest.raises(sw.SidewiseError, match=r"items\[1\] is None: an id is not empty"):
        next_pairs(["a", None])
    with pytest.raises(sw.SidewiseError, match=r"items\[1\] is nan: an id is not empty"):
        next_pairs(["a", float("nan")])
    assert sorted(next_pairs([1, 2])[0]) == ["1", "2"]
    assert sorted(next_pairs(np.array(["a", "b"]))[0]) == ["a", "b"]


@pytest.mark.parametrize("items", [{"a", "b"}, {"a": 1}, None, 5, answers().to_frame(), iter("ab")])
def test_what_is_no_list_of_ids_is_refused(items):
    """The columns of a table are not its items, and a set has another order each time."""
    with pytest.raises(sw.SidewiseError, match="is neither Comparisons nor a list of ids"):
        next_pairs(items)


def test_answers_that_outweigh_all_others_are_refused():
    with pytest.raises(sw.SidewiseError, match=r"answer 2 counts as 1e\+300 of them; 1e\+12 is the most"):
        next_pairs(answers(weight=[1, 1e300, 1]))
    with pytest.raises(sw.SidewiseError, match=r"answer 1 counts as inf"):
        next_pairs(answers(worker=[*"xyz"]), reliability={"x": 1e200})
    with pytest.raises(sw.SidewiseError, match=r"reliability is 'auto'; it is a ranking by sw\.worker_bt"):
        next_pairs(answers(worker=[*"xyz"]), reliability="auto")


def test_a_mask_may_be_given_on_one_side_and_its_diagonal_is_nothing():
    mask = np.eye(4, dtype=bool)
    mask[3, 1] = True
    assert [sorted(pair) for pair in next_pairs(answers(), allowed=mask, batch=5)] == [["b", "d"]]


def test_pairs_may_come_from_any_iterable_and_either_way_round():
    allowed = ((b, a) for a, b in [("a", "b"), ("a", "b"), ("c", "d")])
    found = next_pairs(answers(), method="full", allowed=allowed, batch=9)
    assert sorted(map(sorted, found)) == [["a", "b"], ["c", "d"]]


def test_answers_reach_the_strategy_with_their_weights_and_what_is_known_of_workers():
    told = with_workers(random_comparisons(4, 50, seed=1), 3)
    plain, _ = begun(told)
    np.testing.assert_array_equal(plain.weight, 1)
    state, items = begun(told, {"w0": 0.5, "w1": -1.0, "w2": 0.0})
    assert list(items) == list(told.items)
    kept = told.worker != 2  # a coin tells nothing
    np.testing.assert_array_equal(state.weight, np.where(told.worker == 0, 0.25, 1.0)[kept])
    contrary = np.where(told.worker == 1, 1 - told.outcome, told.outcome)
    np.testing.assert_array_equal(state.outcome, contrary[kept])
    with pytest.raises(sw.SidewiseError, match="the reliability of .* is nan, which is not a finite number"):
        begun(told, {"w0": float("nan")})
    with pytest.raises(sw.SidewiseError, match="the reliability of 'w1' is 'good', which is not a finite number"):
        begun(told, {"w1": "good"})
    with pytest.raises(sw.SidewiseError, match="names none of the 3 workers .* it has '7', they have 'w0'"):
        begun(told, {7: 0.5})
    np.testing.assert_array_equal(begun(told, {})[0].weight, 1)


def test_what_other_models_call_reliability_is_not_taken_for_a_weight():
    """A contrary worker's 0.1 would be believed a little, and not turned round; a coin's 0.5 would count a quarter."""
    told = with_workers(random_comparisons(6, 200), 4)
    begun(told, sw.worker_bt(told).rescale(anchor="item-0"))
    for name, model in MODELS.items():
        if name not in ("elo", "worker-bt"):
            with pytest.raises(sw.SidewiseError, match=rf"{model.__name__} has not .* where a coin's are 0: take work"):
                begun(told, model(told))


def test_workers_may_be_named_by_numbers_as_dataframes_name_them():
    told = sw.Comparisons.from_arrays(left=["a", "b"], right=["b", "c"], winner=["a", "b"], worker=[1, 2])
    np.testing.assert_array_equal(begun(told, {1: 0.5})[0].weight, [0.25, 1.0])


def test_a_pair_may_be_asked_again_where_its_answer_weighs_nothing():
    told = with_workers(sw.Comparisons.from_arrays(left=["a"], right=["b"], winner=["a"], items=["a", "b"]), 1)
    assert next_pairs(told, method="full", most_per_pair=1) == []
    assert len(next_pairs(told, method="full", most_per_pair=1, reliability={"w0": 0.0})) == 1


def test_a_batch_is_asked_for_again_with_what_it_has_out():
    seen = []
    out = np.array([[0, 1]])
    state = State(5, *(np.empty(0, kind) for kind in (int, int, float, float)), out)

    def one(state, _, rng):
        seen.append(state)
        return STRATEGIES["random"](state, 1, rng)

    pairs = chosen(state, one, 4, Limits(), np.random.default_rng(0))
    assert [len(state.out) for state in seen] == [1, 2, 3, 4]
    for row, now in enumerate(seen):
        assert now.out[1:].tolist() == pairs[:row].tolist()
        assert not now.open[pairs[:row, 0], pairs[:row, 1]].any()
    assert seen[0].open[0, 1]  # out with a worker, but not in this batch


def test_limits_leave_the_first_pairs_that_a_strategy_names():
    def star(state, count, _):
        return np.array([[0, k] for k in range(1, state.n) if state.open[0, k]])[:count]

    assert len(chosen(State.empty(6), star, 5, Limits(per_item=3), np.random.default_rng(0))) == 3


def test_a_rehearsal_stops_where_it_is_told_to():
    chance = probit_chances(np.array([0.0, 1.0, 3.0]))
    assert chance[2, 1] == pytest.approx(0.97725, abs=1e-5)
    np.testing.assert_allclose(chance + chance.T, 1)
    found = [len(state.left) for state in rehearse(chance, STRATEGIES["full"], [0, 3, 4, 10], seed=1)]
    assert found == [0, 3, 4, 10]
    one, two = (next(rehearse(chance, STRATEGIES["asap"], [9], seed=[4, 2])) for _ in range(2))
    assert one.pairs.tolist() == two.pairs.tolist()
    assert one.outcome.tolist() == two.outcome.tolist()


def test_rehearsed_answers_come_with_their_chances():
    state = next(rehearse(probit_chances(np.array([1.0, 0.0])), STRATEGIES["random"], [4000], batch=1))
    assert state.wins[0, 1] / 4000 == pytest.approx(0.8413, abs=4 * np.sqrt(0.8413 * 0.1587 / 4000))


def test_a_rehearsal_of_nothing_to_ask_is_refused():
    with pytest.raises(sw.SidewiseError, match="nothing to ask"):
        list(rehearse(np.array([[0.5]]), STRATEGIES["random"], [5]))


@pytest.mark.parametrize("method", STRATEGIES)
def test_who_asks_for_a_pair_at_a_time_sees_both_sides_though_the_seed_stays(method):
    """Items are named in the order of their quality: a side that follows the list is a side that follows quality."""
    items, rng = [f"i{place:02}" for place in range(8)], np.random.default_rng(3)
    asked, won, known = [], [], items
    for _ in range(60):
        pairs = next_pairs(known, method=method)
        asked += pairs
        won += [max(pair) if rng.random() < 0.8 else min(pair) for pair in pairs]
        left, right = zip(*asked, strict=True)
        known = sw.Comparisons.from_arrays(left=left, right=right, winner=won, items=items)
    assert 15 <= sum(left < right for left, right in asked) <= 45  # of fair coins, all but 1 in 10,000


def test_random_pairs_are_others_after_each_answer_and_while_some_are_out():
    known = answers()
    batches = [next_pairs(ITEMS, method="random"), next_pairs(known, method="random")]
    for _ in range(6):
        batches.append(next_pairs(known, method="random", in_flight=[pair for batch in batches for pair in batch]))
    assert len({frozenset(pair) for batch in batches for pair in batch}) > 2


def test_luck_is_another_when_a_pair_that_was_out_is_answered():
    items = [f"i{place}" for place in range(12)]
    out = sw.next_pairs(items, batch=6, method="random")
    left, right = out[0]
    answered = sw.Comparisons.from_arrays(left=[left], right=[right], winner=[left], items=items)
    before = sw.next_pairs(items, batch=6, method="random", in_flight=out)
    assert sw.next_pairs(answered, batch=6, method="random", in_flight=out[1:]) != before


@pytest.mark.parametrize("pair", [frozenset("ab"), {"left": "a", "right": "b"}, "ab", 3])
def test_what_has_no_first_and_no_second_is_no_pair(pair):
    with pytest.raises(sw.SidewiseError, match=r"allowed\[0\] is .*, not a pair of ids"):
        sw.next_pairs(["a", "b", "c"], allowed=[pair])


def test_a_mask_of_numbers_is_told_from_pairs_also_of_two_items():
    with pytest.raises(sw.SidewiseError, match=r"write allowed\.astype\(bool\)"):
        sw.next_pairs(["a", "b"], allowed=np.ones((2, 2), int))
