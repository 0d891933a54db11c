"""Files and frames of boxes: what is read, and what is refused with the row and the cure."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sidewise.boxes import Boxes, read_boxes
from sidewise.errors import DataError

HEAD = "image,width,height,left,top,right,bottom,question\n"
GOOD = {"image": ["a", "b"], "left": [1, 2], "top": [1, 2], "right": [5, 6], "bottom": [5, 6]}


@pytest.fixture
def written(tmp_path):
    def write(text, name="boxes.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_any_table_will_do(frame):
    boxes = read_boxes(frame(GOOD))
    assert isinstance(boxes, Boxes)
    assert list(boxes.images) == ["a", "b"]
    assert boxes.edges.tolist() == [[1, 1, 5, 5], [2, 2, 6, 6]]
    assert boxes.worker is None
    assert boxes.size is None


def test_what_is_written_is_read_again(tmp_path, written):
    path = written(HEAD + 'ü.jpg,100,90,1,2,30.5,40,"what, then?"\nb,50,50,0,0,50,50,\n')
    boxes = read_boxes(path)
    assert repr(boxes) == "Boxes(2 boxes, 2 images)"
    assert boxes.size.tolist() == [[100, 90], [50, 50]]
    for name in ("again.csv", "again.parquet"):
        boxes.write(tmp_path / name)
        again = read_boxes(tmp_path / name)
        assert again.to_frame() == boxes.to_frame()
    with pytest.raises(DataError, match=r"\.csv or \.parquet"):
        boxes.write(tmp_path / "again.xlsx")


def test_lines_of_json_and_parts_of_files(written, tmp_path):
    row = '{{"image": "{}", "left": 1, "top": 1, "right": {}, "bottom": 5}}\n'
    path = written(row.format("a", 5) + row.format("b", 6.5), "boxes.jsonl")
    assert read_boxes(path).edges[:, 2].tolist() == [5, 6.5]
    frame = pa.table(GOOD)
    pq.write_table(frame, tmp_path / "part-1.parquet")
    pq.write_table(frame.set_column(0, "image", pa.array(["c", "d"])), tmp_path / "part-2.parquet")
    assert list(read_boxes(tmp_path / "part-*.parquet").images) == ["a", "b", "c", "d"]
    pq.write_table(frame.set_column(0, "image", pa.array(["a", "d"])), tmp_path / "part-2.parquet")
    with pytest.raises(DataError, match=r"part-2.parquet row 1: image is 'a': image again"):
        read_boxes(tmp_path / "part-*.parquet")


def test_workers_and_other_names():
    frame = {"file": [1, 1], "rater": ["x", "y"], "x1": [0, 1], "y1": [0, 1], "x2": [5, 5], "y2": [5, 5]}
    named = {"image": "file", "left": "x1", "top": "y1", "right": "x2", "bottom": "y2"}
    boxes = read_boxes(frame, **named)
    assert repr(boxes) == "Boxes(2 boxes, 1 image, 2 workers)"
    assert boxes.to_frame().column_names == ["image", "worker", *("left", "top", "right", "bottom")]
    with pytest.raises(DataError, match="no column 'who'"):
        read_boxes(frame, **named, worker="who")


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("a,100,90,30,2,30,40,q", "row 1: right is '30': right ≤ left"),
        ("a,100,90,30,2,20,40,q", "right ≤ left; the right edge lies beyond"),
        ("a,100,90,1,40,30,40,q", "bottom is '40': bottom ≤ top"),
        ("a,100,90,1,2,101,40,q", "right is '101': outside the image; .*--clip"),
        ("a,100,90,-1,2,10,40,q", "left is '-1': outside the image"),
        ("a,100,90,1,2,ten,40,q", "right is 'ten': not a number"),
        ("a,100,90,1,2,nan,40,q", "right is 'nan': not a number"),
        ("a,100,90,1,,10,40,q", "top is '': missing edge"),
        (",100,90,1,2,10,40,q", "image is '': missing image"),
        (" a,100,90,1,2,10,40,q", "blank around id"),
        ("a,0,90,1,2,10,40,q", "width is '0': bad size"),
        ("a,100,wide,1,2,10,40,q", "height is 'wide': bad size"),
        ("a,1", "row 1: text is 'a,1': wrong number of fields"),
    ],
)
def test_bad_rows_are_refused_with_number_value_and_cure(written, row, says):
    with pytest.raises(DataError, match=says):
        read_boxes(written(HEAD + row + "\n"))


def test_all_kinds_of_bad_rows_are_told_at_once(written):
    rows = "a,9,9,1,1,5,5,q\na,9,9,1,1,5,5,q\nb,9,9,5,1,1,5,q\nc,9,9,5,1,1,5,q\nd,9,9,1,1,10,5,q\n"
    with pytest.raises(DataError) as error:
        read_boxes(written(HEAD + rows))
    said = str(error.value)
    assert said.startswith("4 of 5 rows are bad")
    assert "right ≤ left: 2 rows" in said
    assert "boxes.csv row 4: right is '1'" in said
    assert "on_bad='skip'" in said


def test_bad_rows_can_be_set_aside(written, tmp_path):
    rows = "a,9,9,1,1,5,5,q\na,9,9,2,2,5,5,q\nb,9,9,5,1,1,5,q\nc,9,9,0,0,9,9,q\n"
    boxes = read_boxes(written(HEAD + rows), on_bad="skip")
    assert list(boxes.images) == ["a", "c"]  # b is forgotten, with its only row
    assert boxes.edges.tolist() == [[1, 1, 5, 5], [0, 0, 9, 9]]
    assert boxes.rejects.counts == {"image again": 1, "right ≤ left": 1}
    assert boxes.rejects.table()["row"].to_pylist() == [2, 3]
    boxes.rejects.write(tmp_path / "rejects.csv")
    assert "right ≤ left" in (tmp_path / "rejects.csv").read_text(encoding="utf-8")
    with pytest.raises(DataError, match="none of the 1 rows is good"):
        read_boxes(written(HEAD + "b,9,9,5,1,1,5,q\n"), on_bad="skip")


def test_boxes_can_be_cut_to_their_frames(written):
    path = written(HEAD + "a,9,9,-3,1,5,12,q\nb,9,9,0,0,9,9,q\nc,9,9,20,20,30,30,q\n")
    boxes = read_boxes(path, clip=True, on_bad="skip")
    assert boxes.edges.tolist() == [[0, 1, 5, 9], [0, 0, 9, 9]]
    assert boxes.clipped == 1
    assert boxes.rejects.counts == {"wholly outside the image": 1}
    with pytest.raises(DataError, match="row 3: left is '20': wholly outside the image; nothing is left of it"):
        read_boxes(path, clip=True)


def test_one_box_of_one_hand():
    twice = {name: [values[0]] * 2 for name, values in GOOD.items()}
    with pytest.raises(DataError, match="image is 'a': image again; keep one box"):
        read_boxes(twice)
    assert len(read_boxes(twice, several=True)) == 2
    assert len(read_boxes({**twice, "worker": ["x", "y"]})) == 2
    with pytest.raises(DataError, match="worker is 'x': worker again"):
        read_boxes({**twice, "worker": ["x", "x"]})
    with pytest.raises(DataError, match="worker is None: missing worker"):
        read_boxes({**twice, "worker": ["x", None]})


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ({"image": ["a"], "left": [1]}, "no column 'top'"),
        ({name: values for name, values in GOOD.items() if name != "image"}, "no column 'image'"),
        ({**GOOD, "left": [1.5, None]}, "row 2: left is None: missing edge"),
        ({**GOOD, "left": [[1], [2]]}, "not a number"),
        ({**GOOD, "image": [0.5, 1.5]}, "ids are strings or whole numbers"),
        ({**GOOD, "left": [1]}, "differ in length"),
        (7, "int is no table"),
        ({"image;left;top;right;bottom": ["a;0;0;1;1"]}, "one column only, .*say so with delimiter=';'"),
        ("nowhere.csv", "there is no file"),
        ({name: [] for name in GOOD}, "there are no rows"),
    ],
)
def test_what_is_no_table_of_boxes(source, says):
    with pytest.raises(DataError, match=says):
        read_boxes(source)


def test_on_bad_has_two_values():
    with pytest.raises(DataError, match="on_bad='repair'"):
        read_boxes(GOOD, on_bad="repair")


def test_twin_columns(written):
    with pytest.raises(DataError, match="'left' stands more than once"):
        read_boxes(written("image,left,left,right,bottom\na,1,1,2,2\n"))


def test_selecting_keeps_rows_together():
    boxes = read_boxes({**GOOD, "worker": ["x", "y"], "width": [9, 8], "height": [9, 8], "question": ["q", "r"]})
    one = boxes.select(np.array([False, True]))
    assert one.to_frame().to_pylist() == boxes.to_frame().to_pylist()[1:]
