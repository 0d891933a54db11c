"""Boxes: the kernel, the measures on made and real boxes, and matching of several."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidewise.boxes import area, box_distance, clip_boxes, iou, read_boxes
from sidewise.errors import MeasureError
from sidewise.measures.box_matching import match_boxes
from sidewise.measures.boxes import average_iou, iou_accuracy, score_boxes
from sidewise.simulate.boxes import box_crowd

SIDES = ("left", "top", "right", "bottom")


def table(boxes):
    """Boxes by image, as columns."""
    rows = [(image, *box) for image, some in boxes.items() for box in some]
    return dict(zip(("image", *SIDES), map(list, zip(*rows, strict=True)), strict=True))


edge = st.integers(-5, 12)
boxes = st.tuples(edge, edge, edge, edge)
proper = st.tuples(edge, edge, st.integers(1, 9), st.integers(1, 9)).map(
    lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3])
)


def cells(box):
    """The unit squares that a box covers."""
    left, top, right, bottom = box
    return {(x, y) for x in range(left, right) for y in range(top, bottom)}


@given(boxes, boxes)
def test_iou_counts_squares(a, b):
    either, both = cells(a) | cells(b), cells(a) & cells(b)
    assert iou(a, b) == pytest.approx(len(both) / len(either) if either else 0.0)
    assert area(a) == len(cells(a))


@given(proper, proper, proper)
def test_one_minus_iou_is_a_metric(a, b, c):
    assert box_distance(a, a) == 0
    assert box_distance(a, b) == box_distance(b, a)
    assert box_distance(a, c) <= box_distance(a, b) + box_distance(b, c) + 1e-12


@given(proper, proper, st.floats(-1e3, 1e3), st.floats(0.01, 100))
def test_frames_may_be_moved_and_stretched(a, b, shift, scale):
    moved = iou(shift + scale * np.array(a), shift + scale * np.array(b))
    assert moved == pytest.approx(float(iou(a, b)), abs=1e-9)


def test_shapes_broadcast():
    rng = np.random.default_rng(0)
    a, b = (np.sort(rng.random((n, 2, 2)), axis=1).reshape(n, 4) for n in (7, 5))
    every = iou(a[:, None], b[None])
    assert every.shape == (7, 5)
    assert every[3, 2] == iou(a[3], b[2])
    assert iou(a, a).tolist() == pytest.approx([1.0] * 7)
    assert iou(np.empty((0, 4)), np.empty((0, 4))).shape == (0,)


@pytest.mark.parametrize(
    ("box", "value"),
    [
        ([5, 5, 5, 9], 0.0),
        ([9, 9, 5, 5], 0.0),
        ([np.nan, 0, 5, 5], np.nan),
        ([-10, -10, -5, -5], 0.0),
    ],
)
def test_degenerate_boxes_are_as_documented(box, value):
    assert iou(box, [0, 0, 10, 10]) == pytest.approx(value, nan_ok=True)
    assert iou(box, box) == pytest.approx(1.0 if value == 0 and box[2] > box[0] else value, nan_ok=True)


def test_an_endless_box_is_all_but_no_part_of_any_other():
    endless = [0, 0, np.inf, np.inf]
    assert iou(endless, [0, 0, 10, 10]) == 0.0
    assert np.isnan(iou(endless, endless))


@pytest.mark.parametrize(("bad", "says"), [([1, 2, 3], "shape"), ("box", "no numbers"), (5, "shape")])
def test_what_is_no_box_is_refused(bad, says):
    with pytest.raises(MeasureError, match=says):
        iou(bad, [0, 0, 1, 1])


def test_arrays_that_do_not_go_together_are_refused():
    with pytest.raises(MeasureError, match=r"\(2, 4\) and b \(3, 4\), which do not go together"):
        iou(np.zeros((2, 4)), np.zeros((3, 4)))


def test_clipping():
    assert clip_boxes([[-5, 5, 20, 8], [30, 30, 40, 40]], 10, 10).tolist() == [[0, 5, 10, 8], [10, 10, 10, 10]]


@pytest.mark.parametrize(
    ("name", "average", "above_half", "above_seven"),
    [
        ("test_private", 87.154238, 0.9538, 0.9136),
        ("test_public", 88.023862, 0.9648, 0.9302),
        ("train_sample", 85.611070, None, None),
    ],
)
def test_the_crowd_of_toloka(data, name, average, above_half, above_seven):
    truth, crowd = (data / "toloka-vqa" / f"{name}{part}.csv" for part in ("", "_crowd_baseline"))
    assert 100 * average_iou(crowd, truth) == pytest.approx(average, abs=1e-6)
    if above_half is not None:
        assert iou_accuracy(crowd, truth) == pytest.approx(above_half, abs=5e-5)
        assert iou_accuracy(crowd, truth, threshold=0.7) == pytest.approx(above_seven, abs=5e-5)


def test_tables_are_joined_by_image():
    made = box_crowd(50, overlap=1, seed=1)
    predicted, truth = made.answers, made.truth
    mixed = predicted.select(np.random.default_rng(0).permutation(50))
    expected = float(iou(predicted.edges, truth.edges).mean())
    assert average_iou(mixed, truth) == pytest.approx(expected)
    assert average_iou(mixed.to_frame(), truth.to_frame()) == pytest.approx(expected)
    assert average_iou(predicted.edges, truth.edges) == pytest.approx(expected)
    scores = score_boxes(mixed, truth, thresholds=[0.9])
    assert scores.average.low < scores.average.value < scores.average.high
    assert scores.accuracy[0.9].value == iou_accuracy(mixed, truth, threshold=0.9)
    assert scores.images["iou"][0].as_py() == iou(predicted.edges, truth.edges).min()
    assert str(scores).startswith("AIoU × 100")


def test_the_threshold_itself_is_not_above_it():
    assert iou_accuracy([[0, 0, 10, 5]], [[0, 0, 10, 10]], threshold=0.5) == 0.0
    assert iou_accuracy([[0, 0, 10, 5]], [[0, 0, 10, 10]], threshold=0.49) == 1.0


A, B = (0, 0, 10, 10), (20, 0, 30, 10)


@pytest.mark.parametrize(
    ("predicted", "truth", "missing", "expected"),
    [
        ({"x": [A]}, {"x": [A], "y": [B]}, "zero", 0.5),
        ({"x": [A]}, {"x": [A], "y": [B]}, "drop", 1.0),
        ({"x": [A], "z": [A]}, {"x": [A], "y": [B]}, "drop", 1.0),
    ],
)
def test_images_of_one_side(predicted, truth, missing, expected):
    assert average_iou(table(predicted), table(truth), missing=missing) == expected


@pytest.mark.parametrize(
    ("predicted", "truth", "options", "says"),
    [
        ({"x": [A]}, {"x": [A], "y": [B]}, {}, "the image 'y' is in the truth"),
        ({"x": [A], "z": [A]}, {"x": [A]}, {}, "the image 'z' is in predicted"),
        ({"x": [A], "z": [A]}, {"x": [A]}, {"missing": "zero"}, "the image 'z' is in predicted"),
        ({"z": [A]}, {"x": [A]}, {"missing": "drop"}, "no image in common"),
        ({f"i{k}": [A] for k in range(9)}, {"x": [A]}, {}, r"9 images are \('i0', 'i1', 'i2', …\)"),
        ({"x": [A]}, {"x": [A]}, {"missing": "skip"}, "none of error, zero, drop"),
    ],
)
def test_images_missing_from_one_side_are_named(predicted, truth, options, says):
    with pytest.raises(MeasureError, match=says):
        average_iou(table(predicted), table(truth), **options)


def test_several_boxes_need_matching():
    several = read_boxes(table({"x": [A, B]}), several=True)
    with pytest.raises(MeasureError, match="match_boxes"):
        average_iou(several, table({"x": [A]}))


@pytest.mark.parametrize(
    ("predicted", "truth", "says"),
    [([A], [A, B], "shape"), ([], [], "shape"), (A, A, "shape"), ([(np.nan, 0, 1, 1)], [A], "row 0")],
)
def test_arrays_that_do_not_fit(predicted, truth, says):
    with pytest.raises(MeasureError, match=says):
        average_iou(predicted, truth)


@pytest.mark.parametrize("threshold", [-0.1, 1.0, np.nan])
def test_thresholds_are_ious(threshold):
    for measure in (iou_accuracy, match_boxes):
        with pytest.raises(MeasureError, match="threshold"):
            measure(table({"x": [A]}), table({"x": [A]}), threshold=threshold)


def every_matching(near, threshold):
    """The best of all ways to match, by trying each: the most matches, then the highest sum."""
    best = (0, 0.0)

    def go(row, used, count, total):
        nonlocal best
        if row == len(near):
            best = max(best, (count, round(total, 9)))
            return
        go(row + 1, used, count, total)
        for column in range(near.shape[1]):
            if column not in used and near[row, column] > threshold:
                go(row + 1, used | {column}, count + 1, total + near[row, column])

    go(0, frozenset(), 0, 0.0)
    return best


@given(st.lists(proper, min_size=1, max_size=4), st.lists(proper, min_size=1, max_size=4), st.sampled_from([0.0, 0.3]))
def test_matches_are_the_best_of_all(made, true, threshold):
    found = match_boxes(table({"x": made}), table({"x": true}), threshold=threshold, resamples=1)
    near = np.array([[float(iou(a, b)) for b in true] for a in made])
    count, total = every_matching(near, threshold)
    assert found.matches.num_rows == count
    assert found.matches["iou"].to_numpy().sum() == pytest.approx(total)
    assert found.precision.value == pytest.approx(count / len(made))
    assert found.recall.value == pytest.approx(count / len(true))
    for row in found.matches.to_pylist():
        assert row["iou"] == pytest.approx(near[row["predicted"], row["truth"]])


def test_matching_by_hand():
    made = table({"x": [B, A, (0, 0, 10, 9)], "y": [A], "only made": [A]})
    true = table({"x": [A, B], "y": [B], "only true": [A, B]})
    found = match_boxes(made, true)
    assert found.matches.select(["image", "predicted", "truth"]).to_pylist() == [
        {"image": "x", "predicted": 0, "truth": 1},
        {"image": "x", "predicted": 1, "truth": 0},
    ]
    assert (found.precision.value, found.recall.value, found.f1.value, found.overlap.value) == (0.4, 0.4, 0.4, 1.0)
    assert found.precision.low <= 0.4 <= found.precision.high
    nothing = match_boxes(table({"x": [A]}), table({"x": [B]}))
    assert np.isnan(nothing.overlap.value)
    assert "F1" in str(nothing)


def test_matching_single_boxes_is_accuracy(data):
    truth, crowd = (data / "toloka-vqa" / f"train_sample{part}.csv" for part in ("", "_crowd_baseline"))
    found = match_boxes(crowd, truth, threshold=0.5, resamples=10)
    assert found.precision.value == found.recall.value == pytest.approx(iou_accuracy(crowd, truth))
