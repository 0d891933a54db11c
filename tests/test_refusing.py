"""Bad data are refused with the file, the row, the value and the cure; nothing is lost silently."""

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import sidewise as sw
from sidewise.errors import ComparisonError, NoComparisons

HEAD = "left,right,label,worker,weight,logo\n"
GOOD = "a,b,a,w1,1,0\n"


def csv(folder, *rows, head=HEAD, name="answers.csv"):
    path = folder / name
    path.write_text(head + "".join(rows))
    return path


BAD = {
    "missing item": ",b,b,w1,1,0\n",
    "blank around id": " a,b,b,w1,1,0\n",
    "item against itself": "a,a,a,w1,1,0\n",
    "missing outcome": "a,b,,w1,1,0\n",
    "unknown outcome": "a,b,zebra,w1,1,0\n",
    "undecided": "a,b,can't decide,w1,1,0\n",
    "missing worker": "a,b,a,,1,0\n",
    "bad weight": "a,b,a,w1,-1,0\n",
    "bad factor": "a,b,a,w1,1,much\n",
    "wrong number of fields": "a,b,a,w1\n",
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_row_is_refused_with_its_number_and_a_cure(tmp_path, kind):
    path = csv(tmp_path, GOOD, GOOD, BAD[kind], GOOD)
    with pytest.raises(ComparisonError) as refused:
        sw.read(path, factors=["logo"])
    message = str(refused.value)
    assert f"{path} row 3: " in message
    assert f": {kind}; " in message
    assert "\n" not in message


@pytest.mark.parametrize("weight", ["nan", "inf", "-0.1", "", "heavy"])
def test_weights_are_finite_and_not_negative(tmp_path, weight):
    with pytest.raises(ComparisonError, match="row 1: weight is .*bad weight"):
        sw.read(csv(tmp_path, f"a,b,a,w1,{weight},0\n"))


def test_many_bad_rows_are_counted_by_kind_and_the_first_few_shown(tmp_path):
    rows = [GOOD] * 5 + [BAD["unknown outcome"]] * 30 + [BAD["missing item"]] * 2
    with pytest.raises(ComparisonError) as refused:
        sw.read(csv(tmp_path, *rows))
    message = str(refused.value)
    assert "32 of 37 rows are bad" in message
    assert "unknown outcome: 30 rows" in message
    assert "row 6: label is 'zebra'" in message
    assert "row 36: left is ''" in message
    assert message.count("zebra") == 5


def test_skipping_keeps_the_good_rows_and_every_bad_one_with_its_reason(tmp_path):
    rows = [GOOD, *BAD.values(), GOOD]
    answers = sw.read(csv(tmp_path, *rows), factors=["logo"], on_bad="skip")
    assert len(answers) == 2
    assert list(answers.items) == ["a", "b"]
    assert list(answers.workers) == ["w1"]
    assert dict(answers.rejects.counts) == dict.fromkeys(BAD, 1)
    answers.rejects.write(tmp_path / "rejects.csv")
    written = pacsv.read_csv(tmp_path / "rejects.csv").to_pydict()
    assert dict(zip(written["row"], written["reason"], strict=True)) == {k + 2: kind for k, kind in enumerate(BAD)}


def test_items_of_refused_rows_are_forgotten_but_named_ones_stay(tmp_path):
    path = csv(tmp_path, GOOD, "a,stranger,zebra,w9,1,0\n")
    answers = sw.read(path, on_bad="skip", items=["known"])
    assert list(answers.items) == ["known", "a", "b"]
    assert list(answers.workers) == ["w1"]
    counts = sw.read_counts(path, on_bad="skip", items=["known"])
    assert list(counts.items) == ["known", "a", "b"]


@pytest.mark.parametrize(("undecided", "rows"), [("tie", [1.0, 0.5]), ("drop", [1.0])])
def test_undecided_answers_are_kept_or_dropped_as_said(tmp_path, undecided, rows):
    answers = sw.read(csv(tmp_path, GOOD, BAD["undecided"]), undecided=undecided)
    assert answers.outcome.tolist() == rows
    assert len(answers.rejects) == 2 - len(rows)


def test_no_good_row_is_an_error_even_when_bad_rows_are_skipped(tmp_path):
    with pytest.raises(ComparisonError, match="none of the 1 rows is good"):
        sw.read(csv(tmp_path, BAD["missing item"]), on_bad="skip")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"left,right,label\n", "there are no rows"),
        ("a.csv", b"PAR1 and so on", "is a Parquet file: give it a name"),
        ("a.csv", b"\x1f\x8b\x08rest", "is gzip: give it a name"),
        ("a.csv.gz", b"left,right,label\n", "is not gzip"),
        ("a.parquet", b"left,right,label\n", "named like a Parquet file, but it is none"),
        ("a.parquet", b"PAR1" + b"x" * 100, "cannot be read as parquet"),
        ("a.csv", "left,right,label\nä,b,b\n".encode("latin-1"), "is not UTF-8"),
        ("a.csv", "left,right,label\na,b,b\n".encode("utf-16"), "is UTF-16 text"),
        ("a.jsonl", b'{"left": "a"', "line 1 is not JSON"),
        ("a.jsonl", b'{"left":"a","right":"b","winner":"left"}\n[1]\n', "line 2 is not a JSON object"),
        ("a.xlsx", b"something", "cannot tell from its name"),
        ("a.csv", b"left,left,label\na,b,a\n", "'left' stands more than once"),
        ("a.csv", b"left;right;label\na;b;a\n", "delimiter=';'"),
        ("a.csv", b"x,y,z\na,b,a\n", "no column for left and right; there are 'x', 'y', 'z'"),
        ("a.csv", b"left,right\na,b\n", "no column for winner"),
        ("a.csv", b"left,right,label,winner\na,b,a,a\n", "more than one column could be winner"),
        ("a.csv", b"left,right,model_a,model_b,winner\na,b,a,b,a\n", "more than one column could be left and right"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_what_it_should_be_is_refused(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ComparisonError) as refused:
        sw.read(path)
    assert message in str(refused.value)
    assert name in str(refused.value)


def test_frames_and_lists_that_cannot_be_read_are_explained():
    import pandas as pd

    mixed = pd.DataFrame({"left": pd.Series(["a", 7], dtype=object), "right": ["b", "b"], "winner": ["b", "b"]})
    with pytest.raises(ComparisonError, match="the dataframe cannot be read"):
        sw.Comparisons.from_frame(mixed)
    with pytest.raises(ComparisonError, match="items is a list"):
        sw.Comparisons.from_arrays(winner=["a"], loser=["b"], items="ab")
    with pytest.raises(ComparisonError, match="items: ' c' is empty or has blanks"):
        sw.Comparisons.from_arrays(winner=["a"], loser=["b"], items=["a", "b", " c"])
    for nothing in (None, float("nan")):
        with pytest.raises(ComparisonError, match="items: '' is empty"):
            sw.Comparisons.from_arrays(winner=["a"], loser=["b"], items=["a", "b", nothing])
    with pytest.raises(ComparisonError, match="1,000,000,001 comparisons are too many"):
        sw.Comparisons.from_matrix([[0, 10**9], [1, 0]], ["a", "b"])
    with pytest.raises(ComparisonError, match="not between 0"):
        sw.Comparisons.from_frame(pa.table({"left": ["a"], "right": ["b"], "winner": ["x"]}), outcomes={"x": "left"})


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(ComparisonError, match="there is no file .*nowhere.csv"):
        sw.read(tmp_path / "nowhere.csv")
    with pytest.raises(ComparisonError, match="no file matches"):
        sw.read(str(tmp_path / "*.csv"))
    (tmp_path / "folder.csv").mkdir()
    for path in (tmp_path, tmp_path / "fold*"):
        with pytest.raises(ComparisonError, match="is a folder"):
            sw.read(path)


def test_parts_with_other_columns_are_refused(tmp_path):
    csv(tmp_path, "a,b,a\n", head="left,right,label\n", name="p1.csv")
    csv(tmp_path, "a,b,a,w\n", head="left,right,label,worker\n", name="p2.csv")
    with pytest.raises(ComparisonError, match="p2.csv: its columns differ"):
        sw.read(str(tmp_path / "p*.csv"))


def test_a_named_column_must_be_there(tmp_path):
    with pytest.raises(ComparisonError, match="no column 'nobody'; there are 'left'"):
        sw.read(csv(tmp_path, GOOD), worker="nobody")


def test_misspelt_options_are_named():
    table = pa.table({"left": ["a"], "right": ["b"], "label": ["a"]})
    for option in ({"on_bad": "ignore"}, {"undecided": "keep"}, {"winner_is": "word"}):
        with pytest.raises(ComparisonError, match=f"{next(iter(option))}="):
            sw.Comparisons.from_frame(table, **option)
    with pytest.raises(ComparisonError, match="factors is a list"):
        sw.Comparisons.from_frame(table, factors="label")
    with pytest.raises(TypeError):
        sw.Comparisons.from_frame(table, wroker="x")


def test_no_rows_are_told_from_no_good_ones(tmp_path):
    """A campaign begins with a header and nothing else, which is not a mistake; rows that are all bad are one."""
    with pytest.raises(NoComparisons, match="there are no rows"):
        sw.read(csv(tmp_path), items=["a", "b"])
    with pytest.raises(ComparisonError, match="none of the 1 rows is good") as caught:
        sw.read(csv(tmp_path, BAD["missing outcome"]), on_bad="skip")
    assert not isinstance(caught.value, NoComparisons)


@pytest.mark.parametrize(
    "columns", [{"left": [], "right": [], "winner": []}, {"winner": [], "loser": [], "worker": []}]
)
def test_empty_lists_hold_no_comparisons_and_not_wrong_ones(columns):
    with pytest.raises(NoComparisons, match="there are no rows, so there is nothing to compare"):
        sw.Comparisons.from_arrays(**columns)
