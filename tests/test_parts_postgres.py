"""The throw-away PostgreSQL: real, shared, fresh for each test, and gone when its users are, however they end."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from parts.postgres import serving

pytestmark = pytest.mark.usefixtures("postgres")  # which skips where there is none

HOLDER = """
import sys, time
from pathlib import Path
from parts.postgres import serving
with serving(Path(sys.argv[1]), quick=True) as server:
    print(server.url, flush=True)
    time.sleep(600)
"""


def holder(folder):
    """A process that holds the database of ``folder``, and the URL it was told."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, "-c", HOLDER, str(folder)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)  # noqa: S603
    return process, process.stdout.readline().strip()


def end(process, signal_):
    process.send_signal(signal_)
    process.communicate()


def alive(url):
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def ends(url, seconds=20):
    limit = time.monotonic() + seconds
    while alive(url) and time.monotonic() < limit:
        time.sleep(0.05)
    return not alive(url)


def setting(url, name):
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT current_setting(%s)", [name]).fetchone()[0]


def test_it_is_as_in_production_unless_asked_to_be_quick(postgres, quick_postgres):
    for name in ("fsync", "synchronous_commit", "full_page_writes"):
        assert (setting(postgres.url, name), setting(quick_postgres.url, name)) == ("on", "off")


def test_it_does_not_run_as_root_and_listens_only_to_this_machine(postgres):
    assert setting(postgres.url, "listen_addresses") == "127.0.0.1"
    folder = Path(setting(postgres.url, "data_directory"))
    assert folder.stat().st_uid != 0


def test_nobody_gets_in_without_the_password(postgres):
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(postgres.url.replace("://sidewise:", "://sidewise:no"))


@pytest.mark.parametrize("_again", range(2))
def test_every_test_has_an_empty_database(postgres_url, _again):
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT count(*) FROM pg_stat_user_tables").fetchone() == (0,)
        connection.execute("CREATE TABLE answers (id int)")


def test_a_database_can_start_as_a_copy_and_goes_though_somebody_is_connected(quick_postgres):
    with quick_postgres.database() as first:
        with psycopg.connect(first) as connection:
            connection.execute("CREATE TABLE answers AS SELECT 7 AS id")
        with quick_postgres.database(template=first) as second:
            still_open = psycopg.connect(second)
            assert still_open.execute("SELECT id FROM answers").fetchone() == (7,)
    assert not alive(second)
    still_open.close()


@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGKILL])
def test_it_is_shared_and_ends_with_the_last_of_its_users_however_that_ends(postgres, tmp_path, signal_):
    first, url = holder(tmp_path)
    second, same = holder(tmp_path)
    data = Path(setting(url, "data_directory"))
    assert same == url != postgres.url
    end(first, signal_)
    time.sleep(0.3)
    assert alive(url)
    end(second, signal_)
    assert ends(url)
    limit = time.monotonic() + 10
    while data.parent.exists() and time.monotonic() < limit:
        time.sleep(0.05)
    assert not data.parent.exists()


def test_one_who_comes_after_the_end_gets_a_new_one(tmp_path):
    urls = []
    for _ in range(2):
        with serving(tmp_path, quick=True) as server:
            assert alive(server.url)
            urls.append(server.url)
        assert ends(server.url)
    assert urls[0] != urls[1]


def test_it_ends_when_its_keeper_is_killed(tmp_path):
    with serving(tmp_path, quick=True) as server:
        data = Path(setting(server.url, "data_directory"))
        postmaster = int((data / "postmaster.pid").read_text().split()[0])
        status = Path(f"/proc/{postmaster}/status").read_text()
        os.kill(int(status.split("PPid:")[1].split()[0]), signal.SIGKILL)
        assert ends(server.url)
        limit = time.monotonic() + 20
        while (data / "postmaster.pid").exists() and time.monotonic() < limit:  # it refuses before it is gone
            time.sleep(0.05)
    shutil.rmtree(data.parent)
