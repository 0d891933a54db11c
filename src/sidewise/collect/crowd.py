"""A simulated crowd that uses a server as real workers do: it joins, looks at what it is shown, thinks, answers.

It knows nothing that a worker could not see. What it likes is told from the media themselves: the dots of the
demonstration's pictures are counted, anything else gets a score drawn from its content, the same for everybody.
"""

import hashlib
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from math import exp, log
from statistics import NormalDist
from typing import Any
from urllib.parse import urlsplit

from sidewise.errors import SidewiseError

PATIENCE = 1.0  # seconds before asking again where there is nothing to do


@dataclass
class Progress:
    """What a crowd has done so far; workers share it."""

    answers: int = 0
    failures: int = 0
    states: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, state: str) -> int:
        """One more."""
        with self.lock:
            self.answers += 1
            self.states[state] += 1
            return self.answers


@dataclass(frozen=True)
class Crowd:
    """So many workers, and how they are."""

    server: str
    campaign: str
    workers: int = 8
    answers: int | None = None  # in all; until there is nothing left to do, if not given
    think: tuple[float, float] = (1.0, 3.0)  # seconds
    sharpness: float = 2.0  # how surely the better one is seen; 0 is a coin
    seed: int = 0
    on_answer: Callable[[int], None] | None = None

    def run(self) -> Progress:
        """Let them work until all is done."""
        done, problems = Progress(), list[Exception]()
        threads = [
            threading.Thread(target=self._live, args=(number, done, problems), daemon=True)
            for number in range(self.workers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if problems and not done.answers:
            raise problems[0]
        return done

    def _live(self, number: int, done: Progress, problems: list[Exception]) -> None:
        worker = SimulatedWorker(self, number, done)
        try:
            worker.work()
        except (SidewiseError, OSError, HTTPException) as problem:
            problems.append(problem)
        finally:
            worker.client.connection.close()


class SimulatedWorker:
    """One of them."""

    def __init__(self, crowd: Crowd, number: int, done: Progress) -> None:
        self.crowd, self.done = crowd, done
        self.rng = random.Random(f"{crowd.seed} {number}")  # noqa: S311
        self.client = Client(crowd.server)
        self.base = f"/api/campaigns/{crowd.campaign}"

    def work(self) -> None:
        """Join, and answer until there is nothing more."""
        joined = self.client.post(f"{self.base}/workers", {})
        self.client.token = joined["token"]
        todo = self.client.post(f"{self.base}/tasks", {})
        while self._on():
            if todo["tasks"]:
                todo = self._answer(todo["tasks"][0])
            elif todo["why"] in {"nothing", "paused", "later"}:
                time.sleep(PATIENCE)
                todo = self.client.post(f"{self.base}/tasks", {})
            else:
                return

    def _on(self) -> bool:
        return self.crowd.answers is None or self.done.answers < self.crowd.answers

    def _answer(self, task: Mapping[str, Any]) -> dict[str, Any]:
        time.sleep(self.rng.uniform(*self.crowd.think))
        left, right = (self._score(side) for side in task["sides"])
        chance = 1 / (1 + exp(-self.crowd.sharpness * (left - right)))
        said = "left" if self.rng.random() < chance else "right"
        kept = self.client.post(f"{self.base}/answers", {"key": task["key"], "answer": said})
        total = self.done.count(kept["state"])
        if self.crowd.on_answer is not None:
            self.crowd.on_answer(total)
        return dict(kept["work"])

    def _score(self, side: Mapping[str, Any]) -> float:
        """How good a thing looks: its dots if it has any, otherwise a score drawn from what it is."""
        content = (side["text"] or side["html"]).encode()
        if not content and side["address"].startswith("/"):
            content = self.client.get(side["address"])
        dots = content.count(b"<circle")
        if dots:
            return 3 * log(dots)
        drawn = int.from_bytes(hashlib.sha256(content or side["address"].encode()).digest()[:8], "big") / 2**64
        return NormalDist().inv_cdf(min(max(drawn, 1e-9), 1 - 1e-9))


class Client:
    """HTTP with one connection that is kept; what fails is sent again, which the key of a task makes safe."""

    def __init__(self, server: str) -> None:
        parts = urlsplit(server)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise SidewiseError(f"{server!r} is no address of a server; write http://127.0.0.1:8000")
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self.connection = kind(parts.hostname, parts.port, timeout=60)
        self.token = ""

    def post(self, path: str, data: object) -> dict[str, Any]:
        """Send JSON, get JSON."""
        return dict(json.loads(self._send("POST", path, json.dumps(data).encode())))

    def get(self, path: str) -> bytes:
        """The content of an address."""
        return self._send("GET", path, None)

    def _send(self, method: str, path: str, body: bytes | None) -> bytes:
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        for wait in (0.2, 1.0, 3.0, None):
            try:
                self.connection.request(method, path, body, headers)
                response = self.connection.getresponse()
                content = response.read()
            except (OSError, HTTPException):
                self.connection.close()
                if wait is None:
                    raise SidewiseError(f"the server does not answer ({method} {path}); is it running?") from None
                time.sleep(wait)
                continue
            if self.connection.sock is not None:
                self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if response.status >= 500 and wait is not None:
                time.sleep(wait)
                continue
            if response.status >= 400:
                raise SidewiseError(
                    f"the server refuses {method} {path}: {response.status} {content[:300].decode(errors='replace')}"
                )
            return content
        raise AssertionError


def start_beside(address: str, campaign: str, *, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A crowd in a process of its own, which ends with the server."""
    command = [
        sys.executable,
        "-m",
        "sidewise.cli",
        "simulate",
        "crowd",
        "--server",
        address,
        "--campaign",
        campaign,
        "--quiet",
    ]
    return subprocess.Popen(command, env={**os.environ, **environment})  # noqa: S603
