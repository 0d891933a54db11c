"""``sidewise agreement``: what is printed for answers, boxes and comparisons, and what errors say."""

import pyarrow.csv as pacsv
import pytest
import typer
from tests.test_cli import CAKES
from typer.testing import CliRunner

from sidewise.cli.agreement import agreement
from sidewise.measures.krippendorff import krippendorff_interval
from sidewise.simulate.boxes import box_crowd

app = typer.Typer()
app.command()(agreement)

ANSWERS = "unit,worker,value\n" + "".join(
    f"{unit},{worker},{value}\n"
    for unit, values in enumerate(["112", "223", "333", "11", "1", "313", "222"])
    for worker, value in zip("abc", values, strict=False)
)


@pytest.fixture
def written(tmp_path):
    def write(text, name="answers.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def run(*words):
    """What is printed, in a wide terminal."""
    return CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "200", "TERMINAL_WIDTH": "200"})


def test_answers(written):
    path = written(ANSWERS)
    done = run(path, "--distance", "ordinal", "--seed", 3)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "18 answers by 3 workers to 7 units; 1 unit with one answer only, left out"
    assert lines[2] == f"Krippendorff's alpha (ordinal)    {krippendorff_interval(path, distance='ordinal', seed=3)}"
    assert lines[3].startswith("percent agreement")
    assert lines[4].startswith("Fleiss' kappa")
    assert "Cohen" not in done.stdout
    shown = [line.split()[0] for line in lines[5:] if line.strip()[:1] in ("a", "b", "c") and line.split()[0] in "abc"]
    assert sorted(shown) == ["a", "b", "c"]


def test_two_workers_have_cohens_kappa(written):
    done = run(written("unit,worker,value\n1,a,x\n1,b,x\n2,a,x\n2,b,y\n3,a,y\n3,b,y\n"))
    assert "Cohen's kappa" in done.stdout


def test_other_names_words_and_delimiters(written):
    text = "task;who;how\n1;a;bad\n1;b;good\n2;a;fair\n2;b;fair\n3;a;good\n3;b;good\n"
    levels = ["--level", "bad", "--level", "fair", "--level", "good"]
    done = run(written(text), "--worker", "who", "--value", "how", "--distance", "ordinal", *levels, "--delimiter", ";")
    assert done.exit_code == 0, done.output
    assert "6 answers by 2 workers to 3 units" in done.stdout


def test_grids(data):
    done = run(data / "llmfao" / "codings.csv", "--grid", "rows")
    assert "Krippendorff's alpha (nominal)    0.743" in done.stdout
    assert "41 answers by 4 workers to 12 units; 1 unit with one answer only" in done.stdout


def test_boxes_are_known_by_their_edges(tmp_path):
    box_crowd(30, workers=6, overlap=3, kinds={"lazy": 0.3}, seed=1).answers.write(tmp_path / "boxes.csv")
    done = run(tmp_path / "boxes.csv")
    assert "Krippendorff's alpha (iou)" in done.stdout
    assert "mean IoU" in done.stdout
    assert done.stdout == run(tmp_path / "boxes.csv", "--distance", "iou").stdout


def test_comparisons_are_known_by_their_pairs():
    done = run(CAKES)
    assert done.exit_code == 0, done.output
    for name in (
        "same pair, same worker",
        "same pair, other workers",
        "same way round",
        "mirrored pair",
        "cyclic triads",
    ):
        assert name in done.stdout


def test_comparisons_without_sides_repeats_or_workers(written):
    done = run(written("winner,loser\na,b\nb,c\nc,a\n"))
    assert "same pair, other workers      never asked" in done.stdout
    assert "mirrored" not in done.stdout
    assert "1.000 of 1 triad\n" in done.stdout
    assert "coefficient of consistence    0.000" in done.stdout
    even = run(written("winner,loser\na,b\nb,a\n"))
    assert even.exit_code == 0
    assert "no pair is decided" in even.stdout


def test_workers_are_written_and_drawn(written, tmp_path):
    path = written(ANSWERS)
    done = run(path, "--workers-out", tmp_path / "workers.csv", "--picture", tmp_path / "workers.html", "--top", 1)
    assert done.exit_code == 0, done.output
    assert pacsv.read_csv(tmp_path / "workers.csv").num_rows == 3
    page = (tmp_path / "workers.html").read_text(encoding="utf-8")
    assert "vega" in page
    assert "<script src=" not in page  # it needs no network
    assert "… and 2 more, who agree better" in done.stdout


@pytest.mark.parametrize(
    ("text", "words", "says"),
    [
        (ANSWERS, ["--distance", "euclid"], "take one of nominal, ordinal"),
        (ANSWERS, ["--unit", "task"], "no column 'task'"),
        (ANSWERS, ["--workers-out", "workers.xlsx"], "end the name in .csv or .parquet"),
        (ANSWERS, ["--picture", "nowhere/workers.png"], "there is no folder nowhere"),
        (ANSWERS, ["--skip-bad", "rejects.csv"], "--skip-bad is for comparisons"),
        (ANSWERS, ["--confidence", "95"], "confidence must lie between 0 and 1"),
        ("unit,value\n1,x\n1,y\n", ["--workers-out", "w.csv"], "no column says who answered"),
        ("unit,worker,value\n1,a,x\n1,a,y\n", [], "answered unit '1' more than once"),
        ("unit,worker,value\n1,a,x\n2,a,y\n", [], "no unit has two answers"),
        ("x,y\n1,a\n", [], "no column for unit; there are 'x', 'y'"),
        (",,3\n1,1,2\n", [], "--grid"),
        ("left,right,winner\na,b,a\n", ["--picture", "p.html"], "not for comparisons"),
    ],
)
def test_errors_help(written, tmp_path, monkeypatch, text, words, says):
    monkeypatch.chdir(tmp_path)
    done = run(written(text), *words)
    assert done.exit_code == 2
    assert says in done.stderr
