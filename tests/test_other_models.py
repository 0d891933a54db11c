"""Win rate, PageRank, Elo and the random order, against other implementations and by hand."""

import csv

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from scipy.stats import binomtest
from tests.making import comparisons, random_comparisons

import sidewise as sw
from sidewise.cli.options import MODEL_NAMES
from sidewise.errors import ConvergenceError, ModelError, NotConverged, OrderDependent
from sidewise.models import MODELS, find_model


def goldens(data, name):
    found = {}
    with (data / "llmfao" / f"{name}-golden.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["algorithm"], {})[row["item"]] = float(row["score"])
    return sw.read(data / "llmfao" / f"{name}.csv"), found


@pytest.mark.parametrize("name", ["food", "llmfao"])
def test_scores_of_another_implementation_are_met(data, name):
    answers, expected = goldens(data, name)
    assert sw.win_rate(answers, average="opponents").to_dict() == pytest.approx(expected["average_win_rate"])
    wins = dict(zip(answers.items, answers.counts().wins().tolist(), strict=True))
    assert wins == pytest.approx(expected["counting"])
    assert sw.page_rank(answers).to_dict() == pytest.approx(expected["pagerank"], abs=1e-9)
    with pytest.warns(OrderDependent):
        assert sw.elo(answers).to_dict() == pytest.approx(expected["elo"])
    ranking = sw.bradley_terry(answers, prior=None)
    strength = np.exp(ranking.raw) / np.exp(ranking.raw).sum()
    assert dict(zip(ranking.items, strength, strict=True)) == pytest.approx(expected["bradley_terry"], abs=1e-7)


@given(comparisons())
def test_page_rank_agrees_with_networkx(answers):
    graph = nx.DiGraph()
    graph.add_nodes_from(answers.items)
    for a, b, y in zip(answers.left.tolist(), answers.right.tolist(), answers.outcome.tolist(), strict=True):
        for loser, winner, weight in ((b, a, y), (a, b, 1 - y)):
            if weight:
                pair = (answers.items[loser], answers.items[winner])
                before = graph.get_edge_data(*pair, {"weight": 0})["weight"]
                graph.add_edge(*pair, weight=before + weight)
    expected = nx.pagerank(graph, alpha=0.8, tol=1e-12, max_iter=10_000)
    ranking = sw.page_rank(answers, damping=0.8)
    assert ranking.to_dict() == pytest.approx(expected, abs=1e-8)
    assert ranking.fit.converged
    assert ranking.raw.sum() == pytest.approx(1)


def test_page_rank_bootstraps_and_refuses_nonsense():
    answers = random_comparisons(5, 100, workers=9)
    ranking = sw.page_rank(answers, intervals="bootstrap", unit="worker", replicates=20)
    low, high = ranking.interval()
    assert np.all((low <= ranking.score) & (ranking.score <= high))
    assert sw.page_rank(answers.counts()).raw == pytest.approx(ranking.raw)
    with pytest.raises(ModelError, match="damping"):
        sw.page_rank(answers, damping=1)
    with pytest.raises(ModelError, match="not pair counts"):
        sw.page_rank(answers.counts(), intervals="bootstrap")


def test_win_rates_are_wilson_intervals_of_shares():
    answers = sw.Comparisons.from_matrix([[0, 7, 2], [3, 0, 0], [0, 0, 0]], ["a", "b", "c"])
    ranking = sw.win_rate(answers)
    assert ranking.to_dict() == pytest.approx({"a": 9 / 12, "b": 3 / 10, "c": 0.0})
    low, high = ranking.interval()
    for k, (wins, total) in enumerate(((9, 12), (3, 10), (0, 2))):
        expected = binomtest(wins, total).proportion_ci(0.95, method="wilson")
        assert (low[k], high[k]) == pytest.approx((expected.low, expected.high))
    assert ranking.tiers()
    with pytest.raises(ModelError, match="neither 'comparisons' nor 'opponents'"):
        sw.win_rate(answers, average="days")


def test_win_rates_are_not_sure_after_one_comparison():
    ranking = sw.win_rate(sw.Comparisons.from_arrays(left=["x"], right=["y"], winner=["x"]))
    assert ranking.tiers() == [["x", "y"]]
    assert ranking.to_frame()["rank_high"].to_pylist() == [2, 2]
    with pytest.raises(ModelError, match="one by one"):
        ranking.confidence("x", "y")
    sure = sw.win_rate(sw.Comparisons.from_matrix([[0, 90], [10, 0]], ["x", "y"]))
    assert sure.tiers() == [["x"], ["y"]]
    assert sure.to_frame()["rank_high"].to_pylist() == [1, 2]


def test_page_rank_says_when_it_has_not_converged():
    answers = random_comparisons(5, 60)
    with pytest.warns(NotConverged, match="last of 1 steps"):
        assert not sw.page_rank(answers, limit=1).fit.converged
    with pytest.raises(ConvergenceError):
        sw.page_rank(answers, limit=1, strict=True)


def test_elo_does_not_overflow():
    answers = sw.Comparisons.from_arrays(winner=["a", "b"], loser=["b", "a"], weight=[1e12, 1e12])
    assert np.isfinite(sw.elo(answers, orders=2).raw).all()
    with pytest.warns(OrderDependent):
        assert np.isfinite(sw.elo(answers).raw).all()


@pytest.mark.parametrize("model", [sw.bradley_terry, sw.win_rate, sw.page_rank, sw.random_order, sw.elo])
def test_models_say_what_they_take(model):
    with pytest.raises(ModelError):
        model({"left": ["a"], "right": ["b"], "winner": ["a"]})


def test_an_item_nobody_compared_has_no_win_rate():
    ranking = sw.win_rate(sw.Comparisons.from_arrays(winner=["a"], loser=["b"], items=["a", "b", "new"]))
    assert np.isnan(ranking.raw[2])
    assert ranking.order[-1] == "new"


def test_elo_depends_on_the_order_and_its_average_does_not():
    answers = random_comparisons(5, 200, ties=0.1)
    backwards = answers.select(np.arange(len(answers))[::-1])
    with pytest.warns(OrderDependent):
        one, other = sw.elo(answers, k=30), sw.elo(backwards, k=30)
    assert np.abs(one.raw - other.raw).max() > 1
    mean = [sw.elo(some, k=30, orders=800, seed=seed).raw for seed, some in enumerate((answers, backwards))]
    assert mean[0] == pytest.approx(mean[1], abs=5)
    assert one.raw.mean() == pytest.approx(1000)


def test_elo_orders_are_the_plain_updates():
    from sidewise.models.elo import update, update_together

    answers = random_comparisons(5, 50, ties=0.3, weight=True)
    orders = np.array([np.random.default_rng(seed).permutation(50) for seed in range(3)])
    together = update_together(answers, orders, 20, 1000, 400)
    for k, order in enumerate(orders):
        assert together[:, k] == pytest.approx(update(answers.select(order), 20, 1000, 400))


def test_elo_says_how_likely_a_win_is():
    answers = sw.Comparisons.from_matrix([[0, 30], [10, 0]], ["a", "b"])
    ranking = sw.elo(answers, orders=50)
    d = ranking.to_dict()["a"] - ranking.to_dict()["b"]
    assert ranking.probability("a", "b") == pytest.approx(1 / (1 + 10 ** (-d / 400)))
    with pytest.raises(ModelError, match="pair counts have forgotten"):
        sw.elo(answers.counts())
    with pytest.raises(ModelError, match="k and scale are positive"):
        sw.elo(answers, k=0)


def test_the_random_order_is_random_and_repeatable():
    answers = random_comparisons(30, 100)
    assert sw.random_order(answers, seed=1).order == sw.random_order(answers, seed=1).order
    assert sw.random_order(answers, seed=1).order != sw.random_order(answers, seed=2).order
    assert sw.random_order(answers.counts(), seed=1).order == sw.random_order(answers, seed=1).order


def test_models_by_name():
    answers = random_comparisons(5, 100)
    assert sw.rank(answers).fit.model == "bradley_terry"
    assert sw.rank(answers, "win_rate").raw == pytest.approx(sw.win_rate(answers).raw)
    assert find_model("page-rank") is sw.page_rank
    assert tuple(MODELS) == MODEL_NAMES
    with pytest.raises(ModelError, match="no model 'best'; there are: bradley-terry"):
        sw.rank(answers, "best")
    with pytest.raises(TypeError):
        sw.rank(answers, "win-rate", tolerance=3)
