"""Rankers that learn from preferences: what they learn from, what comes out, and the simulated collection."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

import sidewise as sw
from sidewise.errors import ConvergenceError, DataError, ModelError, NotConverged
from sidewise.learn import (
    Features,
    TrainingPairs,
    binary_svm,
    choose_ranker,
    folds,
    judged_only,
    label_pairs,
    preference_pairs,
    rank_svm,
)
from sidewise.measures.preference import average_ppref
from sidewise.preferences import Preferences, closure, read_preferences, reduction, write_preferences
from sidewise.simulate.search import search_collection


@pytest.fixture(scope="module")
def made():
    return search_collection(8, documents=12, features=10, signal=0.8, duplicates=0.1, seed=3)


@pytest.fixture(scope="module")
def features(made):
    return Features.from_arrays(made.queries, made.documents, made.values)


def plain_pairs(made):
    """By utility: of two documents of a query, not both bad, the one that is worth more is better."""
    found = set()
    for i, j in combinations(range(len(made.queries)), 2):
        if made.queries[i] == made.queries[j] and made.utility[i] != made.utility[j] and not made.bad[[i, j]].all():
            found.add((i, j) if made.utility[i] > made.utility[j] else (j, i))
    return found


# What to learn from


def test_all_pairs_follow_from_the_few_judgments(made, features):
    pairs = preference_pairs(features, made.preferences)
    assert set(zip(pairs.better.tolist(), pairs.worse.tolist(), strict=True)) == plain_pairs(made)
    assert len(pairs.better) == len(plain_pairs(made))


def test_pairs_of_labels_are_those_that_differ():
    some = Features.from_arrays([1] * 4 + [2] * 2, "abcdab", np.ones((6, 1)), [2, 0, 1, np.nan, 3, 3])
    pairs = label_pairs(some)
    assert set(zip(pairs.better.tolist(), pairs.worse.tolist(), strict=True)) == {(0, 1), (0, 2), (2, 1)}


def test_preferences_of_other_queries_are_passed_over_and_missing_documents_named(made, features):
    few = features.of_queries(["2"])
    assert preference_pairs(few, made.preferences).better.max() < 12
    without = few.select(np.arange(len(few)) > 0)
    with pytest.raises(DataError, match="1 of the 12 documents judged for query '2' have no features: "):
        preference_pairs(without, made.preferences)
    assert preference_pairs(without, made.preferences, missing="drop").better.max() < 11
    with pytest.raises(DataError, match="neither 'error' nor 'drop'"):
        preference_pairs(few, made.preferences, missing="ignore")


def test_only_what_was_judged_is_kept(made, features):
    values = np.vstack([features.values, np.ones((1, features.width))])
    more = Features.from_arrays([*made.queries, "1"], [*made.documents, "new"], values)
    assert judged_only(more, made.preferences).documents == made.documents


# RankSVM


def test_weights_are_those_of_the_formula(made, features):
    """Against libsvm on written-out differences; an intercept is no use there, as both signs are given."""
    ranker = rank_svm(features, made.preferences, C=0.05)
    x = (features.values - features.values.mean(axis=0)) / features.values.std(axis=0)
    better, worse = map(np.array, zip(*plain_pairs(made), strict=True))
    d = x[better] - x[worse]
    other = SVC(kernel="linear", C=0.025, tol=1e-9).fit(np.vstack([d, -d]), np.repeat([1, -1], len(d)))
    np.testing.assert_allclose(ranker.weights, other.coef_[0], atol=2e-4)
    assert ranker.fit.comparisons == len(d)
    assert ranker.fit.gap < 1e-8
    np.testing.assert_allclose(ranker.scores(features), x @ ranker.weights)


def test_a_ranker_finds_the_order_that_features_tell():
    clear = search_collection(6, documents=15, features=5, signal=1.0, duplicates=0, seed=1)
    table = Features.from_arrays(clear.queries, clear.documents, clear.values)
    ranker = rank_svm(table.of_queries("1234"), clear.preferences, C=100.0)
    run = ranker.rank(table.of_queries("56"))
    for order in closure(clear.preferences.select(["5", "6"])):
        place = [run[order.query].index(document) for document in order.documents]
        better, worse, _ = order.pairs
        assert np.mean(np.array(place)[better] < np.array(place)[worse]) > 0.97


def test_scales_and_units_of_features_do_not_matter(made, features):
    wild = Features.from_arrays(features.queries, features.documents, features.values * 10.0 ** np.arange(-5, 5) + 7)
    for fit in (rank_svm, binary_svm):
        one, other = (fit(some, made.preferences, C=0.01) for some in (features, wild))
        np.testing.assert_allclose(one.scores(features), other.scores(wild), atol=1e-4)


def test_scales_of_queries_are_taken_from_each(made, features):
    ranker = rank_svm(features, made.preferences, C=0.01, scale="query")
    alone = features.of_queries(["3"])
    shifted = Features.from_arrays(alone.queries, alone.documents, 3 * alone.values + 5)
    np.testing.assert_allclose(ranker.scores(shifted), ranker.scores(alone))


@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(random):
    small = search_collection(2, documents=8, features=4, signal=0.8, seed=5)
    table = Features.from_arrays(small.queries, small.documents, small.values)
    order = list(range(len(table)))
    random.shuffle(order)
    one, other = (rank_svm(some, small.preferences, C=0.1) for some in (table, table.select(order)))
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-5)


def test_closures_and_rows_do_as_well(made, features):
    given_as = [made.preferences, closure(made.preferences), preference_pairs(features, made.preferences)]
    one, *others = (rank_svm(features, some, C=0.1).weights for some in given_as)
    assert all((one == other).all() for other in others)


# The binary SVM


def test_the_binary_baseline_is_a_classifier_of_bad_documents(made, features):
    ranker = binary_svm(features, made.preferences, C=0.05)
    x = (features.values - features.values.mean(axis=0)) / features.values.std(axis=0)
    other = SVC(kernel="linear", C=0.05, tol=1e-9).fit(x, np.where(made.bad, -1, 1))
    np.testing.assert_allclose(ranker.weights, other.coef_[0], atol=1e-4)
    np.testing.assert_allclose(ranker.scores(features), other.decision_function(x), atol=1e-3)
    assert ranker.fit.comparisons == len(features)


# Refusing


def test_nothing_to_learn_from_is_an_error(features):
    ties = Preferences.from_arrays(
        query=["1"], first=[features.documents[0]], second=[features.documents[1]], judgment=[0]
    )
    with pytest.raises(ModelError, match="no pairs to learn from"):
        rank_svm(features, ties, C=1)
    with pytest.raises(ModelError, match="judged bad and others that were not"):
        binary_svm(features, ties, C=1)


@pytest.mark.parametrize("C", [0, -1.0, float("nan"), float("inf")])
def test_odd_costs_are_refused(made, features, C):
    with pytest.raises(ModelError, match="C is a positive number"):
        rank_svm(features, made.preferences, C=C)


def test_other_widths_are_refused(made, features):
    ranker = rank_svm(features, made.preferences, C=1)
    with pytest.raises(DataError, match="trained on 10 features, and there are 1"):
        ranker.scores(Features.from_arrays([1], ["a"], [[1.0]]))


def test_a_fit_that_does_not_converge_says_so(made, features):
    with pytest.warns(NotConverged, match="stopped after 2 steps"):
        ranker = rank_svm(features, made.preferences, C=1, limit=2)
    assert repr(ranker) == "LinearRanker(rank-svm, C = 1, 10 weights, not converged in 2)"
    with pytest.raises(ConvergenceError, match="stopped after 2 steps"):
        rank_svm(features, made.preferences, C=1, limit=2, strict=True)


def test_wild_scales_left_alone_end_in_a_warning_or_in_the_minimum(made, features):
    wild = Features.from_arrays(features.queries, features.documents, features.values * 10.0 ** np.arange(-9, 11, 2))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranker = rank_svm(wild, made.preferences, C=1.0, scale="none")
    assert ranker.fit.converged == (not caught)
    assert np.isfinite(ranker.weights).all()


def test_one_pair_is_enough():
    two = Features.from_arrays(["q", "q"], ["a", "b"], [[3.0], [1.0]])
    ranker = rank_svm(two, TrainingPairs(np.array([0]), np.array([1])), C=1.0)
    assert ranker.rank(two)["q"] == ("a", "b")
    np.testing.assert_allclose(ranker.weights, [0.5])  # on the scale, the two are 2 apart


# Choosing C


@pytest.fixture(scope="module")
def apart(features):
    fold = folds(features.rows_of)[0]
    return features.of_queries(fold.train), features.of_queries(fold.validation)


def test_the_ranker_kept_is_the_best_on_validation(made, apart):
    training, validation = apart
    choice = choose_ranker(rank_svm, training, validation, made.preferences, grid=(1.0, 0.001, 0.1))
    by_hand = {
        C: average_ppref(
            rank_svm(training, made.preferences, C=C).rank(validation), made.preferences, missing="skip"
        ).mean
        for C in (0.001, 0.1, 1.0)
    }
    assert choice.figures == pytest.approx(by_hand)
    assert by_hand[choice.ranker.C] == max(by_hand.values())
    assert f"C = {choice.ranker.C:g} of 3" in repr(choice)


def test_of_equals_the_smallest_cost_is_kept_and_any_measure_will_do(made, apart):
    seen = []
    choice = choose_ranker(
        binary_svm,
        *apart,
        made.preferences,
        grid=(10.0, 0.1, 1.0),
        measure=lambda run, _: seen.append(len(run)) or 0.5,
    )
    assert choice.ranker.C == 0.1
    assert seen == [len(apart[1].rows_of)] * 3


def test_choices_that_cannot_be_made_are_refused(made, features, apart):
    training, validation = apart
    with pytest.raises(ModelError, match="is among the training and the validation queries"):
        choose_ranker(rank_svm, features, validation, made.preferences)
    with pytest.raises(ModelError, match="no C to choose from"):
        choose_ranker(rank_svm, *apart, made.preferences, grid=())
    unjudged = Features.from_arrays(["new"], ["a"], np.ones((1, 10)))
    with pytest.raises(sw.SidewiseError, match="no query that was judged"):
        choose_ranker(rank_svm, training, unjudged, made.preferences)


# The simulated collection


def test_the_collection_has_the_shape_of_the_papers():
    whole = search_collection(seed=7)
    assert whole.values.shape == (2500, 64)
    assert len(set(whole.queries)) == 50
    assert 0.3 < whole.bad.mean() < 0.5
    assert (whole.values > 0).all()
    assert len(whole.feature_names) == 64
    assert len(whole.preferences) < 2500 + 50
    sizes = np.array([len(order) for order in closure(whole.preferences)])
    assert (sizes < 1225).all()
    assert 900 < sizes.mean() < 1100


def test_the_judgments_are_the_fewest(made):
    assert len(reduction(made.preferences)) == len(made.preferences)
    assert closure(reduction(made.preferences)) == closure(made.preferences)


def test_the_collection_is_written_and_read_in_the_published_form(made, tmp_path):
    write_preferences(made.preferences, tmp_path / "judgments.txt")
    lines = (tmp_path / "judgments.txt").read_text().splitlines()
    assert {line.split()[3] for line in lines} == {"-1", "0", "-2"}
    assert all((line.split()[2] == "NA") == line.endswith("-2") for line in lines)
    assert closure(read_preferences(tmp_path / "judgments.txt")) == closure(made.preferences)


def test_duplicates_have_the_same_text_and_worth(made):
    text = [column for column, name in enumerate(made.feature_names) if name.startswith("field")]
    row = {key: place for place, key in enumerate(zip(made.queries, made.documents, strict=True))}
    table = made.preferences.to_frame().to_pylist()
    twins = [
        (row[line["query"], line["first"]], row[line["query"], line["second"]])
        for line in table
        if not line["judgment"]
    ]
    assert twins
    for one, other in twins:
        assert (made.values[one, text] == made.values[other, text]).all()
        assert made.utility[one] == made.utility[other]
        assert (made.values[one] != made.values[other]).any()


@pytest.mark.parametrize("signal", [0.0, 0.25, 0.9])
def test_the_signal_is_the_correlation_with_the_best_sum_of_features(signal):
    """Least squares within queries, on enough documents that it has little to fit but the signal."""
    whole = search_collection(60, documents=200, features=8, signal=signal, duplicates=0, seed=2)
    x = whole.values.reshape(60, 200, 8)
    x = (x - x.mean(axis=1, keepdims=True)).reshape(-1, 8)
    u = whole.utility.reshape(60, 200)
    u = (u - u.mean(axis=1, keepdims=True)).ravel()
    fitted = x @ np.linalg.lstsq(x, u, rcond=None)[0]
    assert np.sqrt(fitted.var() / u.var()) == pytest.approx(signal, abs=0.05)


def test_the_same_seed_gives_the_same_collection():
    one, same, other = (search_collection(3, documents=5, features=4, seed=seed) for seed in (1, 1, 2))
    assert (one.values == same.values).all()
    assert one.documents == same.documents
    assert one.preferences.to_frame().equals(same.preferences.to_frame())
    assert (one.values != other.values).any()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("bad", [0.0, 0.5, 0.99])
def test_every_document_is_known_whatever_the_share_of_bad_ones(bad, seed):
    small = search_collection(4, documents=3, features=2, bad=bad, duplicates=0.4, seed=seed)
    assert sorted(small.preferences.documents) == sorted(small.documents)
    assert len(set(small.documents)) == 12
    assert (~small.bad.reshape(4, 3)).any(axis=1).all()


@pytest.mark.parametrize(
    "options", [{"queries": 0}, {"documents": 1}, {"features": 1}, {"signal": 1.1}, {"bad": 1.0}, {"duplicates": -0.1}]
)
def test_collections_that_cannot_be_are_refused(options):
    with pytest.raises(sw.SidewiseError, match="a collection needs|signal goes from 0 to 1"):
        search_collection(**options)
