"""The workers' table: who answered how often, how reliably, with what biases, and who deserves a second look."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from scipy.special import expit, logit, ndtri

from sidewise.comparisons import Comparisons, PairCounts
from sidewise.comparisons.arrow import Floats
from sidewise.errors import ModelError
from sidewise.models.factors import SIDE
from sidewise.ranking.uncertainty import normal_bounds

ENOUGH = 8  # answers that judge a worker: a careful one's all go to one side once in 128 times
STRONG = 1.0  # log-odds: a bias that turns an even choice into 73 to 27
STRONG_PROBIT = float(ndtri(expit(STRONG)))  # .62, which does so where scores are probits
STRONG_OUTCOME = 0.46  # and where outcomes are ±1


@dataclass(frozen=True)
class Estimate:
    """One number for every worker, with its limits."""

    value: Floats
    low: Floats
    high: Floats
    strong: float | Floats = STRONG  # from where on a bias deserves a second look

    @classmethod
    def normal(cls, value: Floats, variance: Floats, level: float) -> "Estimate":
        """Value ± z·sd."""
        return cls(value, *normal_bounds(value, variance, level))

    def by(self, size: float) -> "Estimate":
        """By one unit of a factor, from what it is by its usual size; what is strong stays so."""
        return Estimate(self.value / size, self.low / size, self.high / size, self.strong / size)

    @classmethod
    def chance(cls, value: Floats, variance: Floats, level: float) -> "Estimate":
        """A chance with limits between 0 and 1: normal in its log-odds."""
        low, high = normal_bounds(logit(value), variance / (value * (1 - value)) ** 2, level)
        return cls(value, expit(low), expit(high))

    def unlimited(self) -> "Estimate":
        """The same without limits: nobody knows how sure the number is."""
        nothing = np.full_like(self.value, np.nan)
        return replace(self, low=nothing, high=nothing)


class Scale(NamedTuple):
    """Where a model's reliability has a coin, and where a good worker."""

    random: float
    typical: float  # where nobody is surely better than a coin
    least: float = 0.0  # that those who are surely better than a coin are expected to have


SENSITIVITY = Scale(random=0.0, typical=1.0, least=1.0)  # 1 is what a worker like the others has, by the rule for it


@dataclass(frozen=True)
class Reliability:
    """How reliable each worker is, on a scale of the model's own."""

    estimate: Estimate
    random: float  # what a coin has
    typical: float  # what a good worker has

    @classmethod
    def of(cls, estimate: Estimate, answered: Floats, scale: Scale) -> "Reliability":
        """Take for typical the median of those who are surely better than a coin.

        Among many coins the sensitivities of the others are larger, and where everybody errs at times, nobody is random
        for it.
        """
        good = estimate.value[(estimate.low > scale.random) & (answered > 0)]
        typical = max(float(np.median(good)), scale.least) if good.size else scale.typical
        return cls(estimate, scale.random, typical)


def check_workers_known(comparisons: object, model: str) -> None:
    """See that the data say who said what."""
    if isinstance(comparisons, PairCounts):
        raise ModelError(f"{model} weighs workers, and pair counts have forgotten them: give it Comparisons")
    if not isinstance(comparisons, Comparisons):
        raise ModelError(
            f"{model} takes Comparisons, not {type(comparisons).__name__}: make them with sidewise.read(path) or "
            "sidewise.Comparisons.from_frame(frame)"
        )
    if comparisons.worker is None:
        raise ModelError(
            f"{model} weighs workers, and the data do not say who said what: name the worker column "
            "(worker=…, --worker), or use bradley_terry",
        )


def check_some(comparisons: Comparisons, model: str, otherwise: str = "at all") -> None:
    """See that there are comparisons, and that they count."""
    if not comparisons.weights().any():
        what = "that weigh anything" if len(comparisons) else otherwise
        raise ModelError(f"{model} needs comparisons, and there are none {what}")


def worker_table(
    comparisons: Comparisons, scores: Floats, *, reliability: Reliability | None, biases: Mapping[str, Estimate]
) -> pa.Table:
    """One row per worker, in the order of ``comparisons.workers``; rows that weigh nothing are no answers."""
    comparisons = counted(comparisons)
    assert comparisons.worker is not None
    k = len(comparisons.workers)
    columns: dict[str, object] = {
        "worker": pa.array(list(comparisons.workers), pa.string()),
        "answers": np.bincount(comparisons.worker, minlength=k),
    }
    if reliability is not None:
        some = reliability.estimate
        columns |= {"reliability": some.value, "reliability_low": some.low, "reliability_high": some.high}
    for name, bias in biases.items():
        columns |= {f"{name}_bias": bias.value, f"{name}_bias_low": bias.low, f"{name}_bias_high": bias.high}
    agreed = agreement(comparisons, scores)
    columns["agreement"] = agreed
    columns["flag"] = pa.array(flags(comparisons, reliability, biases, agreed), pa.string())
    return pa.table(columns)


def counted(comparisons: Comparisons) -> Comparisons:
    """The rows that are answers: those that weigh something."""
    return comparisons if comparisons.weight is None else comparisons.select(comparisons.weight > 0)


def agreement(comparisons: Comparisons, scores: Floats) -> Floats:
    """The share of each worker's decided answers that agree with the ranking; NaN where there are none."""
    assert comparisons.worker is not None
    says, lead = comparisons.outcome - 0.5, scores[comparisons.left] - scores[comparisons.right]
    decided = says != 0
    right = np.where(lead == 0, 0.5, (says * lead > 0).astype(float))
    answers = np.bincount(comparisons.worker, decided, len(comparisons.workers))
    agreed = np.bincount(comparisons.worker, decided * right, len(comparisons.workers))
    return np.asarray(np.divide(agreed, answers, out=np.full(len(answers), np.nan), where=answers > 0))


def flags(
    comparisons: Comparisons, reliability: Reliability | None, biases: Mapping[str, Estimate], agreed: Floats
) -> Sequence[str | None]:
    """Why a worker deserves a second look; the plainest reason first.

    Nobody is judged by a few answers, whatever a model makes of them, nor blamed for a side where every answer agrees
    with the ranking: the better item was shown there each time. Whoever leans to a side tosses no coin, however little
    the items matter to them.
    """
    found, leans = np.full(len(comparisons.workers), None, object), np.zeros(len(comparisons.workers), bool)
    for name, bias in biases.items():
        for sign, side in ((1, "left"), (-1, "right")):
            surely = np.where(sign > 0, bias.low, -bias.high) > 0
            word = f"favours {side}" if name == SIDE else f"{'favours' if sign > 0 else 'avoids'} {name}"
            strongly = surely & (sign * bias.value >= bias.strong)
            found[strongly], leans[strongly] = word, True
    if reliability is not None:
        some, middle = reliability.estimate, (reliability.random + reliability.typical) / 2
        found[(some.high < middle) & ~leans] = "random"
        found[some.high < reliability.random] = "contrary"
    share, decided = left_share(comparisons)
    if comparisons.sided:
        found[(share == 1) & (agreed < 1)] = "always left"
        found[(share == 0) & (agreed < 1)] = "always right"
    found[decided < ENOUGH] = None
    return found.tolist()


def left_share(comparisons: Comparisons) -> tuple[Floats, Floats]:
    """The share of left among each worker's decided answers, and how many those are."""
    assert comparisons.worker is not None
    k, outcome = len(comparisons.workers), comparisons.outcome
    left, right = (np.bincount(comparisons.worker, side, k) for side in (outcome > 0.5, outcome < 0.5))
    decided = np.asarray(left + right, float)
    return np.divide(left, decided, out=np.full(k, np.nan), where=decided > 0), decided
