"""Work that nobody should wait for: planning what to ask next, ranking what was said.

Kept in the database's queues, one for each of the two: a ranking of a million answers takes a minute, in which workers
would run out of pairs if planning had to wait for it.
"""

import logging
import time
from datetime import timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django_tasks import task

from sidewise.collect.server.models import Campaign

log = logging.getLogger("sidewise.collect")
PATIENCE = 2.0  # seconds between two rankings, at least …
REST = 4.0  # … and so many times as long as the last one took: it leaves the processor to those who answer
_asked: dict[tuple[str, int], float] = {}  # until when this process need not ask for a job: it has, or knows of one


@task()
def plan_job(campaign_id: int, least: int = 0) -> int:
    """Fill the queue of a campaign, by so many pairs at least."""
    from sidewise.collect.server.planning import plan

    try:
        return plan(Campaign.objects.get(pk=campaign_id), least)
    except Exception:
        log.exception("planning failed")
        raise
    finally:  # only now: while it is set, whoever finds the queue dry can see how late the strategy is
        Campaign.objects.filter(pk=campaign_id).update(plan_due=None)


@task(queue_name="ranking")
def ranking_job(campaign_id: int) -> int:
    """Rank what has been said so far."""
    from sidewise.collect.server.standing import refit

    Campaign.objects.filter(pk=campaign_id).update(ranking_due=None)
    try:
        return refit(Campaign.objects.get(pk=campaign_id)).answers
    except Exception:
        log.exception("ranking failed")
        raise


def want_plan(campaign: Campaign, least: int = 0) -> None:
    """Have the queue filled soon if it is half empty, or by so many pairs, for one who has had all that is in it."""
    asking = campaign.state == Campaign.State.OPEN and not campaign.finished
    if asking and _due_again("plan", campaign) and (least or _half_empty(campaign)):
        _want(campaign, "plan_due", plan_job, campaign.pk, least)
        _rest("plan", campaign, 0.1)


def want_ranking(campaign: Campaign) -> None:
    """Have a ranking made, in a while: answers that come until then are in it.

    It is asked for after the commit. A ranking that was waiting then begins later, and finds what was committed; had
    one been asked for before, it might read the answers without this one, and nobody would ask for another.
    """
    transaction.on_commit(partial(_want_ranking, campaign), robust=True)


def _want_ranking(campaign: Campaign) -> None:
    if not _due_again("ranking", campaign):
        return
    took = campaign.standings.order_by("-id").values_list("seconds", flat=True).first() or 0.0
    wait = max(PATIENCE, REST * took)
    if not _want(campaign, "ranking_due", ranking_job, campaign.pk, after=wait):  # another process has asked
        due = Campaign.objects.values_list("ranking_due", flat=True).get(pk=campaign.pk)
        wait = (due - timezone.now()).total_seconds() if due else 0.0
    _rest("ranking", campaign, wait)


@transaction.atomic
def want_plans() -> None:
    """Plan for every campaign that is open: a job that was being done by one who died is lost."""
    _asked.clear()
    Campaign.objects.update(plan_due=None)
    for campaign in Campaign.objects.filter(state=Campaign.State.OPEN):
        want_plan(campaign)


@transaction.atomic
def want_rankings() -> None:
    """Rank every campaign that is open, and those whose ranking was asked for and is lost in the same way."""
    _asked.clear()
    campaigns = list(Campaign.objects.filter(Q(state=Campaign.State.OPEN) | Q(ranking_due__isnull=False)))
    Campaign.objects.update(ranking_due=None)
    for campaign in campaigns:
        want_ranking(campaign)


def _due_again(what: str, campaign: Campaign) -> bool:
    """Whether it may be necessary to ask; so that this process does not ask at every answer."""
    return time.monotonic() >= _asked.get((what, campaign.pk), 0.0)


def _rest(what: str, campaign: Campaign, seconds: float) -> None:
    _asked[what, campaign.pk] = time.monotonic() + seconds


@transaction.atomic
def _want(campaign: Campaign, flag: str, job: Any, *args: int, after: float = 0.0) -> bool:
    """Ask for a job unless one is waiting."""
    due = timezone.now() + timedelta(seconds=after)
    asked = bool(Campaign.objects.filter(pk=campaign.pk, **{flag: None}).update(**{flag: due}))
    if asked:
        job.using(run_after=due if after else None).enqueue(*args)
    return asked


def _half_empty(campaign: Campaign) -> bool:
    """Whether less than half a batch is waiting in the queue."""
    half = campaign.spec.sampling.batch // 2 + 1
    return campaign.tasks.filter(taken__lt=F("wanted"))[:half].count() < half
