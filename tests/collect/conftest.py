"""A campaign's server in this process, on both databases, each test with a database of its own."""

import os
import shutil
import tempfile
from pathlib import Path

import django
import pytest

HOME = Path(tempfile.mkdtemp(prefix="sidewise-collect-"))
os.environ.update(DJANGO_SETTINGS_MODULE="sidewise.collect.server.settings", SIDEWISE_HOME=str(HOME))
os.environ.pop("SIDEWISE_DATABASE", None)
django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.cache import cache  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connections  # noqa: E402

from sidewise.collect.campaign import Campaign as Spec  # noqa: E402
from sidewise.collect.campaign import Checked, Item  # noqa: E402
from sidewise.collect.server import jobs  # noqa: E402
from sidewise.collect.server.database import database as address_settings  # noqa: E402
from sidewise.collect.server.joining import joined  # noqa: E402
from sidewise.collect.server.models import Worker  # noqa: E402
from sidewise.collect.server.opening import change_state, create  # noqa: E402
from sidewise.collect.server.planning import plan  # noqa: E402

settings.ALLOWED_HOSTS = ["*"]
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def pytest_sessionfinish():
    shutil.rmtree(HOME, ignore_errors=True)


def point_at(address):
    """Make the default connection of every thread that of an address, from now on."""

    connections.close_all()
    connections.settings["default"] = address_settings(address, HOME)
    connections.configure_settings(connections.settings)
    if hasattr(connections._connections, "default"):
        del connections["default"]


def migrated(address):

    point_at(address)
    call_command("migrate", verbosity=0)
    connections.close_all()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory):
    path = tmp_path_factory.mktemp("template") / "template.sqlite3"
    migrated(f"sqlite://{path}")
    return path


@pytest.fixture(scope="session")
def postgres_template(quick_postgres):
    url = quick_postgres.create()
    migrated(url)
    yield url
    quick_postgres.drop(url)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    """An up-to-date database for this test alone: once SQLite, once PostgreSQL."""

    jobs._asked.clear()
    cache.clear()
    if request.param == "sqlite":
        path = tmp_path / "server.sqlite3"
        shutil.copy(request.getfixturevalue("sqlite_template"), path)
        point_at(f"sqlite://{path}")
        yield request.param
        connections.close_all()
        return
    server, template = request.getfixturevalue("quick_postgres"), request.getfixturevalue("postgres_template")
    with server.database(template) as url:
        point_at(url)
        yield request.param
        connections.close_all()


@pytest.fixture
def owner(database):  # noqa: ARG001
    return User.objects.create_user("rita", password="correct horse battery")  # noqa: S106


@pytest.fixture
def opened(owner, tmp_path):
    """Opens a campaign of texts: ``opened(items=20, serving={"overlap": 2}, …)``; its queue is filled."""

    def open_one(items=10, *, groups=1, name="cakes", fill=True, state="open", allowed=None, kind=None, **tables):
        tables = {"sampling": {"method": "random"}, **tables}
        source = {"source": "items.csv", "kind": "text", "text": "text", **(kind or {})}
        spec = Spec.from_dict(
            {"campaign": {"name": name, "question": "Which is better?"},
             "items": source, **tables}, folder=tmp_path,
        )  # fmt: skip
        those = [
            Item(f"i{n}", f"text {n}", f"g{n % groups}" if groups > 1 else None, {"system": f"s{n % 2}"})
            for n in range(items)
        ]
        campaign = create(Checked(spec, those, {}, allowed, None, ""), owner)
        if state != "draft":
            change_state(campaign, "open", by=owner)
            if fill:
                plan(campaign)
            if state != "open":
                change_state(campaign, state, by=owner)
        return campaign

    return open_one


@pytest.fixture
def join():
    """A new worker of a campaign."""

    return lambda campaign, claim="": Worker.objects.select_related("campaign").get(pk=joined(campaign, claim).pk)


@pytest.fixture(scope="session")
def campaigns(tmp_path_factory):
    """A real server with the campaigns that are written down in ``campaigns_to_browse`` (see ``parts.campaigns``)."""
    from campaigns_to_browse import write_all

    from parts.campaigns import Campaigns

    folder = tmp_path_factory.mktemp("campaigns")
    served = Campaigns(folder / "home", write_all(folder))
    with served.process:
        yield served
