"""Rehearsals: every strategy finds the order of items, and the good ones find it better than pairs at random do."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import spearmanr

from sidewise.models.probit import hazard
from sidewise.sampling import STRATEGIES
from sidewise.sampling.optimal import optimal
from sidewise.sampling.rehearsal import probit_chances, rehearse

N, TRIAL = 12, 66
RUNS = 40  # of 20, a strategy that is ahead by four standard errors is ahead by three or by five
MEDIUM = np.linspace(0, 5, N)  # the medium range of the ASAP paper, in probits


def scores(wins, prior=0.1):
    """By Newton's method, the scores of the highest probit likelihood, held loosely by a normal prior."""
    s = np.zeros(len(wins))
    for _ in range(100):
        d = s[:, None] - s
        h = hazard(d)
        pull, bend = wins * h, wins * h * (h + d)
        hessian = np.diag((bend + bend.T).sum(axis=1) + prior) - bend - bend.T
        step = np.linalg.solve(hessian, (pull - pull.T).sum(axis=1) - prior * s)
        s = s + step * min(1, 2 / np.abs(step).max())
        if np.abs(step).max() < 1e-9:
            return s
    raise AssertionError("the scores do not come to rest")


FOR_THE_ORDER = {"optimal, for the order": partial(optimal, goal="ranking")}


def rehearsed(name, trials, runs):
    """Spearman's rank correlation and log RMSE of each run."""
    found = []
    strategy = (STRATEGIES | FOR_THE_ORDER)[name]
    for seed in range(runs):
        truth = np.random.default_rng([1, seed]).permutation(MEDIUM)
        state = next(rehearse(probit_chances(truth), strategy, [trials * TRIAL], seed=[2, seed]))
        error = scores(state.wins) - truth
        found.append((spearmanr(error + truth, truth)[0], np.log(error.std())))
    return np.array(found).T


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_three_standard_trials_tell_the_order(name):
    """198 answers about 12 items on [0, 5]: a mean rank correlation above 0.95 in four runs, none below 0.9."""
    order, _ = rehearsed(name, 3, 4)
    assert order.mean() > 0.95
    assert order.min() > 0.9


@pytest.fixture(scope="module")
def by_chance():
    return rehearsed("random", 5, 60)


@pytest.mark.parametrize("name", [*FOR_THE_ORDER, "asap", "hybrid-mst", "asap-approx", "hodge"])
def test_after_five_standard_trials_the_good_ones_beat_pairs_at_random_in_order(name, by_chance):
    order, _ = lead(name, by_chance)
    assert order > 3


@pytest.mark.parametrize(("name", "least"), [("optimal", 4), ("asap", 2), ("hybrid-mst", 2), ("hodge", 0)])
def test_after_five_standard_trials_the_good_ones_beat_pairs_at_random_in_scores(name, least, by_chance):
    _, score = lead(name, by_chance)
    assert score > least


def lead(name, by_chance):
    """By how many standard errors rank correlation and log RMSE are better than by chance."""
    found = rehearsed(name, 5, RUNS)
    better = (found.mean(axis=1) - by_chance.mean(axis=1)) * [1, -1]
    return better / np.sqrt(found.var(axis=1, ddof=1) / RUNS + by_chance.var(axis=1, ddof=1) / 60)
