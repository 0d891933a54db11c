"""Not more than so many requests a minute: from one address, or of one worker."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseBase

View = Callable[..., HttpResponseBase]


def limited(what: str, per_minute: int) -> Callable[[View], View]:
    """Refuse with 429 beyond so many a minute, counted by each server process."""

    def around(view: View) -> View:
        @wraps(view)
        def counted(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if too_many(what, _who(request), per_minute):
                return HttpResponse(
                    "Too many requests: please wait a minute.", status=429, headers={"Retry-After": "60"}
                )
            return view(request, *args, **kwargs)

        return counted

    return around


def too_many(what: str, who: str, per_minute: int) -> bool:
    """Whether this is one too many; counts it."""
    slot = f"rate:{what}:{who}:{int(time.time() // 60)}"
    cache.add(slot, 0, timeout=120)
    return int(cache.incr(slot)) > per_minute


def _who(request: HttpRequest) -> str:
    """The address it comes from; behind a proxy that we trust, the one that this has seen."""
    if settings.PROXY:
        return request.headers.get("X-Forwarded-For", "").split(",")[-1].strip() or "proxy"
    return str(request.META.get("REMOTE_ADDR", ""))
