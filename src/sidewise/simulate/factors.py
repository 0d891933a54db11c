"""Factors: what may sway a worker beside the worth of the items."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.comparisons.columns import DECIDED, PAIRS, WEIGHTS, WINNERS, WORKERS
from sidewise.errors import SidewiseError
from sidewise.simulate.design import Asked, first_left, pair_draws
from sidewise.simulate.kinds import SIDE

FactorOf = str | Mapping[str, float]  # "item", "pair", or the value that every item has
RESERVED = {SIDE, "item", "score", *WINNERS, *WORKERS, *WEIGHTS, *sum(PAIRS + DECIDED, start=())}


@dataclass(frozen=True)
class Factors:
    """Factors as they were drawn: of items, a value for each; of pairs, what their values are made from."""

    of_items: Mapping[str, Floats] = field(default_factory=dict)
    of_pairs: Mapping[str, int] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """What they are called."""
        return [*self.of_items, *self.of_pairs]


def factor_specs(factors: Sequence[str] | Mapping[str, FactorOf]) -> dict[str, FactorOf]:
    """What every factor is a property of."""
    if isinstance(factors, str) or not isinstance(factors, Iterable):
        raise SidewiseError(f"factors is a list of names: factors=[{factors!r}]")
    specs: dict[str, FactorOf] = dict(factors) if isinstance(factors, Mapping) else dict.fromkeys(factors, "item")
    for name, spec in specs.items():
        if not isinstance(name, str) or name in RESERVED or not name or name.strip() != name:
            raise SidewiseError(f"a factor cannot be named {name!r}: that means something else; name it otherwise")
        if isinstance(spec, str) and spec not in ("item", "pair"):
            raise SidewiseError(f"factors[{name!r}] is {spec!r}, which is neither 'item' nor 'pair'")
    return specs


def drawn_factors(specs: Mapping[str, FactorOf], names: Sequence[str], rng: np.random.Generator) -> Factors:
    """Draw what is left to chance: which half of the items has a property, and what a pair's is."""
    of_items, of_pairs = {}, {}
    for (name, spec), own in zip(specs.items(), rng.spawn(len(specs)), strict=True):
        if spec == "pair":
            of_pairs[name] = int(own.integers(2**63))
        elif isinstance(spec, str):
            of_items[name] = (own.permutation(len(names)) % 2).astype(float)
        else:
            of_items[name] = _given(name, spec, names)
    return Factors(of_items, of_pairs)


def seen_from_left(factors: Factors, asked: Asked) -> dict[str, Floats]:
    """The factors of every comparison: what favours the left item is positive."""
    of_items = {name: has[asked.left] - has[asked.right] for name, has in factors.of_items.items()}
    turned = np.where(first_left(asked), 1.0, -1.0)
    of_pairs = {
        name: turned * ((pair_draws(asked.left, asked.right, salt) % np.uint64(3)).astype(float) - 1) + 0.0  # no −0
        for name, salt in factors.of_pairs.items()
    }
    return {**of_items, **of_pairs}


def _given(name: str, values: Mapping[str, float], names: Sequence[str]) -> Floats:
    missing = [item for item in names if item not in values]
    if missing:
        raise SidewiseError(f"factors[{name!r}] has no value for the item {missing[0]!r}")
    found = np.array([values[item] for item in names], float)
    if not np.isfinite(found).all():
        raise SidewiseError(f"factors[{name!r}] has values that are no finite numbers")
    return found
