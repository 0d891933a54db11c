"""``sidewise serve`` as a person starts, stops and mistypes it."""

import os
import pty
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from http.client import HTTPConnection
from itertools import pairwise
from pathlib import Path

import pytest

from parts.books import Books, check, until
from parts.campaigns import written
from parts.process import Process, free_port, living
from parts.stubborn import Stubborn
from sidewise.collect import Campaign
from sidewise.collect.campaign.demo import demo_campaign
from sidewise.collect.running import Kept, Place
from sidewise.collect.server.answering import answer
from sidewise.collect.server.answers import comparisons
from sidewise.collect.server.leasing import serve
from sidewise.collect.server.planning import plan
from sidewise.collect.server.starting import started
from sidewise.datasets.building import build_pairs

SERVE = [sys.executable, "-m", "sidewise.cli", "serve"]


@pytest.fixture
def cakes(tmp_path):
    """The file of a small campaign."""
    about = {"campaign": {"name": "cakes", "question": "Which is better?"},
             "items": {"source": "items.csv", "kind": "text", "text": "text"}}  # fmt: skip
    return written(tmp_path / "campaign", about, {"items.csv": "id,text\na,A\nb,B\nc,C\n"})


def refused(*words):
    """What a start that does not come about says; it is one message."""
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run(  # noqa: S603
        [*SERVE, *map(str, words)], capture_output=True, text=True, check=False, timeout=60,
        env={**environment, "COLUMNS": "200"},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


class Terminal:
    """A command in a terminal of its own, of which it is the first process."""

    def __init__(self, command, folder):
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            os.execve(command[0], command, {**os.environ, "TMPDIR": str(folder), "TERM": "dumb", "COLUMNS": "120"})  # noqa: S606
        os.set_blocking(self.end, False)
        self.text = ""

    def read(self):
        """All that it has shown."""
        with suppress(BlockingIOError, OSError):  # nothing yet; nothing more
            self.text += os.read(self.end, 65_536).decode()
        return self.text

    def press_ctrl_c(self):
        """As a person does; how it ends, and what it has shown."""
        os.write(self.end, b"\x03")
        until(lambda: (self.read(), self._ended())[1])
        os.close(self.end)
        return os.waitstatus_to_exitcode(self.status), self.text

    def _ended(self):
        ended, self.status = os.waitpid(self.pid, os.WNOHANG)
        return ended


def test_the_demonstration_can_be_tried_at_once_and_leaves_nothing(tmp_path):
    port = free_port()
    terminal = Terminal([*SERVE, "--demo", "--port", str(port)], tmp_path)
    until(lambda: "always clicks left" in terminal.read())
    (folder,) = tmp_path.glob("sidewise-demo-*")
    books = Books(folder)
    worker = Stubborn(port, "dots").join()
    (task,) = worker.tasks()["tasks"]
    worker.connection.close()
    assert {side["kind"] for side in task["sides"]} == {"image"}
    until(lambda: books.one("SELECT max(answers) FROM collect_standing"))
    check(books, overlap=3)
    names = {name for (name,) in books.ask("SELECT name FROM collect_worker")}
    assert sorted(name.rpartition("-")[0] for name in names)[:2] == ["always-left", "honest"]
    code, shown = terminal.press_ctrl_c()
    assert code == 0
    assert f"http://127.0.0.1:{port}/c/dots/" in shown
    assert f"http://127.0.0.1:{port}/campaigns/dots/" in shown
    assert "log in as requester with the password" in shown
    assert "Traceback" not in shown
    assert "rror" not in shown
    until(lambda: not living(terminal.pid), 5)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("which", ["campaign", "demo"])
def test_a_port_that_is_taken_is_told_before_anything_is_made(cakes, tmp_path, which):
    port = free_port()
    words = ["--port", port, "--home", tmp_path / "other"]
    with Process([*SERVE, str(cakes), "--port", str(port)], port=port, log=tmp_path / "log", path="/alive"):
        said = refused(*([cakes] if which == "campaign" else ["--demo"]), *words)
        assert f"cannot listen at 127.0.0.1:{port}: the port is taken, maybe by this campaign's server" in said
        assert not (tmp_path / "other" / "sidewise.sqlite3").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--host", "192.0.2.1"], "cannot listen at 192.0.2.1:"),
        (["--host", "no.such.host.invalid"], "cannot listen at no.such.host.invalid:"),
        (["--database", "postgres://ann:secret@127.0.0.1:1/cakes"], "the database cannot be used: connection"),
        (["--database", "postgres://ann:secret@127.0.0.1:99999/cakes"], "the port of 127.0.0.1 is no number"),
        (["--database", "postgres://ann:secret@127.0.0.1/cakes?colour=red"], "the database cannot be used: invalid"),
        (["--database", "mysql://ann:secret@127.0.0.1/cakes"], "--database mysql: not an address of a database"),
        (["--database", "sqlite:////nowhere/at/all.sqlite3"], "the database cannot be used: unable to open"),
        (["--processes", "2"], "several processes need PostgreSQL"),
        (["--processes", "2", "--database", "sqlite:////tmp/cakes.sqlite3"], "several processes need PostgreSQL"),
        (["--demo"], "name a campaign file, or say --demo"),
    ],
)
def test_what_cannot_be_is_told(cakes, words, message):
    said = refused(cakes, *(["--port", free_port()] if "--port" not in words else []), *words)
    assert message in said
    assert "secret" not in said


def test_a_database_that_does_not_let_us_in_is_told(cakes, quick_postgres):
    nowhere = quick_postgres.url_of("no_such_database")
    assert 'database "no_such_database" does not exist' in refused(cakes, "--port", free_port(), "--database", nowhere)
    password = quick_postgres.url.split(":")[2].split("@")[0]
    wrong = quick_postgres.url.replace(password, "wrong-one")
    said = refused(cakes, "--port", free_port(), "--database", wrong)
    assert "password authentication failed" in said
    assert "wrong-one" not in said


@pytest.fixture
def served(cakes, tmp_path):
    port = free_port()
    with Process([*SERVE, str(cakes), "--port", str(port)], port=port, log=tmp_path / "log", path="/alive") as process:
        yield process


def those(process, what):
    """The processes of a server by a word of their command."""
    return [pid for pid in living(process.process.pid) if what in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_whoever_comes_while_the_web_server_is_started_again_waits_at_the_door(served):
    until(lambda: "Ctrl-C" in served.told())
    web = those(served, b"gunicorn")
    for pid in web:
        os.kill(pid, signal.SIGKILL)
    until(lambda: not {*web} & {*living(served.process.pid)})
    connection = HTTPConnection("127.0.0.1", served.port, timeout=60)
    connection.request("GET", "/c/cakes/")
    assert connection.getresponse().status == 200
    connection.close()


def test_a_server_whose_first_process_is_killed_is_soon_gone_and_can_be_started_again(served):
    session = served.process.pid
    os.kill(session, signal.SIGKILL)
    served.process.wait()
    until(lambda: not living(session), 20)
    served.start()
    assert served.stop() == 0


def test_a_process_that_cannot_live_is_tried_later_and_later():
    kept, starts = Kept([sys.executable, "-c", "raise SystemExit(3)"], dict(os.environ)), []
    for second in range(100):
        kept.look(float(second))
        if kept.process is not None:
            starts.append(second)
            kept.process.wait()
    assert kept.exited == 3
    assert [after - before for before, after in pairwise(starts)] == [2, 4, 8, 16, 31, 31]


def test_a_campaign_that_has_moved_finds_its_media(database, tmp_path, owner):  # noqa: ARG001
    first = demo_campaign(tmp_path / "here", pictures=4)
    campaign = started(first.check())
    shutil.move(tmp_path / "here", tmp_path / "there")
    again = started(type(first).read(tmp_path / "there" / "campaign.toml").check())
    assert again.pk == campaign.pk
    assert (Path(again.folder) / again.items.first().media).exists()
    assert again.events.filter(kind="created").count() == 2
    assert (
        started(type(first).read(tmp_path / "there" / "campaign.toml").check()).events.count() == again.events.count()
    )


def test_a_campaign_that_was_built_shows_its_pairs_left_and_right_as_they_were_drawn(database, tmp_path, owner, join):  # noqa: ARG001
    made = build_pairs({"id": [f"item {number}" for number in range(12)]}, pairs=40, seed=4)
    folder = made.write(tmp_path / "set", pictures=False)
    campaign = started(Campaign.read(folder / "campaign.toml").check())
    plan(campaign)
    worker = join(campaign)
    while page := serve(worker).page:
        answer(worker, page[0].key, "left")
    rows = comparisons(campaign).to_frame().to_pylist()
    assert sorted((row["left"], row["right"]) for row in rows) == sorted(
        (row["left"], row["right"]) for row in made.to_frame().to_pylist()
    )


def test_pairs_that_are_listed_the_other_way_round_meanwhile_stand_so(database, tmp_path, owner):  # noqa: ARG001
    folder = build_pairs({"id": list("abcdefgh")}, pairs=12).write(tmp_path / "set", pictures=False)
    campaign = started(Campaign.read(folder / "campaign.toml").check())
    before, events = campaign.allowed.filter(turned=True).count(), campaign.events.count()
    assert started(Campaign.read(folder / "campaign.toml").check()).events.count() == events
    head, *rows = (folder / "pairs.csv").read_text().split()
    (folder / "pairs.csv").write_text("\n".join([head, *(row[::-1] for row in rows)]))
    started(Campaign.read(folder / "campaign.toml").check())
    assert campaign.allowed.filter(turned=True).count() == 12 - before


def test_attributes_that_are_corrected_in_the_file_are_those_that_count(database, cakes, owner):  # noqa: ARG001
    file = cakes.read_text().replace('text = "text"', 'text = "text"\nattributes = ["maker"]')
    cakes.write_text(file)
    for makers in ("xyz", "xyw"):
        rows = "".join(f"{name},{name.upper()},{maker}\n" for name, maker in zip("abc", makers, strict=True))
        (cakes.parent / "items.csv").write_text("id,text,maker\n" + rows)
        campaign = started(Campaign.read(cakes).check())
    told = campaign.items.order_by("id").values_list("attributes", flat=True)
    assert [one["maker"] for one in told] == ["x", "y", "w"]
    assert campaign.events.get(kind="items", data__has_key="attributes_changed").data == {"attributes_changed": 1}


def test_addresses_are_written_as_browsers_want_them(tmp_path):
    assert Place(tmp_path, host="::1", port=81).address == "http://[::1]:81"
    assert "[::1]" in Place(tmp_path, host="::1").environment["SIDEWISE_HOSTS"].split(",")
    assert Place(tmp_path, host="::", port=81).address == "http://127.0.0.1:81"
