"""A campaign with very many items and answers: what its requester waits for, what its exports take, how it goes on."""

import asyncio
import io
import re
import time
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
from closed_loop import Finished, Measured, Plan, Step, drive
from collect_fill import Size, fill
from collect_load import Crowd
from collect_server import Database, Server, Work, database, of_group, serving
from loopback import Client

HOME = "/campaigns/load/"
WHATS, FORMS = ("answers", "events", "ranking"), ("csv", "parquet", "jsonl")
CALLS = 3
WORKERS, THINK, BATCH = 20, (0.2, 0.5), 200
PATIENCE = 240.0  # seconds for a background job
DONE = """
SELECT count(*) FROM django_tasks_database_dbtaskresult WHERE task_path LIKE '%.{}_job' AND status = 'SUCCESSFUL'
"""
RANKED = "SELECT count(*) FROM collect_standing WHERE answers >= {}"
SECONDS_OF_RANKING = "SELECT max(seconds) FROM collect_standing"
SECONDS_OF_PLANNING = """
SELECT max(extract(epoch FROM finished_at - started_at)) FROM django_tasks_database_dbtaskresult
    WHERE task_path LIKE '%.plan_job' AND status = 'SUCCESSFUL'
"""


@dataclass(frozen=True)
class Took:
    """Seconds of something at this size, with rows and bytes where it had any."""

    what: str
    seconds: float
    rows: int | None = None
    grown: int | None = None  # bytes, of the server process that grew most


@dataclass(frozen=True)
class Worked:
    """How it goes on: what jobs took, and what those who answered meanwhile had to wait."""

    jobs: tuple[Took, ...]
    measured: Measured
    dry: float


@dataclass(frozen=True)
class Big:
    """What a run has shown."""

    size: Size
    pages: tuple[Took, ...]
    exports: tuple[Took, ...]
    worked: Worked


class Memory:
    """How far the processes of a server have grown, each from what it had: the kernel keeps the peak."""

    def __init__(self, server: Server) -> None:
        self.before = {}
        for pid in of_group(server.group):
            Path(f"/proc/{pid}/clear_refs").write_text("5")  # the peak is what is held now
            self.before[pid] = _status(pid, "VmRSS")

    def grown(self) -> int:
        """Of the process that has grown most."""
        return max(_status(pid, "VmHWM") - before for pid, before in self.before.items())


def _status(pid: int, what: str) -> int:
    try:
        found = re.search(rf"{what}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except FileNotFoundError:  # it has ended
        return 0
    return int(found[1]) * 1024 if found else 0


class Requester(Client):
    """One who has logged in."""

    async def log_in(self, home: Path) -> None:
        """By the password of the first start."""
        form = {"username": "requester", "password": (home / "password.txt").read_text().strip()}
        await self.get("/login")
        form["csrfmiddlewaretoken"] = self.cookies["csrftoken"]
        (await self.post("/login", form=form)).wanted(302)

    async def page(self, path: str) -> tuple[float, bytes]:
        """A page, with the time that it took."""
        begun = time.perf_counter()
        body = (await self.get(path)).wanted(200).body
        return time.perf_counter() - begun, body


def run(size: Size) -> Big:
    """Start a server with PostgreSQL, fill its tables, use it."""
    work = Work(size.items, None, batch=BATCH)
    with database("postgres") as (url, postmaster), serving(work, url, postmaster) as server:
        _until_planned(server.database())
        fill(server.database(), size)
        return asyncio.run(_used(size, server))


def _until_planned(rows: Database) -> None:
    """Wait until the first pairs are in the queue: what is filled in comes behind them."""
    while not rows.one("SELECT count(*) FROM collect_campaign WHERE planned > 0 AND plan_due IS NULL"):
        time.sleep(0.1)


async def _used(size: Size, server: Server) -> Big:
    async with Requester(server.url, patience=PATIENCE) as requester:
        await requester.log_in(server.home)
        worked = await _worked(server, size)
        places = _places(server.database())
        pages = [await _page(requester, name, path) for name, path in places.items()]
        exports = [await _export(requester, server, what, form) for what in WHATS for form in FORMS]
    return Big(size, tuple(pages), tuple(exports), worked)


async def _worked(server: Server, size: Size) -> Worked:
    """Some answer on: that asks for a ranking of all, and for more pairs in time."""
    crowd, over, rows = Crowd(), asyncio.Event(), server.database()
    done = rows.one(DONE.format("plan"))
    await crowd.join(server.url, WORKERS)

    def worker(number: int, client: Client) -> Step:
        step = crowd.worker(number, client)

        async def until_over() -> None:
            if over.is_set():
                raise Finished
            await step()

        return until_over

    async def watch() -> None:
        for _ in range(round(PATIENCE / 0.2)):
            await asyncio.sleep(0.2)
            if rows.one(RANKED.format(size.answers)) and rows.one(DONE.format("plan")) > done:
                break
        over.set()

    watching = asyncio.create_task(watch())
    measured = await drive(server.url, worker, Plan(WORKERS, PATIENCE, think=THINK, ramp=THINK[1]))
    watching.cancel()
    ranking, planning = rows.one(SECONDS_OF_RANKING), rows.one(SECONDS_OF_PLANNING)
    jobs = Took("making a ranking", float(ranking)), Took("planning a batch", float(planning))
    return Worked(jobs, measured, crowd.dry)


def _places(rows: Database) -> dict[str, str]:
    """The pages of a requester, by what they show; of a worker with many answers and of a pair with one."""
    worker = rows.one("SELECT min(id) FROM collect_worker")
    pair = rows.one("SELECT max(id) FROM collect_task WHERE taken > 0")
    return {"all campaigns": "/campaigns/", "dashboard": HOME, "ranking": f"{HOME}ranking", "workers": f"{HOME}workers",
            "one worker": f"{HOME}workers/{worker}", "one pair": f"{HOME}pairs/{pair}"}  # fmt: skip


async def _page(requester: Requester, name: str, path: str) -> Took:
    """The slowest of some calls."""
    return Took(name, max([(await requester.page(path))[0] for _ in range(CALLS)]))


async def _export(requester: Requester, server: Server, what: str, form: str) -> Took:
    memory = Memory(server)
    seconds, body = await requester.page(f"{HOME}export/{what}.{form}")
    return Took(f"{what}.{form}", seconds, counted(body, form), memory.grown())


def counted(body: bytes, form: str) -> int:
    """How many rows an export has."""
    if form == "parquet":
        return pq.read_metadata(io.BytesIO(body)).num_rows
    return body.count(b"\n") - (form == "csv")
