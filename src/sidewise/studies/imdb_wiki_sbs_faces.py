"""The comparisons that the study of IMDB-WIKI-SbS runs on: the whole file, a part of it, or a simulated set like it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons import Comparisons, Index
from sidewise.comparisons.arrow import Floats, Mask
from sidewise.errors import Absent
from sidewise.simulate import crowd
from sidewise.studies.datasets import load
from sidewise.studies.imdb_wiki_sbs_published import ITEMS, PAIRS, WORKERS
from sidewise.studies.imdb_wiki_sbs_words import FULL, SHARED, SIMULATED, SMALL, TRUE_AGES

YOUNGEST, OLDEST, PER_GROUP = 10, 70, 75
DECADES = tuple(range(YOUNGEST, OLDEST, 10))
EVERYBODY, WOMEN, MEN = "all", "women", "men"
GENDERS = (WOMEN, MEN)
ANY_AGE = "any age "  # and a number: a random group

# How the simulated crowd sees ages. Chosen so that nearly as many answers are right as in the real ones, at every
# difference of ages, that as many photos look far older than their age, and that Bradley-Terry has about the same
# accuracy.
PER_YEAR = 0.095  # log-odds that a year is worth
LOOKS = 1.0  # standard deviation, in log-odds, of how much older somebody looks than another of the same age
WRONG_AGES = 0.12  # share of photos of which the age on record is not that of who is shown
RANDOM_WORKERS = 0.03


@dataclass(frozen=True)
class Faces:
    """Comparisons of photos, and by the codes of the items the age, the gender, and what people see, if it is known."""

    name: str
    comparisons: Comparisons
    age: Floats
    man: Mask
    seen: Floats | None = None
    groups: None = None  # all can be compared with all

    @cached_property
    def truth(self) -> Mapping[str, float]:
        """The age of every photo, which is also its gain: older is more."""
        return dict(zip(self.comparisons.items, self.age.tolist(), strict=True))


class World(NamedTuple):
    """Photos that never were: what is on record, and what people see."""

    names: list[str]
    age: Floats
    man: Mask
    seen: Floats


def age_group(first: int) -> str:
    """Its name: both ends belong to it."""
    return f"{first}–{first + 10}"


def data_at_hand(*, quick: bool = False) -> str:
    """The whole file where the user has it, else the part that is shared, else a simulated set."""
    for name in (FULL, SHARED):
        try:
            load(name)
        except Absent:
            continue
        return name
    return SMALL if quick else SIMULATED


@cache
def faces(name: str, seed: int = 0) -> Faces:
    """A data set by its name; the seed is that of a simulated one."""
    if name not in (FULL, SHARED):
        photos = world(name, seed)
        return asked(photos, np.arange(len(photos.names)), pairs_like(len(photos.names)), seed, name)
    data = load(name)
    answers, truth = data.comparisons, data.truth
    assert truth is not None
    # Both files list the ages in order, and of each age 75 photos of one gender and then 75 of the other.
    place = {item: number for number, item in enumerate(truth)}
    man = np.array([place[item] // PER_GROUP % 2 == 1 for item in answers.items])
    return Faces(name, answers, np.array([truth[item] for item in answers.items]), man)


def pairs_like(items: int) -> int:
    """So many pairs that an item is in as many as in the real data."""
    return round(PAIRS * items / ITEMS)


@cache
def world(name: str, seed: int) -> World:
    """Photos of every age and gender, as many of each."""
    rng = np.random.default_rng([seed, 5])
    each = 4 if name == SMALL else PER_GROUP
    age = np.repeat(np.arange(YOUNGEST, OLDEST + 1), 2 * each).astype(float)
    wrong = rng.random(len(age)) < (0.0 if name == TRUE_AGES else WRONG_AGES)
    shown = np.where(wrong, rng.integers(YOUNGEST, OLDEST + 1, len(age)), age)
    names = [f"photo-{number:04d}" for number in range(len(age))]
    man = np.tile(np.repeat([False, True], each), OLDEST - YOUNGEST + 1)
    return World(names, age, man, PER_YEAR * shown + rng.normal(0, LOOKS, len(age)))


def asked(photos: World, some: NDArray[np.int64], pairs: int, seed: int, name: str = SIMULATED) -> Faces:
    """Ask a crowd of the real one's size about different pairs of some photos, one worker a pair, as the paper did."""
    workers = max(2, round(WORKERS * pairs / PAIRS))
    made = crowd(
        [photos.names[place] for place in some.tolist()], workers=workers, pairs=pairs, overlap=1,
        scores=photos.seen[some].tolist(), kinds={"random": RANDOM_WORKERS}, seed=seed,
    )  # fmt: skip
    return Faces(name, made.comparisons, photos.age[some], photos.man[some], photos.seen[some])


def members(found: Faces, group: str) -> Mask:
    """Which items belong to a group: all, a gender, an age group, or as many as in one at random."""
    if group == EVERYBODY:
        return np.ones(len(found.age), bool)
    if group in GENDERS:
        return found.man if group == MEN else ~found.man
    if group.startswith(ANY_AGE):
        size = round(len(found.age) * 11 / (OLDEST - YOUNGEST + 1))
        rng = np.random.default_rng([int(group.removeprefix(ANY_AGE)), 6])
        return np.isin(np.arange(len(found.age)), rng.choice(len(found.age), size, replace=False))
    first, last = map(int, group.split("–"))
    return (found.age >= first) & (found.age <= last)


def among(found: Faces, group: str) -> Faces:
    """The items of a group and the comparisons that both have: a data set of its own, as the paper evaluates groups."""
    some, answers = members(found, group), found.comparisons
    code = np.cumsum(some) - 1
    inside = answers.select(some[answers.left] & some[answers.right])
    names = [item for item, chosen in zip(answers.items, some.tolist(), strict=True) if chosen]
    left, right = (code[side].astype(side.dtype) for side in (inside.left, inside.right))
    kept = replace(inside, left=left, right=right, items=Index(names))
    return replace(found, comparisons=kept, age=found.age[some], man=found.man[some],
                   seen=None if found.seen is None else found.seen[some])  # fmt: skip
