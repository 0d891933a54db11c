"""The requester's word: it counts, the worker's stays in the log, and the slots agree with both."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from sidewise.collect.server import vetting
from sidewise.collect.server.answering import Refused, answer, undo
from sidewise.collect.server.answers import comparisons
from sidewise.collect.server.leasing import serve
from sidewise.collect.server.models import Task, Worker
from sidewise.collect.server.standing import latest, refit
from sidewise.errors import SidewiseError


def slots_agree(campaign):
    """What is taken of each task is what runs and what counts, and never more than wanted."""
    for task in Task.objects.filter(campaign=campaign):
        holding = task.assignments.filter(state__in=["leased", "answered"]).count()
        assert task.taken == holding <= task.wanted
    return True


@pytest.fixture
def one_pair(opened, join):
    """A campaign of one pair, answered by one worker."""
    campaign = opened(items=2, serving={"preload": 0}, answers={"tie": True, "skip": True})
    worker = join(campaign)
    (one,) = serve(worker).page
    answer(worker, one.key, "left")
    return campaign, worker, one


def outcomes(campaign):
    return comparisons(campaign).outcome.tolist()


def test_a_correction_counts_and_the_answer_stays_in_the_log(one_pair, owner):
    campaign, _, one = one_pair
    before = refit(campaign)
    corrected = vetting.correct(campaign, one.key, "right", by=owner, why="a slip")
    assert (corrected.answer, corrected.verdict) == ("left", "right")
    assert outcomes(campaign) == [0.0]
    assert refit(campaign).digest != before.digest
    log = campaign.events.filter(assignment=one.key).order_by("id")
    assert [event.kind for event in log] == ["leased", "served", "answered", "corrected"]
    assert log[2].data["answer"] == "left"
    assert log[3].data == {"answer": "left", "counts_as": "right", "why": "a slip"}
    assert log[3].by == owner
    assert slots_agree(campaign)


def test_a_correction_back_to_what_was_said_is_none(one_pair, owner):
    campaign, _, one = one_pair
    vetting.correct(campaign, one.key, "tie", by=owner)
    assert vetting.correct(campaign, one.key, "left", by=owner).verdict == ""
    assert outcomes(campaign) == [1.0]
    assert campaign.events.filter(kind="corrected").count() == 2


@pytest.mark.parametrize("said", ["skip", "both_bad", "nonsense", ""])
def test_an_answer_can_only_be_corrected_to_one_that_was_offered(one_pair, owner, said):
    campaign, _, one = one_pair
    with pytest.raises(SidewiseError, match=r"no answer|not offered"):
        vetting.correct(campaign, one.key, said, by=owner)
    assert outcomes(campaign) == [1.0]


def test_what_is_set_aside_is_asked_again_and_counts_again_only_while_there_is_room(one_pair, owner, join):
    campaign, _, one = one_pair
    vetting.set_aside(campaign, one.key, by=owner)
    vetting.set_aside(campaign, one.key, by=owner)
    assert campaign.events.filter(kind="set-aside").count() == 1
    assert slots_agree(campaign)
    assert Task.objects.get().taken == 0
    vetting.restore(campaign, one.key, by=owner)
    assert outcomes(campaign) == [1.0]
    assert slots_agree(campaign)
    vetting.set_aside(campaign, one.key, by=owner)
    (other,) = serve(join(campaign)).page
    with pytest.raises(SidewiseError, match="in its place"):
        vetting.restore(campaign, one.key, by=owner)
    answer(other.worker, other.key, "right")
    assert campaign.assignments.filter(state="answered").get() == other
    assert slots_agree(campaign)


def test_the_ranking_follows_even_to_nothing(one_pair, owner):
    campaign, _, one = one_pair
    assert refit(campaign).answers == 1
    vetting.set_aside(campaign, one.key, by=owner)
    refit(campaign)
    assert latest(campaign).answers == 0


@pytest.mark.parametrize("vet", [lambda c, k, by: vetting.correct(c, k, "right", by=by), lambda c, k, by: vetting.set_aside(c, k, by=by)])  # fmt: skip  # noqa: E501
def test_a_worker_cannot_take_back_what_the_requester_has_looked_at(one_pair, owner, vet):
    campaign, worker, one = one_pair
    vet(campaign, one.key, owner)
    with pytest.raises(Refused, match="looked at"):
        undo(worker)
    assert slots_agree(campaign)
    assert not campaign.events.filter(kind="undone").exists()


def test_what_was_taken_back_cannot_be_vetted(one_pair, owner):
    campaign, worker, one = one_pair
    undo(worker)
    with pytest.raises(SidewiseError, match="no such answer"):
        vetting.correct(campaign, one.key, "right", by=owner)
    answer(worker, one.key, "skip")
    with pytest.raises(SidewiseError, match="no such answer"):
        vetting.set_aside(campaign, one.key, by=owner)
    assert slots_agree(campaign)


@pytest.mark.parametrize("key", ["", "nonsense", "00000000-0000-4000-8000-000000000000"])
def test_there_is_nothing_to_vet_by_a_wrong_key(one_pair, owner, key):
    with pytest.raises(SidewiseError, match="no such answer"):
        vetting.set_aside(one_pair[0], key, by=owner)


def test_an_answer_of_another_campaign_does_not_exist(one_pair, owner, opened):
    other = opened(name="other")
    for vet in (vetting.set_aside, vetting.restore):
        with pytest.raises(SidewiseError, match="no such answer"):
            vet(other, one_pair[2].key, by=owner)


def test_whoever_is_barred_gives_back_what_runs_and_keeps_what_was_said(opened, join, owner):
    campaign = opened(items=4, serving={"preload": 2})
    worker = join(campaign)
    answer(worker, serve(worker).page[0].key, "left")
    held = serve(worker).page[0]
    vetting.bar(campaign, worker, by=owner, why="guesses")
    vetting.bar(campaign, worker, by=owner)
    assert campaign.events.filter(kind="barred").count() == 1
    assert slots_agree(campaign)
    assert not campaign.assignments.filter(state="leased").exists()
    worker = Worker.objects.select_related("campaign").get(pk=worker.pk)
    assert serve(worker).why == "barred"
    assert outcomes(campaign) == [1.0]
    late = answer(worker, held.key, "left").assignment
    assert (late.state, late.late) == ("surplus", True)
    vetting.readmit(campaign, worker, by=owner)
    vetting.readmit(campaign, worker, by=owner)
    assert campaign.events.filter(kind="readmitted").count() == 1
    assert serve(Worker.objects.select_related("campaign").get(pk=worker.pk)).page
    assert slots_agree(campaign)


def test_vetting_while_people_answer_never_breaks_the_overlap(opened, join, owner):
    campaign = opened(items=7, serving={"overlap": 2}, sampling={"method": "random", "batch": 100})
    workers = [join(campaign) for _ in range(4)]

    def work(worker):
        try:
            while page := serve(worker).page:
                answer(worker, page[0].key, "left")
        finally:
            connection.close()

    def vet(_):
        try:
            for _ in range(3):
                for key in campaign.assignments.filter(state="answered").values_list("key", flat=True)[:10]:
                    vetting.set_aside(campaign, key, by=owner)
                    try:
                        vetting.restore(campaign, key, by=owner)
                    except SidewiseError as error:
                        assert "in its place" in str(error)  # noqa: PT017 - it may or may not be
                    vetting.bar(campaign, workers[3], by=owner)
                    vetting.readmit(campaign, workers[3], by=owner)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        jobs = [pool.submit(work, worker) for worker in workers] + [pool.submit(vet, n) for n in range(2)]
        for job in jobs:
            job.result()
    assert slots_agree(campaign)
    counted = campaign.assignments.filter(state="answered", set_aside=False).count()
    assert len(comparisons(campaign)) == counted


@pytest.mark.parametrize("how", ["set aside", "corrected", "undone"])
def test_what_followed_from_an_answer_is_asked_after_all_when_that_is_gone(opened, join, owner, how):
    tables = {"search": {"queries": "q.csv", "transitivity": True}, "serving": {"preload": 0}}
    campaign = opened(items=3, kind={"group": "query"}, **tables)
    worker = join(campaign)
    first, second, third = Task.objects.order_by("place")
    (shared,) = {first.first_id, first.second_id} & {second.first_id, second.second_id}
    for wins in (True, False):  # something over the shared one, and that over something: the third pair follows
        (one,) = serve(worker).page
        first_said = (one.task.first_id == shared) == wins
        answer(worker, one.key, "left" if first_said != one.swapped else "right")
    assert Task.objects.get(pk=third.pk).wanted == 0
    assert not serve(worker).page
    if how == "undone":
        undo(worker)
    elif how == "corrected":
        vetting.correct(campaign, one.key, "right" if one.worker.assignments.get(pk=one.key).answer == "left" else "left", by=owner)  # fmt: skip  # noqa: E501
    else:
        vetting.set_aside(campaign, one.key, by=owner)
    assert Task.objects.get(pk=third.pk).wanted == 1
    assert slots_agree(campaign)
    assert serve(join(campaign)).page
