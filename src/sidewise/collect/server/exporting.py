"""Exports: answers, events, the ranking, streamed however many there are; ``sidewise rank`` reads answers so."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from math import isfinite
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from django.http import StreamingHttpResponse

from sidewise.collect.server.answers import WORDS
from sidewise.collect.server.kinds import OUTCOMES
from sidewise.collect.server.models import Assignment, Campaign
from sidewise.collect.server.standing import latest, unpacked

Row = dict[str, Any]
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
    return ANSWERS, map(_answer, rows.iterator(chunk_size=CHUNK))


def _answer(row: Sequence[Any]) -> Row:
    first, second, swapped, worker, answer, verdict, group, served, answered, late, key = row
    left, right = (second, first) if swapped else (first, second)
    final = verdict or answer
    return {
        "left": left, "right": right, "winner": WORDS[OUTCOMES[final]], "worker": worker, "answer": final,
        "group": group,
        "served_at": served, "answered_at": answered,
        "seconds": round((answered - served).total_seconds(), 3) if served else None, "late": late,
        "corrected": bool(verdict), "key": str(key),
    }  # fmt: skip


def events(campaign: Campaign) -> Source:
    """Everything that happened."""
    rows = campaign.events.order_by("id").values_list(
        "id", "at", "kind", "worker__name", "assignment_id", "by__username", "data"
    )
    return EVENTS, map(_event, rows.iterator(chunk_size=CHUNK))


def _event(row: Sequence[Any]) -> Row:
    number, at, kind, worker, key, by, data = row
    return {
        "id": number, "at": at, "kind": kind, "worker": worker or "", "assignment": str(key or ""), "by": by or "",
        "data": json.dumps(data, ensure_ascii=False),
    }  # fmt: skip


def ranking(campaign: Campaign) -> Source:
    """The newest ranking."""
    standing = latest(campaign)
    table = unpacked(standing.ranking) if standing is not None else None
    if table is None:
        return NO_RANKING, iter(())
    return table.schema, (row for batch in table.to_batches(max_chunksize=CHUNK) for row in batch.to_pylist())


def plain(row: Row) -> Row:
    """A row as JSON can tell it: times in words, and nothing where there is no number."""
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return None
    return value.isoformat() if isinstance(value, datetime) else value


def as_csv(schema: pa.Schema, rows: Iterator[Row]) -> Iterator[bytes]:
    """Lines of CSV, some thousand at a time.

    Texts are written as they are, so that they can be found again. What strangers write cannot begin as a formula
    does: see the form of ids in joining.py; reasons of theirs stand inside JSON.
    """
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, schema.names)
    writer.writeheader()
    for chunk in chunks(rows, CHUNK):
        writer.writerows(map(plain, chunk))
        yield buffer.getvalue().encode()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue().encode()


def as_jsonl(_schema: pa.Schema, rows: Iterator[Row]) -> Iterator[bytes]:
    """One JSON object a line."""
    for chunk in chunks(rows, CHUNK):
        yield "".join(json.dumps(plain(row), ensure_ascii=False, default=str) + "\n" for row in chunk).encode()


def as_parquet(schema: pa.Schema, rows: Iterator[Row]) -> Iterator[bytes]:
    """Parquet, a group of rows at a time: what has been written is sent and forgotten."""
    sink = _Pipe()
    with pq.ParquetWriter(sink, schema) as writer:
        for chunk in chunks(rows, GROUP):
            writer.write_table(pa.Table.from_pylist(chunk, schema=schema))
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


SOURCES: dict[str, Callable[[Campaign], Source]] = {"answers": answers, "events": events, "ranking": ranking}
FORMS: dict[str, Callable[[pa.Schema, Iterator[Row]], Iterator[bytes]]] = {
    "csv": as_csv, "jsonl": as_jsonl, "parquet": as_parquet,
}  # fmt: skip
