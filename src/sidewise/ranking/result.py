"""``Ranking``: the one result of every model."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from sidewise.comparisons.arrow import Codes, Floats
from sidewise.comparisons.index import Index
from sidewise.errors import ModelError
from sidewise.numbers import check_level
from sidewise.ranking import display
from sidewise.ranking.order import Ranks, rank_bounds, ranks, tier_numbers
from sidewise.ranking.uncertainty import MEAN, MODEL, Uncertainty, Zero, shift

ELO_FACTOR = 400 / np.log(10)  # 400 points are odds of ten to one
ELO_CENTRE = 1500.0


class Link(Protocol):
    """How a difference of scores turns into the chances of an outcome."""

    def win(self, difference: Floats) -> Floats:
        """The chance that the first of two items is preferred."""
        ...

    def tie(self, difference: Floats) -> Floats:
        """The chance of a tie."""
        ...


@dataclass(frozen=True)
class Fit:
    """How a ranking was made."""

    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    converged: bool = True
    steps: int = 0
    gap: float = 0.0  # how far the last step moved, in the model's own units
    log_likelihood: float | None = None
    seed: int | None = None
    digest: str = ""
    comparisons: int = 0
    notes: tuple[str, ...] = ()
    findings: Mapping[str, Any] = field(default_factory=dict)  # numbers and tables that the model's docstring names


@dataclass(frozen=True, eq=False)  # arrays have no one truth value: a ranking is equal to itself alone
class Ranking:
    """Items in order, with scores, what is sure about them, and how they were fitted.

    ``raw`` holds the scores in the model's own units and about its own zero, in the order of ``items``; ``score``
    shows them on the scale chosen with :meth:`rescale`, which moves intervals with it and refits nothing.
    """

    items: Index
    raw: Floats
    fit: Fit
    comparisons: Floats  # the weight of comparisons that each item took part in
    uncertainty: Uncertainty | None = None
    component: Codes | None = None  # the part of the comparison graph that each item is in
    comparable: bool = True  # whether scores of different parts can be compared (a prior makes them so)
    link: Link | None = None
    unit: str = "log-odds"
    effects: pa.Table | None = None  # covariates: name, estimate, low, high
    workers: pa.Table | None = None
    alike: bool = False  # whether all workers were weighed alike, and ``workers`` was read off afterwards
    zero: Zero = MEAN
    factor: float = 1.0
    offset: float = 0.0
    level: float = 0.95

    @cached_property
    def score(self) -> Floats:
        """The score of every item, in the order of ``items``, on the chosen scale."""
        return self.offset + self.factor * shift(self.raw, self._zero)

    @cached_property
    def rank(self) -> Ranks:
        """The rank of every item, in the order of ``items``: 1 is best, equal scores share a rank."""
        return ranks(self.raw)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The items from best to worst; items without a score last."""
        return tuple(self.items[code] for code in self._positions.tolist())

    @cached_property
    def _positions(self) -> Codes:
        return np.lexsort((np.arange(len(self.raw)), -self.raw)).astype(np.int32)

    @property
    def _zero(self) -> Zero:
        """Scores of separate parts have no common mean: each keeps the zero of its own part."""
        return MODEL if self.zero == MEAN and not self.comparable else self.zero

    @property
    def _separate(self) -> Codes | None:
        return None if self.comparable else self.component

    def interval(self, level: float | None = None) -> tuple[Floats, Floats]:
        """Low and high limits of the score of every item, on the chosen scale."""
        low, high = self._known().bounds(self.raw, self._zero, _checked(level, self.level))
        return self.offset + self.factor * low, self.offset + self.factor * high

    def rank_interval(self, level: float | None = None) -> tuple[Ranks, Ranks]:
        """The best and the worst rank that the data allow each item."""
        return rank_bounds(self.raw, self._known(), _checked(level, self.level), self._separate)

    def tiers(self, level: float | None = None) -> list[list[str]]:
        """Groups of items, best first: each is led by its best item and holds those not surely below it."""
        number = self._tier_numbers(_checked(level, self.level))
        found: list[list[str]] = [[] for _ in range(number.max(initial=0))]
        for code in self._positions.tolist():
            if number[code]:
                found[number[code] - 1].append(self.items[code])
        return found

    def _tier_numbers(self, level: float) -> Ranks:
        return tier_numbers(self.raw, self._known(), level, self._separate)

    def probability(self, a: str, b: str) -> float:
        """The chance that ``a`` is preferred to ``b`` in one comparison, a tie counting half."""
        return float(self._link().win(self._difference(a, b)) + self._link().tie(self._difference(a, b)) / 2)

    def tie_probability(self, a: str, b: str) -> float:
        """The chance that a comparison of ``a`` and ``b`` ends in a tie."""
        return float(self._link().tie(self._difference(a, b)))

    def confidence(self, a: str, b: str) -> float:
        """How sure it is that the score of ``a`` is above that of ``b``: 0.5 knows nothing."""
        from scipy.special import ndtr

        variance = self._known().variance(self.items.code(b))[self.items.code(a)]
        return float(ndtr(self._difference(a, b) / np.sqrt(variance))) if variance > 0 else 0.5

    def rescale(self, *, zero: str | None = None, anchor: str | None = None, scale: str = "model") -> "Ranking":
        """The same ranking on another scale.

        Parameters
        ----------
        zero
            "mean" puts the mean of all items at the zero, "model" the zero that the model's prior has.
        anchor
            An item to put at the zero instead.
        scale
            "model" keeps the model's units; "elo" is 400 points for odds of ten to one, with the zero at 1500.
        """
        if zero is not None and anchor is not None:
            raise ModelError("say either zero or anchor, not both")
        if zero not in (None, MEAN, MODEL):
            raise ModelError(f"zero={zero!r} is neither 'mean' nor 'model'; for an item say anchor={zero!r}")
        if scale not in ("model", "elo"):
            raise ModelError(f"scale={scale!r} is neither 'model' nor 'elo'")
        if scale == "elo" and self.unit != "log-odds":
            raise ModelError(f"{self.fit.model} scores are {self.unit}, not log-odds: there is no Elo scale for them")
        if self.unit not in _SHIFTABLE and (anchor is not None or zero == MEAN):
            raise ModelError(
                f"{self.fit.model} scores ({self.unit}) are measured from 0 and have no other zero: leave out the "
                "anchor or the mean, or use bradley_terry",
            )
        chosen: Zero = self.items.code(anchor) if anchor is not None else (zero or self.zero)
        factor, offset = (ELO_FACTOR, ELO_CENTRE) if scale == "elo" else (1.0, 0.0)
        return replace(self, zero=chosen, factor=factor, offset=offset)

    @property
    def scale(self) -> str:
        """Where the zero of the scale is and what its unit is, in words."""
        unit = "Elo points (400 are odds of ten to one)" if self.factor != 1 else self.unit
        if self.unit not in _SHIFTABLE or (self.unit != "log-odds" and self.zero == MODEL):
            return unit
        return f"{unit}; {self._place}"

    @property
    def _place(self) -> str:
        """Where the zero of the scale is, in words."""
        at = f"{self.offset:g}"
        if isinstance(self.zero, int):
            alone = "" if self.comparable else " (scores of other parts cannot be compared with it)"
            return f"{at} is the item {self.items[self.zero]!r}{alone}"
        if not self.comparable:
            return f"each part has its own zero: {at} is the mean of its items"
        return f"{at} is {_PLACES[self.zero]}"

    def to_frame(self, level: float | None = None) -> pa.Table:
        """The ranking as an Arrow table, best first; ``.to_pandas()`` makes a pandas frame of it."""
        level = _checked(level, self.level)
        return self._frame if level == self.level else self._frame_at(level)

    @cached_property
    def _frame(self) -> pa.Table:
        return self._frame_at(self.level)

    def _frame_at(self, level: float) -> pa.Table:
        order = self._positions
        columns: dict[str, Any] = {"item": pa.array(self.order, pa.string()), "score": self.score[order]}
        if self.uncertainty is not None:
            low, high = self.interval(level)
            rank_low, rank_high = self.rank_interval(level)
            columns |= {"low": low[order], "high": high[order], "rank": _nullable(self.rank[order]),
                        "rank_low": _nullable(rank_low[order]), "rank_high": _nullable(rank_high[order]),
                        "tier": _nullable(self._tier_numbers(level)[order])}  # fmt: skip
        else:
            columns["rank"] = _nullable(self.rank[order])
        columns["comparisons"] = self.comparisons[order]
        if self.component is not None and self.component.any():
            columns["component"] = self.component[order] + 1
        return pa.table(columns)

    def to_dict(self) -> dict[str, float]:
        """Item → score, best first."""
        return dict(zip(self.order, self.score[self._positions].tolist(), strict=True))

    def plot(self, *, limit: int = 60, level: float | None = None) -> Any:
        """A forest plot of scores and intervals, as an Altair chart (extra ``plot``)."""
        from sidewise.ranking.plot import forest

        return forest(self, limit=limit, level=_checked(level, self.level))

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        state = f"converged in {self.fit.steps}" if self.fit.converged else f"NOT converged in {self.fit.steps}"
        best = f", first {self.order[0]!r}" if self.order else ""
        size = f"{display.counted(len(self), 'item')}, {display.counted(self.fit.comparisons, 'comparison')}"
        return f"Ranking({size}, {self.fit.model}, {state}{best})"

    def __str__(self) -> str:
        return display.text(self)

    def _repr_html_(self) -> str:
        return display.html(self)

    def _known(self) -> Uncertainty:
        if self.uncertainty is None:
            asked = self.fit.settings.get("intervals")  # only models that can bootstrap have this setting
            cure = f" with intervals={asked!r}; ask for intervals='bootstrap'" if asked else "; use bradley_terry"
            raise ModelError(f"{self.fit.model} gives no intervals{cure}")
        return self.uncertainty

    def _link(self) -> Link:
        if self.link is None:
            raise ModelError(f"{self.fit.model} does not say how likely a win is; bradley_terry and thurstone do")
        return self.link

    def _difference(self, a: str, b: str) -> Any:
        first, second = self.items.code(a), self.items.code(b)
        if not self.comparable and self.component is not None and self.component[first] != self.component[second]:
            raise ModelError(f"{a!r} and {b!r} are in different parts of the comparison graph: fit with a prior")
        return self.raw[first] - self.raw[second]


_PLACES = {MEAN: "the mean of the items", MODEL: "the zero of the model"}
# Units of scores that are known up to a shift; a share has no other zero than 0.
_SHIFTABLE = ("log-odds", "points", "probits", "radians", "mean outcome", "sums of abilities")


def _checked(level: float | None, default: float) -> float:
    level = default if level is None else level
    check_level(level)
    return level


def _nullable(values: Ranks) -> pa.Array:
    return pa.array(values, mask=values == 0)
