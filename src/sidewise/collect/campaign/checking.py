"""Whether the tables of a campaign are what they should be: every table, every key, every value."""

import re
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, fields
from difflib import get_close_matches
from math import isfinite
from typing import Any, Literal, NamedTuple, get_args, get_origin

from sidewise.collect.campaign.problems import CampaignError, Problem
from sidewise.collect.campaign.sense import nonsense
from sidewise.collect.campaign.tables import RULES, TABLES
from sidewise.collect.campaign.toml_lines import Lines
from sidewise.names import HIDDEN

Keys = Sequence[Field[Any]]


class Place(NamedTuple):
    """Where the tables come from: a file with its lines, or Python."""

    file: str = ""
    lines: Lines | None = None

    def problem(self, what: str, *path: str | int) -> Problem:
        """A problem with the key of a path."""
        return Problem(what, self.file, self.lines.of(*path) if self.lines else None)


def checked_tables(data: Mapping[str, Any], own: Keys, place: Place) -> dict[str, Any]:
    """The tables as classes and the keys of ``[campaign]``, which are ``own``; or all that is wrong with them."""
    problems = [*_strange(data, {"campaign": 0, **TABLES, "rules": 0}, place), *_rule_problems(data, place)]
    tables: dict[str, Any] = {}
    for name, known in {"campaign": own, **{name: fields(table) for name, table in TABLES.items()}}.items():
        given = data.get(name, {})
        found = list(_table_problems(name, given, known, place)) if name in data or name != "search" else []
        problems += found
        if not found:
            values = {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
            tables[name] = values if name == "campaign" else TABLES[name](**values)
    if "search" not in data:
        tables["search"] = None
    problems += [place.problem(what, *path) for path, what in nonsense(tables)]
    if problems:
        raise CampaignError(sorted(problems, key=lambda problem: problem.line or 0))
    return {**tables.pop("campaign"), **tables, "rules": tuple(data.get("rules", ()))}


def _strange(given: Iterable[str], known: Iterable[str], place: Place, table: str | None = None) -> Iterator[Problem]:
    """Names that nobody knows, each with the one that may have been meant."""
    for name in set(given) - set(known):
        near = get_close_matches(str(name), list(known), 1)
        meant = f"; did you mean {near[0]}?" if near else f"; there are: {', '.join(known)}"
        what = f"there is no table [{name}]" if table is None else f"[{table}] has no key {name}"
        yield place.problem(what + meant, *([name] if table is None else [table, name]))


def _rule_problems(data: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    rules = data.get("rules", [])
    if not (isinstance(rules, list) and all(isinstance(rule, Mapping) for rule in rules)):
        yield place.problem("rules is not a list of tables; begin each with [[rules]]", "rules")
        return
    there = f"there are: {', '.join(RULES)}" if RULES else "this version of Sidewise has none; take it out"
    for position, rule in enumerate(rules):
        if rule.get("kind") not in RULES:
            yield place.problem(f"no kind of rule {rule.get('kind')!r}; {there}", "rules", position)


def _table_problems(name: str, table: Any, known: Keys, place: Place) -> Iterator[Problem]:
    if not isinstance(table, Mapping):
        yield place.problem(f"{name} is {_shown(table)}; it is a table: [{name}]", name)
        return
    yield from _strange(table, [key.name for key in known], place, name)
    for key in known:
        if key.name in table:
            for what in _value_problems(f"[{name}] {key.name}", table[key.name], key.type, key.metadata):
                yield place.problem(what, name, key.name)
        elif key.metadata["needed"] and (place.file or not _optional(key.type)):
            yield place.problem(f"[{name}] has no {key.name}; write it: {_lowered(key.metadata['tells'])}", name)


def _value_problems(name: str, value: Any, kind: Any, limits: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with one value, given its type and its limits."""
    if _optional(kind):
        kind = next(one for one in get_args(kind) if one is not types.NoneType)
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            yield f"{name} is {_shown(value)}; it is one of: {', '.join(get_args(kind))}{_near(value, get_args(kind))}"
    elif get_origin(kind) is tuple:
        yield from _list_problems(name, value, limits)
    elif get_origin(kind) is Mapping:
        yield from _mapping_problems(name, value, limits)
    elif kind is str:
        yield from _text_problems(name, value, limits)
    elif kind is bool:
        if not isinstance(value, bool):
            yield f"{name} is {_shown(value)}; it is true or false"
    else:
        yield from _number_problems(name, value, kind, limits)


def _list_problems(name: str, value: Any, limits: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(value, list | tuple):
        yield f'{name} is {_shown(value)}; it is a list: ["…", "…"]'
        return
    for one in value:
        yield from _text_problems(f"in {name}, an entry", one, limits)
    if len(set(map(str, value))) < len(value):
        yield f"{name} says something twice; take one out"


def _mapping_problems(name: str, value: Any, limits: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f'{name} is {_shown(value)}; it is a table: {{left = "…", right = "…"}}'
        return
    for one, text in value.items():
        yield from _text_problems(f"{name}.{one}", text, limits)


def _text_problems(name: str, value: Any, limits: Mapping[str, Any]) -> Iterator[str]:
    longest = limits["longest"] or 1_000
    if not isinstance(value, str):
        yield f'{name} is {_shown(value)}; it is a text: "…"'
    elif not value.strip() and limits.get("default") != "":
        yield f"{name} is empty; write something or leave it out"
    elif len(value) > longest:
        yield f"{name} has {len(value):,} characters; {longest:,} is the most"
    elif hidden := HIDDEN.search(value):
        yield f"{name} has a hidden character, U+{ord(hidden[0]):04X}; take it out"
    elif limits["path"]:
        yield from _path_problems(name, value)


def _path_problems(name: str, value: str) -> Iterator[str]:
    """What can be seen of a path without looking at the disk."""
    if "\\" in value:
        yield f"{name} is {value!r}; write / between folders"
    elif value.startswith(("/", "~")) or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", value):
        yield f"{name} is {value!r}; name a file in the campaign's own folder, without the way to it"
    elif ".." in value.split("/"):
        yield f"{name} is {value!r}, which leaves the campaign's folder; copy what it needs into that folder"


def _number_problems(name: str, value: Any, kind: type, limits: Mapping[str, Any]) -> Iterator[str]:
    least, most = limits["least"], limits["most"]
    whole = kind is int
    right = isinstance(value, int if whole else int | float) and not isinstance(value, bool) and isfinite(value)
    if not right:
        yield f"{name} is {_shown(value)}; it is a {'whole ' if whole else ''}number"
    elif least is not None and value < least:
        yield f"{name} is {value}; {least:g} is the least"
    elif most is not None and value > most:
        yield f"{name} is {value}; {most:,} is the most"


def _optional(kind: Any) -> bool:
    return types.NoneType in get_args(kind)


def _near(value: object, known: Sequence[str]) -> str:
    near = get_close_matches(str(value), known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def _shown(value: object) -> str:
    """A value as a file writes it, if it is short."""
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _lowered(text: str) -> str:
    return text[0].lower() + text[1:].rstrip(".")
