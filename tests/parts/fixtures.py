"""The parts as fixtures of pytest; each says in its docstring what a test gets."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from parts.missing import without

SCREENSHOTS = Path(os.environ.get("SIDEWISE_SCREENSHOTS", Path(__file__).parents[2] / "test-screenshots"))
"""Where the pages of tests that failed are to be seen."""


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run of pytest share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def serve_postgres(folder: Path, *, quick: bool):
    """A PostgreSQL that all processes of this run share."""
    from parts import postgres

    if not postgres.installed():
        without("PostgreSQL", "postgresql")
    with postgres.serving(folder, quick=quick) as server:
        yield server


@pytest.fixture(scope="session")
def postgres(shared_folder: Path):
    """A PostgreSQL with the settings of production (see ``parts.postgres.Postgres``)."""
    yield from serve_postgres(shared_folder, quick=False)


@pytest.fixture(scope="session")
def quick_postgres(shared_folder: Path):
    """A PostgreSQL that does not wait for the disk: for tests that do not ask what survives."""
    yield from serve_postgres(shared_folder, quick=True)


@pytest.fixture
def postgres_url(postgres) -> Iterator[str]:
    """The ``postgresql://…`` of an empty database for this test alone."""
    with postgres.database() as url:
        yield url


@pytest.fixture
def killable_postgres():
    """A PostgreSQL of this test's own, to be killed (see ``parts.postgres.Killable``)."""
    from parts import postgres

    if not postgres.installed():
        without("PostgreSQL", "postgresql")
    with postgres.killable() as server:
        yield server


@pytest.fixture(scope="module")
def module_postgres_url(postgres) -> Iterator[str]:
    """The ``postgresql://…`` of a database that is empty when the module's first test asks for it."""
    with postgres.database() as url:
        yield url


@pytest.fixture(scope="module")
def browser():
    """A Chromium without a window, for a module: while it runs no other event loop can run in this thread."""
    from parts import browser

    if browser.program() is None:
        without("Chromium", "chromium")
    with browser.chromium() as running:
        yield running


@pytest.fixture
def open_page(browser):
    """Opens pages, each with cookies of its own (see ``parts.browser.Pages``); a page that complains fails the test."""
    from parts.browser import Pages

    pages = Pages(browser)
    yield pages
    pages.close()


@pytest.fixture
def browser_page(open_page):
    """One page, watched."""
    return open_page()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item):
    """When a test has done, see whether its pages complained."""
    result = yield
    if pages := getattr(item, "funcargs", {}).get("open_page"):
        pages.check()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """Take pictures of the pages of a test that failed."""
    report = yield
    pages = getattr(item, "funcargs", {}).get("open_page")
    if pages and call.when == "call" and report.failed:
        taken = pages.photograph(SCREENSHOTS, item.nodeid)
        report.sections.append(("screenshots", "\n".join(map(str, taken))))
    return report
