"""The requester's pages in a real browser: in, campaigns and their states, the dashboard, vetting, exports, tokens."""

import json
import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect
from test_pages_worker import answer, button, state, task

from parts.accessible import assert_accessible
from parts.browser import PHONE
from sidewise.collect.crowd import Crowd

NAME, ANSWERS = "watched", 60


@pytest.fixture(scope="module")
def watched(campaigns):
    """A campaign that a simulated crowd has answered, with the ranking of all its answers."""
    Crowd(campaigns.url, NAME, workers=5, answers=ANSWERS, think=(0, 0)).run()
    done = len(campaigns.events(NAME, "answered"))
    campaigns.until("""SELECT s.id FROM collect_standing s JOIN collect_campaign c ON c.id = s.campaign_id
                       WHERE c.name = ? AND s.answers >= ?""", NAME, done)  # fmt: skip
    return campaigns


@pytest.fixture
def inside(watched, open_page):
    """A browser in which the requester is logged in, and the way to a page of the campaign."""
    page = watched.log_in(open_page())

    def go(path=""):
        page.goto(f"{watched.url}/campaigns/{NAME}/{path}")
        return page

    return go


def figure(page, name):
    return page.locator(".figures div", has=page.locator("dt", has_text=name)).locator("dd").inner_text()


def pair_of_somebody(campaigns, answers=3):
    return campaigns.ask(
        """SELECT t.id FROM collect_task t JOIN collect_campaign c ON c.id = t.campaign_id WHERE c.name = ?
           AND (SELECT count(*) FROM collect_assignment a WHERE a.task_id = t.id AND a.state = 'answered') >= ?""",
        NAME, answers,
    )[0][0]  # fmt: skip


def test_wrong_passwords_are_told_and_the_fifth_means_a_rest(campaigns, browser_page, open_page):
    page = browser_page
    open_page.watch.allow("429")
    page.goto(f"{campaigns.url}/campaigns/")
    assert "/login" in page.url
    for _ in range(5):
        page.get_by_label("Name").fill("mallory")
        page.get_by_label("Password").fill("guess")
        page.get_by_role("button", name="Log in").click()
        if page.get_by_role("alert").count():
            expect(page.get_by_role("alert")).to_contain_text("do not go together")
            assert_accessible(page)
    expect(page.get_by_role("heading", name="A rest")).to_be_visible()
    expect(page.get_by_text("in a quarter of an hour")).to_be_visible()
    assert_accessible(page)


def test_who_logs_in_gets_where_they_wanted_to_go_and_out_again(campaigns, browser_page):
    page = browser_page
    page.goto(f"{campaigns.url}/campaigns/faces/workers")
    page.get_by_label("Name").fill("requester")
    page.get_by_label("Password").fill((campaigns.home / "password.txt").read_text().strip())
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Workers")).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    page.goto(f"{campaigns.url}/campaigns/faces/workers")
    assert "/login" in page.url


def token_made(page, campaigns, name):
    page.goto(f"{campaigns.url}/tokens")
    page.get_by_label("Name of a new token").fill(name)
    page.get_by_role("button", name="Make").click()
    return page.locator("output").inner_text()


def test_a_token_is_shown_once_works_and_is_taken_away(campaigns, browser_page):
    page = campaigns.log_in(browser_page)
    token = token_made(page, campaigns, "mine")
    assert_accessible(page)
    expect(page.locator("code", has_text="curl")).to_contain_text(f"{campaigns.url}/api/campaigns")
    asked = {"headers": {"Authorization": f"Bearer {token}"}}
    assert page.request.get(f"{campaigns.url}/api/campaigns", **asked).status == 200
    page.goto(f"{campaigns.url}/tokens")
    assert token not in page.content()
    expect(page.get_by_role("row", name="mine")).to_contain_text(re.compile(r"\d\d:\d\d"))  # last used
    page.get_by_role("button", name="Delete mine").click()
    expect(page.get_by_text("None yet.")).to_be_visible()
    assert page.request.get(f"{campaigns.url}/api/campaigns", **asked).status == 401


def test_a_campaign_goes_from_draft_to_open_to_paused_to_open_to_closed(campaigns, browser_page):
    page = campaigns.log_in(browser_page)
    asked = {"Authorization": f"Bearer {token_made(page, campaigns, 'states')}"}
    content = {"campaign": {"name": "states", "title": "Of states", "question": "Which?"}, "items": {"kind": "text"}}
    texts = [{"id": f"t{n}", "media": f"text {n}"} for n in range(4)]
    made = page.request.post(
        f"{campaigns.url}/api/campaigns", headers=asked, data={"campaign": content, "items": texts}
    )
    assert made.status == 201, made.text()
    page.goto(f"{campaigns.url}/campaigns/")
    expect(page.get_by_role("row", name="Of states")).to_contain_text("draft")
    page.get_by_role("link", name="Of states").click()
    expect(page.get_by_text("The ranking appears some seconds after")).to_be_visible()
    assert_accessible(page)
    for word, after in (("Open", "open"), ("Pause", "paused"), ("Open", "open")):
        page.get_by_role("button", name=word, exact=True).click()
        expect(page.locator("main .state")).to_have_text(after)
    page.locator("summary", has_text="Close").click()
    expect(page.get_by_text("cannot be opened again")).to_be_visible()
    page.get_by_role("button", name="Close for good").click()
    expect(page.locator("main .state")).to_have_text("closed")
    assert page.locator(".heading button").count() == 0
    befores = [(said["before"], said["after"]) for said in campaigns.events("states", "state")]
    assert befores == [("draft", "open"), ("open", "paused"), ("paused", "open"), ("open", "closed")]


def test_the_dashboard_says_how_far_it_is(inside, watched):
    page = inside()
    done = len(watched.events(NAME, "answered"))
    assert figure(page, "Answers").split() == [str(done), "of", "200"]
    assert int(figure(page, "Pace").split()[0].replace(",", "")) > 0
    assert figure(page, "Workers") == "5"
    left, right = (
        watched.ask(
            """SELECT count(*) FROM collect_assignment a JOIN collect_campaign c ON c.id = a.campaign_id
               WHERE c.name = ? AND a.state = 'answered' AND a.answer = ?""", NAME, side,
        )[0][0] for side in ("left", "right")
    )  # fmt: skip
    assert figure(page, "Position bias").startswith(f"{100 * left / (left + right):.1f} %")
    rule = page.locator(".rule", has_text="The top items")
    expect(rule).to_contain_text(re.compile(r"settled with a probability of \d+ %; wanted 95 %"))
    expect(rule).to_contain_text(re.compile(r"reached|more answers|cannot be told yet"))
    expect(page.locator(".rule", has_text="Budget")).to_contain_text(f"{200 - done} more answers, ")


def test_the_leaderboard_has_intervals_in_numbers_and_in_pictures(inside):
    page = inside()
    rows = page.locator(".ranking tbody tr").all()
    assert len(rows) == 8
    ranks = [int(row.locator("td").first.inner_text()) for row in rows]
    assert ranks == sorted(ranks)
    for row in rows:
        numbers = row.inner_text().replace("\N{MINUS SIGN}", "-")
        low, high = (float(found) for found in re.search(r"(-?\d+\.\d+) to (-?\d+\.\d+)", numbers).groups())
        score = float(row.locator("td.number").nth(1).inner_text().replace("\N{MINUS SIGN}", "-"))
        assert low <= score <= high
        drawn = [float(row.locator("svg").evaluate(read)[:-1]) for read in (
            "one => one.querySelector('line.tier').getAttribute('x1')",
            "one => one.querySelector('circle').getAttribute('cx')",
            "one => one.querySelector('line.tier').getAttribute('x2')",
        )]  # fmt: skip
        assert 0 <= drawn[0] < drawn[1] < drawn[2] <= 100
    expect(page.get_by_text("Scores: log-odds; 0 is the mean of the items.")).to_be_visible()
    page.get_by_role("link", name="All items").click()
    assert page.locator(".ranking tbody tr").count() == 8
    assert page.locator("[aria-current=page]").inner_text() == "Ranking"


def test_beside_every_chart_stands_its_table(inside, watched):
    page = inside()
    charts = page.locator("svg[role=img]").all()
    assert len(charts) == 2
    for chart in charts:
        section = chart.locator("xpath=ancestor::section")
        section.locator("summary").click()
        expect(section.locator("tbody tr").first).to_be_visible()
    counted = [int(one) for one in page.locator("#hours-table td").all_inner_texts()]
    assert sum(counted) == len(watched.events(NAME, "answered"))
    cells = page.locator("svg .cell").evaluate_all("all => all.map(one => one.textContent)")
    asked = page.locator("#pairs-table tr:has(td)").all_inner_texts()
    assert len(cells) == 8 * 7
    for line in asked:
        names, count = line.rsplit("\t", 1)
        one, other = names.split(" and ")
        assert {f"{one} and {other}: {count}", f"{other} and {one}: {count}"} <= set(cells)
    page.locator("#pairs-table a").first.click()
    expect(page.locator("figure")).to_have_count(2)


def test_the_dashboard_renews_itself_and_leaves_open_what_is_open(campaigns, open_page):
    page = campaigns.log_in(open_page())
    worker = campaigns.begin(open_page(), "cakes")
    answer(worker, lambda: button(worker, "left").click())
    page.goto(f"{campaigns.url}/campaigns/cakes/")
    expect(page.locator("#hours-table")).to_be_attached(timeout=20_000)  # there is a ranking, with its pictures
    page.locator("#hours-table summary").click()
    before = int(figure(page, "Answers"))
    answer(worker, lambda: button(worker, "right").click())
    page.wait_for_function("before => Number(document.querySelector('.figures dd').textContent) > before", arg=before)
    expect(page.locator("#hours-table table")).to_be_visible()
    assert page.evaluate("document.activeElement.closest('#hours-table') !== null")


def test_workers_have_reliabilities_and_each_has_a_page_of_all_their_answers(inside, watched):
    page = inside("workers")
    rows = page.locator("tbody tr").all()
    assert len(rows) == 5
    numbers = [int(row.locator("td").first.inner_text()) for row in rows]
    assert sum(numbers) == len(watched.events(NAME, "answered"))
    for row, done in zip(rows, numbers, strict=True):  # who was too late to answer anything has none
        told = re.search(r"\d\.\d\d\t\S?\d\.\d\d to \d\.\d\d", row.inner_text())
        assert bool(told) == (done > 0)
    best = numbers.index(max(numbers))
    name = rows[best].locator("th").inner_text()
    rows[best].get_by_role("link").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    assert page.locator("tbody tr").count() == max(numbers) == int(figure(page, "Answers"))
    assert figure(page, "Agreement").startswith(tuple("0123456789"))


def test_a_pair_has_a_page_with_both_things_and_all_answers(inside, watched):
    number = pair_of_somebody(watched)
    page = inside(f"pairs/{number}")
    assert page.locator("figure .text").all_inner_texts() == [
        f"text {one.split('-')[1]}" for one in page.locator("figcaption b").all_inner_texts()
    ]
    preferred = [int(one.split()[-5]) for one in page.locator("figcaption").all_inner_texts()]
    assert sum(preferred) == page.locator("tbody tr").count() == 3


@pytest.mark.parametrize(("name", "shows"), [("faces", "img"), ("answers", ".text strong"), ("pages", "iframe"),
                                             ("sounds", "audio"), ("video", "video")])  # fmt: skip
def test_pairs_of_all_kinds_are_shown(campaigns, open_page, name, shows):
    campaigns.begin(open_page(), name)
    page = campaigns.log_in(open_page())
    number = campaigns.ask("""SELECT t.id FROM collect_task t JOIN collect_campaign c ON c.id = t.campaign_id
                              WHERE c.name = ?""", name)[0][0]  # fmt: skip
    page.goto(f"{campaigns.url}/campaigns/{name}/pairs/{number}")
    assert page.locator(f"figure {shows}").count() == 2
    assert_accessible(page)
    if name == "faces":
        assert page.locator("figure img").evaluate_all("all => all.every(one => one.complete && one.naturalWidth)")
    if name == "pages":
        expect(page.get_by_text("Query:")).to_be_visible()
        expect(page.frame_locator("iframe >> nth=0").locator("mark").first).to_be_visible()


def test_an_answer_is_corrected_set_aside_and_counted_again_and_the_log_keeps_what_was_said(campaigns, open_page):
    worker = campaigns.begin(open_page(), "faces")
    key = answer(worker, lambda: button(worker, "left").click())
    page = campaigns.log_in(open_page())
    name = campaigns.ask("""SELECT w.id FROM collect_assignment a JOIN collect_worker w ON w.id = a.worker_id
                            WHERE a.key = ?""", key.replace("-", ""))[0][0]  # fmt: skip
    page.goto(f"{campaigns.url}/campaigns/faces/workers/{name}")
    row = page.locator("tbody tr").first
    row.get_by_label("Counts as").select_option("tie")
    row.get_by_role("button", name="Correct").click()
    expect(page.get_by_role("status")).to_contain_text("stays in the log")
    assert_accessible(page)
    expect(row).to_contain_text("corrected")
    expect(row.get_by_label("Counts as")).to_have_value("tie")
    assert state(campaigns, key)[1] == "left"
    row.get_by_label("Reason").fill("slipped")
    row.get_by_role("button", name="Set aside").click()
    expect(row).to_contain_text("set aside")
    row.get_by_role("button", name="Count again").click()
    expect(row.get_by_role("button", name="Set aside")).to_be_visible()
    assert state(campaigns, key)[0] == "answered"
    row.get_by_label("Counts as").select_option("left")
    row.get_by_role("button", name="Correct").click()
    expect(row).to_contain_text("answered")
    told = campaigns.ask(
        "SELECT kind, data FROM collect_event WHERE assignment_id = ? ORDER BY id", key.replace("-", "")
    )
    kinds = [kind for kind, _ in told if kind not in {"leased", "served"}]
    assert kinds == ["answered", "corrected", "set-aside", "restored", "corrected"]
    assert json.loads(dict(told)["answered"])["answer"] == "left"
    assert json.loads(dict(told)["set-aside"])["why"] == "slipped"


def test_everything_can_be_exported_and_ranked_as_it_is(inside, watched, tmp_path):
    page, rows = inside(), {}
    for what in ("Answers", "Events", "Ranking", "Items"):
        for form in ("CSV", "Parquet", "JSON Lines"):
            with page.expect_download() as download:
                page.get_by_role("link", name=f"{what} as {form}").click()
            path = tmp_path / download.value.suggested_filename
            download.value.save_as(path)
            rows[path.name] = lines(path)
    done = len(watched.events(NAME, "answered"))
    for form in ("csv", "parquet", "jsonl"):
        assert rows[f"{NAME}-answers.{form}"] == done
        assert rows[f"{NAME}-ranking.{form}"] == rows[f"{NAME}-items.{form}"] == 8
        assert rows[f"{NAME}-events.{form}"] > 2 * done
    ranked = []
    for form in ("csv", "parquet", "jsonl"):
        words = [sys.executable, "-m", "sidewise.cli", "rank", str(tmp_path / f"{NAME}-answers.{form}")]
        ranked.append(subprocess.run(words, capture_output=True, text=True, check=True).stdout)  # noqa: S603
        assert f"{done} comparisons" in ranked[-1]
    assert ranked[0] == ranked[1] == ranked[2]


def lines(path):
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        return pq.read_table(path).num_rows
    return len(path.read_text().splitlines()) - (path.suffix == ".csv")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_it(watched, open_page, scheme):
    page = watched.log_in(open_page(color_scheme=scheme))
    number = watched.ask("SELECT w.id FROM collect_worker w JOIN collect_campaign c ON c.id = w.campaign_id "
                         "WHERE c.name = ?", NAME)[0][0]  # fmt: skip
    own = f"campaigns/{NAME}/"
    paths = ("campaigns/", own, f"{own}ranking", f"{own}workers", f"{own}workers/{number}", "campaigns/invited/workers",
             f"{own}pairs/{pair_of_somebody(watched)}", "tokens")  # fmt: skip
    for path in paths:
        page.goto(f"{watched.url}/{path}")
        page.locator("main details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        assert_accessible(page)


def test_on_a_phone_nothing_is_wider_than_the_screen(watched, open_page):
    page = watched.log_in(open_page(**PHONE))
    number = pair_of_somebody(watched)
    for path in ("", "ranking", "workers", f"pairs/{number}"):
        page.goto(f"{watched.url}/campaigns/{NAME}/{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
        first = page.locator("tbody tr").first
        if path in {"", "ranking"}:
            assert first.locator("svg").bounding_box()["x"] < 360


def test_what_is_not_there_is_said_kindly(campaigns, open_page):
    page = campaigns.log_in(open_page())
    open_page.watch.allow("404")
    page.goto(f"{campaigns.url}/campaigns/not-mine/")
    expect(page.get_by_role("heading", name="Nothing is here")).to_be_visible()
    assert_accessible(page)


def test_it_works_without_scripts(campaigns, open_page):
    page = campaigns.log_in(open_page(java_script_enabled=False))
    page.goto(f"{campaigns.url}/campaigns/{NAME}/")
    assert page.locator(".figures").count() == 1
    worker = campaigns.begin(open_page(), "cakes")
    key = task(worker)
    answer(worker, lambda: button(worker, "left").click())
    page.goto(f"{campaigns.url}/campaigns/cakes/workers")
    page.locator("tbody a").last.click()
    page.locator("tbody tr").first.get_by_role("button", name="Set aside").click()
    assert state(campaigns, key)[0] == "surplus"
    page.locator("tbody tr").first.get_by_role("button", name="Count again").click()
    assert state(campaigns, key)[0] == "answered"
