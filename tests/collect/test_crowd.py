"""``sidewise simulate crowd`` at a real server, as a person starts it."""

import subprocess
import sys
import time
from collections import defaultdict

import pytest

from parts.books import Books, check, until
from parts.campaigns import Campaigns, written
from parts.process import Process, free_port


def campaign(folder, name, items=8, **tables):
    about = {"campaign": {"name": name, "question": "Which is better?"},
             "items": {"source": "items.csv", "kind": "text", "text": "text"},
             "sampling": {"method": "random"}}  # fmt: skip
    rows = "".join(f"i{n},text {n}\n" for n in range(items))
    return written(folder / name, {**about, **tables}, {"items.csv": f"id,text\n{rows}", "workers.txt": "ann\nbob\n"})


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Serves three campaigns: one to work at, one without end, one for the invited."""
    folder = tmp_path_factory.mktemp("crowd")
    files = [
        campaign(folder, "few", serving={"overlap": 3}),
        campaign(folder, "many", items=60, serving={"overlap": 8}),
        campaign(folder, "closed", access={"open": False, "workers": "workers.txt"}),
    ]
    served = Campaigns(folder / "home", files)
    with served.process:
        yield served


CROWD = [sys.executable, "-m", "sidewise.cli", "simulate", "crowd"]


def crowd(*words):
    command = [*CROWD, *map(str, words)]
    return subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, check=False, timeout=120, encoding="utf-8",
        env={"COLUMNS": "200", "PATH": "", "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip


def test_it_works_until_the_campaign_is_done(server):
    done = crowd("--server", server.url, "--campaign", "few", "--workers", 5, "--think", 0, 0.02)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "84 answers by 5 workers (5 honest); the campaign is done for 5 of them\n"
    assert server.ask("SELECT finished FROM collect_campaign WHERE name = 'few'") == [("every pair has been asked",)]
    check(Books(server.home), overlap=8)
    again = crowd("--server", server.url, "--campaign", "few", "--workers", 2)
    assert again.stdout == "0 answers by 2 workers (2 honest); the campaign is done for 2 of them\n"


def test_it_gives_exactly_so_many_answers_and_each_kind_answers_as_it_does(server):
    kinds = ["--kind", "always-left=0.25", "--kind", "always-right=0.25", "--kind", "contrary=0.25"]
    words = ["--workers", 8, "--answers", 200, "--think", 0, 0, "--sharpness", 1e9, *kinds]
    done = crowd("--server", server.url, "--campaign", "many", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("200 answers by 8 workers (2 ")
    query = """SELECT w.name, a.answer, a.swapped, a.task_id FROM collect_assignment a
               JOIN collect_worker w ON w.id = a.worker_id JOIN collect_campaign c ON c.id = w.campaign_id
               WHERE c.name = 'many' AND a.state = 'answered'"""
    said, firsts = defaultdict(set), {"honest": defaultdict(set), "contrary": defaultdict(set)}
    answers = server.ask(query)
    for name, answer, swapped, task in answers:
        kind = name.rpartition("-")[0]
        said[kind].add(answer)
        if kind in firsts:
            firsts[kind][task].add((answer == "left") != bool(swapped))
    assert len(answers) == 200
    assert (said["always-left"], said["always-right"]) == ({"left"}, {"right"})
    both = firsts["honest"].keys() & firsts["contrary"].keys()
    assert both
    assert all(firsts["honest"][task].isdisjoint(firsts["contrary"][task]) for task in both)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--campaign", "none"], "no campaign 'none' that anybody may join"),
        (["--campaign", "closed"], "its workers come by invitation only"),
        (["--campaign", "few", "--think", 3, 1], "think is 3 to 1"),
        (["--campaign", "few", "--kind", "lazy=0.5"], "no kind of worker 'lazy'"),
        (["--campaign", "few", "--kind", "random"], "write the kind and its share"),
        (["--campaign", "few", "--kind", "brand-biased=0.5"], "go by a factor"),
        (["--campaign", "few", "--kind", "sleepy=0.5"], "give --answers"),
    ],
)
def test_what_cannot_be_is_one_line(server, words, message):
    done = crowd("--server", server.url, *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not done.stdout


def test_a_campaign_that_is_paused_is_told_and_one_that_is_paused_meanwhile_is_waited_for(server):
    books = Books(server.home)
    pause = "UPDATE collect_campaign SET state = '{}' WHERE name = 'many'"
    words = ["--server", server.url, "--campaign", "many", "--workers", 2, "--answers", 20, "--think", 0.2, 0.2]
    books.do(pause.format("paused"))
    assert "'many' is paused; open it on its page" in crowd(*words).stderr
    books.do(pause.format("open"))
    before = books.states()["answered"]
    with subprocess.Popen([*CROWD, *map(str, words)], stdout=subprocess.PIPE, text=True) as going:  # noqa: S603
        until(lambda: books.states()["answered"] > before)
        books.do(pause.format("paused"))
        time.sleep(1.5)
        assert going.poll() is None
        books.do(pause.format("open"))
        assert going.communicate(timeout=60)[0] == "20 answers by 2 workers (2 honest)\n"


def test_a_server_that_is_not_there_is_told():
    done = crowd("--server", f"http://127.0.0.1:{free_port()}", "--campaign", "few")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is it running? sidewise serve starts one" in done.stderr
    done = crowd("--server", "127.0.0.1:8000", "--campaign", "few")
    assert "is no address of a server; write http://127.0.0.1:8000" in done.stderr


OTHER = """
import http.server, sys
class Other(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello")
    do_GET = do_POST
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Other).serve_forever()
"""


def test_a_server_of_another_kind_is_told(tmp_path):
    port = free_port()
    with Process([sys.executable, "-c", OTHER, str(port)], port=port, log=tmp_path / "log"):
        done = crowd("--server", f"http://127.0.0.1:{port}", "--campaign", "few")
    assert "what answers there is not a Sidewise server" in done.stderr
