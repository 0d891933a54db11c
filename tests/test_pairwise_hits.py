"""Pairwise HITS against a plain version of its two equations, and what must hold of it."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, spearmanr
from tests.making import NAMES, crowds, random_comparisons, relabelled, with_workers

import sidewise as sw
from sidewise.errors import ConvergenceError, Disconnected, ModelError, NotConverged


def fitted(answers, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Disconnected)
        warnings.simplefilter("ignore", NotConverged)
        return sw.pairwise_hits(answers, **options)


def plain_turn(answers, ability):
    """Equations 4 and 5, pair by pair and answer by answer."""
    n, flow = len(answers.items), {}
    rows = list(zip(answers.left, answers.right, answers.outcome, answers.worker, answers.weights(), strict=True))
    for left, right, outcome, k, weight in rows:
        pair, sign = ((left, right), 1) if left < right else ((right, left), -1)
        flow[pair] = flow.get(pair, 0) + sign * weight * ability[k] * (2 * outcome - 1)
    matrix = np.zeros((len(flow), n))
    for row, (a, b) in enumerate(flow):
        matrix[row, a], matrix[row, b] = 1, -1
    scores = np.linalg.pinv(matrix) @ np.array(list(flow.values()))
    right_ones, decided = np.zeros(len(ability)), np.zeros(len(ability))
    for left, right, outcome, k, weight in rows:
        if outcome != 0.5:
            lead = scores[left] - scores[right]
            chosen = 0.5 if abs(lead) < 1e-9 * np.abs(scores).max() else float(lead > 0)
            right_ones[k] += weight * (1 - abs(outcome - chosen))
            decided[k] += weight
    return scores, np.where(decided > 0, right_ones / np.maximum(decided, 1e-300), 0.5)


@given(crowds())
def test_where_it_converges_both_equations_hold(answers):
    ranking = fitted(answers)
    if not ranking.fit.converged:
        return
    ability = np.array(ranking.workers["reliability"])
    scores, again = plain_turn(answers, ability)
    seen = ranking.comparisons > 0
    assert ranking.raw[seen] == pytest.approx(scores[seen], abs=1e-8)
    assert ability == pytest.approx(again)


@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_it_ends_where_the_plain_version_ends(ties):
    answers = random_comparisons(8, 300, workers=12, ties=ties, weight=True)
    ability = np.ones(12)
    for _ in range(50):
        scores, ability = plain_turn(answers, ability)
    ranking = sw.pairwise_hits(answers)
    assert ranking.fit.converged
    assert ranking.raw == pytest.approx(scores, abs=1e-8)
    assert ranking.workers["reliability"].to_pylist() == pytest.approx(ability.tolist())


def test_many_items_end_there_as_well():
    answers = random_comparisons(300, 6000, workers=40)
    ability = np.ones(40)
    for _ in range(12):
        scores, ability = plain_turn(answers, ability)
    assert sw.pairwise_hits(answers).raw == pytest.approx(scores, abs=1e-7)


def test_a_mean_flow_is_one_equation_for_every_comparison():
    answers = random_comparisons(7, 200, workers=9, ties=0.1)
    ranking = sw.pairwise_hits(answers, flow="mean")
    ability = np.array(ranking.workers["reliability"])
    matrix = np.zeros((200, 7))
    matrix[np.arange(200), answers.left], matrix[np.arange(200), answers.right] = 1, -1
    expected = np.linalg.pinv(matrix) @ ((2 * answers.outcome - 1) * ability[answers.worker])
    assert ranking.raw == pytest.approx(expected, abs=1e-9)


def test_one_worker_has_the_order_of_least_squares():
    answers = with_workers(random_comparisons(6, 200), 1)
    ranking = sw.pairwise_hits(answers, flow="mean")
    assert ranking.order == sw.hodge_rank(answers).order
    row = ranking.workers.to_pylist()[0]
    assert np.isnan([row["reliability_low"], row["reliability_high"]]).all()  # nobody else to agree with


def oscillating():
    """A crowd whose abilities go round, found by trying seeds."""
    for seed in range(400):
        answers = random_comparisons(6, 24, seed=seed, workers=5, spread=0.2)
        if not fitted(answers).fit.converged:
            return answers
    raise AssertionError


def test_a_cycle_is_told_and_the_scores_are_its_mean():
    answers = oscillating()
    with pytest.warns(NotConverged, match=r"go round in a cycle of \d+ steps") as caught:
        ranking = sw.pairwise_hits(answers)
    assert caught[0].filename == __file__
    assert not ranking.fit.converged
    assert ranking.fit.gap > 0
    assert "cycle" in ranking.fit.notes[0]
    length = int(ranking.fit.notes[0].split("cycle of ")[1].split()[0])
    ability, history = np.ones(len(answers.workers)), []
    for _ in range(60):
        scores, ability = plain_turn(answers, ability)
        history.append(scores)
    assert length > 1
    assert ranking.raw == pytest.approx(np.mean(history[-length:], axis=0), abs=1e-8)
    with pytest.raises(ConvergenceError, match="cycle"):
        sw.pairwise_hits(answers, strict=True)


def test_too_few_turns_are_told():
    answers = random_comparisons(8, 200, workers=10)
    with pytest.warns(NotConverged, match="the last of 1 steps still moved an ability by"):
        assert sw.pairwise_hits(answers, limit=1).fit.steps == 1


def test_abilities_have_wilson_intervals_and_odd_workers_flags():
    simulated = sw.simulate.crowd(10, workers=8, comparisons=2000, spread=2.0, seed=1)
    answers = simulated.comparisons
    contrary = answers.worker == 0
    answers = replace(answers, outcome=np.where(contrary, 1 - answers.outcome, answers.outcome))
    workers = sw.pairwise_hits(answers).workers.to_pylist()
    for worker in workers:
        successes = round(worker["reliability"] * worker["answers"])
        expected = binomtest(successes, worker["answers"]).proportion_ci(0.95, method="wilson")
        assert worker["reliability_low"] == pytest.approx(expected.low)
        assert worker["reliability_high"] == pytest.approx(expected.high)
    assert [worker["flag"] for worker in workers] == ["contrary", *[None] * 7]


def test_a_few_answers_are_no_reason_for_a_flag():
    """Of honest workers with three answers, one in eight has Wilson's interval below the crowd's agreement."""
    simulated = sw.simulate.crowd(20, workers=20, comparisons=4000, spread=2.0, seed=1)
    rows = sw.simulate.crowd(20, workers=60, answers=3, spread=2.0, seed=1)
    assert rows.truth == simulated.truth
    names = np.array([*simulated.comparisons.items], object)
    parts = [(simulated.comparisons, "much"), (rows.comparisons, "little")]
    answers = sw.Comparisons.from_arrays(
        left=names[np.concatenate([part.left for part, _ in parts])],
        right=names[np.concatenate([part.right for part, _ in parts])],
        winner=np.concatenate([part.outcome for part, _ in parts]),
        worker=[f"{name}-{k}" for part, name in parts for k in part.worker], winner_is="number",
    )  # fmt: skip
    table = sw.pairwise_hits(answers).workers
    few = np.array(table["answers"]) == 3
    assert (np.array(table["reliability_high"])[few] < 0.6).any()
    assert set(table["flag"].to_pylist()) == {None}


def test_ties_alone_say_nothing_of_a_worker():
    answers = sw.Comparisons.from_arrays(
        left=["a", "b", "a"], right=["b", "c", "c"], winner=[1, 1, 0.5], worker=[*"xxy"]
    )
    ranking = sw.pairwise_hits(answers)
    assert ranking.workers["reliability"].to_pylist() == [1.0, 0.5]
    assert ranking.order == ("a", "b", "c")
    level = sw.Comparisons.from_arrays(left=["a"], right=["b"], winner=[0.5], worker=["x"])
    assert sw.pairwise_hits(level).raw == pytest.approx([0, 0])


# What must hold


@given(crowds(), st.permutations(range(len(NAMES))))
def test_relabelling_items_permutes_scores(answers, order):
    renamed, place = relabelled(answers, order)
    before, after = fitted(answers), fitted(renamed)
    assert after.raw[place] == pytest.approx(before.raw, abs=1e-7, nan_ok=True)


@given(crowds())
def test_mirroring_changes_nothing_and_a_weight_of_two_is_two_answers(answers):
    ranking = fitted(answers)
    assert fitted(answers.mirror()).raw == pytest.approx(ranking.raw, abs=1e-8, nan_ok=True)
    twice = fitted(answers.select(np.tile(np.arange(len(answers)), 2)))
    heavy = fitted(replace(answers, weight=2 * answers.weights()))
    assert twice.raw == pytest.approx(heavy.raw, abs=1e-8, nan_ok=True)
    assert heavy.raw == pytest.approx(2 * ranking.raw, abs=1e-8, nan_ok=True)


@pytest.mark.parametrize("flow", ["sum", "mean"])
def test_the_scores_of_a_crowd_are_recovered(flow):
    simulated = sw.simulate.crowd(30, workers=20, comparisons=6000, seed=4)
    ranking = sw.pairwise_hits(simulated.comparisons, flow=flow)
    assert spearmanr(ranking.raw, list(simulated.truth.values())).statistic > 0.95


def test_random_workers_are_believed_less():
    """Half the crowd throws coins: abilities tell them apart, and the ranking is the better for it."""
    simulated = sw.simulate.crowd(40, workers=40, comparisons=4000, spread=1.5, seed=3)
    answers, rng = simulated.comparisons, np.random.default_rng(0)
    coin = answers.worker < 20
    answers = replace(answers, outcome=np.where(coin, rng.integers(2, size=len(answers)), answers.outcome))
    ranking = sw.pairwise_hits(answers, flow="mean")
    ability, truth = np.array(ranking.workers["reliability"]), list(simulated.truth.values())
    assert ability[20:].min() > ability[:20].mean()
    assert spearmanr(ranking.raw, truth).statistic > spearmanr(sw.hodge_rank(answers).raw, truth).statistic


def test_parts_and_unseen_items():
    answers = sw.Comparisons.from_arrays(
        winner=["a", "c"], loser=["b", "d"], worker=["x", "x"], items=["a", "b", "c", "d", "new"]
    )
    with pytest.warns(Disconnected, match="2 parts"):
        ranking = sw.pairwise_hits(answers)
    assert ranking.raw[:4] == pytest.approx([0.5, -0.5, 0.5, -0.5])
    assert np.isnan(ranking.raw[4])


def test_a_bootstrap_is_there_where_it_is_asked_for():
    answers = random_comparisons(6, 400, workers=15)
    plain = sw.pairwise_hits(answers)
    with pytest.raises(ModelError, match="ask for intervals='bootstrap'"):
        plain.interval()
    for unit in ("comparison", "worker"):
        ranking = sw.pairwise_hits(answers, intervals="bootstrap", unit=unit, replicates=40, seed=1)
        low, high = ranking.interval()
        assert np.all((low <= ranking.score) & (ranking.score <= high))
        assert ranking.raw == pytest.approx(plain.raw)
        again = sw.pairwise_hits(answers, intervals="bootstrap", unit=unit, replicates=40, seed=1)
        assert np.array_equal(again.uncertainty.scores, ranking.uncertainty.scores)


def test_data_that_say_too_little_are_refused():
    answers = random_comparisons(4, 30)
    with pytest.raises(ModelError, match="pairwise_hits weighs workers, and the data do not say who said what"):
        sw.pairwise_hits(answers)
    with pytest.raises(ModelError, match="pair counts have forgotten them"):
        sw.pairwise_hits(answers.counts())
    crowd = random_comparisons(4, 30, workers=3)
    with pytest.raises(ModelError, match="flow='max' is not one of sum, mean"):
        sw.pairwise_hits(crowd, flow="max")
    with pytest.raises(ModelError, match="intervals='hessian' is not one of none, bootstrap"):
        sw.pairwise_hits(crowd, intervals="hessian")
    with pytest.raises(ModelError, match="does not say how likely a win is"):
        sw.pairwise_hits(crowd).probability("item-0", "item-1")
