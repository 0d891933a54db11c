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
    return tmp_path / "answers.csv"


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
    ],
)
def test_the_file_that_is_read_is_not_written_over(answers, words):
    before = answers.read_bytes()
    done = CliRunner().invoke(app, words.format(folder=answers.parent.name).split())
    assert done.exit_code
    assert "is the file that is read: write to another one" in " ".join(done.output.split())
    assert answers.read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [
        "simulate --out one.csv --truth one.csv",
        "simulate --out one.csv --truth two.csv --workers-out ./two.csv",
        "rank answers.csv --out one.csv --workers-out one.csv",
        "rank answers.csv --out one.csv --report one.csv",
    ],
)
@pytest.mark.usefixtures("answers")
def test_two_things_do_not_go_into_one_file(tmp_path, words):
    done = CliRunner().invoke(app, words.split())
    assert done.exit_code
    assert "is to hold two things" in done.output
    assert not [*tmp_path.glob("one.*"), *tmp_path.glob("two.*")]
