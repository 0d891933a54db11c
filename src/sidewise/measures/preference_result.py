"""The values of a measure, one for each query, and what they say together."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import pyarrow as pa

from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError
from sidewise.measures.estimate import RESAMPLES, Estimate, estimate_mean
from sidewise.measures.resampling import Difference

EXACT = 12  # with so few queries, all 2ⁿ exchanges are tried
BLOCK = 1 << 22  # signs drawn at once, to bound memory


@dataclass(frozen=True, eq=False)
class PerQuery:
    """The value of a measure for every judged query; NaN where a query has no preferences to measure by.

    >>> found = PerQuery("ppref@10", ("1", "2", "3"), np.array([0.5, 0.75, np.nan]))
    >>> found, found["2"], float(found)
    (PerQuery(ppref@10 = 0.6250, 2 queries), 0.75, 0.625)
    """

    measure: str
    queries: tuple[str, ...]
    values: Floats
    notes: tuple[str, ...] = ()

    @property
    def mean(self) -> float:
        """The mean over the queries that have a value; NaN where none has."""
        known = self.values[~np.isnan(self.values)]
        return float(known.mean()) if len(known) else float("nan")

    def estimate(self, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
        """The mean with its interval: queries are drawn again and again, as other queries might have been asked."""
        return estimate_mean(self.values, confidence=confidence, resamples=resamples, seed=seed)

    def against(
        self, other: "PerQuery", *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
    ) -> Difference:
        """By how much this run is better than another, and whether that could be chance.

        A randomisation test: were the two runs alike, each query's two values could as well be exchanged. The p-value
        is the share of exchanges whose mean difference is at least as large, either way (Smucker, Allan and Carterette
        2007); up to 12 queries all exchanges are tried, beyond that ``resamples`` of them. The interval of the
        difference is a bootstrap over the queries.
        """
        if self.measure != other.measure:
            raise MeasureError(f"{self.measure} of one run cannot be held against {other.measure} of another")
        mine, theirs = self.to_dict(), other.to_dict()
        both = np.array([[mine[query], theirs[query]] for query in mine if query in theirs]).reshape(-1, 2)
        both = both[~np.isnan(both).any(axis=1)]
        if not len(both):
            raise MeasureError(f"there is no query for which both runs have a value of {self.measure}")
        lead = both[:, 0] - both[:, 1]
        found = estimate_mean(lead, confidence=confidence, resamples=resamples, seed=seed)
        p_value = _p_value(lead, resamples, seed)
        first, second = both.mean(axis=0).tolist()
        return Difference(first, second, first - second, found.low, found.high, confidence, p_value)

    def to_frame(self) -> pa.Table:
        """The values as an Arrow table of query and value; null where there is none."""
        values = pa.array(self.values, mask=np.isnan(self.values))
        return pa.table({"query": pa.array(self.queries, pa.string()), "value": values})

    def to_dict(self) -> dict[str, float]:
        """Query → value."""
        return dict(zip(self.queries, self.values.tolist(), strict=True))

    def __getitem__(self, query: str) -> float:
        return self.to_dict()[query]

    def __len__(self) -> int:
        return len(self.queries)

    def __float__(self) -> float:
        return self.mean

    def __repr__(self) -> str:
        known = int((~np.isnan(self.values)).sum())
        return f"PerQuery({self.measure} = {self.mean:.4f}, {known:,} {'query' if known == 1 else 'queries'})"


def _p_value(lead: Floats, resamples: int, seed: int) -> float:
    """The share of exchanges after which the runs differ at least as much as they do."""
    found = abs(lead.sum()) * (1 - 1e-12)
    if len(lead) <= EXACT:
        signs = np.array(list(product((1, -1), repeat=len(lead))))
        return float((abs(signs @ lead) >= found).mean())
    reached = sum(int((abs(signs @ lead) >= found).sum()) for signs in _signs(len(lead), resamples, seed))
    return (1 + reached) / (1 + resamples)


def _signs(queries: int, resamples: int, seed: int) -> Iterator[Floats]:
    rng = np.random.default_rng(seed)
    block = max(1, BLOCK // queries)
    for start in range(0, resamples, block):
        yield rng.choice((-1.0, 1.0), size=(min(block, resamples - start), queries))
