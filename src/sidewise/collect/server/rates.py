"""Not more than so many requests a minute: from one address, or of one worker."""

from collections.abc import Callable
from functools import wraps
from time import time
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseBase

View = Callable[..., HttpResponseBase]
ARRIVALS = 300  # workers from one address in a minute: a lecture hall begins at the same moment, behind one router
WAIT = "Too many requests: please wait a minute."


def limited(what: str, per_minute: int, *, only: str | None = None) -> Callable[[View], View]:
    """Refuse with 429 beyond so many a minute from one address, counted by each server process.

    ``only`` names the method that is counted, such as ``POST``.
    """

    def around(view: View) -> View:
        @wraps(view)
        def counted(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if only in {None, request.method} and too_many(what, address_of(request), per_minute):
                return HttpResponse(WAIT, status=429, headers={"Retry-After": "60"}, content_type="text/plain")
            return view(request, *args, **kwargs)

        return counted

    return around


def too_many(what: str, who: object, per_minute: int) -> bool:
    """Whether this is one too many; counts it."""
    slot = f"rate:{what}:{who}:{int(time() // 60)}"
    cache.add(slot, 0, timeout=120)
    try:
        return int(cache.incr(slot)) > per_minute
    except ValueError:  # so many came that the oldest counts have been forgotten
        return False


def address_of(request: HttpRequest) -> str:
    """The address it comes from; behind a proxy that we trust, the one that this has seen.

    A caller can write what it likes into the header; the proxy adds the true address at its end.
    """
    if settings.PROXY:
        return request.headers.get("X-Forwarded-For", "").split(",")[-1].strip()[:45] or "proxy"
    return str(request.META.get("REMOTE_ADDR", ""))
