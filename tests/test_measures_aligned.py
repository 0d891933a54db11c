"""Items on both sides: whatever holds them, they are matched by id, and nothing is lost silently."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sidewise as sw
from sidewise.errors import DataError, MeasureError
from sidewise.measures import compare, kendall_tau, ndcg, pair_accuracy, pearson
from sidewise.measures.aligned import RANKING, TRUTH, align
from sidewise.measures.columns import SCORES, TRUTHS, find_columns

SCORE = {"b": 2.0, "a": 3.0, "c": 1.0, "d": 2.5}
TRUE = {"d": 3.0, "c": 1.0, "b": 2.0, "a": 4.0}
SHARE = 1.0


def ranking():
    left, right = zip(*[(a, b) for a in SCORE for b in SCORE if SCORE[a] > SCORE[b]], strict=True)
    return sw.bradley_terry(sw.Comparisons.from_arrays(left=left, right=right, winner=left))


def columns(held, name):
    return {"item": list(held), name: list(held.values())}


HOLDERS = {
    "mapping": dict,
    "pair": lambda held: (list(held), np.array(list(held.values()))),
    "arrow": lambda held: pa.table(columns(held, "score")),
    "batch": lambda held: pa.RecordBatch.from_pydict(columns(held, "score")),
    "pandas": lambda held: pd.DataFrame(columns(held, "score")),
    "polars": lambda held: pl.DataFrame(columns(held, "score")),
    "duckdb": lambda held: duckdb.from_arrow(pa.table(columns(held, "score"))),
    "series": pd.Series,
}


@pytest.mark.parametrize("scores", HOLDERS.values(), ids=HOLDERS)
@pytest.mark.parametrize("truth", HOLDERS.values(), ids=HOLDERS)
def test_every_kind_of_holder_is_matched_by_id(scores, truth):
    assert pair_accuracy(scores(SCORE), truth(TRUE)) == SHARE
    assert pearson(scores(SCORE), truth(TRUE)) == pytest.approx(pearson([3, 2, 1, 2.5], [4, 2, 1, 3]))


def test_a_ranking_is_measured_by_its_scores():
    found = ranking()
    assert pair_accuracy(found, TRUE) == pair_accuracy(found.to_frame(), TRUE) == pair_accuracy(found.to_dict(), TRUE)
    assert pearson(found, TRUE) == pytest.approx(pearson(found.rescale(scale="elo"), TRUE))


@pytest.mark.parametrize("side", [list, tuple, np.array, pa.array, pl.Series, pd.Series])
def test_arrays_are_matched_by_position(side):
    assert pair_accuracy(side([0.3, 0.1, 0.2]), side([3, 1, 2])) == 1
    assert pair_accuracy((0.3, 0.1), (1, 2)) == 0


def test_ids_are_strings_however_they_are_written():
    assert pair_accuracy({1: 0.5, 2: 0.7}, {"2": 9, "1": 4}) == 1
    assert pair_accuracy(([1, 2], [0.5, 0.7]), pd.Series({2: 9, 1: 4})) == 1
    assert pair_accuracy({"007": 0.5, "é": 0.7, "7": 1}, {"7": 3, "é": 2, "007": 1}) == 1
    assert pair_accuracy(pd.DataFrame({"item": pd.Categorical(["a", "b"]), "score": [1, 2]}), {"a": 1, "b": 2}) == 1


def test_missing_items_are_named_or_dropped():
    scores, truth = {**SCORE, "x": 9}, {**TRUE, **{f"only-{n}": 0 for n in range(1200)}}
    with pytest.raises(MeasureError) as error:
        pair_accuracy(scores, truth)
    assert "the ranking has the item 'x' that the truth has not" in str(error.value)
    assert "the truth has 1,200 items ('only-0', 'only-1', 'only-2', 'only-3', 'only-4', …) that the" in str(
        error.value
    )
    assert "missing='drop'" in str(error.value)
    for measure in (pair_accuracy, kendall_tau, ndcg):
        assert measure(scores, truth, missing="drop") == measure(SCORE, TRUE)
    assert align({RANKING: scores, TRUTH: truth}, missing="drop").dropped == 1201


def test_unknown_numbers_are_named_or_dropped():
    with pytest.raises(MeasureError, match=r"the truth has no number for 2 items \('b', 'c'\)"):
        pair_accuracy(SCORE, {**TRUE, "b": np.nan, "c": None})
    with pytest.raises(MeasureError, match="the ranking has no number for the position '1'"):
        pair_accuracy([1, np.nan, 3], [1, 2, 3])
    assert pair_accuracy([1, np.nan, 3, 4], [1, 2, np.nan, 3], missing="drop") == 1
    with pytest.raises(MeasureError, match="no item has a number in the ranking and in the truth"):
        pair_accuracy([np.nan], [1], missing="drop")


@pytest.mark.parametrize(
    ("score", "truth", "says"),
    [
        ([1, 2, 3], [1, 2], "the ranking has 3 and the truth has 2 numbers"),
        ({"a": 1}, [1], "the truth has no ids, and the other side has"),
        ([], [], "nothing to measure"),
        ({"a": 1}, {"b": 2}, r"the ranking \('a'\) and the truth \('b'\) have no item in common"),
        ({}, {}, "the ranking has no items: there is nothing to measure"),
        (None, {"a": 1}, "the ranking is NoneType, of which no numbers can be made"),
        ({"a": 1, "b": "good"}, {"a": 1, "b": 2}, "the ranking: the item 'b' has 'good', which is no number"),
        ({"a": 1}, (["a"], [{}]), "the truth: the item 'a' has {}, which is no number"),
        ("scores.csv", {"a": 1}, "the ranking is str, of which no numbers can be made"),
        ([["a", "b"]], [1], "the ranking is list, of which no numbers can be made"),
        ([[1, 2], [3, 4]], [1, 2], "the ranking has 2 dimensions"),
        (3, [1], "the ranking is int, of which no numbers can be made"),
    ],
)
def test_what_cannot_be_matched_is_refused(score, truth, says):
    with pytest.raises(MeasureError, match=says):
        pair_accuracy(score, truth)


@pytest.mark.parametrize(
    ("score", "says"),
    [
        ((["a", "b", "a", "b", "c"], range(5)), r"the ranking has 2 items \('a', 'b'\) more than once"),
        ({1: 1, "1": 2}, "of one kind"),
        ({1.5: 1}, "ids are strings or whole numbers"),
        ({"": 1, "a": 2}, "an item without an id"),
        ((["a", None], [1, 2]), "an item without an id"),
        ((["a", "b"], [1, 2, 3]), "2 ids and 3 numbers"),
        (pa.table({"x": ["a"], "y": [1], "z": [2]}), "the ranking: no column for the item; there are 'x', 'y'"),
        (pa.table({"item": ["a"], "rating": [1], "value": [2]}), "could be the score: 'rating', 'value'"),
    ],
)  # fmt: skip
def test_bad_ids_and_tables_are_refused(score, says):
    with pytest.raises(DataError, match=says):
        pair_accuracy(score, {"a": 1})


def test_an_unknown_way_of_missing_is_refused():
    with pytest.raises(MeasureError, match="missing='skip' is neither 'error' nor 'drop'"):
        pair_accuracy(SCORE, TRUE, missing="skip")


def test_scores_of_separate_parts_have_no_order():
    answers = sw.Comparisons.from_arrays(left=["a", "a", "c", "c"], right=["b", "b", "d", "d"], winner=[1, 0, 1, 0])
    with pytest.warns(sw.errors.Disconnected):
        found = sw.bradley_terry(answers, prior=None)
    with pytest.raises(MeasureError, match="parts that were never compared"):
        pair_accuracy(found, TRUE)


def test_three_sides_are_matched():
    other = {item: -value for item, value in SCORE.items()}
    found = compare("pair-accuracy", SCORE, other, TRUE, resamples=20)
    assert (found.first, found.second) == (1, 0)
    with pytest.raises(MeasureError, match="the first ranking has the item 'b' that the second ranking has not"):
        compare("pair-accuracy", SCORE, dict.fromkeys("acd", 1), TRUE)
    assert compare("pair-accuracy", SCORE, {item: SCORE[item] for item in "acd"}, TRUE, missing="drop").value == 0


def test_columns_are_found_by_their_names():
    assert find_columns(["id", "low", "score", "high"], SCORES, source="x") == ("id", "score")
    assert find_columns(["item", "score", "truth"], TRUTHS, source="x") == ("item", "truth")
    assert find_columns(["picture", "age"], TRUTHS, source="x") == ("picture", "age")
    assert find_columns(["item", "years"], TRUTHS, source="x") == ("item", "years")
    assert find_columns(["a", "b", "c"], TRUTHS, source="x", item="c", value="a") == ("c", "a")
    with pytest.raises(DataError, match="x: no column 'd'; there are 'a', 'b'"):
        find_columns(["a", "b"], TRUTHS, source="x", item="d")
