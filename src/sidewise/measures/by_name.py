"""Measures by name, for the command line and for loops over measures: ``ndcg@10(gain=exp2)``."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from typing import Any, get_args

from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError
from sidewise.measures import correlation, gain, order
from sidewise.measures.aligned import RANKING, TRUTH, Missing, align
from sidewise.measures.gain import checked_depth
from sidewise.measures.runs import Prepared, once

WRITTEN = re.compile(r"([a-z][a-z-]*)(?:@([^()@]*))?(?:\(([^()]*)\))?(?:@([^()@]*))?")


@dataclass(frozen=True)
class Known:
    """A measure that has a name: how it is taken, and what it can be told."""

    function: Callable[..., float]
    prepare: Callable[..., Prepared]
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the words of each, the default first
    numbers: tuple[str, ...] = ()  # options that are numbers
    at: bool = False  # whether it looks at the top k


MEASURES: Mapping[str, Known] = {
    "err": Known(
        gain.expected_reciprocal_rank, gain.prepare_expected_reciprocal_rank, {"ties": get_args(gain.Ties)},
        numbers=("highest",), at=True,
    ),
    "kendall-tau": Known(order.kendall_tau, order.prepare_kendall_tau, {"variant": get_args(order.Variant)}),
    "ndcg": Known(
        gain.ndcg, gain.prepare_ndcg, {"gain": get_args(gain.Gain), "ties": get_args(gain.Ties)}, at=True,
    ),
    "pair-accuracy": Known(
        order.pair_accuracy, order.prepare_pair_accuracy,
        {"ties": get_args(order.PairTies), "weight": get_args(order.PairWeight)},
    ),
    "pearson": Known(correlation.pearson, correlation.prepare_pearson),
    "rmse": Known(correlation.rmse, correlation.prepare_rmse, {"fit": get_args(correlation.Fitted)}),
    "spearman": Known(correlation.spearman, correlation.prepare_spearman),
}  # fmt: skip
OF_RUNS = ("ppref", "rpref", "average-ppref", "wppref", "nwppref", "compatibility")  # functions of their own
ALIASES = {
    "expected-reciprocal-rank": "err", "kendall": "kendall-tau", "tau": "kendall-tau", "accuracy": "pair-accuracy",
    "kendall-tau-b": "kendall-tau(variant=b)", "tau-b": "kendall-tau(variant=b)", "srocc": "spearman",
    "kendall-tau-c": "kendall-tau(variant=c)", "tau-c": "kendall-tau(variant=c)", "plcc": "pearson",
    "weighted-pair-accuracy": "pair-accuracy(weight=difference)",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure with its options: a value that can be printed, compared, and called with a ranking and a truth.

    >>> measure = find_measure("nDCG(gain=exp2)@10")
    >>> print(measure)
    ndcg@10(gain=exp2)
    >>> measure({"a": 0.9, "b": 0.5}, {"a": 3, "b": 2})
    1.0
    """

    name: str
    k: int | None = None
    options: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        options = ",".join(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
                           for name, value in self.options)  # fmt: skip
        return f"{self.name}{'' if self.k is None else f'@{self.k}'}{f'({options})' if options else ''}"

    def __call__(self, ranking: Any, truth: Any, *, missing: Missing = "error") -> float:
        """The value of the measure, of any ranking and truth that the functions take."""
        score, true = align({RANKING: ranking, TRUTH: truth}, missing=missing).values
        return once(self.prepare(score, true), len(score))

    def prepare(self, score: Floats, truth: Floats) -> Prepared:
        """The measure as a function of how often each item counts."""
        depth = {"k": self.k} if MEASURES[self.name].at else {}
        return MEASURES[self.name].prepare(score, truth, **depth, **dict(self.options))


def find_measure(name: str) -> Measure:
    """The measure of a name: ``ndcg``, ``ndcg@10``, ``ndcg@10(gain=exp2,ties=first)``, ``kendall-tau-c`` and so on.

    Capitals and underscores do not matter, and options that have their default are left out, so that a measure has one
    name however it is written.

    >>> str(find_measure("Kendall_Tau(variant=b)")), str(find_measure("kendall-tau-c"))
    ('kendall-tau', 'kendall-tau(variant=c)')
    """
    plain, at, options = split_name(name)
    if plain in ALIASES:
        plain, _, implied = ALIASES[plain].rstrip(")").partition("(")
        options = ",".join(filter(None, [implied, options]))
    if plain in OF_RUNS:
        raise MeasureError(
            f"{name!r} measures what a search engine returned, and this is a ranking of items: give a run and "
            f"preference judgments (sidewise score RUN JUDGMENTS, or measures.{plain.replace('-', '_')})",
        )
    if plain not in MEASURES:
        raise MeasureError(f"no measure {name!r}; {_nearest(plain)}there are: {', '.join(MEASURES)}")
    return make_measure(plain, _depth(name, at), split_options(name, options))


def split_name(name: str) -> tuple[str, str | None, str]:
    """A name's word, what stands behind @, and what stands in brackets.

    >>> split_name("nDCG@10(gain=exp2)"), split_name("rmse")
    (('ndcg', '10', 'gain=exp2'), ('rmse', None, ''))
    """
    text = re.sub(r"\s", "", name).replace("_", "-").lower()
    found = WRITTEN.fullmatch(text)
    if found is None or (found[2] is not None and found[4] is not None):
        raise MeasureError(f"{name!r} is not the name of a measure; names look like ndcg@10 or ndcg@10(gain=exp2)")
    return found[1], found[2] if found[4] is None else found[4], found[3] or ""


def make_measure(name: str, k: Any, options: Mapping[str, Any]) -> Measure:
    """A measure with its options checked, and defaults left out."""
    known = MEASURES[name]
    if k is not None and not known.at:
        raise MeasureError(f"{name} looks at all items, not at the top {k}; of the top are: {', '.join(_of_the_top())}")
    checked_depth(k)
    kept: list[tuple[str, Any]] = []
    for option, value in sorted(options.items()):
        if option in known.options:
            order.check_choice(f"{name}: {option}", value, known.options[option])
            if value != known.options[option][0]:
                kept.append((option, value))
        elif option in known.numbers:
            kept.append((option, as_number(f"{name}: {option}", value)))
        else:
            taken = ", ".join([*known.options, *known.numbers])
            raise MeasureError(f"{name} has no option {option!r}; {f'it takes: {taken}' if taken else 'it takes none'}")
    return Measure(name, k, tuple(kept))


def as_measure(measure: Any) -> Measure | Callable[[Floats, Floats], float]:
    """A measure from its name, from one of our functions (also with options, as a ``partial``), or a function as it is.

    >>> from functools import partial
    >>> from sidewise.measures import ndcg
    >>> print(as_measure(partial(ndcg, k=10)))
    ndcg@10
    """
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, str):
        return find_measure(measure)
    if not callable(measure):
        raise MeasureError(f"{measure!r} is neither the name of a measure nor a function of scores and truth")
    given = dict(measure.keywords) if isinstance(measure, partial) and not measure.args else {}
    function = measure.func if given or isinstance(measure, partial) else measure
    for name, known in MEASURES.items():
        if function is known.function:
            return make_measure(
                name, given.pop("k", None), {key: held for key, held in given.items() if held is not None}
            )
    return measure  # type: ignore[no-any-return]


def _depth(name: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise MeasureError(f"{name!r}: after @ comes a whole number of ranks, 1 or more, as in ndcg@10")
    return int(text)


def split_options(name: str, text: str) -> dict[str, str]:
    """What stands in the brackets of a name: option → value."""
    options: dict[str, str] = {}
    for part in filter(None, text.split(",")):
        option, equals, value = part.partition("=")
        if not equals or option in options:
            raise MeasureError(f"{name!r}: write each option once, as in ndcg@10(gain=exp2,ties=first)")
        options[option] = value.strip("'\"")
    return options


def as_number(name: str, value: Any) -> float:
    """The number that an option was given."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise MeasureError(f"{name}={value!r} is not a number") from None


def _of_the_top() -> list[str]:
    return [f"{name}@k" for name, known in MEASURES.items() if known.at]


def _nearest(name: str) -> str:
    near = get_close_matches(name, [*MEASURES, *ALIASES], n=2, cutoff=0.5)
    return f"did you mean {' or '.join(near)}? " if near else ""
