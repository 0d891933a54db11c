"""The limits of workers' parameters, against sums over grids of the same posteriors."""

import numpy as np
import pytest
from scipy.special import log_expit

import sidewise as sw


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
    ranking = sw.worker_bt(answers)
    sd, bias_sd = ranking.fit.settings["sensitivity_sd"], ranking.fit.settings["bias_sd"][0]
    missed = []
    for row, lead, said in rows_of(ranking, answers):
        if row["reliability"] < 0:
            low, high = sensitivity_limits(lead, said, sd, bias_sd)
            missed.append((row["reliability_low"] - low, row["reliability_high"] - high))
    assert len(missed) > 15
    assert np.mean(missed, axis=0) == pytest.approx(0, abs=0.03)
    assert np.array(missed) == pytest.approx(0, abs=0.15)  # where the tail of a bias matters as well
