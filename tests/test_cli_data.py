"""``sidewise data``: what is listed, got, verified and hashed, and what errors say."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from faulty_server import Server, cut_after, slowly
from sidewise import datasets
from sidewise.cli.data import app

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(*words, **env):
    """What is printed, in a wide terminal."""
    return CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "200", "TERMINAL_WIDTH": "200"} | env)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder of data sets of the test's own, and the example's registry."""
    monkeypatch.setenv("SIDEWISE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("SIDEWISE_REGISTRY", str(EXAMPLES / "datasets.toml"))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "data"


def test_data_sets_are_listed_with_what_is_here(folder):
    before = run("list").stdout
    assert "imdb-wiki-sbs            250,249 comparisons        ?  CC BY 4.0    can be downloaded" in before
    assert "image-quality             43,265 comparisons 308.1 kB  not stated   bring your own" in before
    assert f"The folder of data sets is {folder}" in before
    assert run("get", "cakes", "--from", EXAMPLES).exit_code == 0
    assert "Apache 2.0   here\n" in run("list").stdout
    (folder / "cakes" / "cakes.csv").unlink()
    assert "without cakes.csv" in run("list").stdout


def test_lists_are_also_json():
    listed = json.loads(run("list", "--json").stdout)
    assert [one["name"] for one in listed] == list(datasets.registry())
    one = json.loads(run("info", "toloka-vqa", "--json").stdout)
    assert one["holds"] == "boxes"
    assert one["files"][0] == {
        "name": "train.csv", "bytes": None, "sha256": None, "optional": True, "here": False,
        "state": "not here",
        "addresses": ["https://huggingface.co/datasets/toloka/WSDMCup2023/resolve/main/data/train-00000-of-00001.csv"],
    }  # fmt: skip


def test_everything_about_a_data_set_is_said():
    said = run("info", "imdb-wiki-sbs").stdout
    entry = datasets.find("imdb-wiki-sbs")
    for text in (entry.title, entry.paper, entry.licence, entry.citation, entry.about, *entry.pages):
        assert text in said
    for file in entry.files.values():
        assert f"{file.name}: " in said
        assert f"sha256 {file.sha256}" in said
        assert all(f"    {address}\n" in said for address in file.addresses)
    assert "no lasting address: bring your own, with --from FOLDER" in run("info", "video-quality").stdout
    assert "no SHA-256 was published: get it with --unverified" in run("info", "toloka-vqa").stdout


def test_long_addresses_are_not_broken_on_a_narrow_screen():
    said = run("info", "imdb-wiki-sbs", COLUMNS="60", TERMINAL_WIDTH="60").stdout
    assert datasets.find("imdb-wiki-sbs").files["gt.csv"].addresses[0] in said
    assert all(len(line) <= 60 or "/" in line or "sha256" in line for line in said.splitlines())


def test_a_data_set_is_got_from_a_folder_and_read(folder):
    done = run("get", "cakes", "--from", EXAMPLES)
    assert done.exit_code == 0, done.output
    assert f"cakes.csv copied from {EXAMPLES / 'cakes.csv'}" in done.stderr
    assert "cakes is here. Licence: Apache 2.0. Cite: Sidewise" in done.stderr
    assert "cakes.csv was here" in run("get", "cakes").stderr
    data = datasets.load("cakes")
    assert len(data.comparisons) == 4000
    assert set(data.truth) == set(data.comparisons.items)
    assert run("get", "cakes", "--from", EXAMPLES, "--to", folder / "other").exit_code == 0
    assert (folder / "other" / "cakes" / "cakes.csv").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["get", "caks"], "did you mean cakes?"),
        (["get", "cakes", "--from", "nowhere"], "--from nowhere: there is no such folder"),
        (["get", "cakes"], "bring your own, with --from FOLDER"),
        (["get", "cakes", "--file", "pies.csv"], "cakes has no file 'pies.csv'; there are: cakes.csv, cakes-truth.csv"),
        (["get", "cakes", "--images"], "cakes has no images"),
        (["get", "toloka-vqa", "--file", "train.csv"], "train.csv has no published SHA-256"),
        (["get", "cakes", "--mirror", "intranet"], "'intranet' is no address of a mirror"),
        (["verify"], "there is nothing to verify"),
        (["verify", "a", "b", "--manifest", "list"], "one folder"),
        (["verify", "--manifest", "none.sha256"], "none.sha256"),
        (["hash", "nowhere"], "there is no file or folder nowhere"),
    ],
)
def test_errors_are_one_message(words, said):
    done = run(*words)
    assert done.exit_code == 2
    assert "error:" in done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_verifying_names_what_is_wrong(folder):
    run("get", "cakes", "--from", EXAMPLES)
    done = run("verify", "cakes")
    assert (done.exit_code, done.stdout) == (0, "good     cakes: cakes.csv\ngood     cakes: cakes-truth.csv\n")
    path = folder / "cakes" / "cakes.csv"
    path.write_bytes(path.read_bytes().swapcase())
    done = run("verify")
    assert done.exit_code == 2
    assert "wrong    cakes: cakes.csv has SHA-256" in done.stdout
    path.unlink()
    assert "missing  cakes: cakes.csv is not here" in run("verify", "cakes").stdout


def test_a_file_of_another_size_is_wrong_to_info_as_to_verify(folder):
    run("get", "cakes", "--from", EXAMPLES)
    path = folder / "cakes" / "cakes.csv"
    path.write_bytes(b"mine")
    said = run("info", "cakes").stdout
    assert "cakes.csv: 146.9 kB, wrong: has 4 bytes, and not 146,875" in said
    assert "cakes-truth.csv: " in said
    assert "not here" not in said
    assert "wrong: cakes.csv" in run("list").stdout
    told = json.loads(run("info", "cakes", "--json").stdout)
    assert [(file["state"], file["here"]) for file in told["files"]] == [("wrong", False), ("here", True)]
    assert told["state"] == "wrong: cakes.csv"
    assert "wrong    cakes: cakes.csv has 4 bytes" in run("verify").stdout
    path.unlink()
    assert "not here" in run("info", "cakes").stdout


def test_files_are_hashed_and_verified(tmp_path):
    files = tmp_path / "files"
    (files / "deep").mkdir(parents=True)
    (files / "a.txt").write_text("a")
    (files / "deep" / "[b].txt").write_text("b")
    printed = run("hash", files).stdout
    done = run("hash", files, "--out", files / "list.sha256")
    assert done.exit_code == 0
    assert "the SHA-256 of 2 files are in" in done.stderr
    assert (files / "list.sha256").read_text() == printed
    assert printed.splitlines()[1].endswith(" *deep/[b].txt")
    assert run("verify", "--manifest", files / "list.sha256").stdout == f"{files}: 2 good\n"
    run("hash", files, "--out", files / "list.sha256")
    assert (files / "list.sha256").read_text() == printed  # it does not hash itself
    (files / "a.txt").write_text("A")
    (files / "new").touch()
    done = run("verify", files, "--manifest", files / "list.sha256")
    assert done.exit_code == 2
    assert done.stdout == f"wrong    a.txt\n{files}: 1 good, 1 wrong, 1 not in the manifest\n"
    (files / "a.txt").write_text("a")
    assert run("verify", files, "--manifest", files / "list.sha256").exit_code == 0
    assert run("verify", files, "--manifest", files / "list.sha256", "--strict").exit_code == 2


def test_of_many_wrong_files_some_are_named(tmp_path):
    (tmp_path / "list").write_text("".join(f"{'0' * 64} *{number}\n" for number in range(1000)))
    done = run("verify", tmp_path, "--manifest", tmp_path / "list")
    assert done.stdout.count("missing  ") == 20
    assert "… and 980 more missing" in done.stdout
    assert f"{tmp_path}: 0 good, 1,000 missing" in done.stdout


def test_a_mirror_that_breaks_off_is_told_of_and_gone_on_with(folder):
    server = Server()
    server.put("/cakes/cakes.csv", (EXAMPLES / "cakes.csv").read_bytes(), cut_after(2000))
    server.put("/cakes/cakes-truth.csv", (EXAMPLES / "cakes-truth.csv").read_bytes())
    done = run("get", "cakes", "--mirror", server.address)
    server.shutdown()
    server.server_close()
    assert done.exit_code == 0, done.output
    assert "note: cakes.csv: " in done.stderr
    assert "stopped after 2,000 of" in done.stderr
    assert f"cakes.csv downloaded from {server.address}/cakes/cakes.csv" in done.stderr
    assert run("verify", "cakes").exit_code == 0
    assert sorted(path.name for path in (folder / "cakes").iterdir()) == ["cakes-truth.csv", "cakes.csv"]


@pytest.mark.skipif(os.name != "posix", reason="a terminal")
def test_a_terminal_shows_a_bar_that_goes_away():
    server = Server()
    server.put("/cakes/cakes.csv", (EXAMPLES / "cakes.csv").read_bytes(), slowly(6, 0.1))
    server.put("/cakes/cakes-truth.csv", (EXAMPLES / "cakes-truth.csv").read_bytes())
    outer, inner = pty.openpty()
    words = [sys.executable, "-m", "sidewise.cli", "data", "get", "cakes", "--mirror", server.address]
    process = subprocess.Popen(words, stderr=inner, env=os.environ | {"TERM": "xterm", "COLUMNS": "100"})  # noqa: S603
    os.close(inner)
    shown = b""
    while True:
        try:
            shown += os.read(outer, 4096)
        except OSError:  # the other end is closed
            break
    os.close(outer)
    server.shutdown()
    server.server_close()
    assert process.wait() == 0
    assert b"kB of" in shown
    assert b"\xe2\x94\x81" in shown  # the bar
    assert b"cakes is here" in shown
