"""One process at a time: a lock that the system lets go of when its holder dies, however it dies."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PAUSE = 0.1  # seconds between attempts


@contextmanager
def locked(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock that the file stands for; ``waiting`` is called once if somebody else holds it."""
    told = False
    while (handle := _taken(path)) is None:
        if not told:
            waiting()
            told = True
        time.sleep(PAUSE)
    try:
        yield
    finally:
        try:
            path.unlink(missing_ok=True)  # while it is held, so that nobody waits for a file that is gone
        except PermissionError:
            pass  # Windows removes no file that is open
        finally:
            os.close(handle)


def _taken(path: Path) -> int | None:
    """The handle of the lock, or None where somebody else has it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    # The former holder removes the file: a lock on a file that is no longer there holds nobody off.
    if try_lock(handle) and _is_still(path, handle):
        return handle
    os.close(handle)
    return None


def _is_still(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def try_lock(handle: int) -> bool:
        """Lock an open file until it is closed; whether nobody else has locked it."""
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def try_lock(handle: int) -> bool:
        """Lock an open file until it is closed; whether nobody else has locked it."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
