"""Measures of search runs by name: ``ppref@10``, ``ndcg@10(gain=exp2)``, ``compatibility(p=0.9)``."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sidewise.errors import MeasureError

if TYPE_CHECKING:
    from sidewise.preferences import Preferences, Qrels

PREFERENCE = ("ppref", "rpref", "average-ppref", "wppref", "nwppref")
GRADES = ("ndcg", "err")
EITHER = ("compatibility",)
ALL = (*PREFERENCE, *GRADES, *EITHER)
WHOLE = ("average-ppref", "compatibility")  # measures that take no rank
ALIASES = {"appref": "average-ppref", "ap-pref": "average-ppref", "compat": "compatibility",
           "expected-reciprocal-rank": "err"}  # fmt: skip
# What a measure can be told, and what it takes if it is not told.
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "ndcg": {"gain": "linear"}, "err": {"highest": None}, "compatibility": {"p": 0.95, "depth": 1000},
}  # fmt: skip


class Wanted(NamedTuple):
    """A measure, the rank down to which it looks (None for all), and its options."""

    name: str
    k: int | None = None
    options: tuple[tuple[str, Any], ...] = ()


def find_wanted(text: str, judged: "Preferences | Qrels") -> Wanted:
    """A measure by its name, with the rank and the options that it can have."""
    from sidewise.measures.by_name import split_name, split_options
    from sidewise.preferences import Qrels

    plain, depth, options = split_name(text)
    name = ALIASES.get(plain, plain)
    if name not in ALL:
        raise MeasureError(f"no measure {text!r} for search; there are: {', '.join(ALL)}")
    if name in GRADES and not isinstance(judged, Qrels):
        raise MeasureError(
            f"{text} takes grades of relevance (qrels), and the judgments are preferences: use {', '.join(PREFERENCE)}"
        )
    if depth is not None and name in WHOLE:
        raise MeasureError(f"{text}: {name} looks at all ranks; leave out @{depth}")
    if depth not in (None, "max") and not (depth.isdecimal() and int(depth) > 0):
        raise MeasureError(f"{text}: after @ comes a rank, 1 or more, or max for all, as in {name}@10")
    k = None if depth in (None, "max") else int(depth)
    return Wanted(name, k, _checked(name, split_options(text, options)))


def _checked(name: str, options: Mapping[str, str]) -> tuple[tuple[str, Any], ...]:
    """The options that the measure has, as numbers where they are; defaults are left out, so that it has one name."""
    from sidewise.measures.by_name import as_number

    usual = OPTIONS.get(name, {})
    found: dict[str, Any] = {}
    for option, value in sorted(options.items()):
        if option not in usual:
            taken = f"it takes: {', '.join(usual)}" if usual else "it takes none"
            raise MeasureError(f"{name} has no option {option!r}; {taken}")
        found[option] = value if option == "gain" else as_number(f"{name}: {option}", value)
    if "depth" in found and found["depth"].is_integer():
        found["depth"] = int(found["depth"])
    return tuple((option, value) for option, value in found.items() if value != usual[option])
