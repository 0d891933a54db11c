"""Media: a file that belongs to a task of this worker, as what it is and nothing more."""

import re

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from sidewise.collect.campaign.media import media_type
from sidewise.collect.server.headers import SANDBOX
from sidewise.collect.server.models import Assignment, Campaign, Item
from sidewise.collect.server.pages.marking import marked
from sidewise.collect.server.pages.shown import SIDES, media_path, order
from sidewise.collect.server.pages.who import known_worker
from sidewise.errors import SidewiseError

BYTES = "application/octet-stream"  # that no browser shows: for whatever is not of the campaign's kind
RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


@require_safe
def media(request: HttpRequest, name: str, key: str, side: str) -> HttpResponseBase:
    """The left or right thing of a task, for the worker who has it and for nobody else."""
    worker = known_worker(request, name)
    if worker is None or side not in SIDES:
        raise Http404
    one = get_object_or_404(Assignment.objects.select_related("task"), key=key, worker=worker)
    item = get_object_or_404(Item, pk=order(one)[SIDES.index(side)])
    return sent(request, worker.campaign, item, one.task.group)


def sent(request: HttpRequest, campaign: Campaign, item: Item, group: str) -> HttpResponseBase:
    """The media of an item, in a sandbox."""
    kind = campaign.spec.items.kind
    try:
        path = media_path(campaign, item)
    except SidewiseError:
        raise Http404 from None
    if kind == "page":
        response: HttpResponseBase = HttpResponse(
            _page(campaign, path.read_bytes(), group), content_type="text/html; charset=utf-8"
        )
    else:
        whole = FileResponse(path.open("rb"), content_type=media_type(kind, path.name) or BYTES)
        response = _ranged(request, whole, path.stat().st_size)
    response.headers["Content-Security-Policy"] = SANDBOX
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    response.headers["Content-Disposition"] = "inline"  # without the name of the file, which may tell the system
    response.headers["Cache-Control"] = "private, max-age=86400, immutable"
    return response


def _page(campaign: Campaign, content: bytes, group: str) -> str:
    """A document, made safe, with the words of its query marked."""
    search = campaign.spec.search
    query = campaign.queries.get(group, [""])[0] if search is not None and search.highlight else ""
    return marked(content.decode("utf-8", errors="replace"), query)


def _ranged(request: HttpRequest, response: FileResponse, size: int) -> FileResponse:
    """Part of a file, where a part was asked for: browsers want it so, to seek in videos."""
    response.headers["Accept-Ranges"] = "bytes"
    found = RANGE.fullmatch(request.headers.get("Range", ""))
    if not found or found[1] == found[2] == "":
        return response
    start = int(found[1]) if found[1] else max(0, size - int(found[2]))
    end = min(size - 1, int(found[2])) if found[1] and found[2] else size - 1
    if start > end:
        response.close()
        refused = FileResponse(status=416)
        refused.headers["Content-Range"] = f"bytes */{size}"
        return refused
    assert response.file_to_stream is not None
    response.file_to_stream.seek(start)
    part = response.file_to_stream.read(end - start + 1)
    response.close()
    partial = FileResponse([part], status=206, content_type=response.headers["Content-Type"])
    partial.headers["Content-Range"] = f"bytes {start}-{end}/{size}"
    partial.headers["Content-Length"] = str(len(part))
    return partial
