"""``sidewise serve``: the web server, the process that does its background work, and what both need, in one command."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sidewise.errors import SidewiseError
from sidewise.extras import need

SETTINGS = "sidewise.collect.server.settings"
QUEUES = ("default", "ranking")  # of jobs, see server.jobs: neither waits for the other
THREADS = 8  # of a server process: they wait for the database most of the time


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
        names = ["localhost", "127.0.0.1", "[::1]", *({self.host} - {"0.0.0.0", "::"}), *self.hosts]  # noqa: S104
        told = {"SIDEWISE_HOME": str(self.home.resolve()), "SIDEWISE_HOSTS": ",".join(dict.fromkeys(names)),
                "SIDEWISE_HTTPS": str(int(self.https)), "SIDEWISE_PROXY": str(int(self.proxy)),
                "DJANGO_SETTINGS_MODULE": SETTINGS}  # fmt: skip
        return told if self.database is None else {**told, "SIDEWISE_DATABASE": self.database}

    @property
    def address(self) -> str:
        """Where a browser on this machine finds it."""
        shown = "127.0.0.1" if self.host in {"0.0.0.0", "::"} else self.host  # noqa: S104
        return f"http://{shown}:{self.port}"


def set_up(place: Place) -> None:
    """Make this process know the server's settings, and bring the database up to date."""
    need("django", extra="server")
    if os.environ.get("DJANGO_SETTINGS_MODULE") not in {None, SETTINGS}:
        raise SidewiseError("DJANGO_SETTINGS_MODULE names another site; unset it")
    os.environ.update(place.environment)
    place.home.mkdir(parents=True, exist_ok=True)
    import django
    from django.core.management import call_command
    from django.db import OperationalError

    django.setup()
    try:
        call_command("migrate", verbosity=0, interactive=False)
    except OperationalError as error:
        raise SidewiseError(f"the database cannot be reached: {str(error).strip()}") from None


def commands(place: Place) -> dict[str, list[str]]:
    """The processes of a server."""
    web = [
        sys.executable, "-m", "gunicorn", "sidewise.collect.server.wsgi:application",
        "--bind", f"{place.host}:{place.port}",
        "--workers", str(place.processes), "--worker-class", "gthread", "--threads", str(THREADS), "--keep-alive", "75",
        "--timeout", "60", "--graceful-timeout", "20", "--log-level", "warning", "--no-control-socket",
        "--preload", "--max-requests", "200000", "--max-requests-jitter", "20000",
    ]  # fmt: skip
    return {"web": web, **{f"jobs of {queue}": worker(queue) for queue in QUEUES}}


def worker(queue: str) -> list[str]:
    """A process that does what is in a queue."""
    return [
        sys.executable, "-m", "django", "db_worker", "--queue-name", queue, "--interval", "0.2", "--no-startup-delay",
        "--no-reload", "--verbosity", "0",
    ]  # fmt: skip


def run(place: Place, ready: Callable[[], None] = lambda: None) -> int:
    """Run the server until it is told to stop; a process that dies is started again."""
    environment = {**os.environ, **place.environment}
    wanted = commands(place)
    running = {name: _started(command, environment) for name, command in wanted.items()}
    stopping: list[int] = []
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda number, _frame: stopping.append(number))
    deaths: list[float] = []
    told = False
    try:
        while not stopping:
            if not told and _answers(place):
                ready()
                told = True
            for name, process in running.items():
                if process.poll() is None:
                    continue
                deaths = [*(when for when in deaths if when > time.monotonic() - 60), time.monotonic()]
                if (name == "web" and not told) or len(deaths) > 10:
                    raise SidewiseError(
                        f"the {name} process does not start (exit {process.returncode}); see what it said above"
                    )
                running[name] = _started(wanted[name], environment)
            time.sleep(0.1)
    finally:
        _stop(list(running.values()))
    return 0


def _started(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, env=environment, preexec_fn=_die_with_parent)  # noqa: S603, PLW1509 - one thread


def _die_with_parent() -> None:
    """Have the kernel stop this process when the one that started it is gone, even by ``kill -9`` (Linux)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def _answers(place: Place) -> bool:
    """Whether the web server takes connections."""
    import socket

    try:
        host = "127.0.0.1" if place.host == "0.0.0.0" else place.host  # noqa: S104
        socket.create_connection((host, place.port), timeout=1).close()
    except OSError:
        return False
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
