"""The driver of load tests, against a tiny server whose delays and faults we know."""

import asyncio
import json
import re
import sys
from collections import Counter
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
from closed_loop import Finished, Measured, Plan, drive, percentile
from loopback import Client, Refused

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nside\r\n4;x=1\r\nwise\r\n0\r\nTrailer: t\r\n\r\n"


class Echo:
    """Answers with what it was sent, after a while; remembers how many requests it had at once, on how many lines."""

    def __init__(self, delay=0.0):
        self.delay, self.now, self.most, self.lines, self.asked = delay, 0, 0, 0, Counter()
        self.serving = set()

    async def serve(self, reader, writer):
        self.lines += 1
        self.serving.add(asyncio.current_task())
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = re.search(rb"Content-Length: (\d+)", head)
                body = await reader.readexactly(int(length[1])) if length else b""
                self.now += 1
                self.most = max(self.most, self.now)
                await asyncio.sleep(self.delay)
                self.now -= 1
                if not self.answer(head.decode(), body, writer):
                    break
        except (asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    def answer(self, head, body, writer):
        """Write the answer that the path asks for; false closes the line."""
        path = head.split()[1]
        self.asked[path] += 1
        if path == "/drop":
            return False
        if path == "/chunked":
            writer.write(CHUNKED)
            return True
        status = {"/busy": "503 Service Unavailable"}.get(path, "200 OK")
        cookie = {"/enter": "Set-Cookie: worker=ann; Path=/\r\n", "/leave": 'Set-Cookie: worker=""; Max-Age=0\r\n'}
        close = "Connection: close\r\n" if path == "/close" else ""
        said = json.dumps({"head": head, "body": body.decode()}).encode()
        writer.write(
            f"HTTP/1.1 {status}\r\n{cookie.get(path, '')}{close}Content-Length: {len(said)}\r\n\r\n".encode() + said
        )
        return not close


@asynccontextmanager
async def serving(echo):
    server = await asyncio.start_server(echo.serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await asyncio.sleep(0.01)
        for task in echo.serving:
            task.cancel()
        await asyncio.gather(*echo.serving)


def visiting(path):
    """Users who ask for one page, again and again."""

    def user(_number, client):
        async def visit():
            (await client.get(path)).wanted(200)

        return visit

    return user


def measured(echo, user, plan):
    async def run():
        async with serving(echo) as address:
            return await drive(address, user, plan)

    return asyncio.run(run())


def asked(*requests):
    """What a client got for requests made one after the other."""

    async def run():
        echo = Echo()
        async with serving(echo) as address, Client(address) as client:
            return echo, [await request(client) for request in requests]

    return asyncio.run(run())


def test_one_connection_serves_all_requests_until_the_server_closes_it():
    echo, _ = asked(*[lambda client: client.get("/")] * 3)
    assert echo.lines == 1
    echo, answers = asked(*[lambda client: client.get("/close")] * 3)
    assert (echo.lines, len(answers)) == (3, 3)


def test_json_and_forms_arrive_as_they_are_meant():
    _, (one, other) = asked(
        lambda client: client.post("/", json={"answer": "left"}, headers={"X-CSRFToken": "t"}),
        lambda client: client.post("/", form={"answer": "left & right"}),
    )
    assert json.loads(one.json()["body"]) == {"answer": "left"}
    assert "Content-Type: application/json\r\nX-CSRFToken: t\r\n" in one.json()["head"]
    assert other.json()["body"] == "answer=left+%26+right"
    assert "application/x-www-form-urlencoded" in other.json()["head"]


def test_cookies_come_and_go_as_the_server_says():
    _, answers = asked(*(lambda client, path=path: client.get(path) for path in ("/enter", "/", "/leave", "/")))
    heads = [answer.json()["head"] for answer in answers]
    assert ["Cookie: worker=ann" in head for head in heads] == [False, True, True, False]


def test_answers_in_chunks_are_put_together():
    _, (answer, after) = asked(lambda client: client.get("/chunked"), lambda client: client.get("/"))
    assert (answer.text(), after.status) == ("sidewise", 200)


def test_a_status_that_is_not_wanted_is_an_error():
    _, (answer,) = asked(lambda client: client.get("/busy"))
    assert answer.wanted(200, 503) is answer
    with pytest.raises(Refused, match="status 503, wanted 200"):
        answer.wanted(200)


@pytest.mark.parametrize("address", ["http://192.0.2.1:80", "http://example.org", "https://127.0.0.1", "127.0.0.1:80"])
def test_only_servers_of_this_machine_are_loaded(address):
    with pytest.raises(ValueError, match="only servers of this machine"):
        Client(address)


@pytest.mark.parametrize(
    "wrong", [{"users": 0}, {"users": 10**6}, {"seconds": 0}, {"seconds": 10**9}, {"think": (2, 1)}]
)
def test_a_plan_has_bounds(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        Plan(**{"users": 1, "seconds": 1, **wrong})


def test_the_latency_is_that_of_the_server_and_each_user_asks_one_thing_at_a_time():
    echo = Echo(delay=0.05)
    found = measured(echo, visiting("/"), Plan(users=8, seconds=30, steps=80))
    assert (len(found.took), echo.asked["/"], echo.most, echo.lines) == (80, 80, 8, 8)
    assert min(found.took) >= 0.05
    assert found.rate() <= 8 / 0.05
    assert not found.errors
    assert found.statuses == {200: 80}


def test_thinking_is_not_latency_but_takes_its_time():
    found = measured(Echo(), visiting("/"), Plan(users=2, seconds=30, steps=10, think=(0.1, 0.12)))
    assert found.seconds >= 4 * 0.1
    assert found.latency(0.5) < 0.1


def test_errors_are_counted_and_users_go_on():
    dropped = measured(Echo(), visiting("/drop"), Plan(users=2, seconds=30, steps=6))
    refused = measured(Echo(), visiting("/busy"), Plan(users=2, seconds=30, steps=6))
    assert [sum(found.errors.values()) for found in (dropped, refused)] == [6, 6]
    assert refused.statuses == {503: 6}
    assert "error × 6: Refused: status 503" in refused.told()
    assert not dropped.took


def test_users_who_have_finished_leave():
    def user(_number, client):
        left = [1, 2, 3]

        async def work():
            if not left:
                raise Finished
            left.pop()
            await client.get("/")

        return work

    found = measured(Echo(), user, Plan(users=4, seconds=30))
    assert (len(found.took), found.finished) == (12, 4)


def test_time_is_up_though_the_server_hangs():
    found = measured(Echo(delay=60), visiting("/"), Plan(users=3, seconds=0.3))
    assert 0.3 <= found.seconds < 5
    assert not found.took


def test_a_fault_of_the_user_itself_is_not_hidden():
    def user(_number, _client):
        async def work():
            raise KeyError("task")

        return work

    with pytest.raises(KeyError, match="task"):
        measured(Echo(), user, Plan(users=2, seconds=30))


@given(st.lists(st.floats(0, 100), min_size=1), st.sampled_from([0.0, 0.5, 0.95, 0.99, 1.0]))
def test_percentiles_are_those_of_numpy(values, share):
    assert percentile(values, share) == np.quantile(values, share, method="inverted_cdf")


def test_the_rate_over_time_counts_whole_spans():
    found = Measured(1)
    found.ended.extend([0.1, 0.9, 1.5, 2.0, 2.9, 3.2])
    found.took.extend([0.1] * 6)
    assert found.rates() == [2, 1, 2]
    assert found.rates(every=0.5)[:3] == [2, 2, 0]
