"""Files and frames of every kind give the same comparisons, and ids stay what they are."""

import gzip
import json

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import sidewise as sw
from sidewise.errors import ComparisonError

ROWS = [("007", "b", "007", "w1"), ("b", "c", "tie", "w2"), ("c", "007", "007", "w1"), ("b", "007", "b", "w3")]
ANSWERS = pa.table({name: [row[k] for row in ROWS] for k, name in enumerate(("left", "right", "label", "worker"))})
CSV = "left,right,label,worker\n" + "".join(",".join(row) + "\n" for row in ROWS)


def assert_is_the_table(answers):
    assert list(answers.items) == ["007", "b", "c"]
    assert list(answers.workers) == ["w1", "w2", "w3"]
    assert answers.to_frame().to_pydict() == {
        "left": ["007", "b", "c", "b"], "right": ["b", "c", "007", "007"], "outcome": [1.0, 0.5, 0.0, 1.0],
        "worker": ["w1", "w2", "w1", "w3"],
    }  # fmt: skip


def write(folder, name):
    path = folder / name
    if name.endswith(".gz"):
        with gzip.open(path, "wt") as file:
            file.write(CSV if "csv" in name else json_lines())
    elif name.endswith(".csv"):
        path.write_text(CSV)
    elif name.endswith(".tsv"):
        path.write_text(CSV.replace(",", "\t"))
    elif name.endswith(".parquet"):
        pq.write_table(ANSWERS, path)
    else:
        path.write_text(json_lines())
    return path


def json_lines():
    return "".join(json.dumps(row) + "\n" for row in ANSWERS.to_pylist())


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.parquet", "a.jsonl", "a.csv.gz", "a.jsonl.gz"])
def test_every_kind_of_file_gives_the_same_comparisons(tmp_path, name):
    assert_is_the_table(sw.read(write(tmp_path, name)))


def test_a_glob_reads_all_parts_in_order_of_their_names(tmp_path):
    for k, row in enumerate(ROWS):
        (tmp_path / f"part-{k}.csv").write_text("left,right,label,worker\n" + ",".join(row) + "\n")
    assert_is_the_table(sw.read(str(tmp_path / "part-*.csv")))


@pytest.mark.parametrize(
    "frame",
    [
        ANSWERS,
        ANSWERS.to_batches()[0],
        ANSWERS.to_pandas(),
        ANSWERS.to_pandas().astype("category"),
        pl.from_arrow(ANSWERS),
    ],
    ids=["pyarrow", "batch", "pandas", "pandas-category", "polars"],
)
def test_every_dataframe_gives_the_same_comparisons(frame):
    assert_is_the_table(sw.Comparisons.from_frame(frame))


def test_a_duckdb_query_gives_the_same_comparisons():
    with duckdb.connect() as connection:
        connection.register("answers", ANSWERS)
        assert_is_the_table(sw.Comparisons.from_frame(connection.sql("select * from answers")))


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["007", "b", "c", "tie"])])
def test_polars_categories_are_ids(kind):
    frame = pl.from_arrow(ANSWERS).with_columns(pl.col("left", "right", "label").cast(kind))
    assert_is_the_table(sw.Comparisons.from_frame(frame))


def test_json_columns_that_only_later_records_have_are_not_lost(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = ['{"left":"a","right":"b","winner":"a","worker":"w1"}', '{"left":"a","right":"b","winner":"b","weight":5}']
    path.write_text("\n".join(rows))
    with pytest.raises(ComparisonError, match="row 1: weight is None: bad weight|row 2: worker is None"):
        sw.read(path)
    assert sw.read(path, on_bad="skip", worker="winner").weights().tolist() == [5.0]


def test_json_values_without_a_spelling_are_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"left": "a", "right": "b", "winner": "a"}\n{"left": {"id": 1}, "right": "b", "winner": "b"}\n')
    with pytest.raises(ComparisonError, match="line 2: left is {'id': 1}, which is neither text nor a number"):
        sw.read(path)


def test_whole_numbers_are_ids_and_fractions_are_not():
    answers = sw.Comparisons.from_frame(pd.DataFrame({"left": [1, 2], "right": [2, 3], "winner": [1, 3]}))
    assert list(answers.items) == ["1", "2", "3"]
    with pytest.raises(ComparisonError, match="'left' holds double values; ids are strings or whole numbers"):
        sw.Comparisons.from_frame(pd.DataFrame({"left": [1.0, 2.0], "right": [2, 3], "winner": ["left", "left"]}))


def test_json_ids_that_look_like_dates_stay_strings(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"left": "2020-01-01", "right": "007", "winner": "left"}\n')
    assert list(sw.read(path).items) == ["2020-01-01", "007"]


def test_json_columns_of_mixed_types_are_read_by_their_spelling(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"left": "a", "right": 7, "winner": 7}\n{"left": 7, "right": "b", "winner": "b"}\n')
    assert sw.read(path).outcome.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("names", "values"),
    [
        (("left", "right", "label", "worker"), ("a", "b", "a", "w")),
        (("left", "right", "label", "performer"), ("a", "b", "a", "w")),
        (("model_a", "model_b", "winner", "judge"), ("a", "b", "model_a", "w")),
        (("winner", "loser", "worker"), ("a", "b", "w")),
        (("better", "worse", "observer"), ("a", "b", "w")),
    ],
)
def test_usual_names_are_found(names, values):
    answers = sw.Comparisons.from_frame(pa.table({name: [value] for name, value in zip(names, values, strict=True)}))
    assert (answers.to_frame()["left"][0].as_py(), answers.outcome[0], list(answers.workers)) == ("a", 1.0, ["w"])
    assert answers.sided == ("loser" not in names and "worse" not in names)


def test_arena_words_are_understood():
    table = pa.table({"model_a": ["x"] * 4, "model_b": ["y"] * 4,
                      "winner": ["model_a", "model_b", "tie", "tie (bothbad)"]})  # fmt: skip
    assert sw.Comparisons.from_frame(table).outcome.tolist() == [1.0, 0.0, 0.5, 0.5]


def test_columns_can_be_named_and_factors_and_weights_kept(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x;y;who won;u;logo;w\na;b;b;k;-1;0.5\nb;a;b;k;1;2\n")
    answers = sw.read(
        path, left="x", right="y", winner="who won", worker="u", factors=["logo"], weight="w", delimiter=";"
    )
    assert answers.outcome.tolist() == [0.0, 1.0]
    assert answers.factors["logo"].tolist() == [-1.0, 1.0]
    assert answers.weights().tolist() == [0.5, 2.0]


def test_items_nobody_compared_are_known():
    answers = sw.Comparisons.from_arrays(winner=["a"], loser=["b"], items=["z", "a", "b"])
    assert list(answers.items) == ["z", "a", "b"]
    assert answers.summary().unseen == ("z",)


def test_a_matrix_and_counts_become_single_comparisons():
    matrix = sw.Comparisons.from_matrix([[0, 2, 0], [1, 0, 0], [0, 0, 0]], ["a", "b", "c"])
    counts = sw.Comparisons.from_counts(["a", "b"], ["b", "a"], [2, 1], items=["a", "b", "c"])
    assert len(matrix) == len(counts) == 3
    assert matrix.digest == counts.digest
    with pytest.raises(ComparisonError, match="0.5 is not a count"):
        sw.Comparisons.from_counts(["a"], ["b"], [0.5])
    with pytest.raises(ComparisonError, match="'a' beat itself"):
        sw.Comparisons.from_matrix([[1, 2], [0, 0]], ["a", "b"])
    with pytest.raises(ComparisonError, match=r"\(2, 2\), but there are 3"):
        sw.Comparisons.from_matrix([[0, 2], [0, 0]], ["a", "b", "c"])


def test_a_frame_is_needed():
    with pytest.raises(ComparisonError, match="list is not a dataframe"):
        sw.Comparisons.from_frame([1, 2])


def test_arrays_must_be_of_one_length():
    with pytest.raises(ComparisonError, match="differ in length"):
        sw.Comparisons.from_arrays(left=["a"], right=["b", "c"], winner=["left"])


def test_quoted_new_lines_and_a_byte_order_mark_are_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('\ufeffleft,right,label\n"a\nlong one",b,b\n', encoding="utf-8")
    assert list(sw.read(path).items) == ["a\nlong one", "b"]


def test_mirroring_changes_sides_and_nothing_else():
    answers = sw.Comparisons.from_arrays(left=["a"], right=["b"], winner=[1.0], factors={"logo": [1]})
    mirrored = answers.mirror()
    assert mirrored.to_frame().to_pydict() == {"left": ["b"], "right": ["a"], "outcome": [0.0], "logo": [-1.0]}
    assert np.array_equal(mirrored.mirror().left, answers.left)


def test_the_digest_tells_data_apart():
    one = sw.Comparisons.from_arrays(left=["a"], right=["b"], winner=["a"])
    same = sw.Comparisons.from_arrays(left=["a"], right=["b"], winner=["left"])
    other = sw.Comparisons.from_arrays(left=["a"], right=["b"], winner=["b"])
    assert one.digest == same.digest != other.digest
