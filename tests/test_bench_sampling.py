"""The benchmark of sampling: that it runs, and that what it concludes from numbers is right."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(name="rows")
def rows_module(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    import sampling_rows

    return sampling_rows


@pytest.fixture(name="page")
def page_module(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    import sampling_page

    return sampling_page


def ran(script, *arguments):
    command = [sys.executable, str(FOLDER / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)  # noqa: S603 - our own scripts
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_quick_run_measures_everything_once(tmp_path):
    said = ran("sampling.py", "--quick", "--strategies", "optimal", "random", "--out", tmp_path)
    assert "asap at n = 100 under 2 s: not measured" in said
    with (tmp_path / "sampling-partial.csv").open(encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    assert {(row["what"], row["name"], row["n"]) for row in found} == {
        ("literal", "literal ASAP", "6"), ("literal", "literal ASAP", "8"), ("answer", "answer", "10"),
        ("refit", "refit", "10"), ("batch", "optimal", "10"), ("batch", "optimal", "20"), ("batch", "random", "10"),
        ("batch", "random", "20"),
    }  # fmt: skip
    assert all(float(row["median s"]) > 0 and not row["remark"] for row in found)
    assert {row["pairs"] for row in found if row["what"] == "batch"} == {"9", "19"}
    text = (tmp_path / "sampling-partial.md").read_text(encoding="utf-8")
    assert "| optimal at n = 200 at least 1,000 times" in text
    assert "sampling-partial.svg" in text
    assert "optimal" in (tmp_path / "sampling-partial.svg").read_text(encoding="utf-8")


def test_a_failure_is_a_result_too(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    import sampling

    assert sampling.measured("batch", "nobody", 10, 1).said == "nobody, n = 10: failed: KeyError: 'nobody'"


def test_extrapolation_takes_the_smaller_of_two(rows):
    def literal(power):
        return [rows.Row("literal", "literal ASAP", n, (1e-6 * n**power,)) for n in (20, 30, 40)]

    steep, flat = rows.extrapolated(literal(4.5)), rows.extrapolated(literal(3.5))
    assert steep.slope == pytest.approx(4.5)
    assert steep.cautious == pytest.approx(1e-6 * 40**4.5 * 5**4)  # theory, from the largest
    assert flat.cautious == pytest.approx(1e-6 * 200**3.5)  # the fit
    assert rows.extrapolated(literal(4)[:1]) is None


def test_goals_are_judged_by_the_median(rows, page):
    batches = [rows.Row("batch", "asap", 100, (9.0, 1.0, 1.5)), rows.Row("batch", "optimal", 200, (0.2,)),
               rows.Row("batch", "optimal", 1000, (2.5,))]  # fmt: skip
    literal = [rows.Row("literal", "literal ASAP", n, (1e-6 * n**4,)) for n in (20, 40)]
    goals = page.Result("", (*literal, *batches), None).goals()
    assert [goal.met for goal in goals] == [True, False, None, True]
    assert "8,000 times" in goals[0].found


def test_a_batch_by_pytorch_is_taken_apart(tmp_path):
    pytest.importorskip("torch")
    ran("sampling_gpu.py", "--device", "cpu", "--sizes", 300, "--repeat", 1, "--out", tmp_path / "gpu.csv")
    with (tmp_path / "gpu.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    steps = ("belief", "covariance", "gains", "narrowing", "selection", "rest")
    assert (row["n"], row["batch"]) == ("300", "299")
    assert sum(float(row[step]) for step in steps) == pytest.approx(float(row["seconds"]), abs=0.01)
