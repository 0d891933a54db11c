"""Items on both sides: rankings, mappings, tables and arrays brought into one order, with nothing lost silently."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sidewise.comparisons.arrow import Floats, as_floats, as_text, from_frame
from sidewise.errors import DataError, MeasureError
from sidewise.measures.columns import SCORES, TRUTHS, find_columns
from sidewise.ranking import Ranking
from sidewise.ranking.display import shorten

Missing = Literal["error", "drop"]
RANKING, TRUTH, WEIGHTS = "the ranking", "the truth", "item_weight"
USUAL = {TRUTH: TRUTHS, WEIGHTS: ("weight", "value")}  # names of the column of numbers; those of scores elsewhere
SHOWN, NAME_CELLS = 5, 40  # items named in a message, and the room that each has


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Numbers, one for each item; without ids, their position says whose they are."""

    values: Floats
    ids: pa.ChunkedArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """The same items on all sides, in the order of the first side."""

    values: tuple[Floats, ...]
    ids: pa.ChunkedArray | None
    dropped: int  # how many items were left out, as asked


def align(sides: Mapping[str, Any], *, missing: Missing = "error") -> Aligned:
    """Bring numbers of the same items into one order.

    Parameters
    ----------
    sides
        Name, as messages should have it → a :class:`~sidewise.Ranking`, a mapping from item to number, a dataframe
        with an item column and a column of numbers, a pair (ids, values), or an array whose positions are the items.
    missing
        What to do with items that not all sides have, or that have no number (NaN) on one: "error" names them, "drop"
        leaves them out.

    >>> found = align({"the ranking": {"b": 1, "a": 2}, "the truth": {"a": 5, "b": 4, "c": 3}}, missing="drop")
    >>> [side.tolist() for side in found.values], found.dropped
    ([[1.0, 2.0], [4.0, 5.0]], 1)
    """
    if missing not in get_args(Missing):
        raise MeasureError(f"missing={missing!r} is neither 'error' nor 'drop'")
    read = {name: as_numbers(side, name) for name, side in sides.items()}
    for name, side in read.items():
        if not len(side.values):
            raise MeasureError(f"{name} has no items: there is nothing to measure")
    bare = [name for name, side in read.items() if side.ids is None]
    if bare and len(bare) < len(read):
        raise MeasureError(f"{bare[0]} has no ids, and the other side has: give both sides ids, or neither")
    met = _by_position(read) if bare else _by_id(read, missing)
    return _known(met, list(read), missing)


def as_numbers(side: Any, name: str) -> Numbers:
    """What stands on one side, as numbers and ids."""
    if isinstance(side, Numbers):
        return side if side.ids is None else Numbers(side.values, _checked(side.ids, name))
    if isinstance(side, Ranking):
        return _from_ranking(side, name)
    if isinstance(side, Mapping):
        return _identified(list(side), list(side.values()), name)
    if hasattr(side, "__arrow_c_stream__") and (hasattr(side, "columns") or hasattr(side, "column_names")):
        return _from_table(from_frame(side), name)
    pair = _pair(side)
    return Numbers(_floats(side, name)) if pair is None else _identified(*pair, name)


def _from_ranking(ranking: Ranking, name: str) -> Numbers:
    if not ranking.comparable:
        raise MeasureError(
            f"{name} has parts that were never compared with one another, so that no order holds across them: fit with "
            "a prior, or measure each part by itself",
        )
    return _identified(ranking.items, ranking.score, name)


def _pair(side: Any) -> tuple[Any, Any] | None:
    """Ids and values, of a pair or of a Series of pandas whose index is more than positions."""
    if isinstance(side, tuple) and len(side) == 2 and all(hasattr(part, "__len__") for part in side):
        return side
    if hasattr(side, "to_numpy") and hasattr(side, "index") and not callable(side.index):
        index = side.index
        positions = type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)
        return None if positions else (list(index), side)
    return None


def _from_table(table: pa.Table, name: str) -> Numbers:
    columns = find_columns(table.column_names, USUAL.get(name, SCORES), source=name)
    return Numbers(as_floats(table[columns.value]), _checked(as_text(table[columns.item], columns.item), name))


def _identified(ids: Any, values: Any, name: str) -> Numbers:
    numbers = _floats(values, name, ids)
    try:
        column = pa.chunked_array([ids if isinstance(ids, pa.Array) else pa.array(list(ids), from_pandas=True)])
    except (pa.ArrowException, TypeError):
        raise DataError(f"{name}: ids are strings or whole numbers, of one kind") from None
    if len(column) != len(numbers):
        raise DataError(f"{name} has {len(column):,} ids and {len(numbers):,} numbers: there must be one for each")
    return Numbers(numbers, _checked(as_text(column, "item"), name))


def _floats(values: Any, name: str, ids: Any = ()) -> Floats:
    try:
        numbers = np.asarray(values, float)
    except (TypeError, ValueError):
        _refuse_words(ids, values, name)
        numbers = np.array(np.nan)
    if numbers.ndim == 0:
        raise MeasureError(
            f"{name} is {type(values).__name__}, of which no numbers can be made: pass a Ranking, a mapping from item "
            "to number, a dataframe, a pair (ids, values) or an array",
        )
    if numbers.ndim != 1:
        raise MeasureError(f"{name} has {numbers.ndim} dimensions; it takes one number for each item")
    return numbers


def _refuse_words(ids: Any, values: Any, name: str) -> None:
    """Name the first item whose value is no number."""
    for item, value in zip(ids, values if hasattr(values, "__iter__") else (), strict=False):
        try:
            float(np.nan if value is None else value)
        except (TypeError, ValueError):
            raise MeasureError(f"{name}: the item {str(item)!r} has {value!r}, which is no number") from None


def _checked(ids: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Refuse ids that are empty or stand more than once."""
    ids = ids.cast(pa.string())
    if ids.null_count or pc.any(pc.equal(ids, "")).as_py():
        raise DataError(f"{name} has an item without an id")
    if len(pc.unique(ids)) < len(ids):
        counts = pc.value_counts(ids.combine_chunks())
        twins = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
        raise DataError(f"{name} has {counted_items(twins.to_pylist())} more than once: keep one of each")
    return ids


def _by_position(read: Mapping[str, Numbers]) -> Aligned:
    sizes = {name: len(side.values) for name, side in read.items()}
    if len(set(sizes.values())) > 1:
        said = " and ".join(f"{name} has {size:,}" for name, size in sizes.items())
        raise MeasureError(
            f"arrays are aligned by position, but {said} numbers: give ids to align by, or equal lengths"
        )
    return Aligned(tuple(side.values for side in read.values()), None, 0)


def _by_id(read: Mapping[str, Numbers], missing: Missing) -> Aligned:
    (first, lead), *others = read.items()
    assert lead.ids is not None
    kept, values, wanting, extra = np.ones(len(lead.values), bool), [], [], set()
    for name, side in others:
        place, strangers = _matched(first, lead.ids, name, side.ids)
        absent = lead.ids.filter(pa.array(place < 0)).to_pylist()
        wanting += [_wanting(first, name, absent), _wanting(name, first, strangers)]
        kept &= place >= 0
        values.append(side.values[place])
        extra.update(strangers)
    if missing == "error" and any(wanting):
        raise MeasureError(
            f"{'; '.join(filter(None, wanting))}. missing='drop' goes on without them (command line: --missing drop)"
        )
    found = tuple(some[kept] for some in (lead.values, *values))
    return Aligned(found, lead.ids.filter(pa.array(kept)), int((~kept).sum()) + len(extra))


def _matched(first: str, lead: pa.ChunkedArray, name: str, ids: pa.ChunkedArray) -> tuple[NDArray[np.int64], list[str]]:
    """Where the ids of the first side are among the others (−1 where they are not), and the others that it lacks."""
    place = pc.fill_null(pc.index_in(lead, value_set=ids.combine_chunks()), -1).to_numpy()
    if not (place >= 0).any():
        own, other = (_shown(some[: SHOWN + 1].to_pylist()) for some in (lead, ids))
        raise MeasureError(f"{first} ({own}) and {name} ({other}) have no item in common: do they use the same ids?")
    return place, ids.filter(pc.invert(pc.is_in(ids, value_set=lead.combine_chunks()))).to_pylist()


def _wanting(where: str, absent: str, items: Sequence[str]) -> str:
    return f"{where} has {counted_items(items)} that {absent} has not" if items else ""


def _known(met: Aligned, names: Sequence[str], missing: Missing) -> Aligned:
    """See that every item has a number on every side."""
    known: NDArray[np.bool_] = np.ones(len(met.values[0]), bool)
    for name, values in zip(names, met.values, strict=True):
        blank = np.isnan(values)
        if missing == "error" and blank.any():
            raise MeasureError(
                f"{name} has no number for {_named(met.ids, blank)}. missing='drop' goes on without them (command "
                "line: --missing drop)",
            )
        known &= ~blank
    if not known.any():
        raise MeasureError(f"no item has a number in {' and in '.join(names)}: there is nothing to measure")
    ids = None if met.ids is None else met.ids.filter(pa.array(known))
    return Aligned(tuple(values[known] for values in met.values), ids, met.dropped + int((~known).sum()))


def _named(ids: pa.ChunkedArray | None, some: NDArray[np.bool_]) -> str:
    if ids is None:
        return counted_items([str(place) for place in np.flatnonzero(some)], thing="position")
    return counted_items(ids.filter(pa.array(some)).to_pylist())


def counted_items(items: Sequence[str], *, thing: str = "item") -> str:
    """How many items, and the first few of them.

    >>> counted_items(["a", "b"]), counted_items(["a"])
    ("2 items ('a', 'b')", "the item 'a'")
    """
    return f"the {thing} {_shown(items)}" if len(items) == 1 else f"{len(items):,} {thing}s ({_shown(items)})"


def _shown(items: Sequence[str]) -> str:
    """The first few, shortened where they are long."""
    return ", ".join([*(repr(shorten(item, NAME_CELLS)) for item in items[:SHOWN]), *(["…"] if items[SHOWN:] else [])])
