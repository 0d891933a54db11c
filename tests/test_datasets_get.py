"""Data sets from a server that fails in every way a server can; and what is kept, resumed, refused."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from faulty_server import Server, cut_after, redirect, slowly, stall_after, status
from sidewise import datasets
from sidewise.cli import app
from sidewise.datasets import obtaining
from sidewise.datasets.fetching import sendable
from sidewise.errors import Absent, DataError, DownloadError, PartlyAbsent, WrongChecksum

BODY = b"winner,loser,worker\n" + b"".join(b"i%d,i%d,w%d\n" % (n % 7, 7 + n % 5, n % 3) for n in range(20_000))
SIZE = len(BODY)
SHA = hashlib.sha256(BODY).hexdigest()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(obtaining, "PAUSE", 0.01)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server():
    server = Server()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Where the file belongs; never in the folder of real data, whether a test asks for its name or not."""
    monkeypatch.setenv("SIDEWISE_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "toys" / "toys.csv"


@pytest.fixture
def known(tmp_path, monkeypatch):
    """Makes a data set known, of one file at some addresses."""

    def make(*addresses, sha256=SHA, size=SIZE, images=""):
        lines = [
            "[toys]", 'title = "Toys"', 'about = "which toy?"', 'paper = "none"', 'licence = "CC0"',
            'citation = "none"', "rows = 20000", 'folder = "toys"', images,
            'comparisons = { file = "toys.csv", winner = "winner", loser = "loser", worker = "worker" }',
            '[toys.files."toys.csv"]', f"addresses = {list(addresses)!r}".replace("'", '"'),
            *([f'sha256 = "{sha256}"'] if sha256 else []), *([f"bytes = {size}"] if size is not None else []),
        ]  # fmt: skip
        path = tmp_path / "toys.toml"
        path.write_text("\n".join(lines), encoding="utf-8")
        monkeypatch.setenv("SIDEWISE_REGISTRY", str(path))

    return make


def left_beside(place):
    return sorted(path.name for path in place.parent.iterdir() if path != place)


def test_a_file_comes_whole_and_is_reported_on_the_way(server, known, place):
    known(server.put("/toys.csv", BODY))
    steps = []
    (got,) = datasets.get("toys", progress=steps.append)
    assert (got.how, got.path, got.source) == ("downloaded", place, server.address + "/toys.csv")
    assert place.read_bytes() == BODY
    assert (steps[0].done, steps[-1].done, steps[-1].total) == (0, len(BODY), len(BODY))
    assert left_beside(place) == []
    data = datasets.load("toys")
    assert (len(data.comparisons), data.truth, data.groups) == (20_000, None, None)
    assert datasets.get("toys")[0].how == "was here"
    assert len(server.asked["/toys.csv"]) == 1


def test_what_is_cut_off_is_gone_on_with(server, known, place):
    known(server.put("/toys.csv", BODY, cut_after(70_000), cut_after(30_000)))
    told = []
    datasets.get("toys", tell=told.append)
    assert place.read_bytes() == BODY
    assert [asked.get("Range") for asked in server.asked["/toys.csv"]] == [None, "bytes=70000-", "bytes=100000-"]
    assert server.asked["/toys.csv"][1]["If-Range"].startswith('"')
    assert "stopped after 70,000 of" in told[0]


def test_a_server_that_always_breaks_off_without_ranges_is_given_up(server, known, place):
    known(server.put("/toys.csv", BODY, *[cut_after(1000)] * 9, ranges=False))
    with pytest.raises(DownloadError, match="stopped after 1,000 of") as refused:
        datasets.get("toys")
    assert "--from FOLDER" in str(refused.value)
    assert len(server.asked["/toys.csv"]) == 1 + obtaining.ATTEMPTS
    assert left_beside(place) == ["toys.csv.part", "toys.csv.part.json"]
    with pytest.raises(Absent, match="sidewise data get toys"):
        datasets.load("toys")


def test_without_ranges_it_is_begun_again(server, known, place):
    known(server.put("/toys.csv", BODY, cut_after(1000), ranges=False))
    datasets.get("toys")
    assert place.read_bytes() == BODY


@pytest.mark.parametrize("range_", [f"bytes 0-{SIZE - 1}/{SIZE}", f"bytes 9-{SIZE - 1}/{SIZE}", "none"])
def test_a_server_that_sends_another_range_is_asked_from_the_beginning(server, known, place, range_):
    """What is here would else be in the way for ever: each call asks to go on, and gets the wrong range."""
    known(server.put("/toys.csv", BODY, cut_after(50_000), status(206, Content_Range=range_)))
    told = []
    datasets.get("toys", tell=told.append)
    assert place.read_bytes() == BODY
    assert [asked.get("Range") for asked in server.asked["/toys.csv"]] == [None, "bytes=50000-", None]
    assert f"answers 206 with {range_}, where bytes from 50000 were asked for: begun again" in told[1]


def test_a_server_that_breaks_off_and_sends_other_ranges_is_given_up(server, known):
    wrong = status(206, Content_Range=f"bytes 0-{SIZE - 1}/{SIZE}")
    known(server.put("/toys.csv", BODY, *[cut_after(1000), wrong] * 9))
    with pytest.raises(DownloadError, match="toys.csv: (answers 206|stopped after)"):
        datasets.get("toys")
    assert len(server.asked["/toys.csv"]) <= 2 * obtaining.ATTEMPTS


def test_a_later_call_goes_on(server, known, place):
    known(server.put("/toys.csv", BODY, cut_after(50_000), *[status(503)] * 9))
    with pytest.raises(DownloadError, match="503"):
        datasets.get("toys")
    assert place.with_name("toys.csv.part").stat().st_size == 50_000
    server.served["/toys.csv"].faults.clear()
    datasets.get("toys")
    assert place.read_bytes() == BODY
    assert server.asked["/toys.csv"][-1]["Range"] == "bytes=50000-"


@pytest.mark.parametrize("tag", [True, False])
def test_a_file_that_changes_between_attempts_is_not_pasted_together(server, known, place, tag):
    """With an ETag the server notices; without one the SHA-256 does, and it is begun again."""
    known(server.put("/toys.csv", bytes(len(BODY)), cut_after(50_000), *[status(404)], tag=tag))
    with pytest.raises(DownloadError):
        datasets.get("toys")
    server.put("/toys.csv", BODY, tag=tag)
    datasets.get("toys")
    assert place.read_bytes() == BODY
    assert left_beside(place) == []


@pytest.mark.parametrize("tag", [True, False])
def test_without_a_checksum_only_the_server_can_tell_that_a_file_has_not_changed(server, known, place, tag):
    known(server.put("/toys.csv", bytes(len(BODY)), cut_after(50_000), status(404), tag=tag), sha256=None, size=None)
    with pytest.raises(DownloadError):
        datasets.get("toys", unverified=True)
    server.put("/toys.csv", BODY, tag=tag)
    datasets.get("toys", unverified=True)
    assert place.read_bytes() == BODY
    assert ("Range" in server.asked["/toys.csv"][-1]) == tag


def test_wrong_bytes_are_refused_and_put_aside(server, known, place):
    wrong = BODY.replace(b"i3", b"i4")
    known(server.put("/toys.csv", wrong))
    with pytest.raises(WrongChecksum) as refused:
        datasets.get("toys")
    assert hashlib.sha256(wrong).hexdigest() in str(refused.value)
    assert SHA in str(refused.value)
    assert str(place.with_name("toys.csv.bad")) in str(refused.value)
    assert not place.exists()
    assert left_beside(place) == ["toys.csv.bad"]
    assert place.with_name("toys.csv.bad").read_bytes() == wrong


def test_after_wrong_bytes_the_next_address_is_tried(server, known, place):
    known(server.put("/bad.csv", bytes(len(BODY))), server.put("/good.csv", BODY))
    told = []
    assert datasets.get("toys", tell=told.append)[0].source.endswith("/good.csv")
    assert place.read_bytes() == BODY
    assert "has SHA-256" in told[0]


@pytest.mark.parametrize("wrong", [BODY[:-1], BODY + b"x"], ids=["short", "long"])
def test_a_wrong_length_is_noticed_before_the_file_comes(server, known, place, wrong):
    known(server.put("/toys.csv", wrong))
    with pytest.raises(DownloadError, match=f"has {len(wrong):,} bytes, and not {len(BODY):,}"):
        datasets.get("toys")
    assert left_beside(place) == []


def test_a_server_that_does_not_say_how_much_comes_cannot_send_without_end(server, known, place):
    known(server.put("/toys.csv", BODY * 3, length=False))
    with pytest.raises(DownloadError, match="sends more than"):
        datasets.get("toys")
    assert left_beside(place) == []
    known(server.put("/toys.csv", BODY, length=False))
    datasets.get("toys")
    assert place.read_bytes() == BODY


def test_silence_is_given_up_and_slowness_is_not(server, known, place):
    known(server.put("/toys.csv", BODY, stall_after(40_000, 1.0), slowly(5, 0.1)))
    told = []
    datasets.get("toys", timeout=0.3, tell=told.append)
    assert place.read_bytes() == BODY
    assert "says nothing any more" in told[0]
    assert server.asked["/toys.csv"][1]["Range"] == "bytes=40000-"


def test_redirects_are_followed_with_the_range(server, known, place):
    known(server.put("/toys.csv", b"", redirect("/real.csv"), redirect("/real.csv")))
    server.put("/real.csv", BODY, cut_after(10_000))
    datasets.get("toys")
    assert place.read_bytes() == BODY
    assert server.asked["/real.csv"][1]["Range"] == "bytes=10000-"


def test_redirects_in_a_circle_end(server, known, place):
    known(server.put("/toys.csv", b"", *[redirect("/toys.csv")] * 40))
    with pytest.raises(DownloadError, match="redirects in a circle"):
        datasets.get("toys")
    assert not place.exists()


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://127.0.0.1/x"])
def test_redirects_to_anything_but_http_are_refused(server, known, to):
    known(server.put("/toys.csv", b"", redirect(to)))
    with pytest.raises(DownloadError, match="not safe|not allowed"):
        datasets.get("toys")


def test_redirects_from_https_to_http_are_refused():
    from urllib.request import Request

    from sidewise.datasets.fetching import Failed, _SafeRedirects

    with pytest.raises(Failed, match="redirects from https to http://b, which is not safe"):
        _SafeRedirects().redirect_request(Request("https://a"), None, 302, "", {}, "http://b")
    assert _SafeRedirects().redirect_request(Request("http://a"), None, 302, "", {}, "https://b")


NOWHERE = [
    "http://[::1",
    "http://127.0.0.1:99999/x",
    "http://127.0.0.1:abc/",
    "http:///x",
    "http://a..b/",
    "http://xn--ü/",
]


@pytest.mark.parametrize("to", NOWHERE)
def test_a_redirect_to_no_address_is_said_and_the_next_address_is_tried(server, known, place, to):
    known(server.put("/toys.csv", b"", redirect(to)), server.put("/good.csv", BODY))
    told = []
    datasets.get("toys", tell=told.append)
    assert place.read_bytes() == BODY
    assert told[0].startswith(f"{server.address}/toys.csv: ")
    assert told[0].endswith("; the next address is tried")


@pytest.mark.parametrize("mirror", NOWHERE)
def test_a_mirror_that_is_no_address_is_said_and_the_next_one_is_tried(server, known, place, tmp_path, mirror):
    known(server.put("/toys.csv", BODY))
    told = []
    datasets.get("toys", mirrors=[mirror], tell=told.append)
    assert place.read_bytes() == BODY
    assert told[0].startswith(f"{mirror.rstrip('/')}/toys/toys.csv: ")
    place.rename(tmp_path / "toys.csv")
    assert datasets.get("toys", mirrors=[mirror], source=tmp_path)[0].how == "copied"


def test_an_address_is_quoted_as_it_has_to_be(server, known, place):
    known("http://127.0.0.1:9/toys.csv")
    server.put("/%C3%BC%20b/toys/toys.csv", BODY)
    datasets.get("toys", mirrors=[f"{server.address}/ü b"])
    assert place.read_bytes() == BODY
    assert sendable("https://Bücher.example:8/a%20b?q=ü#end") == "https://xn--bcher-kva.example:8/a%20b?q=%C3%BC"
    assert sendable("http://[::1]:8/") == "http://[::1]:8/"


def test_mirrors_are_tried_in_order(server, known, place):
    known(server.address + "/none.csv", server.put("/busy.csv", b"", *[status(503)] * 9), server.put("/t.csv", BODY))
    told = []
    assert datasets.get("toys", tell=told.append)[0].source.endswith("/t.csv")
    assert "answers 404 Not Found; the next address is tried" in told[0]
    assert len(server.asked["/busy.csv"]) == obtaining.ATTEMPTS
    place.unlink()
    server.put("/copy/toys/toys.csv", BODY)
    assert datasets.get("toys", mirrors=[server.address + "/copy/"])[0].source.endswith("/copy/toys/toys.csv")


def test_a_part_from_one_mirror_is_gone_on_with_at_another(server, known, place):
    known(server.put("/a.csv", BODY, cut_after(60_000), status(404)), server.put("/b.csv", BODY))
    datasets.get("toys")
    assert place.read_bytes() == BODY
    assert server.asked["/b.csv"][0]["Range"] == "bytes=60000-"
    assert "If-Range" not in server.asked["/b.csv"][0]


def test_a_part_that_is_already_whole_or_too_long_is_no_trouble(server, known, place):
    known(server.put("/toys.csv", BODY), size=None)
    place.parent.mkdir(parents=True)
    part = place.with_name("toys.csv.part")
    part.write_bytes(BODY)
    datasets.get("toys")
    place.unlink()
    part.write_bytes(BODY + b"and more")
    datasets.get("toys")
    assert place.read_bytes() == BODY


def test_a_compressed_answer_is_refused(server, known):
    known(server.put("/toys.csv", b"", status(200, Content_Encoding="gzip")))
    with pytest.raises(DownloadError, match="encoded as gzip"):
        datasets.get("toys")


def test_no_network_is_said_in_words(known):
    known("http://nowhere.invalid/toys.csv", "http://127.0.0.1:9/toys.csv")
    with pytest.raises(DownloadError) as refused:
        datasets.get("toys", timeout=2)
    assert "nowhere.invalid" in str(refused.value)
    assert "127.0.0.1 refuses the connection" in str(refused.value)


def test_a_bad_file_in_place_is_put_aside_and_got_anew(server, known, place):
    known(server.put("/toys.csv", BODY))
    place.parent.mkdir(parents=True)
    place.write_bytes(b"mine")
    with pytest.raises(WrongChecksum, match="has 4 bytes"):
        datasets.load("toys")
    assert datasets.verify("toys")[0].state == "wrong"
    datasets.get("toys")
    assert datasets.verify("toys")[0].state == "good"
    assert place.with_name("toys.csv.bad").read_bytes() == b"mine"


def test_files_without_a_checksum_are_downloaded_only_when_that_is_said(server, known, place):
    known(server.put("/toys.csv", BODY), sha256=None, size=None)
    with pytest.raises(DataError, match="--unverified"):
        datasets.get("toys")
    assert not place.exists()
    datasets.get("toys", unverified=True)
    assert datasets.verify("toys")[0].state == "unknown"
    assert len(datasets.load("toys").comparisons) == 20_000


# From a folder


@pytest.mark.parametrize("inside", ["toys/toys.csv", "toys.csv", "published.csv"])
def test_files_at_hand_are_copied(tmp_path, known, place, inside):
    known("https://example.org/some/published.csv")
    here = tmp_path / "mine" / inside
    here.parent.mkdir(parents=True)
    here.write_bytes(BODY)
    (got,) = datasets.get("toys", source=tmp_path / "mine")
    assert (got.how, got.source) == ("copied", str(here))
    assert place.read_bytes() == BODY
    assert left_beside(place) == []


def test_other_files_at_hand_are_refused_and_left_alone(tmp_path, known, place):
    known()
    here = tmp_path / "mine" / "toys.csv"
    here.parent.mkdir()
    with pytest.raises(Absent, match="has no toys.csv"):
        datasets.get("toys", source=here.parent)
    here.write_bytes(BODY[:-1])
    with pytest.raises(WrongChecksum, match="another file than the published"):
        datasets.get("toys", source=here.parent)
    assert here.read_bytes() == BODY[:-1]
    assert left_beside(place) == []
    with pytest.raises(Absent, match="no such folder"):
        datasets.get("toys", source=tmp_path / "nothing")
    with pytest.raises(DownloadError, match="bring your own, with --from FOLDER"):
        datasets.get("toys")


@pytest.mark.usefixtures("pictures")
def test_what_is_at_hand_is_copied_and_the_rest_is_named(tmp_path, place):
    """Also where the folder is laid out like the folder of data sets, which is then there, and lacks a file."""
    here = tmp_path / "mine" / "toys" / "toys.csv"
    here.parent.mkdir(parents=True)
    with pytest.raises(Absent, match=r"mine has no toys.csv and no images.sha256, nor has .*/mine/toys$"):
        datasets.get("toys", source=tmp_path / "mine", everything=True)
    here.write_bytes(BODY)
    with pytest.raises(PartlyAbsent, match=r"has no images.sha256, .*; the others are here: toys.csv copied"):
        datasets.get("toys", source=tmp_path / "mine", everything=True, images=True)
    assert place.read_bytes() == BODY
    words = ["data", "get", "toys", "--from", str(here.parents[1]), "--to", str(tmp_path / "new")]
    assert CliRunner().invoke(app, words).exit_code == 0
    done = CliRunner().invoke(app, [*words, "--all"])
    assert done.exit_code == 1
    assert "has no images.sha256" in done.output
    assert CliRunner().invoke(app, [*words, "--file", "images.sha256"]).exit_code == 2


def test_a_bad_file_in_place_stays_until_there_is_a_better_one(server, tmp_path, known, place):
    place.parent.mkdir(parents=True)
    place.write_bytes(b"mine")
    known()
    with pytest.raises(DownloadError, match="bring your own, with --from FOLDER"):
        datasets.get("toys")
    with pytest.raises(WrongChecksum, match="nothing was changed"):
        datasets.get("toys", source=place.parents[1])  # the folder of data sets itself
    address = server.put("/toys.csv", BODY)
    known(address)
    (tmp_path / "empty").mkdir()
    with pytest.raises(Absent, match="has no toys.csv"):  # and does not download it, for that was not asked
        datasets.get("toys", source=tmp_path / "empty")
    assert place.read_bytes() == b"mine"
    assert [left for left in left_beside(place) if not left.startswith(".")] == []


# Images


@pytest.fixture
def pictures(server, known, tmp_path):
    """A data set of thirty images, all of them served."""
    images = {f"{number:04}.jpg": os.urandom(3000 + number) for number in range(30)}
    manifest = "".join(f"{hashlib.sha256(body).hexdigest()} *{name}\n" for name, body in images.items()).encode()
    known(server.put("/toys.csv", BODY), images='images = { manifest = "images.sha256", folder = "images", '
          f'addresses = ["{server.address}/images/{{name}}"] }}')  # fmt: skip
    registry = tmp_path / "toys.toml"
    lines = [registry.read_text(), '[toys.files."images.sha256"]', "optional = true",
             f'addresses = ["{server.put("/images.sha256", manifest)}"]',
             f'sha256 = "{hashlib.sha256(manifest).hexdigest()}"']  # fmt: skip
    registry.write_text("\n".join(lines))
    for name, body in images.items():
        server.put(f"/images/{name}", body)
    return images


def test_images_come_by_their_hashes(server, pictures, place):
    server.served["/images/0003.jpg"].faults.append(cut_after(100))
    steps = []
    got = datasets.get("toys", images=True, progress=steps.append)
    folder = place.parent / "images"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == pictures
    assert (got[-1].file, got[-1].how) == ("images (30 files)", "downloaded")
    assert steps[-1] == ("images", 30, 30, "files")
    assert datasets.verify_manifest(place.parent / "images.sha256", folder)
    (folder / "0007.jpg").write_bytes(b"spoilt")
    before = sum(map(len, server.asked.values()))
    datasets.get("toys", images=True)
    assert sum(map(len, server.asked.values())) == before + 1
    assert (folder / "0007.jpg").read_bytes() == pictures["0007.jpg"]


def test_missing_images_are_counted_and_those_that_came_stay(server, pictures):
    del server.served["/images/0011.jpg"]
    with pytest.raises(DownloadError, match="1 image could not be had; 29 of 30 are here"):
        datasets.get("toys", images=True)
    server.put("/images/0011.jpg", pictures["0011.jpg"])
    datasets.get("toys", images=True)
    assert len(server.asked["/images/0012.jpg"]) == 1


# Several processes, and death


GET = "import sys; from sidewise import datasets; datasets.get('toys', tell=lambda line: print(line, flush=True))"


def start(**more):
    command = [sys.executable, "-c", GET]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)  # noqa: S603


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
@pytest.mark.parametrize("end", ["SIGKILL", "SIGINT"])
def test_a_download_that_is_killed_never_looks_whole_and_is_gone_on_with(server, known, place, end):
    known(server.put("/toys.csv", BODY, slowly(100, 0.2)))
    process = start()
    part = place.with_name("toys.csv.part")
    until(lambda: part.exists() and part.stat().st_size > 5000)
    process.send_signal(getattr(signal, end))
    process.communicate()
    reached = part.stat().st_size
    assert not place.exists()
    assert 0 < reached < len(BODY)
    with pytest.raises(Absent):
        datasets.load("toys")
    datasets.get("toys")
    assert place.read_bytes() == BODY
    assert server.asked["/toys.csv"][-1]["Range"] == f"bytes={reached}-"
    assert left_beside(place) == []


def test_processes_that_want_the_same_file_get_it_once(server, known, place):
    known(server.put("/toys.csv", BODY, slowly(10, 0.1)))
    processes = [start() for _ in range(3)]
    said = [process.communicate(timeout=60) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], said
    assert place.read_bytes() == BODY
    assert len(server.asked["/toys.csv"]) == 1
    assert left_beside(place) == []


def test_a_lock_lets_one_in_at_a_time(tmp_path):
    from sidewise.datasets.locking import locked

    inside, most = [], []

    def work():
        for _ in range(20):
            with locked(tmp_path / "lock", lambda: None):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (max(most), len(most), list(Path(tmp_path).iterdir())) == (1, 60, [])
