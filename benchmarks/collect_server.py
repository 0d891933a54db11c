"""A campaign's server, started as its users start it, with what its processes and its database use."""

import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any, Self
from urllib.parse import urlsplit

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))  # its throw-away PostgreSQL

TICK, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
CAMPAIGN = """
[campaign]
name = "load"
question = "Which is better?"
[items]
source = "items.csv"
kind = "text"
text = "text"
[serving]
overlap = {overlap}
[sampling]
method = "{method}"
batch = {batch}
{allowed}
"""


@dataclass(frozen=True)
class Work:
    """What there is to judge: so many items, all their pairs or so many of them."""

    items: int = 150
    pairs: int | None = 5_000
    overlap: int = 1
    method: str = "random"
    batch: int = 1_000

    def write(self, folder: Path) -> Path:
        """A campaign file with its items, and the pairs that may be asked."""
        texts = (f"i{n},text {n}\n" for n in range(self.items))
        (folder / "items.csv").write_text("id,text\n" + "".join(texts))
        if self.pairs is not None:
            every = ((a, b) for a in range(self.items) for b in range(a))
            chosen = [f"i{a},i{b}\n" for (a, b), _ in zip(every, range(self.pairs), strict=False)]
            (folder / "pairs.csv").write_text("left,right\n" + "".join(chosen))
        allowed = 'allowed = "pairs.csv"' if self.pairs is not None else ""
        path = folder / "campaign.toml"
        path.write_text(CAMPAIGN.format(overlap=self.overlap, method=self.method, batch=self.batch, allowed=allowed))
        return path


@dataclass
class Use:
    """What processes have used: seconds of processor time, and bytes held."""

    processor: float
    memory: int


def of_group(group: int) -> list[int]:
    """The processes of a group."""
    return [pid for pid, stat in _processes() if int(stat[2]) == group]


def of_parent(parent: int) -> list[int]:
    """A process and its children."""
    return [pid for pid, stat in _processes() if pid == parent or int(stat[1]) == parent]


def use_of(pids: Sequence[int]) -> Use:
    """What some processes have used."""
    stats = [stat for pid, stat in _processes() if pid in pids]
    return Use(sum(sum(map(int, stat[11:15])) for stat in stats) / TICK, sum(int(stat[21]) for stat in stats) * PAGE)


def _processes() -> Iterator[tuple[int, list[str]]]:
    """Number, and what follows the name in /proc: state, parent, group and so on."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            yield int(path.parent.name), path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue


@dataclass
class Watch:
    """The memory of a server's processes, once a second; their number is not fixed."""

    group: int
    memory: list[int] = field(default_factory=list)
    over: Event = field(default_factory=Event)

    def __enter__(self) -> Self:
        self.thread = Thread(target=self._look, daemon=True)
        self.thread.start()
        return self

    def _look(self) -> None:
        while not self.over.wait(1.0):
            self.memory.append(use_of(of_group(self.group)).memory)

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()


class Database:
    """The same questions to SQLite and to PostgreSQL, past Django."""

    def __init__(self, url: str | None, home: Path) -> None:
        self.postgres = url is not None
        if url is None:
            self.connection: Any = sqlite3.connect(home / "sidewise.sqlite3", isolation_level=None)
        else:
            import psycopg

            self.connection = psycopg.connect(url, autocommit=True)

    def run(self, statement: str) -> None:
        """Do what nothing is answered to."""
        self.connection.execute(statement)

    def one(self, query: str) -> Any:
        """The single value that a query finds."""
        return self.connection.execute(query).fetchone()[0]

    def all(self, query: str) -> list[Any]:
        """The first column of everything that a query finds."""
        return [row[0] for row in self.rows(query)]

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Everything that a query finds."""
        return self.connection.execute(query).fetchall()

    def together(self, statements: Sequence[str]) -> None:
        """Statements in one transaction, which trusts that rows name others that are there."""
        self.run("BEGIN")
        if self.postgres:
            self.run("SET LOCAL session_replication_role = replica")
        for statement in statements:
            self.run(statement)
        self.run("COMMIT")

    def load(self, table: str, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Very many rows."""
        if self.postgres:
            with self.connection.cursor().copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        places = ", ".join("?" * (columns.count(",") + 1))
        self.run("BEGIN")
        self.connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", rows)  # noqa: S608
        self.run("COMMIT")

    def settle(self) -> None:
        """What the database does by itself some time after so many rows have come."""
        self.run("VACUUM ANALYZE" if self.postgres else "ANALYZE")


@dataclass
class Server:
    """A server that runs."""

    url: str
    group: int
    home: Path
    database_url: str | None
    postmaster: int | None

    def database(self) -> Database:
        """A connection to its database."""
        return Database(self.database_url, self.home)

    def used(self) -> Use:
        """What its processes and its database have used."""
        return use_of([*of_group(self.group), *(of_parent(self.postmaster) if self.postmaster else ())])


@contextmanager
def database(kind: str) -> Iterator[tuple[str | None, int | None]]:
    """The address of a fresh database and the process that keeps it: PostgreSQL's with the settings of production."""
    if kind == "sqlite":
        yield None, None
        return
    import psycopg

    from parts.postgres import serving

    with serving() as postgres, postgres.database() as url:
        with psycopg.connect(url) as connection:
            backend = connection.info.backend_pid
            parent = next(int(stat[1]) for pid, stat in _processes() if pid == backend)
        yield url, parent


@contextmanager
def serving(work: Work, url: str | None, postmaster: int | None = None, processes: int = 2) -> Iterator[Server]:
    """``sidewise serve`` with a campaign, stopped and gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        path = work.write(Path(folder))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "sidewise.cli", "serve", str(path), "--home", str(home), "--port", str(port)]
        if url is not None:
            command += ["--database", url, "--processes", str(processes)]
        with (Path(folder) / "log").open("w+b") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
            try:
                _wait(port, process, Path(folder) / "log")
                yield Server(f"http://127.0.0.1:{port}", process.pid, home, url, postmaster)
            finally:
                process.terminate()
                process.wait(60)


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if process.poll() is not None:
                raise RuntimeError(log.read_text()) from None
            time.sleep(0.05)
        else:
            return


def host(url: str) -> str:
    """Host and port of an address."""
    return urlsplit(url).netloc
