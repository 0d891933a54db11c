"""The programming interface: all of it, under tokens, on both databases; and what it says of itself is true."""

import csv
import io
import json
from collections import Counter

import pyarrow.parquet as pq
import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core.wsgi import get_wsgi_application
from django.test import Client, override_settings
from hypothesis import HealthCheck, given
from hypothesis import settings as trying
from schemathesis.checks import ignored_auth, positive_data_acceptance

from sidewise.collect.server.models import Campaign, Event, Token
from sidewise.collect.server.planning import plan
from sidewise.collect.server.standing import refit

TEXTS = [{"id": f"t{n}", "media": f"text {n}", "attributes": {"system": "a", "n": n}} for n in range(6)]


def tables(name="cakes", **more):
    own = {"name": name, "question": "Which is better?"}
    return {"campaign": own, "items": {"kind": "text"}, "sampling": {"method": "random"}, **more}


class Program:
    """Somebody's program: calls with a token."""

    def __init__(self, token=None):
        self.client = Client()
        self.headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def get(self, path):
        return self.client.get(f"/api/{path}", headers=self.headers)

    def post(self, path, data=None):
        body = data if isinstance(data, str) else json.dumps(data)
        return self.client.post(f"/api/{path}", body, content_type="application/json", headers=self.headers)


@pytest.fixture
def program(owner):
    return Program(Token.issue(owner, "mine"))


@pytest.fixture
def cakes(program):
    """A campaign of texts, created and opened by the interface alone."""
    made = program.post("campaigns", {"campaign": tables(answers={"tie": True, "skip": True}), "items": TEXTS})
    assert made.status_code == 201, made.content
    assert program.post("campaigns/cakes/state", {"state": "open"}).json()["state"] == "open"
    plan(Campaign.objects.get(name="cakes"))
    return program


def joined(claim=""):
    told = Program().post("campaigns/cakes/workers", {"claim": claim})
    assert told.status_code == 200, told.content
    return Program(told.json()["token"])


def test_a_campaign_from_the_first_call_to_the_last(cakes):
    worker = joined("5f3a")
    work = worker.post("campaigns/cakes/tasks").json()
    assert worker.post("campaigns/cakes/tasks").json() == work
    key = work["tasks"][0]["key"]
    assert {side["text"] for side in work["tasks"][0]["sides"]} < {item["media"] for item in TEXTS}
    assert "t0" not in json.dumps(work).replace("text", "")
    said = worker.post("campaigns/cakes/answers", {"key": key, "answer": "left"}).json()
    assert (said["state"], said["again"]) == ("answered", False)
    assert worker.post("campaigns/cakes/answers", {"key": key, "answer": "left", "next": False}).json() == {
        "state": "answered", "again": True, "work": None,
    }  # fmt: skip
    assert worker.post("campaigns/cakes/undo").json()["tasks"][0]["key"] == key
    while work := worker.post("campaigns/cakes/tasks").json()["tasks"]:
        worker.post("campaigns/cakes/answers", {"key": work[0]["key"], "answer": "left"})
    told = cakes.get("campaigns/cakes").json()
    assert (told["items"], told["workers"], told["answers"]) == (6, 1, 15)
    assert "folder" not in told["content"]
    assert cakes.get("campaigns/cakes/ranking").json()["remarks"] == ["no answers yet"]
    refit(Campaign.objects.get())
    ranking = cakes.get("campaigns/cakes/ranking").json()
    assert ranking["answers"] == 15
    assert {row["item"] for row in ranking["items"]} == {item["id"] for item in TEXTS}
    for state, status in (("paused", 200), ("open", 200), ("closed", 200), ("open", 422)):
        assert cakes.post("campaigns/cakes/state", {"state": state}).status_code == status
    assert worker.post("campaigns/cakes/tasks").json()["why"] == "closed"
    assert Program().post("campaigns/cakes/workers", {}).status_code == 404
    assert [one["name"] for one in cakes.get("campaigns").json()] == ["cakes"]


def test_exports_come_in_three_forms_and_agree(cakes):
    worker = joined()
    key = worker.post("campaigns/cakes/tasks").json()["tasks"][0]["key"]
    worker.post("campaigns/cakes/answers", {"key": key, "answer": "tie"})
    read = {
        "csv": lambda data: list(csv.DictReader(io.StringIO(data.decode()))),
        "jsonl": lambda data: [json.loads(line) for line in data.splitlines()],
        "parquet": lambda data: pq.read_table(io.BytesIO(data)).to_pylist(),
    }
    for what, count in {"answers": 1, "events": Event.objects.count(), "ranking": 0, "items": 6}.items():
        for form, reader in read.items():
            sent = cakes.get(f"campaigns/cakes/export/{what}.{form}")
            rows = reader(sent.getvalue())
            assert len(rows) == count
            assert sent.headers["Content-Disposition"] == f'attachment; filename="cakes-{what}.{form}"'
            if what == "answers":
                assert (rows[0]["key"], rows[0]["winner"], rows[0]["answer"]) == (key, "tie", "tie")
            if what == "items":
                assert (rows[1]["item"], rows[1]["media"], rows[1]["system"]) == ("t1", "text 1", "a")
                assert rows[1]["n"] == ("1" if form == "csv" else 1)
    assert cakes.get("campaigns/cakes/export/passwords.csv").status_code == 422


def test_attributes_of_any_kind_are_exported_under_their_names(cakes):
    many = [{"n": 2.5, "big": 2**60, "mixed": 3, "yes": True, "item": "own"}, {"mixed": "x"}, {"big": 1, "yes": False}]
    more = [{"id": f"m{n}", "media": "m", "attributes": told} for n, told in enumerate(many)]
    assert cakes.post("campaigns/cakes/items", more).status_code == 200
    sent = cakes.get("campaigns/cakes/export/items.parquet").getvalue()
    rows = pq.read_table(io.BytesIO(sent)).to_pylist()[6:]
    told = {"n": [2.5, None, None], "big": [str(2**60), None, "1"], "mixed": ["3", "x", None],
            "yes": [True, None, False], "attribute item": ["own", None, None], "item": ["m0", "m1", "m2"]}  # fmt: skip
    assert {name: [row[name] for row in rows] for name in told} == told


def test_items_can_be_added_once_each_until_the_campaign_is_closed(cakes):
    more = [{"id": "t9", "media": "another"}]
    assert cakes.post("campaigns/cakes/items", more).json() == {"added": 1}
    assert "already" in cakes.post("campaigns/cakes/items", more).json()["detail"]
    twice = [{"id": "t10", "media": "another"}] * 2
    assert "twice" in cakes.post("campaigns/cakes/items", twice).json()["detail"]
    cakes.post("campaigns/cakes/state", {"state": "closed"})
    late = cakes.post("campaigns/cakes/items", [{"id": "t11", "media": "another"}])
    assert (late.status_code, "closed" in late.json()["detail"]) == (422, True)


def test_a_search_campaign_by_invitation(program):
    items = [{"id": f"d{n}", "media": f"https://pages.example/{n}", "group": "q1"} for n in range(3)]
    asked = tables("found", items={"kind": "page", "group": "query"}, search={}, access={"open": False})
    without = program.post("campaigns", {"campaign": asked, "items": items})
    assert "queries" in without.json()["detail"]
    asked_of = {"campaign": asked, "items": items, "workers": ["ann"]}
    other = program.post("campaigns", {**asked_of, "queries": [{"id": "q2", "query": "tea"}]})
    assert "no such query" in other.json()["detail"]
    assert program.post("campaigns", {**asked_of, "queries": [{"id": "q1", "query": "tea"}]}).status_code == 201
    program.post("campaigns/found/state", {"state": "open"})
    plan(campaign := Campaign.objects.get())
    from sidewise.collect.server.joining import entry

    assert Program().post("campaigns/found/workers", {}).status_code == 404
    assert Program().post("campaigns/found/workers", {"link": "forged"}).status_code == 404
    told = Program().post("campaigns/found/workers", {"link": entry(campaign, "ann")}).json()
    assert told["worker"] == "ann"
    (task,) = Program(told["token"]).post("campaigns/found/tasks").json()["tasks"]
    assert task["query"] == "tea"
    assert all(side["address"].startswith("https://pages.example/") for side in task["sides"])


def test_tokens_are_hashed_and_one_that_was_taken_away_opens_nothing(program, owner):
    token = program.headers["Authorization"].removeprefix("Bearer ")
    kept = Token.objects.get()
    assert token not in {kept.digest, kept.name}
    assert len(kept.digest) == 64
    assert program.get("campaigns").status_code == 200
    assert Token.objects.get().used_at is not None
    for wrong in (None, "", "x", token[:-1], kept.digest, "ü" * 20):
        assert Program(wrong).get("campaigns").status_code == 401
    owner.is_active = False
    owner.save()
    assert program.get("campaigns").status_code == 401
    owner.is_active = True
    owner.save()
    Token.objects.all().delete()
    assert program.get("campaigns").status_code == 401


def test_a_token_opens_no_worker_s_door_and_a_pass_no_requester_s(cakes):
    worker = joined()
    assert worker.get("campaigns").status_code == 401
    assert cakes.post("campaigns/cakes/tasks").status_code == 401
    Campaign.objects.create(name="other", owner=User.objects.get(), content=Campaign.objects.get().content)
    assert worker.post("campaigns/other/tasks").status_code == 401


FILES = [
    {"campaign": {"name": "c", "question": "?", "instructions_file": "a.md"}},
    {"items": {"kind": "text", "folder": "/etc"}},
    {"items": {"kind": "text", "source": "../items.csv"}},
    {"sampling": {"method": "random", "allowed": "pairs.csv"}},
    {"search": {"queries": "queries.csv"}},
    {"access": {"open": False, "workers": "/etc/passwd"}},
    {"output": {"folder": "elsewhere"}},
    {"folder": "/etc"},
]


@pytest.mark.parametrize("more", FILES)
def test_the_server_reads_no_files_for_a_program(program, more):
    told = program.post("campaigns", {"campaign": {**tables(), **more}, "items": TEXTS})
    assert (told.status_code, "reads no files" in told.json()["detail"]) == (422, True)


ADDRESSES = ["/etc/passwd", "../secret.key", "file:///etc/passwd", "http://a.example/1.png", "javascript:alert(1)",
             "data:image/png;base64,AAAA", "//a.example/1.png", "https://ann:pw@a.example/1.png", "https:///1.png",
             "https://a.example; script-src */1.png", "https://a.example/1 2.png", "https://bücher.example/1.png",
             "https://a.example/1.mp4"]  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_media_of_a_program_are_https_addresses(program, address):
    pictures = tables(items={"kind": "image"})
    told = program.post("campaigns", {"campaign": pictures, "items": [{"id": "a", "media": address}]})
    assert told.status_code == 422, told.content
    assert "item 'a'" in told.json()["detail"]
    assert not Campaign.objects.exists()


WRONG = [
    ("{", 400, "not JSON"),
    ('{"campaign": NaN}', 400, "no number"),
    ('{"campaign": {"campaign": {"question": "a\\u0000"}}}', 400, "character"),
    ('{"campaign": {"campaign": {"question": "a\\ud800"}}}', 400, "character"),
    ('{"campaign": {"c\\u0000": 1}}', 400, "character"),
    ('{"campaign": {"a": 1e999}}', 400, "too large"),
    ('{"campaign": ' + "[" * 5_000 + "]" * 5_000 + "}", 400, "cannot be read"),
    ('{"campaign": {"items": 5}}', 422, "items is 5"),
    ('{"campaign": {"campaign": {"name": "x", "question": "q", "nmae": 1}}}', 422, "nmae"),
    ('{"campaign": {"rules": [{"kind": "ban"}]}}', 422, "rule"),
    ("[]", 422, "campaign"),
]


@pytest.mark.parametrize(("body", "status", "why"), WRONG)
def test_whatever_is_wrong_with_a_body_is_told(program, body, status, why):
    told = program.post("campaigns", body)
    assert told.status_code == status, told.content
    assert why in told.json()["detail"]


def test_attributes_that_a_database_cannot_keep_are_refused(program):
    program.post("campaigns", {"campaign": tables()})
    for attributes in ('{"a": NaN}', '{"a": "\\u0000"}', '{"a\\u0000": 1}', '{"a": Infinity}'):
        told = program.post("campaigns/cakes/items", f'[{{"id": "a", "media": "b", "attributes": {attributes}}}]')
        assert told.status_code == 400
    good = {"id": "a", "media": "b", "attributes": {"n": 3, "x": 0.5, "yes": True, "no": None, "t": "x"}}
    assert program.post("campaigns/cakes/items", [good]).status_code == 200
    assert Campaign.objects.get().items.get().attributes == good["attributes"]


def test_a_body_that_is_too_large_is_refused_before_it_is_read(program):
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=1_000):
        told = program.post("campaigns", {"campaign": tables(title="x" * 2_000)})
    assert (told.status_code, "in parts" in told.json()["detail"]) == (413, True)


def test_a_name_is_taken_once_by_whomever(program):
    other = Program(Token.issue(User.objects.create_user("otto"), "his"))
    assert program.post("campaigns", {"campaign": tables()}).status_code == 201
    told = other.post("campaigns", {"campaign": tables()})
    assert (told.status_code, "already" in told.json()["detail"]) == (422, True)


def test_the_description_names_every_call_and_what_it_may_answer():
    told = Client().get("/api/openapi.json").json()
    calls = {(method, path) for path, methods in told["paths"].items() for method in methods}
    assert len(calls) == 11
    for _, path in calls:
        for call in told["paths"][path].values():
            assert {"400", "404", "422"} <= set(call["responses"])
            assert ("security" in call) == (call["summary"] != "Join a campaign")


def test_nobody_finds_a_request_that_breaks_it(database, owner, opened, join):  # noqa: ARG001
    """Schemathesis makes requests from the description: no 5xx, and no answer that is not described."""
    from sidewise.collect.server.joining import worker_pass

    campaign = opened(items=4, name="cakes")
    token, pass_ = Token.issue(owner, "mine"), worker_pass(join(campaign))
    app = get_wsgi_application()
    schema = schemathesis.openapi.from_wsgi("/api/openapi.json", app)
    answered = Counter()

    def tries(operation):
        key = token if operation.definition.raw["tags"] == ["campaigns"] else pass_

        @given(case=operation.as_strategy())
        @trying(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
        def call(case):
            if "name" in case.path_parameters and answered.total() % 2:
                case.path_parameters["name"] = campaign.name
            sent = case.call(headers={"Authorization": f"Bearer {key}"})
            # The token is always right here, and a description cannot say all that a campaign must be.
            case.validate_response(sent, excluded_checks=[ignored_auth, positive_data_acceptance])
            answered[sent.status_code] += 1

        return call

    for described in schema.get_all_operations():
        tries(described.ok())()
    assert answered.total() > 100
    assert {200, 404, 422} <= set(answered)
    assert max(answered) < 500
