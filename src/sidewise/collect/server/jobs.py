"""Work that nobody should wait for: planning what to ask next, and ranking what was said. Kept in the database's queue."""

import time
from datetime import timedelta
from typing import Any

from django.db.models import F
from django.utils import timezone
from django_tasks import task

from sidewise.collect.server.models import Campaign

PATIENCE = 2.0  # seconds between two rankings, at least
_asked: dict[tuple[str, int], float] = {}  # when this process last asked for a job; saves it from asking all the time


@task()
def plan_job(campaign_id: int) -> int:
    """Fill the queue of a campaign."""
    from sidewise.collect.server.planning import plan

    try:
        return plan(Campaign.objects.get(pk=campaign_id))
    finally:  # only now: while it is set, whoever finds the queue dry can see how late the strategy is
        Campaign.objects.filter(pk=campaign_id).update(plan_due=None)


@task()
def ranking_job(campaign_id: int) -> int:
    """Rank what has been said so far."""
    from sidewise.collect.server.standing import refit

    Campaign.objects.filter(pk=campaign_id).update(ranking_due=None)
    return refit(Campaign.objects.get(pk=campaign_id)).answers


def want_plan(campaign: Campaign) -> None:
    """Have the queue filled, soon, if it is half empty."""
    if campaign.state == Campaign.State.OPEN and not campaign.finished:
        _want(campaign, "plan_due", plan_job, after=0.0, every=0.1)


def want_ranking(campaign: Campaign) -> None:
    """Have a ranking made, in a while: answers that come until then are in it."""
    _want(campaign, "ranking_due", ranking_job, after=PATIENCE, every=PATIENCE / 2)


def want_all() -> None:
    """Ask for everything again, after a start: a job that was running when the server died is lost."""
    _asked.clear()
    Campaign.objects.update(plan_due=None, ranking_due=None)
    for campaign in Campaign.objects.filter(state=Campaign.State.OPEN):
        want_plan(campaign)
        want_ranking(campaign)


def _want(campaign: Campaign, flag: str, job: Any, *, after: float, every: float) -> None:
    """Ask for a job unless one is waiting; this process asks only now and then."""
    now = time.monotonic()
    if now - _asked.get((flag, campaign.pk), -1e9) < every:
        return
    _asked[flag, campaign.pk] = now
    if flag == "plan_due" and not _half_empty(campaign):
        return
    due = timezone.now() + timedelta(seconds=after)
    if Campaign.objects.filter(pk=campaign.pk, **{flag: None}).update(**{flag: due}):
        job.using(run_after=due if after else None).enqueue(campaign.pk)


def _half_empty(campaign: Campaign) -> bool:
    """Whether less than half a batch is waiting in the queue."""
    half = campaign.spec.sampling.batch // 2 + 1
    return campaign.tasks.filter(taken__lt=F("wanted"))[:half].count() < half
