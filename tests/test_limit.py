"""The limit: the Cramér–Rao bound of the best design, against a search over all designs and known figures."""

import time

import numpy as np
import pytest
from scipy.optimize import minimize

import sidewise as sw
from sidewise.sampling.limit import best_design, told


def bound(share, scores):
    """The trace of the pseudo-inverse, written out: of the inverse with 1/n added, which is 1 more."""
    n, total = len(scores), np.zeros((len(scores), len(scores)))
    for x, (i, j) in zip(share, zip(*np.triu_indices(n, 1), strict=True), strict=True):
        e = np.eye(n)[i] - np.eye(n)[j]
        total += x * told(np.array(scores[i] - scores[j])) * np.outer(e, e)
    return np.trace(np.linalg.inv(total + 1 / n)) - 1


@pytest.mark.parametrize("scores", [[0.0, 0.4, 0.9, 1.0], [0.0, 1.0, 3.0, 3.5], [2.0, -3.0, 0.0, 5.5]])
def test_the_limit_is_what_a_search_over_all_designs_finds(scores):
    scores = np.array(scores)
    whole = {"type": "eq", "fun": lambda share: share.sum() - 1}
    start = np.full(6, 1 / 6)
    least = minimize(lambda share: np.log(bound(share, scores)), start, bounds=[(1e-7, 1)] * 6, constraints=whole,
                     method="SLSQP", options={"ftol": 1e-10, "maxiter": 500})  # fmt: skip
    design = best_design(scores)
    assert design.variance == pytest.approx(np.exp(least.fun), rel=0.003)
    assert design.gap < 0.003
    assert design.share.sum() == pytest.approx(1, abs=1e-5)
    assert design.rmse(100) == pytest.approx(np.sqrt(design.variance / 4 / 100))


def test_no_random_design_is_below_the_limit():
    rng = np.random.default_rng(1)
    for reach in (1.0, 5.0, 10.0):
        scores = rng.uniform(0, reach, 6)
        least = (1 - best_design(scores).gap) * best_design(scores).variance
        assert all(bound(rng.dirichlet(np.ones(15)), scores) >= least for _ in range(40))


def test_the_limit_has_the_figures_it_is_known_by():
    """Mean over draws at 2, 3 and 5 standard trials; on the large range few draws carry all of the mean."""
    for reach, known in ((5.0, (0.254, 0.207, 0.161)), (1.0, (0.198, 0.162, 0.125))):
        draws = [np.random.default_rng(seed).uniform(0, reach, 20) for seed in range(10)]
        found = np.mean([[best_design(scores).rmse(190 * trials) for trials in (2, 3, 5)] for scores in draws], axis=0)
        assert found == pytest.approx(known, rel=0.02)


def test_the_limit_of_two_hundred_items_is_quick_and_of_a_wide_gap_finite():
    begun = time.perf_counter()
    assert best_design(np.random.default_rng(0).uniform(0, 5, 200)).rmse(7065) == pytest.approx(0.164, abs=0.002)
    assert time.perf_counter() - begun < 60
    assert np.isfinite(best_design(np.array([0.0, 1.0, 18.0, 20.0])).variance)
    with pytest.raises(sw.SidewiseError, match="two items"):
        best_design(np.zeros(1))
