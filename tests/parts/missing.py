"""What to do where a part is not installed: skip the test and say so, but never in CI."""

import os
from typing import NoReturn

import pytest


def in_ci() -> bool:
    """Whether this is a run where nothing may be skipped."""
    return os.environ.get("CI", "").lower() not in {"", "0", "no", "false"}


def without(what: str, package: str) -> NoReturn:
    """End the test for want of a part: skipped with the cure, failed in CI."""
    told = f"{what} is missing: `make parts` or `apt-get install {package}` installs it"
    if in_ci():
        pytest.fail(f"{told} (nothing is skipped in CI)", pytrace=False)
    pytest.skip(told)
