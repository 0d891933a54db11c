"""Win rate: the plainest ranking, and a fair one only where everybody met the same opponents."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sidewise.comparisons import Comparisons, PairCounts, components
from sidewise.comparisons.arrow import Floats
from sidewise.errors import ModelError
from sidewise.models.taking import as_counts
from sidewise.numbers import check_level
from sidewise.ranking import Fit, Ranking
from sidewise.ranking.uncertainty import MODEL, Zero, normal_quantile

Average = Literal["comparisons", "opponents"]


def win_rate(
    comparisons: Comparisons | PairCounts, *, average: Average = "comparisons", level: float = 0.95
) -> Ranking:
    """Rank by the share of comparisons won, a tie counting half.

    An item that met weak opponents looks strong: prefer :func:`~sidewise.bradley_terry` unless every item met the
    same ones. Intervals are Wilson's, one item at a time; items are surely apart where their intervals are.

    Parameters
    ----------
    comparisons
        Judgments, or pair counts made from them.
    average
        "comparisons" counts every comparison alike; "opponents" averages the rates against each opponent.
    level
        Of the intervals shown.

    Examples
    --------
    >>> import sidewise as sw
    >>> sw.win_rate(sw.Comparisons.from_matrix([[0, 3], [1, 0]], ["a", "b"])).to_dict()
    {'a': 0.75, 'b': 0.25}
    """
    check_level(level)
    counts = as_counts(comparisons)
    total, wins = counts.item_weight(), counts.wins()
    if average == "comparisons":
        rate = np.divide(wins, total, out=np.full_like(wins, np.nan), where=total > 0)
    elif average == "opponents":
        rate = _mean_over_opponents(counts)
    else:
        raise ModelError(f"average={average!r} is neither 'comparisons' nor 'opponents'")
    return Ranking(
        items=counts.items,
        raw=rate,
        fit=Fit("win_rate", {"average": average, "level": level}, digest=comparisons.digest, comparisons=counts.rows),
        comparisons=total,
        uncertainty=Wilson(rate, total),
        component=components(counts).label,
        unit="share of comparisons won",
        zero=MODEL,
        level=level,
    )


def _mean_over_opponents(counts: PairCounts) -> Floats:
    n, met = len(counts.items), counts.total > 0
    rate = np.divide(counts.first_wins + counts.ties / 2, counts.total, out=np.zeros_like(counts.total), where=met)
    first, second = counts.first[met], counts.second[met]
    summed = np.bincount(first, rate[met], n) + np.bincount(second, 1 - rate[met], n)
    opponents = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    return np.asarray(np.divide(summed, opponents, out=np.full(n, np.nan), where=opponents > 0))


@dataclass(frozen=True)
class Wilson:
    """Intervals of proportions (Wilson 1927), which stay inside 0 and 1 and are not empty at their ends."""

    rate: Floats
    total: Floats
    kind: str = "Wilson score interval"
    compares: bool = False  # two rates may come from the same comparisons

    def covariance(self) -> None:
        """Items are taken one at a time."""
        return

    def variance(self, zero: Zero) -> Floats:
        """That of a proportion with four comparisons more, two of them won (Agresti and Coull 1998)."""
        if zero != MODEL:
            raise ModelError("win rates are looked at one by one: for differences use bradley_terry")
        padded = (self.rate * self.total + 2) / (self.total + 4)
        return padded * (1 - padded) / (self.total + 4)

    def bounds(self, score: Floats, zero: Zero, level: float) -> tuple[Floats, Floats]:
        """Wilson's limits."""
        if zero != MODEL:
            raise ModelError("a win rate is measured from 0: it has no other zero")
        return wilson(score, self.total, level)


def wilson(rate: Floats, total: Floats, level: float) -> tuple[Floats, Floats]:
    """Wilson's limits of a share of so many."""
    z, n = normal_quantile(level), np.maximum(total, 1e-12)
    centre = (rate + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z / (1 + z**2 / n) * np.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2))
    return np.minimum(centre - reach, rate), np.maximum(centre + reach, rate)
