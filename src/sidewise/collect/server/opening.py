"""From a campaign file to a campaign on the server."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from django.db import IntegrityError, transaction

from sidewise.collect.campaign import Checked
from sidewise.collect.campaign import Item as SpecItem
from sidewise.collect.server import jobs
from sidewise.collect.server.log import Kind, record
from sidewise.collect.server.models import Allowed, Campaign, Item, Worker
from sidewise.errors import SidewiseError

State = Campaign.State
# Which states may follow which. Nothing follows closed: its ranking may have been published.
FOLLOWS = {
    State.DRAFT: {State.OPEN, State.CLOSED},
    State.OPEN: {State.PAUSED, State.CLOSED},
    State.PAUSED: {State.OPEN, State.CLOSED},
    State.CLOSED: set[State](),
}


@transaction.atomic
def create(checked: Checked, owner: Any) -> Campaign:
    """A new campaign, in draft, with everything that its files say."""
    spec = checked.campaign
    try:
        with transaction.atomic():
            campaign = Campaign.objects.create(
                name=spec.name, owner=owner, content=spec.to_dict(), folder=str(spec.media_folder.resolve()),
                queries=told_queries(checked), instructions=checked.instructions,
                restricted=checked.allowed is not None,
            )  # fmt: skip
    except IntegrityError:
        raise SidewiseError(f"there is a campaign {spec.name!r} already; give this one another name") from None
    record(campaign, Kind.CREATED, by=owner, content=campaign.content)
    add_items(campaign, checked.items, by=owner)
    if checked.allowed is not None:
        allow(campaign, checked.allowed)
    invite(campaign, checked.workers or ())
    return campaign


def told_queries(checked: Checked) -> dict[str, list[str]]:
    """The queries of a search campaign as the server keeps them."""
    return {name: [query.query, query.description] for name, query in checked.queries.items()}


def invite(campaign: Campaign, names: Iterable[str]) -> None:
    """Workers who may come by a link; those who are there already stay as they are."""
    invited = [Worker(campaign=campaign, name=name, invited=True) for name in names]
    Worker.objects.bulk_create(invited, batch_size=2_000, ignore_conflicts=True)


def allow(campaign: Campaign, pairs: Iterable[tuple[str, str]]) -> None:
    """Pairs that may be asked, in a campaign that restricts them; of those that were there already, the sides."""
    ids = {name: (number, group) for name, number, group in campaign.items.values_list("name", "id", "group")}
    listed = [(ids[left], ids[right]) for left, right in pairs]
    turned = {(min(left, right), max(left, right)): left > right for left, right in listed}  # each pair once
    turns = _turns(campaign, len(turned))
    Allowed.objects.bulk_create(
        (
            Allowed(campaign=campaign, first_id=first, second_id=second, group=group, turn=turn, turned=other)
            for (((first, group), (second, _)), other), turn in zip(turned.items(), turns, strict=True)
        ),
        batch_size=2_000, update_conflicts=True, update_fields=["turned"],
        unique_fields=["campaign", "first", "second"],
    )  # fmt: skip


def _turns(campaign: Campaign, count: int) -> list[float]:
    """What decides among equals, by the campaign's seed."""
    turns: list[float] = np.random.default_rng([campaign.spec.sampling.seed, count]).random(count).tolist()
    return turns


@transaction.atomic
def add_items(campaign: Campaign, items: Iterable[SpecItem], *, by: Any) -> int:
    """More items for a campaign; none of them may be there already."""
    if campaign.state == State.CLOSED:
        raise SidewiseError("this campaign is closed; its items stay as they are")
    those = list(items)
    fresh = [
        Item(campaign=campaign, name=one.id, media=one.media, group=one.group or "", attributes=dict(one.attributes),
             turn=turn)
        for one, turn in zip(those, _turns(campaign, len(those)), strict=True)
    ]  # fmt: skip
    twice = [name for name, count in Counter(one.name for one in fresh).items() if count > 1]
    if twice:
        raise SidewiseError(f"the item {twice[0]!r} comes twice; ids are given once")
    try:
        with transaction.atomic():
            Item.objects.bulk_create(fresh, batch_size=2_000)
    except IntegrityError:
        raise SidewiseError("one of these items is there already; ids are given once") from None
    if fresh:
        record(campaign, Kind.ITEMS, by=by, added=len(fresh))
    return len(fresh)


@transaction.atomic
def change_state(campaign: Campaign, state: str, *, by: Any) -> None:
    """Open, pause or close a campaign."""
    current = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if state not in FOLLOWS[State(current.state)]:
        raise SidewiseError(f"a campaign that is {current.state} cannot become {state}")
    if state == State.OPEN and campaign.items.count() < 2:
        raise SidewiseError("a campaign needs two items before it can open; add some")
    Campaign.objects.filter(pk=campaign.pk).update(state=state)
    campaign.state = state
    record(campaign, Kind.STATE, by=by, before=current.state, after=state)
    if state == State.OPEN:
        jobs.want_plan(campaign)
