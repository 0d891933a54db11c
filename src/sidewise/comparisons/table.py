"""``Comparisons``: the one table of judgments."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from sidewise.comparisons.arrow import Codes, Floats, from_frame
from sidewise.comparisons.columns import Naming
from sidewise.comparisons.counts import PairCounts, accumulate, pair_counts
from sidewise.comparisons.files import Progress, read_pieces, sources
from sidewise.comparisons.index import Encoder, Index, is_missing
from sidewise.comparisons.outcomes import OutcomeRules, Undecided, WinnerIs
from sidewise.comparisons.parse import OnBad, Parser, Piece, Rows
from sidewise.comparisons.rejects import Rejects
from sidewise.comparisons.summary import Summary, summarise
from sidewise.errors import ComparisonError

RELEASE_PAYS = 150_000  # rows
TAKEN = ("", "left", "right", "winner", "loser", "worker", "weight", "side")  # names that no factor may have
MOST_ROWS = 10**8  # that counts may be written out to


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Side-by-side judgments: who was shown where, who won, who said so.

    Ids are kept once, as strings, in ``items`` and ``workers``; the columns hold their codes. An outcome is 1 where
    the left item won, 0 where the right one did, 0.5 for a tie; what lies between is a soft judgment. Factors are
    seen from the left: +1 favours the left item, −1 the right one. Build one with :func:`sidewise.read`,
    :meth:`from_frame`, :meth:`from_arrays`, :meth:`from_matrix` or :meth:`from_counts`; they check every row.

    >>> answers = Comparisons.from_arrays(left=["tea", "tea"], right=["coffee", "water"], winner=["tea", "water"])
    >>> answers
    Comparisons(3 items, 2 comparisons)
    """

    left: Codes
    right: Codes
    outcome: Floats
    items: Index
    worker: Codes | None = None
    workers: Index = field(default_factory=Index)
    weight: Floats | None = None
    factors: Mapping[str, Floats] = field(default_factory=dict)
    sided: bool = True  # whether left and right are where the items were shown
    rejects: Rejects = field(default_factory=Rejects, compare=False)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        left: str | None = None,
        right: str | None = None,
        winner: str | None = None,
        loser: str | None = None,
        worker: str | None = None,
        weight: str | None = None,
        factors: Sequence[str] = (),
        items: Iterable[str] = (),
        winner_is: WinnerIs | None = None,
        undecided: Undecided | None = None,
        outcomes: Mapping[str, float] | None = None,
        on_bad: OnBad = "raise",
    ) -> "Comparisons":
        """Take judgments from any dataframe that speaks the Arrow PyCapsule protocol (pandas, polars, DuckDB …).

        Parameters
        ----------
        frame
            The dataframe.
        left, right, winner
            Names of the columns; where they are not given, the usual names are looked for.
        loser
            For data of winners and losers: the loser's column, with the winner's in ``winner``.
        worker, weight, factors
            Names of further columns.
        items
            The whole set of items, so that one nobody has seen yet is still there to be ranked.
        winner_is
            How to read the winner column, where that is not clear: "item", "side" or "number".
        undecided
            What to do with answers such as "can't decide": keep each as a "tie", or "drop" it.
        outcomes
            What the words of the winner column mean, where they are not the usual ones: 1 left, 0 right, 0.5 tie.
        on_bad
            "raise" refuses the data if a row is bad; "skip" keeps the good rows, and the bad ones in ``rejects``.
        """
        names = Naming(left, right, winner, loser, worker, weight, _names(factors))
        parser = Parser(names, OutcomeRules(winner_is, undecided, outcomes or {}), on_bad, _known(items))
        return _gather(parser, [Piece(from_frame(frame), "the data")])

    @classmethod
    def from_arrays(
        cls,
        *,
        left: ArrayLike | None = None,
        right: ArrayLike | None = None,
        winner: ArrayLike,
        loser: ArrayLike | None = None,
        worker: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        factors: Mapping[str, ArrayLike] | None = None,
        items: Iterable[str] = (),
        winner_is: WinnerIs | None = None,
        undecided: Undecided | None = None,
        on_bad: OnBad = "raise",
    ) -> "Comparisons":
        """Take judgments from arrays or lists of equal length; ``items`` names the whole set.

        >>> Comparisons.from_arrays(winner=["a", "b"], loser=["b", "c"], items=["a", "b", "c", "d"])
        Comparisons(4 items, 2 comparisons)
        """
        columns = {"left": left, "right": right, "winner": winner, "loser": loser, "worker": worker, "weight": weight}
        given = {name: values for name, values in columns.items() if values is not None}
        if not (factors is None or isinstance(factors, Mapping)):
            raise ComparisonError(
                f"factors maps names to columns, as in factors={{'logo': [1, 0, …]}}, not {factors!r}"
            )
        named = _names(tuple(factors or ()))
        table = {name: _array(values, name) for name, values in {**given, **(factors or {})}.items()}
        lengths = {name: len(values) for name, values in table.items()}
        if len(set(lengths.values())) > 1:
            raise ComparisonError(f"the arrays differ in length: {lengths}")
        return cls.from_frame(
            pa.table(table),
            left=_named("left", given),
            right=_named("right", given),
            winner="winner",
            loser=_named("loser", given),
            worker=_named("worker", given),
            weight=_named("weight", given),
            factors=named,
            items=items,
            winner_is=winner_is,
            undecided=undecided,
            on_bad=on_bad,
        )

    @classmethod
    def from_matrix(cls, wins: ArrayLike, items: Sequence[str]) -> "Comparisons":
        """Take a matrix of counts: how often the item of the row beat the item of the column.

        >>> Comparisons.from_matrix([[0, 3], [1, 0]], ["a", "b"])
        Comparisons(2 items, 4 comparisons)
        """
        matrix = np.asarray(wins, float)
        if matrix.shape != (len(items), len(items)):
            raise ComparisonError(f"the matrix is {matrix.shape}, but there are {len(items)} items")
        if np.diagonal(matrix).any():
            code = int(np.flatnonzero(np.diagonal(matrix))[0])
            raise ComparisonError(f"the matrix says that {items[code]!r} beat itself; its diagonal must be 0")
        row, column = np.nonzero(matrix)
        names = np.array(list(items), object)
        return cls.from_counts(names[row].tolist(), names[column].tolist(), matrix[row, column], items=items)

    @classmethod
    def from_counts(
        cls, winner: Sequence[str], loser: Sequence[str], count: ArrayLike, *, items: Iterable[str] = ()
    ) -> "Comparisons":
        """Take counts: how often each winner beat each loser. Every count becomes that many comparisons."""
        counts = np.asarray(count, float)
        whole = np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts))
        if not whole.all():
            value = counts[~whole][0]
            raise ComparisonError(f"{value} is not a count; for fractions use from_arrays with weight=")
        if (total := counts.sum()) > MOST_ROWS:
            cure = "use from_arrays with one row a pair and weight="
            raise ComparisonError(f"{total:,.0f} comparisons are too many to hold one by one; {cure}")
        repeats = counts.astype(np.int64)
        won, lost = (np.repeat(np.asarray(side, object), repeats) for side in (winner, loser))
        return cls.from_arrays(winner=won, loser=lost, items=items)

    def __len__(self) -> int:
        return len(self.left)

    def __repr__(self) -> str:
        crowd = f", {len(self.workers):,} workers" if self.worker is not None else ""
        return f"Comparisons({len(self.items):,} items, {len(self):,} comparisons{crowd})"

    @property
    def rows(self) -> Rows:
        """The columns."""
        return Rows(self.left, self.right, self.outcome, self.worker, self.weight, dict(self.factors))

    def counts(self) -> PairCounts:
        """Wins and ties of every pair: all that a model without workers needs."""
        return pair_counts(self.items, self.rows, sided=self.sided)

    def summary(self) -> Summary:
        """Sizes, sides, and whether the comparison graph holds together."""
        return summarise(self.counts(), workers=len(self.workers), ties=int((self.outcome == 0.5).sum()))

    def select(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> "Comparisons":
        """Some of the rows, by mask or by position; items and workers stay known."""
        return self._with(self.rows.keep(rows))

    def mirror(self) -> "Comparisons":
        """The same judgments with left and right exchanged."""
        flipped = {name: -values for name, values in self.factors.items()}
        return replace(self, left=self.right, right=self.left, outcome=1 - self.outcome, factors=flipped)

    def weights(self) -> Floats:
        """The weight of every row; 1 where none was given."""
        return np.ones(len(self)) if self.weight is None else self.weight

    @property
    def digest(self) -> str:
        """A fingerprint of the data: the same rows in the same order give the same one."""
        content = sha256("\n".join([*self.items, "", *self.workers]).encode())
        for column in (self.left, self.right, self.outcome, self.worker, self.weight, *self.factors.values()):
            if column is not None:
                content.update(np.ascontiguousarray(column).data)
        return content.hexdigest()[:16]

    def to_frame(self) -> pa.Table:
        """The judgments as an Arrow table of left, right, outcome, worker, weight and the factors."""
        columns: dict[str, Any] = {"left": _labels(self.items, self.left), "right": _labels(self.items, self.right)}
        columns["outcome"] = self.outcome
        if self.worker is not None:
            columns["worker"] = _labels(self.workers, self.worker)
        if self.weight is not None:
            columns["weight"] = self.weight
        return pa.table({**columns, **self.factors})

    def _with(self, rows: Rows) -> "Comparisons":
        return replace(
            self, left=rows.left, right=rows.right, outcome=rows.outcome, worker=rows.worker, weight=rows.weight,
            factors=rows.factors,
        )  # fmt: skip


def read(
    path: str | Path,
    *,
    left: str | None = None,
    right: str | None = None,
    winner: str | None = None,
    loser: str | None = None,
    worker: str | None = None,
    weight: str | None = None,
    factors: Sequence[str] = (),
    items: Iterable[str] = (),
    winner_is: WinnerIs | None = None,
    undecided: Undecided | None = None,
    outcomes: Mapping[str, float] | None = None,
    on_bad: OnBad = "raise",
    delimiter: str | None = None,
    progress: Progress | None = None,
) -> Comparisons:
    """Read judgments from CSV, TSV, Parquet or JSON Lines, gzipped or not, from one file or a glob of parts.

    The columns and rules are those of :meth:`Comparisons.from_frame`. ``delimiter`` separates the columns of a text
    file, where it is not a comma (a tab in .tsv). ``progress`` is called with the bytes done and the bytes in all.
    """
    names = Naming(left, right, winner, loser, worker, weight, _names(factors))
    parser = Parser(names, OutcomeRules(winner_is, undecided, outcomes or {}), on_bad, _known(items))
    pieces = read_pieces(sources(path, delimiter=delimiter), parser, whole=True, progress=progress)
    return _gather(parser, pieces)


def read_counts(
    path: str | Path,
    *,
    left: str | None = None,
    right: str | None = None,
    winner: str | None = None,
    loser: str | None = None,
    weight: str | None = None,
    items: Iterable[str] = (),
    winner_is: WinnerIs | None = None,
    undecided: Undecided | None = None,
    outcomes: Mapping[str, float] | None = None,
    on_bad: OnBad = "raise",
    delimiter: str | None = None,
    progress: Progress | None = None,
) -> PairCounts:
    """Reduce files of any size to pair counts, in memory that grows with distinct pairs and not with rows.

    The arguments are those of :func:`sidewise.read`; workers and factors are not kept. Models that know no workers
    take pair counts wherever they take comparisons.
    """
    names = Naming(left, right, winner, loser, None, weight)
    rules = OutcomeRules(winner_is, undecided, outcomes or {})
    parser = Parser(names, rules, on_bad, _known(items), know_workers=False)
    asked = len(parser.items)
    pieces = read_pieces(sources(path, delimiter=delimiter), parser, whole=False, progress=progress)
    counted = accumulate(parser.parse(pieces))
    pa.default_memory_pool().release_unused()  # what the pieces were read into
    assert parser.columns is not None
    found = replace(counted.counts(parser.items.index(), sided=parser.columns.sided), rejects=parser.rejects)
    if not parser.rejects:
        return found
    first, second, known = _compact(found.items, (found.first, found.second), keep=asked)
    return replace(found, first=first, second=second, items=known)


def _gather(parser: Parser, pieces: Iterable[Piece]) -> Comparisons:
    """All checked rows as one table."""
    asked = len(parser.items)
    parts = list(parser.parse(pieces))
    assert parser.columns is not None
    rows = parts[0] if len(parts) == 1 else _joined(parts)
    if parser.rows > RELEASE_PAYS:
        pa.default_memory_pool().release_unused()  # Arrow keeps what it has read with: several times what is left
    found = Comparisons(
        rows.left, rows.right, rows.outcome, parser.items.index(), rows.worker, parser.workers.index(), rows.weight,
        rows.factors, parser.columns.sided, parser.rejects,
    )  # fmt: skip
    return _without_strangers(found, asked) if parser.rejects else found


def _joined(parts: Sequence[Rows]) -> Rows:
    def column(name: str) -> Any:
        some = [getattr(part, name) for part in parts]
        return None if some[0] is None else np.concatenate(some)

    factors = {name: np.concatenate([part.factors[name] for part in parts]) for name in parts[0].factors}
    return Rows(column("left"), column("right"), column("outcome"), column("worker"), column("weight"), factors)


def _without_strangers(found: Comparisons, asked: int) -> Comparisons:
    """Forget items and workers that only refused rows spoke of; items that the caller named stay."""
    left, right, items = _compact(found.items, (found.left, found.right), keep=asked)
    if found.worker is None:
        return replace(found, left=left, right=right, items=items)
    worker, workers = _compact(found.workers, (found.worker,), keep=0)
    return replace(found, left=left, right=right, items=items, worker=worker, workers=workers)


def _compact(index: Index, columns: tuple[Codes, ...], *, keep: int) -> tuple[Any, ...]:
    used = np.zeros(len(index), bool)
    used[:keep] = True
    for column in columns:
        used[column] = True
    renumbered = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return *(renumbered[column] for column in columns), Index(np.array(index, object)[used].tolist())


def _labels(index: Index, codes: Codes) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(list(index), pa.string())).cast(pa.string())


def _names(factors: Sequence[str]) -> tuple[str, ...]:
    if isinstance(factors, str):
        raise ComparisonError(f"factors is a list of names: factors=[{factors!r}]")
    for name in factors:
        if name in TAKEN:
            raise ComparisonError(f"a factor cannot be named {name!r}, which means something else here: rename it")
    return tuple(factors)


def _named(name: str, given: Mapping[str, object]) -> str | None:
    return name if name in given else None


def _array(values: ArrayLike, name: str) -> pa.Array:
    if isinstance(values, Sequence) and any(isinstance(value, str) for value in values):
        # In a list of words NaN is a missing word, as pandas has it, and not the word "nan".
        values = np.array([None if value != value else value for value in values], object)  # noqa: PLR0124
    try:
        return pa.array(np.asarray(values) if isinstance(values, Sequence) else values)
    except pa.ArrowException as error:
        raise ComparisonError(f"{name} cannot be read: {error}") from None


def _known(items: Iterable[str]) -> Encoder:
    """The items that the caller names."""
    if isinstance(items, str):
        raise ComparisonError(f"items is a list of ids: items=[{items!r}]")
    named = ["" if is_missing(item) else str(item) for item in items]
    for item in named:
        if item.strip() != item or not item:
            raise ComparisonError(f"items: {item!r} is empty or has blanks around it")
    return Encoder(named)
