"""A real HTTP server on this machine, whose faults are chosen path by path."""

import hashlib
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Fault = Callable[["Handler", bytes], None]


@dataclass
class Served:
    """What is at a path: bytes, and a fault for each of the next requests; when these are used up, none."""

    body: bytes = b""
    faults: list[Fault] = field(default_factory=list)
    ranges: bool = True
    tag: bool = True
    length: bool = True


class Handler(BaseHTTPRequestHandler):
    """Answers as the server's table says."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked[self.path].append(dict(self.headers))
        served = self.server.served.get(self.path)
        if served is None:
            self.send_error(404)
            return
        fault = served.faults.pop(0) if served.faults else None
        (fault or answer)(self, served.body)

    def log_message(self, *some):
        pass

    @property
    def at(self):
        return self.server.served[self.path]

    def say(self, code, **headers):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()


def answer(handler, body, send=None):
    """As a good server does: a range where it was asked for and the file is still the same."""
    served, start, code = handler.at, 0, 200
    tag = f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'
    headers = {"ETag": tag} if served.tag else {}
    asked = handler.headers.get("Range")
    same = handler.headers.get("If-Range") in (None, tag)
    if asked and served.ranges and same:
        start = int(asked.removeprefix("bytes=").removesuffix("-"))
        if start >= len(body):
            handler.say(416, Content_Range=f"bytes */{len(body)}", Content_Length="0")
            return
        code = 206
        headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
    if served.length:
        headers["Content-Length"] = str(len(body) - start)
    else:
        headers["Connection"] = "close"
        handler.close_connection = True
    handler.say(code, **headers)
    (send or handler.wfile.write)(body[start:])


def cut_after(number):
    """Sends so many bytes of the file, and breaks off."""

    def fault(handler, body):
        def send(rest):
            handler.wfile.write(rest[:number])
            handler.close_connection = True

        answer(handler, body, send)

    return fault


def stall_after(number, seconds):
    """Sends so many bytes, and then nothing for a while."""

    def fault(handler, body):
        def send(rest):
            handler.wfile.write(rest[:number])
            handler.wfile.flush()
            time.sleep(seconds)
            handler.close_connection = True

        answer(handler, body, send)

    return fault


def slowly(pieces, pause):
    """Sends the file in pieces, with a pause before each."""

    def fault(handler, body):
        def send(rest):
            size = max(1, len(rest) // pieces)
            for start in range(0, len(rest), size):
                time.sleep(pause)
                handler.wfile.write(rest[start : start + size])

        answer(handler, body, send)

    return fault


def status(code, **headers):
    """Answers with a status and nothing else."""
    return lambda handler, _: handler.say(code, Content_Length="0", **headers)


def redirect(address):
    """Sends the client elsewhere."""
    return status(302, Location=address)


class Server(ThreadingHTTPServer):
    """The server; what it serves and what it was asked, by path."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.served, self.asked = {}, defaultdict(list)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def handle_error(self, *some):
        """A client that goes away is no fault of the server."""

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    def put(self, path, body=b"", *faults, **how):
        self.served[path] = Served(body, list(faults), **how)
        return self.address + path
