"""The study of preference judgments: parts, page and command; what must come out; a LETOR folder of the user's."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import sidewise as sw
from sidewise.learn import Features, folds, write_folds
from sidewise.preferences import Qrels, closure, write_preferences
from sidewise.simulate.search import search_collection
from sidewise.studies import Setting, datasets, find_study, pj_collections, pj_trec
from sidewise.studies import preference_judgments as study
from sidewise.studies.parts import kept
from sidewise.studies.pj_published import BINARY_SVM, COLUMNS, METHODS, RANDOM, RANK_SVM, TABLE_1

QUICK = Setting(quick=True)
STUDY = find_study("preference-judgments")


def found(rows, **where):
    return next(row for row in rows if all(row[name] == value for name, value in where.items()))


def plain_table(ranked, order):
    """Table 1's columns for one query, pair by pair, as section 4 of the paper has them."""
    rank = {document: place for place, document in enumerate(ranked, 1)}
    far = len(order.documents) + 1
    pairs = [(rank.get(order.documents[a], far), rank.get(order.documents[b], far))
             for a, b in zip(order.pairs.better, order.pairs.worse, strict=True)]  # fmt: skip

    def at(k):
        ordered = [(a, b) for a, b in pairs if min(a, b) <= k]
        return sum(a < b for a, b in ordered), len(ordered)

    last = len(ranked)
    figures = {}
    for name, k in (("10", 10), ("25", 25), ("max", last)):
        right, ordered = at(k)
        figures |= {f"ppref@{name}": right / ordered, f"rpref@{name}": right / len(pairs)}
    counts = [at(k) for k in range(last + 1)]
    rises = [right / ordered for (before, _), (right, ordered) in pairwise(counts) if right > before]
    return figures | {"APpref": np.mean(rises)}


# The paper's figures, and the collection


def test_the_printed_table_is_as_in_the_paper():
    assert TABLE_1[RANK_SVM]["APpref"] == 0.6039
    assert TABLE_1[BINARY_SVM]["rpref@25"] == 0.4072
    assert TABLE_1[RANDOM]["ppref@10"] == 0.4835
    assert {tuple(row) for row in TABLE_1.values()} == {tuple(COLUMNS)}


def test_a_simulated_collection_goes_through_files_unharmed():
    made = search_collection(**pj_collections.SMALL, seed=4)
    collection = pj_collections.simulated_collection(4, quick=True)
    table = collection.features
    rows = [table.row_of[key] for key in zip(made.queries, made.documents, strict=True)]
    np.testing.assert_array_equal(table.values[rows], made.values)
    assert collection.preferences == closure(made.preferences)
    assert collection.folds == folds(map(str, range(1, 11)))


def test_the_columns_are_those_of_the_paper():
    collection = pj_collections.simulated_collection(1, quick=True)
    run = pj_collections.random_run(collection.features, seed=1)
    expected = [plain_table(run[order.query], order) for order in collection.preferences]
    means = pj_collections.means_of(run, collection.preferences)
    for name in COLUMNS:
        assert means[name] == pytest.approx(np.mean([some[name] for some in expected]))


def test_every_query_is_ranked_once_by_every_method():
    collection = pj_collections.simulated_collection(2, quick=True)
    runs = pj_collections.runs_of(collection, seed=2, grid=(0.01,))
    assert tuple(runs) == METHODS
    for run in runs.values():
        assert {query: sorted(some) for query, some in run.items()} == {
            order.query: sorted(order.documents) for order in collection.preferences
        }


# What must come out


def test_preferences_are_worth_more_than_marks_of_bad_documents():
    """One collection of the paper's shape, where the lead is larger than what chance does to it."""
    collection = pj_collections.simulated_collection(0, signal=0.9)
    runs = pj_collections.runs_of(collection, seed=0, grid=(1e-3,))
    figures = {method: pj_collections.means_of(run, collection.preferences) for method, run in runs.items()}
    assert figures[RANK_SVM]["APpref"] > figures[BINARY_SVM]["APpref"] > 0.8
    assert figures[RANDOM]["ppref@max"] == pytest.approx(0.5, abs=0.03)


def test_what_is_said_of_the_paper_holds():
    rows = study.bounds(Setting(seed=3))
    usual = [row for row in rows if row["bad"] == study.page.USUAL_SHARE]
    assert found(usual, order=study.page.WORST, figure="ppref@max")["value"] == 0
    assert found(usual, order=study.page.BEST, figure="APpref")["value"] == 1
    for row in usual:
        if row["figure"].startswith("rpref"):
            ppref = found(usual, order=row["order"], figure=row["figure"].replace("rpref", "ppref"))
            assert row["value"] <= ppref["value"]
    chance = [row for row in rows if row["order"] == study.page.RANDOM_ORDER]
    by_share = {name: [row["value"] for row in chance if row["figure"] == name] for name in COLUMNS}
    assert by_share["ppref@max"] == pytest.approx([0.5] * len(study.page.SHARES), abs=0.015)
    assert by_share["ppref@10"][-1] < by_share["ppref@10"][0] - 0.03
    assert by_share["APpref"][-1] > by_share["APpref"][0] + 0.005
    fifth = {name: found(usual, order=study.page.FOUR_FIFTHS, figure=name)["value"] for name in COLUMNS}
    assert fifth["rpref@max"] == pytest.approx(TABLE_1[RANDOM]["rpref@max"], abs=0.01)
    assert fifth["ppref@max"] == pytest.approx(TABLE_1[RANDOM]["ppref@max"], abs=0.01)


@pytest.mark.usefixtures("data")
def test_the_best_passages_of_trec_are_found():
    rows = pj_trec.trec_dl_2021(QUICK)
    assert len(rows) == 5 * len(pj_trec.QUICK_MODELS)
    ranked = [row for row in rows if row["model"] == "bradley-terry"]
    chance = [row for row in rows if row["model"] == pj_trec.CHANCE]
    assert np.mean([row["accuracy"] for row in ranked]) > 0.95
    assert np.mean([row["accuracy"] for row in chance]) == pytest.approx(0.5, abs=0.15)
    assert all(row["tangled"] >= row["tangled_by_majority"] for row in rows)
    assert all(row["judgments"] >= row["pairs"] for row in rows)


def test_equal_scores_share_the_places():
    against = pj_trec._against("q", sw.Index("abcd"), np.zeros(4), Qrels({"q": {"a": 1.0}}), 0)
    assert against["first"] == pytest.approx(0.25, abs=0.2)
    assert against["reciprocal_rank"] == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, abs=0.15)


# Parts, page and command


def test_parts_without_data_run_anywhere_and_the_others_are_skipped(tmp_path, monkeypatch):
    monkeypatch.delenv("SIDEWISE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    pj_trec.judged.cache_clear()
    datasets.load.cache_clear()
    told = []
    skipped = {}
    for name in STUDY.parts:
        done = STUDY.run_part(name, tmp_path, Setting(quick=True, progress=lambda *some: told.append(some)))
        skipped[name] = done.skipped
    assert "SIDEWISE_DATA names no folder" in skipped.pop("trec-dl-2021")
    assert "--letor FOLDER --preferences FILE" in skipped.pop("letor")
    assert not any(skipped.values())
    assert told
    page = STUDY.write_page(tmp_path, quick=True).read_text(encoding="utf-8")
    assert "**A quick run**" in page
    assert "A quick run" not in STUDY.write_page(tmp_path).read_text(encoding="utf-8")
    assert "| RankSVM, *the paper* | .5997 |" in page
    assert "TREC DL 2021" not in page
    assert {path.name for path in tmp_path.iterdir()} == {
        "README.md", "table-1.csv", "figure-3.svg", "bounds.csv", "signals.csv", "signals.svg",
    }  # fmt: skip


def test_the_same_seed_gives_the_same_rows():
    one, same, other = (study.signals(Setting(quick=True, seed=seed)) for seed in (5, 5, 6))
    assert one == same
    assert one != other


@pytest.mark.usefixtures("data")
def test_the_part_with_data_makes_its_section(tmp_path):
    pj_trec.judged.cache_clear()
    assert not STUDY.run_part("trec-dl-2021", tmp_path, QUICK).skipped
    section = STUDY.markdown(tmp_path)
    assert "In 5 of 5 queries the judgments contradict each other" in section
    assert "| 23287 | 26 | 160 | 124 |" in section


def test_the_page_is_made_from_the_tables_beside_it():
    folder = Path(__file__).parents[1] / "docs" / "studies" / "preference-judgments"
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert page.endswith(STUDY.markdown(folder))
    rows = kept(folder / "table-1.csv")
    assert found(rows, method=RANK_SVM, figure="APpref")["paper"] == 0.6039
    assert found(rows, method=RANK_SVM, figure="APpref")["over_binary"] > 0


@pytest.fixture
def letor(tmp_path):
    """A folder as a user of LETOR has it: more documents than were judged, one judged document and query too many."""
    made = search_collection(10, documents=12, features=6, signal=0.9, seed=2)
    rng = np.random.default_rng(0)
    extra = Features.from_arrays(
        [*made.queries, *map(str, range(1, 11))], [*made.documents, *["unjudged"] * 10],
        np.vstack([made.values, rng.random((10, 6))]), np.zeros(130),
    )  # fmt: skip
    write_folds(extra, folds(map(str, range(1, 11))), tmp_path / "letor")
    path = tmp_path / "preferences.txt"
    write_preferences(made.preferences, path)
    path.write_text(path.read_text() + "1 nowhere NA -2\n99 a b -1\n")
    return tmp_path


def command(*words, cwd):
    done = [sys.executable, "-m", "sidewise.cli", "reproduce", *words]
    return subprocess.run(done, cwd=cwd, capture_output=True, text=True, check=False)  # noqa: S603


def test_a_letor_folder_is_compared_from_the_command_line(letor):
    words = ("preference-judgments", "--only", "letor", "--quick", "--out", "here")
    done = command(*words, "--letor", "letor", "--preferences", "preferences.txt", cwd=letor)
    assert done.returncode == 0, done.stderr
    assert "10 queries, 121 judged documents with 6 features" in done.stdout
    assert "Judged documents that have no features, which count as not retrieved: 1." in done.stdout
    assert "Judged queries that have no features, left out: 1." in done.stdout
    rows = kept(letor / "here" / "preference-judgments" / "letor.csv")
    assert found(rows, method=RANK_SVM, figure="APpref")["value"] > 0.8
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)
    assert (letor / "here" / "preference-judgments" / "letor.svg").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("preference-judgments", "--letor", "letor"), "--letor and --preferences go together"),
        (("coverage", "--letor", "letor", "--preferences", "preferences.txt"), "go with preference-judgments"),
        (
            ("preference-judgments", "--letor", ".", "--preferences", "preferences.txt", "--out", "here"),
            "no folders Fold1",
        ),
    ],
)
def test_options_that_do_not_fit_are_explained(letor, words, said):
    done = command(*words, cwd=letor)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert not (letor / "here").exists()  # told before the work


def test_judgments_of_other_queries_are_refused(letor):
    (letor / "other.txt").write_text("99 a b -1\n")
    with pytest.raises(sw.SidewiseError, match="have no query in common"):
        pj_collections.read_collection(letor / "letor", letor / "other.txt")


def test_the_study_is_listed(tmp_path):
    assert "preference-judgments does learning from preferences pay?" in command("list", cwd=tmp_path).stdout
