"""What was wanted of ``optimal`` before the study, and what the tables say of it; what a given accuracy takes."""

from typing import Any

import numpy as np

from sidewise.studies.asap_runs import AS_LIMIT, LIMIT
from sidewise.studies.parts import Rows

TARGET = 0.15  # RMSE, as in the paper's Figure 9
SECONDS = 5  # for one comparison, as there
ERROR_BAR = 2.0  # standard errors of a difference that is taken run by run,
BAR_OF = 100  # of as many runs as the wish speaks of, where there are more: a smaller bar is another wish
# The paper's Figure 9, comparisons: of 20 items 40 and 120 minutes.
PAPER = {(20, "asap"): 480, (20, "hybrid-mst"): 1440, (200, "asap"): 7065, (200, "hybrid-mst"): 10550}
Row = dict[str, Any]


def curve(rows: Rows, strategy: str, by: str = "rmse") -> tuple[np.ndarray, np.ndarray]:
    """Comparisons, and the error after them."""
    own = sorted((row["comparisons"], row[by]) for row in rows if row["strategy"] == strategy)
    return np.array([at for at, _ in own], float), np.array([value for _, value in own], float)


def reached(rows: Rows, strategy: str, target: float, by: str = "rmse") -> float | None:
    """After how many comparisons the error first falls to a target, between stops as a power of their number."""
    comparisons, error = curve(rows, strategy, by)
    for place in range(1, len(error)):
        if error[place] <= target < error[place - 1]:
            part = np.log(target / error[place - 1]) / np.log(error[place] / error[place - 1])
            return float(comparisons[place - 1] * (comparisons[place] / comparisons[place - 1]) ** part)
    return None


def efforts(rows: Rows) -> list[Row]:
    """Comparisons and hours to the target, for every strategy; None where the last stop is above it."""
    n = rows[0]["n"]
    found = []
    for strategy in dict.fromkeys(row["strategy"] for row in rows):
        own = [row for row in rows if row["strategy"] == strategy]
        needed = reached(rows, strategy, TARGET)
        found.append({
            "n": n, "strategy": strategy, "target": TARGET, "runs": own[0]["runs"],
            "comparisons": needed and round(needed), "hours": needed and round(needed * SECONDS / 3600, 2),
            "tried": max(row["comparisons"] for row in own), "paper": PAPER.get((n, strategy)),
        })  # fmt: skip
    return found


def goals(few: Rows, many: Rows) -> list[Row]:
    """Every wish as a figure that was to be at most so much, by means and by medians over runs: met if both are."""
    of = {world: [row for row in few if row["world"] == world] for world in ("medium", "large", "small")}
    found = [
        _share("medium", of["medium"], 0.55),
        _share("large", of["large"], 0.70),
        _never_worse(of["small"]),
        _part_of_asap(many),
        _above_limit("medium range, from 2 standard trials on", of["medium"], 2, 1.05),
        _above_limit("large range, from 2 standard trials on", of["large"], 2, 1.15),
        _above_limit(f"{many[0]['n']} items, from 0.355 standard trials on", many, 0.355, 1.10),
        _share_of_published("medium", of["medium"], 0.55),
        _share_of_published("large", of["large"], 0.70),
        _part_of_published(many),
    ]
    return [row | {"met": _met(row)} for row in found]


OURS, THEIRS = "one for all", "each its own"


def _met(row: Row) -> bool:
    measured, by_median, wanted = row["measured"], row["by_median"], row["wanted"]
    return measured is not None and measured <= wanted and (by_median is None or by_median <= wanted)


def _goal(
    goal: str,
    wanted: float,
    measured: float | None,
    by_median: float | None,
    limit: float | None,
    *,
    as_limit: float | None = None,
    error: float | None = None,
    estimator: str = OURS,
) -> Row:
    return {"goal": goal, "estimator": estimator, "wanted": wanted, "measured": _three(measured),
            "error": _three(error), "by_median": _three(by_median), "limit": _three(limit),
            "as_limit": _three(as_limit)}  # fmt: skip


def _three(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _share(world: str, rows: Rows, wanted: float) -> Row:
    """Which part of ASAP's comparisons takes one as far as it is after 5 standard trials."""
    theirs = _at(rows, "asap", 5, "comparisons")

    def part(strategy: str, by: str) -> float | None:
        needed = reached(rows, strategy, _at(rows, "asap", 5, by), by)
        return needed and needed / theirs

    # The limit falls with the root of the number of comparisons.
    limit = (_at(rows, LIMIT, 5, "rmse_median") / _at(rows, "asap", 5, "rmse_median")) ** 2
    return _goal(f"{world} range: the comparisons that `optimal` needs to be as accurate as `asap` after 5 standard "
                 "trials, as a part of them", wanted, part("optimal", "rmse"), part("optimal", "rmse_median"), limit,
                 as_limit=part(AS_LIMIT, "rmse"))  # fmt: skip


def _never_worse(rows: Rows) -> Row:
    """By how many error bars ``optimal`` is worse at most."""
    worst = [
        -row["above_optimal"] / (ERROR_BAR * row["above_optimal_se"] * max(row["runs"] / BAR_OF, 1.0) ** 0.5)
        for row in rows if row["strategy"] in ("random", "asap") and row["above_optimal_se"]
    ]  # fmt: skip
    return _goal(f"small range: by how many error bars (two standard errors of {BAR_OF} runs, run by run) `optimal` is "
                 "worse than `random` or `asap` at any stop, at most", 1.0, max(worst), None, None)  # fmt: skip


def _part_of_asap(rows: Rows) -> Row:
    def ratio(strategy: str, by: str) -> float:
        return _at(rows, strategy, 0.355, by) / _at(rows, "asap", 0.355, by)

    return _goal(f"{rows[0]['n']} items: the RMSE of `optimal` after 0.355 standard trials, as a part of that of "
                 "`asap`", 0.72, ratio("optimal", "rmse"), ratio("optimal", "rmse_median"), ratio(LIMIT, "rmse_median"),
                 as_limit=ratio(AS_LIMIT, "rmse"))  # fmt: skip


def _above_limit(where: str, rows: Rows, since: float, wanted: float) -> Row:
    """The largest ratio to the limit; by means over runs, and by medians, which a few hopeless draws do not move."""
    stops = sorted({row["trials"] for row in rows if row["trials"] >= since})

    def times(strategy: str, at: float, by: str = "rmse") -> float:
        return _at(rows, strategy, at, by) / _at(rows, LIMIT, at, by)

    worst = max(stops, key=lambda at: times("optimal", at))
    error = _at(rows, "optimal", worst, "rmse_se") / _at(rows, LIMIT, worst, "rmse")
    by_median, as_limit = (
        max(times(strategy, at, by) for at in stops)
        for strategy, by in (("optimal", "rmse_median"), (AS_LIMIT, "rmse"))
    )
    return _goal(f"{where}: the RMSE of `optimal`, as a multiple of the limit, at most", wanted,
                 times("optimal", worst), by_median, 1.0, as_limit=as_limit, error=error)  # fmt: skip


# ASAP as published: its pairs, and the scores of its own message passing, which no medians are kept of.


def _share_of_published(world: str, rows: Rows, wanted: float) -> Row:
    """Which part of ASAP's comparisons takes ``optimal`` as far as ASAP's users are after 5 standard trials."""
    target = _at(rows, "asap", 5, "rmse_by_messages")
    comparisons, error = curve(rows, "optimal")
    needed = comparisons[0] if error[0] <= target else reached(rows, "optimal", target)
    part = needed and float(needed) / _at(rows, "asap", 5, "comparisons")
    limit = (_at(rows, LIMIT, 5, "rmse_median") / target) ** 2
    early = " (it is so at the first stop already)" if error[0] <= target else ""
    goal = (
        f"{world} range: the comparisons that `optimal` needs to be as accurate as `asap` as published after 5 "
        f"standard trials, as a part of them{early}"
    )
    return _goal(goal, wanted, part, None, limit, estimator=THEIRS)


def _part_of_published(rows: Rows) -> Row:
    target = _at(rows, "asap", 0.355, "rmse_by_messages")
    ratio, limit = _at(rows, "optimal", 0.355, "rmse") / target, _at(rows, LIMIT, 0.355, "rmse_median") / target
    return _goal(f"{rows[0]['n']} items: the RMSE of `optimal` after 0.355 standard trials, as a part of that of "
                 "`asap` as published", 0.72, ratio, None, limit, estimator=THEIRS)  # fmt: skip


def _at(rows: Rows, strategy: str, trials: float, name: str) -> float:
    return float(next(row[name] for row in rows if (row["strategy"], row["trials"]) == (strategy, trials)))
