"""Which columns of a table hold the items and their numbers: names given by the caller, or the usual ones."""

from collections.abc import Sequence
from typing import NamedTuple

from sidewise.errors import DataError

# The names that files of this field use. The first of a tuple is the proper name of its meaning and goes before others.
ITEMS = ("item", "id", "item_id", "name")
SCORES = ("score", "rating", "value", "prediction", "strength")
TRUTHS = ("truth", "score", "true_score", "gold", "grade", "relevance", "rating", "value", "level", "age")


class Named(NamedTuple):
    """The columns of one table."""

    item: str
    value: str


def find_columns(
    names: Sequence[str], usual: Sequence[str], *, source: str, item: str | None = None, value: str | None = None,
    flags: tuple[str, str] | None = None,
) -> Named:  # fmt: skip
    """Find the columns of the items and of their numbers; of two columns, knowing one tells the other.

    ``usual`` are the names that the numbers may have, ``flags`` how the command line names the two columns.

    >>> find_columns(["label", "score"], SCORES, source="scores.csv")
    Named(item='label', value='score')
    """
    for given in (item, value):
        if given is not None and given not in names:
            raise DataError(f"{source}: no column {given!r}; there are {_listed(names)}")
    found_item = item or _usual(names, ITEMS, "the item", source, flags and flags[0])
    found_value = value or _usual(
        [name for name in names if name != found_item], usual, usual[0], source, flags and flags[1]
    )
    if len(names) == 2 and (found_item is None) != (found_value is None):
        [other] = [name for name in names if name not in (found_item, found_value)]
        found_item, found_value = found_item or other, found_value or other
    if found_item is None or found_value is None:
        meaning, known, flag = ("the item", ITEMS, 0) if found_item is None else (f"the {usual[0]}", usual, 1)
        raise DataError(
            f"{source}: no column for {meaning}; there are {_listed(names)}. {_cure(flags and flags[flag])} a usual "
            f"name: {', '.join(known)}",
        )
    return Named(found_item, found_value)


def _usual(names: Sequence[str], usual: Sequence[str], meaning: str, source: str, flag: str | None) -> str | None:
    """The one usual name among the columns: the proper one, or the only one of the others."""
    found = [name for name in usual if name in names]
    if len(found) > 1 and found[0] != usual[0]:
        cure = f"say which with {flag}" if flag else "pass (ids, values) instead"
        raise DataError(f"{source}: more than one column could be the {meaning}: {_listed(found)}; {cure}")
    return found[0] if found else None


def _cure(flag: str | None) -> str:
    return f"Name it with {flag}, or use" if flag else "Pass (ids, values) instead, or give it"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
