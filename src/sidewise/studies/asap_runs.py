"""Runs of the ASAP study: a strategy asks, a simulated or resampled crowd answers, and the scores are compared."""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from math import floor
from typing import Any, NamedTuple

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.measures import rmse, spearman
from sidewise.sampling import STRATEGIES, State, Strategy
from sidewise.sampling.asap import asap, believed, evaluated
from sidewise.sampling.belief import believe
from sidewise.sampling.limit import Design, best_design
from sidewise.sampling.optimal import optimal
from sidewise.sampling.rehearsal import probit_chances, rehearse
from sidewise.sampling.state import Positions
from sidewise.studies.datasets import load
from sidewise.studies.trials import Row, mean, sd

RANGES = {"large": 20.0, "medium": 5.0, "small": 1.0}
LIMIT = "limit"
ALL_WEIGHED, ONE_BY_ONE = "asap, all pairs weighed", "asap, one pair at a time"
OPTIMAL_ONE_BY_ONE = "optimal, one pair at a time"
FOR_ORDER = "optimal, for the order"
AS_LIMIT = "the limit's pairs"
NO_STRATEGIES = (LIMIT, AS_LIMIT)  # for one who knows the scores already
BY_MESSAGES = ("optimal", "asap", "random")  # whose answers are also scored by the paper's own estimator
# RMSE after the best scale; how wide scores are, the truth being 1; the share of lapses, found and in all answers.
OF_REAL = ("scaled", "width", "lapse", "lapse_of_all")
DRAWS = 20  # of which pairs are weighed
BAND = (0.125, 0.875)  # the middle 75 % of the runs


class Plan(NamedTuple):
    """One run: a crowd, a strategy, and after how many standard trials the scores are looked at."""

    world: str  # a range, or a data set and a reference of it
    n: int
    strategy: str
    trials: tuple[float, ...]
    seed: int
    run: int

    @property
    def stops(self) -> list[int]:
        """Comparisons: a standard trial is as many as there are pairs."""
        return [floor(trials * self.n * (self.n - 1) / 2 + 0.5) for trials in self.trials]


class World(NamedTuple):
    """Who beats whom how often, and the scores to be found."""

    chance: Floats
    truth: Floats
    lapse: float = 0.0  # of all real answers


def world_of(plan: Plan) -> World:
    """The same for all strategies of a run; items in the order of their true scores where they are drawn."""
    if plan.world not in RANGES:
        return resampled(*plan.world.rsplit(" ", 1))
    rng = np.random.default_rng([plan.seed, plan.run, 0])
    truth = np.sort(rng.uniform(0, RANGES[plan.world], plan.n))
    return World(probit_chances(truth), truth)


@cache
def resampled(data: str, reference: str) -> World:
    """Empirical chances of one reference, and the scale of all its answers by the same estimator."""
    every = load(data)
    assert every.groups is not None
    ours = [item for item in every.comparisons.items if every.groups[item] == reference]
    place = np.full(len(every.comparisons.items), -1)
    place[[every.comparisons.items.code(item) for item in ours]] = np.arange(len(ours))
    left, right = place[every.comparisons.left], place[every.comparisons.right]
    here = left >= 0
    pairs = np.column_stack([left[here], right[here]])
    state = State.empty(len(ours)).with_answers(pairs, every.comparisons.outcome[here])
    total = state.wins + state.wins.T
    chance = np.divide(state.wins, total, out=np.full_like(total, 0.5), where=total > 0)
    belief = believe(state)
    return World(chance, belief.mean, belief.lapse)


def references(data: str) -> list[str]:
    """The worlds of a data set."""
    groups = load(data).groups
    assert groups is not None
    return [f"{data} {name}" for name in sorted(set(groups.values()), key=int)]


def _strategy(name: str, world: World) -> tuple[Strategy, int | None]:
    """The strategy, and how many pairs a batch has where it is not n − 1."""
    if name == AS_LIMIT:
        return partial(_as_shared, best_design(world.truth)), 1
    own: dict[str, tuple[Strategy, int | None]] = {
        ALL_WEIGHED: (partial(asap, selective=False), None),
        ONE_BY_ONE: (asap, 1),
        OPTIMAL_ONE_BY_ONE: (STRATEGIES["optimal"], 1),
        FOR_ORDER: (partial(optimal, goal="ranking"), None),
    }
    return own[name] if name in own else (STRATEGIES[name], None)


def _as_shared(design: Design, state: State, count: int, _rng: np.random.Generator) -> Positions:
    """The pairs that are furthest behind what a design wants them to have by now."""
    behind = design.share * (len(state.left) + count) - state.asked[design.pairs[:, 0], design.pairs[:, 1]]
    return np.asarray(design.pairs[np.argsort(-behind, kind="stable")[:count]])


def _states(plan: Plan, world: World) -> Any:
    strategy, batch = _strategy(plan.strategy, world)
    return rehearse(world.chance, strategy, plan.stops, batch=batch, seed=[plan.seed, plan.run, 1])


def measured(plan: Plan) -> list[Row]:
    """How far the scores are from the truth, at every stop."""
    world = world_of(plan)
    if plan.strategy == LIMIT:
        design = best_design(world.truth)
        return [_row(plan, place, {"rmse": design.rmse(stop)}) for place, stop in enumerate(plan.stops)]
    rows = []
    for place, state in enumerate(_states(plan, world)):
        belief = believe(state)
        found = belief.mean
        order = spearman(found, world.truth)
        figures = {"rmse": rmse(found, world.truth), "srocc": order, "fisher": fisher(order, plan.n)}
        if plan.world not in RANGES:
            figures |= {
                "scaled": rmse(found, world.truth, fit="scale"),
                "width": float(np.std(found) / np.std(world.truth)),
                "lapse": belief.lapse,
                "lapse_of_all": world.lapse,
            }
        if plan.strategy in BY_MESSAGES:
            figures["messages"] = rmse(believed(state).marginals.mean, world.truth)
        rows.append(_row(plan, place, figures))
    return rows


def _row(plan: Plan, place: int, figures: Mapping[str, float]) -> Row:
    none = dict.fromkeys(("rmse", "srocc", "fisher", "messages", *OF_REAL))
    return {"world": plan.world, "n": plan.n, "strategy": plan.strategy, "trials": plan.trials[place],
            "comparisons": plan.stops[place], "run": plan.run} | none | dict(figures)  # fmt: skip


def fisher(order: float, n: int) -> float:
    """Artanh of a rank correlation; a perfect order counts as halfway to the next best, two neighbours swapped."""
    most = 1 - 6 / (n * (n**2 - 1))
    return float(np.arctanh(np.clip(np.nan_to_num(order), -most, most)))


def weighed(plan: Plan) -> list[Row]:
    """Which part of the pairs ASAP does not weigh at every stop, and how likely each pair is to be weighed."""
    rows, rng = [], np.random.default_rng([plan.seed, plan.run, 2])
    for place, state in enumerate(_states(plan, world_of(plan))):
        marginals = believed(state).marginals
        chance = np.mean([evaluated(marginals, state.open, rng) for _ in range(DRAWS)], axis=0)
        saved = 1 - chance.sum() / (plan.n * (plan.n - 1))
        rows.append({"world": plan.world, "trials": plan.trials[place], "saved": float(saved), "run": plan.run,
                     "chance": chance[np.triu_indices(plan.n, 1)].round(4).tolist()})  # fmt: skip
    return rows


def asked(plan: Plan) -> list[Row]:
    """How often every pair is asked until the last stop, in the order of the true scores."""
    (*_, state) = _states(plan, world_of(plan))
    return [{"world": plan.world, "strategy": plan.strategy, "run": plan.run,
             "asked": state.asked[np.triu_indices(plan.n, 1)].tolist()}]  # fmt: skip


# Over runs


def over_runs(rows: Sequence[Row], more: Sequence[str] = ()) -> list[Row]:
    """Means, medians and the middle 75 % over runs; how far above ``optimal``, run by run, with its standard error.

    Of ``more`` columns, the means.
    """
    ours = {_run(row): row["rmse"] for row in rows if row["strategy"] == "optimal"}
    found = []
    for (world, n, strategy, trials), group in grouped(rows, ("world", "n", "strategy", "trials")).items():
        errors, orders = ([row[name] for row in group if row[name] is not None] for name in ("rmse", "fisher"))
        above = [row["rmse"] - ours[_run(row)] for row in group if _run(row) in ours]
        found.append({
            "world": world, "n": n, "strategy": strategy, "trials": trials, "comparisons": group[0]["comparisons"],
            "runs": len(group), "rmse": mean(errors), "rmse_se": sd(errors, over=len(errors)),
            **_band("rmse", errors), "srocc": mean([row["srocc"] for row in group if row["srocc"] is not None]),
            "fisher": mean(orders), **_band("fisher", orders), "above_optimal": mean(above),
            "above_optimal_se": sd(above, over=len(above)),
            "rmse_by_messages": mean([row["messages"] for row in group if row["messages"] is not None]),
            **{name: mean([row[name] for row in group if row[name] is not None]) for name in more},
        })  # fmt: skip
    return found


def _run(row: Row) -> tuple[Any, ...]:
    return row["world"], row["n"], row["run"], row["trials"]


def _band(name: str, values: Sequence[float]) -> Row:
    if not values:
        return {f"{name}_{what}": None for what in ("median", "low", "high")}
    low, middle, high = (round(float(value), 6) for value in np.quantile(values, [BAND[0], 0.5, BAND[1]]))
    return {f"{name}_median": middle, f"{name}_low": low, f"{name}_high": high}


def grouped(rows: Sequence[Row], names: Sequence[str]) -> dict[tuple[Any, ...], list[Row]]:
    """Rows by the values of some columns, in the order in which they come."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups
