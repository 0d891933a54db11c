"""``sidewise preferences``: close, reduce and check."""

import pytest
from typer.testing import CliRunner

from sidewise.cli.preferences import app
from sidewise.preferences import closure, read_preferences

CHAIN = "q a b -1\nq b c -1\nq a c -1\nq d NA -2\nr x y -1\nr y x -1\nr x y -1\n"


@pytest.fixture
def path(tmp_path):
    (tmp_path / "prefs.txt").write_text(CHAIN, encoding="utf-8")
    return tmp_path / "prefs.txt"


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_all_that_follows_is_written(path, tmp_path):
    done = run("close", path, "--majority", "--out", tmp_path / "all.txt")
    assert done.exit_code == 0, done.output
    assert "7 preferences for 2 queries" in done.stderr
    whole = closure(read_preferences(tmp_path / "all.txt"))
    assert len(whole) == 7
    assert (tmp_path / "all.txt").read_text().splitlines()[:3] == ["q a b -1", "q a c -1", "q a d -1"]


def test_the_fewest_are_written(path):
    done = run("reduce", path, "--majority")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == ["q a b -1", "q b c -1", "q d NA -2", "r x y -1"]
    assert "implied by 4 judgments" in done.stderr


def test_other_forms(path):
    done = run("close", path, "--majority", "--form", "winner")
    assert done.stdout.splitlines()[:2] == ["q a b a", "q a c a"]
    refused = run("reduce", path, "--majority", "--form", "winner")
    assert refused.exit_code == 2
    assert "cannot say duplicates and bad documents" in refused.stderr
    refused = run("close", path, "--form", "xml")
    assert refused.exit_code == 2
    assert "--form 'xml' is not one of collection, prefs, winner" in refused.stderr


def test_contradictions_stop_it_or_are_dropped(path):
    refused = run("close", path)
    assert refused.exit_code == 2
    assert "query r: x > y (line 5), y > x (line 6)" in refused.stderr
    assert not refused.stdout
    done = run("close", path, "--drop-contradictions")
    assert done.exit_code == 0
    assert "dropped 1 contradiction: the order of 2 documents is left open" in done.stderr
    assert not any(line.startswith("r") for line in done.stdout.splitlines())


def test_contradictory_judgments_have_no_fewest(path):
    """The cure that is named is one that this command has."""
    refused = run("reduce", path)
    assert refused.exit_code == 2
    assert "query r: x > y (line 5), y > x (line 6)" in refused.stderr
    assert "--majority" in refused.stderr
    assert "--drop-contradictions" not in refused.stderr
    assert run("reduce", path, "--majority").exit_code == 0


def test_a_check_counts_and_names_what_contradicts_itself(path):
    done = run("check", path)
    assert done.exit_code == 2
    rows = [line.split() for line in done.stdout.splitlines() if line.strip()]
    assert rows[0] == ["query", "documents", "judgments", "preferences", "bad", "equals", "contradictions"]
    assert ["q", "4", "4", "6", "1", "0", "0"] in rows
    assert ["r", "2", "3", "0", "0", "0", "1"] in rows
    assert ["all", "6", "7", "6", "1", "0", "1"] in rows
    assert "query r: x > y (line 5), y > x (line 6)" in done.stdout
    assert run("check", path, "--majority").exit_code == 0


def test_graded_files(tmp_path):
    (tmp_path / "graded.txt").write_text("q a b -3\nq b c -1\n", encoding="utf-8")
    done = run("close", tmp_path / "graded.txt", "--graded")
    assert done.stdout.splitlines() == ["q a b -3", "q a c -3", "q b c -1"]
    assert run("close", tmp_path / "nowhere.txt").exit_code == 2


@pytest.mark.parametrize("command", ["close", "reduce"])
def test_what_is_read_is_not_written_over(path, tmp_path, command):
    for place, why in ((path, "is the file that is read"), (tmp_path / "none" / "all.txt", "there is no folder")):
        done = run(command, path, "--majority", "--out", place)
        assert done.exit_code == 2
        assert why in done.stderr
    assert path.read_text(encoding="utf-8") == CHAIN
