"""Is it enough? Chances against counting and against integrals, and against the truth where it is known."""

from dataclasses import FrozenInstanceError
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import norm

import sidewise as sw
from sidewise.sampling import find_strategy
from sidewise.sampling.belief import believe
from sidewise.sampling.enough import JOD, chance_of_top, enough, expected_rmse, leading, percent
from sidewise.sampling.rehearsal import probit_chances, rehearse

CAKES = Path(__file__).parents[1] / "examples" / "cakes.csv"


@pytest.fixture(scope="module")
def cakes():
    return sw.read(CAKES)


def normal(n, seed, noise=0.3):
    """A mean and a covariance with strong correlations."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n)) * noise
    return rng.normal(size=n), root @ root.T / np.sqrt(n) + 0.01 * np.eye(n)


def told(answers, seed=0, spread=1.0, n=8):
    """Random answers about items whose scores are known."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, spread, n)
    i, j = np.array([rng.choice(n, 2, replace=False) for _ in range(answers)]).T
    won = rng.random(answers) < ndtr(truth[i] - truth[j])
    ids = np.array([f"item-{place:02d}" for place in range(n)])
    made = sw.Comparisons.from_arrays(
        left=ids[i], right=ids[j], winner=np.where(won, ids[i], ids[j]), items=ids.tolist()
    )
    return made, dict(zip(ids.tolist(), truth, strict=True))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("top", [1, 3, 9])
def test_the_chance_of_the_top_is_what_counting_whole_draws_gives(seed, top):
    mean, covariance = normal(12, seed)
    rng = np.random.default_rng(99)
    draws = rng.multivariate_normal(mean, covariance, size=40_000)
    best = set(leading(mean, top).tolist())
    counted = np.mean([set(row) == best for row in np.argsort(-draws, axis=1)[:, :top].tolist()])
    assert chance_of_top(mean, covariance, top, rng) == pytest.approx(counted, abs=0.015)


def test_of_two_items_it_is_the_chance_of_the_lead():
    mean, covariance = np.array([0.2, 0.9]), np.array([[0.5, 0.2], [0.2, 0.7]])
    exact = ndtr(0.7 / np.sqrt(0.5 + 0.7 - 0.4))
    assert chance_of_top(mean, covariance, 1, np.random.default_rng(0)) == pytest.approx(exact, abs=0.012)


@pytest.mark.parametrize("top", [1, 2])
def test_of_three_independent_items_it_is_an_integral(top):
    mean, sd = np.array([0.8, 0.3, -0.2]), np.array([0.5, 0.7, 0.4])

    def density(x):  # the last item of the top at x, the others above, the rest below; or the best one
        if top == 1:
            return norm.pdf(x, mean[0], sd[0]) * ndtr((x - mean[1]) / sd[1]) * ndtr((x - mean[2]) / sd[2])
        return norm.pdf(x, mean[2], sd[2]) * ndtr((mean[0] - x) / sd[0]) * ndtr((mean[1] - x) / sd[1])

    exact = quad(density, -8, 8)[0]
    assert chance_of_top(mean, np.diag(sd**2), top, np.random.default_rng(0)) == pytest.approx(exact, abs=0.012)


def test_items_that_are_out_of_the_question_cost_nothing_and_change_nothing():
    mean, covariance = normal(6, 1)
    far = np.concatenate([mean, np.full(2000, -50.0)])
    wide = np.eye(len(far)) * 0.1
    wide[:6, :6] = covariance
    near = chance_of_top(mean, covariance, 2, np.random.default_rng(3))
    assert chance_of_top(far, wide, 2, np.random.default_rng(3)) == near
    assert chance_of_top(np.array([9.0, 0, -9]), np.eye(3) * 0.01, 1, np.random.default_rng(0)) == 1


def test_the_expected_rmse_is_the_error_of_draws_after_the_best_shift():
    made, _ = told(200, seed=4)
    belief = believe(sw.sampling.asking.begun(made)[0])
    draws = np.random.default_rng(0).multivariate_normal(belief.mean, belief.covariance, size=20_000)
    error = draws - belief.mean
    error -= error.mean(axis=1, keepdims=True)
    assert expected_rmse(belief) == pytest.approx(np.sqrt((error**2).mean()), rel=0.02)


def test_ninety_five_percent_are_right_that_often():
    """Whenever it says so, also after looking many times: of scores as the prior has them, with either strategy."""
    said, right, expected, errors = [], [], [], []
    for run in range(60):
        rng = np.random.default_rng(run)
        truth = rng.normal(0, 1.4, 10)
        strategy = find_strategy("optimal" if run % 2 else "random")
        for state in rehearse(probit_chances(truth), strategy, [40, 80, 160, 320, 640, 1280], batch=40, seed=run):
            belief = believe(state)
            said.append(chance_of_top(belief.mean, belief.covariance, 2, rng))
            right.append(set(leading(belief.mean, 2)) == set(leading(truth, 2)))
            if len(state.left) > 100:
                expected.append(expected_rmse(belief) ** 2)
                errors.append(np.var(belief.mean - truth))
    said, right = np.array(said), np.array(right)
    sure = said >= 0.95
    assert sure.sum() > 60
    assert right[sure].mean() >= 0.95
    for low, high in pairwise([0, 0.5, 0.8, 1.01]):
        some = (said >= low) & (said < high)
        assert right[some].mean() == pytest.approx(said[some].mean(), abs=0.12)
    assert np.sqrt(np.mean(expected)) == pytest.approx(np.sqrt(np.mean(errors)), rel=0.1)


def test_stopping_when_the_top_is_settled(cakes):
    not_yet = sw.enough(cakes, top=10)
    assert not not_yet
    assert not not_yet.enough
    assert not_yet.goal == "top"
    assert 0 < not_yet.found < not_yet.wanted == 0.95
    assert len(not_yet.best) == 10
    assert not_yet.more_low < not_yet.more < not_yet.more_high
    assert sw.enough(cakes, top=1, level=0.5)
    assert not_yet == sw.enough(cakes, top=10)
    assert sw.enough(cakes, top=2, seed=1).found == pytest.approx(sw.enough(cakes, top=2, seed=2).found, abs=0.02)
    with pytest.raises(FrozenInstanceError):
        not_yet.enough = True


def test_stopping_when_scores_are_accurate(cakes):
    done = sw.enough(cakes, rmse=0.15)
    assert done
    assert (done.more, done.best) == (0, ())
    assert done.found < done.wider < 1.1 * done.found
    in_jod = sw.enough(cakes, rmse=0.15 * JOD, unit="jod")
    assert in_jod.found == pytest.approx(done.found * JOD)
    assert pytest.approx(ndtr(1 / JOD)) == 0.75
    assert not sw.enough(cakes, rmse=0.05)


def test_how_many_more_is_about_right_for_the_rmse():
    some, _ = told(300, seed=2, n=10)
    many, _ = told(6000, seed=2, n=10)
    wanted = sw.enough(many.select(np.arange(2400)), rmse=0.1).found
    estimate = 300 + sw.enough(some, rmse=wanted).more
    assert 0.7 < estimate / 2400 < 1.4


def test_how_many_more_is_about_right_for_the_top():
    """Half of the campaigns should be settled by then; the first to look lucky stop earlier."""
    ratios = []
    for seed in range(12):
        made, _ = told(20_000, seed=seed, spread=1.4, n=8)
        first = sw.enough(made.select(np.arange(100)), top=2)
        if first.enough or first.more is None:
            continue
        at = next(
            (count for count in (150, 250, 400, 700, 1200, 2500, 5000, 10_000, 20_000)
             if sw.enough(made.select(np.arange(count)), top=2)), 40_000,
        )  # fmt: skip
        ratios.append((100 + first.more) / at)
    assert 0.3 < np.median(ratios) < 4


def test_where_answers_do_not_contradict_one_another_the_prior_is_not_trusted():
    """Items so far apart that everybody agrees: nothing tells how far, and a narrow prior is easily believed."""
    rng = np.random.default_rng(0)
    truth = rng.uniform(0, 20, 20)
    state = next(rehearse(probit_chances(truth), find_strategy("random"), [190], seed=0))
    ids = np.array([f"i{place}" for place in range(20)])
    won = np.where(state.outcome == 1, ids[state.left], ids[state.right])
    made = sw.Comparisons.from_arrays(left=ids[state.left], right=ids[state.right], winner=won)
    found = sw.enough(made, rmse=1.2)
    assert found.found < 1.2
    assert found.wider > 1.5
    assert not found
    assert found.more > 0
    assert "with a prior twice as wide" in str(found)


def test_nothing_and_next_to_nothing():
    assert enough(["a", "b", "c"], top=1).found == pytest.approx(1 / 3, abs=0.02)
    before = enough(["a", "b", "c"], rmse=0.1)
    assert not before
    assert before.more is None
    assert "cannot be told yet" in str(before)
    one = sw.Comparisons.from_arrays(left=["a"], right=["b"], winner=["a"], items=["a", "b", "c", "d"])
    assert not enough(one, top=2)
    assert "1 comparison so far" in str(enough(one, top=2))


def test_workers_count_by_their_reliability(cakes):
    ranking = sw.worker_bt(cakes)
    assert sw.enough(cakes, top=1, reliability=ranking).found != sw.enough(cakes, top=1).found
    nobody = dict.fromkeys(cakes.workers, 0.0)
    assert sw.enough(cakes, rmse=0.15, reliability=nobody).comparisons == 0


def test_it_reads_well(cakes):
    assert str(sw.enough(cakes, rmse=0.15)).startswith("enough: RMSE 0.09")
    assert "JOD" in str(sw.enough(cakes, rmse=0.05))
    not_yet = sw.enough(cakes, top=10)
    assert str(not_yet).startswith("not yet enough: top 10 settled with ")
    assert max(map(len, str(not_yet).splitlines())) <= 80
    assert repr(not_yet).startswith("Enough(False, top 10 settled")
    assert repr(sw.enough(cakes, top=1, level=0.5)).startswith("Enough(True, best item settled")
    assert (percent(1.0), percent(0.0)) == ("more than 99.9 %", "less than 0.1 %")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either top=10"),
        ({"top": 3, "rmse": 0.1}, "either top=10"),
        ({"top": 0}, "between 1 and 39"),
        ({"top": 40}, "top is 40, but there are 40 items"),
        ({"top": 3, "level": 1.0}, "level is 1.0"),
        ({"rmse": 0.0}, "rmse is 0.0"),
        ({"rmse": float("nan")}, "rmse is nan"),
        ({"rmse": 0.1, "unit": "elo"}, "not one of probit, jod"),
    ],
)
def test_what_makes_no_sense_is_refused(cakes, options, message):
    with pytest.raises(sw.SidewiseError, match=message):
        sw.enough(cakes, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top": 1.5}, "top is 1.5; it is a count"),
        ({"top": "1"}, "top is '1'; it is a count"),
        ({"top": 1, "level": "high"}, "level is 'high'; it is a chance"),
        ({"rmse": "low"}, "rmse is 'low'; it is a number above 0"),
        ({"top": 1, "seed": -1}, "seed is -1; it is a whole number"),
    ],
)
def test_words_and_fractions_are_no_counts(options, message):
    with pytest.raises(sw.SidewiseError, match=message):
        sw.enough(["a", "b", "c"], **options)


@pytest.mark.parametrize("items", [[], ["a"]])
@pytest.mark.parametrize("options", [{"top": 1}, {"rmse": 0.3}])
def test_less_than_two_items_are_never_enough(items, options):
    with pytest.raises(sw.SidewiseError, match="a pair takes two items"):
        sw.enough(items, **options)
