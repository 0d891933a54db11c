"""Two systems compared query by query: a stand-in for the proprietary data of the factorBT paper."""

from typing import Literal, get_args

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import SidewiseError
from sidewise.numbers import check_seed, is_count, is_number
from sidewise.simulate.crowd import Simulation, check_crowded, numbered, simulated
from sidewise.simulate.design import Sizes, settled, spread_over
from sidewise.simulate.factors import Factors
from sidewise.simulate.kinds import SIDE, FactorBT, Honest, Kind, Sensitive

BRAND = "brand"
Branded = Literal["worse", "better"]
Biased = Literal["factor-bt", "sensitive"]


def two_systems(
    queries: int = 133,
    *,
    workers: int = 194,
    overlap: int = 20,
    margin: float = 1.0,
    spread: float = 0.5,
    branded: Branded = "worse",
    biased: float = 0.4,
    side_bias: float = 1.0,
    brand_bias: float = 2.0,
    kind: Biased = "factor-bt",
    seed: int = 0,
) -> Simulation:
    """Simulate the comparison of two search engines whose pages workers see side by side, one query at a time.

    The design is that of the factorBT paper's data of search results (Bugakova et al. 2019, section 6, table 2): every
    query is a pair of its own, "better-001" against "worse-001", so no comparison joins two queries. The page of the
    better system has score N(margin, spread²), that of the worse one N(0, spread²). One system has a look that workers
    recognise: the factor "brand". A share of the workers is biased by the side and by the brand, the others are honest.
    The paper does not say how strong the biases of its workers were: those here are made up.

    Parameters
    ----------
    queries, workers, overlap
        How many, and how many different workers compare the pages of each query: 133, 194 and 20 make the 2,660
        comparisons of the first data set, ``queries=125`` the 2,500 of the second.
    margin, spread
        By how much the one system is better on average, and the standard deviation of its pages about that.
    branded
        Which system has the brand: the "worse", as in the first data set, or the "better", as in the second.
    biased
        The share of workers with biases.
    side_bias, brand_bias
        The mean of the biased workers' biases; each worker's are drawn with standard deviation 1.
    kind
        How biases work: "factor-bt", by now and then deciding alone (γ drawn from N(0, 1)), or "sensitive", by adding
        to the lead.
    seed
        The same seed gives the same answers.

    Examples
    --------
    >>> two_systems(seed=1).comparisons
    Comparisons(266 items, 2,660 comparisons, 194 workers)
    """
    if str(branded) not in get_args(Branded) or str(kind) not in get_args(Biased):
        raise SidewiseError("branded is 'worse' or 'better', and kind is 'factor-bt' or 'sensitive'")
    shares = is_number(biased) and 0 <= biased <= 1 and is_number(spread) and spread >= 0
    if not (is_count(queries) and is_count(workers) and is_count(overlap) and shares):
        raise SidewiseError("two systems need a query, a worker, an overlap of one worker or more, a share of biased "
                            "ones from 0 to 1, and spread ≥ 0")  # fmt: skip
    for name, value in (("margin", margin), ("side_bias", side_bias), ("brand_bias", brand_bias)):
        if not is_number(value):
            raise SidewiseError(f"{name} is {value!r}; it is a finite number")
    check_crowded("workers", workers)
    settled(2 * queries, workers, Sizes(pairs=queries, overlap=overlap))
    check_seed(seed)
    rng = np.random.default_rng(seed)
    better, worse = (numbered(f"{name}-", queries, first=1, width=3) for name in ("better", "worse"))
    score = rng.normal(np.repeat([float(margin), 0.0], queries), spread)
    crowd = [*_biased(kind, round(biased * workers), side_bias, brand_bias, rng)]
    crowd += [Honest()] * (workers - len(crowd))
    asked = spread_over(np.arange(queries), np.arange(queries, 2 * queries), workers, overlap, rng)
    has_brand = np.repeat([float(branded == "better"), float(branded == "worse")], queries)
    return simulated([*better, *worse], score, crowd, asked, Factors({BRAND: has_brand}), ties=0.0, rng=rng)


def _biased(kind: Biased, count: int, side: float, brand: float, rng: np.random.Generator) -> list[Kind]:
    gamma: Floats = rng.normal(0, 1, count)
    drawn = zip(rng.normal(side, 1, count).tolist(), rng.normal(brand, 1, count).tolist(), strict=True)
    biases = [{SIDE: on_side, BRAND: on_brand} for on_side, on_brand in drawn]
    if kind == "sensitive":
        return [Sensitive(1.0, some) for some in biases]
    return [FactorBT(some, both) for some, both in zip(gamma.tolist(), biases, strict=True)]
