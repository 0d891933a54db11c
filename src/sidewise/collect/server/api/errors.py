"""Errors of the interface: always JSON, always a sentence that says what to mend."""

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError

from sidewise.collect.server.wholesome import UnfitError
from sidewise.errors import SidewiseError


class Problem(Schema):
    """What went wrong."""

    detail: str


def told(*statuses: int) -> dict[int, type[Schema]]:
    """The answers that a call may give besides the one hoped for."""
    return dict.fromkeys((400, *statuses), Problem)


def explain(api: NinjaAPI) -> None:
    """Tell an interface how to put errors."""

    def answered(status: int, say: str | None = None) -> object:
        def handle(request: HttpRequest, error: Exception) -> HttpResponse:
            return api.create_response(request, {"detail": say or str(error)}, status=status)

        return handle

    api.add_exception_handler(SidewiseError, answered(422))  # type: ignore[arg-type]
    api.add_exception_handler(RequestDataTooBig, answered(413, "this is too much at once; send it in parts"))  # type: ignore[arg-type]
    api.add_exception_handler(Http404, answered(404, "there is no such thing, or it is not yours"))  # type: ignore[arg-type]
    api.add_exception_handler(AuthenticationError, answered(401, "send a valid token: Authorization: Bearer …"))  # type: ignore[arg-type]

    @api.exception_handler(HttpError)
    def refused(request: HttpRequest, error: HttpError) -> HttpResponse:
        unfit = isinstance(error.__cause__, UnfitError)
        say = f"this body cannot be read: {error.__cause__}" if unfit else str(error)
        return api.create_response(request, {"detail": say}, status=error.status_code)

    @api.exception_handler(ValidationError)
    def wrong(request: HttpRequest, error: ValidationError) -> HttpResponse:
        first = error.errors[0]
        place = ".".join(str(part) for part in first["loc"] if part not in {"body", "data", "query", "path"})
        return api.create_response(request, {"detail": f"{place or 'the request'}: {first['msg']}"}, status=422)
