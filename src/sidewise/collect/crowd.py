"""A simulated crowd that uses a server as real workers do: it joins, looks at what it is shown, thinks, answers.

It knows nothing that a worker could not see. What it likes is told from the media themselves: the dots of the
demonstration's pictures are counted, anything else gets a score drawn from its content, the same for everybody.
"""

import hashlib
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, log
from statistics import NormalDist
from typing import Any

import numpy as np

from sidewise.collect.client import Client, Refused
from sidewise.errors import SidewiseError
from sidewise.simulate.crowd import deal
from sidewise.simulate.kinds import SIDE, Kind, Seen

PATIENCE = 1.0  # seconds before asking again where there is nothing to do
WAITING = {"nothing", "paused", "later"}


@dataclass
class Progress:
    """What a crowd has done so far; workers share it."""

    most: int | None = None
    answers: int = 0
    begun: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)  # why they stopped, in the server's words
    problems: list[SidewiseError] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self) -> bool:
        """Whether one more answer is wanted; who begins one gives it."""
        with self.lock:
            wanted = not self.over()
            self.begun += wanted
            return wanted

    def over(self) -> bool:
        """Whether all that was wanted has been begun."""
        return self.most is not None and self.begun >= self.most

    def count(self) -> int:
        """One more answer is kept."""
        with self.lock:
            self.answers += 1
            return self.answers


@dataclass(frozen=True)
class Crowd:
    """So many workers, and how they are."""

    server: str
    campaign: str
    workers: int = 8
    answers: int | None = None  # in all; until there is nothing left to do, if not given
    think: tuple[float, float] = (1.0, 3.0)  # seconds
    sharpness: float = 1.0  # how surely the better one is seen; 0 is a coin
    kinds: Mapping[str, float] | Sequence[str | Kind] = ()  # as of ``simulate.crowd``; the rest is honest
    seed: int = 0
    on_answer: Callable[[int], None] | None = None

    def __post_init__(self) -> None:
        least, most = self.think
        if not (0 <= least <= most and isfinite(most)):
            raise SidewiseError(f"think is {least:g} to {most:g}; write the least and the most seconds, such as 1 3")

    def run(self) -> Progress:
        """Let them work until all is done; ``problems`` says who had to give up."""
        done = Progress(self.answers)
        workers = [SimulatedWorker(self, number, kind, done) for number, kind in enumerate(self._dealt(), 1)]
        done.kinds.update(worker.kind.name for worker in workers)
        try:
            workers[0].join()  # what is wrong is wrong for all
        except SidewiseError:
            workers[0].client.close()
            raise
        threads = [threading.Thread(target=worker.live, daemon=True) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return done

    def _dealt(self) -> list[Kind]:
        dealt = list(deal(self.kinds, self.workers, np.random.default_rng(self.seed)))
        for kind in dealt:
            if kind.follows() - {SIDE}:
                raise SidewiseError(f"{kind.name} workers go by a factor, and a server shows none; leave them out")
            if kind.name == "sleepy" and self.answers is None:
                raise SidewiseError("sleepy workers have to know when half of the work is done; give --answers")
        return dealt


class SimulatedWorker:
    """One of them."""

    def __init__(self, crowd: Crowd, number: int, kind: Kind, done: Progress) -> None:
        self.crowd, self.kind, self.done = crowd, kind, done
        self.name = f"{kind.name}-{number}"  # what the server gets to know, so that one can see who was found out
        self.rng = random.Random(f"{crowd.seed} {number}")  # noqa: S311
        self.client = Client(crowd.server)
        self.base = f"/api/campaigns/{crowd.campaign}"
        self.todo: dict[str, Any] = {}

    def join(self) -> None:
        """Become a worker of the campaign, and see what there is to do."""
        crowd = self.crowd
        try:
            self.client.token = self.client.post(f"{self.base}/workers", {"claim": self.name})["token"]
        except Refused as refused:
            if refused.status != 404:
                raise
            raise SidewiseError(
                f"{crowd.server} has no campaign {crowd.campaign!r} that anybody may join: there is none of this name, "
                "it is not open, or its workers come by invitation only"
            ) from None
        self.todo = self.client.post(f"{self.base}/tasks", {})
        if self.todo["why"] == "paused":
            raise SidewiseError(
                f"the campaign {crowd.campaign!r} is paused; open it on its page, and start the crowd again"
            )

    def live(self) -> None:
        """Work, and tell why if that cannot be gone on with."""
        try:
            if not self.todo:
                self.join()
            self._work()
        except SidewiseError as problem:
            self.done.problems.append(problem)
        finally:
            self.client.close()

    def _work(self) -> None:
        """Answer until there is nothing more."""
        while not self.done.over():
            if self.todo["tasks"]:
                if self.done.begin():
                    self._answer(self.todo["tasks"][0])
            elif self.todo["why"] in WAITING:
                time.sleep(PATIENCE)
                self.todo = self.client.post(f"{self.base}/tasks", {})
            else:
                self.done.ends[self.todo["why"]] += 1
                return

    def _answer(self, task: Mapping[str, Any]) -> None:
        time.sleep(self.rng.uniform(*self.crowd.think))
        said = "left" if self.rng.random() < self._chance(task["sides"]) else "right"
        self.todo = self.client.post(f"{self.base}/answers", {"key": task["key"], "answer": said})["work"]
        total = self.done.count()
        if self.crowd.on_answer is not None:
            self.crowd.on_answer(total)

    def _chance(self, sides: Sequence[Mapping[str, Any]]) -> float:
        """How likely this kind of worker chooses the left one."""
        left, right = map(self._content, sides)
        marks = [hashlib.sha256(content).digest() for content in (left, right)]
        both = hashlib.sha256(b"".join(sorted(marks))).digest()
        seen = Seen(
            lead=np.array([self.crowd.sharpness * (score(left) - score(right))]),
            factors={},
            progress=np.array([self.done.begun / (self.done.most or 1)]),
            pair=np.frombuffer(both[:8], np.uint64),
            first_left=np.array([marks[0] < marks[1]]),
        )
        return float(np.broadcast_to(self.kind.chance(seen), 1)[0])

    def _content(self, side: Mapping[str, Any]) -> bytes:
        """What is to be seen on one side; of what lies elsewhere, its address."""
        content = str(side["text"] or side["html"]).encode()
        if not content and side["address"].startswith("/"):
            return self.client.get(side["address"])
        return content or str(side["address"]).encode()


def score(content: bytes) -> float:
    """How good a thing is: by its dots if it has any, otherwise drawn from what it is."""
    dots = content.count(b"<circle")
    if dots:
        return 3 * log(dots)
    drawn = int.from_bytes(hashlib.sha256(content).digest()[:8], "big") / 2**64
    return NormalDist().inv_cdf(min(max(drawn, 1e-9), 1 - 1e-9))


def command(address: str, campaign: str, *options: str) -> list[str]:
    """What starts a crowd in a process of its own."""
    crowd = [sys.executable, "-m", "sidewise.cli", "simulate", "crowd", "--quiet"]
    return [*crowd, "--server", address, "--campaign", campaign, *options]
