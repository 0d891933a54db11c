"""Models by name, for the command line and for loops over models."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from sidewise.comparisons import Comparisons, PairCounts
from sidewise.errors import ModelError
from sidewise.models.bradley_terry import bradley_terry
from sidewise.models.crowd_bt import crowd_bt
from sidewise.models.elo import elo
from sidewise.models.factor_bt import factor_bt
from sidewise.models.hodge_rank import hodge_rank
from sidewise.models.linear_bias import linear_bias
from sidewise.models.page_rank import page_rank
from sidewise.models.pairwise_hits import pairwise_hits
from sidewise.models.priors import Normal
from sidewise.models.random_order import random_order
from sidewise.models.thurstone import thurstone
from sidewise.models.win_rate import win_rate
from sidewise.models.worker_bt import worker_bt
from sidewise.ranking import Ranking

MODELS: dict[str, Callable[..., Ranking]] = {
    "bradley-terry": bradley_terry,
    "crowd-bt": crowd_bt,
    "elo": elo,
    "factor-bt": factor_bt,
    "hodge-rank": hodge_rank,
    "linear-bias": linear_bias,
    "page-rank": page_rank,
    "pairwise-hits": pairwise_hits,
    "random-order": random_order,
    "thurstone": thurstone,
    "win-rate": win_rate,
    "worker-bt": worker_bt,
}


PLAIN_INTERVALS = ("hessian", "sandwich")  # that bradley_terry has and worker_bt has not


def find_model(name: str) -> Callable[..., Ranking]:
    """The model of a name, written with hyphens or underscores."""
    try:
        return MODELS[str(name).replace("_", "-").lower()]
    except KeyError:
        raise ModelError(f"no model {name!r}; there are: {', '.join(MODELS)}") from None


def rank(comparisons: Comparisons | PairCounts, model: str | None = None, **options: Any) -> Ranking:
    """Rank by the model of a name; the options are the model's own.

    Without a name, the data choose: :func:`worker_bt` where they name two workers or more, :func:`bradley_terry`
    otherwise, or where an option or a value is asked for that only the latter has, such as ``prior=None``.

    >>> import sidewise as sw
    >>> answers = sw.Comparisons.from_matrix([[0, 7], [3, 0]], ["tea", "coffee"])
    >>> sw.rank(answers, "win-rate").order
    ('tea', 'coffee')
    >>> sw.rank(answers).fit.model
    'bradley_terry'
    """
    chosen = model or default_model(comparisons)
    if model is None and not takes(chosen, options) and takes("bradley-terry", options):
        chosen = "bradley-terry"
    fit = find_model(chosen)
    for name in options:
        if name not in signature(fit).parameters:
            others = [other for other, model in MODELS.items() if name in signature(model).parameters]
            taken = f"; these take it: {', '.join(others)}" if others else ""
            who = "" if model else ", the model that the data choose,"
            raise TypeError(f"{fit.__name__}(){who} got an unexpected keyword argument {name!r}{taken}")
    return fit(comparisons, **options)


def takes(model: str, options: Mapping[str, object]) -> bool:
    """Whether a model has these options; and, where it is :func:`worker_bt`, these priors and kinds of intervals."""
    if not set(options) <= set(signature(find_model(model)).parameters):
        return False
    return model != "worker-bt" or (
        isinstance(options.get("prior", Normal()), Normal) and options.get("intervals") not in PLAIN_INTERVALS
    )


def default_model(comparisons: Comparisons | PairCounts) -> str:
    """The model that suits the data: one worker alone cannot be told from the truth, so it takes two."""
    if isinstance(comparisons, Comparisons) and comparisons.worker is not None and len(comparisons.workers) > 1:
        return "worker-bt"
    return "bradley-terry"
