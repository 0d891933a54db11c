"""Workers in a closed loop at a campaign's server, and the count of what became of their answers."""

import asyncio
import random
import time
from dataclasses import dataclass, field

from closed_loop import Finished, Measured, Plan, Step, drive
from collect_server import Server, Watch, Work, database, serving
from loopback import Client
from measure import busy_elsewhere

BASE = "/api/campaigns/load"
PATIENCE = 0.02  # seconds before asking again where there is nothing to do now


@dataclass
class Crowd:
    """What all workers of a run share: their passes, the tasks they begin with, and what was acknowledged."""

    passes: list[str] = field(default_factory=list)
    begin: list[dict] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)
    surplus: int = 0
    dry: float = 0.0  # seconds that workers waited because there was nothing to do

    async def join(self, address: str, workers: int) -> None:
        """Join, and get the first task."""
        for _ in range(workers):
            async with Client(address) as client:
                token = (await client.post(f"{BASE}/workers", json={})).wanted(200).json()["token"]
                client.headers["Authorization"] = f"Bearer {token}"
                work = {"tasks": []}
                while not work["tasks"]:
                    work = (await client.post(f"{BASE}/tasks", json={})).wanted(200).json()
            self.passes.append(token)
            self.begin.append(work)

    def worker(self, number: int, client: Client) -> Step:
        """One who answers at random; a step is "submit, and get the next"."""
        client.headers["Authorization"] = f"Bearer {self.passes[number]}"
        chance, work = random.Random(number), self.begin[number]  # noqa: S311

        async def step() -> None:
            nonlocal work
            while not work["tasks"]:
                if work["why"] == "done":
                    raise Finished
                start = time.perf_counter()
                await asyncio.sleep(PATIENCE)
                work = (await client.post(f"{BASE}/tasks", json={})).wanted(200).json()
                self.dry += time.perf_counter() - start
            said = {"key": work["tasks"][0]["key"], "answer": chance.choice(["left", "right"])}
            kept = (await client.post(f"{BASE}/answers", json=said)).wanted(200).json()
            self.acknowledged.append(said["key"])
            self.surplus += kept["state"] == "surplus"
            work = kept["work"]

        return step


@dataclass(frozen=True)
class Case:
    """A row of the table."""

    name: str
    database: str
    workers: int
    work: Work
    think: tuple[float, float] | None = None
    steps: int | None = None
    seconds: float = 300.0


@dataclass(frozen=True)
class Found:
    """What a run has shown."""

    case: Case
    measured: Measured
    processor: float  # seconds of the server and its database
    others: float  # cores that other processes kept busy meanwhile
    memory: list[int]
    dry: float
    faults: list[str]


def run(case: Case) -> Found:
    """Start a server, load it, count."""
    with database(case.database) as (url, postmaster), serving(case.work, url, postmaster) as server:
        crowd = Crowd()
        asyncio.run(crowd.join(server.url, case.workers))
        plan = Plan(case.workers, case.seconds, case.steps, case.think, ramp=case.think[1] if case.think else 0.0)
        before, busy, begun = server.used(), busy_elsewhere() or 0.0, time.monotonic()
        with Watch(server.group) as watch:
            measured = asyncio.run(drive(server.url, crowd.worker, plan))
        used = server.used().processor - before.processor
        others = ((busy_elsewhere() or 0.0) - busy - used) / (time.monotonic() - begun)
        return Found(case, measured, used, max(others, 0.0), watch.memory, crowd.dry, faults(server, crowd))


def faults(server: Server, crowd: Crowd) -> list[str]:
    """What is wrong with what was kept: answers lost or doubled, more on a pair than wanted."""
    rows = server.database()
    kept = {key if isinstance(key, str) else key.hex for key in rows.all(
        "SELECT assignment_id FROM collect_event WHERE kind = 'answered'")}  # fmt: skip
    acknowledged = {key.replace("-", "") for key in crowd.acknowledged}
    checks = {
        "acknowledged answers lost": len(acknowledged - kept),
        "answers acknowledged twice": len(crowd.acknowledged) - len(acknowledged),
        "answers logged twice": rows.one("SELECT count(*) FROM collect_event WHERE kind = 'answered'") - len(kept),
        "pairs with more than wanted": rows.one(
            "SELECT count(*) FROM (SELECT t.id FROM collect_task t JOIN collect_assignment a ON a.task_id = t.id "
            "WHERE a.state IN ('leased', 'answered') GROUP BY t.id HAVING count(*) > max(t.wanted)) AS many"
        ),
        "pairs whose count is wrong": rows.one(
            "SELECT count(*) FROM collect_task t WHERE taken <> (SELECT count(*) FROM collect_assignment a "
            "WHERE a.task_id = t.id AND a.state IN ('leased', 'answered'))"
        ),
    }
    return [f"{count} {what}" for what, count in checks.items() if count]
