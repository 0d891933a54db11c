"""``sidewise campaign``: a newcomer's first campaign, and what is said about it."""

import pytest
from typer.testing import CliRunner

from sidewise.cli import app
from sidewise.cli.campaign import Kind
from sidewise.collect.campaign import demo_campaign
from sidewise.collect.campaign.examples import DEMO, KINDS


def run(*words):
    return CliRunner(env={"COLUMNS": "160"}).invoke(app, ["campaign", *map(str, words)])


@pytest.mark.parametrize("kind", list(Kind))
def test_an_example_passes_the_check(tmp_path, kind):
    folder = tmp_path / "mine"
    made = run("new", folder, "--kind", kind.value)
    assert made.exit_code == 0
    assert "the campaign is in" in made.stdout
    checked = run("check", folder / "campaign.toml")
    assert checked.exit_code == 0, checked.output
    assert "note:" not in checked.output
    for word in ("question", "items", "pairs", "answers", "keys", "workers"):
        assert word in checked.stdout


def test_the_kinds_are_those_that_there_are():
    assert {kind.value for kind in Kind} == {*KINDS, DEMO}


def test_the_summary_counts(tmp_path):
    demo_campaign(tmp_path)
    said = " ".join(run("check", tmp_path / "campaign.toml").stdout.split())
    for part in (
        "24 images from items.csv", "276 can be asked", "at most 600 (every pair by 3 workers would be 828)",
        "50 minutes at 5 seconds each", "optimal, for rmse", "the expected error of the scores is 0.2, or 600 answers",
        "1 Left · 2 Right · 3 No difference · 0 Skip · z undo", "whoever has the link",
    ):  # fmt: skip
        assert part in said


def test_nothing_is_written_over(tmp_path):
    (tmp_path / "x").write_text("mine")
    refused = run("new", tmp_path)
    assert refused.exit_code == 2
    assert "not empty; name a new folder" in refused.output
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_problems_are_one_message_and_exit_code_2(tmp_path):
    demo_campaign(tmp_path)
    path = tmp_path / "campaign.toml"
    path.write_text(path.read_text().replace("overlap = 3", "overlop = 3").replace('"image"', '"video"'))
    refused = run("check", path)
    assert refused.exit_code == 2
    assert "has no key overlop; did you mean overlap?" in refused.output
    path.write_text(path.read_text().replace("overlop", "overlap"))
    refused = run("check", path)
    assert refused.exit_code == 2
    assert "items.csv line 2: item 'picture-01': 'pictures/picture-01.svg' is not a video" in refused.output
    assert run("check", tmp_path / "none.toml").exit_code == 2


def test_notes_tell_what_may_not_be_meant(tmp_path):
    text = '[campaign]\nquestion = "Which?"\n[items]\nsource = "items.csv"\ngroup = "q"\n[search]\nqueries = "q.csv"\n'
    text += '[sampling]\nallowed = "p.csv"\n[budget]\nanswers = 9\n[access]\nopen = false\n'
    (tmp_path / "campaign.toml").write_text(text)
    (tmp_path / "items.csv").write_text("id,media,q\n" + "".join(f"{n},https://x.example/{n},1\n" for n in "abc"))
    (tmp_path / "q.csv").write_text("id,query\n1,one\n2,two\n")
    (tmp_path / "p.csv").write_text("left,right\na,b\n")
    said = run("check", tmp_path / "campaign.toml")
    assert said.exit_code == 0
    for part in ("no more than 1 can be asked for", "1 item in no allowed pair, such as 'c'", "lie elsewhere",
                 "1 query without items", "by invitation"):  # fmt: skip
        assert part in said.output
