"""The linear model with biases: its optimality conditions, scikit-learn's LASSO, its two limits, and spammers found."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.linear_model import Lasso
from tests.making import NAMES, crowds, random_comparisons, relabelled, with_workers
from tests.oracles import numerical_gradient, numerical_jacobian
from tests.test_cli import CAKES, run

import sidewise as sw
from sidewise.comparisons import components
from sidewise.errors import ConvergenceError, Disconnected, ModelError, NotConverged
from sidewise.models.lasso import Sums, path


def biased_crowd(n=12, rows=1500, workers=20, *, biased=5, seed=0, strength=0.8, ties=0.0):
    """Answers of which the first workers' lean to the left (even ones) or right (odd ones) most of the time."""
    answers = random_comparisons(n, rows, seed=seed, workers=workers, ties=ties)
    rng = np.random.default_rng(seed + 100)
    number = np.array([int(name.removeprefix("w")) for name in answers.workers])[answers.worker]
    leaning = (number < biased) & (rng.random(rows) < strength)
    return replace(answers, outcome=np.where(leaning, 1.0 - number % 2, answers.outcome))


def fitted(answers, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Disconnected)
        return sw.linear_bias(answers, **options)


def sums_of(answers):
    counts = answers.counts()
    return Sums.of(answers, counts, components(counts))


def design(answers):
    """Columns of items and of workers, both times √weight, and the answers."""
    rows, root = np.arange(len(answers)), np.sqrt(answers.weights())[:, None]
    items, workers = np.zeros((len(answers), len(answers.items))), np.zeros((len(answers), len(answers.workers)))
    items[rows, answers.left], items[rows, answers.right] = 1, -1
    workers[rows, answers.worker] = 1
    return root * items, root * workers, root[:, 0] * (2 * answers.outcome - 1)


def bias_of(ranking):
    return np.array(ranking.workers["side_bias"])


# The LASSO


def check_optimal(answers, scores, bias, penalty, tol):
    items, workers, y = design(answers)
    left = y - items @ np.nan_to_num(scores) - workers @ bias
    assert items.T @ left == pytest.approx(np.zeros(len(scores)), abs=tol)
    pull = workers.T @ left
    assert np.all(np.abs(pull) <= penalty + tol)
    assert pull[bias != 0] == pytest.approx(penalty * np.sign(bias[bias != 0]), abs=tol)


def test_every_point_of_the_path_is_optimal():
    answers = replace(biased_crowd(ties=0.1), weight=np.random.default_rng(0).gamma(2, 0.5, 1500))
    for solution in path(sums_of(answers), 30, 1e-3, tol=1e-8, limit=100):
        assert solution.converged
        check_optimal(answers, solution.scores, solution.bias, solution.penalty, 1e-6)


def scattered(n=300, rows=300, workers=200):
    """Next to no answers an item and a worker, as within a group of a large data set."""
    return random_comparisons(n, rows, seed=5, workers=workers)


def test_scattered_answers_are_solved_by_factors_and_as_conjugate_gradients_do(monkeypatch):
    answers = scattered()
    sums = sums_of(answers)
    biased = sums.answers > 0
    by_factors = sums.profile(biased)
    assert by_factors._is_sparse
    asked = np.asarray(sums.to_items - sums.between @ sums.bias(sums.unbiased(), 0.1))
    x = by_factors.solve(asked, 1e-10)
    assert by_factors.dense() @ x == pytest.approx(asked, abs=1e-8)
    monkeypatch.setattr("sidewise.models.lasso.MANY", 0)
    assert not by_factors._is_sparse
    assert by_factors.solve(asked, 1e-12) == pytest.approx(x, abs=1e-5)


def test_the_path_of_scattered_answers_is_optimal():
    answers = scattered()
    for solution in path(sums_of(answers), 12, 1e-3, tol=1e-8, limit=200):
        assert solution.converged
        check_optimal(answers, solution.scores, solution.bias, solution.penalty, 1e-6)


@given(crowds(least=3), st.floats(0.01, 5))
def test_any_penalty_is_optimal_on_any_data_also_in_parts(answers, penalty):
    ranking = fitted(answers, penalty=penalty, tol=1e-9, intervals="none")
    check_optimal(answers, ranking.raw, bias_of(ranking), penalty, 1e-6)


@pytest.mark.parametrize("penalty", [0.5, 3.0, 15.0, 40.0])
def test_the_lasso_agrees_with_scikit_learn_where_the_scores_are_projected_out(penalty):
    answers = replace(biased_crowd(8, 300, 10), weight=np.random.default_rng(1).gamma(2, 0.5, 300))
    items, workers, y = design(answers)
    away = np.eye(300) - items @ np.linalg.pinv(items)
    lasso = Lasso(alpha=penalty / 300, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(away @ workers, away @ y)
    ranking = sw.linear_bias(answers, penalty=penalty, tol=1e-10)
    assert bias_of(ranking) == pytest.approx(lasso.coef_, abs=1e-7)
    scores = np.linalg.pinv(items) @ (y - workers @ lasso.coef_)
    assert ranking.raw == pytest.approx(scores, abs=1e-7)


def test_a_large_penalty_is_hodge_rank_and_none_is_least_squares_with_all_biases():
    answers = biased_crowd(ties=0.2)
    assert sw.linear_bias(answers, penalty=1e6).raw == pytest.approx(sw.hodge_rank(answers).raw, abs=1e-8)
    items, workers, y = design(answers)
    expected = np.linalg.pinv(np.hstack([items, workers])) @ y
    for penalty in (0.0, 1e-9):
        ranking = sw.linear_bias(answers, penalty=penalty, tol=1e-10)
        assert ranking.raw == pytest.approx(expected[:12], abs=1e-7)
        assert bias_of(ranking) == pytest.approx(expected[12:], abs=1e-7)


def test_the_slope_in_the_scores_is_that_of_the_profiled_objective():
    answers = biased_crowd(6, 200, 7)
    sums, penalty = sums_of(answers), 4.0
    items, workers, y = design(answers)
    s = np.random.default_rng(0).normal(0, 0.3, 6)
    s -= s.mean()

    def objective(scores):
        bias = sums.bias(scores, penalty)
        left = y - items @ scores - workers @ bias
        return -(left @ left) / 2 - penalty * np.abs(bias).sum() - scores.sum() ** 2 / 12

    slope = sums.slope(s, penalty)
    assert slope.gradient == pytest.approx(numerical_gradient(objective, s), abs=1e-5)
    hessian = -numerical_jacobian(lambda x: sums.slope(x, penalty).gradient, s)
    assert slope.curvature().dense() == pytest.approx(hessian, rel=1e-2, abs=0.05)  # but for what KEPT keeps


def test_a_worker_whose_only_answer_is_an_items_only_one_is_no_trouble():
    answers = biased_crowd(5, 100, 4)
    lonely = sw.Comparisons.from_arrays(
        left=[*(answers.items[c] for c in answers.left), "new"],
        right=[*(answers.items[c] for c in answers.right), "item-0"],
        winner=[*answers.outcome, 1.0], worker=[*(answers.workers[c] for c in answers.worker), "once"],
    )  # fmt: skip
    for penalty in (0.05, 0.5):
        ranking = sw.linear_bias(lonely, penalty=penalty, tol=1e-8)
        assert ranking.fit.converged
        check_optimal(lonely, ranking.raw, bias_of(ranking), penalty, 1e-6)


# The path and the choice


def test_the_path_begins_without_biases_and_the_least_bic_is_chosen():
    answers = biased_crowd()
    ranking = sw.linear_bias(answers)
    table = ranking.fit.findings["path"]
    assert len(table) == 50
    assert table["biased"][0].as_py() == 0
    assert np.all(np.diff(table["penalty"]) < 0)
    assert np.all(np.diff(table["rss"]) < 1e-9)
    best = int(np.argmin(table["bic"]))
    assert ranking.fit.settings["penalty"] == table["penalty"][best].as_py()
    assert table["biased"][best].as_py() == np.count_nonzero(bias_of(ranking))
    left = np.array(table["rss"])[best]
    assert table["bic"][best].as_py() == pytest.approx(
        1500 * np.log(left / 1500) + np.log(1500) * np.count_nonzero(bias_of(ranking))
    )
    again = sw.linear_bias(answers)
    assert again.fit.findings["path"].equals(table)
    assert np.array_equal(again.raw, ranking.raw)


def test_biased_workers_are_found_and_the_ranking_is_the_better_for_it():
    improved = 0
    for seed in range(5):
        answers = biased_crowd(30, 3000, 30, biased=10, seed=seed)
        truth = np.random.default_rng(seed).normal(0, 1.0, 30)
        ranking = sw.linear_bias(answers)
        numbers = np.array([int(name.removeprefix("w")) for name in answers.workers])
        bias = bias_of(ranking)
        assert np.all(bias[numbers < 10] * np.where(numbers[numbers < 10] % 2, -1, 1) > 0)
        assert np.count_nonzero(bias[numbers >= 10]) <= 12
        assert np.abs(bias[numbers >= 10]).max() < 0.5 * np.abs(bias[numbers < 10]).min()
        flags = np.array(ranking.workers["flag"].to_pylist(), object)
        assert set(flags[numbers >= 10]) == {None}
        assert {"favours left", "favours right"} <= set(flags[numbers < 10])
        improved += spearmanr(ranking.raw, truth)[0] - spearmanr(sw.hodge_rank(answers).raw, truth)[0]
    assert improved > 0


def test_an_even_crowd_has_no_biases():
    answers = sw.simulate.crowd(30, workers=25, comparisons=5000, seed=4)
    ranking = sw.linear_bias(answers.comparisons)
    assert not bias_of(ranking).any()
    assert ranking.raw == pytest.approx(sw.hodge_rank(answers.comparisons).raw, abs=1e-6)
    assert spearmanr(ranking.raw, list(answers.truth.values())).statistic > 0.97


@pytest.mark.parametrize("seed", range(3))
def test_workers_with_one_answer_each_have_no_biases(seed):
    """A bias each would explain everything: BIC had some 200 of them, and the scores were worse than plain ones."""
    made = sw.simulate.crowd(8, workers=300, answers=1, seed=seed)
    ranking = sw.linear_bias(made.comparisons)
    assert min(ranking.fit.findings["path"]["bic"].to_pylist()) < ranking.fit.findings["path"]["bic"][0].as_py()
    assert not bias_of(ranking).any()
    assert set(ranking.workers["flag"].to_pylist()) == {None}
    assert ranking.raw == pytest.approx(sw.hodge_rank(made.comparisons).raw, abs=1e-6)


def test_one_worker_is_a_crowd_with_one_bias():
    answers = with_workers(random_comparisons(6, 400, side=1.5), 1)
    ranking = sw.linear_bias(answers)
    assert bias_of(ranking)[0] > 0.2
    assert len(ranking.workers) == 1


def test_scores_that_explain_everything_need_no_path():
    answers = sw.Comparisons.from_arrays(left=["a", "b"], right=["b", "a"], winner=["a", "a"], worker=["x", "x"])
    ranking = sw.linear_bias(answers)
    assert len(ranking.fit.findings["path"]) == 1
    assert ranking.raw == pytest.approx([0.5, -0.5])


# Intervals


def test_the_covariance_is_that_of_least_squares_with_the_biased_workers_known():
    answers = biased_crowd()
    ranking = sw.linear_bias(answers, penalty=20)
    items, workers, y = design(answers)
    bias = bias_of(ranking)
    columns = np.hstack([items, workers[:, bias != 0]])
    left = y - items @ ranking.raw - workers @ bias
    noise = left @ left / (1500 - 11 - np.count_nonzero(bias))
    expected = noise * np.linalg.pinv(columns.T @ columns)[:12, :12]
    centre = np.eye(12) - 1 / 12
    assert ranking.uncertainty.covariance() == pytest.approx(centre @ expected @ centre, rel=0.01, abs=1e-6)


def test_many_items_have_draws_of_the_same_covariance(monkeypatch):
    answers = biased_crowd(30, 1500)
    exact = sw.linear_bias(answers, penalty=10)
    monkeypatch.setitem(sw.models.linear_bias.__globals__, "DENSE", 10)
    drawn = sw.linear_bias(answers, penalty=10)
    assert "by draws" in drawn.uncertainty.kind
    assert drawn.uncertainty.variance("mean") == pytest.approx(exact.uncertainty.variance("mean"), rel=0.35)
    assert drawn.uncertainty.variance("mean").mean() == pytest.approx(
        exact.uncertainty.variance("mean").mean(), rel=0.06
    )


def test_the_noise_of_the_draws_has_the_curvature_as_its_covariance():
    answers = biased_crowd(6, 60, 5)
    sums, biased = sums_of(answers), np.array([True, False, True, True, False])
    items, workers, _ = design(answers)
    away = np.eye(60) - workers[:, biased] @ np.linalg.pinv(workers[:, biased])
    pulls = np.stack([sums.pull(answers, row, biased) for row in np.eye(60)], axis=1)
    assert pulls @ pulls.T == pytest.approx(items.T @ away @ items)


def test_a_bootstrap_agrees_roughly():
    answers = biased_crowd()
    ranking = sw.linear_bias(answers, intervals="bootstrap", replicates=100, seed=2)
    low, high = ranking.interval()
    plain_low, plain_high = sw.linear_bias(answers).interval()
    assert (high - low).mean() == pytest.approx((plain_high - plain_low).mean(), rel=0.2)
    assert ranking.fit.seed == 2


def test_a_bias_lies_inside_its_interval_and_chances_are_a_straight_line():
    ranking = sw.linear_bias(biased_crowd())
    low, high = (np.array(ranking.workers[f"side_bias_{end}"]) for end in ("low", "high"))
    assert np.all((low <= bias_of(ranking)) & (bias_of(ranking) <= high))
    a, b = ranking.order[3], ranking.order[4]
    lead = ranking.to_dict()[a] - ranking.to_dict()[b]
    assert ranking.probability(a, b) == pytest.approx((1 + lead) / 2)


# What must hold


@given(crowds(least=3), st.permutations(range(len(NAMES))))
def test_relabelling_items_permutes_scores(answers, order):
    renamed, place = relabelled(answers, order)
    before, after = (fitted(some, penalty=0.7, intervals="none", tol=1e-9) for some in (answers, renamed))
    assert after.raw[place] == pytest.approx(before.raw, abs=1e-5, nan_ok=True)


@given(crowds(least=3))
def test_mirroring_turns_biases_round_and_a_weight_of_two_is_two_answers(answers):
    ranking = fitted(answers, penalty=0.7, intervals="none", tol=1e-9)
    mirrored = fitted(answers.mirror(), penalty=0.7, intervals="none", tol=1e-9)
    assert mirrored.raw == pytest.approx(ranking.raw, abs=1e-5, nan_ok=True)
    assert bias_of(mirrored) == pytest.approx(-bias_of(ranking), abs=1e-5)
    heavy = fitted(replace(answers, weight=2 * answers.weights()), penalty=1.4, intervals="none", tol=1e-9)
    assert heavy.raw == pytest.approx(ranking.raw, abs=1e-5, nan_ok=True)


def test_data_that_say_too_little_are_refused():
    answers = random_comparisons(4, 40)
    with pytest.raises(ModelError, match="linear_bias weighs workers, and the data do not say who said what"):
        sw.linear_bias(answers)
    with pytest.raises(ModelError, match="pair counts have forgotten them"):
        sw.linear_bias(answers.counts())
    unsided = sw.Comparisons.from_arrays(winner=["a", "b"], loser=["b", "c"], worker=["x", "y"])
    with pytest.raises(ModelError, match="which side.*use hodge_rank"):
        sw.linear_bias(unsided)
    crowd = random_comparisons(4, 40, workers=3)
    with pytest.raises(ModelError, match="a penalty is a number and not negative, not -1"):
        sw.linear_bias(crowd, penalty=-1)
    with pytest.raises(ModelError, match="at least 2 points, not 1"):
        sw.linear_bias(crowd, points=1)
    with pytest.raises(ModelError, match="intervals='posterior' is not one of"):
        sw.linear_bias(crowd, intervals="posterior")


def test_a_fit_that_has_not_converged_says_so():
    answers = biased_crowd()
    with pytest.warns(NotConverged, match="last of 1 steps") as caught:
        assert not sw.linear_bias(answers, penalty=5, limit=1).fit.converged
    assert caught[0].filename == __file__
    with pytest.raises(ConvergenceError):
        sw.linear_bias(answers, penalty=5, limit=1, strict=True)


def test_the_command_line_takes_a_penalty_and_writes_the_path():
    stated = json.loads(run("rank", CAKES, "--model", "linear-bias", "--penalty", "2", "--format", "json").stdout)
    assert stated["fit"]["settings"]["penalty"] == 2
    found = json.loads(run("rank", CAKES, "--model", "linear-bias", "--format", "json").stdout)["fit"]
    assert set(found["findings"]["path"][0]) == {"penalty", "biased", "rss", "bic"}
    refused = run("rank", CAKES, "--model", "linear-bias", "--stream")
    assert refused.returncode != 0
    assert "not enough for --model linear-bias" in " ".join(refused.stderr.split())
