"""How many comparisons will it take? A campaign rehearsed on made-up scores, before the first answer is paid for."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import SidewiseError
from sidewise.numbers import is_number
from sidewise.sampling.asking import Goal, check_top, for_goal, whole
from sidewise.sampling.belief import Belief, believe
from sidewise.sampling.by_name import find_strategy
from sidewise.sampling.enough import JOD, Unit, chance_of_top
from sidewise.sampling.rehearsal import probit_chances, rehearse
from sidewise.sampling.state import Strategy

Progress = Callable[[float, float], None]  # done, total

STEP = 2**0.5  # from a check to the next, in comparisons
MOST_PER_ITEM = 500  # comparisons for every item, after which a rehearsal is given up
# Runs, where nothing is said: so many that an RMSE is taken over as many errors, within reason where items are few.
LEAST_RUNS, MOST_RUNS, ERRORS = 5, 40, 400
RANGE = 5.0  # probits from the worst item to the best, where nothing is said: the medium one of the ASAP paper
AGAINST = "random"
LEAST_RISK = 1e-4  # a chance of a wrong top that draws cannot tell from none


class Cost(NamedTuple):
    """What a strategy takes: the middle, the least and the most of the runs; None is more than was tried."""

    method: str
    comparisons: int | None
    low: int | None
    high: int | None
    runs: tuple[int | None, ...]


@dataclass(frozen=True)
class Plan:
    """How many comparisons and hours a campaign will take, and what asking at random would.

    Attributes
    ----------
    items, scores, target
        What was rehearsed: how many items, how their scores were drawn, when it was enough.
    chosen, against
        What the strategy takes, and random pairs beside it (None, where the strategy is that).
    seconds, workers
        That one comparison takes, and who share the work.
    tried
        The comparisons after which a run was given up.
    """

    items: int
    scores: str
    target: str
    chosen: Cost
    against: Cost | None
    seconds: float
    workers: int
    tried: int

    @property
    def comparisons(self) -> int | None:
        """How many the strategy takes, in the middle of the runs; None is more than was tried."""
        return self.chosen.comparisons

    @property
    def hours(self) -> float | None:
        """Of all workers together."""
        return self.hours_of(self.chosen.comparisons)

    @property
    def saving(self) -> float | None:
        """The share of comparisons that the strategy saves; None where it is not known."""
        if self.against is None or not self.against.comparisons or self.chosen.comparisons is None:
            return None
        return 1 - self.chosen.comparisons / self.against.comparisons

    def hours_of(self, comparisons: int | None) -> float | None:
        """What so many comparisons take."""
        return None if comparisons is None else comparisons * self.seconds / 3600

    def __str__(self) -> str:
        lines = [f"{self.items:,} items, {self.scores}, until {self.target}"]
        lines += [f"{cost.method}: {self._told(cost)}" for cost in (self.chosen, self.against) if cost is not None]
        if self.saving is not None:
            lines.append(f"saved: {self.saving:.0%} of the comparisons")
        return "\n".join(lines)

    def _told(self, cost: Cost) -> str:
        if cost.comparisons is None:
            return f"more than {self.tried:,} comparisons"
        hours = self.hours_of(cost.comparisons) or 0.0
        shared = f", {lasting(hours / self.workers)} for each of {self.workers} workers" if self.workers > 1 else ""
        return f"{cost.comparisons:,} comparisons ({self.span(cost)}), {lasting(hours)} of work{shared}"

    def span(self, cost: Cost) -> str:
        """The least and the most of the runs."""
        high = f"over {self.tried:,}" if cost.high is None else f"{cost.high:,}"
        return f"{'–' if cost.low is None else format(cost.low, ',')} … {high}"


def plan(
    items: int,
    *,
    target_rmse: float | None = None,
    top: int | None = None,
    level: float = 0.95,
    score_range: float | None = None,
    spread: float | None = None,
    unit: Unit = "probit",
    method: str = "optimal",
    batch: int | None = None,
    seconds: float = 5.0,
    workers: int = 1,
    runs: int | None = None,
    most: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Plan:
    """Rehearse a campaign: how many comparisons, and hours, until scores are accurate or the top items settled.

    Every run draws new true scores, asks what the strategy would ask, answers by chance, P(i beats j) = Φ(r_i − r_j),
    and looks now and then whether it is enough; between two looks the number is interpolated, on a scale of logarithms.

    Parameters
    ----------
    items
        How many there are.
    target_rmse
        Until the scores are this accurate: the root of the mean squared error, after the best shift.
    top, level
        Or until the ``top`` best items are settled with this chance, as :func:`~sidewise.enough` says.
    score_range, spread
        How different the items are: scores drawn evenly from a range (5, where nothing is said), or from a normal
        distribution with this standard deviation.
    unit
        Of target, range and spread: "probit" or "jod" (1 probit is 1.4826 JOD).
    method
        A strategy of :func:`~sidewise.next_pairs`; random pairs are rehearsed beside it.
    batch
        How many pairs are asked before the strategy looks at the answers, each once at most; n − 1, where nothing is
        said.
    seconds, workers
        That one comparison takes a worker, and how many share the work.
    runs, seed
        How often it is rehearsed (20 times for 20 items, 5 times from 80 on, where nothing is said: the fewer items,
        the more chance there is in one run), and the seed of everything random.
    most
        Comparisons after which a run is given up: 500 for every item, where nothing is said.
    progress
        Called with what is done and what there is in all.

    Examples
    --------
    >>> import sidewise as sw
    >>> made = sw.sampling.plan(12, target_rmse=0.4, runs=8, seed=1)
    >>> made.comparisons < made.against.comparisons
    True
    """
    items, seed = whole(items, "items", least=2), whole(seed, "seed", least=0)
    asked = Asked(
        items, target_rmse, top, level, score_range, spread, unit, batch, seconds, workers,
        int(np.clip(-(-ERRORS // items), LEAST_RUNS, MOST_RUNS)) if runs is None else runs,
        MOST_PER_ITEM * items if most is None else most,
    )  # fmt: skip
    asked.check()
    find_strategy(method)
    methods = list(dict.fromkeys([method.replace("_", "-").lower(), AGAINST]))
    if items == 2:  # one pair is all there is to choose
        methods = methods[:1]
    strategies = [for_goal(name, *asked.goal_of(name), None, items) for name in methods]
    costs = []
    for place, (name, strategy) in enumerate(zip(methods, strategies, strict=True)):
        told = None if progress is None else partial(_tell, progress, place, len(methods))
        costs.append(_cost(name, asked, strategy, seed, told))
    against = costs[1] if len(costs) > 1 else None
    return Plan(items, asked.scores, asked.target, costs[0], against, seconds, workers, asked.most)


@dataclass(frozen=True)
class Asked:
    """What is to be rehearsed."""

    n: int
    rmse: float | None
    top: int | None
    level: float
    range: float | None
    spread: float | None
    unit: Unit
    batch: int | None
    seconds: float
    workers: int
    runs: int
    most: int

    @property
    def probit(self) -> float:
        """A probit in the unit."""
        return JOD if self.unit == "jod" else 1.0

    @property
    def unit_name(self) -> str:
        """As it is said."""
        return "JOD" if self.unit == "jod" else "probits"

    @property
    def scores(self) -> str:
        """How scores are drawn, in words."""
        if self.spread is not None:
            return f"scores normal with a standard deviation of {self.spread:g} {self.unit_name}"
        reach = RANGE * self.probit if self.range is None else self.range
        return f"scores spread evenly over {reach:.3g} {self.unit_name}"

    @property
    def target(self) -> str:
        """When it is enough, in words."""
        if self.rmse is not None:
            return f"the RMSE is {self.rmse:g} {self.unit_name}"
        few = f"the top {self.top} are" if self.top != 1 else "the best item is"
        return f"{few} settled with {100 * self.level:g} %"

    def goal_of(self, method: str) -> tuple[Goal, int | None]:
        """What the strategy is told to be after."""
        return ("top", self.top) if self.top is not None and method == "optimal" else ("rmse", None)

    @property
    def batch_size(self) -> int:
        """How many pairs go out at once: no pair comes twice in a batch."""
        return min(self.batch or self.n - 1, self.n * (self.n - 1) // 2)

    def drawn(self, rng: np.random.Generator) -> Floats:
        """True scores, in probits."""
        if self.spread is not None:
            return rng.normal(0, self.spread / self.probit, self.n)
        return rng.uniform(0, RANGE if self.range is None else self.range / self.probit, self.n)

    def stops(self) -> list[int]:
        """After how many comparisons to look: growing by the same factor from a tree's worth on."""
        count = int(np.ceil(np.log(max(self.most / (self.n - 1), 1)) / np.log(STEP)))
        return sorted({min(round((self.n - 1) * STEP**step), self.most) for step in range(count + 1)})

    def missing(self, belief: Belief, truth: Floats, rng: np.random.Generator) -> float:
        """What is still wrong, over what may be: 1 and less is enough."""
        if self.rmse is not None:
            error = belief.mean - truth
            return float(np.std(error)) * self.probit / self.rmse
        assert self.top is not None
        risk = 1 - chance_of_top(belief.mean, belief.covariance, self.top, rng)
        return max(risk, LEAST_RISK) / (1 - self.level)

    def check(self) -> None:
        """Refuse what cannot be rehearsed."""
        for name in ("workers", "runs", "most", "batch"):
            if getattr(self, name) is not None:
                whole(getattr(self, name), name)
        if (self.rmse is None) == (self.top is None):
            raise SidewiseError("say what is wanted: either target_rmse=0.15, accurate scores, or top=10, the ten best")
        if self.range is not None and self.spread is not None:
            raise SidewiseError("score_range and spread both say how scores are drawn: leave out one of them")
        numbers = {"target_rmse": self.rmse, "score_range": self.range, "spread": self.spread, "seconds": self.seconds}
        for name, number in numbers.items():
            if number is not None and not (is_number(number) and number > 0):
                raise SidewiseError(f"{name} is {number!r}; it is a number above 0")
        if not (is_number(self.level) and 0 < self.level < 1):
            raise SidewiseError(f"level is {self.level!r}; it is a chance between 0 and 1, such as 0.95")
        if self.top is not None:
            check_top(self.top, self.n)
        if self.unit not in ("probit", "jod"):
            raise SidewiseError(f"unit={self.unit!r} is not one of probit, jod")


def _cost(name: str, asked: Asked, strategy: Strategy, seed: int, told: Callable[[float], None] | None) -> Cost:
    """What a strategy takes: all runs side by side, from one look to the next, until all have arrived.

    The middle of the runs is theirs for the top; for the RMSE, where the errors of all runs together arrive, which is
    what counts, and has less noise; single runs that are lucky arrive early, and may all have been there, one by one,
    before all are together.
    """
    looks = [_looks(asked, strategy, seed, run) for run in range(asked.runs)]
    curves: list[list[Look]] = [[] for _ in looks]
    done = 0.0
    for stop in asked.stops():
        for run, (look, curve) in enumerate(zip(looks, curves, strict=True)):
            if asked.rmse is not None or not curve or curve[-1].missing > 1:
                curve.append(next(look))
            if told is not None:
                done = max(done, _share(asked, stop, curves, run))
                told(done)
        arrived = all(min(one.missing for one in curve) <= 1 for curve in curves)
        if arrived and (asked.rmse is None or _together(curves)[-1].missing <= 1):
            break
    runs = [_arrival(curve) if asked.rmse is None else _smooth(curve) for curve in curves]
    low, middle, high = np.quantile(runs, [0, 0.5, 1], method="inverted_cdf").tolist()
    if asked.rmse is not None:
        middle = _smooth(_together(curves))
        low, high = min(low, middle), max(high, middle)
    return Cost(name, _count(middle), _count(low), _count(high), tuple(map(_count, runs)))


def _together(curves: list[list["Look"]]) -> list["Look"]:
    """The errors of all runs as one, look by look."""
    return [
        Look(ones[0].stop, float(np.sqrt(np.mean([one.missing**2 for one in ones]))))
        for ones in zip(*curves, strict=True)
    ]


def _smooth(curve: list["Look"]) -> float:
    """Where what is missing goes through 1, on a straight line through the looks near to where it does so at first."""
    first = _arrival(curve)
    near = [(look.stop, look.missing) for look in curve if first / 2 <= look.stop <= 2 * first]
    if not np.isfinite(first) or len(near) < 3:
        return first
    comparisons, missing = np.log(np.array(near)).T
    slope, height = np.polyfit(comparisons, missing, 1)
    return float(np.clip(np.exp(-height / slope), near[0][0], near[-1][0])) if slope < 0 else first


class Look(NamedTuple):
    """After so many comparisons: what is still wrong, over what may be."""

    stop: int
    missing: float


def _looks(asked: Asked, strategy: Strategy, seed: int, run: int) -> Iterator[Look]:
    """One run: its own truth, its own answers.

    A look at the scores is none of the strategy's: within a batch, it is at the answers that are in, and what comes
    next waits for the last of them.
    """
    rng = np.random.default_rng([seed, run, 1])
    truth, belief = asked.drawn(rng), None
    batch, stops = asked.batch_size, asked.stops()
    whole_batches = [-(-stop // batch) * batch for stop in stops]
    states = rehearse(probit_chances(truth), strategy, whole_batches, batch=batch, seed=[seed, run, 2])
    for stop, state in zip(stops, states, strict=True):
        belief = believe(state.only(slice(stop)), before=belief)
        yield Look(stop, asked.missing(belief, truth, rng))


def _arrival(curve: list[Look]) -> float:
    """Where what is missing goes through 1 at first, on a straight line of logarithms; infinite where it does not."""
    for before, after in zip([None, *curve], curve, strict=False):
        if after.missing <= 1:
            if before is None:
                return after.stop
            part = np.log(before.missing) / np.log(before.missing / after.missing)
            return float(before.stop * (after.stop / before.stop) ** part)
    return float("inf")


def _share(asked: Asked, stop: int, curves: list[list[Look]], run: int) -> float:
    """How much of the work is done, by the law that errors fall as the root of the comparisons."""
    latest = [curve[-1].missing for curve in curves if curve]
    worst = max([1.0, *latest])
    ahead = stop * (worst**2 if asked.rmse is not None else 1 + np.log(worst))
    begun = stop / STEP + (stop - stop / STEP) * (run + 1) / len(curves)
    return float(min(begun / max(ahead, 1), 1.0))


def _tell(progress: Progress, done: int, total: int, part: float) -> None:
    progress(done + part, total)


def _count(number: float) -> int | None:
    return int(np.ceil(number)) if np.isfinite(number) else None


def lasting(hours: float) -> str:
    """A time as people say it.

    >>> lasting(0.004), lasting(0.7), lasting(12.34), lasting(123.4)
    ('1 min', '42 min', '12.3 h', '123 h')
    """
    if hours < 1:
        return f"{max(round(60 * hours), 1)} min"
    return f"{hours:,.1f} h" if hours < 100 else f"{hours:,.0f} h"
