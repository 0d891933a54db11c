"""ASAP against a literal version of its paper, and where the data are extreme."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

import literal_asap
from sidewise.models.probit import hazard
from sidewise.sampling.asap import (
    asap,
    asap_approx,
    believed,
    evaluated,
    evaluation_chances,
    filtered,
    information_gain,
    online_gain,
)
from sidewise.sampling.messages import Marginals
from sidewise.sampling.state import State
from sidewise.sampling.what_if import hazard_near, series

CHAIN = [(k, k + 1) for k in range(7)]
UNBEATEN = [(0, k) for k in (1, 2, 3, 4)] * 6
REPEATED = [(0, 1)] * 25 + [(1, 0)] * 3 + [(1, 2)] * 12 + [(2, 3)]
CIRCLE = [(0, 1), (1, 2), (2, 0)] * 4
EXTREME = [(0, 1)] * 60 + [(1, 2)] * 60 + [(0, 2)] * 60
CASES = [(8, CHAIN), (5, UNBEATEN), (4, REPEATED), (3, CIRCLE), (3, EXTREME), (4, []), (6, CHAIN[:2]), (2, [(0, 1)])]


def state_of(n, answers):
    """As a state; every other answer is told from the loser's side."""
    pairs = np.array(answers, np.int64).reshape(-1, 2)
    turned = np.arange(len(pairs)) % 2 == 1
    return State.empty(n).with_answers(np.where(turned[:, None], pairs[:, ::-1], pairs), 1.0 - turned)


@st.composite
def answers(draw):
    n = draw(st.integers(3, 8))
    pair = st.tuples(st.integers(0, n - 1), st.integers(1, n - 1)).map(lambda p: (p[0], (p[0] + p[1]) % n))
    return n, draw(st.lists(pair, max_size=25))


def agree_with_the_paper(n, said):
    settled = believed(state_of(n, said))
    literal = literal_asap.beliefs(n, said, literal_asap.long_run(n, said))
    mean, variance = np.array([literal_asap.moments(belief) for belief in literal]).T
    np.testing.assert_allclose(settled.marginals.mean, mean, atol=1e-9)
    np.testing.assert_allclose(settled.marginals.variance, variance, rtol=1e-9)
    gain = information_gain(settled, ~np.eye(n, dtype=bool))
    np.testing.assert_allclose(gain, literal_asap.gains(n, said), rtol=1e-6, atol=0)


@pytest.mark.parametrize(("n", "said"), CASES)
def test_gains_and_posterior_are_those_of_the_paper(n, said):
    agree_with_the_paper(n, said)


@settings(max_examples=20)
@given(answers())
def test_gains_and_posterior_are_those_of_the_paper_for_random_answers(drawn):
    agree_with_the_paper(*drawn)


@pytest.mark.parametrize(("n", "said"), CASES)
def test_the_fast_version_is_an_assumed_density_filter(n, said):
    known = filtered(state_of(n, said))
    mean, variance = np.array([literal_asap.moments(belief) for belief in literal_asap.filtered(n, said)]).T
    np.testing.assert_allclose(known.mean, mean, atol=1e-10)
    np.testing.assert_allclose(known.variance, variance, rtol=1e-10)
    off = ~np.eye(n, dtype=bool)
    np.testing.assert_allclose(online_gain(known)[off], np.array(literal_asap.online_gains(n, said))[off], rtol=1e-6)


@settings(max_examples=30)
@given(answers())
def test_the_fast_version_takes_answers_in_their_order(drawn):
    n, said = drawn
    mean = [literal_asap.moments(belief)[0] for belief in literal_asap.filtered(n, said)]
    np.testing.assert_allclose(filtered(state_of(n, said)).mean, mean, atol=1e-10)


def test_weights_are_numbers_of_answers_and_ties_half_a_win_for_each():
    pairs = np.array([[0, 1], [1, 2], [0, 1], [1, 0], [2, 3]])
    said = State.empty(4).with_answers(pairs, np.array([1, 0.5, 1, 1, 1]))
    split = State.empty(4).with_answers(pairs[[0, 1, 1, 3, 4]], np.array([1, 1, 0, 1, 1]))
    split.weight[:] = [2, 0.5, 0.5, 1, 1]
    one, two = believed(said).marginals, believed(split).marginals
    np.testing.assert_allclose(one.mean, two.mean, atol=1e-12)
    np.testing.assert_allclose(one.variance, two.variance, atol=1e-12)


def test_a_tie_in_the_fast_version_is_half_a_message_each_way():
    told = filtered(State.empty(2).with_answers(np.array([[0, 1]]), np.array([0.5])))
    won, lost = literal_asap.through_difference(literal_asap.PRIOR, literal_asap.PRIOR)
    precision, shift = literal_asap.times(literal_asap.PRIOR, tuple(np.add(won, lost) / 2))
    np.testing.assert_allclose(told.precision, precision)
    np.testing.assert_allclose(told.shift, shift, atol=1e-15)


def test_a_pair_that_is_out_counts_as_answered_as_expected():
    known = state_of(3, [(0, 1), (1, 2)])
    now = believed(known).marginals
    chance = ndtr(now.standardised()[2, 0])
    out = State(3, known.left, known.right, known.outcome, known.weight, np.array([[2, 0]]))
    told = known.with_answers(np.array([[2, 0]]), np.array([chance]))
    np.testing.assert_allclose(believed(out).marginals.mean, believed(told).marginals.mean, atol=1e-10)
    expected = filtered(known)
    told = known.with_answers(np.array([[2, 0]]), ndtr(expected.standardised()[2, 0])[None])
    np.testing.assert_allclose(filtered(out).mean, filtered(told).mean, atol=1e-12)
    np.testing.assert_allclose(filtered(out).variance, filtered(told).variance, atol=1e-12)


@pytest.mark.parametrize("strategy", [asap, asap_approx])
def test_one_pair_is_the_best_of_all(strategy):
    said = [(0, 1), (0, 1), (1, 2), (3, 4), (0, 3), (3, 0), (2, 4)]
    gains = np.array((literal_asap.gains if strategy is asap else literal_asap.online_gains)(5, said))
    options = {"selective": False} if strategy is asap else {}
    ((i, j),) = strategy(state_of(5, said), 1, np.random.default_rng(0), **options)
    assert gains[i, j] == gains.max()


def test_pairs_are_weighed_by_how_unsure_their_answer_is():
    """Q_ij = min(p_ij, p_ji), scaled to 1 in every row (section III-C of the paper)."""
    rng = np.random.default_rng(3)
    marginals = Marginals(rng.uniform(2, 9, 7), rng.normal(0, 6, 7))
    usable = rng.random((7, 7)) < 0.7
    usable = (usable | usable.T) & ~np.eye(7, dtype=bool)
    found = evaluation_chances(marginals, usable)
    mean, variance = marginals.mean, marginals.variance
    for i in range(7):
        row = []
        for j in range(i):
            p = ndtr((mean[i] - mean[j]) / np.sqrt(1 + variance[i] + variance[j]))
            row.append(min(p, 1 - p) if usable[i, j] else 0.0)
        np.testing.assert_allclose(found[i, :i], np.array(row) / (max(row, default=0) or 1), rtol=1e-9)
        assert not found[i, i:].any()


def test_items_stay_joined_however_sure_all_answers_are():
    from scipy.sparse.csgraph import connected_components

    marginals = Marginals(np.full(30, 1e4), np.arange(30) * 40e4)  # 40 standard deviations apart, and no underflow
    usable = ~np.eye(30, dtype=bool)
    for seed in range(20):
        chosen = evaluated(marginals, usable, np.random.default_rng(seed))
        assert (chosen == chosen.T).all()
        assert connected_components(chosen)[0] == 1
        assert chosen.sum() / 2 <= 60  # of 435


def test_items_stay_joined_where_few_pairs_may_be_asked():
    """A chain of allowed pairs is weighed as a whole, and so is a single bridge between two groups."""
    rng = np.random.default_rng(0)
    marginals = Marginals(np.full(12, 50.0), 50 * rng.permutation(12) * 2.0)
    chain = np.eye(12, k=1, dtype=bool) | np.eye(12, k=-1, dtype=bool)
    groups = np.kron(np.eye(2), np.ones((6, 6))).astype(bool) & ~np.eye(12, dtype=bool)
    groups[0, 11] = groups[11, 0] = True
    for seed in range(20):
        assert (evaluated(marginals, chain, np.random.default_rng(seed)) == chain).all()
        weighed = evaluated(marginals, groups, np.random.default_rng(seed))
        assert not (weighed & ~groups).any()
        assert weighed[0, 11]


@settings(max_examples=100)
@given(st.floats(-30, 8), st.floats(-2.5, 2.5))
def test_the_series_of_the_hazard_is_as_good_as_its_definition(centre, away):
    """Relative to the change, which is what the gains are made of."""
    z = np.array([centre + away])
    exact, start = hazard(z), hazard(np.array([centre]))
    found = hazard_near(z, np.array([centre]), series(np.array([centre])))
    assert abs(found - exact) <= 1e-8 * abs(exact - start) + 1e-14


@pytest.mark.parametrize("said", [[(0, 1)] * 5000, [(0, 1)] * 2500 + [(1, 0)] * 2500, [(0, 1), (1, 2), (2, 0)] * 1500])
def test_thousands_of_answers_about_one_pair(said):
    """Messages rest at once, and gains stay finite and positive."""
    said = state_of(4, said)
    settled = believed(said)
    assert settled.sweeps < 60
    off = ~np.eye(4, dtype=bool)
    for gain in (information_gain(settled, off), online_gain(filtered(said))):
        assert np.isfinite(gain[off]).all()
        assert (gain[off] > 0).all()


def test_a_long_chain_comes_to_rest():
    """News travels one item a sweep: 60 items in a chain, each beating the next in most of 40 answers."""
    said = state_of(60, [pair for k in range(59) for pair in [(k, k + 1)] * 28 + [(k + 1, k)] * 12])
    settled = believed(said)
    assert settled.sweeps < 1000
    mean = settled.marginals.mean
    assert (np.diff(mean) < 0).all()
    np.testing.assert_allclose(mean, -mean[::-1], atol=1e-9)
