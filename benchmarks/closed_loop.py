"""Many simulated users of a web server on this machine, each of whom waits for an answer before going on.

A user is an object whose ``step`` does what one person does in one go (submit an answer, get the next task) through a
``Client``. Steps are repeated, with time to think between them, until the time or the number of steps is up or the user
has finished. What a step took, thinking left out, is the latency.

    async def visit() -> None:
        (await client.get("/")).wanted(200)

    measured = asyncio.run(drive("http://127.0.0.1:8000", lambda number, client: visit, Plan(users=20, seconds=10)))

Only addresses of this machine are taken, so that nobody is loaded by mistake.

    python benchmarks/closed_loop.py http://127.0.0.1:8000/ --users 20 --seconds 10
"""

import argparse
import asyncio
import math
import random
import time
from array import array
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from loopback import Client, Refused

MOST_USERS, MOST_SECONDS = 2_000, 3_600
PAUSE = 0.05
"""Seconds that a user waits after an error, so that a server that is down is not asked a million times."""


class Finished(Exception):  # noqa: N818 - it is no error
    """Raised by a step of a user who has no more to do."""


@dataclass(frozen=True)
class Plan:
    """How many users, for how long, and how much they think (a range of seconds) between steps."""

    users: int
    seconds: float
    steps: int | None = None
    think: tuple[float, float] | None = None
    ramp: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.users <= MOST_USERS:
            raise ValueError(f"users must be from 1 to {MOST_USERS:,}, not {self.users}")
        if not 0 < self.seconds <= MOST_SECONDS:
            raise ValueError(f"seconds must be more than 0 and at most {MOST_SECONDS:,}, not {self.seconds}")
        if self.think and not 0 <= self.think[0] <= self.think[1]:
            raise ValueError(f"think must be a range of seconds, not {self.think}")


def percentile(values: Iterable[float], share: float) -> float:
    """The least value that at least this share of all values does not exceed; NaN of none."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1] if ordered else math.nan


@dataclass
class Measured:
    """What a run has shown: when each step ended (seconds since the start), how long it took, what went wrong."""

    users: int
    seconds: float = 0.0
    ended: array = field(default_factory=lambda: array("d"))
    took: array = field(default_factory=lambda: array("d"))
    errors: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    finished: int = 0

    def latency(self, share: float) -> float:
        """The time within which this share of all steps was done."""
        return percentile(self.took, share)

    def rate(self) -> float:
        """Steps in a second, from the start to the end of the last."""
        return len(self.took) / max(self.ended) if self.took else 0.0

    def rates(self, every: float = 1.0) -> list[float]:
        """Steps in a second, over time: one number for each whole span of ``every`` seconds."""
        spans = int(max(self.ended, default=0.0) / every)
        counts = Counter(int(moment / every) for moment in self.ended)
        return [counts[span] / every for span in range(spans)]

    def row(self) -> dict[str, float]:
        """The figures of one line of a table."""
        shares = {f"p{share * 100:.0f}": self.latency(share) for share in (0.5, 0.95, 0.99, 1.0)}
        counts = {"users": self.users, "steps": len(self.took), "errors": self.errors.total()}
        return {**counts, "seconds": self.seconds, "rate": self.rate(), **shares}

    def told(self) -> str:
        """The figures, as lines to read."""
        of = self.row()
        lines = [
            f"{of['users']} users, {of['steps']:,} steps in {of['seconds']:.1f} s: {of['rate']:,.1f} a second",
            "latency (ms): " + ", ".join(f"{name} {of[name] * 1000:.1f}" for name in ("p50", "p95", "p99", "p100")),
            "statuses: " + (", ".join(f"{status} × {n:,}" for status, n in sorted(self.statuses.items())) or "none"),
        ]
        return "\n".join([*lines, *(f"error × {n:,}: {text}" for text, n in self.errors.most_common())])


Step = Callable[[], Awaitable[None]]
"""What a user does in one go; raises ``Finished`` when there is no more to do, anything else when it went wrong."""


class Run:
    """A run in progress."""

    def __init__(self, address: str, plan: Plan) -> None:
        self.address, self.plan, self.measured = address, plan, Measured(plan.users)
        self.begun, self.left = time.perf_counter(), plan.steps or math.inf

    async def step(self, step: Step) -> bool:
        """Take one step and write down what it took; false when the user has finished."""
        start = time.perf_counter()
        try:
            await step()
        except Finished:
            self.measured.finished += 1
            return False
        except (OSError, EOFError, ValueError, Refused) as error:
            self.measured.errors[f"{type(error).__name__}: {error}"[:200]] += 1
            await asyncio.sleep(PAUSE)
            return True
        end = time.perf_counter()
        self.measured.took.append(end - start)
        self.measured.ended.append(end - self.begun)
        return True

    async def live(self, number: int, make_user: Callable[[int, Client], Step]) -> None:
        """One user's life."""
        chance = random.Random(f"{self.plan.seed} {number}")  # noqa: S311 - and so the same thinking in every run
        await asyncio.sleep(self.plan.ramp * number / self.plan.users)
        async with Client(self.address, statuses=self.measured.statuses) as client:
            step = make_user(number, client)
            while self.left > 0:
                self.left -= 1
                if not await self.step(step):
                    self.left += 1
                    return
                if self.plan.think:
                    await asyncio.sleep(chance.uniform(*self.plan.think))


async def drive(address: str, make_user: Callable[[int, Client], Step], plan: Plan) -> Measured:
    """Let all users live until their time or the steps are up; steps under way at the end are left out."""
    run = Run(address, plan)
    tasks = [asyncio.create_task(run.live(number, make_user)) for number in range(plan.users)]
    done, pending = await asyncio.wait(tasks, timeout=plan.seconds, return_when=asyncio.FIRST_EXCEPTION)
    run.measured.seconds = time.perf_counter() - run.begun
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    for fault in [task.exception() for task in done]:
        if fault is not None:  # a fault of the user, not of the server
            raise fault
    return run.measured


def main() -> None:
    """Load one page."""
    parser = argparse.ArgumentParser(description="Ask for one page of a server on this machine, again and again.")
    parser.add_argument("url")
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--think", type=float, nargs=2)
    asked = parser.parse_args()
    where = urlsplit(asked.url)

    def user(_number: int, client: Client) -> Step:
        async def visit() -> None:
            (await client.get(where.path or "/")).wanted(200)

        return visit

    plan = Plan(asked.users, asked.seconds, think=tuple(asked.think) if asked.think else None)
    print(asyncio.run(drive(f"{where.scheme}://{where.netloc}", user, plan)).told())


if __name__ == "__main__":
    main()
