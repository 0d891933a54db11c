"""Do 95 % intervals hold the truth 95 % of the time? Simulated crowds, whose truth is known, tell."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sidewise.errors import SidewiseError
from sidewise.models import bradley_terry
from sidewise.ranking import Ranking
from sidewise.ranking.order import ranks
from sidewise.simulate import crowd

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Setting:
    """One kind of data, and how it is fitted."""

    name: str
    items: int
    per_item: int  # comparisons that each item takes part in, on average
    spread: float
    options: Mapping[str, Any]
    ties: float = 0.0


SETTINGS = (
    Setting("few comparisons, close items", 20, 8, 0.5, {}),
    Setting("few comparisons, spread items", 20, 8, 2.0, {}),
    Setting("some comparisons", 40, 40, 1.0, {}),
    Setting("many comparisons", 40, 200, 1.0, {}),
    Setting("many comparisons, wide range", 40, 200, 3.0, {}),
    Setting("large and sparse", 2500, 20, 1.5, {}),
    Setting("side effect fitted", 40, 40, 1.0, {"covariates": ("side",)}),
    Setting("sandwich", 40, 200, 1.0, {"intervals": "sandwich"}),
    Setting("bootstrap over comparisons", 30, 100, 1.0, {"intervals": "bootstrap", "replicates": 200}),
    Setting("maximum likelihood", 20, 200, 1.0, {"prior": None}),
)


@dataclass(frozen=True)
class Coverage:
    """How often the truth was inside, over all items of all runs."""

    setting: str
    items: int
    per_item: int
    spread: float
    runs: int
    scores: float
    ranks: float
    width: float  # mean width of an interval of a score


def coverage(setting: Setting, runs: int, *, level: float = 0.95, seed: int = 0) -> Coverage:
    """Simulate, fit and count."""
    inside, inside_ranks, width = [], [], []
    for run in range(runs):
        truth, ranking = _one_run(setting, level, seed + run)
        low, high = ranking.interval()
        rank_low, rank_high = ranking.rank_interval()
        centred, true_rank = truth - truth.mean(), ranks(truth)
        inside.append(np.mean((low <= centred) & (centred <= high)))
        inside_ranks.append(np.mean((rank_low <= true_rank) & (true_rank <= rank_high)))
        width.append(np.mean(high - low))
    return Coverage(
        setting.name, setting.items, setting.per_item, setting.spread, runs,
        float(np.mean(inside)), float(np.mean(inside_ranks)), float(np.mean(width)),
    )  # fmt: skip


def _one_run(setting: Setting, level: float, seed: int) -> tuple[np.ndarray, Ranking]:
    """A crowd without fault, since the model's own intervals are on trial and not its robustness."""
    count = setting.items * setting.per_item // 2
    made = crowd(setting.items, workers=20, comparisons=count, spread=setting.spread, seed=seed)
    ranking = bradley_terry(made.comparisons, level=level, **setting.options)
    return np.array([made.truth[item] for item in ranking.items]), ranking


def run(*, quick: bool = False, seed: int = 0, progress: Progress | None = None) -> Iterator[dict[str, Any]]:
    """The whole study, one row per setting."""
    if quick:
        chosen: tuple[tuple[Setting, int], ...] = tuple((setting, 20) for setting in SETTINGS if setting.items <= 40)
    else:
        chosen = tuple((setting, 20 if setting.items > 1000 else 500) for setting in SETTINGS)
    for done, (setting, runs) in enumerate(chosen):
        yield asdict(coverage(setting, runs, seed=seed))
        if progress:
            progress(done + 1, len(chosen))


def find(name: str) -> Setting:
    """A setting by its name."""
    for setting in SETTINGS:
        if setting.name == name:
            return setting
    raise SidewiseError(f"no setting {name!r}; there are: {', '.join(setting.name for setting in SETTINGS)}")
