"""The model behind the weighted consensus: who draws around the object, how steadily, how loosely. A kernel."""

from dataclasses import dataclass
from math import lgamma, log, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidewise.boxes.pairs import pairs_within, starts_of
from sidewise.comparisons.arrow import Codes, Floats

OUTWARDS = np.array([-1.0, -1.0, 1.0, 1.0])
TAILS = 4.0  # degrees of freedom of an edge's error: the crowd boxes of Toloka VQA have a kurtosis of 22
INSET = 0.02  # of the frame: a box all of whose edges are this near to it is the whole image
WHOLE_OBJECTS = 0.01  # share of objects that fill their image
START = np.array([0.8, 0.1, 0.1])  # chances of the three classes before anything is known
START_SPREAD = 0.1
CLASS_PRIOR, SPREAD_PRIOR, MARGIN_PRIOR = 4.0, 2.0, 1.0  # how many answers' worth the crowd's own figures count
RARE, NARROW = 0.02, 1e-3  # the least crowd-wide chance of a class, and the least spread
HUNT = 30  # rounds in which a box may leap from one object to another: most end within 15, some leap for ever
REFINING = 4  # steps from the best answer towards the consensus, in each round

_PEAK = lgamma((TAILS + 1) / 2) - lgamma(TAILS / 2) - 0.5 * log(TAILS * pi)  # Student's t at 0, as a logarithm


class Answers(NamedTuple):
    """Boxes sorted by image; ``wide`` and ``high`` measure the frame of each row, ``whole`` marks whole images."""

    edges: Floats
    image: Codes
    worker: Codes
    frame: Floats
    whole: NDArray[np.bool_]
    images: int
    workers: int


@dataclass(frozen=True)
class Crowd:
    """What is known of each worker.

    ``chance`` has three columns: the answer is about the object, about something else, or the whole image. An edge
    drawn around the object lies ``margin`` object sizes outwards, give or take ``spread`` times √(size × usual size).
    """

    chance: Floats
    spread: Floats
    margin: Floats


class Fit(NamedTuple):
    """The box of each image, the crowd, and for each answer the chance that it is about the object."""

    box: Floats
    crowd: Crowd
    about: Floats
    weight: Floats  # of each edge of each answer in its box
    steps: int
    moved: float


def fit(answers: Answers, start: Floats, *, limit: int, tol: float) -> Fit:
    """Boxes and workers in turn, until no edge moves by more than ``tol`` times the usual size."""
    crowd = Crowd(
        np.tile(START, (answers.workers, 1)), np.full(answers.workers, START_SPREAD), np.zeros(answers.workers)
    )
    box, moved, step = start, np.inf, 0
    while True:
        before, step = box, step + 1
        if step <= HUNT:
            box = _best_answer(answers, crowd, box)
        for _ in range(REFINING):
            seen = _look(answers, crowd, box)
            box = seen.box
        crowd = _judge(answers, seen)
        moved = float(np.max(np.abs(box - before) / _usual(box)))
        if moved <= tol or step >= limit:
            return Fit(box, crowd, seen.about, seen.weight, step, moved)


class _Seen(NamedTuple):
    """One look at the answers: classes, robust weights of edges, shares in the box, and the box that follows."""

    classes: Floats
    about: Floats
    steady: Floats
    weight: Floats
    box: Floats


def _look(answers: Answers, crowd: Crowd, box: Floats) -> _Seen:
    """Which answers are about the object, given a box, and the box that these answers give."""
    size, scale = _measures(box)
    who, image = answers.worker, answers.image
    shifted = answers.edges - OUTWARDS * crowd.margin[who, None] * size[image]
    spread = crowd.spread[who, None] * scale[image]
    off = ((shifted - box[image]) / spread) ** 2
    logs = _class_logs(answers, crowd.chance[who], np.arange(len(who)), _t_logs(off, spread))
    classes = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
    steady = (TAILS + 1) / (TAILS + off)
    share = classes[:, :1] * steady / spread**2 + np.finfo(float).tiny / spread**2  # never nothing
    total = _by(image, share, answers.images)
    return _Seen(
        classes, classes[:, 0], steady, share / total[image], _by(image, share * shifted, answers.images) / total
    )


def _best_answer(answers: Answers, crowd: Crowd, box: Floats) -> Floats:
    """For each image, the answer that best explains the others once its worker's margin is taken off.

    Its merit is the likelihood of all answers if it were about the object, its own error left out:
    log prior(x) + log P(about the object) + Σ over the others of log P(their answer | the object is here).
    """
    own = _without_margin(answers, crowd)
    size = np.maximum(own[:, 2:] - own[:, :2], np.finfo(float).tiny)
    scale = np.sqrt(np.tile(size, 2) * _usual(box))
    merit = _log_prior(answers) + np.log(crowd.chance[answers.worker, 0])
    for first, second in pairs_within(starts_of(answers.image, answers.images)):
        both = np.sqrt(crowd.spread[answers.worker[first]] ** 2 + crowd.spread[answers.worker[second]] ** 2)[:, None]
        apart = (own[first] - own[second]) ** 2
        for here, there in ((first, second), (second, first)):
            spread = both * scale[here]
            about = _t_logs(apart / spread**2, spread)
            logs = _class_logs(answers, crowd.chance[answers.worker[there]], there, about)
            merit[here] += np.logaddexp.reduce(logs, axis=1)
    order = np.lexsort((-merit, answers.image))
    return own[order[starts_of(answers.image, answers.images)[:-1]]]


def _judge(answers: Answers, seen: _Seen) -> Crowd:
    """What the boxes say about the workers, each drawn a little towards the crowd."""
    size, scale = _measures(seen.box)
    who, image, workers = answers.worker, answers.image, answers.workers
    off = answers.edges - seen.box[image]
    good = np.asarray(np.bincount(who, seen.about, workers), float)
    share = seen.about[:, None] * seen.steady
    margin = _margins(OUTWARDS * off / size[image], share * (size / scale)[image] ** 2, who, good)
    left = (off - OUTWARDS * margin[who, None] * size[image]) / scale[image]
    # An answer draws its own box towards itself by its weight there, which makes it look steadier than it is.
    square = np.bincount(who, (share * left**2 / np.maximum(1 - seen.weight, 0.1)).sum(axis=1), workers)
    usual = np.median(square[good > 0.5] / (4 * good[good > 0.5])) if (good > 0.5).any() else START_SPREAD**2
    spread = np.sqrt((square + 4 * SPREAD_PRIOR * usual) / (4 * (good + SPREAD_PRIOR)))
    count = np.column_stack([np.bincount(who, column, workers) for column in seen.classes.T])
    usually = np.maximum(count.sum(axis=0) / count.sum(), RARE)
    chance = count + CLASS_PRIOR * usually / usually.sum()
    return Crowd(chance / chance.sum(axis=1, keepdims=True), np.maximum(spread, NARROW), margin)


def _margins(off: Floats, share: Floats, who: Codes, good: Floats) -> Floats:
    """How far outwards each worker draws, with the median worker at 0: the crowd's own margin cannot be known."""
    usual = np.median(share[share > 0]) if (share > 0).any() else 1.0
    whole = np.bincount(who, share.sum(axis=1), len(good)) + 4 * MARGIN_PRIOR * usual
    margin = np.bincount(who, (share * off).sum(axis=1), len(good)) / whole
    order = np.argsort(margin, kind="stable")
    below = np.cumsum(good[order])
    middle = order[min(int(np.searchsorted(below, below[-1] / 2)), len(order) - 1)]
    return np.asarray(np.clip(margin - margin[middle], -0.45, None))  # at −0.5 nothing would be left of a box


def _measures(box: Floats) -> tuple[Floats, Floats]:
    """The size of each box, and the unit in which errors are counted, for all four edges.

    Errors grow with the object, but more slowly: on Toloka VQA about as its size to the power of 0.65.
    """
    size = np.tile(np.maximum(box[:, 2:] - box[:, :2], np.finfo(float).tiny), 2)
    return size, np.sqrt(size * _usual(box))


def _usual(box: Floats) -> Floats:
    """The usual width and height, for all four edges."""
    size = np.maximum(box[:, 2:] - box[:, :2], np.finfo(float).tiny)
    return np.tile(np.exp(np.median(np.log(size), axis=0)), 2)


def _without_margin(answers: Answers, crowd: Crowd) -> Floats:
    margin = crowd.margin[answers.worker, None]
    size = np.tile(answers.edges[:, 2:] - answers.edges[:, :2], 2)
    return np.asarray(answers.edges - OUTWARDS * size * margin / (1 + 2 * margin))


def _t_logs(off: Floats, spread: Floats) -> Floats:
    """Log density of Student's t, over the four edges."""
    return np.asarray((_PEAK - (TAILS + 1) / 2 * np.log1p(off / TAILS) - np.log(spread)).sum(axis=1))


def _class_logs(answers: Answers, chance: Floats, rows: NDArray[np.int64], about: Floats) -> Floats:
    """Log of the chance of each class times the density of the answer in it."""
    inside = -2 * np.log(answers.frame[rows]).sum(axis=1)
    whole = np.where(answers.whole[rows], inside - 4 * log(INSET), -np.inf)
    return np.asarray(np.log(chance) + np.column_stack([about, inside + log(4), whole]))


def _log_prior(answers: Answers) -> Floats:
    """Of the object's box: anywhere in the frame, or, seldom, all of it."""
    inside = -2 * np.log(answers.frame).sum(axis=1)
    whole = log(WHOLE_OBJECTS) - 4 * log(INSET)
    return np.asarray(inside + np.where(answers.whole, whole, log(1 - WHOLE_OBJECTS) + log(4)))


def _by(group: Codes, values: Floats, groups: int) -> Floats:
    """Sums of rows by group."""
    return np.column_stack([np.bincount(group, column, groups) for column in values.T])
