"""Leases, answers, undo: the promises of serving, on both databases."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from sidewise.collect.server.answering import Refused, answer, undo, undoable
from sidewise.collect.server.answers import comparisons
from sidewise.collect.server.leasing import expire, lease, serve
from sidewise.collect.server.models import Campaign, Event, Task
from sidewise.collect.server.opening import allow, change_state
from sidewise.collect.server.planning import plan


def states(campaign):
    return Counter(campaign.assignments.values_list("state", flat=True))


def slots_agree(campaign):
    """What is taken of each task is what runs and what counts, and never more than wanted."""

    for task in Task.objects.filter(campaign=campaign):
        holding = task.assignments.filter(state__in=["leased", "answered"]).count()
        assert task.taken == holding <= task.wanted
    return True


def now():

    return timezone.now()


def test_a_worker_gets_a_task_and_keeps_it_when_the_page_is_loaded_again(opened, join):

    worker = join(opened())
    first = serve(worker)
    assert len(first.page) == 1
    assert len(first.ahead) == 1
    assert [one.key for one in serve(worker).page] == [one.key for one in first.page]
    assert states(worker.campaign) == {"leased": 2}


def test_an_answer_sent_twice_counts_once_and_the_first_word_stands(opened, join):

    worker = join(opened())
    (one,) = serve(worker).page
    assert not answer(worker, one.key, "left").again
    assert answer(worker, one.key, "left").again
    assert answer(worker, one.key, "right").assignment.answer == "left"
    assert Event.objects.filter(kind="answered").count() == 1
    assert Event.objects.get(kind="repeated").data == {"answer": "right", "kept": "left"}
    assert slots_agree(worker.campaign)


def test_an_answer_that_is_not_offered_is_refused(opened, join):

    worker = join(opened())
    (one,) = serve(worker).page
    with pytest.raises(Refused, match="'tie' is not offered; there are: left, right"):
        answer(worker, one.key, "tie")
    assert states(worker.campaign)["leased"] == 2


@pytest.mark.parametrize("key", ["nonsense", "00000000-0000-4000-8000-000000000000"])
def test_nobody_answers_a_task_that_is_not_theirs(opened, join, key):

    campaign = opened()
    mine, other = join(campaign), join(campaign)
    (one,) = serve(mine).page
    for wrong in (key, one.key):
        with pytest.raises(Refused, match="not yours"):
            answer(other, wrong, "left")


def test_overlap_is_the_number_of_different_workers_who_judge_a_pair(opened, join):

    campaign = opened(items=4, serving={"overlap": 3, "preload": 0})
    for _ in range(5):
        worker = join(campaign)
        while page := serve(worker).page:
            answer(worker, page[0].key, "left")
    answered = Counter(campaign.assignments.filter(state="answered").values_list("task_id", flat=True))
    assert set(answered.values()) == {3}
    assert len(answered) == 6
    assert slots_agree(campaign)


def test_a_lease_that_runs_out_is_given_to_others_and_a_late_answer_is_kept_and_marked(opened, join):

    campaign = opened(items=2, serving={"overlap": 1, "preload": 0, "lease_seconds": 10})
    slow, quick = join(campaign), join(campaign)
    (one,) = serve(slow).page
    assert serve(quick).why == "nothing"
    later = now() + timedelta(seconds=11)
    (other,) = serve(quick, later).page
    assert other.task_id == one.task_id
    assert answer(quick, other.key, "left", now=later).assignment.state == "answered"
    kept = answer(slow, one.key, "right", now=later).assignment
    assert (kept.state, kept.late, kept.answer) == ("surplus", True, "right")
    assert expire(campaign.pk, later) == 0
    assert slots_agree(campaign)


def test_a_late_answer_counts_if_nobody_else_has_the_task(opened, join):

    campaign = opened(items=2, serving={"preload": 0, "lease_seconds": 10})
    worker = join(campaign)
    (one,) = serve(worker).page
    later = now() + timedelta(seconds=11)
    assert expire(campaign.pk, later) == 1
    assert slots_agree(campaign)
    kept = answer(worker, one.key, "left", now=later).assignment
    assert (kept.state, kept.late) == ("answered", True)
    assert slots_agree(campaign)


@pytest.mark.parametrize("expired", [False, True])
def test_a_skip_gives_the_slot_back_and_the_same_worker_is_not_asked_again(opened, join, expired):

    campaign = opened(items=2, serving={"preload": 0, "lease_seconds": 10}, answers={"skip": True})
    worker, other = join(campaign), join(campaign)
    (one,) = serve(worker).page
    later = now() + timedelta(seconds=11 if expired else 1)
    if expired:
        expire(campaign.pk, later)
    answer(worker, one.key, "skip", reason="broken picture", now=later)
    assert slots_agree(campaign)
    assert not serve(worker, later).page
    assert serve(other, later).page[0].task_id == one.task_id


def test_undo_gives_the_task_back_within_the_window_and_the_log_keeps_both(opened, join):

    campaign = opened(serving={"undo_seconds": 30})
    worker = join(campaign)
    (one,) = serve(worker).page
    answer(worker, one.key, "left")
    assert undoable(worker)
    assert undo(worker).key == one.key
    assert serve(worker).page[0].key == one.key
    answer(worker, one.key, "right")
    assert campaign.assignments.get(key=one.key).answer == "right"
    kinds = [event.kind for event in campaign.events.filter(assignment=one.key).order_by("id")]
    assert kinds == ["leased", "served", "answered", "undone", "answered"]
    assert slots_agree(campaign)
    with pytest.raises(Refused, match="no answer left"):
        undo(worker, now() + timedelta(seconds=31))


def test_a_skip_can_be_taken_back_while_its_slot_is_free(opened, join):

    campaign = opened(items=2, serving={"preload": 0}, answers={"skip": True})
    worker, other = join(campaign), join(campaign)
    (one,) = serve(worker).page
    answer(worker, one.key, "skip")
    undo(worker)
    assert slots_agree(campaign)
    answer(worker, one.key, "skip")
    assert serve(other).page
    with pytest.raises(Refused, match="somebody else"):
        undo(worker)
    assert slots_agree(campaign)


@pytest.mark.parametrize(("state", "why"), [("paused", "paused"), ("closed", "closed")])
def test_answers_to_running_leases_are_kept_when_a_campaign_stops_but_nothing_new_is_served(
    opened, join, owner, state, why
):

    campaign = opened(serving={"preload": 0})
    worker = join(campaign)
    (one,) = serve(worker).page
    change_state(campaign, state, by=owner)
    worker = type(worker).objects.select_related("campaign").get(pk=worker.pk)
    assert answer(worker, one.key, "left").assignment.state == "answered"
    assert serve(worker).why == why


def test_a_barred_worker_is_served_nothing_and_what_still_comes_does_not_count(opened, join):

    campaign = opened(serving={"preload": 0})
    worker = join(campaign)
    (one,) = serve(worker).page
    worker.barred = True
    worker.save()
    assert serve(worker).why == "barred"
    assert answer(worker, one.key, "left").assignment.state == "surplus"
    assert slots_agree(campaign)


def test_a_worker_is_done_after_so_many_tasks(opened, join):

    worker = join(opened(serving={"tasks_per_worker": 3, "tasks_per_page": 2}))
    for _ in range(3):
        answer(worker, serve(worker).page[0].key, "left")
    assert serve(worker).why == "done"


def test_the_budget_is_never_exceeded(opened, join):

    campaign = opened(items=10, serving={"overlap": 2, "preload": 0}, budget={"answers": 7})
    for _ in range(6):
        worker = join(campaign)
        while page := serve(worker).page:
            answer(worker, page[0].key, "left")
            plan(Campaign.objects.get(pk=campaign.pk))
    assert states(campaign)["answered"] == 7
    plan(campaign)
    assert Campaign.objects.get(pk=campaign.pk).finished == "the budget is spent"


def test_at_most_so_many_answers_an_hour(opened, join):

    worker = join(opened(budget={"per_hour": 2}, serving={"preload": 0}))
    for _ in range(2):
        answer(worker, serve(worker).page[0].key, "left")
    assert serve(worker).why == "later"
    assert serve(worker, now() + timedelta(hours=1, seconds=1)).page


def test_a_commit_waits_for_the_disk(database):
    """As far as it is ours to say: of PostgreSQL nothing is asked that would have it acknowledge before it has kept."""
    with connection.cursor() as cursor:
        if database == "sqlite":
            assert cursor.execute("PRAGMA synchronous").fetchone() == (2,)
            assert cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        else:
            cursor.execute("SELECT name FROM pg_settings WHERE source IN ('client', 'session', 'user', 'database')")
            ours = {name for (name,) in cursor.fetchall()}
            assert ours.isdisjoint({"synchronous_commit", "fsync", "full_page_writes"})


def test_nobody_can_change_an_event(opened, database):  # noqa: ARG001

    opened()
    for change in (lambda: Event.objects.update(kind="answered"), lambda: Event.objects.all().delete()):
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            change()


def test_many_at_once_never_exceed_the_overlap_and_lose_nothing(opened, join):

    campaign = opened(items=12, serving={"overlap": 2}, sampling={"method": "random", "batch": 100})
    workers = [join(campaign) for _ in range(12)]

    def work(worker):
        said = 0
        try:
            while page := serve(worker).page:
                answer(worker, page[0].key, "left")
                answer(worker, page[0].key, "left")  # a double click
                said += 1
        finally:
            connection.close()
        return said

    with ThreadPoolExecutor(12) as pool:
        said = sum(pool.map(work, workers))
    assert said == 66 * 2 == states(campaign)["answered"]
    assert Event.objects.filter(kind="answered").count() == said
    assert slots_agree(campaign)


def test_the_left_side_is_drawn_at_random(opened, join):

    campaign = opened(items=40, sampling={"method": "random", "batch": 400})
    with transaction.atomic():
        made = lease(join(campaign), 400, now())
    assert 150 < sum(one.swapped for one in made) < 250


LISTED = [("i1", "i0"), ("i2", "i3"), ("i5", "i4"), ("i0", "i3")]


@pytest.fixture
def listed(opened):
    """A campaign whose pairs stand left and right as they are listed."""

    def make(overlap=1, **serving):
        return opened(items=6, allowed=LISTED, sampling={"method": "full", "allowed": "pairs.csv"},
                      serving={"overlap": overlap, "sides": "as listed", "preload": 0, **serving})  # fmt: skip

    return make


def shown(one):
    """Left and right on the page."""
    pair = (one.task.first.name, one.task.second.name)
    return pair[::-1] if one.swapped else pair


def test_pairs_stand_as_they_are_listed(listed, join):

    campaign = listed()
    worker, seen = join(campaign), []
    while page := serve(worker).page:
        seen += map(shown, page)
        answer(worker, page[0].key, "left")
    assert sorted(seen) == sorted(LISTED)
    assert {(row["left"], row["right"]) for row in comparisons(campaign).to_frame().to_pylist()} == set(LISTED)


def test_the_next_worker_sees_a_listed_pair_the_other_way_round(listed, join):

    campaign = listed(overlap=4, tasks_per_page=4)
    seen = [sorted(map(shown, serve(join(campaign)).page)) for _ in range(4)]
    other = sorted(pair[::-1] for pair in LISTED)
    assert seen == [sorted(LISTED), other, sorted(LISTED), other]


def test_a_listed_pair_that_nobody_judged_is_shown_as_listed_again(listed, join):

    campaign = listed(tasks_per_page=4)
    late, last = join(campaign), join(campaign)
    assert sorted(map(shown, serve(late).page)) == sorted(LISTED)
    expire(campaign.pk, now() + timedelta(hours=9))
    assert sorted(map(shown, serve(last).page)) == sorted(LISTED)


def test_pairs_that_are_listed_again_stand_as_they_are_now(listed, join):
    """A server reads its file anew when it is started again."""
    campaign = listed(tasks_per_page=4)
    allow(campaign, [*(pair[::-1] for pair in LISTED), LISTED[0][::-1]])
    assert campaign.allowed.count() == len(LISTED)
    assert sorted(map(shown, serve(join(campaign)).page)) == sorted(pair[::-1] for pair in LISTED)
