"""``sidewise serve``: the web server, the process that does its background work, and what both need, in one command."""

import errno
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from sidewise.errors import SidewiseError
from sidewise.extras import need

SETTINGS = "sidewise.collect.server.settings"
QUEUES = ("default", "ranking")  # of jobs, see server.jobs: neither waits for the other
THREADS = 8  # of a server process: they wait for the database most of the time
EVERYWHERE = {"0.0.0.0", "::"}  # noqa: S104
BACKLOG = 2_048  # connections that wait while the web server is started again
STEADY = 10.0  # seconds that a process lives if it can live at all; one that dies before waits until it may try again
LONGEST = 30.0  # seconds that it waits, at most
LEAVING = (
    4.0  # seconds: a server that was killed leaves its web server behind, which holds the door for 2 while it ends
)


@dataclass(frozen=True)
class Place:
    """Where a server lives and how it is reached."""

    home: Path
    database: str | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    processes: int = 1
    hosts: Sequence[str] = ()
    https: bool = False
    proxy: bool = False

    @property
    def environment(self) -> dict[str, str]:
        """The variables that the server's settings read."""
        own = {self.host} - EVERYWHERE
        names = ["localhost", "127.0.0.1", "[::1]", *map(_bracketed, own), *self.hosts]
        told = {"SIDEWISE_HOME": str(self.home.resolve()), "SIDEWISE_HOSTS": ",".join(dict.fromkeys(names)),
                "SIDEWISE_HTTPS": str(int(self.https)), "SIDEWISE_PROXY": str(int(self.proxy)),
                "DJANGO_SETTINGS_MODULE": SETTINGS}  # fmt: skip
        return told if self.database is None else {**told, "SIDEWISE_DATABASE": self.database}

    @property
    def here(self) -> str:
        """The host by which this machine itself finds it."""
        return "127.0.0.1" if self.host in EVERYWHERE else self.host

    @property
    def address(self) -> str:
        """Where a browser on this machine finds it."""
        return f"http://{_bracketed(self.here)}:{self.port}"


def _bracketed(host: str) -> str:
    """A host as addresses write it."""
    return f"[{host}]" if ":" in host else host


def set_up(place: Place) -> None:
    """Make this process know the server's settings, and bring the database up to date."""
    need("django", extra="server")
    if os.environ.get("DJANGO_SETTINGS_MODULE") not in {None, SETTINGS}:
        raise SidewiseError("DJANGO_SETTINGS_MODULE names another site; unset it")
    os.environ.update(place.environment)
    place.home.mkdir(parents=True, exist_ok=True)
    import django
    from django.core.management import call_command
    from django.db import Error

    django.setup()
    try:
        call_command("migrate", verbosity=0, interactive=False)
    except Error as error:
        raise SidewiseError(f"the database cannot be used: {str(error).strip()}") from None


@contextmanager
def listening(place: Place) -> Iterator[socket.socket]:
    """The door: opened before anything else, so that a port that is taken is told before anything is made.

    Whoever comes while the web server is started again waits at the door, and is not turned away.
    """
    with _door(place) as door:
        yield door


def _door(place: Place) -> socket.socket:
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    end = time.monotonic() + LEAVING
    while True:
        try:
            return socket.create_server((place.host, place.port), family=family, backlog=BACKLOG)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > end:
                raise _closed(place, error) from None
        time.sleep(0.1)


def _closed(place: Place, error: OSError) -> SidewiseError:
    """Why the door cannot be opened, and the cure."""
    where = f"cannot listen at {_bracketed(place.host)}:{place.port}"
    match error.errno:
        case errno.EADDRINUSE:
            return SidewiseError(
                f"{where}: the port is taken, maybe by this campaign's server; stop it, or give --port"
            )
        case errno.EACCES:
            return SidewiseError(f"{where}: ports below 1024 are for root; give --port 8000, say")
        case _:
            return SidewiseError(
                f"{where}: {error.strerror}; --host is an address of this machine, 0.0.0.0 all of them"
            )


def commands(place: Place, door: int) -> dict[str, list[str]]:
    """The processes of a server."""
    web = [
        sys.executable, "-m", "gunicorn", "sidewise.collect.server.wsgi:application", "--bind", f"fd://{door}",
        "--workers", str(place.processes), "--worker-class", "gthread", "--threads", str(THREADS), "--keep-alive", "75",
        "--timeout", "60", "--graceful-timeout", "20", "--log-level", "warning", "--no-control-socket",
        "--preload", "--max-requests", "200000", "--max-requests-jitter", "20000",
    ]  # fmt: skip
    working = [sys.executable, "-m", "sidewise.collect.server.working"]
    return {"web": web, **{f"jobs of {queue}": [*working, queue] for queue in QUEUES}}


@dataclass
class Kept:
    """A process that is started again when it dies: at once if it has lived a while, later and later if it has not."""

    command: Sequence[str]
    environment: Mapping[str, str]
    doors: Sequence[int] = ()
    process: subprocess.Popen[bytes] | None = None
    since: float = 0.0
    wait: float = 0.0
    exited: int | None = None  # how it ended the last time

    def look(self, now: float) -> None:
        """Start it if it does not run, and if its time has come."""
        if self.process is not None and self.process.poll() is not None:
            self.exited, self.process = self.process.returncode, None
            self.wait = 0.0 if now - self.since > STEADY else min(2 * self.wait + 1, LONGEST)
            self.since = now
        if self.process is None and now >= self.since + self.wait:
            self.process, self.since = _started(self.command, self.environment, self.doors), now


def run(place: Place, door: socket.socket, ready: Callable[[], Sequence[Sequence[str]]] = lambda: ()) -> None:
    """Run the server until it is told to stop; a process that dies is started again.

    ``ready`` is called when the first page can be had; the commands that it gives run beside, and end with the server.
    """
    environment = {**os.environ, **place.environment}
    kept = {name: Kept(command, environment) for name, command in commands(place, door.fileno()).items()}
    kept["web"].doors = [door.fileno()]  # and no other's: who holds the door keeps the next server out
    guests: list[subprocess.Popen[bytes]] = []
    stopping: list[int] = []
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, lambda number, _frame: stopping.append(number))
    told = False
    try:
        while not stopping:
            for process in kept.values():
                process.look(time.monotonic())
            if not told and (code := kept["web"].exited) is not None:
                raise SidewiseError(f"the web server does not start (exit {code}); see what it said above")
            if not told and _answers(place):
                guests += [_started(command, environment) for command in ready()]
                told = True
            time.sleep(0.1)
    finally:
        _stop([*guests, *(one.process for one in kept.values() if one.process is not None)])


def _started(
    command: Sequence[str], environment: Mapping[str, str], doors: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Start a process in a group of its own: Ctrl-C in a terminal is for us, who then stop all others in good order."""
    return subprocess.Popen(  # noqa: S603
        command, env=environment, preexec_fn=_die_with_parent, process_group=0, pass_fds=doors,  # noqa: PLW1509 - one thread
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


def _die_with_parent() -> None:
    """Have the kernel stop this process when the one that started it is gone, even by ``kill -9`` (Linux)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def _answers(place: Place) -> bool:
    """Whether the web server answers, whatever it says."""
    connection = HTTPConnection(place.here, place.port, timeout=1)
    try:
        connection.request("GET", "/alive")
        connection.getresponse()
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
    return True


def _stop(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Stop processes: kindly first, and then not."""
    for process in processes:
        if process.poll() is None:
            process.terminate()
    end = time.monotonic() + 25
    for process in processes:
        try:
            process.wait(timeout=max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
