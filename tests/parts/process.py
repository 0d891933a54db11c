"""Servers as processes of their own, to be killed at any moment and started again.

with Process([sys.executable, "-m", "…"], port=port, log=tmp_path / "log") as server:
    ...
    with server.killed_within(0.2, 1.5, chance):  # kill -9 while the block runs, and start again after it
        ...
"""

import http.client
import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from parts.keeper import free_port

__all__ = ["Process", "free_port", "living"]


def living(session: int) -> list[int]:
    """The processes of a session that still run; those that nobody has waited for yet do not."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, its_session = stat.read_text().rpartition(")")[2].split()[:4]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(its_session) == session and state not in "ZX":
            found.append(int(stat.parent.name))
    return found


def dying_with_us() -> list[str]:
    """What makes the kernel kill a server when the tests are killed.

    It watches the thread that started the server, so this is only for the one that lives to the end.
    """
    if threading.current_thread() is threading.main_thread() and (setpriv := shutil.which("setpriv")):
        return [setpriv, "--pdeathsig", "KILL"]
    return []


class Process:
    """A server that runs as a session of its own and answers HTTP on a port of the loopback."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        port: int,
        log: Path,
        path: str = "/",
        environment: Mapping[str, str] | None = None,
        patience: float = 60.0,
    ) -> None:
        self.command, self.port, self.log, self.path, self.patience = list(command), port, log, path, patience
        # Pages in a browser make Django careless in this process (see parts.browser); it shall not be so in the server.
        own = {name: value for name, value in os.environ.items() if name != "DJANGO_ALLOW_ASYNC_UNSAFE"}
        self.environment = {**own, **(environment or {})}
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def answers(self) -> bool:
        """Whether it answers a request with anything but an error of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", self.path)
            return connection.getresponse().status < 500
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with self.log.open("ab") as log:
            command = [*dying_with_us(), *self.command]
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment, start_new_session=True
            )
        end = time.monotonic() + self.patience
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > end:
                self.kill()
                raise AssertionError(f"the server does not answer:\n{self.told()}")
            time.sleep(0.02)

    def told(self) -> str:
        """The last it wrote."""
        return self.log.read_text(errors="replace")[-4000:]

    def kill(self) -> None:
        """Kill -9 all of it, children too, and wait until nothing of it is left."""
        if self.process is None:
            return
        first, self.process = self.process, None
        end = time.monotonic() + self.patience
        while (found := living(first.pid)) and time.monotonic() < end:
            for one in sorted(found):  # again and again, since they may be starting children
                with suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)
            time.sleep(0.005)
        first.wait(self.patience)

    def stop(self) -> int:
        """Ask it to end (SIGTERM), wait, and give its exit status; what then is left of it is killed."""
        assert self.process is not None, "it does not run"
        self.process.terminate()
        try:
            return self.process.wait(self.patience)
        finally:
            self.kill()

    @contextmanager
    def killed_within(self, least: float, most: float, chance: random.Random) -> Iterator[None]:
        """Kill it at a random moment, so many seconds from now, while the block runs; start it again after the block.

        A block that is done before its time waits for the kill.
        """
        timer = threading.Timer(chance.uniform(least, most), self.kill)
        timer.start()
        try:
            yield
        finally:
            timer.join()
        self.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
