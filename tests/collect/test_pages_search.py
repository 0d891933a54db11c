"""The worker's page of a search campaign: documents in frames, the query on top, one held, what is decided skipped."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect
from test_pages_worker import answer, button, state, task

from parts.accessible import assert_accessible
from parts.browser import PHONE

PROGRESS = re.compile(r"Query: (\d+) of (\d+) pairs?")


def query_progress(page):
    return tuple(map(int, PROGRESS.search(page.locator(".progress").inner_text().replace("\n", " ")).groups()))


def shown(campaigns, key):
    """The documents of a task: on the left, on the right."""
    ((left, right, swapped),) = campaigns.ask(
        """SELECT i.name, j.name, a.swapped FROM collect_assignment a JOIN collect_task t ON t.id = a.task_id
           JOIN collect_item i ON i.id = t.first_id JOIN collect_item j ON j.id = t.second_id WHERE a.key = ?""",
        key.replace("-", ""),
    )
    return (right, left) if swapped else (left, right)


def test_query_and_description_stand_above_the_two_documents(campaigns, browser_page):
    page = campaigns.begin(browser_page, "pages")
    places = [
        page.locator(at).first.bounding_box() for at in (".query h2", ".query p", ".left iframe", ".right iframe")
    ]
    query, description, left, right = places
    assert query["y"] < description["y"] < left["y"] == right["y"]
    assert left["x"] + left["width"] <= right["x"]
    assert left["width"] == right["width"] > 400
    expect(page.locator(".query")).to_contain_text(re.compile("why is the sea salty|amp salt"))


def test_words_of_the_query_are_marked_and_nothing_in_a_document_runs_or_loads(campaigns, browser_page):
    page = campaigns.begin(browser_page, "pages")  # a script, or a picture from anywhere, would be complained about
    asked = page.locator(".query h2").inner_text()
    for side in ("left", "right"):
        frame = page.frame_locator(f".{side} iframe")
        marks = frame.locator("mark").all_inner_texts()
        assert marks == (["sea", "sea", "salty"] if "salty" in asked else ["Salt", "salty"])
        assert frame.locator("h1").inner_text() == "Salt & sea"
        assert frame.locator("script").count() == 0
        assert page.locator(f".{side} iframe").get_attribute("sandbox") == ""


def test_a_frame_is_made_higher_with_the_mouse_and_stays_so(campaigns, browser_page):
    page = campaigns.begin(browser_page, "pages")
    box = page.locator(".left .frame").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 4, box["y"] + box["height"] - 4)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 4, box["y"] + box["height"] + 146, steps=5)
    page.mouse.up()
    height = page.locator(".left .frame").bounding_box()["height"]
    assert height == pytest.approx(box["height"] + 150, abs=3)
    answer(page, lambda: button(page, "left").click())
    assert page.locator(".left .frame").bounding_box()["height"] == height
    assert page.locator(".right .frame").bounding_box()["height"] == height
    wide = page.locator(".left .frame").bounding_box()["width"]
    page.set_viewport_size({"width": 1600, "height": 900})
    assert page.locator(".left .frame").bounding_box()["width"] > wide


def test_whoever_clicked_into_a_document_still_answers_by_key(campaigns, browser_page):
    page = campaigns.begin(browser_page, "pages")
    key = task(page)
    page.frame_locator(".left iframe").locator("p").first.click()
    answer(page, lambda: page.keyboard.press("2"))
    assert state(campaigns, key)[1] == "right"


def test_whoever_came_by_tab_scrolls_in_the_document(campaigns, browser_page):
    page = campaigns.begin(browser_page, "pages")
    page.locator(".helps summary").last.focus()
    page.keyboard.press("Tab")
    page.wait_for_timeout(200)
    assert page.evaluate("document.activeElement.tagName") == "IFRAME"
    page.keyboard.press("End")
    expect(page.frame_locator(".left iframe").locator("p").last).to_be_in_viewport()


@pytest.mark.parametrize(
    ("key", "said"), [("5", "left_not_relevant"), ("6", "right_not_relevant"), ("7", "duplicates")]
)
def test_not_relevant_and_duplicates_are_answers(campaigns, browser_page, key, said):
    page = campaigns.begin(browser_page, "pages")
    expect(button(page, said).locator("kbd")).to_have_text(key)
    done = answer(page, lambda: page.keyboard.press(key))
    assert state(campaigns, done)[:2] == ("answered", said)


def test_progress_is_told_for_the_query_at_hand(campaigns, browser_page):
    page = campaigns.begin(browser_page, "held")
    before, most = query_progress(page)
    answer(page, lambda: button(page, "left").click())
    assert query_progress(page) == (before + 1, most)
    assert page.get_by_role("progressbar", name="Query").get_attribute("value") == str(before + 1)


def test_one_document_stays_where_it_is_until_it_has_been_compared_with_all_others(campaigns, browser_page):
    page, seen = campaigns.begin(browser_page, "held"), []
    asked = page.locator(".query h2").inner_text()
    while page.locator(".task.current").count() and page.locator(".query h2").inner_text() == asked and len(seen) < 6:
        seen.append(shown(campaigns, task(page)))
        expect(page.locator(".task.current .choice").first).to_be_enabled()
        at = page.locator("#work").evaluate_handle("one => one")
        page.keyboard.press("1")
        page.wait_for_function("one => !one.isConnected", arg=at)
    stayed = [before[0] == after[0] or before[1] == after[1] for before, after in pairwise(seen)]
    held = [set(one) & set(other) for one, other in pairwise(seen)]
    assert len(seen) == 6
    assert sum(map(bool, held)) >= len(held) - 1  # six pairs of four documents: only the last has none from before
    assert [bool(one) for one in held] == stayed  # and what is held keeps its side


def test_what_answers_have_decided_is_skipped_and_counts_as_done(campaigns, browser_page):
    page = campaigns.begin(browser_page, "implied")
    before, most = query_progress(page)
    left, right = shown(campaigns, task(page))
    answer(page, lambda: page.keyboard.press("5"))
    after, _ = query_progress(page)
    assert (before, after, most) == (0, 3, 6)  # a document that is not relevant is shown with no other
    assert left not in shown(campaigns, task(page))
    assert campaigns.events("implied", "implied")
    answer(page, lambda: page.get_by_role("button", name="Undo").click())
    assert query_progress(page) == (0, 6)
    assert shown(campaigns, task(page)) == (left, right)


@pytest.mark.parametrize("options", [PHONE, {"color_scheme": "dark"}, {"viewport": {"width": 1280, "height": 720}}])
def test_documents_can_be_read_and_all_answers_reached(campaigns, open_page, options):
    page = campaigns.begin(open_page(**options), "implied")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for side in ("left", "right"):
        assert page.locator(f".{side} .frame").bounding_box()["height"] >= 190
    assert_accessible(page)
    if not options.get("is_mobile"):
        lowest = max(one.bounding_box()["y"] + one.bounding_box()["height"] for one in page.locator(".choice").all())
        assert lowest <= page.viewport_size["height"]  # on one screen
