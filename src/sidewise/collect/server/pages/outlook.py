"""How far it still is: to the stopping rule, to the end of the budget, and how long that takes at this pace."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from sidewise.collect.server.models import Assignment, Campaign
from sidewise.sampling.enough import rounded

LATELY = timedelta(minutes=30)


def outlook(campaign: Campaign, rules: list[dict[str, Any]], answers: int) -> list[dict[str, Any]]:
    """Each stopping rule, and the budget, as a heading, a sentence, what remains, and a part of the whole."""
    pace = answers_an_hour(campaign)
    ends = [_rule(rule, pace) for rule in rules]
    budget = campaign.spec.budget.answers
    if budget is not None:
        left = max(0, budget - answers)
        ends.append({"title": "Budget", "text": f"{answers:,} of {budget:,} answers", "more": _more(left, pace),
                     "part": min(1.0, answers / budget)})  # fmt: skip
    return ends


def answers_an_hour(campaign: Campaign, now: datetime | None = None) -> float:
    """The pace of the last half hour, or of the time since the campaign was made, if that is shorter."""
    now = now or timezone.now()
    since = max(now - LATELY, campaign.created_at)
    lately = campaign.assignments.filter(answered_at__gt=since, state=Assignment.State.ANSWERED)[:100_000].count()
    return 3600 * lately / max((now - since).total_seconds(), 60.0)


def _rule(rule: Mapping[str, Any], pace: float) -> dict[str, Any]:
    found, wanted = rule["found"], rule["wanted"]
    if rule["goal"] == "rmse":
        title, part = "Accuracy of the scores", min(1.0, wanted / found) if found else 1.0
        text = f"expected error {found:.2f} probits; wanted {wanted:.2f} or less"
    else:
        title, part = "The top items", min(1.0, found / wanted)
        text = f"settled with a probability of {100 * found:.0f} %; wanted {100 * wanted:.0f} %"
    more = "reached" if rule["enough"] else _more(rule["more"], pace)
    return {"title": title, "text": text, "more": more, "part": part}


def _more(answers: int | None, pace: float) -> str:
    """So many answers more, and how long they take."""
    if answers is None:
        return "how many more answers it takes cannot be told yet"
    if answers == 0:
        return "nothing remains"
    time = f", {_lasting(answers / pace)} at the present pace" if pace else ""
    return f"about {rounded(answers):,} more answers{time}"


def _lasting(hours: float) -> str:
    if hours < 1.5:
        return f"{max(1, round(60 * hours))} min"
    return f"{hours:.0f} hours" if hours < 48 else f"{hours / 24:,.0f} days"
