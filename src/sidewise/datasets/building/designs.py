"""Which pairs: designs by name."""

import numpy as np

from sidewise.datasets.building.graphs import Graph, all_pairs, components, ends, random_graph
from sidewise.datasets.building.regular import regular_graph
from sidewise.errors import DataError, SidewiseError
from sidewise.numbers import check_count

RANDOM = {"erdos-renyi": random_graph, "regular": regular_graph}
LARGEST = 2_000  # items that a strategy of sampling is asked about: it holds tables of all pairs
MOST = (1 << 30) - 1  # pairs, whose ends are numbered with 32 bits


def check_design(design: str) -> str:
    """The name of a design as it is listed, or an error."""
    name = str(design).replace("_", "-").lower()
    if name in RANDOM:
        return name
    from sidewise.sampling import STRATEGIES

    if name in STRATEGIES:
        return name
    raise SidewiseError(f"no design {design!r}; there are: {', '.join([*RANDOM, *STRATEGIES])}")


def draw_pairs(n: int, count: int, design: str, rng: np.random.Generator) -> Graph:
    """So many different pairs that join all items, in random order."""
    _check(n, count)
    drawn = RANDOM[design](n, count, rng) if design in RANDOM else _by_strategy(n, count, design, rng)
    order = rng.permutation(count)
    return drawn._replace(first=drawn.first[order], second=drawn.second[order])


def _by_strategy(n: int, count: int, design: str, rng: np.random.Generator) -> Graph:
    """The pairs that a strategy asks before the first answer, none of them twice."""
    from sidewise.sampling import next_pairs

    if n > LARGEST:
        raise SidewiseError(
            f"the design {design} is for {LARGEST:,} items at most, and there are {n:,}: choose {' or '.join(RANDOM)}"
        )
    names, seed = [str(item) for item in range(n)], int(rng.integers(1 << 31))
    asked: list[tuple[str, str]] = []
    while len(asked) < count:
        more = next_pairs(names, method=design, batch=count - len(asked), seed=seed, in_flight=asked, most_per_pair=1)
        if not more:
            raise DataError(
                f"{design} asks {len(asked):,} different pairs and no more: ask for so many, or choose another design"
            )
        asked += more
    first, second = np.array(asked, np.int64).T
    graph = Graph(*ends(first, second))
    parts, _ = components(n, graph.first, graph.second)
    if parts > 1:
        raise DataError(
            f"the {count:,} pairs of {design} leave the items in {parts:,} parts, and nothing orders one part against "
            f"another: ask for more pairs, or choose {' or '.join(RANDOM)}"
        )
    return graph


def _check(n: int, count: int) -> None:
    check_count("pairs", count)
    if n < 2:
        raise DataError("only one item was chosen, and a pair takes two")
    if count < n - 1:
        raise DataError(
            f"{count:,} pairs cannot join {n:,} items: it takes n − 1 = {n - 1:,} at the least; ask for more pairs, or "
            "choose fewer items"
        )
    if count > all_pairs(n):
        raise DataError(f"{n:,} items have {all_pairs(n):,} different pairs, and {count:,} were asked for")
    if count > MOST:
        raise DataError(f"{count:,} pairs are too many for one data set; {MOST:,} are the most")
