"""Intervals: right by algebra, right by simulation, and the same for many items as for few."""

from dataclasses import replace

import numpy as np
import pytest
from tests.making import random_comparisons
from tests.oracles import numerical_jacobian

import sidewise as sw
from sidewise.errors import FewWorkers, PriorConflict
from sidewise.models import Normal, gaussian
from sidewise.simulate import crowd
from sidewise.studies import coverage, find_study


def fit_of(ranking):
    return ranking.uncertainty.problem, ranking.uncertainty.point


def test_hessian_intervals_invert_the_hessian():
    ranking = sw.bradley_terry(random_comparisons(7, 150), prior=Normal(1), intervals="hessian", covariates=["side"])
    problem, point = fit_of(ranking)
    hessian = -numerical_jacobian(lambda x: problem.slope(x).gradient, point)
    assert ranking.uncertainty.covariance() == pytest.approx(np.linalg.inv(hessian)[:7, :7], abs=1e-6)


def test_maximum_likelihood_covariance_is_the_pseudo_inverse():
    ranking = sw.bradley_terry(random_comparisons(7, 300), prior=None)
    problem, point = fit_of(ranking)
    hessian = -numerical_jacobian(lambda x: replace(problem, pin=None).slope(x).gradient, point)
    assert ranking.uncertainty.covariance() == pytest.approx(np.linalg.pinv(hessian, rcond=1e-6), abs=1e-6)


def test_posterior_intervals_are_close_to_a_long_random_walk():
    """Metropolis on a small case, with the spread of the prior known."""
    answers = random_comparisons(4, 40, seed=3)
    ranking = sw.bradley_terry(answers, prior=Normal(1.0))
    problem, point = fit_of(ranking)
    rng = np.random.default_rng(0)
    walkers = np.tile(point, (400, 1)) + rng.normal(0, 0.3, (400, 4))
    density = np.array([problem.objective(walker) for walker in walkers])
    kept = []
    for step in range(600):
        proposed = walkers + rng.normal(0, 0.35, walkers.shape)
        value = np.array([problem.objective(walker) for walker in proposed])
        accept = np.log(rng.random(400)) < value - density
        walkers[accept], density[accept] = proposed[accept], value[accept]
        if step >= 100:
            kept.append(walkers - walkers.mean(axis=1, keepdims=True))
    exact = np.concatenate(kept).std(axis=0)
    averaged = np.sqrt(ranking.uncertainty.variance("mean"))
    assert averaged == pytest.approx(exact, rel=0.04)


@pytest.mark.parametrize("options", [{}, {"prior": None}, {"covariates": ["side"]}, {"intervals": "hessian"}])
def test_many_items_get_the_same_intervals_by_draws_as_few_by_inversion(monkeypatch, options):
    answers = random_comparisons(300, 9000, seed=1)
    whole = sw.bradley_terry(answers, **options)
    exact = {zero: whole.uncertainty.variance(zero) for zero in ("mean", 5)}
    ranks = whole.rank_interval()
    monkeypatch.setattr(gaussian, "DENSE", 100)
    drawn = sw.bradley_terry(answers, **options)
    assert drawn.uncertainty.covariance() is None
    for zero, expected in exact.items():
        found = drawn.uncertainty.variance(zero)
        others = np.arange(300) != zero
        assert found[others] == pytest.approx(expected[others], rel=0.05)
    low, high = drawn.rank_interval()
    assert np.all(low <= ranks[0] + 3)
    assert np.all(high >= ranks[1] - 3)
    assert "by draws" in drawn.uncertainty.kind
    assert len(drawn.tiers()) == pytest.approx(len(whole.tiers()), abs=1)


@pytest.mark.parametrize("prior", [None, sw.VirtualItem(1e-4), Normal(100)])
def test_contrasts_of_many_items_do_not_cancel_where_the_prior_is_weak(monkeypatch, prior):
    """A chain, where neighbours go together: their difference is known far better than either score."""
    n = 300
    names = [f"i{k:03}" for k in range(n)]
    chain = sw.Comparisons.from_counts(names[:-1] + names[1:], names[1:] + names[:-1], [3] * (n - 1) + [1] * (n - 1))
    graph = random_comparisons(n, 1500, seed=1)
    for answers in (chain, graph):
        whole = fit(answers, prior)
        exact, tiers = whole.uncertainty.variance(50), len(whole.tiers())
        with monkeypatch.context() as few:
            few.setattr(gaussian, "DENSE", 100)
            drawn = fit(answers, prior)
            found = drawn.uncertainty.variance(50)
            assert found[50] == 0
            assert np.sqrt(np.delete(found, 50)) == pytest.approx(np.sqrt(np.delete(exact, 50)), rel=0.25)
            assert len(drawn.tiers()) == pytest.approx(tiers, rel=0.1, abs=1)


def fit(answers, prior):
    try:
        return sw.bradley_terry(answers, prior=prior)
    except sw.SidewiseError:  # a random graph may have no maximum likelihood
        return sw.bradley_terry(answers, prior=Normal(50))


def test_the_order_of_the_rows_changes_nothing(monkeypatch):
    monkeypatch.setattr(gaussian, "DENSE", 100)
    answers = random_comparisons(300, 4000, seed=1)
    names = np.array(answers.items, object)
    order = np.random.default_rng(0).permutation(len(answers))
    shuffled = sw.Comparisons.from_arrays(
        left=names[answers.left[order]], right=names[answers.right[order]], winner=answers.outcome[order]
    )
    one, other = (sw.bradley_terry(some).to_frame() for some in (answers, shuffled))
    assert one["item"].to_pylist() == other["item"].to_pylist()
    for column in ("score", "low", "high", "tier", "rank_low"):
        assert one[column].to_pylist() == pytest.approx(other[column].to_pylist(), abs=1e-9)


def test_intervals_over_workers_need_workers():
    answers = random_comparisons(5, 100, workers=1)
    for intervals in ("bootstrap", "sandwich"):
        with pytest.raises(sw.SidewiseError, match="one worker only"):
            sw.bradley_terry(answers, intervals=intervals, unit="worker")
        with pytest.warns(FewWorkers, match="from 5 workers are too narrow"):
            sw.bradley_terry(random_comparisons(5, 100, workers=5), intervals=intervals, unit="worker")


@pytest.mark.parametrize("intervals", ["bootstrap", "sandwich"])
def test_resampling_says_nothing_of_an_unseen_item_so_the_prior_does(monkeypatch, intervals):
    answers = sw.Comparisons.from_arrays(winner=["a", "b"] * 20, loser=["b", "a"] * 20, items=["a", "b", "new"])
    for dense in (2000, 1):
        monkeypatch.setattr("sidewise.models.robust.DENSE", dense)
        ranking = sw.bradley_terry(answers, prior=Normal(2), intervals=intervals)
        assert ranking.uncertainty.variance("model")[2] == pytest.approx(4, rel=0.1)


def neighbours(n, reach, gap, per, seed):
    """Items on a line, each compared with the next few only, as sorting does."""
    rng = np.random.default_rng(seed)
    low = np.repeat(np.arange(n), reach * per)
    high = low + np.tile(np.repeat(np.arange(1, reach + 1), per), n)
    low, high = low[high < n], high[high < n]
    names = np.array([f"i{k:03}" for k in range(n)], object)
    won = rng.random(len(low)) < 1 / (1 + np.exp(-gap * (high - low)))
    return sw.Comparisons.from_arrays(left=names[low], right=names[high], winner=np.where(won, names[high], names[low]))


def test_a_prior_that_the_data_contradict_gives_way():
    """Where only neighbours meet, small differences are all that is asked about; the line must not shrink to them."""
    with pytest.warns(PriorConflict, match="loose prior"):
        ranking = sw.bradley_terry(neighbours(100, 5, 0.3, 4, seed=0))
    assert np.ptp(ranking.raw) == pytest.approx(0.3 * 99, rel=0.25)
    low, high = ranking.interval()
    truth = 0.3 * (np.array([int(item[1:]) for item in ranking.items]) - 49.5)
    assert np.mean((low <= truth) & (truth <= high)) > 0.85


@pytest.mark.parametrize(("items", "per_item", "spread"), [(20, 8, 0.5), (20, 8, 2.0), (40, 40, 1.0), (40, 200, 3.0)])
def test_a_prior_that_fits_stays(items, per_item, spread):
    for seed in range(10):
        made = crowd(items, comparisons=items * per_item // 2, spread=spread, seed=seed)
        assert sw.bradley_terry(made.comparisons).fit.notes == ()


def test_the_sandwich_agrees_with_its_formula_and_with_the_hessian_where_the_model_is_right():
    answers = random_comparisons(8, 4000, seed=2)
    sandwich = sw.bradley_terry(answers, prior=Normal(2), intervals="sandwich")
    hessian = sw.bradley_terry(answers, prior=Normal(2), intervals="hessian")
    s = hessian.raw
    residual = answers.outcome - 1 / (1 + np.exp(s[answers.right] - s[answers.left]))
    gradients = np.zeros((len(answers), 8))
    rows = np.arange(len(answers))
    gradients[rows, answers.left], gradients[rows, answers.right] = residual, -residual
    bread = hessian.uncertainty.covariance()
    assert sandwich.uncertainty.covariance() == pytest.approx(bread @ gradients.T @ gradients @ bread)
    assert sandwich.uncertainty.variance("mean") == pytest.approx(hessian.uncertainty.variance("mean"), rel=0.1)


@pytest.mark.parametrize("ties", ["half", "davidson", "rao-kupper"])
def test_the_sandwich_by_worker_is_wider_where_workers_repeat_themselves(ties):
    """Every worker says the same thing twenty times over: there are really as many judgments as workers."""
    once = random_comparisons(5, 60, seed=5, ties=0.2)
    many = once.select(np.repeat(np.arange(60), 20))
    copied = replace(many, worker=np.repeat(np.arange(60), 20).astype(np.int32), workers=sw.Index(map(str, range(60))))
    options = {"prior": Normal(1), "intervals": "sandwich", "ties": ties}
    by_row = sw.bradley_terry(copied, **options).uncertainty.variance("mean")
    by_worker = sw.bradley_terry(copied, unit="worker", **options).uncertainty.variance("mean")
    assert by_worker == pytest.approx(20 * by_row)


def test_the_sandwich_of_many_items_by_draws(monkeypatch):
    answers = random_comparisons(300, 9000, seed=1)
    exact = sw.bradley_terry(answers, intervals="sandwich").uncertainty.variance("mean")
    monkeypatch.setattr("sidewise.models.robust.DENSE", 100)
    drawn = sw.bradley_terry(answers, intervals="sandwich").uncertainty.variance("mean")
    assert np.median(drawn / exact) == pytest.approx(1, abs=0.02)
    assert drawn == pytest.approx(exact, rel=0.3)


@pytest.mark.parametrize("unit", ["comparison", "worker"])
def test_the_batched_bootstrap_is_the_plain_one(unit):
    """Refitting all replicates together gives what fitting each resample by itself gives."""
    answers = random_comparisons(6, 200, seed=7, workers=15, ties=0.2, weight=True)
    ranking = sw.bradley_terry(answers, prior=Normal(1), intervals="bootstrap", unit=unit, replicates=5, seed=3)
    from sidewise.models.bootstrap import resample_weights

    (weights,) = resample_weights(answers, unit, 5, 3)
    for column, drawn in zip(weights.T, ranking.uncertainty.scores, strict=True):
        alone = sw.bradley_terry(replace(answers, weight=column), prior=Normal(1))
        assert drawn == pytest.approx(alone.raw, abs=1e-3)


@pytest.mark.parametrize("options", [{"ties": "davidson"}, {"covariates": ["side"]}])
def test_the_bootstrap_of_models_with_more_parameters(options):
    answers = random_comparisons(5, 400, seed=7, ties=0.2)
    ranking = sw.bradley_terry(answers, prior=Normal(1), intervals="bootstrap", replicates=60, **options)
    plain = sw.bradley_terry(answers, prior=Normal(1), **options)
    ratio = ranking.uncertainty.variance("mean") / plain.uncertainty.variance("mean")
    assert ratio == pytest.approx(np.ones(5), abs=0.6)
    assert ranking.raw == pytest.approx(plain.raw)


def test_the_bootstrap_by_worker_resamples_workers():
    answers = random_comparisons(5, 300, workers=10)
    from sidewise.models.bootstrap import resample_weights

    (weights,) = resample_weights(answers, "worker", 4, 0)
    for worker in range(10):
        assert len(np.unique(weights[answers.worker == worker], axis=0)) == 1


def test_the_same_seed_gives_the_same_intervals_and_progress_is_told():
    answers, told = random_comparisons(5, 100), []
    options = {"intervals": "bootstrap", "replicates": 10}
    one = sw.bradley_terry(answers, seed=1, progress=lambda *done: told.append(done), **options)
    assert told == [(10, 10)]
    assert np.array_equal(sw.bradley_terry(answers, seed=1, **options).interval(), one.interval())
    assert not np.array_equal(sw.bradley_terry(answers, seed=2, **options).interval(), one.interval())


@pytest.mark.parametrize(("items", "per_item", "spread"), [(20, 8, 2.0), (40, 20, 1.5), (40, 200, 3.0), (500, 30, 1.0)])
def test_the_spread_of_the_prior_is_found(items, per_item, spread):
    found = []
    for seed in range(12 if items < 100 else 2):
        made = crowd(items, comparisons=items * per_item // 2, spread=spread, seed=seed)
        true = np.std(list(made.truth.values()))
        found.append(fit_of(sw.bradley_terry(made.comparisons))[0].prior.sd / true)
    assert np.median(found) == pytest.approx(1, abs=0.2 if per_item < 10 else 0.1)


@pytest.mark.parametrize(
    "rows",
    [
        [("a", "b")],
        [("a", "b")] * 50,
        [("a", "b")] * 1000,
        [("a", "b"), ("b", "c"), ("c", "d")],
        [("a", "b"), ("b", "c"), ("a", "c")] * 100,
    ],
    ids=len,
)
def test_one_sided_data_do_not_drive_the_spread_to_infinity(rows):
    answers = sw.Comparisons.from_arrays(winner=[a for a, _ in rows], loser=[b for _, b in rows])
    ranking = sw.bradley_terry(answers)
    assert ranking.fit.converged
    assert 0.3 < fit_of(ranking)[0].prior.sd < 6


def test_items_that_are_all_alike_get_a_small_spread_and_one_tier():
    answers = sw.Comparisons.from_matrix(40 * (1 - np.eye(10)), [f"i{k}" for k in range(10)])
    ranking = sw.bradley_terry(answers)
    assert len(ranking.tiers()) == 1
    assert fit_of(ranking)[0].prior.sd < 0.5


@pytest.mark.parametrize("name", ["some comparisons", "many comparisons", "maximum likelihood"])
def test_intervals_hold_the_truth_as_often_as_they_say(name):
    """The study in small: between 93 and 97 %."""
    setting = next(setting for setting in coverage.SETTINGS if setting.name == name)
    found = coverage.coverage(setting, 120, seed=1000)
    assert 0.93 <= found.scores <= 0.97
    assert found.ranks >= 0.95


def test_the_coverage_study_runs_and_writes_its_page(tmp_path, monkeypatch):
    monkeypatch.setattr(coverage, "SETTINGS", coverage.SETTINGS[:2])
    told = []
    result = find_study("coverage").run(quick=True, progress=lambda *done: told.append(done))
    names = sorted(path.name for path in result.write(tmp_path / "out"))
    assert names == ["README.md", "coverage.svg", "results.csv"]
    assert told == [(1, 2), (2, 2)]
    assert "| few comparisons, close items |" in (tmp_path / "out" / "README.md").read_text()
    with pytest.raises(sw.SidewiseError, match="no study 'nothing'; there are: asap, coverage"):
        find_study("nothing")
