"""Simulated crowds behave as they are told to."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sidewise as sw
from sidewise.simulate import crowd

ROOT = Path(__file__).parents[1]


def test_the_same_seed_gives_the_same_crowd():
    assert crowd(8, seed=3).comparisons.digest == crowd(8, seed=3).comparisons.digest
    assert crowd(8, seed=3).comparisons.digest != crowd(8, seed=4).comparisons.digest


def test_careful_workers_follow_the_model_careless_ones_do_not_and_one_sided_ones_pick_a_side():
    made = crowd(5, workers=10, comparisons=60_000, spread=1.0, careless=0.3, one_sided=0.2, seed=1)
    answers, score = made.comparisons, np.array([made.truth[item] for item in made.comparisons.items])
    kind = np.array([made.kinds[worker] for worker in answers.workers], object)[answers.worker]
    expected = 1 / (1 + np.exp(score[answers.right] - score[answers.left]))
    careful = kind == "careful"
    for low in np.arange(0, 1, 0.1):
        here = careful & (expected >= low) & (expected < low + 0.1)
        if here.sum() > 500:
            assert answers.outcome[here].mean() == pytest.approx(expected[here].mean(), abs=0.03)
    assert answers.outcome[kind == "careless"].mean() == pytest.approx(0.5, abs=0.02)
    assert sorted(made.kinds.values()).count("one-sided") == 2
    for worker in (code for code, name in enumerate(answers.workers) if made.kinds[name] == "one-sided"):
        assert abs(answers.outcome[answers.worker == worker].mean() - 0.5) > 0.35


def test_ties_come_where_scores_are_close():
    made = crowd(10, comparisons=2000, ties=0.3, seed=2)
    score = np.array([made.truth[item] for item in made.comparisons.items])
    lead = np.abs(score[made.comparisons.left] - score[made.comparisons.right])
    assert np.array_equal(made.comparisons.outcome == 0.5, lead < 0.3)


def test_crowds_that_cannot_be_are_refused():
    for wrong in ({"items": 1}, {"workers": 0}, {"comparisons": 0}, {"careless": 0.7, "one_sided": 0.5}):
        with pytest.raises(sw.SidewiseError):
            crowd(**{"items": 5, **wrong})


def test_the_demo_file_is_the_one_that_its_script_makes(tmp_path):
    for name in ("make_cakes.py",):
        (tmp_path / name).write_text((ROOT / "examples" / name).read_text(encoding="utf-8"), encoding="utf-8")
    subprocess.run([sys.executable, tmp_path / "make_cakes.py"], check=True)  # noqa: S603
    for name in ("cakes.csv", "cakes-truth.csv"):
        assert (tmp_path / name).read_bytes() == (ROOT / "examples" / name).read_bytes()
