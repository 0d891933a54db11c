"""The parts as fixtures of pytest; each says in its docstring what a test gets."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from parts.missing import without


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


@pytest.fixture(scope="module")
def module_postgres_url(postgres) -> Iterator[str]:
    """The ``postgresql://…`` of a database that is empty when the module's first test asks for it."""
    with postgres.database() as url:
        yield url
