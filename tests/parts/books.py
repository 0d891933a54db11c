"""What a server's database says, read past the server and its models; and whether it all agrees."""

import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg

COUNTED, OPEN, LATE = "answered", "leased", "surplus"


class Books:
    """The tables of a server, on either database."""

    def __init__(self, home: Path, url: str | None = None) -> None:
        self.home, self.url = home, url

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """All rows that a query finds."""
        if self.url is not None:
            with psycopg.connect(self.url, autocommit=True) as database:
                return database.execute(query).fetchall()
        there = f"file:{self.home / 'sidewise.sqlite3'}?mode=ro"
        with closing(sqlite3.connect(there, uri=True, timeout=10)) as database:
            return database.execute(query).fetchall()

    def do(self, command: str) -> None:
        """Change something behind the server's back."""
        if self.url is not None:
            with psycopg.connect(self.url, autocommit=True) as database:
                database.execute(command)
            return
        with closing(sqlite3.connect(self.home / "sidewise.sqlite3", timeout=10, isolation_level=None)) as database:
            database.execute(command)

    def one(self, query: str) -> Any:
        """The one value that a query finds; nothing where there is no row."""
        rows = self.ask(query)
        return rows[0][0] if rows else None

    def states(self) -> Counter[str]:
        """How many assignments there are in each state."""
        return Counter(state for (state,) in self.ask("SELECT state FROM collect_assignment"))

    def answered(self) -> Counter[UUID]:
        """How often the log says of each assignment that it was answered."""
        found = self.ask("SELECT assignment_id FROM collect_event WHERE kind = 'answered'")
        return Counter(UUID(str(key)) for (key,) in found)

    def kept(self) -> dict[UUID, tuple[str, str]]:
        """Every answer that is kept, with its state."""
        found = self.ask("SELECT key, answer, state FROM collect_assignment WHERE answered_at IS NOT NULL")
        return {UUID(str(key)): (answer, state) for key, answer, state in found}


def check(books: Books, overlap: int) -> None:
    """Fail where the tables contradict themselves or the log."""
    assigned = books.ask("SELECT task_id, worker_id, state FROM collect_assignment")
    holding = Counter(task for task, _, state in assigned if state in {COUNTED, OPEN})
    tasks = books.ask("SELECT id, taken, wanted FROM collect_task")
    assert {task: taken for task, taken, _ in tasks if taken} == holding, "slots and assignments differ"
    assert all(taken <= wanted <= overlap for _, taken, wanted in tasks), "more than the overlap"
    assert max(Counter((task, worker) for task, worker, _ in assigned).values(), default=1) == 1, "a pair twice"
    pairs = books.ask("SELECT first_id, second_id FROM collect_task")
    assert len(set(map(frozenset, pairs))) == len(pairs), "a pair is two tasks"
    logged = books.answered()
    assert set(logged) == set(books.kept()), "the log and the answers differ"
    assert max(logged.values(), default=1) == 1, "an answer was logged twice"


def check_acknowledged(books: Books, acknowledged: dict[UUID, tuple[str, str]]) -> None:
    """Fail where what workers were told is not what is kept: an answer is lost, changed or counted otherwise."""
    kept = books.kept()
    lost = [key for key in acknowledged if key not in kept]
    assert not lost, f"{len(lost)} of {len(acknowledged)} acknowledged answers are lost"
    assert {key: kept[key] for key in acknowledged} == acknowledged


def until(found: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Wait until something is so; what it is then."""
    end = time.monotonic() + seconds
    while not (what := found()):
        assert time.monotonic() < end, "it has not come about"
        time.sleep(0.02)
    return what
