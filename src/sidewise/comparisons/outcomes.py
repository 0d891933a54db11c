"""Who won: outcomes given as the item itself, as a side, or as a number, all turned into 1, 0 or something between."""

from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sidewise.comparisons.arrow import Floats, Mask, as_floats, as_mask, encode
from sidewise.errors import ComparisonError

WinnerIs = Literal["item", "side", "number"]
Undecided = Literal["tie", "drop"]

LEFT = ("left", "first", "model_a", "option_a")
RIGHT = ("right", "second", "model_b", "option_b")
LETTERS = {"a": 1.0, "l": 1.0, "b": 0.0, "r": 0.0}  # words only where no item has such a name
TIE = (
    "tie", "tied", "draw", "equal", "same", "both", "neither", "no preference",
    "tie (bothbad)", "bothbad", "both_bad", "both bad", "both_good", "both good",
)  # fmt: skip
UNDECIDED = (
    "can't decide", "cannot decide", "cant decide", "can not decide", "can’t decide", "undecided", "unsure",
    "don't know", "skip", "skipped",
)  # fmt: skip

DROPPED = "undecided, dropped as asked"


@dataclass(frozen=True, slots=True)
class OutcomeRules:
    """What the caller said about the winner column."""

    winner_is: WinnerIs | None = None
    undecided: Undecided | None = None
    outcomes: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.winner_is not in (None, *get_args(WinnerIs)):
            raise ComparisonError(f"winner_is={self.winner_is!r} is not one of {', '.join(get_args(WinnerIs))}")
        if self.undecided not in (None, *get_args(Undecided)):
            raise ComparisonError(f"undecided={self.undecided!r} is not one of {', '.join(get_args(Undecided))}")
        for word, value in self.outcomes.items():
            if not isinstance(value, int | float) or not 0 <= value <= 1:
                raise ComparisonError(f"outcomes[{word!r}] is {value!r}, which is not between 0 (right) and 1 (left)")

    def words(self, left_column: str, right_column: str, items: Container[str]) -> dict[str, float]:
        """What every word means; NaN stands for an answer that the caller has not said how to read, or to drop."""
        if self.outcomes:
            return dict(self.outcomes)
        letters = {word: side for word, side in LETTERS.items() if word not in items and word.upper() not in items}
        undecided = 0.5 if self.undecided == "tie" else np.nan
        return {
            **letters,
            left_column.lower(): 1.0,
            right_column.lower(): 0.0,
            **dict.fromkeys(LEFT, 1.0),
            **dict.fromkeys(RIGHT, 0.0),
            **dict.fromkeys(TIE, 0.5),
            **dict.fromkeys(UNDECIDED, undecided),
        }

    def undecided_reason(self) -> str:
        """Why an undecided row is not kept."""
        return DROPPED if self.undecided == "drop" else "undecided"


class Reading(NamedTuple):
    """One column of outcomes, read one way: the values (NaN: undecided), and the rows that cannot be read so."""

    value: Floats
    bad: Mask


def read_as_items(
    left: pa.ChunkedArray, right: pa.ChunkedArray, winner: pa.ChunkedArray, words: Mapping[str, float]
) -> Reading:
    """The winner is named by its id; a tie word is a tie."""
    is_left, is_right = (as_mask(pc.equal(winner, side)) for side in (left, right))
    other = ~(is_left | is_right)
    value = is_left.astype(float)
    if not other.any():
        return Reading(value, other)
    ties = read_as_words(winner, {word: value for word, value in words.items() if value not in (0.0, 1.0)})
    value[other] = ties.value[other]
    return Reading(value, other & ties.bad)


def read_as_words(winner: pa.ChunkedArray, words: Mapping[str, float]) -> Reading:
    """The winner is named by a word, written in any case."""
    codes, distinct = encode(winner)
    meanings = [words.get(word, words.get(word.strip().lower())) for word in distinct]
    value = np.array([0.0 if meaning is None else meaning for meaning in meanings] + [0.0])
    bad = np.array([meaning is None for meaning in meanings] + [True])
    return Reading(value[codes], bad[codes])


def read_as_numbers(winner: pa.ChunkedArray) -> Reading:
    """The winner is a number between 0 (right) and 1 (left)."""
    value = as_floats(winner)
    bad = ~((value >= 0) & (value <= 1))
    return Reading(np.where(bad, 0.0, value), bad)


def readings(
    winner: pa.ChunkedArray, left: pa.ChunkedArray, right: pa.ChunkedArray, words: Mapping[str, float],
    kinds: Collection[WinnerIs],
) -> dict[WinnerIs, Reading]:  # fmt: skip
    """The column read in each of the given ways."""
    read: dict[WinnerIs, Reading] = {}
    if "item" in kinds:
        read["item"] = read_as_items(left, right, winner, words)
    if "side" in kinds:
        read["side"] = read_as_words(winner, words)
    if "number" in kinds:
        read["number"] = read_as_numbers(winner)
    return read


def plausible(
    winner: pa.ChunkedArray, left: pa.ChunkedArray, right: pa.ChunkedArray, words: Mapping[str, float]
) -> list[WinnerIs]:
    """The ways of reading that fit at least half of the first rows: the others need not be tried on all."""
    some = slice(1000)
    head = readings(winner[some], left[some], right[some], words, get_args(WinnerIs))
    fitting = [kind for kind, reading in head.items() if reading.bad.sum() <= len(reading.bad) / 2]
    return fitting or list(head)


def decide(read: Mapping[WinnerIs, Reading], good: Mask, column: str) -> WinnerIs:
    """How the winner column is to be read: the only way that fits, or else the way that fits most rows."""
    misfits = {kind: int((reading.bad & good).sum()) for kind, reading in read.items()}
    fitting = [kind for kind, count in misfits.items() if count == 0]
    if len(fitting) > 1:
        first, *others = (read[kind].value[good] for kind in fitting)
        if not all(np.array_equal(first, other, equal_nan=True) for other in others):
            raise ComparisonError(
                f"the column {column!r} can be read in more than one way ({' or '.join(fitting)}), with different "
                f"results; say which: winner_is={fitting[0]!r} or winner_is={fitting[1]!r} (command line: --winner-is)",
            )
    return min(misfits, key=lambda kind: misfits[kind])
