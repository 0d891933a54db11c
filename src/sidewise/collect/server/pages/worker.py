"""The worker's pages: come in, compare, take back, be done. They work without scripts; htmx saves the reloading."""

from urllib.parse import quote

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from sidewise.collect.campaign.instructions import instructions_html
from sidewise.collect.server.answering import Refused, answer, undo, undoable
from sidewise.collect.server.headers import hosts, policy
from sidewise.collect.server.joining import entered, joined
from sidewise.collect.server.leasing import Served, done_by, serve
from sidewise.collect.server.models import Campaign, Worker
from sidewise.collect.server.pages.progress import progress
from sidewise.collect.server.pages.shown import Side, choices, linked, shown
from sidewise.collect.server.pages.who import known_worker, remember
from sidewise.collect.server.rates import ARRIVALS, limited
from sidewise.errors import SidewiseError

CLAIMS = ("PROLIFIC_PID", "workerId", "worker")  # the names by which platforms tell who comes
HEADINGS = {"draft": "Not yet", "paused": "A break", "closed": "Thank you", "later": "Later", "nothing": "One moment",
            "barred": "Goodbye", "done": "Thank you"}  # fmt: skip
MESSAGES = {
    "draft": "This campaign has not begun yet.",
    "paused": "This campaign is having a break. Please come back later.",
    "closed": "This campaign is over. Thank you for coming.",
    "later": "Enough has been answered for this hour. Please come back a little later.",
    "nothing": "There is nothing to compare at this moment: others have the last pairs. This page looks again soon.",
    "barred": "You can no longer take part in this campaign.",
    "done": "You have compared everything that there was for you.",
}


@require_GET
@never_cache
def welcome(request: HttpRequest, name: str) -> HttpResponseBase:
    """What this is about, and the way in."""
    campaign = get_object_or_404(Campaign, name=name)
    if known_worker(request, name) is not None:
        return redirect("work", name)
    claim = next((request.GET[word] for word in CLAIMS if request.GET.get(word)), "")
    return _page(
        request,
        "welcome.html",
        campaign,
        claim=claim,
        preview=request.GET.get("assignmentId") == "ASSIGNMENT_ID_NOT_AVAILABLE",
    )


@require_POST
@limited("join", ARRIVALS)
def join(request: HttpRequest, name: str) -> HttpResponseBase:
    """Begin, in a campaign that is open to everybody."""
    campaign = get_object_or_404(Campaign, name=name)
    if not campaign.spec.access.open or campaign.state in (Campaign.State.DRAFT, Campaign.State.CLOSED):
        raise Http404
    response = redirect("work", name)
    if known_worker(request, name) is None:
        try:
            remember(response, joined(campaign, request.POST.get("claim", "")))
        except SidewiseError as problem:
            return HttpResponse(str(problem), status=400, content_type="text/plain; charset=utf-8")
    return response


@require_GET
@limited("enter", ARRIVALS)
def enter(request: HttpRequest, name: str, link: str) -> HttpResponseBase:  # noqa: ARG001
    """Come in by a signed link, which is one worker's."""
    worker = entered(get_object_or_404(Campaign, name=name), link)
    if worker is None:
        raise Http404
    response = redirect("work", name)
    remember(response, worker)
    return response


@require_GET
@never_cache
def work(request: HttpRequest, name: str) -> HttpResponseBase:
    """The tasks."""
    worker = known_worker(request, name)
    return _work(request, worker) if worker is not None else redirect("welcome", name)


@require_POST
@limited("answer", 6_000)
def say(request: HttpRequest, name: str) -> HttpResponseBase:
    """Keep an answer, and show what comes next. The page that follows is the acknowledgement."""
    worker = known_worker(request, name)
    if worker is None:
        raise Http404
    said = request.POST
    screen = {word: said[word][:20] for word in ("width", "height", "ratio") if said.get(word)}
    try:
        answer(worker, said.get("key", ""), said.get("answer", ""), reason=said.get("reason", ""), screen=screen)
    except Refused as refused:
        return _next(request, worker, str(refused))
    return _next(request, worker)


@require_POST
@limited("undo", 600)
def take_back(request: HttpRequest, name: str) -> HttpResponseBase:
    """Take the last answer back."""
    worker = known_worker(request, name)
    if worker is None:
        raise Http404
    try:
        undo(worker)
    except Refused as refused:
        return _next(request, worker, str(refused))
    return _next(request, worker)


def _next(request: HttpRequest, worker: Worker, trouble: str = "") -> HttpResponseBase:
    """What comes next: in place where htmx asked, otherwise by the way that survives reloading."""
    if request.headers.get("HX-Request") or trouble:
        return _work(request, worker, trouble)
    return redirect("work", worker.campaign.name)


def _work(request: HttpRequest, worker: Worker, trouble: str = "") -> HttpResponse:
    campaign, served = worker.campaign, serve(worker)
    tasks, ahead = shown(campaign, served.page), shown(campaign, served.ahead)
    template = "tasks.html" if request.headers.get("HX-Request") else "work.html"
    response = _page(
        request, template, campaign, tasks=tasks, choices=choices(campaign.spec), trouble=trouble,
        progress=progress(worker, served), undo=undoable(worker), message=MESSAGES.get(served.why, ""), why=served.why,
        heading=HEADINGS.get(served.why, ""), ahead=[side for task in ahead for side in task.sides if _loads(side)],
        undo_key=campaign.spec.keys.get("undo", ""), **_finish(worker, served),
    )  # fmt: skip
    away = hosts(side.address for task in (*tasks, *ahead) for side in task.sides if linked(side.address))
    if away:
        response.headers["Content-Security-Policy"] = policy(img_src=away, media_src=away, frame_src=away)
    return response


def _loads(side: Side) -> bool:
    """Whether it can be loaded before it is shown; a frame loads for itself alone."""
    return bool(side.address) and side.kind != "page"


def _finish(worker: Worker, served: Served) -> dict[str, str]:
    """The code that proves it, once there is nothing left to do; never before the last answer is kept."""
    if served.why not in {"done", "closed"} or not done_by(worker):
        return {}
    access = worker.campaign.spec.access
    code = access.completion_code or worker.code
    away = (access.redirect or "").replace("{code}", quote(code, "")).replace("{worker}", quote(worker.name, ""))
    return {"code": code, "away": away}


def _page(request: HttpRequest, template: str, campaign: Campaign, **context: object) -> HttpResponse:
    spec = campaign.spec
    about = {"campaign": campaign, "spec": spec, "instructions": instructions_html(campaign.instructions),
             "same": spec.title.strip() == spec.question.strip()}  # fmt: skip
    return render(request, f"sidewise/{template}", {**about, **context})
