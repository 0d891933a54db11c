"""The server's secret: made at the first start, readable by its owner alone. There is no default one."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from sidewise.errors import SidewiseError


def secret_key(path: Path) -> str:
    """The secret in a file, which is made where there is none (mode 600).

    Whoever knows it can forge sessions and entry links: a file that others can read is refused.
    """
    if not path.exists():
        _make(path)
    return _read(path)


def _make(path: Path) -> None:
    """Write it elsewhere and put it in its place when it is whole: a start may be killed, and two may come at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(64))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # another was faster
            os.link(draft, path)
    finally:
        draft.unlink()


def _read(path: Path) -> str:
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise SidewiseError(f"{path}: others can read the server's secret; mend it with: chmod 600 {path}")
    found = path.read_text().strip()
    if len(found) < 50:
        raise SidewiseError(f"{path}: too short for a secret; delete the file, and the next start makes a new one")
    return found
