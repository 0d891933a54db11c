"""Answers: each is kept once, however often it is sent, and acknowledged only when it is."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from sidewise.collect.server import jobs, statements
from sidewise.collect.server.implied import close_implied, regain_unseen, transitive
from sidewise.collect.server.kinds import KINDS
from sidewise.collect.server.leasing import give_back
from sidewise.collect.server.log import Kind, event, record
from sidewise.collect.server.models import Assignment, Task, Worker
from sidewise.collect.server.planning import reopen
from sidewise.errors import SidewiseError

State = Assignment.State
ANSWERED = (State.ANSWERED, State.SURPLUS, State.SKIPPED)


class Refused(SidewiseError):  # noqa: N818 - an answer is refused; nothing is broken
    """An answer that cannot be kept; the message says why."""


@dataclass(frozen=True)
class Kept:
    """What has become of an answer."""

    assignment: Assignment
    again: bool = False  # it had been kept before


def answer(
    worker: Worker, key: str, said: str, *, reason: str = "", now: datetime | None = None, **seen: Any
) -> Kept:  # fmt: skip
    """Keep what a worker said about a task; ``seen`` is what is known of the screen, for the log.

    The same key a second time changes nothing: a double click, a retry or a page sent again after going back.
    """
    now = now or timezone.now()
    with transaction.atomic():
        if quick := _kept_at_once(worker, key, said, reason[:200], now, seen):
            return quick
        found = _locked(worker, key)
        problem = KINDS[found.task.kind].refused(said, worker.campaign.spec)
        if problem:
            raise Refused(problem)
        if found.state in ANSWERED:
            if said != found.answer:
                record(found.campaign_id, Kind.REPEATED, at=now, assignment=found, answer=said, kept=found.answer)
            return Kept(found, again=True)
        held = found.state == State.LEASED
        found.late = not held or found.expires_at <= now
        found.answer, found.reason, found.answered_at = said, reason[:200], now
        found.state = State.SKIPPED if said == "skip" else _counted(found, held=held)
        found.save(update_fields=["answer", "reason", "answered_at", "state", "late"])
        _log(found, now, seen)
        if held and found.state != State.ANSWERED:
            give_back([found])
        if found.state == State.ANSWERED:
            close_implied(worker.campaign, found)
            jobs.want_ranking(worker.campaign)
    return Kept(found)


def _kept_at_once(worker: Worker, key: str, said: str, reason: str, now: datetime, seen: dict[str, Any]) -> Kept | None:
    """The usual case in one statement: the lease is still held, so the answer counts."""
    if said == "skip" or worker.barred or not (number := _number(key)):
        return None
    kept = statements.keep_answer(worker, number, said, reason, now)
    if kept is None:
        return None
    found, kind = kept
    if problem := KINDS[kind].refused(said, worker.campaign.spec):
        raise Refused(problem)
    _log(found, now, seen)
    close_implied(worker.campaign, found)
    jobs.want_ranking(worker.campaign)
    return Kept(found)


def _number(key: str) -> UUID | None:
    """A key as the number that it is, if it is one."""
    try:
        return UUID(str(key))
    except ValueError:
        return None


def undo(worker: Worker, now: datetime | None = None) -> Assignment:
    """Take back the last answer, if that is not too long ago: the worker has the task again, the log has both."""
    now = now or timezone.now()
    window = timedelta(seconds=worker.campaign.spec.serving.undo_seconds)
    with transaction.atomic():
        said = worker.assignments.filter(state__in=ANSWERED, answered_at__gt=now - window).select_for_update(
            of=("self",), no_key=True
        )
        last = said.select_related("task").order_by("-answered_at").first()
        if last is None:
            raise Refused("there is no answer left to take back")
        if last.verdict or last.set_aside:
            raise Refused("this answer can no longer be taken back: it has been looked at")
        was = last.state
        record(last.campaign_id, Kind.UNDONE, at=now, assignment=last, answer=last.answer, was=was)
        if last.state != State.ANSWERED and not _slot(last):
            raise Refused("it is too late to take this answer back: somebody else has the task now")
        last.state, last.answer, last.reason, last.answered_at, last.late = State.LEASED, "", "", None, False
        last.served_at, last.expires_at = now, now + timedelta(seconds=worker.campaign.spec.serving.lease_seconds)
        last.save(
            update_fields=["state", "answer", "reason", "answered_at", "late", "served_at", "expires_at"]
        )  # fmt: skip
        if was == State.ANSWERED and transitive(worker.campaign) and not worker.campaign.finished:
            reopen(worker.campaign, last.task.group)
            regain_unseen(worker, last.task.group)
        if was == State.ANSWERED:
            jobs.want_ranking(worker.campaign)
    return last


def undoable(worker: Worker, now: datetime | None = None) -> bool:
    """Whether there is an answer that can still be taken back."""
    window = worker.campaign.spec.serving.undo_seconds
    since = (now or timezone.now()) - timedelta(seconds=window)
    return bool(window) and worker.assignments.filter(state__in=ANSWERED, answered_at__gt=since).exists()


def _locked(worker: Worker, key: str) -> Assignment:
    """The assignment of a key, held until the transaction ends; nobody else's."""
    mine = Assignment.objects.select_related("task").select_for_update(of=("self",), no_key=True).filter(worker=worker)
    try:
        return mine.get(key=key)
    except (Assignment.DoesNotExist, ValidationError):  # nobody's, another's, or not the form of a key
        raise Refused("this task is not yours, or does not exist") from None


def _counted(found: Assignment, *, held: bool) -> State:
    """An answer counts while its slot is held, or can be had again; otherwise it is kept beside the others."""
    if found.worker.barred:
        return State.SURPLUS
    return State.ANSWERED if held or _slot(found) else State.SURPLUS


def _slot(found: Assignment) -> bool:
    """Take a slot of the task, if one is free."""
    free = Task.objects.filter(pk=found.task_id, taken__lt=F("wanted"))
    return bool(free.update(taken=F("taken") + 1))


def _log(found: Assignment, now: datetime, seen: dict[str, Any]) -> None:
    kind = Kind.SKIPPED if found.state == State.SKIPPED else Kind.ANSWERED
    served = found.served_at or found.leased_at
    facts: dict[str, Any] = {"answer": found.answer, "seconds": round((now - served).total_seconds(), 3), **seen}
    marks: dict[str, Any] = {"reason": found.reason, "late": found.late, "surplus": found.state == State.SURPLUS}
    told = {**facts, **{name: mark for name, mark in marks.items() if mark}}
    statements.insert_events([event(found.campaign_id, kind, at=now, assignment=found, **told)])
