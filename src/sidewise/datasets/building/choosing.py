"""Which items: so many of each group, one for each identity, by quality or by chance."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons.arrow import Floats
from sidewise.datasets.building.items import Offered
from sidewise.errors import DataError, SidewiseError
from sidewise.numbers import check_count

Positions = NDArray[np.int64]
Draw = Literal["best", "random"]
Few = Literal["error", "keep", "drop"]
NAMED = 6  # groups in a message


class Chosen(NamedTuple):
    """The rows that were chosen, in the order of the table; of every group, how many there were and were taken."""

    rows: Positions
    candidates: Positions  # by group, after the rule of one for each identity
    taken: Positions


def choose_items(
    offered: Offered, names: Sequence[str], *, per_group: int | None, draw: Draw, few: Few, rng: np.random.Generator
) -> Chosen:
    """Choose items: of an identity the best one, then of each group so many, the best ones or any."""
    _check(per_group, draw, few)
    quality = np.zeros(len(offered)) if offered.quality is None else offered.quality
    rows = best_of_each(offered.group, offered.identity, quality, rng)
    count = len(offered.groups)
    candidates = np.bincount(offered.group[rows], minlength=count)
    short = np.flatnonzero(candidates < (per_group or 0))
    if len(short) and few == "error":
        raise DataError(_too_few(offered, names, candidates, short, per_group or 0))
    if few == "drop":
        rows = rows[~np.isin(offered.group[rows], short)]
    if per_group is not None:
        first = quality if draw == "best" else np.zeros(len(offered))
        rows = rows[_place_in_group(offered.group[rows], first[rows], rng) < per_group]
    if not len(rows):
        raise DataError(f"no group has {per_group:,} items: lower per_group")
    return Chosen(np.sort(rows), candidates, np.bincount(offered.group[rows], minlength=count))


def best_of_each(group: Positions, identity: Positions | None, quality: Floats, rng: np.random.Generator) -> Positions:
    """Of the items of one identity in one group, the one of the highest quality; of equals, any."""
    if identity is None:
        return np.arange(len(group))
    order = np.lexsort((rng.random(len(group)), -quality, identity, group))
    first = np.ones(len(order), bool)
    first[1:] = (np.diff(group[order]) != 0) | (np.diff(identity[order]) != 0)
    return order[first]


def _place_in_group(group: Positions, quality: Floats, rng: np.random.Generator) -> Positions:
    """How many of its group come before an item: better ones, and of equals those that chance puts first."""
    order = np.lexsort((rng.random(len(group)), -quality, group))
    sizes = np.bincount(group)
    place = np.empty(len(group), np.int64)
    place[order] = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return place


def group_label(names: Sequence[str], values: Sequence[str]) -> str:
    """A group as it is called in messages."""
    return ", ".join(f"{name} {value}" for name, value in zip(names, values, strict=True)) or "all items"


def _too_few(offered: Offered, names: Sequence[str], candidates: Positions, short: Positions, wanted: int) -> str:
    told = "; ".join(f"{group_label(names, offered.groups[one])}: {candidates[one]:,}" for one in short[:NAMED])
    more = f"; and {len(short) - NAMED:,} others" if len(short) > NAMED else ""
    each = ", one for each identity" if offered.identity is not None else ""
    return (
        f"{len(short):,} of {len(candidates):,} groups have fewer than {wanted:,} items to choose from{each} "
        f"({told}{more}); lower per_group, widen the ranges, or say few='keep' to take all there are or few='drop' "
        "to leave such groups out (command line: --few)"
    )


def _check(per_group: int | None, draw: str, few: str) -> None:
    if per_group is not None:
        check_count("per_group", per_group)
    for name, value, known in (("draw", draw, get_args(Draw)), ("few", few, get_args(Few))):
        if value not in known:
            raise SidewiseError(f"{name}={value!r} is none of {', '.join(known)}")
