"""What the dashboard shows, quickly at any size: the last standing, and what has come since."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from math import comb, isfinite
from typing import Any

import pyarrow as pa
from django.db.models import Count, F, Max, Q

from sidewise.collect.server.kinds import OUTCOMES
from sidewise.collect.server.models import Assignment, Campaign, Standing, Worker
from sidewise.collect.server.pages.charts import bars, interval, interval_axis, matrix
from sidewise.collect.server.pages.outlook import answers_an_hour, outlook
from sidewise.collect.server.standing import latest, unpacked

State = Assignment.State
TOP = 25


def dashboard_of(campaign: Campaign) -> dict[str, Any]:
    """Everything on one page."""
    standing = latest(campaign)
    summary = standing.summary if standing else {}
    rows = drawn(ranking_rows(campaign, standing)[:TOP])
    hours = by_hour(summary.get("hours", []))
    names = [row["item"] for row in rows]
    counts, tasks = asked(campaign, names)
    answers, pace = answered(campaign, standing), answers_an_hour(campaign)
    return {
        "standing": standing, "summary": summary, "rows": rows, "answers": answers, "pace": round(pace),
        "waiting": campaign.tasks.filter(taken__lt=F("wanted"))[:100_000].count(),
        "leased": campaign.assignments.filter(state=State.LEASED).count(),
        "budget": campaign.spec.budget.answers, "side": side_bias(summary.get("choices", {})), "hours": hours,
        "hours_chart": bars(hours, "Answers by hour"), "most_asked": max(counts.values(), default=0),
        "matrix_chart": matrix(names, counts, "How often each pair was asked"),
        "ends": outlook(campaign, summary.get("stopping", []), answers, pace),
        "pairs": [(tasks[a, b], names[a], names[b], count) for (a, b), count in sorted(counts.items(), key=_most)],
    }  # fmt: skip


def by_hour(counted: list[tuple[str, int]], least: int = 12, most: int = 72) -> list[tuple[str, int]]:
    """Answers of each hour up to the last one, those without any included."""
    if not counted:
        return []
    known = {datetime.fromisoformat(when): count for when, count in counted}
    last = max(known)
    span = min(max(int((last - min(known)).total_seconds() // 3600) + 1, least), most)
    hours = [last - timedelta(hours=back) for back in reversed(range(span))]
    return [(f"{hour:%-d %b, %H:00}", known.get(hour, 0)) for hour in hours]


def _most(counted: tuple[tuple[int, int], int]) -> int:
    return -counted[1]


def answered(campaign: Campaign, standing: Standing | None = None) -> int:
    """How many answers count: those of the last standing, and those that have come since."""
    counted = campaign.assignments.filter(state=State.ANSWERED)
    if standing is None:
        return counted.count()
    since = counted.filter(answered_at__gt=standing.summary.get("until") or standing.at)
    return standing.answers + since.count()


class Rows(Sequence[dict[str, Any]]):
    """A ranking, the best first; of many items, only the rows that are looked at are made."""

    def __init__(self, table: pa.Table | None) -> None:
        self.table = table.sort_by("rank") if table is not None and "rank" in table.column_names else table

    def __len__(self) -> int:
        return 0 if self.table is None else self.table.num_rows

    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, slice):
            return self[place : place + 1][0]
        start, stop, _ = place.indices(len(self))
        if self.table is None or stop <= start:
            return []
        before = max(start - 1, 0)
        rows = [dict(row) for row in self.table.slice(before, stop - before).to_pylist()]
        for one, other in pairwise(rows):
            other["new_tier"] = other.get("tier") != one.get("tier")
        return rows[start - before :]


def ranking_rows(campaign: Campaign, standing: Standing | None = None) -> Rows:
    """The newest ranking, row by row."""
    standing = standing or latest(campaign)
    return Rows(unpacked(standing.ranking) if standing is not None else None)


def drawn(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of a ranking as the page shows them: each with a picture of its interval, all on one scale."""
    known = bool(rows) and all(row.get("low") is not None and isfinite(row["low"]) for row in rows)
    axis = interval_axis(rows) if known else (0.0, 0.0)
    scores = [row["score"] for row in rows]
    places = 2 if rows and max(scores) - min(scores) > 0.5 else 3
    for row in rows:
        row |= {"places": places, "picture": interval(row, axis) if known else ""}
    return rows


def worker_rows(campaign: Campaign, workers: list[Worker]) -> list[dict[str, Any]]:
    """Workers with their numbers of answers, and what the ranking says of them."""
    table = unpacked(campaign.standings.order_by("-id").values_list("workers", flat=True).first())
    known = {row["worker"]: row for row in table.to_pylist()} if table is not None else {}
    those = Assignment.objects.filter(worker__in=workers).values("worker_id").order_by()
    done = Count("key", filter=Q(state__in=(State.ANSWERED, State.SURPLUS)))
    found = {one["worker_id"]: one for one in those.annotate(done=done, last=Max("answered_at"))}
    nothing = {"done": 0, "last": None}
    said = {one.pk: found.get(one.pk, nothing) for one in workers}
    return [
        {**known.get(one.name, {}), "worker": one, "answers": said[one.pk]["done"], "last": said[one.pk]["last"]}
        for one in workers
    ]


def asked(campaign: Campaign, names: list[str]) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]]:
    """Of the pairs of some items that were asked: how often, and the number of the task."""
    place = {name: position for position, name in enumerate(names)}
    ids = dict(campaign.items.filter(name__in=names).values_list("id", "name"))
    asked_tasks = campaign.tasks.filter(first_id__in=ids, second_id__in=ids, taken__gt=0)
    counts, tasks = {}, {}
    for number, first, second, taken in asked_tasks.values_list("id", "first_id", "second_id", "taken"):
        one, other = sorted((place[ids[first]], place[ids[second]]))
        counts[one, other], tasks[one, other] = taken, number
    return counts, tasks


def side_bias(choices: dict[str, int]) -> dict[str, Any] | None:
    """The share of the left side among decided answers, with how likely a fair crowd is as far off."""
    left, right = choices.get("left", 0), choices.get("right", 0)
    if not left + right:
        return None
    return {"left": left, "right": right, "share": 100 * left / (left + right), "p": two_sided(left, left + right)}


def two_sided(wins: int, total: int) -> float:
    """The probability that a fair coin is at least as far from half; exact for few, by the normal law for many."""
    if total > 2_000:
        from statistics import NormalDist

        away = (abs(wins - total / 2) - 0.5) / (total / 4) ** 0.5
        return min(1.0, 2 * (1 - NormalDist().cdf(max(away, 0.0))))
    least = max(wins, total - wins)
    return float(min(1.0, 2 * sum(comb(total, k) for k in range(least, total + 1)) / 2**total))


def tally(said: Iterable[Assignment]) -> dict[str, Any]:
    """Of the answers about a pair that count: how many preferred the first item, the second, neither."""
    counted = [one for one in said if one.state == State.ANSWERED and not one.set_aside]
    outcomes = [OUTCOMES.get(one.verdict or one.answer, 0.5) for one in counted]
    firsts = [1 - found if one.swapped else found for one, found in zip(counted, outcomes, strict=True)]
    return {"all": len(firsts), "first": firsts.count(1.0), "second": firsts.count(0.0), "neither": firsts.count(0.5)}
