"""Collections of preference judgments with features, read from files, and the rankers compared on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from sidewise.errors import SidewiseError
from sidewise.learn import (
    GRID,
    Features,
    Fold,
    binary_svm,
    choose_ranker,
    folds,
    judged_only,
    rank_svm,
    read_folds,
    write_folds,
)
from sidewise.learn.choosing import Trainer
from sidewise.measures.preference import measured
from sidewise.measures.preference_result import PerQuery
from sidewise.measures.preference_tally import AnyRun, tallied
from sidewise.preferences import Closure, Run, closure, read_preferences, write_preferences
from sidewise.simulate.search import search_collection
from sidewise.studies.pj_published import BINARY_SVM, COLUMNS, RANDOM, RANK_SVM

TRAINERS: Mapping[str, Trainer] = {
    RANK_SVM: partial(rank_svm, missing="drop"),
    BINARY_SVM: partial(binary_svm, missing="drop"),
}
QUICK_GRID = GRID[2:5]
SMALL = {"queries": 10, "documents": 12, "features": 8}  # the quick setting


@dataclass(frozen=True, eq=False)
class Collection:
    """Judged documents with features, all preferences between them, and the folds."""

    features: Features
    preferences: Closure
    folds: tuple[Fold, ...]
    judged: int  # documents, with or without features
    strangers: int = 0  # judged queries without features


def simulated_collection(seed: int, *, signal: float = 0.25, quick: bool = False) -> Collection:
    """A simulated collection, by way of files: written as LETOR and the paper's collection are, and read again."""
    sizes = SMALL if quick else {}
    made = search_collection(**sizes, signal=signal, seed=seed)
    labels = np.where(made.bad, 0, 1)
    features = Features.from_arrays(made.queries, made.documents, made.values, labels)
    with TemporaryDirectory() as folder:
        write_folds(features, folds(features.rows_of), folder)
        write_preferences(made.preferences, Path(folder) / "preferences.txt")
        return read_collection(Path(folder), Path(folder) / "preferences.txt")


def read_collection(letor: Path, preferences: Path) -> Collection:
    """A LETOR folder joined with preferences; documents that were not judged are left out, as in the paper."""
    features, parts = read_folds(letor)
    judgments = read_preferences(preferences)
    common = [query for query in judgments.queries if query in features.rows_of]
    if not common:
        raise SidewiseError(f"{preferences} and {letor} have no query in common")
    whole = closure(judgments.select(common), on_contradiction="drop")
    judged = sum(len(order.documents) for order in whole)
    kept = judged_only(features, whole, missing="drop")
    strangers = len(judgments.queries) - len(common)
    return Collection(kept, whole, tuple(_without(fold, kept) for fold in parts), judged, strangers)


def _without(fold: Fold, kept: Features) -> Fold:
    """A fold without the queries of which no document was judged."""
    return Fold(*(tuple(query for query in some if query in kept.rows_of) for some in fold))


def runs_of(collection: Collection, *, seed: int, grid: Sequence[float] = GRID) -> dict[str, Run]:
    """Every method's ranking of all queries, each query ranked by the fold in which it is tested."""
    features = collection.features
    runs: dict[str, list[Run]] = {name: [] for name in TRAINERS}
    for fold in collection.folds:
        train, validation, test = (features.of_queries(queries) for queries in fold)
        for name, trainer in TRAINERS.items():
            chosen = choose_ranker(trainer, train, validation, collection.preferences, grid=grid)
            runs[name].append(chosen.ranker.rank(test))
    joined = {name: _joined(some) for name, some in runs.items()}
    return joined | {RANDOM: random_run(features, seed)}


def random_run(features: Features, seed: int) -> Run:
    """The documents of every query in random order."""
    chance = np.random.default_rng([seed, 1]).random(len(features))
    return Run.from_arrays(query=np.array(features.queries), document=np.array(features.documents), score=chance)


def table_of(run: AnyRun, preferences: Closure) -> dict[str, PerQuery]:
    """The columns of Table 1, query by query."""
    tallies = tallied(run, preferences, missing="skip")
    return {column: measured(name, k, tallies) for column, (name, k) in COLUMNS.items()}


def means_of(run: AnyRun, preferences: Closure) -> Mapping[str, float]:
    """The columns of Table 1, in the mean over queries."""
    return {column: found.mean for column, found in table_of(run, preferences).items()}


def _joined(runs: Sequence[Run]) -> Run:
    return Run.from_lists({query: documents for run in runs for query, documents in run.items()})
