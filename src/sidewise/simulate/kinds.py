"""Kinds of workers: each is a formula for the chance that the left item is chosen.

Throughout, d = s_left − s_right is the lead of the left item, σ the logistic function, x a factor seen from the left.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons.arrow import Codes, Floats, Mask
from sidewise.errors import SidewiseError
from sidewise.numbers import is_number
from sidewise.simulate.design import Draws, scrambled

Number = float | Floats  # a parameter: one number, or one for every answer
SIDE = "side"  # the factor that is 1 in every comparison, since all are seen from the left
BIASED = "-biased"


@dataclass(frozen=True)
class Seen:
    """What workers have before them when they answer, one row an answer."""

    lead: Floats
    factors: Mapping[str, Floats]
    progress: Floats  # the share of their answers that the worker has already given
    pair: Draws  # a random number that belongs to the pair, whichever way round it is shown
    first_left: Mask  # whether the pair's first item is shown on the left

    def rows(self, mask: Mask) -> "Seen":
        """Some of the answers."""
        factors = {name: values[mask] for name, values in self.factors.items()}
        return Seen(self.lead[mask], factors, self.progress[mask], self.pair[mask], self.first_left[mask])

    def pull(self, biases: Mapping[str, Number]) -> Number:
        """Σ b·x over the factors."""
        return sum((bias * self.factor(name) for name, bias in biases.items()), start=0.0)

    def factor(self, name: str) -> Floats:
        """A factor seen from the left."""
        return np.ones_like(self.lead) if name == SIDE else self.factors[name]


@dataclass(frozen=True)
class Kind(ABC):
    """A kind of worker, with its parameters; a formula holds for one number a parameter, or one an answer, alike."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the kind is called."""

    @abstractmethod
    def chance(self, seen: Seen) -> Number:
        """The chance that the left item is chosen."""

    def attention(self, seen: Seen) -> Number:  # noqa: ARG002
        """The chance that the items alone decide: only then are items that are close called a tie."""
        return 0.0

    def follows(self) -> frozenset[str]:
        """The factors that matter to this kind."""
        return frozenset()


@dataclass(frozen=True)
class Honest(Kind):
    """Looks with chance ``reliability``, tosses a coin otherwise: r σ(d) + (1 − r) / 2."""

    reliability: Number = 1.0
    name = "honest"

    def __post_init__(self) -> None:
        _check_share("reliability", self.reliability)

    def chance(self, seen: Seen) -> Number:
        """As the class says."""
        return self.reliability * sigma(seen.lead) + (1 - self.reliability) / 2

    def attention(self, seen: Seen) -> Number:  # noqa: ARG002
        """Whenever they look."""
        return self.reliability


@dataclass(frozen=True)
class Random(Kind):
    """Tosses a coin: 1/2."""

    name = "random"

    def chance(self, seen: Seen) -> Number:  # noqa: ARG002
        """One half."""
        return 0.5


@dataclass(frozen=True)
class AlwaysLeft(Kind):
    """Chooses the left item, whatever it is: 1."""

    name = "always-left"

    def chance(self, seen: Seen) -> Number:  # noqa: ARG002
        """One."""
        return 1.0


@dataclass(frozen=True)
class AlwaysRight(Kind):
    """Chooses the right item, whatever it is: 0."""

    name = "always-right"

    def chance(self, seen: Seen) -> Number:  # noqa: ARG002
        """Zero."""
        return 0.0


@dataclass(frozen=True)
class OneSided(Kind):
    """Looks, but is drawn to a side, to the left where ``side_bias`` is positive: σ(d + b)."""

    side_bias: Number = 3.0
    name = "one-sided"

    def __post_init__(self) -> None:
        _check_number("side_bias", self.side_bias)

    def chance(self, seen: Seen) -> Number:
        """As the class says."""
        return sigma(seen.lead + self.side_bias)


@dataclass(frozen=True)
class FactorBiased(Kind):
    """Chooses the item that has the factor, with chance ``strength``; is honest otherwise, and where x = 0.

    p [x > 0] + (1 − p) σ(d), with p = strength where x ≠ 0 and 0 elsewhere.
    """

    factor: str = "brand"
    strength: Number = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.factor, str):
            raise SidewiseError(f"factor is {self.factor!r}; it is the name of a factor, such as brand")
        _check_share("strength", self.strength)

    @property
    def name(self) -> str:
        """The factor, and that they are biased by it."""
        return self.factor + BIASED

    def chance(self, seen: Seen) -> Number:
        """As the class says."""
        x = seen.factor(self.factor)
        follow = self.strength * (x != 0)
        return np.asarray(follow * (x > 0) + (1 - follow) * sigma(seen.lead), float)

    def attention(self, seen: Seen) -> Number:
        """Whenever the factor does not decide."""
        return np.asarray(1 - self.strength * (seen.factor(self.factor) != 0), float)

    def follows(self) -> frozenset[str]:
        """The one factor."""
        return frozenset({self.factor})


@dataclass(frozen=True)
class Contrary(Kind):
    """Looks as the honest do, and says the opposite: r σ(−d) + (1 − r) / 2."""

    reliability: Number = 1.0
    name = "contrary"

    def __post_init__(self) -> None:
        _check_share("reliability", self.reliability)

    def chance(self, seen: Seen) -> Number:
        """As the class says."""
        return self.reliability * sigma(-seen.lead) + (1 - self.reliability) / 2

    def attention(self, seen: Seen) -> Number:  # noqa: ARG002
        """Whenever they look: the opposite of a tie is a tie."""
        return self.reliability


@dataclass(frozen=True)
class Sleepy(Kind):
    """Is honest for the share ``awake`` of their answers, and tosses a coin from then on."""

    awake: Number = 0.5
    reliability: Number = 1.0
    name = "sleepy"

    def __post_init__(self) -> None:
        _check_share("awake", self.awake)
        _check_share("reliability", self.reliability)

    def chance(self, seen: Seen) -> Number:
        """As the class says."""
        return Honest(self.attention(seen)).chance(seen)

    def attention(self, seen: Seen) -> Number:
        """As the honest, while awake."""
        return np.asarray(self.reliability * (seen.progress < self.awake), float)


@dataclass(frozen=True)
class Colluding(Kind):
    """Gives the answer that all of the same ``ring`` have agreed on, for every pair one item drawn at random."""

    ring: Number = 1
    name = "colluding"

    def __post_init__(self) -> None:
        _check_number("ring", self.ring)
        ring = np.asarray(self.ring, float)
        if not np.all((ring >= 0) & (ring == np.round(ring)) & (ring < 2**63)):
            raise SidewiseError(f"ring is {self.ring}; rings are known by whole numbers")

    def chance(self, seen: Seen) -> Number:
        """As the class says."""
        agreed_on_first = scrambled(seen.pair + np.asarray(self.ring).astype(np.uint64)) & np.uint64(1)
        return np.asarray((agreed_on_first == 1) == seen.first_left, float)


@dataclass(frozen=True)
class Sensitive(Kind):
    """A worker with a ``sensitivity`` a and a bias b for every factor, "side" among them: σ(a d + Σ b x)."""

    sensitivity: Number = 1.0
    biases: Mapping[str, Number] = field(default_factory=dict)
    name = "sensitive"

    def __post_init__(self) -> None:
        _check_number("sensitivity", self.sensitivity)
        _check_biases(self.biases)

    def chance(self, seen: Seen) -> Number:
        """As the class says."""
        return sigma(self.sensitivity * seen.lead + seen.pull(self.biases))

    def follows(self) -> frozenset[str]:
        """All that they have a bias for."""
        return frozenset(self.biases)


@dataclass(frozen=True)
class CrowdBT(Kind):
    """A worker of the CrowdBT model: η σ(d) + (1 − η) σ(−d) (Chen et al. 2013)."""

    eta: Number = 1.0
    name = "crowd-bt"

    def __post_init__(self) -> None:
        _check_share("eta", self.eta)

    def chance(self, seen: Seen) -> Number:
        """As the class says."""
        return self.eta * sigma(seen.lead) + (1 - self.eta) * sigma(-seen.lead)


@dataclass(frozen=True)
class FactorBT(Kind):
    """A worker of the factorBT model: σ(γ) σ(d) + (1 − σ(γ)) σ(Σ r x), with r in ``biases``."""

    gamma: Number = 0.0
    biases: Mapping[str, Number] = field(default_factory=dict)
    name = "factor-bt"

    def __post_init__(self) -> None:
        _check_number("gamma", self.gamma)
        _check_biases(self.biases)

    def chance(self, seen: Seen) -> Number:
        """As the class says."""
        unbiased = sigma(self.gamma)
        return unbiased * sigma(seen.lead) + (1 - unbiased) * sigma(seen.pull(self.biases))

    def follows(self) -> frozenset[str]:
        """All that they have a bias for."""
        return frozenset(self.biases)


KINDS: Mapping[str, type[Kind]] = {
    "honest": Honest, "random": Random, "always-left": AlwaysLeft, "always-right": AlwaysRight, "one-sided": OneSided,
    "contrary": Contrary, "sleepy": Sleepy, "colluding": Colluding, "sensitive": Sensitive, "crowd-bt": CrowdBT,
    "factor-bt": FactorBT,
}  # fmt: skip


def find_kind(spec: object) -> Kind:
    """A kind by name, such as ``random`` or ``brand-biased``, or by name and first parameter: ``honest:0.9``."""
    if isinstance(spec, Kind):
        return spec
    if not isinstance(spec, str):
        made = f": make one, {spec.__name__}(…)" if isinstance(spec, type) else ""
        raise SidewiseError(f"a kind of worker is a name or an object of one, not {spec!r}{made}")
    name, _, number = spec.partition(":")
    if name in KINDS:
        kind, given = KINDS[name], {}
    elif name.endswith(BIASED) and name != BIASED:
        kind, given = FactorBiased, {"factor": name.removesuffix(BIASED)}
    else:
        raise SidewiseError(f"no kind of worker {spec!r}; there are: {', '.join(KINDS)}, and such as brand-biased")
    if not number:
        return kind(**given)
    takes = [some.name for some in fields(kind) if isinstance(some.default, int | float)]
    try:
        return kind(**given, **{takes[0]: float(number)})
    except (IndexError, ValueError) as error:
        if isinstance(error, SidewiseError):
            raise
        wanted = f"a number after the colon: {name}:0.5" if takes else f"nothing after it: {name}"
        raise SidewiseError(f"kind {spec!r}: {name} takes {wanted}") from None


def sigma(x: Number) -> Number:
    """The logistic function, by a form that cannot overflow."""
    return 0.5 * (1 + np.tanh(np.asarray(x, float) / 2))


def stacked(kinds: list[Kind], who: Codes | NDArray[np.int64]) -> Kind:
    """Workers of one kind as one, whose parameters have a value for every answer; ``who`` answers each."""
    first = kinds[0]
    if all(kind is first for kind in kinds):
        return first
    given: dict[str, object] = {}
    for name in (some.name for some in fields(first)):
        values = [getattr(kind, name) for kind in kinds]
        match values[0]:
            case str():
                given[name] = values[0]
            case Mapping():
                factors = dict.fromkeys(factor for biases in values for factor in biases)
                given[name] = {factor: np.array([b.get(factor, 0.0) for b in values])[who] for factor in factors}
            case _:
                given[name] = np.array(values)[who]
    return type(first)(**given)


def parameters(kind: Kind) -> dict[str, float]:
    """The numbers of a worker by name; the bias for a factor is called after it: ``side_bias``."""
    found: dict[str, float] = {}
    for name in (some.name for some in fields(kind)):
        match getattr(kind, name):
            case Mapping() as biases:
                found |= {f"{factor}_bias": float(bias) for factor, bias in biases.items()}
            case Real() as value:
                found[name] = float(value)
    return found


def _check_number(name: str, value: object) -> None:
    """See that it is a finite number, or an array of them, one for every answer."""
    if is_number(value) or (isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and np.isfinite(value).all()):
        return
    raise SidewiseError(f"{name} is {value!r}, which is not a finite number")


def _check_share(name: str, value: Number) -> None:
    _check_number(name, value)
    if not np.all((np.asarray(value) >= 0) & (np.asarray(value) <= 1)):
        raise SidewiseError(f"{name} is {value}, which is not between 0 and 1")


def _check_biases(biases: object) -> None:
    if not isinstance(biases, Mapping):
        raise SidewiseError(f"biases is {biases!r}; it has a number for every factor: {{{SIDE!r}: 1.5}}")
    for factor, bias in biases.items():
        _check_number(f"the bias for {factor!r}", bias)
