"""How much workers' answers count when pairs are chosen: by what is surely known of them, and not by their luck."""

import numpy as np
import pytest
from scipy.special import expit, ndtr

import sidewise as sw
from sidewise.measures import rmse
from sidewise.sampling.asking import begun
from sidewise.sampling.belief import believe
from sidewise.sampling.enough import expected_rmse
from sidewise.sampling.trust import doubted
from test_enough import CAKES


def honest_crowd(seed, workers, each, n=20):
    """Answers by the probit model about items over 5 probits, at random; a side for each, drawn."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(0, 5, n)
    left = rng.integers(0, n, workers * each)
    right = (left + rng.integers(1, n, workers * each)) % n
    won = (rng.random(workers * each) < ndtr(truth[left] - truth[right])).astype(float)
    answers = sw.Comparisons.from_arrays(
        left=left, right=right, winner=won, winner_is="number", worker=np.repeat(np.arange(workers), each)
    )
    return answers, {str(item): float(score) for item, score in enumerate(truth)}


def test_honest_workers_do_not_count_twice_because_they_happen_to_agree():
    """What worker_bt makes of ten answers each must neither widen the scores nor make them look surer than they are."""
    errors, expected = [], []
    for seed in range(6):
        answers, truth = honest_crowd(seed, workers=100, each=10)
        state, items = begun(answers, sw.worker_bt(answers))
        belief = believe(state)
        errors.append(rmse(dict(zip(items, belief.mean.tolist(), strict=True)), truth))
        expected.append(expected_rmse(belief))
    assert np.sqrt(np.mean(np.square(errors))) < 1.2 * np.mean(expected)


def test_one_sided_clickers_tell_nothing():
    cakes = sw.read(CAKES)
    spammed = sw.simulate.add_spammers(cakes, 1.0, "always-left", seed=0)
    before, after = (sw.enough(some, rmse=0.1, reliability=sw.worker_bt(some)).found for some in (cakes, spammed))
    assert after > 0.97 * before


def test_everybody_is_as_near_to_a_good_worker_as_one_standard_deviation_reaches():
    value, reach = np.array([1.3, 0.6, 0.05, -0.8, 1.0]), np.array([0.2, 0.5, 0.1, 0.2, np.nan])
    told = {"reliability": value, "reliability_low": value - 1.96 * reach, "reliability_high": value + 1.96 * reach}
    assert doubted(told, 0.95) == pytest.approx([1.1, 1.0, 0.15, -0.6, 1.0], abs=1e-4)
    bias, wide = np.array([0.1, 2.0, -3.0, 4.0, 0.0]), np.array([0.2, 0.5, 0.5, 1.0, np.nan])
    told |= {"side_bias": bias, "side_bias_low": bias - 1.96 * wide, "side_bias_high": bias + 1.96 * wide}
    left = expit(np.array([0.0, 1.5, -2.5, 3.0, 0.0]))
    assert doubted(told, 0.95) ** 2 == pytest.approx(
        np.square([1.1, 1.0, 0.15, -0.6, 1.0]) * 4 * left * (1 - left), abs=1e-3
    )
