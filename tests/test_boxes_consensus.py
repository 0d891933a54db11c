"""One box out of many: the crowds that the weighted consensus must bear, and what it finds out about workers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidewise.boxes import consensus, iou, iou_alpha, read_boxes
from sidewise.boxes.joining import medoid
from sidewise.errors import DataError, SidewiseError
from sidewise.measures.boxes import average_iou
from sidewise.measures.krippendorff import krippendorff_alpha
from sidewise.simulate.boxes import DRAWERS, Drawer, box_crowd

MIXES = {
    "steady": {},
    "shaky": {"shaky": 0.5},
    "wrong object": {"wrong-object": 0.4},
    "lazy": {"lazy": 0.4},
    "loose": {"loose": 0.3},
    "tight and loose": {"tight": 0.2, "loose": 0.2},
    "all": {"shaky": 0.2, "wrong-object": 0.2, "lazy": 0.15, "loose": 0.1, "tight": 0.1},
}
SEEDS = (1, 2, 3)


def mean_box(answers):
    """The mean of each edge, image by image."""
    return np.stack([answers.edges[answers.image == code].mean(axis=0) for code in range(len(answers.images))])


def scores(made):
    """AIoU × 100 of each way to join the boxes, and of the first answer to each image."""
    answers, true = made.answers, made.truth.edges
    joined = {
        "weighted": consensus(answers).boxes.edges,
        "median": consensus(answers, method="median").boxes.edges,
        "plain median": consensus(answers, method="median", drop_below=0).boxes.edges,
        "medoid": consensus(answers, method="medoid").boxes.edges,
        "mean": mean_box(answers),
        "one answer": answers.edges[np.unique(answers.image, return_index=True)[1]],
    }
    return {name: 100 * float(iou(box, true).mean()) for name, box in joined.items()}


@pytest.mark.parametrize("mix", MIXES)
def test_the_weighted_consensus_wins(mix):
    """In every mix of workers, on the mean over seeds; by far where workers differ."""
    runs = [scores(box_crowd(150, workers=20, overlap=5, kinds=MIXES[mix], seed=seed)) for seed in SEEDS]
    mean = {name: np.mean([run[name] for run in runs]) for name in runs[0]}
    for other in ("median", "plain median", "medoid", "mean", "one answer"):
        assert mean["weighted"] > mean[other], (mix, mean)
    if mix not in ("steady", "wrong object"):
        assert mean["weighted"] > mean["median"] + 1, mean


def test_what_workers_are_is_found_out():
    made = box_crowd(400, workers=30, overlap=5, kinds=MIXES["all"] | {"tight": 0.15}, seed=4)
    table = consensus(made.answers).workers.to_pylist()
    true = {row["worker"]: row for row in made.workers.to_pylist()}
    for row in table:
        kind = true[row["worker"]]
        assert row["margin"] == pytest.approx(kind["margin"], abs=0.04)
        assert row["whole_image"] == pytest.approx(kind["lazy"], abs=0.15)
        assert row["reliability"] == pytest.approx((1 - kind["wrong"]) * (1 - kind["lazy"]), abs=0.25)
        if kind["kind"] == "shaky":
            assert row["spread"] > 0.08
        elif kind["kind"] != "lazy":
            assert row["spread"] < 0.05


def test_most_workers_may_be_lazy():
    """Whole images agree perfectly with each other: only who always draws them tells that they mean nothing."""
    made = box_crowd(200, workers=20, overlap=6, kinds={"lazy": 0.6}, seed=5)
    found = scores(made)
    assert found["weighted"] > 85
    assert found["median"] < 60


def test_an_object_may_fill_its_image():
    whole = [[0, 0, 100, 100], [1, 0, 100, 99], [0, 1, 99, 100]]
    rows = {"image": ["a"] * 3, "worker": list("xyz"), "width": [100] * 3, "height": [100] * 3}
    edges = dict(zip(("left", "top", "right", "bottom"), np.array(whole).T.tolist(), strict=True))
    found = consensus({**rows, **edges}).boxes.edges
    assert iou(found[0], [0, 0, 100, 100]) > 0.97


def test_answers_far_from_the_consensus_are_dropped_and_listed():
    made = box_crowd(100, workers=12, overlap=5, kinds={"wrong-object": 0.4}, seed=6)
    found = consensus(made.answers, drop_below=0.5)
    near = iou(made.answers.edges, made.truth.edges[made.answers.image])
    dropped = {(row["image"], row["worker"]) for row in found.dropped.to_pylist()}
    names = [
        (made.answers.images[image], made.answers.workers[worker])
        for image, worker in zip(made.answers.image, made.answers.worker, strict=True)
    ]
    wrong = {name for name, value in zip(names, near, strict=True) if value < 0.1}
    assert len(wrong & dropped) > 0.9 * len(wrong)
    assert found.dropped["iou"].to_numpy().max() < 0.5
    assert sum(found.images["kept"].to_pylist()) == len(made.answers) - found.dropped.num_rows
    assert sum(row["dropped"] for row in found.workers.to_pylist()) == found.dropped.num_rows
    assert min(found.images["kept"].to_pylist()) >= 1
    assert consensus(made.answers, drop_below=0).dropped.num_rows == 0


def test_alpha_is_that_of_krippendorff():
    made = box_crowd(40, overlap=3, kinds={"lazy": 0.2}, seed=7).answers
    found = consensus(made)
    assert found.alpha == pytest.approx(krippendorff_alpha(made, distance="iou"))
    assert iou_alpha(made) == found.alpha


@given(st.integers(0, 50), st.sampled_from(["weighted", "median", "medoid"]))
def test_rows_may_come_in_any_order(seed, method):
    made = box_crowd(8, workers=6, overlap=4, kinds={"wrong-object": 0.3}, seed=seed).answers
    mixed = made.select(np.random.default_rng(seed).permutation(len(made)))
    one, other = (consensus(some, method=method).images.sort_by("image") for some in (made, mixed))
    if method == "medoid":  # of answers that are alike, the first is taken
        assert np.allclose(one["answers"].to_numpy(), other["answers"].to_numpy())
    else:
        for name in ("left", "top", "right", "bottom"):
            assert np.allclose(one[name].to_numpy(), other[name].to_numpy(), atol=1)


@pytest.mark.parametrize("method", ["weighted", "median"])
def test_units_do_not_matter(method):
    """Pixels or shares of the frame: the same boxes, but for the rounding to whole pixels."""
    made = box_crowd(60, workers=8, overlap=4, kinds={"shaky": 0.3, "wrong-object": 0.2}, seed=8)
    small = replace(made.answers, edges=made.answers.edges / 640, size=made.answers.size / 640)
    one, other = (consensus(some, method=method).boxes.edges for some in (made.answers, small))
    assert np.abs(one - 640 * other).max() < 1


def test_whole_pixels_stay_whole_and_fractions_do_not():
    made = box_crowd(20, overlap=4, seed=9).answers
    edges = consensus(made).boxes.edges
    assert (edges % 1 == 0).all()
    assert not np.signbit(edges[edges == 0]).any()
    assert (consensus(replace(made, edges=made.edges + 0.25)).boxes.edges % 1 != 0).any()


def test_medians_by_hand():
    rows = [[0, 0, 10, 10], [1, 0, 11, 10], [2, 0, 14, 10], [100, 100, 110, 110]]
    edges = dict(zip(("left", "top", "right", "bottom"), np.array(rows, float).T.tolist(), strict=True))
    answers = read_boxes({"image": ["a"] * 4, **edges}, several=True)
    assert consensus(answers, method="median", drop_below=0).boxes.edges.tolist() == [[2, 0, 12, 10]]  # 1.5 and 12.5
    assert consensus(answers, method="median").boxes.edges.tolist() == [[1, 0, 11, 10]]
    assert consensus(answers, method="medoid").boxes.edges.tolist() == [[1, 0, 11, 10]]
    assert consensus(answers, method="median").workers is None


def test_the_medoid_is_the_answer_that_overlaps_most():
    made = box_crowd(30, overlap=5, kinds={"shaky": 0.5}, seed=10).answers
    found = medoid(made.edges, made.image, 30)
    for code in range(30):
        own = made.edges[made.image == code]
        total = iou(own[:, None], own[None]).sum(axis=1)
        assert found[code].tolist() == own[np.argmax(total)].tolist()


def test_single_answers_and_single_workers():
    one = {"image": ["a", "b"], "worker": ["x", "x"], "left": [1, 2], "top": [1, 2], "right": [9, 8], "bottom": [9, 8]}
    found = consensus(one)
    assert found.boxes.edges.tolist() == [[1, 1, 9, 9], [2, 2, 8, 8]]
    assert np.isnan(found.alpha)
    assert repr(found) == "Consensus(2 images, 2 answers, 0 dropped, weighted)"
    two = {**one, "image": ["a", "a"], "worker": ["x", "y"], "left": [1, 100], "right": [9, 108]}
    apart = consensus(two)
    assert apart.images["kept"].to_pylist() == [1]
    assert apart.boxes.edges[0].tolist() in ([1, 1, 9, 9], [100, 2, 108, 8])


def test_some_rows_of_a_table():
    made = box_crowd(20, overlap=3, seed=11).answers
    part = consensus(made.select(made.image >= 15))
    assert list(part.boxes.images) == list(made.images)[15:]
    with pytest.raises(DataError, match="no boxes"):
        consensus(made.select(made.image < 0))


def test_questions_and_frames_come_along():
    made = box_crowd(3, overlap=2, workers=4, seed=12).answers
    asked = read_boxes(made.to_frame().append_column("question", [[f"what is {code // 2}?" for code in range(6)]]))
    found = consensus(asked).boxes
    assert found.question.to_pylist() == ["what is 0?", "what is 1?", "what is 2?"]
    assert found.size.tolist() == made.size[::2].tolist()


@pytest.mark.parametrize(
    ("options", "says"),
    [({"method": "mean"}, "weighted, median, medoid"), ({"drop_below": 1.0}, "drop_below"), ({}, "who drew which box")],
)
def test_what_cannot_be_joined(options, says):
    nobody = {"image": ["a"], "left": [1], "top": [1], "right": [9], "bottom": [9]}
    with pytest.raises(DataError, match=says):
        consensus(nobody, **options)


def test_crowds_of_drawers_are_what_they_are_called():
    made = box_crowd(600, workers=24, overlap=4, kinds=dict.fromkeys(DRAWERS, 1 / 6), seed=13)
    near = iou(made.answers.edges, made.truth.edges[made.answers.image])
    kind = np.array([made.kinds[made.answers.workers[code]] for code in made.answers.worker])
    share = made.answers.area / made.truth.area[made.answers.image]
    mean = {name: near[kind == name].mean() for name in DRAWERS}
    assert mean["steady"] > 0.85 > mean["shaky"] > mean["wrong-object"] > mean["lazy"]
    assert (near[kind == "wrong-object"] < 0.1).mean() == pytest.approx(0.58, abs=0.06)
    filling = made.answers.area / made.answers.size.prod(axis=1)
    assert (filling[kind == "lazy"] > 0.95).mean() == pytest.approx(0.9, abs=0.05)
    assert np.median(share[kind == "loose"]) == pytest.approx(1.3**2, abs=0.1)
    assert np.median(share[kind == "tight"]) == pytest.approx(0.76**2, abs=0.1)
    for boxes in (made.answers, made.truth):
        assert (boxes.edges[:, :2] >= 0).all()
        assert (boxes.edges[:, 2:] <= boxes.size).all()
        assert (boxes.area > 0).all()


def test_the_same_seed_gives_the_same_crowd():
    first, again, other = (box_crowd(20, seed=seed) for seed in (1, 1, 2))
    assert first.answers.to_frame() == again.answers.to_frame() != other.answers.to_frame()
    assert read_boxes(first.answers.to_frame()).to_frame() == first.answers.to_frame()
    assert average_iou(box_crowd(50, overlap=1, kinds=[Drawer("exact", 0, 0, 0)] * 3).answers,
                       box_crowd(50, overlap=1, kinds=[Drawer("exact", 0, 0, 0)] * 3).truth) == 1.0  # fmt: skip


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kinds": {"drunk": 0.5}}, "no kind of box drawer 'drunk'; there are: steady"),
        ({"kinds": {"lazy": 0.7, "tight": 0.7}}, "no more than 1"),
        ({"kinds": "lazy"}, "kinds holds shares"),
        ({"overlap": 30}, "only 25 workers"),
        ({"images": 0}, "images is 0"),
        ({"others": -1}, "others is -1"),
    ],
)
def test_crowds_that_cannot_be(options, says):
    with pytest.raises(SidewiseError, match=says):
        box_crowd(**options)


@pytest.mark.parametrize("options", [{"wrong": 1.5}, {"lazy": -1}, {"jitter": -1}, {"margin": -0.5}])
def test_drawers_that_cannot_be(options):
    with pytest.raises(SidewiseError, match=next(iter(options))):
        Drawer("odd", **options)


def test_wrong_answers_need_other_objects():
    made = box_crowd(30, kinds={"wrong-object": 1.0}, others=0, seed=1)
    assert (iou(made.answers.edges, made.truth.edges[made.answers.image]) > 0).all()
