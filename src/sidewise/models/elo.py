"""Elo: ratings that are updated comparison by comparison, and so depend on the order of the comparisons."""

import math
import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from sidewise.comparisons import Comparisons, components
from sidewise.comparisons.arrow import Floats
from sidewise.errors import ModelError, OrderDependent
from sidewise.numbers import check_level, check_seed, is_count, is_number
from sidewise.ranking import Fit, Ranking
from sidewise.ranking.uncertainty import MODEL


def elo(
    comparisons: Comparisons,
    *,
    k: float = 4.0,
    initial: float = 1000.0,
    scale: float = 400.0,
    orders: int = 0,
    seed: int = 0,
    level: float = 0.95,
) -> Ranking:
    """Rank by Elo ratings: after every comparison the winner takes k·(1 − expected) points from the loser.

    Made for players whose strength changes. Items do not change, so the order of the rows should not matter, and here
    it does: prefer :func:`~sidewise.bradley_terry`, or average over random ``orders``.

    Parameters
    ----------
    comparisons
        Judgments; their order is the order of the updates.
    k
        The most that one comparison can move a rating.
    initial, scale
        The first rating, and the points that make odds of ten to one.
    orders
        Average over so many random orders; 0 takes the rows as they come, and warns.
    seed
        Of the random orders.
    level
        Kept for a bootstrap of the result.

    Examples
    --------
    >>> import sidewise as sw
    >>> answers = sw.Comparisons.from_arrays(left=["a", "b"], right=["b", "c"], winner=["a", "b"])
    >>> sw.elo(answers, orders=10).order
    ('a', 'b', 'c')
    """
    if not isinstance(comparisons, Comparisons):
        raise ModelError("Elo needs the comparisons in their order, which pair counts have forgotten")
    if not (all(is_number(some) and some > 0 for some in (k, scale)) and is_number(initial) and is_count(orders, 0)):
        raise ModelError(
            "k and scale are positive numbers, initial is a number and orders is a count; "
            f"got {k!r}, {scale!r}, {initial!r} and {orders!r}"
        )
    check_seed(seed)
    check_level(level)
    if orders:
        rows = np.random.default_rng(seed).permuted(np.tile(np.arange(len(comparisons)), (orders, 1)), axis=1)
        rating = update_together(comparisons, rows, k, initial, scale).mean(axis=1)
    else:
        warnings.warn("Elo depends on the order of the rows; orders=100 averages it out", OrderDependent, stacklevel=2)
        rating = update(comparisons, k, initial, scale)
    counts = comparisons.counts()
    return Ranking(
        items=comparisons.items,
        raw=rating,
        fit=Fit(
            "elo", {"k": k, "initial": initial, "scale": scale, "orders": orders}, steps=len(comparisons),
            seed=seed if orders else None, digest=comparisons.digest, comparisons=len(comparisons),
        ),
        comparisons=counts.item_weight(),
        component=components(counts).label,
        link=EloChances(scale),
        unit="points",
        zero=MODEL,
        level=level,
    )  # fmt: skip


@dataclass(frozen=True)
class EloChances:
    """P(win) = 1 / (1 + 10^(−d / scale)); there are no ties."""

    scale: float

    def win(self, difference: Floats) -> Floats:
        """The chance that the first of two items wins."""
        return np.asarray(expit(np.asarray(difference) * np.log(10) / self.scale))

    def tie(self, difference: Floats) -> Floats:
        """None."""
        return np.zeros_like(difference)


def update(comparisons: Comparisons, k: float, initial: float, scale: float) -> Floats:
    """One pass over the rows, in their order."""
    rating = [initial] * len(comparisons.items)
    steps = (k * comparisons.weights()).tolist()
    left, right, outcome = (column.tolist() for column in (comparisons.left, comparisons.right, comparisons.outcome))
    half = math.log(10) / scale / 2  # 1 / (1 + 10^(−d / scale)) = (1 + tanh(half · d)) / 2, which cannot overflow
    for a, b, won, step in zip(left, right, outcome, steps, strict=True):
        gain = step * (won - (1 + math.tanh(half * (rating[a] - rating[b]))) / 2)
        rating[a] += gain
        rating[b] -= gain
    return np.array(rating)


def update_together(comparisons: Comparisons, orders: np.ndarray, k: float, initial: float, scale: float) -> Floats:
    """Several passes at once, each over its own order of the rows; one column of ratings per order."""
    count = len(orders)
    rating = np.full((len(comparisons.items), count), float(initial))
    lane = np.arange(count)
    step = k * comparisons.weights()
    for rows in orders.T:
        a, b = comparisons.left[rows], comparisons.right[rows]
        lead = rating[a, lane] - rating[b, lane]
        gain = step[rows] * (comparisons.outcome[rows] - expit(lead * np.log(10) / scale))
        rating[a, lane] += gain
        rating[b, lane] -= gain
    return rating
