"""What answers about a query have decided is not asked: by order, by duplicates, by what is not relevant."""

import pytest

from sidewise.collect.server.answering import answer
from sidewise.collect.server.implied import Decided
from sidewise.collect.server.kinds import MIRRORED
from sidewise.collect.server.leasing import serve
from sidewise.collect.server.models import Task
from sidewise.collect.server.planning import plan

SEARCH = {"search": {"queries": "q.csv", "transitivity": True}, "serving": {"preload": 0}}


@pytest.fixture
def judged(opened, join):
    """A query with an assessor who says of a pair of documents, by number, how the first is to the second."""

    class Query:
        def __init__(self, items, **more):
            tables = {key: {**table, **more.get(key, {})} for key, table in SEARCH.items()}
            self.campaign = opened(items=items, kind={"group": "query"}, **{**more, **tables})
            self.ids = list(self.campaign.items.order_by("id").values_list("id", flat=True))
            self.worker = join(self.campaign)

        def say(self, first, second, said):
            """Wait until the pair is served, and say so; others are skipped over by taking them to the end."""
            pair = {self.ids[first], self.ids[second]}
            Task.objects.filter(first_id__in=pair, second_id__in=pair).update(place=-1)
            (one,) = serve(self.worker).page
            assert {one.task.first_id, one.task.second_id} == pair
            turned = (one.task.first_id != self.ids[first]) != one.swapped
            answer(self.worker, one.key, MIRRORED.get(said, said) if turned else said)

        def open(self):
            """The pairs that are still asked, by their documents' numbers."""
            tasks = self.campaign.tasks.filter(wanted__gt=0, taken=0).values_list("first_id", "second_id")
            return {(self.ids.index(one), self.ids.index(other)) for one, other in tasks}

    return Query


def test_a_over_b_and_b_over_c_say_a_over_c(judged):
    query = judged(4)
    query.say(0, 1, "left")
    query.say(1, 2, "left")
    assert query.open() == {(0, 3), (1, 3), (2, 3)}


def test_nothing_more_is_asked_about_what_is_not_relevant(judged):
    query = judged(4)
    query.say(0, 1, "left_not_relevant")
    assert query.open() == {(1, 2), (1, 3), (2, 3)}
    query.say(1, 2, "right_not_relevant")
    assert query.open() == {(1, 3)}


def test_duplicates_have_the_same_place(judged):
    query = judged(4)
    query.say(0, 1, "left")
    query.say(1, 2, "duplicates")
    assert query.open() == {(0, 3), (1, 3), (2, 3)}  # 0 over 2 follows
    query.say(1, 3, "left")
    assert query.open() == set()  # and so does 2 over 3


def test_a_tie_decides_nothing(judged):
    query = judged(3, answers={"tie": True})
    query.say(0, 1, "tie")
    assert query.open() == {(0, 2), (1, 2)}


def test_what_is_decided_is_not_asked_when_it_is_planned_later(judged):
    query = judged(6, sampling={"method": "full", "batch": 5})
    campaign = query.campaign
    task = campaign.tasks.order_by("place").first()
    first, second = query.ids.index(task.first_id), query.ids.index(task.second_id)
    query.say(first, second, "left_not_relevant")
    while campaign.tasks.count() < 15:
        assert plan(campaign, least=5)
    assert all(first not in pair for pair in query.open())
    assert len([pair for pair in query.open() if second in pair]) == 4


def test_decisions_are_all_that_follows_step_by_step(judged):
    from sidewise.collect.server.implied import reached

    query = judged(5)
    query.say(0, 1, "left")
    query.say(2, 0, "left")
    query.say(4, 3, "left")
    decided = Decided.by_answers(query.campaign, query.campaign.tasks.first().group)
    below = {query.ids.index(one): {query.ids.index(other) for other in those} for one, those in decided.below.items()}
    assert below == {0: {1}, 2: {0, 1}, 4: {3}}
    assert reached({1: {2}, 2: {1}}, 1) == {1, 2}
