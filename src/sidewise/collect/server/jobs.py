"""Work that nobody should wait for: planning what to ask next, ranking what was said.

Kept in the database's queues, one for each of the two: a ranking of a million answers takes a minute, in which workers
would run out of pairs if planning had to wait for it.
"""

import logging
import time
from datetime import timedelta
from typing import Any

from django.db.models import F
from django.utils import timezone
from django_tasks import task

from sidewise.collect.server.models import Campaign

log = logging.getLogger("sidewise.collect")
PATIENCE = 2.0  # seconds between two rankings, at least …
REST = 4.0  # … and so many times as long as the last one took: it leaves the processor to those who answer
_asked: dict[tuple[str, int], float] = {}  # when this process last asked for a job; saves it from asking all the time


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
    if asking and _now_and_then("plan", campaign, 0.1) and (least or _half_empty(campaign)):
        _want(campaign, "plan_due", plan_job, campaign.pk, least)


def want_ranking(campaign: Campaign) -> None:
    """Have a ranking made, in a while: answers that come until then are in it."""
    if _now_and_then("ranking", campaign, PATIENCE / 2):
        took = campaign.standings.order_by("-id").values_list("seconds", flat=True).first() or 0.0
        _want(campaign, "ranking_due", ranking_job, campaign.pk, after=max(PATIENCE, REST * took))


def want_all() -> None:
    """Ask for everything again, after a start: a job that was running when the server died is lost."""
    _asked.clear()
    Campaign.objects.update(plan_due=None, ranking_due=None)
    for campaign in Campaign.objects.filter(state=Campaign.State.OPEN):
        want_plan(campaign)
        want_ranking(campaign)


def _now_and_then(what: str, campaign: Campaign, every: float) -> bool:
    """Whether this process has not asked for a while; so that it does not ask at every answer."""
    now = time.monotonic()
    if now - _asked.get((what, campaign.pk), -1e9) < every:
        return False
    _asked[what, campaign.pk] = now
    return True


def _want(campaign: Campaign, flag: str, job: Any, *args: int, after: float = 0.0) -> None:
    """Ask for a job unless one is waiting."""
    due = timezone.now() + timedelta(seconds=after)
    if Campaign.objects.filter(pk=campaign.pk, **{flag: None}).update(**{flag: due}):
        job.using(run_after=due if after else None).enqueue(*args)


def _half_empty(campaign: Campaign) -> bool:
    """Whether less than half a batch is waiting in the queue."""
    half = campaign.spec.sampling.batch // 2 + 1
    return campaign.tasks.filter(taken__lt=F("wanted"))[:half].count() < half
