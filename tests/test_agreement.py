"""Krippendorff's alpha: against the published examples, another implementation, and the coincidence matrix itself."""

import tracemalloc
from itertools import permutations

import krippendorff
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sidewise.boxes import iou
from sidewise.errors import DataError, MeasureError
from sidewise.measures import distances
from sidewise.measures.answers import read_answer_grid
from sidewise.measures.krippendorff import krippendorff_alpha, krippendorff_interval
from sidewise.simulate.boxes import box_crowd

NAMED = ("nominal", "ordinal", "interval", "ratio")


def long(grid):
    """Workers by units as columns of unit, worker and value."""
    return read_answer_grid(grid, workers="rows")


@st.composite
def grids(draw, most_values=5):
    """Answers of up to five workers to up to eight units, some missing, some pair of answers different."""
    workers, units = draw(st.integers(2, 5)), draw(st.integers(2, 8))
    cell = st.one_of(st.none(), st.integers(0, most_values - 1))
    rows = draw(st.lists(st.lists(cell, min_size=units, max_size=units), min_size=workers, max_size=workers))
    grid = np.array([[np.nan if cell is None else cell for cell in row] for row in rows], float)
    paired = (~np.isnan(grid)).sum(axis=0) > 1
    assume(len(np.unique(grid[:, paired][~np.isnan(grid[:, paired])])) > 1)
    return grid


def by_the_book(grid, distance):
    """The coincidence matrix, its margins, and every distance between every pair of values, as the book has it."""
    values = sorted({value for value in grid.ravel() if not np.isnan(value)})
    matrix = np.zeros((len(values), len(values)))
    for unit in grid.T:
        given = [value for value in unit if not np.isnan(value)]
        for a, b in permutations(range(len(given)), 2):
            matrix[values.index(given[a]), values.index(given[b])] += 1 / (len(given) - 1)
    margin = matrix.sum(axis=1)
    n = margin.sum()

    def apart(c, k):
        if distance == "ordinal":
            low, high = min(c, k), max(c, k)
            return (margin[low : high + 1].sum() - (margin[c] + margin[k]) / 2) ** 2
        a, b = values[c], values[k]
        return {"nominal": float(a != b), "interval": (a - b) ** 2,
                "ratio": ((a - b) / (a + b)) ** 2 if a + b else 0.0}[distance]  # fmt: skip

    cells = [(c, k) for c in range(len(values)) for k in range(len(values))]
    observed = sum(matrix[c, k] * apart(c, k) for c, k in cells) / n
    expected = sum(margin[c] * margin[k] * apart(c, k) for c, k in cells) / (n * (n - 1))
    return 1 - observed / expected


@pytest.mark.parametrize("distance", NAMED)
@given(grid=grids())
def test_alpha_is_that_of_the_coincidence_matrix(distance, grid):
    assert krippendorff_alpha(long(grid), distance=distance) == pytest.approx(by_the_book(grid, distance), abs=1e-12)


@pytest.mark.parametrize("distance", NAMED)
@pytest.mark.parametrize("missing", [0.0, 0.3, 0.6])
def test_alpha_is_that_of_another_implementation(distance, missing):
    rng = np.random.default_rng(int(missing * 10))
    for _ in range(20):
        workers, units = rng.integers(2, 7), rng.integers(5, 40)
        grid = rng.integers(0, rng.integers(2, 9), (workers, units)) * rng.choice([1.0, 0.37])
        grid[rng.random(grid.shape) < missing] = np.nan
        theirs = krippendorff.alpha(reliability_data=grid, level_of_measurement=distance)
        assert krippendorff_alpha(long(grid), distance=distance) == pytest.approx(theirs, abs=1e-10)


@pytest.mark.parametrize(
    ("distance", "published"),
    [("nominal", 904 / 1216), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)],
)
def test_published_codings(data, distance, published):
    """Krippendorff's example: four observers, twelve units, 0.743, 0.815, 0.849, 0.797."""
    answers = read_answer_grid(data / "llmfao" / "codings.csv", workers="rows")
    assert krippendorff_alpha(answers, distance=distance) == pytest.approx(published, abs=1e-6)


def test_published_parts_of_speech(data):
    answers = read_answer_grid(data / "llmfao" / "gcl.csv", workers="rows")
    assert krippendorff_alpha(answers) == pytest.approx(1 / 12)


@given(grid=grids(), order=st.permutations(range(5)))
def test_names_may_be_changed(grid, order):
    renamed = np.where(np.isnan(grid), np.nan, np.array(order)[np.nan_to_num(grid).astype(int)])
    assert krippendorff_alpha(long(renamed)) == pytest.approx(krippendorff_alpha(long(grid)), abs=1e-12)


@given(grid=grids(), shift=st.floats(-1e6, 1e6), scale=st.floats(1e-3, 1e3))
def test_intervals_may_be_shifted_and_stretched(grid, shift, scale):
    moved = krippendorff_alpha(long(shift + scale * grid), distance="interval")
    assert moved == pytest.approx(krippendorff_alpha(long(grid), distance="interval"), abs=1e-6)


@given(grid=grids(), scale=st.floats(1e-6, 1e6))
def test_ratios_may_be_stretched(grid, scale):
    stretched = krippendorff_alpha(long(scale * grid), distance="ratio")
    assert stretched == pytest.approx(krippendorff_alpha(long(grid), distance="ratio"), abs=1e-9)


@given(grid=grids())
def test_ranks_bear_any_rising_map(grid):
    risen = krippendorff_alpha(long(np.exp(grid) - 7), distance="ordinal")
    assert risen == pytest.approx(krippendorff_alpha(long(grid), distance="ordinal"), abs=1e-12)


@pytest.mark.parametrize("distance", NAMED)
@given(values=st.lists(st.integers(0, 50), min_size=2, max_size=20).filter(lambda some: len(set(some)) > 1))
def test_perfect_agreement_is_exactly_one(distance, values):
    grid = np.tile(np.array(values, float) / 7, (3, 1))
    assert krippendorff_alpha(long(grid), distance=distance) == 1.0


@pytest.mark.parametrize("distance", NAMED)
def test_independent_answers_agree_as_by_chance(distance):
    grid = np.random.default_rng(0).integers(1, 6, (3, 20_000)).astype(float)
    assert abs(krippendorff_alpha(long(grid), distance=distance)) < 0.01


@given(grid=grids(), seed=st.integers(0, 9))
def test_the_order_of_rows_does_not_matter(grid, seed):
    table = long(grid)
    mixed = table.take(pa.array(np.random.default_rng(seed).permutation(table.num_rows)))
    assert krippendorff_alpha(mixed, distance="ordinal") == pytest.approx(
        krippendorff_alpha(table, distance="ordinal"), abs=1e-12
    )


@pytest.mark.parametrize("lonely", [3, 1e200, 1e-200])
@given(grid=grids())
def test_units_with_one_answer_do_not_count(lonely, grid):
    alone = np.full((len(grid), 1), np.nan)
    alone[0] = lonely
    for distance in NAMED:
        assert krippendorff_alpha(long(np.hstack([grid, alone])), distance=distance) == pytest.approx(
            krippendorff_alpha(long(grid), distance=distance), abs=1e-12
        )


def test_a_function_does_what_the_name_does():
    grid = np.random.default_rng(1).integers(0, 6, (3, 30)).astype(float)
    by_function = krippendorff_alpha(long(grid), distance=lambda a, b: (a - b) ** 2)
    assert by_function == pytest.approx(krippendorff_alpha(long(grid), distance="interval"), abs=1e-12)
    words = {"unit": [1, 1, 2, 2, 3, 3], "value": ["cat", "cats", "dog", "dog", "a", "cat"]}
    length = np.vectorize(lambda a, b: abs(len(a) - len(b)))
    numbers = {"unit": words["unit"], "value": [len(word) for word in words["value"]]}
    assert krippendorff_alpha(words, distance=length) == pytest.approx(
        krippendorff_alpha(numbers, distance=lambda a, b: abs(a - b))
    )


@pytest.mark.parametrize(
    ("distance", "why"),
    [
        (lambda a, b: a - b, "below 0"),
        (lambda a, b: np.maximum(a - b, 0), "no distance"),
        (lambda a, b: abs(a - b) + 1, "no distance"),
        (lambda a, b: 1.0, "numpy.vectorize"),  # noqa: ARG005
        (lambda a, b: "far", "cannot be taken of arrays of values: could not convert string"),  # noqa: ARG005
        (lambda a, b: abs(len(set(a)) - len(b)) if a else 0, "cannot be taken of arrays .*numpy.vectorize"),
        ("euclid", "none of nominal, ordinal"),
    ],
)
def test_what_is_no_distance_is_refused(distance, why):
    with pytest.raises(MeasureError, match=why):
        krippendorff_alpha({"unit": [1, 1, 2, 2], "value": [1, 2, 3, 5]}, distance=distance)


def test_boxes_by_hand_and_by_every_pair():
    made = box_crowd(12, workers=5, overlap=3, kinds={"shaky": 0.5}, seed=3).answers
    edges, image = made.edges, made.image
    near = 1 - np.array([[float(iou(a, b)) for a in edges] for b in edges])
    same = image[:, None] == image[None]
    observed = (near * same / 2).sum() / len(made)  # three boxes an image: each has two others
    expected = near.sum() / (len(made) * (len(made) - 1))
    assert krippendorff_alpha(made, distance="iou") == pytest.approx(1 - observed / expected)
    assert krippendorff_alpha(made.to_frame(), distance="iou") == krippendorff_alpha(made, distance="iou")
    with pytest.raises(DataError, match="distance='iou'"):
        krippendorff_alpha(made)


def test_many_boxes_are_held_against_a_sample(monkeypatch):
    made = box_crowd(300, workers=20, overlap=4, kinds={"wrong-object": 0.5}, seed=1).answers
    exact = krippendorff_alpha(made, distance="iou")
    monkeypatch.setattr("sidewise.boxes.pairs.MOST_PAIRS", 400_000)
    monkeypatch.setattr(distances, "DENSE", 0)
    sampled = [krippendorff_alpha(made, distance="iou", seed=seed) for seed in (1, 1, 2)]
    assert sampled[0] == sampled[1] != sampled[2]
    assert sampled[0] == pytest.approx(exact, abs=0.003)


@pytest.mark.parametrize("draw", ["normal", "narrow", "wide", "zeros"])
def test_the_ratio_of_many_values_is_exact(monkeypatch, draw):
    """The integral over frequencies, beyond 1,500 values, against every pair."""
    rng = np.random.default_rng(2)
    values = {"normal": np.exp(rng.normal(size=1600)), "narrow": 5 + 1e-3 * rng.random(1600),
              "wide": 10 ** rng.uniform(-90, 90, 1600),
              "zeros": np.maximum(rng.normal(size=3600), 0)}[draw]  # fmt: skip
    answers = {"unit": np.repeat(np.arange(len(values) // 2), 2), "value": values}
    fast = krippendorff_alpha(answers, distance="ratio")
    monkeypatch.setattr(distances, "DENSE", 10**6)
    assert fast == pytest.approx(krippendorff_alpha(answers, distance="ratio"), abs=1e-11)


@pytest.mark.parametrize("distance", ["ratio", "iou"])
def test_the_linear_part_gives_nearly_the_interval_of_the_whole(monkeypatch, distance):
    if distance == "iou":
        answers = box_crowd(150, overlap=3, kinds={"wrong-object": 0.4}, seed=1).answers
    else:
        rng = np.random.default_rng(3)
        answers = {
            "unit": np.repeat(np.arange(150), 3),
            "value": np.exp(np.repeat(rng.normal(size=150), 3) + rng.normal(size=450)),
        }
    whole = krippendorff_interval(answers, distance=distance)
    monkeypatch.setattr(distances, "DENSE", 0)
    linear = krippendorff_interval(answers, distance=distance)
    assert linear.value == pytest.approx(whole.value, abs=1e-9)
    assert (linear.low, linear.high) == pytest.approx((whole.low, whole.high), abs=0.01)


@pytest.mark.parametrize("distance", NAMED)
def test_the_interval_is_that_of_units_drawn_again(distance):
    """The bootstrap over profiles against the plain one, which draws columns of the grid."""
    rng = np.random.default_rng(4)
    grid = np.clip(np.tile(rng.integers(1, 6, 40), (3, 1)) + rng.integers(-1, 2, (3, 40)), 1, 5).astype(float)
    grid[rng.random(grid.shape) < 0.1] = np.nan
    grid = grid[:, (~np.isnan(grid)).sum(axis=0) > 1]
    ours = krippendorff_interval(long(grid), distance=distance, resamples=4000, seed=1)
    units = grid.shape[1]
    plain = [by_the_book(grid[:, rng.integers(units, size=units)], distance) for _ in range(1000)]
    assert (ours.low, ours.high) == pytest.approx(tuple(np.quantile(plain, [0.025, 0.975])), abs=0.03)
    assert ours.low < ours.value == krippendorff_alpha(long(grid), distance=distance) < ours.high <= 1


def test_the_interval_holds_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(5)

    def drawn(units):
        truth, hard = rng.integers(0, 3, units), rng.random(units)
        return np.where(rng.random((3, units)) < 1 - 0.9 * hard, truth, rng.integers(0, 3, (3, units)))

    true = krippendorff_alpha({"unit": np.tile(np.arange(100_000), 3), "value": drawn(100_000).ravel()})
    held = 0
    for seed in range(150):
        answers = {"unit": np.tile(np.arange(60), 3), "value": drawn(60).ravel()}
        found = krippendorff_interval(answers, resamples=300, seed=seed)
        held += found.low <= true <= found.high
    assert 0.88 <= held / 150 <= 0.99


def test_the_same_seed_gives_the_same_interval():
    grid = np.random.default_rng(6).integers(0, 3, (3, 20)).astype(float)
    first, again, other = (krippendorff_interval(long(grid), seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    assert krippendorff_interval(long(grid), confidence=0.5).high < first.high


def test_memory_grows_with_the_answers_and_not_with_the_values():
    """100,000 distinct values: a matrix of their distances would take 80 GB."""
    rng = np.random.default_rng(7)
    answers = {"unit": np.repeat(np.arange(50_000), 2), "value": np.exp(rng.normal(size=100_000))}
    tracemalloc.start()
    for distance in NAMED:
        krippendorff_alpha(answers, distance=distance)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1000 * len(answers["value"])  # bytes


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_any_table_will_do(frame):
    columns = {"unit": ["a", "a", "b", "b"], "worker": ["x", "y", "x", "y"], "value": [1.0, 1.0, 2.0, None]}
    columns["unit"] += ["c", "c"]
    columns["worker"] += ["x", "y"]
    columns["value"] += [2.0, 1.0]
    assert krippendorff_alpha(frame(columns)) == pytest.approx(by_the_book(np.array([[1, 2], [1, 1]]), "nominal"))


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(["x", "x", "y", "x", None, "y"], dtype="category"),
        pd.Series(["x", "x", "y", "x", None, "y"], dtype=object),
        pd.Series([1, 1, 2, 1, None, 2], dtype="Int64"),
        pd.Series([True, True, False, True, None, False], dtype="boolean"),
        pl.Series(["x", "x", "y", "x", None, "y"], dtype=pl.Categorical),
        pl.Series([1.5, 1.5, 2.5, 1.5, float("nan"), 2.5]),
        pa.array([1, 1, 2, 1, None, 2]).dictionary_encode(),
    ],
)
def test_values_of_any_kind(values):
    frame = {"unit": [1, 1, 2, 2, 3, 3], "value": values}
    table = pl.DataFrame(frame) if isinstance(values, pl.Series) else pd.DataFrame(frame)
    table = pa.table(frame) if isinstance(values, pa.Array) else table
    assert krippendorff_alpha(table) == pytest.approx(by_the_book(np.array([[1, 2], [1, 1]]), "nominal"))


def test_files_with_other_names(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("task,rater,how good,note\nü,1,bad,x\nü,2,bad,\nb,1,good,\nb,2,,\nc,1,bad,\nc,2,good,\n")
    assert krippendorff_alpha(path, value="how good") == krippendorff_alpha(
        {"unit": [1, 1, 2, 2], "value": [0, 0, 0, 1]}
    )
    levels = {"distance": "ordinal", "value": "how good", "levels": ["bad", "fair", "good"]}
    assert krippendorff_alpha(path, **levels) == krippendorff_alpha({"unit": [1, 1, 2, 2], "value": [0, 0, 0, 1]})


@pytest.mark.parametrize(
    ("answers", "options", "error", "says"),
    [
        ({"unit": [1, 1], "worker": ["x", "x"], "value": [1, 2]}, {}, DataError, "'x' answered unit '1' more"),
        ({"unit": [1, 2], "value": [1, 2]}, {}, MeasureError, "no unit has two answers"),
        ({"unit": [1, 1], "value": [4, 4]}, {}, MeasureError, "all answers are alike"),
        ({"unit": [1, 1], "value": ["a", "b"]}, {"distance": "interval"}, MeasureError, "'a' is no number"),
        ({"unit": [1, 1], "value": ["a", "b"]}, {"distance": "ordinal"}, MeasureError, "levels="),
        ({"unit": [1, 1], "value": ["a", "b"]}, {"distance": "ordinal", "levels": ["b"]}, MeasureError, "'a' is none"),
        ({"unit": [1, 1], "value": ["a", "b"]}, {"levels": ["a", "b"]}, MeasureError, "distance='ordinal'"),
        ({"unit": [1, 1], "value": [-1, 2]}, {"distance": "ratio"}, MeasureError, "-1 is below 0"),
        ({"unit": [1, 1], "value": [1.0, np.inf]}, {"distance": "interval"}, MeasureError, "inf is no number"),
        ({"unit": [None, 1], "value": [1, 2]}, {}, DataError, "row 1: unit is None, missing"),
        ({"unit": [" a", "a"], "value": [1, 2]}, {}, DataError, "blanks around it"),
        ({"thing": [1, 1], "value": [1, 2]}, {}, DataError, "no column for unit; there are 'thing', 'value'"),
        ({"unit": [1, 1], "value": [1, 2]}, {"worker": "who"}, DataError, "no column 'who'"),
        ({"unit": [1, 1], "value": [1]}, {}, DataError, "differ in length"),
        ({"unit": [], "value": []}, {}, MeasureError, "no unit has two answers"),
        ({"unit": [1, 1], "value": [[1], [2]]}, {}, DataError, "answers are words or numbers"),
        ([1, 2], {}, DataError, "list is no table"),
        ("nowhere.csv", {}, DataError, "there is no file nowhere.csv"),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_is_refused(answers, options, error, says):
    with pytest.raises(error, match=says):
        krippendorff_alpha(answers, **options)


@pytest.mark.parametrize("distance", NAMED)
@pytest.mark.parametrize("value", [0, 4, 0.1, 1 / 3, 1e300])
def test_answers_that_are_all_alike_are_refused_by_every_distance(distance, value):
    """With no warning of a division on the way."""
    answers = {"unit": [1, 1, 1, 2, 2, 2], "value": [value] * 6}
    with pytest.raises(MeasureError, match="all answers are alike"):
        krippendorff_alpha(answers, distance=distance)


def test_a_resample_without_variation_has_no_alpha_and_is_left_out():
    answers = {"unit": [1, 1, 2, 2], "value": ["a", "a", "b", "b"]}
    found = krippendorff_interval(answers)
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)
    with pytest.raises(MeasureError, match="confidence"):
        krippendorff_interval(answers, confidence=95)
    with pytest.raises(MeasureError, match="resamples"):
        krippendorff_interval(answers, resamples=0)


def test_grids_either_way_and_with_names(tmp_path):
    rows = read_answer_grid([["a", "b"], ["a", None]], workers="rows").to_pylist()
    assert rows == [
        {"unit": "1", "worker": "1", "value": "a"},
        {"unit": "2", "worker": "1", "value": "b"},
        {"unit": "1", "worker": "2", "value": "a"},
    ]
    turned = read_answer_grid([["a", "a"], ["b", None]], workers="columns")
    assert sorted(map(str, turned.to_pylist())) == sorted(map(str, rows))
    path = tmp_path / "grid.csv"
    path.write_text("who,u1,u2\nann,1,2\nbob,,2\n")
    named = read_answer_grid(path, workers="rows", names=True).to_pylist()
    assert named[0] == {"unit": "u1", "worker": "ann", "value": "1"}
    assert len(named) == 3
    frame = read_answer_grid(pd.DataFrame({"u1": [1, 2], "u2": [None, 2]}), workers="rows")
    assert set(frame["unit"].to_pylist()) == {"u1", "u2"}


@pytest.mark.parametrize(
    ("grid", "workers", "says"),
    [
        ([[1, 2], [1]], "rows", "row 2 has 1 cells"),
        ([], "rows", "empty"),
        ([1, 2], "rows", "a table is wanted"),
        ([[1]], "both", "'rows' or the 'columns'"),
    ],
)
def test_grids_that_are_none(grid, workers, says):
    with pytest.raises(DataError, match=says):
        read_answer_grid(grid, workers=workers)
