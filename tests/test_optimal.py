"""Our strategy: gains against numerical integration, rounds against plain loops, goals, and both kinds of machines."""

from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import kendalltau, norm

import sidewise as sw
from sidewise.sampling import STRATEGIES, State
from sidewise.sampling import optimal as module
from sidewise.sampling.algebra import Accelerator, Processor, algebra
from sidewise.sampling.belief import believe
from sidewise.sampling.gains import fall, gains, narrowed, swaps
from sidewise.sampling.optimal import matched, optimal
from sidewise.sampling.rehearsal import probit_chances, rehearse

HERE = Processor()


def normal(n, seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n + 2))
    return rng.normal(size=n), root @ root.T / n


@pytest.fixture(params=["numpy", "torch"])
def place(request):
    if request.param == "numpy":
        return Processor()
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'sidewise[gpu]'")
    return Accelerator("cpu")


def expected_variance(m, v, lapse=0.0):
    """Of d ~ N(m, v) after an answer, by integrating over d and adding up both outcomes."""

    def moment(sign, power):
        def weighed(d):
            return d**power * norm.pdf(d, m, np.sqrt(v)) * (lapse / 2 + (1 - lapse) * ndtr(sign * d))

        wide = 12 * np.sqrt(v)
        return quad(weighed, m - wide, m + wide, limit=200)[0]

    total = 0.0
    for sign in (1, -1):
        chance, first, second = (moment(sign, power) for power in (0, 1, 2))
        total += second - first**2 / chance
    return total


@pytest.mark.parametrize("lapse", [0.0, 0.1])
@pytest.mark.parametrize(("m", "v"), [(0, 1), (0.5, 0.01), (-2, 0.3), (3, 4), (1, 30), (4, 0.5)])
def test_the_fall_of_the_variance_is_what_integration_gives(place, m, v, lapse):
    found = place.home(fall(place, place.array(np.array([float(m)])), place.array(np.array([float(v)])), lapse))[0]
    assert v - v**2 * found == pytest.approx(expected_variance(m, v, lapse), rel=1e-7)


@pytest.mark.parametrize("lapse", [0.0, 0.1, 0.5])
def test_far_apart_an_answer_tells_nothing_and_breaks_nothing(lapse):
    m = np.array([40.0, 400.0, 1e6])
    assert fall(HERE, m, np.ones(3), lapse) == pytest.approx(0, abs=1e-30)


@pytest.mark.parametrize("lapse", [0.0, 0.1])
def test_a_gain_is_the_expected_fall_of_the_total_variance(lapse):
    """By the two posteriors of a pair, weighed by their chances: S after the answer, moment by moment."""
    mean, S = normal(5, 0)
    found = gains(HERE, mean, S, lapse=lapse)
    for i, j in combinations(range(5), 2):
        a, v, m = S[i] - S[j], S[i, i] + S[j, j] - 2 * S[i, j], mean[i] - mean[j]
        after = S - np.outer(a, a) * (v - expected_variance(m, v, lapse)) / v**2
        assert found[i, j] == found[j, i] == pytest.approx(np.trace(S) - np.trace(after), rel=1e-6)


def test_a_weighted_gain_is_the_fall_of_the_weighted_variance():
    mean, S = normal(6, 1)
    C = normal(6, 2)[1]
    found = gains(HERE, mean, S, C)
    i, j = 1, 4
    a, v, m = S[i] - S[j], S[i, i] + S[j, j] - 2 * S[i, j], mean[i] - mean[j]
    assert found[i, j] == pytest.approx((a @ C @ a) * (v - expected_variance(m, v)) / v**2, rel=1e-6)


def test_swaps_are_the_densities_of_differences_at_nothing():
    mean, S = normal(6, 3)
    best = mean >= np.sort(mean)[-2]
    for inside in (None, best):
        found = swaps(HERE, mean, S, inside)
        assert found.sum(axis=1) == pytest.approx(0, abs=1e-12)
        for i, j in combinations(range(6), 2):
            wide = np.sqrt(S[i, i] + S[j, j] - 2 * S[i, j])
            density = norm.pdf(mean[i] - mean[j], scale=wide) * np.sqrt(2 * np.pi)
            counted = inside is None or inside[i] != inside[j]
            assert -found[i, j] == pytest.approx(density if counted else 0)


@pytest.mark.parametrize("lapse", [0.0, 0.1])
def test_narrowing_by_several_pairs_adds_their_precisions(place, lapse):
    mean, S = normal(7, 4)
    first, second = np.array([0, 2, 2]), np.array([1, 3, 5])
    precision = np.linalg.inv(S)
    for i, j in zip(first, second, strict=True):
        e = np.zeros(7)
        e[i], e[j] = 1, -1
        v = e @ S @ e
        rho = (v - expected_variance(mean[i] - mean[j], v, lapse)) / v**2
        precision += np.outer(e, e) * rho / (1 - v * rho)
    found = narrowed(place, place.array(S), place.array(mean), place.array(first), place.array(second), lapse)
    assert place.home(found) == pytest.approx(np.linalg.inv(precision), rel=1e-6)


def test_squares_and_inverses(place):
    rng = np.random.default_rng(0)
    for n, k in ((3, 5), (70, 40), (600, 20)):
        W = rng.normal(size=(n, k))
        assert place.home(place.square(place.array(W))) == pytest.approx(W @ W.T)
        if place.xp is np:
            assert place.square(np.asfortranarray(W)) == pytest.approx(W @ W.T)
    belief = believe(next(rehearse(probit_chances(np.linspace(0, 3, 9)), STRATEGIES["random"], [60])))
    assert place.home(place.inverse(belief.precision)) @ belief.precision.dense() == pytest.approx(np.eye(9), abs=1e-9)


def greedy(gain, count):
    """One by one: the best pair whose items are free."""
    pairs, free = [], set(range(len(gain)))
    for _, i, j in sorted(((-gain[i, j], i, j) for i, j in combinations(range(len(gain)), 2))):
        if i in free and j in free and len(pairs) < count and gain[i, j] > 0:
            pairs.append((i, j))
            free -= {i, j}
    return pairs


@pytest.mark.parametrize("seed", range(5))
def test_matches_are_those_of_a_plain_loop(place, seed, monkeypatch):
    monkeypatch.setattr(module, "JITTER", 0.0)
    monkeypatch.setattr(module, "WORTH", 0.0)
    gain = np.random.default_rng(seed).exponential(size=(12, 12))
    gain = gain + gain.T
    np.fill_diagonal(gain, -np.inf)
    found = matched(place, place.array(gain.copy()), 6, 6, np.random.default_rng(0))
    assert list(map(tuple, found.tolist())) == greedy(gain, 6)


def test_a_round_ends_where_gains_are_small_unless_its_share_is_missing(monkeypatch):
    monkeypatch.setattr(module, "JITTER", 0.0)
    gain = np.full((8, 8), -np.inf)
    for i, j, worth in ((0, 1, 10.0), (2, 3, 9.5), (4, 5, 5.0), (6, 7, 1.0)):
        gain[i, j] = gain[j, i] = worth
    assert matched(HERE, gain.copy(), 8, 1, np.random.default_rng(0)).tolist() == [[0, 1], [2, 3]]
    assert len(matched(HERE, gain.copy(), 8, 3, np.random.default_rng(0))) == 3


def test_many_pairs_may_be_wanted_of_few_items():
    answers = State.empty(5).with_answers(np.array([[0, 1], [1, 2]]), np.ones(2))
    pairs = optimal(answers, 50, np.random.default_rng(0))
    assert sorted(map(tuple, pairs.tolist())) == list(combinations(range(5), 2))


def test_it_asks_where_least_is_known():
    """Items nobody has asked about, items that are close, and, of two such pairs, the one about more items."""
    chance = probit_chances(np.array([0, 0.1, 3, 6, 6.1]))
    state = next(rehearse(chance, STRATEGIES["full"], [200], seed=0))
    pairs = {tuple(pair) for pair in optimal(state, 2, np.random.default_rng(0)).tolist()}
    assert pairs <= {(0, 1), (3, 4), (1, 2), (2, 3), (0, 2), (2, 4)}
    unseen = replace(state, n=6)
    assert 5 in optimal(unseen, 1, np.random.default_rng(0))[0]


def test_pairs_that_are_out_count_as_asked():
    """Their items are known better once the answers are in: others come first."""
    state = next(rehearse(probit_chances(np.linspace(0, 2, 12)), STRATEGIES["random"], [40], seed=0))
    best = optimal(state, 6, np.random.default_rng(0))
    then = optimal(replace(state, out=np.repeat(best, 3, axis=0)), 6, np.random.default_rng(0))
    assert not {tuple(pair) for pair in best.tolist()} & {tuple(pair) for pair in then.tolist()}


@pytest.mark.parametrize("goal", [{}, {"goal": "ranking"}, {"goal": "top", "top": 3}])
def test_pytorch_chooses_the_same_pairs(goal):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'sidewise[gpu]'")
    state = next(rehearse(probit_chances(np.linspace(0, 5, 40)), STRATEGIES["random"], [300], seed=0))
    state = replace(state, usable=np.random.default_rng(0).random((40, 40)) < 0.7, out=np.array([[0, 1], [4, 9]]))
    state = replace(state, usable=state.usable | state.usable.T)
    here, there = (optimal(state, 39, np.random.default_rng(1), device=device, **goal) for device in (None, "cpu"))
    assert here.tolist() == there.tolist()


def test_a_device_that_is_not_there_is_refused():
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'sidewise[gpu]'")
    with pytest.raises(sw.SidewiseError, match=r"device='tpu-9' is not there; leave it out"):
        algebra("tpu-9")


def test_without_pytorch_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(sw.errors.MissingExtra, match=r"pip install 'sidewise\[gpu\]'"):
        algebra("cuda")


def rehearsed(strategy, runs, n=16, wide=5.0, answers=240):
    """Kendall's tau, whether the top three are right, and RMSE, of every run."""
    found = []
    for run in range(runs):
        truth = np.random.default_rng([run, 1]).uniform(0, wide, n)
        mean = believe(next(rehearse(probit_chances(truth), strategy, [answers], seed=run))).mean
        top = set(np.argsort(-mean)[:3]) == set(np.argsort(-truth)[:3])
        found.append((kendalltau(mean, truth)[0], top, np.std(mean - truth)))
    return np.array(found, float)


@pytest.fixture(scope="module")
def accurate():
    return rehearsed(optimal, 40)


def surely(lead):
    """By how many standard errors a lead, run by run, is above nothing."""
    return lead.mean() / (lead.std(ddof=1) / np.sqrt(len(lead)))


def test_the_goal_of_an_order_orders_better(accurate):
    order = rehearsed(partial(optimal, goal="ranking"), 40)
    assert surely(order[:, 0] - accurate[:, 0]) > 2
    assert surely(order[:, 2] - accurate[:, 2]) > 2  # and scores are less accurate for it


def test_a_top_has_a_border_also_where_items_are_level():
    """They all count as best, or none, where the mean of the last decides: nothing would be worth asking."""
    mean = np.array([0.5, 0.0, 0.0, 0.0, -0.5])
    found = [module.leading(mean, 2, np.random.default_rng(seed)) for seed in range(30)]
    assert all(inside.sum() == 2 and inside[0] and not inside[4] for inside in found)
    assert np.sum(found, axis=0)[1:4].min() > 3


@pytest.mark.parametrize("goal", [{"goal": "ranking"}, {"goal": "top", "top": 3}])
@pytest.mark.parametrize("answers", [0, 1, 3, 60_000])
def test_there_is_something_to_ask_for_every_goal(answers, goal):
    """Before anything is known all items are level; in the end, no two of them will change places any more."""
    n = 10
    state = next(rehearse(probit_chances(np.linspace(0, 5, n)), STRATEGIES["random"], [answers], batch=500, seed=1))
    state = replace(state, out=np.array([[0, 1], [2, 3]]))
    pairs = optimal(state, 9, np.random.default_rng(0), **goal)
    assert len({tuple(pair) for pair in pairs.tolist()}) == 9
    assert np.bincount(pairs.ravel(), minlength=n).max() <= 6


def test_the_goal_of_the_top_finds_it_more_often():
    top, accurate = (rehearsed(s, 40, n=20, answers=300) for s in (partial(optimal, goal="top", top=3), optimal))
    assert surely(top[:, 1] - accurate[:, 1]) > 2


@pytest.mark.parametrize("rival", ["random", "asap"])
@pytest.mark.parametrize(("wide", "least"), [(5.0, 0.0), (20.0, 2.0)])
def test_scores_are_more_accurate_than_with_others(rival, wide, least):
    """On a wide range by far; on the medium one it beats chance, and is no worse than asap, which is near the limit."""
    ours, theirs = (np.log(rehearsed(s, 30, wide=wide)[:, 2]) for s in (optimal, STRATEGIES[rival]))
    assert surely(theirs - ours) > (least if rival == "random" or wide > 5 else -2)


def test_on_a_narrow_range_it_is_as_good_as_any_design():
    ours, balanced = (rehearsed(s, 40, wide=1.0, answers=120)[:, 2] for s in (optimal, STRATEGIES["full"]))
    assert surely(ours - balanced) < 2


def test_unreliable_workers_count_for_less():
    rng = np.random.default_rng(0)
    ids = [f"i{k}" for k in range(8)]
    pairs = rng.integers(8, size=(400, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    who = np.where(np.arange(len(pairs)) % 2, "good", "bad")
    won = np.where(who == "good", pairs.min(axis=1), rng.permuted(pairs, axis=1)[:, 0])
    made = sw.Comparisons.from_arrays(
        left=[ids[i] for i in pairs[:, 0]],
        right=[ids[j] for j in pairs[:, 1]],
        winner=[ids[w] for w in won],
        worker=who,
    )
    alone = made.select(who == "good")
    from sidewise.sampling.asking import begun

    state, _ = begun(made, {"bad": 0.0})
    assert believe(state).mean == pytest.approx(believe(begun(alone)[0]).mean)
    turned, _ = begun(made, {"good": -1.0, "bad": 0.0})
    assert believe(turned).mean == pytest.approx(-believe(state).mean, abs=1e-6)
    assert sw.next_pairs(made, batch=4, reliability={"bad": 0.0}) == sw.next_pairs(alone, batch=4)
