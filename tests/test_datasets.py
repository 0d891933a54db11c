"""The registry, what is read as it says, where data sets lie, and manifests of files."""

import hashlib
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidewise import datasets
from sidewise.datasets import hash_files, read_manifest, same_files, verify_manifest, write_manifest
from sidewise.datasets.manifests import manifest_lines
from sidewise.datasets.registry import OWN, parse_registry
from sidewise.errors import Absent, DataError, WrongChecksum

NAMES = [
    "imdb-wiki-sbs", "imdb-wiki-sbs-48627", "reading-difficulty", "reading-difficulty-11763", "toloka-vqa",
    "trec-dl-2021", "convincing-arguments", "image-quality", "video-quality", "light-field", "llmfao",
]  # fmt: skip
ABOUT = """
[toys]
title = "Toys"
about = "which toy?"
paper = "none"
licence = "CC0"
citation = "none"
rows = 3
folder = "toys"
"""
ONE_FILE = '[toys.files."toys.csv"]\n'


def parse(parts, files=ONE_FILE):
    return parse_registry(f"{ABOUT}{parts}\n{files}".encode(), "toys.toml")["toys"]


# The registry


def test_the_registry_describes_every_data_set():
    assert list(datasets.registry()) == NAMES
    for entry in datasets.registry().values():
        assert entry.title
        assert entry.paper
        assert entry.licence
        assert entry.citation
        assert all(page.startswith("http") for page in entry.pages)
        assert [file.name for file in entry.files.values() if file.sha256 is None] == (
            ["train.csv"] if entry.name == "toloka-vqa" else []
        )
        assert entry.offered or "bring your own" in entry.note
        assert all(address.startswith("https://") for file in entry.files.values() for address in file.addresses)


def test_the_registry_comes_with_the_package():
    assert OWN.is_file()
    told = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert '"datasets/*.toml"' in told


def test_a_name_that_is_not_known_is_answered_with_one_that_is():
    with pytest.raises(DataError, match="did you mean imdb-wiki-sbs"):
        datasets.find("imdb-wiki-sb")


WINNERS = 'comparisons = { file = "toys.csv", winner = "w", loser = "l" }'


@pytest.mark.parametrize(
    ("parts", "files", "said"),
    [
        ("", ONE_FILE, "how to parse nothing"),
        (WINNERS + '\npreferences = { file = "toys.csv" }', ONE_FILE, "comparisons and preferences"),
        (WINNERS + "\ncolour = 1", ONE_FILE, "'colour' means nothing here"),
        (WINNERS, '[toys.files."toys.csv"]\nsha256 = "12"', "64 of the figures"),
        (WINNERS, '[toys.files."toys.csv"]\nbytes = -1', "it is a count"),
        (WINNERS, '[toys.files."toys.csv"]\naddresses = ["ftp://x/y"]', "no address"),
        (WINNERS, '[toys.files."toys.csv"]\naddresses = "https://x"', "list of texts"),
        (WINNERS, '[toys.files."../toys.csv"]', "leads out of its folder"),
        (WINNERS, '[toys.files."/etc/passwd"]', "leads out of its folder"),
        (WINNERS, '[toys.files."other.csv"]', "toys.csv is to be parsed, but is not among its files"),
        ('comparisons = { winner = "w" }', ONE_FILE, "which file to parse"),
        ("boxes = { test = 3 }", ONE_FILE, "a file for each split"),
        (
            WINNERS + '\nimages = { manifest = "toys.csv", folder = "i", addresses = ["https://x/y"] }',
            ONE_FILE,
            "{name}",
        ),
        (WINNERS + '\nimages = { manifest = "toys.csv" }', ONE_FILE, "folder is missing"),
    ],
)
def test_a_registry_that_is_not_whole_is_refused(parts, files, said):
    with pytest.raises(DataError, match=said.replace("{", r"\{")) as refused:
        parse(parts, files)
    assert str(refused.value).startswith("toys.toml: toys")


@pytest.mark.parametrize("text", [b"title =", b"\xff", b"toys = 3", b"[Toys]"])
def test_what_is_no_registry_is_refused(text):
    with pytest.raises(DataError, match="toys.toml"):
        parse_registry(text, "toys.toml")


def test_what_is_missing_and_what_is_no_text_is_named():
    with pytest.raises(DataError, match="toys: about is missing"):
        parse_registry(b"[toys]\ntitle = 'x'", "toys.toml")
    with pytest.raises(DataError, match="title is 3; it is a text"):
        parse_registry((ABOUT.replace('"Toys"', "3") + WINNERS + "\n" + ONE_FILE).encode(), "toys.toml")


def test_a_registry_of_ones_own_is_joined(tmp_path, monkeypatch):
    (tmp_path / "mine.toml").write_text(f"{ABOUT}{WINNERS}\n{ONE_FILE}", encoding="utf-8")
    monkeypatch.setenv("SIDEWISE_REGISTRY", str(tmp_path / "mine.toml"))
    assert list(datasets.registry()) == [*NAMES, "toys"]
    monkeypatch.setenv("SIDEWISE_REGISTRY", str(tmp_path / "none.toml"))
    with pytest.raises(DataError, match="SIDEWISE_REGISTRY names"):
        datasets.registry()


# Places


def test_the_folder_is_the_named_one_or_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SIDEWISE_DATA", str(tmp_path))
    assert datasets.data_folder() == tmp_path
    monkeypatch.delenv("SIDEWISE_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert datasets.data_folder() == tmp_path / "cache" / "sidewise" / "data"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # which the specification says to ignore
    assert datasets.data_folder() == Path.home() / ".cache" / "sidewise" / "data"


# Parsing


@pytest.fixture
def toys(tmp_path, monkeypatch):
    """Makes the data set of some files known, and puts these into place."""

    def make(parts, **texts):
        listed = "\n".join(f'[toys.files."{name}.csv"]' for name in texts)
        (tmp_path / "mine.toml").write_text(f"{ABOUT}{parts}\n{listed}", encoding="utf-8")
        monkeypatch.setenv("SIDEWISE_REGISTRY", str(tmp_path / "mine.toml"))
        (tmp_path / "toys").mkdir(exist_ok=True)
        for name, text in texts.items():
            (tmp_path / "toys" / f"{name}.csv").write_text(text, encoding="utf-8")
        return datasets.load("toys", folder=tmp_path)

    return make


def test_columns_may_be_joined_and_a_group_taken_from_them(toys):
    data = toys(
        'comparisons = { file = "a.csv", left = ["scene", "x"], right = ["scene", "y"], winner = "chosen", '
        'worker = "who", outcomes = { 1 = 1, 2 = 0 }, group = "scene" }',
        a="scene,x,y,chosen,who\ncar,01,2,1,ann\nbike,01,2,2,bob\n",
    )
    assert set(data.comparisons.items) == {"car|01", "car|2", "bike|01", "bike|2"}
    assert data.comparisons.outcome.tolist() == [1.0, 0.0]
    assert data.groups == {"car|01": "car", "bike|01": "bike", "car|2": "car", "bike|2": "bike"}
    assert data.truth is None


def test_files_without_a_header_truth_and_groups_of_their_own(toys):
    data = toys(
        'comparisons = { file = "a.csv", columns = ["who", "w", "l"], delimiter = " ", winner = "w", loser = "l", '
        'worker = "who", on_bad = "skip" }\n'
        'truth = { file = "b.csv", item = "toy", score = "rank", lower_is_better = true }\n'
        'groups = { file = "b.csv", item = "toy", group = "kind" }',
        a="1 car ball\n2 ball ball\n3 ball car\n",
        b="toy,rank,kind\ncar,1,hard\nball,2.5,soft\n",
    )
    assert len(data.comparisons) == 2
    assert data.truth == {"car": -1.0, "ball": -2.5}
    assert data.groups == {"car": "hard", "ball": "soft"}
    assert repr(data).startswith("DataSet(toys, 3 comparisons")


def test_files_that_are_not_as_the_registry_says_are_refused(toys):
    parts = WINNERS.replace("toys.csv", "a.csv") + '\ntruth = { file = "b.csv", item = "toy", score = "rank" }'
    data = toys(parts, a="w,l\ncar,ball\n", b="toy,rank\ncar,old\n")
    with pytest.raises(DataError, match="b.csv cannot be parsed as its registry says"):
        _ = data.truth
    data = toys(parts.replace('"rank"', '"age"'), a="w,l\ncar,ball\n", b="toy,rank\ncar,1\n")
    with pytest.raises(DataError, match="age"):
        _ = data.truth
    data = toys(WINNERS.replace("toys.csv", "a.csv").replace("winner", "victor"), a="w,l\ncar,ball\n")
    with pytest.raises(DataError, match="'victor' says nothing"):
        _ = data.comparisons


# Real data


@pytest.mark.parametrize("name", NAMES)
def test_real_data_are_those_that_were_published(data, name):
    checks = datasets.verify(name, folder=data)
    absent = {"imdb-wiki-sbs": ["crowd_labels.csv"]}.get(name, [])
    assert [check.file for check in checks if not check.good] == absent
    if absent:
        with pytest.raises(Absent, match="get it with: sidewise data get imdb-wiki-sbs"):
            datasets.load(name, folder=data)
        return
    loaded = datasets.load(name, folder=data)
    held = getattr(loaded, loaded.entry.holds)
    if loaded.entry.holds == "boxes":
        assert {split: len(boxes) for split, boxes in held.items()} == {
            "train_sample": 1000, "test_public": 1705, "test_private": 4504}  # fmt: skip
        assert loaded.crowd.keys() == held.keys()
        with pytest.raises(DataError, match="toloka-vqa holds boxes, and no comparisons"):
            _ = loaded.comparisons
    else:
        assert len(held) == loaded.entry.rows - (2 if name == "reading-difficulty" else 0)


def test_real_truth_and_groups(data):
    faces = datasets.load("imdb-wiki-sbs-48627", folder=data)
    assert (len(faces.truth), faces.truth["0"], faces.groups) == (9150, 10.0, None)
    arguments = datasets.load("convincing-arguments", folder=data)
    assert len(set(arguments.groups.values())) == 32
    assert set(arguments.comparisons.items) == set(arguments.groups)
    images = datasets.load("image-quality", folder=data)
    assert images.truth is None
    assert len(set(images.groups.values())) == 15
    assert len(datasets.load("trec-dl-2021", folder=data).qrels) == 50


def test_real_data_are_copied_and_a_changed_one_is_refused(data, tmp_path):
    for _ in range(2):
        datasets.get("llmfao", source=data, folder=tmp_path)
    assert datasets.load("llmfao", folder=tmp_path).comparisons.digest == (
        datasets.load("llmfao", folder=data).comparisons.digest
    )
    path = tmp_path / "llmfao" / "llmfao.csv"
    path.write_bytes(path.read_bytes().replace(b"tie", b"Tie", 1))
    with pytest.raises(WrongChecksum, match="has SHA-256 .* get it anew"):
        datasets.load("llmfao", folder=tmp_path)
    assert datasets.load("llmfao", folder=tmp_path, check=False).name == "llmfao"


def test_the_full_file_of_faces_is_read_in_its_published_form(data, tmp_path):
    """The file itself is not here: one of the same columns is made of the true ages."""
    place = tmp_path / "imdb-wiki-sbs"
    place.mkdir()
    shutil.copy(data / "imdb-wiki-sbs" / "gt.csv", place)
    items = [line.split(",")[0] for line in (place / "gt.csv").read_text().splitlines()[1:4]]
    rows = [f"{items[0]},{items[1]},{items[1]},7", f"{items[2]},{items[0]},{items[2]},9"]
    (place / "crowd_labels.csv").write_text("left,right,label,performer\n" + "\n".join(rows) + "\n")
    faces = datasets.load("imdb-wiki-sbs", folder=tmp_path, check=False)
    assert faces.comparisons.outcome.tolist() == [0.0, 1.0]
    assert list(faces.comparisons.workers) == ["7", "9"]
    assert set(faces.comparisons.items) <= set(faces.truth)


def test_the_manifest_of_real_images_is_read_and_written_byte_for_byte(data, tmp_path):
    path = data / "toloka-vqa" / "images.sha256"
    digests = read_manifest(path)
    assert len(digests) == 45_199
    write_manifest(digests, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


# Manifests


@pytest.fixture
def folder(tmp_path):
    for name, body in {"a.txt": b"a", "deep/er/b.bin": bytes(3_000_000), "odd\\name\n": b"c", "ü.txt": b""}.items():
        path = tmp_path / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    return tmp_path / "files"


def test_manifests_are_those_of_sha256sum(folder, tmp_path):
    digests = hash_files([folder])
    assert list(digests) == ["a.txt", "deep/er/b.bin", "odd\\name\n", "ü.txt"]
    assert digests["a.txt"] == hashlib.sha256(b"a").hexdigest()
    write_manifest(digests, tmp_path / "list")
    assert read_manifest(tmp_path / "list") == digests
    if program := shutil.which("sha256sum"):
        done = subprocess.run([program, "--check", "--strict", tmp_path / "list"], cwd=folder, check=False)  # noqa: S603
        assert done.returncode == 0
        for style in ("--text", "--binary", "--tag"):
            written = subprocess.run([program, style, *digests], cwd=folder, capture_output=True, check=True)  # noqa: S603
            (tmp_path / "theirs").write_bytes(written.stdout)
            assert read_manifest(tmp_path / "theirs") == digests


def test_what_is_wrong_missing_or_unlisted_is_named(folder):
    write_manifest(hash_files([folder]), folder / "list")
    assert verify_manifest(folder / "list", folder)
    (folder / "a.txt").write_bytes(b"b")
    (folder / "ü.txt").unlink()
    (folder / "new").touch()
    found = verify_manifest(folder / "list", folder)
    assert (found.wrong, found.missing, found.unlisted) == (["a.txt"], ["ü.txt"], ["new"])
    assert not found
    assert str(found) == "2 good, 1 wrong, 1 missing, 1 not in the manifest"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("12 *a", "not a SHA-256"),
        (f"{'0' * 64} *../a", "leads out"),
        (f"{'0' * 64} */etc/passwd", "leads out"),
        (f"{'0' * 64} *a\n{'1' * 64} *a", "line 2: a has another SHA-256"),
        ("", "names no file"),
        ("# nothing but a comment\n\n", "names no file"),
        ("image,left\n", "not a SHA-256"),
    ],
)
def test_a_manifest_that_is_none_is_refused(tmp_path, text, said):
    (tmp_path / "list").write_text(text)
    with pytest.raises(DataError, match=said):
        read_manifest(tmp_path / "list")


def test_comments_are_passed_over_as_sha256sum_does(folder, tmp_path):
    write_manifest(hash_files([folder]), tmp_path / "list")
    (tmp_path / "list").write_text("# made by hand\n" + (tmp_path / "list").read_text())
    assert verify_manifest(tmp_path / "list", folder)
    with pytest.raises(DataError, match="there is no manifest"):
        read_manifest(tmp_path / "nothing")


def test_links_that_lead_nowhere_are_not_left_out_in_silence(folder):
    digests = hash_files([folder])
    (folder / "lost.jpg").symlink_to("nowhere.jpg")
    with pytest.raises(DataError, match=r"lost.jpg is a link that leads nowhere"):
        hash_files([folder])
    assert verify_manifest(digests, folder)
    assert verify_manifest(digests | {"lost.jpg": "0" * 64}, folder).missing == ["lost.jpg"]


def test_one_image_under_two_names_is_found(folder, data):
    (folder / "copy of a.txt").write_bytes((folder / "a.txt").read_bytes())
    assert ("a.txt", "copy of a.txt") in same_files(hash_files([folder]))
    digests = read_manifest(data / "toloka-vqa" / "images.sha256")
    assert len(digests) == 45_199
    assert len(same_files(digests)) == 5
    assert ("000000060032.jpg", "000000510577.jpg") in same_files(digests)  # the first is a private test image


def test_files_elsewhere_and_files_that_are_not_there_are_refused(folder, tmp_path):
    with pytest.raises(DataError, match="--below"):
        hash_files([folder / "a.txt"], below=tmp_path / "other")
    with pytest.raises(DataError, match="there is no file or folder"):
        hash_files([folder / "none"])
    assert list(hash_files([folder / "a.txt"], below=tmp_path)) == ["files/a.txt"]


NAME = st.text(st.characters(exclude_characters="/\0:", codec="utf-8"), min_size=1)


@given(st.dictionaries(NAME, st.binary(), min_size=1, max_size=5))
def test_every_name_survives_a_manifest(names):
    digests = {f"x{name}": hashlib.sha256(body).hexdigest() for name, body in names.items()}
    with TemporaryDirectory() as folder:
        write_manifest(digests, Path(folder) / "list")
        assert read_manifest(Path(folder) / "list") == digests
    assert len(list(manifest_lines(digests))) == len(digests)
