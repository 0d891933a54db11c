"""Nothing comes in that a database cannot keep: NUL and halves of characters are refused at the door, not repaired."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from ninja.parser import Parser

from sidewise.names import UNSTORABLE

DEEPEST = 20  # levels of JSON: a campaign has four


def wholesome(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: refuse a request whose address, cookies or form have characters that are none."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        if any(UNSTORABLE.search(text) for text in _texts(request)):
            return problem(request, 400, "There is a character in this request that is none.")
        return get_response(request)

    return respond


def problem(request: HttpRequest, status: int, say: str) -> HttpResponseBase:
    """What went wrong before any view was asked: in JSON for programs, in plain words otherwise."""
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": say}, status=status)
    return HttpResponse(say, status=status, content_type="text/plain; charset=utf-8")


def _texts(request: HttpRequest) -> Iterator[str]:
    yield request.path
    yield from request.COOKIES.values()
    yield from _of(request.GET)
    if not request.path.startswith("/api/"):  # its bodies are JSON, see below
        yield from _of(request.POST)


def _of(form: Any) -> Iterator[str]:
    for name, values in form.lists():
        yield name
        yield from values


class WholesomeJSON(Parser):
    """Reads bodies of the programming interface: strict JSON, of texts and numbers that can be kept."""

    def parse_body(self, request: HttpRequest) -> Any:
        """What was sent."""
        sent = request.body
        try:
            told = json.loads(sent, parse_constant=_refused)
            _check(told)
        except UnfitError:
            raise
        except (ValueError, RecursionError):
            raise UnfitError("it is not JSON") from None
        return told


class UnfitError(ValueError):
    """A body that is no JSON, or says something which cannot be kept."""


def _refused(constant: str) -> None:
    raise UnfitError(f"{constant} is no number in JSON")


def _check(told: Any, depth: int = 0) -> None:
    """Look at every text and number in what was sent."""
    if depth > DEEPEST:
        raise UnfitError("it is nested too deeply")
    match told:
        case str() if UNSTORABLE.search(told):
            raise UnfitError("there is a character in it that is none, such as \\u0000")
        case float() if told in {float("inf"), float("-inf")}:
            raise UnfitError("there is a number in it that is too large")
        case list():
            for one in told:
                _check(one, depth + 1)
        case dict():
            for name, one in told.items():
                _check(name, depth + 1)
                _check(one, depth + 1)
