"""What every answer of the server tells a browser: run only our scripts, load nothing from elsewhere, frame nothing."""

from collections.abc import Callable

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
        if "frame-ancestors 'self'" not in response.headers["Content-Security-Policy"]:
            response.headers.setdefault("X-Frame-Options", "DENY")
        return response

    return respond
