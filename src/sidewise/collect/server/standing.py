"""Where things stand: the ranking that follows from the answers, with what the dashboard shows beside it."""

import io
import logging
import time
import warnings
from typing import Any

import pyarrow as pa
from django.db.models import Count, Max
from django.db.models.functions import TruncHour

from sidewise.collect.server.answers import comparisons
from sidewise.collect.server.models import Assignment, Campaign, Standing
from sidewise.collect.server.planning import LARGEST, finish
from sidewise.comparisons import Comparisons
from sidewise.errors import NoComparisons, SidewiseError
from sidewise.models import rank
from sidewise.ranking import Ranking
from sidewise.sampling import enough

log = logging.getLogger("sidewise.collect")
KEPT = 20  # rankings of a campaign; older ones can be made again from the log


def latest(campaign: Campaign) -> Standing | None:
    """The newest ranking of a campaign."""
    return campaign.standings.order_by("-id").first()


def refit(campaign: Campaign) -> Standing:
    """Rank the answers so far, unless that has been done; and see whether they are enough."""
    started = time.perf_counter()
    try:
        answers = comparisons(campaign)
    except NoComparisons:
        return _nothing(campaign)
    last = latest(campaign)
    if last is not None and last.digest == answers.digest:
        return last
    ranking, remarks = _ranked(campaign, answers)
    summary = {**summarised(campaign), "remarks": remarks, "model": ranking.fit.model if ranking else ""}
    if len(campaign.items.all()[: LARGEST + 1]) <= LARGEST:
        summary["stopping"] = stopping(campaign, answers)
    made = Standing.objects.create(
        campaign=campaign, answers=len(answers), digest=answers.digest, seconds=time.perf_counter() - started,
        ranking=packed(ranking.to_frame()) if ranking else None, summary=summary,
        workers=packed(ranking.workers) if ranking is not None and ranking.workers is not None else None,
    )  # fmt: skip
    old = campaign.standings.order_by("-id").values_list("id", flat=True)[KEPT : KEPT + 100]
    Standing.objects.filter(pk__in=list(old)).delete()
    return made


def _nothing(campaign: Campaign) -> Standing:
    """That there are no answers is kept only where there were some, which have been set aside or taken back."""
    nothing = Standing(campaign=campaign, answers=0, digest="", seconds=0.0, summary=summarised(campaign))
    last = latest(campaign)
    if last is not None and last.answers:
        nothing.save()
    return nothing


def _ranked(campaign: Campaign, answers: Comparisons) -> tuple[Ranking | None, list[str]]:
    """By the campaign's model; what it warned of, or why there is no ranking."""
    workers = 0 if answers.worker is None else len(set(answers.worker.tolist()))
    model = campaign.spec.sampling.model or ("worker-bt" if workers > 1 else "bradley-terry")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return rank(answers, model), [str(one.message) for one in caught]
        except SidewiseError as error:
            log.warning("campaign %s: %s", campaign.name, error)
            return None, [str(error)]


def stopping(campaign: Campaign, answers: Comparisons) -> list[dict[str, Any]]:
    """Each stopping rule of the campaign: what was found, what is wanted, what remains. When all hold, it is over."""
    rule = campaign.spec.stopping
    wanted: list[dict[str, Any]] = []
    if rule.rmse is not None:
        wanted.append({"rmse": rule.rmse})
    if rule.top is not None:
        wanted.append({"top": rule.top, "level": rule.confidence})
    found = [enough(answers, **one) for one in wanted]
    if found and all(found):
        finish(campaign, "; ".join(one._finding() for one in found))
    return [
        {
            "goal": one.goal,
            "found": one.found,
            "wanted": one.wanted,
            "enough": one.enough,
            "more": one.more,
            "text": str(one),
        }
        for one in found
    ]


def summarised(campaign: Campaign) -> dict[str, Any]:
    """What the answers look like: by hour, by choice, by side."""
    counted = campaign.assignments.filter(state=Assignment.State.ANSWERED)
    by_hour = (
        counted.annotate(hour=TruncHour("answered_at")).values_list("hour").annotate(Count("key")).order_by("hour")
    )
    by_choice = dict(counted.values_list("answer").annotate(Count("key")).order_by("answer"))
    return {
        "until": str(counted.aggregate(last=Max("answered_at"))["last"] or ""),
        "hours": [[hour.isoformat(), count] for hour, count in by_hour],
        "choices": by_choice,
        "pairs": campaign.tasks.filter(taken__gt=0).count(),
        "workers": campaign.workers.count(),
    }


def packed(table: pa.Table) -> bytes:
    """A table as bytes, for the database."""
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def unpacked(data: bytes | memoryview | None) -> pa.Table | None:
    """The table again."""
    return None if data is None else pa.ipc.open_file(pa.py_buffer(bytes(data))).read_all()
