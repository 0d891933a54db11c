"""Exports: answers, events, the ranking, the items; streamed, however many. ``sidewise rank`` reads answers so."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from itertools import islice
from math import isfinite
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from django.db import connection, transaction
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast
from django.http import StreamingHttpResponse

from sidewise.collect.server.answers import WORDS
from sidewise.collect.server.kinds import OUTCOMES
from sidewise.collect.server.models import Assignment, Campaign
from sidewise.collect.server.standing import latest, unpacked

Row = tuple[Any, ...]  # in the order of the schema
Source = tuple[pa.Schema, Iterator[Row]]
TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson", "parquet": "application/vnd.apache.parquet"}
CHUNK = 2_000
GROUP = 20_000  # rows of Parquet that are written together
WHEN = pa.timestamp("us", tz="UTC")
ANSWERS = pa.schema({
    "left": pa.string(), "right": pa.string(), "winner": pa.string(), "worker": pa.string(), "answer": pa.string(),
    "group": pa.string(), "served_at": WHEN, "answered_at": WHEN, "seconds": pa.float64(), "late": pa.bool_(),
    "corrected": pa.bool_(), "key": pa.string(),
})  # fmt: skip
EVENTS = pa.schema({
    "id": pa.int64(), "at": WHEN, "kind": pa.string(), "worker": pa.string(), "assignment": pa.string(),
    "by": pa.string(), "data": pa.string(),
})  # fmt: skip
ITEM = {"item": pa.string(), "group": pa.string(), "media": pa.string()}
NO_RANKING = pa.schema({"item": pa.string(), "score": pa.float64()})


def response(campaign: Campaign, what: str, form: str) -> StreamingHttpResponse:
    """A download."""
    reply = StreamingHttpResponse(FORMS[form](*SOURCES[what](campaign)), content_type=TYPES[form])
    reply.headers["Content-Disposition"] = f'attachment; filename="{campaign.name}-{what}.{form}"'
    return reply


def answers(campaign: Campaign) -> Source:
    """What was said and counts: one row an answer, with the winner as a side."""
    counted = campaign.assignments.filter(state=Assignment.State.ANSWERED, set_aside=False).order_by(
        "answered_at", "key"
    )
    rows = counted.values_list(
        "task__first__name", "task__second__name", "swapped", "worker__name", "answer", "verdict", "task__group",
        "served_at", "answered_at", "late", "key",
    )  # fmt: skip
    return ANSWERS, map(_answer, streamed(rows))


def streamed(rows: QuerySet[Any, Row]) -> Iterator[Row]:
    """Rows as the database finds them.

    Outside a transaction PostgreSQL would find them all first, and keep them. In SQLite, where none is needed, a
    transaction of ours would keep all others from writing.
    """
    with transaction.atomic() if connection.vendor == "postgresql" else nullcontext():
        yield from rows.iterator(chunk_size=CHUNK)


def _answer(row: Sequence[Any]) -> Row:
    first, second, swapped, worker, answer, verdict, group, served, answered, late, key = row
    left, right = (second, first) if swapped else (first, second)
    final = verdict or answer
    seconds = round((answered - served).total_seconds(), 3) if served else None
    return (left, right, WORDS[OUTCOMES[final]], worker, final, group, served, answered, seconds, late, bool(verdict),
            str(key))  # fmt: skip


def events(campaign: Campaign) -> Source:
    """Everything that happened."""
    rows = campaign.events.order_by("id").values_list(
        "id", "at", "kind", "worker__name", "assignment_id", "by__username", Cast("data", TextField())
    )
    return EVENTS, map(_event, streamed(rows))


def _event(row: Sequence[Any]) -> Row:
    number, at, kind, worker, key, by, data = row
    return number, at, kind, worker or "", str(key or ""), by or "", data


def ranking(campaign: Campaign) -> Source:
    """The newest ranking."""
    standing = latest(campaign)
    table = unpacked(standing.ranking) if standing is not None else None
    if table is None:
        return NO_RANKING, iter(())
    return table.schema, (
        row
        for batch in table.to_batches(max_chunksize=CHUNK)
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
    )


def items(campaign: Campaign) -> Source:
    """What is compared, with the attributes that workers never see."""
    kinds = _attributes(campaign)
    named = {f"attribute {name}" if name in ITEM else name: kind for name, kind in kinds.items()}
    rows = campaign.items.order_by("id").values_list("name", "group", "media", "attributes")
    return pa.schema({**ITEM, **named}), (
        (name, group, media, *(_as(kind, told.get(key)) for key, kind in kinds.items()))
        for name, group, media, told in streamed(rows)
    )


def _attributes(campaign: Campaign) -> dict[str, pa.DataType]:
    """The attributes of a campaign's items, and what holds all values of each: programs may give what they like."""
    found: dict[str, set[type]] = {name: set() for name in campaign.spec.items.attributes}
    for (told,) in streamed(campaign.items.order_by("id").values_list("attributes")):
        for name, value in told.items():
            found.setdefault(name, set()).add(_kind(value))
    return {name: _holding(kinds - {type(None)}) for name, kinds in found.items()}


def _kind(value: object) -> type:
    """Of a value; whole numbers that no column of numbers holds are told as text."""
    return str if isinstance(value, int) and abs(value) >= 2**53 else type(value)


def _holding(kinds: set[type]) -> pa.DataType:
    """The narrowest column for values of some kinds."""
    if kinds in ({bool}, {int}):
        return pa.bool_() if bool in kinds else pa.int64()
    return pa.float64() if kinds and kinds <= {int, float} else pa.string()


def _as(kind: pa.DataType, value: object) -> object:
    return value if value is None or isinstance(value, str) or kind != pa.string() else json.dumps(value)


def plain(schema: pa.Schema, rows: Iterable[Row]) -> Iterator[Row]:
    """Rows as JSON can tell them: times in words, and nothing where there is no number."""
    columns = zip(schema.types, zip(*rows, strict=True), strict=False)  # no columns where there are no rows
    return zip(*(_plain(kind, values) for kind, values in columns), strict=True)


def _plain(kind: pa.DataType, values: Sequence[Any]) -> Sequence[Any]:
    if pa.types.is_floating(kind):
        return [None if value is None or not isfinite(value) else value for value in values]
    if pa.types.is_timestamp(kind):
        return [value and value.isoformat() for value in values]
    return values


def as_csv(schema: pa.Schema, rows: Iterator[Row]) -> Iterator[bytes]:
    """Lines of CSV, some thousand at a time.

    Texts are written as they are, so that they can be found again. What strangers write cannot begin as a formula
    does: see the form of ids in joining.py; reasons of theirs stand inside JSON.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(schema.names)
    for chunk in chunks(rows, CHUNK):
        writer.writerows(plain(schema, chunk))
        yield buffer.getvalue().encode()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue().encode()


def as_jsonl(schema: pa.Schema, rows: Iterator[Row]) -> Iterator[bytes]:
    """One JSON object a line."""
    told = json.JSONEncoder(ensure_ascii=False, default=str).encode
    for chunk in chunks(rows, CHUNK):
        lines = (told(dict(zip(schema.names, row, strict=True))) for row in plain(schema, chunk))
        yield ("\n".join(lines) + "\n").encode()


def as_parquet(schema: pa.Schema, rows: Iterator[Row]) -> Iterator[bytes]:
    """Parquet, a group of rows at a time: what has been written is sent and forgotten."""
    sink = _Pipe()
    with pq.ParquetWriter(sink, schema) as writer:
        for chunk in chunks(rows, GROUP):
            columns = zip(*chunk, strict=True)
            arrays = [pa.array(values, kind) for values, kind in zip(columns, schema.types, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            yield sink.taken()
    yield sink.taken()


def chunks(rows: Iterator[Row], size: int) -> Iterator[list[Row]]:
    """So many rows at a time."""
    while chunk := list(islice(rows, size)):
        yield chunk


class _Pipe(io.RawIOBase):
    """A file to write to, whose content can be taken away meanwhile."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.position = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.parts.append(bytes(data))
        self.position += len(self.parts[-1])
        return len(self.parts[-1])

    def tell(self) -> int:
        return self.position

    def taken(self) -> bytes:
        """What has been written since the last time."""
        data, self.parts = b"".join(self.parts), []
        return data


SOURCES: dict[str, Callable[[Campaign], Source]] = {
    "answers": answers, "events": events, "ranking": ranking, "items": items,
}  # fmt: skip
FORMS: dict[str, Callable[[pa.Schema, Iterator[Row]], Iterator[bytes]]] = {
    "csv": as_csv, "jsonl": as_jsonl, "parquet": as_parquet,
}  # fmt: skip
