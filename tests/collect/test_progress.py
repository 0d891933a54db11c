"""How far a worker has come with a query: from nothing, of what there is for them."""

import pytest

from sidewise.collect.server.answering import answer, undo
from sidewise.collect.server.leasing import serve
from sidewise.collect.server.pages.progress import progress

SEARCH = {"queries": "q.csv"}


@pytest.fixture
def query(opened):
    """A query of four documents: six pairs."""
    return lambda **more: opened(
        items=4, kind={"group": "query"}, search={**SEARCH, **more}, serving={"preload": 1, "overlap": 1}
    )


def told(worker):
    found = progress(worker, serve(worker))
    return found.get("query_done"), found.get("query_most")


def say(worker, said="left"):
    answer(worker, serve(worker).page[0].key, said)


def test_everybody_begins_with_nothing_and_what_others_have_is_not_counted(query, join):
    campaign = query()
    one, other = join(campaign), join(campaign)
    assert told(one) == (0, 6)
    assert told(other) == (0, 4)  # one has the other two: a pair on the page, and one ahead
    for _ in range(2):
        say(one)
    assert told(one)[0] == 2
    assert told(other)[0] == 0
    while serve(other).page:
        before = told(other)
        say(other)
        done, most = told(other)
        assert (done, most) == (before[0] + 1, before[1]) or not serve(other).page


def test_what_an_own_answer_decides_is_done_until_it_is_taken_back(query, join):
    campaign = query(transitivity=True)
    worker = join(campaign)
    assert told(worker) == (0, 6)
    say(worker, "left_not_relevant")
    assert told(worker) == (3, 6)
    undo(worker)
    assert told(worker) == (0, 6)


def test_what_the_answer_of_another_decides_is_not_there_to_do(query, join):
    campaign = query(transitivity=True)
    say(join(campaign), "left_not_relevant")
    assert told(join(campaign))[0] == 0
