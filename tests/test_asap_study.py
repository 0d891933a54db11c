"""The study of the ASAP paper: runs, also interrupted ones, the parts, and a page that follows from the rows."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import sidewise as sw
from sidewise.sampling.limit import best_design
from sidewise.studies import Setting, asap, asap_goals, asap_times, datasets, find_study
from sidewise.studies.asap_pictures import within
from sidewise.studies.asap_runs import (
    AS_LIMIT,
    FOR_ORDER,
    LIMIT,
    NO_STRATEGIES,
    RANGES,
    Plan,
    asked,
    fisher,
    measured,
    over_runs,
    references,
    world_of,
)
from sidewise.studies.lines import apart
from sidewise.studies.parts import kept
from sidewise.studies.resuming import resumed

STUDY = asap.STUDY
WITH_DATA = ("figure-5", "figure-6")


# Runs


def test_all_strategies_of_a_run_have_the_same_scores_and_the_limit_falls_as_it_must():
    one, other = (world_of(Plan("medium", 6, name, (1,), 0, 3)) for name in ("optimal", "random"))
    assert np.array_equal(one.truth, other.truth)
    first, last = measured(Plan("medium", 6, LIMIT, (1, 4), 0, 3))
    assert first["rmse"] == pytest.approx(2 * last["rmse"])
    assert Plan("medium", 200, "asap", (0.355,), 0, 0).stops == [7065]


def test_more_answers_bring_scores_nearer_to_the_truth():
    rows = [row for run in range(4) for row in measured(Plan("medium", 8, "random", (1, 20), 0, run))]
    first, last = over_runs(rows)
    assert first["rmse"] > 1.5 * last["rmse"]
    assert last["runs"] == 4
    assert last["rmse_low"] <= last["rmse_median"] <= last["rmse_high"]


def test_the_limits_pairs_are_asked_as_the_best_design_shares_them_out():
    (row,) = asked(plan := Plan("medium", 6, AS_LIMIT, (8,), 0, 3))
    design = best_design(world_of(plan).truth)
    wanted = np.zeros((6, 6))
    wanted[design.pairs[:, 0], design.pairs[:, 1]] = 120 * design.share
    assert np.abs(row["asked"] - wanted[np.triu_indices(6, 1)]).max() <= 1.0
    assert sum(row["asked"]) == 120


def test_a_perfect_order_has_a_finite_transform():
    assert fisher(0.5, 20) == pytest.approx(np.arctanh(0.5))
    assert fisher(1 - 12 / (20 * 399), 20) < fisher(1.0, 20) < np.inf


def test_differences_to_optimal_are_taken_run_by_run():
    none = {"srocc": None, "fisher": None, "messages": None, "comparisons": 1}
    rows = [{"world": "small", "n": 2, "strategy": name, "trials": 1, "run": run, "rmse": value} | none
            for name, values in (("optimal", (0.5, 0.7)), ("random", (0.6, 0.8))) for run, value in
            enumerate(values)]  # fmt: skip
    assert (over_runs(rows)[1]["above_optimal"], over_runs(rows)[1]["above_optimal_se"]) == (0.1, 0.0)


@pytest.mark.usefixtures("data")
def test_real_answers_are_drawn_as_often_as_they_were_given():
    datasets.load.cache_clear()
    assert len(references("video quality")) == 10
    assert len(references("image quality")) == 15
    world = world_of(Plan("video quality 1", 16, "random", (1,), 0, 0))
    off = ~np.eye(16, dtype=bool)
    assert (world.chance + world.chance.T)[off] == pytest.approx(np.ones(240))
    assert (32 * world.chance[off]) == pytest.approx(np.round(32 * world.chance[off]))
    assert np.corrcoef(world.chance.mean(axis=1), world.truth)[0, 1] > 0.95


# Interrupted


def test_another_seed_is_another_run():
    plans = [Plan("medium", 4, "random", trials, seed, 0) for trials, seed in (((1,), 0), ((1,), 1), ((1, 2), 0))]
    assert len({repr(plan) for plan in plans}) == 3


def killed_midway(words, unfinished):
    """Start a study, and kill it when it has kept some runs."""
    running = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        until = time.monotonic() + 120
        while not unfinished.exists() or unfinished.read_text().count("\n") < 3:
            assert running.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < until
            time.sleep(0.02)
    finally:
        os.kill(running.pid, signal.SIGKILL)
        running.wait()


def test_a_study_that_is_killed_goes_on_where_it_stopped(tmp_path, monkeypatch):
    words = [sys.executable, "-m", "sidewise.cli", "reproduce", "asap", "--quick", "--jobs", "1", "--only", "heat-maps"]
    folder = tmp_path / "asap"
    killed_midway([*words, "--out", str(tmp_path)], folder / "heat-maps.unfinished.jsonl")
    lines = (folder / "heat-maps.unfinished.jsonl").read_text().splitlines()
    done = []
    monkeypatch.setattr(asap, "asked", counting(done))
    assert not (folder / "heat-maps.csv").exists()
    STUDY.run_part("heat-maps", folder, Setting(quick=True))
    assert len(done) <= 12 - 3
    assert len(done) >= 12 - len(lines)
    assert not (folder / "heat-maps.unfinished.jsonl").exists()
    STUDY.run_part("heat-maps", tmp_path / "whole", Setting(quick=True))
    assert (folder / "heat-maps.csv").read_bytes() == (tmp_path / "whole" / "heat-maps.csv").read_bytes()


def counting(done):
    """The task of the heat maps, which notes what it has done; by its own name, so that its keys are the same."""
    original = asap.asked

    def asked(plan):
        done.append(plan)
        return original(plan)

    asked.__module__, asked.__qualname__ = original.__module__, original.__qualname__
    return asked


def test_processes_give_the_same_rows():
    plans = [Plan("small", 5, "random", (1.0,), 0, run) for run in range(3)]
    once, twice = (resumed(measured, plans, Setting(jobs=jobs)) for jobs in (1, 2))
    assert [row["rmse"] for row in once] == pytest.approx([row["rmse"] for row in twice], abs=1e-9)


# Parts and page


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """The quick study, without real data."""
    folder = tmp_path_factory.mktemp("asap")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SIDEWISE_DATA", raising=False)
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        skipped = {name: STUDY.run_part(name, folder, Setting(quick=True)).skipped for name in STUDY.parts}
    return folder, skipped, STUDY.write_page(folder).read_text(encoding="utf-8")


def test_parts_run_anywhere_and_those_of_real_data_are_skipped(quick):
    folder, skipped, page = quick
    assert [name for name, why in skipped.items() if why] == list(WITH_DATA)
    assert not list(folder.glob("*.jsonl"))
    assert "## Figure 4" in page
    assert "## Figure 5" not in page
    assert all(len(line) <= 120 or line.startswith("|") for line in page.splitlines())
    assert all((folder / name).exists() for name in ("figure-4.svg", "figure-2-map.svg", "heat-maps.svg"))


@pytest.mark.usefixtures("data")
def test_parts_with_real_data_run(tmp_path):
    for name in WITH_DATA:
        assert not STUDY.run_part(name, tmp_path, Setting(quick=True)).skipped
    assert "`optimal` is ahead of `asap` in" in STUDY.write_page(tmp_path).read_text(encoding="utf-8").replace(
        "\n", " "
    )


def test_parts_made_from_others_say_what_they_need(tmp_path):
    for name in ("figure-9", "goals"):
        assert "run that first" in STUDY.run_part(name, tmp_path, Setting(quick=True)).skipped
    assert find_study("asap") is STUDY


def test_what_the_page_says_follows_from_the_rows(quick):
    folder, _, page = quick
    said = page.replace("\n", " ")
    rows = kept(folder / "figure-4.csv")
    last = max(row["trials"] for row in rows)
    for world, title in (("large", "Large range, [0, 20]"), ("small", "Small range, [0, 1]")):
        own = [
            row
            for row in rows
            if (row["world"], row["trials"]) == (world, last) and row["strategy"] not in NO_STRATEGIES
        ]
        best = min(own, key=lambda row: row["rmse"])
        assert f"{title}: the lowest RMSE after {last:g} standard trials has `{best['strategy']}`" in said
        middle = sorted({row["trials"] for row in rows})[1]
        for ours in ("optimal", FOR_ORDER):
            half, end = (ahead_of(ours, rows, world, stop) for stop in (middle, last))
            (counts,) = re.findall(rf"Of 13 others, [^.]*, ahead of `{ours}` are ([^.]*)\.", said)
            assert f"{half} and {end} on the {world} range" in counts
    wishes = kept(folder / "goals.csv")
    same = [row for row in wishes if row["estimator"] == "one for all"]
    assert f"{sum(row['met'] for row in same)} of {len(same)} wishes are met" in said
    assert f"{sum(row['met'] for row in wishes if row not in same)} of {len(wishes) - len(same)} are met then" in said
    denied = [row for row in same if (row["limit"] or 0) > row["wanted"]]
    assert said.count("by the limit itself") == len(denied)
    missed = [row for row in same if row not in denied and not row["met"] and (row["as_limit"] or 0) > row["wanted"]]
    assert said.count("is not granted to one who knows the scores") == len(missed)


def ahead_of(ours, rows, world, stop):
    at = {row["strategy"]: row["fisher"] for row in rows if (row["world"], row["trials"]) == (world, stop)}
    return sum(at[name] > at[ours] for name in sw.sampling.STRATEGIES if name != "optimal")


def test_every_strategy_is_in_figure_4_and_effort_follows_from_it(quick):
    folder, _, _ = quick
    names = {row["strategy"] for row in kept(folder / "figure-4.csv")}
    assert names == {*sw.sampling.STRATEGIES, FOR_ORDER, AS_LIMIT, LIMIT}
    for row in kept(folder / "figure-9.csv"):
        assert (row["comparisons"] or row["tried"]) <= row["tried"]


def test_names_at_the_ends_of_lines_are_all_read_however_close_the_lines_end():
    """At the upper edge of a panel they had stood one upon another."""
    crowd = [{"strategy": name, "value": 9.9 - 0.01 * place} for place, name in enumerate("abcdefgh")]
    for low, high in ((0.0, 10.0), (9.7, 20.0), (9.0, 10.0)):
        ends = within(apart(crowd, 0.1), 0.1, low, high)
        heights = [row["at"] for row in ends]
        assert [row["strategy"] for row in ends] == list("hgfedcba")
        assert min(np.diff(heights)) > 0.1 - 1e-9
        assert low - 1e-9 <= heights[0] < heights[-1] <= high + 1e-9


def test_who_is_slow_is_not_asked_about_more_items(monkeypatch):
    monkeypatch.setattr(asap_times, "LONG", 0.0)
    rows = asap_times.times(Setting(quick=True))
    assert {row["n"] for row in rows} == {5}
    assert {row["strategy"] for row in rows} == set(sw.sampling.STRATEGIES)
    monkeypatch.undo()
    state = asap_times.collected(6, 0)
    assert (state.asked[np.triu_indices(6, 1)] == 5).all()


# Goals


def curve_of(strategy, errors, above=None, n=20):
    return [{"world": world, "n": n, "strategy": strategy, "trials": trials, "comparisons": 190 * trials, "runs": 9,
             "rmse": error, "rmse_se": 0.01, "rmse_median": error, "rmse_by_messages": 1.1 * error,
             "above_optimal": above, "above_optimal_se": 0.01}
            for world in RANGES for trials, error in errors.items()]  # fmt: skip


def test_effort_is_read_off_a_power_law_exactly():
    rows = curve_of("optimal", {1: 0.4, 4: 0.2, 16: 0.1})[:3]
    assert asap_goals.reached(rows, "optimal", 0.15) == pytest.approx(190 * (0.4 / 0.15) ** 2)
    assert asap_goals.reached(rows, "optimal", 0.05) is None
    assert asap_goals.efforts(rows)[0]["hours"] == pytest.approx(190 * (0.4 / 0.15) ** 2 * 5 / 3600, abs=0.01)


def test_goals_say_what_was_measured_and_what_the_limit_allows():
    few = curve_of("optimal", {2: 0.25, 5: 0.16}) + curve_of("random", {2: 0.3, 5: 0.2}, above=0.04)
    few += curve_of("asap", {2: 0.3, 5: 0.2}, above=-0.03) + curve_of(LIMIT, {2: 0.25, 5: 0.158})
    few += curve_of(AS_LIMIT, {2: 0.275, 5: 0.16})
    many = [row | {"trials": 0.355} for name, error in
            (("optimal", 0.17), ("asap", 0.2), (LIMIT, 0.16), (AS_LIMIT, 0.18))
            for row in curve_of(name, {2: error}, n=200)[:1]]  # fmt: skip
    medium, large, small, part, near, _, _, published, again, whole = asap_goals.goals(few, many)
    needed = 2 * (5 / 2) ** (np.log(0.25 / 0.2) / np.log(0.25 / 0.16)) / 5
    assert medium["measured"] == large["measured"] == pytest.approx(needed, abs=0.001)
    assert (medium["met"], large["met"]) == (False, True)
    assert medium["limit"] == pytest.approx((0.158 / 0.2) ** 2, abs=0.001)
    assert (small["measured"], small["met"]) == (1.5, False)
    assert (part["measured"], part["met"]) == (0.85, False)
    assert medium["as_limit"] == pytest.approx(
        2 * (5 / 2) ** (np.log(0.275 / 0.2) / np.log(0.275 / 0.16)) / 5, abs=0.001
    )
    assert (part["as_limit"], near["as_limit"]) == (0.9, 1.1)
    assert (near["measured"], near["met"]) == (pytest.approx(0.16 / 0.158, abs=0.001), True)
    assert near["error"] == pytest.approx(0.01 / 0.158, abs=0.001)
    sooner = 2 * (5 / 2) ** (np.log(0.25 / 0.22) / np.log(0.25 / 0.16)) / 5
    assert published["measured"] == again["measured"] == pytest.approx(sooner, abs=0.001)
    assert (whole["measured"], whole["limit"]) == (
        pytest.approx(0.17 / 0.22, abs=0.001),
        pytest.approx(0.16 / 0.22, abs=0.001),
    )


@pytest.mark.parametrize(("runs", "bars"), [(30, 1.5), (100, 1.5), (400, 0.75)])
def test_more_runs_than_a_wish_speaks_of_do_not_narrow_its_error_bar(runs, bars):
    small = [row | {"runs": runs} for row in curve_of("asap", {2: 0.3}, above=-0.03) if row["world"] == "small"]
    assert asap_goals._never_worse(small)["measured"] == bars


def test_who_is_as_accurate_at_the_first_stop_needs_no_more_than_that():
    rows = (
        curve_of("optimal", {1: 0.2, 5: 0.1})[:2]
        + curve_of("asap", {1: 0.6, 5: 0.3})[:2]
        + curve_of(LIMIT, {5: 0.1})[:1]
    )
    found = asap_goals._share_of_published("large", rows, 0.7)
    assert found["measured"] == 0.2
    assert "at the first stop already" in found["goal"]


def test_the_page_in_the_docs_is_made_from_the_tables_beside_it():
    folder = Path(__file__).parents[1] / "docs" / "studies" / "asap"
    if not folder.exists():
        pytest.skip("the study has not been run for the docs")
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert page.endswith(STUDY.markdown(folder))
    assert all((folder / f"{name}.csv").exists() for name in STUDY.parts)
