"""Spammers added to answers that others gave, simulated or real."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidewise as sw
from sidewise.simulate import SPAMMER_KINDS, add_spammers, crowd, draw_sides, two_systems

HONEST = crowd(12, workers=30, comparisons=600, factors=["brand"], ties=0.2, seed=1).comparisons


def added(spammed, before):
    """The rows that came in."""
    return spammed.select(np.arange(len(before), len(spammed)))


def rows(answers, *columns):
    """Rows as tuples, to look them up."""
    taken = [answers.left, answers.right, *answers.factors.values(), *columns]
    return list(zip(*(np.asarray(column).tolist() for column in taken), strict=True))


@given(
    st.floats(0, 9), st.sampled_from([*SPAMMER_KINDS, "brand-biased", ("always-left", "brand-biased")]),
    st.integers(0, 99), st.sampled_from([None, 1, 7, 90]),
)  # fmt: skip
def test_spammers_are_as_many_as_asked_and_take_tasks_of_the_data(share, kind, seed, answers):
    spammed = add_spammers(HONEST, share, kind, seed=seed, answers=answers)
    count, each = round(share * 30), answers or 20
    assert len(spammed) == 600 + count * each
    assert spammed.workers[:30] == HONEST.workers[:]
    assert spammed.workers[30:] == tuple(f"spammer-{number:03}" for number in range(1, count + 1))
    assert spammed.select(np.arange(600)).rows.left.tolist() == HONEST.left.tolist()
    assert spammed.items == HONEST.items
    new = added(spammed, HONEST)
    assert np.bincount(new.worker, minlength=30 + count)[30:].tolist() == [each] * count
    assert set(rows(new)) <= set(rows(HONEST))
    assert set(np.unique(new.outcome)) <= {0.0, 1.0}
    assert spammed.digest == add_spammers(HONEST, share, kind, seed=seed, answers=answers).digest


@pytest.mark.parametrize(("share", "kind"), [(0, "always-left"), (0.001, "random"), (0.04, "mixed")])
def test_no_spammers_at_all_and_fewer_than_kinds_are_no_trouble(share, kind):
    spammed = add_spammers(HONEST, share, kind, answers=90)
    assert len(spammed) - len(HONEST) == 90 * round(share * 30)


def test_every_kind_of_spammer_says_what_it_says():
    new = {kind: added(add_spammers(HONEST, 9, kind, seed=1), HONEST) for kind in (*SPAMMER_KINDS, "brand-biased")}
    assert (new["always-left"].outcome == 1).all()
    assert (new["always-right"].outcome == 0).all()
    assert new["random"].outcome.mean() == pytest.approx(0.5, abs=0.03)
    brand, said = new["brand-biased"].factors["brand"], new["brand-biased"].outcome
    assert (said[brand > 0] == 1).all()
    assert (said[brand < 0] == 0).all()
    assert said[brand == 0].mean() == pytest.approx(0.5, abs=0.04)
    contrary = new["contrary"]
    assert set(rows(contrary, 1 - contrary.outcome)) <= set(rows(HONEST, HONEST.outcome))


def test_the_contrary_contradict_and_take_no_ties():
    """One row a pair, so that it is known which row a spammer has contradicted."""
    answers = sw.Comparisons.from_arrays(
        left=list("abcd"), right=list("bcda"), winner=["left", "right", "tie", "left"], worker=list("xyxy")
    )
    new = added(add_spammers(answers, 50, "contrary", seed=3), answers)
    said = {(answers.items[left], outcome) for left, outcome in zip(new.left, new.outcome, strict=True)}
    assert said == {("a", 0.0), ("b", 1.0), ("d", 0.0)}


def test_the_mixed_are_equal_parts():
    new = added(add_spammers(HONEST, 2, "mixed", seed=1), HONEST)
    means = [new.outcome[new.worker == worker].mean() for worker in range(30, 90)]
    assert means[0::4] == [1.0] * 15
    assert means[1::4] == [0.0] * 15
    assert 0 < min(means[2::4] + means[3::4]) < max(means[2::4] + means[3::4]) < 1
    pair = added(add_spammers(HONEST, 1, ["always-right", "always-left"]), HONEST)
    assert sorted(pair.outcome[pair.worker == worker].mean() for worker in range(30, 60)) == [0.0] * 15 + [1.0] * 15


def test_no_spammer_takes_a_row_twice():
    answers = sw.Comparisons.from_arrays(
        left=[f"l{k}" for k in range(40)], right=[f"r{k}" for k in range(40)], winner=["left"] * 40, worker=["w"] * 40
    )
    new = added(add_spammers(answers, 25, "random"), answers)
    assert len(set(zip(new.worker.tolist(), new.left.tolist(), strict=True))) == len(new) == 1000
    fewer = added(add_spammers(answers, 25, "random", answers=10), answers)
    assert len(set(zip(fewer.worker.tolist(), fewer.left.tolist(), strict=True))) == len(fewer) == 250


def test_weights_come_along_with_the_row():
    weighted = replace(HONEST, weight=np.arange(600) + 1.0)
    spammed = add_spammers(weighted, 1.0, "random", seed=2)
    taken = (added(spammed, weighted).weight - 1).astype(int)
    assert np.array_equal(HONEST.left[taken], added(spammed, weighted).left)
    assert np.array_equal(HONEST.factors["brand"][taken], added(spammed, weighted).factors["brand"])


def test_workers_without_answers_do_not_count():
    some = HONEST.select(HONEST.worker < 10)
    spammed = add_spammers(some, 1.0)
    assert len(spammed.workers) == 40
    assert len(spammed) == len(some) + 10 * round(len(some) / 10)


def test_winners_and_losers_stay_winners_and_losers():
    answers = sw.Comparisons.from_arrays(winner=list("aabc"), loser=list("bccd"), worker=list("xyxy"))
    for kind in ("random", "contrary"):
        spammed = add_spammers(answers, 20, kind, seed=1)
        assert not spammed.sided
        assert (spammed.outcome == 1).all()
    pairs = set(rows(added(add_spammers(answers, 20, "contrary", seed=1), answers)))
    assert pairs == {(right, left) for left, right in rows(answers)}


@given(st.integers(0, 2**40))
def test_drawn_sides_keep_what_was_said(seed):
    unsided = replace(HONEST, sided=False)
    drawn = draw_sides(unsided, seed)
    turned = drawn.left != HONEST.left
    assert drawn.sided
    assert turned.mean() == pytest.approx(0.5, abs=0.12)
    for name in ("left", "right", "outcome", "worker"):
        assert np.array_equal(getattr(drawn, name)[~turned], getattr(HONEST, name)[~turned])
        assert np.array_equal(getattr(drawn.mirror(), name)[turned], getattr(HONEST, name)[turned])
    assert np.array_equal(drawn.factors["brand"] * np.where(turned, -1, 1), HONEST.factors["brand"])
    assert np.array_equal(drawn.counts().wins(), unsided.counts().wins())


@pytest.mark.parametrize(
    ("answers", "options", "message"),
    [
        (HONEST, {"share": -0.1}, "0 at the least"),
        (HONEST, {"share": float("nan")}, "0 at the least"),
        (
            HONEST,
            {"kind": "lazy"},
            "no kind of spammer 'lazy'; for these data there are: always-left, .*, brand-biased",
        ),
        (HONEST, {"kind": "font-biased"}, "name the factor when you read the data"),
        (HONEST, {"kind": ()}, "name a kind"),
        (HONEST, {"answers": 0}, "not between 1 and the 600 rows"),
        (HONEST, {"answers": 601}, "not between 1 and the 600 rows"),
        (HONEST, {"answers": 600, "kind": "contrary"}, "decided rows"),
        (replace(HONEST, worker=None), {}, "do not say who said what"),
        (replace(HONEST, sided=False), {}, "draw_sides"),
        (replace(HONEST, sided=False), {"kind": "mixed"}, "--draw-sides"),
        (add_spammers(HONEST, 0.1), {}, "a worker 'spammer-001' already"),
        (HONEST.select(np.zeros(600, bool)), {}, "there are none"),
    ],
)
def test_spammers_that_cannot_be_are_refused(answers, options, message):
    with pytest.raises(sw.SidewiseError, match=message):
        add_spammers(answers, **{"share": 1.0, **options})


def test_pair_counts_know_no_workers_and_known_sides_are_not_drawn_again():
    with pytest.raises(sw.SidewiseError, match="nothing to draw"):
        draw_sides(HONEST)
    with pytest.raises(sw.SidewiseError, match="pair counts"):
        add_spammers(HONEST.counts(), 1.0)
    twice = add_spammers(add_spammers(HONEST, 0.1), 0.1, name="other")
    assert twice.workers[-1] == "other-003"


def test_the_papers_mixture_of_spammers_for_side_and_brand():
    before = two_systems(125, branded="better", seed=1).comparisons
    new = added(add_spammers(before, 1.0, ("always-left", "brand-biased"), seed=1), before)
    for worker in np.unique(new.worker):
        mine = new.worker == worker
        for_brand = np.array_equal(new.outcome[mine], (new.factors["brand"][mine] > 0).astype(float))
        assert (new.outcome[mine] == 1).all() or for_brand
    assert len(np.unique(new.worker)) == 194
    assert len(new) == 194 * 13


def test_real_data_take_the_spammers_of_the_paper(data):
    """The reading data: a spammer for every worker, with the mean number of answers, all of them on the left."""
    real = sw.read(data / "readability" / "comparisons_11763.csv")
    with pytest.raises(sw.SidewiseError, match="draw_sides"):
        add_spammers(real, 1.0)
    sided = draw_sides(real, seed=1)
    assert sided.outcome.mean() == pytest.approx(0.5, abs=0.02)
    workers = len(real.workers)
    for share in (0.2, 1.0, 9.0):
        spammed = add_spammers(sided, share, seed=1)
        new = added(spammed, sided)
        assert len(spammed.workers) == workers + round(share * workers)
        assert len(new) == round(share * workers) * round(len(real) / workers)
        assert (new.outcome == 1).all()
    assert add_spammers(real, 0.6, "contrary").summary().items == 472


def test_spammers_hurt_a_ranking_that_trusts_everybody(data):
    real = draw_sides(sw.read(data / "readability" / "comparisons_11763.csv"), seed=1)
    before = sw.bradley_terry(real, intervals="none").to_dict()
    after = sw.bradley_terry(add_spammers(real, 1.0, "contrary", seed=1), intervals="none").to_dict()
    assert abs(np.corrcoef(list(before.values()), [after[item] for item in before])[0, 1]) < 0.5


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"share": "1"}, "share is '1'"),
        ({"share": None}, "share is None"),
        ({"share": 1e9}, "nine for every worker"),
        ({"share": 1e308}, "nine for every worker"),
        ({"kind": [3]}, "no kind of spammer 3"),
        ({"answers": 2.5}, "answers is 2.5; it is a count"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": None}, "seed is None"),
        ({"kind": 3}, "kind is 3"),
    ],
)
def test_numbers_of_a_wrong_kind_are_refused(wrong, said):
    answers = crowd(4, workers=3, comparisons=30).comparisons
    with pytest.raises(sw.SidewiseError, match=said):
        add_spammers(answers, **{"share": 1, **wrong})


@pytest.mark.parametrize("wrong", [None, "answers.csv"])
def test_sides_are_drawn_for_comparisons(wrong):
    with pytest.raises(sw.SidewiseError, match="sides are drawn for Comparisons"):
        draw_sides(wrong)
