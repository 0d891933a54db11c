"""Simulated crowds behave as they are told to."""

import subprocess
import sys
from dataclasses import fields
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidewise as sw
from sidewise import simulate
from sidewise.simulate import KINDS, crowd
from sidewise.simulate.design import different_pairs, distinct
from sidewise.simulate.kinds import find_kind

ROOT = Path(__file__).parents[1]
MANY = 40_000
ITEMS = {"a": -1.5, "b": -0.5, "c": 0.0, "d": 0.4, "e": 1.6}
BRAND = {"a": 1, "b": 0, "c": 0, "d": 1, "e": 0}


def sigma(x):
    return 1 / (1 + np.exp(-x))


def seen(made):
    """The lead of the left item, and the answers."""
    score = np.array([made.truth[item] for item in made.comparisons.items])
    return score[made.comparisons.left] - score[made.comparisons.right], made.comparisons


def alone(kind, **options):
    """The answers of one worker of a kind, many of them."""
    return crowd(list(ITEMS), kinds=[kind], comparisons=MANY, scores=ITEMS, factors={"brand": BRAND}, **options)


def assert_follows(outcome, chance, *, within=5):
    """Frequencies agree with chances for every value of the chance, and over all, within so many standard errors."""
    for value in np.unique(np.round(chance, 12)):
        here = np.isclose(chance, value)
        error = np.sqrt(max(value * (1 - value), 1e-12) / here.sum())
        assert abs(outcome[here].mean() - value) <= within * error + 1e-12, (value, outcome[here].mean(), here.sum())


WORKERS = {
    "honest": simulate.Honest(),
    "honest, now and then": simulate.Honest(0.6),
    "random": simulate.Random(),
    "always left": simulate.AlwaysLeft(),
    "always right": simulate.AlwaysRight(),
    "drawn to the left": simulate.OneSided(2.0),
    "drawn to the right": simulate.OneSided(-2.0),
    "contrary": simulate.Contrary(),
    "contrary, now and then": simulate.Contrary(0.6),
    "sleepy": simulate.Sleepy(0.25, 0.8),
    "for the brand": simulate.FactorBiased("brand"),
    "for the brand, now and then": simulate.FactorBiased("brand", 0.3),
    "sensitive": simulate.Sensitive(-0.7, {"side": 0.5, "brand": 1.2}),
    "CrowdBT": simulate.CrowdBT(0.8),
    "factorBT": simulate.FactorBT(0.4, {"side": -0.5, "brand": 2.0}),
}


def formulas(d, x, t):
    """The chance of "left" for the workers above, written a second time: d the lead, x the brand, t the progress."""
    return {
        "honest": sigma(d),
        "honest, now and then": 0.6 * sigma(d) + 0.2,
        "random": 0.5 + 0 * d,
        "always left": 1 + 0 * d,
        "always right": 0 * d,
        "drawn to the left": sigma(d + 2),
        "drawn to the right": sigma(d - 2),
        "contrary": sigma(-d),
        "contrary, now and then": 0.6 * sigma(-d) + 0.2,
        "sleepy": np.where(t < 0.25, 0.8 * sigma(d) + 0.1, 0.5),
        "for the brand": np.select([x > 0, x < 0], [1.0, 0.0], sigma(d)),
        "for the brand, now and then": np.where(x == 0, sigma(d), 0.3 * (x > 0) + 0.7 * sigma(d)),
        "sensitive": sigma(-0.7 * d + 0.5 + 1.2 * x),
        "CrowdBT": 0.8 * sigma(d) + 0.2 * sigma(-d),
        "factorBT": sigma(0.4) * sigma(d) + (1 - sigma(0.4)) * sigma(2 * x - 0.5),
    }


@pytest.mark.parametrize("name", WORKERS)
def test_a_kind_answers_by_its_formula(name):
    made = alone(WORKERS[name], seed=1)
    lead, answers = seen(made)
    assert set(np.unique(answers.factors["brand"])) == {-1.0, 0.0, 1.0}
    assert_follows(answers.outcome, formulas(lead, answers.factors["brand"], np.arange(MANY) / MANY)[name])


@pytest.mark.parametrize("name", WORKERS)
def test_workers_of_different_parameters_are_answered_for_at_once_as_one_by_one(name):
    """The formula for many workers, each with parameters of their own, is the formula of each."""
    from sidewise.simulate.crowd import answering
    from sidewise.simulate.kinds import Seen

    rng = np.random.default_rng(3)
    plain = [find_kind("honest"), WORKERS[name], WORKERS[name], simulate.Honest(0.1)]
    twin = {"honest": simulate.Honest(0.3), "sleepy": simulate.Sleepy(0.9), "factorBT": simulate.FactorBT(3.0)}
    kinds = [*plain, twin.get(name, WORKERS[name])]
    who = rng.integers(len(kinds), size=500)
    rows = Seen(
        rng.normal(size=500), {"brand": rng.integers(-1, 2, 500).astype(float)}, rng.random(500),
        rng.integers(2**63, size=500).astype(np.uint64), rng.random(500) < 0.5,
    )  # fmt: skip
    chance, attention = answering(kinds, who, rows)
    for code, kind in enumerate(kinds):
        mine = who == code
        assert np.allclose(chance[mine], kind.chance(rows.rows(mine)))
        assert np.allclose(attention[mine], kind.attention(rows.rows(mine)))


def test_a_ring_agrees_on_one_item_for_every_pair_and_rings_do_not_agree_with_one_another():
    ring = [simulate.Colluding()] * 4 + [simulate.Colluding(2)] * 4
    made = crowd(60, kinds=ring, comparisons=MANY, seed=5)
    answers = made.comparisons
    won = np.where(answers.outcome == 1, answers.left, answers.right)
    pair = np.minimum(answers.left, answers.right) * 60 + np.maximum(answers.left, answers.right)
    agreed = []
    for members in (answers.worker < 4, answers.worker >= 4):
        said = {}
        for code, winner in zip(pair[members].tolist(), won[members].tolist(), strict=True):
            assert said.setdefault(code, winner) == winner
        agreed.append(said)
    both = agreed[0].keys() & agreed[1].keys()
    assert np.mean([agreed[0][code] == agreed[1][code] for code in both]) == pytest.approx(0.5, abs=0.06)
    assert np.mean([agreed[0][code] == code // 60 for code in agreed[0]]) == pytest.approx(0.5, abs=0.06)
    assert answers.outcome.mean() == pytest.approx(0.5, abs=0.02)


def test_the_sleepy_fall_asleep_each_in_their_own_time():
    made = crowd(list(ITEMS), kinds=["sleepy:0.5"] * 20, comparisons=MANY, scores={**ITEMS, "e": 50.0}, seed=2)
    lead, answers = seen(made)
    clear = np.abs(lead) > 40
    correct = (answers.outcome == 1) == (lead > 0)
    for worker in range(20):
        mine = np.flatnonzero(answers.worker == worker)
        first, second = np.array_split(mine, [int(np.ceil(len(mine) / 2))])
        assert correct[first][clear[first]].all()
        assert correct[second][clear[second]].mean() == pytest.approx(0.5, abs=0.1)


def test_shares_of_kinds_are_kept_and_the_rest_is_honest():
    shares = {"random": 0.1, simulate.Honest(0.9): 0.3, "one-sided": 0.4}
    made = crowd(5, workers=50, kinds=shares, seed=1)
    counted = {kind: list(made.kinds.values()).count(kind) for kind in set(made.kinds.values())}
    assert counted == {"random": 5, "one-sided": 20, "honest": 25}
    table = made.workers.to_pylist()
    assert [row["reliability"] for row in table].count(0.9) == 15
    assert {row["side_bias"] for row in table} == {None, 3.0, -3.0}  # to either side
    assert [row["answers"] for row in table] == np.bincount(made.comparisons.worker, minlength=50).tolist()
    assert [row["kind"] for row in table] != sorted(made.kinds.values())  # dealt at random
    assert made.comparisons.workers == sw.Index(row["worker"] for row in table)


@given(st.dictionaries(st.sampled_from(sorted(KINDS)), st.floats(0, 0.2), max_size=5), st.integers(1, 60))
def test_no_kind_has_one_worker_more_or_less_than_its_share(shares, workers):
    made = crowd(4, workers=workers, comparisons=20, kinds=shares, ties=0.5)
    kinds = list(made.kinds.values())
    assert len(kinds) == workers
    for kind, share in shares.items():
        if kind != "honest":
            assert abs(kinds.count(kind) - share * workers) < 1.0 + 1e-9


@given(st.integers(0, 2**32), st.sampled_from(sorted(KINDS)), st.floats(0, 1))
def test_the_same_seed_gives_the_same_crowd(seed, kind, ties):
    some, again, other = (
        crowd(8, comparisons=60, kinds={kind: 0.5}, factors=["brand"], ties=ties, seed=number)
        for number in (seed, seed, seed + 1)
    )
    assert some.comparisons.digest == again.comparisons.digest != other.comparisons.digest
    assert some.truth == again.truth
    assert some.workers.equals(again.workers)


def test_a_factor_that_nobody_follows_changes_no_answer():
    plain, branded = (crowd(8, comparisons=500, ties=0.2, factors=names) for names in ((), ("brand", "font")))
    assert np.array_equal(plain.comparisons.outcome, branded.comparisons.outcome)
    assert np.array_equal(plain.comparisons.left, branded.comparisons.left)


def test_factors_of_items_are_had_by_half_of_them_and_those_of_pairs_turn_with_the_pair():
    made = crowd(11, comparisons=5000, factors={"brand": "item", "font": "pair"}, seed=4)
    answers, has = made.comparisons, np.array(made.items["brand"])
    assert sorted(has.tolist()) == [0.0] * 6 + [1.0] * 5
    assert np.array_equal(answers.factors["brand"], has[answers.left] - has[answers.right])
    assert made.items.column_names == ["item", "score", "brand"]
    font, values = answers.factors["font"], {}
    for left, right, x in zip(answers.left.tolist(), answers.right.tolist(), font.tolist(), strict=True):
        assert values.setdefault((left, right), x) == x
        assert values.get((right, left), -x) == -x
    drawn = np.bincount([int(values[pair]) + 1 for pair in values])
    assert (drawn > 20).all()
    assert not np.signbit(font[font == 0]).any()


@pytest.mark.parametrize("name", ["normal", "uniform", "exponential", "equal-steps"])
def test_scores_have_the_spread_that_was_asked_for(name):
    score = np.array(crowd(20_000, comparisons=10, scores=name, spread=1.7, seed=1).items["score"])
    assert score.std() == pytest.approx(1.7, rel=0.03)
    assert score.mean() == pytest.approx(0, abs=0.05)
    skew = ((score - score.mean()) ** 3).mean() / 1.7**3
    kurtosis = ((score - score.mean()) ** 4).mean() / 1.7**4
    expected = {"normal": (0, 3), "uniform": (0, 1.8), "exponential": (2, 9), "equal-steps": (0, 1.8)}[name]
    assert skew == pytest.approx(expected[0], abs=0.3)
    assert kurtosis == pytest.approx(expected[1], rel=0.3)


def test_scores_may_be_whole_numbers_equal_steps_or_given():
    assert sorted(crowd(7, comparisons=5, scores="integers").truth.values()) == list(range(7))
    steps = sorted(crowd(7, comparisons=5, scores="equal-steps", spread=2).truth.values())
    assert np.diff(steps) == pytest.approx(np.diff(steps)[0])
    assert np.std(steps) == pytest.approx(2)
    assert crowd(["x", "y"], comparisons=5, scores=[2, 3]).truth == {"x": 2, "y": 3}
    assert crowd(["x", "y"], comparisons=5, scores={"y": 1, "x": 4}).truth == {"x": 4, "y": 1}


def test_ties_come_where_scores_are_close():
    lead, answers = seen(crowd(10, comparisons=2000, ties=0.3, seed=2))
    assert np.array_equal(answers.outcome == 0.5, np.abs(lead) < 0.3)


@pytest.mark.parametrize(
    "kind", ["random", "always-left", "one-sided", "colluding", "sensitive", "crowd-bt", "factor-bt"]
)
def test_those_who_do_not_go_by_the_items_alone_call_no_ties(kind):
    assert not (crowd(10, comparisons=2000, ties=5, kinds=[kind] * 3, seed=2).comparisons.outcome == 0.5).any()


def test_the_others_call_ties_when_they_look():
    for kind in (simulate.Honest(0.7), simulate.Contrary(0.7), simulate.Sleepy(0.7)):
        made = crowd(10, comparisons=20_000, ties=5, kinds=[kind])
        assert (made.comparisons.outcome == 0.5).mean() == pytest.approx(0.7, abs=0.02)
    answers = alone("brand-biased", ties=9).comparisons
    assert np.array_equal(answers.outcome == 0.5, answers.factors["brand"] == 0)


def test_the_design_of_the_factor_bt_paper_is_possible():
    """Section 6: 100 objects, 400 pairs, 10 of 100 workers each, scores 0 … 99, two factors, γ and r normal."""
    rng = np.random.default_rng(1)
    gamma, r = rng.normal(size=100), rng.normal(size=(100, 2))
    workers = [simulate.FactorBT(g, {"x1": a, "x2": b}) for g, (a, b) in zip(gamma.tolist(), r.tolist(), strict=True)]
    made = crowd(
        100, kinds=workers, pairs=400, overlap=10, scores="integers", factors={"x1": "pair", "x2": "pair"}, seed=1
    )
    answers = made.comparisons
    pair = np.minimum(answers.left, answers.right) * 100 + np.maximum(answers.left, answers.right)
    assert len(answers) == 4000
    assert np.unique(pair, return_counts=True)[1].tolist() == [10] * 400
    assert len(np.unique(pair * 100 + answers.worker)) == 4000
    assert np.array(made.workers["gamma"]) == pytest.approx(gamma)
    assert np.array(made.workers["x2_bias"]) == pytest.approx(r[:, 1])
    assert np.bincount(answers.worker).mean() == 40
    lead, _ = seen(made)
    x = np.column_stack([answers.factors["x1"], answers.factors["x2"]])
    trust = sigma(gamma)[answers.worker]
    chance = trust * sigma(lead) + (1 - trust) * sigma((x * r[answers.worker]).sum(1))
    z = (answers.outcome - chance).sum() / np.sqrt((chance * (1 - chance)).sum())
    assert abs(z) < 4
    assert answers.outcome[chance > 0.9].mean() > 0.9
    assert answers.outcome[chance < 0.1].mean() < 0.1


def test_every_worker_answers_as_often_as_asked():
    made = crowd(9, workers=7, answers=13, pairs=5, seed=2)
    assert np.bincount(made.comparisons.worker).tolist() == [13] * 7
    pairs = set(zip(made.comparisons.left.tolist(), made.comparisons.right.tolist(), strict=True))
    assert len({frozenset(pair) for pair in pairs}) == 5
    assert len(pairs) > 5  # either way round
    assert len(crowd(9, workers=30, overlap=3, comparisons=60).comparisons) == 60


@given(st.integers(2, 40), st.data())
def test_different_pairs_are_different_and_all_can_be_drawn(n, data):
    count = data.draw(st.integers(1, n * (n - 1) // 2))
    low, high = different_pairs(n, count, np.random.default_rng(0))
    assert (low < high).all()
    assert (low >= 0).all()
    assert (high < n).all()
    assert len(set(zip(low.tolist(), high.tolist(), strict=True))) == count
    low, high = different_pairs(n, n * (n - 1) // 2, np.random.default_rng(0))
    assert set(zip(low.tolist(), high.tolist(), strict=True)) == set(combinations(range(n), 2))


def test_numbers_drawn_together_are_distinct_and_equally_likely():
    drawn = distinct(10, 4, MANY, np.random.default_rng(1))
    assert (np.diff(np.sort(drawn, axis=1), axis=1) > 0).all()
    assert np.bincount(drawn.ravel()) / MANY == pytest.approx(np.full(10, 0.4), abs=0.01)
    together = np.zeros((10, 10))
    for a, b in combinations(range(4), 2):
        np.add.at(together, (drawn[:, a], drawn[:, b]), 1)
    together += together.T
    off = together[~np.eye(10, dtype=bool)] / MANY
    assert off == pytest.approx(np.full(90, 12 / 90), abs=0.01)
    many = distinct(200, 150, 3, np.random.default_rng(1))
    assert all(len(set(row)) == 150 for row in many.tolist())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"items": 1}, "two items"),
        ({"items": "ab"}, "a list of names"),
        ({"items": ["a", "a", "b"]}, "'a' stands more than once"),
        ({"items": ["a", " b"]}, "blanks around"),
        ({"workers": 0}, "one worker"),
        ({"comparisons": 0}, "1 at the least"),
        ({"kinds": {"random": 0.7, "contrary": 0.5}}, "together no more than 1: random 0.7, contrary 0.5"),
        ({"kinds": {"random": -0.1}}, "none below 0"),
        ({"kinds": {"random": float("nan")}}, "none below 0"),
        ({"kinds": {"lazy": 0.1}}, "no kind of worker 'lazy'; there are: honest, random"),
        ({"kinds": "random"}, "kinds holds shares"),
        ({"kinds": {"honest:2": 0.1}}, "reliability is 2.0, which is not between 0 and 1"),
        ({"kinds": {"honest:x": 0.1}}, "honest takes a number after the colon: honest:0.5"),
        ({"kinds": {"random:1": 0.1}}, "random takes nothing after it"),
        ({"kinds": {"colluding:0.5": 0.1}}, "whole numbers"),
        ({"kinds": ["random"] * 3, "workers": 4}, "kinds lists 3"),
        ({"kinds": {"brand-biased": 0.1}}, "follow the factor 'brand', which there is not: add factors=\\['brand'\\]"),
        ({"kinds": [simulate.Sensitive(1, {"font": 1})]}, "'font'"),
        ({"factors": "brand"}, "factors=\\['brand'\\]"),
        ({"factors": ["label"]}, "cannot be named 'label'"),
        ({"factors": ["side"]}, "cannot be named 'side'"),
        ({"factors": {"brand": "worker"}}, "neither 'item' nor 'pair'"),
        ({"factors": {"brand": {"item-0": 1}}}, "no value for the item 'item-1'"),
        ({"factors": {"brand": {f"item-{k}": float("nan") for k in range(5)}}}, "no finite numbers"),
        ({"scores": "cauchy"}, "not one of normal, uniform, exponential, equal-steps, integers"),
        ({"scores": [1, 2]}, "each of the 5 items"),
        ({"scores": {"item-0": 1}}, "none for the item 'item-1'"),
        ({"spread": -1}, "standard deviation"),
        ({"ties": -1}, "difference of scores"),
        ({"pairs": 11}, "5 items have 10 different pairs, and 11 were asked for"),
        ({"overlap": 3, "answers": 2}, "not both"),
        ({"overlap": 51}, "only 50 workers"),
        ({"overlap": 3, "comparisons": 10}, "cannot be shared out"),
        ({"overlap": 3, "pairs": 2, "comparisons": 10}, "pairs times overlap is 6"),
        ({"answers": 3, "comparisons": 10}, "workers times answers is 150"),
    ],
)
def test_crowds_that_cannot_be_are_refused(wrong, message):
    with pytest.raises(sw.SidewiseError, match=message):
        crowd(**{"items": 5, **wrong})


def test_names_of_kinds_find_the_kinds():
    for name, kind in KINDS.items():
        assert find_kind(name) == kind()
        assert find_kind(name).name == name
    assert find_kind("brand-biased:0.4") == simulate.FactorBiased("brand", 0.4)
    assert find_kind("brand-biased").name == "brand-biased"
    assert find_kind("sleepy:0.2") == simulate.Sleepy(awake=0.2)


def test_two_systems_are_compared_query_by_query():
    made = simulate.two_systems(seed=3)
    answers = made.comparisons
    assert (len(answers), len(answers.items), len(answers.workers)) == (2660, 266, 194)
    items = np.array(answers.items)
    assert np.array_equal(
        *(np.char.rpartition(items[side].astype(str), "-")[:, 2] for side in (answers.left, answers.right))
    )
    better_left = np.char.startswith(items[answers.left].astype(str), "better")
    assert better_left.mean() == pytest.approx(0.5, abs=0.04)
    assert np.array_equal(answers.factors["brand"], np.where(better_left, -1.0, 1.0))
    query = answers.left % 133
    assert len(np.unique(query * 194 + answers.worker)) == 2660  # no worker has a query twice
    assert np.bincount(query).tolist() == [20] * 133
    score = np.array(made.items["score"])
    assert (score[:133] - score[133:]).mean() == pytest.approx(1.0, abs=0.25)
    assert sorted(made.kinds.values()).count("factor-bt") == 78
    assert len(simulate.two_systems(125, branded="better").comparisons) == 2500


@pytest.mark.parametrize("kind", ["factor-bt", "sensitive"])
def test_the_biased_are_drawn_to_the_side_and_to_the_brand(kind):
    made = simulate.two_systems(500, biased=1.0, kind=kind, margin=0, spread=0, side_bias=2, brand_bias=0, seed=1)
    assert made.comparisons.outcome.mean() > 0.65
    for branded, sign in (("worse", -1), ("better", 1)):
        made = simulate.two_systems(500, biased=1.0, kind=kind, margin=0, side_bias=0, branded=branded, seed=1)
        assert made.comparisons.outcome[made.comparisons.factors["brand"] > 0].mean() > 0.6
        better = made.comparisons.left < 500
        won = np.where(better, made.comparisons.outcome, 1 - made.comparisons.outcome).mean()
        assert sign * (won - 0.5) > 0.1
    honest = simulate.two_systems(500, biased=0, margin=1, spread=0, seed=1).comparisons
    won = np.where(honest.left < 500, honest.outcome, 1 - honest.outcome).mean()
    assert won == pytest.approx(sigma(1), abs=0.02)


def test_two_systems_that_cannot_be_are_refused():
    for wrong in (
        {"queries": 0},
        {"biased": 2},
        {"branded": "both"},
        {"kind": "honest"},
        {"overlap": 195},
        {"overlap": None},
        {"spread": -1},
        {"margin": "x"},
        {"side_bias": None},
        {"brand_bias": float("nan")},
        {"workers": 10**30},
    ):
        with pytest.raises(sw.SidewiseError):
            simulate.two_systems(**wrong)


def test_everything_public_is_documented_and_in_the_reference():
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    for name in simulate.__all__:
        assert getattr(simulate, name).__doc__, name
        assert f"simulate.{name}" in text, name


def test_the_demo_file_is_the_one_that_its_script_makes(tmp_path):
    for name in ("make_cakes.py",):
        (tmp_path / name).write_text((ROOT / "examples" / name).read_text(encoding="utf-8"), encoding="utf-8")
    subprocess.run([sys.executable, tmp_path / "make_cakes.py"], check=True)  # noqa: S603
    for name in ("cakes.csv", "cakes-truth.csv"):
        assert (tmp_path / name).read_bytes() == (ROOT / "examples" / name).read_bytes()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"items": 2.5}, "items is 2.5"),
        ({"items": None}, "items is None"),
        ({"items": 10**12}, "20,000,000 are the most"),
        ({"workers": "x"}, "workers is 'x'"),
        ({"workers": 2.5}, "workers is 2.5"),
        ({"workers": 10**12}, "20,000,000 are the most"),
        ({"comparisons": 1e9}, "comparisons is 1000000000.0; it is a count"),
        ({"comparisons": 10**12}, "1,000,000,000,000 comparisons; 200,000,000 are the most"),
        ({"workers": 10**6, "answers": 10**6}, "200,000,000 are the most"),
        ({"answers": "x"}, "answers is 'x'"),
        ({"spread": "x"}, "spread is 'x'"),
        ({"kinds": {"random": "x"}}, "kinds are shares of the workers"),
        ({"kinds": 3}, "kinds holds shares"),
        ({"scores": ["x"] * 10}, "neither a distribution nor one number for each item"),
        ({"factors": 3}, "factors is a list of names"),
        ({"factors": [3]}, "a factor cannot be named 3"),
        ({"ties": "x"}, "ties is 'x'"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": None}, "seed is None"),
    ],
)
def test_numbers_of_a_wrong_kind_or_beyond_memory_are_refused(wrong, said):
    with pytest.raises(sw.SidewiseError, match=said):
        crowd(**{"items": 10, **wrong})


@pytest.mark.parametrize("wrong", ["x", None, float("nan"), [1], np.array(["x"]), True])
@pytest.mark.parametrize(
    ("kind", "parameter"),
    [
        (kind, parameter.name)
        for kind in (*KINDS.values(), simulate.FactorBiased)
        for parameter in fields(kind)
        if parameter.name != "factor"
    ],
)
def test_parameters_of_a_worker_are_numbers(kind, parameter, wrong):
    with pytest.raises(sw.SidewiseError, match=f"{parameter} is "):
        kind(**{parameter: wrong})
    if parameter == "biases":
        with pytest.raises(sw.SidewiseError, match="the bias for 'side' is "):
            kind(biases={"side": wrong})


def test_a_factor_that_biases_has_a_name():
    with pytest.raises(sw.SidewiseError, match="factor is 3; it is the name of a factor"):
        simulate.FactorBiased(3)


def test_rings_are_whole_numbers_within_reach():
    for wrong in (-1, 0.5, 1e308):
        with pytest.raises(sw.SidewiseError, match="rings are known by whole numbers"):
            simulate.Colluding(wrong)


@pytest.mark.parametrize("kinds", [[1, 2], [None], [simulate.Honest]])
def test_what_is_no_kind_of_worker_is_refused(kinds):
    with pytest.raises(sw.SidewiseError, match="a kind of worker is a name or an object of one, not"):
        simulate.crowd(10, kinds=kinds)


def test_a_list_of_nobody_is_no_crowd_of_fifty():
    with pytest.raises(sw.SidewiseError, match="lists nobody"):
        simulate.crowd(10, kinds=[])


def test_integers_have_a_spread_of_their_own():
    with pytest.raises(sw.SidewiseError, match="integers have a spread of their own"):
        simulate.crowd(10, scores="integers", spread=3)
