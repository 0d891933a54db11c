"""A real browser: Debian's Chromium, driven by Playwright, that can reach this machine and nothing else.

Pages are watched: an error on the console, an exception, a request that fails or that asks for anything from elsewhere
fails the test. A test that means it says so: ``open_page.watch.allow("404")``.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, WebError, sync_playwright

HERE = ("127.0.0.1", "localhost")
PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
"""A small phone: ``open_page(**PHONE)``."""
PATIENCE = 15_000.0
"""Milliseconds that Playwright waits for anything before it gives up."""


def program() -> str | None:
    """Where Chromium is, if it is."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def options_of_chromium() -> list[str]:
    """No name but this machine's resolves; no sandbox for root, who cannot have one; no /dev/shm, often small."""
    only_here = "MAP * ~NOTFOUND , " + " , ".join(f"EXCLUDE {name}" for name in HERE)
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return [*sandbox, "--disable-dev-shm-usage", "--disable-gpu", f"--host-resolver-rules={only_here}"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window.

    Playwright leaves an event loop running in this thread until the end. Django sees it and refuses to touch the
    database, though nothing here is asynchronous: it is told so meanwhile.
    """
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = playwright.chromium.launch(executable_path=program(), args=options_of_chromium())
        yield browser
        browser.close()


class Watch:
    """What went wrong in pages, as lines to read."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self.allowed: list[str] = []

    def allow(self, pattern: str) -> None:
        """Let complaints pass, from now on and before, in which this pattern is found; ``"."`` lets all pass."""
        self.allowed.append(pattern)

    def unexpected(self) -> list[str]:
        """The complaints that nothing allows."""
        return [line for line in self.complaints if not any(re.search(pattern, line) for pattern in self.allowed)]

    def over(self, context: BrowserContext) -> None:
        """Watch all pages of a context."""
        context.on("console", self.console)
        context.on("weberror", self.error)
        context.on("request", self.request)
        context.on("requestfailed", self.failed)

    def console(self, message: ConsoleMessage) -> None:
        """The browser or a script reported an error."""
        if message.type == "error":
            self.complaints.append(f"console error: {message.text} ({message.location.get('url', '')})")

    def error(self, error: WebError) -> None:
        """A script raised what nobody caught."""
        self.complaints.append(f"uncaught in the page: {error.error}")

    def request(self, request: Request) -> None:
        """A page asked for something: it may be of this machine, or part of the page itself."""
        where = urlsplit(request.url)
        if where.scheme in {"http", "https", "ws", "wss"} and where.hostname not in HERE:
            self.complaints.append(f"asked for something from elsewhere: {request.method} {request.url}")

    def failed(self, request: Request) -> None:
        """A request got no answer; one that the browser gave up itself, as when it leaves a page, is no failure."""
        if request.failure != "net::ERR_ABORTED":
            self.complaints.append(f"request failed: {request.method} {request.url}: {request.failure}")


class Pages:
    """Pages of one test: each call opens one with cookies of its own, as another person's browser would."""

    def __init__(self, browser: Browser) -> None:
        self.browser, self.watch = browser, Watch()
        self.contexts: list[BrowserContext] = []

    def __call__(self, **options: Any) -> Page:
        """Open a page; options as of Playwright's ``new_context``: ``java_script_enabled=False``, ``**PHONE`` …"""
        context = self.browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        self.watch.over(context)
        self.contexts.append(context)
        return context.new_page()

    def open(self) -> list[Page]:
        """The pages that are open."""
        return [page for context in self.contexts for page in context.pages if not page.is_closed()]

    def check(self) -> None:
        """Fail the test where a page complained."""
        for page in self.open():
            page.wait_for_timeout(20)  # what has happened by now is told only when Playwright gets to listen
        if found := self.watch.unexpected():
            pytest.fail("\n".join(["the browser complains:", *found]), pytrace=False)

    def photograph(self, folder: Path, name: str) -> list[Path]:
        """Take a picture of every open page."""
        folder.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"[^\w.-]+", "_", name).strip("_")[-150:]
        paths = [folder / f"{stem}-{number}.png" for number, _ in enumerate(self.open(), 1)]
        for page, path in zip(self.open(), paths, strict=True):
            page.screenshot(path=path, full_page=True)
        return paths

    def close(self) -> None:
        """Close all."""
        for context in self.contexts:
            context.close()
