"""Who calls: a requester by a token, a worker by the pass that joining gave."""

from datetime import timedelta
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer

from sidewise.collect.server.joining import worker_of
from sidewise.collect.server.models import Token, Worker

NOTED = timedelta(minutes=1)  # how exactly the last use of a token is known


class RequesterToken(HttpBearer):
    """A token that ``sidewise token`` or the page of tokens has issued."""

    def authenticate(self, request: HttpRequest, token: str) -> Any:  # noqa: ARG002
        """The token's owner."""
        found = Token.objects.select_related("owner").filter(digest=Token.hashed(token), owner__is_active=True).first()
        if found is None:
            return None
        now = timezone.now()
        if found.used_at is None or now - found.used_at > NOTED:
            Token.objects.filter(pk=found.pk).update(used_at=now)
        return found.owner


class WorkerPass(HttpBearer):
    """The pass of a worker, for the campaign in the address."""

    def authenticate(self, request: HttpRequest, token: str) -> Worker | None:
        """The worker."""
        assert request.resolver_match is not None
        return worker_of(token, str(request.resolver_match.kwargs.get("name", "")))
