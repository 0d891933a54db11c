"""A campaign is a file: read strictly, all problems at once, each with its line."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidewise as sw
from sidewise.collect.campaign import Campaign, CampaignError, Items, Serving
from sidewise.collect.campaign.campaign import OWN, slug
from sidewise.collect.campaign.choices import KEYS, LABELS
from sidewise.collect.campaign.media import TYPES
from sidewise.collect.campaign.tables import TABLES
from sidewise.collect.campaign.toml_lines import Lines

PAGE = (Path(__file__).parents[1] / "docs" / "campaigns.md").read_text(encoding="utf-8")
ASKED = {"name": "cakes", "question": "Which is better?"}
SHORTEST = '[campaign]\nquestion = "Which?"\n[items]\nsource = "items.csv"\n'


def written(folder, text):
    path = folder / "campaign.toml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(folder, text):
    with pytest.raises(CampaignError) as caught:
        Campaign.read(written(folder, text))
    return [(problem.line, problem.what) for problem in caught.value.problems]


def test_the_shortest_file_will_do(tmp_path):
    folder = tmp_path / "My Cakes, 2026"
    folder.mkdir()
    campaign = Campaign.read(written(folder, SHORTEST))
    assert (campaign.name, campaign.title, campaign.question) == ("my-cakes-2026", "my-cakes-2026", "Which?")
    assert campaign.choices == ("left", "right")
    assert campaign.keys == {"left": "1", "right": "2", "undo": "z"}
    assert campaign.search is None
    assert campaign.serving == Serving()


def test_the_name_is_that_of_the_file_or_of_its_folder(tmp_path):
    path = tmp_path / "Ages_of faces.toml"
    path.write_text(SHORTEST, encoding="utf-8")
    assert Campaign.read(path).name == "ages-of-faces"
    assert slug("Ärger, 2 Mal!") == "rger-2-mal"


def test_python_and_the_file_say_the_same(tmp_path):
    text = SHORTEST + '[serving]\noverlap = 3\n[answers]\ntie = true\nlabels = {tie = "Same"}\n'
    read = Campaign.read(written(tmp_path, text))
    made = sw.collect.Campaign(
        name=read.name, question="Which?", items=Items(source="items.csv"), serving={"overlap": 3},
        answers={"tie": True, "labels": {"tie": "Same"}}, folder=tmp_path,
    )  # fmt: skip
    assert made.to_dict() == read.to_dict()
    assert made.labels == {"left": "Left", "right": "Right", "tie": "Same"}


def test_a_campaign_survives_json():
    campaign = Campaign(
        **ASKED, items={"source": "a.csv", "group": "query", "attributes": ["system"]}, search={"queries": "q.csv"},
        stopping={"top": 2, "confidence": 0.9}, sampling={"goal": "top", "top": 3}, access={"open": False},
    )  # fmt: skip
    stored = json.dumps(campaign.to_dict())
    again = Campaign.from_dict(json.loads(stored))
    assert again.to_dict() == campaign.to_dict()
    assert again.items == campaign.items
    assert again.search == campaign.search
    assert campaign.choices == ("left", "right", "left_not_relevant", "right_not_relevant", "duplicates")


def test_defaults_are_stored_so_that_a_later_version_does_not_change_them():
    tables = Campaign(**ASKED).to_dict()
    for name, table in TABLES.items():
        if name != "search":
            wanted = {one.name for one in fields(table) if one.default is not None}
            assert wanted <= tables[name].keys()


def test_all_problems_are_told_at_once_with_their_lines(tmp_path):
    text = """
[campaign]
titel = "Cakes"
question = 7

[items]
source = "../items.csv"
kind = "imgae"

[serving]
overlap = 0
preload = 1.5

[answers]
tie = "yes"

[sampling]
method = "best"

[servign]
"""
    found = problems(tmp_path, text)
    assert [line for line, _ in found] == [3, 4, 7, 8, 11, 12, 15, 18, 20]
    told = " | ".join(what for _, what in found)
    for part in (
        "no key titel; did you mean title?", "question is 7; it is a text", "leaves the campaign's folder",
        "did you mean image?", "overlap is 0; 1 is the least", "preload is 1.5; it is a whole number",
        "tie is 'yes'; it is true or false", "no strategy 'best'", "no table [servign]; did you mean serving?",
    ):  # fmt: skip
        assert part in told


@pytest.mark.parametrize(
    ("extra", "line", "part"),
    [
        ('[answers]\nkeys = {left = "2"}', 6, "left and right are both '2'"),
        ('[answers]\nkeys.right = "Z"', 6, "right and undo are both 'z'"),
        ('[answers]\nkeys = {tie = "t"}', 6, "write tie = true"),
        ('[answers]\ntie = true\n[answers.keys]\ntie = "Tab"', 8, "it is one character or one of: ArrowLeft"),
        ('[answers]\nkeys = {lfet = "a"}', 6, "did you mean left?"),
        ('[answers]\nlabels = {left = "Right"}', 6, "left and right are both 'Right'"),
        ('[answers]\nlabels = {left = " "}', 6, "is empty"),
        ('[answers]\nkeys = {left = " "}', 6, "is empty"),
        ('[answers]\nreasons = ["a"]', 6, "write skip = true"),
        ('[answers]\nskip = true\nreasons = ["a", "a"]', 7, "twice"),
        ('[search]\nqueries = "q.csv"', 5, 'group = "query"'),
        ("[search]\nhold = true", 5, "[search] has no queries"),
        ('[sampling]\ngoal = "top"', 6, "top = 10"),
        ('[sampling]\nmethod = "swiss"\ngoal = "ranking"', 7, "swiss has none"),
        ('[sampling]\nmodel = "bt"', 6, "no model 'bt'"),
        ("[stopping]\nrmse = 0.0", 6, "no number of answers reaches"),
        ("[stopping]\nrmse = nan", 6, "it is a number"),
        ("[stopping]\ntop = 3\nconfidence = 1.0", 7, "less than 1"),
        ("[stopping]\nconfidence = 0.9", 6, "goes with top"),
        ("[serving]\ntasks_per_page = 5\ntasks_per_worker = 3", 7, "less than one page of 5"),
        ('[serving]\nsides = "as listed"', 6, "goes with [sampling] allowed"),
        ('[serving]\nsides = "listed"', 6, "did you mean as listed?"),
        ('[access]\nworkers = "w.txt"', 6, "write open = false"),
        ('[access]\nredirect = "http://a.example/"', 6, "it is an https: address"),
        ('[access]\nredirect = "javascript:alert(1)"', 6, "it is an https: address"),
        ('[access]\nredirect = "https://a.example/?c={cod}"', 6, "has {cod}"),
        ('[access]\nredirect = "https://{worker}.example/"', 6, "write the host out"),
        ('[access]\nredirect = "https://user:pw@a.example/"', 6, "it is an https: address"),
        ('[task]\nkind = "boxes"', 6, "it is one of: side-by-side"),
        ('[[rules]]\nkind = "too-fast"', 5, "no kind of rule 'too-fast'"),
        ('[output]\nfolder = "/tmp"', 6, "in the campaign's own folder"),
        ('[output]\nfolder = "C:\\\\x"', 6, "write / between folders"),
        ('[output]\nfolder = "a/../../b"', 6, "leaves the campaign's folder"),
        ('[access]\ncompletion_code = "a\\u202eb"', 6, "hidden character, U+202E"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, extra, line, part):
    found = problems(tmp_path, SHORTEST + extra)
    assert len(found) == 1
    assert found[0][0] == line
    assert part in found[0][1]


def test_what_is_not_toml_is_told_with_its_line(tmp_path):
    assert problems(tmp_path, "[campaign]\nquestion = Which?\n") == [(2, "this is not TOML: Invalid value")]
    assert problems(tmp_path, '[campaign]\nquestion = """Which?\n')[0][0] == 3
    assert problems(tmp_path, "[a]\n[a]\n")[0][0] == 2
    path = tmp_path / "campaign.toml"
    path.write_bytes(b'[campaign]\nquestion = "\xff"\n')
    with pytest.raises(CampaignError, match="save it as UTF-8"):
        Campaign.read(path)
    with pytest.raises(CampaignError, match="is not there"):
        Campaign.read(tmp_path / "other.toml")
    with pytest.raises(CampaignError, match="campaign.toml"):
        Campaign.read(tmp_path)


def test_a_file_begins_with_a_campaign(tmp_path):
    told = " ".join(what for _, what in problems(tmp_path, ""))
    assert "[campaign] has no question" in told
    assert "[items] has no source" in told


words = st.text("abcdefgh", min_size=1, max_size=5)
values = st.sampled_from(
    ["1", '"x # y"', '"""\na\n[b]\nc = 1\n"""', "[\n 1,\n # no\n 2\n]", "'''\n\n'''", "{u = 1, v = {w = 2}}", "[]"]
)  # fmt: skip
blanks = st.sampled_from(["", "\n", "# note = 1\n", "\n# [x]\n\n"])


@given(st.lists(st.tuples(blanks, words, st.lists(st.tuples(blanks, words, values), max_size=4)), max_size=5))
def test_lines_are_those_of_the_writer(tables):
    """The writer knows on which line it puts what."""
    text, wanted = "", {}
    for blank, table, keys in tables:
        if (table,) in wanted:
            continue
        text += blank
        wanted[(table,)] = text.count("\n") + 1
        text += f"[{table}]\n"
        for space, key, value in keys:
            if (table, key) not in wanted:
                text += space
                wanted[table, key] = text.count("\n") + 1
                text += f"{key} = {value}\n"
    lines = Lines(text)
    assert {path: lines.of(*path) for path in wanted} == wanted


def test_lines_of_arrays_dotted_and_quoted_keys():
    text = '[[rules]]\nkind = "a"\n[rules.when]\nx = 1\n[[rules]]\nkind = "b"\n"a b".c = 2\n[[rules.then]]\ny = 1\n'
    lines = Lines(text)
    assert lines.of("rules", 0, "kind") == 2
    assert lines.of("rules", 0, "when", "x") == 4
    assert lines.of("rules", 1) == 5
    assert lines.of("rules", 1, "a b", "c") == 7
    assert lines.of("rules", 1, "then", 0, "y") == 9
    assert lines.of("rules", 1, "absent") == 5
    assert lines.of("absent") is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
places = [("campaign", one.name) for one in OWN] + [(name, one.name) for name in TABLES for one in fields(TABLES[name])]


@given(st.sampled_from([*places, ("campaign", None), ("items", None), ("rules", None), ("x", None)]), anything)
def test_nothing_that_a_table_may_say_ends_in_a_traceback(place, value):
    table, key = place
    data = {"campaign": dict(ASKED), "items": {"source": "a.csv", "group": "g"}, "search": {"queries": "q.csv"}}
    if key is None:
        data[table] = value
    else:
        data.setdefault(table, {})[key] = value
    try:
        campaign = Campaign.from_dict(data)
    except CampaignError as error:
        assert error.problems  # noqa: PT017
    else:
        assert Campaign.from_dict(campaign.to_dict()).to_dict() == campaign.to_dict()


def row(one):
    default = one.metadata["default"]
    written = str(default).lower() if isinstance(default, bool) else default
    shown = "needed" if one.metadata["needed"] else f"`{written}`" if default not in (None, "", (), {}) else ""
    return f"| `{one.name}` | {shown} | {one.metadata['tells']} |"


@pytest.mark.parametrize("table", ["campaign", *TABLES])
def test_the_page_explains_every_key(table):
    section = PAGE.split(f"\n### {table}\n")[1].split("\n### ")[0].split("\n## ")[0]
    keys = OWN if table == "campaign" else fields(TABLES[table])
    rows = re.search(r"\|---\|---\|---\|\n((?:\|.*\n)*)", section)[1].splitlines()
    assert rows == [row(one) for one in keys]


def test_the_page_lists_answers_and_media():
    for name, key in KEYS.items():
        assert f"| `{name}` | {LABELS.get(name, '')} | `{key}` |" in PAGE
    for kind, types in TYPES.items():
        assert f"`{kind}` ({', '.join(f'`{ending}`' for ending in types)})" in PAGE.replace("\n", " ")
