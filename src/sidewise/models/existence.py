"""Whether maximum likelihood scores exist: they do where every item can be reached from every other by wins."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sidewise.comparisons import Graph, PairCounts
from sidewise.comparisons.arrow import Codes
from sidewise.errors import ModelError

NAMED = 8


def require_maximum(counts: PairCounts, graph: Graph) -> None:
    """Refuse data without a maximum likelihood, and name the items to blame (Ford 1957; Zermelo 1929)."""
    n = len(counts.items)
    arcs = [
        (loser[some], winner[some])
        for loser, winner, some in (
            (counts.second, counts.first, counts.first_wins + counts.ties > 0),
            (counts.first, counts.second, counts.second_wins + counts.ties > 0),
        )
    ]
    loser, winner = (np.concatenate(ends) for ends in zip(*arcs, strict=True))
    wins = csr_array((np.ones(len(loser), np.int8), (loser, winner)), shape=(n, n))
    groups, label = connected_components(wins, directed=True, connection="strong")
    if groups == graph.count:
        return
    crossing = label[loser] != label[winner]
    beaten = np.zeros(groups, bool)
    beating = np.zeros(groups, bool)
    beaten[label[loser[crossing]]] = True
    beating[label[winner[crossing]]] = True
    tops, bottoms = beating & ~beaten, beaten & ~beating
    raise ModelError(
        "there is no maximum likelihood: scores would run to infinity. "
        f"Never lost to any item outside their group: {_named(counts, label, tops)}. "
        f"Never won against any outside: {_named(counts, label, bottoms)}. "
        "Use a prior (the default does), or collect comparisons that the strong lose or the weak win",
    )


def _named(counts: PairCounts, label: Codes, groups: np.ndarray) -> str:
    items = [counts.items[code] for code in np.flatnonzero(groups[label]).tolist()]
    rest = f" and {len(items) - NAMED} more" if len(items) > NAMED else ""
    return ", ".join(repr(item) for item in items[:NAMED]) + rest
