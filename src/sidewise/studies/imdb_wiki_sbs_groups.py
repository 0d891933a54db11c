"""Why are groups ranked so badly? The graph of their comparisons, who asks whom, and whether the ages are right."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Floats, Mask
from sidewise.datasets.building.graphs import Ends, components, random_graph
from sidewise.measures import ndcg
from sidewise.studies import imdb_wiki_sbs_words as words
from sidewise.studies.contenders import OURS, rank_quietly
from sidewise.studies.imdb_wiki_sbs_faces import (
    ANY_AGE,
    DECADES,
    EVERYBODY,
    GENDERS,
    OLDEST,
    YOUNGEST,
    Faces,
    age_group,
    among,
    asked,
    data_at_hand,
    faces,
    members,
    pairs_like,
    world,
)
from sidewise.studies.imdb_wiki_sbs_words import SIMULATED, SMALL, TRUE_AGES
from sidewise.studies.parts import Rows, Setting
from sidewise.studies.trials import Row, in_turn, mean, sd

NEAR = 10  # years: the most that two of a group are apart
DENSITIES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)  # comparisons that an item is in
BY = "bradley-terry"
LEAPS = (1, 3, 6, 10, 15, 20, 30, OLDEST - YOUNGEST + 1)  # years apart: from one to below the next
YEARS = (10, 13, 16, 19, 22, 26, 31)  # on record: from one to below the next
LOOKED_AT = 40
RANDOM_DRAWS = 200

# The graph


def graph(setting: Setting) -> Rows:
    """What is left of the graph of comparisons inside groups of all widths; in the data and in the paper's design."""
    found = faces(data_at_hand(quick=setting.quick), setting.seed)
    answers = found.comparisons
    rng = np.random.default_rng([setting.seed, 7])
    drawn = random_graph(len(found.age), pairs_like(len(found.age)), rng)
    rows: list[Row] = []
    for data, first, second in ((found.name, answers.left, answers.right), (words.DESIGN, drawn.first, drawn.second)):
        for kind, masks in _kinds(found).items():
            each = [_left_inside(mask, first, second) for mask in masks]
            rows.append({"data": data, "kind": kind, "groups": len(each)} | _summed(each))
    return rows


def _kinds(found: Faces) -> dict[str, list[Mask]]:
    def of_ages(firsts: range, width: int) -> list[Mask]:
        return [(found.age >= first) & (found.age < first + width) for first in firsts]

    return {
        "all": [members(found, EVERYBODY)],
        "one gender": [members(found, group) for group in GENDERS],
        "eleven years": [members(found, age_group(first)) for first in DECADES],
        "five years": of_ages(range(YOUNGEST, OLDEST, 5), 5),
        "one year": of_ages(range(YOUNGEST, OLDEST + 1), 1),
    }


def _left_inside(mask: Mask, first: Ends, second: Ends) -> Row:
    inside, code = mask[first] & mask[second], (np.cumsum(mask) - 1).astype(np.int32)
    items = int(mask.sum())
    parts, label = components(items, code[first[inside]], code[second[inside]])
    sizes = np.bincount(label)
    return {"items": items, "comparisons": int(inside.sum()), "per_item": 2 * inside.sum() / items, "parts": parts,
            "alone": int((sizes == 1).sum()), "largest": sizes.max() / items}  # fmt: skip


def _summed(each: list[Row]) -> Row:
    means = {name: round(float(np.mean([one[name] for one in each])), 6) for name in each[0]}
    return means | {
        "most_parts": max(one["parts"] for one in each),
        "connected": sum(one["parts"] == 1 for one in each),
    }


# Who is asked about whom


class Asking(NamedTuple):
    """A group ranked by comparisons of its own, or of anyone, of which there are so many for each item."""

    data: str
    group: str
    whom: str
    per_item: float | None  # all there are, where it is None
    simulate: bool
    seed: int
    draw: int  # that no two share their luck


def causes(setting: Setting) -> Rows:
    """The same pairs of photos ranked by comparisons within their group and with anyone, as many and as few."""
    rows = in_turn(ranked, [task._replace(draw=draw) for draw, task in enumerate(_askings(setting))], setting)
    found: list[Row] = []
    for key in dict.fromkeys(_key(row) for row in rows):
        same = [row for row in rows if _key(row) == key]
        one: Row = dict(zip(words.CAUSE_KEYS, key, strict=True)) | {"rankings": len(same)}
        for name in ("comparisons_per_item", "right", "accuracy", "near", "joined", "ceiling"):
            values = [row[name] for row in same if row[name] is not None]
            one |= {name: mean(values), f"{name}_sd": sd(values)}
        found.append(one)
    return found


def _askings(setting: Setting) -> Iterator[Asking]:
    name, seed = data_at_hand(quick=setting.quick), setting.seed
    decades = [age_group(first) for first in DECADES][:: 3 if setting.quick else 1]
    anyone = [f"{ANY_AGE}{number}" for number in range(len(decades))]
    real = faces(name, seed)
    for group in (*decades, *anyone):
        own = among(real, group)
        yield Asking(name, group, words.WITHIN, None, simulate=False, seed=seed, draw=0)
        yield Asking(name, group, words.ANYONE, None, simulate=False, seed=seed, draw=0)
        yield Asking(
            name, group, words.ANYONE, 2 * len(own.comparisons) / len(own.age), simulate=False, seed=seed, draw=0
        )
    simulated = SMALL if setting.quick else SIMULATED
    for group in decades:
        for per_item in DENSITIES[2:4] if setting.quick else DENSITIES:
            for whom in (words.WITHIN, words.ANYONE):
                yield Asking(simulated, group, whom, per_item, simulate=True, seed=seed, draw=0)


def ranked(task: Asking) -> list[Row]:
    """Rank a group, and see how many of its pairs are in order: all, those of like age, those that hang together."""
    used, some = _answers(task)
    answers = used.comparisons
    score = rank_quietly(BY, answers).raw
    part = components(len(used.age), answers.left, answers.right)[1][some]
    age, own = used.age[some], score[some]
    apart = age[:, None] - age
    joined = part[:, None] == part
    ceiling = None if used.seen is None else in_order(used.seen[some], apart > 0)
    about = {"data": task.data, "simulated": task.simulate, "ages": _ages(task.group), "whom": task.whom,
             "per_item": _density(task)}  # fmt: skip
    return [about | {
        "group": task.group, "comparisons_per_item": 2 * len(answers) / len(used.age), "right": right_share(used),
        "accuracy": in_order(own, apart > 0), "near": in_order(own, (apart > 0) & (apart <= NEAR)),
        "joined": in_order(own, (apart > 0) & joined), "ceiling": ceiling,
    }]  # fmt: skip


def _answers(task: Asking) -> tuple[Faces, Mask]:
    """What the ranking is made from, and who in it is of the group."""
    seed = task.seed + task.draw
    if task.simulate:
        photos = world(task.data, task.seed)
        everyone = faces(task.data, task.seed)
        some = members(everyone, task.group)
        chosen = np.flatnonzero(some) if task.whom == words.WITHIN else np.arange(len(some))
        assert task.per_item is not None
        used = asked(photos, chosen, round(task.per_item * len(chosen) / 2), seed, task.data)
        return used, members(used, task.group)
    whole = faces(task.data, task.seed)
    if task.whom == words.WITHIN:
        used = among(whole, task.group)
        return used, np.ones(len(used.age), bool)
    return thinned(whole, task.per_item, seed), members(whole, task.group)


def thinned(found: Faces, per_item: float | None, seed: int) -> Faces:
    """So many comparisons for each item, at random."""
    if per_item is None:
        return found
    count = round(per_item * len(found.age) / 2)
    rows = np.random.default_rng([seed, 8]).permutation(len(found.comparisons))[:count]
    return Faces(found.name, found.comparisons.select(rows), found.age, found.man, found.seen)


def in_order(score: Floats, pairs: Mask) -> float:
    """The share of pairs (older, younger) whose older one has the higher score; equal scores are a coin."""
    above = score[:, None] - score
    return float(np.mean(((above > 0) + 0.5 * (above == 0))[pairs]))


def right_share(found: Faces) -> float:
    """The share of answers that go to the older one, where one is older."""
    lead, won = _leads(found.comparisons, found.age)
    return float(np.mean((lead > 0)[won & (lead != 0)]))


def _leads(answers: Comparisons, age: Floats) -> tuple[Floats, Mask]:
    """By how many years the winner is older; and where there is a winner."""
    lead = (age[answers.left] - age[answers.right]) * np.sign(answers.outcome - 0.5)
    return lead, answers.outcome != 0.5


def _density(task: Asking) -> str:
    if task.per_item is None:
        return words.EVERY
    return f"{task.per_item:g}" if task.simulate else words.AS_WITHIN


def _ages(group: str) -> str:
    return words.WIDE if group.startswith(ANY_AGE) else words.NARROW


def _key(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in words.CAUSE_KEYS)


# How hard the questions are


def answers(setting: Setting) -> Rows:
    """How many answers are right, by how many years the two are apart."""
    rows: list[Row] = []
    names = (data_at_hand(quick=setting.quick), SMALL if setting.quick else SIMULATED)
    for name in dict.fromkeys(names):
        found = faces(name, setting.seed)
        lead, won = _leads(found.comparisons, found.age)
        for least, below in pairwise(LEAPS):
            here = won & (abs(lead) >= least) & (abs(lead) < below)
            rows.append({"data": name, "from": least, "to": below - 1, "comparisons": int(here.sum()),
                         "right": round(float(np.mean(lead[here] > 0)), 6)})  # fmt: skip
    return rows


# Whether the ages are right


def ages(setting: Setting) -> Rows:
    """Who looks far older than the age on record, and what that does to the top of the youngest group."""
    names = (data_at_hand(quick=setting.quick), *((SMALL,) if setting.quick else (SIMULATED, TRUE_AGES)))
    rows: list[Row] = []
    for done, name in enumerate(dict.fromkeys(names), 1):
        found = faces(name, setting.seed)
        score = rank_quietly(OURS, found.comparisons).raw
        rows += [{"data": name, **row} for row in (*_older_looking(found, score), *_top(found, score, setting.seed))]
        if setting.progress:
            setting.progress(done, len(set(names)))
    return rows


def _older_looking(found: Faces, score: Floats) -> Iterator[Row]:
    middle = np.median(score[found.age == LOOKED_AT])
    for least, below in pairwise(YEARS):
        some = (found.age >= least) & (found.age < below)
        yield {"figure": words.LOOKS_OLD, "ages": f"{least}–{below - 1}", "items": int(some.sum()),
               "value": round(float(np.mean(score[some] > middle)), 6), "random": None, "random_sd": None}  # fmt: skip


def _top(found: Faces, score: Floats, seed: int) -> Iterator[Row]:
    for first in DECADES:
        some = members(found, age_group(first))
        for k in (10, 100):
            drawn = random_ndcg(found.age[some], k, seed)
            yield {"figure": f"NDCG@{k}", "ages": age_group(first), "items": int(some.sum()),
                   "value": round(ndcg(score[some], found.age[some], k=k), 6),
                   "random": mean(drawn), "random_sd": sd(drawn)}  # fmt: skip


def random_ndcg(age: Floats, k: int, seed: int) -> list[float]:
    """What orders drawn at random reach."""
    rng = np.random.default_rng([seed, 9])
    return [ndcg(rng.random(len(age)), age, k=k) for _ in range(RANDOM_DRAWS)]
