"""Models by name, for the command line and for loops over models."""

from collections.abc import Callable
from typing import Any

from sidewise.comparisons import Comparisons, PairCounts
from sidewise.errors import ModelError
from sidewise.models.bradley_terry import bradley_terry
from sidewise.models.elo import elo
from sidewise.models.page_rank import page_rank
from sidewise.models.random_order import random_order
from sidewise.models.win_rate import win_rate
from sidewise.ranking import Ranking

MODELS: dict[str, Callable[..., Ranking]] = {
    "bradley-terry": bradley_terry,
    "elo": elo,
    "page-rank": page_rank,
    "random-order": random_order,
    "win-rate": win_rate,
}


def find_model(name: str) -> Callable[..., Ranking]:
    """The model of a name, written with hyphens or underscores."""
    try:
        return MODELS[name.replace("_", "-").lower()]
    except KeyError:
        raise ModelError(f"no model {name!r}; there are: {', '.join(MODELS)}") from None


def rank(comparisons: Comparisons | PairCounts, model: str = "bradley-terry", **options: Any) -> Ranking:
    """Rank by the model of a name; the options are the model's own.

    >>> import sidewise as sw
    >>> answers = sw.Comparisons.from_matrix([[0, 7], [3, 0]], ["tea", "coffee"])
    >>> sw.rank(answers, "win-rate").order
    ('tea', 'coffee')
    """
    return find_model(model)(comparisons, **options)
