"""Intervals of measures and tests between rankings: by plain versions, and by simulation."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sidewise.errors import MeasureError
from sidewise.measures import bootstrap, compare, find_measure, kendall_tau, ndcg, pair_accuracy, pearson
from sidewise.measures.resampling import _p_value, draw_copies

NAMES = ("pair-accuracy", "pair-accuracy(ties=half)", "pair-accuracy(weight=difference)", "kendall-tau", "tau-c",
         "spearman", "pearson", "rmse", "rmse(fit=scale)", "rmse(fit=none)", "ndcg", "ndcg@5", "ndcg@5(gain=exp2)",
         "ndcg(ties=worst)", "err", "err@3", "err(ties=first)")  # fmt: skip


def sample(n, seed, *, noise=1.5):
    rng = np.random.default_rng([seed, n])
    truth = rng.integers(0, 5, n).astype(float)
    return truth + rng.normal(0, noise, n), truth


def drawn(n, seed, resamples=20):
    return next(draw_copies(n, resamples, seed))


# Resamples of every measure, against plain ones


def plain_tau(score, truth, copies):
    """Tau-b over the pairs of copies of different items."""
    place = np.repeat(np.arange(len(score)), copies)
    score, truth = score[place], truth[place]
    i, j = np.triu_indices(len(place), 1)
    i, j = i[place[i] != place[j]], j[place[i] != place[j]]
    x, y = np.sign(score[i] - score[j]), np.sign(truth[i] - truth[j])
    return (x * y).sum() / np.sqrt((x**2).sum() * (y**2).sum())


def plain_spearman(score, truth, copies):
    """Sums over i, j and k of signs, j and k being the same item once for each of its copies."""
    x, y = np.sign(score[:, None] - score), np.sign(truth[:, None] - truth)

    def total(u, v):
        apart = (copies * (u @ copies) * (v @ copies)).sum()
        same = np.einsum("i,j,ij,ij", copies, copies**2 - copies, u, v)
        return apart - same

    return total(x, y) / np.sqrt(total(x, x) * total(y, y))


@pytest.mark.parametrize("levels", [1, 3])
def test_copies_of_an_item_are_no_pair(levels):
    score, truth = sample(20, 1)
    score = np.round(score * levels) / levels
    copies = drawn(20, 2)
    taus = [plain_tau(score, truth, column.astype(int)) for column in copies.T]
    assert find_measure("kendall-tau").prepare(score, truth)(copies) == pytest.approx(taus)
    rhos = [plain_spearman(score, truth, column) for column in copies.T]
    assert find_measure("spearman").prepare(score, truth)(copies) == pytest.approx(rhos)


# For these, an item that was drawn twice is two items.
REPEATED = tuple(name for name in NAMES if name not in ("kendall-tau", "tau-c", "spearman"))


@pytest.mark.parametrize("name", REPEATED)
@pytest.mark.parametrize("rounded", [False, True])
def test_other_measures_take_copies_for_items(name, rounded):
    score, truth = sample(30, 3)
    score = np.round(score) if rounded else score
    truth[0] = 4  # the highest grade is drawn nearly always, and does not change where it is not
    measure = find_measure(name.replace("err", "err(highest=4)") if name == "err" else name)
    copies = drawn(30, 4)
    copies[0] = np.maximum(copies[0], 1)
    expected = [measure(np.repeat(score, column), np.repeat(truth, column)) for column in copies.T.astype(int)]
    assert measure.prepare(score, truth)(copies) == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMES)
def test_one_column_is_what_a_vector_is(name):
    score, truth = sample(12, 5)
    prepared = find_measure(name).prepare(score, truth)
    assert prepared(np.ones((12, 2))) == pytest.approx([float(prepared(np.ones(12)))] * 2)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=9))
def test_the_truth_stays_perfect_in_every_resample(truth):
    copies, truth = drawn(len(truth), 0), np.array(truth, float)
    for name in ("pair-accuracy", "kendall-tau", "spearman", "pearson", "ndcg"):
        values = find_measure(name).prepare(truth, truth)(copies)
        assert values[~np.isnan(values)] == pytest.approx(1)


# Intervals


def test_the_same_seed_gives_the_same_interval():
    score, truth = sample(40, 6)
    once, again, other = (bootstrap("ndcg@10", score, truth, seed=seed, resamples=100) for seed in (1, 1, 2))
    assert once == again
    assert once.value == other.value == ndcg(score, truth, k=10)
    assert (once.low, once.high) != (other.low, other.high)
    assert once.low < once.value < once.high


def test_draws_do_not_depend_on_how_many_are_held_at_once(monkeypatch):
    whole = next(draw_copies(7, 10, 3))
    monkeypatch.setattr("sidewise.measures.resampling.AT_ONCE", 21)
    told = []
    parts = list(draw_copies(7, 10, 3, lambda done, total: told.append((done, total))))
    assert np.hstack(parts).tolist() == whole.tolist()
    assert (whole.sum(axis=0) == 7).all()
    assert told == [(3, 10), (6, 10), (9, 10), (10, 10)]


def test_names_functions_and_partials_are_the_same_measure():
    score, truth = sample(25, 7)
    named = bootstrap("kendall-tau", score, truth, resamples=50)
    assert named == bootstrap(kendall_tau, score, truth, resamples=50)
    assert bootstrap("ndcg@5", score, truth, resamples=50) == bootstrap(partial(ndcg, k=5), score, truth, resamples=50)


def test_any_function_of_arrays_is_resampled():
    score, truth = sample(25, 8)
    own = bootstrap(lambda s, g: stats.pearsonr(s, g).statistic, score, truth, resamples=50)
    ours = bootstrap(pearson, score, truth, resamples=50)
    assert (own.value, own.low, own.high) == pytest.approx((ours.value, ours.low, ours.high))


def test_a_higher_confidence_is_a_wider_interval():
    score, truth = sample(40, 9)
    narrow, wide = (bootstrap("spearman", score, truth, confidence=level) for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_bad_settings_are_refused():
    with pytest.raises(MeasureError, match="at least 2 resamples, not 1"):
        bootstrap("ndcg", [1, 2], [1, 2], resamples=1)
    with pytest.raises(MeasureError, match="confidence must lie between 0 and 1"):
        bootstrap("ndcg", [1, 2], [1, 2], confidence=95)
    with pytest.raises(MeasureError, match="confidence must lie between 0 and 1"):
        compare("ndcg", [1, 2], [1, 2], [1, 2], confidence=0)


def test_what_is_not_known_has_no_interval():
    found = bootstrap("pair-accuracy", [1, 2, 3], [1, 1, 1])
    assert np.isnan([found.value, found.low, found.high]).all()
    assert np.isnan(compare("pair-accuracy", [1, 2, 3], [3, 2, 1], [1, 1, 1]).p_value)


@pytest.mark.parametrize(("name", "noise", "true"), [
    ("pair-accuracy", 1.0, 0.75), ("kendall-tau", 1.0, 0.5), ("spearman", 0.15, 0.98839), ("ndcg@10", 1.0, None),
])  # fmt: skip
def test_intervals_hold_the_truth_as_often_as_they_say(name, noise, true):
    """Normal items, ranked with normal noise: with noise 1, tau is 2/π · asin √½ = ½. NDCG's truth is its mean.

    With copies of an item as a pair, tau-b came out too low; with squared copies, Spearman's intervals held the
    truth in 85 % of trials.
    """
    trials, n, rng = 200, 60, np.random.default_rng(10)
    truth = rng.normal(size=(trials, n))
    score = truth + noise * rng.normal(size=(trials, n))
    truth = np.maximum(truth, 0) if true is None else truth
    measure = find_measure(name)
    target = np.mean([measure(s, g) for s, g in zip(score, truth, strict=True)]) if true is None else true
    held = [bootstrap(measure, s, g, resamples=200) for s, g in zip(score, truth, strict=True)]
    assert 0.9 < np.mean([one.low <= target <= one.high for one in held]) < 0.995


# Comparisons


def test_a_difference_is_of_pairs_of_values():
    first, truth = sample(50, 11)
    second = first + np.random.default_rng(1).normal(0, 2, 50)
    found = compare("pair-accuracy", first, second, truth, resamples=500)
    assert found.first == pair_accuracy(first, truth)
    assert found.second == pair_accuracy(second, truth)
    assert found.value == found.first - found.second == float(found)
    back = compare("pair-accuracy", second, first, truth, resamples=500)
    assert (back.value, back.low, back.high) == pytest.approx((-found.value, -found.high, -found.low))
    assert back.p_value == found.p_value


def test_a_ranking_does_not_differ_from_itself():
    score, truth = sample(30, 12)
    found = compare("kendall-tau", score, score * 3 + 1, truth)
    assert (found.value, found.low, found.high, found.p_value) == (0, 0, 0, 1)


def test_the_p_value_goes_with_the_interval():
    for seed in range(12):
        first, truth = sample(40, seed)
        second = first + np.random.default_rng(seed).normal(0, 1, 40)
        found = compare("spearman", first, second, truth, resamples=999)
        assert (found.p_value < 0.05) == (not found.low <= 0 <= found.high)


def test_the_p_value_is_of_both_sides():
    """3 of 99 resamples are not above 0, and neither would be found if the difference had the other sign."""
    draws = np.array([-1.0, 0.0, -0.5, *np.linspace(0.1, 1, 96)])
    assert _p_value(draws) == _p_value(-draws) == pytest.approx(2 * 4 / 100)
    assert _p_value(np.array([*draws, np.nan])) == pytest.approx(2 * 4 / 100)


def test_pairing_tells_more_than_two_intervals():
    first, truth = sample(300, 13)
    second = first + np.random.default_rng(2).normal(0, 0.7, 300)
    found = compare("pair-accuracy", first, second, truth)
    alone = [bootstrap("pair-accuracy", score, truth) for score in (first, second)]
    assert found.p_value < 0.05
    assert alone[1].high > alone[0].low


def test_equal_rankings_are_seldom_found_different():
    """On different scales, and as good as each other: a test at 5 % may reject in about 5 % of trials."""
    trials, n, rng = 200, 60, np.random.default_rng(14)
    rejected = 0
    for _ in range(trials):
        truth = rng.normal(size=n)
        first, second = np.exp(truth + rng.normal(size=n)), 1000 * (truth + rng.normal(size=n))
        rejected += compare("kendall-tau", first, second, truth, resamples=200).p_value < 0.05
    assert 0.005 < rejected / trials < 0.09
