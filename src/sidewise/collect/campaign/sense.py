"""Whether what a campaign says makes sense together, where each key by itself is fine."""

import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

from sidewise.collect.campaign.choices import ALWAYS, IN_ANSWERS, IN_SEARCH, KEYS, LABELS, NAMED_KEYS
from sidewise.collect.campaign.tables import Access, Answers, Items, Sampling, Search, Serving, Stopping

Found = Iterator[tuple[tuple[str, ...], str]]  # the path of a key, and what is wrong with it
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
PLACEHOLDERS = ("code", "worker")


def nonsense(tables: Mapping[str, Any]) -> Found:
    """What does not go together; tables that have problems of their own are not there and not asked about."""
    for check, needs in CHECKS:
        if all(name in tables for name in needs):
            yield from check(*(tables[name] for name in needs))


def _campaign(own: Mapping[str, Any]) -> Found:
    if not SLUG.fullmatch(own["name"]):
        yield (
            ("campaign", "name"),
            f"[campaign] name is {own['name']!r}; it has small letters a–z, digits and single hyphens",
        )
    if not LANGUAGE.fullmatch(own.get("language", "en")):
        yield ("campaign", "language"), f"[campaign] language is {own['language']!r}; write it as in en or pt-BR"
    if own.get("instructions") and own.get("instructions_file"):
        yield ("campaign", "instructions_file"), "[campaign] has instructions and instructions_file; take one out"


def _items(items: Items) -> Found:
    if items.text is not None and items.kind != "text":
        yield ("items", "text"), f'[items] text goes with kind = "text", and the kind is {items.kind}; take it out'
    if items.format != "plain" and items.kind != "text":
        yield ("items", "format"), f'[items] format goes with kind = "text", and the kind is {items.kind}; take it out'
    # What is shown may be the id itself: a word, a name, a path.
    used = [*dict.fromkeys([items.id, items.text or items.media]), *([items.group] if items.group else [])]
    for name in used:
        if used.count(name) > 1:
            yield ("items",), f"[items] takes the column {name} for two things; name two columns"
            return


def _answers(answers: Answers, search: Search | None) -> Found:
    offered = {*ALWAYS, *(name for name in IN_ANSWERS if getattr(answers, name))}
    offered |= {name for name, switch in IN_SEARCH.items() if search is not None and getattr(search, switch)}
    if answers.reasons and not answers.skip:
        yield ("answers", "reasons"), "[answers] reasons are for skipping; write skip = true or take them out"
    yield from _named("labels", answers.labels, tuple(LABELS), offered)
    yield from _named("keys", answers.keys, tuple(KEYS), offered | {"undo"})
    for name, key in answers.keys.items():
        if len(key) != 1 and key not in NAMED_KEYS:
            yield (
                ("answers", "keys", name),
                f"[answers] keys.{name} is {key!r}; it is one character or one of: {', '.join(NAMED_KEYS)}",
            )
        elif key.isspace():
            yield (
                ("answers", "keys", name),
                f"[answers] keys.{name} is a blank, which presses buttons; take another key",
            )
    yield from _clashes(
        "keys", {name: answers.keys.get(name, KEYS[name]) for name in KEYS if name in offered | {"undo"}}
    )
    yield from _clashes("labels", {name: answers.labels.get(name, LABELS[name]) for name in LABELS if name in offered})


def _named(table: str, given: Mapping[str, str], known: tuple[str, ...], offered: set[str]) -> Found:
    """Answers that do not exist, or that this campaign does not offer."""
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, 1)
            meant = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
            yield ("answers", table, name), f"[answers] {table}.{name}: no such answer; {meant}"
        elif name not in offered:
            yield ("answers", table, name), f"[answers] {table}.{name}: {_switch(name)}, or take it out"


def _switch(name: str) -> str:
    """How an answer is offered."""
    where = f"write {IN_SEARCH[name]} = true in [search]" if name in IN_SEARCH else f"write {name} = true"
    return f"this answer is not offered; {where}"


def _clashes(table: str, given: Mapping[str, str]) -> Found:
    """Two answers with one key, or one word."""
    first: dict[str, str] = {}
    for name, value in given.items():
        other = first.setdefault(value.casefold(), name)
        if other != name:
            yield (
                ("answers", table, name),
                f"[answers] {table}: {other} and {name} are both {value!r}; give one of them another",
            )


def _search(search: Search | None, items: Items, sampling: Sampling) -> Found:
    if search is None:
        return
    if items.group is None:
        yield ("search",), '[search] needs the query of every item; name its column in [items]: group = "query"'
    if search.hold and sampling.method != Sampling().method:
        yield (
            ("search", "hold"),
            f"[search] hold chooses the pairs, and so does [sampling] method = {sampling.method!r}; take one out",
        )


def _serving(serving: Serving) -> Found:
    most = serving.tasks_per_worker
    if most is not None and most < serving.tasks_per_page:
        yield (
            ("serving", "tasks_per_worker"),
            f"[serving] tasks_per_worker is {most}, less than one page of {serving.tasks_per_page}; raise it",
        )


def _sides(serving: Serving, sampling: Sampling, search: Search | None) -> Found:
    if serving.sides == Serving().sides:
        return
    where = ("serving", "sides")
    if sampling.allowed is None:
        yield where, f"[serving] sides = {serving.sides!r} goes with [sampling] allowed, the table that lists them"
    if search is not None and search.hold:
        yield where, f"[search] hold keeps an item on its side, and so does sides = {serving.sides!r}; take one out"


def _sampling(sampling: Sampling) -> Found:
    from sidewise.models import find_model
    from sidewise.sampling import find_strategy

    for name, find in {"method": find_strategy, "model": find_model}.items():
        value = getattr(sampling, name)
        try:
            _ = value and find(value)
        except ValueError as error:
            yield ("sampling", name), f"[sampling] {name}: {error}"
    if sampling.method != "optimal" and sampling.goal != "rmse":
        yield ("sampling", "goal"), f"[sampling] goal goes with method = 'optimal'; {sampling.method} has none"
    if (sampling.goal == "top") != (sampling.top is not None):
        yield ("sampling", "goal"), "[sampling] goal = 'top' goes with top, how many items it is about: top = 10"


def _stopping(stopping: Stopping) -> Found:
    if stopping.rmse == 0:
        yield ("stopping", "rmse"), "[stopping] rmse is 0, which no number of answers reaches; 0.3 is usual"
    if not 0.5 <= stopping.confidence < 1:
        yield (
            ("stopping", "confidence"),
            f"[stopping] confidence is {stopping.confidence}; it is 0.5 or more and less than 1",
        )
    if stopping.top is None and stopping.confidence != Stopping().confidence:
        yield (
            ("stopping", "confidence"),
            "[stopping] confidence goes with top, how many items are to be settled: top = 10",
        )


def _access(access: Access) -> Found:
    if access.open and access.workers:
        yield ("access", "workers"), "[access] is open, so the list of workers would not matter; write open = false"
    if access.redirect is not None:
        yield from ((("access", "redirect"), f"[access] redirect {what}") for what in _redirect(access.redirect))


def _redirect(address: str) -> Iterator[str]:
    parts = urlsplit(address)
    if parts.scheme != "https" or not parts.hostname or parts.username:
        yield f"is {address!r}; it is an https: address such as https://app.prolific.com/submissions/complete?cc={{code}}"
    elif re.search(r"[\s\"'<>\\^`]", address):
        yield f"is {address!r}; write the blank or the quote in it as %20 or the like"
    for name in re.findall(r"{([^{}]*)}", address):
        if name not in PLACEHOLDERS:
            yield f"has {{{name}}}; {{code}} and {{worker}} are filled in"
    if "{" in parts.netloc:
        yield "has its host filled in; write the host out"


CHECKS: tuple[tuple[Callable[..., Found], tuple[str, ...]], ...] = (
    (_campaign, ("campaign",)),
    (_items, ("items",)),
    (_answers, ("answers", "search")),
    (_search, ("search", "items", "sampling")),
    (_serving, ("serving",)),
    (_sides, ("serving", "sampling", "search")),
    (_sampling, ("sampling",)),
    (_stopping, ("stopping",)),
    (_access, ("access",)),
)
