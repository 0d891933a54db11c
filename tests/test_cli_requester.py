"""Requesters from the command line: added, with a password or a token that work, and refused in words."""

import subprocess
import sys

import pytest

SERVER = """
import sys
from pathlib import Path
from sidewise.collect.running import Place, set_up
set_up(Place(Path(sys.argv[1])))
from django.test import Client
from sidewise.collect.server.starting import first_requester
first_requester()
from django.conf import settings
settings.ALLOWED_HOSTS = ["*"]
client = Client()
for line in sys.argv[2:]:
    kind, _, rest = line.partition(" ")
    if kind == "login":
        name, _, password = rest.partition(" ")
        print(client.post("/login", {"username": name, "password": password}).status_code)
    if kind == "token":
        print(client.get("/api/campaigns", headers={"Authorization": f"Bearer {rest}"}).status_code)
"""


def run(*words):
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, check=False)  # noqa: S603


@pytest.fixture
def home(tmp_path):
    done = run("-c", SERVER, tmp_path / "server")
    assert done.returncode == 0, done.stderr
    return tmp_path / "server"


def sidewise(*words):
    return run("-m", "sidewise.cli", "requester", *words)


def asked(home, *lines):
    done = run("-c", SERVER, home, *lines)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_requester_is_added_logs_in_and_has_tokens(home):
    password = sidewise("add", "rita", "--home", home).stdout.strip()
    token = sidewise("token", "rita", "--home", home).stdout.strip()
    assert asked(home, "login rita wrong", f"login rita {password}", f"token {token}", "token x") == [
        "200", "302", "200", "401",
    ]  # fmt: skip


def test_a_new_password_replaces_the_old_one_and_its_file(home):
    old = (home / "password.txt").read_text().strip()
    new = sidewise("password", "requester", "--home", home).stdout.strip()
    assert not (home / "password.txt").exists()
    assert asked(home, f"login requester {old}", f"login requester {new}") == ["200", "302"]


@pytest.mark.parametrize(("words", "said"), [
    (("password", "nobody"), "there is no requester 'nobody'; there are: requester"),
    (("add", "requester"), "there is a requester 'requester' already"),
    (("add", "a b"), "'a b' is no name for a requester"),
])  # fmt: skip
def test_what_cannot_be_is_said(home, words, said):
    done = sidewise(*words, "--home", home)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


def test_where_no_server_lives_nothing_is_made(tmp_path):
    done = sidewise("add", "rita", "--home", tmp_path / "nowhere")
    assert done.returncode == 2
    assert "no server lives in" in done.stderr
    assert not (tmp_path / "nowhere").exists()
