"""What to ask next, live: a queue of planned pairs is kept filled, so that serving never waits for mathematics."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet, Sum

from sidewise.collect.server.answers import comparisons
from sidewise.collect.server.implied import following, transitive
from sidewise.collect.server.log import Kind, record
from sidewise.collect.server.models import Assignment, Campaign, Item, Task
from sidewise.collect.server.spreading import balanced
from sidewise.comparisons import Comparisons
from sidewise.errors import NoComparisons
from sidewise.sampling import next_pairs

log = logging.getLogger("sidewise.collect")
LARGEST = 2_000  # items that a strategy is asked about at once: beyond, one batch takes longer than people wait
LATE = timedelta(seconds=5)  # that a strategy may take before pairs at random stand in for it
PLAIN = ("random", "full")  # need no mathematics, and have no limit
Pair = tuple[int, int]


def plan(campaign: Campaign, least: int = 0) -> int:
    """Fill the queue up to a batch of pairs, by so many at least; how many were added."""
    if campaign.state != Campaign.State.OPEN or campaign.finished:
        return 0
    waiting = campaign.tasks.filter(taken__lt=F("wanted")).count()
    wanted = min(max(campaign.spec.sampling.batch - waiting, least), _affordable(campaign))
    if wanted <= 0:
        return _end_if_over(campaign, waiting)
    pairs, by, trouble = _chosen(campaign, wanted)
    added = enqueue(campaign, pairs, by)
    if trouble != campaign.trouble:
        Campaign.objects.filter(pk=campaign.pk).update(trouble=trouble)
        if trouble:
            log.warning("campaign %s: %s", campaign.name, trouble)
            record(campaign, Kind.FALLBACK, why=trouble)
    return added or _end_if_over(campaign, waiting)


def revive(campaign: Campaign, now: datetime) -> int:
    """Do something about a dry queue, if the job that should fill it has been at it for too long."""
    due = Campaign.objects.values_list("plan_due", flat=True).get(pk=campaign.pk)
    if due is None or now - due < LATE:
        return 0
    return fill_at_random(campaign)


def fill_at_random(campaign: Campaign, count: int = 50) -> int:
    """Some pairs at once, for when the queue has run dry and the strategy is still at work."""
    groups = list(campaign.items.order_by("?").values_list("group", flat=True)[:1])
    if not groups or campaign.state != Campaign.State.OPEN or campaign.finished or campaign.restricted:
        return 0
    pairs = _least_asked(campaign, groups[0], min(count, _affordable(campaign)), np.random.default_rng())
    return enqueue(campaign, pairs, "random (the strategy was late)")


@transaction.atomic
def enqueue(campaign: Campaign, pairs: Sequence[Pair], by: str) -> int:
    """Put pairs at the end of the queue; one that is there already is left where it is."""
    current = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)  # one plans at a time
    fresh = _unknown(campaign, [(min(pair), max(pair)) for pair in pairs])
    groups = dict(campaign.items.filter(pk__in={item for pair in fresh for item in pair}).values_list("id", "group"))
    overlap, left = campaign.spec.serving.overlap, _affordable(campaign)
    tasks = [
        Task(campaign=campaign, first_id=first, second_id=second, group=groups[first], place=place, planned_by=by)
        for place, (first, second) in enumerate(fresh, start=current.planned)
    ]
    decided = {task.place for task in following(campaign, tasks, follows=True)}
    for task in tasks:  # what answers have decided is in the queue, too, so that it is not planned again
        task.wanted = 0 if task.place in decided else min(overlap, left)
        left -= task.wanted
    tasks = [task for task in tasks if task.wanted or task.place in decided]
    Task.objects.bulk_create(tasks, batch_size=2_000)
    _move_on(campaign, fresh[: len(tasks)])
    Campaign.objects.filter(pk=campaign.pk).update(planned=current.planned + len(tasks))
    if tasks:
        record(campaign, Kind.PLANNED, by_strategy=by, pairs=len(tasks))
    return len(tasks)


def _move_on(campaign: Campaign, pairs: Sequence[Pair]) -> None:
    """Set back the items of new pairs behind those that are asked about less often; chance decides among equals."""
    if campaign.restricted:
        campaign.allowed.filter(pk__in=_numbers(campaign.allowed.all(), pairs).values()).update(planned=True)
    more = Counter(item for pair in pairs for item in pair)
    items = list(Item.objects.filter(pk__in=more).order_by("id").only("id", "turn"))
    chance = np.random.default_rng([campaign.spec.sampling.seed, campaign.planned]).random(len(items)).tolist()
    for item, part in zip(items, chance, strict=True):
        item.turn = int(item.turn) + more[item.pk] + part
    Item.objects.bulk_update(items, ["turn"], batch_size=500)


def _unknown(campaign: Campaign, pairs: Sequence[Pair]) -> list[Pair]:
    """Those that have not been planned, each once, in their order."""
    known = _numbers(campaign.tasks.all(), pairs)
    return [pair for pair in dict.fromkeys(pairs) if pair not in known]


def _numbers(rows: QuerySet[Any], pairs: Sequence[Pair]) -> dict[Pair, int]:
    """The numbers of the rows that are about some pairs."""
    firsts, seconds, wanted = sorted({first for first, _ in pairs}), {second for _, second in pairs}, set(pairs)
    found: dict[Pair, int] = {}
    for start in range(0, len(firsts), 500):
        some = rows.filter(first_id__in=firsts[start : start + 500], second_id__in=seconds)
        for number, *pair in some.values_list("id", "first_id", "second_id"):
            if tuple(pair) in wanted:
                found[pair[0], pair[1]] = number
    return found


def _affordable(campaign: Campaign) -> int:
    """How many answers more may be planned."""
    budget = campaign.spec.budget.answers
    if budget is None:
        return 10**9
    return budget - int(campaign.tasks.aggregate(all=Sum("wanted"))["all"] or 0)


def _end_if_over(campaign: Campaign, waiting: int) -> int:
    """Say so when nothing is left to ask: neither in the queue nor with a worker."""
    leased = campaign.assignments.filter(state=Assignment.State.LEASED).exists()
    if not waiting and not leased:
        why = "the budget is spent" if _affordable(campaign) <= 0 else "every pair has been asked"
        finish(campaign, why)
    return 0


def finish(campaign: Campaign, why: str) -> None:
    """Ask nothing more. Leases that run may still be answered."""
    if Campaign.objects.filter(pk=campaign.pk, finished="").update(finished=why):
        campaign.finished = why
        campaign.tasks.filter(taken__lt=F("wanted")).update(wanted=F("taken"))
        record(campaign, Kind.FINISHED, why=why)


def reopen(campaign: Campaign, group: str | None = None) -> None:
    """Ask what was no longer asked: the campaign had been finished, or its answer followed from one that is gone.

    As far as the overlap and the budget go, and not what follows from the answers that count now.
    """
    overlap, left = campaign.spec.serving.overlap, _affordable(campaign)
    fewer = campaign.tasks.filter(wanted__lt=overlap).order_by("place")
    fewer = fewer if group is None else fewer.filter(group=group)
    if campaign.spec.budget.answers is None and not transitive(campaign):
        fewer.update(wanted=overlap)
        return
    for task in following(campaign, fewer, follows=False):
        more = min(overlap - task.wanted, left)
        if more <= 0:
            break
        left -= more
        Task.objects.filter(pk=task.pk).update(wanted=F("wanted") + more)


def _chosen(campaign: Campaign, count: int) -> tuple[list[Pair], str, str]:
    """Pairs by the campaign's strategy, group by group; by whom, and what was wrong if another had to stand in."""
    method = campaign.spec.sampling.method
    chosen: list[Pair] = []
    trouble = ""
    for group, size in _groups(campaign):
        room = count - len(chosen)
        if room <= 0:
            break
        try:
            chosen += _by_strategy(campaign, group, size, room)
        except Exception as error:  # noqa: BLE001 - whatever ails a strategy, people who have come to answer are served
            trouble = f"{method} failed ({error}); pairs are chosen at random, evenly, until it works again"[:500]
            chosen += _at_random(campaign, group, room)
    return chosen, "random (fallback)" if trouble else method, trouble


def _groups(campaign: Campaign) -> list[tuple[str, int]]:
    """Groups with their sizes, those with the smallest part of their pairs planned first."""
    sizes = dict(campaign.items.values_list("group").annotate(size=Count("id")).order_by("group"))
    planned = dict(campaign.tasks.values_list("group").annotate(size=Count("id")).order_by())
    share = {group: planned.get(group, 0) / (size * (size - 1) / 2) for group, size in sizes.items() if size > 1}
    return [(group, sizes[group]) for group in sorted(share, key=lambda group: share[group]) if share[group] < 1]


def _by_strategy(campaign: Campaign, group: str, size: int, count: int) -> list[Pair]:
    """What the strategy wants to know about a group."""
    sampling, search = campaign.spec.sampling, campaign.spec.search
    if search is not None and search.hold:
        return _held(campaign, group, count)
    if sampling.method in PLAIN or (campaign.restricted and size > LARGEST):
        return _at_random(campaign, group, count)
    if size > LARGEST:
        raise ValueError(f"{size:,} items are too many for it; {LARGEST:,} are the most")
    ids = dict(campaign.items.filter(group=group).order_by("id").values_list("name", "id"))
    answers: Comparisons | list[str]
    try:
        answers = comparisons(campaign, group)
    except NoComparisons:
        answers = list(ids)
    names = list(answers.items) if isinstance(answers, Comparisons) else answers
    pairs = next_pairs(
        answers, method=sampling.method, batch=min(count, max(size - 1, 1)), seed=sampling.seed + campaign.planned,
        allowed=_open(campaign, group, [ids[name] for name in names]), in_flight=_in_flight(campaign, group),
        goal=sampling.goal, top=sampling.top,
    )  # fmt: skip
    return [(ids[left], ids[right]) for left, right in pairs]


def _open(campaign: Campaign, group: str, items: Sequence[int]) -> np.ndarray:
    """Which pairs may be planned: allowed, and not planned yet."""
    place = {item: position for position, item in enumerate(items)}
    allowed = _allowed(campaign, group)
    mask = np.full((len(items), len(items)), allowed is None)
    for one, other in allowed or ():
        if one in place and other in place:
            mask[place[one], place[other]] = mask[place[other], place[one]] = True
    for first, second in campaign.tasks.filter(group=group).values_list("first_id", "second_id"):
        mask[place[first], place[second]] = mask[place[second], place[first]] = False
    np.fill_diagonal(mask, val=False)
    return mask


def _in_flight(campaign: Campaign, group: str) -> list[tuple[str, str]]:
    """Pairs with answers that are still to come, as often as they are."""
    counted = Count("assignments", filter=Q(assignments__state=Assignment.State.ANSWERED, assignments__set_aside=False))
    tasks = campaign.tasks.filter(group=group).annotate(answered=counted).filter(wanted__gt=F("answered"))
    rows = tasks.values_list("first__name", "second__name", "wanted", "answered")
    return [(first, second) for first, second, wanted, answered in rows for _ in range(wanted - answered)]


def _at_random(campaign: Campaign, group: str, count: int) -> list[Pair]:
    """A balanced random design: items that were planned least come first."""
    if campaign.restricted:
        left = campaign.allowed.filter(group=group, planned=False).order_by("turn", "id")
        return list(left.values_list("first_id", "second_id")[:count])
    rng = np.random.default_rng([campaign.spec.sampling.seed, campaign.planned])
    return _least_asked(campaign, group, count, rng)


def _least_asked(campaign: Campaign, group: str, count: int, rng: np.random.Generator) -> list[Pair]:
    """Pairs of the items whose turn it is: no more of a group is read than is needed, unless there is nothing new."""
    items = campaign.items.filter(group=group).order_by("turn", "id").values_list("id", "turn")
    turns, tasks = dict(items[: 2 * count]), campaign.tasks.filter(group=group)
    pairs = _among(turns, tasks.filter(first_id__in=turns, second_id__in=turns), count, rng)
    if len(pairs) < count and len(turns) == 2 * count:
        return _among(dict(items), tasks, count, rng)
    return pairs


def _among(turns: Mapping[int, float], tasks: QuerySet[Task], count: int, rng: np.random.Generator) -> list[Pair]:
    """New pairs of items, given those that are there."""
    degree = {item: int(turn) for item, turn in turns.items()}
    return balanced(sorted(degree), degree, set(tasks.values_list("first_id", "second_id")), count, rng)


def _held(campaign: Campaign, group: str, count: int) -> list[Pair]:
    """One document with all others of its query, then the next: whoever judges has to read only one anew."""
    rng = np.random.default_rng([campaign.spec.sampling.seed, len(group)])
    items = list(campaign.items.filter(group=group).order_by("id").values_list("id", flat=True))
    rng.shuffle(items)
    known = set(campaign.tasks.filter(group=group).values_list("first_id", "second_id"))
    fresh = [pair for pair in combinations(items, 2) if tuple(sorted(pair)) not in known]
    return fresh[: max(count, len(items))]


def _allowed(campaign: Campaign, group: str) -> list[Pair] | None:
    """The pairs of a group that may be asked; None where all may."""
    if not campaign.restricted:
        return None
    return list(campaign.allowed.filter(group=group).values_list("first_id", "second_id"))
