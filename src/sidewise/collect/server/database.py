"""Which database: SQLite in the server's folder, or PostgreSQL by its address."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from sidewise.errors import SidewiseError

# WAL lets readers go on while one writes; FULL waits for the disk at every commit, so that an acknowledged answer
# survives a power cut too. IMMEDIATE takes the write lock when a transaction begins: one that reads first and writes
# later would otherwise fail, not wait, when another has written in between.
SQLITE = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 30,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-64000",
}


# Compiling a statement takes PostgreSQL longer than any of ours runs: exports, which stream, would begin seconds later.
POSTGRES = {"options": "-c jit=off"}


def database(address: str | None, home: Path) -> dict[str, Any]:
    """Django's settings of a database: ``postgres://user:password@host:port/name``, ``sqlite:///path``, or none.

    >>> database("postgres://ann:s%40fe@db:5433/cakes", Path("."))["PASSWORD"]
    's@fe'
    """
    if not address:
        return _sqlite(home / "sidewise.sqlite3")
    parts = urlsplit(address)
    if parts.scheme == "sqlite":
        return _sqlite(
            Path(unquote(parts.path).removeprefix("/") if parts.path.startswith("//") else unquote(parts.path))
        )
    try:
        port = parts.port
    except ValueError:
        raise SidewiseError(f"--database: the port of {parts.hostname} is no number from 0 to 65535") from None
    if parts.scheme not in {"postgres", "postgresql"} or not parts.path.strip("/"):
        raise SidewiseError(
            f"--database {parts.scheme or address}: not an address of a database; "
            "write postgres://user:password@host:port/name, or leave it out for SQLite"
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(port or ""),
        "CONN_MAX_AGE": 300,
        "OPTIONS": {**POSTGRES, **dict(parse_qsl(parts.query))},
    }


def _sqlite(path: Path) -> dict[str, Any]:
    _made_private(path)
    return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path), "OPTIONS": SQLITE, "CONN_MAX_AGE": None}


def _made_private(path: Path) -> None:
    """Make the file, for its owner alone, before SQLite makes it for everybody: hashes of passwords are in it."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError:  # it is there, or cannot be: SQLite says what is wrong
        return
