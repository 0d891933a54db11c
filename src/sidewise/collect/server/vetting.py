"""The requester's word: an answer corrected or set aside, a worker barred. What the worker said stays in the log."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F

from sidewise.collect.server import jobs
from sidewise.collect.server.implied import transitive
from sidewise.collect.server.kinds import KINDS
from sidewise.collect.server.leasing import give_back
from sidewise.collect.server.log import Kind, event, record, record_all
from sidewise.collect.server.models import Assignment, Campaign, Task, Worker
from sidewise.collect.server.planning import reopen
from sidewise.errors import SidewiseError

State = Assignment.State


@transaction.atomic
def correct(campaign: Campaign, key: str, said: str, *, by: Any, why: str = "") -> Assignment:
    """Count an answer as another."""
    one = _answered(campaign, key)
    problem = KINDS[one.task.kind].refused(said, campaign.spec) or ("a skip is no answer" if said == "skip" else "")
    if problem:
        raise SidewiseError(problem)
    one.verdict = "" if said == one.answer else said
    one.save(update_fields=["verdict"])
    record(campaign, Kind.CORRECTED, assignment=one, by=by, answer=one.answer, counts_as=said, why=why)
    _reconsider(campaign, one)
    return one


@transaction.atomic
def set_aside(campaign: Campaign, key: str, *, by: Any, why: str = "") -> Assignment:
    """Count an answer no longer; its pair is asked once more."""
    one = _answered(campaign, key)
    if not one.set_aside:
        one.set_aside = True
        one.save(update_fields=["set_aside"])
        if one.state == State.ANSWERED:
            one.state = State.SURPLUS
            one.save(update_fields=["state"])
            give_back([one])
        record(campaign, Kind.SET_ASIDE, assignment=one, by=by, why=why)
        _reconsider(campaign, one)
    return one


@transaction.atomic
def restore(campaign: Campaign, key: str, *, by: Any) -> Assignment:
    """Count an answer again that was set aside, if its place has not been taken by another."""
    one = _answered(campaign, key)
    if one.set_aside:
        free = Task.objects.filter(pk=one.task_id, taken__lt=F("wanted"))
        if not free.update(taken=F("taken") + 1):
            raise SidewiseError("somebody else has answered in its place; set that answer aside first")
        one.set_aside, one.state = False, State.ANSWERED
        one.save(update_fields=["set_aside", "state"])
        record(campaign, Kind.RESTORED, assignment=one, by=by)
        _reconsider(campaign, one)
    return one


@transaction.atomic
def bar(campaign: Campaign, worker: Worker, *, by: Any, why: str = "") -> None:
    """Serve a worker nothing more, from this moment on; what runs is given to others. Their answers still count."""
    if not Worker.objects.filter(pk=worker.pk, campaign=campaign, barred=False).update(barred=True):
        return
    leased = list(worker.assignments.select_for_update(no_key=True).filter(state=State.LEASED))
    Assignment.objects.filter(pk__in=[one.key for one in leased]).update(state=State.EXPIRED)
    give_back(leased)
    record(campaign, Kind.BARRED, worker=worker, by=by, why=why)
    record_all(event(campaign.pk, Kind.EXPIRED, assignment=one, why="barred") for one in leased)


@transaction.atomic
def readmit(campaign: Campaign, worker: Worker, *, by: Any) -> None:
    """Let a worker in again."""
    if Worker.objects.filter(pk=worker.pk, campaign=campaign, barred=True).update(barred=False):
        record(campaign, Kind.READMITTED, worker=worker, by=by)


def _reconsider(campaign: Campaign, one: Assignment) -> None:
    """What was not asked because it followed from this answer may have to be asked; and the ranking is another."""
    if transitive(campaign) and not campaign.finished:
        reopen(campaign, one.task.group)
    jobs.want_ranking(campaign)


def _answered(campaign: Campaign, key: str) -> Assignment:
    """An answer of this campaign, held until the transaction ends."""
    mine = Assignment.objects.select_related("task").select_for_update(of=("self",), no_key=True)
    said = mine.filter(campaign=campaign, state__in=(State.ANSWERED, State.SURPLUS))
    try:
        found = said.filter(key=key).first()
    except ValidationError:  # not the form of a key
        found = None
    if found is None:
        raise SidewiseError("there is no such answer in this campaign")
    return found
