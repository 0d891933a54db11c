"""The requester's pages: campaigns, how far they are, who answered what, and the requester's own word about it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from sidewise.collect.server import exporting, vetting
from sidewise.collect.server.headers import hosts, policy
from sidewise.collect.server.joining import entry
from sidewise.collect.server.models import Assignment, Campaign, Item, Token, Worker
from sidewise.collect.server.opening import FOLLOWS, change_state
from sidewise.collect.server.pages.dashboard import answered, dashboard_of, drawn, ranking_rows, tally, worker_rows
from sidewise.collect.server.pages.media import sent
from sidewise.collect.server.pages.shown import linked, seen
from sidewise.collect.server.standing import latest
from sidewise.errors import SidewiseError

PER_PAGE = 50


def mine(request: HttpRequest, name: str) -> Campaign:
    """A campaign of this requester's; another's does not exist."""
    return get_object_or_404(Campaign, name=name, owner=request.user.pk)


@login_required
@require_GET
@never_cache
def campaigns(request: HttpRequest) -> HttpResponse:
    """All of them."""
    rows = [
        {"campaign": one, "answers": answered(one)}
        for one in Campaign.objects.filter(owner=request.user.pk).order_by("-id")
    ]
    return render(request, "sidewise/campaigns.html", {"rows": rows})


@login_required
@require_GET
@never_cache
def dashboard(request: HttpRequest, name: str) -> HttpResponse:
    """How far a campaign is, and where it stands. htmx asks for the inner part every few seconds."""
    campaign = mine(request, name)
    template = "dashboard_live.html" if request.headers.get("HX-Request") else "dashboard.html"
    after = FOLLOWS[Campaign.State(campaign.state)]
    shown = {
        "campaign": campaign,
        "after": after,
        "link": request.build_absolute_uri(f"/c/{campaign.name}/"),
        **dashboard_of(campaign),
    }
    return render(request, f"sidewise/{template}", shown)


@login_required
@require_GET
@never_cache
def ranking(request: HttpRequest, name: str) -> HttpResponse:
    """The whole ranking, page by page."""
    campaign = mine(request, name)
    standing = latest(campaign)
    page = Paginator(ranking_rows(campaign, standing), PER_PAGE).get_page(request.GET.get("page"))
    page.object_list = drawn(list(page.object_list))
    scale = standing.summary.get("scale", "") if standing else ""
    return render(request, "sidewise/ranking.html", {"campaign": campaign, "page": page, "scale": scale})


@login_required
@require_GET
@never_cache
def workers(request: HttpRequest, name: str) -> HttpResponse:
    """Everybody who takes part, with what the ranking found out about them."""
    campaign = mine(request, name)
    page = Paginator(campaign.workers.order_by("id"), PER_PAGE).get_page(request.GET.get("page"))
    rows = worker_rows(campaign, list(page))
    for row in rows:
        row["link"] = (
            request.build_absolute_uri(f"/c/{name}/enter/{entry(campaign, row['worker'].name)}")
            if row["worker"].invited
            else ""
        )
    return render(
        request,
        "sidewise/workers.html",
        {"campaign": campaign, "page": page, "rows": rows, "links": any(row["link"] for row in rows)},
    )


@login_required
@require_GET
@never_cache
def worker(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """One worker's answers, all of them."""
    campaign = mine(request, name)
    one = get_object_or_404(Worker, pk=number, campaign=campaign)
    said = one.assignments.exclude(state=Assignment.State.LEASED).select_related(
        "task__first", "task__second", "worker"
    )
    page = Paginator(said.order_by("-answered_at", "-leased_at"), PER_PAGE).get_page(request.GET.get("page"))
    about = worker_rows(campaign, [one])[0]
    return render(request, "sidewise/worker.html", {"campaign": campaign, "one": one, "page": page, "about": about})


@login_required
@require_GET
@never_cache
def pair(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """All answers about one pair."""
    campaign = mine(request, name)
    task = get_object_or_404(campaign.tasks.select_related("first", "second"), pk=number)
    said = list(task.assignments.select_related("task__first", "task__second", "worker").order_by("-answered_at"))
    items = [one for one in (task.first, task.second) if one is not None]
    sides = [seen(campaign, item, reverse("item_media", args=[name, item.pk])) for item in items]
    query, description = campaign.queries.get(task.group, ("", ""))
    shown = {"campaign": campaign, "task": task, "page": said, "sides": list(zip(items, sides, strict=True)),
             "tally": tally(said), "query": query, "description": description}  # fmt: skip
    response = render(request, "sidewise/pair.html", shown)
    away = hosts(side.address for side in sides if linked(side.address))
    if away:
        response.headers["Content-Security-Policy"] = policy(img_src=away, media_src=away, frame_src=away)
    return response


@login_required
@require_GET
def item_media(request: HttpRequest, name: str, number: int) -> HttpResponseBase:
    """The media of an item, for the requester."""
    campaign = mine(request, name)
    item = get_object_or_404(Item, pk=number, campaign=campaign)
    return sent(request, campaign, item, item.group)


@login_required
@require_POST
def vet(request: HttpRequest, name: str) -> HttpResponseBase:
    """Correct an answer, set it aside or count it again."""
    campaign, said = mine(request, name), request.POST
    why = said.get("why", "")[:200]
    try:
        match said.get("do"):
            case "correct":
                vetting.correct(campaign, said.get("key", ""), said.get("answer", ""), by=request.user, why=why)
            case "set-aside":
                vetting.set_aside(campaign, said.get("key", ""), by=request.user, why=why)
            case "restore":
                vetting.restore(campaign, said.get("key", ""), by=request.user)
            case other:
                raise SidewiseError(f"there is nothing called {other!r} to do")  # noqa: TRY301
    except (SidewiseError, ValueError) as problem:
        messages.error(request, str(problem))
    else:
        messages.success(request, "Done. The worker's own answer stays in the log.")
    return _back(request, campaign)


@login_required
@require_POST
def admit(request: HttpRequest, name: str, number: int) -> HttpResponseBase:
    """Bar a worker, or let one in again."""
    campaign = mine(request, name)
    one = get_object_or_404(Worker, pk=number, campaign=campaign)
    if request.POST.get("do") == "bar":
        vetting.bar(campaign, one, by=request.user, why=request.POST.get("why", "")[:200])
    else:
        vetting.readmit(campaign, one, by=request.user)
    return _back(request, campaign)


@login_required
@require_POST
def set_state(request: HttpRequest, name: str) -> HttpResponseBase:
    """Open, pause, close."""
    campaign = mine(request, name)
    try:
        change_state(campaign, request.POST.get("state", ""), by=request.user)
    except SidewiseError as problem:
        messages.error(request, str(problem))
    return redirect("dashboard", name)


@login_required
@require_GET
def export(request: HttpRequest, name: str, what: str, form: str) -> HttpResponseBase:
    """Download answers, events, the ranking or the items."""
    campaign = mine(request, name)
    if what not in exporting.SOURCES or form not in exporting.FORMS:
        return HttpResponse("there is no such export", status=404, content_type="text/plain")
    return exporting.response(campaign, what, form)


@login_required
@never_cache
def tokens(request: HttpRequest) -> HttpResponse:
    """Keys to the programming interface: made, shown once, taken away."""
    fresh = ""
    if request.method == "POST" and request.POST.get("delete"):
        Token.objects.filter(owner=request.user.pk, pk=_whole(request.POST["delete"])).delete()
    elif request.method == "POST":
        fresh = Token.issue(request.user, request.POST.get("name", "").strip()[:100] or "unnamed")
    mine_all = Token.objects.filter(owner=request.user.pk).order_by("id")
    shown = {"tokens": mine_all, "fresh": fresh, "address": request.build_absolute_uri("/api/campaigns")}
    return render(request, "sidewise/tokens.html", shown)


def _whole(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 19 else 0


def _back(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    """To the page that it was done on, if that is one of this campaign's."""
    place: Any = request.POST.get("back", "")
    own = f"/campaigns/{campaign.name}/"
    return redirect(place if place.startswith(own) and "//" not in place and "\\" not in place else own)
