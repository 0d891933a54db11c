"""``sidewise score`` for search: what a run and a file of judgments come out as."""

import json
import re
from inspect import signature
from pathlib import Path

import numpy as np
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from sidewise.cli import app, search_names, search_table
from sidewise.cli.leaderboard import Format
from sidewise.cli.score_search import is_run, is_search, score_search
from sidewise.cli.score_table import Setting
from sidewise.errors import DataError, MeasureError, SidewiseError
from sidewise.measures.compatibility import compatibility
from sidewise.measures.preference import average_ppref, nwppref, ppref, rpref, wppref
from sidewise.measures.preference_grades import run_err, run_ndcg
from sidewise.preferences import read_preferences, read_qrels, read_run

PREFERENCES = "1 a b -1\n1 b c -1\n1 d NA -2\n2 a b -1\n2 b c -1\n3 a b 0\n4 b a 1\n"
RUN = "1 Q0 a 1 9 me\n1 Q0 c 2 8 me\n1 Q0 b 3 7 me\n2 Q0 b 1 3 me\n2 Q0 x 2 2 me\n3 Q0 a 1 1 me\n9 Q0 a 1 1 me\n"
OTHER = "1 Q0 d 1 9 you\n1 Q0 a 2 8 you\n2 Q0 c 1 3 you\n2 Q0 b 2 2 you\n3 Q0 a 1 1 you\n4 Q0 b 1 1 you\n"
QRELS = "1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 a 1\n2 0 b 0\n"
OPTIONS = {"setting": Setting(confidence=0.95, resamples=200, seed=1)}


@pytest.fixture
def folder(tmp_path):
    files = {"run.txt": RUN, "other.txt": OTHER, "prefs.txt": PREFERENCES, "qrels.txt": QRELS}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def scored(folder, *measures, judgments="prefs.txt", **options):
    """The rows that are written: of the measures, or of the queries."""
    out = folder / "out.json"
    score_search(folder / "run.txt", folder / judgments, list(measures), **(OPTIONS | {"out": out} | options))
    written = json.loads(out.read_text(encoding="utf-8"))
    return written["queries" if options.get("per_query") else "measures"]


def test_every_measure_has_a_name(folder):
    run, judged = read_run(folder / "run.txt"), read_preferences(folder / "prefs.txt")
    expected = {
        "ppref@10": ppref(run, judged, 10), "ppref": ppref(run, judged, None), "rpref@25": rpref(run, judged, 25),
        "average-ppref": average_ppref(run, judged), "wppref@1": wppref(run, judged, 1),
        "nwppref@10": nwppref(run, judged, 10), "compatibility": compatibility(run, judged),
    }  # fmt: skip
    asked = [
        "ppref@10",
        "PPREF@max",
        "rpref@25",
        "appref",
        "wppref@1",
        "nwppref@10",
        "compat",
        "average_ppref",
        "ppref",
    ]
    rows = scored(folder, *asked)
    assert [row["measure"] for row in rows] == list(expected)  # once each, however often they were named
    for row, found in zip(rows, expected.values(), strict=True):
        estimate = found.estimate(resamples=200, seed=1)
        assert (row["mean"], row["low"], row["high"]) == pytest.approx((found.mean, estimate.low, estimate.high))
        assert row["queries"] == int((~np.isnan(found.values)).sum())


def test_grades_have_their_own_measures_and_imply_preferences(folder):
    run, qrels = read_run(folder / "run.txt"), read_qrels(folder / "qrels.txt")
    rows = scored(folder, "ndcg@10", "err@20", "compatibility", "ppref@2", judgments="qrels.txt")
    expected = [
        run_ndcg(run, qrels),
        run_err(run, qrels),
        compatibility(run, qrels),
        ppref(run, qrels.preferences(), 2),
    ]
    assert [row["mean"] for row in rows] == pytest.approx([found.mean for found in expected])
    assert [row["measure"] for row in scored(folder, judgments="qrels.txt")] == ["ndcg@10", "err@20", "compatibility"]
    assert scored(folder)[0]["measure"] == "ppref@10"


def test_the_table_and_the_notes(folder, capsys):
    score_search(folder / "run.txt", folder / "prefs.txt", ["ppref@10", "appref"], **OPTIONS)
    told = capsys.readouterr()
    lines = [line.split() for line in told.out.splitlines() if line.strip()]
    assert lines[0] == ["measure", "mean", "95", "%", "interval", "queries"]
    assert lines[2][:2] == ["ppref@10", f"{ppref(read_run(folder / 'run.txt'), read_preferences(folder / 'prefs.txt')).mean:.4f}"]  # noqa: E501  # fmt: skip
    assert "1 query (3): no preferences to measure by; left out" in told.err
    assert "1 query (4): judged, but not in the run; counted as 0" in told.err
    assert "1 query (9): in the run, but not judged; left out" in told.err


def test_query_by_query(folder, capsys):
    rows = scored(folder, "ppref@10", "rpref", per_query=True)
    run, judged = read_run(folder / "run.txt"), read_preferences(folder / "prefs.txt")
    assert [row["query"] for row in rows] == ["1", "2", "3", "4"]
    assert [row["rpref"] for row in rows] == [rpref(run, judged, None)["1"], rpref(run, judged, None)["2"], None, 0]
    assert "–" in capsys.readouterr().out  # query 3 has no value


def test_numbers_are_never_cut_for_want_of_room(folder, capsys, monkeypatch):
    monkeypatch.setattr(search_table.out, "_width", 60)
    names = ["ppref@10", "rpref@10", "ppref", "rpref", "average-ppref", "wppref@10", "compatibility"]
    scored(folder, *names, per_query=True)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    told = " ".join(lines)
    assert all(f" {name} " in told for name in names)
    assert "0.…" not in told
    assert told.count(" query ") > 1  # several tables, each with the queries


def test_results_for_programs(folder, capsys):
    score_search(folder / "run.txt", folder / "prefs.txt", ["ppref@10"], **OPTIONS, form=Format.json, per_query=True)
    printed = json.loads(capsys.readouterr().out)
    assert (printed["seed"], printed["measures"][0]["measure"], len(printed["queries"])) == (1, "ppref@10", 4)


@pytest.mark.parametrize(
    ("more", "head"), [([], '"measure","mean","low","high","queries"'), (["--per-query"], '"query","ppref@2"')]
)
def test_csv_for_programs(folder, more, head):
    ran = CliRunner().invoke(
        app,
        ["score", str(folder / "run.txt"), str(folder / "prefs.txt"), "--measure", "ppref@2", "--format", "csv", *more],
    )
    assert ran.stdout.splitlines()[0] == head


def test_measures_have_options(folder):
    run, qrels = read_run(folder / "run.txt"), read_qrels(folder / "qrels.txt")
    asked = ["ndcg@10", "ndcg@10(gain=linear)", "nDCG@10(gain=exp2)", "err(highest=4)", "compatibility(p=0.8,depth=5)"]
    rows = scored(folder, *asked, judgments="qrels.txt")
    expected = [
        run_ndcg(run, qrels), run_ndcg(run, qrels, gain="exp2"), run_err(run, qrels, None, highest=4),
        compatibility(run, qrels, p=0.8, depth=5),
    ]  # fmt: skip
    assert [row["measure"] for row in rows] == [found.measure for found in expected]
    assert [row["mean"] for row in rows] == pytest.approx([found.mean for found in expected])
    assert len({round(row["mean"], 6) for row in rows}) == 4  # each option makes a difference


def test_what_options_are_if_not_said():
    functions = {"ndcg": run_ndcg, "err": run_err, "compatibility": compatibility}
    for name, usual in search_names.OPTIONS.items():
        known = signature(functions[name]).parameters
        assert {option: known[option].default for option in usual} == usual


def test_judgments_that_only_contradict_each_other_say_nothing(folder, capsys):
    (folder / "prefs.txt").write_text("1 a b -1\n1 b a -1\n", encoding="utf-8")
    (row,) = scored(folder, "ppref@10", drop_contradictions=True)
    assert (row["mean"], row["queries"]) == (None, 0)
    assert "no preferences to measure by" in capsys.readouterr().err


def test_a_table_is_no_run_and_a_run_no_ranking(folder):
    (folder / "table.csv").write_text("item,score\na,1\n", encoding="utf-8")
    for files, told in (
        (("table.csv", "prefs.txt"), "table.csv is a table: name a run"),
        (("run.txt", "table.csv"), "run.txt is a run of a search engine, and .*table.csv holds no judgments"),
        (("prefs.txt", "run.txt"), "name the run first, and then the judgments"),
    ):
        ran = CliRunner().invoke(app, ["score", *(str(folder / name) for name in files)])
        assert ran.exit_code == 2
        assert re.search(told, ran.stderr)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 a b x\n1 b c -1\n", "bad.txt line 1: '1 a b x': no judgment"),
        ("1 a b c\n1 b c c\n", "bad.txt line 1: '1 a b c': winner is neither document"),
        ("query a b judgment\n1 b c -1\n", "bad.txt line 1: 'query a b judgment'"),
        ("1 a b\n1 b c -1\n", "bad.txt line 1: '1 a b': this looks like a line of 3 fields"),
        ("", "bad.txt has no lines"),
    ],
)
def test_beside_a_run_the_first_bad_line_of_the_judgments_is_named(folder, text, told):
    (folder / "bad.txt").write_text(text, encoding="utf-8")
    ran = CliRunner().invoke(app, ["score", str(folder / "run.txt"), str(folder / "bad.txt")])
    assert ran.exit_code == 2
    assert told in ran.stderr


def test_a_run_is_not_compared_with_itself(folder):
    with pytest.raises(SidewiseError, match="compared with itself"):
        scored(folder, "ppref@10", against=folder / "run.txt")


@pytest.mark.parametrize("score", ["-5.17", "1e-3", "2.5E+07", ".5", "3"])
def test_runs_are_known_by_their_scores(tmp_path, score):
    (tmp_path / "run").write_text(f"q Q0 a 1 {score} me\n", encoding="utf-8")
    assert is_run(tmp_path / "run")


def test_another_run(folder, capsys):
    (row,) = scored(folder, "ppref@10", against=folder / "other.txt")
    judged = read_preferences(folder / "prefs.txt")
    first, second = (ppref(read_run(folder / name), judged) for name in ("run.txt", "other.txt"))
    lead = first.against(second, resamples=200, seed=1)
    assert row["against"] == pytest.approx(second.mean)
    assert (row["difference"], row["p_value"]) == pytest.approx((lead.value, lead.p_value))
    assert "against" in capsys.readouterr().out


def test_no_resamples_make_no_intervals(folder, capsys):
    (row,) = scored(folder, "ppref@10", against=folder / "other.txt", setting=Setting(0.95, resamples=0, seed=0))
    assert row.keys() == {"measure", "mean", "queries", "against", "difference"}
    assert row["difference"] == pytest.approx(row["mean"] - row["against"])
    assert "interval" not in capsys.readouterr().out


def test_queries_that_are_missing_can_be_left_out(folder):
    (row,) = scored(folder, "ppref@10", skip_missing=True)
    assert row["queries"] == 2


def test_contradictions_are_refused_or_dropped(folder, capsys):
    (folder / "prefs.txt").write_text(PREFERENCES + "1 c a -1\n", encoding="utf-8")
    with pytest.raises(DataError, match="query 1: a > b \\(line 1\\), b > c \\(line 2\\), c > a \\(line 8\\)"):
        scored(folder, "ppref@10")
    scored(folder, "ppref@10", drop_contradictions=True)
    assert "dropped 1 contradiction: the order of 3 documents is left open" in capsys.readouterr().err


def test_graded_judgments(folder):
    (folder / "prefs.txt").write_text("1 a b -3\n1 c b -1\n", encoding="utf-8")
    with pytest.raises(DataError, match="--graded"):
        scored(folder, "wppref@10")
    (row,) = scored(folder, "wppref@10", graded=True)
    assert row["mean"] == pytest.approx(1)  # a c b: both right


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_other_files_to_write(folder, ending):
    out = folder / f"out.{ending}"
    score_search(folder / "run.txt", folder / "prefs.txt", ["rpref"], **(OPTIONS | {"out": out}))
    table = (pacsv.read_csv if ending == "csv" else pq.read_table)(out)
    assert table["measure"].to_pylist() == ["rpref"]


@pytest.mark.parametrize(
    ("measure", "judgments", "message"),
    [
        ("map", "prefs.txt", "no measure 'map' for search; there are: ppref"),
        ("ndcg@10", "prefs.txt", "ndcg@10 takes grades of relevance \\(qrels\\)"),
        ("ppref@ten", "prefs.txt", "after @ comes a rank, 1 or more, or max for all, as in ppref@10"),
        ("ppref@0", "prefs.txt", "after @ comes a rank"),
        ("appref@10", "prefs.txt", "average-ppref looks at all ranks; leave out @10"),
        ("ppref@10(gain=exp2)", "prefs.txt", "ppref has no option 'gain'; it takes none"),
        ("compatibility(q=1)", "prefs.txt", "compatibility has no option 'q'; it takes: p, depth"),
        ("compatibility(p=x)", "prefs.txt", "compatibility: p='x' is not a number"),
        ("compatibility(depth=2.5)", "prefs.txt", "depth=2.5: it takes a whole number of ranks"),
        ("ndcg(gain=log)", "qrels.txt", "gain='log'"),
    ],
)
def test_measures_that_there_are_not(folder, measure, judgments, message):
    with pytest.raises(MeasureError, match=message):
        scored(folder, measure, judgments=judgments)


def test_places_that_cannot_be_written_are_named_first(folder):
    for out, message in ((folder / "out.txt", "end the name in"), (folder / "no" / "out.csv", "there is no folder")):
        with pytest.raises(SidewiseError, match=message):
            score_search(folder / "run.txt", folder / "prefs.txt", ["rpref"], **(OPTIONS | {"out": out}))


@pytest.mark.parametrize(
    ("name", "text", "search"),
    [
        ("prefs.txt", PREFERENCES, True),
        ("qrels", QRELS, True),
        ("winners.txt", "q a b a\n", True),
        ("levels.prefs", "\nq 0 0 a 1.5\n", True),
        ("tabs.tsv", "1\ta\tb\t-1\n", True),
        ("truth.csv", "item,score\na,1\n", False),
        ("truth.tsv", "item\tscore\tlow\thigh\na\t1\t0\t2\n", False),
        ("spaces.txt", "item one,item two,score in all\n", False),
        ("run.txt", RUN, False),
        ("empty.txt", "", False),
    ],
)
def test_judgments_are_told_from_tables(tmp_path, name, text, search):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert is_search(tmp_path / name) is search


def test_no_file_is_no_search():
    assert not is_search(Path("nowhere.txt"))
