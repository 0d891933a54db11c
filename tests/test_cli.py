"""The command line as a person uses it: clear lines, exit codes, files that are what their names say."""

import csv
import io
import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import sidewise as sw

CAKES = str(Path(__file__).parents[1] / "examples" / "cakes.csv")


ALGEBRA = {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS")}  # the last bits go by it


def run(*words, columns="120", **environment):
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "sidewise.cli", *map(str, words)], capture_output=True, text=True, check=False,
        env={"COLUMNS": columns, "PATH": "", "PYTHONIOENCODING": "utf-8", **ALGEBRA, **environment}, encoding="utf-8",
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
    assert any("4,000 comparisons; worker_bt, prior Normal(" in line for line in printed)


def test_a_narrow_terminal_gets_a_narrow_table():
    table = lines(run("rank", CAKES, columns="80"))[:-2]
    assert all(len(line) <= 80 for line in table)
    assert not any("●" in line for line in table)


def leaderboard(printed):
    """The head and the rows of a printed table."""
    rows = [line for line in printed if line.startswith(" ") and line.strip() and "──" not in line[:12]]
    return rows[0].split(), rows[1:]


URLS = [f"https://data.example.org/images/collection-of-2024/photo-{k:05d}-original.jpg" for k in range(12)]


@pytest.fixture(scope="module")
def urls(tmp_path_factory):
    path = tmp_path_factory.mktemp("urls") / "urls.csv"
    rows = [f"{a},{b},{'tie' if k % 5 == 0 else a}" for k, (a, b) in enumerate(itertools.combinations(URLS, 2))]
    path.write_text("left,right,label\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (140, "rank item score interval ranks tier comparisons 95% interval"),
        (100, "rank item score interval ranks tier comparisons"),
        (80, "rank item score interval ranks tier comparisons"),
        (70, "rank item score interval ranks tier"),
        (60, "rank item score interval tier"),
        (50, "rank item score tier"),
        (34, "rank item score"),
    ],
)
def test_a_table_fits_its_terminal_with_every_item_on_one_line(urls, columns, shown):
    printed = lines(run("rank", urls, columns=str(columns)))
    head, rows = leaderboard(printed)
    assert " ".join(head) == shown
    assert len(rows) == 12
    assert all(len(line) <= columns for line in printed[:-1])
    names = [row.split()[1] for row in rows]
    assert all("…" in name and len(name) >= 12 for name in names)
    assert len(set(names)) == 12


def test_short_names_are_left_as_they_are_at_60_columns():
    _, rows = leaderboard(lines(run("rank", CAKES, columns="60")))
    assert rows[0].split()[:3] == ["1", "black", "forest"]


def test_small_scores_do_not_round_away(tmp_path):
    path = tmp_path / "many.csv"
    pairs = np.random.default_rng(0).integers(900, size=(4000, 2))
    path.write_text("left,right,label\n" + "\n".join(f"i{a},i{b},left" for a, b in pairs if a != b) + "\n")
    _, rows = leaderboard(lines(run("rank", path, "--model", "page-rank", "--top", 20)))
    assert len({row.split()[2] for row in rows}) > 5
    assert all(len(row.split()[2].split(".")[1]) >= 5 for row in rows)


def test_items_of_separate_parts_show_their_part(tmp_path):
    path = tmp_path / "parts.csv"
    path.write_text("left,right,label\na,b,a\nb,a,a\nb,c,b\nx,y,x\n")
    head, rows = leaderboard(lines(run("rank", path)))
    assert head[-3:] == ["part", "95%", "interval"]
    assert {row.split()[1]: row.split()[9] for row in rows} == {"a": "1", "b": "1", "c": "1", "x": "2", "y": "2"}


def test_items_without_a_score_have_no_picture(tmp_path):
    path, names = tmp_path / "a.csv", tmp_path / "items.txt"
    path.write_text("left,right,label\na,b,a\nb,a,b\n")
    names.write_text("new\n")
    _, rows = leaderboard(lines(run("rank", path, "--prior", "none", "--items", names)))
    assert ["●" in row for row in rows] == [True, True, False]


@pytest.mark.parametrize("form", ["table", "csv", "json"])
@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="needs pipes of Unix")
def test_a_reader_who_stops_reading_is_no_error(form):
    """As in ``sidewise rank … | head -1``: the other end of the pipe is closed before anything is written."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "sidewise.cli", "rank", CAKES, "--model", "worker-bt", "--format", form], stdout=writer,
        stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    os.close(writer)
    assert done.returncode in (0, -signal.SIGPIPE)
    assert done.stderr == b""


def test_settings_are_values_of_json():
    told = json.loads(run("rank", CAKES, "--covariate", "side", "--format", "json").stdout)["fit"]
    assert told["settings"]["covariates"] == ["side"]
    assert told["settings"]["level"] == 0.95
    assert told["settings"]["tol"] == pytest.approx(1e-6)
    told = json.loads(run("rank", CAKES, "--model", "bradley-terry", "--format", "json").stdout)["fit"]
    assert told["settings"]["covariates"] == []


def test_elo_can_be_averaged_over_orders():
    done = run("rank", CAKES, "--model", "elo", "--orders", "3", "--seed", "2", "--format", "json")
    assert done.stderr == ""
    ranking = sw.elo(sw.read(CAKES), orders=3, seed=2)
    assert [row["item"] for row in json.loads(done.stdout)["items"]] == list(ranking.order)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--worker", "worker"], "--worker"),
        (["--factor", "x"], "--factor"),
        (["--covariate", "side"], "--covariate"),
        (["--intervals-by", "bootstrap"], "--intervals-by bootstrap"),
        (["--intervals-by", "sandwich"], "--intervals-by sandwich"),
        (["--model", "elo"], "--model elo"),
        (["--bias-sd", "1"], "--bias-sd"),
        (["--workers"], "--workers"),
    ],
)
def test_streaming_refuses_what_needs_every_comparison(words, named):
    done = run("rank", CAKES, "--stream", *words, columns="300")
    assert done.returncode == 2
    assert f"--stream keeps pair counts alone, which are not enough for {named}: leave out" in done.stderr


def test_a_report_without_its_libraries_is_refused_before_any_work(tmp_path):
    (tmp_path / "altair.py").write_text("raise ImportError")
    done = run("rank", "nowhere.csv", "--report", tmp_path / "r.html", columns="300", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert "altair is not installed; install it with: pip install 'sidewise[plot]'" in done.stderr


def test_a_tab_may_be_written_as_programmers_do(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("left\tright\tlabel\na\tb\ta\n")
    assert any("1 comparison;" in line for line in lines(run("rank", path, "--delimiter", r"\t")))


def test_csv_and_json_on_the_standard_output_are_what_the_library_says():
    frame = sw.rank(sw.read(CAKES)).to_frame()
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
        ("none", None),
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
        (
            [CAKES, "--model", "elo", "--ties", "half"],
            "elo has no option --ties; it takes: --orders, --seed, --interval",
        ),
        ([CAKES, "--model", "random-order", "--orders", "5"], "random-order has no option --orders; it takes: --seed"),
        ([CAKES, "--top", "-3"], "Invalid value for '--top'"),
        ([CAKES, "--delimiter", ";;"], "--delimiter ';;': one character separates columns"),
        ([CAKES, "--delimiter", ""], "one character separates columns"),
        ([CAKES, "--model", "win-rate", "--anchor", "scone"], "have no other zero"),
        (["nowhere.csv", "--report", "no/folder/r.html"], "there is no folder no/folder"),
        (["nowhere.csv", "--out", "r.txt"], "end the name in .csv"),
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
    plain = run("rank", CAKES, "--model", "bradley-terry", "--format", "csv").stdout
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
    assert new["comparisons"] == 0
    assert new["rank_low"] <= 2  # the prior leaves one chance in fifty or so that it is the best of all
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


def test_a_study_refuses_a_seed_below_0_as_a_ranking_does(tmp_path):
    for words in (("reproduce", "factor-bt", "--quick", "--only", "table-1", "--out", tmp_path), ("rank", CAKES)):
        refused = run(*words, "--seed", "-1")
        assert refused.returncode == 2
        assert "Traceback" not in refused.stderr
        assert "seed" in refused.stderr


def test_a_part_that_was_asked_for_by_name_and_cannot_be_run_is_an_error(tmp_path):
    words = ("reproduce", "factor-bt", "--quick", "--only", "figure-1", "--out", tmp_path)
    refused = run(*words, SIDEWISE_DATA=str(tmp_path / "nothing"))
    assert refused.returncode == 1
    assert "skipped figure-1" in refused.stderr
