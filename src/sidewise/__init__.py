"""Sidewise turns human judgments into rankings and ground truth that people can trust.

>>> import sidewise as sw
>>> answers = sw.Comparisons.from_arrays(left=["a", "b", "a"], right=["b", "c", "c"], winner=["a", "b", "a"])
>>> sw.bradley_terry(answers).order
('a', 'b', 'c')
"""

from typing import TYPE_CHECKING, Any

from sidewise import errors
from sidewise.comparisons import Comparisons, Index, PairCounts, Rejects, Summary, read, read_counts
from sidewise.errors import SidewiseError, SidewiseWarning
from sidewise.ranking import Fit, Ranking

if TYPE_CHECKING:
    from sidewise import boxes, collect, datasets, learn, measures, models, preferences, sampling, simulate
    from sidewise.models import (
        Normal,
        VirtualItem,
        bradley_terry,
        crowd_bt,
        elo,
        factor_bt,
        hodge_rank,
        linear_bias,
        page_rank,
        pairwise_hits,
        random_order,
        rank,
        thurstone,
        win_rate,
        worker_bt,
    )
    from sidewise.sampling import enough, next_pairs

__version__ = "0.1.0"

__all__ = [
    "Comparisons",
    "Fit",
    "Index",
    "Normal",
    "PairCounts",
    "Ranking",
    "Rejects",
    "SidewiseError",
    "SidewiseWarning",
    "Summary",
    "VirtualItem",
    "boxes",
    "bradley_terry",
    "collect",
    "crowd_bt",
    "datasets",
    "elo",
    "enough",
    "errors",
    "factor_bt",
    "hodge_rank",
    "learn",
    "linear_bias",
    "measures",
    "models",
    "next_pairs",
    "page_rank",
    "pairwise_hits",
    "preferences",
    "random_order",
    "rank",
    "read",
    "read_counts",
    "sampling",
    "simulate",
    "thurstone",
    "win_rate",
    "worker_bt",
]

PACKAGES = ("boxes", "collect", "datasets", "learn", "measures", "models", "preferences", "sampling", "simulate")
SAMPLING = ("enough", "next_pairs")


def __getattr__(name: str) -> Any:
    """Models bring scipy, which takes a quarter of a second: it is loaded when the first model is asked for."""
    from importlib import import_module

    if name in PACKAGES:
        return import_module(f"sidewise.{name}")
    if name in SAMPLING:
        return getattr(import_module("sidewise.sampling"), name)
    if name in __all__:
        return getattr(import_module("sidewise.models"), name)
    raise AttributeError(f"module 'sidewise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
