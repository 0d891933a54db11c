"""The simulated data that every tool gets: written once as Parquet, in pieces, and read again by every process.

Scores are drawn from N(0, spread²), pairs uniformly among all pairs, winners by the Bradley–Terry model, without
ties, since not every tool knows them. Uniform pairs are the hard case for tools that count pairs: hardly any repeat.

Where there is a ``crowd``, workers differ: four of five look, with sensitivities from N(1, 0.4²) and side biases from
N(0, 0.5²), one of ten tosses a coin and one of ten goes by the side (a bias of 3 either way). How much a worker answers
is log-normal, σ = 1.5: the busiest hundredth gives a quarter of the answers.

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
    crowd: bool = False  # whether the workers differ from one another
    seed: int = 2026

    @property
    def path(self) -> Path:
        """The file; its name states its making, so that a changed data set is never mistaken for an old file."""
        workers = f"{'crowd' if self.crowd else 'workers'}{self.workers}"
        made = f"{self.items}x{self.comparisons}-spread{self.spread}-{workers}-seed{self.seed}"
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
        # As many workers as IMDB-WIKI-SbS has.
        DataSet("crowd", 9_150, 250_249, 0.8, urls=True, workers=4_091, crowd=True),
        DataSet("small-crowd", 300, 10_000, 0.8, urls=True, workers=200, crowd=True),
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
        for piece in [_crowd(data)] if data.crowd else _simulated(data):
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


def truth(data: DataSet) -> NDArray[np.float64]:
    """The true scores, by code."""
    return drawn(data, np.random.default_rng(data.seed))


def true_spread(data: DataSet) -> float:
    """The root mean square of the true scores: what an estimate of the prior's spread should come to."""
    return float(np.sqrt(np.mean(truth(data) ** 2)))


def _crowd(data: DataSet) -> pa.Table:
    """Answers of workers who differ, by Sidewise's own simulation."""
    from sidewise.simulate import Sensitive
    from sidewise.simulate.crowd import simulated
    from sidewise.simulate.design import Asked, random_pairs
    from sidewise.simulate.factors import Factors

    rng = np.random.default_rng(data.seed)
    score = drawn(data, rng)
    sensitivity, bias = rng.normal(1, 0.4, data.workers), rng.normal(0, 0.5, data.workers)
    coin, sided = np.split(rng.permutation(data.workers)[: data.workers // 5], 2)
    sensitivity[coin], bias[coin] = 0, 0
    sensitivity[sided], bias[sided] = 0.3, rng.choice([-3, 3], len(sided))
    kinds = [Sensitive(a, {"side": b}) for a, b in zip(sensitivity, bias, strict=True)]
    busy = rng.lognormal(0, 1.5, data.workers)
    more = rng.choice(data.workers, data.comparisons - data.workers, p=busy / busy.sum())
    who = rng.permutation(np.concatenate([np.arange(data.workers), more]))  # everybody answers once at least
    asked = Asked(*random_pairs(data.items, data.comparisons, rng), who)
    answers = simulated(data.ids(), score, kinds, asked, Factors(), ties=0.0, rng=rng).comparisons
    ids, workers = pa.array(data.ids()), pa.array([f"worker-{code:04d}" for code in range(data.workers)])
    winner = np.where(answers.outcome > 0.5, answers.left, answers.right)
    items = [ids.take(pa.array(codes)) for codes in (answers.left, answers.right, winner)]
    return pa.table(dict(zip(COLUMNS, [*items, workers.take(pa.array(answers.worker))], strict=True)))


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
