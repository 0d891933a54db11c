"""Files of judgments, runs and grades: every form is read, written as it was read, and refused with its cure."""

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sidewise.errors import ComparisonError, DataError
from sidewise.learn import Features
from sidewise.measures import ppref
from sidewise.preferences import (
    Preferences,
    Qrels,
    Run,
    closure,
    majority,
    read_judgments,
    read_preferences,
    read_qrels,
    read_run,
    write_preferences,
    write_qrels,
    write_run,
)

NAMES = "1 G00-00-1006224 G00-10-3849661 -1\n1 G00-10-3849661 G12-90-0628070 -1\n1 G12-90-0628070 NA -2\n"
LETOR = "1 96 5044 -1\n1 5044 322933 1\n2 96 7 0\n2 NA 96 2\n"
WINNERS = "q1 a b a\nq1 b c c\nq2 a c c\n"
LEVELS = "q1 me s1 a 3\nq1 me s1 b 2.0\nq1 me s1 c 0\nq1 me s2 c 0\nq1 me s2 d 5\nq1 you s1 a 0\nq1 you s1 b 1\n"
GRADED = "1 a b -3\n1 b c 1.5\n1 d NA -2\n1 d c 2\n"
FORMS = {"collection": LETOR, "winner": WINNERS, "prefs": LEVELS}


def written(folder, text, name="prefs.txt"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def rows(preferences):
    return list(zip(*preferences.to_frame().to_pydict().values(), strict=True))


def test_the_test_collections_form(tmp_path):
    found = read_preferences(written(tmp_path, LETOR))
    assert repr(found) == "Preferences(2 queries, 4 documents, 4 judgments)"
    assert rows(found) == [
        ("1", "96", "5044", -1),
        ("1", "5044", "322933", 1),
        ("2", "96", "7", 0),
        ("2", None, "96", 2),
    ]
    assert read_preferences(written(tmp_path, NAMES)).documents[0] == "G00-00-1006224"


def test_what_stands_beside_na_is_bad_whatever_the_sign(tmp_path):
    """The paper ties the mark to NA alone: "the other document was judged to be nonrelevant"."""
    usual = read_preferences(written(tmp_path, "1 a NA -2\n1 NA b 2\n"))
    other = read_preferences(written(tmp_path, "1 a NA 2\n1 NA b -2\n"))
    assert other.judgment.tolist() == usual.judgment.tolist() == [-2, 2]
    assert other.to_frame() == usual.to_frame()


def test_winners(tmp_path):
    found = read_preferences(written(tmp_path, WINNERS))
    assert found.form == "winner"
    assert rows(found) == [("q1", "a", "b", -1), ("q1", "b", "c", 1), ("q2", "a", "c", 1)]


def test_levels_say_which_document_of_a_sub_group_is_better(tmp_path):
    found = read_preferences(written(tmp_path, LEVELS))
    assert found.form == "prefs"
    assert rows(found) == [
        ("q1", "a", "b", -1, "me"), ("q1", "b", "c", -1, "me"), ("q1", "d", "c", -1, "me"), ("q1", "b", "a", -1, "you"),
    ]  # fmt: skip


def test_level_0_may_mean_bad(tmp_path):
    """Then b is below c and d too, which are not in its sub-group."""
    text = "q s s a 3\nq s s b 0\nq s t c 2\nq s t d 1\n"
    plain = read_preferences(written(tmp_path, text))
    marked = read_preferences(written(tmp_path, text), zero="bad")
    assert len(closure(plain)) == 2
    assert len(closure(marked)) == 4
    assert rows(marked)[-1] == ("q", "b", None, -2)
    write_preferences(marked, tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text() == text


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("blanks", [" ", "\t", "   ", " \t "])
def test_what_is_written_is_what_was_read(tmp_path, form, blanks):
    text = FORMS[form]
    found = read_preferences(written(tmp_path, text.replace(" ", blanks)))
    write_preferences(found, tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text(encoding="utf-8") == text
    assert rows(read_preferences(tmp_path / "again.txt")) == rows(found)


def test_graded_judgments_are_written_as_they_were_read(tmp_path):
    found = read_preferences(written(tmp_path, GRADED), graded=True)
    assert found.degree.tolist() == [3, 1.5, 1, 2]
    assert found.judgment.tolist() == [-1, 1, -2, 1]
    write_preferences(found, tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text(encoding="utf-8") == GRADED


def test_one_form_becomes_another_where_it_can_say_the_same(tmp_path):
    chain = read_preferences(written(tmp_path, "q a b -1\nq c b 1\n"))
    for form in FORMS:
        write_preferences(chain, tmp_path / "other.txt", form)
        again = read_preferences(tmp_path / "other.txt")
        assert again.form == form
        assert closure(again) == closure(chain)
    whole = closure(read_preferences(written(tmp_path, LETOR)))
    write_preferences(whole.to_preferences(marks=False), tmp_path / "other.txt", "winner")
    assert len(closure(read_preferences(tmp_path / "other.txt"))) == len(whole)


@pytest.mark.parametrize(
    ("text", "form", "graded", "message"),
    [
        (LETOR, "winner", False, "cannot say duplicates and bad documents; write the form 'collection'"),
        (LETOR, "prefs", False, "to_preferences\\(marks=False\\)"),
        (LEVELS, "collection", False, "cannot say groups of judges; write the form 'prefs'"),
        ("1 a b -3\n", "winner", True, "cannot say degrees of preference; write the form 'collection'"),
        (LETOR, "csv", False, "form='csv' is not one of collection, prefs, winner"),
    ],
)
def test_what_a_form_cannot_say_is_refused(tmp_path, text, form, graded, message):
    found = read_preferences(written(tmp_path, text), graded=graded)
    with pytest.raises(DataError, match=message):
        write_preferences(found, tmp_path / "other.txt", form)
    assert not (tmp_path / "other.txt").exists()


def test_an_id_with_a_blank_cannot_be_written(tmp_path):
    found = Preferences.from_arrays(query=["q"], first=["a b"], second=["c"], judgment=[-1])
    with pytest.raises(DataError, match="the id 'a b' is empty or has a blank in it"):
        write_preferences(found, tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 a b -1\n1 a a 1\n", "prefs.txt line 2: '1 a a 1': a document against itself; leave the line out"),
        ("1 a b -1\n\n1 a b 3\n", "line 3: '1 a b 3': no judgment; write -1"),
        ("1 a b -1\n1 a b x\n", "line 2: '1 a b x': no judgment"),
        ("1 a b nan\n1 a b -1\n", "line 1: '1 a b nan': no judgment"),
        ("1 a NA -1\n", "'1 a NA -1': NA without 2 or -2; a line with NA says"),
        ("1 NA a 0\n", "NA without 2 or -2"),
        ("1 NA NA -2\n", "both documents are NA; name the document"),
        ("1 a b -2\n", "2 or -2 without NA; .*graded=True"),
        ("1 a b -1\n1 a b\n", "line 2: '1 a b': wrong number of fields; .*\\(4 fields are wanted\\)"),
        ("q a b a\nq a b c\n", "line 2: 'q a b c': winner is neither document; write the id"),
        ("q a b c\nq a b a\n", "line 1: 'q a b c': winner is neither document"),
        ("q a b a\nq a b b\nq a c -1\n", "line 3: 'q a c -1': winner is neither document"),
        ("q a b x\nq a b -1\nq b a b\n", "line 1: 'q a b x': no judgment"),
        ("q a a a\n", "a document against itself"),
        ("q g s a 1\nq g s a 2\n", "line 2: 'q g s a 2': a document twice in one sub-group"),
        ("q g s a 1\nq g s b -1\n", "'q g s b -1': no level; levels are numbers, 0 or more"),
        ("q g s a 1\nq g t a 0\n", "line 2: 'q g t a 0': level 0 here and another level elsewhere"),
        ("q Q0 a 1 0.5 tag\n", "line 1: 'q Q0 a 1 0.5 tag': this looks like a run: read it with read_run"),
        ("q 0 a 1\nq 0 b 0\n", "this looks like grades of relevance \\(qrels\\): read them with read_qrels"),
        ("left,right,winner\n", "this looks like a line of 1 field; preference judgments have 4 or 5"),
        ("\n \n", "prefs.txt has no lines"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_with_its_cure(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_preferences(written(tmp_path, text))


def test_many_bad_lines_are_counted_and_the_first_are_shown(tmp_path):
    with pytest.raises(DataError) as refused:
        read_preferences(written(tmp_path, "1 a b -1\n" + "1 a a -1\n" * 8))
    told = str(refused.value).splitlines()
    assert told[0].endswith("8 of 9 lines are bad; none was used:")
    assert len(told) == 7
    assert told[-1].strip() == "… and 3 more"


def test_options_that_make_no_sense_are_refused(tmp_path):
    path = written(tmp_path, WINNERS)
    with pytest.raises(DataError, match="no degrees: leave out graded"):
        read_preferences(path, graded=True)
    with pytest.raises(DataError, match="form='best' is not one of"):
        read_preferences(path, "best")
    with pytest.raises(DataError, match="zero='none' is neither"):
        read_preferences(path, zero="none")
    with pytest.raises(DataError, match="there is no file"):
        read_preferences(tmp_path / "nowhere.txt")
    with pytest.raises(DataError, match="is a folder"):
        read_preferences(tmp_path)


def test_other_encodings_and_gzip(tmp_path):
    (tmp_path / "p.gz").write_bytes(gzip.compress(NAMES.encode()))
    assert len(read_preferences(tmp_path / "p.gz")) == 3
    (tmp_path / "p.txt").write_bytes(b"\xef\xbb\xbf1 \xc3\xa9t\xc3\xa9 b -1\r\n")
    assert list(read_preferences(tmp_path / "p.txt").documents) == ["été", "b"]
    (tmp_path / "q.txt").write_bytes("1 é b -1\n".encode("latin-1"))
    with pytest.raises(DataError, match="not UTF-8 text"):
        read_preferences(tmp_path / "q.txt")


def test_documents_with_names_like_codes_are_told_apart(tmp_path):
    """In LETOR's form documents are numbers: 1 and 2 are also codes."""
    assert read_preferences(written(tmp_path, "7 1 2 1\n7 2 3 -1\n")).form == "collection"
    assert read_preferences(written(tmp_path, "7 1 2 1\n7 2 3 3\n")).form == "winner"


def test_frames_and_arrays_of_any_kind():
    frame = pl.DataFrame({"topic": [1, 1, 2], "one": ["a", "b", "a"], "two": ["b", None, "c"], "says": [-1, -2, 1]})
    found = Preferences.from_frame(frame, query="topic", first="one", second="two", judgment="says")
    assert rows(found) == [("1", "a", "b", -1), ("1", "b", None, -2), ("2", "a", "c", 1)]
    floats = Preferences.from_arrays(query=[1], first=[7], second=[8], judgment=[-1.0])
    assert rows(floats) == [("1", "7", "8", -1)]
    with pytest.raises(DataError, match="the data row 1: 'q a a -1': a document against itself"):
        Preferences.from_arrays(query=["q"], first=["a"], second=["a"], judgment=[-1])
    with pytest.raises(DataError, match="there is no column 'topic'; the columns are query"):
        Preferences.from_frame(frame.rename({"topic": "query"}), query="topic")
    with pytest.raises(DataError, match="query is 'q'; pass a list or an array"):
        Preferences.from_arrays(query="q", first=["a"], second=["b"], judgment=[-1])
    for query, first in ((None, "a"), ("", "a"), ("q", ""), ("q", " a")):
        with pytest.raises(DataError, match="no id; give the query, both documents and the judge an id"):
            Preferences.from_arrays(query=[query], first=[first], second=["b"], judgment=[-1])
    with pytest.raises(DataError, match="differ in length"):
        Preferences.from_arrays(query=["q"], first=["a", "b"], second=["a"], judgment=[-1])


def test_numbers_keep_all_of_their_digits(tmp_path):
    """A column of ids with a gap comes as floats, and 1048575 and 1048576 are two documents."""
    frame = pd.DataFrame({"query": 1, "first": [1048575, 1048576], "second": [1048576, None], "judgment": [-1, -2]})
    assert list(Preferences.from_frame(frame).documents) == ["1048575", "1048576"]
    fine = Preferences.from_arrays(query=["q"], first=["a"], second=["b"], judgment=[-1.23456789], graded=True)
    write_preferences(fine, tmp_path / "fine.txt")
    assert (tmp_path / "fine.txt").read_text() == "q a b -1.23456789\n"
    grades = {"q": {"a": 1234567.0, "b": 0.123456789}}
    write_qrels(Qrels(grades), tmp_path / "qrels.txt")
    assert read_qrels(tmp_path / "qrels.txt").grades == grades


def test_an_id_is_the_same_from_wherever_it_comes():
    """Else a run whose ids came as floats would have retrieved nothing that was judged."""
    judged = Preferences.from_arrays(query=[1], first=[7], second=[8], judgment=[-1])
    for run in (
        Run.from_arrays(query=[1.0, 1.0], document=[7.0, 8.0], score=[2, 1]),
        Run.from_lists({1: [7, np.float64(8)]}),
    ):
        assert ppref(run, judged)["1"] == 1
    assert Features.from_arrays([1.0], [7.0], [[0.5]]).row_of == {("1", "7"): 0}


def test_some_queries(tmp_path):
    found = read_preferences(written(tmp_path, LETOR)).select(["2"])
    assert list(found.queries) == ["2"]
    assert rows(found) == [("2", "96", "7", 0), ("2", None, "96", 2)]
    with pytest.raises(DataError, match="has no query '3'; it has '1', '2'"):
        read_preferences(written(tmp_path, LETOR)).select(["3"])
    levels = read_preferences(written(tmp_path, LEVELS + "q2 me s a 1\nq2 me s b 0\n")).select(["q2"])
    write_preferences(levels, tmp_path / "two.txt")
    assert (tmp_path / "two.txt").read_text() == "q2 me s a 1\nq2 me s b 0\n"


def test_comparisons_of_a_query(tmp_path):
    """Every judgment is a comparison, duplicates are ties, groups are workers; bad documents are only items."""
    found = read_preferences(written(tmp_path, LETOR + "2 7 96 1\n2 7 8 -1\n"))
    answers = found.to_comparisons("2")
    assert list(answers.items) == ["96", "7", "8"]
    assert answers.outcome.tolist() == [0.5, 0, 1]
    assert [answers.items[code] for code in answers.left] == ["96", "7", "7"]
    crowd = read_preferences(written(tmp_path, LEVELS)).to_comparisons("q1")
    assert list(crowd.workers) == ["me", "you"]
    assert crowd.worker.tolist() == [0, 0, 0, 1]
    with pytest.raises(ComparisonError, match="nothing to compare"):
        read_preferences(written(tmp_path, "1 a NA -2\n")).to_comparisons("1")


def test_the_majority_of_repeated_judgments():
    sides = [
        ("a", "b", -1),
        ("b", "a", -1),
        ("b", "a", 1),
        ("c", "d", 1),
        ("d", "c", 1),
        ("e", "f", 0),
        ("a", "NA", -2),
    ]
    first, second, judgment = zip(*sides, strict=True)
    found = majority(Preferences.from_arrays(query=["q"] * 7, first=first, second=second, judgment=judgment))
    assert rows(found) == [("q", "a", "b", -1), ("q", "e", "f", 0), ("q", "a", None, -2)]


def test_a_run_is_ordered_by_score_then_by_falling_name(tmp_path):
    text = "2 Q0 x 1 3 t\n1 Q0 a 1 1.5 t\n1 Q0 c 2 7 t\n1 Q0 b 3 1.5 t\n"
    run = read_run(written(tmp_path, text))
    assert dict(run) == {"2": ("x",), "1": ("c", "b", "a")}
    assert dict(read_run(written(tmp_path, text), order="rank")) == {"2": ("x",), "1": ("a", "c", "b")}
    write_run(run, tmp_path / "again.txt")
    again = read_run(tmp_path / "again.txt")
    assert again == run
    assert again.tag == "t"
    assert {query: scores.tolist() for query, scores in again.scores.items()} == {"2": [3], "1": [7, 1.5, 1.5]}
    assert run.to_frame().to_pydict()["rank"] == [1, 1, 2, 3]


def test_ties_are_broken_as_trec_eval_does():
    """Reciprocal rank of the one relevant document, by trec_eval itself."""
    import pytrec_eval

    rng = np.random.default_rng(3)
    for trial in range(20):
        names = [f"d{number}" for number in rng.permutation(12)]
        scores = rng.integers(0, 3, 12).astype(float)
        run = Run.from_arrays(query=["q"] * 12, document=names, score=scores)
        wanted = names[trial % 12]
        evaluator = pytrec_eval.RelevanceEvaluator({"q": {wanted: 1}}, {"recip_rank"})
        found = evaluator.evaluate({"q": dict(zip(names, scores.tolist(), strict=True))})["q"]["recip_rank"]
        assert 1 / (run["q"].index(wanted) + 1) == pytest.approx(found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 Q0 a 1 2.5\n", "wrong number of fields"),
        ("1 Q0 a 1 high t\n", "'1 Q0 a 1 high t': no score; scores are finite"),
        ("1 Q0 a 1 inf t\n", "no score"),
        ("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n", "line 2: '1 Q0 a 2 1 t': a document twice in one query"),
    ],
)
def test_bad_runs(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_run(written(tmp_path, text))


def test_runs_from_elsewhere(tmp_path):
    with pytest.raises(DataError, match="'1 Q0 a first 2 t': no rank; ranks are whole numbers"):
        read_run(written(tmp_path, "1 Q0 a first 2 t\n"), order="rank")
    with pytest.raises(DataError, match="neither 'score' nor 'rank'"):
        read_run(written(tmp_path, "1 Q0 a 1 2 t\n"), order="file")
    with pytest.raises(DataError, match="query 'q' has 'abc'; give it a list of documents"):
        Run.from_lists({"q": "abc"})
    with pytest.raises(DataError, match="the document 'a' stands twice"):
        Run.from_lists({"q": ["a", "b", "a"]})
    with pytest.raises(DataError, match="differ in length"):
        Run.from_arrays(query=["q"], document=["a", "b"], score=[1])
    with pytest.raises(DataError, match="row 1: 'q a nan': no score"):
        Run.from_arrays(query=["q"], document=["a"], score=[np.nan])
    run = Run.from_lists({7: ["b", "a"]})
    write_run(run, tmp_path / "run.txt")
    assert read_run(tmp_path / "run.txt") == run


def test_grades_are_written_as_they_were_read(tmp_path):
    text = "1 Q0 a 2\n1 Q0 b 0\n2 Q0 a 1\n"
    qrels = read_qrels(written(tmp_path, text))
    assert dict(qrels["1"]) == {"a": 2, "b": 0}
    write_qrels(qrels, tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text() == text
    write_qrels(Qrels({"q": {"a": 1.5}}), tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text() == "q 0 a 1.5\n"
    with pytest.raises(DataError, match="'1 Q0 a good': no relevance"):
        read_qrels(written(tmp_path, "1 Q0 a good\n"))
    with pytest.raises(DataError, match="a document twice in one query"):
        read_qrels(written(tmp_path, "1 0 a 1\n1 0 a 2\n"))


def test_grades_imply_preferences(tmp_path):
    qrels = read_qrels(written(tmp_path, "1 0 a 2\n1 0 b 0\n1 0 c 1\n1 0 d 0\n1 0 e -1\n"))
    pairs = closure(qrels.preferences()).to_frame().to_pydict()
    assert set(zip(pairs["better"], pairs["worse"], strict=True)) == {
        (better, worse) for better, others in {"a": "bcde", "c": "bde"}.items() for worse in others
    }
    assert len(closure(qrels.preferences(zero="bad"))) == 7
    assert list(closure(qrels.preferences(zero="bad"))["1"][0].bad_documents()) == ["b", "d", "e"]


def test_whatever_judgments_a_file_holds(tmp_path):
    assert isinstance(read_judgments(written(tmp_path, "1 0 a 2\n1 0 b 0\n")), Qrels)
    for text in FORMS.values():
        assert isinstance(read_judgments(written(tmp_path, text)), Preferences)
