"""What every answer of the server tells a browser: run only our scripts, load nothing from elsewhere, frame nothing."""

import re
from collections.abc import Callable, Iterable

from django.http import HttpRequest, HttpResponseBase

# No inline scripts or styles anywhere. Frames are the documents of a search campaign, from this server alone.
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "media-src": "'self'",
    "font-src": "'self'",
    "connect-src": "'self'",
    "frame-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
# Of media: nothing in them may run, submit or load, whatever they turn out to be.
SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'"


# A host as a policy can name it: a quote, a blank or a semicolon in an address must not become a rule of its own.
HOST = re.compile(r"https://[A-Za-z0-9.-]+(:\d{1,5})?", re.IGNORECASE)


def hosts(addresses: Iterable[str]) -> str:
    """Where linked media come from, for the policy of the page that shows them.

    >>> hosts(["https://a.example/1.png", "https://a.example/2.png", "https://b.example; script-src */x"])
    'https://a.example'
    """
    found = {"/".join(address.split("/")[:3]) for address in addresses}
    return " ".join(sorted(host for host in found if HOST.fullmatch(host)))


def policy(**more: str) -> str:
    """The policy of a page, with more sources for some directives (``img_src="https://example.org"``)."""
    widened = {name: f"{allowed} {more.get(name.replace('-', '_'), '')}".strip() for name, allowed in POLICY.items()}
    return "; ".join(f"{name} {allowed}" for name, allowed in widened.items())


DEFAULT = policy()


def headers(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: set what the view has not set itself."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", DEFAULT)
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        response.headers.setdefault(
            "Permissions-Policy", "camera=(), microphone=(), geolocation=(), interest-cohort=()"
        )
        return response

    return respond
