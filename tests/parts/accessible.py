"""Whether a page can be used by everybody, as far as axe-core can tell."""

from itertools import chain
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

WCAG_22_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
OFF_BY_DEFAULT = ["target-size"]
"""What WCAG 2.2 adds, axe-core leaves off unless it is asked for by name."""


def violations(page: Page, *, tags: list[str], within: str | None = None) -> list[dict[str, Any]]:
    """What axe-core finds wrong in the page as it is shown now."""
    options = {
        "runOnly": {"type": "tag", "values": tags},
        "rules": {rule: {"enabled": True} for rule in OFF_BY_DEFAULT},
        "resultTypes": ["violations"],
    }
    return list(Axe().run(page, context=within, options=options).response["violations"])


def told(violation: dict[str, Any]) -> str:
    """One violation, as lines to read: the rule, then each element with what is wrong with it."""
    lines = [f"{violation['id']} ({violation['impact']}): {violation['help']}", f"  {violation['helpUrl']}"]
    for node in violation["nodes"]:
        wrong = (check["message"] for check in chain(node["any"], node["all"], node["none"]))
        lines += [f"  - {node['html'][:200]}", *(f"      {message}" for message in wrong)]
    return "\n".join(lines)


def assert_accessible(page: Page, *, within: str | None = None, also: tuple[str, ...] = ("best-practice",)) -> None:
    """Fail where the page, or the part of it that a selector names, falls short of WCAG 2.2 AA or of good practice."""
    __tracebackhide__ = True
    found = violations(page, tags=[*WCAG_22_AA, *also], within=within)
    assert not found, "\n".join([f"axe-core finds {len(found)} kinds of fault in {page.url}", *map(told, found)])
