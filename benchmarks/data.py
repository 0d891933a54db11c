"""The simulated data that every tool gets: written once as Parquet, in pieces, and read again by every process.

Scores are drawn from N(0, spread²), pairs uniformly among all pairs, winners by the Bradley–Terry model, without
ties, since not every tool knows them. Uniform pairs are the hard case for tools that count pairs: hardly any repeat.

``python data.py NAME`` makes a data set, unless it is there.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
from numpy.typing import NDArray

FOLDER = Path(__file__).parent / "data"
PIECE = 1 << 20
COLUMNS = ("left", "right", "winner", "worker")
# The length and look of the ids of IMDB-WIKI-SbS, on a host that does not exist.
URL = "https://images.imdb-wiki-sbs.example/datasets/imdb-wiki/crops/{:02d}/nm{:07d}_rm{:010d}_1958-7-12_2009.jpg"


@dataclass(frozen=True)
class DataSet:
    """What is simulated; the same numbers always give the same file."""

    name: str
    items: int
    comparisons: int
    spread: float
    urls: bool = False
    workers: int = 0
    seed: int = 2026

    @property
    def path(self) -> Path:
        """The file; its name states its making, so that a changed data set is never mistaken for an old file."""
        made = f"{self.items}x{self.comparisons}-spread{self.spread}-workers{self.workers}-seed{self.seed}"
        return FOLDER / f"{self.name}-{made}.parquet"

    def csv(self, winner: str) -> Path:
        """The same as CSV, with the winner as an "item" or as a "side"."""
        return self.path.with_suffix(f".{winner}.csv")

    def ids(self) -> list[str]:
        """The ids of the items, by code."""
        if self.urls:
            return [URL.format(code % 100, code * 7919 % 10**7, code * 104_729 % 10**10) for code in range(self.items)]
        return [f"item-{code:05d}" for code in range(self.items)]


SETS = {
    made.name: made
    for made in (
        DataSet("thousand", 50, 1_000, 1.0),
        DataSet("models", 1_000, 100_000, 1.0, urls=True, workers=500),
        DataSet("faces", 9_150, 250_249, 0.8, urls=True),
        # A wider spread: some items win or lose every time, as in the real IMDB-WIKI-SbS.
        DataSet("unbeaten", 9_150, 250_249, 2.0, urls=True),
        DataSet("large", 100_000, 10**7, 1.0),
        DataSet("huge", 10_000, 10**8, 1.0),
    )
}


def frame(data: DataSet, *, workers: bool = False) -> pd.DataFrame:
    """The data as the tools get them: a dataframe of strings. Workers are for models that know them."""
    return pd.read_parquet(data.path, columns=list(COLUMNS[: 4 if workers else 3]))


def prepare(data: DataSet) -> None:
    """Make the file, unless it is there. A broken-off attempt leaves a .part behind, never half a data set."""
    if data.path.exists():
        return
    FOLDER.mkdir(exist_ok=True)
    part = data.path.with_suffix(".part")
    schema = pa.schema([(name, pa.string()) for name in COLUMNS[: 4 if data.workers else 3]])
    with pq.ParquetWriter(part, schema) as writer:
        for piece in _simulated(data):
            writer.write_table(piece.cast(schema))
    part.rename(data.path)


def prepare_csv(data: DataSet, winner: str) -> None:
    """Make a CSV file of a data set that fits in memory."""
    prepare(data)
    path = data.csv(winner)
    if path.exists():
        return
    table = pq.read_table(data.path)
    if winner == "side":
        sides = pc.if_else(pc.equal(table["winner"], table["left"]), "left", "right")
        table = table.set_column(table.column_names.index("winner"), "winner", sides)
    part = path.with_suffix(".part")
    pacsv.write_csv(table, part)
    part.rename(path)


def drawn(data: DataSet, rng: np.random.Generator) -> NDArray[np.float64]:
    """The true scores: the first numbers that a data set's generator gives."""
    return rng.normal(0, data.spread, data.items)


def true_spread(data: DataSet) -> float:
    """The root mean square of the true scores: what an estimate of the prior's spread should come to."""
    return float(np.sqrt(np.mean(drawn(data, np.random.default_rng(data.seed)) ** 2)))


def _simulated(data: DataSet) -> Iterator[pa.Table]:
    rng = np.random.default_rng(data.seed)
    score = drawn(data, rng)
    ids = pa.array(data.ids())
    workers = pa.array([f"worker-{code:03d}" for code in range(data.workers)], pa.string())
    for start in range(0, data.comparisons, PIECE):
        rows = min(PIECE, data.comparisons - start)
        left = rng.integers(data.items, size=rows)
        right = (left + rng.integers(1, data.items, size=rows)) % data.items
        wins = rng.random(rows) < 1 / (1 + np.exp(score[right] - score[left]))
        columns = [ids.take(pa.array(codes)) for codes in (left, right, np.where(wins, left, right))]
        if data.workers:
            columns.append(workers.take(pa.array(rng.integers(data.workers, size=rows))))
        yield pa.table(dict(zip(COLUMNS, columns, strict=False)))


class Piece(NamedTuple):
    """Codes of winners and losers."""

    winner: NDArray[np.int32]
    loser: NDArray[np.int32]


def pieces(data: DataSet) -> Iterator[Piece]:
    """The data as codes, piece by piece, without any tool's help: what the optimum is checked with."""
    ids, columns = pa.array(data.ids()), list(COLUMNS[:3])
    file = pq.ParquetFile(data.path, read_dictionary=columns)
    for batch in file.iter_batches(PIECE, columns=columns):
        left, right, winner = (_codes(batch[name], ids) for name in columns)
        yield Piece(winner, np.where(winner == left, right, left))


def _codes(column: pa.DictionaryArray, ids: pa.Array) -> NDArray[np.int32]:
    return pc.index_in(column.dictionary, ids).to_numpy()[column.indices.to_numpy()]


if __name__ == "__main__":
    name, *winner = sys.argv[1:]
    if winner:
        prepare_csv(SETS[name], *winner)
    else:
        prepare(SETS[name])
