"""A throw-away PostgreSQL, shared by all who lock the same file, and fresh databases in it.

    with serving() as server, server.database() as url:
        ...  # url is postgresql://…, and empty

See ``keeper`` for how it ends when its users do, however they do.
"""

import fcntl
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from parts import keeper


class Killable:
    """A PostgreSQL of a test's own, with the settings of production, to be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, keeper.free_port()
        self.process: subprocess.Popen[bytes] | None = None
        password = secrets.token_urlsafe(16)
        keeper.make_cluster(folder, password)
        self.url = f"postgresql://{keeper.USER}:{password}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        self.process = keeper.start(self.folder, self.port, {})
        if not keeper.await_answer(self.process, self.url):
            raise OSError(f"PostgreSQL does not start:\n{(self.folder / 'log').read_text()}")

    def kill(self) -> None:
        """Kill -9 the first process and all that it has started, as when the machine loses power but for the disk."""
        assert self.process is not None, "it does not run"
        found = [self.process.pid, *children(self.process.pid)]
        for one in found:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        self.process.wait()
        while any(Path(f"/proc/{one}").exists() for one in found):
            time.sleep(0.005)


def children(parent: int) -> list[int]:
    """The processes that a process has started, those of its first thread."""
    return list(map(int, Path(f"/proc/{parent}/task/{parent}/children").read_text().split()))


@contextmanager
def killable() -> Iterator[Killable]:
    """A PostgreSQL that runs and can be killed; gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="sidewise-postgres-", ignore_cleanup_errors=True) as folder:
        server = Killable(Path(folder))
        try:
            server.start()
            yield server
        finally:
            if server.process is not None and server.process.poll() is None:
                server.kill()


def installed() -> bool:
    """Whether there is a PostgreSQL to run."""
    return keeper.programs() is not None


class Postgres:
    """A running server. Its settings are those of production, unless it is a quick one."""

    def __init__(self, url: str) -> None:
        self.url = url

    def run(self, command: sql.Composable) -> None:
        """Run a command in the server's first database, as its master."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(command)

    def url_of(self, name: str) -> str:
        """The URL of a database by name."""
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))

    def create(self, template: str | None = None) -> str:
        """Make a database, empty or a copy of the one at the URL ``template``, to which nobody may be connected."""
        name = f"test_{uuid.uuid4().hex}"
        source = sql.Identifier(urlsplit(template).path[1:] if template else "template1")
        self.run(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), source))
        return self.url_of(name)

    def drop(self, url: str) -> None:
        """Drop a database, whoever is still connected to it."""
        self.run(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(urlsplit(url).path[1:])))

    @contextmanager
    def database(self, template: str | None = None) -> Iterator[str]:
        """A database of one's own, gone afterwards; its URL."""
        url = self.create(template)
        try:
            yield url
        finally:
            self.drop(url)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep all others who lock the same file waiting."""
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def start_keeper(lock: Path, *, quick: bool) -> str:
    """Start a keeper; the place where it can be met."""
    command = [sys.executable, keeper.__file__, str(lock), *(["--quick"] if quick else [])]
    with tempfile.TemporaryFile("w+") as told:  # and no pipe: whoever reads one to its end would wait for the keeper's
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told, text=True) as started:
            place = started.stdout.readline().strip()
        told.seek(0)
        if not place:
            raise OSError(told.read().strip())
    return place


def met(place: str) -> socket.socket | None:
    """A connection to the keeper at ``place``, if one is still there."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(place)
    except OSError:
        connection.close()
        return None
    return connection


def hold(folder: Path, *, quick: bool) -> socket.socket:
    """A connection to the keeper that all who name this folder share; start one where there is none."""
    kind = "quick" if quick else "durable"
    lock, address = folder / f"postgres-{kind}.lock", folder / f"postgres-{kind}.address"
    with locked(lock):
        if address.exists() and (connection := met(address.read_text())):
            return connection
        place = start_keeper(lock, quick=quick)
        address.write_text(place)
        if connection := met(place):
            return connection
    raise OSError("the keeper of PostgreSQL ended as it began")


@contextmanager
def serving(folder: Path | None = None, *, quick: bool = False) -> Iterator[Postgres]:
    """A PostgreSQL, shared with all who name the same folder; stopped when the last of them has done."""
    with (
        tempfile.TemporaryDirectory() as own,
        hold(folder or Path(own), quick=quick) as connection,
        connection.makefile() as told,
    ):
        yield Postgres(told.readline().strip())
