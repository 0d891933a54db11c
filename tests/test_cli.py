"""The command line as a person uses it: clear lines, exit codes, files that are what their names say."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import sidewise as sw

CAKES = str(Path(__file__).parents[1] / "examples" / "cakes.csv")


def run(*words, columns="120"):
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "sidewise.cli", *map(str, words)], capture_output=True, text=True, check=False,
        env={"COLUMNS": columns, "PATH": "", "PYTHONIOENCODING": "utf-8"}, encoding="utf-8",
    )  # fmt: skip


def lines(done):
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_file_becomes_a_leaderboard():
    printed = lines(run("rank", CAKES))
    assert "rank" in printed[1]
    assert "tier" in printed[1]
    assert printed[3].split()[:3] == ["1", "black", "forest"]
    assert "●" in printed[3]
    assert any("4,000 comparisons; bradley_terry, prior Normal(" in line for line in printed)


def test_a_narrow_terminal_gets_a_narrow_table():
    table = lines(run("rank", CAKES, columns="80"))[:-1]
    assert all(len(line) <= 80 for line in table)
    assert not any("●" in line for line in table)


def test_csv_and_json_on_the_standard_output_are_what_the_library_says():
    frame = sw.bradley_terry(sw.read(CAKES)).to_frame()
    rows = list(csv.DictReader(io.StringIO(run("rank", CAKES, "--format", "csv").stdout)))
    assert [row["item"] for row in rows] == frame["item"].to_pylist()
    assert float(rows[0]["score"]) == pytest.approx(frame["score"][0].as_py(), abs=1e-6)
    whole = json.loads(run("rank", CAKES, "--format", "json").stdout)
    assert [row["item"] for row in whole["items"]] == frame["item"].to_pylist()
    assert whole["fit"]["converged"] is True
    assert whole["fit"]["digest"] == sw.read(CAKES).digest


def test_rankings_are_written_as_their_names_say(tmp_path):
    for name in ("r.csv", "r.parquet", "r.json"):
        done = run("rank", CAKES, "--out", tmp_path / name)
        assert done.returncode == 0
        assert f"the ranking is in {tmp_path / name}" in done.stderr.replace("\n", "")
    assert pacsv.read_csv(tmp_path / "r.csv").num_rows == 40
    assert pq.read_table(tmp_path / "r.parquet")["rank"].to_pylist()[0] == 1
    assert len(json.loads((tmp_path / "r.json").read_text())["items"]) == 40
    refused = run("rank", CAKES, "--out", tmp_path / "r.txt")
    assert (refused.returncode, "end the name in .csv" in refused.stderr) == (2, True)


@pytest.mark.parametrize("model", ["bradley-terry", "win-rate", "page-rank", "elo", "random-order"])
def test_every_model_is_at_hand(model):
    done = run("rank", CAKES, "--model", model, "--top", 3)
    assert done.returncode == 0, done.stderr
    assert "… and 37 more" in done.stdout
    assert ("depends on the order" in done.stderr) == (model == "elo")


def test_options_reach_the_model():
    whole = json.loads(
        run("rank", CAKES, "--ties", "davidson", "--prior", "normal:2", "--covariate", "side", "--interval", "0.8",
            "--intervals-by", "bootstrap", "--unit", "worker", "--replicates", "20", "--seed", "5",
            "--format", "json").stdout
    )  # fmt: skip
    ranking = sw.bradley_terry(
        sw.read(CAKES), ties="davidson", prior=sw.Normal(2), covariates=["side"], level=0.8, intervals="bootstrap",
        unit="worker", replicates=20, seed=5,
    )  # fmt: skip
    assert whole["items"] == ranking.to_frame().to_pylist()
    assert [row["effect"] for row in whole["fit"]["effects"]] == ["side", "ties (log ν)"]


@pytest.mark.parametrize(
    ("prior", "stated"),
    [
        ("none", "None"),
        ("normal:1.5", "Normal(1.5)"),
        ("virtual:2", "VirtualItem(strength=2.0)"),
        ("virtual", "VirtualItem(strength=1.0)"),
    ],
)
def test_priors_by_name(prior, stated):
    whole = json.loads(run("rank", CAKES, "--prior", prior, "--format", "json").stdout)
    assert whole["fit"]["settings"]["prior"] == stated


def test_scales():
    printed = "\n".join(lines(run("rank", CAKES, "--scale", "elo", "--anchor", "scone")))
    assert "Elo points" in printed
    assert "1500 is the item 'scone'" in printed


def test_bad_rows_are_one_message_and_exit_code_2(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("left,right,label\na,b,zebra\n")
    done = run("rank", path, columns="300")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"error: {path} row 1: label is 'zebra': unknown outcome; use")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.csv"], "there is no file nowhere.csv"),
        ([CAKES, "--model", "best"], "no model 'best'"),
        ([CAKES, "--ties", "maybe"], "ties='maybe' is not one of"),
        ([CAKES, "--prior", "strong"], "is not one of: auto, none"),
        ([CAKES, "--prior", "normal:x"], "is not one of: auto, none"),
        ([CAKES, "--model", "elo", "--ties", "half"], "elo has no option ties"),
        ([CAKES, "--interval", "95"], "between 0 and 1"),
        ([CAKES, "--left", "nobody", "--right", "right"], "no column 'nobody'"),
        ([CAKES, "--outcome", "a1"], "write word=left"),
        ([CAKES, "--anchor", "[bold]bread[/]"], "no item '[bold]bread[/]'"),
        ([CAKES, "--items", "nowhere.txt"], "nowhere.txt"),
    ],
)
def test_mistakes_are_explained_without_a_traceback(words, message):
    done = run("rank", *words, columns="300")
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_bad_rows_can_be_set_aside(tmp_path):
    path, rejects = tmp_path / "some.csv", tmp_path / "rejects.csv"
    path.write_text("left,right,label\na,b,a\nb,a,zebra\na,b,b\na,a,a\n")
    done = run("rank", path, "--skip-bad", rejects)
    assert done.returncode == 0
    assert "left out 2 rows (1 unknown outcome, 1 item against itself)" in done.stderr.replace("\n", " ")
    table = pacsv.read_csv(rejects)
    assert table["row"].to_pylist() == [2, 4]
    assert table["label"].to_pylist() == ["zebra", "a"]


def test_words_columns_and_undecided_answers_can_be_explained(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("arg1\targ2\tvalue\tw\nx\ty\ta1\tk\ny\tx\tequal\tk\nx\ty\ta2\tk\n")
    printed = lines(
        run("rank", path, "--left", "arg1", "--right", "arg2", "--winner", "value", "--worker", "w", "--outcome",
            "a1=left", "--outcome", "a2=right", "--outcome", "equal=0.5")
    )  # fmt: skip
    assert any("3 comparisons" in line for line in printed)
    other = tmp_path / "b.csv"
    other.write_text("left,right,label\nx,y,x\ny,x,can't decide\n")
    assert run("rank", other).returncode == 2
    assert "dropped 1 undecided" in run("rank", other, "--undecided", "drop").stderr


def test_streaming_gives_the_same_ranking(tmp_path):
    plain = run("rank", CAKES, "--format", "csv").stdout
    streamed = run("rank", CAKES, "--format", "csv", "--stream").stdout
    read = [
        [(row["item"], round(float(row["score"]), 4)) for row in csv.DictReader(io.StringIO(text))]
        for text in (plain, streamed)
    ]
    assert sorted(read[0]) == sorted(read[1])
    report = tmp_path / "r.html"
    assert run("rank", CAKES, "--stream", "--report", report).returncode == 0
    assert "4,000 comparisons" in report.read_text(encoding="utf-8")


def test_unseen_items_are_ranked_when_named(tmp_path):
    names = tmp_path / "items.txt"
    names.write_text("a brand new cake\n")
    whole = json.loads(run("rank", CAKES, "--items", names, "--format", "json").stdout)
    new = next(row for row in whole["items"] if row["item"] == "a brand new cake")
    assert (new["comparisons"], new["rank_low"]) == (0, 1)
    assert new["rank_high"] - new["rank_low"] >= max(row["rank_high"] - row["rank_low"] for row in whole["items"])


def test_the_summary_and_the_version():
    assert "left share        0.455" in run("summary", CAKES).stdout
    assert run("--version").stdout == f"sidewise {sw.__version__}\n"


def test_studies_can_be_listed():
    assert "coverage" in run("reproduce", "list").stdout
    assert run("reproduce", "nothing").returncode == 2


def test_help_teaches():
    text = run("rank", "--help").stdout
    for word in ("--model", "--ties", "--interval", "--out", "--report", "--format", "--skip-bad", "bradley-terry"):
        assert word in text
