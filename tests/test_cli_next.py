"""``sidewise next`` and ``sidewise enough``: files in, pairs and verdicts out, and errors that say how to mend them."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import sidewise as sw
from sidewise.cli import app
from sidewise.cli.next import METHODS
from sidewise.sampling import STRATEGIES

CAKES = Path(__file__).parents[1] / "examples" / "cakes.csv"


def run(*words, folder=None, columns=120):
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "sidewise.cli", *map(str, words)], capture_output=True, text=True, check=False,
        env={"COLUMNS": str(columns), "PATH": "", "PYTHONIOENCODING": "utf-8", "OPENBLAS_NUM_THREADS": "1"},
        encoding="utf-8", cwd=folder,
    )  # fmt: skip


def good(*words, folder=None, columns=120):
    done = run(*words, folder=folder, columns=columns)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def folder(tmp_path):
    """Files of a small campaign: four items, of which d has been seen by nobody."""
    texts = {
        "answers.csv": "left,right,label,worker\na,b,a,x\nb,c,b,x\na,c,a,y\nb,a,a,y\nc,b,b,z\n",
        "plain.csv": "one;other;best\na;b;a\nb;c;b\na;c;a\n",
        "header.csv": "left,right,label\n",
        "items.txt": "a\nb\nc\nd\n",
        "items.csv": "item,score\na,1\nb,2\nc,3\nd,4\n",
        "strange.csv": "thing\na\nb\n",
        "allowed.csv": "left,right,note\na,b,x\nd,c,y\n",
        "out.csv": "left,right\nd,a\nd,b\n",
        "stranger.csv": "left,right\na,b\na,zz\n",
        "self.csv": "left,right\na,b\nb,b\n",
        "gap.csv": "left,right\na,\n",
        "nopairs.csv": "left,right\n",
        "unnamed.csv": "x,y\na,b\n",
        "workers.csv": "worker,reliability\nx,1\ny,0.1\nz,\n",
        "others.csv": "worker,reliability\nq,1\n",
        "twice.csv": "worker,reliability\nx,1\nx,0\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def pairs_in(path):
    table = (pq.read_table if path.suffix == ".parquet" else pacsv.read_csv)(path)
    assert table.column_names == ["left", "right"]
    return list(zip(*table.to_pydict().values(), strict=True))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_pairs_are_written_as_the_library_chooses_them(tmp_path, ending):
    done = good("next", CAKES, "--batch", 12, "--seed", 3, "--reliability", "none", "--out", f"next.{ending}",
                folder=tmp_path)  # fmt: skip
    assert pairs_in(tmp_path / f"next.{ending}") == sw.next_pairs(sw.read(CAKES), batch=12, seed=3)
    assert not done.stdout
    assert "12 pairs by optimal, for accurate scores, from 4,000 answers about 40 items" in done.stderr
    assert f"the pairs are in next.{ending}" in done.stderr


def test_workers_are_weighed_where_the_data_name_them(tmp_path):
    done = good("next", CAKES, "--batch", 9, "--out", "next.csv", folder=tmp_path)
    assert "50 workers weighed by worker-bt; --reliability none counts all alike" in done.stderr
    answers = sw.read(CAKES)
    assert pairs_in(tmp_path / "next.csv") == sw.next_pairs(answers, batch=9, reliability=sw.worker_bt(answers))
    good("rank", CAKES, "--workers-out", "workers.csv", folder=tmp_path)
    again = good("next", CAKES, "--batch", 9, "--reliability", "workers.csv", "--out", "b.csv", folder=tmp_path)
    assert "50 of 50 workers weighed as workers.csv says" in again.stderr
    assert pairs_in(tmp_path / "b.csv") == pairs_in(tmp_path / "next.csv")


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_table_fits_the_terminal(columns):
    done = good("next", CAKES, "--batch", 60, "--rows", 7, "--reliability", "none", columns=columns)
    assert max(map(len, done.stdout.splitlines()[:-1])) <= columns
    assert "left wins" in done.stdout
    assert "… and 53 more (--rows 0 prints all, --out writes them)" in done.stdout.replace("\n", " ").replace("  ", " ")


def test_csv_and_json_can_be_piped_on(folder):
    printed = good("next", "answers.csv", "--batch", 2, "--format", "csv", folder=folder).stdout.splitlines()
    assert printed[0] == '"left","right"'
    rows = json.loads(good("next", "answers.csv", "--batch", 2, "--format", "json", folder=folder).stdout)
    assert [f'"{row["left"]}","{row["right"]}"' for row in rows] == printed[1:]


@pytest.mark.parametrize("source", [["header.csv"], []])
@pytest.mark.parametrize("items", ["items.txt", "items.csv"])
def test_a_fresh_start(folder, source, items):
    done = good("next", *source, "--items", items, "--batch", 3, "--out", "next.csv", folder=folder)
    assert "3 pairs by optimal, for accurate scores, before the first answer, about 4 items" in done.stderr
    assert pairs_in(folder / "next.csv") == sw.next_pairs(["a", "b", "c", "d"], batch=3)
    table = good("next", *source, "--items", items, folder=folder)
    assert "left wins" not in table.stdout
    assert "6 and not 20: 4 items make 6 pairs, and none comes twice in a batch" in table.stderr


def test_items_nobody_has_seen_are_asked_about(folder):
    good("next", "answers.csv", "--items", "items.txt", "--batch", 2, "--out", "next.csv", folder=folder)
    assert any("d" in pair for pair in pairs_in(folder / "next.csv"))
    good("next", "answers.csv", "--batch", 3, "--out", "known.csv", folder=folder)
    assert not any("d" in pair for pair in pairs_in(folder / "known.csv"))


def test_allowed_pairs_and_pairs_in_flight(folder):
    done = good("next", "answers.csv", "--allowed", "allowed.csv", "--batch", 5, "--out", "next.csv", folder=folder)
    assert {frozenset(pair) for pair in pairs_in(folder / "next.csv")} == {frozenset("ab"), frozenset("cd")}
    assert "2 and not 5: --allowed names 2 pairs" in done.stderr
    done = good(
        "next", "--allowed", "allowed.csv", "--most-per-pair", 2, "--batch", 5, "--format", "csv", folder=folder
    )
    assert done.stderr.strip().endswith("2 and not 5: --allowed names 2 pairs")  # and none had been asked too often
    done = good("next", "answers.csv", "--in-flight", "out.csv", "--most-per-pair", 1, "--format", "csv", folder=folder)
    assert "2 pairs in flight" in done.stderr
    assert [frozenset(line.replace('"', "").split(",")) for line in done.stdout.splitlines()[1:]] == [frozenset("cd")]
    assert "5 pairs had been asked 1 time already, as --most-per-pair allows" in done.stderr


def test_limits_are_kept_and_said(folder):
    done = good("next", "answers.csv", "--most-per-item", 5, "--items", "items.txt", "--out", "n.csv", folder=folder)
    times = Counter("abbcacbacb") + Counter(item for pair in pairs_in(folder / "n.csv") for item in pair)
    assert max(times.values()) <= 5
    assert "--most-per-item 5 left room for 5 pairs at most" in done.stderr
    nothing = good("next", "answers.csv", "--most-per-item", 1, "--out", "none.parquet", folder=folder)
    assert "0 and not 20" in nothing.stderr
    assert pairs_in(folder / "none.parquet") == []
    assert not good("next", "answers.csv", "--most-per-item", 1, folder=folder).stdout


def test_every_strategy_by_name(folder):
    assert tuple(STRATEGIES) == METHODS
    done = good("next", "answers.csv", "--method", "swiss", "--batch", 1, "--seed", 5, "--format", "csv", folder=folder)
    assert "1 pair by swiss, from 5 answers about 3 items" in done.stderr


def test_goals(folder):
    for words in (("--goal", "ranking"), ("--goal", "top", "--top", 2), ("--top", 2)):
        done = good("next", "answers.csv", *words, "--batch", 1, "--format", "csv", folder=folder)
        assert "for the right " in done.stderr


def test_columns_are_named_as_for_rank(folder):
    words = ("plain.csv", "--left", "one", "--right", "other", "--winner", "best", "--delimiter", ";")
    assert "from 3 answers about 3 items" in good("next", *words, folder=folder).stderr
    assert good("enough", *words, "--rmse", 2, folder=folder).stdout.startswith("enough: RMSE")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "there is nothing to choose from: name a file of answers, or the items with --items"),
        (("header.csv",), "there are no rows, so there is nothing to compare; to begin with nothing, name the items"),
        (("nowhere.csv",), "there is no file nowhere.csv"),
        (("--items", "nowhere.txt"), "--items nowhere.txt: there is no such file"),
        (("--items", "strange.csv"), "no column item; there are 'thing'. Rename one"),
        (("answers.csv", "--allowed", "nowhere.csv"), "--allowed nowhere.csv: there is no such file"),
        (("answers.csv", "--allowed", "nopairs.csv"), "--allowed nopairs.csv names no pairs; leave it out"),
        (("answers.csv", "--allowed", "unnamed.csv"), "the columns should be left and right; there are 'x', 'y'"),
        (("answers.csv", "--allowed", "self.csv"), "--allowed self.csv row 2 pairs 'b' with itself"),
        (("answers.csv", "--in-flight", "gap.csv"), "--in-flight gap.csv row 1: an item is missing"),
        (("--items", "items.txt", "--in-flight", "stranger.csv"), "stranger.csv row 2: there is no item 'zz'"),
        (("answers.csv", "--goal", "top"), "--goal top goes with --top"),
        (("answers.csv", "--goal", "rmse", "--top", "2"), "--goal top goes with --top"),
        (("answers.csv", "--top", "3"), "--top 3: there are 3 items; take fewer of them"),
        (("answers.csv", "--method", "guess"), "no strategy 'guess'; there are: optimal, asap"),
        (("answers.csv", "--method", "asap", "--goal", "ranking"), "--goal goes with --method optimal; asap has none"),
        (("answers.csv", "--method", "swiss", "--top", "2"), "--top goes with --method optimal; swiss has none"),
        (("empty.csv",), "empty.csv is empty: it should have at least a header"),
        (("--items", "empty.txt"), "--items empty.txt names no items; write one a line"),
        (("--items", "single.txt"), "a pair takes two items, and there is only 'a': name all with --items"),
        (("--items", "twice.txt"), "--items twice.txt names 'a' twice; take one out"),
        (("--items", "padded.txt"), "--items padded.txt: ' b' has blanks around it; take them out"),
        (("answers.csv", "--method", "swiss", "--device", "cuda"), "--device goes with --method optimal"),
        (("answers.csv", "--out", "next.xlsx"), "--out next.xlsx: end the name in .csv or .parquet"),
        (("answers.csv", "--out", "answers.csv"), "--out answers.csv is the file that is read"),
        (("answers.csv", "--out", "no/next.csv"), "there is no folder no; make it first"),
        (("answers.csv", "--reliability", "nowhere.csv"), "--reliability nowhere.csv: write auto, none, or the name"),
        (("answers.csv", "--reliability", "items.csv"), "items.csv: no column 'worker'"),
        (("answers.csv", "--reliability", "twice.csv"), "twice.csv names the worker 'x' twice"),
        (("answers.csv", "--reliability", "others.csv"), "names none of the 3 workers of the answers"),
        (("--items", "items.txt", "--reliability", "workers.csv"), "but the answers do not say who gave them"),
    ],
)  # fmt: skip
def test_errors_say_how_to_mend_them(folder, monkeypatch, words, message):
    monkeypatch.chdir(folder)
    lists = {"empty.csv": "", "empty.txt": "", "single.txt": "a\n", "twice.txt": "a\nb\na\n", "padded.txt": "a\n b\n"}
    for name, text in lists.items():
        (folder / name).write_text(text)
    done = CliRunner().invoke(app, ["next", *words])
    assert done.exit_code == 2, done.stdout
    assert message in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("Optimal", "--goal", "ranking"), "by optimal, for the right order"),
        (("asap_approx",), "by asap-approx, from"),
    ],
)
def test_a_method_may_be_written_as_in_python(folder, monkeypatch, words, message):
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, ["next", "answers.csv", "--method", *words])
    assert message in done.stderr


def test_workers_of_whom_nothing_is_known_count_in_full(folder):
    done = good("next", "answers.csv", "--reliability", "workers.csv", "--batch", 1, folder=folder)
    assert "2 of 3 workers weighed as workers.csv says" in done.stderr


def test_enough_speaks_by_its_exit_status(folder):
    done = run("enough", CAKES, "--rmse", 0.15)
    assert done.returncode == 0
    assert done.stdout.startswith("enough: RMSE 0.1")
    not_yet = run("enough", CAKES, "--top", 10, "--reliability", "none", columns=80)
    assert not_yet.returncode == 1
    found = sw.enough(sw.read(CAKES), top=10)
    assert not_yet.stdout.startswith(str(found))
    assert "in front: " + found.best[0] in not_yet.stdout
    assert max(map(len, not_yet.stdout.splitlines())) <= 80
    fresh = run("enough", "header.csv", "--items", "items.txt", "--top", 1, folder=folder)
    assert fresh.returncode == 1
    assert "how many more it takes cannot be told yet" in fresh.stdout
    assert run("enough", CAKES, "--top", 1, "--level", 0.5).returncode == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "either --top 10, the ten best items, or --rmse 0.15, the scores"),
        (("--top", 1, "--rmse", 1), "either --top 10"),
        (("--top", 3), "--top 3: there are 3 items; take fewer of them"),
        (("--top", 1, "--level", 1), "--level 1: it is a chance between 0 and 1"),
        (("--rmse", 1, "--level", 0.9), "--level goes with --top"),
        (("--rmse", 0), "--rmse 0: it is a number above 0"),
        (("--top", 1, "--unit", "jod"), "--unit goes with --rmse"),
        (("--top", 1, "--items", "nowhere.txt"), "--items nowhere.txt: there is no such file"),
    ],
)
def test_enough_refuses_what_makes_no_sense(folder, monkeypatch, words, message):
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, ["enough", "answers.csv", *map(str, words)])
    assert done.exit_code == 2
    assert message in done.stderr


def test_items_that_are_new_to_the_answers_are_named_since_one_may_be_a_slip(tmp_path):
    (tmp_path / "allowed.csv").write_text("left,right\ntiramisu,scone\ntiramisu,moon\n")
    done = good("next", CAKES, "--allowed", "allowed.csv", "--batch", 1, folder=tmp_path)
    assert "1 item nobody has seen yet: moon" in done.stderr
    (tmp_path / "allowed.csv").write_text("left,right\ntiramisu,scone\n")
    done = good("next", CAKES, "--allowed", "allowed.csv", "--batch", 1, folder=tmp_path)
    assert "nobody has seen" not in done.stderr
