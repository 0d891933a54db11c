# ruff: noqa: S608 - the parts that are put together are constants of this module; values are always parameters
"""The statements of serving, written out.

They run at every answer, where making them anew by the ORM would take several times what the database takes to run
them. PostgreSQL keeps them prepared. Tables and constraints are those of ``models``; nothing else is said here that is
not said there.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import connection

from sidewise.collect.server.models import Assignment, Campaign, Event, Task, Worker

TASK = 't.id, t.first_id, t.second_id, t."group", t.kind, t.place'
WORKER = """
    SELECT w.name, w.invited, w.joined_at, w.barred, w.code, c.name, c.owner_id, c.state, c.content, c.queries,
        c.instructions, c.restricted, c.folder, c.created_at, c.planned, c.plan_due, c.ranking_due, c.finished,
        c.trouble
    FROM collect_worker w JOIN collect_campaign c ON c.id = w.campaign_id WHERE w.id = %s AND c.id = %s
"""
ANSWER = """
    UPDATE collect_assignment SET state = 'answered', answer = %s, reason = %s, answered_at = %s,
        late = (expires_at <= %s)
    WHERE key = %s AND worker_id = %s AND state = 'leased'
    RETURNING task_id, swapped, late, leased_at, served_at, expires_at,
        (SELECT kind FROM collect_task WHERE id = task_id)
"""
HELD = f"""
    SELECT a.key, a.swapped, a.leased_at, a.served_at, a.expires_at, {TASK}
    FROM collect_assignment a JOIN collect_task t ON t.id = a.task_id
    WHERE a.worker_id = %s AND a.state = 'leased' AND a.expires_at > %s ORDER BY a.leased_at, t.place
"""
OPEN = """
    SELECT id FROM collect_task t WHERE campaign_id = %s AND taken < wanted AND place >= %s AND NOT EXISTS
        (SELECT 1 FROM collect_assignment a WHERE a.task_id = t.id AND a.worker_id = %s)
    ORDER BY place LIMIT %s
"""
CLAIM = {
    # Rows that another is just claiming are passed over, not waited for. SQLite has one writer at a time.
    "postgresql": f"""
        WITH open AS MATERIALIZED ({OPEN} FOR NO KEY UPDATE SKIP LOCKED)
        UPDATE collect_task t SET taken = taken + 1 FROM open WHERE t.id = open.id RETURNING {TASK}
    """,
    "sqlite": f"""
        UPDATE collect_task AS t SET taken = taken + 1 WHERE id IN ({OPEN})
        RETURNING {TASK.replace("t.", "")}
    """,
}
SERVED = "UPDATE collect_assignment SET served_at = %s WHERE key = %s"
LEASE = """
    INSERT INTO collect_assignment (key, campaign_id, task_id, worker_id, state, swapped, leased_at, served_at,
        expires_at, answer, reason, verdict, set_aside, late) VALUES
"""
LEASED = "(%s, %s, %s, %s, 'leased', %s, %s, %s, %s, '', '', '', %s, %s)"
RECORD = "INSERT INTO collect_event (campaign_id, at, kind, worker_id, assignment_id, by_id, data) VALUES "
HAPPENED = "(%s, %s, %s, %s, %s, %s, %s)"


def find_worker(worker_id: int, campaign_id: int) -> Worker | None:
    """A worker with the campaign."""
    rows = _run(WORKER, worker_id, campaign_id)
    if not rows:
        return None
    name, invited, joined_at, barred, code, *of_campaign = rows[0]
    campaign = _campaign(campaign_id, *of_campaign)
    worker = Worker(
        pk=worker_id, campaign=campaign, name=name, invited=bool(invited), joined_at=_moment(joined_at),
        barred=bool(barred), code=code,
    )  # fmt: skip
    for row in (worker, campaign):
        row._state.adding = False
        row._state.db = connection.alias
    return worker


def _campaign(number: int, name: str, owner: int, state: str, *rest: Any) -> Campaign:
    content, queries, instructions, restricted, folder, created, planned, plan_due, ranking_due, finished, trouble = (
        rest
    )
    return Campaign(
        pk=number, name=name, owner_id=owner, state=state, content=_json(content), queries=_json(queries),
        instructions=instructions, restricted=bool(restricted), folder=folder, created_at=_moment(created),
        planned=planned, plan_due=plan_due and _moment(plan_due), ranking_due=ranking_due and _moment(ranking_due),
        finished=finished, trouble=trouble,
    )  # fmt: skip


@lru_cache(maxsize=128)
def _json(text: str) -> Any:
    """What a text says, read once: a campaign's file is the same at every request. Nobody may change it."""
    return json.loads(text)


def keep_answer(worker: Worker, key: UUID, said: str, reason: str, now: datetime) -> tuple[Assignment, str] | None:
    """Count an answer to a lease that is still held; the assignment with its kind of task, or nothing was done."""
    rows = _run(ANSWER, said, reason, now, now, key, worker.pk)
    if not rows:
        return None
    task_id, swapped, late, leased_at, served_at, expires_at, kind = rows[0]
    kept = Assignment(
        key=key, campaign_id=worker.campaign_id, task_id=task_id, worker=worker, state=Assignment.State.ANSWERED,
        swapped=bool(swapped), leased_at=_moment(leased_at), served_at=served_at and _moment(served_at),
        late=bool(late), expires_at=_moment(expires_at), answered_at=now, answer=said, reason=reason,
    )  # fmt: skip
    return kept, kind


def held(worker: Worker, now: datetime) -> list[Assignment]:
    """The leases of a worker that run, the oldest first."""
    return [
        Assignment(
            key=key if isinstance(key, UUID) else UUID(key), campaign_id=worker.campaign_id, worker=worker,
            task=_task(worker.campaign_id, task), swapped=bool(swapped), leased_at=_moment(leased_at),
            served_at=served_at and _moment(served_at), expires_at=_moment(expires_at),
        )
        for key, swapped, leased_at, served_at, expires_at, *task in _run(HELD, worker.pk, now)
    ]  # fmt: skip


def claim(worker: Worker, count: int, beyond: int = 0) -> list[Task]:
    """Take a slot of the first open tasks of the queue, from a place on, that the worker has not had."""
    rows = _run(CLAIM[connection.vendor], worker.campaign_id, beyond, worker.pk, count)
    return sorted((_task(worker.campaign_id, row) for row in rows), key=lambda task: task.place)


def insert_leases(leases: Sequence[Assignment]) -> None:
    """Write new leases."""
    values = [
        (one.key, one.campaign_id, one.task_id, one.worker_id, one.swapped, one.leased_at, one.served_at,
         one.expires_at, False, False)
        for one in leases
    ]  # fmt: skip
    _insert(LEASE, LEASED, values)


def insert_events(events: Sequence[Event]) -> None:
    """Write events, in their order."""
    _insert(RECORD, HAPPENED, [
        (one.campaign_id, one.at, str(one.kind), one.worker_id, one.assignment_id, one.by_id, one.data)
        for one in events
    ])  # fmt: skip


def note_served(assignment: Assignment) -> None:
    """Write when an assignment was shown."""
    _run(SERVED, assignment.served_at, assignment.key)


def _insert(statement: str, row: str, values: Sequence[Sequence[Any]]) -> None:
    for start in range(0, len(values), 50):
        some = values[start : start + 50]
        _run(statement + ", ".join([row] * len(some)), *(value for one in some for value in one))


def _run(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """Run a statement; what it returns, if it does."""
    if connection.vendor == "postgresql":
        return _run_prepared(statement, values)
    with connection.cursor() as cursor:
        cursor.execute(statement, [_for_sqlite(value) for value in values])
        return cursor.fetchall() if cursor.description else []


def _run_prepared(statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """By a cursor that leaves the values to the server, so that it can keep the statement prepared; Django's cannot."""
    from psycopg import Cursor
    from psycopg.types.json import Jsonb

    connection.ensure_connection()
    with connection.wrap_database_errors, Cursor(connection.connection) as cursor:
        cursor.execute(statement, [Jsonb(one) if isinstance(one, dict) else one for one in values], prepare=True)
        return cursor.fetchall() if cursor.description else []


def _for_sqlite(value: Any) -> Any:
    """A value as Django keeps it there."""
    if isinstance(value, UUID):
        return value.hex
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return json.dumps(value) if isinstance(value, dict) else value


def _moment(value: datetime | str) -> datetime:
    """A time as Django gives it: SQLite knows texts only, and keeps the zone nowhere."""
    found = datetime.fromisoformat(value) if isinstance(value, str) else value
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def _task(campaign_id: int, row: Sequence[Any]) -> Task:
    """A task as far as serving needs it."""
    number, first, second, group, kind, place = row
    return Task(
        pk=number, campaign_id=campaign_id, first_id=first, second_id=second, group=group, kind=kind, place=place
    )
