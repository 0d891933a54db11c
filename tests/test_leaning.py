"""Workers of models that weigh them all alike: their leanings by differences and by others' optimisers, and flags."""

import json
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import ndtr
from scipy.stats import binomtest, norm
from tests.making import NAMES, crowds, random_comparisons, relabelled, with_workers
from tests.oracles import numerical_gradient, numerical_jacobian
from tests.test_cli import CAKES, lines, run

import sidewise as sw
from sidewise.errors import Disconnected
from sidewise.models import Normal, worker_table
from sidewise.models.answers import Answers
from sidewise.models.leaning import SD, SD_OUTCOME, Leaning
from sidewise.models.probit import PROBIT_LINKS
from sidewise.report.page import render

MODELS = {"thurstone": sw.thurstone, "hodge_rank": sw.hodge_rank}


def column(ranking, name):
    return ranking.workers[name].to_numpy()


def plain_posterior(answers, d, b, shape, common, ties, names):
    """The log posterior of one worker's leanings, as it is written."""
    x = np.column_stack([np.ones(len(answers)) if name == "side" else answers.factors[name] for name in names])
    size = [1.0 if name == "side" else np.sqrt(np.mean(c[c != 0] ** 2)) for name, c in zip(names, x.T, strict=True)]
    return sum(answer_by_answer(answers, d + x / size @ b, shape, ties)) - ((b - common) ** 2).sum() / (2 * SD**2)


def answer_by_answer(answers, u, shape, ties):
    if ties == "half":
        each = answers.outcome * norm.logcdf(u) + (1 - answers.outcome) * norm.logcdf(-u)
    else:
        win, loss = norm.cdf(u - shape), norm.cdf(-u - shape)
        each = np.log(np.select([answers.outcome == 1, answers.outcome == 0], [win, loss], 1 - win - loss))
    return answers.weights() * each


# Leanings


@pytest.mark.parametrize("ties", ["half", "threshold"])
def test_gradient_and_curvature_match_differences(ties):
    answers = random_comparisons(6, 90, ties=0.2, weight=True, workers=4)
    names, scores, rng = ("side", "logo"), np.linspace(-1, 1, 6), np.random.default_rng(0)
    common, point = np.array([0.2, 0.0]), rng.normal(0, 0.6, 8)
    rows = Answers.of(answers, names)
    leaning = Leaning(rows, rows.seen.differences(scores), PROBIT_LINKS[ties], 0.3, common)
    d, b = scores[answers.left] - scores[answers.right], point.reshape(2, 4)

    def objective(x):
        b = x.reshape(2, 4)[:, answers.worker]
        u = d + b[0] + b[1] * answers.factors["logo"]
        prior = ((x.reshape(2, 4) - common[:, None]) ** 2).sum() / (2 * SD**2)
        return sum(answer_by_answer(answers, u, 0.3, ties)) - prior

    slope = leaning.slope(point)
    assert b.shape == (2, 4)
    assert slope.gradient == pytest.approx(numerical_gradient(objective, point), abs=1e-5)
    hessian = -numerical_jacobian(lambda x: leaning.slope(x).gradient, point)
    solved = slope.curvature().solve(slope.gradient, 0.0)
    assert hessian @ solved == pytest.approx(slope.gradient, abs=1e-5)


@pytest.mark.parametrize(("ties", "covariates"), [("half", ()), ("half", ("logo",)), ("threshold", ("side", "logo"))])
def test_biases_are_those_that_a_general_optimiser_finds_for_each_worker(ties, covariates):
    answers = random_comparisons(6, 240, ties=0.15, weight=True, workers=6, side=0.8)
    answers = replace(answers, factors={"logo": 3 * answers.factors["logo"]})
    ranking = sw.thurstone(answers, ties=ties, covariates=covariates)
    known = {} if ranking.effects is None else dict(zip(*(ranking.effects[n].to_pylist() for n in ("effect", "estimate")), strict=True))  # noqa: E501  # fmt: skip
    names = ("side", *(name for name in covariates if name != "side"))
    size = np.array([1.0 if name == "side" else 3.0 for name in names])
    common = np.array([known.get(name, 0.0) for name in names]) * size
    for k in range(6):
        own = answers.select(answers.worker == k)
        d = ranking.raw[own.left] - ranking.raw[own.right]

        def loss(b, own=own, d=d):
            return -plain_posterior(own, d, b, known.get("ties (threshold)", 0.0), common, ties, names)

        best = minimize(loss, common, method="BFGS", options={"gtol": 1e-8}).x
        deviation = np.sqrt(np.diagonal(np.linalg.inv(numerical_jacobian(lambda x: numerical_gradient(loss, x, 1e-5), best, 1e-4))))  # noqa: E501  # fmt: skip
        for q, name in enumerate(names):
            assert column(ranking, f"{name}_bias")[k] == pytest.approx(best[q] / size[q], abs=1e-4)
            reach = norm.ppf(0.975) * deviation[q] / size[q]
            assert column(ranking, f"{name}_bias_high")[k] == pytest.approx(best[q] / size[q] + reach, abs=1e-3)


@pytest.mark.parametrize("flow", ["mean", "logit", "probit", "angular"])
def test_biases_of_least_squares_are_mean_residuals_drawn_to_zero(flow):
    answers = random_comparisons(7, 300, ties=0.1, weight=True, workers=5, side=0.7)
    ranking = sw.hodge_rank(answers, flow=flow)
    chance = ranking.link.win(ranking.raw[answers.left] - ranking.raw[answers.right])
    residual, weight = 2 * answers.outcome - 1 - (2 * chance - 1), answers.weights()
    noise = (weight * residual**2).sum() / (weight.sum() - 6)
    for k in range(5):
        own = answers.worker == k
        precision = weight[own].sum() / noise + SD_OUTCOME**-2
        expected = (weight[own] * residual[own]).sum() / noise / precision
        assert column(ranking, "side_bias")[k] == pytest.approx(expected)
        assert column(ranking, "side_bias_low")[k] == pytest.approx(expected - norm.ppf(0.975) / np.sqrt(precision))


@given(crowds(factors=True), st.sampled_from([*MODELS]))
def test_swapping_sides_turns_biases_round_and_renaming_items_changes_nothing(answers, model):
    options = {"prior": Normal(1)} if model == "thurstone" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Disconnected)
        one, other = (MODELS[model](some, **options) for some in (answers, answers.mirror()))
        renamed = MODELS[model](relabelled(answers, range(len(NAMES))[::-1])[0], **options)
    for name in ("reliability", "side_bias", "side_bias_high"):
        assert column(renamed, name) == pytest.approx(column(one, name), abs=1e-4, nan_ok=True)
    assert column(other, "side_bias") == pytest.approx(-column(one, "side_bias"), abs=1e-4, nan_ok=True)
    assert column(other, "side_bias_low") == pytest.approx(-column(one, "side_bias_high"), abs=1e-4, nan_ok=True)
    assert column(other, "reliability") == pytest.approx(column(one, "reliability"))


def test_a_bias_is_the_whole_of_what_draws_a_worker_whether_a_common_effect_is_fitted_or_not():
    answers = random_comparisons(12, 8000, workers=8, side=1.5)
    plain, fitted = sw.thurstone(answers), sw.thurstone(answers, covariates=["side"])
    effect = fitted.effects["estimate"][0].as_py()
    assert column(fitted, "side_bias").mean() == pytest.approx(effect, abs=0.02)
    assert column(plain, "side_bias").mean() == pytest.approx(effect, abs=0.08)


def test_a_covariate_that_is_the_side_by_another_name_is_not_told_twice():
    answers = random_comparisons(6, 200, workers=4)
    answers = replace(answers, factors={"shown_first": np.ones(200)})
    names = sw.thurstone(answers, covariates=["shown_first"]).workers.column_names
    assert "shown_first_bias" in names
    assert "side_bias" not in names


# Who deserves a second look

KINDS = {"always-left": 0.1, "contrary": 0.1, "random": 0.1}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", range(4))
def test_odd_workers_are_found_and_no_honest_one_is_flagged(model, seed):
    made = sw.simulate.crowd(20, workers=40, comparisons=16_000, spread=2.0, kinds=KINDS, seed=seed)
    found = {}
    for row in MODELS[model](made.comparisons).workers.to_pylist():
        found.setdefault(made.kinds[row["worker"]], []).append(row["flag"])
    assert set(found["honest"]) == {None}
    assert set(found["always-left"]) == {"always left"}
    assert set(found["contrary"]) == {"contrary"}
    assert set(found["random"]) <= {"random", None}
    assert found["random"].count("random") >= 3  # of four: half-way from a coin to this crowd is not far


@pytest.mark.parametrize("model", MODELS)
def test_one_sided_workers_favour_a_side_and_lovers_of_a_brand_the_brand(model):
    made = sw.simulate.crowd(20, workers=40, comparisons=8000, kinds={"one-sided": 0.2}, seed=3)
    flags = dict(
        zip(*(MODELS[model](made.comparisons).workers[n].to_pylist() for n in ("worker", "flag")), strict=True)
    )
    assert {who for who, flag in flags.items() if flag} == {w for w, kind in made.kinds.items() if kind == "one-sided"}
    assert set(flags.values()) == {None, "favours left", "favours right"}
    made = sw.simulate.crowd(20, workers=30, comparisons=6000, factors=["brand"], kinds={"brand-biased": 0.1}, seed=1)
    flagged = sw.thurstone(made.comparisons, covariates=["brand"]).workers
    lovers = [who for who, kind in made.kinds.items() if kind == "brand-biased"]
    assert [row["worker"] for row in flagged.to_pylist() if row["flag"] == "favours brand"] == lovers


@pytest.mark.parametrize("model", MODELS)
def test_few_answers_are_no_reason_for_a_flag(model):
    """Seven answers for the left item, all of them wrong, are one short of what may be judged."""
    known = random_comparisons(8, 900, workers=10, spread=1.5)
    best, *_, worst = sw.hodge_rank(known).order
    rows = known.to_frame().to_pylist() + [{"left": worst, "right": best, "outcome": 1.0, "worker": "new"}] * 7
    for more, flagged in ((0, False), (1, True)):
        told = rows + rows[-1:] * more
        answers = sw.Comparisons.from_arrays(
            **{name: [row[name] for row in told] for name in ("left", "right", "worker")},
            winner=[row["outcome"] for row in told], winner_is="number",
        )  # fmt: skip
        row = MODELS[model](answers).workers.to_pylist()[-1]
        assert (row["worker"], row["answers"], bool(row["flag"])) == ("new", 7 + more, flagged)


@pytest.mark.parametrize("model", MODELS)
def test_three_answers_do_not_tell_a_bias(model):
    """Of three hundred workers with three answers each nobody is surely biased."""
    made = sw.simulate.crowd(10, workers=300, answers=3, seed=1)
    table = MODELS[model](made.comparisons).workers
    assert not (np.array(table["side_bias_low"]) > 0).any()
    assert not (np.array(table["side_bias_high"]) < 0).any()


@pytest.mark.parametrize("model", MODELS)
def test_a_reliability_is_a_share_with_wilsons_limits(model):
    ranking = MODELS[model](random_comparisons(8, 500, workers=6, ties=0.2))
    for row, agreed in zip(ranking.workers.to_pylist(), column(ranking, "agreement"), strict=True):
        assert row["reliability"] == pytest.approx(agreed)
        assert row["reliability_low"] < row["reliability"] < row["reliability_high"]
    decided = replace(random_comparisons(8, 500, workers=6))
    row = MODELS[model](decided).workers.to_pylist()[0]
    expected = binomtest(round(row["reliability"] * row["answers"]), row["answers"]).proportion_ci(method="wilson")
    assert (row["reliability_low"], row["reliability_high"]) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("model", [*MODELS.values(), sw.pairwise_hits])
def test_one_worker_alone_agrees_with_nobody_else_and_has_no_limits(model):
    table = model(with_workers(random_comparisons(8, 300), 1)).workers.to_pylist()
    assert np.isnan([table[0]["reliability_low"], table[0]["reliability_high"]]).all()
    assert table[0]["flag"] is None


# What must hold


@pytest.mark.parametrize("model", MODELS)
def test_who_said_what_must_be_known(model):
    answers = random_comparisons(8, 300, workers=5)
    assert MODELS[model](answers).alike
    for nobody in (random_comparisons(8, 300), answers.counts()):
        ranking = MODELS[model](nobody)
        assert ranking.workers is None
        assert not ranking.alike
    assert sw.bradley_terry(answers).workers is None


@pytest.mark.parametrize("model", MODELS)
def test_answers_that_weigh_nothing_are_none_and_who_gave_none_stands_in_the_table(model):
    answers = random_comparisons(8, 400, workers=5)
    silent = replace(answers, weight=(answers.worker != 4).astype(float))
    *heard, row = MODELS[model](silent).workers.to_pylist()
    assert (row["answers"], row["reliability"], row["flag"]) == (0, 0.5, None)
    without = MODELS[model](answers.select(answers.worker != 4)).workers.to_pylist()
    for one, other in zip(heard, without, strict=False):
        assert one == pytest.approx(other, abs=1e-4)


@pytest.mark.parametrize("model", MODELS)
def test_ties_speak_for_neither_side_and_are_no_ability(model):
    answers = random_comparisons(8, 400, workers=5)
    answers = replace(answers, outcome=np.where(answers.worker == 0, 0.5, answers.outcome))
    row = MODELS[model](answers).workers.to_pylist()[0]
    assert row["reliability"] == 0.5
    assert (row["reliability_low"], row["reliability_high"]) == pytest.approx((0, 1))
    assert abs(row["side_bias"]) < 0.2
    dropped = sw.thurstone(answers, ties="drop").workers.to_pylist()[0]
    assert dropped["answers"] == 0
    assert dropped["side_bias"] == 0


@pytest.mark.parametrize("model", MODELS)
def test_without_a_single_answer_the_table_says_so(model):
    answers = random_comparisons(8, 40, workers=5)
    answers = (
        answers.select(np.zeros(40, bool)) if model == "hodge_rank" else replace(answers, outcome=np.full(40, 0.5))
    )
    ranking = MODELS[model](answers, **({"ties": "drop"} if model == "thurstone" else {}))
    assert column(ranking, "answers").tolist() == [0] * 5
    assert ranking.workers["flag"].to_pylist() == [None] * 5


@pytest.mark.parametrize("model", MODELS)
def test_data_of_winners_and_losers_have_no_side(model):
    answers = sw.Comparisons.from_arrays(winner=[*"abcab"], loser=[*"bcaca"], worker=[*"xyxyx"])
    assert "side_bias" not in MODELS[model](answers).workers.column_names


def test_where_scores_explain_everything_there_is_no_bias_to_tell():
    answers = sw.Comparisons.from_arrays(left=["a", "b"], right=["b", "c"], winner=["a", "b"], worker=["x", "y"])
    ranking = sw.hodge_rank(answers)
    assert np.isnan(column(ranking, "side_bias")).all()
    assert ranking.workers["flag"].to_pylist() == [None, None]
    assert "None of the 2 workers stands out" in render(ranking, answers, title="t")


@pytest.mark.parametrize("model", MODELS)
def test_resamples_build_no_tables(model, monkeypatch):
    made, build = [], worker_table.worker_table
    for name in MODELS:
        module = sys.modules[f"sidewise.models.{name}"]
        monkeypatch.setattr(module, "worker_table", lambda *some, **named: made.append(1) or build(*some, **named))
    answers = random_comparisons(6, 200, workers=12)
    ranking = MODELS[model](answers, intervals="bootstrap", replicates=5)
    assert len(made) == 1
    assert ranking.workers.equals(MODELS[model](answers, intervals="none").workers)


def test_large_weights_are_borne():
    answers = random_comparisons(6, 300, workers=5)
    for model, weight in ((sw.thurstone, 1e6), (sw.hodge_rank, 1e100)):
        heavy = model(replace(answers, weight=np.full(300, weight)))
        assert np.isfinite(column(heavy, "side_bias")).all()


# How it is told


@pytest.mark.parametrize("model", MODELS)
def test_it_says_that_all_were_weighed_alike(model):
    made = sw.simulate.crowd(8, workers=12, comparisons=900, kinds={"always-left": 0.25}, seed=1)
    ranking = MODELS[model](made.comparisons)
    said = "12 workers, all weighed alike: 3 always left (see "
    assert str(ranking).splitlines()[-1] == f"{said}.workers)"
    assert f"{said}<code>.workers</code>)." in ranking.rescale(anchor=ranking.order[0])._repr_html_()
    honest = MODELS[model](random_comparisons(8, 900, workers=4))
    assert str(honest).splitlines()[-1] == "4 workers, all weighed alike, none flagged (see .workers)"
    alone = MODELS[model](with_workers(random_comparisons(8, 300), 1))
    assert str(alone).splitlines()[-1] == "1 worker, none flagged (see .workers)"


@pytest.mark.parametrize("model", MODELS)
def test_the_report_says_so_and_does_not_call_the_scores_free_of_biases(model):
    answers = random_comparisons(8, 1200, workers=10, side=1.0)
    options = {"flow": "logit"} if model == "hodge_rank" else {}
    page = render(MODELS[model](answers, **options), answers, title="t")
    assert "All are weighed alike." in page
    assert "all answers count alike, whoever gave them" in page
    assert "every worker’s own bias to a side is fitted" not in page
    assert "A bias of 1 turns an even choice into 73 to 27" not in page
    assert f"A bias of {'0.62' if model == 'thurstone' else '0.46'} turns an even choice into 73 to 27" in page


def test_biases_that_the_report_explains_are_what_it_says():
    assert ndtr([0.62, 1.64, 0.5]) == pytest.approx([0.73, 0.95, 0.69], abs=0.005)
    chances = (1 + np.array([0.46, SD_OUTCOME])) / 2
    assert chances == pytest.approx([0.73, 0.69], abs=0.005)


@pytest.mark.parametrize("model", ["thurstone", "hodge-rank"])
def test_the_command_line_prints_the_workers_and_reads_streams_without_them(model, tmp_path):
    printed = lines(run("rank", CAKES, "--model", model, "--workers", "--top", "5"))
    assert printed[-1].startswith("50 workers, all weighed alike: ")
    assert "all weighed alike" in lines(run("rank", CAKES, "--model", model))[-1]
    assert len(json.loads(run("rank", CAKES, "--model", model, "--format", "json").stdout)["workers"]) == 50
    assert json.loads(run("rank", CAKES, "--model", model, "--stream", "--format", "json").stdout)["workers"] is None
    (tmp_path / "nobody.csv").write_text("left,right,label\na,b,a\nb,c,b\na,c,c\n")
    done = run("rank", tmp_path / "nobody.csv", "--model", model, "--workers", "--format", "csv", columns="300")
    assert done.returncode == 2
    assert "the data do not say who said what: name the worker column (--worker)" in done.stderr
