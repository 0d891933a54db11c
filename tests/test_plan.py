"""``sw.sampling.plan``: what a campaign will take, by rehearsing it."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import sidewise as sw
from sidewise.sampling import find_strategy, plan
from sidewise.sampling.belief import believe
from sidewise.sampling.enough import JOD
from sidewise.sampling.planning import Asked, Look, _arrival, _looks, _smooth, lasting
from sidewise.sampling.rehearsal import probit_chances, rehearse


@pytest.fixture(scope="module")
def small():
    return plan(10, target_rmse=0.4, score_range=3, runs=20, seed=0, workers=4, seconds=6)


def test_after_as_many_comparisons_the_error_is_about_the_target(small):
    """Other truths and other answers than those that the plan was made with."""
    for cost in (small.chosen, small.against):
        errors = []
        for seed in range(100, 140):
            truth = np.random.default_rng(seed).uniform(0, 3, 10)
            strategy = find_strategy(cost.method)
            *_, state = rehearse(probit_chances(truth), strategy, [cost.comparisons], seed=seed)
            errors.append(np.var(believe(state).mean - truth))
        assert np.sqrt(np.mean(errors)) == pytest.approx(0.4, rel=0.2)


def test_a_plan_says_what_it_takes(small):
    assert small.chosen.method == "optimal"
    assert small.against.method == "random"
    assert len(small.chosen.runs) == 20
    assert small.chosen.low <= small.comparisons <= small.chosen.high
    assert small.hours == pytest.approx(small.comparisons * 6 / 3600)
    assert small.saving == pytest.approx(1 - small.comparisons / small.against.comparisons)
    assert small.saving > 0
    lines = str(small).splitlines()
    assert lines[0] == "10 items, scores spread evenly over 3 probits, until the RMSE is 0.4 probits"
    assert lines[1].startswith(f"optimal: {small.comparisons:,} comparisons (")
    assert "for each of 4 workers" in lines[1]
    assert lines[-1] == f"saved: {small.saving:.0%} of the comparisons"
    with pytest.raises(FrozenInstanceError):
        small.items = 3


def test_the_same_seed_gives_the_same_plan():
    options = {"target_rmse": 0.6, "runs": 3}
    assert plan(8, seed=1, **options) == plan(8, seed=1, **options)
    assert plan(8, seed=1, **options) != plan(8, seed=2, **options)


def test_units_agree():
    probit = plan(8, target_rmse=0.6, score_range=4, runs=2)
    jod = plan(8, target_rmse=0.6 * JOD, score_range=4 * JOD, unit="jod", runs=2)
    assert jod.chosen.runs == probit.chosen.runs
    assert "JOD" in jod.target
    default = plan(8, target_rmse=0.6 * JOD, unit="jod", runs=2)
    assert default.chosen == plan(8, target_rmse=0.6, runs=2).chosen


def test_more_accuracy_and_closer_scores_take_more():
    coarse, fine = (plan(8, target_rmse=target, runs=6, method="random").comparisons for target in (0.6, 0.3))
    assert fine > 2 * coarse
    easy, hard = (plan(8, top=1, spread=spread, runs=5, method="random", most=6000) for spread in (4, 1))
    assert hard.chosen.runs > easy.chosen.runs or hard.comparisons is None or hard.comparisons > easy.comparisons


def test_the_top_is_settled_after_as_many():
    made = plan(8, top=2, level=0.9, spread=3, runs=5, method="random", seed=1)
    assert made.against is None
    assert made.saving is None
    assert made.target == "the top 2 are settled with 90 %"
    assert "scores normal with a standard deviation of 3 probits" in str(made)
    assert "the best item is settled" in plan(4, top=1, spread=5, runs=1).target


def test_what_does_not_arrive_is_more_than_was_tried():
    made = plan(6, target_rmse=0.01, runs=2, most=100)
    assert made.comparisons is made.hours is made.saving is None
    assert made.chosen.runs == (None, None)
    assert "more than 100 comparisons" in str(made)
    assert made.span(made.chosen) == "– … over 100"


def test_where_every_run_arrives_all_of_them_together_do():
    """Each of two runs had been below the target once, but never both: that was "over 5,000 (18 … 44)"."""
    made = plan(10, target_rmse=0.5, method="random", runs=2)
    assert made.chosen.high < made.tried
    assert made.chosen.low <= made.comparisons <= made.chosen.high


def test_of_a_single_run_the_middle_is_the_run():
    made = plan(10, target_rmse=0.3, batch=1000, runs=1)
    for cost in (made.chosen, made.against):
        assert cost.low == cost.comparisons == cost.high


def test_progress_goes_forward_and_batches_matter():
    seen = []
    plan(8, target_rmse=0.5, runs=2, batch=20, progress=lambda done, total: seen.append((done, total)))
    done = [part for part, _ in seen]
    assert done == sorted(done)
    assert {total for _, total in seen} == {2}
    assert 0 < done[0] < done[-1] <= 2


def test_a_batch_is_chosen_before_any_of_its_answers():
    """Looks at the scores had cut batches short, so that however many pairs went out, they had seen all answers."""
    seen = []

    def watching(state, count, rng):
        seen.append((len(state.left), count))
        return find_strategy("random")(state, count, rng)

    asked = Asked(10, 0.001, None, 0.95, 3.0, None, "probit", 40, 5.0, 1, 1, 130)
    looks = list(_looks(asked, watching, 0, 0))
    assert [look.stop for look in looks] == asked.stops()
    assert seen == [(0, 40), (40, 40), (80, 40), (120, 40)]
    seen.clear()
    list(_looks(replace(asked, batch=1000), watching, 0, 0))  # ten items make 45 pairs
    assert seen == [(0, 45), (45, 45), (90, 45)]


def test_between_two_looks_the_number_is_on_a_line_of_logarithms():
    assert _arrival([Look(100, 2.0), Look(400, 0.5)]) == pytest.approx(200)
    assert _arrival([Look(100, 0.9)]) == 100
    assert _arrival([Look(100, 2.0)]) == np.inf
    assert _smooth([Look(50, 4.0), Look(100, 2.0), Look(200, 1.0), Look(400, 0.5)]) == pytest.approx(200)
    wavy = [Look(100, 1.5), Look(140, 0.99), Look(200, 1.1), Look(280, 0.9)]
    assert _arrival(wavy) < 140 < _smooth(wavy) < 280
    assert (lasting(0.5), lasting(3)) == ("30 min", "3.0 h")


@pytest.mark.parametrize(
    ("items", "options", "message"),
    [
        (1, {"target_rmse": 0.1}, "items is 1; it is a count, 2 at the least"),
        (None, {"target_rmse": 0.1}, "items is None; it is a count, 2 at the least"),
        (9, {"target_rmse": "low"}, "target_rmse is 'low'; it is a number above 0"),
        (9, {"top": 1.5}, "top is 1.5; it is a count"),
        (9, {"top": 2, "seed": -1}, "seed is -1; it is a whole number"),
        (9, {"top": 2, "runs": float("nan")}, "runs is nan; it is a count"),
        (9, {"top": 2, "method": None}, "no strategy None"),
        (9, {}, "either target_rmse=0.15"),
        (9, {"target_rmse": 0.1, "top": 2}, "either target_rmse=0.15"),
        (9, {"target_rmse": -0.1}, "target_rmse is -0.1; it is a number above 0"),
        (9, {"top": 9}, "top is 9, but there are 9 items"),
        (9, {"top": 2, "level": 1.5}, "level is 1.5"),
        (9, {"top": 2, "score_range": 1, "spread": 1}, "leave out one"),
        (9, {"top": 2, "spread": 0}, "spread is 0; it is a number above 0"),
        (9, {"top": 2, "seconds": 0}, "seconds is 0"),
        (9, {"top": 2, "runs": 0}, "runs is 0; it is a count, 1 at the least"),
        (9, {"top": 2, "workers": 0}, "workers is 0"),
        (9, {"top": 2, "batch": 0}, "batch is 0"),
        (9, {"top": 2, "most": 0}, "most is 0"),
        (9, {"top": 2, "unit": "elo"}, "not one of probit, jod"),
        (9, {"top": 2, "method": "guess"}, "no strategy 'guess'"),
    ],
)
def test_what_cannot_be_rehearsed_is_refused(items, options, message):
    with pytest.raises(sw.SidewiseError, match=message):
        plan(items, **options)


def test_two_items_have_one_pair_and_no_strategy_saves_anything():
    made = plan(2, target_rmse=0.5, score_range=1, runs=5)
    assert made.comparisons is not None
    assert made.against is None
    assert made.saving is None
