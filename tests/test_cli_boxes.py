"""``sidewise boxes``: scores against the truth, consensus of many, and what errors say."""

import pyarrow.csv as pacsv
import pytest
from typer.testing import CliRunner

from sidewise.boxes import consensus, read_boxes
from sidewise.cli.boxes import app
from sidewise.measures.boxes import score_boxes
from sidewise.simulate.boxes import box_crowd


def run(*words):
    """What is printed, in a wide terminal."""
    return CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "200", "TERMINAL_WIDTH": "200"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Answers of a crowd and the truth, as files."""
    here = tmp_path_factory.mktemp("boxes")
    made = box_crowd(40, workers=8, overlap=4, kinds={"lazy": 0.25}, seed=1)
    made.answers.write(here / "answers.csv")
    made.truth.write(here / "truth.parquet")
    return here


def test_a_consensus_is_written_and_scored(folder, tmp_path):
    out = tmp_path / "joined.csv"
    done = run("consensus", folder / "answers.csv", "--out", out, "--workers-out", tmp_path / "workers.csv",
               "--dropped-out", tmp_path / "dropped.parquet")  # fmt: skip
    assert done.exit_code == 0, done.output
    found = consensus(folder / "answers.csv")
    assert "40 images, 160 boxes by 8 workers" in done.stdout
    assert f"answers left out                  {found.dropped.num_rows}" in done.stdout
    assert f"alpha (1 − IoU)    {found.alpha:.3f}" in done.stdout
    assert read_boxes(out).edges.tolist() == found.boxes.edges.tolist()
    assert pacsv.read_csv(tmp_path / "workers.csv").column_names == found.workers.column_names
    scored = run("score", out, folder / "truth.parquet", "--worst", 2, "--out", tmp_path / "scores.csv")
    assert scored.exit_code == 0, scored.output
    assert str(score_boxes(found.boxes, folder / "truth.parquet")) in scored.stdout
    assert len(scored.stdout.splitlines()) == 6
    assert pacsv.read_csv(tmp_path / "scores.csv").num_rows == 40


@pytest.mark.parametrize("method", ["median", "medoid"])
def test_other_methods(folder, tmp_path, method):
    done = run("consensus", folder / "answers.csv", "--out", tmp_path / "joined.parquet", "--method", method)
    assert done.exit_code == 0, done.output
    found = read_boxes(tmp_path / "joined.parquet")
    assert found.edges.tolist() == consensus(folder / "answers.csv", method=method).boxes.edges.tolist()


def test_the_crowd_of_toloka(data):
    truth, crowd = (data / "toloka-vqa" / f"test_private{part}.csv" for part in ("", "_crowd_baseline"))
    done = run("score", crowd, truth)
    assert "AIoU × 100     87.154" in done.stdout
    assert "IoU > 50       0.954" in done.stdout
    assert "IoU > 70       0.914" in done.stdout
    matched = run("score", crowd, truth, "--several")
    assert "precision       0.954" in matched.stdout


def test_bad_rows_are_cut_or_set_aside(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("image,worker,width,height,left,top,right,bottom\na,x,9,9,1,1,12,5\na,y,9,9,5,1,1,5\n")
    refused = run("consensus", path, "--out", tmp_path / "joined.csv")
    assert refused.exit_code == 2
    assert "outside the image" in refused.stderr
    done = run("consensus", path, "--out", tmp_path / "joined.csv", "--clip", "--skip-bad", tmp_path / "bad.csv")
    assert done.exit_code == 0, done.output
    assert "cut 1 to their frames" in done.stderr
    assert "left out 1 row (1 right ≤ left)" in done.stderr
    assert "images with one answer            1" in done.stdout
    assert read_boxes(tmp_path / "joined.csv").edges.tolist() == [[1, 1, 9, 5]]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["score", "answers.csv", "truth.parquet"], "several boxes of one image"),
        (["score", "truth.parquet", "nowhere.csv"], "there is no file nowhere.csv"),
        (["score", "truth.parquet", "truth.parquet", "--missing", "skip"], "none of error, zero, drop"),
        (["score", "truth.parquet", "truth.parquet", "--threshold", "50"], "threshold is 50.0"),
        (["score", "truth.parquet", "truth.parquet", "--several", "--worst", "3"], "leave out --several"),
        (["score", "truth.parquet", "truth.parquet", "--out", "x.txt"], "end the name in .csv or .parquet"),
        (["consensus", "truth.parquet", "--out", "x.csv"], "who drew which box"),
        (["consensus", "truth.parquet", "--out", "nowhere/x.csv"], "there is no folder nowhere"),
        (["consensus", "answers.csv", "--out", "x.csv", "--method", "mean"], "weighted, median, medoid"),
        (["consensus", "truth.parquet", "--out", "x.csv", "--method", "median", "--workers-out", "w.csv"], "who drew"),
    ],
)
def test_errors_help(folder, monkeypatch, words, says):
    monkeypatch.chdir(folder)
    done = run(*words)
    assert done.exit_code == 2
    assert says in done.stderr
