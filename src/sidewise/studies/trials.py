"""Trials: spammers added to real answers, every model fitted and scored; many at once, and summed up."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any, Protocol, TypeVar

import numpy as np

from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Floats
from sidewise.measures import foretold, kendall_tau, pair_accuracy
from sidewise.ranking import Ranking
from sidewise.simulate import add_spammers, draw_sides
from sidewise.studies.contenders import OURS, rank_quietly
from sidewise.studies.datasets import load
from sidewise.studies.parts import Setting

Row = dict[str, Any]
Task = TypeVar("Task")
FOR_HOLDING_OUT = 3  # a stream of its own: sides and spammers have the same seed
PARTS = 5  # of the answers, where the truth is not known; one is held out
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Trial:
    """One data set with spammers of one kind, drawn once."""

    data: str
    kind: str
    share: float
    seed: int
    models: tuple[str, ...]


class Judged(Protocol):
    """Comparisons, and what is known of the truth: a :class:`~sidewise.datasets.DataSet`, or what is like one."""

    @property
    def comparisons(self) -> Comparisons: ...  # noqa: D102
    @property
    def truth(self) -> Mapping[str, float] | None: ...  # noqa: D102
    @property
    def groups(self) -> Mapping[str, str] | None: ...  # noqa: D102


def spammed(trial: Trial) -> list[Row]:
    """Every model's accuracy and tau on the data of a trial."""
    return scored(trial, load(trial.data))


def scored(trial: Trial, data: Judged) -> list[Row]:
    """The same of data that no registry knows."""
    answers = data.comparisons if data.comparisons.sided else draw_sides(data.comparisons, seed=trial.seed)
    seen, held_out = (answers, None) if data.truth else _split(answers, trial.seed)
    seen = add_spammers(seen, trial.share, trial.kind, seed=trial.seed) if trial.share else seen
    rows = []
    for model in trial.models:
        ranking = rank_quietly(model, seen)
        accuracy, tau = against_truth(data, ranking) if held_out is None else (_predicted(ranking, held_out), np.nan)
        rows.append({
            "data": trial.data, "spammers": trial.kind if trial.share else "none", "share": trial.share, "model": model,
            "seed": trial.seed, "accuracy": accuracy, "tau": tau, "converged": float(ranking.fit.converged),
        })  # fmt: skip
    return rows


def against_truth(data: Judged, ranking: Ranking) -> tuple[float, float]:
    """Pair accuracy and Kendall's tau: of all items, or the mean over groups that were never compared."""
    assert data.truth is not None
    truth = np.array([data.truth.get(item, np.nan) for item in ranking.items])
    measured = np.array([[measure(ranking.raw[some], truth[some], missing="drop")
                          for measure in (pair_accuracy, kendall_tau)] for some in _groups(data, ranking)])  # fmt: skip
    accuracy, tau = measured.mean(axis=0).tolist()
    return accuracy, tau


def _groups(data: Judged, ranking: Ranking) -> Iterator[np.ndarray]:
    if data.groups is None:
        yield np.arange(len(ranking.items))
        return
    group = np.array([data.groups[item] for item in ranking.items])
    for name in np.unique(group):
        yield np.flatnonzero(group == name)


def _split(answers: Comparisons, seed: int) -> tuple[Comparisons, Comparisons]:
    """Answers to fit, and a fifth of them to predict: five seeds in a row leave out each answer once.

    Trials then predict different answers, so that their spread tells what the draw of the answers does.
    """
    shuffled, part = divmod(seed, PARTS)
    out = np.random.default_rng([shuffled, FOR_HOLDING_OUT]).permutation(len(answers)) % PARTS == part
    return answers.select(~out), answers.select(out)


def _predicted(ranking: Ranking, held_out: Comparisons) -> float:
    score: Floats = ranking.raw
    return foretold(score[held_out.left] - score[held_out.right], held_out.outcome)


def in_turn(task: Callable[[Task], list[Row]], tasks: Sequence[Task], setting: Setting) -> list[Row]:
    """The rows of all tasks, in their order; in processes where the setting asks for them."""
    rows: list[Row] = []
    with _mapped(setting.jobs) as mapped:
        for done, found in enumerate(mapped(task, tasks), 1):
            rows += found
            if setting.progress:
                setting.progress(done, len(tasks))
    return rows


@contextmanager
def _mapped(jobs: int) -> Iterator[Callable[..., Iterable[list[Row]]]]:
    """``map``, or that of a pool."""
    if jobs <= 1:
        yield map
        return
    with pool_of(jobs) as pool:
        yield pool.map


@contextmanager
def pool_of(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that have one thread each: more would stand in each other's way."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_watch_parent) as pool:
            yield pool
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _watch_parent() -> None:
    """End with the process that started this one, also where it was killed and could not say so, and at Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def summed(rows: Sequence[Row], by: Sequence[str], measures: Sequence[str]) -> list[Row]:
    """Mean and standard deviation over trials, and by how much the first measure is above that of worker-bt.

    That difference is taken trial by trial, as all models see the same answers, and has a standard error.
    """
    ours = {_key(row, [*by, "seed"]): row[measures[0]] for row in rows if row["model"] == OURS}
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(_key(row, [*by, "model"]), []).append(row)
    found = []
    for key, group in groups.items():
        one: Row = dict(zip([*by, "model"], key, strict=True)) | {"trials": len(group)}
        for measure in measures:
            values = [row[measure] for row in group]
            one |= {measure: mean(values), f"{measure}_sd": sd(values)}
        lead = [row[measures[0]] - ours[_key(row, [*by, "seed"])] for row in group if _key(row, [*by, "seed"]) in ours]
        one |= {"over_worker_bt": mean(lead), "over_worker_bt_se": sd(lead, over=len(lead))}
        found.append(one | {"converged": mean([row["converged"] for row in group])})
    return found


def _key(row: Mapping[str, Any], names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def mean(values: Sequence[float]) -> float | None:
    """The mean to six digits, or None where there is none."""
    return round(float(np.mean(values)), 6) if values and np.isfinite(values).all() else None


def sd(values: Sequence[float], *, over: int = 1) -> float | None:
    """The standard deviation to six digits, or None where there is none; ``over`` n makes it that of a mean."""
    if len(values) < 2 or not np.isfinite(values).all():
        return None
    return round(float(np.std(values, ddof=1) / np.sqrt(over)), 6)
