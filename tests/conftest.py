import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data():
    """The folder of real data sets, named by SIDEWISE_DATA; tests that need one skip where it is absent."""
    folder = os.environ.get("SIDEWISE_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("SIDEWISE_DATA names no folder of data sets")
    return Path(folder)
