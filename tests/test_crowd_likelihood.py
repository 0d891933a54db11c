"""The mathematics of crowds: likelihoods by hand, gradients by differences, elimination of workers by dense algebra."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, log_expit
from tests.making import random_comparisons
from tests.oracles import numerical_gradient

from sidewise import Comparisons, simulate
from sidewise.models import Normal, VirtualItem, likelihood
from sidewise.models.answers import Answers
from sidewise.models.crowd import local_worker_variance, worker_variance
from sidewise.models.crowd_problem import CrowdProblem
from sidewise.models.factor_bt import initial
from sidewise.models.habits import Chance, Credit, Doubt, Pull, Qualified, Sensitive, Swayed, Tail
from sidewise.models.mixing import mixed
from sidewise.models.problem import LINKS
from sidewise.models.scale import on_scale, size, size_slope, told, without_scale

HABITS = {
    "sensitive": (Sensitive(), ("side", "logo"), (Pull(1, 0.7), Pull(0, 0.4), Pull(0, 2.0))),
    "doubted": (Sensitive(), ("side", "logo"), (Doubt(0.7), Tail(0.4), Tail(2.0))),
    "qualified": (Qualified(), (), (Credit(4, 1),)),
    "swayed": (Swayed(), ("side", "logo"), (Credit(3, 2), Pull(0, 2.0), Pull(0, 1.0))),
}
PRIORS = {"normal": Normal(1.3), "virtual": VirtualItem(0.7)}
CASES = [("sensitive", link) for link in ("half", "davidson", "rao-kupper")]
CASES += [("doubted", "half"), ("qualified", None), ("swayed", None)]


def made(habit, ties=None, prior="normal", *, rows=90, workers=5, tied=0.2, seed=0):
    answers = random_comparisons(6, rows, ties=tied, weight=True, workers=workers, seed=seed)
    kind, factors, priors = HABITS[habit]
    link = Chance() if ties is None else LINKS[ties]
    return answers, CrowdProblem(Answers.of(answers, factors), kind, link, PRIORS[prior], priors)


def somewhere(problem, seed=1):
    rng = np.random.default_rng(seed)
    k = problem.answers.k
    theta = [
        rng.uniform(0.2, 0.9, k) if prior.is_chance else rng.normal(0.5, 0.7, k) for prior in problem.worker_priors
    ]
    return problem.joined(rng.normal(0, 0.9, problem.n), np.stack(theta), 0.6)


def by_hand(answers, problem, point, chance):
    """Σ over rows, one at a time, with the chance of left from a formula; ties are half a win for each."""
    s, theta, _ = problem.parts(point)
    total = 0.0
    for row in range(len(answers)):
        k = answers.worker[row]
        x = np.array([1.0, answers.factors["logo"][row]])
        p = chance(s[answers.left[row]] - s[answers.right[row]], theta[:, k], x)
        y, w = answers.outcome[row], answers.weight[row]
        total += w * (y * np.log(p) + (1 - y) * np.log(1 - p))
    return total


@pytest.mark.parametrize(
    ("habit", "ties", "chance"),
    [
        ("sensitive", "half", lambda d, t, x: expit(t[0] * d + t[1:] @ x)),
        ("qualified", None, lambda d, t, _: t[0] * expit(d) + (1 - t[0]) * expit(-d)),
        ("swayed", None, lambda d, t, x: t[0] * expit(d) + (1 - t[0]) * expit(t[1:] @ x)),
    ],
)
def test_the_likelihood_is_the_formula_summed_row_by_row(habit, ties, chance):
    answers, problem = made(habit, ties)
    point = somewhere(problem)
    assert problem.log_likelihood(point) == pytest.approx(by_hand(answers, problem, point, chance), rel=1e-12)


@pytest.mark.parametrize(("habit", "ties"), CASES)
@pytest.mark.parametrize("prior", PRIORS)
def test_gradients_match_differences_in_every_parameter(habit, ties, prior):
    _, problem = made(habit, ties, prior)
    point = somewhere(problem)
    found = problem.slope(point).gradient
    assert found == pytest.approx(numerical_gradient(problem.objective, point), abs=2e-5)


def test_gradients_are_those_that_the_factor_bt_paper_prints():
    """dT/dγ, dT/dr and dT/ds of section 5, for answers written as (worker, winner, loser)."""
    answers, problem = made("swayed", prior="virtual", tied=0.0)
    problem = replace(problem, worker_priors=(Credit(0, 0), Pull(0, np.inf), Pull(0, np.inf)))
    point = somewhere(problem)
    s, theta, _ = problem.parts(point)
    gamma, r = np.log(theta[0] / (1 - theta[0])), theta[1:]
    f = expit
    on_gamma, on_r, on_s = np.zeros_like(gamma), np.zeros_like(r), np.zeros_like(s)
    for row in range(len(answers)):
        k, w = answers.worker[row], answers.weight[row]
        side = 1 if answers.outcome[row] == 1 else -1
        i, j = (answers.left[row], answers.right[row])[::side]
        x = side * np.array([1.0, answers.factors["logo"][row]])
        d, lean = s[i] - s[j], x @ r[:, k]
        chance = f(gamma[k]) * f(d) + (1 - f(gamma[k])) * f(lean)
        on_gamma[k] += w * (f(d) - f(lean)) * f(gamma[k]) * f(-gamma[k]) / chance
        on_r[:, k] += w * (1 - f(gamma[k])) * f(lean) * f(-lean) * x / chance
        push = w * f(gamma[k]) * f(d) * f(-d) / chance
        on_s[i] += push
        on_s[j] -= push
    on_s += 0.7 * (f(-s) - f(s))
    gradient = problem.slope(point).gradient
    n, k = problem.n, problem.answers.k
    assert gradient[:n] == pytest.approx(on_s, abs=1e-10)
    assert gradient[n : n + k] * theta[0] * (1 - theta[0]) == pytest.approx(on_gamma, abs=1e-10)
    assert gradient[n + k :].reshape(2, k) == pytest.approx(on_r, abs=1e-10)


def whole(problem, point):
    """Fisher's information by brute force: Σ h ∇u ∇uᵀ with ∇u by differences, and the priors."""
    size = len(point)
    seen = problem.answers.seen

    def predictor(at):
        return np.concatenate([predicted.u for *_, predicted in problem._predicted(at)])

    jacobian = np.stack(
        [(predictor(point + e) - predictor(point - e)) / 2e-6 for e in 1e-6 * np.eye(size)], axis=1
    )  # fmt: skip
    h = problem.link.slopes(predictor(point), problem.parts(point).t, seen).dd
    matrix = jacobian.T @ (h[:, None] * jacobian)
    s, theta, _ = problem.parts(point)
    extra = [problem.prior.curvature(s)]
    extra += [prior.curvature(row) for prior, row in zip(problem.worker_priors, theta, strict=True)]
    return matrix + np.diag(np.concatenate(extra))


def information(problem, point):
    """The same as the package has it, without the damping by what was seen above its expectation."""
    link = problem.link
    bare = type("Bare", (type(link),), {"slopes": lambda _, *a: link.slopes(*a)._replace(seen=None)})()
    return replace(problem, link=bare).slope(point).curvature()


@pytest.mark.parametrize(("habit", "ties"), [("sensitive", "half"), ("qualified", None), ("swayed", None)])
def test_solving_with_the_information_is_solving_with_the_whole_matrix(habit, ties):
    _, problem = made(habit, ties)
    point = somewhere(problem)
    matrix, found = whole(problem, point), information(problem, point)
    b = np.random.default_rng(0).normal(size=len(point))
    assert found.solve(b, 1e-12) == pytest.approx(np.linalg.solve(matrix, b), rel=1e-4, abs=1e-6)
    n = problem.n
    schur = np.linalg.inv(np.linalg.inv(matrix)[:n, :n])
    assert found.reduced.dense() == pytest.approx(schur, rel=1e-4, abs=1e-5)


def test_solving_with_a_shape_of_ties_is_solving_with_the_whole_matrix():
    _, problem = made("sensitive", "davidson")
    point = somewhere(problem)
    found, size = problem.slope(point).curvature(), len(point)
    matrix = np.stack([found.solve(e, 1e-13) for e in np.eye(size)], axis=1)
    assert matrix == pytest.approx(matrix.T, abs=1e-9)  # an inverse of a symmetric matrix, whole
    t, n = size - 1, problem.n
    assert matrix[t, t] == pytest.approx(np.linalg.inv(found.scores.schur(found.scores.across(1e-13)))[0, 0], rel=1e-8)
    bare = np.linalg.inv(matrix)
    assert bare[:n, t] == pytest.approx(found.border[:, 0], abs=1e-8)
    assert bare[n:t, t] == pytest.approx(found.worker_border[:, :, 0].ravel(), abs=1e-8)


@pytest.mark.parametrize("held", [False, True])
def test_the_reduced_matrix_knows_its_diagonal_its_products_and_its_noise(held):
    _, problem = made("sensitive", "half", rows=120)
    reduced = problem.slope(somewhere(problem)).curvature().reduced
    reduced = reduced.holding(np.array([1.0, -1, 1, 1, 0])) if held else reduced
    dense, rng = reduced.dense(), np.random.default_rng(0)
    v = rng.normal(size=(problem.n, 3))
    assert reduced.diagonal == pytest.approx(np.diagonal(dense))
    assert reduced @ v == pytest.approx(dense @ v)
    assert reduced @ v[:, 0] == pytest.approx(dense @ v[:, 0])
    assert reduced.inverse @ dense == pytest.approx(np.eye(problem.n), abs=1e-9)
    order = rng.permutation(problem.n)
    assert reduced.permuted(order).dense() == pytest.approx(dense[np.ix_(order, order)])
    noise = reduced.permuted(order).noise(10_000, rng)
    scale = np.sqrt(np.outer(np.diagonal(dense), np.diagonal(dense)))[np.ix_(order, order)]
    assert np.abs((noise @ noise.T / 10_000 - dense[np.ix_(order, order)]) / scale).max() < 0.06


def test_holding_a_sum_of_sensitivities_is_an_infinite_weight_on_it():
    _, problem = made("sensitive", "half", rows=120)
    point = somewhere(problem)
    found, n, k = problem.slope(point).curvature(), problem.n, problem.answers.k
    weight, heavy = np.array([1.0, -1, 1, 1, 0]), np.zeros(len(point))
    heavy[n : n + k] = weight
    matrix = np.linalg.inv(np.stack([found.solve(e, 1e-13) for e in np.eye(len(point))], axis=1))
    covariance = np.linalg.inv(matrix + 1e9 * np.outer(heavy, heavy))[:n, :n]
    assert found.reduced.holding(weight).inverse == pytest.approx(covariance, rel=1e-5)


@pytest.mark.parametrize("held", [False, True])
def test_workers_vary_as_the_inverse_of_the_whole_matrix_says(held):
    _, problem = made("sensitive", "half", rows=400, workers=4)
    point = somewhere(problem)
    found, n, k = problem.slope(point).curvature(), problem.n, problem.answers.k
    matrix = np.linalg.inv(np.stack([found.solve(e, 1e-13) for e in np.eye(len(point))], axis=1))
    mean = np.zeros(len(point))
    weight = np.array([1.0, -1, 1, 1])
    mean[n : n + k] = 1e4 * held * weight
    exact = np.diagonal(np.linalg.inv(matrix + np.outer(mean, mean)))[n:].reshape(3, k)
    reduced = found.reduced.holding(weight) if held else found.reduced
    assert worker_variance(reduced) == pytest.approx(exact, rel=1e-4)


def test_with_many_items_workers_vary_nearly_so_with_each_item_taken_alone():
    answers = simulate.crowd(120, workers=40, comparisons=4000, seed=1).comparisons
    kind, factors, priors = Sensitive(), ("side",), (Pull(1, 0.7), Pull(0, 0.4))
    problem = CrowdProblem(Answers.of(answers, factors), kind, LINKS["half"], Normal(1.0), priors)
    point = somewhere(problem)
    reduced = problem.slope(point).curvature().reduced
    exact, local = worker_variance(reduced), local_worker_variance(reduced, problem.answers.pairs.seen)
    wrong = np.abs(local / exact - 1)
    assert np.median(wrong) < 0.03
    assert wrong.max() < 0.15


def test_the_sum_over_shards_is_the_sum(monkeypatch):
    _, problem = made("swayed")
    point = somewhere(problem)
    at_once = problem.slope(point)
    monkeypatch.setattr(likelihood, "SHARD", 7)
    in_parts = problem.slope(point)
    assert len(list(problem.answers.shards())) > 10
    assert in_parts.gradient == pytest.approx(at_once.gradient, rel=1e-12)
    b = np.ones(len(point))
    assert in_parts.curvature().solve(b) == pytest.approx(at_once.curvature().solve(b), rel=1e-9)


def test_averaging_over_uncertain_scores_is_close_to_quadrature():
    """E over d ~ N(d̄, v) of the gradient in scores and workers, by Gauss–Hermite with 40 points."""
    answers, problem = made("sensitive", "half", tied=0.0)
    v = np.random.default_rng(3).uniform(0.05, 0.8, len(answers))
    problem = replace(problem, variance=v)
    point = somewhere(problem)
    s, theta, _ = problem.parts(point)
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()
    rows, on_s, on_theta = problem.answers, np.zeros(problem.n), np.zeros_like(theta)
    seen = rows.seen
    for row in range(len(answers)):
        a, *b = theta[:, rows.worker[row]]
        x = seen.covariates[row]
        d = s[seen.left[row]] - s[seen.right[row]] + np.sqrt(v[row]) * nodes
        residual = seen.wins[row] - seen.total[row] * expit(a * d + np.array(b) @ x)
        on_s[seen.left[row]] += weights @ residual * a
        on_s[seen.right[row]] -= weights @ residual * a
        on_theta[0, rows.worker[row]] += weights @ (residual * d)
        on_theta[1:, rows.worker[row]] += weights @ residual * x
    on_s += problem.prior.slope(s)
    for p, prior in enumerate(problem.worker_priors):
        on_theta[p] += prior.slope(theta[p])
    gradient = problem.slope(point).gradient
    assert gradient[: problem.n] == pytest.approx(on_s, abs=0.05)
    assert gradient[problem.n :].reshape(theta.shape) == pytest.approx(on_theta, abs=0.08)
    sharp = replace(problem, variance=None).slope(point).gradient
    assert np.abs(sharp - np.concatenate([on_s, on_theta.ravel()])).max() > 0.5  # without averaging it is far off


def test_credit_is_the_logarithm_of_answers_that_were_given_before():
    theta = np.array([0.3, 0.8])
    credit = Credit(4, 1)
    assert credit.value(theta) == pytest.approx(np.sum(4 * np.log(theta) + np.log(1 - theta)))
    assert credit.slope(theta) == pytest.approx(4 / theta - 1 / (1 - theta))
    assert credit.curvature(np.array([0.8])) == pytest.approx(4 / 0.64 + 1 / 0.04)
    assert credit.value(np.array([1.0])) == -np.inf
    log_odds = np.log(theta / (1 - theta))
    assert credit.value(theta) == pytest.approx(np.sum(4 * log_expit(log_odds) + log_expit(-log_odds)))


def test_mixing_solves_a_linear_iteration_in_as_many_steps_as_it_has_dimensions():
    matrix, goal = np.diag([0.9, 0.5, -0.3]), np.array([1.0, 2.0, 3.0])
    point, past = np.zeros(3), []
    for _ in range(4):
        past.append((point, matrix @ (point - goal) + goal - point))
        point = mixed(past)
    assert point == pytest.approx(goal, abs=1e-6)


def test_doubt_is_a_normal_prior_above_zero_and_narrower_below():
    prior, theta = Doubt(0.5), np.array([-1.2, -0.1, 0.3, 1.7])
    densities = -((theta - 0.8) ** 2) / (2 * 0.25) - np.array([1.2, 0.1, 0, 0]) ** 2 / (2 * 0.09)
    assert prior.value(theta) == pytest.approx(densities.sum())
    assert prior.curvature(theta) == pytest.approx(-numerical_gradient(lambda t: prior.slope(t).sum(), theta), rel=1e-6)


def test_the_scale_is_a_direction_that_likelihoods_do_not_know():
    """Without the priors' word there, a gradient has no part along it; steps that keep the size change no a·d."""
    _, problem = made("doubted", "half")
    point = somewhere(problem)
    s, theta, _ = problem.parts(point)
    k, n = problem.answers.k, problem.n
    slope = problem.slope(point)
    information, share = told(problem, point, slope.curvature())
    along = np.concatenate([s, -theta[0], np.zeros(2 * k)])
    assert abs(slope.gradient @ along) > 0.1
    free = without_scale(problem, point, slope.gradient, information)
    assert free @ along == pytest.approx(0, abs=1e-9)
    assert free[:n] == pytest.approx(slope.gradient[:n])
    step = np.random.default_rng(2).normal(0, 1, len(point))
    kept = on_scale(problem, point, step, share)
    assert size_slope(theta[0], share) @ kept[n : n + k] == pytest.approx(0, abs=1e-12)
    assert np.linalg.matrix_rank(np.stack([kept - step, along]), tol=1e-9) == 1


def test_the_size_of_sensitivities_hardly_counts_coins_and_its_slope_is_its_derivative():
    share = np.array([0.9, 0.8, 0.9, 0.5])
    assert size(np.array([1.0, 1.0, 0.0, 0.01]), share) == pytest.approx(1, abs=0.01)
    a = np.array([1.3, 0.9, -0.4, 0.2])
    a /= size(a, share)
    slope = numerical_gradient(lambda a: size(a, share), a)
    assert slope == pytest.approx(size_slope(a, share) / (share @ np.abs(a)), rel=1e-6)


def test_what_answers_tell_is_all_that_is_known_less_the_prior():
    _, problem = made("doubted", "half", rows=200)
    point = somewhere(problem)
    information, share = told(problem, point, problem.slope(point).curvature())
    flat = replace(problem, worker_priors=(Doubt(1e6), *problem.worker_priors[1:]))
    above = problem.parts(point).theta[0] > 0
    assert above.any()
    alone = 1 / flat.slope(point).curvature().reduced.blocks.inverse[0, 0]
    assert information[above] == pytest.approx(alone[above], rel=1e-6)
    assert share == pytest.approx(
        information / (information + problem.worker_priors[0].curvature(problem.parts(point).theta[0]))
    )


@pytest.mark.parametrize("prior", [Pull(0.3, 0.7), Doubt(0.6), Credit(4, 1), Tail(0.4)])
def test_curvatures_of_workers_priors_match_differences_and_a_tail_has_that_of_the_normal_that_pulls_alike(prior):
    """Solving with the information and every interval of a worker rest on them, and no gradient would tell."""
    theta = np.array([0.1, 0.35, 0.9]) if prior.is_chance else np.array([-1.2, -0.3, 0.4, 2.5])
    if isinstance(prior, Tail):
        assert -theta * prior.curvature(theta) == pytest.approx(prior.slope(theta), rel=1e-12)
        return
    hair = 1e-6
    differences = (prior.slope(theta - hair) - prior.slope(theta + hair)) / (2 * hair)
    assert prior.curvature(theta) == pytest.approx(differences, rel=1e-6)


@pytest.mark.parametrize("habit", [Sensitive(), Qualified(), Swayed()])
def test_slopes_of_habits_in_scores_and_workers_match_differences(habit):
    rng, hair = np.random.default_rng(0), 1e-5
    d, x = rng.normal(size=6), np.ones((6, 0 if isinstance(habit, Qualified) else 1))
    theta = [rng.uniform(0.2, 0.8, 6) for _ in range(1 + x.shape[1])]
    here = habit.predict(d, theta, x)

    def slope(at, number=0, step=0.0):
        return habit.predict(at, [row + step * (p == number) for p, row in enumerate(theta)], x)

    assert here.d == pytest.approx((slope(d + hair).u - slope(d - hair).u) / (2 * hair), rel=1e-6)
    for p, (found, crossed) in enumerate(zip(here.theta, here.crossed, strict=True)):
        up, down = slope(d, p, hair), slope(d, p, -hair)
        assert found == pytest.approx((up.u - down.u) / (2 * hair), rel=1e-6)
        assert np.zeros(6) + (0 if crossed is None else crossed) == pytest.approx(
            (up.d - down.d) / (2 * hair), abs=1e-8
        )


def test_factor_bt_begins_where_the_paper_does():
    """γ is −1 for whoever gives one and the same answer and 1 for others; r is the log-odds of following the factor."""
    answers = Comparisons.from_arrays(
        left=[*"abcabc"], right=[*"bcacab"], winner=[*"abcaab"], worker=["same"] * 3 + ["mixed"] * 3,
        factors={"logo": [1, -1, 0, -1, -1, 1]},
    )  # fmt: skip
    f, side, logo = initial(Answers.of(answers, ("side", "logo")))
    assert f == pytest.approx(expit([-1, 1]))
    assert side == pytest.approx([np.log(4 / 1), np.log(2 / 3)])  # three of three, one of three, and one either way
    assert logo == pytest.approx([np.log(2 / 2), np.log(2 / 3)])  # one of two, one of three
