"""The limits of workers' parameters, against sums over grids of the same posteriors."""

import numpy as np
import pytest
from scipy.special import expit, log_expit, logit

import sidewise as sw
from sidewise.simulate import FactorBT, Sensitive


def rows_of(ranking, answers):
    """The workers' table by worker, with the differences of the scores and the answers of each."""
    score = dict(zip(ranking.items, ranking.raw, strict=True))
    s = np.array([score[item] for item in answers.items])
    lead = s[answers.left] - s[answers.right]
    for k, row in enumerate(ranking.workers.to_pylist()):
        yield row, lead[answers.worker == k], answers.outcome[answers.worker == k]


def summed(density, axis, level=0.95):
    """The limits of a density on a grid."""
    share = np.cumsum(density) / np.sum(density)
    return np.interp([(1 - level) / 2, (1 + level) / 2], share, axis)


def sensitivity_limits(lead, said, sd, bias_sd):
    """By a sum over sensitivity and bias, the scores being known."""
    a, b = np.linspace(-3, 4, 701)[:, None], np.linspace(-2, 2, 81)
    log_density = -((a - 0.8) ** 2) / (2 * sd**2) - np.minimum(a, 0) ** 2 / (2 * 0.3**2)
    log_density = log_density - 1.5 * np.log1p(b**2 / (2 * bias_sd**2))
    for d, y in zip(lead, said, strict=True):
        u = a * d + b
        log_density = log_density + y * log_expit(u) + (1 - y) * log_expit(-u)
    return summed(np.exp(log_density - log_density.max()).sum(axis=1), a[:, 0])


def test_limits_of_a_sensitivity_below_0_are_those_of_its_leaning_posterior():
    """Doubt is there below 0 only: as curvature on both sides it took .3 off the upper limits, and coins got flags."""
    answers = sw.simulate.crowd(
        15, workers=120, answers=8, kinds={"random": 0.3, "contrary": 0.1}, spread=2.0, seed=1
    ).comparisons
    sd, bias_sd = 0.7, 0.3
    ranking = sw.worker_bt(answers, sensitivity_sd=sd, bias_sd=bias_sd)
    missed = []
    for row, lead, said in rows_of(ranking, answers):
        if row["reliability"] < 0:
            low, high = sensitivity_limits(lead, said, sd, bias_sd)
            missed.append((row["reliability_low"] - low, row["reliability_high"] - high))
    assert len(missed) > 15
    assert np.mean(missed, axis=0) == pytest.approx(0, abs=0.03)
    assert np.array(missed) == pytest.approx(0, abs=0.15)  # where the tail of a bias matters as well


def fairness_and_bias(lead, said, credit=(4, 1), bias_sd=2.0):
    """The posterior of factor_bt over a grid of the two, the scores being known."""
    f, r = np.linspace(0.0025, 0.9975, 200)[:, None], np.linspace(-9, 9, 361)
    log_density = credit[0] * np.log(f) + credit[1] * np.log1p(-f) - r**2 / (2 * bias_sd**2)
    for d, y in zip(lead, said, strict=True):
        left = f * expit(d) + (1 - f) * expit(r)
        log_density = log_density + y * np.log(left) + (1 - y) * np.log1p(-left)
    return np.exp(log_density - log_density.max()), f[:, 0], r


def test_limits_of_a_mixture_are_those_of_its_leaning_posteriors():
    """Curvature at the mode gave limits of biases that held .88 of them instead of .95."""
    kinds = [FactorBT(gamma, {"side": r}) for gamma in (0.5, 1.5) for r in np.linspace(-4, 4, 15)]
    answers = sw.simulate.crowd(15, kinds=kinds, answers=100, spread=1.5, seed=1).comparisons
    biases, chances = [], []
    for row, lead, said in rows_of(sw.factor_bt(answers), answers):
        density, f, r = fairness_and_bias(lead, said)
        biases.append([row["side_bias_low"], row["side_bias_high"], *summed(density.sum(axis=0), r)])
        chances.append([row["reliability_low"], row["reliability_high"], *summed(density.sum(axis=1), f)])
    assert np.abs(np.subtract(*np.hsplit(np.array(biases), 2))).mean() < 0.2  # they are 4 wide
    assert np.abs(np.subtract(*np.hsplit(np.array(chances), 2))).mean() < 0.02


def test_limits_of_biases_of_a_mixture_hold_them():
    held = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        fair, bias = rng.beta(5, 2, 60), rng.normal(0, 2, 60)
        kinds = [FactorBT(logit(f), {"side": r}) for f, r in zip(fair, bias, strict=True)]
        table = sw.factor_bt(sw.simulate.crowd(20, kinds=kinds, answers=80, spread=1.5, seed=seed).comparisons).workers
        low, high = (table[f"side_bias_{end}"].to_numpy() for end in ("low", "high"))
        held.append(np.mean((low <= bias) & (bias <= high)))
    assert 0.93 <= np.mean(held) <= 0.98  # 360 biases: a standard error of .012


def test_limits_of_a_chance_are_inside_0_and_1_and_hold_what_was_found():
    answers = sw.simulate.crowd(12, workers=30, answers=20, kinds={"random": 0.3}, spread=3.0, seed=2).comparisons
    for credit in ((4, 1), (0, 0)):
        table = sw.crowd_bt(answers, credit=credit).workers
        low, value, high = (table[name].to_numpy() for name in ("reliability_low", "reliability", "reliability_high"))
        assert np.all((low >= 0) & (low <= value) & (value <= high) & (high <= 1))
        assert np.all(high - low > 0.02)


def test_with_two_answers_each_nobody_is_sure_how_much_workers_differ():
    """The fit holds them near each other then; by its width the intervals held .76 of them, and .16 of the coins."""
    held, coins = [], []
    for seed in range(12):
        true = np.where(np.random.default_rng(seed).random(20) < 0.3, 0.0, 1.0)
        made = sw.simulate.crowd(6, kinds=[Sensitive(a) for a in true], answers=2, seed=seed)
        table = sw.worker_bt(made.comparisons).workers
        low, high = (table[f"reliability_{end}"].to_numpy() for end in ("low", "high"))
        held += list((low <= true) & (true <= high))
        coins += list((high >= 0) & (low <= 0))
        assert set(table["flag"].to_pylist()) == {None}
    assert np.mean(held) > 0.93
    assert np.mean(coins) > 0.8


def test_a_width_of_sensitivities_that_is_stated_is_that_of_their_intervals():
    answers = sw.simulate.crowd(6, workers=20, answers=2, seed=1).comparisons
    shy, stated = sw.worker_bt(answers), sw.worker_bt(answers, sensitivity_sd=0.1)
    low, high = (stated.workers[f"reliability_{end}"].to_numpy() for end in ("low", "high"))
    assert (high - low).max() < 0.5
    assert np.all(shy.workers["reliability_high"].to_numpy() - shy.workers["reliability_low"].to_numpy() > 1.5)
