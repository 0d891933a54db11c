"""The ends of a worker's way: done with a code, nothing now, paused, closed, barred; and a server that is gone."""

import re

import pytest
from playwright.sync_api import expect
from test_pages_worker import TASK, answer, button, state, task

from parts.accessible import assert_accessible

CODE = re.compile(r"[0-9A-F]{8}")


def finish(page):
    answer(page, lambda: button(page, "left").click())
    expect(page.locator(".code")).to_have_count(0)
    expect(button(page, "right")).to_be_enabled()
    button(page, "right").click()
    expect(page.locator(".finish")).to_be_visible()


@pytest.mark.parametrize("script", [True, False])
def test_the_last_page_has_a_code_of_the_workers_own(campaigns, open_page, script):
    page = campaigns.begin(open_page(java_script_enabled=script), "short")
    expect(page.locator(".progress")).to_contain_text("1 of 2")
    finish(page)
    expect(page.locator(".progress")).to_contain_text("2 of 2")
    expect(page.locator(".code")).to_have_text(CODE)
    code = page.locator(".code").inner_text()
    assert campaigns.ask("SELECT count(*) FROM collect_worker WHERE code = ?", code) == [(1,)]
    if script:
        assert_accessible(page)
    page.get_by_role("button", name="Undo").click()  # on second thoughts
    expect(page.locator(".task.current")).to_be_visible()


def test_the_code_and_the_way_back_of_a_platform_come_only_after_the_last_answer(campaigns, browser_page):
    page = browser_page
    page.goto(f"{campaigns.url}/c/paid/?PROLIFIC_PID=5f%40a:b")
    expect(page.locator(".note")).to_contain_text("under your id, 5f@a:b")
    page.get_by_role("button", name="Begin").click()
    assert "panel.example" not in page.content()
    finish(page)
    expect(page.locator(".code")).to_have_text("C0DE")
    away = page.get_by_role("link", name="Finish").get_attribute("href")
    assert away == "https://panel.example/done?cc=C0DE&who=5f%40a%3Ab"


def test_a_preview_of_a_platform_begins_nothing(campaigns, browser_page):
    browser_page.goto(f"{campaigns.url}/c/paid/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&workerId=A1")
    expect(browser_page.get_by_text("Accept the task to begin")).to_be_visible()
    assert browser_page.get_by_role("button").count() == 0
    assert_accessible(browser_page)


def test_where_others_have_the_last_pairs_the_page_looks_again(campaigns, open_page):
    holder = campaigns.begin(open_page(), "lonely")
    page = open_page()
    page.goto(f"{campaigns.url}/c/lonely/")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("heading", name="One moment")).to_be_visible()
    assert_accessible(page)
    page.locator(".task.current").wait_for(timeout=30_000)  # the lease of the other has ended
    late = task(holder)
    button(page, "left").click()
    expect(page.get_by_role("heading", name=re.compile("One moment|Thank you"))).to_be_visible()
    button(holder, "right").click()
    expect(holder.locator(".finish")).to_be_visible()
    assert state(campaigns, late)[:2] == ("surplus", "right")


def set_state(page, campaigns, name, words):
    page.goto(f"{campaigns.url}/campaigns/{name}/")
    for word in words:
        page.get_by_role("button", name=word).or_(page.locator("summary", has_text=word)).first.click()


def test_a_campaign_that_is_paused_goes_on_and_one_that_is_closed_does_not(campaigns, open_page):
    requester, page = campaigns.log_in(open_page()), campaigns.begin(open_page(), "stopped")
    answer(page, lambda: page.keyboard.press("1"))
    set_state(requester, campaigns, "stopped", ["Pause"])
    expect(requester.locator("main .state")).to_have_text("paused")
    for _ in range(2):  # what the worker has may still be answered
        expect(button(page, "left")).to_be_enabled()
        at = page.locator("#work").evaluate_handle("one => one")
        button(page, "left").click()
        page.wait_for_function("one => !one.isConnected", arg=at)
        if page.get_by_role("heading", name="A break").count():
            break
    expect(page.get_by_role("heading", name="A break")).to_be_visible()
    assert_accessible(page)
    set_state(requester, campaigns, "stopped", ["Open"])
    expect(page.locator(".task.current")).to_be_visible()
    set_state(requester, campaigns, "stopped", ["Close …", "Close for good"])
    expect(requester.locator("main .state")).to_have_text("closed")
    while page.locator(".task.current").count():
        expect(button(page, "left")).to_be_enabled()
        at = page.locator("#work").evaluate_handle("one => one")
        button(page, "left").click()
        page.wait_for_function("one => !one.isConnected", arg=at)
    expect(page.locator(".finish")).to_contain_text("This campaign is over")
    expect(page.locator(".code")).to_have_text(CODE)  # for what was done there is a code
    fresh = open_page()
    fresh.goto(f"{campaigns.url}/c/stopped/")
    expect(fresh.get_by_text("This campaign is over")).to_be_visible()
    assert_accessible(fresh)


def test_a_barred_worker_is_told_and_let_in_again(campaigns, open_page):
    requester, page = campaigns.log_in(open_page()), campaigns.begin(open_page(), "barring")
    answer(page, lambda: page.keyboard.press("1"))
    requester.goto(f"{campaigns.url}/campaigns/barring/workers")
    requester.locator("tbody a").first.click()
    requester.get_by_label("Why").fill("only ever left")
    requester.get_by_role("button", name="Bar").click()
    expect(requester.get_by_role("button", name="Let in again")).to_be_visible()
    page.reload()
    expect(page.get_by_text("You can no longer take part")).to_be_visible()
    assert_accessible(page)
    assert campaigns.events("barring", "barred")[0]["why"] == "only ever left"
    requester.get_by_role("button", name="Let in again").click()
    expect(requester.get_by_role("button", name="Bar")).to_be_visible()
    page.reload()
    expect(page.locator(".task.current")).to_be_visible()


def test_an_invited_worker_comes_in_by_the_link_that_the_requester_copies(campaigns, open_page):
    page = open_page()
    page.goto(f"{campaigns.url}/c/invited/")
    expect(page.get_by_text("by invitation")).to_be_visible()
    assert_accessible(page)
    requester = campaigns.log_in(open_page())
    requester.goto(f"{campaigns.url}/campaigns/invited/workers")
    page.goto(requester.get_by_label("Link of ann").input_value())
    done = answer(page, lambda: page.keyboard.press("1"))
    said = "SELECT w.name FROM collect_assignment a JOIN collect_worker w ON w.id = a.worker_id WHERE a.key = ?"
    assert campaigns.ask(said, done.replace("-", "")) == [("ann",)]


def test_an_answer_that_finds_no_server_is_sent_until_it_is_kept_and_counts_once(campaigns, open_page):
    page = campaigns.begin(open_page(), "outage")
    open_page.watch.allow("ERR_CONNECTION|ERR_EMPTY|ERR_SOCKET|htmx:|Failed to load resource")
    said = task(page)
    expect(button(page, "left")).to_be_enabled()
    campaigns.process.kill()
    page.keyboard.press("1")
    expect(page.locator("#trouble")).to_contain_text("has not reached us yet")
    assert_accessible(page)
    assert button(page, "right").is_disabled()
    campaigns.process.start()
    page.wait_for_function("([at, key]) => document.querySelector(at)?.value !== key", arg=[TASK, said], timeout=30_000)
    assert state(campaigns, said)[:2] == ("answered", "left")
    expect(page.locator("#trouble")).to_be_hidden()
    assert len(campaigns.events("outage", "answered")) == 1
    answer(page, lambda: page.keyboard.press("2"))
