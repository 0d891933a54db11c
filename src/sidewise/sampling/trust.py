"""Trust: how much each worker's answers count when pairs are chosen, or said to be enough."""

from collections.abc import Mapping

import numpy as np
from scipy.special import expit

from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Floats
from sidewise.errors import SidewiseError
from sidewise.numbers import is_number
from sidewise.ranking import Ranking
from sidewise.ranking.uncertainty import normal_quantile

Reliability = Mapping[str, float] | Ranking
LEVEL = 0.95  # of limits in files, where nothing says of which they are
DOUBTED = tuple(tuple(f"{name}{end}" for end in ("", "_low", "_high")) for name in ("reliability", "side_bias"))


def trusted(comparisons: Comparisons, reliability: Reliability | None) -> Floats:
    """The reliability of who gave each answer; it weighs as much as the square of that."""
    if reliability is None:
        return np.ones(len(comparisons))
    if comparisons.worker is None:
        raise SidewiseError("reliability is about workers, but the comparisons do not say who gave them")
    if isinstance(reliability, Ranking):
        table = reliability.workers
        if reliability.fit.model != "worker_bt" or table is None:
            raise SidewiseError(
                f"{reliability.fit.model} has not learnt how much each worker's answers weigh on worker_bt's scale, "
                "where a coin's are 0: take worker_bt's ranking"
            )
        reliability = dict(zip(table["worker"].to_pylist(), believed_of(reliability).tolist(), strict=True))
    if not isinstance(reliability, Mapping):
        raise SidewiseError(
            f"reliability is {reliability!r}; it is a ranking by sw.worker_bt, or a number for each worker, such as "
            '{"w1": 0.9}'
        )
    told = {str(worker): value for worker, value in reliability.items()}  # the ids of workers are text, as of items
    if told and told.keys().isdisjoint(comparisons.workers):
        raise SidewiseError(
            f"reliability names none of the {len(comparisons.workers):,} workers of the answers: it has "
            f"{next(iter(told))!r}, they have {comparisons.workers[0]!r}"
        )
    known = {worker: told.get(worker, 1.0) for worker in comparisons.workers}
    for worker, value in known.items():
        if not is_number(value):
            raise SidewiseError(
                f"the reliability of {worker!r} is {value!r}, which is not a finite number: leave out workers of whom "
                "nothing is known"
            )
    return np.asarray(np.array(list(known.values()), float)[comparisons.worker])


def believed_of(ranking: Ranking) -> Floats:
    """What each worker's answers count for, squared, by a ranking that knows workers."""
    table = ranking.workers
    assert table is not None
    there = [name for kind in DOUBTED if kind[0] in table.column_names for name in kind]
    return doubted({name: table[name].to_numpy() for name in there}, ranking.level)


def doubted(told: Mapping[str, Floats], level: float) -> Floats:
    """Reliabilities, each as near to a good one's as its doubt allows.

    The same answers tell of workers and of scores. If reliabilities counted as they stand, whoever happened to agree
    with the others would count for more and whoever did not for less, and the scores would seem to lie further apart
    than they do: of 100 honest workers with ten answers each, the scores were .37 off where .22 was expected; now it is
    .19 and .20. So everybody is 1, or as near to it as one standard deviation reaches. A close pair tells less, the
    more the side sways a worker: by 4 σ(b) σ(−b), with the bias b as near to 0 as its standard deviation allows.
    """

    def nearest(name: str, to: float) -> Floats:
        value, reach = told[name], (told[f"{name}_high"] - told[f"{name}_low"]) / (2 * normal_quantile(level))
        reach = np.where(np.isfinite(reach), reach, 0.0)
        return np.asarray(np.clip(to, value - reach, value + reach))

    swayed = expit(nearest("side_bias", 0.0)) if "side_bias" in told else 0.5
    return np.asarray(nearest("reliability", 1.0) * np.sqrt(4 * swayed * (1 - swayed)))
