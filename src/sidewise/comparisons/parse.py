"""The one place where judgments are checked: a table of any origin in, codes and outcomes out, bad rows set aside."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sidewise.comparisons.arrow import Codes, Floats, Mask, as_floats, as_mask, as_text, is_text
from sidewise.comparisons.columns import Columns, Naming
from sidewise.comparisons.index import MISSING, PADDED, Encoder
from sidewise.comparisons.outcomes import DROPPED, OutcomeRules, Reading, decide, plausible, readings
from sidewise.comparisons.rejects import Rejects
from sidewise.errors import ComparisonError, NoComparisons

OnBad = Literal["raise", "skip"]
ENOUGH_BAD = 100_000  # a file this broken is reported without reading on


class Piece(NamedTuple):
    """Some rows of one source; ``offset`` rows of it came before, not counting those whose numbers are in ``gaps``."""

    table: pa.Table
    source: str
    offset: int = 0
    gaps: Sequence[int] = ()

    def numbers(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Row numbers as a person counts them: from 1, below the header."""
        found = positions + self.offset + 1
        for gap in sorted(self.gaps):
            found += found >= gap
        return found


class Rows(NamedTuple):
    """Checked rows."""

    left: Codes
    right: Codes
    outcome: Floats
    worker: Codes | None
    weight: Floats | None
    factors: dict[str, Floats]

    def keep(self, mask: Mask | NDArray[np.int64]) -> "Rows":
        """Some of the rows, by mask or by position."""
        return Rows(
            self.left[mask],
            self.right[mask],
            self.outcome[mask],
            None if self.worker is None else self.worker[mask],
            None if self.weight is None else self.weight[mask],
            {name: values[mask] for name, values in self.factors.items()},
        )


@dataclass
class Parser:
    """Checks pieces one after the other; codes given in one hold in all."""

    naming: Naming = field(default_factory=Naming)
    rules: OutcomeRules = field(default_factory=OutcomeRules)
    on_bad: OnBad = "raise"
    items: Encoder = field(default_factory=Encoder)
    know_workers: bool = True
    workers: Encoder = field(default_factory=Encoder)
    rejects: Rejects = field(default_factory=Rejects)
    columns: Columns | None = None
    rows: int = 0

    def __post_init__(self) -> None:
        if self.on_bad not in get_args(OnBad):
            raise ComparisonError(f"on_bad={self.on_bad!r} is not one of {', '.join(get_args(OnBad))}")
        self._winner_is = self.rules.winner_is
        self._source = "the data"

    def resolve(self, names: list[str], source: str) -> Columns:
        """Find the columns, and see that every part of the data has the same ones."""
        columns = self.naming.resolve(names, source=source)
        if not self.know_workers:
            columns = replace(columns, worker=None)
        if self.columns is not None and columns != self.columns:
            raise ComparisonError(f"{source}: its columns differ from those of the parts before it")
        self.columns = columns
        return columns

    def parse(self, pieces: Iterable[Piece]) -> Iterator[Rows]:
        """Check all pieces; at the end, refuse the whole if a row was bad and ``on_bad`` is 'raise'."""
        for piece in pieces:
            self._source = piece.source
            try:
                rows = self._parse(piece)
            except ComparisonError as error:
                raise (
                    error if str(error).startswith(piece.source) else ComparisonError(f"{piece.source}: {error}")
                ) from None
            yield rows
            if self.on_bad == "raise" and len(self.rejects) >= ENOUGH_BAD:
                break
        if self.on_bad == "raise" and self.rejects.counts.keys() - {DROPPED}:
            raise ComparisonError(self.rejects.message(self.rows))
        if self.rows == len(self.rejects):
            what = f"none of the {self.rows:,} rows is good" if self.rows else "there are no rows"
            kind = ComparisonError if self.rows else NoComparisons
            raise kind(f"{self._source}: {what}, so there is nothing to compare")

    def _parse(self, piece: Piece) -> Rows:
        table, columns = piece.table, self.resolve(piece.table.column_names, piece.source)
        self.rows += table.num_rows
        bad = _Bad(table.num_rows)
        left, right = (as_text(table[name], name) for name in (columns.left, columns.right))
        first, second = self.items.encode(left, right)
        for side, name in ((first, columns.left), (second, columns.right)):
            bad.mark(side == MISSING, "missing item", name)
            bad.mark(side == PADDED, "blank around id", name)
        bad.mark(first == second, "item against itself", columns.left)
        rows = Rows(
            first,
            second,
            self._outcome(table, columns, left, right, bad),
            self._worker(table, columns.worker, bad),
            _numbers(table, columns.weight, bad, "bad weight", least=0.0) if columns.weight else None,
            {name: _numbers(table, name, bad, "bad factor") for name in columns.factors},
        )
        if not bad.any():
            return rows
        self._reject(piece, bad)
        return rows.keep(~bad.mask)

    def _outcome(
        self, table: pa.Table, columns: Columns, left: pa.ChunkedArray, right: pa.ChunkedArray, bad: "_Bad"
    ) -> Floats:
        if columns.winner is None:  # the left column holds the winners
            return np.ones(table.num_rows)
        column = table[columns.winner]
        bad.mark(_missing(column), "missing outcome", columns.winner)
        reading = self._reading(column, columns, left, right, ~bad.mask)
        bad.mark(reading.bad, "unknown outcome", columns.winner)
        bad.mark(np.isnan(reading.value), self.rules.undecided_reason(), columns.winner)
        return reading.value

    def _reading(
        self, column: pa.ChunkedArray, columns: Columns, left: pa.ChunkedArray, right: pa.ChunkedArray, good: Mask
    ) -> Reading:
        """The winner column, read as the caller said or as it fits; the first piece decides for all."""
        assert columns.winner is not None
        words = self.rules.words(columns.left, columns.right, self.items)
        if _only_numbers(column.type):
            if self._winner_is in ("item", "side"):
                raise ComparisonError(f"{columns.winner!r} holds {column.type} values, no {self._winner_is}s")
            return readings(column, left, right, words, ["number"])["number"]
        winner = as_text(column, columns.winner)
        if self.rules.outcomes:
            return readings(winner, left, right, words, ["side"])["side"]
        if left.type != winner.type:
            winner = pc.cast(winner, left.type)
        if right.type != left.type:
            right = pc.cast(right, left.type)
        kinds = [self._winner_is] if self._winner_is else plausible(winner, left, right, words)
        read = readings(winner, left, right, words, kinds)
        if self._winner_is is None:
            self._winner_is = decide(read, good, columns.winner)
        return read[self._winner_is]

    def _worker(self, table: pa.Table, name: str | None, bad: "_Bad") -> Codes | None:
        if name is None:
            return None
        (codes,) = self.workers.encode(as_text(table[name], name))
        bad.mark(codes == MISSING, "missing worker", name)
        bad.mark(codes == PADDED, "blank around id", name)
        return codes

    def _reject(self, piece: Piece, bad: "_Bad") -> None:
        rows = np.flatnonzero(bad.mask)
        refused = piece.table.take(pa.array(rows))
        marks = [bad.marks[code] for code in bad.code[rows]]
        self.rejects.add(refused, piece.source, piece.numbers(rows), marks)


class _Bad:
    """Which rows are bad and why: the first reason stands."""

    def __init__(self, rows: int) -> None:
        self.mask: Mask = np.zeros(rows, bool)
        self.code = np.full(rows, -1, np.int16)
        self.marks: list[tuple[str, str]] = []  # reason and column

    def mark(self, rows: Mask, reason: str, column: str) -> None:
        new = rows & ~self.mask
        if new.any():
            self.code[new] = len(self.marks)
            self.marks.append((reason, column))
            self.mask |= new

    def any(self) -> bool:
        return bool(self.marks)


def _only_numbers(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_boolean(kind) or pa.types.is_decimal(kind))


def _missing(column: pa.ChunkedArray) -> Mask:
    """Which outcomes are null, not a number, or empty."""
    missing = as_mask(pc.is_null(column, nan_is_null=True))
    return missing | as_mask(pc.equal(pc.binary_length(column), 0)) if is_text(column.type) else missing


def _numbers(table: pa.Table, name: str, bad: _Bad, reason: str, *, least: float = -np.inf) -> Floats:
    value = as_floats(table[name])
    bad.mark(~(np.isfinite(value) & (value >= least)), reason, name)
    return value
