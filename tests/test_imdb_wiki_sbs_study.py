"""The study of IMDB-WIKI-SbS: parts with and without data, groups, what must come out, the page and the command."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sidewise as sw
from sidewise.datasets.building.graphs import components
from sidewise.simulate import draw_sides
from sidewise.studies import Setting, datasets, find_study, imdb_wiki_sbs, imdb_wiki_sbs_groups
from sidewise.studies import imdb_wiki_sbs_faces as source
from sidewise.studies import imdb_wiki_sbs_groups_page as groups_page
from sidewise.studies import imdb_wiki_sbs_words as words
from sidewise.studies.contenders import OURS, rank_quietly
from sidewise.studies.parts import kept
from sidewise.studies.trials import Trial

QUICK = Setting(quick=True)
STUDY = imdb_wiki_sbs.STUDY
PICTURES = {"table-3", "answers", "causes", "spammers"}
DOCS = Path(__file__).parents[1] / "docs" / "studies" / "imdb-wiki-sbs"


@pytest.fixture
def no_data(tmp_path, monkeypatch):
    """A user who has none of the data."""
    monkeypatch.delenv("SIDEWISE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    datasets.load.cache_clear()


@pytest.fixture
def shared(data):
    assert datasets.folder() == data
    return source.faces(words.SHARED)


@pytest.fixture(scope="module")
def small():
    return source.faces(words.SMALL, 3)


# Parts


@pytest.mark.usefixtures("no_data")
def test_all_parts_run_without_data_and_say_that_nothing_is_real(tmp_path):
    told = []
    for name in STUDY.parts:
        done = STUDY.run_part(name, tmp_path / "out", Setting(quick=True, progress=lambda *some: told.append(some)))
        assert not done.skipped
    page = STUDY.write_page(tmp_path / "out", quick=True).read_text(encoding="utf-8")
    files = {"README.md", *(f"{name}.csv" for name in STUDY.parts), *(f"{name}.svg" for name in PICTURES)}
    assert {path.name for path in (tmp_path / "out").iterdir()} == files
    assert "**a small simulated set**" in page
    assert "over 2 draws of the comparisons" in " ".join(page.split())
    assert "`random`, over 5 orders" in page
    assert "each way over 5 orders" in page
    assert "ten photos of 488," in " ".join(page.split())
    assert "eleven years and 88 photos each" in " ".join(page.split())
    assert "= 10 / 70" not in page
    assert "48,627 of the 250,249 comparisons (`imdb" not in page
    assert told


def test_parts_run_on_what_is_shared_and_say_so(shared, tmp_path):
    assert len(shared.comparisons) == 48627
    assert source.data_at_hand() == words.SHARED
    for name in STUDY.chosen(["table-2", "graph", "strength"]):
        assert not STUDY.run_part(name, tmp_path, QUICK).skipped
    assert "**not the whole file**" in STUDY.write_page(tmp_path).read_text(encoding="utf-8")


def test_the_whole_file_comes_first(shared, monkeypatch):
    """Where the user has it; its rows are not here, so those of the part stand in for them."""
    monkeypatch.setattr(source, "load", lambda name: datasets.load(words.SHARED if name == words.FULL else name))
    assert source.data_at_hand() == words.FULL
    whole = source.faces.__wrapped__(words.FULL)
    assert whole.name == words.FULL
    assert whole.man.tolist() == shared.man.tolist()


def test_the_same_seed_gives_the_same_tables_in_any_number_of_processes():
    part = STUDY.parts["causes"].run
    once, twice, other = (part(Setting(quick=True, seed=seed, jobs=jobs)) for seed, jobs in ((5, 1), (5, 2), (6, 1)))
    assert once == twice
    assert once != other


# Groups


def test_ages_and_genders_are_those_of_the_published_tables(shared, data):
    with (data / "imdb-wiki-sbs" / "items_9150.csv").open(encoding="utf-8") as file:
        rows = {row["item"]: row for row in csv.DictReader(file)}
    items = list(shared.comparisons.items)
    assert shared.age.tolist() == [float(rows[item]["score"]) for item in items]
    assert shared.man.tolist() == [float(rows[item]["gender"]) == 1 for item in items]
    assert shared.man.sum() == 4575


def test_groups_of_eleven_years_are_equal_and_overlap_at_their_ends():
    photos = source.faces(words.SIMULATED)
    groups = [source.members(photos, source.age_group(first)) for first in source.DECADES]
    assert [int(some.sum()) for some in groups] == [1650] * 6
    assert np.sum(groups, axis=0).max() == 2
    assert sorted(set(photos.age[np.sum(groups, axis=0) == 2].tolist())) == [20, 30, 40, 50, 60]
    assert int(source.members(photos, f"{source.ANY_AGE}1").sum()) == 1650


def test_a_group_alone_has_the_comparisons_of_its_members_and_no_others(small):
    own = source.among(small, "20–30")
    inside = {item for item, age in small.truth.items() if 20 <= age <= 30}
    rows = small.comparisons.to_frame().to_pylist()
    expected = [row for row in rows if row["left"] in inside and row["right"] in inside]
    assert own.comparisons.to_frame().to_pylist() == expected
    assert set(own.comparisons.items) == inside
    assert own.truth == {item: small.truth[item] for item in own.comparisons.items}


def test_the_graph_is_counted_right(small):
    """Beside a search through the graph, item by item."""
    found = small.comparisons
    mask = small.age == 33
    seen = imdb_wiki_sbs_groups._left_inside(mask, found.left, found.right)
    neighbours = {place: set() for place in np.flatnonzero(mask).tolist()}
    for left, right in zip(found.left.tolist(), found.right.tolist(), strict=True):
        if mask[left] and mask[right]:
            neighbours[left].add(right)
            neighbours[right].add(left)
    parts = []
    while neighbours:
        part, edge = set(), [next(iter(neighbours))]
        while edge:
            place = edge.pop()
            part.add(place)
            edge += neighbours.pop(place, set()) & set(neighbours)
        parts.append(len(part))
    assert (seen["parts"], seen["alone"], seen["largest"]) == (len(parts), parts.count(1), max(parts) / 8)


def test_the_paper_s_design_holds_groups_of_eleven_years_together():
    rows = imdb_wiki_sbs_groups.graph(Setting())
    design = {row["kind"]: row for row in rows if row["data"] == words.DESIGN}
    assert design["eleven years"]["per_item"] == pytest.approx(2 * 250249 * (1650 / 9150) ** 2 / 1650, abs=0.2)
    assert design["eleven years"]["connected"] >= 5  # e^-9.8 · 1,650 = 0.09 photos of a group are expected alone
    assert design["one year"]["connected"] == 0


# What must come out


@pytest.mark.parametrize("k", [10, 100])
def test_the_gain_is_the_age(k):
    """The reversed truth has ten photos of 10 years on top, where the true order has ten of 70: .143."""
    age = source.faces(words.SIMULATED).age
    figures = imdb_wiki_sbs.measured(-age, age)
    assert figures[f"ndcg{k}"] == pytest.approx(10 / 70, abs=1e-12)
    assert (figures["accuracy"], figures["tau"]) == pytest.approx((0, -1))
    assert set(imdb_wiki_sbs.measured(age, age).values()) == {1.0}


def test_random_orders_have_the_ndcg_of_random_orders():
    """.579 and .571 in twenty orders of others; the mean age is 40, of 70."""
    found = source.faces(words.SIMULATED)
    random = imdb_wiki_sbs._baselines(found, source.EVERYBODY, 100, 0)[0]
    assert random["ndcg10"] == pytest.approx(40 / 70, abs=0.03)
    assert random["ndcg100"] == pytest.approx(40 / 70, abs=0.01)
    assert random["ndcg100_sd"] == pytest.approx(0.027, abs=0.006)


@pytest.mark.usefixtures("no_data")
def test_the_page_says_of_the_graph_what_its_table_says():
    """Of a graph as dense as the paper's, that groups hang together; of a fifth of it, that they fall apart."""
    rows = imdb_wiki_sbs_groups.graph(Setting())
    whole = groups_page.graph(rows).text
    assert "fall apart" not in whole
    assert "leaves 9.8 of them, and 5 of 6 such groups hang together, 99.99 % of the photos" in whole
    assert "In the paper's design, drawn anew, a photo keeps 9.8, and all 6 such groups hang together" in whole
    part = groups_page.graph(kept(DOCS / "graph.csv")).text
    assert "the graph does fall apart, into 269 parts, most of them one photo" in part
    assert "**With as many pairs as the paper has it does not**: a photo keeps 9.8, and all 6 such" in part


def test_the_page_says_how_near_the_simulated_answers_are():
    text = groups_page.answers(kept(DOCS / "answers.csv")).text
    assert "30 or more years apart, .890" in text
    assert "fewer of its answers are right in 7 of 7 rows, by .042 at most." in text
    assert "simulated crowd" not in groups_page.answers(imdb_wiki_sbs_groups.answers(QUICK)[:7]).text


@pytest.mark.usefixtures("no_data")
def test_the_page_speaks_of_real_ages_only_where_they_are():
    assert "of the real data" not in groups_page.ages(imdb_wiki_sbs_groups.ages(QUICK)).text
    assert "of the real data" in groups_page.ages(kept(DOCS / "ages.csv")).text


@pytest.mark.parametrize(
    ("strength", "tau"), [(0.0001, 0.5031), (0.01, 0.5044), (0.1, 0.5088), (0.5, 0.5130), (1, 0.5128), (3, 0.5079),
                          (10, 0.4972)],
)  # fmt: skip
def test_bradley_terry_has_the_tau_of_its_prior(shared, strength, tau):
    ranking = sw.bradley_terry(shared.comparisons, prior=sw.VirtualItem(strength), intervals="none", tol=1e-10)
    assert ranking.fit.gap < 1e-10
    assert imdb_wiki_sbs.measured(ranking.raw, shared.age)["tau"] == pytest.approx(tau, abs=1e-4)


def test_figures_are_those_of_the_measures(shared):
    """Pair accuracy and NDCG of one fit, counted out."""
    row = imdb_wiki_sbs.fit(imdb_wiki_sbs.Fit(words.SHARED, "bradley-terry", "40–50", ("40–50",), 0, 0))[0]
    some = (shared.age >= 40) & (shared.age <= 50)
    names = {item for item, chosen in zip(shared.comparisons.items, some.tolist(), strict=True) if chosen}
    rows = [one for one in shared.comparisons.to_frame().to_pylist() if {one["left"], one["right"]} <= names]
    assert row["comparisons"] == len(rows)
    won = [one["left"] if one["outcome"] == 1 else one["right"] for one in rows]
    lost = [one["right"] if one["outcome"] == 1 else one["left"] for one in rows]
    with pytest.warns(sw.errors.Disconnected):
        ranking = sw.bradley_terry(sw.Comparisons.from_arrays(winner=won, loser=lost), prior=sw.VirtualItem(1))
    score = dict.fromkeys(names, 0.0) | dict(zip(ranking.items, ranking.raw.tolist(), strict=True))
    values = np.array([score[name] for name in names])
    age = np.array([shared.truth[name] for name in names])
    older = age[:, None] > age
    assert row["accuracy"] == pytest.approx(np.mean((values[:, None] > values)[older]), abs=1e-3)
    top = age[np.argsort(-values)[:100]] / np.log2(np.arange(2, 102))
    best = np.sort(age)[::-1][:100] / np.log2(np.arange(2, 102))
    assert row["ndcg100"] == pytest.approx(top.sum() / best.sum(), abs=1e-3)


def test_what_nobody_compared_stands_in_the_middle():
    age = np.array([10.0, 20, 30])
    assert imdb_wiki_sbs.measured(np.array([1.0, np.nan, 3.0]), age)["tau"] == 1


@pytest.mark.usefixtures("shared")
def test_groups_are_hard_for_their_ages_and_not_for_their_graph():
    """As few comparisons in as many parts put photos of any age far better in order than those of eleven years."""
    asking = imdb_wiki_sbs_groups.Asking(words.SHARED, "40–50", words.WITHIN, None, simulate=False, seed=0, draw=0)
    narrow = imdb_wiki_sbs_groups.ranked(asking)[0]
    wide = imdb_wiki_sbs_groups.ranked(asking._replace(group=f"{source.ANY_AGE}4"))[0]
    every = imdb_wiki_sbs_groups.ranked(asking._replace(whom=words.ANYONE))[0]
    assert wide["comparisons_per_item"] == pytest.approx(narrow["comparisons_per_item"], rel=0.1)
    assert wide["accuracy"] > narrow["accuracy"] + 0.08
    assert wide["near"] < narrow["accuracy"] + 0.03
    assert abs(narrow["joined"] - narrow["accuracy"]) < 0.02
    assert narrow["accuracy"] < every["accuracy"] < 0.6
    assert narrow["right"] + 0.14 < every["right"]


def test_the_youngest_at_the_top_are_not_young(shared):
    """Below chance by NDCG, from the ranking of all: who leads the group looks old, and does not stand for its old."""
    score = rank_quietly(OURS, shared.comparisons).raw
    young = shared.age <= 20
    leaders = np.flatnonzero(young)[np.argsort(-score[young])[:10]]
    assert score[leaders].min() > np.quantile(score, 0.9)
    random = imdb_wiki_sbs_groups.random_ndcg(shared.age[young], 100, 0)
    assert imdb_wiki_sbs.measured(score[young], shared.age[young])["ndcg100"] < np.mean(random) - 2 * np.std(random)


@pytest.mark.parametrize("name", [words.SMALL, words.SHARED])
def test_models_that_know_workers_stand_up_to_spammers(name, request):
    if name == words.SHARED:
        request.getfixturevalue("data")
    trials = [Trial(name, "always-left", share, 0, ("bradley-terry", OURS)) for share in (0.0, 1.0)]
    found = [row for trial in trials for row in imdb_wiki_sbs.spammed(trial)]
    rows = {(row["share"], row["model"]): row["accuracy"] for row in found}
    assert rows[0.0, OURS] - rows[1.0, OURS] < 0.006
    assert rows[0.0, "bradley-terry"] - rows[1.0, "bradley-terry"] > 0.02


def test_the_simulated_set_has_the_design_of_the_paper():
    found = source.faces(words.SIMULATED, 1)
    answers = found.comparisons
    assert (len(found.age), len(answers), len(answers.workers)) == (9150, 250249, 4091)
    assert {(age, man) for age, man in zip(found.age.tolist(), found.man.tolist(), strict=True)} == {
        (age, man) for age in range(10, 71) for man in (False, True)
    }
    pairs = {frozenset(pair) for pair in zip(answers.left.tolist(), answers.right.tolist(), strict=True)}
    assert len(pairs) == 250249
    assert components(9150, answers.left, answers.right)[0] == 1
    assert answers.outcome.mean() == pytest.approx(0.5, abs=0.005)


def test_the_simulated_set_is_like_the_real_one(shared):
    """Right answers within six points at every difference of ages; Bradley-Terry's tau on as many of them."""
    rows = imdb_wiki_sbs_groups.answers(Setting())
    by_data = {name: [row["right"] for row in rows if row["data"] == name] for name in (words.SHARED, words.SIMULATED)}
    assert by_data[words.SIMULATED] == pytest.approx(by_data[words.SHARED], abs=0.06)
    whole = source.faces(words.SIMULATED)
    few = imdb_wiki_sbs_groups.thinned(whole, 2 * 48627 / 9150, 0)
    taus = [imdb_wiki_sbs.measured(rank_quietly("bradley-terry", each.comparisons).raw, each.age)["tau"]
            for each in (few, shared)]  # fmt: skip
    assert taus[0] == pytest.approx(taus[1], abs=0.03)


def test_comparisons_drawn_again_are_as_many_and_others(small):
    again = imdb_wiki_sbs.drawn_again(small, 1, 0).comparisons
    assert len(again) == len(small.comparisons)
    assert again.digest != small.comparisons.digest
    assert imdb_wiki_sbs.drawn_again(small, 0, 0).comparisons is small.comparisons


def test_lost_sides_are_drawn(shared):
    drawn = imdb_wiki_sbs.drawn_again(shared, 0, 7).comparisons
    assert drawn.digest == draw_sides(shared.comparisons, seed=7).digest


# The page and the command


def test_the_page_is_made_from_the_tables_beside_it():
    page = (DOCS / "README.md").read_text(encoding="utf-8")
    assert page.endswith(STUDY.markdown(DOCS))
    made = {"README.md", *(f"{name}.csv" for name in STUDY.parts), *(f"{name}.svg" for name in PICTURES)}
    assert {path.name for path in DOCS.iterdir()} == made  # and no data of others


def test_the_page_was_made_on_what_is_shared():
    for part in set(STUDY.parts) - {"simulated"}:
        assert kept(DOCS / f"{part}.csv")[0]["data"] == words.SHARED


def test_others_figures_are_those_of_their_files(data):
    with (data / "imdb-wiki-sbs" / "published_baselines_faceage.csv").open(encoding="utf-8") as file:
        found = {row["Method"]: (float(row["acc_mean"]), float(row["tau_mean"])) for row in csv.DictReader(file)}
    for ours, theirs in (("bradley-terry", "BT"), ("rank centrality", "RC"), ("crowd-bt", "CrowdBT"),
                         ("factor-bt", "FactorBT"), ("HBTL", "HBTL")):  # fmt: skip
        assert imdb_wiki_sbs.page.PUBLISHED[ours] == pytest.approx(found[theirs], abs=5.1e-5)


def test_one_part_can_be_run_from_the_command_line(tmp_path):
    words_ = ["reproduce", "imdb-wiki-sbs", "--only", "graph", "--quick", "--jobs", "1", "--out", "here"]
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "sidewise.cli", *words_], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "wrote here/imdb-wiki-sbs/graph.csv" in done.stderr
    assert "is it the graph?" in done.stdout
    assert find_study("imdb-wiki-sbs") is STUDY
