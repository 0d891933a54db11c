"""The solver of the support vector machines: against its own conditions, against others' solvers, at its edges."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize as scipy_minimise
from sklearn.svm import SVC, LinearSVC

from sidewise.learn.designs import PairDesign, SignDesign
from sidewise.learn.hinge import dual_value, hinge_sum, minimise


def problem(seed, rows=40, width=5, pairs=200):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, width)) * rng.uniform(0.3, 3, width)
    score = x @ rng.normal(size=width) + rng.normal(0, 2, rows)
    a, b = rng.integers(rows, size=(2, pairs))
    a, b = a[a != b], b[a != b]
    return x, np.where(score[a] > score[b], a, b), np.where(score[a] > score[b], b, a), np.sign(score)


def plain_pairs(w, x, better, worse, C):
    """The formula, pair by pair."""
    return 0.5 * sum(w**2) + C * sum(max(0, 1 - w @ (x[i] - x[j])) for i, j in zip(better, worse, strict=True))


def quadratic_programme(d, C):
    """The dual by a general solver: max Σα − ½‖Dᵀα‖², 0 ≤ α ≤ C."""
    gram = d @ d.T
    found = scipy_minimise(
        lambda a: 0.5 * a @ gram @ a - a.sum(), np.full(len(d), C / 2), jac=lambda a: gram @ a - 1,
        bounds=[(0, C)] * len(d), method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 20000},
    )  # fmt: skip
    return d.T @ found.x


@pytest.mark.parametrize("kind", ["pairs", "signs"])
def test_a_design_is_the_matrix_it_stands_for(kind):
    x, better, worse, sign = problem(0)
    design = PairDesign(x, better, worse) if kind == "pairs" else SignDesign(x, sign)
    d = x[better] - x[worse] if kind == "pairs" else sign[:, None] * np.column_stack([x, np.ones(len(x))])
    rng = np.random.default_rng(1)
    w, alpha = rng.normal(size=d.shape[1]), rng.uniform(size=len(d))
    assert design.size == len(d)
    np.testing.assert_allclose(design.margins(w), d @ w)
    np.testing.assert_allclose(design.pull(alpha), d.T @ alpha)
    np.testing.assert_allclose(design.gram(alpha), d.T @ (alpha[:, None] * d), atol=1e-10)


@given(seed=st.integers(0, 10_000), power=st.integers(-5, 3), width=st.integers(1, 8))
def test_the_minimum_satisfies_its_conditions(seed, power, width):
    """Karush, Kuhn and Tucker: w = Dᵀα; α = C where a margin is below 1, 0 where it is above."""
    x, better, worse, _ = problem(seed, width=width)
    C = 10.0**power
    design = PairDesign(x, better, worse)
    found = minimise(design, C, tol=1e-10)
    margins = (x[better] - x[worse]) @ found.w
    assert found.converged
    np.testing.assert_allclose(found.w, design.pull(found.alpha), atol=1e-4 * (1 + np.abs(found.w).max()))
    assert (found.alpha > 0).all()
    assert (found.alpha < C).all()
    assert (found.alpha[margins < 1 - 1e-3] > 0.99 * C).all()
    assert (found.alpha[margins > 1 + 1e-3] < 0.01 * C).all()
    assert hinge_sum(design, C, found.w) == pytest.approx(plain_pairs(found.w, x, better, worse, C))
    assert 0 <= hinge_sum(design, C, found.w) - dual_value(design, found.alpha) <= 1e-9 * found.value


@given(seed=st.integers(0, 10_000))
def test_no_weights_near_or_far_are_better(seed):
    x, better, worse, _ = problem(seed)
    design = PairDesign(x, better, worse)
    found = minimise(design, 0.1)
    rng = np.random.default_rng(seed)
    for size in (1e-4, 1e-2, 1):
        other = found.w + size * rng.normal(size=len(found.w))
        assert hinge_sum(design, 0.1, other) >= found.value * (1 - 1e-8)


@pytest.mark.parametrize("C", [1e-3, 0.1, 10.0])
def test_pairs_come_out_as_by_a_general_solver(C):
    x, better, worse, _ = problem(3, pairs=60)
    expected = quadratic_programme(x[better] - x[worse], C)
    np.testing.assert_allclose(minimise(PairDesign(x, better, worse), C).w, expected, atol=2e-4)


@pytest.mark.parametrize("C", [1e-3, 0.1, 10.0])
def test_pairs_come_out_as_by_liblinear(C):
    """Differences with alternating signs, no intercept; liblinear's tolerance is coarse, ours may only be better."""
    x, better, worse, _ = problem(4)
    sign = np.where(np.arange(len(better)) % 2, 1.0, -1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = LinearSVC(loss="hinge", fit_intercept=False, C=C, tol=1e-8, max_iter=200_000, random_state=0)
        other.fit(sign[:, None] * (x[better] - x[worse]), sign)
    design = PairDesign(x, better, worse)
    found = minimise(design, C)
    theirs = hinge_sum(design, C, other.coef_[0])
    assert found.value <= theirs * (1 + 1e-8)
    assert found.value == pytest.approx(theirs, rel=1e-3)
    np.testing.assert_allclose(found.w, other.coef_[0], rtol=0.02, atol=0.02)


@pytest.mark.parametrize("C", [1e-3, 0.1, 10.0])
def test_signs_come_out_as_by_libsvm(C):
    """Its intercept is free, as ours is; any of several may be the best, so that values are compared, and weights."""
    x, _, _, sign = problem(5, rows=80)
    other = SVC(kernel="linear", C=C, tol=1e-9).fit(x, sign)
    design = SignDesign(x, sign)
    found = minimise(design, C)
    assert found.converged
    assert found.value == pytest.approx(hinge_sum(design, C, np.append(other.coef_[0], other.intercept_)), rel=1e-5)
    np.testing.assert_allclose(found.w[:-1], other.coef_[0], atol=1e-3)


def test_pairs_that_can_be_kept_are_kept_with_the_widest_margin():
    """Two points and one pair: w = d/‖d‖², as soon as C allows it."""
    x = np.array([[3.0, 4.0], [0.0, 0.0]])
    design = PairDesign(x, np.array([0]), np.array([1]))
    np.testing.assert_allclose(minimise(design, 100.0).w, [3 / 25, 4 / 25], atol=1e-8)
    np.testing.assert_allclose(minimise(design, 0.001).w, [0.003, 0.004], atol=1e-8)  # C d, while the margin is short


def test_what_was_said_twice_weighs_twice():
    x, better, worse, _ = problem(6)
    twice = minimise(PairDesign(x, np.tile(better, 2), np.tile(worse, 2)), 0.05)
    once = minimise(PairDesign(x, better, worse), 0.1)
    np.testing.assert_allclose(twice.w, once.w, atol=1e-5)


def test_features_that_never_differ_get_no_weight():
    x, better, worse, _ = problem(7)
    x[:, 2] = 5.0
    assert abs(minimise(PairDesign(x, better, worse), 1.0).w[2]) < 1e-12


def test_a_fit_that_is_cut_short_says_so():
    x, better, worse, _ = problem(8)
    found = minimise(PairDesign(x, better, worse), 1.0, limit=3)
    assert not found.converged
    assert found.steps == 3
    assert found.gap > 1e-8
