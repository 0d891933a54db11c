"""The benchmark of live collection: that it runs, and that what it concludes from numbers is right."""

import csv
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from parts.postgres import installed

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(name="page")
def page_module(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    import collect_page

    return collect_page


def found(name, seconds, took, *, memory=(), faults=()):
    """A run of a case, whose answers came evenly and took so long."""
    from closed_loop import Measured
    from collect_load import Case, Found
    from collect_server import Work

    measured = Measured(20, seconds)
    measured.took.extend(took)
    measured.ended.extend(np.linspace(seconds / len(took), seconds, len(took)).tolist())
    return Found(Case(name, "postgres", 20, Work()), measured, 1.0, 0.0, list(memory), 0.0, list(faults))


@pytest.mark.slow
@pytest.mark.skipif(not installed(), reason="PostgreSQL is missing")
def test_a_quick_run_measures_everything_once(tmp_path):
    command = [sys.executable, str(FOLDER / "collect.py"), "--quick", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)  # noqa: S603 - our own script
    assert done.returncode == 0, done.stderr
    assert "also when the pool runs dry: 200 answers, met" in " ".join(done.stdout.split())
    with (tmp_path / "collect-partial.csv").open(encoding="utf-8") as file:
        rows = {row["case"]: row for row in csv.DictReader(file)}
    assert [rows[name]["faults"] for name in ("20 workers", "20 workers, SQLite")] == ["none", "none"]
    for form in ("csv", "parquet", "jsonl"):
        assert int(rows[f"answers.{form}"]["rows"]) >= 2_000
        assert rows[f"ranking.{form}"]["rows"] == "200"
        assert int(rows[f"events.{form}"]["rows"]) > int(rows[f"answers.{form}"]["rows"])
    assert all(float(rows[name]["seconds"]) > 0 for name in ("dashboard", "one pair", "making a ranking"))
    text = (tmp_path / "collect-partial.md").read_text(encoding="utf-8")
    assert "| Potato 2.12 | 25 |" in text
    assert "## 200 items, 2,000 answers, 20 workers" in text


def test_goals_are_judged_by_what_was_measured(page):
    loads = (
        found("20 workers", 10, [0.1] * 2_100, faults=["3 acknowledged answers lost"]),
        found("100 workers", 10, [0.1] * 1_900),
        found("200 who think", 200, [0.1] * 18_900 + [0.3] * 1_100, memory=[500, 700, 800, 800, 800, 801]),
    )
    goals = page.Result("", loads, None, whole=True).goals()
    assert [goal.met for goal in goals] == [True, False, None, False, False, True, None, None]
    assert goals[4].found == "3 acknowledged answers lost"
    small = page.Result("", loads[1:], None, whole=False).goals()
    assert [goal.met for goal in small] == [None, None, None, None, True, None, None, None]  # whatever its size, exact


def test_memory_that_grows_is_not_flat(page):
    assert page.drift([1, 1, 1, 100, 100, 100, 100, 100, 100]) == pytest.approx(0)
    assert page.drift([0, 0, 0, 100, 102, 104, 106, 108, 110]) == pytest.approx(10 / 105)
    assert page.drift([1, 2, 3]) is None


@pytest.mark.usefixtures("page")
def test_pairs_that_are_filled_in_are_new_and_in_order():
    from collect_fill import pairs

    known = np.array([[0, 1], [2, 5]])
    first, second = pairs(30, 200, known, np.random.default_rng(0))
    drawn = set(zip(first.tolist(), second.tolist(), strict=True))
    assert len(drawn) == 200
    assert all(one < other for one, other in drawn)
    assert not drawn & {(0, 1), (2, 5)}
    with pytest.raises(ValueError, match="too few pairs"):
        pairs(10, 200, known, np.random.default_rng(0))


@pytest.mark.usefixtures("page")
def test_faults_are_seen(tmp_path):
    """Tables with a lost answer, one that was logged twice, a pair that has too many and one whose count is wrong."""
    from collect_load import Crowd, faults
    from collect_server import Server

    with sqlite3.connect(tmp_path / "sidewise.sqlite3") as tables:
        tables.executescript("""
            CREATE TABLE collect_task (id, wanted, taken);
            CREATE TABLE collect_assignment (task_id, state);
            CREATE TABLE collect_event (kind, assignment_id);
            INSERT INTO collect_task VALUES (1, 1, 2), (2, 1, 1), (3, 2, 2);
            INSERT INTO collect_assignment VALUES (1, 'answered'), (1, 'leased'), (2, 'skipped'), (3, 'answered'),
                (3, 'leased');
            INSERT INTO collect_event VALUES ('answered', 'aa'), ('answered', 'aa'), ('answered', 'bb');
        """)
    tables.close()
    crowd = Crowd(acknowledged=["aa", "b-b", "cc", "bb"])
    assert faults(Server("", 0, tmp_path, None, None), crowd) == [
        "1 acknowledged answers lost", "1 answers acknowledged twice", "1 answers logged twice",
        "1 pairs with more than wanted", "1 pairs whose count is wrong",
    ]  # fmt: skip
