"""The browser that pages are tested in: real, shut off from the world, and it tells on pages that misbehave."""

import http.server
import threading
from functools import partial
from pathlib import Path

import pytest

from parts.accessible import assert_accessible
from parts.browser import PHONE

pytest_plugins = ["pytester"]

GOOD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Which is better?</title><link rel="icon" href="data:,"></head><body><main><h1>Which is better?</h1>
<button style="padding: 1rem">the left one</button> <output></output></main>
<script>document.querySelector("button").onclick = () => { document.querySelector("output").value = "noted" }</script>
</body></html>"""
SMALL = "<button style='all: unset; width: 9px'>x</button>"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_arguments):
        pass


@pytest.fixture
def site(tmp_path):
    """A folder, and the address it is served at."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (tmp_path / "good.html").write_text(GOOD, encoding="utf-8")
    yield tmp_path, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def visit(pages, site, body):
    """A page of ours with ``body`` in it, and what the browser has to complain about."""
    folder, address = site
    (folder / "page.html").write_text(GOOD.replace("</main>", f"{body}</main>"), encoding="utf-8")
    page = pages()
    page.goto(f"{address}/page.html", wait_until="load")
    page.wait_for_timeout(100)
    found = pages.watch.unexpected()
    pages.watch.allow(".")
    return page, found


def test_a_good_page_can_be_used_and_passes(browser_page, site):
    browser_page.goto(f"{site[1]}/good.html")
    browser_page.get_by_role("button").click()
    assert browser_page.locator("output").inner_text() == "noted"
    assert_accessible(browser_page)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("<script>console.error('no such task')</script>", "console error: no such task"),
        ("<script>setTimeout(() => { throw new Error('lost') })</script>", "uncaught in the page: lost"),
        ("<img src='missing.png' alt=''>", "status of 404"),
        ("<img src='http://127.0.0.1:1/x.png' alt=''>", "request failed: GET http://127.0.0.1:1/x.png"),
        ("<script src='https://cdn.example/htmx.js'></script>", "from elsewhere: GET https://cdn.example/htmx.js"),
        ("<img src='http://93.184.215.14/pixel.gif' alt=''>", "from elsewhere: GET http://93.184.215.14/pixel.gif"),
    ],
)
def test_a_page_that_misbehaves_is_told_on(open_page, site, body, complaint):
    _, found = visit(open_page, site, body)
    assert any(complaint in line for line in found), found


def test_nothing_is_reached_outside_of_this_machine(open_page, site):
    """Not even by number: whether or not the machine has a network, the name never resolves."""
    _, found = visit(open_page, site, "<script>fetch('http://93.184.215.14/').catch(() => 0)</script>")
    assert any("net::ERR_NAME_NOT_RESOLVED" in line for line in found), found


def test_pages_do_not_share_cookies_and_can_be_a_phone_or_without_scripts(open_page, site):
    first, second = open_page(**PHONE), open_page(java_script_enabled=False)
    for page in (first, second):
        page.goto(f"{site[1]}/good.html")
    first.evaluate("document.cookie = 'worker=ann'")
    assert first.evaluate("innerWidth") == 360
    assert not second.context.cookies()
    second.get_by_role("button").click()
    assert second.locator("output").inner_text() == ""


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>", "image-alt"),
        ("<p style='color: #999; background: #fff'>not easy to read</p>", "color-contrast"),
        (f"<p>{SMALL}{SMALL}</p>", "target-size"),
    ],
)
def test_what_not_everybody_can_use_is_found(open_page, site, body, rule):
    page, _ = visit(open_page, site, body)
    with pytest.raises(AssertionError, match=rf"finds 1 kinds of fault .*\n{rule} "):
        assert_accessible(page)


FAILING = """
def test_that_complains(browser_page):
    browser_page.set_content("<script>console.error('no such task')</script>")

def test_that_fails_by_itself(browser_page):
    browser_page.set_content("<h1>hello</h1>")
    assert browser_page.title() == "another"

def test_that_allows_it(browser_page, open_page):
    open_page.watch.allow("no such task")
    browser_page.set_content("<script>console.error('no such task')</script>")
"""


@pytest.fixture
def pytest_inside(pytester, monkeypatch):
    """Runs pytest in a process of its own, with our parts and nothing else."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return partial(pytester.runpytest_subprocess, "-p", "parts.fixtures", "-p", "no:cacheprovider", "-rs")


def test_a_test_fails_with_a_picture_when_its_page_complains(pytester, pytest_inside, monkeypatch, tmp_path):
    monkeypatch.setenv("SIDEWISE_SCREENSHOTS", str(tmp_path / "pictures"))
    pytester.makepyfile(FAILING)
    done = pytest_inside()
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(["the browser complains:", "console error: no such task*"])
    assert len(list((tmp_path / "pictures").glob("*.png"))) == 2


def test_a_missing_part_skips_but_fails_in_ci(pytester, pytest_inside, monkeypatch):
    """With nothing on the path, as on a machine without Chromium."""
    pytester.makepyfile("def test_page(browser_page): pass")
    monkeypatch.setenv("PATH", str(pytester.path))
    for ci, outcome in (("", {"skipped": 1}), ("true", {"errors": 1})):
        monkeypatch.setenv("CI", ci)
        done = pytest_inside()
        done.assert_outcomes(**outcome)
        done.stdout.fnmatch_lines(["*Chromium is missing: `make parts` or `apt-get install chromium` installs it*"])
