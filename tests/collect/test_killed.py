"""Kill -9 at any moment, start again: whatever was acknowledged is there, once, and the campaign goes on to its end."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parts.books import Books, check, check_acknowledged, until
from parts.campaigns import written
from parts.process import Process, free_port, living
from parts.stubborn import Stubborn, working

OVERLAP = 2


class Live:
    """``sidewise serve`` with one campaign of texts, in a process of its own."""

    def __init__(self, folder, url=None, items=16, **tables):
        tables = {"serving": {"overlap": OVERLAP}, "sampling": {"method": "random", "batch": 40}, **tables}
        about = {"campaign": {"name": "cakes", "question": "Which is better?"},
                 "items": {"source": "items.csv", "kind": "text", "text": "text"}}  # fmt: skip
        rows = "".join(f"i{n},text {n}\n" for n in range(items))
        self.file = written(folder / "campaign", {**about, **tables}, {"items.csv": f"id,text\n{rows}"})
        self.books, self.port, self.workers = Books(folder / "home", url), free_port(), []
        command = [sys.executable, "-m", "sidewise.cli", "serve", str(self.file), "--home", str(folder / "home")]
        command += ["--port", str(self.port), *(["--database", url, "--processes", "2"] if url else [])]
        self.process = Process(command, port=self.port, log=folder / "log", path="/alive")

    def worker(self):
        self.workers.append(Stubborn(self.port, "cakes"))
        return self.workers[-1].join()


@pytest.fixture(params=["sqlite", "postgres"])
def live(request, tmp_path):
    """Starts such a server on either database: ``with live(items=8, …) as server``."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    made = []
    yield lambda **tables: made.append(Live(tmp_path, url, **tables)) or made[-1]
    for worker in (worker for server in made for worker in server.workers):
        worker.connection.close()


@pytest.mark.parametrize(("live", "budget"), [("sqlite", None), ("postgres", 151)], indirect=["live"])
def test_no_acknowledged_answer_is_lost_however_often_the_server_is_killed(live, budget):
    server, chance = live(**({} if budget is None else {"budget": {"answers": budget}})), random.Random(7)  # noqa: S311
    with server.process as process, working(server.port, "cakes", workers=6) as said:
        for least in (10, 60, 110):  # so that there is work in progress, however fast or slow the machine is
            until(lambda least=least: len(said.acknowledged) >= least)
            with process.killed_within(0.0, 0.1, chance):
                pass
            check_acknowledged(server.books, dict(said.acknowledged))
    assert said.resent, "no worker has met a server that was gone"
    check_acknowledged(server.books, said.acknowledged)
    check(server.books, OVERLAP)
    assert server.books.states() == {"answered": budget or OVERLAP * 16 * 15 // 2}
    finished = "every pair has been asked" if budget is None else "the budget is spent"
    assert server.books.one("SELECT finished FROM collect_campaign") == finished


def test_no_acknowledged_answer_is_lost_when_the_database_itself_is_killed(killable_postgres, tmp_path):
    server, chance = Live(tmp_path, killable_postgres.url), random.Random(7)  # noqa: S311
    with server.process as process, working(server.port, "cakes", workers=6) as said:
        started = process.process.pid
        for least in (10, 110):
            until(lambda least=least: len(said.acknowledged) >= least)
            time.sleep(chance.uniform(0.0, 0.1))
            killable_postgres.kill()
            killable_postgres.start()
            check_acknowledged(server.books, dict(said.acknowledged))
    assert said.resent
    check_acknowledged(server.books, said.acknowledged)
    check(server.books, OVERLAP)
    assert server.books.states() == {"answered": OVERLAP * 16 * 15 // 2}
    assert living(started) == [], "the server did not outlive its database"


def test_leases_run_out_while_the_server_is_away_and_late_answers_are_kept_and_marked(live):
    server = live(items=2, serving={"preload": 0, "overlap": 1})
    with server.process as process:
        slow = server.worker()
        (task,) = until(lambda: slow.tasks()["tasks"])
        process.kill()
        server.books.do("UPDATE collect_assignment SET expires_at = leased_at")  # as time would have it
        process.start()
        quick = server.worker()
        (same,) = until(lambda: quick.tasks()["tasks"])
        assert quick.answer(same["key"], "left")["state"] == "answered"
        assert slow.answer(task["key"], "right")["state"] == "surplus"
        assert slow.answer(task["key"], "right")["again"]
    assert set(server.books.kept().values()) == {("left", "answered"), ("right", "surplus")}
    check(server.books, overlap=1)


@pytest.mark.parametrize("live", ["sqlite"], indirect=True)
def test_a_ranking_that_the_kill_prevented_is_made_after_the_start(live):
    server = live(items=4)
    with server.process as process:
        worker = server.worker()
        for _ in range(6):
            (task,) = until(lambda: worker.tasks()["tasks"])
            worker.answer(task["key"], "left", next=False)
        process.kill()
        ranked = "SELECT answers FROM collect_standing ORDER BY id DESC LIMIT 1"
        assert server.books.one(ranked) != 6
        process.start()
        until(lambda: server.books.one(ranked) == 6)


@pytest.mark.parametrize("live", ["sqlite"], indirect=True)
def test_planning_that_was_killed_is_begun_again_by_the_strategy(live):
    """The process of the jobs alone is killed, so that nobody starts the server anew."""
    server = live(items=300, sampling={"method": "asap", "batch": 200})
    running = "SELECT count(*) FROM django_tasks_database_dbtaskresult WHERE status = 'RUNNING'"
    with server.process as process:
        until(lambda: server.books.one(running))
        (jobs,) = [pid for pid in living(process.process.pid) if b"server.working\0default" in command_of(pid)]
        os.kill(jobs, signal.SIGKILL)
        assert not server.books.one("SELECT count(*) FROM collect_task"), "it was too late to kill it"
        until(lambda: server.books.one("SELECT count(*) FROM collect_task WHERE planned_by = 'asap'"))


@pytest.mark.parametrize("live", ["sqlite"], indirect=True)
def test_a_first_start_that_was_killed_at_any_moment_can_be_made_again(live):
    server, chance = live(items=4), random.Random(11)  # noqa: S311
    for _ in range(3):
        started = subprocess.Popen(server.process.command, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)  # noqa: S603
        time.sleep(chance.uniform(0.5, 3.0))
        started.kill()
        started.wait()
    with server.process:
        worker = server.worker()
        until(lambda: worker.tasks()["tasks"])


@pytest.mark.parametrize("live", ["sqlite"], indirect=True)
def test_a_server_that_was_killed_can_be_started_again_at_once(live):
    """Its web server is at the door for two seconds more when a browser has kept a connection open."""
    server = live(items=4)
    with server.process as first:
        server.worker().tasks()
        first.process.kill()
        first.process.wait()
        second = subprocess.Popen(server.process.command, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)  # noqa: S603
        try:
            until(lambda: not living(first.process.pid))
            until(lambda: server.worker().tasks()["tasks"])
            assert second.poll() is None
        finally:
            second.terminate()
            second.wait()


def command_of(pid):
    return Path(f"/proc/{pid}/cmdline").read_bytes()
