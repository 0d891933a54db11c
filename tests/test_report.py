"""The report: one page, no network, every part with a caption, nothing of the data taken for HTML."""

import re
import warnings
from html.parser import HTMLParser

import numpy as np
import pytest
from tests.making import random_comparisons

import sidewise as sw
from sidewise.errors import Disconnected, MissingExtra
from sidewise.extras import need
from sidewise.report import write_report
from sidewise.report.crowd import MEANINGS
from sidewise.report.health import opponents, repeats, side_bias
from sidewise.report.page import in_words, render
from sidewise.report.plots import histogram, whole_edges, whole_ticks, win_map
from sidewise.report.worker_plot import MOST_DOTS, worker_picture


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    answers = random_comparisons(12, 900, ties=0.1, workers=20, side=1.0)
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(path, sw.bradley_terry(answers, covariates=["side"]), answers, title="Ducks & <geese>")
    return path.read_text(encoding="utf-8")


def test_it_needs_no_network(page):
    loaded = re.findall(r"""(?:src|href)=["']?([^"'> ]+)|url\(([^)]+)\)|@import""", page)
    assert not [link for pair in loaded for link in pair if link and not link.startswith("#")]
    assert "http" not in re.sub(r'xmlns(:xlink)?="[^"]+"', "", page)


def test_every_part_is_there_with_a_caption(page):
    for title in (
        "Leaderboard",
        "Scores and intervals",
        "Who would win",
        "The comparisons",
        "Left or right",
        "How it was made",
    ):
        assert f"<h2>{title}</h2>" in page
    assert page.count("How to read it") >= 5
    assert page.count("<svg") == 5


def test_it_says_what_was_found(page):
    assert "Ducks &amp; &lt;geese&gt;" in page
    assert "12 items, 900 comparisons by 20 workers" in page
    assert "The left side is favoured" in page
    assert "from the curvature of the likelihood averaged over the posterior" in page


def test_it_is_well_formed(page):
    class Parser(HTMLParser):
        open_tags: list = []  # noqa: RUF012

        def handle_starttag(self, tag, _):
            if tag not in ("meta", "br", "img", "link", "path", "rect", "line"):
                self.open_tags.append(tag)

        def handle_endtag(self, tag):
            if tag not in ("path", "rect", "line"):
                assert self.open_tags.pop() == tag

    parser = Parser()
    parser.feed(page)
    assert parser.open_tags == []


def test_names_of_items_are_never_taken_for_html(tmp_path):
    evil = "<img src=x onerror=alert(1)>"
    answers = sw.Comparisons.from_arrays(winner=[evil, "b", "b"], loser=["b", evil, "c"])
    write_report(tmp_path / "r.html", sw.bradley_terry(answers), answers)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<img" not in page
    assert "&lt;img" in page


@pytest.mark.parametrize("model", ["win-rate", "page-rank", "random-order"])
def test_models_that_know_less_say_less(tmp_path, model):
    answers = random_comparisons(5, 60)
    write_report(tmp_path / "r.html", sw.rank(answers, model), answers)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Who would win" not in page
    assert ("The interval holds the true score" in page) == (model == "win-rate")


def test_a_graph_that_falls_apart_is_an_alarm(tmp_path):
    answers = sw.Comparisons.from_arrays(winner=["a", "c"], loser=["b", "d"], items=["a", "b", "c", "d", "e"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Disconnected)
        ranking = sw.bradley_terry(answers)
    write_report(tmp_path / "r.html", ranking, answers)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "The comparison graph falls into 2 parts" in page
    assert "do not say what was shown on which side" in page


def test_many_items_make_a_page_that_can_still_be_opened(tmp_path):
    answers = random_comparisons(1500, 20_000)
    write_report(tmp_path / "r.html", sw.bradley_terry(answers), answers)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "1,000 more items are not shown" in page
    assert len(page) < 2_000_000


def test_pair_counts_make_a_report_too(tmp_path):
    counts = random_comparisons(6, 100, ties=0.3).counts()
    write_report(tmp_path / "r.html", sw.bradley_terry(counts), counts)
    assert "100 comparisons" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_side_bias_opponents_and_repeats_are_counted():
    answers = sw.Comparisons.from_arrays(
        left=["a"] * 12 + ["b"],
        right=["b"] * 12 + ["c"],
        winner=["left"] * 9 + ["right"] * 3 + ["tie"],
        worker=["w"] * 13,
    )
    bias = side_bias(answers, 0.95)
    assert (bias.share, bias.decided) == (0.75, 12)
    assert bias.by_worker == pytest.approx([0.75])
    assert bias.verdict() == "No favoured side can be seen in the whole."
    assert opponents(answers.counts()).tolist() == [1, 2, 1]
    assert repeats(answers.counts()).tolist() == [12, 1]


def test_advice_about_sides_is_given_until_it_is_taken():
    answers = random_comparisons(12, 900, side=1.0)
    bias = side_bias(answers, 0.95)
    assert "favoured: fit its effect (bradley-terry with --covariate side)" in bias.verdict()
    effects = sw.bradley_terry(answers, covariates=["side"]).effects.to_pylist()
    assert "--covariate" not in bias.verdict(effects)
    assert f"the effect of the left side is fitted, {effects[0]['estimate']:.2f} (" in bias.verdict(effects)


def rendered(ranking, answers):
    return render(ranking, answers, title="Ranking")


def test_settings_are_words(page):
    assert '<th scope="row">covariates</th><td><code>side</code></td>' in page
    answers = random_comparisons(5, 60)
    other = rendered(sw.bradley_terry(answers, prior=None), answers)
    assert '<th scope="row">covariates</th><td><code>none</code></td>' in other
    assert '<th scope="row">prior</th><td><code>none</code></td>' in other
    assert [in_words(value) for value in (True, 0.95, ("a", "b"), 1e-6)] == ["yes", "0.95", "a, b", "1e-06"]


@pytest.mark.filterwarnings("ignore::sidewise.errors.Disconnected")
def test_parts_without_a_prior_do_not_rest_on_one():
    answers = sw.Comparisons.from_arrays(winner=["a", "b", "c", "d"], loser=["b", "a", "d", "c"])
    told = "the order between parts rests on the prior alone"
    assert told in rendered(sw.bradley_terry(answers), answers)
    alone = rendered(sw.bradley_terry(answers, prior=None), answers)
    assert "each part has a zero of its own" in alone
    assert told not in alone
    assert "nothing in the data orders items of different parts" in rendered(sw.win_rate(answers), answers)


def test_one_is_not_many():
    answers = sw.Comparisons.from_arrays(left=["a"], right=["b"], winner=["a"], worker=["w"])
    page = rendered(sw.bradley_terry(answers), answers)
    assert "2 items, 1 comparison by 1 worker, ranked" in page
    assert not re.search(r"\b1 (items|comparisons|workers|steps|decided comparisons)\b", page)


def test_small_scores_do_not_round_away():
    answers = random_comparisons(300, 3000)
    scores = re.findall(r'class="number">(0\.\d+)</td>', rendered(sw.page_rank(answers), answers))
    assert len(set(scores)) > 50


def test_a_long_leaderboard_says_that_it_scrolls():
    for items, tall in ((60, False), (61, True)):
        answers = random_comparisons(items, 1000)
        page = rendered(sw.bradley_terry(answers), answers)
        assert ("61 rows: scroll inside the table" in page) == tall
        assert ('class="scroll tall"' in page) == tall


def test_long_names_are_short_labels_that_differ():
    names = [f"https://data.example.org/images/collection/photo-{k}-original.jpg" for k in range(4)]
    answers = sw.Comparisons.from_arrays(winner=names[:3] + names[1:], loser=names[1:] + names[:3])
    page = rendered(sw.bradley_terry(answers), answers)
    labels = set(re.findall(r">(https:[^<]*…[^<]*)</text>", page))
    assert len(labels) == 4
    assert all(len(label) <= 32 and label.endswith("-original.jpg") for label in labels)
    assert all(f'<span class="whole">{name}</span>' in page for name in names)
    assert {short for _, short in re.findall(r'class="short" title="([^"]+)">([^<]+)<', page)} == labels


def test_few_items_have_a_large_map_and_many_a_small_one():
    for items, cell in ((3, 60), (12, 40), (40, 15)):
        chart = win_map(sw.bradley_terry(random_comparisons(items, 1000))).to_dict()
        assert chart["width"]["step"] == cell
        assert ("layer" in chart) == (cell >= 40)


def test_ticks_are_round_whole_numbers():
    assert whole_ticks(-0.5, 4.5) == [0, 1, 2, 3, 4]
    assert whole_ticks(0.5, 24.5) == [5, 10, 15, 20]
    assert whole_ticks(7.5, 4000.5) == [500, 1000, 1500, 2000, 2500, 3000, 3500, 4000]
    one = histogram(np.array([1, 1, 1]), "comparisons of a pair").to_dict()
    assert one["encoding"]["x"]["axis"]["values"] == [0, 1, 2, 3, 4]
    assert [row["count"] for row in one["data"]["values"]] == [0, 3, 0, 0, 0]


@pytest.mark.parametrize("values", [[3], [0, 1], [1, 500], [2.5, 2.5], []])
def test_bins_hold_every_value(values):
    heights, edges = np.histogram(values, whole_edges(np.array(values, float)))
    assert heights.sum() == len(values)
    assert len(edges) <= 27


def test_a_missing_extra_is_named():
    with pytest.raises(MissingExtra, match=r"pip install 'sidewise\[plot\]'"):
        need("no_such_library", extra="plot")


@pytest.fixture(scope="module")
def crowd():
    kinds = {"always-left": 0.2, "contrary": 0.1, "random": 0.1}
    return sw.simulate.crowd(12, workers=30, comparisons=2400, kinds=kinds, seed=1).comparisons


CROWD_MODELS = ["worker-bt", "crowd-bt", "factor-bt", "pairwise-hits", "linear-bias", "thurstone", "hodge-rank"]


@pytest.mark.parametrize("model", CROWD_MODELS)
def test_models_of_crowds_tell_about_the_workers(crowd, model):
    ranking = sw.rank(crowd, model)
    page = rendered(ranking, crowd)
    assert '<section id="workers">' in page
    assert MEANINGS[ranking.fit.model].reliability in page
    assert '<span class="flag">always left</span>' in page
    flagged = ranking.workers.filter(ranking.workers["flag"].is_valid())
    answers = sum(flagged["answers"].to_pylist())
    assert f"{len(flagged)} of 30 workers deserve a second look. They gave {answers:,} of 2,400 answers" in page
    assert "w00: " in page  # a dot says whose it is
    assert "nan" not in re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL)


def test_models_that_know_no_workers_have_no_such_section(page):
    assert 'id="workers"' not in page
    assert 'id="crowd"' not in page


def test_a_fitted_bias_of_every_worker_needs_no_advice(crowd):
    assert "every worker’s own bias to a side is fitted" in rendered(sw.rank(crowd), crowd)
    assert "--covariate side" in rendered(sw.crowd_bt(crowd), crowd)


def test_a_crowd_without_suspects_says_so():
    answers = sw.simulate.crowd(6, workers=4, comparisons=600, seed=3).comparisons
    page = rendered(sw.crowd_bt(answers), answers)
    assert "None of the 4 workers stands out: nobody is flagged." in page
    assert page.count('<td class="item">w') == 4


def test_names_of_workers_are_never_taken_for_html():
    names = ["<img src=x>", "b"]
    answers = sw.Comparisons.from_arrays(
        left=["a", "b"] * 20, right=["b", "a"] * 20, winner=["left"] * 40, worker=names * 20
    )
    page = rendered(sw.crowd_bt(answers), answers)
    assert "<img" not in page
    assert "&lt;img" in page


def test_a_large_crowd_makes_a_small_picture():
    kinds = {"always-left": 0.1, "random": 0.1}
    answers = sw.simulate.crowd(50, workers=2 * MOST_DOTS, comparisons=40_000, kinds=kinds, seed=1).comparisons
    ranking = sw.rank(answers)
    drawn = worker_picture(ranking).to_dict()
    flagged = ranking.workers["flag"].drop_null()
    assert any(layer["mark"]["type"] == "rect" for layer in drawn["layer"])
    assert len(drawn["layer"][-1]["data"]["values"]) == len(flagged) > 50
    page = rendered(ranking, answers)
    assert page.count('<span class="flag">') == len(flagged)
    assert "These are the flagged workers; <code>--workers-out workers.csv</code> writes all." in page
    assert len(page) < 2_000_000


def test_few_workers_have_intervals_and_names(crowd):
    layers = worker_picture(sw.rank(crowd)).to_dict()["layer"]
    assert [layer["mark"]["type"] for layer in layers[-3:]] == ["rule", "point", "text"]
    reach = layers[-2]["encoding"]["x"]["scale"]
    assert reach["reverse"]  # who favours left is on the left
    assert reach["domain"][0] == -reach["domain"][1]


def test_shares_have_an_axis_that_ends_where_they_do(crowd):
    drawn = worker_picture(sw.pairwise_hits(crowd)).to_dict()["layer"][-2]["encoding"]["y"]["scale"]
    assert drawn == {"nice": False, "padding": 12, "zero": False}  # a nice one went from −0.1 to 1.1


def test_least_squares_have_no_likelihood():
    answers = random_comparisons(6, 200)
    assert "95% confidence (least squares)" in rendered(sw.hodge_rank(answers), answers)


def test_what_a_model_found_is_shown():
    circle = sw.Comparisons.from_arrays(winner=["rock", "scissors", "paper"], loser=["scissors", "paper", "rock"])
    page = rendered(sw.hodge_rank(circle), circle)
    assert "100.0% of what the comparisons say goes round in circles, which no order can explain" in page


def test_long_tables_can_be_searched_and_all_can_be_sorted(page):
    assert '<table id="leaderboard" class="sortable">' in page
    assert 'data-table="leaderboard"' not in page
    answers = random_comparisons(30, 600)
    assert 'data-table="leaderboard"' in rendered(sw.bradley_terry(answers), answers)
