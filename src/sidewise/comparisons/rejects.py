"""Rows that were refused: each with where it stood and why, so that nothing is lost silently."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from numpy.typing import NDArray

SHOWN = 5

# What to do about each kind of bad row: one sentence, said once per kind.
CURES = {
    "missing item": "give both items an id, or leave the row out",
    "blank around id": "strip the blanks: they would make two items of one",
    "item against itself": "leave the row out: it says nothing",
    "missing outcome": "say who won, or leave the row out",
    "unknown outcome": "use the winning item's id, left/right/tie, or a number from 0 to 1; other words can be "
    "explained with outcomes={'word': 1.0} (command line: --outcome word=left)",
    "undecided": "say what to do with such answers: undecided='tie' or undecided='drop' (command line: --undecided)",
    "missing worker": "give every row a worker, or do not name a worker column",
    "bad weight": "weights are finite numbers, 0 or more",
    "bad factor": "factors are finite numbers, such as −1, 0 and 1",
    "wrong number of fields": "every row needs as many fields as the header; quote a field that holds the delimiter",
}


@dataclass(slots=True)
class Rejects:
    """Refused rows, in the order in which they were met."""

    rows: list[pa.Table] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.counts.total()

    def __bool__(self) -> bool:
        return len(self) > 0

    def add(self, table: pa.Table, source: str, numbers: NDArray[np.int64], marks: list[tuple[str, str]]) -> None:
        """Note refused rows: the rows as they came, their numbers, and for each the reason and the column to blame."""
        for position, (number, (reason, column)) in enumerate(zip(numbers.tolist(), marks, strict=True)):
            self.counts[reason] += 1
            seen = self.examples.setdefault(reason, [])
            if len(seen) < SHOWN:
                seen.append(f"{source} row {number}: {column} is {table[column][position].as_py()!r}")
        told = {
            "source": pa.array([source] * len(numbers), pa.string()),
            "row": pa.array(numbers, pa.int64()),
            "reason": pa.array([reason for reason, _ in marks], pa.string()),
        }
        # A file may have columns of these names itself: both are kept.
        kept = {f"{name}_given" if name in told else name: table[name] for name in table.column_names}
        self.rows.append(pa.table({**told, **kept}))

    def table(self) -> pa.Table:
        """All refused rows: source, row, reason, then the columns as they came."""
        if not self.rows:
            return pa.table({"source": pa.array([], pa.string()), "row": pa.array([], pa.int64()),
                             "reason": pa.array([], pa.string())})  # fmt: skip
        return pa.concat_tables(self.rows, promote_options="permissive")

    def write(self, path: str | Path) -> None:
        """Write all refused rows to a CSV file."""
        pacsv.write_csv(self.table(), path)

    def message(self, rows: int) -> str:
        """How many rows are bad, by kind, with the first few of each and the cure."""
        first = next(iter(self.examples))
        if len(self) == 1:
            return f"{self.examples[first][0]}: {first}; {CURES.get(first, '')}"
        lines = [f"{len(self):,} of {rows:,} rows are bad (none was used):"]
        for kind, count in self.counts.most_common():
            lines.append(f"  {kind}: {count:,} rows; {CURES.get(kind, '')}")
            lines += [f"    {example}" for example in self.examples[kind][: SHOWN if len(self.counts) < 4 else 2]]
        lines.append("  To go on without them: on_bad='skip' (command line: --skip-bad rejects.csv)")
        return "\n".join(lines)
