"""The files that a campaign names: where they are, and what those about queries, pairs and workers say."""

from collections.abc import Iterator
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sidewise.collect.campaign.items import Item
from sidewise.collect.campaign.rows import Rows, read_rows
from sidewise.names import NAME, NAME_CURE, UNSTORABLE

if TYPE_CHECKING:
    from sidewise.collect.campaign.campaign import Campaign

LONGEST_QUERY, LONGEST_DESCRIPTION = 20_000, 20_000
Pair = tuple[str, str]


class Query(NamedTuple):
    """What stands above the items of a group."""

    id: str
    query: str
    description: str


def found_file(folder: Path, name: str) -> Path | str:
    """A file or folder inside a folder, or what is wrong with it; links are followed first."""
    path = folder / name
    if not path.exists():
        near = get_close_matches(path.name, [other.name for other in _beside(path)], 1, 0.85)
        return f"{name!r} is not there" + (
            f"; did you mean {near[0]}?" if near else f"; it should be in {folder.resolve()}"
        )
    if not path.resolve().is_relative_to(folder.resolve()):
        return f"{name!r} is a link that leaves the campaign's folder; copy it there"
    return path


def _beside(path: Path) -> Iterator[Path]:
    return path.parent.iterdir() if path.parent.is_dir() else iter(())


def queries_of(campaign: "Campaign", path: Path, items: list[Item]) -> tuple[dict[str, Query], Rows]:
    """The queries by id: each once, and one for every group of the items."""
    asked = campaign.search
    assert asked is not None
    assert asked.queries is not None
    rows = read_rows(path, asked.queries)
    ids, texts = rows.texts(asked.id, "search", "id"), rows.texts(asked.query, "search", "query")
    told = rows.column(asked.description, "search", "description", needed=asked.description != "description")
    if rows.problems:
        return {}, rows
    found: dict[str, Query] = {}
    for row, (name, text, more) in enumerate(zip(ids, texts, told or [""] * len(ids), strict=True)):
        for what in _query_troubles(name, text, more, found):
            rows.add(what, row)
        found[name] = Query(name, text, more or "")
    for group in dict.fromkeys(item.group for item in items):
        if group not in found:
            rows.add(f"it has no query {group!r}, which is the group of an item; add it")
    return found, rows


def _query_troubles(name: str, text: str, more: object, found: dict[str, Query]) -> Iterator[str]:
    if NAME.fullmatch(name) is None:
        yield f"the id is {name[:60]!r}; {NAME_CURE}"
    elif name in found:
        yield f"the query {name!r} stands in the table already; take one out"
    if not text.strip() or len(text) > LONGEST_QUERY:
        yield f"the query has {len(text.strip()):,} characters; it has one at least and {LONGEST_QUERY:,} at most"
    if UNSTORABLE.search(f"{text}{more}"):
        yield "there is a character that is none in it; take it out"
    if not isinstance(more, str | None) or len(more or "") > LONGEST_DESCRIPTION:
        yield f"the description is a text of at most {LONGEST_DESCRIPTION:,} characters"


def pairs_of(path: Path, name: str, items: list[Item]) -> tuple[list[Pair], Rows]:
    """The pairs that may be asked: of two items that there are, in one group, each pair once."""
    rows = read_rows(path, name)
    sides = [rows.texts(side, "sampling", "allowed") if side in rows.columns else [] for side in ("left", "right")]
    if not rows.problems and not all(sides):
        rows.add(f"the columns should be left and right; there are: {', '.join(rows.columns)}")
    if rows.problems:
        return [], rows
    groups = {item.id: item.group for item in items}
    seen: set[Pair] = set()
    for row, (left, right) in enumerate(zip(*sides, strict=True)):
        pair = (left, right) if left < right else (right, left)
        if (what := _pair_trouble(left, right, groups)) or pair in seen:
            rows.add(what or f"the pair {left!r}, {right!r} stands in the table already; take one out", row)
        seen.add(pair)
    return list(zip(*sides, strict=True)), rows


def _pair_trouble(left: str, right: str, groups: dict[str, str | None]) -> str | None:
    for item in (left, right):
        if item not in groups:
            return f"there is no item {item!r}; add it to the items or take the pair out"
    if left == right:
        return f"{left!r} is paired with itself; take it out"
    if groups[left] != groups[right]:
        return f"{left!r} and {right!r} are of different groups, {groups[left]!r} and {groups[right]!r}; take it out"
    return None


def workers_of(path: Path, name: str) -> tuple[list[str], Rows]:
    """The invited workers, each once."""
    rows = _line_rows(path, name) if path.suffix.lower() == ".txt" else read_rows(path, name)
    workers = rows.texts("worker", "access", "workers") if "worker" in rows.columns or not rows.columns else []
    if rows.columns and "worker" not in rows.columns:
        rows.add(f"it has no column worker; there are: {', '.join(rows.columns)}")
    seen: set[str] = set()
    for row, worker in enumerate(workers):
        if NAME.fullmatch(worker) is None:
            rows.add(f"{worker[:60]!r} is no id; {NAME_CURE}", row)
        elif worker in seen:
            rows.add(f"the worker {worker!r} is invited already; take one out", row)
        seen.add(worker)
    return workers, rows


def _line_rows(path: Path, name: str) -> Rows:
    """One worker a line; blank lines are none."""
    rows = Rows(name)
    try:
        told = path.read_text(encoding="utf-8-sig").split("\n")
    except (UnicodeDecodeError, OSError):
        rows.add("it cannot be read as UTF-8 text; save it as UTF-8")
        return rows
    kept = [(line, text.rstrip("\r")) for line, text in enumerate(told, 1) if text.strip()]
    rows.columns, rows.lines = {"worker": [text for _, text in kept]}, [line for line, _ in kept]
    if not kept:
        rows.add("it names nobody; write one worker a line")
    return rows


def unpaired(pairs: list[Pair], items: list[Item]) -> list[str]:
    """Items that no pair has."""
    paired = set(chain.from_iterable(pairs))
    return [item.id for item in items if item.id not in paired]
