"""The models that studies set side by side, each with the settings it is known by."""

import warnings
from collections.abc import Callable, Mapping
from functools import partial

from sidewise.comparisons import Comparisons
from sidewise.errors import Disconnected, NotConverged, OrderDependent, PriorConflict
from sidewise.models import (
    VirtualItem,
    bradley_terry,
    crowd_bt,
    elo,
    factor_bt,
    hodge_rank,
    linear_bias,
    page_rank,
    pairwise_hits,
    thurstone,
    win_rate,
    worker_bt,
)
from sidewise.ranking import Ranking

OURS = "worker-bt"
SIDE_ALONE = "worker-bt, side alone"  # for data with factors that had better not be fitted

CONTENDERS: Mapping[str, Callable[[Comparisons], Ranking]] = {
    OURS: partial(worker_bt, intervals="none"),
    "crowd-bt": partial(crowd_bt, intervals="none"),
    "factor-bt": partial(factor_bt, intervals="none"),
    "bradley-terry": partial(bradley_terry, prior=VirtualItem(1.0), intervals="none"),  # λ = 1, as in the papers
    "bradley-terry, normal prior": partial(bradley_terry, intervals="none"),
    "pairwise-hits": pairwise_hits,
    "pairwise-hits, mean flow": partial(pairwise_hits, flow="mean"),
    "linear-bias": partial(linear_bias, intervals="none"),
    "thurstone": partial(thurstone, intervals="none"),
    "hodge-rank": partial(hodge_rank, intervals="none"),
    "page-rank": page_rank,
    "win-rate": win_rate,
    "elo": partial(elo, orders=3),
    SIDE_ALONE: partial(worker_bt, factors=("side",), intervals="none"),
}
WITHOUT_FACTORS = tuple(name for name in CONTENDERS if name != SIDE_ALONE)
SHORT = tuple(
    name for name in WITHOUT_FACTORS if name != "elo"
)  # Elo has to go through all rows, three times, and takes its time
OF_THE_PAPER = (OURS, "crowd-bt", "factor-bt", "bradley-terry", "pairwise-hits", "linear-bias")


def rank_quietly(name: str, comparisons: Comparisons) -> Ranking:
    """Rank by a contender; what studies bring about on purpose is no news.

    Topics are never compared with one another, light fields mostly with their neighbours, Elo goes by the order of the
    rows, and whether a fit has converged is counted by the study itself.
    """
    with warnings.catch_warnings():
        for expected in (Disconnected, NotConverged, OrderDependent, PriorConflict):
            warnings.simplefilter("ignore", expected)
        return CONTENDERS[name](comparisons)
