"""How far it still is: to the stopping rule, to the end of the budget, and how long that takes at this pace."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from sidewise.collect.server.models import Assignment, Campaign
from sidewise.sampling.enough import rounded

LATELY = timedelta(minutes=30)
TITLES = {"rmse": "Accuracy of the scores", "top": "The top items"}
MANY = 6  # rules, of as many groups of items: more are told as one


def outlook(campaign: Campaign, rules: list[dict[str, Any]], answers: int, pace: float) -> list[dict[str, Any]]:
    """Each stopping rule, and the budget, as a heading, a sentence, what remains, and a part of the whole."""
    ends = [_rule(rule, pace, named=len(rules) > 2) for rule in rules] if len(rules) <= MANY else _together(rules, pace)
    budget = campaign.spec.budget.answers
    if budget is not None:
        left = max(0, budget - answers)
        more = f"{left:,} more answers{_time(left, pace)}" if left else "nothing remains"
        ends.append({"title": "Budget", "text": f"{answers:,} of {budget:,} answers", "more": more,
                     "part": min(1.0, answers / budget)})  # fmt: skip
    return ends


def answers_an_hour(campaign: Campaign, now: datetime | None = None) -> float:
    """The pace of the last half hour, or of the time since the campaign was made, if that is shorter."""
    now = now or timezone.now()
    since = max(now - LATELY, campaign.created_at)
    lately = campaign.assignments.filter(answered_at__gt=since, state=Assignment.State.ANSWERED)[:100_000].count()
    return 3600 * lately / max((now - since).total_seconds(), 60.0)


def _rule(rule: Mapping[str, Any], pace: float, *, named: bool) -> dict[str, Any]:
    found, wanted = rule["found"], rule["wanted"]
    if rule["goal"] == "rmse":
        part = min(1.0, wanted / found) if found else 1.0
        text = f"expected error {found:.2f} probits; wanted {wanted:.2f} or less"
    else:
        part = min(1.0, found / wanted)
        text = f"settled with a probability of {100 * found:.0f} %; wanted {100 * wanted:.0f} %"
    title = TITLES[rule["goal"]] + (f": {rule['group']}" if named and rule["group"] else "")
    more = "reached" if rule["enough"] else _more(rule["more"], pace)
    return {"title": title, "text": text, "more": more, "part": part}


def _together(rules: list[dict[str, Any]], pace: float) -> list[dict[str, Any]]:
    """The rules of many groups: how many of them hold, for each goal."""
    ends = []
    for goal in dict.fromkeys(rule["goal"] for rule in rules):
        these = [rule for rule in rules if rule["goal"] == goal]
        left = [rule["more"] for rule in these if not rule["enough"]]
        more = None if None in left else sum(left)
        text = f"settled in {len(these) - len(left):,} of {len(these):,} groups"
        ends.append({"title": TITLES[goal], "text": text, "part": 1 - len(left) / len(these),
                     "more": _more(more, pace) if left else "reached"})  # fmt: skip
    return ends


def _more(answers: int | None, pace: float) -> str:
    """About so many answers more, and how long they take."""
    if answers is None:
        return "how many more answers it takes cannot be told yet"
    if answers == 0:
        return "nothing remains"
    return f"about {rounded(answers):,} more answers{_time(answers, pace)}"


def _time(answers: int, pace: float) -> str:
    return f", {_lasting(answers / pace)} at the present pace" if pace else ""


def _lasting(hours: float) -> str:
    if hours < 1.5:
        return f"{max(1, round(60 * hours))} min"
    return f"{hours:.0f} hours" if hours < 48 else f"{hours / 24:,.0f} days"
