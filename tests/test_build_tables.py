"""Parts of a table, words that must not be there, and truths that nobody finds again."""

import os
import signal
import subprocess
import sys
import unicodedata

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from sidewise.cli import app
from sidewise.datasets.building import (
    filter_divergent,
    filter_words,
    overlapping,
    read_words,
    split_table,
    splitting,
    word_forms,
)
from sidewise.datasets.building.folding import folded
from sidewise.datasets.building.inferring import with_numbers
from sidewise.errors import DataError, SidewiseError

SIDES = ("left", "top", "right", "bottom")


def boxes(*rows, **more):
    """Rows of image, left, top, right, bottom."""
    names, *edges = zip(*rows, strict=True)
    return {"image": list(names), **{side: list(values) for side, values in zip(SIDES, edges, strict=True)}, **more}


@given(rows=st.integers(4, 200), share=st.floats(0.3, 0.7), seed=st.integers(0, 50))
def test_a_split_loses_no_row_and_keeps_shares_and_order(rows, share, seed):
    found = split_table({"n": list(range(rows))}, {"train": share, "test": 1 - share}, seed=seed)
    parts = [part["n"].to_pylist() for part in found.parts.values()]
    assert sorted(parts[0] + parts[1]) == list(range(rows))
    assert all(part == sorted(part) for part in parts)
    assert abs(len(parts[0]) - share * rows) <= 1


def test_a_split_is_the_same_for_the_same_seed_only():
    table = {"n": list(range(100))}
    first, again, other = (split_table(table, {"a": 0.5, "b": 0.5}, seed=seed).parts["a"] for seed in (1, 1, 2))
    assert first == again != other


def test_what_belongs_together_stays_together():
    people = [f"p{n % 17}" for n in range(100)]
    found = split_table({"person": people}, {"train": 0.6, "test": 0.4}, together="person")
    train, test = (set(part["person"].to_pylist()) for part in found.parts.values())
    assert not train & test
    assert (len(train), len(test)) == (10, 7)


def test_boxes_that_another_data_set_has_go_to_train():
    table = boxes(("a", 0, 0, 10, 10), ("b", 0, 0, 10, 10), ("c", 0, 0, 10, 10), ("d", 0, 0, 10, 10))
    others = boxes(("a", 9, 9, 20, 20), ("b", 10, 0, 20, 10), ("d", 50, 50, 60, 60), ("d", 5, 5, 6, 6))
    assert overlapping(pa.table(table), others).tolist() == [True, False, False, True]
    assert overlapping(pa.table(table), others, overlap="images").tolist() == [True, True, False, True]
    for seed in range(20):
        found = split_table(table, {"train": 2, "test": 2}, others=others, seed=seed)
        assert found.parts["train"]["image"].to_pylist() == ["a", "d"]
        assert found.held == 2


@pytest.mark.parametrize("pairs", [1, 7, 10**6])
def test_overlaps_are_those_of_every_pair(pairs, monkeypatch):
    monkeypatch.setattr(splitting, "PAIRS", pairs)
    rng = np.random.default_rng(1)

    def some(count):
        corner = rng.integers(0, 90, (count, 2))
        edges = np.concatenate([corner, corner + rng.integers(1, 25, (count, 2))], axis=1).tolist()
        return boxes(*[(f"i{image}", *box) for image, box in zip(rng.integers(0, 12, count), edges, strict=True)])

    one, other = some(60), some(80)
    sides = [list(zip(*(table[name] for name in ("image", *SIDES)), strict=True)) for table in (one, other)]
    expected = [
        any(a == b and min(r, z) > max(l, x) and min(u, w) > max(t, y) for b, x, y, z, w in sides[1])
        for a, l, t, r, u in sides[0]
    ]
    assert overlapping(one, other).tolist() == expected
    assert 10 < sum(expected) < 50


def test_addresses_and_file_names_meet_by_their_last_part():
    table = boxes(("https://example.org/x/1.jpg", 0, 0, 5, 5), ("https://example.org/x/2.jpg", 0, 0, 5, 5))
    others = boxes(("1.jpg", 0, 0, 5, 5))
    for overlap in ("boxes", "images"):
        with pytest.raises(DataError, match=r"no image .* yet 1 are but for the folders .*x/1.jpg.*--by-name"):
            overlapping(pa.table(table), others, overlap=overlap)
        assert overlapping(pa.table(table), others, overlap=overlap, by_name=True).tolist() == [True, False]
    elsewhere = boxes(("3.jpg", 0, 0, 5, 5))
    assert overlapping(pa.table(table), elsewhere).tolist() == [False, False]


@pytest.mark.parametrize(
    ("shares", "options", "message"),
    [
        ({"train": 0.8, "test": 0.3}, {}, "the shares sum to 1.1"),
        ({"train": 1.0}, {}, "two parts at the least"),
        ({"train": 3, "test": 4}, {}, "the parts have 7 in all, and there are 4"),
        ({"train": -0.5, "test": 1.5}, {}, "the share of train is -0.5"),
        ({"train": 0.9, "test": 0.1}, {}, "4 are too few .*nothing is left for test"),
        ({"train": 0.5, "test": 0.5}, {"together": "person"}, "no column 'person'"),
        ({"train": 0.25, "test": 0.75}, {"others": boxes(("a", 0, 0, 9, 9), ("b", 0, 0, 9, 9))}, "give it 2 .* of 0.5"),
        ({"train": 0.5, "test": 0.5}, {"others": {"image": ["a"]}}, "no column 'left'"),
        ({"train": 0.5, "test": 0.5}, {"others": {"image": ["a"]}, "overlap": "faces"}, "none of boxes, images"),
    ],
)  # fmt: skip
def test_a_split_that_cannot_be_is_refused(shares, options, message):
    table = boxes(*[(name, 0, 0, 10, 10) for name in "abcd"])
    with pytest.raises(SidewiseError, match=message):
        split_table(table, shares, **options)


def test_a_table_without_rows_or_with_bad_ones_is_named(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("image,left,top,right,bottom\n")
    with pytest.raises(DataError, match=r"table.csv: there are no rows"):
        split_table(path, {"a": 0.5, "b": 0.5})
    with pytest.raises(DataError, match=r"table.csv: there are no rows"):
        filter_divergent(path, TRUTH)
    path.write_text("image,left,top,right,bottom\na,0,0,9,9\nb,0,x,9,9\n,0,0,9,9\n")
    for refused in (
        lambda: split_table(path, {"a": 0.5, "b": 0.5}, others=TRUTH),
        lambda: filter_divergent(path, TRUTH),
        lambda: filter_divergent(TRUTH, path),
    ):
        with pytest.raises(DataError, match=r"table.csv row 2: top is 'x'") as told:
            refused()
        assert "skip" not in str(told.value)  # there is no such option here
    with pytest.raises(DataError, match=r"table.csv row 3: there is no image"):
        split_table(path, {"a": 0.5, "b": 0.5}, others={"image": ["a"]}, overlap="images")


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("kill", "Who KILLED it?", "KILLED"),
        ("kill", "What skill is it?", None),
        ("kill", "the kill-switch", "kill"),
        ("shoot", "shooting", "shooting"),
        ("shoot", "shot", None),
        ("stab", "stabbed", "stabbed"),
        ("knife", "a knife’s blade", "knife’s"),
        ("murder", "the murderers", "murderers"),
        ("smoke", "is smoking", "smoking"),
        ("bully", "two bullies", "bullies"),
        ("punch", "he punches", "punches"),
        ("shot by", "a zebra shot \n by hunters", "shot \n by"),
        ("shot by", "a shot in a bystander", None),
        ("tuer", "Qui a TUÉ?", None),
        ("fußball", "Fußballs", "Fußballs"),
        ("c++", "is it c++?", "c++"),
        ("ass", "a glass, a class, a grass, an assassin", None),
        ("istanbul", "İstanbul", "İstanbul"),
        ("kill", "ＫＩＬＬＳ!", "ＫＩＬＬＳ"),
        ("kill", "to ki\u00adll", "ki\u00adll"),
        ("café", "a CAFE\u0301.", "CAFE\u0301"),
        ("cafe\u0301", "a café", "café"),
        ("cafe", "a cafe\u0301", None),
        ("miss", "miſſ", "miſſ"),
        ("fußball", "FUẞBALL", "FUẞBALL"),
        ("ass", "er aß", None),
        ("οδος", "ΟΔΟΣ", "ΟΔΟΣ"),
        ("fish", "été ﬁshing", "ﬁshing"),
    ],
)
def test_words_are_found_as_words(word, text, found):
    removed = filter_words({"question": [text]}, [word]).removed.to_pylist()
    assert [row["found"] for row in removed] == ([found] if found else [])


def test_forms_can_be_left_out_and_phrases_excused():
    table = {"question": ["He hit it", "To hit the ball", "hitting", "hit the ball and hit him", None]}
    assert filter_words(table, ["hit"]).reasons == {"hit": 4}
    assert filter_words(table, ["hit"], inflect=False).removed["row"].to_pylist() == [1, 2, 4]
    assert filter_words(table, ["hit"], unless=["hit the ball"]).removed["row"].to_pylist() == [1, 3, 4]


@given(st.text(), st.text(st.characters(categories=("L", "M", "N")), min_size=1))
def test_a_word_is_found_wherever_it_stands_by_itself(around, word):
    """Whatever the script: what is told is a part of the text, and the same as the word but for how it is written."""
    if not folded(word)[0].strip() or unicodedata.combining(unicodedata.normalize("NFKD", word)[0]):
        return
    text = f"{around} {word} {around}"
    (row,) = filter_words({"question": [text]}, [word], inflect=False).removed.to_pylist()
    assert row["found"] in text
    assert folded(row["found"])[0].split() == folded(word)[0].split()


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=10))
def test_every_form_finds_its_word_and_nothing_else_around_it(word):
    for form in word_forms(word):
        found = filter_words({"question": [f"is {form} it", f"x{form}x"]}, [word]).removed.to_pylist()
        assert [(row["row"], row["word"]) for row in found] == [(1, word)]


def test_columns_of_the_table_stay_as_they_were():
    found = filter_words({"question": ["kill", "sing"], "word": ["a", "b"], "n": [1, 2]}, ["kill"])
    assert found.kept.to_pylist() == [{"question": "sing", "word": "b", "n": 2}]
    assert found.removed.to_pylist() == [
        {"row": 1, "word": "kill", "found": "kill", "question": "kill", "word_given": "a", "n": 1}
    ]


def test_no_column_is_lost_to_the_reasons():
    table = {"question": ["kill"], "word": ["a"], "word_given": ["b"], "found": ["c"]}
    assert filter_words(table, ["kill"]).removed.to_pylist() == [
        {"row": 1, "word": "kill", "found": "kill", "question": "kill", "word_given_given": "a", "word_given": "b",
         "found_given": "c"}
    ]  # fmt: skip


def test_a_list_of_words_is_read_and_refused(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("# what hurts\nkill\n\n shot by   # a phrase\n")
    assert read_words(path) == ("kill", "shot by")
    path.write_text("# nothing\n")
    for words, message in (
        (path, "no word to look for"),
        (tmp_path / "none.txt", "there is no file"),
        ([""], "blank"),
        (["\u200b"], "blank"),
        ([1], "list of words"),
    ):
        with pytest.raises(SidewiseError, match=message):
            filter_words({"question": ["x"]}, words)
    with pytest.raises(DataError, match="no column 'question'; there are 'text'"):
        filter_words({"text": ["x"]}, ["kill"])


TRUTH = boxes(("a", 0, 0, 10, 10), ("b", 0, 0, 10, 10), ("c", 0, 0, 10, 10))


def test_instances_that_nobody_finds_again_are_removed():
    fresh = boxes(("a", 0, 0, 10, 5), ("b", 0, 0, 10, 4.9), ("c", 0, 0, 10, 10))
    found = filter_divergent(TRUTH | {"note": ["x", "y", "z"]}, fresh, threshold=0.5)
    assert found.kept["note"].to_pylist() == ["x", "z"]  # what is just at the threshold stays
    assert found.removed.select(["row", "reason", "answers", "iou", "note"]).to_pylist() == [
        {"row": 2, "reason": "IoU below 0.5", "answers": 1, "iou": pytest.approx(0.49), "note": "y"}
    ]


@pytest.mark.parametrize(("agreement", "iou"), [("median", 0.4), ("mean", 0.5), ("best", 0.9)])
def test_several_answers_are_weighed_as_asked(agreement, iou):
    fresh = boxes(("a", 0, 0, 10, 2), ("a", 0, 0, 10, 4), ("a", 0, 0, 10, 9), worker=["x", "y", "z"])
    truth = boxes(("a", 0, 0, 10, 10))
    found = filter_divergent(truth, fresh, threshold=1.0, agreement=agreement)
    assert found.removed["iou"].to_pylist() == [pytest.approx(iou)]


def test_a_consensus_of_answers_drops_the_one_that_is_elsewhere():
    rows = [(image, 0, 0, 10, 10 - slip) for image in "ab" for slip in (0.1, 0.2, 0.1)]
    fresh = boxes(*rows[:5], ("b", 50, 50, 60, 60), worker=["x", "y", "z"] * 2)
    truth = boxes(("a", 0, 0, 10, 10), ("b", 0, 0, 10, 10))
    assert filter_divergent(truth, fresh, threshold=0.9, agreement="consensus").kept.num_rows == 2
    assert filter_divergent(truth, fresh, threshold=0.9, agreement="mean").removed["image"].to_pylist() == ["b"]


def test_many_answers_stand_as_each_alone_would():
    rng = np.random.default_rng(4)
    truth = boxes(*[(f"i{n}", 0, 0, 100, 100) for n in range(40)])
    rows = [(f"i{n}", 0, 0, 100, int(high)) for n in rng.integers(0, 40, 300) for high in rng.integers(1, 101, 1)]
    for agreement, stands in (("median", np.median), ("mean", np.mean), ("best", np.max)):
        found = filter_divergent(truth, boxes(*rows), threshold=1.0, agreement=agreement, unanswered="keep").removed
        for row in found.to_pylist():
            assert row["iou"] == pytest.approx(
                stands([high / 100 for image, *_, high in rows if image == row["image"]])
            )
        assert found.num_rows > 20


def test_no_answer_is_not_a_wrong_one():
    fresh = boxes(("a", 0, 0, 10, 10))
    with pytest.raises(DataError, match=r"2 images \('b', 'c'\) are without a fresh answer"):
        filter_divergent(TRUTH, fresh)
    assert filter_divergent(TRUTH, fresh, unanswered="keep").kept.num_rows == 3
    dropped = filter_divergent(TRUTH, fresh, unanswered="drop")
    assert dropped.reasons == {"no answer": 2}
    assert dropped.removed["iou"].to_pylist() == [None, None]


def test_answers_by_file_name_meet_truths_by_address():
    truth = boxes(("https://x/a.jpg", 0, 0, 10, 10), ("https://x/b.jpg", 0, 0, 10, 10), note=["m", "n"])
    fresh = boxes(("b.jpg", 0, 0, 10, 10), ("a.jpg", 0, 0, 10, 2), worker=["v", "w"])
    with pytest.raises(DataError, match="2 images .* in the answers, but not in the table: say by_name=True"):
        filter_divergent(truth, fresh)
    for agreement in ("median", "consensus"):
        found = filter_divergent(truth, fresh, by_name=True, agreement=agreement)
        assert found.removed["image"].to_pylist() == ["https://x/a.jpg"]
        assert found.kept["note"].to_pylist() == ["n"]
    two = boxes(("x/a.jpg", 0, 0, 9, 9), ("y/a.jpg", 0, 0, 9, 9))
    with pytest.raises(DataError, match="'x/a.jpg' and 'y/a.jpg' have the same last part"):
        filter_divergent(two, fresh, by_name=True)


@pytest.mark.parametrize(
    ("fresh", "options", "message"),
    [
        (boxes(("z", 0, 0, 1, 1)), {}, "the image 'z' is in the answers, but not in the table"),
        (TRUTH, {"threshold": 50}, "threshold is 50; an IoU lies between 0 and 1"),
        (TRUTH, {"agreement": "worst"}, "agreement='worst' is none of"),
        (TRUTH, {"unanswered": "zero"}, "unanswered='zero' is none of"),
    ],
)
def test_a_divergence_that_cannot_be_told_is_refused(fresh, options, message):
    with pytest.raises(SidewiseError, match=message):
        filter_divergent(TRUTH, fresh, **options)


def test_boxes_drawn_on_generated_images_are_found_again(tmp_path):
    """Images with one bright rectangle: a reader that finds it agrees with the truth, but for what is mislabelled."""
    from PIL import Image

    rng, rows, seen = np.random.default_rng(0), [], []
    for number in range(20):
        left, top = rng.integers(0, 40, 2).tolist()
        image = Image.new("L", (64, 64))
        image.paste(255, (left, top, left + 20, top + 15))
        image.save(tmp_path / f"{number}.png")
        name = f"{number}.png"
        seen.append((name, *Image.open(tmp_path / name).getbbox()))
        shift = 64 if number in (3, 11) else 0
        rows.append((name, left + shift, top, left + 20 + shift, top + 15))
    found = filter_divergent(boxes(*rows), boxes(*seen), threshold=0.99)
    assert found.removed["image"].to_pylist() == ["3.png", "11.png"]


@pytest.fixture
def vqa(data):
    folder = data / "toloka-vqa"
    if not folder.is_dir():
        pytest.skip("no toloka-vqa")
    return folder


def test_as_many_private_instances_diverge_as_the_paper_says(vqa):
    """Table 2 of the paper: 95.4 % of the crowd's boxes have an IoU above 50."""
    found = filter_divergent(vqa / "test_private.csv", vqa / "test_private_crowd_baseline.csv", threshold=0.5)
    assert found.kept.num_rows / 4_504 == pytest.approx(0.954, abs=0.0005)


def test_no_public_question_speaks_of_killing_animals(vqa):
    found = filter_words(vqa / "test_private.csv", ["kill", "shoot", "hunt", "weapon", "hit the animals"])
    assert found.kept.num_rows + found.removed.num_rows == 4_504
    assert "What is used to kill mosquito?" in found.removed["question"].to_pylist()
    assert not [text for text in found.kept["question"].to_pylist() if " kill " in text.lower()]


def test_what_another_data_set_has_goes_to_train(vqa):
    """The reproduction sample has the boxes of the training sample, with file names instead of addresses."""
    practice, public = (pacsv.read_csv(vqa / f"{name}.csv") for name in ("train_sample", "test_public"))
    shares, others = {"train": 1_800, "public": 905}, vqa / "reproduction_data_test.csv"
    found = split_table(pa.concat_tables([practice, public]), shares, others=others, by_name=True, seed=1)
    assert found.held == 1_000
    train, test = (set(part["image"].to_pylist()) for part in found.parts.values())
    assert set(practice["image"].to_pylist()) < train
    assert len(test) == 905
    with pytest.raises(DataError, match="1,000 of 2,705 overlap"):
        split_table(pa.concat_tables([practice, public]), {"train": 0.2, "test": 0.8}, others=others, by_name=True)


def test_the_commands_write_what_they_say(tmp_path):
    table, words, fresh = (tmp_path / name for name in ("table.csv", "words.txt", "fresh.csv"))
    table.write_text("image,left,top,right,bottom,question\n" + "".join(
        f"{n}.jpg,0,0,10,10,{'Who killed it?' if n == 4 else 'What is it?'}\n" for n in range(10)
    ))  # fmt: skip
    fresh.write_text("image,left,top,right,bottom\n" + "".join(f"{n}.jpg,0,0,10,{9 - n}\n" for n in range(8)))
    words.write_text("kill\n")
    kept, gone = tmp_path / "kept.csv", tmp_path / "gone.csv"

    def run(*given):
        return CliRunner().invoke(app, ["data", *map(str, given)])

    done = run("filter", table, "--words", words, "--out", kept, "--removed", gone)
    assert (done.exit_code, kept.read_text().count("\n")) == (0, 10), done.output
    assert "row 5: killed: Who killed it?" in done.output
    done = run("diverging", table, fresh, "--out", kept, "--removed", gone, "--unanswered", "drop")
    assert "kept 5 rows, removed 5 rows" in done.output
    assert gone.read_text().count("no answer") == 2
    done = run("split", table, "--out", tmp_path, "--part", "train=6", "--part", "test=4", "--others", fresh)
    assert done.exit_code == 2
    assert "8 of 10 overlap the other data set" in done.output
    done = run("split", table, "--out", tmp_path, "--part", "train=0.8", "--part", "test=0.2", "--others", fresh)
    assert done.exit_code == 0, done.output
    assert pacsv.read_csv(tmp_path / "test.csv").slice(0) == pacsv.read_csv(table).slice(8)
    again = run("split", table, "--out", tmp_path)
    assert again.exit_code == 2
    assert "is there already" in again.output


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="needs pipes of Unix")
def test_who_reads_only_the_first_lines_has_the_files_all_the_same(tmp_path):
    (tmp_path / "table.csv").write_text("question\nWho killed it?\nWhat is it?\n")
    (tmp_path / "words.txt").write_text("kill\n")
    reader, writer = os.pipe()
    os.close(reader)
    words = ["filter", "table.csv", "--words", "words.txt", "--out", "kept.csv", "--removed", "gone.csv"]
    subprocess.run([sys.executable, "-m", "sidewise.cli", "data", *words], cwd=tmp_path, stdout=writer, check=False)  # noqa: S603
    os.close(writer)
    assert pacsv.read_csv(tmp_path / "kept.csv").num_rows == 1
    assert pacsv.read_csv(tmp_path / "gone.csv").num_rows == 1


def test_parts_whose_files_would_be_one_are_refused(tmp_path):
    (tmp_path / "table.csv").write_text("n\n1\n2\n")
    words = ["--out", tmp_path, "--part", "test=0.5", "--part", "TEST=0.5"]
    done = CliRunner().invoke(app, ["data", "split", *map(str, [tmp_path / "table.csv", *words])])
    assert done.exit_code == 2
    assert "--part TEST stands more than once" in done.output


@pytest.mark.parametrize("part", ["train", "train=x", "../up=0.5"])
def test_a_part_that_is_none_is_refused(tmp_path, part):
    (tmp_path / "table.csv").write_text("n\n1\n2\n")
    done = CliRunner().invoke(
        app, ["data", "split", str(tmp_path / "table.csv"), "--out", str(tmp_path), "--part", part]
    )
    assert done.exit_code == 2
    assert "--part" in done.output


TYPED = "id,code,n,share,when,none,mixed\n" + "".join(
    f"i{n},{n:03},{n if n % 3 else ''},{n / 4},2024-01-0{n % 9 + 1},,{n or 'x'}\n" for n in range(20)
)


def test_parts_in_parquet_have_numbers_as_numbers(tmp_path):
    """Of all parts alike, and only what comes back as it was written: 007 is no number."""
    (tmp_path / "t.csv").write_text(TYPED)
    words = ["data", "split", str(tmp_path / "t.csv"), "--out", str(tmp_path), "--format", "parquet", "--seed", "3"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    parts = [pq.read_table(tmp_path / f"{name}.parquet") for name in ("train", "test")]
    kinds = {"id": "string", "code": "string", "n": "int64", "share": "double", "when": "string", "none": "string",
             "mixed": "string"}  # fmt: skip
    for part in parts:
        assert {field.name: str(field.type) for field in part.schema} == kinds
    rows = {row["id"]: row for part in parts for row in part.to_pylist()}
    assert rows["i7"] | {"when": ""} == {
        "id": "i7",
        "code": "007",
        "n": 7,
        "share": 1.75,
        "when": "",
        "none": "",
        "mixed": "7",
    }
    assert rows["i6"]["n"] is None
    pq.write_table(pa.table({"id": ["1", "2", "3"]}), tmp_path / "typed.parquet")
    again = [*words[:2], str(tmp_path / "typed.parquet"), *words[3:], "--part", "a=2", "--part", "b=1"]
    assert CliRunner().invoke(app, again).exit_code == 0
    assert str(pq.read_table(tmp_path / "a.parquet")["id"].type) == "string"


@given(st.lists(st.from_regex(r"\A[-+0-9.eE ]{0,22}\Z") | st.integers().map(str) | st.floats().map(repr), min_size=1))
def test_text_that_becomes_numbers_stands_for_the_same_ones(values):
    (table,) = with_numbers([pa.table({"x": values})])
    if pa.types.is_integer(table["x"].type):
        assert ["" if value is None else str(value) for value in table["x"].to_pylist()] == values
    elif pa.types.is_floating(table["x"].type):
        assert table["x"].to_pylist() == [float(value) if value else None for value in values]
    else:
        assert table["x"].to_pylist() == values


def test_what_is_kept_in_parquet_has_numbers_as_numbers(tmp_path):
    (tmp_path / "q.csv").write_text("question,n\nWho?,1\nKill?,2\n")
    (tmp_path / "w.txt").write_text("kill\n")
    words = ["data", "filter", str(tmp_path / "q.csv"), "--words", str(tmp_path / "w.txt"), "--out"]
    out = [str(tmp_path / "kept.parquet"), "--removed", str(tmp_path / "removed.parquet")]
    assert CliRunner().invoke(app, [*words, *out]).exit_code == 0
    assert pq.read_table(tmp_path / "kept.parquet").to_pylist() == [{"question": "Who?", "n": 1}]
    assert pq.read_table(tmp_path / "removed.parquet")["n"].to_pylist() == [2]
