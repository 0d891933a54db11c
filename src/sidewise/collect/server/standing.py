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
from sidewise.sampling import Enough, enough

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
    summary["scale"] = ranking.scale if ranking else ""
    summary["stopping"] = stopping(campaign)
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


def stopping(campaign: Campaign) -> list[dict[str, Any]]:
    """Each stopping rule, for each group of items: found, wanted, what remains. When all hold, the campaign is over."""
    wanted = _rules(campaign)
    groups = _sizes(campaign) if wanted else {}
    if not groups or max(groups.values()) > LARGEST:
        return []
    found = [(group, one) for group, size in groups.items() for one in _judged(campaign, group, _within(wanted, size))]
    complete = len(found) == len(groups) * len(wanted)  # a group without an answer is not settled
    if complete and all(one for _, one in found):
        finish(campaign, _said([one for _, one in found]))
    return [
        {
            "group": group, "goal": one.goal, "found": one.found, "wanted": one.wanted, "enough": one.enough,
            "more": one.more, "text": f"{group}: {one}" if len(groups) > 1 else str(one),
        }
        for group, one in found
    ]  # fmt: skip


def _rules(campaign: Campaign) -> list[dict[str, Any]]:
    """What ``enough`` is asked, for each rule of the campaign."""
    rule = campaign.spec.stopping
    rules: list[dict[str, Any]] = []
    if rule.rmse is not None:
        rules.append({"rmse": rule.rmse})
    if rule.top is not None:
        rules.append({"top": rule.top, "level": rule.confidence})
    return rules


def _within(rules: list[dict[str, Any]], size: int) -> list[dict[str, Any]]:
    """The rules for a group of so many items: of few, only so many can be the best."""
    return [{**rule, "top": min(rule["top"], size - 1)} if "top" in rule else rule for rule in rules]


def _sizes(campaign: Campaign) -> dict[str, int]:
    """Groups that have something to compare, with their numbers of items."""
    sizes = campaign.items.values_list("group").annotate(size=Count("id")).filter(size__gt=1).order_by("group")
    return dict(sizes)


def _judged(campaign: Campaign, group: str, rules: list[dict[str, Any]]) -> list[Enough]:
    """Each rule, by the answers of a group; none where there are no answers."""
    try:
        answers = comparisons(campaign, group)
    except NoComparisons:
        return []
    return [enough(answers, **rule) for rule in rules]


def _said(found: list[Enough]) -> str:
    """Why it is over, in the space that there is."""
    told = "; ".join(dict.fromkeys(one._finding() for one in found))
    return told if len(told) <= 200 else f"every group is settled ({len(found):,} rules hold)"


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
    with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    return sink.getvalue()


def unpacked(data: bytes | memoryview | None) -> pa.Table | None:
    """The table again."""
    return None if data is None else pa.ipc.open_file(pa.py_buffer(bytes(data))).read_all()
