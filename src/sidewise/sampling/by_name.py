"""Strategies by name, for :func:`~sidewise.next_pairs`, the command line and studies of all of them."""

from sidewise.errors import SidewiseError
from sidewise.sampling.asap import asap, asap_approx
from sidewise.sampling.crowd_bt import crowd_bt
from sidewise.sampling.hodge import hodge
from sidewise.sampling.hybrid_mst import hybrid_mst
from sidewise.sampling.knowledge_gradient import knowledge_gradient
from sidewise.sampling.optimal import optimal
from sidewise.sampling.passive import full, nearest, random
from sidewise.sampling.quicksort import quicksort
from sidewise.sampling.rectangular import rectangular
from sidewise.sampling.state import Strategy
from sidewise.sampling.swiss import swiss
from sidewise.sampling.trueskill import trueskill

STRATEGIES: dict[str, Strategy] = {
    "optimal": optimal,
    "asap": asap,
    "asap-approx": asap_approx,
    "hybrid-mst": hybrid_mst,
    "crowd-bt": crowd_bt,
    "hodge": hodge,
    "trueskill": trueskill,
    "knowledge-gradient": knowledge_gradient,
    "quicksort": quicksort,
    "swiss": swiss,
    "rectangular": rectangular,
    "full": full,
    "nearest": nearest,
    "random": random,
}


def find_strategy(name: str) -> Strategy:
    """The strategy of a name, written with hyphens or underscores."""
    try:
        return STRATEGIES[name.replace("_", "-").lower()]
    except (KeyError, AttributeError):
        raise SidewiseError(f"no strategy {name!r}; there are: {', '.join(STRATEGIES)}") from None
