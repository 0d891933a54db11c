"""Workers who use a server by its programming interface and take no failure for an answer.

A request that failed, or whose outcome nobody knows, is sent again, unchanged, until the server has said what became of
it: what a browser does that has lost its server, and what a task's key makes safe.
"""

import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from typing import Any
from uuid import UUID

CHOICES = ("left", "right")
AGAIN = 0.03
"""Seconds before a request is sent again."""


class Stubborn:
    """A client of a server that may be gone."""

    def __init__(self, port: int, campaign: str, patience: float = 60.0) -> None:
        self.port, self.base, self.patience = port, f"/api/campaigns/{campaign}", patience
        self.connection = HTTPConnection("127.0.0.1", port, timeout=20)
        self.token, self.resent = "", 0

    def join(self, claim: str = "") -> "Stubborn":
        """Become a worker."""
        self.token = self.post("workers", {"claim": claim})["token"]
        return self

    def tasks(self) -> dict[str, Any]:
        """What there is to do."""
        return self.post("tasks", {})

    def answer(self, key: str, said: str, **more: Any) -> dict[str, Any]:
        """What the server made of an answer."""
        return self.post("answers", {"key": key, "answer": said, **more})

    def post(self, path: str, data: object) -> dict[str, Any]:
        """Send until it is acknowledged; a refusal is an error of the test."""
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            status, content = self.once(path, data)
            if status == 200:
                return dict(json.loads(content))
            if status is not None and status < 500:
                raise AssertionError(f"{path}: {status} {content!r}")
            self.resent += 1
            time.sleep(AGAIN)
        raise AssertionError(f"{path}: no acknowledgement for {self.patience} seconds; the last was {status}")

    def once(self, path: str, data: object) -> tuple[int | None, bytes]:
        """Send; nobody knows what became of it where there is no status."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        try:
            self.connection.request("POST", f"{self.base}/{path}", json.dumps(data), headers)
            response = self.connection.getresponse()
            return response.status, response.read()
        except (OSError, HTTPException):
            self.connection.close()
            return None, b""


@dataclass
class Said:
    """What workers have been told that the server keeps: key → answer and state."""

    acknowledged: dict[UUID, tuple[str, str]] = field(default_factory=dict)
    resent: int = 0
    problems: list[BaseException] = field(default_factory=list)


class Worker(threading.Thread):
    """Answers at random, until the campaign is done; now and then twice, as by a double click."""

    def __init__(self, client: Stubborn, said: Said, number: int) -> None:
        super().__init__(daemon=True)
        self.client, self.said, self.chance = client, said, random.Random(number)  # noqa: S311

    def run(self) -> None:
        """Work."""
        try:
            self._work(self.client.join())
        except BaseException as problem:  # noqa: BLE001 - the test raises it
            self.said.problems.append(problem)
        self.client.connection.close()
        self.said.resent += self.client.resent

    def _work(self, client: Stubborn) -> None:
        todo = client.tasks()
        while todo["why"] not in {"done", "closed"}:
            if not todo["tasks"]:
                time.sleep(0.1)
                todo = client.tasks()
                continue
            key, said = todo["tasks"][0]["key"], self.chance.choice(CHOICES)
            kept = client.answer(key, said)
            self.said.acknowledged[UUID(key)] = said, kept["state"]
            if self.chance.random() < 0.1:
                kept = client.answer(key, self.chance.choice(CHOICES))
                assert kept["again"], "an answer that was sent twice was taken for two"
            todo = kept["work"]


@contextmanager
def working(port: int, campaign: str, workers: int) -> Iterator[Said]:
    """Workers who are at it while the block runs; after it, they go on until the campaign is done."""
    said = Said()
    threads = [Worker(Stubborn(port, campaign), said, number) for number in range(workers)]
    for one in threads:
        one.start()
    yield said
    for one in threads:
        one.join(90)
        assert not one.is_alive(), "a worker has not come to an end"
    if said.problems:
        raise said.problems[0]
