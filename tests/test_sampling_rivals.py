"""The paper's rivals, each against its own paper's formulas written plainly."""

import math

import numpy as np
import pytest
import trueskill as oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import beta as beta_function
from scipy.stats import beta as beta_law
from scipy.stats import norm

from sidewise.sampling import crowd_bt, hodge, hybrid_mst
from sidewise.sampling.filtering import filtered
from sidewise.sampling.messages import Marginals
from sidewise.sampling.state import State
from sidewise.sampling.trueskill import log_quality, trueskill


def logistic(x):
    return 1 / (1 + math.exp(-x))


def entropy(p):
    return -sum(x * math.log(x) for x in (p, 1 - p) if x > 0)


def random_state(n=5, rows=30, seed=0, *, ties=False):
    rng = np.random.default_rng(seed)
    i = rng.integers(n, size=rows)
    pairs = np.column_stack([i, (i + 1 + rng.integers(n - 1, size=rows)) % n])
    outcome = rng.integers(3, size=rows) / 2 if ties else rng.integers(2, size=rows).astype(float)
    return State.empty(n).with_answers(pairs, outcome)


def second_derivative(f, x, h=1e-3):
    """By five points."""
    return (-f(x + 2 * h) + 16 * f(x + h) - 30 * f(x) + 16 * f(x - h) - f(x - 2 * h)) / (12 * h * h)


def derivative(f, x, h=1e-3):
    return (-f(x + 2 * h) + 8 * f(x + h) - 8 * f(x - h) + f(x - 2 * h)) / (12 * h)


# Hybrid-MST (Li et al. 2018)


@pytest.mark.parametrize("variance", [1e-4, 0.04, 0.5, 2.0])
@pytest.mark.parametrize("difference", [0.0, 0.3, -1.5, 4.0])
def test_hybrid_mst_gain_is_the_mutual_information_by_numerical_integration(difference, variance):
    def expected(f):
        sd = math.sqrt(variance)
        ends = difference - 12 * sd, difference + 12 * sd
        return quad(lambda d: f(logistic(d)) * norm.pdf(d, difference, sd), *ends, epsabs=1e-14, limit=200)[0]

    gain = entropy(expected(lambda p: p)) - expected(entropy)
    found = hybrid_mst.information_gain(np.array([difference]), np.array([variance]))
    assert found == pytest.approx(gain, rel=1e-5, abs=1e-12)


def test_hybrid_mst_scores_and_covariance_are_those_of_the_likelihood():
    state = random_state(5, 40, ties=True)
    won = state.wins + 0.5 * (1 - np.eye(5))

    def loss(s):
        return -sum(won[i, j] * math.log(logistic(s[i] - s[j])) for i in range(5) for j in range(5) if i != j)

    free = minimize(lambda x: loss([*x, 0.0]), np.zeros(4), method="BFGS", options={"gtol": 1e-8}).x
    score = hybrid_mst.bradley_terry(state.wins)
    np.testing.assert_allclose(score[:4] - score[4], free, atol=1e-6)

    hessian = np.zeros((5, 5))
    for i in range(5):
        for j in range(5):
            if i != j:
                p = logistic(score[i] - score[j])
                hessian[i, i] += (won[i, j] + won[j, i]) * p * (1 - p)
                hessian[i, j] -= (won[i, j] + won[j, i]) * p * (1 - p)
    literal = np.linalg.pinv(hessian)
    found = hybrid_mst.uncertainty(score, state.wins + state.wins.T)
    for i in range(5):
        for j in range(i):
            along = np.eye(5)[i] - np.eye(5)[j]
            assert along @ found @ along == pytest.approx(along @ literal @ along, rel=1e-9)


def test_hybrid_mst_asks_for_one_pair_the_best_of_all():
    state = random_state(6, 40, seed=4)
    score = hybrid_mst.bradley_terry(state.wins)
    covariance = hybrid_mst.uncertainty(score, state.wins + state.wins.T)
    gain = {}
    for i in range(6):
        for j in range(i + 1, 6):
            variance = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
            gain[i, j] = hybrid_mst.information_gain(score[[i]] - score[j], np.array([variance]))[0]
    ((i, j),) = hybrid_mst.hybrid_mst(state, 1, np.random.default_rng(0)).tolist()
    assert gain[i, j] == max(gain.values())


# Crowd-BT (Chen, Bennett, Collins-Thompson and Horvitz 2013)

BELIEFS = [
    # mean of winner and loser, variances, α and β of the worker
    (0.0, 0.0, 1.0, 1.0, 10.0, 1.0),
    (0.7, -0.4, 0.5, 0.9, 10.0, 1.0),
    (-1.2, 0.8, 0.3, 0.6, 4.0, 2.5),
    (0.1, 1.4, 1.0, 0.2, 1.5, 3.0),
]


def literal_crowd_bt(m1, m2, v1, v2, alpha, beta):
    """Scores by the slope and curvature of the log-likelihood at the means, the worker by the moments of η."""

    def told(s1, s2):
        return math.log(alpha * logistic(s1 - s2) + beta * logistic(s2 - s1))

    winner = m1 + v1 * derivative(lambda s: told(s, m2), m1)
    loser = m2 + v2 * derivative(lambda s: told(m1, s), m2)
    narrow_winner = v1 * max(1 + v1 * second_derivative(lambda s: told(s, m2), m1), 1e-4)
    narrow_loser = v2 * max(1 + v2 * second_derivative(lambda s: told(m1, s), m2), 1e-4)
    right = logistic(m1 - m2) + (v1 + v2) / 2 * second_derivative(logistic, m1 - m2)  # E σ, to the second order

    def moment(power):
        def weighed(eta):
            law = eta ** (alpha - 1) * (1 - eta) ** (beta - 1) / beta_function(alpha, beta)
            return eta**power * (right * eta + (1 - right) * (1 - eta)) * law

        return quad(weighed, 0, 1, epsabs=1e-13)[0]

    chance, mean, square = moment(0), moment(1) / moment(0), moment(2) / moment(0)
    size = (mean - square) / (square - mean**2)
    return chance, (winner, narrow_winner), (loser, narrow_loser), (mean * size, (1 - mean) * size)


def numerical_divergence(after, before, low, high):
    return quad(lambda x: after.pdf(x) * (after.logpdf(x) - before.logpdf(x)), low, high, epsabs=1e-13, limit=200)[0]


@pytest.mark.parametrize("belief", BELIEFS)
def test_crowd_bt_updates_by_the_moments(belief):
    m1, m2, v1, v2, alpha, beta = belief
    chance, (winner, narrow_winner), (loser, narrow_loser), worker = literal_crowd_bt(*belief)
    up = crowd_bt.moved(logistic(m1 - m2), v1, v2, alpha, beta)
    assert up.chance == pytest.approx(chance, rel=1e-8)
    assert (m1 + v1 * up.rise, up.winner) == pytest.approx((winner, narrow_winner), rel=1e-7)
    assert (m2 - v2 * up.rise, up.loser) == pytest.approx((loser, narrow_loser), rel=1e-7)
    assert (up.alpha, up.beta) == pytest.approx(worker, rel=1e-6)


@pytest.mark.parametrize("exploration", [0.0, 5.0])
@pytest.mark.parametrize("belief", BELIEFS)
def test_crowd_bt_gain_is_the_expected_divergence_by_numerical_integration(belief, exploration):
    m1, m2, v1, v2, alpha, beta = belief
    expected = 0.0
    for turned in (belief, (m2, m1, v2, v1, alpha, beta)):
        chance, winner, loser, worker = literal_crowd_bt(*turned)
        told = 0.0
        for (mean, variance), (old, wide) in zip(
            (winner, loser), zip(turned[:2], turned[2:4], strict=True), strict=True
        ):
            sd = math.sqrt(variance)
            told += numerical_divergence(norm(mean, sd), norm(old, math.sqrt(wide)), mean - 12 * sd, mean + 12 * sd)
        expected += chance * (told + exploration * numerical_divergence(beta_law(*worker), beta_law(alpha, beta), 0, 1))
    known = crowd_bt.Belief([m1, m2], [v1, v2], alpha, beta)
    found = known.gain(m1, np.array([m2]), v1, np.array([v2]), exploration)
    assert found == pytest.approx(expected, rel=1e-5)


def test_crowd_bt_learns_answer_by_answer():
    state = random_state(4, 12)
    mean, variance, worker = [0.0] * 4, [1.0] * 4, (10.0, 1.0)
    for left, right, y in zip(state.left, state.right, state.outcome, strict=True):
        i, j = (left, right) if y else (right, left)
        _, one, two, worker = literal_crowd_bt(mean[i], mean[j], variance[i], variance[j], *worker)
        (mean[i], variance[i]), (mean[j], variance[j]) = one, two
    known = crowd_bt.Belief.after(state)
    np.testing.assert_allclose(known.mean, mean, atol=1e-6)
    np.testing.assert_allclose(known.variance, variance, rtol=1e-6)
    np.testing.assert_allclose((known.alpha, known.beta), worker, rtol=1e-5)


def test_crowd_bt_keeps_its_digits_when_a_worker_has_given_millions_of_answers():
    """A right answer adds one to α and a wrong one to β, as far as it is known which it was."""
    for alpha, beta in ((1e7, 1.0), (1e9, 1e3), (3e8, 2e8)):
        sure = crowd_bt.moved(1 - 1e-9, 1e-9, 1e-9, alpha, beta)
        assert sure.alpha + sure.beta == pytest.approx(alpha + beta + 1, abs=2)
        assert 0 < sure.beta < 1.01 * beta + 1


def test_crowd_bt_floors_the_variance_and_the_chance():
    """κ, where the linear approximation of the paper would make a variance or a chance negative."""
    wide = crowd_bt.moved(0.5, 1e3, 1e3, 1e9, 1.0)
    assert wide.winner == pytest.approx(1e3 * 1e-4)
    unlikely = crowd_bt.moved(0.9, 50.0, 50.0, 10.0, 1.0)  # 0.9 + 50 · 0.09 · (−0.8) < 0
    assert 0 < unlikely.chance < 1
    assert unlikely.alpha > 0
    assert unlikely.beta > 0


# HR-active (Xu et al. 2018)


def literal_posterior(n, pairs, y, weight):
    """Ridge regression on the graph, and the covariance."""
    precision, lead = 0.1 * np.eye(n), np.zeros(n)
    for (i, j), outcome, w in zip(pairs, y, weight, strict=True):
        row = np.eye(n)[i] - np.eye(n)[j]
        precision += w * np.outer(row, row)
        lead += w * outcome * row
    return np.linalg.inv(precision) @ lead, np.linalg.inv(precision)


def gaussian_divergence(m1, s1, m0, s0):
    solved = np.linalg.solve(s0, s1)
    return (np.trace(solved) + (m0 - m1) @ np.linalg.solve(s0, m0 - m1) - len(m1) - np.linalg.slogdet(solved)[1]) / 2


def test_hodge_gain_is_the_expected_divergence_of_normal_distributions():
    state = random_state(5, 12, seed=2, ties=True)
    pairs, y = state.pairs.tolist(), (2 * state.outcome - 1).tolist()
    mean, covariance = literal_posterior(5, pairs, y, state.weight)
    score, found = hodge.posterior(state)
    np.testing.assert_allclose(score, mean, atol=1e-12)
    np.testing.assert_allclose(found, covariance, atol=1e-12)
    for i in range(5):
        for j in range(i):
            p = (1 + math.erf(mean[i] - mean[j])) / 2
            expected = 0.0
            for outcome, chance in ((1.0, p), (-1.0, 1 - p)):
                after = literal_posterior(5, [*pairs, (i, j)], [*y, outcome], [*state.weight, 1.0])
                expected += chance * gaussian_divergence(*after, mean, covariance)
            residual = hodge.expected_square(score[[i]] - score[j])
            along = np.eye(5)[i] - np.eye(5)[j]
            assert hodge.information_gain(residual, along @ found @ along) == pytest.approx(expected, rel=1e-9)


def test_hodge_shrinks_the_covariance_by_pairs_that_are_out_and_by_its_own_batch():
    state = random_state(5, 12, seed=5)
    batch = hodge.hodge(state, 4, np.random.default_rng(0))
    one_at_a_time = np.empty((0, 2), np.int64)
    for _ in range(4):
        out = State(5, state.left, state.right, state.outcome, state.weight, one_at_a_time, closed=one_at_a_time)
        one_at_a_time = np.concatenate([one_at_a_time, hodge.hodge(out, 1, np.random.default_rng(0))])
    assert batch.tolist() == one_at_a_time.tolist()


# TS-sampling (Herbrich, Minka and Graepel 2007)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3)), max_size=30))
def test_trueskill_believes_what_the_trueskill_package_does(drawn):
    """To 1e-9, which is as well as the package computes the tails of the normal distribution."""
    pairs = np.array([(i, (i + k) % 4) for i, k in drawn], np.int64).reshape(-1, 2)
    game = oracle.TrueSkill(mu=0, sigma=math.sqrt(2), beta=math.sqrt(0.5), tau=0, draw_probability=0, backend="scipy")
    ratings = [game.create_rating() for _ in range(4)]
    for i, j in pairs.tolist():
        ratings[i], ratings[j] = oracle.rate_1vs1(ratings[i], ratings[j], env=game)
    known = filtered(State.empty(4).with_answers(pairs, np.ones(len(pairs))), prior=0.5)
    np.testing.assert_allclose(known.mean, [rating.mu for rating in ratings], atol=1e-9)
    np.testing.assert_allclose(known.variance, [rating.sigma**2 for rating in ratings], rtol=1e-9)
    quality = np.exp(log_quality(known))
    for i in range(4):
        for j in range(i):
            assert quality[i, j] == pytest.approx(oracle.quality_1vs1(ratings[i], ratings[j], env=game), rel=1e-8)


def test_trueskill_matches_the_item_asked_least_with_the_closest():
    """Item 3 has been asked once, the others at least twice; its match is the best of its row."""
    pairs = np.array([[0, 1], [0, 1], [1, 2], [1, 2], [0, 2], [3, 2]])
    state = State.empty(4).with_answers(pairs, np.array([1, 1, 1, 1, 1, 0]))
    quality = log_quality(filtered(state, prior=0.5))
    ((i, j),) = trueskill(state, 1, np.random.default_rng(0)).tolist()
    assert 3 in (i, j)
    assert quality[i, j] == pytest.approx(max(quality[3, :3]))


def test_trueskill_knows_the_closest_among_items_far_apart():
    """Where chances of a draw are all 0 to the computer."""
    quality = log_quality(Marginals(np.full(4, 10.0), 10 * np.array([0.0, 70.0, 71.0, 72.0])))
    assert not np.exp(quality[0, 1:]).any()
    assert quality[0, 1] > quality[0, 2] > quality[0, 3] > -np.inf
