"""What a campaign names: items and their media, queries, pairs, workers; refused with file, line and cure."""

import json
import os
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sidewise.collect.campaign import Campaign, CampaignError, Item, demo_campaign, media_type
from sidewise.collect.campaign.contents import STARTS
from sidewise.collect.campaign.examples import KINDS, write_example
from sidewise.collect.campaign.media import TYPES

PNG = b"\x89PNG\r\n\x1a\n"
EXAMPLES = Path(__file__).parents[1] / "examples" / "campaigns"


def campaign(folder, **tables):
    items = {"source": "items.csv", **tables.pop("items", {})}
    return Campaign(name="x", question="Which?", items=items, folder=folder, **tables)


def put(folder, **files):
    """Files by name; an underscore stands for the dot, a double one for a folder."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def told(made, **options):
    with pytest.raises(CampaignError) as caught:
        made.check(**options)
    return [str(problem) for problem in caught.value.problems]


TWO = "id,media\na,a.png\nb,b.png\n"


def test_items_of_a_table(tmp_path):
    text = "id,media,query,system\na,a.png,q,s\nb,https://x.example/b,q,t\n"
    put(tmp_path, items_csv=text, a_png=PNG)
    made = campaign(tmp_path, items={"group": "query", "attributes": ["system"]})
    first, second = made.read_items()
    assert first == Item("a", "a.png", "q", {"system": "s"})
    assert second.media == "https://x.example/b"
    assert made.check().pairs == 1
    with pytest.raises(AttributeError):
        first.id = "c"


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_all_kinds_of_tables_say_the_same(tmp_path, ending):
    rows = [{"id": "a", "text": "x\ny, z"}, {"id": "b", "text": 'q"q'}]
    path = tmp_path / f"items.{ending}"
    if ending == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n\n" for row in rows), encoding="utf-8")
    else:
        mark = "," if ending == "csv" else "\t"
        path.write_text(
            f'\ufeffid{mark}text\r\na{mark}"x\ny, z"\r\n\r\nb{mark}"q""q"\r\n', encoding="utf-8", newline=""
        )
    made = campaign(tmp_path, items={"source": path.name, "kind": "text", "text": "text"})
    assert [item.media for item in made.read_items()] == ["x\ny, z", 'q"q']
    assert made.items.inline


def test_items_of_a_folder(tmp_path):
    put(
        tmp_path,
        pictures__cats__1_png=PNG,
        pictures__cats__2_png=PNG,
        pictures__dogs__1_png=PNG,
        pictures__dogs__3_png=PNG,
    )
    put(tmp_path, pictures__Thumbs_db=b"x")
    (tmp_path / "pictures" / ".hidden").write_text("x")
    made = campaign(tmp_path, items={"source": "pictures", "group": "folder", "attributes": ["file"]})
    items = made.check().items
    assert [item.id for item in items] == ["cats/1", "cats/2", "dogs/1", "dogs/3"]
    assert items[0] == Item("cats/1", "pictures/cats/1.png", "cats", {"file": "1.png"})
    put(tmp_path, pictures__notes_txt="x", pictures__cats__1_gif=b"GIF89a")
    assert told(made) == [
        "pictures: notes.txt is of another kind than image; move it elsewhere or change [items] kind",
        "pictures file 2: the id 'cats/1' stands on file 1 already; ids are unique",
    ]


def test_items_that_a_program_gives(tmp_path):
    made = Campaign(
        name="x", question="Which?", items={"kind": "text", "text": "text", "attributes": ["n"]}, folder=tmp_path
    )
    items = made.read_items([{"id": 1, "text": "one", "n": 5}, {"id": "2", "text": "two"}])
    assert items == [Item("1", "one", None, {"n": 5}), Item("2", "two", None, {"n": None})]
    with pytest.raises(CampaignError, match="item 2: item 'b': it has no text"):
        made.read_items([{"id": "a", "text": "x", "n": 1}, {"id": "b", "text": " ", "n": 1}])
    with pytest.raises(CampaignError, match="item 1: the attribute n is nan"):
        made.read_items([{"id": "a", "text": "x", "n": float("nan")}, {"id": "b", "text": "y", "n": True}])
    with pytest.raises(CampaignError, match="a character that is none"):
        made.read_items([{"id": "a", "text": "\ud800", "n": 1}, {"id": "b", "text": "y", "n": 1}])
    with pytest.raises(CampaignError, match="has no source"):
        made.read_items()


def test_every_bad_item_is_told_with_its_line(tmp_path):
    rows = ["id,media,query", 'a,a.png,"q\nr"', "a,b.png,q", ",b.png,q", "d,,q", "e,b.png,", "f,nothing.png,q"]
    text = "\n".join([*rows, "g,b.png,q,z", "h,b.png,s", " i,b.png,q"])
    put(tmp_path, items_csv=text, a_png=PNG, b_png=PNG)
    found = told(campaign(tmp_path, items={"group": "query"}))
    lines = {line.split(": ", 1)[0]: line.split(": ", 1)[1] for line in found}
    assert "items.csv line 2" in lines  # the group has a line break in it
    assert lines["items.csv line 4"] == "the id 'a' stands on line 2 already; ids are unique"
    assert lines["items.csv line 5"].startswith("there is no id")
    assert lines["items.csv line 6"].startswith("item 'd': it has no media")
    assert lines["items.csv line 7"].startswith("there is no group")
    assert lines["items.csv line 8"].startswith("item 'f': 'nothing.png' is not there")
    assert lines["items.csv line 9"].startswith("4 fields where the first line names 3")
    assert lines["items.csv line 10"].startswith("item 'h' is the only one of its group 's'")
    assert lines["items.csv line 11"].startswith("the id is ' i'")


@pytest.mark.parametrize(
    ("media", "part"),
    [
        ("javascript:alert(1)", "is no https: address"),
        ("JavaScript:alert(1)", "is no https: address"),
        ("data:text/html,x", "is no https: address"),
        ("file:///etc/passwd", "is no https: address"),
        ("http://x.example/a.png", "is no https: address"),
        ("https:///a.png", "is no https: address"),
        ("https://u:p@x.example/a.png", "is no https: address"),
        ("https://[x/a.png", "is no https: address"),
        ("https://x.example/a b.png", "is no proper address"),
        ("https://x.example/a.mp4", "which is a video"),
        ("/a.png", "leaves the campaign's folder"),
        ("loop.png", "is not there"),
        ("loop/a.png", "is not there"),
        ("a.png\0", "has a hidden character"),
        ("a\u202e.png", "has a hidden character"),
        ("/etc/passwd.png", "leaves the campaign's folder"),
        ("../outside/a.png", "leaves the campaign's folder"),
        ("sub/../../outside/a.png", "leaves the campaign's folder"),
        ("sub\\a.png", "is not there"),
        ("..\\x/a.png", "leaves the campaign's folder"),
        ("./a.png", "is no tidy path"),
        ("sub//a.png", "is no tidy path"),
        ("link/a.png", "leaves the campaign's folder"),
        ("link.png", "is a link that leaves the campaign's folder"),
        ("output/a.png", "lies in its output"),
        ("inner.png", "is a link that leaves the campaign's folder"),
        ("A.PNG", "a.png is, mind the capitals"),
        ("sub", "is not there"),
        ("a.txt", "is not an image by its name"),
        ("none/a.png", "there is no folder none"),
        ("fake.png", "is named .png, but it is no image/png"),
        ("empty.png", "is empty"),
    ],
)
def test_media_that_cannot_be_shown(tmp_path, media, part):
    outside, folder = tmp_path / "outside", tmp_path / "campaign"
    put(outside, a_png=PNG)
    put(folder, a_png=PNG, a_txt="x", fake_png="<script>", empty_png=b"", output__a_png=PNG, sub__a_png=PNG)
    put(folder, items_csv=f'id,media\na,a.png\nb,"{media}"\n')
    (folder / "link").symlink_to(outside)
    (folder / "link.png").symlink_to(outside / "a.png")
    (folder / "loop").symlink_to("loop")
    (folder / "loop.png").symlink_to("loop.png")
    (folder / "inner.png").symlink_to(folder / "output" / "a.png")
    found = told(campaign(folder))
    assert len(found) == 1
    assert found[0].startswith("items.csv line 3: item 'b'")
    assert part in found[0]


def test_a_file_is_looked_up_anew_when_it_is_sent(tmp_path):
    put(tmp_path, in__items_csv=TWO, in__a_png=PNG, in__b_png=PNG, in__output__secret_png=PNG, outside_png=PNG)
    made = campaign(tmp_path / "in")
    assert [made.media_path(item.media) for item in made.read_items()] == [
        tmp_path / "in" / "a.png",
        tmp_path / "in" / "b.png",
    ]
    (tmp_path / "in" / "b.png").unlink()
    (tmp_path / "in" / "b.png").symlink_to(tmp_path / "outside.png")
    for media in ("b.png", "../outside.png", "/etc/hostname", "output/secret.png", "none.png", "", "a.png\0"):
        assert made.media_path(media) is None


def test_links_inside_the_folder_are_fine(tmp_path):
    put(tmp_path, items_csv=TWO, a_png=PNG)
    (tmp_path / "b.png").symlink_to("a.png")
    assert len(campaign(tmp_path).check().items) == 2


def test_a_folder_source_does_not_follow_links_out(tmp_path):
    put(tmp_path / "outside", a_png=PNG)
    put(tmp_path / "in", pictures__b_png=PNG)
    (tmp_path / "in" / "pictures" / "a.png").symlink_to(tmp_path / "outside" / "a.png")
    assert "leaves the campaign's folder" in told(campaign(tmp_path / "in", items={"source": "pictures"}))[0]


def test_texts(tmp_path):
    put(tmp_path, items_csv="id,media\na,a.md\nb,b.txt\nc,c.txt\n", a_md="# x", b_txt="y" * 100_001, c_txt=b"\xff")
    found = told(campaign(tmp_path, items={"kind": "text"}))
    assert "100,001 bytes" in found[0]
    put(tmp_path, b_txt="y")
    assert "is not UTF-8" in told(campaign(tmp_path, items={"kind": "text"}))[0]
    put(tmp_path, items_csv=f"id,t\na,x\nb,{'é' * 60_000}\n")
    assert "100,000 bytes are the most" in told(campaign(tmp_path, items={"kind": "text", "text": "t"}))[0]
    put(tmp_path, items_csv=f"id,t\na,x\nb,{'x' * 200_000}\n")
    assert "files of their own" in told(campaign(tmp_path, items={"kind": "text", "text": "t"}))[0]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "should name the columns"),
        ("id,media\n", "has no rows"),
        ("id,id\n", "each once"),
        ("id,media\na,a.png\n", "there is one item only"),
        ("name,media\na,a.png\n", "it has no column id; did you mean"),
        ("id,path\na,a.png\n", "it has no column media; there are: id, path"),
        ('id,media\na,"a.png\n', "a quote that is not closed"),
        (b"id,media\na,\xff\n", "save it as UTF-8"),
    ],
)
def test_tables_that_are_none(tmp_path, text, part):
    put(tmp_path, items_csv=text, a_png=PNG)
    found = told(campaign(tmp_path))
    assert found[0].startswith("items.csv")
    assert part in found[0] or part.split("; did")[0] in found[0]


def test_a_broken_file_of_another_kind(tmp_path):
    put(tmp_path, items_parquet="x", items_jsonl='{"id": 1\n[2]\n', items_xlsx="x")
    assert "Parquet" in told(campaign(tmp_path, items={"source": "items.parquet"}))[0]
    found = told(campaign(tmp_path, items={"source": "items.jsonl"}))
    assert found[0].startswith("items.jsonl line 1: this is not JSON")
    assert found[1].startswith("items.jsonl line 2: this is not a JSON object")
    assert "a table ends in .csv" in told(campaign(tmp_path, items={"source": "items.xlsx"}))[0]


def test_missing_files_are_told_with_the_line_that_names_them(tmp_path):
    text = '[campaign]\nquestion = "W?"\ninstructions_file = "how.md"\n[items]\nsource = "item.csv"\ngroup = "g"\n'
    text += '[search]\nqueries = "q.csv"\n[sampling]\nallowed = "p.csv"\n[access]\nopen = false\nworkers = "w.txt"\n'
    put(tmp_path, items_csv=TWO, campaign_toml=text)
    (tmp_path / "p.csv").symlink_to("/etc/hostname")
    assert told(Campaign.read(tmp_path / "campaign.toml")) == [
        f"campaign.toml line 3: [campaign] instructions_file: 'how.md' is not there; it should be in {tmp_path}",
        "campaign.toml line 5: [items] source: 'item.csv' is not there; did you mean items.csv?",
        f"campaign.toml line 8: [search] queries: 'q.csv' is not there; it should be in {tmp_path}",
        "campaign.toml line 10: [sampling] allowed: 'p.csv' is a link that leaves the campaign's folder; copy it there",
        f"campaign.toml line 13: [access] workers: 'w.txt' is not there; it should be in {tmp_path}",
    ]


GROUPED = "id,media,q\na,a.png,1\nb,a.png,1\nc,a.png,2\nd,a.png,2\n"


def test_queries(tmp_path):
    put(tmp_path, items_csv=GROUPED, a_png=PNG, q_csv="id,query,description\n1,one,first\n2,two,\n3,three,\n")
    made = campaign(tmp_path, items={"group": "q"}, search={"queries": "q.csv"})
    assert made.check().queries["1"]._asdict() == {"id": "1", "query": "one", "description": "first"}
    put(tmp_path, q_csv="id,query\n1,one\n1, \n")
    assert told(made) == [
        "q.csv line 3: the query '1' stands in the table already; take one out",
        "q.csv line 3: the query has 0 characters; it has one at least and 20,000 at most",
        "q.csv: it has no query '2', which is the group of an item; add it",
    ]


def test_allowed_pairs(tmp_path):
    put(tmp_path, items_csv=GROUPED, a_png=PNG, p_csv="left,right\na,b\nd,c\n")
    made = campaign(tmp_path, items={"group": "q"}, sampling={"allowed": "p.csv"})
    assert made.check().allowed == [("a", "b"), ("d", "c")]
    assert made.check().pairs == 2
    put(tmp_path, p_csv="left,right\na,b\nb,a\na,c\na,a\na,z\n")
    found = told(made)
    for line, part in zip(found, ["already", "different groups", "itself", "no item 'z'"], strict=True):
        assert part in line
    assert [line.split(":")[0] for line in found] == [f"p.csv line {number}" for number in (3, 4, 5, 6)]
    put(tmp_path, p_csv="a,b\nx,y\n")
    assert "should be left and right" in told(made)[0]


def test_invited_workers(tmp_path):
    put(tmp_path, items_csv=TWO, a_png=PNG, b_png=PNG, w_txt="ann\r\n\nbob\n", w_csv="worker,x\nann,1\nbob,2\n")
    for name in ("w.txt", "w.csv"):
        assert campaign(tmp_path, access={"open": False, "workers": name}).check().workers == ["ann", "bob"]
    made = campaign(
        tmp_path, access={"open": False, "workers": "w.txt"}, serving={"overlap": 3, "tasks_per_worker": 2},
        budget={"answers": 5}, stopping={"top": 2},
    )  # fmt: skip
    found = told(made)
    assert "top is 2, and there are 2 items" in found[0]
    assert "overlap is 3, and 2 workers are invited" in found[1]
    assert "2 workers with 2 tasks each give 4" in found[2]
    put(tmp_path, w_txt="ann\nann\n bob\n")
    assert [line.split(":")[0] for line in told(made)] == ["w.txt line 2", "w.txt line 3"]


def test_many_problems_are_counted(tmp_path):
    put(tmp_path, items_csv="id,media\n" + "".join(f"{n},none.png\n" for n in range(100)))
    with pytest.raises(CampaignError, match="100 things to mend(.|\n)*and 75 more") as caught:
        campaign(tmp_path).check()
    assert len(caught.value.problems) == 100


def test_many_items_are_read_in_about_a_second(tmp_path):
    """The time is that of this process alone, and the limit is three times what it took on a slow machine."""
    put(tmp_path, m__a_png=PNG)
    for n in range(0, 20_000, 20):
        os.link(tmp_path / "m" / "a.png", tmp_path / "m" / f"{n}.png")
    rows = "".join(f"i{n},m/{n % 20_000 // 20 * 20}.png,g{n // 10},x{n}\n" for n in range(100_000))
    put(tmp_path, items_csv="id,media,g,a\n" + rows)
    start = time.process_time()
    items = campaign(tmp_path, items={"group": "g", "attributes": ["a"]}).read_items()
    assert len(items) == 100_000
    assert time.process_time() - start < 3


@pytest.mark.parametrize("kind", KINDS)
def test_examples_pass_as_they_stand(kind, tmp_path):
    checked = Campaign.read(EXAMPLES / kind / "campaign.toml").check()
    assert checked.campaign.name == kind
    assert checked.instructions
    written = Campaign.read(write_example(kind, tmp_path / "new")).check()
    assert [item.id for item in written.items] == [item.id for item in checked.items]
    assert written.campaign.serving == checked.campaign.serving


def test_examples_show_nothing_of_what_they_hide():
    """Names of files follow no attribute, and all examples together stay small."""
    for kind, attribute in {"faces": "age", "search": "system", "video": "quality"}.items():
        for item in Campaign.read(EXAMPLES / kind / "campaign.toml").read_items():
            assert str(item.attributes[attribute]) not in item.media.rpartition("-")[0]
    assert sum(path.stat().st_size for path in EXAMPLES.rglob("*") if path.is_file()) < 1_500_000


def test_the_demonstration_knows_the_truth(tmp_path):
    checked = demo_campaign(tmp_path / "a").check()
    assert len(checked.items) == 24
    for item in checked.items:
        picture = (tmp_path / "a" / item.media).read_text(encoding="utf-8")
        assert picture.count("<circle") == int(item.attributes["dots"])
    by_score = sorted(checked.items, key=lambda item: float(item.attributes["score"]))
    assert by_score == sorted(checked.items, key=lambda item: int(item.attributes["dots"]))
    assert by_score != list(checked.items)
    demo_campaign(tmp_path / "b")
    for path in (tmp_path / "a").rglob("*.*"):
        assert path.is_dir() or path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()


def test_every_type_has_a_beginning():
    assert {kind for types in TYPES.values() for kind in types.values()} == STARTS.keys()
    assert media_type("image", "a.txt") is None
