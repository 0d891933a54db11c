"""HodgeRank against dense algebra, its circles by hand and by their theory, its intervals by simulation."""

import json
import warnings
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit, ndtr, ndtri
from scipy.stats import spearmanr
from tests.making import NAMES, comparisons, random_comparisons, relabelled
from tests.test_cli import CAKES, lines, run

import sidewise as sw
from sidewise.errors import Disconnected, ModelError
from sidewise.models import cycles
from sidewise.models.cycles import around_triangles

FLOWS = {
    "mean": lambda wins, total: 2 * wins / total - 1,
    "logit": lambda wins, total: logit((wins + 0.5) / (total + 1)),
    "probit": lambda wins, total: ndtri((wins + 0.5) / (total + 1)),
    "angular": lambda wins, total: np.arcsin(2 * wins / total - 1),
}


def fitted(answers, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Disconnected)
        return sw.hodge_rank(answers, **options)


def dense(counts, flow="mean"):
    """Incidence matrix, weights, flow and the least-squares solution of least norm, by a pseudo-inverse."""
    pairs, n = len(counts.first), len(counts.items)
    incidence = np.zeros((pairs, n))
    incidence[np.arange(pairs), counts.first], incidence[np.arange(pairs), counts.second] = 1, -1
    y = FLOWS[flow](counts.first_wins + counts.ties / 2, counts.total)
    inverse = np.linalg.pinv(incidence.T @ (counts.total[:, None] * incidence))
    return incidence, y, inverse, inverse @ incidence.T @ (counts.total * y)


# Scores


@pytest.mark.parametrize("flow", FLOWS)
@given(answers=comparisons())
def test_scores_are_those_of_a_pseudo_inverse_also_in_parts(flow, answers):
    counts = answers.counts()
    incidence, y, _, scores = dense(counts, flow)
    ranking = fitted(answers, flow=flow)
    seen = counts.item_weight() > 0
    assert ranking.raw[seen] == pytest.approx(scores[seen], abs=1e-9)
    assert np.isnan(ranking.raw[~seen]).all()
    left, whole = counts.total @ (y - incidence @ scores) ** 2, counts.total @ y**2
    if whole:
        assert ranking.fit.findings["cyclic"] == pytest.approx(left / whole, abs=1e-9)
    else:
        assert np.isnan(ranking.fit.findings["cyclic"])


def test_scores_of_many_items_are_those_of_a_pseudo_inverse():
    answers = random_comparisons(400, 4000, ties=0.2, weight=True)
    assert sw.hodge_rank(answers).raw == pytest.approx(dense(answers.counts())[3], abs=1e-8)


@pytest.mark.parametrize(("flow", "chance", "unit"), [
    ("mean", lambda d: (1 + d) / 2, "mean outcome"), ("logit", expit, "log-odds"), ("probit", ndtr, "probits"),
    ("angular", lambda d: (1 + np.sin(d)) / 2, "radians"),
])  # fmt: skip
def test_chances_go_with_the_flow(flow, chance, unit):
    answers = sw.Comparisons.from_matrix([[0, 7], [3, 0]], ["a", "b"])
    ranking = sw.hodge_rank(answers, flow=flow, intervals="none")
    assert ranking.unit == unit
    assert ranking.probability("a", "b") == pytest.approx(chance(ranking.raw[0] - ranking.raw[1]))
    assert ranking.probability("a", "b") == pytest.approx(7.5 / 11 if flow in ("logit", "probit") else 0.7)
    assert ranking.tie_probability("a", "b") == 0


def test_parts_have_zeros_of_their_own_and_unseen_items_none():
    answers = sw.Comparisons.from_arrays(winner=["a", "c"], loser=["b", "d"], items=["a", "b", "c", "d", "new"])
    with pytest.warns(Disconnected, match="2 parts; the order between them means nothing") as caught:
        ranking = sw.hodge_rank(answers)
    assert caught[0].filename == __file__
    assert ranking.raw[:4] == pytest.approx([0.5, -0.5, 0.5, -0.5])
    assert np.isnan(ranking.raw[4])
    assert not ranking.comparable
    assert "1 items were never compared and have no score" in ranking.fit.notes


# Circles


def test_a_circle_of_three_is_all_curl_and_one_of_four_all_harmonic():
    beats = [(0, 1), (1, 2), (2, 3), (3, 0)]
    for n, expected in ((3, (1, 1, 0)), (4, (1, 0, 1))):
        arcs = [*beats[: n - 1], (n - 1, 0)]
        answers = sw.Comparisons.from_arrays(winner=[NAMES[a] for a, _ in arcs], loser=[NAMES[b] for _, b in arcs])
        findings = sw.hodge_rank(answers).fit.findings
        assert [findings[name] for name in ("cyclic", "curl", "harmonic")] == pytest.approx(expected, abs=1e-9)


def test_scores_without_contradiction_leave_no_circles():
    """Chances that are a straight line of the scores."""
    score = np.array([0.3, 0.1, 0.0, -0.4])
    left, right = np.triu_indices(4, 1)
    names = np.array(NAMES)
    share = (1 + score[left] - score[right]) / 2
    answers = sw.Comparisons.from_arrays(left=names[left], right=names[right], winner=share, winner_is="number")
    ranking = sw.hodge_rank(answers)
    assert ranking.score == pytest.approx(score - score.mean())
    assert ranking.fit.findings["cyclic"] == pytest.approx(0, abs=1e-12)


@given(comparisons(least=5))
def test_curl_and_harmonic_are_the_projections_of_dense_algebra(answers):
    counts = answers.counts()
    incidence, y, _, scores = dense(counts)
    left, root = y - incidence @ scores, np.sqrt(counts.total)
    triangles = around_triangles(len(counts.items), counts.first, counts.second).toarray()
    assert np.abs(triangles @ incidence).max(initial=0) == 0  # what goes round comes back
    basis = (triangles / root).T
    curl = basis @ np.linalg.pinv(basis) @ (root * left) if triangles.size else np.zeros_like(left)
    if whole := counts.total @ y**2:
        findings = fitted(answers).fit.findings
        assert findings["curl"] == pytest.approx(curl @ curl / whole, abs=1e-7)
        assert findings["curl"] + findings["harmonic"] == pytest.approx(findings["cyclic"], abs=1e-7)


def test_every_triangle_is_found_once():
    for n, rows, seed in ((30, 200, 0), (60, 300, 1), (12, 60, 2)):
        counts = random_comparisons(n, rows, seed=seed).counts()
        graph = nx.Graph(zip(counts.first.tolist(), counts.second.tolist(), strict=True))
        found = around_triangles(n, counts.first, counts.second)
        assert found.shape[0] == sum(nx.triangles(graph).values()) // 3
        assert (abs(found).sum(axis=1) == 3).all()
        assert len(np.unique(found.toarray(), axis=0)) == found.shape[0]


def test_too_many_triangles_are_left_alone(monkeypatch):
    monkeypatch.setattr(cycles, "MOST_WEDGES", 3)
    findings = sw.hodge_rank(random_comparisons(6, 100)).fit.findings
    assert findings["cyclic"] > 0
    assert np.isnan(findings["curl"])
    assert np.isnan(findings["harmonic"])


# Intervals


def test_the_covariance_is_that_of_least_squares():
    answers = random_comparisons(7, 300, ties=0.2)
    counts = answers.counts()
    _, _, inverse, scores = dense(counts)
    left = 2 * answers.outcome - 1 - (scores[answers.left] - scores[answers.right])
    expected = left @ left / (300 - 6) * inverse
    assert sw.hodge_rank(answers).uncertainty.covariance() == pytest.approx(expected)
    incidence, y, inverse, scores = dense(counts, "logit")
    apart = counts.total @ (y - incidence @ scores) ** 2 / (len(y) - 6)
    assert sw.hodge_rank(answers, flow="logit").uncertainty.covariance() == pytest.approx(apart * inverse)


def test_intervals_cover_the_truth_as_often_as_they_say():
    """Where chances are a straight line of the scores, the model is right; 2,100 items have variances by draws."""
    for n, rows, runs in ((12, 400, 60), (2100, 30_000, 1)):
        covered = []
        for seed in range(runs):
            rng = np.random.default_rng(seed)
            score = rng.uniform(-0.4, 0.4, n)
            left = rng.integers(n, size=rows)
            right = (left + 1 + rng.integers(n - 1, size=rows)) % n
            outcome = (2 * rng.random(rows) - 1 < score[left] - score[right]).astype(float)
            names = np.array([f"item-{code}" for code in range(n)])
            answers = sw.Comparisons.from_arrays(left=names[left], right=names[right], winner=outcome, items=names)
            low, high = sw.hodge_rank(answers).interval()
            covered.append(np.mean((low <= score - score.mean()) & (score - score.mean() <= high)))
        assert np.mean(covered) == pytest.approx(0.95, abs=0.025)


def test_a_bootstrap_agrees_and_needs_comparisons():
    answers = random_comparisons(6, 600, workers=12)
    low, high = sw.hodge_rank(answers, intervals="bootstrap", seed=3).interval()
    plain_low, plain_high = sw.hodge_rank(answers).interval()
    assert high - low == pytest.approx(plain_high - plain_low, rel=0.35)
    assert sw.hodge_rank(answers, intervals="bootstrap", unit="worker", replicates=20).fit.seed == 0
    with pytest.raises(ModelError, match="not pair counts"):
        sw.hodge_rank(answers.counts(), intervals="bootstrap")


def test_where_nothing_is_left_over_there_are_no_intervals():
    answers = sw.Comparisons.from_arrays(winner=["a", "b"], loser=["b", "c"])
    ranking = sw.hodge_rank(answers, flow="logit")
    assert "low" not in ranking.to_frame().column_names
    with pytest.raises(ModelError, match="hodge_rank gives no intervals with intervals='least-squares'"):
        ranking.interval()


# What must hold


@given(comparisons(), st.permutations(range(len(NAMES))))
def test_relabelling_items_permutes_scores(answers, order):
    renamed, place = relabelled(answers, order)
    before, after = fitted(answers), fitted(renamed)
    assert after.raw[place] == pytest.approx(before.raw, abs=1e-9, nan_ok=True)
    assert after.fit.findings == pytest.approx(before.fit.findings, abs=1e-6, nan_ok=True)


@given(comparisons())
def test_mirroring_counting_and_weighing_change_no_score(answers):
    ranking = fitted(answers)
    for other in (answers.mirror(), answers.counts(), replace(answers, weight=3 * answers.weights())):
        assert fitted(other).raw == pytest.approx(ranking.raw, abs=1e-9, nan_ok=True)
        assert fitted(other).fit.findings == pytest.approx(ranking.fit.findings, abs=1e-7, nan_ok=True)


@pytest.mark.parametrize("flow", FLOWS)
def test_the_scores_of_a_crowd_are_recovered(flow):
    simulated = sw.simulate.crowd(30, workers=20, comparisons=6000, seed=4)
    ranking = sw.hodge_rank(simulated.comparisons, flow=flow)
    assert spearmanr(ranking.raw, list(simulated.truth.values())).statistic > 0.97


def test_words_that_mean_nothing_are_refused():
    answers = random_comparisons(4, 20)
    with pytest.raises(ModelError, match="flow='water' is not one of mean, logit, probit, angular"):
        sw.hodge_rank(answers, flow="water")
    with pytest.raises(ModelError, match="intervals='posterior' is not one of least-squares, bootstrap, none"):
        sw.hodge_rank(answers, intervals="posterior")


def test_the_command_line_tells_how_inconsistent_the_crowd_is():
    done = run("rank", CAKES, "--model", "hodge-rank", "--flow", "logit", "--format", "json")
    about = json.loads(done.stdout)["fit"]
    assert about["settings"]["flow"] == "logit"
    assert 0 < about["findings"]["curl"] < about["findings"]["cyclic"] < 1
    assert any(line.startswith("cyclic: 0.") for line in lines(run("rank", CAKES, "--model", "hodge-rank")))
