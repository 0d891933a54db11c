"""Exports: answers, events, the ranking, streamed however many there are; ``sidewise rank`` reads answers so."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from django.http import StreamingHttpResponse

from sidewise.collect.server.answers import WORDS
from sidewise.collect.server.kinds import OUTCOMES
from sidewise.collect.server.models import Assignment, Campaign
from sidewise.collect.server.standing import latest, unpacked

Row = dict[str, Any]
TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson", "parquet": "application/vnd.apache.parquet"}
CHUNK = 2_000
ANSWERS = (
    "left",
    "right",
    "winner",
    "worker",
    "answer",
    "group",
    "served_at",
    "answered_at",
    "seconds",
    "late",
    "corrected",
    "key",
)
EVENTS = ("id", "at", "kind", "worker", "assignment", "by", "data")


def response(campaign: Campaign, what: str, form: str) -> StreamingHttpResponse:
    """A download."""
    names, rows = SOURCES[what](campaign)
    reply = StreamingHttpResponse(FORMS[form](names, rows), content_type=TYPES[form])
    reply.headers["Content-Disposition"] = f'attachment; filename="{campaign.name}-{what}.{form}"'
    return reply


def answers(campaign: Campaign) -> tuple[Sequence[str], Iterator[Row]]:
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
        "served_at": served.isoformat() if served else "", "answered_at": answered.isoformat(),
        "seconds": round((answered - served).total_seconds(), 3) if served else None, "late": late,
        "corrected": bool(verdict), "key": str(key),
    }  # fmt: skip


def events(campaign: Campaign) -> tuple[Sequence[str], Iterator[Row]]:
    """Everything that happened."""
    rows = campaign.events.order_by("id").values_list(
        "id", "at", "kind", "worker__name", "assignment_id", "by__username", "data"
    )
    return EVENTS, (
        dict(
            zip(
                EVENTS,
                (number, at.isoformat(), kind, worker or "", str(key or ""), by or "", json.dumps(data)),
                strict=True,
            )
        )
        for number, at, kind, worker, key, by, data in rows.iterator(chunk_size=CHUNK)
    )


def ranking(campaign: Campaign) -> tuple[Sequence[str], Iterator[Row]]:
    """The newest ranking."""
    standing = latest(campaign)
    table = unpacked(standing.ranking) if standing is not None else None
    if table is None:
        return ("item", "score"), iter(())
    return table.column_names, iter(table.to_pylist())


def as_csv(names: Sequence[str], rows: Iterable[Row]) -> Iterator[bytes]:
    """Lines of CSV, some thousand at a time."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, names)
    writer.writeheader()
    source = iter(rows)
    while chunk := list(islice(source, CHUNK)):
        writer.writerows(chunk)
        yield buffer.getvalue().encode()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue().encode()


def as_jsonl(_names: Sequence[str], rows: Iterable[Row]) -> Iterator[bytes]:
    """One JSON object a line."""
    source = iter(rows)
    while chunk := list(islice(source, CHUNK)):
        yield "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in chunk).encode()


def as_parquet(names: Sequence[str], rows: Iterable[Row]) -> Iterator[bytes]:
    """Parquet, a group of rows at a time: what has been written is sent and forgotten."""
    sink, source = _Pipe(), iter(rows)
    chunk = list(islice(source, 20 * CHUNK))
    table = pa.Table.from_pylist(chunk) if chunk else pa.table({name: pa.array([], pa.string()) for name in names})
    with pq.ParquetWriter(sink, table.schema) as writer:
        while chunk or table.num_rows:
            writer.write_table(table)
            yield sink.taken()
            chunk = list(islice(source, 20 * CHUNK))
            table = pa.Table.from_pylist(chunk, schema=table.schema)
    yield sink.taken()


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


SOURCES: dict[str, Callable[[Campaign], tuple[Sequence[str], Iterator[Row]]]] = {
    "answers": answers, "events": events, "ranking": ranking,
}  # fmt: skip
FORMS: dict[str, Callable[[Sequence[str], Iterable[Row]], Iterator[bytes]]] = {
    "csv": as_csv, "jsonl": as_jsonl, "parquet": as_parquet,
}  # fmt: skip
