"""Which worker sits at this browser: one cookie a campaign, signed."""

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from sidewise.collect.server.joining import worker_of, worker_pass
from sidewise.collect.server.models import Worker

YEAR = 31_536_000


def known_worker(request: HttpRequest, campaign: str) -> Worker | None:
    """The worker of this browser, or of the pass that a program sends, in a campaign."""
    token = request.COOKIES.get(_cookie(campaign)) or request.headers.get("Authorization", "").removeprefix("Bearer ")
    return worker_of(token, campaign) if token else None


def remember(response: HttpResponseBase, worker: Worker) -> None:
    """Know this browser again."""
    response.set_cookie(
        _cookie(worker.campaign.name), worker_pass(worker), max_age=YEAR, path=f"/c/{worker.campaign.name}/",
        secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax",
    )  # fmt: skip


def _cookie(campaign: str) -> str:
    return f"sidewise-{campaign}"
