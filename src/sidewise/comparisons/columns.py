"""Which column means what: names given by the caller, or the ones that common files use."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from sidewise.errors import ComparisonError

# The names that files of this field use, each tuple one meaning. Other systems' words live here and nowhere else.
PAIRS = (("left", "right"), ("model_a", "model_b"), ("item_a", "item_b"), ("option_a", "option_b"), ("a", "b"))
DECIDED = (("winner", "loser"), ("better", "worse"), ("chosen", "rejected"))
WINNERS = ("winner", "label", "outcome", "choice", "preference")
WORKERS = ("worker", "performer", "judge", "annotator", "observer", "rater", "user")
WEIGHTS = ("weight",)
SEPARATORS = ";\t|"  # besides the comma


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of one table: who was shown where, who won, who said so."""

    left: str
    right: str
    winner: str | None  # None: the left column holds the winners, and the positions are not known
    worker: str | None = None
    weight: str | None = None
    factors: tuple[str, ...] = ()

    @property
    def sided(self) -> bool:
        """Whether the table says what was shown on which side."""
        return self.winner is not None

    def used(self) -> list[str]:
        """The names of the columns to read."""
        some = [self.left, self.right, self.winner, self.worker, self.weight, *self.factors]
        return list(dict.fromkeys(name for name in some if name is not None))


@dataclass(frozen=True, slots=True)
class Naming:
    """What the caller said about the columns; what is None is found by its usual name."""

    left: str | None = None
    right: str | None = None
    winner: str | None = None
    loser: str | None = None
    worker: str | None = None
    weight: str | None = None
    factors: tuple[str, ...] = ()

    def resolve(self, names: Sequence[str], *, source: str) -> Columns:
        """Find every column, or say which is missing and what there is."""
        _refuse_twins(names, source)
        if self.loser is not None and (self.left or self.right):
            raise ComparisonError("say either left, right and winner, or winner and loser, not both")
        if self.loser is not None or self._decided(names):
            left, right, winner = *self._decided_pair(names, source), None
        else:
            left, right = self._pair(names, source)
            winner = self._one("winner", self.winner, WINNERS, names, source)
            if winner is None:
                raise _missing("winner", WINNERS, names, source)
        columns = Columns(
            left,
            right,
            winner,
            self._one("worker", self.worker, WORKERS, names, source),
            self._one("weight", self.weight, WEIGHTS, names, source),
            self.factors,
        )
        for name in columns.used():
            if name not in names:
                raise ComparisonError(f"{source}: no column {name!r}; there are {_listed(names)}")
        return columns

    def _decided(self, names: Sequence[str]) -> bool:
        given = self.left or self.right or any(a in names and b in names for a, b in PAIRS)
        return not given and any(a in names and b in names for a, b in DECIDED)

    def _decided_pair(self, names: Sequence[str], source: str) -> tuple[str, str]:
        if self.loser is not None:
            return self.winner or "winner", self.loser
        return _only("winner and loser", [pair for pair in DECIDED if set(pair) <= set(names)], source)

    def _pair(self, names: Sequence[str], source: str) -> tuple[str, str]:
        if self.left and self.right:
            return self.left, self.right
        if self.left or self.right:
            raise ComparisonError("name both columns of a pair: left= and right=")
        found = [pair for pair in PAIRS if set(pair) <= set(names)]
        if not found:
            raise _missing("left and right", [" and ".join(pair) for pair in PAIRS], names, source)
        return _only("left and right", found, source)

    @staticmethod
    def _one(meaning: str, given: str | None, usual: Sequence[str], names: Sequence[str], source: str) -> str | None:
        if given is not None:
            return given
        found = [name for name in usual if name in names]
        return _only(meaning, found, source) if found else None


def _only(meaning: str, found: Sequence[T], source: str) -> T:
    if len(found) > 1:
        raise ComparisonError(
            f"{source}: more than one column could be {meaning}: {_listed(found)}; say which, for example "
            f"{meaning.split(maxsplit=1)[0]}={found[0]!r}",
        )
    return found[0]


def _refuse_twins(names: Sequence[str], source: str) -> None:
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        raise ComparisonError(f"{source}: the column name {twins[0]!r} stands more than once; rename one of them")


def refuse_one_column(names: Sequence[str], source: str) -> None:
    """Refuse a header in one piece that holds signs which separate columns elsewhere."""
    marks = [mark for mark in SEPARATORS if len(names) == 1 and mark in names[0]]
    if marks:
        raise ComparisonError(
            f"{source}: one column only, named {names[0]!r}: if another sign separates the columns, "
            f"say so with delimiter={marks[0]!r} (command line: --delimiter {marks[0]!r})",
        )


def _missing(meaning: str, usual: Sequence[str], names: Sequence[str], source: str) -> ComparisonError:
    refuse_one_column(names, source)
    return ComparisonError(
        f"{source}: no column for {meaning}; there are {_listed(names)}. Name it (as in left='a', right='b', "
        f"winner='choice'; command line: --left a --right b --winner choice) or use a usual name: {', '.join(usual)}",
    )


def _listed(names: Sequence[object]) -> str:
    return ", ".join(repr(name) for name in names) or "none"
