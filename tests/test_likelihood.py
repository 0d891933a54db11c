"""The mathematics: gradients and Hessians against differences, solvers against dense algebra."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.making import random_comparisons
from tests.oracles import log_likelihood, numerical_gradient, numerical_jacobian

import sidewise as sw
from sidewise.comparisons import components
from sidewise.models import Normal, VirtualItem
from sidewise.models.gaussian import draw
from sidewise.models.laplacian import Laplacian, Pin, conjugate_gradients
from sidewise.models.likelihood import Observations
from sidewise.models.problem import Problem
from sidewise.models.spread import Blurred, local_variance, pair_variance

PRIORS = {"normal": Normal(1.3), "virtual": VirtualItem(0.7), "none": None}


def problem(ties="half", prior="normal", covariates=(), **options):
    answers = random_comparisons(6, 80, ties=0.25, weight=True, **options)
    counts = answers.counts()
    return answers, Problem.of(
        answers, counts, components(counts), ties=ties, covariates=covariates, prior=PRIORS[prior]
    )


def somewhere(made, seed=1):
    point = np.random.default_rng(seed).normal(0, 0.7, made.seen.n + made.others)
    if made.link.shapes:
        point[-1] = 0.6
    return point


@pytest.mark.parametrize("ties", ["half", "davidson", "rao-kupper"])
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("covariates", [(), ("side",), ("side", "logo")])
def test_gradient_and_hessian_match_differences(ties, prior, covariates):
    _, made = problem(ties, prior, covariates)
    point = somewhere(made)
    slope = made.slope(point)
    assert slope.gradient == pytest.approx(numerical_gradient(made.objective, point), abs=1e-5)
    hessian = -numerical_jacobian(lambda x: made.slope(x).gradient, point)
    assert slope.curvature().dense() == pytest.approx(hessian, abs=1e-5)


@pytest.mark.parametrize("ties", ["half", "davidson", "rao-kupper"])
def test_blurred_links_have_the_slopes_they_say(ties):
    _, made = problem(ties, "normal", ("side",))
    seen = replace(made.seen, blur=np.linspace(0, 4, len(made.seen.left)))
    blurred = replace(made, seen=seen, link=Blurred(made.link))
    point = somewhere(made)
    slope = blurred.slope(point)
    assert slope.gradient == pytest.approx(numerical_gradient(blurred.objective, point), abs=1e-5)
    hessian = -numerical_jacobian(lambda x: blurred.slope(x).gradient, point)
    assert slope.curvature().dense() == pytest.approx(hessian, abs=1e-5)


def test_blurring_is_averaging_over_a_normal_difference():
    """The closed form against quadrature: within 0.02 wherever a comparison is not a foregone conclusion."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    d = np.linspace(-4, 4, 17)
    for variance in (0.1, 1.0, 4.0, 9.0):
        exact = (1 / (1 + np.exp(-(d[:, None] + np.sqrt(variance) * nodes)))) @ weights / weights.sum()
        everyone = np.zeros(len(d), np.int32)
        seen = Observations(1, everyone, everyone, np.ones(len(d)), np.zeros(len(d)), np.zeros(len(d)),
                            np.empty((len(d), 0)), np.full(len(d), variance))  # fmt: skip
        slope = Blurred(sw.models.problem.LINKS["half"]).slopes(d, 0.0, seen)
        assert slope.d == pytest.approx(1 - exact, abs=0.02)


@pytest.mark.parametrize("ties", ["half", "davidson", "rao-kupper"])
def test_the_likelihood_is_the_one_of_the_papers(ties):
    answers, made = problem(ties, "none", ("side",))
    point = somewhere(made)
    s, (side,), shape = made.parts(point)
    assert made.log_likelihood(point) == pytest.approx(log_likelihood(answers, s, ties=ties, shape=shape, side=side))


@pytest.mark.parametrize("ties", ["half", "davidson", "rao-kupper"])
def test_chances_add_up_to_one_and_a_tie_is_symmetric(ties):
    link, d = sw.models.problem.LINKS[ties], np.linspace(-6, 6, 25)
    assert link.win(d, 0.4) + link.win(-d, 0.4) + link.tie(d, 0.4) == pytest.approx(np.ones(25))
    assert link.tie(d, 0.4) == pytest.approx(link.tie(-d, 0.4))


def test_no_step_may_end_outside_the_rao_kupper_model():
    _, made = problem("rao-kupper")
    point = somewhere(made)
    point[-1] = -0.1
    assert np.isnan(made.slope(point).gradient).all()


def graph(n, rows, *, pin=False, seed=0, parts=1):
    rng = np.random.default_rng(seed)
    label = np.sort(rng.integers(parts, size=n)).astype(np.int32)
    first = rng.integers(n, size=rows)
    second = rng.integers(n, size=rows)
    keep = (first < second) & (label[first] == label[second])
    upper = csr_array((rng.gamma(1, 1, keep.sum()), (first[keep], second[keep])), shape=(n, n))
    chain = np.flatnonzero(np.diff(label) == 0)
    upper = csr_array(upper + csr_array((np.ones(len(chain)), (chain, chain + 1)), shape=(n, n)))
    extra = np.zeros(n) if pin else rng.gamma(1, 0.5, n)
    return Laplacian(upper, extra, Pin.to(label) if pin else None)


@pytest.mark.parametrize("pin", [False, True])
@pytest.mark.parametrize(("n", "rows"), [(30, 100), (400, 6000)])
def test_solving_and_multiplying_agree_with_dense_algebra(n, rows, pin):
    matrix = graph(n, rows, pin=pin, parts=2)
    dense = matrix.dense()
    b = np.random.default_rng(3).normal(size=(n, 3))
    assert matrix @ b == pytest.approx(dense @ b)
    assert matrix @ b[:, 0] == pytest.approx(dense @ b[:, 0])
    assert matrix.diagonal == pytest.approx(np.diagonal(dense))
    assert matrix.solve(b) == pytest.approx(np.linalg.solve(dense, b), abs=1e-7)
    assert matrix.solve(b[:, 0]) == pytest.approx(np.linalg.solve(dense, b[:, 0]), abs=1e-7)


@pytest.mark.parametrize("pin", [False, True])
def test_a_long_chain_is_factorised_where_conjugate_gradients_give_up(pin):
    n = 3000
    chain = np.arange(n - 1)
    upper = csr_array((np.full(n - 1, 50.0), (chain, chain + 1)), shape=(n, n))
    matrix = Laplacian(upper, np.full(n, 0 if pin else 1e-6), Pin.to(np.zeros(n, np.int32)) if pin else None)
    b = np.random.default_rng(0).normal(size=n)
    assert not conjugate_gradients(matrix, b, 1e-8, 400)[1]
    x = matrix.solve(b, 1e-8)
    assert matrix @ x == pytest.approx(b, abs=1e-4)


@pytest.mark.parametrize("pin", [False, True])
def test_draws_have_the_covariance_they_should(pin):
    matrix = graph(12, 40, pin=pin)
    x = draw(matrix, 40_000, np.random.default_rng(0))
    exact = np.linalg.inv(matrix.dense())
    assert x @ x.T / 40_000 == pytest.approx(exact, abs=0.05 * exact.max())


def test_variances_of_items_and_pairs_are_exact_for_few_items_and_close_for_many():
    for n, rows, mean, most in ((30, 100, 1e-9, 1e-9), (600, 8000, 0.02, 0.15)):
        matrix = graph(n, rows)
        covariance = np.linalg.inv(matrix.dense())
        where = matrix.upper.tocoo()
        own = np.diagonal(covariance)
        exact = own[where.row] + own[where.col] - 2 * covariance[where.row, where.col]
        none = np.zeros(len(where.row))
        seen = Observations(n, where.row, where.col, none, none, none, np.empty((len(none), 0)))
        variance = local_variance(matrix, seen)
        assert variance.sum() == pytest.approx(own.sum(), rel=3 * mean)
        error = np.abs(pair_variance(matrix, seen, variance) / exact - 1)
        assert error.mean() < mean
        assert error.max() < most
