"""One file from one address over HTTP: begun, gone on with, and never taken for whole when it is not."""

import json
import re
import socket
import string
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.client import HTTPException, HTTPMessage, HTTPResponse
from pathlib import Path
from ssl import SSLError
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from sidewise import __version__

CHUNK = 1 << 16
AGENT = f"sidewise/{__version__}"
PASSING = (408, 425, 429, 500, 502, 503, 504)  # what a server may say now and not a moment later
CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")

Progress = Callable[[int, int | None], None]  # bytes so far, bytes in all (None where nobody says)


class Failed(Exception):  # noqa: N818 - one address has failed, which is not yet an error
    """An address did not give the file; ``passing`` says whether to try it again."""

    def __init__(self, reason: str, *, passing: bool = False) -> None:
        super().__init__(reason)
        self.passing = passing


class _Beyond(Exception):  # noqa: N818 - answered by fetch
    """The server has no bytes beyond those that are here (416); ``total`` is how many it has, where it says so."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        total = said.rpartition("/")[2]
        self.total = int(total) if total.isdigit() else None


class _Elsewhere(Exception):  # noqa: N818 - answered by fetch
    """The server sends other bytes of the file than it was asked for."""


@dataclass(frozen=True)
class Origin:
    """Where the bytes of an unfinished file came from, and by what the server will know that the file is still it."""

    address: str
    validator: str | None = None

    @classmethod
    def of(cls, part: Path) -> "Origin | None":
        """What was noted beside an unfinished file; None where nothing was, or nothing that can be read."""
        try:
            return cls(**json.loads(_note(part).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def note(self, part: Path) -> None:
        """Note it beside the unfinished file."""
        _note(part).write_text(json.dumps(asdict(self)), encoding="utf-8")


def fetch(
    address: str,
    part: Path,
    *,
    size: int | None = None,
    known: bool = True,
    timeout: float = 30.0,
    progress: Progress | None = None,
) -> bool:
    """Fetch a file into ``part``, going on where an earlier attempt stopped; whether it did go on.

    The server is asked whether the file is still the one that was begun (If-Range). Where it cannot tell, or another
    address began it, bytes are joined only if the whole will be checked by its SHA-256 (``known``).
    """
    begun = _begun(address, part, size, known=known)
    if size is not None and begun == size:
        return True
    try:
        request = Request(sendable(address), headers=_headers(address, part, begun))  # noqa: S310 - http and https only
        with _explained(address), _opener().open(request, timeout=timeout) as response:
            begun = _agreed(response, begun)
            total = _total(response, begun)
            if size is not None and total is not None and total != size:
                raise Failed(f"has {total:,} bytes, and not {size:,}")
            if not begun:
                forget(part)
            Origin(address, _validator(response.headers)).note(part)
            _copy(response, part, begun, size if total is None else total, progress)
    except _Beyond as beyond:
        if beyond.total == begun:  # all of it was here
            return True
        forget(part)
        raise Failed("has fewer bytes than are here", passing=True) from None
    except _Elsewhere as elsewhere:  # it would do so again, as long as it is asked to go on
        forget(part)
        raise Failed(f"{elsewhere}: begun again", passing=True) from None
    return begun > 0


def sendable(address: str) -> str:
    """An address as it may be sent: what is not ASCII is quoted, and the name of the host is written in IDNA."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
        named = host if ":" in host else host.encode("idna").decode()  # an address of IPv6 is none
        path, query = (quote(part, safe=string.punctuation) for part in (parts.path, parts.query))
    except ValueError as error:
        raise Failed(f"is no address that can be asked: {error}") from None
    if not host:
        raise Failed("is no address that can be asked: it names no host")
    netloc = parts.netloc if parts.netloc.isascii() else named + (f":{port}" if port else "")
    return urlunsplit((parts.scheme, netloc, path, query, ""))


def forget(part: Path) -> None:
    """Remove an unfinished file, and what was noted of it."""
    part.unlink(missing_ok=True)
    _note(part).unlink(missing_ok=True)


def forget_note(part: Path) -> None:
    """Remove what was noted of a file that is finished."""
    _note(part).unlink(missing_ok=True)


def _note(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _begun(address: str, part: Path, size: int | None, *, known: bool) -> int:
    """How many bytes there are to go on from."""
    if not part.exists() or (size is not None and part.stat().st_size > size):
        return 0
    origin = Origin.of(part)
    sure = origin is not None and origin.address == address and origin.validator is not None
    return part.stat().st_size if known or sure else 0


def _headers(address: str, part: Path, begun: int) -> dict[str, str]:
    headers = {"User-Agent": AGENT, "Accept-Encoding": "identity"}  # a range of compressed bytes would be no use
    if begun:
        headers["Range"] = f"bytes={begun}-"
        origin = Origin.of(part)
        if origin and origin.address == address and origin.validator:
            headers["If-Range"] = origin.validator
    return headers


def _validator(headers: Mapping[str, str] | HTTPMessage) -> str | None:
    """A strong ETag, or else the time of change: what If-Range takes."""
    tag = headers.get("ETag")
    return tag if tag and not tag.startswith("W/") else headers.get("Last-Modified")


def _agreed(response: HTTPResponse, begun: int) -> int:
    """From which byte the server goes on: where it was asked to, or from the beginning."""
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise Failed(f"sends the file encoded as {encoding}, which was not asked for")
    if response.status == 200:
        return 0
    span = CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if response.status != 206 or span is None or int(span[1]) != begun:
        said = response.headers.get("Content-Range", "no range")
        answer = f"answers {response.status} with {said}, where bytes from {begun} were asked for"
        raise _Elsewhere(answer) if begun and response.status == 206 else Failed(answer)
    return begun


def _total(response: HTTPResponse, begun: int) -> int | None:
    """How many bytes the whole file has, by the server's word."""
    span = CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if response.status == 206 and span and span[3] != "*":
        return int(span[3])
    length = response.headers.get("Content-Length", "")
    return begun + int(length) if length.isdigit() else None


def _copy(response: HTTPResponse, part: Path, begun: int, total: int | None, progress: Progress | None) -> None:
    done = begun
    with part.open("r+b" if part.exists() else "wb") as stream:
        stream.truncate(begun)
        stream.seek(begun)
        if progress:
            progress(done, total)
        # What has come, not what is to come: of a server that falls silent, all that it sent is kept.
        for piece in iter(lambda: response.read1(CHUNK), b""):
            done += len(piece)
            if total is not None and done > total:  # or else a server could fill the disk
                forget(part)
                raise Failed(f"sends more than {total:,} bytes")
            stream.write(piece)
            if progress:
                progress(done, total)
    if total is not None and done < total:
        raise Failed(f"stopped after {done:,} of {total:,} bytes", passing=True)


@contextmanager
def _explained(address: str) -> Iterator[None]:
    """What can go wrong at an address, in words."""
    try:
        yield
    except HTTPError as error:
        with error:
            if error.code == 416:
                raise _Beyond(error.headers.get("Content-Range", "")) from None
            reason = str(error.reason).strip().partition("\n")[0]
            raise Failed(f"answers {error.code} {reason}".strip(), passing=error.code in PASSING) from None
    except URLError as error:
        raise _unreached(error.reason, address) from None
    except TimeoutError:
        raise Failed("says nothing any more", passing=True) from None
    except (ValueError, OverflowError) as error:  # of an address to which it redirects
        raise Failed(f"redirects to no address that can be asked: {error}") from None
    except (HTTPException, ConnectionError, SSLError) as error:
        raise Failed(f"broke off ({type(error).__name__})", passing=True) from None


def _unreached(reason: Any, address: str) -> Failed:
    """Why nobody answered, and whether that may pass."""
    host = urlsplit(address).hostname
    match reason:
        case socket.gaierror():
            return Failed(f"there is no way to {host} (is there a network?)")
        case TimeoutError():
            return Failed(f"{host} does not answer", passing=True)
        case ConnectionRefusedError():
            return Failed(f"{host} refuses the connection")
        case OSError() if reason.strerror:
            return Failed(f"{host} cannot be reached: {reason.strerror}")
        case _:
            return Failed(f"{host} cannot be reached: {reason}")


class _SafeRedirects(HTTPRedirectHandler):
    """Follows redirects, but never from https to http, nor to anything else."""

    max_redirections = 8
    inf_msg = "redirects in a circle\n"

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """The request for the new address, or a refusal."""
        before, after = urlsplit(req.full_url).scheme, urlsplit(newurl).scheme
        if after not in ("http", "https") or (before == "https" and after == "http"):
            raise Failed(f"redirects from {before} to {newurl}, which is not safe")
        try:
            sendable(newurl)
        except Failed as failed:
            raise Failed(f"redirects to {newurl}, which {failed}") from None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> OpenerDirector:
    return build_opener(_SafeRedirects)
