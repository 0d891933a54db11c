"""Percent agreement and kappas, each worker against the others, and all of it at a glance."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from sidewise.errors import MeasureError
from sidewise.measures.agreement import agreement
from sidewise.measures.answers import read_answer_grid
from sidewise.measures.by_worker import agreement_by_worker, agreement_picture
from sidewise.measures.kappa import cohen_kappa, fleiss_kappa, percent_agreement
from sidewise.measures.krippendorff import krippendorff_alpha, krippendorff_interval
from sidewise.simulate.boxes import box_crowd

# Fleiss (1971) as worked out in many places: fourteen raters, ten subjects, five categories; kappa 0.210.
FLEISS = np.array(
    [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1], [7, 7, 0, 0, 0],
     [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]
)  # fmt: skip


def from_counts(table):
    """Answers of nobody in particular, from how many said what about each unit."""
    unit, value = np.nonzero(table)
    times = table[unit, value]
    return {"unit": np.repeat(unit, times), "value": np.repeat(value, times)}


def two(first, second):
    """The answers of two workers to the same units."""
    units = np.arange(len(first))
    return {
        "unit": np.concatenate([units, units]),
        "worker": ["x"] * len(first) + ["y"] * len(first),
        "value": np.concatenate([first, second]),
    }


def test_fleiss_own_example():
    assert fleiss_kappa(from_counts(FLEISS)) == pytest.approx(0.20993, abs=1e-5)
    assert percent_agreement(from_counts(FLEISS)) == pytest.approx(0.378022, abs=1e-6)


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=8))
def test_fleiss_by_its_formula_with_unequal_numbers(rows):
    table = np.array([row for row in rows if sum(row) > 1])
    assume(len(table) and np.count_nonzero(table.sum(axis=0)) > 1)
    n = table.sum(axis=1)
    share = ((table * (table - 1)).sum(axis=1) / (n * (n - 1))).mean()
    chance = ((table.sum(axis=0) / n.sum()) ** 2).sum()
    found = from_counts(np.array(rows))
    assert fleiss_kappa(found) == pytest.approx((share - chance) / (1 - chance), abs=1e-12)
    assert percent_agreement(found) == pytest.approx(share)


def test_fleiss_and_alpha_differ_by_the_correction_for_few_answers():
    table = FLEISS[:, :3] + 1
    table[:, 0] += 20 - table.sum(axis=1)  # equal numbers
    n = table.sum()
    kappa, alpha = fleiss_kappa(from_counts(table)), krippendorff_alpha(from_counts(table))
    assert 1 - alpha == pytest.approx((1 - kappa) * (n - 1) / n)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
@given(answers=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=30))
def test_cohen_is_that_of_scikit_learn(weights, answers):
    first, second = np.array(answers).T
    assume(len({*first, *second}) > 1)
    theirs = cohen_kappa_score(first, second, weights=None if weights == "none" else weights)
    assert cohen_kappa(two(first, second), weights=weights) == pytest.approx(theirs, abs=1e-12)


def test_levels_say_how_far_apart_words_are():
    answers = two(["low", "high", "low", "high"], ["low", "high", "high", "high"])
    levels = ["low", "middle", "high"]
    theirs = cohen_kappa_score([0, 2, 0, 2], [0, 2, 2, 2], labels=[0, 1, 2], weights="linear")
    assert cohen_kappa(answers, weights="linear", levels=levels) == pytest.approx(theirs)
    with pytest.raises(MeasureError, match="levels="):
        cohen_kappa(answers, weights="linear")


def test_two_of_more_workers_and_only_what_both_answered():
    grid = [[1, 2, 3, 1, None], [1, 2, 1, None, 2], [3, 3, 3, 3, 3]]
    answers = read_answer_grid(grid, workers="rows")
    theirs = cohen_kappa_score([1, 2, 3], [1, 2, 1])
    assert cohen_kappa(answers, workers=("1", "2")) == pytest.approx(theirs)
    assert cohen_kappa(answers, workers=(2, 1)) == pytest.approx(theirs)


@pytest.mark.parametrize(
    ("answers", "options", "says"),
    [
        (read_answer_grid([[1, 2]] * 3, workers="rows"), {}, "there are 3: name two"),
        (read_answer_grid([[1, 2]] * 3, workers="rows"), {"workers": ("1", "9")}, "no worker '9'"),
        (read_answer_grid([[1, 2]] * 3, workers="rows"), {"workers": ("1", "1")}, "two different"),
        (read_answer_grid([[1, None], [None, 2]], workers="rows"), {}, "answered by both"),
        (two([1, 1], [1, 1]), {}, "one and the same value"),
        ({"unit": [1, 1], "value": [1, 2]}, {}, "name the worker column"),
        (two([1, 2], [1, 1]), {"weights": "cubic"}, "none of none, linear"),
    ],
)
def test_kappas_that_cannot_be_taken(answers, options, says):
    with pytest.raises(MeasureError, match=says):
        cohen_kappa(answers, **options)


def test_answers_that_are_all_alike():
    answers = two(["a", "a"], ["a", "a"])
    assert percent_agreement(answers) == 1.0
    with pytest.raises(MeasureError, match="all answers are alike"):
        fleiss_kappa(answers)
    told = agreement(answers)
    assert told.alpha is None
    assert told.fleiss is None
    assert told.cohen is None
    assert told.percent.value == 1.0
    assert any("alike" in note for note in told.notes)
    assert np.isnan(told.by_worker["alpha"].to_numpy()).all()


@pytest.mark.parametrize("distance", ["nominal", "ordinal", "interval", "ratio"])
def test_workers_average_to_alpha(distance):
    rng = np.random.default_rng(1)
    grid = rng.integers(1, 5, (4, 25)).astype(float)
    grid[rng.random(grid.shape) < 0.3] = np.nan
    answers = read_answer_grid(grid, workers="rows")
    table = agreement_by_worker(answers, distance=distance)
    weight, alpha = table["compared"].to_numpy(), table["alpha"].to_numpy()
    assert weight @ alpha / weight.sum() == pytest.approx(krippendorff_alpha(answers, distance=distance))
    assert (np.diff(alpha) >= 0).all()
    assert (table["low"].to_numpy() <= alpha).all()
    assert (alpha <= table["high"].to_numpy()).all()


def test_the_agreement_of_a_worker_by_hand():
    grid = [["a", "b", "a", "a"], ["a", "b", "b", None], ["b", "b", "a", None]]
    table = agreement_by_worker(read_answer_grid(grid, workers="rows")).to_pylist()
    found = {row["worker"]: (row["agreement"], row["answers"], row["compared"]) for row in table}
    assert found == {"1": (pytest.approx(2 / 3), 4, 3), "2": (0.5, 3, 3), "3": (0.5, 3, 3)}


def test_the_odd_one_out_comes_first_and_is_drawn():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 60)
    grid = np.stack([np.where(rng.random(60) < 0.85, truth, rng.integers(0, 3, 60)) for _ in range(5)])
    grid[3] = rng.integers(0, 3, 60)
    told = agreement(read_answer_grid(grid, workers="rows"))
    assert told.by_worker["worker"][0].as_py() == "4"
    drawn = told.plot().to_dict()
    assert drawn["layer"][0]["data"]["values"][0]["worker"] == "4"
    few = agreement_picture(told.by_worker, limit=2).to_dict()
    assert len(few["layer"][0]["data"]["values"]) == 2


def test_at_a_glance_is_what_the_functions_say():
    rng = np.random.default_rng(3)
    first = rng.integers(1, 5, 50)
    answers = two(first, np.clip(first + rng.integers(-1, 2, 50), 1, 4))
    told = agreement(answers, distance="ordinal", seed=4)
    assert told.alpha == krippendorff_interval(answers, distance="ordinal", seed=4)
    assert told.percent.value == pytest.approx(percent_agreement(answers))
    assert told.fleiss.value == pytest.approx(fleiss_kappa(answers))
    assert told.cohen.value == pytest.approx(cohen_kappa(answers, weights="quadratic"))
    for estimate in (told.alpha, told.percent, told.fleiss, told.cohen):
        assert estimate.low < estimate.value < estimate.high
    assert (told.answers, told.units, told.compared, told.workers) == (100, 50, 50, 2)
    assert len(str(told).splitlines()) == 4


def test_the_interval_of_cohens_kappa_is_that_of_units_drawn_again():
    rng = np.random.default_rng(5)
    first = rng.integers(0, 3, 80)
    second = np.where(rng.random(80) < 0.6, first, rng.integers(0, 3, 80))
    draws = [
        cohen_kappa_score(first[taken], second[taken]) for taken in (rng.integers(80, size=80) for _ in range(500))
    ]
    found = agreement(two(first, second)).cohen
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])), abs=0.04)


def test_boxes_have_alpha_and_mean_iou_but_no_kappa():
    made = box_crowd(60, workers=10, overlap=4, kinds={"lazy": 0.2}, seed=1)
    told = agreement(made.answers, distance="iou")
    assert told.percent is None
    assert told.fleiss is None
    worst = told.by_worker["worker"].to_pylist()[:2]
    assert {made.kinds[worker] for worker in worst} == {"lazy"}


def test_nobody_named_cannot_be_told_apart():
    answers = {"unit": [1, 1, 2, 2], "value": [1, 1, 2, 1]}
    assert agreement(answers).by_worker is None
    with pytest.raises(MeasureError, match="no workers to draw"):
        agreement(answers).plot()
    with pytest.raises(MeasureError, match="name the worker column"):
        agreement_by_worker(answers)
