"""Workers of models that weigh them all alike: their leanings by differences and by others' optimisers, and flags."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, ndtr
from scipy.stats import norm
from tests.making import NAMES, crowds, random_comparisons, relabelled, with_workers
from tests.oracles import numerical_gradient, numerical_jacobian
from tests.test_cli import CAKES, lines, run

import sidewise as sw
from sidewise.errors import Disconnected
from sidewise.models import Normal, leaning, worker_table
from sidewise.models.answers import Answers
from sidewise.models.leaning import BIAS_SD, LOOSE, SD, Leaning
from sidewise.models.least_squares import FLOWS
from sidewise.models.probit import PROBIT_LINKS
from sidewise.report.page import render

MODELS = {"thurstone": sw.thurstone, "hodge_rank": sw.hodge_rank}


def column(ranking, name):
    return ranking.workers[name].to_numpy()


def columns(answers, names):
    """The factors of a worker's answers, by their usual size."""
    x = [np.ones(len(answers)) if name == "side" else answers.factors[name] for name in names]
    size = [1.0 if name == "side" else np.sqrt(np.mean(c[c != 0] ** 2)) for name, c in zip(names, x, strict=True)]
    return np.column_stack(x) / size, np.array(size)


def answer_by_answer(answers, u, shape, ties):
    if ties == "half":
        each = answers.outcome * norm.logcdf(u) + (1 - answers.outcome) * norm.logcdf(-u)
    else:
        win, loss = norm.cdf(u - shape), norm.cdf(-u - shape)
        each = np.log(np.select([answers.outcome == 1, answers.outcome == 0], [win, loss], 1 - win - loss))
    return answers.weights() * each


# Leanings


@pytest.mark.parametrize("link", ["half", "threshold"])
def test_gradient_and_curvature_match_differences(link):
    answers = random_comparisons(6, 90, ties=0.2, weight=True, workers=4)
    scores, rng = np.linspace(-1, 1, 6), np.random.default_rng(0)
    mean, sd, point = np.array([1.0, 0, 0]), np.array([1.0, 0.5, 0.5]), rng.normal(0, 0.6, 12)
    rows = Answers.of(answers, ("side", "logo"))
    z = np.column_stack([rows.seen.differences(scores), rows.seen.covariates])
    rows = replace(rows, seen=replace(rows.seen, covariates=z))
    leaning = Leaning(rows, PROBIT_LINKS[link], 0.3, mean, sd)
    d = scores[answers.left] - scores[answers.right]

    def objective(x):
        theta = x.reshape(3, 4)
        own = theta[:, answers.worker]
        u = own[0] * d + own[1] + own[2] * answers.factors["logo"]
        prior = ((theta - mean[:, None]) ** 2 / (2 * sd[:, None] ** 2)).sum()
        return answer_by_answer(answers, u, 0.3, link).sum() - prior

    slope = leaning.slope(point)
    assert slope.gradient == pytest.approx(numerical_gradient(objective, point), abs=1e-5)
    hessian = -numerical_jacobian(lambda x: leaning.slope(x).gradient, point)
    solved = slope.curvature().solve(slope.gradient, 0.0)
    assert hessian @ solved == pytest.approx(slope.gradient, abs=1e-5)


def is_what_a_general_optimiser_finds(ranking, answers, foretold, tie=0.0, ties="half"):
    assert ranking.workers.column_names[5::3][:2] == ["side_bias", "logo_bias"]
    mean, sd = np.array([1.0, 0, 0]), np.array([SD, BIAS_SD, BIAS_SD])
    x, size = columns(answers, ("side", "logo"))
    z = np.column_stack([foretold, x])

    def best_of(own, loose=1):
        rows, columns = answers.select(own), z[own]

        def loss(theta):
            each = answer_by_answer(rows, columns @ theta, tie, ties)
            return ((theta - mean) ** 2 / (2 * (loose * sd) ** 2)).sum() - each.sum()

        best = minimize(loss, mean, method="BFGS", options={"gtol": 1e-8}).x
        return best, numerical_jacobian(lambda x: numerical_gradient(loss, x, 1e-5), best, 1e-4)

    z[:, 0] *= best_of(np.full(len(answers), True), LOOSE)[0][0]  # 1 is what the crowd as a whole does
    for k in range(len(answers.workers)):
        best, hessian = best_of(answers.worker == k)
        reach = norm.ppf(0.975) * np.sqrt(np.diagonal(np.linalg.inv(hessian)))
        for q, name in enumerate(("reliability", "side_bias", "logo_bias")):
            unit = 1.0 if q == 0 else size[q - 1]
            assert column(ranking, name)[k] == pytest.approx(best[q] / unit, abs=1e-4)
            assert column(ranking, f"{name}_high")[k] == pytest.approx((best[q] + reach[q]) / unit, abs=1e-3)
            assert column(ranking, f"{name}_low")[k] == pytest.approx((best[q] - reach[q]) / unit, abs=1e-3)


@pytest.mark.parametrize(("ties", "covariates"), [("half", ()), ("half", ("logo",)), ("threshold", ("side", "logo"))])
def test_a_worker_is_what_a_general_optimiser_finds_whatever_the_fit_has_for_covariates(ties, covariates):
    answers = random_comparisons(6, 240, ties=0.15, weight=True, workers=6, side=0.8)
    answers = replace(answers, factors={"logo": 3 * answers.factors["logo"]})
    ranking = sw.thurstone(answers, ties=ties, covariates=covariates)
    known = {} if ranking.effects is None else {row["effect"]: row["estimate"] for row in ranking.effects.to_pylist()}
    foretold = ranking.raw[answers.left] - ranking.raw[answers.right]
    is_what_a_general_optimiser_finds(ranking, answers, foretold, known.get("ties (threshold)", 0.0), ties)


@pytest.mark.parametrize("flow", FLOWS)
def test_a_worker_of_least_squares_is_one_of_the_chances_that_it_gives(flow):
    answers = random_comparisons(7, 300, ties=0.1, weight=True, workers=5, side=0.7)
    ranking = sw.hodge_rank(answers, flow=flow)
    chance = ranking.link.win(ranking.raw[answers.left] - ranking.raw[answers.right])
    is_what_a_general_optimiser_finds(ranking, answers, norm.ppf(np.clip(chance, 0.01, 0.99)))


def test_nobody_is_blamed_for_easy_pairs_nor_thought_sure_about_close_ones():
    """Two classes ten log-odds apart; ten workers compare within a class, four have all the pairs across."""
    rng, rows = np.random.default_rng(0), []
    for worker in range(14):
        easy = worker >= 10
        for _ in range(400 if easy else 20):
            i, j = rng.choice(5, 2, replace=False) + (0 if easy else 5 * rng.integers(2))
            j = j + 5 * easy  # i's are behind by ten
            rows.append((i, j, worker, float(rng.random() < (expit(-10) if easy else 0.5))))
    left, right, worker, outcome = map(np.array, zip(*rows, strict=True))
    answers = sw.Comparisons.from_arrays(left=left, right=right, winner=outcome, worker=worker)
    for flow in FLOWS:
        ranking = sw.hodge_rank(answers, flow=flow)
        assert ranking.workers["flag"].null_count == 14
        lean = [(row["side_bias_low"], row["side_bias_high"]) for row in ranking.workers.to_pylist()[:10]]
        assert sum(low < 0 < high for low, high in lean) >= 9


@given(crowds(factors=True), st.sampled_from([*MODELS]))
def test_swapping_sides_turns_biases_round_and_renaming_items_changes_nothing(answers, model):
    options = {"prior": Normal(1)} if model == "thurstone" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Disconnected)
        one, other = (MODELS[model](some, **options) for some in (answers, answers.mirror()))
        renamed = MODELS[model](relabelled(answers, range(len(NAMES))[::-1])[0], **options)
    for name in ("reliability", "reliability_low", "side_bias", "side_bias_high"):
        assert column(renamed, name) == pytest.approx(column(one, name), abs=1e-4, nan_ok=True)
    assert column(other, "side_bias") == pytest.approx(-column(one, "side_bias"), abs=1e-4, nan_ok=True)
    assert column(other, "side_bias_low") == pytest.approx(-column(one, "side_bias_high"), abs=1e-4, nan_ok=True)
    assert column(other, "reliability") == pytest.approx(column(one, "reliability"), abs=1e-4, nan_ok=True)


def test_a_bias_is_the_whole_of_what_draws_a_worker_whether_a_common_effect_is_fitted_or_not():
    answers = random_comparisons(12, 8000, workers=8, side=1.5)
    plain, fitted = sw.thurstone(answers), sw.thurstone(answers, covariates=["side"])
    effect = fitted.effects["estimate"][0].as_py()
    assert column(fitted, "side_bias").mean() == pytest.approx(effect, abs=0.02)
    assert column(plain, "side_bias").mean() == pytest.approx(effect, abs=0.08)


def table_and_notes(model, answers):
    ranking = MODELS[model](answers)
    return [name for name in ranking.workers.column_names if name.endswith("_bias")], ranking.fit.notes


@pytest.mark.parametrize("model", MODELS)
def test_all_factors_that_the_data_name_are_told_and_the_others_said(model):
    answers = random_comparisons(6, 200, workers=4)
    logo = answers.factors["logo"]
    assert table_and_notes(model, answers) == (["side_bias", "logo_bias"], ())
    factors = {"shown_first": np.ones(200), "none": np.zeros(200), "unknown": np.full(200, np.nan), "logo": logo,
               "emblem": -2 * logo}  # fmt: skip
    biases, notes = table_and_notes(model, replace(answers, factors=factors))
    assert biases == ["side_bias", "logo_bias"]
    assert [note.split(": ")[0] for note in notes] == [
        f"the workers' table has no {name} bias" for name in ("shown_first", "none", "unknown", "emblem")
    ]
    assert "it cannot be told from the side" in notes[0]
    assert "it sways nobody" in notes[1]
    assert "the factor 'emblem' follows from side and logo" in notes[3]


@pytest.mark.parametrize("model", MODELS)
def test_the_unit_of_a_factor_is_nobodys_business(model):
    answers = random_comparisons(8, 600, workers=6)
    large = MODELS[model](replace(answers, factors={"logo": 1000 * answers.factors["logo"]})).workers
    for name in ("logo_bias", "logo_bias_low", "logo_bias_high"):
        assert 1000 * large[name].to_numpy() == pytest.approx(column(MODELS[model](answers), name), rel=1e-6)
    assert large["flag"].equals(MODELS[model](answers).workers["flag"])


def test_true_sensitivities_and_biases_are_recovered_and_intervals_hold_them():
    """Sixty answers each, by 300 workers: those of thurstone are probits, 1.7 times smaller than log-odds."""
    rng = np.random.default_rng(0)
    a, b = rng.choice([-0.8, 0.0, 1.0, 1.0, 1.0], 300), rng.normal(0, 0.6, 300)
    kinds = [sw.simulate.Sensitive(*one) for one in zip(a, ({"side": x} for x in b), strict=True)]
    made = sw.simulate.crowd(25, kinds=kinds, answers=60, spread=1.5, seed=1)
    order = [int(name[1:]) for name in made.comparisons.workers]
    ranking = sw.thurstone(made.comparisons)
    found = column(ranking, "reliability")
    assert np.corrcoef(found, a[order])[0, 1] > 0.9
    good = np.median(found[a[order] == 1])  # the scores are drawn together by those who do not follow them
    assert good > 1
    assert np.median(found[a[order] == 0]) == pytest.approx(0, abs=0.2 * good)
    for name, truth in (("reliability", good * a[order]), ("side_bias", b[order] / 1.7)):
        low, high = column(ranking, f"{name}_low"), column(ranking, f"{name}_high")
        assert np.mean((low <= truth) & (truth <= high)) > 0.9


@pytest.mark.parametrize("options", [{}, {"prior": Normal(0.1)}, {"prior": Normal(5)}])
def test_one_is_what_the_crowd_as_a_whole_does_however_close_a_prior_draws_the_scores(options):
    made = sw.simulate.crowd(100, workers=20, answers=50, seed=1)
    ranking = sw.thurstone(made.comparisons, **options)
    assert np.median(column(ranking, "reliability")) == pytest.approx(1, abs=0.15)
    assert set(ranking.workers["flag"].to_pylist()) == {None}


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
    assert set(found["random"]) == {"random"}


@pytest.mark.parametrize("model", MODELS)
def test_one_sided_workers_favour_a_side_and_lovers_of_a_brand_the_brand(model):
    made = sw.simulate.crowd(20, workers=40, comparisons=8000, kinds={"one-sided": 0.2}, seed=3)
    flags = dict(
        zip(*(MODELS[model](made.comparisons).workers[n].to_pylist() for n in ("worker", "flag")), strict=True)
    )
    assert {who for who, flag in flags.items() if flag} == {w for w, kind in made.kinds.items() if kind == "one-sided"}
    assert set(flags.values()) == {None, "favours left", "favours right"}
    made = sw.simulate.crowd(20, workers=30, comparisons=6000, factors=["brand"], kinds={"brand-biased": 0.1}, seed=1)
    flagged = MODELS[model](made.comparisons).workers
    lovers = [who for who, kind in made.kinds.items() if kind == "brand-biased"]
    assert [row["worker"] for row in flagged.to_pylist() if row["flag"] == "favours brand"] == lovers


def test_nobody_is_drawn_to_a_factor_by_what_others_do():
    """Half of the crowd is fond of a brand, the other half never met it; and many who click left are no reason."""
    rng, rows = np.random.default_rng(0), []
    s = rng.normal(0, 1, 20)
    for w in range(40):
        for _ in range(30):
            i, j = rng.choice(20, 2, replace=False)
            brand = 0 if w % 2 else rng.choice([-1, 1])
            rows.append((f"i{i}", f"i{j}", w, brand, float(rng.random() < 1 / (1 + np.exp(s[j] - s[i] - 2.2 * brand)))))
    left, right, worker, brand, outcome = zip(*rows, strict=True)
    answers = sw.Comparisons.from_arrays(left=left, right=right, winner=outcome, winner_is="number",
                                         worker=list(map(str, worker)), factors={"brand": brand})  # fmt: skip
    table = sw.thurstone(answers, covariates=["brand"]).workers.to_pylist()
    assert {row["flag"] for row in table if int(row["worker"]) % 2} == {None}
    assert {row["brand_bias"] for row in table if int(row["worker"]) % 2} == {0}
    assert {row["flag"] for row in table if not int(row["worker"]) % 2} == {"favours brand"}
    made = sw.simulate.crowd(30, workers=100, answers=8, kinds={"always-left": 0.8}, seed=2)
    table = sw.thurstone(made.comparisons, covariates=["side"]).workers.to_pylist()
    assert {row["flag"] for row in table if made.kinds[row["worker"]] == "honest"} == {None}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", [0, 2])  # in which the shares that agree differ surely
def test_honest_workers_who_got_close_pairs_are_not_random(model, seed):
    """Three in four compare items that are far apart, one in four such as are close: they agree less, and rightly."""
    rng, rows = np.random.default_rng(seed), []
    s = np.r_[rng.normal(0, 2.5, 15), rng.normal(0, 0.3, 15)]
    for w in range(40):
        for _ in range(150):
            near = 15 * (w % 4 == 0)
            i, j = rng.choice(30, 2, replace=False) if rng.random() < 0.1 else near + rng.choice(15, 2, replace=False)
            rows.append((f"i{i}", f"i{j}", f"w{w}", float(rng.random() < 1 / (1 + np.exp(s[j] - s[i])))))
    left, right, worker, outcome = zip(*rows, strict=True)
    answers = sw.Comparisons.from_arrays(left=left, right=right, winner=outcome, worker=worker, winner_is="number")
    table = MODELS[model](answers).workers
    near = np.array([int(name[1:]) % 4 == 0 for name in table["worker"].to_pylist()])
    agreed = table["agreement"].to_numpy()
    assert agreed[near].mean() < agreed[~near].mean() - 0.15
    assert set(table["flag"].to_pylist()) == {None}


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
@pytest.mark.parametrize("seed", range(3))
def test_coins_are_found_as_worker_bt_finds_them_and_by_the_same_rule(model, seed):
    made = sw.simulate.crowd(30, workers=50, answers=100, kinds={"random": 0.2}, seed=seed)
    found = [
        {row["worker"] for row in fit(made.comparisons).workers.to_pylist() if row["flag"]}
        for fit in (MODELS[model], sw.worker_bt)
    ]
    assert all(made.kinds[who] == "random" for flagged in found for who in flagged)
    assert len(found[0]) >= 0.7 * len(found[1])
    table = MODELS[model](made.comparisons).workers
    value, low, high = (table[name].to_numpy() for name in ("reliability", "reliability_low", "reliability_high"))
    middle = max(np.median(value[low > 0]), 1) / 2
    assert [flag == "random" for flag in table["flag"].to_pylist()] == ((high < middle) & (high >= 0)).tolist()


@pytest.mark.parametrize("model", [*MODELS.values(), sw.pairwise_hits])
def test_one_worker_alone_agrees_with_nobody_else_and_has_no_limits(model):
    table = model(with_workers(random_comparisons(8, 300), 1)).workers.to_pylist()
    assert np.isnan([table[0]["reliability_low"], table[0]["reliability_high"]]).all()
    assert table[0]["reliability"] > 0.5
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
    assert (row["answers"], row["reliability"], row["side_bias"], row["flag"]) == (0, 1, 0, None)  # the priors' means
    assert (row["reliability_low"], row["reliability_high"]) == pytest.approx((1 - 1.96 * SD, 1 + 1.96 * SD), abs=1e-4)
    without = MODELS[model](answers.select(answers.worker != 4)).workers.to_pylist()
    for one, other in zip(heard, without, strict=False):
        assert one == pytest.approx(other, abs=1e-4)


@pytest.mark.parametrize("model", MODELS)
def test_ties_speak_for_neither_side_nor_for_the_scores(model):
    answers = random_comparisons(8, 400, workers=5)
    answers = replace(answers, outcome=np.where(answers.worker == 0, 0.5, answers.outcome))
    row = MODELS[model](answers).workers.to_pylist()[0]
    assert row["reliability"] == pytest.approx(0, abs=0.2)  # a coin's answers are half for each side, too
    assert abs(row["side_bias"]) < 0.2
    dropped = sw.thurstone(answers, ties="drop").workers.to_pylist()[0]
    assert dropped["answers"] == 0
    assert (dropped["reliability"], dropped["side_bias"]) == (1, 0)


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


def test_where_scores_explain_everything_workers_are_what_was_thought_before():
    answers = sw.Comparisons.from_arrays(left=["a", "b"], right=["b", "c"], winner=["a", "b"], worker=["x", "y"])
    ranking = sw.hodge_rank(answers)
    assert column(ranking, "reliability") == pytest.approx(1, abs=0.3)
    assert (column(ranking, "reliability_high") - column(ranking, "reliability_low") > 3).all()
    assert ranking.workers["flag"].to_pylist() == [None, None]
    assert "None of the 2 workers stands out" in render(ranking, answers, title="t")


@pytest.mark.parametrize("model", MODELS)
def test_resamples_build_no_tables(model, monkeypatch):
    made, build = [], worker_table.worker_table
    monkeypatch.setattr(leaning, "worker_table", lambda *some, **named: made.append(1) or build(*some, **named))
    answers = random_comparisons(6, 200, workers=12)
    ranking = MODELS[model](answers, intervals="bootstrap", replicates=5)
    assert len(made) == 1
    assert ranking.workers.equals(MODELS[model](answers, intervals="none").workers)


def test_large_weights_are_borne():
    answers = random_comparisons(6, 300, workers=5)
    for model in MODELS.values():
        heavy = model(replace(answers, weight=np.full(300, 1e6)))
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
    assert "A bias of 0.62 turns an even choice into 73 to 27" in page


def test_biases_that_the_report_explains_are_what_it_says():
    assert ndtr([0.62, 1.64, 0.5]) == pytest.approx([0.73, 0.95, 0.69], abs=0.005)
    strong = worker_table.STRONG_OUTCOME
    assert strong == pytest.approx(2 * expit(1) - 1, abs=0.005)


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
