"""A side-by-side data set: the items chosen, the folder written, what is refused; the design of IMDB-WIKI-SbS again."""

import csv
import json
import os
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from typer.testing import CliRunner

from sidewise.cli import app
from sidewise.collect import Campaign
from sidewise.datasets.building import build_pairs
from sidewise.errors import DataError, MissingExtra, SidewiseError

PHOTOS = Path(__file__).parents[1] / "examples" / "photos.csv"
AGES = {"groups": ["age", "gender"], "truth": "age", "quality": "score", "identity": "person"}


def rows_of(path):
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def archive(seed=0, photos=60_000):
    """Metadata like those that IMDB-WIKI-SbS was drawn from: most people between 28 and 45, more men than women."""
    rng = np.random.default_rng(seed)
    person = rng.integers(20_000, size=photos)
    gender = np.where(np.random.default_rng(1).random(20_000) < 1.4 / 2.4, "male", "female")[person].astype(object)
    gender[rng.random(photos) < 0.03] = None
    middle = rng.normal(36.5, 13, size=photos)
    age = np.where(rng.random(photos) < 0.45, rng.integers(0, 95, size=photos), middle.astype(int)).clip(0, 100)
    score = np.where(rng.random(photos) < 0.05, np.nan, rng.gamma(4, 1, size=photos).round(3))
    names = {"photo": [f"{n:06d}.jpg" for n in range(photos)], "person": person, "age": age, "gender": gender.tolist()}
    return pa.table({**names, "score": pa.array(score, from_pandas=True)})


@pytest.fixture(scope="module")
def sbs():
    """The design of IMDB-WIKI-SbS: 75 photographs of each age from 10 to 70 and gender, 250,249 pairs, 200 controls."""
    return build_pairs(
        archive(), id="photo", **AGES, ranges={"age": (10, 70)}, per_group=75, draw="random", pairs=250_249,
        controls=200, margin=20, seed=1,
    )  # fmt: skip


def test_the_design_of_imdb_wiki_sbs_has_its_items(sbs):
    assert sbs.items.num_rows == 9_150
    frame = sbs.items.to_pydict()
    groups = Counter(zip(frame["age"], frame["gender"], strict=True))
    assert len(groups) == 122
    assert set(groups.values()) == {75}
    people = Counter(zip(frame["age"], frame["gender"], frame["person"], strict=True))
    assert set(people.values()) == {1}


def test_of_a_person_the_best_photograph_of_the_group_is_taken(sbs):
    best = defaultdict(float)
    for row in archive().to_pylist():
        if row["gender"] and row["score"]:
            key = row["age"], row["gender"], row["person"]
            best[key] = max(best[key], row["score"])
    assert all(row["score"] == best[row["age"], row["gender"], row["person"]] for row in sbs.items.to_pylist())


def test_the_design_of_imdb_wiki_sbs_has_its_pairs(sbs):
    graph = nx.Graph(zip(sbs.left.tolist(), sbs.right.tolist(), strict=True))
    assert graph.number_of_edges() == 250_249
    assert graph.number_of_nodes() == 9_150
    assert nx.is_connected(graph)
    assert (sbs.draws, sbs.moved) == (1, 0)


def test_degrees_follow_the_binomial_distribution(sbs):
    n, p = 9_150, 250_249 / (9_150 * 9_149 / 2)
    binomial = stats.binom(n - 1, p)
    cuts = np.unique(binomial.ppf(np.linspace(0, 1, 21)[1:-1]))
    expected = n * np.diff([0, *binomial.cdf(cuts), 1])
    found = np.bincount(np.searchsorted(cuts, sbs.degree), minlength=len(expected))
    assert stats.chisquare(found, expected).pvalue > 0.001
    assert sbs.degree.mean() == pytest.approx(binomial.mean())
    assert sbs.degree.std() == pytest.approx(binomial.std(), rel=0.04)


def test_left_and_right_are_even(sbs):
    """Answers by the truth would be left half of the time, as 125,302 of 250,249 were; no item leans to a side."""
    assert abs(sbs.left_wins_share - 0.5) < 4 * np.sqrt(0.25 / 250_249)
    assert np.abs(sbs.side_balance - 0.5).max() <= 0.5 / sbs.degree.min()
    assert sbs.controls.left_wins.mean() == 0.5


def test_controls_are_more_than_twenty_years_apart(sbs):
    gap = np.abs(sbs.truth[sbs.controls.left] - sbs.truth[sbs.controls.right])
    assert len(gap) == 200
    assert gap.min() == 21


def small(**options):
    given = {"id": "photo", **AGES, "ranges": {"age": (20, 49)}, "per_group": 4, "pairs": 900, "media": "file"}
    return build_pairs(PHOTOS, **given | options)


def test_a_folder_holds_what_a_campaign_needs(tmp_path):
    made = small(controls=20, margin=15, question='Who looks "older"?', title="Photos")
    folder = made.write(tmp_path / "set")
    items, pairs, controls, pages = (
        rows_of(folder / f"{name}.csv") for name in ("items", "pairs", "controls", "pages")
    )
    ages = {row["photo"]: int(row["age"]) for row in items}
    assert (len(items), len(pairs), len(controls)) == (240, 900, 20)
    assert list(pairs[0]) == ["left", "right"]
    assert pairs == made.to_frame().to_pylist()
    for row in controls:
        assert row["winner"] == max((row["left"], row["right"]), key=ages.get)
        assert abs(ages[row["left"]] - ages[row["right"]]) > 15
    asked = [(row["left"], row["right"]) for row in pages if row["kind"] == "real"]
    assert sorted(asked) == sorted((row["left"], row["right"]) for row in pairs)
    kinds = [row["kind"] for row in pages if row["page"] == "7"]
    assert sorted(kinds) == ["control", "real", "real", "real"]
    text = (folder / "campaign.toml").read_text(encoding="utf-8")
    campaign = tomllib.loads(text)
    assert "asks no controls" in text
    assert "controls" not in small().write(tmp_path / "bare", pictures=False).joinpath("campaign.toml").read_text()
    assert campaign["items"] == {"source": "items.csv", "id": "photo", "media": "file", "attributes": ["age", "gender"]}
    assert campaign["sampling"]["allowed"] == "pairs.csv"
    assert campaign["serving"]["sides"] == "as listed"
    assert campaign["campaign"]["question"] == 'Who looks "older"?'
    assert json.loads((folder / "build.json").read_text())["settings"]["pairs"] == 900
    out = Counter(row["reason"] for row in rows_of(folder / "left_out.csv"))
    assert out == {"no gender": 51, "no score": 107, "age below 20": 396, "age above 49": 615}
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "| items | 240 |" in card
    assert "615 were left out: age above 49." in card
    assert {path.name for path in (folder / "pictures").iterdir()} == {"groups.svg", "degrees.svg", "gaps.svg"}
    assert all(f"pictures/{path.name}" in card for path in (folder / "pictures").iterdir())


@pytest.mark.parametrize("media", [None, "file"])
def test_the_campaign_of_a_folder_is_one(tmp_path, media):
    """Also where ids are shown for want of media, and where the path of a medium is its id."""
    names = [f"{number}.png" for number in range(4)]
    (tmp_path / "photos").mkdir()
    for name in names:
        (tmp_path / "photos" / name).write_bytes(b"\x89PNG\r\n\x1a\n")
    made = build_pairs({"file": names}, id="file", media=media, pairs=4)
    folder = made.write(tmp_path / "set", media_folder=tmp_path / "photos" if media else None, pictures=False)
    campaign = Campaign.read(folder / "campaign.toml")
    campaign.check()
    assert [item.id for item in campaign.read_items()] == names


def test_the_manifest_is_what_sha256sum_reads(tmp_path):
    folder = small().write(tmp_path / "set", pictures=False)
    command = ["sha256sum", "--check", "--strict", "manifest.sha256"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.count(": OK\n") == len([path for path in folder.rglob("*") if path.is_file()]) - 1
    (folder / "pairs.csv").write_text("left,right\n")
    assert subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 1  # noqa: S603


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(tmp_path):
    manifests = []
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        folder = small(seed=seed, controls=9, margin=10).write(tmp_path / name)
        manifests.append((folder / "manifest.sha256").read_bytes())
    assert manifests[0] == manifests[1] != manifests[2]


def test_the_order_of_columns_and_kind_of_table_do_not_matter():
    import polars as pl

    frame = pl.read_csv(PHOTOS)
    by_file, by_frame = (
        build_pairs(source, id="photo", **AGES, per_group=2, few="keep", pairs=500) for source in (PHOTOS, frame)
    )
    assert by_file.ids.to_pylist() == by_frame.ids.to_pylist()
    assert by_file.to_frame() == by_frame.to_frame()


def test_categories_and_numpy_numbers_are_taken(tmp_path):
    import pandas as pd

    frame = pd.read_csv(PHOTOS).astype({"gender": "category", "person": "category"})
    made = build_pairs(frame, id="photo", **AGES, per_group=np.int64(2), few="keep", pairs=np.int64(500))
    folder = made.write(tmp_path / "set", pictures=False)
    assert rows_of(folder / "items.csv")[0]["gender"] in ("male", "female")
    assert json.loads((folder / "build.json").read_text())["settings"]["pairs"] == 500


def test_blanks_around_a_group_are_refused():
    with pytest.raises(DataError, match="gender 'male ' has blanks around it"):
        build_pairs({"id": ["a", "b"], "gender": ["male", "male "]}, groups=["gender"], pairs=1)


def test_a_column_that_csv_cannot_hold_is_refused(tmp_path):
    made = build_pairs({"id": ["a", "b"], "tags": [["x"], ["y"]]}, keep=["tags"], pairs=1)
    with pytest.raises(DataError, match="cannot be written as CSV"):
        made.write(tmp_path / "set", pictures=False)


def test_media_are_copied_and_hashed(tmp_path):
    from PIL import Image

    media = tmp_path / "photos"
    for number in range(6):
        (media / str(number % 2)).mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 6), (40 * number, 0, 0)).save(media / str(number % 2) / f"{number}.png")
    items = {"id": list("abcdef"), "media": [f"{n % 2}/{n}.png" for n in range(6)], "score": [6, 5, 4, 3, 2, 1]}
    made = build_pairs(items, pairs=6, media="media", quality="score", per_group=4)
    folder = made.write(tmp_path / "set", media_folder=media, pictures=False)
    assert {path.name for path in (folder / "media").rglob("*.png")} == {"0.png", "1.png", "2.png", "3.png"}
    assert (folder / "media" / "0" / "2.png").read_bytes() == (media / "0" / "2.png").read_bytes()
    assert "  media/0/2.png\n" in (folder / "manifest.sha256").read_text()
    assert tomllib.loads((folder / "campaign.toml").read_text())["items"]["folder"] == "media"
    (media / "0" / "2.png").unlink()
    with pytest.raises(DataError, match=r"1 of 4 media are not in .*photos: '0/2.png'"):
        made.write(tmp_path / "other", media_folder=media, pictures=False)
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("path", ["/etc/passwd", "../a.png", "https://example.org/a.png", "a/../../b.png"])
def test_media_from_elsewhere_are_not_copied(tmp_path, path):
    made = build_pairs({"id": ["a", "b"], "media": ["x.png", path]}, pairs=1, media="media")
    with pytest.raises(DataError, match="is no path inside"):
        made.write(tmp_path / "set", media_folder=tmp_path, pictures=False)


def test_a_folder_is_never_replaced_silently(tmp_path):
    made, folder = small(), tmp_path / "set"
    made.write(folder, pictures=False)
    with pytest.raises(SidewiseError, match=r"is there already.*--force"):
        made.write(folder, pictures=False)
    small(seed=5).write(folder, pictures=False, force=True)
    assert json.loads((folder / "build.json").read_text())["settings"]["seed"] == 5
    (folder / "answers.csv").write_text("mine")
    with pytest.raises(SidewiseError, match=r"holds answers.csv, of which its manifest.sha256 does not know"):
        made.write(folder, pictures=False, force=True)
    assert (folder / "answers.csv").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["set"]


def test_what_fails_halfway_leaves_nothing_behind(tmp_path, monkeypatch):
    made = small()
    made.write(tmp_path / "set", pictures=False)
    before = (tmp_path / "set" / "manifest.sha256").read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sidewise.datasets.building.folder.write_manifest", full)
    for name in ("new", "set"):
        with pytest.raises(OSError, match="No space"):
            small(seed=2).write(tmp_path / name, pictures=False, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["set"]
    assert (tmp_path / "set" / "manifest.sha256").read_bytes() == before


KILLED = """
import os, signal, sys, time
from sidewise.datasets.building import build_pairs, folder
wait = lambda *_: (print("here", flush=True), time.sleep(60))
folder.write_manifest = wait
build_pairs({"id": list("abcd")}, pairs=4).write(sys.argv[1], pictures=False)
"""


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_a_later_run_removes_what_a_killed_one_left_and_nothing_else(tmp_path):
    mine = [".set-keep", ".set-notours1", ".set-abcdefgh-old", ".other-abcdefgh", ".set-old-abcdefgh"]
    for name in mine:
        (tmp_path / name).mkdir()
        (tmp_path / name / "items.csv").write_text("id\n")
    (tmp_path / ".set-mydiary1").mkdir()
    (tmp_path / ".set-mydiary1" / "diary.txt").write_text("mine")
    (tmp_path / ".set-notours1" / "pairs.txt").write_text("mine")
    command = [sys.executable, "-c", KILLED, str(tmp_path / "set")]
    running, killed = (subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2))  # noqa: S603
    try:
        assert (running.stdout.readline(), killed.stdout.readline()) == ("here\n", "here\n")
        killed.kill()
        killed.wait()
        left = {path.name for path in tmp_path.iterdir()} - {*mine, ".set-mydiary1"}
        assert len(left) == 2
        build_pairs({"id": list("abcd")}, pairs=4).write(tmp_path / "set", pictures=False)
        still = {path.name for path in tmp_path.iterdir()} - {*mine, ".set-mydiary1"}
        assert len(still) == 2
        assert "set" in still
        assert len(still & left) == 1
    finally:
        running.kill()
        running.wait()
        running.stdout.close()
        killed.stdout.close()
    small().write(tmp_path / "set", pictures=False, force=True)
    assert {path.name for path in tmp_path.iterdir()} == {*mine, ".set-mydiary1", "set"}


def test_pictures_take_the_extra_and_it_is_said_before_the_work(tmp_path, monkeypatch):
    def missing(library, *, extra):
        raise MissingExtra(f"{library} {extra}")

    monkeypatch.setattr("sidewise.datasets.building.folder.need", missing)
    with pytest.raises(MissingExtra):
        small().write(tmp_path / "set")
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"per_group": 60, "ranges": {}}, r"fewer than 60 items .* one for each identity \(age 1, gender female: "),
        ({"pairs": 238}, r"238 pairs cannot join 240 items: it takes n − 1 = 239"),
        ({"pairs": 28_681}, r"240 items have 28,680 different pairs, and 28,681 were asked for"),
        ({"controls": 5, "margin": 20, "truth": None}, r"controls need a truth"),
        ({"controls": 5}, r"controls need a margin"),
        ({"controls": 5, "margin": 60}, r"0 pairs differ by more than 60, and 5 controls"),
        ({"margin": 5}, r"a margin is for controls"),
        ({"id": "file", "media": None, "groups": ["year"]}, r"no column 'year'; there are 'photo', 'file'"),
        ({"id": "person"}, r"person 'person 001' stands in .*photos.csv row 1 and .* row 2 \(and .* other ids\)"),
        ({"truth": "gender"}, r"photos.csv row 1: gender is 'male', which is no number"),
        ({"ranges": {"age": (200, None)}}, r"none of the 2,000 items is left \(no gender: 51, no score: 107, age"),
        ({"ranges": {"age": 3}}, r"the range of age is 3; give its lowest and its highest value"),
        ({"ranges": ["age"]}, r"ranges is \['age'\]; it is a mapping of columns"),
        ({"ranges": {"age": (70, 10)}}, r"goes from 70 to 10: nothing lies in it"),
        ({"design": "star"}, r"no design 'star'; there are: erdos-renyi, regular, optimal"),
        ({"draw": "worst"}, r"draw='worst' is none of best, random"),
        ({"few": "some"}, r"few='some' is none of"),
        ({"controls_per_page": 2}, r"2 controls a page, but there are 0 in all"),
        ({"groups": "age"}, r"groups is 'age'; it is a list of columns"),
        ({"seed": -1}, r"seed is -1"),
        ({"per_group": 0}, r"per_group is 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_built_is_refused_in_words(options, message):
    with pytest.raises(SidewiseError, match=message):
        small(**options)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["a", "e\nf", "g\rh"], r"row 2: id is 'e\\nf' \(and 1 other row\); it is a text .* at most 255 characters"),
        (["a", "b", "\u202ec"], r"row 3: id is '\\u202ec'; .* hidden characters"),
        (["a", "b" * 256, "c"], r"row 2: id is 'b{60}'; "),
        (["a", "b\tc", "c"], "row 2: id is"),
        (["a", None, "c"], "row 2: id is empty"),
        (["a", " b", "c"], "' b' has blanks"),
        ([1.5, 2, 3], "holds fractions"),
    ],
)
def test_bad_ids_are_refused(ids, message):
    with pytest.raises(DataError, match=message):
        build_pairs({"id": ids}, pairs=2)


def test_broken_lines_are_refused(tmp_path):
    (tmp_path / "items.csv").write_text("id,age\na,1\nb,2,3\nc,4\n")
    with pytest.raises(DataError, match="row 2.*as many fields as the header"):
        build_pairs(tmp_path / "items.csv", pairs=1)


def test_small_groups_are_kept_or_dropped_as_asked(tmp_path):
    items = {"id": list("abcdefg"), "kind": ["x"] * 4 + ["y"] * 2 + [None]}
    kept = build_pairs(items, groups=["kind"], per_group=3, few="keep", pairs=4)
    assert kept.groups.taken.tolist() == [3, 2]
    card = (kept.write(tmp_path / "kept", pictures=False) / "README.md").read_text(encoding="utf-8")
    assert "At most 3 of each group were taken, drawn at random: 5 items." in card
    assert "1 was left out: no kind." in card
    dropped = build_pairs(items, groups=["kind"], per_group=3, few="drop", pairs=2)
    assert set(dropped.items["kind"].to_pylist()) == {"x"}
    with pytest.raises(DataError, match=r"1 of 2 groups have fewer than 3 items to choose from \(kind y: 2\)"):
        build_pairs(items, groups=["kind"], per_group=3, pairs=2)


def test_the_best_come_first_or_any():
    items = {"id": [str(n) for n in range(50)], "score": np.arange(50.0)}
    best = build_pairs(items, quality="score", per_group=10, pairs=9)
    assert set(best.items["score"].to_pylist()) == set(range(40, 50))
    drawn = build_pairs(items, quality="score", per_group=10, pairs=9, draw="random")
    assert set(drawn.items["score"].to_pylist()) != set(range(40, 50))


@settings(max_examples=25)
@given(
    rows=st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 5), st.integers(0, 3)), min_size=8, max_size=60),
    per_group=st.integers(1, 4), seed=st.integers(0, 99),
)  # fmt: skip
def test_choosing_keeps_its_rules_whatever_the_table(rows, per_group, seed):
    group, who, score = (list(column) for column in zip(*rows, strict=True))
    items = {"id": [f"i{n}" for n in range(len(rows))], "group": group, "who": who, "score": score}
    people = {one: len({person for name, person, _ in rows if name == one}) for one in set(group)}
    wanted = sum(min(per_group, count) for count in people.values())
    if wanted < 2:
        return
    made = build_pairs(
        items,
        groups=["group"],
        identity="who",
        quality="score",
        per_group=per_group,
        few="keep",
        pairs=wanted - 1,
        seed=seed,
    )
    chosen = made.items.to_pylist()
    assert len(chosen) == wanted
    assert len({(row["group"], row["who"]) for row in chosen}) == wanted
    best = {}
    for name, person, value in rows:
        best[name, person] = max(best.get((name, person), 0), value)
    assert all(row["score"] == best[row["group"], row["who"]] for row in chosen)
    for name in people:
        left_behind = {person: value for (one, person), value in best.items() if one == name}
        taken = [left_behind.pop(row["who"]) for row in chosen if row["group"] == name]
        assert min(taken) >= max(left_behind.values(), default=0)


@pytest.mark.parametrize("design", ["regular", "rectangular", "swiss", "optimal"])
def test_other_designs_give_the_pairs_asked_for_too(design):
    made = build_pairs({"id": [str(n) for n in range(30)]}, pairs=120, design=design)
    graph = nx.Graph(zip(made.left.tolist(), made.right.tolist(), strict=True))
    assert graph.number_of_edges() == 120
    assert nx.is_connected(graph)
    if design == "regular":
        assert set(made.degree.tolist()) == {8}


def test_a_strategy_is_not_asked_about_too_many_items():
    with pytest.raises(SidewiseError, match="the design swiss is for 2,000 items at most"):
        build_pairs({"id": [str(n) for n in range(2_001)]}, pairs=4_000, design="swiss")


def test_the_command_builds_and_tells(tmp_path):
    words = ["data", "build", "pairs", str(PHOTOS), "--out", str(tmp_path / "set"), "--pairs", "600", "--id", "photo",
             "--group", "gender", "--truth", "age", "--range", "age=20:49", "--range", "score=1:", "--per-group", "50",
             "--controls", "10", "--margin", "15", "--no-pictures"]  # fmt: skip
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "100 items in 2 groups, of 2,000" in done.output
    assert "10 controls, 200 pages" in done.output
    again = CliRunner().invoke(app, words)
    assert again.exit_code == 2
    assert "is there already" in again.output


def test_media_that_are_not_copied_are_warned_of(tmp_path):
    (tmp_path / "photos").mkdir()
    rows = "".join(f"i{number},photos/{number}.png\n" for number in range(4))
    (tmp_path / "items.csv").write_text("id,media\n" + rows)
    words = ["data", "build", "pairs", str(tmp_path / "items.csv"), "--pairs", "4", "--no-pictures", "--out"]
    bare = CliRunner().invoke(app, [*words, str(tmp_path / "bare")])
    assert "warning" not in bare.output
    for name, lie in (
        ("there", f"--media-folder {tmp_path}"),
        ("gone", "--media-folder FOLDER, where the paths begin"),
    ):
        for number in range(4):
            path = tmp_path / "photos" / f"{number}.png"
            path.write_bytes(b"") if name == "there" else path.unlink()
        done = CliRunner().invoke(app, [*words, str(tmp_path / name), "--media", "media"])
        assert done.exit_code == 0
        said = " ".join(done.stderr.split())
        assert f"warning: the files of 4 media were not copied, and the campaign looks for them in {tmp_path}" in said
        assert said.endswith(f"put them there, or build with {lie}")
        assert "put the files here" in (tmp_path / name / "campaign.toml").read_text()
        assert "The files of 4 media are not in this folder" in (tmp_path / name / "README.md").read_text()
    far = build_pairs({"id": ["a", "b"], "media": ["https://a.example/a.png", "https://a.example/b.png"]}, pairs=1,
                      media="media").write(tmp_path / "far", pictures=False)  # fmt: skip
    assert "not in this folder" not in (far / "README.md").read_text()


@pytest.mark.parametrize("given", ["age", "age=10", "age=ten:20", "=1:2"])
def test_a_range_that_is_none_is_refused(tmp_path, given):
    words = ["data", "build", "pairs", str(PHOTOS), "--out", str(tmp_path / "set"), "--pairs", "9", "--range", given]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert "age=10:70" in done.output
