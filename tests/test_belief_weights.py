"""Beliefs from answers that weigh less than one, as those of workers who are hardly reliable do."""

from dataclasses import replace

import numpy as np
import pytest

import sidewise as sw
from sidewise.sampling.asking import begun
from sidewise.sampling.belief import believe
from sidewise.sampling.online import Running
from test_belief import asked, by_quadrature

TRIANGLE = [[0, 1], [1, 2], [0, 2]]


@pytest.mark.parametrize(
    ("outcome", "weight"), [([1, 1, 1], [0.1, 0.3, 0.05]), ([1, 1, 0], [5, 0.02, 0.02]), ([1, 0.5, 0], [0.5] * 3)]
)
def test_light_answers_are_near_the_posterior_by_quadrature(outcome, weight):
    state = asked(3, TRIANGLE, outcome, weight)
    mean, covariance = by_quadrature(state, 1.0)
    found = believe(state, spread=1.0)
    assert found.mean == pytest.approx(mean, abs=0.01)
    assert found.covariance == pytest.approx(covariance, abs=0.02)


@pytest.mark.parametrize("spread", [1.0, 3.0, 30.0])
@pytest.mark.parametrize("weight", [0.9, 0.5, 0.1, 0.01, 1e-6])
def test_light_answers_leave_a_covariance_however_wide_the_prior(weight, spread):
    state = asked(4, [[0, 1], [1, 2], [2, 3]], [1, 1, 0], [weight, 100, weight])
    found = believe(state, spread=spread)
    assert (np.linalg.eigvalsh(found.covariance) > 0).all()
    assert (found.variance <= spread**2 * (1 + 1e-9)).all()  # an answer takes doubt away
    assert found.mean[1] > found.mean[2]
    assert (found.mean[[0, 3]] > 0).all()


def test_one_light_answer_more_is_what_a_fit_says():
    state = asked(4, [[0, 1], [1, 2], [2, 3]], [1, 1, 0], [1, 3, 0.1])
    more = state.with_answers(np.array([[0, 3]]), np.ones(1))
    more = replace(more, weight=np.append(state.weight, 0.05))
    running = Running.of(believe(state, spread=2.0)).after(0, 3, 1.0, weight=0.05)
    assert running.mean == pytest.approx(believe(more, spread=2.0).mean, abs=2e-3)


@pytest.mark.parametrize("seed", [3, 12, 15, 16, 31])
def test_a_crowd_of_whom_some_are_hardly_reliable(seed):
    """Few answers about items far apart, a third of which weigh 0.1 and less."""
    rng, n, count = np.random.default_rng(seed), 15, 40
    truth, trust = rng.uniform(0, 10, n), np.array([1, 1, 0.3, 0.15, 0.05])
    left = rng.integers(0, n, count)
    right, worker = (left + rng.integers(1, n, count)) % n, rng.integers(0, 5, count)
    winner = np.where(rng.normal(size=count) < trust[worker] * (truth[left] - truth[right]), left, right)
    columns = {"left": left, "right": right, "winner": winner, "worker": worker}
    answers = sw.Comparisons.from_arrays(**{name: column.astype(str) for name, column in columns.items()})
    reliability = dict(zip("01234", trust.tolist(), strict=True))
    assert len(sw.next_pairs(answers, batch=5, reliability=reliability)) == 5
    state, items = begun(answers, reliability)
    there = truth[[int(item) for item in items]]
    assert np.corrcoef(believe(state).mean, there)[0, 1] > 0.5
