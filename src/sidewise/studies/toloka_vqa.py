"""The study of Toloka VQA (Ustalov et al. 2023): boxes that answer questions, and a crowd that draws them.

Tables 1 to 3 and Figure 2a of the paper from the published boxes, where the user has them; and on a simulated crowd,
which needs no data, what it is worth to pick a box by the truth.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from sidewise.boxes import Boxes, consensus, iou, iou_alpha
from sidewise.boxes.geometry import SIDES as EDGES
from sidewise.comparisons.arrow import Floats
from sidewise.datasets import DataSet, read_manifest, same_files
from sidewise.datasets.building.table import last_part
from sidewise.errors import Absent
from sidewise.measures.estimate import estimate_mean
from sidewise.models.win_rate import wilson
from sidewise.simulate import BoxSimulation, Drawer, box_crowd
from sidewise.studies import toloka_vqa_errors_page as errors_page
from sidewise.studies import toloka_vqa_page as page
from sidewise.studies.datasets import load
from sidewise.studies.parts import Part, Rows, Setting, StudyInParts
from sidewise.studies.toloka_vqa_errors import GOOD, RULES, error_kinds, is_small, kinds_of_overlap
from sidewise.studies.toloka_vqa_published import (
    BOX_HEIGHT,
    BOX_WIDTH,
    CROWD,
    HEIGHT,
    INSTANCES,
    LENGTH,
    TABLE_1,
    TABLE_2,
    WIDTH,
)
from sidewise.studies.toloka_vqa_words import KNOWN, PRINTED, SIMULATED, TEXT, spoken_of
from sidewise.studies.trials import Row, in_turn, mean, sd

NORMAL = 1.959964
CELLS = 24  # of the heat map, across and down
THRESHOLDS = np.round(np.arange(0, 1, 0.02), 2)
TRIALS, IMAGES, WORKERS = 5, 2000, 100
ANSWERS = (2, 3, 5, 9)  # workers on an image
# Three in twenty draw around another object 60 % of the time, two have shaky hands: alpha is 0.66 then.
CROWDS = {"wrong-object": 0.15, "shaky": 0.1}
SIDES = (0, 16, 32, 64, 96, 128, 192, None)  # pixels; 32 and 96 part MS COCO's small, medium and large objects
EXAMPLES = 4


class Pair(NamedTuple):
    """What was drawn, and what is true, box by box."""

    drawn: Boxes
    true: Boxes

    @property
    def near(self) -> Floats:
        """The IoU of each."""
        return iou(self.drawn.edges, self.true.edges)


def published() -> dict[str, Pair]:
    """The crowd's boxes and the true ones of every split that has both, image by image."""
    data = load("toloka-vqa")
    found = {split: joined(drawn, data.boxes[split]) for split, drawn in data.crowd.items() if split in data.boxes}
    if not found:
        raise Absent(f"no split of toloka-vqa has both its boxes and the crowd's in {data.folder}")
    return found


def joined(drawn: Boxes, true: Boxes) -> Pair:
    """Drawn boxes with the true one of the same image."""
    row = {true.images[code]: place for place, code in enumerate(true.image.tolist())}
    return Pair(drawn, true.select(np.array([row[drawn.images[code]] for code in drawn.image.tolist()], np.int64)))


def simulated(setting: Setting, images: int = IMAGES) -> Pair:
    """A simulated crowd's answers, as they are: one worker on each image, who does not know the truth."""
    count = images // 10 if setting.quick else images
    made = box_crowd(count, workers=WORKERS, overlap=1, kinds=CROWDS, seed=setting.seed)
    return joined(made.answers, made.truth)


def _tell(setting: Setting, done: int, total: int) -> None:
    if setting.progress:
        setting.progress(done, total)


# Table 1


def table_1(setting: Setting) -> Rows:
    """Instances, sizes and question lengths of every split that is here, beside the paper's."""
    rows: list[Row] = []
    data = load("toloka-vqa")
    splits, twins = _true_boxes(data), _twins(data)
    for done, (split, boxes) in enumerate(splits.items(), 1):
        names = {last_part(image) for image in boxes.images}
        elsewhere = sum(len(names & same) for same in twins if not same <= names) if twins is not None else None
        for name, values in _measured(boxes).items():
            low, high = TABLE_1.get(split, {}).get(name, (None, None))
            rows.append({
                "split": split, "instances": len(boxes), "instances_paper": INSTANCES.get(split),
                "elsewhere": elsewhere, "figure": name, **_interval(values), "paper_low": low, "paper_high": high,
            })  # fmt: skip
        _tell(setting, done, len(splits))
    return rows


def _true_boxes(data: DataSet) -> Mapping[str, Boxes]:
    if not data.boxes:
        raise Absent(f"no split of toloka-vqa has its true boxes in {data.folder}")
    return data.boxes


def _twins(data: DataSet) -> list[set[str]] | None:
    """The images that have the same bytes, together; None where the list of hashes is not here."""
    assert data.entry.images is not None
    manifest = data.folder / data.entry.images.manifest
    return [set(names) for names in same_files(read_manifest(manifest))] if manifest.exists() else None


def _measured(boxes: Boxes) -> dict[str, Floats]:
    assert boxes.size is not None
    assert boxes.question is not None
    edges = boxes.edges
    lengths = [len(question or "") for question in boxes.question.to_pylist()]  # characters including blanks
    return {
        WIDTH: boxes.size[:, 0], HEIGHT: boxes.size[:, 1], BOX_WIDTH: edges[:, 2] - edges[:, 0],
        BOX_HEIGHT: edges[:, 3] - edges[:, 1], LENGTH: np.array(lengths, float),
    }  # fmt: skip


def _interval(values: Floats) -> dict[str, float]:
    """The mean with its normal 95 % interval."""
    centre, half = float(values.mean()), float(NORMAL * values.std(ddof=1) / np.sqrt(len(values)))
    return {"value": round(centre, 6), "low": round(centre - half, 6), "high": round(centre + half, 6)}


# Figure 2a


def figure_2a(setting: Setting) -> Rows:
    """The share of true boxes that cover each place of an image, of every split that is here."""
    rows: list[Row] = []
    splits = _true_boxes(load("toloka-vqa"))
    for done, (split, boxes) in enumerate(splits.items(), 1):
        covered = coverage(boxes)
        rows += [{"split": split, "x": x, "y": y, "share": round(float(covered[y, x]), 6)}
                 for y in range(CELLS) for x in range(CELLS)]  # fmt: skip
        _tell(setting, done, len(splits))
    return rows


def coverage(boxes: Boxes, cells: int = CELLS) -> Floats:
    """How much of each cell of a grid over the image is covered, in the mean over boxes; rows from top to bottom."""
    assert boxes.size is not None
    ends = np.arange(cells + 1) / cells
    share = boxes.edges / np.tile(boxes.size, 2)
    across, down = (
        np.clip(np.minimum(share[:, [side + 2]], ends[1:]) - np.maximum(share[:, [side]], ends[:-1]), 0, None) * cells
        for side in (0, 1)
    )
    return np.asarray(down.T @ across / len(boxes))


# Table 2


def table_2(setting: Setting) -> Rows:
    """AIoU and accuracies of the published crowd boxes, and the share of boxes above every threshold."""
    rows: list[Row] = []
    for done, (split, pair) in enumerate((found := published()).items(), 1):
        near = pair.near
        paper = TABLE_2[CROWD] if split == PRINTED else (None, None, None)
        measured: Mapping[str, Floats] = {
            page.AIOU: 100 * near, page.OVER_50: (near > 0.5).astype(float), page.OVER_70: (near > 0.7).astype(float),
        }  # fmt: skip
        for (figure, values), printed in zip(measured.items(), paper, strict=True):
            value = estimate_mean(values, seed=setting.seed)
            rows.append({"split": split, "instances": len(near), "figure": figure, "threshold": None,
                         "value": value.value, "low": value.low, "high": value.high, "paper": printed})  # fmt: skip
        rows += [{"split": split, "instances": len(near), "figure": page.ABOVE, "threshold": float(at),
                  "value": float((near > at).mean()), "low": None, "high": None, "paper": None}
                 for at in THRESHOLDS]  # fmt: skip
        _tell(setting, done, len(found))
    return rows


# Ours: what it is worth to pick a box by the truth


class Crowd(NamedTuple):
    """One simulated crowd."""

    answers: int
    seed: int
    images: int


def picked(setting: Setting) -> Rows:
    """Of the same answers: one of them, a box joined from all, and the one nearest to the truth."""
    trials, images = (2, IMAGES // 10) if setting.quick else (TRIALS, IMAGES)
    tasks = [Crowd(answers, setting.seed + trial, images) for answers in ANSWERS for trial in range(trials)]
    rows = in_turn(pick, tasks, setting)
    found = []
    for answers, way in dict.fromkeys((row["answers"], row["way"]) for row in rows):
        some = [row for row in rows if (row["answers"], row["way"]) == (answers, way)]
        one: Row = {"answers": answers, "way": way, "trials": len(some), "images": images}
        for name in ("aiou", "over_50", "over_70", "alpha"):
            values = [row[name] for row in some]
            one |= {name: mean(values), f"{name}_sd": sd(values)}
        found.append(one)
    return found


def pick(crowd: Crowd) -> list[Row]:
    """Every way to come to one box for each image, on the answers of one crowd."""
    made = box_crowd(crowd.images, workers=WORKERS, overlap=crowd.answers, kinds=CROWDS, seed=crowd.seed)
    alpha = iou_alpha(made.answers, seed=crowd.seed)
    return [
        {"answers": crowd.answers, "seed": crowd.seed, "way": way, "aiou": 100 * float(near.mean()),
         "over_50": float((near > 0.5).mean()), "over_70": float((near > 0.7).mean()), "alpha": alpha}
        for way, near in _ways(made)
    ]  # fmt: skip


def _ways(made: BoxSimulation) -> Iterator[tuple[str, Floats]]:
    single = joined(made.answers, made.truth).near
    yield page.SINGLE, single
    for way, method in ((page.MEDIAN, "median"), (page.WEIGHTED, "weighted")):
        which: Any = method
        yield way, joined(consensus(made.answers, method=which).boxes, made.truth).near
    best = np.zeros(len(made.truth))
    np.maximum.at(best, made.answers.image, single)
    yield page.NEAREST, best


# Ours: IoU by the size of the object


def sizes(setting: Setting) -> Rows:
    """IoU and how far edges are off, by the side of a square of the object's area; of a simulated crowd as well."""
    return _of_published_and_simulated(_by_size, setting)


def _by_size(boxes: str, pair: Pair, setting: Setting) -> Iterator[Row]:
    near, side = pair.near, np.sqrt(pair.true.area)
    slip = np.abs(pair.drawn.edges - pair.true.edges).mean(axis=1)
    for low, high in pairwise(SIDES):
        here = (side >= low) & (side < (np.inf if high is None else high))
        if not here.any():
            continue
        value = estimate_mean(100 * near[here], seed=setting.seed)
        figures = {
            "aiou": value.value, "low": value.low, "high": value.high, "over_50": float((near[here] > 0.5).mean()),
            "slip": float(np.median(slip[here])),
        }  # fmt: skip
        about: Row = {"boxes": boxes, "side_from": low, "side_to": high, "count": int(here.sum())}
        yield about | {name: round(figure, 6) for name, figure in figures.items()}


# Table 3


def table_3(setting: Setting) -> Rows:
    """Kinds of errors: of the published boxes, of a simulated crowd, and of workers whose errors are known."""
    known: list[Row] = []
    for kind, drawer in HANDS.items():
        count = IMAGES // 10 if setting.quick else IMAGES
        made = box_crowd(count, workers=WORKERS, overlap=1, kinds=[drawer] * WORKERS, seed=setting.seed)
        known += _by_kind(f"{KNOWN}{kind}", joined(made.answers, made.truth), setting)
    return [*_of_published_and_simulated(_by_kind, setting), *known]


HANDS = {
    "the right object, steady hands": Drawer("right", wrong=0.0),
    "the right object, shaky hands": Drawer("shaky", jitter=0.15, wrong=0.0),
    "another object": Drawer("wrong", wrong=1.0),
}


def _by_kind(boxes: str, pair: Pair, setting: Setting) -> Iterator[Row]:  # noqa: ARG001
    kinds = error_kinds(pair.drawn.edges, pair.true.edges)
    whatever = kinds_of_overlap(pair.drawn.edges, pair.true.edges)
    small, errors = is_small(pair.true.edges), int((kinds != GOOD).sum())
    for kind in (*RULES, GOOD):
        count, here = int((kinds == kind).sum()), whatever == kind
        yield {
            "boxes": boxes, "kind": kind, "instances": len(kinds), "errors": errors, "count": count,
            **_share(count, errors if kind != GOOD else 0), "by_overlap": int(here.sum()),
            "of_them_small": int((here & small).sum()), "no_overlap": int((pair.near == 0).sum()),
        }  # fmt: skip


def _share(count: int, whole: int) -> dict[str, float | None]:
    """A share with Wilson's interval; of nothing there is none."""
    if not whole:
        return dict.fromkeys(("share", "low", "high"))
    low, high = wilson(np.array([count / whole]), np.array([whole]), 0.95)
    return {"share": round(count / whole, 6), "low": round(float(low[0]), 6), "high": round(float(high[0]), 6)}


def figure_4(setting: Setting) -> Rows:
    """Some instances of every kind of error, drawn at random from the private test where it is here."""
    pair = (pairs := published())[split := spoken_of(list(pairs))]
    kinds, rng = error_kinds(pair.drawn.edges, pair.true.edges), np.random.default_rng([setting.seed, 4])
    assert pair.true.size is not None
    assert pair.true.question is not None
    rows: list[Row] = []
    for done, kind in enumerate(RULES, 1):
        there = np.flatnonzero(kinds == kind)
        for place, at in enumerate(np.sort(rng.permutation(there)[:EXAMPLES]).tolist()):
            row: Row = {"split": split, "kind": kind, "place": place, "image": pair.true.images[pair.true.image[at]],
                        "question": pair.true.question[at].as_py(), "iou": round(float(pair.near[at]), 6),
                        "width": pair.true.size[at, 0], "height": pair.true.size[at, 1]}  # fmt: skip
            for name, boxes in (("true", pair.true), ("drawn", pair.drawn)):
                row |= {f"{name}_{side}": value for side, value in zip(EDGES, boxes.edges[at].tolist(), strict=True)}
            rows.append(row)
        _tell(setting, done, len(RULES))
    return rows


def _of_published_and_simulated(of: Callable[[str, Pair, Setting], Iterator[Row]], setting: Setting) -> list[Row]:
    """The rows of every split that is here, and of a simulated crowd, which is always there."""
    pairs = _published_if_here() | {SIMULATED: simulated(setting, images=5 * IMAGES)}
    rows: list[Row] = []
    for done, (boxes, pair) in enumerate(pairs.items(), 1):
        rows += of(boxes, pair, setting)
        _tell(setting, done, len(pairs))
    return rows


def _published_if_here() -> dict[str, Pair]:
    try:
        return published()
    except Absent:
        return {}


STUDY = StudyInParts(
    "how good are a crowd's boxes?",
    "Toloka VQA: boxes that answer questions",
    TEXT,
    {
        "table-1": Part("Table 1: instances, sizes and questions", table_1, page.table_1),
        "figure-2a": Part("Figure 2a: where the boxes are", figure_2a, page.figure_2a),
        "table-2": Part("Table 2: the crowd's boxes", table_2, page.table_2),
        "picked": Part("Ours: what it is worth to pick by the truth", picked, page.picked),
        "sizes": Part("Ours: small objects", sizes, page.sizes),
        "table-3": Part("Table 3: kinds of errors, by rule", table_3, errors_page.table_3),
        "figure-4": Part("Figure 4: examples of errors", figure_4, errors_page.figure_4),
    },
)
