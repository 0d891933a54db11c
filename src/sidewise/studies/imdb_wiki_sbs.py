"""The evaluation of IMDB-WIKI-SbS (Pavlichenko and Ustalov 2021), with all models; groups; spammers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.datasets.building.graphs import components
from sidewise.measures import kendall_tau, ndcg, pair_accuracy
from sidewise.models import VirtualItem, bradley_terry
from sidewise.simulate import draw_sides
from sidewise.studies import imdb_wiki_sbs_groups as groups
from sidewise.studies import imdb_wiki_sbs_groups_page as groups_page
from sidewise.studies import imdb_wiki_sbs_page as page
from sidewise.studies.contenders import OURS, WITHOUT_FACTORS, rank_quietly
from sidewise.studies.imdb_wiki_sbs_faces import (
    DECADES,
    EVERYBODY,
    GENDERS,
    Faces,
    age_group,
    among,
    data_at_hand,
    faces,
    members,
)
from sidewise.studies.imdb_wiki_sbs_published import SHARES
from sidewise.studies.imdb_wiki_sbs_words import (
    FACTS,
    ITS_OWN,
    MEASURES,
    RANDOM,
    REVERSED,
    SEEN,
    SIMULATED,
    SMALL,
    TEXT,
    WHOLE,
)
from sidewise.studies.parts import Part, Rows, Setting, StudyInParts
from sidewise.studies.resuming import resumed
from sidewise.studies.trials import Row, Trial, mean, scored, sd, summed

RESAMPLES = 5  # of the comparisons
RANDOM_DRAWS = 100
QUICK_MODELS = (OURS, "bradley-terry", "page-rank")
SPAMMED = ("bradley-terry", "crowd-bt", "factor-bt", OURS)
STRENGTHS = (0.0001, 0.01, 0.1, 0.5, 1.0, 3.0, 10.0)
SETS = 3  # simulated
MANY = 4.0  # spammers for every worker: more take long, and one trial tells as much

OF: Mapping[str, Callable[[Floats, Floats], float]] = dict(
    zip(MEASURES, (partial(ndcg, k=10), partial(ndcg, k=100), pair_accuracy, kendall_tau), strict=True)
)


def measured(score: Floats, age: Floats) -> dict[str, float]:
    """All measures. The gain of a photo is the age of who it shows, so that the oldest should come first.

    What a model cannot score, as win rates can say nothing of who was never compared, stands in the middle.
    """
    known = np.where(np.isnan(score), np.nanmedian(score), score)
    return {name: measure(known, age) for name, measure in OF.items()}


# Tables 2 and 3


class Fit(NamedTuple):
    """One model on the comparisons as they are, or drawn again with replacement, judged by groups of photos."""

    data: str
    model: str
    fitted: str  # to the comparisons within this group; all, for EVERYBODY
    judged: tuple[str, ...]
    draw: int  # 0: as they are
    seed: int


def table_2(setting: Setting) -> Rows:
    """The whole data set, and by gender."""
    return _evaluated(setting, (EVERYBODY, *GENDERS), 2 if setting.quick else RESAMPLES)


def table_3(setting: Setting) -> Rows:
    """By age group."""
    return _evaluated(setting, tuple(age_group(first) for first in DECADES[:: 3 if setting.quick else 1]), 0)


def _evaluated(setting: Setting, judged: tuple[str, ...], resamples: int) -> Rows:
    """Every model, fitted to all comparisons and to those within each group; random and reversed orders below."""
    name = data_at_hand(quick=setting.quick)
    models = QUICK_MODELS if setting.quick else WITHOUT_FACTORS
    fitted = {EVERYBODY: judged} | {group: (group,) for group in judged if group != EVERYBODY}
    tasks = [
        Fit(name, model, group, some, draw, setting.seed)
        for group, some in fitted.items() for model in models
        for draw in range(1 + resamples)
    ]  # fmt: skip
    rows = _with_spread(resumed(fit, tasks, setting))
    found, draws = faces(name, setting.seed), 5 if setting.quick else RANDOM_DRAWS
    return [*rows, *(row for group in judged for row in _baselines(found, group, draws, setting.seed))]


def fit(task: Fit) -> list[Row]:
    """Rank, and judge the ranking by each group."""
    found = faces(task.data, task.seed)
    used = found if task.fitted == EVERYBODY else among(found, task.fitted)
    ranking = rank_quietly(task.model, drawn_again(used, task.draw, task.seed).comparisons)
    rows = []
    for group in task.judged:
        some = members(used, group)
        rows.append({
            "data": task.data, "group": group, "fitted": WHOLE if task.fitted == EVERYBODY else ITS_OWN,
            "model": task.model, "draw": task.draw, "comparisons": len(used.comparisons), "items": int(some.sum()),
            **measured(ranking.raw[some], used.age[some]), "converged": float(ranking.fit.converged),
        })  # fmt: skip
    return rows


def drawn_again(found: Faces, draw: int, seed: int) -> Faces:
    """Comparisons with sides, drawn by chance where they are lost; and drawn with replacement, unless ``draw`` is 0."""
    answers = found.comparisons
    if draw:
        rng = np.random.default_rng([seed, draw, 10])
        answers = answers.select(np.sort(rng.integers(len(answers), size=len(answers))))
    return replace(found, comparisons=answers if answers.sided else draw_sides(answers, seed=seed + draw))


def _with_spread(rows: Sequence[Row]) -> list[Row]:
    """Figures of the comparisons as they are, with the standard deviation over those that were drawn again."""
    same: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        same.setdefault((row["group"], row["fitted"], row["model"]), []).append(row)
    found = []
    for each in same.values():
        first = next(row for row in each if row["draw"] == 0)
        one = {name: first[name] for name in ("data", "group", "fitted", "model", "comparisons", "items")}
        one["draws"] = len(each) - 1
        for name in MEASURES:
            one |= {name: mean([first[name]]), f"{name}_sd": sd([row[name] for row in each if row["draw"]])}
        found.append(one | {"converged": first["converged"]})
    return found


def _baselines(found: Faces, group: str, draws: int, seed: int) -> list[Row]:
    """Orders that know nothing, and the opposite of the truth."""
    age, rng = found.age[members(found, group)], np.random.default_rng([seed, 11])
    drawn = [measured(rng.random(len(age)), age) for _ in range(draws)]
    about = {"data": found.name, "group": group, "fitted": "", "comparisons": 0, "items": len(age)}
    random: Row = about | {"model": RANDOM, "draws": draws}
    for name in MEASURES:
        random |= {name: mean([one[name] for one in drawn]), f"{name}_sd": sd([one[name] for one in drawn])}
    least = {name: round(value, 6) for name, value in measured(-age, age).items()}
    opposite = about | {"model": REVERSED, "draws": 0} | least | {f"{name}_sd": None for name in MEASURES}
    return [row | {"converged": 1.0} for row in (random, opposite)]


# Bradley–Terry by the strength of its prior


def strength(setting: Setting) -> Rows:
    """From next to no virtual comparisons to many."""
    name = data_at_hand(quick=setting.quick)
    found = faces(name, setting.seed)
    rows = []
    for done, strength in enumerate(STRENGTHS[::3] if setting.quick else STRENGTHS, 1):
        ranking = bradley_terry(found.comparisons, prior=VirtualItem(strength), intervals="none")
        figures = {measure: round(value, 6) for measure, value in measured(ranking.raw, found.age).items()}
        rows.append({"data": name, "strength": strength, **figures})
        if setting.progress:
            setting.progress(done, len(STRENGTHS))
    return rows


# Spammers


def spammers(setting: Setting) -> Rows:
    """From none to nine times as many always-left spammers as there are workers."""
    name = data_at_hand(quick=setting.quick)
    shares = SHARES[:3:2] if setting.quick else SHARES
    models = QUICK_MODELS[:2] if setting.quick else SPAMMED
    tasks = [Trial(name, "always-left", share, setting.seed + trial, models)
             for share in shares for trial in range(1 if setting.quick or share > MANY else 3)]  # fmt: skip
    return summed(resumed(spammed, tasks, setting), ("data", "spammers", "share"), ("accuracy", "tau"))


def spammed(trial: Trial) -> list[Row]:
    """Every model's accuracy and tau on the data of a trial."""
    return scored(trial, faces(trial.data, trial.seed))


# The simulated set


class Made(NamedTuple):
    """One simulated set, ranked by a model, or by what people see."""

    data: str
    model: str
    seed: int


def simulated(setting: Setting) -> Rows:
    """The same evaluation where everything is known, and as many comparisons as the paper has."""
    name, models = (SMALL, QUICK_MODELS) if setting.quick else (SIMULATED, WITHOUT_FACTORS)
    seeds = range(setting.seed, setting.seed + (1 if setting.quick else SETS))
    tasks = [Made(name, model, seed) for seed in seeds for model in (*models, SEEN)]
    rows = resumed(made, tasks, setting)
    about = {name: mean([row[name] for row in rows]) for name in FACTS}
    return [row | about for row in summed(rows, ("data",), tuple(reversed(MEASURES)))]


def made(task: Made) -> list[Row]:
    """Rank a simulated set; and say what it is like."""
    found = faces(task.data, task.seed)
    answers = found.comparisons
    often = np.bincount(np.r_[answers.left, answers.right], minlength=len(found.age))
    parts, _ = components(len(found.age), answers.left, answers.right)
    facts = (len(found.age), len(answers), len(answers.workers), parts, np.mean(answers.outcome), often.min(),
             often.max(), groups.right_share(found))  # fmt: skip
    about = {"data": task.data, "seed": task.seed} | dict(zip(FACTS, map(float, facts), strict=True))
    if task.model == SEEN:
        assert found.seen is not None
        return [about | {"model": task.model, **measured(found.seen, found.age), "converged": 1.0}]
    ranking = rank_quietly(task.model, answers)
    return [
        about | {"model": task.model, **measured(ranking.raw, found.age), "converged": float(ranking.fit.converged)}
    ]


STUDY = StudyInParts(
    "how well can a crowd rank 9,150 faces by age, and why not within a group?",
    "IMDB-WIKI-SbS: who looks older?",
    TEXT,
    {
        "table-2": Part("Table 2: the whole data set, and by gender", table_2, page.table_2),
        "table-3": Part("Table 3: age groups", table_3, page.table_3),
        "graph": Part("Why groups are ranked badly: is it the graph?", groups.graph, groups_page.graph),
        "answers": Part("Is it the answers?", groups.answers, groups_page.answers),
        "causes": Part("The same pairs, asked otherwise", groups.causes, groups_page.causes),
        "ages": Part("Is it the ages on record?", groups.ages, groups_page.ages),
        "spammers": Part("Spammers who always choose left", spammers, page.spammers),
        "strength": Part("Bradley–Terry by the strength of its prior", strength, page.strength),
        "simulated": Part("The simulated set", simulated, page.simulated),
    },
)
