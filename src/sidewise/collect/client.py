"""HTTP with a server, by one connection that is kept; what fails is sent again, which the key of a task makes safe."""

import json
import socket
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from sidewise.errors import SidewiseError

WAITS = (0.2, 1.0, 3.0, 5.0)  # seconds before something is sent once more: as long as a server takes to start again
FIRST = WAITS[:2]  # … where no server has been met yet


class Refused(SidewiseError):  # noqa: N818 - a request is refused; nothing is broken
    """The server will not have it; ``status`` is HTTP's."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Client:
    """One caller."""

    def __init__(self, server: str) -> None:
        self.server, self.token, self.met = server, "", False
        try:
            parts = urlsplit(server)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if not host or parts.scheme not in {"http", "https"}:
            raise SidewiseError(f"{server!r} is no address of a server; write http://127.0.0.1:8000")
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self.connection = kind(host, port, timeout=60)

    def post(self, path: str, data: object) -> dict[str, Any]:
        """Send JSON, get JSON."""
        content = self._send("POST", path, json.dumps(data).encode())
        try:
            return dict(json.loads(content))
        except ValueError:
            raise SidewiseError(f"{self.server}: what answers there is not a Sidewise server") from None

    def get(self, path: str) -> bytes:
        """The content of an address."""
        return self._send("GET", path, None)

    def close(self) -> None:
        """Let the server go."""
        self.connection.close()

    def _send(self, method: str, path: str, body: bytes | None) -> bytes:
        for wait in (*(WAITS if self.met else FIRST), None):
            status, content = self._once(method, path, body)
            if status is not None and status < 300:
                return content
            if status is not None and status < 500:
                raise Refused(f"{self.server} refuses {method} {path}: {status} {_told(content)}", status)
            if wait is not None:
                time.sleep(wait)
        if status is None:
            raise SidewiseError(f"no server answers at {self.server}; is it running? sidewise serve starts one")
        raise SidewiseError(f"{self.server} fails: {status} at {method} {path}; its log says why")

    def _once(self, method: str, path: str, body: bytes | None) -> tuple[int | None, bytes]:
        """Status and content; no status where nobody knows what became of it."""
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            self.connection.request(method, path, body, headers)
            if isinstance(self.connection.sock, socket.socket):
                self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            response = self.connection.getresponse()
            self.met = True
            return response.status, response.read()
        except (OSError, HTTPException):
            self.connection.close()
            return None, b""


def _told(content: bytes) -> str:
    """What the server says about it."""
    try:
        return str(json.loads(content)["detail"])
    except (ValueError, KeyError, TypeError):
        return content[:300].decode(errors="replace")
