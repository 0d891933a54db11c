"""The command line and the crowd: which model is taken and why, and what is told about workers."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from tests.test_cli import CAKES, lines, run

import sidewise as sw
from sidewise.cli.columns import WORKER_MODELS
from sidewise.models import MODELS


def fitted(*words):
    """What the command line fitted, and what it said about it."""
    done = run("rank", *words, "--format", "json", columns="300")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["fit"], done.stderr


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Answers of nobody in particular, and of one worker alone."""
    folder = tmp_path_factory.mktemp("alone")
    (folder / "nobody.csv").write_text("left,right,label\na,b,a\nb,c,b\na,c,c\n")
    (folder / "one.csv").write_text("left,right,label,worker\na,b,a,w\nb,c,b,w\na,c,c,w\n")
    return folder


def test_data_that_name_workers_are_ranked_with_them_in_mind():
    fit, said = fitted(CAKES)
    assert fit["model"] == sw.rank(sw.read(CAKES)).fit.model == "worker_bt"
    assert said == "ranked by worker-bt, since the data name workers; --model bradley-terry ignores them\n"


@pytest.mark.parametrize(("name", "why"), [("nobody", "the data name no workers"), ("one", "there is one worker only")])
def test_other_data_are_ranked_by_bradley_terry(alone, name, why):
    fit, said = fitted(alone / f"{name}.csv")
    assert fit["model"] == "bradley_terry"
    assert said == f"ranked by bradley-terry, since {why}\n"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--covariate", "side"], "--covariate"),
        (["--prior", "none"], "--prior none"),
        (["--prior", "virtual:1"], "--prior virtual"),
        (["--intervals-by", "sandwich"], "--intervals-by sandwich"),
    ],
)
def test_options_that_only_bradley_terry_takes_choose_it(words, named):
    fit, said = fitted(CAKES, *words)
    assert fit["model"] == "bradley_terry"
    assert f"ranked by bradley-terry, which {named} goes with" in said


def test_pair_counts_are_ranked_by_bradley_terry():
    fit, said = fitted(CAKES, "--stream")
    assert fit["model"] == "bradley_terry"
    assert "since pair counts know no workers" in said


def test_a_model_that_was_named_needs_no_reason():
    assert fitted(CAKES, "--model", "worker-bt")[1] == ""


def test_options_reach_the_models_of_crowds(tmp_path):
    settings = fitted(CAKES, "--bias-sd", "1.5", "--sensitivity-sd", "0.5", "--prior", "normal:1")[0]["settings"]
    assert (settings["bias_sd"], settings["sensitivity_sd"], settings["prior"]) == ([1.5], 0.5, "Normal(1)")
    settings = fitted(CAKES, "--model", "crowd-bt", "--credit", "2:1", "--prior", "virtual:0.5")[0]["settings"]
    assert (settings["credit"], settings["prior"]) == ([2, 1], "VirtualItem(strength=0.5)")
    path = tmp_path / "logos.csv"
    assert run("simulate", "--factor", "logo", "--comparisons", "600", "--out", path).returncode == 0
    for model in ("worker-bt", "factor-bt"):
        assert fitted(path, "--model", model, "--factor", "logo")[0]["settings"]["factors"] == ["side", "logo"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--orders", "3"], "--orders goes with --model elo: name it"),
        (["--credit", "4:1"], "--credit goes with --model crowd-bt or --model factor-bt: name one"),
        (["--covariate", "side", "--bias-sd", "1"], "--covariate goes with bradley-terry and --bias-sd with worker-bt"),
        (["--covariate", "side", "--workers"], "--covariate goes with bradley-terry and the table of workers with"),
        (["--model", "elo", "--workers"], "elo learns nothing about workers; these do: crowd-bt, "),
        (["--model", "crowd-bt", "--credit", "4"], "--credit '4': write right and wrong answers as in 4:1"),
        (["--model", "worker_bt", "--prior", "none"], "worker_bt takes no --prior none; bradley-terry does"),
        (["--workers-out", "w.txt"], "--workers-out w.txt: end the name in .csv"),
        (["--workers-out", "no/folder/w.csv"], "there is no folder no/folder"),
    ],
)
def test_what_cannot_be_is_explained(words, message):
    done = run("rank", CAKES, *words, columns="300")
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_workers_cannot_be_told_where_nobody_is_named(alone):
    done = run("rank", alone / "nobody.csv", "--workers", columns="300")
    assert done.returncode == 2
    assert "the data do not say who said what: name the worker column" in done.stderr


def test_the_models_that_learn_about_workers_are_known_without_loading_them():
    answers = sw.read(CAKES)
    crowd = [name for name in MODELS if name != "elo" and sw.rank(answers, name).workers is not None]
    assert tuple(crowd) == WORKER_MODELS


def test_flagged_workers_are_counted_below_the_leaderboard():
    last = lines(run("rank", CAKES))[-1]
    assert last.startswith("50 workers: 4 favour right, ")
    assert last.endswith(" random (see --workers)")


def test_the_table_of_workers_has_the_flagged_ones_first():
    printed = lines(run("rank", CAKES, "--workers", "--top", "9"))
    head = next(k for k, line in enumerate(printed) if line.split()[:2] == ["worker", "answers"])
    shown = [line.split() for line in printed[head + 2 : head + 11]]
    table = {row["worker"]: row for row in sw.rank(sw.read(CAKES)).workers.to_pylist()}
    flags = [table[row[0]]["flag"] for row in shown]
    assert flags == sorted(flags, key=lambda flag: flag is None)
    assert sum(flag == "favours right" for flag in flags) == 4
    assert any("… and 41 more (--top 0 prints all, --workers-out writes them)" in line for line in printed)
    assert printed[-1].startswith("50 workers: ")


def test_a_narrow_terminal_gets_a_narrow_table_of_workers():
    for columns in (80, 60, 40):
        printed = lines(run("rank", CAKES, "--workers", columns=str(columns)))
        head = next(k for k, line in enumerate(printed) if line.split()[:1] == ["worker"])
        assert all(len(line) <= columns for line in printed[head : head + 50])
        assert "flag" in printed[head]


def test_workers_are_written_whole_as_their_names_say(tmp_path):
    for name in ("w.csv", "w.parquet", "w.json"):
        done = run("rank", CAKES, "--workers-out", tmp_path / name)
        assert f"the workers are in {tmp_path / name}" in done.stderr.replace("\n", "")
    expected = sw.rank(sw.read(CAKES)).workers
    table = pq.read_table(tmp_path / "w.parquet")
    assert table.column_names == expected.column_names
    for name in table.column_names:  # the last digits differ with the threads that a process has
        written, known = (some.sort_by("worker")[name].to_pylist() for some in (table, expected))
        assert written == (pytest.approx(known, abs=1e-6) if isinstance(known[0], float) else known)
    assert pacsv.read_csv(tmp_path / "w.csv")["worker"].to_pylist() == table["worker"].to_pylist()
    assert [row["flag"] for row in json.loads((tmp_path / "w.json").read_text())] == table["flag"].to_pylist()


def test_programs_get_the_workers_too():
    whole = json.loads(run("rank", CAKES, "--format", "json").stdout)
    assert len(whole["workers"]) == 50
    assert json.loads(run("rank", CAKES, "--model", "page-rank", "--format", "json").stdout)["workers"] is None
    rows = list(csv.DictReader(io.StringIO(run("rank", CAKES, "--workers", "--format", "csv").stdout)))
    assert [row["worker"] for row in rows] == [row["worker"] for row in whole["workers"]]


def test_help_loads_no_models():
    code = "import sys, runpy; sys.argv = ['sidewise', 'rank', '--help']\n"
    code += "try:\n  runpy.run_module('sidewise.cli', run_name='__main__')\n"
    code += "except SystemExit:\n  assert 'scipy' not in sys.modules, 'scipy'"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0  # noqa: S603


def words(line):
    """The words of a line, and its numbers as numbers; without the picture of the interval."""
    found = re.sub(r"[─●]", " ", line).replace(",", "").split()
    return [float(word) if re.fullmatch(r"-?[\d.]+", word) else re.sub(r"[\d.]+", "0", word) for word in found]


def test_the_readme_shows_what_is_printed():
    """But for the last digits, which may differ from machine to machine."""
    text = (Path(CAKES).parents[1] / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```bash\nsidewise rank examples/cakes.csv([^\n]*)\n```\n\n```text\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 2
    for options, block in blocks:
        wanted = [] if "--report" in options else options.split()
        printed = [words(line) for line in lines(run("rank", CAKES, *wanted))]
        for line in block.replace("\n…\n", "\n").splitlines():
            close = [pytest.approx(word, abs=0.02) if isinstance(word, float) else word for word in words(line)]
            assert close in printed, line
