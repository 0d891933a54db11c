"""Live choice and live ranking: the strategy runs on what was said, and a sick one is stood in for."""

import time
from collections import Counter
from datetime import timedelta

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import sidewise as sw
from sidewise.collect.server import jobs, planning
from sidewise.collect.server.answering import answer, undo
from sidewise.collect.server.answers import comparisons
from sidewise.collect.server.leasing import serve
from sidewise.collect.server.models import Campaign, Event, Standing, Task
from sidewise.collect.server.planning import plan
from sidewise.collect.server.standing import latest, refit, unpacked


def work(campaign, join, workers=3, answers=20, say=None):
    """Workers who prefer the item with the higher number."""
    for _ in range(workers):
        worker = join(Campaign.objects.get(pk=campaign.pk))
        for _ in range(answers):
            page = serve(worker).page
            if not page:
                break
            one = page[0]
            first, second = int(one.task.first.name[1:]), int(one.task.second.name[1:])
            left_wins = (first > second) != one.swapped
            answer(worker, one.key, say or ("left" if left_wins else "right"))
            if not Task.objects.filter(campaign=campaign, taken=0).exists():
                plan(Campaign.objects.get(pk=campaign.pk))


def test_the_ranking_follows_from_the_answers_and_says_from_which(opened, join):
    campaign = opened(items=6, sampling={"method": "optimal", "batch": 15}, serving={"overlap": 3})
    work(campaign, join)
    standing = refit(campaign)
    answers = comparisons(campaign)
    assert standing.answers == len(answers) == campaign.assignments.filter(state="answered").count()
    assert standing.digest == answers.digest
    assert unpacked(standing.ranking)["item"].to_pylist()[:6] == [f"i{n}" for n in (5, 4, 3, 2, 1, 0)]
    assert unpacked(standing.workers).num_rows == 3
    assert refit(campaign).pk == standing.pk
    assert latest(campaign) == standing


@pytest.mark.parametrize("method", ["optimal", "asap", "swiss", "random", "full"])
def test_every_strategy_fills_the_queue_with_pairs_that_were_not_planned(opened, join, method):
    campaign = opened(items=8, sampling={"method": method, "batch": 7})
    assert Task.objects.count() == 7
    work(campaign, join, workers=2, answers=30)
    assert Campaign.objects.get(pk=campaign.pk).trouble == ""
    assert Task.objects.values("first", "second").distinct().count() == Task.objects.count() == 28


def test_a_random_design_takes_items_in_turns_without_reading_them_all(opened):
    campaign = opened(items=60, sampling={"method": "random", "batch": 10})
    for _ in range(11):
        with CaptureQueriesContext(connection) as asked:
            assert plan(Campaign.objects.get(pk=campaign.pk), least=10) == 10
        (turns,) = (sql for sql in (one["sql"] for one in asked) if '"turn"' in sql and "ORDER BY 2" in sql)
        assert turns.endswith("LIMIT 20")  # twice as many items as pairs
    pairs = list(Task.objects.values_list("first_id", "second_id"))
    degree = Counter(item for pair in pairs for item in pair)
    assert len(degree) == 60
    assert max(degree.values()) - min(degree.values()) <= 2  # two that have met wait for the next turn
    graph = coo_array((np.ones(120), np.array(pairs).T - min(degree)), shape=(60, 60))
    assert connected_components(graph.tocsr())[0] == 1  # chance mixes the turns: batches are no islands


def test_allowed_pairs_are_taken_in_turns_of_chance(opened):
    allowed = [(f"i{a}", f"i{b}") for a in range(12) for b in range(a) if a % 2 == b % 2]
    campaign = opened(items=12, groups=2, allowed=allowed, sampling={"method": "random", "batch": 8})
    for planned in (16, 24, 30, 30):
        plan(Campaign.objects.get(pk=campaign.pk), least=8)
        asked = set(Task.objects.order_by("place").values_list("first_id", "second_id"))
        assert len(asked) == planned
        assert set(campaign.allowed.filter(planned=True).values_list("first_id", "second_id")) == asked
    ordered = list(Task.objects.order_by("place").values_list("first_id", "second_id"))
    assert ordered[:8] != sorted(ordered)[:8]


def test_groups_are_never_mixed(opened, join):
    campaign = opened(items=12, groups=3, sampling={"method": "optimal", "batch": 6})
    work(campaign, join, workers=2, answers=30)
    assert Task.objects.count() > 12
    assert all(task.first.group == task.second.group == task.group for task in Task.objects.all())


def test_only_allowed_pairs_are_asked(opened, join):
    allowed = [("i0", "i1"), ("i2", "i1"), ("i3", "i4")]
    campaign = opened(items=6, allowed=allowed, sampling={"method": "optimal", "batch": 10})
    work(campaign, join)
    assert {frozenset((task.first.name, task.second.name)) for task in Task.objects.all()} == set(
        map(frozenset, allowed)
    )


def test_a_sick_strategy_is_stood_in_for_and_that_is_said(opened, join, monkeypatch):
    campaign = opened(items=8, fill=False, sampling={"method": "optimal", "batch": 10})
    monkeypatch.setattr(planning, "next_pairs", lambda *_args, **_options: 1 / 0)
    assert plan(campaign) == 10
    campaign = Campaign.objects.get(pk=campaign.pk)
    assert "optimal failed (division by zero); pairs are chosen at random" in campaign.trouble
    assert Event.objects.get(kind="fallback").data["why"] == campaign.trouble
    assert serve(join(campaign)).page
    monkeypatch.undo()
    Task.objects.update(wanted=F("taken"))
    plan(campaign)
    assert Campaign.objects.get(pk=campaign.pk).trouble == ""


def test_a_strategy_that_hangs_keeps_nobody_waiting(opened, join):
    campaign = opened(items=8, fill=False)
    assert Campaign.objects.get(pk=campaign.pk).plan_due is not None  # asked for, and nobody does it
    worker = join(campaign)
    assert serve(worker).why == "nothing"
    assert serve(worker, timezone.now() + timedelta(seconds=6)).page


def do_jobs():
    call_command("db_worker", queue_name="*", batch=True, interval=0, startup_delay=False, verbosity=0, reload=False)


def test_rankings_keep_planning_from_nothing_and_leave_time_between(opened, join):
    campaign = opened(items=4)
    work(campaign, join, workers=1, answers=2)
    assert jobs.plan_job.queue_name != jobs.ranking_job.queue_name
    refit(campaign)
    Standing.objects.update(seconds=30.0)
    Campaign.objects.update(ranking_due=None)
    jobs._asked.clear()
    jobs.want_ranking(campaign)
    campaign.refresh_from_db()
    assert campaign.ranking_due - timezone.now() > timedelta(seconds=3.9 * 30)


def test_jobs_are_asked_for_once_and_do_their_work(opened, join):
    campaign = opened(items=8, fill=False, serving={"preload": 0})
    jobs.want_plan(campaign)
    do_jobs()
    assert Task.objects.count() == 28
    work(campaign, join)
    assert DBTaskResult.objects.filter(task_path__endswith="ranking_job").count() == 1
    DBTaskResult.objects.filter(task_path__endswith="ranking_job").update(run_after="2020-01-01T00:00Z")
    do_jobs()
    assert not DBTaskResult.objects.failed().exists(), DBTaskResult.objects.failed().first().traceback
    assert latest(campaign).answers == 28


def due_jobs():
    """Do what is asked for, and what is asked for later."""
    DBTaskResult.objects.filter(status="READY").update(run_after="2020-01-01T00:00Z")
    do_jobs()


def test_whatever_is_said_while_one_ranking_begins_is_in_the_next(opened, join):
    campaign = opened(items=8, serving={"preload": 0, "undo_seconds": 60})
    worker = join(campaign)
    answer(worker, serve(worker).page[0].key, "left")
    time.sleep(jobs.PATIENCE / 2 + 0.1)
    answer(worker, serve(worker).page[0].key, "left")
    time.sleep(jobs.PATIENCE / 2)
    due_jobs()
    assert latest(campaign).answers == 2
    answer(worker, serve(worker).page[0].key, "left")
    due_jobs()
    assert latest(campaign).answers == 3
    jobs._asked.clear()
    undo(worker)
    due_jobs()
    assert latest(campaign).answers == 2


def test_a_campaign_ends_when_its_stopping_rule_holds(opened, join):
    campaign = opened(
        items=4, serving={"overlap": 40}, stopping={"top": 1, "confidence": 0.8}, sampling={"method": "full"}
    )
    work(campaign, join, workers=30, answers=6)
    standing = refit(campaign)
    found = Campaign.objects.get(pk=campaign.pk)
    assert standing.summary["stopping"][0]["enough"]
    assert "best item settled" in found.finished
    assert serve(join(found)).why == "done"


def test_with_groups_each_has_to_be_settled(opened, join):
    campaign = opened(
        items=6, groups=2, serving={"overlap": 40, "preload": 0}, sampling={"method": "full"},
        stopping={"top": 1, "confidence": 0.8},
    )  # fmt: skip
    first = Task.objects.filter(group="g0")
    Task.objects.filter(group="g1").update(wanted=0)
    work(campaign, join, workers=30, answers=6)
    assert [(one["group"], one["enough"]) for one in refit(campaign).summary["stopping"]] == [("g0", True)]
    assert Campaign.objects.get(pk=campaign.pk).finished == ""
    first.update(wanted=F("taken"))
    Task.objects.filter(group="g1").update(wanted=40)
    work(campaign, join, workers=30, answers=6)
    stopping = refit(campaign).summary["stopping"]
    assert [(one["group"], one["enough"]) for one in stopping] == [("g0", True), ("g1", True)]
    assert stopping[0]["text"].startswith("g0: ")
    assert "best item settled" in Campaign.objects.get(pk=campaign.pk).finished


def test_answers_are_read_by_the_library_as_they_were_given(opened, join):
    campaign = opened(items=5, serving={"overlap": 2}, answers={"tie": True})
    work(campaign, join, workers=2, say="tie")
    assert sw.rank(comparisons(campaign), "win-rate").score.std() == 0


def test_whoever_has_had_all_that_is_planned_is_not_left_waiting_for_others(opened, join):
    campaign = opened(items=8, serving={"overlap": 3, "preload": 0}, sampling={"method": "optimal", "batch": 7})
    do_jobs()
    worker = join(campaign)
    for _ in range(7):
        answer(worker, serve(worker).page[0].key, "left")
    jobs._asked.clear()
    assert serve(worker).why == "nothing"
    do_jobs()
    assert serve(worker).page
