"""Simulated crowds that draw boxes: steady and shaky hands, loose and tight ones, the lazy, and those who err."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from sidewise.boxes import Boxes, clip_boxes
from sidewise.comparisons import Index
from sidewise.comparisons.arrow import Floats
from sidewise.errors import SidewiseError
from sidewise.numbers import check_count, check_seed
from sidewise.simulate.crowd import numbered
from sidewise.simulate.design import Positions, distinct

FRAMES = np.array([[640.0, 480.0], [480.0, 640.0]])
TYPICAL, SPREAD, ALIKE = (
    0.14,
    0.83,
    0.6,
)  # sizes of objects in Toloka VQA: median share of the frame, log sd, correlation
LEAST, MOST = 0.02, 0.9  # share of the frame
TAILS = 4  # degrees of freedom of the jitter: most edges are set well, a few slip (kurtosis 22 in Toloka VQA)
OUTWARDS = np.array([-1.0, -1.0, 1.0, 1.0])


@dataclass(frozen=True)
class Drawer:
    """A worker who draws boxes.

    With chance ``lazy`` the box is the whole image; else with chance ``wrong`` it is drawn around another object. An
    edge is off by ``jitter`` times √(the object's size × the usual size), Student's t with 4 degrees of freedom, and by
    ``margin`` times the object's size outwards: above 0 for loose boxes, below 0 for tight ones.

    >>> Drawer("hasty", jitter=0.1, wrong=0.2).wrong
    0.2
    """

    name: str
    jitter: float = 0.03
    margin: float = 0.0
    wrong: float = 0.02
    lazy: float = 0.0

    def __post_init__(self) -> None:
        for name in ("wrong", "lazy"):
            if not 0 <= getattr(self, name) <= 1:
                raise SidewiseError(f"{name} is {getattr(self, name)}, which is not between 0 and 1")
        if not self.jitter >= 0:
            raise SidewiseError(f"jitter is {self.jitter}; it is a share of the size, 0 at the least")
        if not self.margin > -0.5:
            raise SidewiseError(f"margin is {self.margin}; at −0.5 nothing is left of a box")


DRAWERS: Mapping[str, Drawer] = {
    drawer.name: drawer
    for drawer in (
        Drawer("steady"),
        Drawer("shaky", jitter=0.15),
        Drawer("wrong-object", wrong=0.6),
        Drawer("lazy", lazy=0.9),
        Drawer("loose", margin=0.15),
        Drawer("tight", margin=-0.12),
    )
}


@dataclass(frozen=True)
class BoxSimulation:
    """Boxes that a crowd drew, and what is true: the box of every image, and the kind of every worker.

    ``workers`` is a table of worker, kind, answers, jitter, margin, wrong and lazy.
    """

    answers: Boxes
    truth: Boxes
    workers: pa.Table

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The kind of every worker."""
        return dict(zip(self.workers["worker"].to_pylist(), self.workers["kind"].to_pylist(), strict=True))


def box_crowd(
    images: int = 200,
    *,
    workers: int = 25,
    overlap: int = 5,
    kinds: Mapping[str | Drawer, float] | Mapping[str, float] | Sequence[str | Drawer] = (),
    others: int = 3,
    seed: int = 0,
) -> BoxSimulation:
    """Simulate a crowd that draws a box around one object of each image.

    Images measure 640 × 480 or 480 × 640; objects have sizes like those of Toloka VQA (Ustalov et al. 2023), and lie
    anywhere. Boxes are cut to the frame and rounded to whole pixels. Workers are steady but for those of other kinds.

    Parameters
    ----------
    images
        How many.
    workers
        How many, unless ``kinds`` lists them.
    overlap
        How many different workers draw on each image.
    kinds
        Shares of kinds, by name ("steady", "shaky", "wrong-object", "lazy", "loose", "tight") or as a
        :class:`Drawer`; or a list with the kind of every worker.
    others
        How many other objects an image has, for those who draw around a wrong one.
    seed
        The same seed gives the same boxes.

    Examples
    --------
    >>> made = box_crowd(100, workers=10, overlap=4, kinds={"lazy": 0.2}, seed=1)
    >>> made.answers
    Boxes(400 boxes, 100 images, 10 workers)
    >>> sorted(made.kinds.values()).count("lazy")
    2
    """
    check_seed(seed)
    drawers = _dealt(kinds, workers, rng := np.random.default_rng(seed))
    _check(images, len(drawers), overlap, others)
    frame = FRAMES[rng.integers(len(FRAMES), size=images)]
    objects = _objects(frame, 1 + others, rng)  # the first of each image is the one that is asked for
    image = np.repeat(np.arange(images), overlap)
    worker = distinct(len(drawers), overlap, images, rng).ravel()
    edges = _drawn(drawers, worker, objects[image], frame[image], rng)
    names, who = Index(numbered("image-", images)), Index(numbered("w", len(drawers)))
    answers = Boxes(image.astype(np.int32), names, edges, worker.astype(np.int32), who, frame[image])
    truth = Boxes(np.arange(images, dtype=np.int32), names, objects[:, 0], size=frame)
    return BoxSimulation(answers, truth, _worker_table(who, drawers, np.bincount(worker, minlength=len(drawers))))


def _objects(frame: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Boxes of the objects of each image: log-normal sizes, width and height alike, anywhere in the frame."""
    shape = (len(frame), count)
    both, one, two = rng.normal(size=(3, *shape))
    logs = np.sqrt(ALIKE) * both[..., None] + np.sqrt(1 - ALIKE) * np.stack([one, two], axis=-1)
    size = np.clip(TYPICAL * np.exp(SPREAD * logs), LEAST, MOST) * frame[:, None]
    start = rng.random((*shape, 2)) * (frame[:, None] - size)
    return np.round(np.concatenate([start, start + size], axis=-1))


def _drawn(
    drawers: Sequence[Drawer], worker: Positions, objects: Floats, frame: Floats, rng: np.random.Generator
) -> Floats:  # fmt: skip
    """What each worker draws; the rows of ``objects`` are those of the images that the workers see."""
    rows = np.arange(len(worker))
    jitter, margin, wrong, lazy = (
        np.array([getattr(drawer, name) for drawer in drawers])[worker]
        for name in ("jitter", "margin", "wrong", "lazy")
    )
    others = objects.shape[1] - 1
    errs = (rng.random(len(rows)) < wrong) & (others > 0)
    chosen = objects[rows, np.where(errs, 1 + rng.integers(max(others, 1), size=len(rows)), 0)]
    size = chosen[:, 2:] - chosen[:, :2]
    slip = rng.standard_t(TAILS, size=chosen.shape) / np.sqrt(TAILS / (TAILS - 2))
    off = jitter[:, None] * np.sqrt(size * TYPICAL * frame)
    drawn = chosen + slip * np.tile(off, 2) + OUTWARDS * margin[:, None] * np.tile(size, 2)
    whole = np.concatenate([np.zeros_like(frame), frame], axis=1) - OUTWARDS * rng.uniform(0, 4, size=(len(rows), 4))
    drawn = np.where((rng.random(len(rows)) < lazy)[:, None], whole, drawn)
    return _sound(drawn, frame)


def _sound(drawn: Floats, frame: Floats) -> Floats:
    """Boxes of whole pixels inside the frame, one pixel wide and high at the least."""
    low, high = np.minimum(drawn[:, :2], drawn[:, 2:]), np.maximum(drawn[:, :2], drawn[:, 2:])
    low = np.clip(np.round(low), 0, frame - 1)
    high = np.maximum(np.round(high), low + 1)
    return clip_boxes(np.concatenate([low, high], axis=1), frame[:, 0], frame[:, 1])


def _dealt(
    kinds: Mapping[str | Drawer, float] | Mapping[str, float] | Sequence[str | Drawer],
    workers: int,
    rng: np.random.Generator,
) -> list[Drawer]:
    """A kind for every worker: as listed, or by shares, to workers drawn at random; the rest are steady."""
    if isinstance(kinds, str):
        raise SidewiseError(f"kinds holds shares, as in kinds={{{kinds!r}: 0.2}}, or a list with every worker's kind")
    if not isinstance(kinds, Mapping) and kinds:
        return [_found(kind) for kind in kinds]
    dealt, shares = [DRAWERS["steady"]] * workers, dict(kinds) if isinstance(kinds, Mapping) else {}
    if any(not share >= 0 for share in shares.values()) or sum(shares.values()) > 1 + 1e-9:
        raise SidewiseError(f"kinds are shares of the workers, none below 0 and together no more than 1: {shares}")
    ends = np.round(np.cumsum([0.0, *shares.values()]) * workers).astype(int)
    order = rng.permutation(workers)
    for kind, start, end in zip(shares, ends, ends[1:], strict=False):
        for worker in order[start:end]:
            dealt[worker] = _found(kind)
    return dealt


def _found(kind: str | Drawer) -> Drawer:
    if isinstance(kind, Drawer):
        return kind
    if kind not in DRAWERS:
        raise SidewiseError(f"no kind of box drawer {kind!r}; there are: {', '.join(DRAWERS)}")
    return DRAWERS[kind]


def _check(images: int, workers: int, overlap: int, others: int) -> None:
    for name, value, least in (("images", images, 1), ("workers", workers, 1), ("overlap", overlap, 1),
                               ("others", others, 0)):  # fmt: skip
        check_count(name, value, least=least)
    if overlap > workers:
        raise SidewiseError(f"overlap is {overlap}, but there are only {workers} workers to draw on an image")


def _worker_table(names: Sequence[str], drawers: Sequence[Drawer], answers: np.ndarray) -> pa.Table:
    columns = {name: [asdict(drawer)[name] for drawer in drawers] for name in ("jitter", "margin", "wrong", "lazy")}
    kinds = pa.array([drawer.name for drawer in drawers], pa.string())
    return pa.table({"worker": pa.array(list(names), pa.string()), "kind": kinds, "answers": answers, **columns})
