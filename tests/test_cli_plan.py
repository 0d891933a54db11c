"""``sidewise plan``: what a campaign will take, on the command line."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from sidewise.cli import app
from sidewise.sampling import plan


def run(*words, columns=80):
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "sidewise.cli", *map(str, words)], capture_output=True, text=True, check=False,
        env={"COLUMNS": str(columns), "PATH": "", "PYTHONIOENCODING": "utf-8", "OPENBLAS_NUM_THREADS": "1"},
        encoding="utf-8",
    )  # fmt: skip


def test_on_the_command_line():
    done = run("plan", "--items", 10, "--target-rmse", 0.4, "--runs", 3, "--workers", 4, "--seconds", 6, "--seed", 1)
    assert done.returncode == 0, done.stderr
    made = plan(10, target_rmse=0.4, runs=3, workers=4, seconds=6, seed=1)
    rows = {line.split()[0]: line for line in reversed(done.stdout.splitlines()) if line.strip()}
    assert f" {made.comparisons:,} " in rows["optimal"]
    assert f" {made.against.comparisons:,} " in rows["random"]
    assert "each of 4" in rows["method"]
    assert "until the RMSE is 0.4 probits; 10 items, scores spread evenly over 5 probits" in done.stdout
    assert f"optimal saves {made.saving:.0%} of the comparisons" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_no_end_in_sight_and_many_items_are_said():
    done = run("plan", "--items", 6, "--top", 1, "--level", 0.99, "--spread", 0.1, "--unit", "jod", "--runs", 1,
               "--most", 60, "--method", "random", "--batch", 5)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "over 60" in done.stdout
    assert "no end in sight: ask for less, or let it go on with --most" in done.stdout
    large = run("plan", "--items", 500, "--target-rmse", 2, "--range", 1, "--method", "random", "--runs", 1)
    assert "500 items: this takes minutes" in large.stderr
    assert "rehearsed once" in large.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "either --target-rmse 0.15, accurate scores, or --top 10"),
        (("--target-rmse", 0.1, "--top", 3), "either --target-rmse 0.15"),
        (("--target-rmse", 0), "--target-rmse 0: it is a number above 0"),
        (("--top", 9), "--top 9: there are 9 items; take fewer of them"),
        (("--top", 3, "--level", 2), "--level 2: it is a chance between 0 and 1"),
        (("--top", 3, "--range", 2, "--spread", 1), "leave out one of them"),
        (("--top", 3, "--seconds", -1), "--seconds -1: it is a number above 0"),
        (("--top", 3, "--method", "guess"), "no strategy 'guess'"),
    ],
)
def test_errors_say_how_to_mend_them(words, message):
    done = CliRunner().invoke(app, ["plan", "--items", "9", *map(str, words)])
    assert done.exit_code == 2
    assert message in done.stderr
