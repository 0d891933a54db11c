"""How long strategies take to choose, against the number of items: the paper's Figure 8."""

from time import perf_counter

import numpy as np

from sidewise.sampling import STRATEGIES, State
from sidewise.sampling.asking import Limits, chosen
from sidewise.sampling.rehearsal import probit_chances, rehearse
from sidewise.studies.asap_runs import RANGES
from sidewise.studies.parts import Setting
from sidewise.studies.trials import Row

SIZES, SMALL = (10, 20, 50, 100, 200, 500), (5, 10)  # items, and in the quick setting
TRIALS = 5  # standard trials that are collected, as in the paper
TIMES = 3  # the shortest of so many counts: what others do on the machine only adds to it
LONG = 5.0  # seconds: a strategy that took longer is not asked about more items


def times(setting: Setting) -> list[Row]:
    """Seconds for a batch and for a single pair, one strategy after the other and in this process alone."""
    sizes, slow = SMALL if setting.quick else SIZES, set[str]()
    rows: list[Row] = []
    for done, n in enumerate(sizes):
        state = collected(n, setting.seed)
        for place, name in enumerate(STRATEGIES):
            if setting.progress:
                setting.progress(done * len(STRATEGIES) + place, len(sizes) * len(STRATEGIES))
            if name in slow:
                continue
            batch, one = seconds(state, name, n - 1), seconds(state, name, 1)
            rows.append({"strategy": name, "n": n, "comparisons": len(state.left), "batch": n - 1, "seconds": batch,
                         "seconds_one": one})  # fmt: skip
            if batch > LONG:
                slow.add(name)
    return sorted(rows, key=lambda row: list(STRATEGIES).index(row["strategy"]))


def collected(n: int, seed: int) -> State:
    """Every pair asked so often, scores from the medium range."""
    truth = np.random.default_rng([seed, n]).uniform(0, RANGES["medium"], n)
    pairs = n * (n - 1) // 2
    return next(rehearse(probit_chances(truth), STRATEGIES["full"], [TRIALS * pairs], batch=pairs, seed=[seed, n, 1]))


def seconds(state: State, name: str, count: int) -> float:
    """The shortest time that so many pairs were chosen in."""
    found: list[float] = []
    while not found or (len(found) < TIMES and sum(found) < LONG):
        start = perf_counter()
        chosen(state, STRATEGIES[name], count, Limits(), np.random.default_rng(len(found)))
        found.append(perf_counter() - start)
    return round(min(found), 6)
