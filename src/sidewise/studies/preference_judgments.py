"""The study of Carterette, Bennett and Chapelle (2008), who ask whether learning from preferences pays.

Table 1 and Figure 3 on simulated collections and, where the user has them, on LETOR and the paper's own judgments; what
the measures say of rankings whose worth is known; and real judgments of TREC's passages, ranked by our models.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sidewise.errors import Absent
from sidewise.learn import GRID
from sidewise.measures.curve import preference_curve
from sidewise.measures.estimate import estimate_mean
from sidewise.preferences import Closure, closure
from sidewise.simulate.search import search_collection
from sidewise.studies import preference_judgments_page as page
from sidewise.studies.parts import Part, Rows, Setting, StudyInParts
from sidewise.studies.pj_collections import (
    QUICK_GRID,
    SMALL,
    Collection,
    means_of,
    read_collection,
    runs_of,
    simulated_collection,
    table_of,
)
from sidewise.studies.pj_published import BINARY_SVM, COLUMNS, TABLE_1
from sidewise.studies.pj_trec import trec_dl_2021
from sidewise.studies.pj_trec_page import trec_dl_2021 as trec_page
from sidewise.studies.trials import Row, in_turn, mean, sd

COLLECTIONS = 10
SIGNALS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
LEVELS = 21  # of recall
DRAWS = 20  # random orders of every query


class Trial(NamedTuple):
    """One simulated collection."""

    seed: int
    signal: float = page.SIGNAL
    quick: bool = False


# Table 1 and Figure 3


def table_1(setting: Setting) -> Rows:
    """RankSVM, binary SVM and random on simulated collections, beside the paper's figures; and their curves."""
    rows = in_turn(compared, _trials(setting), setting)
    found = []
    for one, values in _gathered(rows, ("method", "figure", "recall")):
        lead = np.subtract(values, _values(rows, method=BINARY_SVM, figure=one["figure"], recall=one["recall"]))
        found.append(one | {
            "value": mean(values), "value_sd": sd(values), "over_binary": mean(lead.tolist()),
            "over_binary_se": sd(lead.tolist(), over=len(lead)), "above_binary": int((lead > 0).sum()),
            "collections": len(values), "paper": TABLE_1[one["method"]].get(one["figure"]),
        })  # fmt: skip
    return found


def compared(trial: Trial) -> list[Row]:
    """The columns of Table 1 and the curve of every method, on one simulated collection."""
    collection = simulated_collection(trial.seed, signal=trial.signal, quick=trial.quick)
    runs = runs_of(collection, seed=trial.seed, grid=QUICK_GRID if trial.quick else GRID)
    rows: list[Row] = []
    for method, run in runs.items():
        about = {"signal": trial.signal, "seed": trial.seed, "method": method}
        rows += [about | {"figure": column, "recall": None, "value": value}
                 for column, value in means_of(run, collection.preferences).items()]  # fmt: skip
        curve = preference_curve(run, collection.preferences, levels=LEVELS, missing="skip")
        rows += [about | {"figure": page.CURVE, "recall": round(recall, 6), "value": value}
                 for recall, value in zip(curve.recall.tolist(), curve.precision.tolist(), strict=True)]  # fmt: skip
    return rows


# Ours: more and less signal


def signals(setting: Setting) -> Rows:
    """The same comparison where features tell nothing, a little, or everything."""
    count, levels = (2, SIGNALS[2::3]) if setting.quick else (3, SIGNALS)
    trials = [trial._replace(signal=signal) for signal in levels for trial in _trials(setting)[:count]]
    rows = [row for row in in_turn(compared, trials, setting) if row["recall"] is None]
    return [
        one | {"value": mean(values), "value_sd": sd(values), "collections": len(values)}
        for one, values in _gathered(rows, ("signal", "method", "figure"))
    ]


# Ours: what the measures say of rankings whose worth is known


def bounds(setting: Setting) -> Rows:
    """The best order, the worst, random ones, and those that know only which documents are bad."""
    sizes: dict[str, Any] = SMALL if setting.quick else {}
    draws = 2 if setting.quick else DRAWS
    shares = page.SHARES[2::2] if setting.quick else page.SHARES
    rows: list[Row] = []
    for done, share in enumerate(shares, 1):
        whole = closure(search_collection(**sizes, bad=share, seed=setting.seed).preferences)
        kinds = page.ORDERS if share == page.USUAL_SHARE else (page.RANDOM_ORDER,)
        for kind in kinds:
            once = kind in (page.BEST, page.WORST)
            figures = [means_of(_known(kind, whole, draw), whole) for draw in range(1 if once else draws)]
            rows += [{"order": kind, "bad": share, "figure": column, "value": mean([some[column] for some in figures]),
                      "value_sd": sd([some[column] for some in figures]), "draws": len(figures)}
                     for column in COLUMNS]  # fmt: skip
        if setting.progress:
            setting.progress(done, len(shares))
    return rows


def _known(kind: str, whole: Closure, draw: int) -> dict[str, list[str]]:
    """A ranking of every query, by what is known of its documents."""
    rng = np.random.default_rng([draw, 2])
    run = {}
    for order in whole:
        bad = set(order.bad_documents())
        shuffled = [order.documents[place] for place in rng.permutation(len(order.documents)).tolist()]
        run[order.query] = {
            page.BEST: list(order.documents),  # none is preferred to one before it
            page.WORST: list(order.documents[::-1]),
            page.RANDOM_ORDER: shuffled,
            page.BAD_LAST: sorted(shuffled, key=lambda document: document in bad),
            page.BAD_FIRST: sorted(shuffled, key=lambda document: document not in bad),
            page.FOUR_FIFTHS: shuffled[: round(0.8 * len(shuffled))],
        }[kind]
    return run


# On the user's own copy of LETOR


def letor(setting: Setting, folder: Path | None, preferences: Path | None) -> Rows:
    """The paper's comparison on the paper's data, where they are."""
    if folder is None or preferences is None:
        raise Absent("give LETOR's folder and the preference judgments: --letor FOLDER --preferences FILE")
    collection = read_collection(folder, preferences)
    runs = runs_of(collection, seed=setting.seed, grid=QUICK_GRID if setting.quick else GRID)
    about = _about(collection)
    rows: list[Row] = []
    for method, run in runs.items():
        for column, found in table_of(run, collection.preferences).items():
            value = estimate_mean(found.values, seed=setting.seed)
            rows.append({"method": method, "figure": column, "recall": None, "value": round(value.value, 6),
                         "low": round(value.low, 6), "high": round(value.high, 6),
                         "paper": TABLE_1[method][column]} | about)  # fmt: skip
        curve = preference_curve(run, collection.preferences, levels=LEVELS, missing="skip").to_frame()
        rows += [{"method": method, "figure": page.CURVE, "recall": round(row["recall"], 6),
                  "value": round(row["precision"], 6), "low": round(row["low"], 6), "high": round(row["high"], 6),
                  "paper": None} | about for row in curve.to_pylist()]  # fmt: skip
    return rows


def _about(collection: Collection) -> dict[str, int]:
    return {
        "queries": len(collection.features.rows_of), "queries_without_features": collection.strangers,
        "documents": collection.judged, "documents_without_features": collection.judged - len(collection.features),
        "features": collection.features.width,
        "preferences": len(collection.preferences), "contradictions": len(collection.preferences.contradictions),
    }  # fmt: skip


def _trials(setting: Setting) -> list[Trial]:
    count = 2 if setting.quick else COLLECTIONS
    return [Trial(setting.seed + number, quick=setting.quick) for number in range(count)]


def _gathered(rows: Sequence[Row], by: Sequence[str]) -> Iterator[tuple[Row, list[float]]]:
    for key in dict.fromkeys(tuple(row[name] for name in by) for row in rows):
        one = dict(zip(by, key, strict=True))
        yield one, _values(rows, **one)


def _values(rows: Sequence[Row], **where: object) -> list[float]:
    return [row["value"] for row in rows if all(row[name] == value for name, value in where.items())]


def study(folder: Path | None = None, preferences: Path | None = None) -> StudyInParts:
    """The study; with LETOR's folder and the paper's judgments, also on these."""
    return StudyInParts(
        "does learning from preferences pay?",
        "Learning to rank from preferences",
        page.TEXT,
        {
            "table-1": Part("Table 1 and Figure 3: RankSVM, a binary SVM and chance", table_1, page.table_1),
            "bounds": Part("Ours: what the measures say of rankings that are known", bounds, page.bounds),
            "signals": Part("Ours: more and less to learn from", signals, page.signals),
            "letor": Part(
                "On LETOR and the paper's judgments",
                partial(letor, folder=folder, preferences=preferences),
                page.letor,
            ),
            "trec-dl-2021": Part("Real judgments: the passages of TREC DL 2021", trec_dl_2021, trec_page),
        },
    )


STUDY = study()
