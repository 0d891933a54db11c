"""A process that runs one throw-away PostgreSQL for as long as anybody holds a connection to it.

Holders connect to a socket and are told the database's URL. The kernel closes a holder's socket however the holder
ends, a ``kill -9`` included; when the last one is gone the database is stopped and its folder removed. Should the
keeper itself be killed, the kernel stops the database.

    python keeper.py LOCK [--quick]

prints the path of its socket when all is ready. LOCK is the file that holders lock while they connect.
"""

import argparse
import fcntl
import os
import pwd
import secrets
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

USER = "sidewise"
QUICK = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
"""Settings for tests that do not ask what survives a crash; without them all is as in production."""
WAIT_FOR_FIRST = 30.0
"""Seconds after which a keeper that nobody came to gives up."""


def programs() -> Path | None:
    """The folder of the newest PostgreSQL's programs, where there is one."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return debian[-1].parent if debian else None


def owner() -> pwd.struct_passwd | None:
    """Who shall run the database: nobody else, unless we are root, whom PostgreSQL refuses."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def as_owner() -> list[str]:
    """What to put before a command so that it runs as the owner, and ends with us."""
    die_with_us = ["setpriv", "--pdeathsig", "QUIT"]  # QUIT: stop at once, since the data are thrown away
    if (user := owner()) is None:
        return die_with_us
    return [*die_with_us, f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


def free_port() -> int:
    """A port of the loopback that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def make_cluster(folder: Path, password: str) -> None:
    """An empty database cluster in ``folder``/data."""
    secret = folder / "password"
    secret.write_text(password)
    if user := owner():
        for path in (folder, secret):
            os.chown(path, user.pw_uid, user.pw_gid)
    options = ["--pgdata", str(folder / "data"), "--username", USER, "--pwfile", str(secret), "--auth", "scram-sha-256"]
    options += ["--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"]
    command = [*as_owner(), str(found_programs() / "initdb"), *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    secret.unlink()
    if done.returncode:
        raise OSError(f"initdb failed:\n{done.stdout}{done.stderr}")


def found_programs() -> Path:
    """The folder of PostgreSQL's programs, which must be there."""
    if (folder := programs()) is None:
        raise OSError("PostgreSQL is missing")
    return folder


def start(folder: Path, port: int, settings: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start the database of ``folder``."""
    all_settings = {
        "listen_addresses": "127.0.0.1",
        "port": str(port),
        "unix_socket_directories": str(folder),
        "max_connections": "300",
        **settings,
    }
    options = [word for name, value in all_settings.items() for word in ("-c", f"{name}={value}")]
    with (folder / "log").open("ab") as log:
        command = [*as_owner(), str(found_programs() / "postgres"), "-D", str(folder / "data"), *options]
        return subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL)


def answers(url: str) -> bool:
    """Whether the database takes connections."""
    import psycopg

    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def await_answer(database: subprocess.Popen[bytes], url: str, seconds: float = 60.0) -> bool:
    """Wait until the database takes connections; false when it ended instead, say for a port that was taken."""
    end = time.monotonic() + seconds
    while database.poll() is None and time.monotonic() < end:
        if answers(url):
            return True
        time.sleep(0.05)
    return False


def stop(database: subprocess.Popen[bytes]) -> None:
    """Stop the database at once, and be sure of it."""
    database.send_signal(signal.SIGQUIT)
    try:
        database.wait(timeout=10)
    except subprocess.TimeoutExpired:
        database.kill()
        database.wait()


@contextmanager
def running(folder: Path, settings: dict[str, str]) -> Iterator[str]:
    """A database that runs in ``folder``; its URL."""
    password = secrets.token_urlsafe(16)
    make_cluster(folder, password)
    for _ in range(5):  # another process may take the port between the asking and the using
        port = free_port()
        url = f"postgresql://{USER}:{password}@127.0.0.1:{port}/postgres"
        database = start(folder, port, settings)
        try:
            if await_answer(database, url):
                yield url
                return
        finally:
            stop(database)
    raise OSError(f"PostgreSQL does not start:\n{(folder / 'log').read_text()}")


class Holders:
    """Those who need the database, each with a connection that lives as long as they do."""

    def __init__(self, place: Path, lock: Path, url: str) -> None:
        self.lock, self.url = lock, url
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(str(place))
        self.listening.listen()
        self.listening.setblocking(False)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listening, selectors.EVENT_READ)

    def admit(self) -> bool:
        """Let one in who waits at the door; false where there is none."""
        try:
            holder, _ = self.listening.accept()
        except BlockingIOError:
            return False
        with suppress(OSError):  # it may have gone already, which the selector will tell
            holder.sendall(self.url.encode() + b"\n")
        self.selector.register(holder, selectors.EVENT_READ)
        return True

    def handle(self, seconds: float | None) -> None:
        """Wait for somebody to come or to go: holders say nothing, so all that is heard from them is their end."""
        for key, _ in self.selector.select(seconds):
            if key.fileobj is self.listening:
                self.admit()
            else:
                self.selector.unregister(key.fileobj)
                key.fileobj.close()

    def any(self) -> bool:
        """Whether there is a holder."""
        return len(self.selector.get_map()) > 1

    def closed(self) -> bool:
        """Close the door, unless somebody is there or just coming: they come only with the lock in hand."""
        with suppress(FileNotFoundError), self.lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if self.admit():
                return False
            self.listening.close()
        return True

    def wait(self) -> None:
        """Return when the last one has gone."""
        self.handle(WAIT_FOR_FIRST)
        while self.any() or not self.closed():
            self.handle(None)


def keep(lock: Path, settings: dict[str, str]) -> None:
    """Run a database until nobody holds it."""
    folder = Path(tempfile.mkdtemp(prefix="sidewise-postgres-"))
    try:
        with running(folder, settings) as url:
            place = folder / "keeper.sock"
            holders = Holders(place, lock, url)
            sys.stdout.write(f"{place}\n")
            sys.stdout.flush()
            holders.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def end(_signal: int, _frame: FrameType | None) -> None:
    """Leave in good order when told to."""
    sys.exit(1)


def go_behind() -> None:
    """Leave the process that started us, and its terminal: it need not wait for us, and Ctrl-C passes us by."""
    if os.fork():
        os._exit(0)
    os.setsid()


def main() -> None:
    """Keep a database."""
    parser = argparse.ArgumentParser()
    parser.add_argument("lock", type=Path)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    go_behind()
    signal.signal(signal.SIGTERM, end)
    try:
        keep(given.lock, QUICK if given.quick else {})
    except OSError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
