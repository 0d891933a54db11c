"""What every strategy promises, by name: through the protocol, and through next_pairs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

import sidewise as sw
from making import NAMES, comparisons, random_comparisons
from sidewise.sampling import STRATEGIES, State, find_strategy, next_pairs
from sidewise.sampling.asking import begun

ALL = sorted(STRATEGIES)
ONE_BY_ONE = settings(max_examples=10)
INVARIANT = [name for name in ALL if name not in {"quicksort", "rectangular"}]  # these draw orders from fixed seeds


def normal(pairs):
    return [tuple(sorted(pair)) for pair in np.asarray(pairs).tolist()]


@st.composite
def situations(draw, **options):
    """Answers, a mask, pairs that are out, a batch and a seed."""
    state, _ = begun(draw(comparisons(**options)))
    state, n = state.only(slice(draw(st.sampled_from([None, 0])))), state.n
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    usable = np.zeros((n, n), bool)
    for i, j in draw(st.sets(st.sampled_from(pairs))):
        usable[i, j] = usable[j, i] = True
    out = draw(st.lists(st.sampled_from(pairs), max_size=4))
    usable = draw(st.sampled_from([usable, None]))
    state = replace(state, out=np.array(out, np.int64).reshape(-1, 2), usable=usable)
    return state, draw(st.integers(1, 8)), draw(st.integers(0, 3))


@pytest.mark.parametrize("name", ALL)
@ONE_BY_ONE
@given(drawn=situations())
def test_pairs_are_open_and_different(name, drawn):
    """The protocol: at most as many as wanted, none twice, none with itself, none that may not be asked."""
    state, count, seed = drawn
    pairs = STRATEGIES[name](state, count, np.random.default_rng(seed))
    assert pairs.shape[1:] == (2,)
    assert pairs.dtype.kind == "i"
    assert len(pairs) <= count
    assert bool(len(pairs)) == bool(state.open.any())
    assert state.open[pairs[:, 0], pairs[:, 1]].all()
    assert len(set(normal(pairs))) == len(pairs)
    again = STRATEGIES[name](replace(state), count, np.random.default_rng(seed))
    assert pairs.tolist() == again.tolist()


@pytest.mark.parametrize("name", ALL)
@ONE_BY_ONE
@given(drawn=situations())
def test_a_strategy_changes_nothing_it_is_given(name, drawn):
    state, count, seed = drawn
    before = [np.array(part) for part in (state.left, state.right, state.outcome, state.weight, state.out, state.open)]
    STRATEGIES[name](state, count, np.random.default_rng(seed))
    after = [state.left, state.right, state.outcome, state.weight, state.out, state.open]
    for one, two in zip(before, after, strict=True):
        assert (one == two).all()


@pytest.mark.parametrize("name", ALL)
@ONE_BY_ONE
@given(answers=comparisons(), data=st.data())
def test_batches_are_full_and_keep_to_masks_and_limits(name, answers, data):
    items = list(answers.items)
    pairs = [(a, b) for k, a in enumerate(items) for b in items[:k]]
    allowed = data.draw(st.lists(st.sampled_from(pairs), max_size=8))
    flying = data.draw(st.lists(st.sampled_from(pairs), max_size=3))
    batch, most = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 8))
    per_item = data.draw(st.one_of(st.none(), st.integers(1, 12)))
    found = next_pairs(answers, method=name, batch=batch, allowed=allowed, in_flight=flying,
                       most_per_pair=most, most_per_item=per_item)  # fmt: skip
    asked = [tuple(sorted((items[i], items[j]))) for i, j in zip(answers.left, answers.right, strict=True)]
    asked += [tuple(sorted(pair)) for pair in flying]
    may = {tuple(sorted(pair)) for pair in allowed}
    free = {pair for pair in may if asked.count(pair) < most}
    chosen = [tuple(sorted(pair)) for pair in found]
    assert set(chosen) <= free
    assert len(set(chosen)) == len(chosen)
    if per_item is None:
        assert len(chosen) == min(batch, len(free))
    else:
        for item in items:
            assert sum(item in pair for pair in chosen) <= max(0, per_item - sum(item in pair for pair in asked))
        if len(chosen) < batch:  # nothing more fits
            times = {item: sum(item in pair for pair in asked + chosen) for item in items}
            left = free - set(chosen)
            assert not [pair for pair in left if max(times[pair[0]], times[pair[1]]) < per_item]


@pytest.mark.parametrize("name", ALL)
def test_the_same_seed_gives_the_same_pairs_and_others_others(name):
    answers = random_comparisons(8, 60)
    found = [next_pairs(answers, method=name, batch=5, seed=seed) for seed in range(8)]
    assert found == [next_pairs(answers, method=name, batch=5, seed=seed) for seed in range(8)]
    assert len({str(pairs) for pairs in found}) > 1


@pytest.mark.parametrize("name", ALL)
def test_who_stands_left_is_a_coin(name):
    """Of 66 pairs at once, and of two items over 60 seeds."""
    items = [f"item-{k:02}" for k in range(12)]
    for pairs in (
        next_pairs(items, method=name, batch=66),
        [pair for seed in range(60) for pair in next_pairs(["a", "b"], method=name, seed=seed)],
    ):
        assert len(pairs) >= 60
        assert binomtest(sum(left < right for left, right in pairs), len(pairs)).pvalue > 1e-3


@pytest.mark.parametrize("name", INVARIANT)
def test_numbers_of_items_do_not_matter_beyond_chance(name):
    """The pairs that are chosen over 60 seeds are as often the same, by name, when the items are numbered otherwise."""
    state, _ = begun(random_comparisons(6, 40, seed=2))
    order = np.array([3, 5, 0, 1, 4, 2])
    other = replace(state, left=order[state.left], right=order[state.right])
    back = np.argsort(order)
    times = np.zeros((2, 6, 6))
    for seed in range(60):
        for row, (known, name_of) in enumerate(((state, np.arange(6)), (other, back))):
            for i, j in name_of[STRATEGIES[name](known, 1, np.random.default_rng([seed, row]))]:
                times[row, i, j] += 1
                times[row, j, i] += 1
    assert np.abs(times[0] - times[1]).max() <= 4.5 * np.sqrt(60 / 2)


@pytest.mark.parametrize("name", ALL)
def test_pairs_in_flight_are_not_asked_again_at_once(name):
    """With nothing answered, 14 of 15 pairs out and no repeats allowed, the one that is left is asked."""
    out = [(a, b) for k, a in enumerate(NAMES) for b in NAMES[:k]]
    for left in (out[0], out[7], out[-1]):
        found = next_pairs(NAMES, method=name, in_flight=[pair for pair in out if pair != left], most_per_pair=1)
        assert [sorted(pair) for pair in found] == [sorted(left)]


@pytest.mark.parametrize("name", [name for name in ALL if name not in {"random", "quicksort"}])
def test_pairs_in_flight_count_as_asked(name):
    """Twelve looks at one pair are out: what is asked next is another."""
    for seed in range(20):
        (pair,) = next_pairs(["a", "b", "c", "d"], method=name, in_flight=[("a", "b")] * 12, seed=seed)
        assert set(pair) != {"a", "b"}


@pytest.mark.parametrize("name", ALL)
def test_starts_and_ends(name):
    assert sorted(next_pairs(["a", "b"], method=name)[0]) == ["a", "b"]
    assert len(next_pairs(["a", "b"], method=name, batch=5)) == 1
    assert len(next_pairs([f"i{k}" for k in range(9)], method=name, batch=36)) == 36
    assert next_pairs(["a", "b", "c"], method=name, allowed=[]) == []
    assert next_pairs(["a", "b", "c"], method=name, allowed=np.zeros((3, 3), bool)) == []
    assert next_pairs(["a", "b"], method=name, in_flight=[("a", "b")], most_per_pair=1) == []
    with pytest.raises(sw.SidewiseError, match="a pair takes two items, and there is one: name all in items="):
        next_pairs(["a"], method=name)
    with pytest.raises(sw.SidewiseError, match="a pair takes two items, and there are none"):
        next_pairs([], method=name)
    assert len(STRATEGIES[name](State.empty(1), 3, np.random.default_rng(0))) == 0


@pytest.mark.parametrize("name", ALL)
def test_items_in_two_groups_that_may_not_meet(name):
    """Each group is asked about, and a batch of four is what there is."""
    allowed = [("a", "b"), ("b", "c"), ("x", "y"), ("y", "z")]
    answers = sw.Comparisons.from_arrays(left=["a", "x"], right=["b", "y"], winner=["a", "y"], items=[*"abcxyz"])
    found = next_pairs(answers, method=name, batch=9, allowed=allowed)
    assert sorted(map(sorted, found)) == sorted(map(list, allowed))


@pytest.mark.parametrize("name", ALL)
def test_answers_that_touch_only_some_items(name):
    """An item that nobody has seen comes up soon: within as many pairs as there are items."""
    answers = sw.Comparisons.from_arrays(left=["a"] * 6, right=["b", "c"] * 3, winner=["a"] * 6, items=[*"abcd"])
    found = next_pairs(answers, method=name, batch=6)
    assert any("d" in pair for pair in found)


@pytest.mark.parametrize("name", ALL)
@ONE_BY_ONE
@given(answers=comparisons(least=3), weight=st.sampled_from([0.01, 0.5, 1.0, 40.0]))
def test_weights_and_ties_are_taken(name, answers, weight):
    weighed = replace(answers, weight=np.full(len(answers), weight))
    assert len(next_pairs(weighed, method=name, batch=3)) == min(3, len(answers.items) * (len(answers.items) - 1) // 2)


@pytest.mark.parametrize("name", ["optimal", "asap", "asap-approx", "hybrid-mst", "hodge", "trueskill", "nearest"])
def test_a_weight_of_two_is_two_answers_or_near_it(name):
    """Which pair is best does not change when answers are counted rather than repeated, and luck is the same."""
    answers, _ = begun(random_comparisons(5, 12, seed=3))
    twice = replace(answers, weight=np.full(len(answers.left), 2.0))
    double = answers.only(np.repeat(np.arange(len(answers.left)), 2))
    of_weights, of_answers = (normal(STRATEGIES[name](state, 1, np.random.default_rng(0))) for state in (twice, double))
    if name in {"asap-approx", "trueskill"}:  # taken in their order: twice the message is not the message twice
        assert len(of_weights) == 1
    else:
        assert of_weights == of_answers


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("case", ["even", "one-sided", "chain", "loser", "circle"])
def test_thousands_of_answers_break_nothing(name, case):
    """No warning, no NaN: warnings are errors here."""
    pairs, outcome = {
        "even": (np.tile([[0, 1]], (3000, 1)), np.arange(3000) % 2),
        "one-sided": (np.tile([[0, 1]], (3000, 1)), np.ones(3000)),
        "chain": (np.array([[k, k + 1] for k in range(5)] * 400), np.ones(2000)),
        "loser": (np.array([[k, 5] for k in range(5)] * 400), np.ones(2000)),
        "circle": (np.array([[0, 1], [1, 2], [2, 0]] * 700), np.ones(2100)),
    }[case]
    state = State.empty(6).with_answers(pairs, outcome.astype(float))
    found = STRATEGIES[name](state, 5, np.random.default_rng(0))
    assert len(found) >= 1


def test_names_are_forgiving_about_hyphens_and_capitals():
    assert find_strategy("Hybrid_MST") is STRATEGIES["hybrid-mst"]
    with pytest.raises(sw.SidewiseError, match="no strategy 'best'; there are: optimal, asap"):
        find_strategy("best")
