"""What is in the data: sizes, sides, and whether the comparison graph holds together."""

from dataclasses import asdict, dataclass

import numpy as np

from sidewise.comparisons.arrow import Codes, Mask
from sidewise.comparisons.counts import PairCounts


@dataclass(frozen=True, slots=True)
class Graph:
    """The parts into which comparisons join the items; an item nobody compared is a part of its own."""

    count: int
    label: Codes  # of each item, the largest part first


def components(counts: PairCounts) -> Graph:
    """The connected components of the comparison graph, numbered by falling size."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = len(counts.items)
    first, second = counts.first, counts.second
    if not counts.total.all():
        first, second = first[counts.total > 0], second[counts.total > 0]
    edges = csr_array((np.ones(len(first), np.int8), second, np.searchsorted(first, np.arange(n + 1))), shape=(n, n))
    count, label = connected_components(edges, directed=False)
    by_size = np.argsort(-np.bincount(label, minlength=count), kind="stable")
    rank = np.empty(count, np.int32)
    rank[by_size] = np.arange(count)
    return Graph(int(count), rank[label])


def never_lost(counts: PairCounts) -> Mask:
    """Items that were compared and never lost or tied."""
    return np.asarray((counts.item_weight() > 0) & (counts.losses() == 0))


def never_won(counts: PairCounts) -> Mask:
    """Items that were compared and never won or tied."""
    return np.asarray((counts.item_weight() > 0) & (counts.wins() == 0))


@dataclass(frozen=True, slots=True)
class Summary:
    """The data at a glance."""

    items: int
    workers: int
    comparisons: int
    pairs: int
    ties: int
    left_share: float | None  # of the decided comparisons; None where the sides are not known
    components: int
    largest_component: int
    unbeaten: tuple[str, ...]
    winless: tuple[str, ...]
    unseen: tuple[str, ...]

    def __str__(self) -> str:
        def some(names: tuple[str, ...]) -> str:
            return f"{len(names)}" + (f" ({', '.join(names[:5])}{', …' if len(names) > 5 else ''})" if names else "")

        lines = asdict(self)
        lines["left_share"] = "unknown" if self.left_share is None else f"{self.left_share:.3f}"
        for name in ("unbeaten", "winless", "unseen"):
            lines[name] = some(lines[name])
        return "\n".join(
            f"{name.replace('_', ' '):<18}{value:,}"
            if isinstance(value, int)
            else f"{name.replace('_', ' '):<18}{value}"
            for name, value in lines.items()
        )


def summarise(counts: PairCounts, *, workers: int, ties: int) -> Summary:
    """Describe counted comparisons."""
    graph = components(counts)
    decided = counts.left_wins + counts.right_wins

    def named(mask: Mask) -> tuple[str, ...]:
        return tuple(counts.items[code] for code in np.flatnonzero(mask).tolist())

    return Summary(
        items=len(counts.items),
        workers=workers,
        comparisons=counts.rows,
        pairs=int((counts.total > 0).sum()),
        ties=ties,
        left_share=counts.left_wins / decided if decided else None,
        components=graph.count,
        largest_component=int((graph.label == 0).sum()),
        unbeaten=named(never_lost(counts)),
        winless=named(never_won(counts)),
        unseen=named(counts.item_weight() == 0),
    )
