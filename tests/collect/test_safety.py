"""A test for each class of holes that systems like this one have had: secrets, sessions, markup, paths, access."""

import os
import re
import stat
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.signing import Signer
from django.db import connection
from django.test import Client, override_settings
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

import sidewise
from sidewise.collect.campaign import Campaign as Spec
from sidewise.collect.campaign import CampaignError, Checked, Item
from sidewise.collect.server import rates
from sidewise.collect.server.answering import answer
from sidewise.collect.server.database import database as database_settings
from sidewise.collect.server.headers import SANDBOX
from sidewise.collect.server.joining import CLAIM, entered, entry, joined, worker_of, worker_pass
from sidewise.collect.server.leasing import serve
from sidewise.collect.server.models import Assignment, Campaign, Event, Token, Worker
from sidewise.collect.server.opening import change_state, create
from sidewise.collect.server.planning import plan
from sidewise.collect.server.secret import secret_key
from sidewise.errors import SidewiseError

SRC = Path(sidewise.__file__).parents[1]
SCRIPT = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(2)</script></svg>"


def logged_in(user, **options):
    client = Client(**options)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def at_work(worker):
    """The browser of a worker."""
    client = Client()
    client.cookies[f"sidewise-{worker.campaign.name}"] = worker_pass(worker)
    return client


@pytest.fixture
def otto(owner):  # noqa: ARG001
    return User.objects.create_user("otto")


@pytest.fixture
def gallery(owner, tmp_path):
    """Opens a campaign of files: ``gallery("image", {"a.svg": b"…", "b.svg": b"…"})``."""

    def open_one(kind, files, *, media=None, **tables):
        for name, content in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
            (tmp_path / name).write_bytes(content)
        own = {"name": "gallery", "question": "Which?"}
        items = {"source": "items.csv", "kind": kind}
        spec = Spec.from_dict({"campaign": own, "items": items, **tables}, folder=tmp_path)
        those = [Item(f"i{n}", name, None, {}) for n, name in enumerate(media or files)]
        campaign = create(Checked(spec, those, {}, None, None, ""), owner)
        change_state(campaign, "open", by=owner)
        plan(campaign)
        return campaign

    return open_one


# Secrets


def test_a_secret_is_made_at_the_first_start_and_kept_for_its_owner_alone(tmp_path):
    path = tmp_path / "home" / "secret.key"
    made = secret_key(path)
    assert len(made) >= 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert secret_key(path) == made
    assert secret_key(tmp_path / "another.key") != made


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660])
def test_a_secret_that_others_can_read_is_refused(tmp_path, mode):
    path = tmp_path / "secret.key"
    secret_key(path)
    path.chmod(mode)
    with pytest.raises(SidewiseError, match="chmod 600"):
        secret_key(path)


@pytest.mark.parametrize("content", ["", "changeme", "x" * 49])
def test_a_secret_that_is_too_short_is_refused(tmp_path, content):
    path = tmp_path / "secret.key"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(SidewiseError, match="too short"):
        secret_key(path)


def test_the_database_file_is_its_owner_s_alone(tmp_path):
    made = database_settings(None, tmp_path)
    assert stat.S_IMODE(Path(made["NAME"]).stat().st_mode) == 0o600


def test_the_settings_pass_the_check_for_deployment(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(SRC), "SIDEWISE_HOME": str(tmp_path), "SIDEWISE_HTTPS": "1",
                   "SIDEWISE_PROXY": "1", "SIDEWISE_HOSTS": "judge.example",
                   "DJANGO_SETTINGS_MODULE": "sidewise.collect.server.settings"}  # fmt: skip
    command = [sys.executable, "-m", "django", "check", "--deploy", "--fail-level", "DEBUG"]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    assert told.returncode == 0, told.stdout + told.stderr
    assert "no issues" in told.stdout
    assert "0 silenced" in told.stdout


# Every address at once: a new one cannot be forgotten

SAMPLES = {"name": "cakes", "number": "1", "key": str(uuid.uuid4()), "side": "left", "what": "answers", "form": "csv",
           "link": "x", "format": "json"}  # fmt: skip
PUBLIC = {"", "login", "logout", "alive", "tokens", "campaigns/", "api/openapi.json", "api/campaigns", "api/"}


def addresses():
    """Every pattern of the server, with the names of its parameters."""

    def below(patterns, before=""):
        for one in patterns:
            place = before + str(one.pattern)
            if isinstance(one, URLResolver):
                yield from below(one.url_patterns, place)
            elif isinstance(one, URLPattern):
                yield place

    return sorted(set(below(get_resolver().url_patterns)))


def filled(pattern, **values):
    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda found: str({**SAMPLES, **values}[found[1]]), pattern)


METHODS = ("get", "head", "options", "post", "put", "patch", "delete", "trace")


def test_every_answer_has_a_policy_without_inline_scripts_and_no_method_breaks_anything(opened, owner):
    opened()
    told = []
    for client in (Client(raise_request_exception=False), logged_in(owner, raise_request_exception=False)):
        for pattern in addresses():
            for method in METHODS:
                sent = getattr(client, method)(filled(pattern))
                told.append(sent.status_code)
                assert sent.status_code < 500, (method, pattern)
                policy = sent.headers["Content-Security-Policy"]
                scripts = dict(part.strip().split(" ", 1) for part in policy.split(";") if " " in part.strip())
                assert scripts["default-src"] == "'none'"
                assert "unsafe" not in scripts.get("script-src", "")
                assert sent.headers["X-Content-Type-Options"] == "nosniff"
                assert sent.headers["Referrer-Policy"] == "same-origin"
                assert sent.headers["X-Frame-Options"] == "DENY"
    assert len(addresses()) > 25
    assert {200, 302, 404, 405} <= set(told)


def test_no_page_has_a_script_a_style_or_a_handler_of_its_own(opened, owner, join):
    campaign = opened()
    worker = join(campaign)
    clients = (Client(), logged_in(owner), at_work(worker))
    pages = 0
    for client in clients:
        for pattern in addresses():
            sent = client.get(filled(pattern, number=worker.pk))
            if sent.status_code == 200 and "html" in sent.headers["Content-Type"]:
                pages += 1
                text = sent.content.decode()
                assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|javascript:", text), pattern
                assert not re.search(r'(src|href)="https?://(?!testserver/)', text), pattern
    assert pages >= 8


def test_every_post_of_a_page_needs_the_csrf_token(opened, owner, join):
    worker = join(opened())
    browser = logged_in(owner, enforce_csrf_checks=True)
    browser.cookies["sidewise-cakes"] = worker_pass(worker)
    before = Event.objects.count(), Token.objects.count(), Campaign.objects.get().state
    refused = 0
    for pattern in addresses():
        if not pattern.startswith("api/"):
            data = {"do": "bar", "state": "closed", "answer": "left", "name": "x"}
            sent = browser.post(filled(pattern, number=worker.pk), data)
            refused += sent.status_code == 403
            assert sent.status_code in {403, 405}, pattern
    assert refused >= 10
    assert (Event.objects.count(), Token.objects.count(), Campaign.objects.get().state) == before


def test_what_belongs_to_another_requester_does_not_exist(opened, owner, otto, join):
    campaign = opened()
    worker = join(campaign)
    (one,) = serve(worker).page
    answer(worker, one.key, "left")
    numbers = {worker.pk, one.task_id, campaign.items.first().pk}
    mine, his = logged_in(owner), logged_in(otto)
    token = Token.issue(otto, "his")
    before = list(Campaign.objects.values()), list(Assignment.objects.values()), Event.objects.count()
    seen = 0
    for pattern in addresses():
        if pattern in PUBLIC or pattern.startswith("c/") or re.fullmatch("api/.*/workers", pattern):  # for everybody
            continue
        for number in numbers:
            for method in ("get", "post"):
                path = filled(pattern, number=number)
                data = {"do": "set-aside", "key": one.key, "state": "closed"}
                if pattern.startswith("api/"):
                    headers = {"Authorization": f"Bearer {token}"}
                    body = {"get": None, "post": '{"state": "closed"}' if "state" in pattern else "[]"}[method]
                    sent = getattr(Client(), method)(path, body, content_type="application/json", headers=headers)
                    assert sent.status_code in {401, 404, 405, 422}, path
                else:
                    sent = getattr(his, method)(path, data)
                    assert sent.status_code in {404, 405}, path
                    anonymous = getattr(Client(), method)(path, data)
                    assert anonymous.status_code in {302, 405}, path
                    assert anonymous.headers.get("Location", "/login").startswith("/login")
                seen += sent.status_code == 404
    assert seen >= 14
    assert (list(Campaign.objects.values()), list(Assignment.objects.values()), Event.objects.count()) == before
    assert mine.get("/campaigns/cakes/").status_code == 200
    assert b"cakes" not in his.get("/campaigns/").content


def test_another_requester_s_things_are_not_reached_through_a_campaign_of_one_s_own(opened, otto, join, owner):
    """The number of a worker, a pair, an item, an answer: each is looked for in the campaign of the address."""
    campaign = opened()
    worker = join(campaign)
    (one,) = serve(worker).page
    answer(worker, one.key, "left")
    Campaign.objects.create(name="his", owner=otto, content=campaign.content)
    his = logged_in(otto)
    item = campaign.items.first()
    for path in (f"workers/{worker.pk}", f"pairs/{one.task_id}", f"items/{item.pk}/media"):
        assert his.get(f"/campaigns/his/{path}").status_code == 404
    assert his.post(f"/campaigns/his/workers/{worker.pk}/admit", {"do": "bar"}).status_code == 404
    his.post("/campaigns/his/vet", {"do": "set-aside", "key": one.key})
    assert not Assignment.objects.get(key=one.key).set_aside
    Token.issue(owner, "rita's")
    his.post("/tokens", {"delete": Token.objects.get().pk})
    assert Token.objects.count() == 1
    assert b"rita&#x27;s" not in his.get("/tokens").content


def test_another_worker_s_task_and_media_do_not_exist(gallery, join):
    campaign = gallery("image", {"a.svg": SCRIPT, "b.svg": SCRIPT, "c.svg": SCRIPT})
    mine, other = join(campaign), join(campaign)
    (one,) = serve(mine).page
    path = f"/c/gallery/media/{one.key}/left"
    assert at_work(mine).get(path).getvalue() == SCRIPT
    assert at_work(other).get(path).status_code == 404
    assert Client().get(path).status_code == 404
    at_work(other).post("/c/gallery/answer", {"key": one.key, "answer": "left"})
    assert Assignment.objects.get(key=one.key).state == "leased"


# Media and markup


def test_media_are_sent_as_what_they_are_and_can_do_nothing(gallery, join, owner):
    campaign = gallery("image", {"a.svg": SCRIPT, "b.svg": SCRIPT})
    worker = join(campaign)
    (one,) = serve(worker).page
    sent = [at_work(worker).get(f"/c/gallery/media/{one.key}/left"),
            logged_in(owner).get(f"/campaigns/gallery/items/{campaign.items.first().pk}/media")]  # fmt: skip
    for reply in sent:
        assert reply.headers["Content-Type"] == "image/svg+xml"
        assert reply.headers["Content-Security-Policy"] == SANDBOX
        assert "sandbox;" in SANDBOX
        assert "allow-scripts" not in SANDBOX
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert "svg" not in reply.headers["Content-Disposition"]
        assert reply.getvalue() == SCRIPT


def test_a_page_among_the_pictures_is_not_shown_as_one(gallery, join):
    campaign = gallery("image", {"a.html": b"<script>alert(1)</script>", "b.html": b"x"})
    worker = join(campaign)
    (one,) = serve(worker).page
    sent = at_work(worker).get(f"/c/gallery/media/{one.key}/left")
    assert sent.status_code == 404 or sent.headers["Content-Type"] == "application/octet-stream"
    sent.close()


def test_documents_are_made_harmless(gallery, join):
    page = b"""<h1>Tea</h1><script>alert(1)</script><img src=x onerror=alert(2)><a href="javascript:alert(3)">a</a>
        <form action="https://evil.example"><input></form><iframe src="https://evil.example"></iframe>
        <style>@import url(https://evil.example)</style><meta http-equiv=refresh content="0;url=https://evil.example">"""
    campaign = gallery("page", {"a.html": page, "b.html": page})
    worker = join(campaign)
    (one,) = serve(worker).page
    sent = at_work(worker).get(f"/c/gallery/media/{one.key}/left")
    text = sent.content.decode().lower()
    assert "<h1>tea</h1>" in text
    for word in ("script", "onerror", "evil", "<form", "<iframe", "refresh"):
        assert word not in text
    assert sent.headers["Content-Security-Policy"] == SANDBOX


def test_nothing_that_a_requester_or_a_worker_writes_becomes_markup(opened, owner, join):
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
    campaign = opened(answers={"skip": True, "labels": {"left": evil[:50]}})
    campaign.content["campaign"] |= {"title": evil, "question": evil}
    campaign.instructions = f"**bold** {evil} [x](javascript:alert(1)) ![y](https://evil.example/y.png)"
    campaign.trouble = campaign.finished = evil
    campaign.save()
    for item in campaign.items.all():
        item.name, item.media = f"{evil}{item.pk}", evil
        item.save()
    worker = join(campaign)
    Worker.objects.filter(pk=worker.pk).update(name=evil)
    (one,) = serve(worker).page
    answer(worker, one.key, "skip", reason=evil)
    (one,) = serve(worker).page
    answer(worker, one.key, "left")
    pages = [Client().get("/c/cakes/"), at_work(worker).get("/c/cakes/work")]
    paths = ("", "ranking", "workers", f"workers/{worker.pk}", f"pairs/{one.task_id}")
    pages += [logged_in(owner).get(f"/campaigns/cakes/{path}") for path in paths]
    for page in pages:
        text = page.content.decode()
        assert page.status_code == 200
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "javascript:" not in re.sub(r"\(javascript:alert\(1\)\)", "", text)
    assert "<strong>bold</strong>" in pages[0].content.decode()


# Paths

PATHS = ["../secret.txt", "sub/../../secret.txt", "/etc/passwd", "..", ".", "", "%2e%2e/secret.txt",
         "a\\..\\secret.txt", "link.png",
         "linked/secret.txt", "output/secret.key", "x" * 5_000, "a\x00.png", "~/secret.txt",
         "file:///etc/passwd"]  # fmt: skip


@pytest.mark.parametrize("media", PATHS)
def test_no_path_leaves_the_folder(owner, tmp_path, media):
    folder = tmp_path / "campaign"
    (folder / "output").mkdir(parents=True)
    (folder / "sub").mkdir()
    (folder / "output" / "secret.key").write_text("secret")
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "campaign-2").mkdir()
    (folder / "link.png").symlink_to(tmp_path / "secret.txt")
    (folder / "linked").symlink_to(tmp_path)
    own = {"name": "paths", "question": "Which?"}
    spec = Spec.from_dict({"campaign": own, "items": {"source": "items.csv"}}, folder=folder)
    campaign = create(Checked(spec, [], {}, None, None, ""), owner)
    item = campaign.items.create(name="a", media="a.png")
    item.media = media
    if "\x00" not in media:
        item.save()
    from sidewise.collect.server.pages.shown import media_path

    with pytest.raises(SidewiseError, match="are not there"):
        media_path(campaign, item)
    if "\x00" not in media:
        sent = logged_in(owner).get(f"/campaigns/paths/items/{item.pk}/media")
        assert sent.status_code == 404
        assert b"secret" not in sent.content


@pytest.mark.parametrize("path", ["../../settings.py", "%2e%2e/%2e%2e/settings.py", "/etc/passwd", "..%2fsettings.py"])
def test_static_files_are_those_of_the_package(path):
    assert Client().get(f"/static/{path}").status_code == 404


# Who a worker is


def test_entry_links_and_passes_are_signed_and_bound(opened, join):
    campaign, other = opened(), opened(name="other")
    worker = join(campaign)
    link, token = entry(campaign, "ann"), worker_pass(worker)
    assert entered(other, link) is None
    assert worker_of(token, "other") is None
    assert entered(campaign, token) is None
    assert worker_of(link, "cakes") is None
    forged = Signer(key="x" * 50, salt="sidewise.entry").sign_object({"campaign": campaign.pk, "worker": "ann"})
    for wrong in (forged, link[:-1], "x" + link, "", ":", "a:b", link.upper(), "é" * 40, "\x00"):
        assert entered(campaign, wrong) is None
        assert worker_of(wrong, "cakes") is None
    forged = Signer(key="x" * 50, salt="sidewise.worker").sign(f"{campaign.pk}.{worker.pk}")
    assert worker_of(forged, "cakes") is None
    assert Client().get(f"/c/cakes/enter/{forged}").status_code == 404
    assert Client().get(f"/c/other/enter/{link}").status_code == 404
    ann = entered(campaign, link)
    assert (ann.name, ann.invited) == ("ann", True)
    assert entered(campaign, link) == ann
    assert worker_of(worker_pass(ann), "cakes") == ann


def test_a_link_does_not_give_what_a_stranger_has_claimed(opened, join):
    campaign = opened()
    stranger = join(campaign, "ann")
    assert entered(campaign, entry(campaign, "ann")) != stranger


def test_a_campaign_by_invitation_cannot_be_joined(opened):
    opened(access={"open": False})
    assert Client().post("/c/cakes/join").status_code == 404
    assert b"by invitation" in Client().get("/c/cakes/").content


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_nobody_joins_a_campaign_that_is_not_open(opened, state):
    opened(state=state)
    assert Client().post("/c/cakes/join").status_code == 404


def test_a_claim_is_kept_and_not_believed_twice(opened):
    campaign = opened()
    page = Client().get("/c/cakes/?PROLIFIC_PID=5f3a9&STUDY_ID=1")
    assert b'value="5f3a9"' in page.content
    first, second = Client(), Client()
    for client in (first, second):
        assert client.post("/c/cakes/join", {"claim": "5f3a9"}).status_code == 302
    names = list(campaign.workers.order_by("id").values_list("name", flat=True))
    assert names[0] == "5f3a9"
    assert re.fullmatch("5f3a9~[0-9a-f]{8}", names[1])
    assert Event.objects.filter(kind="joined").order_by("id").last().data["again"] is True
    assert first.cookies["sidewise-cakes"].value != second.cookies["sidewise-cakes"].value


def test_a_claim_is_believed_once_even_when_many_come_at_the_same_moment(opened):
    campaign = opened()

    def come(_):
        try:
            return joined(campaign, "5f3a9").pk
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        came = list(pool.map(come, range(8)))
    assert len(set(came)) == 8
    assert campaign.workers.filter(name="5f3a9").count() == 1


@pytest.mark.parametrize("claim", ["=1+1", "@SUM(A1)", "-1", "+1", "a b", "a\nb", "<b>", "a" * 151, "é", "'x", "~x"])
def test_a_claim_is_an_id_and_nothing_else(opened, claim):
    campaign = opened()
    assert not CLAIM.fullmatch(claim)
    assert Client().post("/c/cakes/join", {"claim": claim}).status_code == 400
    assert not campaign.workers.exists()


def test_a_preview_takes_no_lease_and_makes_no_worker(opened):
    campaign = opened()
    page = Client().get("/c/cakes/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=1&workerId=A1")
    assert b"preview" in page.content
    assert b"<form" not in page.content
    assert not campaign.workers.exists()
    assert not campaign.assignments.exists()


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(opened, owner):
    opened()
    with override_settings(SESSION_COOKIE_SECURE=True, CSRF_COOKIE_SECURE=True):
        browser = Client()
        browser.post("/c/cakes/join")
        browser.post("/login", {"username": owner.username, "password": "correct horse battery"})
        for name in ("sidewise-cakes", "sessionid"):
            assert browser.cookies[name]["httponly"]
            assert browser.cookies[name]["samesite"] == "Lax"
            assert browser.cookies[name]["secure"]
        assert browser.cookies["sidewise-cakes"]["path"] == "/c/cakes/"
        assert browser.cookies["csrftoken"]["secure"]


# Ways out

OUTSIDE = ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "https:evil.example",
           "/campaigns/cakes/..//evil.example", "/campaigns/cakes//evil.example", "\\\\evil.example"]  # fmt: skip


@pytest.mark.parametrize("place", OUTSIDE)
def test_nothing_sends_a_browser_elsewhere(opened, owner, place):
    opened()
    browser = logged_in(owner)
    sent = browser.post("/campaigns/cakes/vet", {"do": "restore", "key": "x", "back": place})
    assert sent.headers["Location"] == "/campaigns/cakes/"
    fresh = Client()
    sent = fresh.post(
        f"/login?next={place}", {"username": owner.username, "password": "correct horse battery", "next": place}
    )
    assert re.match(r"/(?![/\\\\])", sent.headers["Location"])


@pytest.mark.parametrize(
    "address",
    ["http://a.example/{code}", "javascript:{code}", "https://{worker}.example/", "//a.example", "https://u@a.example/",
     "https://a.example/{key}"],
)  # fmt: skip
def test_the_way_out_of_a_campaign_is_https_to_a_host_that_is_written_out(address):
    with pytest.raises(CampaignError, match="redirect"):
        Spec(name="c", question="?", items={"source": "i.csv"}, access={"redirect": address})


def test_the_way_out_appears_after_the_last_answer_only_and_its_blanks_are_filled_safely(opened, join):
    there = "https://app.prolific.com/submissions/complete?cc={code}&who={worker}"
    campaign = opened(
        access={"redirect": there, "completion_code": "C&1"}, serving={"tasks_per_worker": 1, "preload": 0}
    )
    worker = join(campaign)
    Worker.objects.filter(pk=worker.pk).update(name='a&cc=FORGED"#')
    browser = at_work(worker)
    assert b"prolific" not in browser.get("/c/cakes/work").content
    answer(worker, serve(worker).page[0].key, "left")
    text = browser.get("/c/cakes/work").content.decode()
    assert 'href="https://app.prolific.com/submissions/complete?cc=C%261&amp;who=a%26cc%3DFORGED%22%23"' in text


# Log-in


def test_nobody_can_register():
    for pattern in addresses():
        assert not re.search("regist|sign.?up|reset|admin(?!t)", pattern)
    assert settings.DEBUG is False
    assert "django.contrib.admin" not in settings.INSTALLED_APPS


def try_login(client, password, name="rita", **extra):
    return client.post("/login", {"username": name, "password": password}, **extra).status_code


def test_after_five_wrong_passwords_there_is_a_rest(owner):
    from axes.models import AccessAttempt

    client = Client()
    assert [try_login(client, "wrong") for _ in range(5)] == [200, 200, 200, 200, 429]
    assert try_login(client, "correct horse battery") == 429
    assert try_login(Client(REMOTE_ADDR="10.0.0.9"), "correct horse battery") == 302, "elsewhere she is not locked out"
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=16))
    assert try_login(client, "correct horse battery") == 302
    assert owner.is_active


def test_behind_a_proxy_it_is_the_true_address_that_is_locked_out_and_a_forged_one_changes_nothing(owner):  # noqa: ARG001
    with override_settings(PROXY=True):
        for forged in range(6):
            status = try_login(Client(), "wrong", headers={"X-Forwarded-For": f"1.2.3.{forged}, 9.9.9.9"})
        assert status == 429
        good = "correct horse battery"
        assert try_login(Client(), good, headers={"X-Forwarded-For": "9.9.9.9"}) == 429
        assert try_login(Client(), good, headers={"X-Forwarded-For": "8.8.8.8"}) == 302


def test_guessing_names_is_limited_too(owner):  # noqa: ARG001
    told = [try_login(Client(), "x", name=f"name{n}") for n in range(61)]
    assert told[59:] == [200, 429]


# Rates


@pytest.fixture
def one_minute(monkeypatch):
    """No minute ends while a test fills it."""
    monkeypatch.setattr(rates, "time", lambda: 0.0)


def test_joining_is_limited_by_address_and_a_lecture_hall_may_come_at_once(opened, one_minute):  # noqa: ARG001
    opened()
    told = [Client().post("/c/cakes/join").status_code for _ in range(301)]
    assert set(told[:300]) == {302}
    assert told[300] == 429
    assert Client(REMOTE_ADDR="10.0.0.9").post("/c/cakes/join").status_code == 302


def test_behind_a_proxy_the_last_address_counts(opened, one_minute):  # noqa: ARG001
    opened()
    with override_settings(PROXY=True):
        for n in range(301):
            sent = Client().post("/c/cakes/join", headers={"X-Forwarded-For": f"1.1.{n // 256}.{n % 256}, 9.9.9.9"})
        assert sent.status_code == 429
        assert sent.headers["Retry-After"] == "60"
        other = Client().post("/c/cakes/join", headers={"X-Forwarded-For": "9.9.9.8"})
        assert other.status_code == 302


def test_counting_survives_more_visitors_than_are_remembered(monkeypatch):
    from django.core.cache import cache

    from sidewise.collect.server.rates import too_many

    monkeypatch.setattr(cache, "incr", lambda _slot: (_ for _ in ()).throw(ValueError("forgotten")))
    assert not too_many("join", "1.1.1.1", 1)


# What comes in


def test_a_host_that_is_not_ours_is_refused(opened):
    opened()
    with override_settings(ALLOWED_HOSTS=["judge.example"]):
        assert Client().get("/c/cakes/", headers={"Host": "evil.example"}).status_code == 400
        assert Client().get("/c/cakes/", headers={"Host": "judge.example"}).status_code == 200


def test_bodies_have_a_limit(opened, join):
    worker = join(opened())
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=1_000):
        assert at_work(worker).post("/c/cakes/answer", {"answer": "x" * 2_000}).status_code == 400
    many = "&".join(f"a{n}=1" for n in range(2_000))
    kind = "application/x-www-form-urlencoded"
    assert at_work(worker).generic("POST", "/c/cakes/answer", many, content_type=kind).status_code == 400


WEIRD = ["\x00", "a\x00b", "\ud800", "\u202egnp", "𝔘" * 300, "%00", "' OR 1=1 --", "{{7*7}}", "\r\nSet-Cookie: a=b", "x" * 10_000, "²", "-1", "9" * 30, "null", "../.."]  # fmt: skip  # noqa: E501
FIELDS = ("username", "password", "next", "name", "delete", "do", "key", "answer", "why", "back", "state", "claim", "reason", "width", "height", "ratio", "page")  # fmt: skip  # noqa: E501


def test_whatever_is_written_into_any_field_breaks_nothing(opened, owner, join):
    campaign = opened(answers={"skip": True})
    worker = join(campaign)
    (one,) = serve(worker).page
    browser = logged_in(owner, raise_request_exception=False)
    browser.cookies["sidewise-cakes"] = worker_pass(worker)
    forms = ["/login", "/tokens", "/campaigns/cakes/vet", "/campaigns/cakes/state", "/c/cakes/join", "/c/cakes/answer",
             "/c/cakes/undo", f"/campaigns/cakes/workers/{worker.pk}/admit"]  # fmt: skip
    for weird in WEIRD:
        sendable = weird.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        for path in forms:
            data = {name: sendable for name in FIELDS if name != "password"}
            for kept in ({}, {"key": one.key, "answer": "skip", "do": "correct"}):
                sent = browser.post(path, {**data, **kept})
                assert sent.status_code < 500, (path, weird)
                if "\x00" in weird:
                    assert sent.status_code == 400
        for path in ("/campaigns/cakes/ranking", "/campaigns/cakes/workers", f"/campaigns/cakes/workers/{worker.pk}"):
            assert browser.get(path, dict.fromkeys(FIELDS, sendable)).status_code < 500
    assert browser.get("/c/cakes/work").status_code == 200


@pytest.mark.parametrize("name", ["sessionid", "csrftoken", "sidewise-cakes", "messages"])
@pytest.mark.parametrize("value", ['"\\000"', "x", "\xff", "a:b:c"])
def test_a_cookie_of_nonsense_breaks_nothing(opened, name, value):
    opened()
    for path in ("/c/cakes/", "/c/cakes/work", "/campaigns/", "/login"):
        sent = Client(raise_request_exception=False).get(path, headers={"Cookie": f"{name}={value}"})
        assert sent.status_code in {200, 302, 400}


@pytest.mark.parametrize("number", ["0", "9" * 19, "9" * 40, "-1", "1.5", "abc", "%00", "1%20or%201=1"])
def test_numbers_that_are_none_are_nobody_s(opened, owner, number):
    opened()
    for path in ("workers/{}", "pairs/{}", "items/{}/media"):
        sent = logged_in(owner, raise_request_exception=False).get(f"/campaigns/cakes/{path.format(number)}")
        assert sent.status_code in {400, 404}


def test_parameters_of_an_address_never_reach_the_database(opened, owner):
    """Filters in the address have given away hashes of passwords elsewhere; here there are none."""
    opened()
    browser = logged_in(owner)
    plain = browser.get("/campaigns/cakes/workers").content
    for query in ("owner__password__startswith=a", "filter=1", "ordering=owner__password", "o=-password"):
        told = browser.get(f"/campaigns/cakes/workers?{query}").content
        assert re.sub(rb'value="\w{64}"', b"", told) == re.sub(rb'value="\w{64}"', b"", plain)


@pytest.mark.parametrize(
    "asked", ["bytes=0-1", "bytes=-2", "bytes=5-2", "bytes=999-", "bytes=" + "9" * 5_000 + "-", "x"]
)
def test_a_part_of_a_file_is_that_part_or_refused(gallery, join, asked):
    campaign = gallery("video", {"a.mp4": b"0123456789", "b.mp4": b"0123456789"})
    worker = join(campaign)
    (one,) = serve(worker).page
    browser = at_work(worker)
    browser.raise_request_exception = False
    sent = browser.get(f"/c/gallery/media/{one.key}/left", headers={"Range": asked})
    assert sent.status_code in {200, 206, 416}
    if sent.status_code == 206:
        assert len(sent.getvalue()) == 2
    sent.close()
    assert sent.headers["Content-Security-Policy"] == SANDBOX
