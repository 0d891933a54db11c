"""The worker's page in a real browser: answering by click and by key, taking back, leaving out, and never twice."""

import re

import pytest
from playwright.sync_api import expect

from parts.accessible import assert_accessible
from parts.browser import PHONE

TASK = ".task.current input[name=key]"


def task(page):
    return page.locator(TASK).first.input_value()


def answer(page, act):
    """Do something that answers, and wait for another task that can be answered."""
    before = task(page)
    expect(page.locator(".task.current .choice").first).to_be_enabled()
    act()
    page.wait_for_function("([at, key]) => document.querySelector(at)?.value !== key", arg=[TASK, before])
    return before


def state(campaigns, key):
    return campaigns.ask("SELECT state, answer, reason FROM collect_assignment WHERE key = ?", key.replace("-", ""))[0]


def button(page, name):
    return page.locator(f'.task.current .choice[value="{name}"]')


def test_a_click_on_a_button_or_a_picture_answers_and_the_next_task_comes(campaigns, browser_page):
    page = campaigns.begin(browser_page, "faces")
    first = answer(page, lambda: button(page, "right").click())
    second = answer(page, lambda: page.locator(".task.current .left img").click())
    assert [state(campaigns, key)[:2] for key in (first, second)] == [("answered", "right"), ("answered", "left")]
    expect(page.locator(".progress")).to_contain_text("2 answered")
    assert page.url.endswith("/work")


def test_every_answer_has_a_key_that_is_shown(campaigns, browser_page):
    page = campaigns.begin(browser_page, "faces")
    for key, shown, said in (("ArrowLeft", "ArrowLeft", "left"), ("3", "3", "tie"), ("0", "0", "skip")):
        expect(button(page, said).locator("kbd")).to_have_text(shown)
        done = answer(page, lambda key=key: page.keyboard.press(key))
        assert state(campaigns, done)[1] == said
    page.keyboard.press("x")
    page.keyboard.press("Control+3")
    assert len(page.locator(".task.current").all()) == 1


def test_a_worker_can_choose_other_keys_which_this_browser_remembers(campaigns, browser_page):
    page = campaigns.begin(browser_page, "faces")
    page.get_by_text("Keys", exact=True).click()
    page.locator('sidewise-keys input[data-name="left"]').press("f")
    page.locator('sidewise-keys input[data-name="right"]').press(
        "3"
    )  # which was that of a tie: the two exchange theirs
    assert_accessible(page)
    page.reload()
    shown = [button(page, name).locator("kbd").inner_text() for name in ("left", "right", "tie")]
    assert shown == ["f", "3", "ArrowRight"]
    assert state(campaigns, answer(page, lambda: page.keyboard.press("F")))[1] == "left"
    assert state(campaigns, answer(page, lambda: page.keyboard.press("3")))[1] == "right"
    page.get_by_text("Keys", exact=True).click()
    page.get_by_role("button", name="As they were").click()
    expect(button(page, "left").locator("kbd")).to_have_text("ArrowLeft")


def test_the_last_answer_can_be_taken_back_by_click_and_by_key(campaigns, browser_page):
    page = campaigns.begin(browser_page, "cakes")
    assert page.get_by_role("button", name="Undo").count() == 0
    first = answer(page, lambda: page.keyboard.press("1"))
    answer(page, lambda: page.get_by_role("button", name="Undo").click())
    assert task(page) == first
    assert state(campaigns, first)[0] == "leased"
    answer(page, lambda: page.keyboard.press("2"))
    answer(page, lambda: page.keyboard.press("z"))
    assert task(page) == first


def test_a_skip_has_a_reason(campaigns, browser_page):
    page = campaigns.begin(browser_page, "faces")
    page.locator(".task.current select").select_option("It does not load")
    skipped = answer(page, lambda: button(page, "skip").click())
    assert state(campaigns, skipped) == ("skipped", "skip", "It does not load")


@pytest.mark.parametrize("script", [True, False])
def test_a_double_click_counts_once_and_hits_nothing_else(campaigns, open_page, script):
    page = campaigns.begin(open_page(java_script_enabled=script), "cakes")
    before = len(campaigns.events("cakes", "answered"))
    first = task(page)
    button(page, "left").dblclick()
    page.wait_for_timeout(1000)
    assert state(campaigns, first)[:2] == ("answered", "left")
    assert len(campaigns.events("cakes", "answered")) == before + 1


def test_going_back_and_loading_again_keep_the_task(campaigns, browser_page):
    page = campaigns.begin(browser_page, "cakes")
    answer(page, lambda: page.keyboard.press("1"))
    now = task(page)
    page.reload()
    assert task(page) == now
    page.goto(f"{campaigns.url}/c/cakes/")  # the link of the campaign leads to the task as well
    assert task(page) == now
    page.go_back()
    assert task(page) == now


def test_an_old_page_that_is_sent_again_changes_nothing(campaigns, open_page):
    page = campaigns.begin(open_page(), "cakes")
    other = page.context.new_page()
    other.goto(page.url)
    first = answer(page, lambda: button(page, "left").click())
    button(other, "right").click()
    expect(other.locator(TASK).first).to_have_value(task(page))
    assert state(campaigns, first)[1] == "left"


def test_the_screen_is_recorded_with_the_answer(campaigns, open_page):
    page = campaigns.begin(open_page(viewport={"width": 987, "height": 654}), "cakes")
    answer(page, lambda: page.keyboard.press("1"))
    screen = {"width": "987", "height": "654", "ratio": "1"}
    assert screen in [told.get("screen") for told in campaigns.events("cakes", "answered")]


def test_pictures_of_the_next_task_are_loaded_before_it_is_shown(campaigns, open_page):
    page = open_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/media/" in request.url else None)
    campaigns.begin(page, "faces")
    ahead = page.locator("link[rel=preload]").first.get_attribute("href")
    page.wait_for_function(
        "at => performance.getEntriesByType('resource').some(one => one.name.endsWith(at))", arg=ahead
    )
    answer(page, lambda: page.keyboard.press("3"))
    expect(page.locator(".task.current img").first).to_have_attribute("src", re.compile("/media/"))
    shown = page.locator(".task.current img").evaluate_all("all => all.map(one => one.src)")
    assert any(one.endswith(ahead) for one in shown)
    assert page.locator(".task.current img").evaluate_all("all => all.every(one => one.complete && one.naturalWidth)")


def test_everything_works_without_scripts(campaigns, open_page):
    page = campaigns.begin(open_page(java_script_enabled=False), "faces")
    first = task(page)
    button(page, "tie").click()
    assert state(campaigns, first)[:2] == ("answered", "tie")
    page.get_by_role("button", name="Undo").click()
    assert task(page) == first
    page.locator(".task.current select").select_option("Something else")
    button(page, "skip").click()
    assert state(campaigns, first) == ("skipped", "skip", "Something else")
    expect(page.locator(".progress")).to_contain_text("0 answered")
    page.go_back()
    assert page.locator(".task").count() == 1
    assert not page.get_by_text("Keys", exact=True).is_visible()


def test_on_a_phone_all_is_there_and_nothing_is_wider_than_the_screen(campaigns, open_page):
    page = open_page(**PHONE)
    for name in ("faces", "answers", "pages"):
        campaigns.begin(page, name)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        boxes = [one.bounding_box() for one in page.locator(".task.current .choice:visible").all()]
        assert all(box["height"] >= 44 and box["width"] >= 44 for box in boxes)
    answer(page, lambda: button(page, "left").tap())


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["faces", "cakes", "answers", "pages", "sounds", "video"])
def test_everybody_can_use_it(campaigns, open_page, scheme, name):
    page = open_page(color_scheme=scheme)
    page.goto(f"{campaigns.url}/c/{name}/")
    assert_accessible(page)
    campaigns.begin(page, name)
    assert_accessible(page, within="body")
    if name == "cakes":
        page.get_by_text("Instructions", exact=True).click()
        answer(page, lambda: page.keyboard.press("1"))
        expect(page.locator(".instructions strong")).to_be_visible()
        assert_accessible(page)


@pytest.mark.parametrize("name", ["faces", "cakes", "pages", "answers", "video"])
def test_nothing_tells_what_an_item_is_or_where_it_comes_from(campaigns, open_page, name):
    page = open_page()
    heard = []
    page.on("response", lambda answer: heard.append((answer.url, answer.all_headers(), answer.request.resource_type)))
    campaigns.begin(page, name)
    page.wait_for_timeout(300)
    told = page.content() + "".join(f"{url} {headers}" for url, headers, _ in heard)
    telling = r"secret-system|known-\d|acme|item-\d|system-\d|page-\d|\bd\d\b|disc-|waves-|quality"
    assert not re.findall(telling, told.replace(f"/c/{name}/", "/c/"))


def test_title_and_question_are_said_once_where_they_are_the_same(campaigns, browser_page):
    browser_page.goto(f"{campaigns.url}/c/faces/")
    assert browser_page.get_by_text("Which is larger?").count() == 1
    campaigns.begin(browser_page, "faces")
    assert browser_page.get_by_text("Which is larger?").count() == 1
