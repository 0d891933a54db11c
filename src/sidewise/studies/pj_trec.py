"""Real preference judgments: TREC's 2021 passages, ranked by our models, against the passages judged best."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from sidewise.comparisons import Comparisons, Index
from sidewise.comparisons.arrow import Floats
from sidewise.measures import foretold, kendall_tau, ndcg, pair_accuracy
from sidewise.measures.compatibility import compatibility
from sidewise.models import random_order
from sidewise.preferences import Preferences, Qrels, contradictions, majority
from sidewise.studies import pj_trec_page
from sidewise.studies.contenders import rank_quietly
from sidewise.studies.datasets import load
from sidewise.studies.parts import Rows, Setting
from sidewise.studies.trials import Row, in_turn, mean

DATA = "trec-dl-2021"
CHANCE, COUNT = "random-order", pj_trec_page.COUNT
MODELS = (
    "bradley-terry", "bradley-terry, normal prior", "thurstone", "hodge-rank", "win-rate", "elo", "page-rank", COUNT,
    CHANCE,
)  # fmt: skip
QUICK_MODELS = ("bradley-terry", "win-rate", CHANCE)
DRAWS = 20  # random orders
PARTS = 5  # of the judgments, each held out once
BY_THE_QRELS = ("first", "reciprocal_rank", "ndcg", "accuracy", "tau", "compatibility")


class Asked(NamedTuple):
    """One query, and the models that rank its passages."""

    query: str
    models: tuple[str, ...]
    seed: int


def trec_dl_2021(setting: Setting) -> Rows:
    """Every query's passages by every model: where the best passages stand, and what of the judgments is foretold."""
    preferences, _ = judged()
    queries = list(preferences.queries)[: 5 if setting.quick else None]
    models = QUICK_MODELS if setting.quick else MODELS
    return in_turn(ranked, [Asked(query, models, setting.seed) for query in queries], setting)


@cache
def judged() -> tuple[Preferences, Qrels]:
    """The judgments and the best passages, read once."""
    data = load(DATA)
    return data.preferences, data.qrels


def ranked(asked: Asked) -> list[Row]:
    """The rows of one query, a model each."""
    preferences, qrels = judged()
    about = _about(asked.query, preferences.select([asked.query]), qrels)
    answers = preferences.to_comparisons(asked.query)
    return [about | row for row in _ranked(asked.query, answers, qrels, asked.models, asked.seed)]


def _about(query: str, judged: Preferences, qrels: Qrels) -> Row:
    """What was judged, and how many passages judgments tie into knots: all of them, or what most of them say."""
    decided = majority(judged)
    return {
        "query": query, "passages": len(_documents(judged)), "best": len(qrels[query]), "judgments": len(judged),
        "pairs": len({frozenset(pair) for pair in zip(judged.first.tolist(), judged.second.tolist(), strict=True)}),
        "tangled": _tangled(judged), "tangled_by_majority": _tangled(decided),
    }  # fmt: skip


def _documents(judged: Preferences) -> set[int]:
    return {*judged.first.tolist(), *judged.second.tolist()}


def _tangled(judged: Preferences) -> int:
    return sum(len(knot.tangled) for knot in contradictions(judged))


def _ranked(query: str, answers: Comparisons, qrels: Qrels, models: tuple[str, ...], seed: int) -> Iterator[Row]:
    for model in models:
        scores = [_score(model, answers, seed + draw) for draw in range(DRAWS if model == CHANCE else 1)]
        figures = [_against(query, answers.items, score, qrels, seed) for score in scores]
        means = {name: mean([some[name] for some in figures]) for name in BY_THE_QRELS}
        yield {"model": model} | means | {"foretold": mean([_foretold(model, answers, seed)])}


def _score(model: str, answers: Comparisons, seed: int) -> Floats:
    if model == CHANCE:
        return random_order(answers, seed=seed).raw
    if model == COUNT:
        return np.bincount(np.r_[answers.left, answers.right], minlength=len(answers.items)).astype(float)
    return rank_quietly(model, answers).raw


def _against(query: str, items: Index, score: Floats, qrels: Qrels, seed: int) -> dict[str, float]:
    """How well scores agree with the qrels, by which some passages are the best and all others are not.

    Equal scores leave the order open: where it decides, the mean over random orders of them is taken.
    """
    truth = np.array([qrels[query].get(item, 0.0) for item in items])
    rng = np.random.default_rng([seed, 6])
    draws = DRAWS if len(np.unique(score)) < len(score) else 1
    orders = [np.lexsort((rng.random(len(score)), -score)) for _ in range(draws)]
    places = np.array([np.flatnonzero(truth[order])[0] + 1 for order in orders])
    overlaps = [compatibility({query: [items[code] for code in order.tolist()]}, Qrels({query: qrels[query]}))[query]
                for order in orders]  # fmt: skip
    return {
        "first": float(np.mean(places == 1)),
        "reciprocal_rank": float(np.mean(1 / places)),
        "ndcg": ndcg(score, truth, k=10),
        "accuracy": pair_accuracy(score, truth),
        "tau": kendall_tau(score, truth),
        "compatibility": float(np.mean(overlaps)),
    }


def _foretold(model: str, answers: Comparisons, seed: int) -> float:
    """The share of judgments that go to the passage with the higher score, each held out once from the fit."""
    part = np.random.default_rng([seed, 5]).permutation(len(answers)) % PARTS
    lead: Floats = np.empty(len(answers))
    for out in range(PARTS):
        score = _score(model, answers.select(part != out), seed)
        here = part == out
        lead[here] = score[answers.left[here]] - score[answers.right[here]]
    return foretold(np.nan_to_num(lead), answers.outcome)  # a passage that is in no other judgment: a toss
