"""Errors of the interface: always JSON, always a sentence that says what to mend."""

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, ValidationError

from sidewise.errors import SidewiseError


class Problem(Schema):
    """What went wrong."""

    detail: str


def explain(api: NinjaAPI) -> None:
    """Tell an interface how to put errors."""

    def told(status: int, say: str | None = None) -> object:
        def handle(request: HttpRequest, error: Exception) -> HttpResponse:
            return api.create_response(request, {"detail": say or str(error)}, status=status)

        return handle

    api.add_exception_handler(SidewiseError, told(422))  # type: ignore[arg-type]
    api.add_exception_handler(RequestDataTooBig, told(413, "this is too much at once; send it in parts"))  # type: ignore[arg-type]
    api.add_exception_handler(Http404, told(404, "there is no such thing, or it is not yours"))  # type: ignore[arg-type]
    api.add_exception_handler(AuthenticationError, told(401, "send a valid token: Authorization: Bearer …"))  # type: ignore[arg-type]

    @api.exception_handler(ValidationError)
    def wrong(request: HttpRequest, error: ValidationError) -> HttpResponse:
        first = error.errors[0]
        place = ".".join(str(part) for part in first["loc"] if part not in {"body", "data", "query", "path"})
        return api.create_response(request, {"detail": f"{place or 'the request'}: {first['msg']}"}, status=422)
