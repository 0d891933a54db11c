"""What is believed about scores: against quadrature on tiny cases, against its own equations, and answer by answer."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.special import log_ndtr, ndtr

from sidewise.models import likelihood
from sidewise.sampling import belief as believing
from sidewise.sampling.algebra import Processor
from sidewise.sampling.belief import Belief, believe, doubtful, observed, told_by, without
from sidewise.sampling.by_name import find_strategy
from sidewise.sampling.lapses import LOOKED, likeliest
from sidewise.sampling.online import Running
from sidewise.sampling.rehearsal import probit_chances, rehearse
from sidewise.sampling.state import State


def asked(n, pairs, outcome, weight=None):
    made = State.empty(n).with_answers(np.array(pairs), np.array(outcome, float))
    return made if weight is None else replace(made, weight=np.array(weight, float))


def log_chance(d, lapse=0.0):
    """Of an answer for the item that is ahead by d, written plainly."""
    return np.log(lapse / 2 + (1 - lapse) * ndtr(d)) if lapse else log_ndtr(d)


def by_quadrature(state, spread, reach=7.0, points=121, lapse=0.0):
    """Mean and covariance of three scores on a grid, from the definition."""
    line = np.linspace(-reach * spread, reach * spread, points)
    r = np.stack(np.meshgrid(line, line, line, indexing="ij")).reshape(3, -1)
    log = -(r**2).sum(axis=0) / (2 * spread**2)
    for i, j, y, w in zip(state.left, state.right, state.outcome, state.weight, strict=True):
        d = r[i] - r[j]
        log += w * (y * log_chance(d, lapse) + (1 - y) * log_chance(-d, lapse))
    p = np.exp(log - log.max())
    p /= p.sum()
    mean = r @ p
    return mean, (r - mean[:, None]) * p @ (r - mean[:, None]).T


CIRCLE = [[0, 1], [0, 1], [1, 2], [1, 2], [0, 2]], [1, 0, 1, 1, 0.5]


@pytest.mark.parametrize(
    ("pairs", "outcome", "lapse"),
    [
        ([[0, 1], [1, 2], [0, 2]], [1, 1, 1], 0.0),
        (*CIRCLE, 0.0),
        ([[0, 1]] * 6, [1, 1, 1, 1, 1, 0], 0.0),
        ([[0, 1], [1, 2], [0, 2]], [1, 1, 1], 0.1),
        (*CIRCLE, 0.1),
    ],
)
def test_it_is_near_the_posterior_by_quadrature(pairs, outcome, lapse):
    state = asked(3, pairs, outcome)
    mean, covariance = by_quadrature(state, 1.0, lapse=lapse)
    found = believe(state, spread=1.0, lapse=lapse)
    assert found.mean == pytest.approx(mean, abs=0.01)
    assert found.covariance == pytest.approx(covariance, abs=0.015)


@pytest.mark.parametrize("lapse", [0.0, 0.2])
def test_one_answer_is_matched_exactly(lapse):
    """For one pair the sites are exact: the first two moments of the true posterior."""
    state = asked(3, [[0, 1]], [1])
    mean, covariance = by_quadrature(state, 1.3, lapse=lapse)
    found = believe(state, spread=1.3, lapse=lapse)
    assert found.mean == pytest.approx(mean, abs=2e-3)
    assert found.covariance == pytest.approx(covariance, abs=2e-3)


@pytest.mark.parametrize("lapse", [0.0, 0.05])
def test_at_rest_the_sites_match_the_moments_of_their_tilted_differences(lapse):
    state = next(rehearse(probit_chances(np.linspace(0, 3, 8)), find_strategy("random"), [100], seed=0))
    found = tight(state, 1.0, lapse)
    S, i, j = found.covariance, found.seen.left, found.seen.right
    d, v = found.mean[i] - found.mean[j], S[i, i] + S[j, j] - 2 * S[i, j]
    given = found.seen.wins > 0  # the others wait for their first answer
    told, shift = found.sites[:, 0] * given  # of a win for the left item
    rest = 1 / (1 / v - told)
    middle = rest * (d / v - shift)
    x = middle + np.linspace(-9, 9, 4001)[:, None] * np.sqrt(rest)
    p = np.exp(-((x - middle) ** 2) / (2 * rest) + log_chance(x, lapse))
    p /= p.sum(axis=0)
    mean = (x * p).sum(axis=0)
    width = (((x - mean) ** 2) * p).sum(axis=0)
    telling = told > 1e-9  # an answer against all odds would widen, and is taken to tell nothing
    assert telling[given].all() == (lapse == 0)
    assert mean[telling] == pytest.approx(d[telling], abs=1e-6)
    assert width[telling] == pytest.approx(v[telling], rel=1e-5)
    against = given & ~telling
    assert (width[against] > rest[against]).all()


def tight(state, spread=None, lapse=0.0, before=None, close=1e-12):
    """A fit to the last digit, by default without lapses."""
    usual = believing.CLOSE, believing.SWEEPS
    believing.CLOSE, believing.SWEEPS = close, 2000
    try:
        return believe(state, spread=spread, lapse=lapse, before=before)
    finally:
        believing.CLOSE, believing.SWEEPS = usual


def evidence(state, u, lapse=0.0):
    """Log of the evidence of the spread exp(u) by expectation propagation, with what is thought of it before."""
    found = tight(state, float(np.exp(u)), lapse)
    seen, (told, shift) = found.seen, found.sites
    S, i, j = found.covariance, seen.left, seen.right
    d, v = found.mean[i] - found.mean[j], S[i, i] + S[j, j] - 2 * S[i, j]
    rest, pull = 1 / v - told, d / v - shift
    z = np.array([[1.0], [-1.0]]) * pull / rest / np.sqrt(1 + 1 / rest)
    size = log_chance(z, lapse) - np.log(rest * v) / 2 - d**2 / v / 2 + pull**2 / rest / 2
    said = np.stack([seen.wins, seen.losses])
    whole = np.linalg.slogdet(found.precision.dense())[1] / 2 + seen.n * u
    b = seen.to_items((said * shift).sum(axis=0))
    return float((said * size).sum() - whole + b @ found.mean / 2 - u**2 / 2)


@pytest.fixture(scope="module")
def campaign():
    return next(rehearse(probit_chances(np.linspace(0, 4, 10)), find_strategy("random"), [120], seed=3))


def test_the_spread_is_the_likeliest_one(campaign):
    best = float(np.log(tight(campaign).spread))
    assert approx_fprime([best], lambda u: evidence(campaign, u[0]), 1e-4)[0] == pytest.approx(0, abs=0.02)
    assert evidence(campaign, best) > max(evidence(campaign, best - 0.3), evidence(campaign, best + 0.3))


def test_the_doubt_about_the_spread_is_how_the_evidence_bends(campaign):
    found = tight(campaign)
    best, step = float(np.log(found.spread)), 0.05
    bend = -(evidence(campaign, best + step) - 2 * evidence(campaign, best) + evidence(campaign, best - step)) / step**2
    moved = (tight(campaign, np.exp(best + step)).mean - tight(campaign, np.exp(best - step)).mean) / (2 * step)
    added = found.covariance - found.precision.inverse
    # Sites are held in our version, and follow the spread in this one.
    assert np.trace(added) == pytest.approx(moved @ moved / bend, rel=0.35)
    assert np.linalg.matrix_rank(added, tol=1e-9) == 1
    stated = believe(campaign, spread=found.spread)
    assert stated.covariance == pytest.approx(stated.precision.inverse)


# Lapses


def with_lapses(chance, lapse):
    return lapse / 2 + (1 - lapse) * chance


@pytest.mark.parametrize("lapse", [0.0, 0.05, 0.1])
def test_the_share_of_lapses_is_found(lapse):
    """And with it how far apart the items are, which comes out too small where lapses are not thought of."""
    found, plain, shares = [], [], []
    for seed in range(4):
        truth = np.random.default_rng(seed).normal(0, 2, 30)
        chance = with_lapses(probit_chances(truth), lapse)
        state = next(rehearse(chance, find_strategy("full"), [20 * 435], seed=seed))
        belief = believe(state)
        shares.append(belief.lapse)
        found.append(np.std(belief.mean) / np.std(truth))
        plain.append(np.std(believe(state, lapse=0.0).mean) / np.std(truth))
    assert np.mean(shares) == pytest.approx(lapse, abs=0.015)
    assert np.mean(found) == pytest.approx(1, abs=0.06)
    assert (np.mean(plain) < 0.7) == (lapse > 0)


def test_the_share_of_lapses_is_the_likeliest_one():
    chance = with_lapses(probit_chances(np.linspace(0, 5, 12)), 0.1)
    found = believe(state := next(rehearse(chance, find_strategy("full"), [1200], seed=4)))
    u = float(np.log(found.spread))

    def value(lapse):
        return evidence(state, u, lapse) + LOOKED * np.log1p(-lapse)

    assert found.lapse > 0.05
    assert value(found.lapse) > max(value(found.lapse - 0.04), value(found.lapse + 0.04))


@given(st.integers(0, 10**6))
def test_the_likeliest_share_has_no_better_one_beside_it(seed):
    rng = np.random.default_rng(seed)
    chance, said = rng.uniform(size=(2, 30)) ** 3, rng.uniform(0, 40, size=(2, 30))
    best = likeliest(chance, said)

    def value(share):
        return (said * np.log(share / 2 + (1 - share) * chance)).sum() + LOOKED * np.log1p(-share)

    assert 0 <= best <= 0.5
    assert value(best) >= max(value(share) for share in np.linspace(0, 0.5, 51)) - 1e-6


def test_an_impossible_answer_is_a_lapse_and_breaks_nothing():
    assert 0 < likeliest(np.array([1.0, 0.0]), np.array([99.0, 1.0])) < 0.05
    far = [[0, 1], [1, 2], [2, 3], [3, 4]] * 200
    found = believe(asked(5, [*far, [4, 0], [4, 0]], [*np.ones(800), 1, 1]))
    assert np.isfinite(found.mean).all()
    assert (np.diff(found.mean) < 0).all()


def test_few_answers_show_no_lapses():
    assert believe(asked(3, [[0, 1]] * 12, [1] * 11 + [0])).lapse == 0.0


def test_closer_items_have_a_smaller_spread():
    found = [
        believe(next(rehearse(probit_chances(np.linspace(0, wide, 20)), find_strategy("full"), [950], seed=1))).spread
        for wide in (1, 5, 20)
    ]
    assert found[0] == pytest.approx(0.3, abs=0.1)
    assert found[1] == pytest.approx(1.5, abs=0.4)
    assert found[2] > 4


def test_known_errors_are_as_large_as_it_says():
    """Over 40 crowds whose scores are as spread as the prior has it: the squared error is the variance."""
    squares, variances = [], []
    for run in range(40):
        truth = np.random.default_rng(run).normal(0, 1, 12)
        belief = believe(next(rehearse(probit_chances(truth), find_strategy("optimal"), [132], seed=run)))
        squares.append(np.var(belief.mean - truth))
        variances.append((np.trace(belief.covariance) - belief.covariance.sum() / 12) / 12)
    assert np.mean(squares) == pytest.approx(np.mean(variances), rel=0.15)


@given(st.integers(0, 10**6))
def test_order_side_and_splitting_of_answers_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    i = rng.integers(6, size=25)
    j = (i + rng.integers(1, 6, size=25)) % 6
    state = asked(6, np.column_stack([i, j]), rng.integers(0, 2, 25), rng.uniform(0.2, 2, 25))
    order = rng.permutation(25)
    turned = asked(6, np.column_stack([j, i])[order], 1 - state.outcome[order], state.weight[order])
    halves = asked(6, np.tile(np.column_stack([i, j]), (2, 1)), np.tile(state.outcome, 2), np.tile(state.weight / 2, 2))
    for other in (turned, halves):
        assert believe(other).mean == pytest.approx(believe(state).mean, abs=1e-6)


def test_pairs_are_counted_alike_whether_few_or_many():
    state = next(rehearse(probit_chances(np.linspace(0, 3, 30)), find_strategy("random"), [300], seed=0))
    few = observed(state)
    usual, believing.DENSE = believing.DENSE, 0
    try:
        many = observed(state)
    finally:
        believing.DENSE = usual
    for name in ("left", "right", "wins", "losses"):
        assert getattr(few, name) == pytest.approx(getattr(many, name))


def test_a_belief_can_begin_where_another_ended(campaign):
    begun = believe(campaign)
    more = campaign.with_answers(np.array([[0, 9], [3, 4]]), np.array([0.0, 1.0]))
    assert believe(more, before=begun).mean == pytest.approx(believe(more).mean, abs=3e-3)
    assert believe(more, before=begun).sweeps < believe(more).sweeps


def test_many_items_are_believed_as_few_are(monkeypatch):
    """Beyond SMALL items variances of pairs are approximate; the means hardly move."""
    state = next(rehearse(probit_chances(np.linspace(0, 4, 60)), find_strategy("random"), [900], seed=0))
    exact = believe(state)
    monkeypatch.setattr("sidewise.models.spread.SMALL", 10)
    near = believe(state)
    assert near.mean == pytest.approx(exact.mean, abs=0.05 * np.sqrt(exact.variance.max()))


def test_sites_found_on_many_cores_are_those_found_on_one(monkeypatch):
    """Each thread writes its own part of the sites, whichever comes first."""
    state = next(rehearse(probit_chances(np.linspace(0, 4, 60)), find_strategy("random"), [900], seed=0))
    together = believe(state)
    monkeypatch.setattr(likelihood, "SHARD", 7)
    apart = believe(state)
    assert len(list(apart.seen.shards())) > 10
    assert apart.sites == pytest.approx(together.sites, rel=1e-9)
    assert apart.mean == pytest.approx(together.mean, abs=1e-12)


def test_unanimous_answers_leave_finite_scores():
    n = 30
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    found = believe(asked(n, pairs * 20, np.ones(20 * len(pairs))))
    assert np.isfinite(found.mean).all()
    assert (np.diff(found.mean) < 0).all()
    assert np.isfinite(found.covariance).all()


# One answer more


def chances_of(n, wide, seed):
    return probit_chances(np.random.default_rng(seed).uniform(0, wide, n))


@pytest.mark.parametrize(("i", "j", "outcome"), [(3, 7, 1.0), (7, 3, 0.0), (0, 39, 0.0), (5, 6, 0.5)])
def test_one_answer_more_is_what_a_fit_says(i, j, outcome):
    state = next(rehearse(chances_of(40, 4, 1), find_strategy("full"), [5 * 780], seed=1))
    begun = tight(state, 1.2)
    running = Running.of(begun).after(i, j, outcome)
    again = tight(state.with_answers(np.array([[i, j]]), np.array([outcome])), 1.2)
    moved = np.abs(again.mean - begun.mean).max()
    assert np.abs(running.mean - again.mean).max() < 0.01 * moved
    assert np.abs(running.covariance - again.covariance).max() < 0.1 * np.abs(again.covariance - begun.covariance).max()


@pytest.mark.parametrize(("n", "lapse"), [(50, 0.0), (120, 0.0), (50, 0.05)])
def test_after_five_standard_trials_it_stays_within_a_millionth_of_a_fit(n, lapse):
    """With as many data as the paper has; where they are few, more sites matter than can be followed."""
    rng, chance = np.random.default_rng(n), with_lapses(chances_of(n, 5, 2), lapse)
    state = next(rehearse(chance, find_strategy("full"), [5 * n * (n - 1) // 2], seed=1))
    running = Running.of(begun := tight(state, 1.4, lapse))
    for _ in range(20):
        i, j = rng.choice(n, 2, replace=False).tolist()
        outcome = float(rng.random() < chance[i, j])
        running = running.after(i, j, outcome)
        state = state.with_answers(np.array([[i, j]]), np.array([outcome]))
    again = tight(state, 1.4, lapse, before=begun)
    assert running.mean == pytest.approx(again.mean, abs=1e-6)
    assert running.covariance == pytest.approx(again.precision.inverse, abs=1e-6)
    assert np.abs(again.mean - begun.mean).max() > 1e-3  # they have moved


def test_an_answer_leaves_what_was_believed_before_it_as_it_was():
    state = next(rehearse(chances_of(12, 3, 4), find_strategy("full"), [100], seed=1))
    before = Running.of(tight(state, 1.0))
    kept = before.mean.copy(), before.covariance.copy(), before.sites.copy(), before.pull.copy()
    before.after(0, 1, 1.0)
    before.after(1, 0, 1.0, weight=0.3)
    for now, then in zip((before.mean, before.covariance, before.sites, before.pull), kept, strict=True):
        np.testing.assert_array_equal(now, then)


def test_a_new_pair_and_a_new_item_can_be_answered():
    state = asked(6, [[0, 1], [1, 2], [2, 3], [0, 3]], [1, 1, 0, 1])
    running = Running.of(tight(state, 1.0)).after(5, 0, 1.0, weight=0.5)
    more = replace(state.with_answers(np.array([[5, 0]]), np.ones(1)), weight=np.array([1, 1, 1, 1, 0.5]))
    again = tight(more, 1.0)
    assert running.mean == pytest.approx(again.mean, abs=1e-6)
    assert running.covariance == pytest.approx(again.covariance, abs=1e-6)


def test_rounding_does_not_add_up():
    """After 100 answers the covariance is still the inverse of what the sites say, and the means are its product."""
    rng = np.random.default_rng(0)
    chance = chances_of(30, 3, 0)
    running = Running.of(believe(next(rehearse(chance, find_strategy("random"), [200], seed=0))))
    for _ in range(100):
        i, j = rng.choice(30, 2, replace=False)
        running = running.after(int(i), int(j), float(rng.random() < chance[i, j]))
    anew = running.belief
    assert running.covariance == pytest.approx(anew.precision.inverse, abs=1e-10)
    assert running.mean == pytest.approx(anew.mean, abs=1e-7)


def test_the_pieces_fit():
    state = asked(3, [[0, 1], [1, 2]], [1, 0])
    found = believe(state, spread=1.0)
    again = told_by(found.seen, found.sites, 1.0)
    assert isinstance(again, Belief)
    assert again.mean == pytest.approx(found.mean)
    assert doubtful(Processor(), found) == pytest.approx(found.covariance)
    flat = without(np.zeros(1), np.ones(1), np.zeros((2, 2, 1))).matched(0.0)
    assert flat[0, 0] == pytest.approx(flat[0, 1])
    assert flat[1, 0] == pytest.approx(-flat[1, 1])


@pytest.mark.parametrize("seed", range(3))
def test_a_belief_that_begins_with_one_of_fewer_answers_ends_where_one_from_nothing_does(seed):
    """Also where the first answer comes that says the other thing about a pair whose items are far apart."""
    chance = probit_chances(np.random.default_rng(seed).uniform(0, 20, 40))
    before = None
    for state in rehearse(chance, find_strategy("random"), [40, 80, 120, 160, 200], seed=seed):
        warm, cold = believe(state, before=before), tight(state, None, None)
        assert (warm.sites[0] >= 0).all()
        # With an answer or two about an item the spread creeps, and a sweep that moves it by 0.1 % is the last.
        assert warm.mean == pytest.approx(cold.mean, abs=0.1 * np.sqrt(cold.variance.max()))
        assert warm.spread == pytest.approx(cold.spread, rel=0.05)
        before = warm
