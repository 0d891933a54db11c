"""A random order: what a ranking is worth that knows nothing."""

import numpy as np

from sidewise.comparisons import Comparisons, PairCounts
from sidewise.models.taking import as_counts
from sidewise.numbers import check_seed
from sidewise.ranking import Fit, Ranking
from sidewise.ranking.uncertainty import MODEL


def random_order(comparisons: Comparisons | PairCounts, *, seed: int = 0) -> Ranking:
    """Rank at random: the baseline that every model must beat.

    >>> import sidewise as sw
    >>> answers = sw.Comparisons.from_arrays(winner=["a", "b"], loser=["b", "c"])
    >>> sorted(sw.random_order(answers, seed=1).order)
    ['a', 'b', 'c']
    """
    check_seed(seed)
    counts = as_counts(comparisons)
    return Ranking(
        items=counts.items,
        raw=np.random.default_rng(seed).random(len(counts.items)),
        fit=Fit("random_order", seed=seed, digest=comparisons.digest, comparisons=counts.rows),
        comparisons=counts.item_weight(),
        unit="random numbers",
        zero=MODEL,
    )
