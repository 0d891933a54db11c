"""Where commands write: never over what they read, nor two things into one file."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sidewise.cli import app

CAKES = Path(__file__).parents[1] / "examples" / "cakes.csv"


@pytest.fixture
def answers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to(shutil.copy(CAKES, tmp_path / "answers.csv"))
    shutil.copy(CAKES.with_name("cakes-truth.csv"), tmp_path / "truth.csv")
    (tmp_path / "items.csv").write_text("item\nscone\nbrownie\n")
    (tmp_path / "workers.csv").write_text("worker,reliability\nw00,1\n")
    (tmp_path / "judged.txt").write_text("1 a b -1\n1 b c -1\n")
    return tmp_path / "answers.csv"


def held(folder):
    """What is in the files of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    "words",
    [
        "add-spammers answers.csv --out answers.csv",
        "add-spammers answers.csv --out link.csv",
        "add-spammers answers.csv --out other.csv --skip-bad answers.csv",
        "rank answers.csv --out answers.csv",
        "rank answers.csv --workers-out ../{folder}/answers.csv",
        "rank answers.csv --report answers.csv",
        "rank a*.csv --out answers.csv",
        "rank answers.csv --items items.csv --out items.csv",
        "rank answers.csv --items items.csv --report items.csv",
        "rank answers.csv --items items.csv --skip-bad items.csv",
        "next answers.csv --items items.csv --skip-bad items.csv",
        "next answers.csv --reliability workers.csv --out workers.csv",
        "enough answers.csv --rmse 1 --items items.csv --skip-bad items.csv",
        "score truth.csv truth.csv --against items.csv --out items.csv",
        "preferences close judged.txt --out judged.txt",
        "preferences reduce judged.txt --out judged.txt",
        "data filter truth.csv --words judged.txt --unless items.csv --out items.csv",
    ],
)
def test_the_file_that_is_read_is_not_written_over(answers, words):
    before = held(answers.parent)
    done = CliRunner().invoke(app, words.format(folder=answers.parent.name).split())
    assert done.exit_code
    assert "is the file that is read: write to another one" in " ".join(done.output.split())
    assert held(answers.parent) == before


@pytest.mark.parametrize(
    "words",
    [
        "simulate --out one.csv --truth one.csv",
        "simulate --out one.csv --truth two.csv --workers-out ./two.csv",
        "rank answers.csv --out one.csv --workers-out one.csv",
        "rank answers.csv --out one.csv --report one.csv",
        "rank answers.csv --out one.csv --skip-bad one.csv",
        "add-spammers answers.csv --out one.csv --skip-bad ./one.csv",
        "next answers.csv --out one.csv --skip-bad one.csv",
        "boxes consensus answers.csv --out one.csv --skip-bad one.csv",
    ],
)
@pytest.mark.usefixtures("answers")
def test_two_things_do_not_go_into_one_file(tmp_path, words):
    done = CliRunner().invoke(app, words.split())
    assert done.exit_code
    assert "is to hold two things" in done.output
    assert not [*tmp_path.glob("one.*"), *tmp_path.glob("two.*")]
