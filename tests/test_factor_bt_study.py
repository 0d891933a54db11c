"""The studies of the factorBT paper: the parts, and what must come out on the real data."""

import subprocess
import sys
from pathlib import Path

import pytest

import sidewise as sw
from sidewise.simulate import add_spammers, draw_sides
from sidewise.studies import Setting, datasets, factor_bt, find_study
from sidewise.studies.contenders import CONTENDERS, OURS, rank_quietly
from sidewise.studies.trials import Trial, against_truth, in_turn, spammed, summed

QUICK = Setting(quick=True)
STUDY = factor_bt.STUDY
WITHOUT_DATA = ("table-1", "figure-2", "figure-3")


@pytest.fixture
def reading(data):
    assert datasets.folder() == data
    return datasets.load("reading")


def accuracy(data, model, answers):
    return against_truth(data, rank_quietly(model, answers))[0]


def test_differences_are_taken_trial_by_trial():
    values = {OURS: (0.5, 0.7), "other": (0.6, 0.8)}
    rows = [{"x": 1, "model": model, "seed": seed, "accuracy": values[model][seed], "converged": 1.0}
            for model in values for seed in (0, 1)]  # fmt: skip
    other = summed(rows, ["x"], ["accuracy"])[1]
    assert (other["accuracy"], other["over_worker_bt"], other["over_worker_bt_se"]) == (0.7, 0.1, 0.0)


# Parts


def test_parts_without_data_run_anywhere_and_the_others_are_skipped(tmp_path, monkeypatch):
    monkeypatch.delenv("SIDEWISE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    datasets.load.cache_clear()
    monkeypatch.setattr(factor_bt, "FIFTHS", (0.0,) * 5 + (0.4,))
    told = []
    for name in STUDY.parts:
        done = STUDY.run_part(name, tmp_path, Setting(quick=True, progress=lambda *some: told.append(some)))
        assert bool(done.skipped) == (name not in WITHOUT_DATA)
        assert not done.skipped or "SIDEWISE_DATA names no folder" in done.skipped
    page = STUDY.write_page(tmp_path).read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["README.md", *(f"{name}.{kind}" for name in WITHOUT_DATA for kind in ("csv", "svg"))]
    )
    assert "| Pearson s |" in page
    assert "Every data set" not in page
    assert told


def test_parts_with_data_run_and_make_a_page(reading, tmp_path, monkeypatch):
    assert len(reading.comparisons) == 11763
    monkeypatch.setattr(factor_bt, "QUICK_MODELS", (OURS, "bradley-terry"))
    for name in STUDY.chosen(["figure-1", "spammers", "every-data-set", "page-rank"]):
        assert not STUDY.run_part(name, tmp_path, QUICK).skipped
    assert "100 % mixed" in STUDY.write_page(tmp_path).read_text(encoding="utf-8")


def test_processes_give_the_same_rows():
    once, twice = (in_turn(factor_bt.simulated, [3, 4], Setting(jobs=jobs)) for jobs in (1, 2))
    assert [row["value"] for row in once] == pytest.approx([row["value"] for row in twice], abs=1e-6)


def test_unknown_parts_are_named():
    with pytest.raises(sw.SidewiseError, match="no part 'figure-9'; there are: table-1, figure-1"):
        find_study("factor-bt").chosen(["figure-9"])


# What must come out


def test_factor_bt_finds_its_parameters():
    """Pearson correlations of the paper's Table 1: r .50 and .47, γ .81, s .92."""
    found = {row["figure"]: row["value"] for row in factor_bt.simulated(0) if row["model"] == "factor-bt"}
    assert found["Pearson s"] > 0.88
    assert found["Pearson γ"] > 0.7
    assert min(found["Pearson r₁"], found["Pearson r₂"]) > 0.5
    assert found["ranking accuracy"] > 0.85


@pytest.mark.parametrize(("strength", "published"), [(0.1, 0.6825), (1.0, 0.6900), (10.0, 0.6907)])
def test_bradley_terry_has_the_accuracy_of_its_prior(reading, strength, published):
    ranking = sw.bradley_terry(reading.comparisons, prior=sw.VirtualItem(strength), intervals="none")
    assert against_truth(reading, ranking)[0] == pytest.approx(published, abs=1e-4)


def test_models_that_know_workers_are_better_on_reading(reading):
    answers = draw_sides(reading.comparisons, seed=1)
    assert accuracy(reading, "crowd-bt", answers) > 0.698
    assert accuracy(reading, OURS, answers) > 0.698


@pytest.mark.parametrize(("kind", "share"), [("always-left", 1.0), ("contrary", 0.6), ("random", 1.0), ("mixed", 1.0)])
def test_worker_bt_stands_up_to_spammers(reading, kind, share):
    answers = add_spammers(draw_sides(reading.comparisons, seed=1), share, kind, seed=1)
    assert accuracy(reading, OURS, answers) > 0.695


@pytest.mark.usefixtures("data")
def test_crowd_bt_has_its_published_accuracy():
    """All 12,728 answers, λ = 1: .6978 (Chen et al. 2013); two of them compare a passage with itself."""
    data = datasets.load("reading, all")
    assert len(data.comparisons) == 12726
    assert accuracy(data, "crowd-bt", data.comparisons) == pytest.approx(0.697, abs=0.005)


@pytest.mark.usefixtures("data")
def test_page_rank_counts_comparisons():
    found = {(row["control"], row["model"]): row["accuracy"] for row in factor_bt.controlled(0)}
    assert found["as collected", "page-rank"] > found["as collected", OURS]
    assert found["as collected", factor_bt.COUNT] == pytest.approx(0.685, abs=0.001)
    assert found["pairs compared about equally often", "page-rank"] < found["pairs compared about equally often", OURS]
    assert found["the opposite question", "page-rank"] < 0.5
    assert found["answers tossed by a coin", "page-rank"] > 0.65


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", ["faces", "arguments", "language models", "light field"])
def test_every_data_set_can_be_tried(name):
    sizes = {"faces": 48627, "arguments": 84445, "language models": 8931, "light field": 26580}
    assert len(datasets.load(name).comparisons) == sizes[name]
    row = spammed(Trial(name, "mixed", 0.2, 0, ("bradley-terry",)))[0]
    assert 0.6 < row["accuracy"] < 0.9


def test_every_contender_ranks():
    answers = sw.simulate.crowd(6, workers=5, comparisons=80, seed=1).comparisons
    assert all(len(rank_quietly(name, answers)) == 6 for name in CONTENDERS)


# The page and the command


def test_the_page_is_made_from_the_tables_beside_it():
    folder = Path(__file__).parents[1] / "docs" / "studies" / "factor-bt"
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert page.endswith(STUDY.markdown(folder))
    assert all((folder / f"{name}.csv").exists() for name in STUDY.parts)


def command(*words, cwd):
    done = [sys.executable, "-m", "sidewise.cli", "reproduce", *words]
    return subprocess.run(done, cwd=cwd, capture_output=True, text=True, check=False)  # noqa: S603


def test_one_part_can_be_run_from_the_command_line(tmp_path):
    done = command("factor-bt", "--only", "table-1", "--quick", "--jobs", "1", "--out", "here", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "wrote here/factor-bt/table-1.svg" in done.stderr
    assert done.stdout.startswith("## Table 1")
    assert "figure-3" in command("list", cwd=tmp_path).stdout


def test_a_study_without_parts_says_so(tmp_path):
    done = command("coverage", "--only", "table-1", "--quick", cwd=tmp_path)
    assert done.returncode == 2
    assert "coverage has no parts" in done.stderr
