"""The approximated knowledge gradient against a literal version, pair by pair (Chen, Jiao and Lin 2016)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import dblquad
from scipy.special import betainc
from scipy.stats import dirichlet

from sidewise.sampling.knowledge_gradient import gradient, knowledge_gradient, matched, strengths
from sidewise.sampling.order_reward import right
from sidewise.sampling.state import State


def literal_update(alpha, i, j):
    """All α after i has beaten j: the means of the posterior, and one scale for its Σ E θ²."""
    a, b, total = alpha[i], alpha[j], sum(alpha)
    mean = [x / total for x in alpha]
    mean[i], mean[j] = (a + b) * (a + 1) / (a + b + 1) / total, (a + b) * b / (a + b + 1) / total
    second = [x * (x + 1) / (total * (total + 1)) for x in alpha]
    # θ_i = (θ_i + θ_j) · share, the share is Beta(a + 1, b) after the win, and the sum keeps its law.
    both = (a + b) * (a + b + 1) / (total * (total + 1))
    second[i] = both * (a + 1) * (a + 2) / ((a + b + 1) * (a + b + 2))
    second[j] = both * b * (b + 1) / ((a + b + 1) * (a + b + 2))
    # Σ E θ² of Dirichlet(s · mean) is Σ mean (s · mean + 1) / (s + 1).
    squares, target = sum(m * m for m in mean), sum(second)
    size = (1 - target) / (target - squares)
    return [size * m for m in mean]


def literal_reward(alpha):
    total = 0.0
    for i in range(len(alpha)):
        for j in range(i):
            total += betainc(min(alpha[i], alpha[j]), max(alpha[i], alpha[j]), 0.5)
    return total


def literal_gradient(alpha):
    n = len(alpha)
    table, now = np.zeros((n, n)), literal_reward(alpha)
    for i in range(n):
        for j in range(n):
            if i != j:
                reward = literal_reward(literal_update(alpha, i, j)) - now
                table[i, j] += alpha[i] / (alpha[i] + alpha[j]) * reward
                table[j, i] += alpha[i] / (alpha[i] + alpha[j]) * reward
    return table


def test_the_update_matches_the_moments_of_the_posterior_by_numerical_integration():
    alpha = [2.0, 3.5, 1.5]

    def posterior(power, item):
        def weighed(y, x):
            theta = np.array([x, y, 1 - x - y])
            return float(theta[item] ** power * x / (x + y) * dirichlet.pdf(theta, alpha)) if theta[2] > 0 else 0.0

        return dblquad(weighed, 0, 1, 0, lambda x: 1 - x, epsabs=1e-9)[0]

    whole = posterior(0, 0)
    mean = [posterior(1, item) / whole for item in range(3)]
    square = sum(posterior(2, item) / whole for item in range(3))
    after = np.array(literal_update(alpha, 0, 1))
    np.testing.assert_allclose(after / after.sum(), mean, rtol=1e-6)
    size = after.sum()
    assert (after * (after + 1)).sum() / (size * (size + 1)) == pytest.approx(square, rel=1e-6)


@given(st.lists(st.floats(0.05, 300), min_size=3, max_size=6))
def test_the_update_is_the_literal_one(alpha):
    found = matched(alpha[0], alpha[1], sum(alpha), sum(x * x for x in alpha))
    kept = [found.scale * x for x in alpha[2:]]
    np.testing.assert_allclose([found.winner, found.loser, *kept], literal_update(alpha, 0, 1), rtol=1e-9)


@settings(max_examples=30)
@given(
    st.integers(2, 6), st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5), st.sampled_from([0, 1])), max_size=40)
)
def test_strengths_follow_answer_by_answer(n, drawn):
    said = [(i % n, (i % n + 1 + k % (n - 1)) % n, float(y)) for i, k, y in drawn]
    alpha = [1.0] * n
    for i, j, y in said:
        alpha = literal_update(alpha, *((i, j) if y else (j, i)))
    pairs = np.array([(i, j) for i, j, _ in said], np.int64).reshape(-1, 2)
    state = State.empty(n).with_answers(pairs, np.array([y for *_, y in said]))
    np.testing.assert_allclose(strengths(state), alpha, rtol=1e-7)


@pytest.mark.parametrize("spread", [0.0, 0.1, 1.0, 3.0])
@pytest.mark.parametrize("level", [0.3, 3.0, 200.0])
@pytest.mark.parametrize("n", [2, 3, 8])
def test_the_gradient_of_all_pairs_is_the_literal_one(n, level, spread):
    """Within 1e-5 of one pair: the interpolation on a grid is what makes n⁴ into n²."""
    alpha = level * np.exp(np.random.default_rng(n).normal(0, spread, n))
    first, second = np.triu_indices(n, 1)
    literal = literal_gradient(alpha.tolist())
    np.testing.assert_allclose(gradient(alpha, first, second), literal[first, second], atol=1e-5)


def test_the_gradient_is_the_literal_one_where_an_item_has_lost_everything():
    alpha = np.array([1e-12, 0.4, 3.0, 60.0])
    first, second = np.triu_indices(4, 1)
    literal = literal_gradient(alpha.tolist())
    np.testing.assert_allclose(gradient(alpha, first, second), literal[first, second], atol=1e-5)


@given(st.floats(1e-12, 1e5), st.floats(1e-12, 1e5))
def test_the_chance_of_the_right_order_is_above_a_half(a, b):
    chance = right(np.array([a]), np.array([b]))[0]
    assert 0.5 - 1e-12 <= chance <= 1
    assert chance == pytest.approx(betainc(min(a, b), max(a, b), 0.5), abs=1e-10)


def test_one_pair_is_the_best_and_a_batch_spreads_over_the_items():
    rng = np.random.default_rng(1)
    pairs = rng.permuted(np.tile(np.arange(8), (40, 1)), axis=1)[:, :2]
    state = State.empty(8).with_answers(pairs, (pairs[:, 0] < pairs[:, 1]).astype(float))
    literal = literal_gradient(strengths(state).tolist())
    ((i, j),) = knowledge_gradient(state, 1, np.random.default_rng(0)).tolist()
    assert literal[i, j] == pytest.approx(literal.max(), abs=1e-5)
    batch = knowledge_gradient(state, 4, np.random.default_rng(0))
    assert sorted(batch.ravel().tolist()) == list(range(8))
