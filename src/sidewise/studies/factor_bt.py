"""The studies of the factorBT paper (Bugakova et al. 2019), and three of our own about spammers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Floats
from sidewise.measures import pair_accuracy
from sidewise.models import factor_bt
from sidewise.ranking import Ranking
from sidewise.simulate import FactorBT, Simulation, add_spammers, crowd, two_systems
from sidewise.simulate.systems import Biased, Branded
from sidewise.studies import factor_bt_page as page
from sidewise.studies.contenders import OF_THE_PAPER, OURS, SHORT, SIDE_ALONE, WITHOUT_FACTORS, rank_quietly
from sidewise.studies.datasets import folder, load
from sidewise.studies.factor_bt_words import TEXT
from sidewise.studies.parts import Part, Rows, Setting, StudyInParts
from sidewise.studies.published import TABLE_1
from sidewise.studies.trials import Row, Trial, in_turn, mean, sd, spammed, summed

TRIALS = 10
FIFTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
QUICK_MODELS = (OURS, "crowd-bt", "bradley-terry")
BY_SPAM = ("data", "spammers", "share")
FACTORS = ("first", "second")


# Table 1


def table_1(setting: Setting) -> Rows:
    """How well factorBT finds its own parameters, in answers that follow it."""
    trials = 2 if setting.quick else TRIALS
    rows = in_turn(simulated, [setting.seed + trial for trial in range(trials)], setting)
    found = []
    for model, figure in dict.fromkeys((row["model"], row["figure"]) for row in rows):
        values = [row["value"] for row in rows if (row["model"], row["figure"]) == (model, figure)]
        paper = TABLE_1.get(figure) if model == "factor-bt" else None
        found.append({"model": model, "figure": figure, "ours": mean(values), "ours_sd": sd(values), "trials": trials,
                      "paper": paper})  # fmt: skip
    return found


def simulated(seed: int) -> list[Row]:
    """One crowd of the paper's simulated study: 100 items, 400 pairs, ten workers a pair, two factors."""
    made = simulated_crowd(seed)
    ranking = factor_bt(made.comparisons, factors=FACTORS, intervals="none")
    assert ranking.workers is not None
    true = {row["worker"]: row for row in made.workers.to_pylist()}
    crew = ranking.workers.to_pylist()
    figures = {"ranking accuracy": _accuracy(made, ranking)}
    for figure, name in zip(("Pearson r₁", "Pearson r₂"), FACTORS, strict=True):
        figures[figure] = _pearson([row[f"{name}_bias"] for row in crew],
                                   [true[row["worker"]][f"{name}_bias"] for row in crew])  # fmt: skip
    gamma = logit([row["reliability"] for row in crew])
    figures["Pearson γ"] = _pearson(gamma, [true[row["worker"]]["gamma"] for row in crew])
    figures["Pearson s"] = _pearson(ranking.raw, _true_scores(made, ranking))
    rows = [{"model": "factor-bt", "figure": figure, "value": value} for figure, value in figures.items()]
    for model in (OURS, "crowd-bt", "bradley-terry"):
        ranking = rank_quietly(model, made.comparisons)
        found = {
            "ranking accuracy": _accuracy(made, ranking),
            "Pearson s": _pearson(ranking.raw, _true_scores(made, ranking)),
        }
        rows += [{"model": model, "figure": figure, "value": value} for figure, value in found.items()]
    return rows


def simulated_crowd(seed: int) -> Simulation:
    """Workers with γ and r from N(0, 1); true scores are 0 to 99, so that an honest answer is nearly always right."""
    rng = np.random.default_rng([seed, 0])
    gamma, r = rng.normal(size=100).tolist(), rng.normal(size=(100, 2)).tolist()
    workers = [FactorBT(g, dict(zip(FACTORS, both, strict=True))) for g, both in zip(gamma, r, strict=True)]
    factors = dict.fromkeys(FACTORS, "pair")
    return crowd(100, kinds=workers, pairs=400, overlap=10, scores="integers", factors=factors, seed=seed)


def _true_scores(made: Simulation, ranking: Ranking) -> Floats:
    return np.array([made.truth[item] for item in ranking.items])


def _accuracy(made: Simulation, ranking: Ranking) -> float:
    return pair_accuracy(ranking.raw, _true_scores(made, ranking))


def _pearson(found: Any, true: Any) -> float:
    return float(np.corrcoef(found, true)[0, 1])


# Figure 1, and the same with other spammers


def figure_1(setting: Setting) -> Rows:
    """Real answers, and from 0 to 100 % of spammers who always choose left."""
    shares = FIFTHS[::5] if setting.quick else FIFTHS
    trials = {"reading": TRIALS} | ({} if setting.quick else {"arguments": 5})
    return _spam([(name, "always-left", share) for name in trials for share in shares], trials, setting)


def spammers(setting: Setting) -> Rows:
    """Reading difficulty with contrary workers, random and one-sided ones, and mixtures of all, up to nine in ten."""
    many = (1.0,) if setting.quick else (1.0, 2.33, 4.0, 9.0)
    few = (0.6,) if setting.quick else (0.2, 0.4, 0.6, 0.8)
    cells = [("reading", "none", 0.0), *(("reading", "contrary", share) for share in few)]
    cells += [("reading", kind, share) for kind in ("random", "always-left", "mixed") for share in many]
    return _spam(cells, {"reading": 5}, setting)


def every_data_set(setting: Setting) -> Rows:
    """All models, all data sets, five kinds of crowds."""
    trials = EVERY if not setting.quick else {name: EVERY[name] for name in ("reading", "language models")}
    crowds = (("none", 0.0), ("always-left", 1.0), ("contrary", 0.6), ("random", 1.0), ("mixed", 1.0))
    cells = [(name, kind, share) for name in trials for kind, share in crowds]
    return _spam(cells, trials, setting, models=WITHOUT_FACTORS)


# Trials of each data set: more where a trial is cheap, and where it leaves more to chance.
EVERY = {"reading": 5, "reading, all": 5, "faces": 2, "arguments": 3, "language models": 20, "light field": 5}


def _spam(
    cells: Sequence[tuple[str, str, float]],
    trials: Mapping[str, int],
    setting: Setting,
    models: tuple[str, ...] = SHORT,
) -> Rows:
    tasks = [
        Trial(name, kind, share, setting.seed + trial, QUICK_MODELS if setting.quick else models)
        for name, kind, share in cells for trial in range(2 if setting.quick else trials[name])
    ]  # fmt: skip
    folder()  # that the data are absent is found out here, not in another process
    return summed(in_turn(spammed, tasks, setting), BY_SPAM, ("accuracy", "tau"))


# Figures 2 and 3


class Systems(NamedTuple):
    """Two systems compared by a crowd, and spammers who come in."""

    study: str
    queries: int
    branded: Branded
    biased: Biased
    spammers: tuple[str, ...]


SERP_1 = (
    Systems(page.MIXING, 133, "worse", "factor-bt", ("always-left",)),
    Systems(page.ADDING, 133, "worse", "sensitive", ("always-left",)),
)
SERP_2 = (
    Systems(page.BETTER, 125, "better", "factor-bt", ("always-left", "brand-biased")),
    Systems(page.WORSE, 125, "worse", "factor-bt", ("always-left", "brand-biased")),
)


class Comparing(NamedTuple):
    """One crowd of one study."""

    systems: Systems
    share: float
    seed: int
    models: tuple[str, ...]


def figure_2(setting: Setting) -> Rows:
    """The first comparison of two search engines: spammers choose left."""
    return _systems(SERP_1, setting)


def figure_3(setting: Setting) -> Rows:
    """The second: half of the spammers choose left, half the brand."""
    return _systems(SERP_2, setting)


def _systems(studies: Sequence[Systems], setting: Setting) -> Rows:
    trials, shares = (2, FIFTHS[::5]) if setting.quick else (TRIALS, FIFTHS)
    models = QUICK_MODELS if setting.quick else (*OF_THE_PAPER, SIDE_ALONE, "bradley-terry, normal prior", "thurstone")
    tasks = [
        Comparing(systems, share, setting.seed + trial, models)
        for systems in studies for share in shares for trial in range(trials)
    ]  # fmt: skip
    return summed(in_turn(compared, tasks, setting), ("study", "share"), ("probability", "accuracy", "truth"))


def compared(task: Comparing) -> list[Row]:
    """By every model, the mean chance that the better system's page wins, and how often it has the higher score."""
    plan = task.systems
    made = two_systems(plan.queries, branded=plan.branded, kind=plan.biased, seed=task.seed)
    answers = made.comparisons
    if task.share:
        answers = add_spammers(answers, task.share, plan.spammers, seed=task.seed)
    pairs = [(f"better-{number:03d}", f"worse-{number:03d}") for number in range(1, plan.queries + 1)]
    truth = np.mean([expit(made.truth[better] - made.truth[worse]) for better, worse in pairs])
    rows = []
    for model in task.models:
        ranking = rank_quietly(model, answers)
        lead = np.array([ranking.raw[ranking.items.code(a)] - ranking.raw[ranking.items.code(b)] for a, b in pairs])
        # Scores of pairwise HITS have no chances of their own: the paper's f stands in.
        chance = [ranking.probability(*pair) for pair in pairs] if ranking.link else expit(lead)
        rows.append({
            "study": plan.study, "share": task.share, "model": model, "seed": task.seed,
            "probability": float(np.mean(chance)), "accuracy": float(np.mean(lead > 0)), "truth": float(truth),
            "converged": float(ranking.fit.converged),
        })  # fmt: skip
    return rows


# Why PageRank looks good on reading difficulty


def page_rank_control(setting: Setting) -> Rows:
    """PageRank where the number of comparisons tells nothing, or the wrong thing, or all there is."""
    trials = 2 if setting.quick else TRIALS
    load("reading")
    rows = in_turn(controlled, [setting.seed + trial for trial in range(trials)], setting)
    return summed(rows, ("control",), ("accuracy",))


COUNT = page.COUNT
LEAST, MOST, NEAR = page.LEAST, page.MOST, 1.25


def controlled(seed: int) -> list[Row]:
    """All controls, once."""
    rng = np.random.default_rng([seed, 4])
    data = load("reading")
    assert data.truth is not None
    answers = data.comparisons
    truth = np.array([data.truth[item] for item in answers.items])
    often = _often(answers) >= LEAST
    opposite = replace(answers, outcome=1 - answers.outcome)
    tossed = replace(answers, outcome=rng.integers(2, size=len(answers)).astype(float))
    thinned, known = _thinned(answers, often, rng), np.where(often, truth, np.nan)
    all_thinned = _thinned(answers, np.ones(len(often), bool), rng)
    rows = []
    for model in (OURS, "crowd-bt", "bradley-terry", "page-rank", COUNT):
        score = _score(model, answers)
        controls = {
            "as collected": pair_accuracy(score, truth),
            "pairs compared about equally often": _near_accuracy(truth, score, _often(answers)),
            f"passages with {LEAST} comparisons or more": pair_accuracy(score, known, missing="drop"),
            f"the same, thinned to {MOST} each": pair_accuracy(_score(model, thinned), known, missing="drop"),
            f"all passages, thinned to {MOST} each": pair_accuracy(_score(model, all_thinned), truth),
            "the opposite question": pair_accuracy(_score(model, opposite), -truth),
            "answers tossed by a coin": pair_accuracy(_score(model, tossed), truth),
        }
        rows += [{"control": control, "model": model, "seed": seed, "accuracy": accuracy, "converged": 1.0}
                 for control, accuracy in controls.items()]  # fmt: skip
    return rows


def _often(answers: Comparisons) -> Floats:
    counted: Floats = np.bincount(np.r_[answers.left, answers.right], minlength=len(answers.items)).astype(float)
    return counted


def _score(model: str, answers: Comparisons) -> Floats:
    return _often(answers) if model == COUNT else rank_quietly(model, answers).raw


def _near_accuracy(truth: Floats, score: Floats, often: Floats) -> float:
    """Eq. 3 over the pairs of which one item was compared at most a quarter more often than the other."""
    near = np.maximum(often[:, None], often) <= NEAR * np.minimum(often[:, None], often)
    pairs = (truth[:, None] > truth) & near
    return float(np.mean((score[:, None] > score)[pairs]))


def _thinned(answers: Comparisons, often: np.ndarray, rng: np.random.Generator) -> Comparisons:
    """Comparisons in random order, each kept while both items are among the frequent ones and have room."""
    room = np.where(often, MOST, 0)
    kept = []
    for row in rng.permutation(len(answers)).tolist():
        a, b = answers.left[row], answers.right[row]
        if room[a] and room[b]:
            room[[a, b]] -= 1
            kept.append(row)
    return answers.select(np.array(kept, np.int64))


STUDY = StudyInParts(
    "does a model that knows its workers stand up to spammers?",
    "Spammers, and models that know their workers",
    TEXT,
    {
        "table-1": Part("Table 1: does factorBT find its own parameters?", table_1, page.table_1),
        "figure-1": Part("Figure 1: spammers who always choose left", figure_1, page.figure_1),
        "figure-2": Part("Figure 2: two systems, spammers who choose left", figure_2, page.figure_2),
        "figure-3": Part("Figure 3: two systems, spammers who choose left or the brand", figure_3, page.figure_3),
        "spammers": Part("Ours: other spammers, and many of them", spammers, page.spammers),
        "every-data-set": Part("Ours: every data set", every_data_set, page.every_data_set),
        "page-rank": Part("Ours: why PageRank looks good on the reading data", page_rank_control, page.page_rank),
    },
)
