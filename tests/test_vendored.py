"""Code of others that we serve is what was published, and its licence is beside it."""

import hashlib
import re
from pathlib import Path

import pytest

VENDOR = Path(__file__).parents[1] / "src" / "sidewise" / "collect" / "server" / "static" / "sidewise" / "vendor"
ROW = re.compile(r"^\| `(?P<file>[^`]+)` \|.*\(`(?P<licence>[^`]+)`\).*\| `(?P<digest>[0-9a-f]{64})` \|$", re.MULTILINE)
LISTED = {row["file"]: row for row in ROW.finditer((VENDOR / "VENDORED.md").read_text(encoding="utf-8"))}


def test_all_that_lies_there_is_listed():
    lying = {path.relative_to(VENDOR).as_posix() for path in VENDOR.rglob("*") if path.is_file()}
    assert lying == {"VENDORED.md", *LISTED, *(row["licence"] for row in LISTED.values())}


@pytest.mark.parametrize("file", LISTED)
def test_it_is_what_was_published(file):
    assert hashlib.sha256((VENDOR / file).read_bytes()).hexdigest() == LISTED[file]["digest"]


def test_htmx_is_the_version_that_is_written_down():
    """The second check of the same thing: the file says its version itself."""
    said = re.search(r'version:"([0-9.]+)"', (VENDOR / "htmx.min.js").read_text(encoding="utf-8"))[1]
    assert f"| {said} |" in LISTED["htmx.min.js"][0]
