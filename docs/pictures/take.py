"""Take the pictures of live collection that README and docs show: ``make pictures``.

A campaign of generated pictures is served, a simulated crowd answers it, and a browser looks at both sides. It needs
Chromium (``make parts``).
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from parts.browser import chromium  # noqa: E402
from parts.process import Process, free_port  # noqa: E402

SIDEWISE = [sys.executable, "-m", "sidewise.cli"]
CROWD = ["--workers", "12", "--answers", "420", "--think", "0", "0.1", "--quiet"]
WIDE = {"viewport": {"width": 1100, "height": 790}}


def sidewise(*words: str) -> None:
    """Run a command to its end."""
    subprocess.run([*SIDEWISE, *words], check=True)  # noqa: S603


def worker(browser: Browser, url: str) -> Page:
    """What a worker sees after two answers."""
    page = browser.new_page(**WIDE)
    page.goto(f"{url}/c/dots/")
    page.get_by_role("button", name="Begin").click()
    for _ in range(2):
        key = page.locator(".task.current input[name=key]").input_value()
        page.wait_for_timeout(600)
        page.keyboard.press("1")
        page.wait_for_function("key => document.querySelector('.task.current input').value !== key", arg=key)
    page.wait_for_timeout(800)
    return page


def dashboard(browser: Browser, url: str, password: str) -> Page:
    """What the requester sees: the upper part, down to the first tiers."""
    page = browser.new_page(**WIDE)
    page.goto(f"{url}/campaigns/dots/")
    page.get_by_label("Name").fill("requester")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.locator(".ranking").wait_for()
    page.wait_for_timeout(4000)  # until the ranking knows the last answers
    return page


def main() -> None:
    """Serve, answer, look."""
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        sidewise("campaign", "new", str(folder / "dots"), "--kind", "dots")
        serve = [*SIDEWISE, "serve", str(folder / "dots" / "campaign.toml"), "--port", str(port)]
        with Process(serve, port=port, log=folder / "log", path="/alive") as server, chromium() as browser:
            sidewise("simulate", "crowd", "--server", server.url, "--campaign", "dots", *CROWD)
            worker(browser, server.url).screenshot(path=HERE / "worker.png")
            password = (folder / "dots" / "output" / "password.txt").read_text().strip()
            dashboard(browser, server.url, password).screenshot(path=HERE / "dashboard.png")


if __name__ == "__main__":
    main()
