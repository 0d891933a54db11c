"""A real server with several small campaigns, for tests in a browser: web process, jobs, SQLite, all as served."""

import json
import sqlite3
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from parts.process import Process, free_port

START = """
import sys
from pathlib import Path
from sidewise.cli.serve import _opened
from sidewise.collect.running import Place, listening, run, set_up
place = Place(Path(sys.argv[1]), port=int(sys.argv[2]))
with listening(place) as door:
    set_up(place)
    for path in sys.argv[3:]:
        _opened(Path(path), None)
    run(place, door)
"""


def written(folder: Path, tables: Mapping[str, Mapping[str, Any]], files: Mapping[str, str]) -> Path:
    """A campaign file in a folder of its own, with the files that it names."""
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    lines = []
    for table, keys in tables.items():
        lines += [f"[{table}]", *(f"{key} = {_toml(value)}" for key, value in keys.items())]
    (folder / "campaign.toml").write_text("\n".join(lines), encoding="utf-8")
    return folder / "campaign.toml"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    return json.dumps(value)


class Campaigns:
    """A server, and what a test asks it: the log and the answers, read from the database beside it."""

    def __init__(self, home: Path, files: Iterable[Path]) -> None:
        self.home, port = home, free_port()
        command = [sys.executable, "-c", START, str(home), str(port), *map(str, files)]
        self.process = Process(command, port=port, log=home.parent / "server.log", path="/alive")

    @property
    def url(self) -> str:
        """Where it is."""
        return self.process.url

    def begin(self, page: Page, name: str) -> Page:
        """Join an open campaign, and wait for the first task."""
        page.goto(f"{self.url}/c/{name}/")
        page.get_by_role("button", name="Begin").click()
        page.locator(".task.current").wait_for()
        return page

    def log_in(self, page: Page) -> Page:
        """As the requester."""
        page.goto(f"{self.url}/login")
        page.get_by_label("Name").fill("requester")
        page.get_by_label("Password").fill((self.home / "password.txt").read_text().strip())
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("heading", name="Campaigns").wait_for()
        return page

    def ask(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Read from the database."""
        with sqlite3.connect(f"file:{self.home / 'sidewise.sqlite3'}?mode=ro", uri=True, timeout=10) as database:
            return database.execute(query, values).fetchall()

    def until(self, query: str, *values: Any, seconds: float = 30.0) -> None:
        """Wait until there is an answer to this."""
        end = time.monotonic() + seconds
        while not self.ask(query, *values):
            assert time.monotonic() < end, f"in {seconds:g} s there was no answer to: {query} {values}"
            time.sleep(0.1)

    def events(self, name: str, kind: str) -> list[dict[str, Any]]:
        """What was logged of a kind in a campaign, the oldest first."""
        query = """SELECT e.data FROM collect_event e JOIN collect_campaign c ON c.id = e.campaign_id
                   WHERE c.name = ? AND e.kind = ? ORDER BY e.id"""
        return [json.loads(data) for (data,) in self.ask(query, name, kind)]

    def count(self, name: str, kind: str, least: int, seconds: float = 15.0) -> int:
        """How many there are of a kind, once there are so many."""
        end = time.monotonic() + seconds
        while (found := len(self.events(name, kind))) < least and time.monotonic() < end:
            time.sleep(0.05)
        return found
