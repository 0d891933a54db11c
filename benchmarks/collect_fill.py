# ruff: noqa: S608 - the parts that are put together are constants of this module
"""A campaign that has had a million answers: written into the tables of a server at once, past its pages.

The rows are what serving would have left: tasks that are complete, answers that count, the event of each.
"""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from collect_server import Database

MONTH = 30 * 86_400.0  # seconds
SECONDS = 5  # of an answer
TOLD = "n, first_id, second_id, worker_id, swapped, answer, key, leased_at, answered_at"
STAGE = """
CREATE TEMPORARY TABLE told (n bigint PRIMARY KEY, first_id bigint, second_id bigint, worker_id bigint,
    swapped boolean, answer text, key {uuid}, leased_at {moment}, answered_at {moment})
"""
WORKERS = """
INSERT INTO collect_worker (campaign_id, name, invited, joined_at, barred, code) VALUES
"""
WORKER = "({campaign}, 'w{number}', FALSE, '2026-01-01 00:00:00+00:00', FALSE, '')"
# One answer a task; its number is that of the answer, so that assignments and events can name it.
DERIVE = (
    """
INSERT INTO collect_task (id, campaign_id, kind, first_id, second_id, content, "group", place, wanted, taken,
        planned_by, planned_at)
    SELECT {base} + n, {campaign}, 'side-by-side', first_id, second_id, CAST('{{}}' AS {json}), '', {place} + n, 1, 1,
        'random', leased_at FROM told
""",
    """
INSERT INTO collect_assignment (key, campaign_id, task_id, worker_id, state, swapped, leased_at, served_at, expires_at,
        answered_at, answer, reason, verdict, set_aside, late)
    SELECT key, {campaign}, {base} + n, worker_id, 'answered', swapped, leased_at, leased_at, answered_at, answered_at,
        answer, '', '', FALSE, FALSE FROM told
""",
    """
INSERT INTO collect_event (campaign_id, at, kind, worker_id, assignment_id, data)
    SELECT {campaign}, answered_at, 'answered', worker_id, key,
        CAST('{{"answer": "' || answer || '", "seconds": 5.0}}' AS {json}) FROM told ORDER BY n
""",
    "UPDATE collect_campaign SET planned = {place} + {answers} WHERE id = {campaign}",
)
# Of PostgreSQL, and of SQLite.
TYPES = {
    True: {"uuid": "uuid", "moment": "timestamptz", "json": "jsonb"},
    False: {"uuid": "text", "moment": "text", "json": "text"},
}


@dataclass(frozen=True)
class Size:
    """How much there is."""

    items: int = 100_000
    answers: int = 1_000_000
    workers: int = 2_000


def fill(database: Database, size: Size, seed: int = 0) -> None:
    """Answers about pairs at random, by the scores of the items, over the last month."""
    chance = np.random.default_rng(seed)
    campaign = database.one("SELECT id FROM collect_campaign WHERE name = 'load'")
    workers = (WORKER.format(campaign=campaign, number=number) for number in range(size.workers))
    database.run(WORKERS + ", ".join(workers))
    base = 1 + database.one("SELECT coalesce(max(id), 0) FROM collect_task")
    place = database.one(f"SELECT planned FROM collect_campaign WHERE id = {campaign}")
    facts = {"campaign": campaign, "base": base, "place": place, "answers": size.answers, **TYPES[database.postgres]}
    database.run(STAGE.format(**facts))
    database.load("told", TOLD, told(database, size, chance))
    database.together([statement.format(**facts) for statement in DERIVE])
    if database.postgres:
        database.run("SELECT setval(pg_get_serial_sequence('collect_task', 'id'), (SELECT max(id) FROM collect_task))")
    database.settle()


def told(database: Database, size: Size, chance: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """What was said, row by row, in the order of time; all that is asked of the database is asked at once."""
    items = np.array(database.all("SELECT id FROM collect_item ORDER BY id"))
    workers = np.array(database.all("SELECT id FROM collect_worker WHERE name LIKE 'w%' ORDER BY id"))
    known = np.searchsorted(items, database.rows("SELECT first_id, second_id FROM collect_task"))
    first, second = pairs(len(items), size.answers, known, chance)
    score, swapped = chance.normal(size=len(items)), chance.random(size.answers) < 0.5
    first_wins = chance.random(size.answers) < 1 / (1 + np.exp(score[second] - score[first]))
    answer = np.where(first_wins != swapped, "left", "right")
    columns = (items[first], items[second], chance.choice(workers, size.answers), swapped.astype(int), answer)
    said = zip(*(column.tolist() for column in columns), strict=True)
    return numbered(said, np.sort(chance.random(size.answers)).tolist(), chance)


def numbered(
    said: Iterable[tuple[Any, ...]], moments: Sequence[float], chance: np.random.Generator
) -> Iterator[tuple[Any, ...]]:
    """With numbers, keys and times."""
    begun = datetime.now(UTC) - timedelta(seconds=MONTH)
    for n, (one, moment) in enumerate(zip(said, moments, strict=True)):
        leased = begun + timedelta(seconds=moment * (MONTH - SECONDS))
        times = (str(leased), str(leased + timedelta(seconds=SECONDS)))
        yield n, *one, uuid.UUID(bytes=chance.bytes(16)).hex, *times


def pairs(items: int, count: int, known: Any, chance: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """So many different pairs of positions, the lower first, and none that is known."""
    drawn = chance.integers(0, items, (2, count + count // 20 + 100))
    low, high = drawn.min(axis=0), drawn.max(axis=0)
    known = np.asarray(known, dtype=np.int64).reshape(-1, 2)
    fresh = np.setdiff1d((low * items + high)[low < high], known[:, 0] * items + known[:, 1])
    fresh = chance.permutation(fresh)[:count]
    if len(fresh) < count:
        raise ValueError(f"{items:,} items have too few pairs for {count:,} answers")
    return fresh // items, fresh % items
