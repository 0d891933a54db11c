"""Resampling: how scores would vary, had other comparisons been drawn, or other workers come."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal

import numpy as np

from sidewise.comparisons import Comparisons, PairCounts
from sidewise.comparisons.arrow import Floats
from sidewise.errors import FewWorkers, ModelError
from sidewise.ranking import Draws

Unit = Literal["comparison", "worker"]
Progress = Callable[[int, int], None]

FEW = 10  # workers
BLOCK = 4_000_000  # how many numbers one block of replicates may hold


def check_workers(comparisons: Comparisons) -> None:
    """See that there are workers to take as independent."""
    if comparisons.worker is None:
        raise ModelError("unit='worker' needs to know who said what: name the worker column")
    count = len(np.unique(comparisons.worker))
    if count < 2:
        raise ModelError("there is one worker only: nothing tells how much workers differ; use unit='comparison'")
    if count < FEW:
        message = f"intervals over workers from {count} workers are too narrow; from {FEW} on they can be relied on"
        warnings.warn(message, FewWorkers, stacklevel=5)


def resample_weights(comparisons: Comparisons, unit: Unit, replicates: int, seed: int) -> Iterator[Floats]:
    """Blocks of row weights, one column per replicate: how often the replicate has drawn the row's unit."""
    if unit == "worker" and comparisons.worker is None:
        check_workers(comparisons)
    rng = np.random.default_rng(seed)
    rows, weight = len(comparisons), comparisons.weights()
    block = max(1, min(replicates, BLOCK // max(rows, 1)))
    units = rows if unit == "comparison" else len(comparisons.workers)
    for start in range(0, replicates, block):
        columns = []
        for _ in range(start, min(start + block, replicates)):
            drawn = np.bincount(rng.integers(units, size=units), minlength=units)
            columns.append(weight * (drawn if unit == "comparison" else drawn[comparisons.worker]))
        yield np.stack(columns, axis=1)


def bootstrap(
    scores: Callable[[Floats], Floats], comparisons: Comparisons, *, unit: Unit, replicates: int, seed: int,
    progress: Progress | None = None,
) -> Draws:  # fmt: skip
    """Draws of the scores: ``scores`` turns a block of row weights into one column of scores per replicate."""
    found: list[Floats] = []
    done = 0
    for weights in resample_weights(comparisons, unit, replicates, seed):
        found.append(scores(weights))
        done += weights.shape[1]
        if progress:
            progress(done, replicates)
    return Draws(np.hstack(found).T, kind=f"bootstrap over {unit}s, {replicates} replicates")


def refit_counts(comparisons: Comparisons, scores: Callable[[PairCounts], Floats]) -> Callable[[Floats], Floats]:
    """Refit one replicate after the other, for models that are a function of pair counts."""

    def refit(weights: Floats) -> Floats:
        return np.stack([scores(replace(comparisons, weight=column).counts()) for column in weights.T], axis=1)

    return refit


def resampled(
    comparisons: Comparisons | PairCounts, scores: Callable[[Comparisons], Floats], *, unit: Unit, replicates: int,
    seed: int, progress: Progress | None,
) -> Draws:  # fmt: skip
    """Refit one replicate after the other, for any model of comparisons."""
    if not isinstance(comparisons, Comparisons):
        raise ModelError("a bootstrap needs Comparisons, not pair counts")
    rows = comparisons
    if unit == "worker":
        check_workers(rows)

    def refit(weights: Floats) -> Floats:
        return np.stack([scores(replace(rows, weight=column)) for column in weights.T], axis=1)

    return bootstrap(refit, rows, unit=unit, replicates=replicates, seed=seed, progress=progress)
