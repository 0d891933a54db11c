"""The study of the ASAP paper (Mikhailiuk et al. 2020): which pairs should be asked, and how good any choice can be."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sidewise.sampling import STRATEGIES
from sidewise.studies import asap_effort_page as effort_page
from sidewise.studies import asap_goals as goals
from sidewise.studies import asap_goals_page as goals_page
from sidewise.studies import asap_page as page
from sidewise.studies import asap_real_page as real_page
from sidewise.studies.asap_runs import (
    ALL_WEIGHED,
    AS_LIMIT,
    FOR_ORDER,
    LIMIT,
    OF_REAL,
    ONE_BY_ONE,
    OPTIMAL_ONE_BY_ONE,
    RANGES,
    Plan,
    asked,
    grouped,
    measured,
    over_runs,
    references,
    weighed,
)
from sidewise.studies.asap_times import times
from sidewise.studies.datasets import folder
from sidewise.studies.parts import Part, Rows, Setting, StudyInParts
from sidewise.studies.resuming import resumed
from sidewise.studies.trials import Row, mean

# The sorting methods and the passive ones are left out of the larger experiments, as in the paper, but for random.
LATER = ("optimal", FOR_ORDER, "asap", "asap-approx", "hybrid-mst", "crowd-bt", "hodge", "trueskill", "random")
TREES = ("asap", ONE_BY_ONE, "optimal", OPTIMAL_ONE_BY_ONE, LIMIT)
QUICK = ("optimal", "asap", "random")


class Size(NamedTuple):
    """How large a part is."""

    n: int
    trials: tuple[float, ...]
    runs: Mapping[str, int]  # of each strategy


def _same(strategies: Iterable[str], runs: int) -> dict[str, int]:
    return dict.fromkeys(strategies, runs)


# Of the runs of a part, the first ones are the same for every strategy. A run of figure 4 takes from 0.05 s (random) to
# 1.8 s (asap-approx) on one core, one of asap in figure 7 four minutes; all of it about two hours on two cores.
#
# A hundred runs of figure 4 tell a mean to 2.5 %, and whoever is lucky in one crowd is so at all stops: `full` had
# seemed ahead by 5 % on the small range, and `optimal` 8 % above the limit on the medium one. What is said of them is
# said of as many runs as it takes.
SLOW = ("asap-approx", "crowd-bt", "knowledge-gradient", "quicksort", "rectangular", "trueskill")
FULL = {
    "figure-2": Size(20, (1, 2, 3, 5, 10, 15), _same(("asap", ALL_WEIGHED, LIMIT), 30)),
    "figure-3": Size(20, (1, 2, 3, 5), _same(TREES, 20)),
    "figure-4": Size(
        20,
        (1, 2, 3, 5, 7, 10, 15),
        _same((*STRATEGIES, FOR_ORDER, AS_LIMIT), 500) | _same(SLOW, 100) | _same(("optimal", LIMIT), 2000),
    ),
    "figure-5": Size(16, (1, 2, 3, 5, 7), _same(LATER, 10) | {LIMIT: 1}),
    "figure-6": Size(16, (1, 2, 3, 5, 7), _same(LATER, 10) | {LIMIT: 1}),
    "figure-7": Size(200, (0.1, 0.2, 0.355, 0.53), _same((*LATER, AS_LIMIT, LIMIT), 20) | {"asap": 4}),
    "heat-maps": Size(20, (3,), _same(("asap", "optimal"), 40)),
}
SMALL = {
    "figure-2": Size(12, (1, 3), _same(("asap", ALL_WEIGHED, LIMIT), 2)),
    "figure-3": Size(8, (1, 2), _same(TREES, 2)),
    "figure-4": Size(20, (1, 2, 5), _same(STRATEGIES, 1) | _same((*QUICK, FOR_ORDER, AS_LIMIT, LIMIT), 3)),
    "figure-5": Size(16, (1, 2), _same(QUICK, 1) | {LIMIT: 1}),
    "figure-6": Size(16, (1, 2), _same(QUICK, 1) | {LIMIT: 1}),
    "figure-7": Size(40, (0.1, 0.355, 0.7), _same((*QUICK, AS_LIMIT, LIMIT), 2)),
    "heat-maps": Size(12, (3,), _same(("asap", "optimal"), 2)),
}
MAP_AT = 10.0  # standard trials; in the quick setting, the last stop
SAVED_IN = 30  # runs


def size_of(part: str, setting: Setting) -> Size:
    """How large a part is in a setting."""
    return (SMALL if setting.quick else FULL)[part]


def _plans(worlds: Iterable[str], size: Size, seed: int) -> list[Plan]:
    """All runs, the long ones first, so that no process is left with one in the end."""
    slow_first = sorted(size.runs, key=lambda name: not name.startswith("asap"))
    return [
        Plan(world, size.n, strategy, size.trials, seed, run)
        for strategy in slow_first for world in worlds for run in range(size.runs[strategy])
    ]  # fmt: skip


def _accuracy(worlds: Iterable[str], part: str, setting: Setting) -> list[Row]:
    rows = resumed(measured, _plans(worlds, size_of(part, setting), setting.seed), setting)
    order = [*STRATEGIES, FOR_ORDER, ALL_WEIGHED, ONE_BY_ONE, OPTIMAL_ONE_BY_ONE, AS_LIMIT, LIMIT]
    return sorted(rows, key=lambda row: order.index(row["strategy"]))


# Parts


def figure_2(setting: Setting) -> Rows:
    """What selective evaluation saves, which pairs it weighs, and what it costs."""
    size = size_of("figure-2", setting)
    stops = (0.0, *size.trials)
    runs = min(SAVED_IN, size.runs["asap"])
    plans = [Plan(world, size.n, "asap", stops, setting.seed, run) for world in RANGES for run in range(runs)]
    found = resumed(weighed, plans, setting)
    rows = [_long("saved", world, "asap", trials, group) for (world, trials), group in
            grouped(found, ("world", "trials")).items()]  # fmt: skip
    at = MAP_AT if MAP_AT in size.trials else size.trials[-1]
    mapped = [row["chance"] for row in found if (row["world"], row["trials"]) == ("medium", at)]
    for i, j, chance in zip(*np.triu_indices(size.n, 1), np.mean(mapped, axis=0), strict=True):
        rows.append(_blank("chance", "medium", "asap", at, len(mapped)) | {
            "i": int(i) + 1, "j": int(j) + 1, "value": round(float(chance), 4)})  # fmt: skip
    for row in over_runs(_accuracy(["medium"], "figure-2", setting)):
        about = row["strategy"], row["trials"], row["runs"]
        rows += [
            _blank(what, "medium", *about) | {"value": row[what]} for what in ("rmse", "srocc") if row[what] is not None
        ]
    return rows


def _long(what: str, world: str, strategy: str, trials: float, group: Sequence[Row]) -> Row:
    values = [row[what] for row in group]
    low, high = np.quantile(values, [0.125, 0.875])
    return _blank(what, world, strategy, trials, len(group)) | {
        "value": mean(values), "low": round(float(low), 4), "high": round(float(high), 4)}  # fmt: skip


def _blank(what: str, world: str, strategy: str, trials: float, runs: int) -> Row:
    return {"what": what, "world": world, "strategy": strategy, "trials": trials, "runs": runs, "i": None, "j": None,
            "value": None, "low": None, "high": None}  # fmt: skip


def figure_3(setting: Setting) -> Rows:
    """Batches that are trees, and one pair at a time."""
    return over_runs(_accuracy(["medium"], "figure-3", setting))


def figure_4(setting: Setting) -> Rows:
    """All strategies, scores from three ranges."""
    return over_runs(_accuracy(RANGES, "figure-4", setting))


def figure_5(setting: Setting) -> Rows:
    """Images, answers drawn by the empirical chances."""
    return _real("image quality", "figure-5", setting)


def figure_6(setting: Setting) -> Rows:
    """Videos, answers drawn by the empirical chances."""
    return _real("video quality", "figure-6", setting)


def _real(data: str, part: str, setting: Setting) -> Rows:
    """By reference, and over all of them: there a run of a reference counts as a run."""
    folder()  # that the data are absent is found out here, not in another process
    rows = _accuracy(references(data)[: 2 if setting.quick else None], part, setting)
    whole = [row | {"world": "all", "run": f"{row['world']} {row['run']}"} for row in rows]
    return [*over_runs(whole, OF_REAL), *over_runs(rows, OF_REAL)]


def figure_7(setting: Setting) -> Rows:
    """Many items."""
    return over_runs(_accuracy(["medium"], "figure-7", setting))


def figure_9(setting: Setting) -> Rows:
    """What it takes to reach a given accuracy, from the tables of figures 4 and 7."""
    few = [row for row in setting.rows_of("figure-4") if row["world"] == "medium"]
    return [row for rows in (few, setting.rows_of("figure-7")) for row in goals.efforts(rows)]


def heat_maps(setting: Setting) -> Rows:
    """Which pairs are asked."""
    size = size_of("heat-maps", setting)
    found = resumed(asked, _plans(RANGES, size, setting.seed), setting)
    first, second = (ends + 1 for ends in np.triu_indices(size.n, 1))
    rows = []
    for (world, strategy), group in grouped(found, ("world", "strategy")).items():
        times = np.mean([row["asked"] for row in group], axis=0)
        rows += [
            {"world": world, "strategy": strategy, "trials": size.trials[-1], "runs": len(group), "i": i, "j": j,
             "asked": round(often, 4)}
            for i, j, often in zip(first.tolist(), second.tolist(), times.tolist(), strict=True)
        ]  # fmt: skip
    return rows


def wanted(setting: Setting) -> Rows:
    """What was hoped for before the study, and what came out."""
    return goals.goals(setting.rows_of("figure-4"), setting.rows_of("figure-7"))


STUDY = StudyInParts(
    "which pairs should be asked next, and how good can any choice be?",
    "What to ask next",
    page.TEXT,
    {
        "figure-2": Part("Figure 2: pairs that are not worth weighing", figure_2, page.figure_2),
        "figure-3": Part("Figure 3: batches, or one pair at a time", figure_3, page.figure_3),
        "figure-4": Part("Figure 4: twenty items, all strategies", figure_4, page.figure_4),
        "figure-5": Part("Figure 5: real answers about images", figure_5, real_page.figure_5),
        "figure-6": Part("Figure 6: real answers about videos", figure_6, real_page.figure_6),
        "figure-7": Part("Figure 7: two hundred items", figure_7, page.figure_7),
        "figure-8": Part("Figure 8: what choosing takes", times, effort_page.figure_8),
        "figure-9": Part("Figure 9: what it takes", figure_9, effort_page.figure_9),
        "heat-maps": Part("The supplement: which pairs are asked", heat_maps, page.heat_maps),
        "goals": Part("What was wanted, and what came out", wanted, goals_page.goals),
    },
)
