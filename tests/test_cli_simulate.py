"""``sidewise simulate`` and ``sidewise add-spammers``: files that the other commands read."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import sidewise as sw
from sidewise.simulate import add_spammers, crowd, draw_sides

CAKES = Path(__file__).parents[1] / "examples" / "cakes.csv"


def run(*words, folder=None):
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "sidewise.cli", *map(str, words)], capture_output=True, text=True, check=False,
        env={"COLUMNS": "120", "PATH": "", "PYTHONIOENCODING": "utf-8"}, encoding="utf-8", cwd=folder,
    )  # fmt: skip


def good(*words, folder=None):
    done = run(*words, folder=folder)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_simulated_crowd_is_written_and_ranked(tmp_path, ending):
    done = good(
        "simulate", "--items", 12, "--workers", 20, "--comparisons", 2000, "--kind", "honest=0.8", "--kind",
        "always-left=0.2", "--ties", 0.1, "--factor", "brand", "--seed", 1, "--out", f"answers.{ending}",
        "--truth", f"truth.{ending}", "--workers-out", f"workers.{ending}", folder=tmp_path,
    )  # fmt: skip
    assert f"the answers are in answers.{ending}" in done.stderr
    assert not done.stdout
    made = crowd(
        12, workers=20, comparisons=2000, kinds={"honest": 0.8, "always-left": 0.2}, ties=0.1, factors=["brand"], seed=1
    )
    found = sw.read(tmp_path / f"answers.{ending}", factors=["brand"], items=made.truth)
    assert np.array_equal(found.left, made.comparisons.left)
    assert np.array_equal(found.right, made.comparisons.right)
    assert np.array_equal(found.outcome, made.comparisons.outcome)
    assert np.array_equal(found.factors["brand"], made.comparisons.factors["brand"])
    assert [found.workers[code] for code in found.worker] == [
        made.comparisons.workers[code] for code in made.comparisons.worker
    ]
    table = pacsv.read_csv if ending == "csv" else pq.read_table
    truth = table(tmp_path / f"truth.{ending}").to_pydict()
    assert dict(zip(truth["item"], truth["score"], strict=True)) == pytest.approx(made.truth)
    workers = table(tmp_path / f"workers.{ending}").to_pydict()
    assert dict(zip(workers["worker"], workers["kind"], strict=True)) == made.kinds
    assert "item-" in good("rank", tmp_path / f"answers.{ending}").stdout


def test_the_same_seed_writes_the_same_bytes(tmp_path):
    for name, seed in (("a.csv", 5), ("b.csv", 5), ("c.csv", 6)):
        good("simulate", "--answers", 4, "--workers", 9, "--seed", seed, "--out", tmp_path / name)
    first, second, third = ((tmp_path / f"{name}.csv").read_bytes() for name in "abc")
    assert first == second != third


def test_answers_without_ties_are_read_as_they_were(tmp_path):
    """Outcomes that are all 0 or 1 look like whole numbers in a file."""
    good("simulate", "--items", 2, "--comparisons", 50, "--out", tmp_path / "a.csv")
    assert np.array_equal(sw.read(tmp_path / "a.csv").outcome, crowd(2, comparisons=50).comparisons.outcome)


def test_spammers_are_added_to_a_file(tmp_path):
    good("add-spammers", CAKES, "--share", 0.5, "--kind", "always-left", "--seed", 3, "--out", tmp_path / "a.parquet")
    found = sw.read(tmp_path / "a.parquet")
    assert found.digest == add_spammers(sw.read(CAKES), 0.5, "always-left", seed=3).digest
    assert len(found) == 6000
    good("rank", tmp_path / "a.parquet")


def test_spammers_for_a_factor_and_for_a_side_in_equal_parts(tmp_path):
    good("simulate", "--factor", "brand", "--out", tmp_path / "a.csv")
    good(
        "add-spammers", tmp_path / "a.csv", "--factor", "brand", "--kind", "always-right", "--kind", "brand-biased",
        "--answers", 10, "--name", "fan", "--out", tmp_path / "b.csv",
    )  # fmt: skip
    found = sw.read(tmp_path / "b.csv", factors=["brand"])
    assert len(found) == 4500
    assert found.workers[-1].startswith("fan-0")
    spam = found.select(np.arange(4000, 4500))
    assert (spam.outcome[:250] == 0).all()
    brand = spam.factors["brand"][250:]
    assert np.array_equal(spam.outcome[250:][brand != 0], brand[brand != 0] > 0)


def test_winners_and_losers_stay_so_unless_sides_are_drawn(tmp_path):
    rows = "winner,loser,worker\n" + "".join(f"{k % 5},{5 + k % 3},w{k % 4}\n" for k in range(40))
    (tmp_path / "w.csv").write_text(rows, encoding="utf-8")
    refused = run("add-spammers", tmp_path / "w.csv", "--out", tmp_path / "a.csv")
    assert refused.returncode == 2
    assert "--draw-sides" in refused.stderr
    good("add-spammers", tmp_path / "w.csv", "--kind", "contrary", "--out", tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text(encoding="utf-8").startswith('"winner","loser","worker"\n')
    assert not sw.read(tmp_path / "a.csv").sided
    good("add-spammers", tmp_path / "w.csv", "--draw-sides", "--seed", 2, "--out", tmp_path / "b.csv")
    expected = add_spammers(draw_sides(sw.read(tmp_path / "w.csv"), seed=2), 1.0, seed=2)
    found = sw.read(tmp_path / "b.csv")
    assert found.sided
    assert np.array_equal(found.outcome, expected.outcome)
    assert [found.items[code] for code in found.left] == [expected.items[code] for code in expected.left]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--kind", "lazy=0.2"], "no kind of worker 'lazy'"),
        (["--kind", "random"], "--kind 'random': write the kind and its share of the workers: random=0.2"),
        (["--kind", "random=some"], "write the kind and its share"),
        (["--kind", "random=0.1", "--kind", "random=0.2"], "--kind random stands more than once"),
        (["--kind", "brand-biased=0.2"], "--factor brand"),
        (["--items", "1"], "two items"),
        (["--scores", "cauchy"], "not one of normal"),
        (["--overlap", "60"], "only 50 workers"),
        (["--truth", "truth.txt"], "truth.txt: end the name in .csv or .parquet"),
        (["--truth", "nowhere/truth.csv"], "there is no folder nowhere"),
    ],
)
def test_what_cannot_be_simulated_is_one_line_and_no_file(tmp_path, words, message):
    done = run("simulate", *words, "--out", "a.csv", folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "a.csv").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--kind", "lazy"], "no kind of spammer 'lazy'"),
        (["--share", "-1"], "share is -1.0"),
        (["--answers", "5000"], "the 4000 rows"),
        (["--draw-sides"], "nothing to draw"),
    ],
)
def test_spammers_that_cannot_be_added_are_one_line(tmp_path, words, message):
    done = run("add-spammers", CAKES, *words, "--out", tmp_path / "a.csv")
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "a.csv").exists()


def test_a_share_that_adds_nobody_says_so(tmp_path):
    done = run("add-spammers", CAKES, "--share", "0.001", "--out", tmp_path / "same.csv")
    assert done.returncode == 0
    assert "nobody was added" in done.stderr
