"""What the requester's pages show, at any size."""

import pyarrow as pa
import pyarrow.parquet as pq

from sidewise.collect.server.exporting import FORMS
from sidewise.collect.server.pages.dashboard import Rows


def test_a_part_of_a_ranking_is_as_it_is_in_the_whole():
    table = pa.table({"item": list("dbeac"), "rank": [4, 2, 5, 1, 3], "tier": [2, 1, 3, 1, 2]})
    rows = Rows(table)
    assert len(rows) == 5
    assert [row["item"] for row in rows] == list("abcde")
    assert [row.get("new_tier") for row in rows[:]] == [None, False, True, False, True]
    assert rows[2:4] == rows[:][2:4]
    assert rows[3]["new_tier"] is False
    assert rows[5:] == rows[2:2] == Rows(None)[:3] == []


def test_an_export_of_nothing_has_its_columns():
    schema = pa.schema({"item": pa.string(), "score": pa.float64()})
    made = {form: b"".join(write(schema, iter(()))) for form, write in FORMS.items()}
    assert made["csv"] == b"item,score\r\n"
    assert made["jsonl"] == b""
    assert pq.read_table(pa.BufferReader(made["parquet"])).schema == schema


def test_numbers_that_are_none_are_left_out_of_texts_and_kept_in_parquet():
    schema = pa.schema({"item": pa.string(), "score": pa.float64()})
    rows = [("a", 1.5), ("b", float("inf")), ("c", None)]
    made = {form: b"".join(write(schema, iter(rows))) for form, write in FORMS.items()}
    assert made["csv"].split() == [b"item,score", b"a,1.5", b"b,", b"c,"]
    assert made["jsonl"].splitlines()[1] == b'{"item": "b", "score": null}'
    assert pq.read_table(pa.BufferReader(made["parquet"]))["score"].to_pylist() == [1.5, float("inf"), None]
