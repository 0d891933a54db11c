"""Servers that are killed: at once, with all their children, and started again with what they had on disk."""

import http.client
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parts.process import Process, free_port, living

SERVER = '''
"""Counts requests in a file, each on the disk before it is answered; a child listens on the same port."""
import os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

class Count(BaseHTTPRequestHandler):
    def do_POST(self):
        with open(sys.argv[2], "ab") as file:
            file.write(b"x")
            file.flush()
            os.fsync(file.fileno())
        self.do_GET()

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass

server = HTTPServer(("127.0.0.1", int(sys.argv[1])), Count)
os.fork()
server.serve_forever()
'''


@pytest.fixture
def server(tmp_path):
    (tmp_path / "server.py").write_text(SERVER)
    port = free_port()
    command = [sys.executable, str(tmp_path / "server.py"), str(port), str(tmp_path / "answers")]
    return Process(command, port=port, log=tmp_path / "log")


def post(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("POST", "/")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def test_it_is_killed_with_its_children_and_starts_again_on_the_same_port(server):
    with server:
        session = server.process.pid
        assert len(living(session)) == 2
        server.kill()
        assert not living(session)
        assert not server.answers()
        server.start()
        assert server.answers()
        second = server.process.pid
    assert not living(second)


def test_what_was_acknowledged_before_a_kill_at_any_moment_is_there_after_it(server, tmp_path):
    chance, acknowledged, refused = random.Random(7), 0, 0  # noqa: S311
    with server:
        for _ in range(5):
            with server.killed_within(0.0, 0.2, chance):
                before = refused
                while refused == before:
                    done = post(server.port)
                    acknowledged, refused = acknowledged + done, refused + (not done)
        assert post(server.port)
    written = (tmp_path / "answers").stat().st_size
    assert refused == 5
    assert acknowledged + 1 <= written <= acknowledged + 1 + 5


def test_it_can_be_asked_to_end(server):
    server.start()
    assert server.stop() == -signal.SIGTERM
    assert not server.answers()


def test_a_server_that_cannot_start_says_why(tmp_path):
    broken = Process([sys.executable, "-c", "raise SystemExit('no secret')"], port=free_port(), log=tmp_path / "log")
    with pytest.raises(AssertionError, match="does not answer:\nno secret"):
        broken.start()


def test_it_does_not_outlive_tests_that_are_killed(server, tmp_path):
    """The first process of the session, at least: gunicorn's children end when their parent has gone."""
    code = f"""
import time
from pathlib import Path
from parts.process import Process
server = Process({server.command!r}, port={server.port}, log=Path({str(tmp_path / "log")!r}))
server.start()
print(server.process.pid, flush=True)
time.sleep(600)
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    tests = subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)  # noqa: S603
    leader = int(tests.stdout.readline())
    tests.kill()
    tests.communicate()
    end = time.monotonic() + 10
    while leader in living(leader) and time.monotonic() < end:
        time.sleep(0.02)
    left = living(leader)
    for process in left:
        os.kill(process, signal.SIGKILL)
    assert leader not in left
