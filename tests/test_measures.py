"""Measures of rankings: against plain versions, against others' implementations, and against what must hold."""

import csv
import itertools
import shutil

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import ndcg_score, roc_auc_score
from tests import oracles

import sidewise as sw
from sidewise import measures
from sidewise.errors import MeasureError
from sidewise.measures import (
    expected_reciprocal_rank,
    foretold,
    kendall_tau,
    ndcg,
    pair_accuracy,
    pearson,
    rmse,
    spearman,
)

ORDER = (pair_accuracy, kendall_tau, spearman)


def made(n, *, seed=0, grades=5, levels=None):
    """Scores and grades, which agree somewhat; scores of few levels have ties."""
    rng = np.random.default_rng([seed, n])
    truth = rng.integers(0, grades, n).astype(float)
    score = truth + rng.normal(0, 1.5, n)
    return (score if levels is None else np.round(score * levels / grades)), truth


def numbers(low=0, high=4):
    return st.integers(low, high).map(float)


def sides(least=2, most=8, low=0, high=4):
    """Scores and a truth of the same items, both with ties."""
    return st.integers(least, most).flatmap(
        lambda n: st.tuples(st.lists(numbers(-3, 3), min_size=n, max_size=n),
                            st.lists(numbers(low, high), min_size=n, max_size=n))
    )  # fmt: skip


# Plain versions


def plain_pairs(score, truth, weights=None, *, ties="wrong", weight="equal"):
    """Eq. 3, pair by pair."""
    right = total = 0.0
    for i, j in itertools.permutations(range(len(truth)), 2):
        if truth[i] > truth[j]:
            counts = (truth[i] - truth[j] if weight == "difference" else 1) * (
                1 if weights is None else weights[i] * weights[j]
            )
            total += counts
            right += counts * (score[i] > score[j])
            right += counts * (score[i] == score[j]) / 2 if ties == "half" else 0
    return right / total if total else np.nan


def plain_err(score, truth, k, highest):
    """The cascade, item by item."""
    order = sorted(range(len(score)), key=lambda i: -score[i])
    found, reading = 0.0, 1.0
    for rank, i in enumerate(order[:k], 1):
        satisfied = (2 ** truth[i] - 1) / 2**highest
        found += reading * satisfied / rank
        reading *= 1 - satisfied
    return found


def over_all_orders(measure, score, truth):
    """The mean of a measure over all orders of equal scores, each written as scores without ties."""
    by_score = [list(group) for _, group in itertools.groupby(np.argsort(score, kind="stable"), lambda i: score[i])]
    values = []
    for orders in itertools.product(*(itertools.permutations(group) for group in by_score)):
        place = np.empty(len(score))
        place[list(itertools.chain(*orders))] = np.arange(len(score))
        values.append(measure(place, truth))
    return np.mean(values)


# Pair accuracy


@pytest.mark.parametrize("ties", ["wrong", "half"])
@pytest.mark.parametrize("weight", ["equal", "difference"])
@pytest.mark.parametrize("count", [2, 7, 64, 65])
def test_pair_accuracy_is_equation_three(count, ties, weight):
    score, truth = made(count, seed=1, levels=6)
    truth[:2] = 0, 1
    found = pair_accuracy(score, truth, ties=ties, weight=weight)
    assert found == pytest.approx(plain_pairs(score, truth, ties=ties, weight=weight))


def test_pair_accuracy_of_many_items_is_that_of_the_slower_count():
    score, truth = made(3000, seed=2, levels=40)
    assert pair_accuracy(score, truth) == pytest.approx(oracles.pair_accuracy(score, truth), abs=1e-15)


def test_pair_accuracy_by_hand():
    """Of a > b, a > c, b > c the last is wrong; a and b are 2 apart, a and c 3, b and c 1."""
    score, truth = {"a": 3, "b": 1, "c": 2}, {"a": 4, "b": 2, "c": 1}
    assert pair_accuracy(score, truth) == 2 / 3
    assert pair_accuracy(score, truth, weight="difference") == 5 / 6
    assert pair_accuracy(score, truth, item_weight={"a": 1, "b": 1, "c": 0}) == 1
    assert pair_accuracy(score, truth, item_weight={"a": 2, "b": 1, "c": 3}) == 8 / 11


def test_with_two_values_of_truth_half_a_tie_is_the_area_under_the_curve():
    score, truth = made(200, grades=2, levels=5)
    assert pair_accuracy(score, truth, ties="half") == pytest.approx(roc_auc_score(truth, score))


@given(sides(), st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_weights_of_items_are_copies(both, copies):
    score, truth = map(np.array, both)
    copies = np.array(copies[: len(score)])
    for options in ({}, {"ties": "half"}, {"weight": "difference"}):
        once = pair_accuracy(score, truth, item_weight=copies, **options)
        assert once == pytest.approx(plain_pairs(score, truth, copies, **options), nan_ok=True)
        if copies.any():
            many = pair_accuracy(np.repeat(score, copies), np.repeat(truth, copies), **options)
            assert once == pytest.approx(many, nan_ok=True)


def test_bad_weights_are_refused():
    with pytest.raises(MeasureError, match="0 or more"):
        pair_accuracy([1, 2], [1, 2], item_weight=[1, -1])
    with pytest.raises(MeasureError, match="0 or more"):
        pair_accuracy([1, 2], [1, 2], item_weight=[1, np.inf])


# Kendall, Spearman, Pearson


@pytest.mark.parametrize("levels", [None, 4, 30])
@pytest.mark.parametrize("count", [3, 20, 1000])
def test_correlations_are_those_of_scipy(count, levels):
    score, truth = made(count, seed=3, levels=levels)
    assert kendall_tau(score, truth) == pytest.approx(stats.kendalltau(score, truth).statistic)
    assert kendall_tau(score, truth, variant="c") == pytest.approx(
        stats.kendalltau(score, truth, variant="c").statistic
    )
    assert spearman(score, truth) == pytest.approx(stats.spearmanr(score, truth).statistic)
    assert pearson(score, truth) == pytest.approx(stats.pearsonr(score, truth).statistic)


def test_pearson_keeps_its_digits_far_from_zero():
    score, truth = made(50, seed=4)
    assert pearson(score * 1e-200 + 1e-193, truth * 1e200) == pytest.approx(pearson(score, truth), abs=1e-7)


def test_without_ties_tau_is_twice_the_accuracy_less_one():
    rng = np.random.default_rng(5)
    score, truth = rng.permutation(50), rng.permutation(50)
    assert kendall_tau(score, truth) == pytest.approx(2 * pair_accuracy(score, truth) - 1)


def test_equal_infinities_are_equal():
    score, truth = [-np.inf, -np.inf, 1, np.inf], [0, 1, 2, 3]
    assert pair_accuracy(score, truth) == 5 / 6
    assert kendall_tau(score, truth) == pytest.approx(stats.kendalltau([0, 0, 1, 2], truth).statistic)
    assert ndcg(score, truth) < 1
    for measure in (pearson, rmse):
        with pytest.raises(MeasureError, match="the ranking has infinite numbers"):
            measure(score, truth)


# RMSE


def test_rmse_is_what_is_left_after_the_best_shift_and_scale():
    score, truth = made(40, seed=6)
    line = np.polyfit(score, truth, 1)
    assert rmse(score, truth) == pytest.approx(np.std(score - truth))
    assert rmse(score, truth, fit="scale") == pytest.approx(np.sqrt(np.mean((np.polyval(line, score) - truth) ** 2)))
    assert rmse(score, truth, fit="none") == pytest.approx(np.sqrt(np.mean((score - truth) ** 2)))


def test_no_scale_makes_the_opposite_order_right():
    truth = np.arange(5.0)
    assert rmse(-truth, truth, fit="scale") == pytest.approx(truth.std())
    assert rmse(np.ones(5), truth, fit="scale") == pytest.approx(truth.std())


# NDCG


@pytest.mark.parametrize("k", [None, 1, 5, 20, 100])
@pytest.mark.parametrize("levels", [None, 4])
def test_ndcg_is_that_of_scikit_learn(k, levels):
    score, truth = made(30, seed=7, levels=levels)
    assert ndcg(score, truth, k=k) == pytest.approx(ndcg_score([truth], [score], k=k))
    assert ndcg(score, truth, k=k, gain="exp2") == pytest.approx(ndcg_score([2**truth - 1], [score], k=k))


def search_engine(score, truth):
    """The same as a search run of one query; gdeval takes numbers of queries only."""
    names = [f"d{place:03d}" for place in range(len(score))]
    return (
        [ir_measures.Qrel("1", name, int(grade)) for name, grade in zip(names, truth, strict=True)],
        [ir_measures.ScoredDoc("1", name, float(value)) for name, value in zip(names, score, strict=True)],
    )


def by_ir_measures(text, score, truth):
    return ir_measures.calc_aggregate([ir_measures.parse_measure(text)], *search_engine(score, truth)).popitem()[1]


@pytest.mark.parametrize(("text", "k"), [("nDCG", None), ("nDCG@5", 5), ("nDCG@10", 10)])
def test_linear_ndcg_is_that_of_trec_eval(text, k):
    score, truth = made(25, seed=8)
    assert ndcg(score, truth, k=k) == pytest.approx(by_ir_measures(text, score, truth))


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script")
def test_exp2_ndcg_and_err_are_those_of_gdeval():
    """It prints five digits, and has grades up to 4."""
    score, truth = made(25, seed=9)
    assert ndcg(score, truth, k=10, gain="exp2") == pytest.approx(
        by_ir_measures("nDCG(dcg='exp-log2')@10", score, truth), abs=6e-6
    )
    assert expected_reciprocal_rank(score, truth, k=10, highest=4) == pytest.approx(
        by_ir_measures("ERR@10", score, truth), abs=6e-6
    )


@given(sides(most=6), st.sampled_from([None, 1, 3]))
def test_averaging_ties_is_the_mean_over_all_orders_of_them(both, k):
    score, truth = map(np.array, both)
    if truth.any():
        expected = over_all_orders(lambda s, g: ndcg(s, g, k=k, gain="exp2"), score, truth)
        assert ndcg(score, truth, k=k, gain="exp2") == pytest.approx(expected)
    expected = over_all_orders(lambda s, g: plain_err(s, g, k, truth.max()), score, truth)
    assert expected_reciprocal_rank(score, truth, k=k) == pytest.approx(expected, abs=1e-12)


@given(sides())
def test_orders_of_equal_scores_lie_between_the_worst_and_the_best(both):
    score, truth = map(np.array, both)
    for measure in (ndcg, expected_reciprocal_rank):
        worst, average, best, first = (
            measure(score, truth, ties=ties) for ties in ("worst", "average", "best", "first")
        )
        if truth.any():
            assert worst - 1e-12 <= average <= best + 1e-12
            assert worst - 1e-12 <= first <= best + 1e-12
    listed = np.arange(len(score), 0, -1)
    assert ndcg(np.zeros(len(score)), truth, ties="first") == pytest.approx(ndcg(listed, truth), nan_ok=True)


@pytest.mark.parametrize("truth", [[1, -1], [np.inf, 1]])
def test_what_is_no_gain_is_refused(truth):
    for measure in (ndcg, expected_reciprocal_rank):
        with pytest.raises(MeasureError, match="the truth has"):
            measure([1, 2], truth)


def test_a_gain_too_large_is_refused():
    with pytest.raises(MeasureError, match="2 to the power of 5000"):
        ndcg([1, 2], [5000, 1], gain="exp2")
    assert ndcg([1, 2], [5000, 1]) < 1


@pytest.mark.parametrize("k", [0, -1, 2.5, True, "10"])
def test_a_depth_is_a_number_of_ranks(k):
    for measure in (ndcg, expected_reciprocal_rank):
        with pytest.raises(MeasureError, match="whole number of ranks"):
            measure([1, 2], [1, 2], k=k)


# Expected reciprocal rank


@pytest.mark.parametrize("k", [None, 1, 7])
def test_expected_reciprocal_rank_is_the_cascade(k):
    score, truth = made(40, seed=10)
    assert expected_reciprocal_rank(score, truth, k=k) == pytest.approx(plain_err(score, truth, k, truth.max()))
    assert expected_reciprocal_rank(score, truth, k=k, highest=6) == pytest.approx(plain_err(score, truth, k, 6))


def test_a_grade_above_the_highest_is_refused():
    with pytest.raises(MeasureError, match="a grade of 5, but highest=4"):
        expected_reciprocal_rank([1, 2], [5, 1], highest=4)
    for none in (np.nan, np.inf):
        with pytest.raises(MeasureError, match="the highest grade that could have been given, a finite number"):
            expected_reciprocal_rank([1, 2], [1, 0], highest=none)


def test_orders_are_averaged_also_where_a_sure_stop_is_listed_first():
    """One run of equal scores, which lists enough good items first to stop every reader."""
    truth = np.repeat([10.0, 0.0], [20, 180])
    rank, satisfied = np.arange(1, 182), 1 - 2.0**-10
    reading = [1.0]
    for drawn in range(180):  # nobody can be satisfied before the first good item comes
        reading.append(reading[-1] * (180 - drawn) / (200 - drawn))
    first = -np.diff([*reading, 0.0])  # the chance that the first good item stands at a rank
    found = expected_reciprocal_rank(np.zeros(200), truth)
    assert found == pytest.approx(satisfied * np.sum(first / rank), rel=1e-3)


def test_many_equal_scores_are_averaged_or_refused():
    truth = np.arange(100_000) % 5.0
    satisfied = np.mean((2 ** np.arange(5.0) - 1) / 16)  # of so many, each is as good as a fresh draw
    rank = np.arange(1, 21)
    expected = np.sum(satisfied * (1 - satisfied) ** (rank - 1) / rank)
    assert expected_reciprocal_rank(np.zeros(len(truth)), truth, k=20) == pytest.approx(expected, abs=1e-4)
    rare = np.zeros(200_000)
    rare[0] = 1
    with pytest.raises(MeasureError, match="200,000 items have equal scores"):
        expected_reciprocal_rank(np.zeros(len(rare)), rare, highest=10)


# What must hold of all


@given(sides())
def test_only_the_order_of_scores_matters(both):
    score, truth = map(np.array, both)
    bent = np.exp(score / 2) - 5
    for measure in (*ORDER, ndcg, expected_reciprocal_rank):
        assert measure(score, truth) == pytest.approx(measure(bent, truth), nan_ok=True)
    for measure in ORDER:
        assert measure(score, truth) == pytest.approx(measure(score, bent_truth := truth**3), nan_ok=True), bent_truth


@given(sides())
def test_a_reversed_ranking_has_the_opposite_value(both):
    score, truth = map(np.array, both)
    for measure in (kendall_tau, spearman, pearson):
        assert measure(-score, truth) == pytest.approx(-measure(score, truth), nan_ok=True)
        assert measure(score, -truth) == pytest.approx(-measure(score, truth), nan_ok=True)
    half = pair_accuracy(score, truth, ties="half")
    assert pair_accuracy(-score, truth, ties="half") == pytest.approx(1 - half, nan_ok=True)


@given(sides(), st.permutations(range(8)))
def test_the_order_in_which_items_come_does_not_matter(both, order):
    score, truth = map(np.array, both)
    order = [place for place in order if place < len(score)]
    for measure in (*ORDER, pearson, rmse, ndcg, expected_reciprocal_rank):
        assert measure(score, truth) == pytest.approx(measure(score[order], truth[order]), nan_ok=True)


@given(st.lists(numbers(), min_size=2, max_size=8, unique=True))
def test_the_truth_itself_is_perfect(truth):
    for measure in (*ORDER, ndcg):
        assert measure(truth, truth) == pytest.approx(1)
    assert rmse(truth, truth) == 0


@pytest.mark.parametrize("measure", [pair_accuracy, kendall_tau, spearman, pearson])
def test_what_cannot_be_known_is_not_a_number(measure):
    assert np.isnan(measure([1, 2, 3], [0.1, 0.1, 0.1]))
    assert np.isnan(measure([5], [1]))


def test_without_a_gain_there_is_no_ndcg():
    assert np.isnan(ndcg([1, 2], [0, 0]))
    assert expected_reciprocal_rank([1, 2], [0, 0]) == 0


@pytest.mark.parametrize(
    ("measure", "option"),
    [(pair_accuracy, {"ties": "third"}), (pair_accuracy, {"weight": "big"}), (kendall_tau, {"variant": "a"}),
     (rmse, {"fit": "bend"}), (ndcg, {"gain": "log"}), (ndcg, {"ties": "last"})],
)  # fmt: skip
def test_unknown_words_are_refused(measure, option):
    [(name, value)] = option.items()
    with pytest.raises(MeasureError, match=f"{name}='{value}' is not one of: "):
        measure([1, 2], [1, 2], **option)


def test_held_out_ties_say_nothing():
    assert foretold([1, 1, -1], [1, 0.5, 1]) == 0.5
    assert np.isnan(foretold([1], [0.5]))


def test_every_public_name_is_listed_sorted_and_documented():
    assert measures.__all__ == sorted(measures.__all__, key=lambda name: (not name[0].isupper(), name))
    assert all(getattr(measures, name).__doc__ for name in measures.__all__)


# Real data


@pytest.fixture(scope="module")
def ages(data):
    with (data / "imdb-wiki-sbs" / "items_9150.csv").open(encoding="utf-8") as file:
        return {row["item"]: float(row["score"]) for row in csv.DictReader(file)}


def test_ndcg_of_the_reversed_ages(ages):
    """Gain = age, as it is; the figures of a random order are means of 20."""
    backwards = {item: -age for item, age in ages.items()}
    found = [ndcg(backwards, ages, k=k) for k in (10, 100, 1000, None)]
    assert found == pytest.approx([0.143, 0.143, 0.185, 0.890], abs=5e-4)
    chance = [ndcg(dict.fromkeys(ages, 0.0), ages, k=k) for k in (10, 100, 1000, None)]  # the mean of all orders
    assert chance == pytest.approx([0.579, 0.571, 0.595, 0.945], abs=0.012)
    rng = np.random.default_rng(1)
    random = [[ndcg(dict(zip(ages, rng.random(len(ages)), strict=True)), ages, k=k) for k in (10, 100)]
              for _ in range(20)]  # fmt: skip
    assert np.std(random, axis=0) == pytest.approx([0.098, 0.027], rel=0.35)
    assert np.mean(random, axis=0) == pytest.approx(chance[:2], abs=0.05)


def test_accuracy_weighted_by_difference_is_the_published_one(data):
    """Others print .6804, .7433 and .3407 for Bradley–Terry on the 11,763 comparisons of reading difficulty."""
    with (data / "readability" / "items_472.csv").open(encoding="utf-8") as file:
        truth = {row["item"]: float(row["score"]) for row in csv.DictReader(file)}
    answers = sw.read(data / "readability" / "comparisons_11763.csv")
    ranking = sw.bradley_terry(answers, prior=sw.VirtualItem(1e-4), intervals="none")
    assert pair_accuracy(ranking, truth) == pytest.approx(0.6804, abs=2e-4)
    assert pair_accuracy(ranking, truth, weight="difference") == pytest.approx(0.7433, abs=2e-4)
    assert kendall_tau(ranking, truth) == pytest.approx(0.3407, abs=3e-4)
