"""For workers' programs: join, get tasks, answer. What a task shows is what its page would show."""

from uuid import UUID

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema
from ninja.errors import HttpError

from sidewise.collect.server.answering import answer, undo
from sidewise.collect.server.api.auth import WorkerPass
from sidewise.collect.server.api.errors import told
from sidewise.collect.server.joining import entered, joined, worker_pass
from sidewise.collect.server.leasing import serve
from sidewise.collect.server.models import Campaign, Worker
from sidewise.collect.server.pages.shown import shown
from sidewise.collect.server.rates import WAIT, address_of, too_many

router = Router(tags=["workers"])
TOLD = told(401, 404, 422, 429)
ANSWERS = 6_000  # a minute, of one worker: a hundred a second


class Joining(Schema):
    """Who comes: by an invited worker's link, by a platform's id, or as anybody."""

    claim: str = Field("", max_length=150, description="A platform's id. It is kept, and not believed twice.")
    link: str = Field("", max_length=1_000, description="The part of an invited worker's address after enter/.")


class Joined(Schema):
    """The worker, and the pass for everything else."""

    worker: str
    token: str


class SideOut(Schema):
    """One of the two things."""

    side: str
    kind: str
    address: str = ""
    text: str = ""
    html: str = ""


class TaskOut(Schema):
    """A task; its key goes with the answer."""

    key: UUID
    sides: list[SideOut]
    query: str = ""
    description: str = ""


class Work(Schema):
    """What there is to do; ``why`` says why there is nothing."""

    tasks: list[TaskOut]
    why: str = ""


class AnswerIn(Schema):
    """What is said about a task."""

    key: UUID
    answer: str = Field(max_length=32)
    reason: str = Field("", max_length=200)
    next: bool = Field(True, description="Whether the next tasks should come with the reply.")


class AnswerOut(Schema):
    """The acknowledgement: it is sent after the answer has been committed."""

    state: str = Field(description="answered, surplus or skipped")
    again: bool
    work: Work | None = None


@router.post("/campaigns/{slug:name}/workers", response={200: Joined, **TOLD}, auth=None, summary="Join a campaign")
def join(request: HttpRequest, name: str, data: Joining) -> Joined:
    """Anybody may, where the campaign is open to everybody; elsewhere those who have a link."""
    if too_many("api-join", address_of(request), 1_000):
        raise HttpError(429, WAIT)
    campaign = get_object_or_404(Campaign, name=name)
    if campaign.state not in (Campaign.State.OPEN, Campaign.State.PAUSED):
        raise Http404
    if data.link:
        worker = entered(campaign, data.link)
    else:
        worker = joined(campaign, data.claim) if campaign.spec.access.open else None
    if worker is None:
        raise Http404
    return Joined(worker=worker.name, token=worker_pass(worker))


@router.post("/campaigns/{slug:name}/tasks", response={200: Work, **TOLD}, auth=WorkerPass(), summary="Get tasks")
def tasks(request: HttpRequest, name: str) -> Work:  # noqa: ARG001
    """The tasks that the worker has now; the same ones until they are answered."""
    return _work(_worker(request))


@router.post("/campaigns/{slug:name}/answers", response={200: AnswerOut, **TOLD}, auth=WorkerPass(), summary="Answer")
def say(request: HttpRequest, name: str, data: AnswerIn) -> AnswerOut:  # noqa: ARG001
    """Keep an answer. Sent again, it counts once."""
    worker = _worker(request)
    kept = answer(worker, str(data.key), data.answer, reason=data.reason)
    return AnswerOut(state=kept.assignment.state, again=kept.again, work=_work(worker) if data.next else None)


@router.post(
    "/campaigns/{slug:name}/undo", response={200: Work, **TOLD}, auth=WorkerPass(), summary="Take the last answer back"
)
def take_back(request: HttpRequest, name: str) -> Work:  # noqa: ARG001
    """Within the window that the campaign gives."""
    worker = _worker(request)
    undo(worker)
    return _work(worker)


def _worker(request: HttpRequest) -> Worker:
    found: Worker = request.auth  # type: ignore[attr-defined]
    if too_many("api-work", found.pk, ANSWERS):
        raise HttpError(429, WAIT)
    return found


def _work(worker: Worker) -> Work:
    served = serve(worker)
    tasks = [
        TaskOut(key=UUID(task.key), sides=[SideOut(**vars(side)) for side in task.sides], query=task.query, description=task.description)  # noqa: E501
        for task in shown(worker.campaign, served.page)
    ]  # fmt: skip
    return Work(tasks=tasks, why=served.why)
