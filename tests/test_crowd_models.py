"""Models that know the crowd: limits, invariances, recovery, restarts, tables of workers, and what they refuse."""

import pickle
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.csv as pacsv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.making import crowds, random_comparisons, relabelled, with_workers
from tests.test_uncertainty import neighbours

import sidewise as sw
from sidewise.errors import ConvergenceError, Disconnected, ModelError, NotConverged, PriorConflict
from sidewise.models.answers import Answers
from sidewise.models.crowd_bt import START
from sidewise.models.crowd_fit import ascend
from sidewise.models.crowd_problem import CrowdProblem
from sidewise.models.factor_bt import initial
from sidewise.models.habits import Chance, Credit, Pull, Qualified, Swayed
from sidewise.simulate import CrowdBT, FactorBT, Sensitive, add_spammers, draw_sides

MODELS = {"worker_bt": sw.worker_bt, "crowd_bt": sw.crowd_bt, "factor_bt": sw.factor_bt}
PERFECT = (1e5, 0.0)  # credit that nothing can use up


def crowd(kinds, items=30, comparisons=6000, seed=0, **options):
    return sw.simulate.crowd(items, workers=len(kinds), comparisons=comparisons, kinds=kinds, seed=seed, **options)


def truth(simulation):
    return np.array([simulation.truth[item] for item in simulation.comparisons.items])


def column(ranking, name):
    return ranking.workers[name].to_numpy()


# Limits


@pytest.mark.parametrize("prior", [sw.VirtualItem(1.0), sw.Normal(1.2)])
def test_with_perfect_workers_crowd_bt_is_bradley_terry(prior):
    answers = random_comparisons(9, 500, workers=7, ties=0.1, weight=True)
    plain = sw.bradley_terry(answers, prior=prior)
    assert sw.crowd_bt(answers, prior=prior, credit=PERFECT, tol=1e-6).raw == pytest.approx(plain.raw, abs=1e-4)


def test_without_bias_factor_bt_is_bradley_terry():
    answers = random_comparisons(9, 500, workers=7, ties=0.1)
    plain = sw.bradley_terry(answers, prior=sw.VirtualItem(1.0))
    assert sw.factor_bt(answers, credit=PERFECT, tol=1e-6).raw == pytest.approx(plain.raw, abs=1e-4)


def test_with_workers_all_alike_worker_bt_has_the_posterior_mean_of_bradley_terry():
    """Three items, so that the exact posterior can be summed over a grid; it is wider than its peak is far."""
    answers = with_workers(random_comparisons(3, 12, spread=3.0, seed=2), 4)
    found = sw.worker_bt(answers, prior=sw.Normal(1.0), sensitivity_sd=1e-4, bias_sd=1e-4)
    axis = np.linspace(-5, 5, 81)
    grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij")).reshape(3, -1)
    log_p = -np.sum(grid**2, axis=0) / 2
    for left, right, outcome in zip(answers.left, answers.right, answers.outcome, strict=True):
        log_p -= np.logaddexp(0, (1 - 2 * outcome) * (grid[left] - grid[right]))
    p = np.exp(log_p - log_p.max())
    mean = grid @ (p / p.sum())
    at_peak = sw.bradley_terry(answers, prior=sw.Normal(1.0)).raw
    assert found.raw == pytest.approx(mean, abs=0.03)
    assert np.abs(at_peak - mean).max() > 2 * np.abs(found.raw - mean).max()
    deviations = grid - grid.mean(axis=0)
    variance = (deviations**2) @ (p / p.sum()) - (deviations @ (p / p.sum())) ** 2
    low, high = found.interval()
    assert (high - low) / (2 * 1.96) == pytest.approx(np.sqrt(variance), rel=0.05)


@pytest.mark.parametrize(
    ("model", "options"), [("crowd_bt", {"credit": (0, 0)}), ("factor_bt", {"credit": (0, 0), "bias_sd": np.inf})]
)
def test_the_papers_own_targets_can_be_maximised(model, options):
    """Without a prior on workers, unanimous ones are pressed against 0 or 1."""
    answers = sw.simulate.crowd(15, workers=60, comparisons=500, kinds={"always-left": 0.2}, seed=3).comparisons
    ranking = MODELS[model](answers, tol=1e-5, **options)
    reliability = column(ranking, "reliability")
    assert ranking.fit.converged
    assert reliability.max() > 1 - 1e-6
    assert np.isfinite(ranking.raw).all()
    credited = MODELS[model](answers)
    assert ranking.fit.log_likelihood > credited.fit.log_likelihood


@pytest.mark.parametrize("credit", [(0, 0), (4, 1)])
@pytest.mark.parametrize("seed", [0, 1])
def test_without_a_width_biases_fit_at_least_as_well_as_with_a_large_one(credit, seed):
    """Those that run away have next to no curvature: steps of thousands stopped the climb 8 nats too low."""
    answers = sw.simulate.crowd(
        20, workers=40, comparisons=2000, factors=["brand", "font"], kinds={"brand-biased": 0.5}, seed=seed
    ).comparisons
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)  # three factors that run away may take more than 300 steps
        free, held = (sw.factor_bt(answers, credit=credit, bias_sd=sd) for sd in (np.inf, 100.0))
    assert reached(free, credit) > reached(held, credit) - 0.3
    assert np.isfinite(free.raw).all()
    assert all(np.isfinite(column(free, f"brand_bias_{end}")).all() for end in ("low", "high"))
    assert np.abs(column(free, "brand_bias")).max() > 20


def reached(ranking, credit):
    """The objective of factor_bt without what it says of biases."""
    s, f = ranking.raw, column(ranking, "reliability")
    items = -np.logaddexp(0, s).sum() - np.logaddexp(0, -s).sum()
    return ranking.fit.log_likelihood + items + np.sum(credit[0] * np.log(f) + credit[1] * np.log1p(-f))


def test_biases_that_run_away_do_not_stop_the_climb_among_spammers(data):
    answers, _ = load_reading(data)
    answers = add_spammers(answers, 1.0, "mixed", seed=0)
    free, held = (sw.factor_bt(answers, bias_sd=sd, intervals="none") for sd in (np.inf, 100.0))
    assert free.fit.converged
    assert free.fit.log_likelihood > held.fit.log_likelihood - 0.1


# Invariances


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=12, deadline=None)
@given(answers=crowds(least=6), order=st.permutations(range(6)))
def test_relabelling_items_permutes_scores(model, answers, order):
    fit = MODELS[model]
    other, place = relabelled(answers, order)
    with np.errstate(all="raise"):
        first, second = (quiet(fit, data) for data in (answers, other))
    assert second.raw[place] == pytest.approx(first.raw, abs=0.02)


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=12, deadline=None)
@given(answers=crowds(least=6))
def test_the_mirror_turns_biases_round_and_leaves_the_rest(model, answers):
    first, second = (quiet(MODELS[model], data) for data in (answers, answers.mirror()))
    assert second.raw == pytest.approx(first.raw, abs=0.02)
    assert column(second, "reliability") == pytest.approx(column(first, "reliability"), abs=0.02)
    if model != "crowd_bt":
        assert column(second, "side_bias") == pytest.approx(-column(first, "side_bias"), abs=0.05)


@pytest.mark.parametrize("model", MODELS)
def test_the_order_of_rows_and_workers_does_not_matter(model):
    answers = random_comparisons(12, 600, workers=9)
    shuffled = answers.select(np.random.default_rng(5).permutation(len(answers)))
    first, second = MODELS[model](answers, tol=1e-5), MODELS[model](shuffled, tol=1e-5)
    assert second.raw == pytest.approx(first.raw, abs=1e-3)
    assert column(second, "reliability") == pytest.approx(column(first, "reliability"), abs=1e-3)


@pytest.mark.parametrize("model", MODELS)
def test_weights_are_repetitions(model):
    answers = random_comparisons(8, 300, workers=6, ties=0.1)
    twice = answers.select(np.repeat(np.arange(len(answers)), 2))
    doubled = replace(answers, weight=np.full(len(answers), 2.0))
    first, second = MODELS[model](twice, tol=1e-6), MODELS[model](doubled, tol=1e-6)
    assert second.raw == pytest.approx(first.raw, abs=1e-3)
    assert second.interval()[0] == pytest.approx(first.interval()[0], abs=1e-3)


def quiet(fit, answers):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Disconnected)
        warnings.simplefilter("ignore", PriorConflict)
        return fit(answers, tol=1e-4)


# Recovery


def test_worker_bt_recovers_scores_sensitivities_and_biases():
    rng = np.random.default_rng(3)
    a, b, c = rng.normal(1, 0.6, 60), rng.normal(0, 0.8, 60), rng.normal(0, 0.5, 60)
    kinds = [Sensitive(x, {"side": y, "logo": z}) for x, y, z in zip(a, b, c, strict=True)]
    simulation = crowd(kinds, 40, 12_000, factors={"logo": "pair"})
    ranking = sw.worker_bt(simulation.comparisons)
    assert np.corrcoef(ranking.raw, truth(simulation))[0, 1] > 0.99
    assert np.corrcoef(column(ranking, "reliability"), a)[0, 1] > 0.93
    assert np.corrcoef(column(ranking, "side_bias"), b)[0, 1] > 0.96
    assert np.corrcoef(column(ranking, "logo_bias"), c)[0, 1] > 0.85
    as_scale = 1 / 1.3  # of the t distribution with two degrees of freedom that lies nearest to a normal one
    assert ranking.fit.settings["bias_sd"] == pytest.approx((0.8 * as_scale, 0.5 * as_scale), rel=0.2)
    found = column(ranking, "reliability")
    assert found @ found / np.abs(found).sum() == pytest.approx(1, abs=0.02)  # all have answered about as much
    for name, known in (("reliability", a / (a @ a / np.abs(a).sum())), ("side_bias", b), ("logo_bias", c)):
        held = (column(ranking, f"{name}_low") <= known) & (known <= column(ranking, f"{name}_high"))
        assert held.mean() >= 0.87


def test_crowd_bt_recovers_scores_and_qualities():
    eta = np.random.default_rng(4).uniform(0.1, 1, 50)
    simulation = crowd([CrowdBT(x) for x in eta], 40, 12_000, spread=1.5)
    ranking = sw.crowd_bt(simulation.comparisons, credit=(1, 1))
    assert np.corrcoef(ranking.raw, truth(simulation))[0, 1] > 0.98
    assert np.corrcoef(column(ranking, "reliability"), eta)[0, 1] > 0.97
    held = (column(ranking, "reliability_low") <= eta) & (eta <= column(ranking, "reliability_high"))
    assert held.mean() > 0.85


def test_factor_bt_recovers_scores_fairness_and_reactions():
    rng = np.random.default_rng(5)
    gamma, first, second = rng.normal(0, 1, (3, 60))
    kinds = [FactorBT(g, {"one": x, "two": y}) for g, x, y in zip(gamma, first, second, strict=True)]
    simulation = crowd(kinds, 40, 18_000, spread=2.0, factors={"one": "pair", "two": "pair"})
    ranking = sw.factor_bt(simulation.comparisons, factors=["one", "two"], credit=(1, 1))
    assert np.corrcoef(ranking.raw, truth(simulation))[0, 1] > 0.98
    assert np.corrcoef(column(ranking, "reliability"), 1 / (1 + np.exp(-gamma)))[0, 1] > 0.85
    assert np.corrcoef(column(ranking, "one_bias"), first)[0, 1] > 0.8
    assert np.corrcoef(column(ranking, "two_bias"), second)[0, 1] > 0.8


def test_intervals_of_worker_bt_hold_the_truth():
    held = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        a, b = rng.normal(1, 0.5, 30), rng.normal(0, 0.5, 30)
        kinds = [Sensitive(x, {"side": y}) for x, y in zip(a / (a @ a / np.abs(a).sum()), b, strict=True)]
        simulation = crowd(kinds, 20, 1500, seed=seed)
        low, high = sw.worker_bt(simulation.comparisons).interval()
        known = truth(simulation) - truth(simulation).mean()
        held.append(np.mean((low <= known) & (known <= high)))
    assert 0.91 <= np.mean(held) <= 0.98  # 240 scores: a standard error of .014


def test_a_thousand_workers_with_one_answer_each_do_not_talk_the_ranking_into_anything():
    """Imagined workers hold the widths: without them the ranking correlates .86 with the truth, Bradley–Terry's .93."""
    leads = []
    for seed in range(4):
        made = sw.simulate.crowd(40, workers=1000, answers=1, seed=seed)
        ours, plain = (
            np.corrcoef(model(made.comparisons, intervals="none").raw, truth(made))[0, 1]
            for model in (sw.worker_bt, sw.bradley_terry)
        )
        leads.append(ours - plain)
    assert np.mean(leads) > -0.01


def test_a_wide_spread_is_found_nearly_whole():
    """What each item says against spreads that make comparisons foregone conclusions takes a few per cent off."""
    found = []
    for seed in range(4):
        made = crowd([Sensitive(1.0, {})] * 40, 60, spread=2.0, seed=seed)
        prior = sw.worker_bt(made.comparisons, intervals="none").fit.settings["prior"]
        true = np.sqrt(np.mean(np.square([*made.truth.values()])))
        found.append(float(prior.removeprefix("Normal(").removesuffix(")")) / true)
    assert 0.93 <= np.mean(found) <= 1.02


@pytest.mark.parametrize("shared", [0.0, 3.0])
def test_where_answers_are_few_intervals_hold_the_truth_up_to_its_unit(shared):
    """Ten answers each tell little of how sensitive workers are, and so of how far apart scores are as a whole."""
    held = []
    for seed in range(8):
        made = sw.simulate.crowd(20, kinds=[Sensitive(1.0, {"side": shared})] * 200, answers=10, seed=seed)
        ranking = sw.worker_bt(made.comparisons)
        known = truth(made) - truth(made).mean()
        unit = ranking.score @ known / (known @ known)
        low, high = ranking.interval()
        held.append(np.mean((low <= unit * known) & (unit * known <= high)))
    assert 0.91 <= np.mean(held) <= 0.99  # 160 scores: a standard error of .017


def test_intervals_of_worker_bt_mind_that_an_estimated_spread_is_not_sure():
    """The same fit with the spread stated is surer of differences between far items: they grow with the spread."""
    answers = crowd([Sensitive(1.0, {})] * 20, 12, 400, seed=3).comparisons
    estimated = sw.worker_bt(answers)
    sd = float(estimated.fit.settings["prior"].removeprefix("Normal(").removesuffix(")"))
    widths = {
        "sensitivity_sd": estimated.fit.settings["sensitivity_sd"],
        "bias_sd": estimated.fit.settings["bias_sd"][0],
    }
    stated = sw.worker_bt(answers, prior=sw.Normal(sd), **widths)
    assert stated.raw == pytest.approx(estimated.raw, abs=0.01)
    wide, narrow = (high - low for low, high in (estimated.interval(), stated.interval()))
    far = np.argsort(-np.abs(stated.raw))[:4]
    assert np.all(wide[far] > 1.01 * narrow[far])
    assert np.all(wide > 0.999 * narrow)


def test_with_many_items_the_draws_agree_with_the_whole_matrix(monkeypatch):
    from sidewise.models import gaussian

    answers = crowd([Sensitive(1.0, {"side": 0.5})] * 30, 120, 2500).comparisons
    exact = sw.worker_bt(answers)
    low, high = exact.interval()
    monkeypatch.setattr(gaussian, "DENSE", 100)
    drawn = sw.worker_bt(answers)
    other_low, other_high = drawn.interval()
    assert "by draws" in drawn.uncertainty.kind
    assert (other_high - other_low) == pytest.approx(high - low, rel=0.12)
    assert np.mean((other_high - other_low) / (high - low)) == pytest.approx(1, abs=0.02)


# Spammers


@pytest.mark.parametrize("kind", ["always-left", "contrary", "random", "mixed"])
def test_worker_bt_keeps_the_ranking_where_bradley_terry_loses_it(kind):
    simulation = crowd(["honest"] * 40, 30, 1600, seed=2)
    answers = add_spammers(simulation.comparisons, 1.0 if kind != "contrary" else 0.6, kind, seed=2)
    known = truth(simulation)
    ours, plain = (np.corrcoef(fit(answers).raw, known)[0, 1] for fit in (sw.worker_bt, sw.bradley_terry))
    clean = np.corrcoef(sw.worker_bt(simulation.comparisons).raw, known)[0, 1]
    assert ours > clean - 0.02
    assert ours > plain + 0.01


@pytest.mark.parametrize(
    ("kind", "model", "flag"),
    [
        ("always-left", "worker_bt", "always left"),
        ("always-right", "factor_bt", "always right"),
        ("contrary", "worker_bt", "contrary"),
        ("contrary", "crowd_bt", "contrary"),
        ("random", "worker_bt", "random"),
        ("random", "crowd_bt", "random"),
        ("random", "factor_bt", "random"),
        ("brand-biased", "worker_bt", "favours brand"),
    ],
)
def test_spammers_are_flagged_and_honest_workers_are_not(kind, model, flag):
    factors = ["brand"] if kind == "brand-biased" else []
    simulation = crowd(["honest"] * 24 + [kind] * 6, 25, 6000, spread=1.5, factors=factors)
    workers = MODELS[model](simulation.comparisons).workers.to_pylist()
    flagged = [row["worker"] for row in workers if row["flag"] == flag]
    bad = [worker for worker, is_kind in simulation.kinds.items() if is_kind == kind]
    assert set(flagged) >= set(bad[1:]) or len(set(bad) & set(flagged)) >= 5
    assert len([row for row in workers if row["flag"] and row["worker"] not in bad]) <= 2


@pytest.mark.parametrize("model", ["crowd_bt", "factor_bt"])
def test_where_everybody_errs_at_times_nobody_is_random_for_it(model):
    """Chances never exceed 1, so that half-way from a coin to a typical worker must be less than half-way to 1."""
    kinds = [CrowdBT(0.7)] * 20 if model == "crowd_bt" else [FactorBT(-0.3, {"side": 0.0})] * 20
    ranking = MODELS[model](crowd(kinds, 20, 20_000, spread=3.0, seed=1).comparisons)
    assert (column(ranking, "reliability_high") < (0.75 if model == "crowd_bt" else 0.5)).any()
    assert (column(ranking, "reliability_low") > 0).all()
    assert set(column(ranking, "flag")) == {None}


@pytest.mark.parametrize("model", MODELS)
def test_a_worker_with_three_answers_is_not_judged(model):
    simulation = crowd(["honest"] * 20, 12, 2000, spread=1.5)
    known, items = truth(simulation), list(simulation.comparisons.items)
    best, worst = items[int(np.argmax(known))], items[int(np.argmin(known))]
    middle = [items[int(code)] for code in np.argsort(known)[5:8]]
    rows = simulation.comparisons.to_frame().to_pylist()
    rows += [{"left": best, "right": other, "outcome": 0.0, "worker": "new"} for other in (worst, *middle[:2])]
    answers = sw.Comparisons.from_arrays(
        left=[r["left"] for r in rows], right=[r["right"] for r in rows], winner=[r["outcome"] for r in rows],
        worker=[r["worker"] for r in rows], winner_is="number",
    )  # fmt: skip
    row = MODELS[model](answers).workers.to_pylist()[-1]
    assert (row["worker"], row["answers"], row["agreement"]) == ("new", 3, 0)
    assert row["flag"] is None


def test_a_worker_who_never_answered_is_in_the_table_and_stands_where_the_prior_puts_them():
    answers = random_comparisons(8, 300, workers=5)
    answers = replace(answers, workers=sw.Index([*answers.workers, "absent"]))
    for model in MODELS.values():
        row = model(answers).workers.to_pylist()[-1]
        assert (row["worker"], row["answers"], row["flag"]) == ("absent", 0, None)
        assert np.isnan(row["agreement"])
        assert row["reliability_low"] < row["reliability"] < row["reliability_high"]


# Restarts


def load_reading(data):
    answers = draw_sides(sw.read(data / "readability" / "comparisons_11763.csv"), seed=0)
    table = pacsv.read_csv(data / "readability" / "items_472.csv")
    levels = dict(zip(map(str, table["item"].to_pylist()), table["score"].to_pylist(), strict=True))
    return answers, np.array([levels[item] for item in answers.items], float)


def load_arguments(data):
    table = pacsv.read_csv(data / "convincing-arguments" / "judgments.csv")
    said = {"a1": 1.0, "a2": 0.0, "equal": 0.5}
    return sw.Comparisons.from_arrays(
        left=table["arg1"], right=table["arg2"], winner=[said[value] for value in table["value"].to_pylist()],
        worker=table["worker"], winner_is="number",
    )  # fmt: skip


@pytest.mark.parametrize("name", ["reading", "reading, half of it spam", "arguments", "llmfao", "simulated"])
def test_random_starts_of_crowd_bt_and_factor_bt_end_no_better(name, request):
    if name == "simulated":
        answers = sw.simulate.crowd(
            20, workers=40, comparisons=2000, kinds={"random": 0.2, "always-left": 0.1, "contrary": 0.1}, seed=1
        ).comparisons
    elif name == "arguments":
        answers = load_arguments(request.getfixturevalue("data"))
    elif name == "llmfao":
        answers = sw.read(request.getfixturevalue("data") / "llmfao" / "llmfao.csv", left="left", right="right")
    else:
        answers, _ = load_reading(request.getfixturevalue("data"))
        answers = add_spammers(answers, 1.0, "mixed", seed=1) if "spam" in name else answers
    for habit, factors, priors in (
        (Qualified(), (), (Credit(4, 1),)),
        (Swayed(), ("side",), (Credit(4, 1), Pull(0, 2.0))),
    ):
        problem = CrowdProblem(Answers.of(answers, factors), habit, Chance(), sw.VirtualItem(1.0), priors)
        k = problem.answers.k
        begin = initial(problem.answers) if factors else np.full((1, k), START)
        ours = ascend(problem, problem.joined(np.zeros(problem.n), begin, 0.0), tol=1e-4, limit=500)
        best = problem.objective(ours.point)
        assert ours.converged
        for seed in range(2):
            rng = np.random.default_rng(seed)
            theta = [rng.uniform(0.05, 0.95, k) if p.is_chance else rng.normal(0, 1, k) for p in priors]
            start = problem.joined(rng.normal(0, 0.5, problem.n), np.stack(theta), 0.0)
            other = problem.objective(ascend(problem, start, tol=1e-3, limit=500).point)
            assert other <= best + 1e-5 * abs(best)


def test_worker_bt_ends_in_one_place_wherever_it_starts(data, monkeypatch):
    from sidewise.models.crowd import Crowd

    answers, _ = load_reading(data)
    answers = add_spammers(answers, 0.6, "contrary", seed=1)
    ours = sw.worker_bt(answers, intervals="none")
    for seed in range(3):
        rng = np.random.default_rng(seed)
        noise = rng.normal(0, 0.3, len(answers.items))
        plain = Crowd.start
        monkeypatch.setattr(Crowd, "start", lambda self, by=noise, plain=plain: plain(self) + by)
        other = sw.worker_bt(answers, intervals="none")
        monkeypatch.setattr(Crowd, "start", plain)
        assert other.fit.log_likelihood == pytest.approx(ours.fit.log_likelihood, rel=1e-3)
        assert np.corrcoef(other.raw, ours.raw)[0, 1] > 0.999


# Ties, options, results


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_ties_can_have_a_model_with_workers_too(ties):
    answers = random_comparisons(10, 3000, ties=0.25, workers=12, side=0.4)
    ranking = sw.worker_bt(answers, ties=ties)
    plain = sw.bradley_terry(answers, ties=ties, covariates=["side"])
    assert ranking.effects["effect"].to_pylist() == plain.effects["effect"].to_pylist()[-1:]
    assert ranking.effects["estimate"][0].as_py() == pytest.approx(plain.effects["estimate"][-1].as_py(), abs=0.1)
    assert ranking.tie_probability("item-0", "item-1") == pytest.approx(0.25, abs=0.08)
    assert np.corrcoef(ranking.raw, plain.raw)[0, 1] > 0.99


def test_ties_can_be_dropped_and_only_ties_are_refused():
    answers = random_comparisons(8, 600, ties=0.3, workers=6)
    kept = answers.select(answers.outcome != 0.5)
    for model in MODELS.values():
        assert model(answers, ties="drop").raw == pytest.approx(model(kept).raw, abs=1e-9)
    tied = replace(answers, outcome=np.full(len(answers), 0.5))
    with pytest.raises(ModelError, match="every comparison is a tie"):
        sw.worker_bt(tied, ties="davidson")
    with pytest.raises(ModelError, match="there are none"):
        sw.worker_bt(tied, ties="drop")
    assert sw.worker_bt(tied).raw == pytest.approx(np.zeros(8), abs=0.05)


@pytest.mark.parametrize("heaviest", [1e4, 1e6])
def test_one_answer_that_weighs_as_much_as_thousands_does_not_make_scores_run_away(heaviest):
    answers = sw.simulate.crowd(10, workers=10, comparisons=400, seed=1).comparisons
    weight = np.ones(400)
    weight[0] = heaviest
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)  # beyond ten thousand it may not, and then it says so
        ranking = sw.worker_bt(replace(answers, weight=weight), intervals="none")
    assert ranking.fit.converged or heaviest > 1e4
    assert np.abs(ranking.raw).max() < 20


@pytest.mark.parametrize("model", MODELS)
def test_comparisons_that_weigh_nothing_are_refused(model):
    answers = random_comparisons(8, 60, workers=6)
    with pytest.raises(ModelError, match="there are none that weigh anything"):
        MODELS[model](replace(answers, weight=np.zeros(60)))


def test_stated_widths_are_kept_and_told():
    answers = random_comparisons(8, 600, workers=6)
    ranking = sw.worker_bt(answers, prior=sw.Normal(2.0), sensitivity_sd=0.3, bias_sd=0.7, factors=["side"])
    told = ranking.fit.settings
    assert (told["prior"], told["sensitivity_sd"], told["bias_sd"]) == ("Normal(2)", 0.3, (0.7,))


@pytest.mark.parametrize("model", MODELS)
def test_a_bootstrap_can_be_asked_for(model):
    answers = random_comparisons(8, 400, workers=15)
    ranking = MODELS[model](answers, intervals="bootstrap", replicates=12, seed=1)
    again = MODELS[model](answers, intervals="bootstrap", replicates=12, seed=1)
    assert ranking.interval()[0] == pytest.approx(again.interval()[0])
    assert ranking.fit.seed == 1
    assert "bootstrap over workers" in ranking.uncertainty.kind
    assert MODELS[model](answers, intervals="none").uncertainty is None


@pytest.mark.parametrize("model", MODELS)
def test_a_result_pickles_prints_and_says_how_it_was_made(model):
    ranking = MODELS[model](random_comparisons(8, 400, workers=5))
    copy = pickle.loads(pickle.dumps(ranking))  # noqa: S301
    assert copy.interval()[0] == pytest.approx(ranking.interval()[0])
    assert copy.workers.equals(ranking.workers)
    assert ranking.fit.log_likelihood < 0
    assert "item-" in str(ranking)
    assert ranking.probability("item-0", "item-1") + ranking.probability("item-1", "item-0") == pytest.approx(1)


def test_rank_chooses_by_what_the_data_know():
    answers = random_comparisons(8, 300, workers=5)
    assert sw.rank(answers).fit.model == "worker_bt"
    assert sw.rank(replace(answers, worker=None)).fit.model == "bradley_terry"
    assert sw.rank(answers.counts()).fit.model == "bradley_terry"
    assert sw.rank(with_workers(answers, 1)).fit.model == "bradley_terry"
    for strange in ("crowd", 3):
        with pytest.raises(ModelError, match=f"no model {strange!r}; there are: bradley-terry, "):
            sw.rank(answers, strange)


# Bad input


@pytest.mark.parametrize("model", MODELS)
def test_a_model_of_workers_needs_workers(model):
    answers = random_comparisons(8, 300)
    with pytest.raises(ModelError, match="name the worker column"):
        MODELS[model](answers)
    with pytest.raises(ModelError, match="pair counts have forgotten them"):
        MODELS[model](answers.counts())


def test_one_worker_only_is_ranked_and_told_so():
    answers = with_workers(random_comparisons(8, 300), 1)
    for model in (*MODELS.values(), sw.pairwise_hits):
        ranking = model(answers)
        assert any("one worker only" in note for note in ranking.fit.notes)
    assert np.corrcoef(sw.worker_bt(answers).raw, sw.bradley_terry(answers).raw)[0, 1] > 0.99


def test_what_one_worker_alone_has_by_definition_is_not_called_sure():
    row = sw.worker_bt(with_workers(random_comparisons(8, 300), 1)).workers.to_pylist()[0]
    assert row["reliability"] == pytest.approx(1)
    assert np.isnan([row["reliability_low"], row["reliability_high"]]).all()


def test_factors_are_checked():
    answers = random_comparisons(8, 300, workers=5)
    constant = replace(answers, factors={"logo": np.ones(300)})
    empty = replace(answers, factors={"logo": np.zeros(300)})
    for model in (sw.worker_bt, sw.factor_bt):
        with pytest.raises(ModelError, match="cannot be told from the side"):
            model(constant)
        with pytest.raises(ModelError, match="0 in every comparison"):
            model(empty)
        with pytest.raises(ModelError, match="no factor 'brand'; there are: side, logo"):
            model(answers, factors=["brand"])
        for strange in ("side", [["side"]], [3]):
            with pytest.raises(ModelError, match="a list of names"):
                model(answers, factors=strange)
        assert np.array_equal(model(answers, factors=iter(["side"])).raw, model(answers, factors=["side"]).raw)
        with pytest.raises(ModelError, match="about 1e[+]06 in every comparison: it cannot be told from the side"):
            model(replace(answers, factors={"price": 1e6 + answers.outcome}))
        with pytest.raises(ModelError, match="'price' is not a number in some comparisons"):
            model(replace(answers, factors={"price": np.where(answers.outcome == 1, np.nan, 1.0)}))
        assert model(constant, factors=["logo"]).workers.column_names[5] == "logo_bias"
    with pytest.raises(sw.SidewiseError, match="nan|NaN|not a number"):
        sw.Comparisons.from_arrays(
            left=["a", "b"], right=["b", "a"], winner=["a", "a"], worker=["x", "y"], factors={"logo": [1.0, np.nan]}
        )


@pytest.mark.parametrize("model", [sw.worker_bt, sw.factor_bt])
def test_factors_that_follow_from_others_are_refused(model):
    answers = random_comparisons(8, 300, workers=5)
    logo = answers.factors["logo"]
    for name, same in (("same", 3 * logo), ("turned", -logo), ("shifted", 2 - logo)):
        with pytest.raises(ModelError, match=f"the factor {name!r} follows from side and logo"):
            model(replace(answers, factors={"logo": logo, name: same}))
    other = np.random.default_rng(0).permutation(logo)
    assert "other_bias" in model(replace(answers, factors={"logo": logo, "other": other})).workers.column_names


def test_factors_of_an_array_have_columns():
    with pytest.raises(sw.SidewiseError, match="factors maps names to columns"):
        sw.Comparisons.from_arrays(left=["a"], right=["b"], winner=["a"], factors=["f"])


@pytest.mark.parametrize("unit", [1e-12, 1e-3, 1e3, 1e200])
@pytest.mark.parametrize("model", [sw.worker_bt, sw.factor_bt])
def test_the_unit_of_a_factor_does_not_matter(model, unit):
    answers = sw.simulate.crowd(
        10, workers=20, comparisons=600, factors=["brand"], kinds={"brand-biased": 0.3}, seed=1
    ).comparisons
    plain, other = (model(replace(answers, factors={"brand": scale * answers.factors["brand"]})) for scale in (1, unit))
    np.testing.assert_allclose(other.raw, plain.raw, rtol=1e-6)
    for name in ("brand_bias", "brand_bias_low", "brand_bias_high"):
        np.testing.assert_allclose(unit * column(other, name), column(plain, name), rtol=1e-6)
    assert other.workers["flag"] == plain.workers["flag"]
    assert "favours brand" in plain.workers["flag"].to_pylist()


@pytest.mark.parametrize("weights", [(1e300,), (1e299,), (1e-6, 1e14), (1e-300,)])
@pytest.mark.parametrize("model", [*MODELS.values(), sw.linear_bias, sw.pairwise_hits, sw.hodge_rank, sw.thurstone])
def test_weights_beyond_reason_are_refused_in_words_or_ranked(model, weights):
    answers = random_comparisons(8, 60, workers=6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        warnings.simplefilter("ignore", RuntimeWarning)  # of numpy, about what overflows
        try:
            ranking = model(replace(answers, weight=np.resize(weights, 60)))
        except ModelError as error:
            refused = str(error)
        else:
            refused = ""
            ranking.to_frame()
            assert np.isfinite(ranking.raw).all()
    assert not refused or "bring them nearer to 1" in refused


@pytest.mark.parametrize("model", [sw.pairwise_hits, sw.linear_bias])
def test_the_other_models_of_workers_need_comparisons_too(model):
    answers = random_comparisons(8, 60, workers=6)
    with pytest.raises(ModelError, match="there are none that weigh anything"):
        model(replace(answers, weight=np.zeros(60)))
    with pytest.raises(ModelError, match="there are none at all"):
        model(answers.select(np.zeros(60, bool)))


def test_data_of_winners_and_losers_have_no_side():
    sided = random_comparisons(8, 400, workers=5)
    won = np.where(sided.outcome == 1, sided.left, sided.right)
    lost = np.where(sided.outcome == 1, sided.right, sided.left)
    names = np.array(list(sided.items), object)
    who = np.array(list(sided.workers), object)
    answers = sw.Comparisons.from_arrays(winner=names[won], loser=names[lost], worker=who[sided.worker])
    assert "side_bias" not in sw.worker_bt(answers).workers.column_names
    assert sw.worker_bt(answers).workers["flag"].to_pylist() == [None] * 5
    with pytest.raises(ModelError, match="factor_bt needs a factor"):
        sw.factor_bt(answers)
    with pytest.raises(ModelError, match="what was shown on which side"):
        sw.worker_bt(answers, factors=["side"])


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ("worker_bt", {"prior": sw.VirtualItem(1.0)}, "Normal"),
        ("worker_bt", {"sensitivity_sd": 0}, "sensitivity_sd is a positive number, not 0"),
        ("worker_bt", {"bias_sd": -1.0}, "bias_sd is a positive number, not -1.0"),
        ("worker_bt", {"ties": "threshold"}, "ties='threshold' is not one of"),
        ("worker_bt", {"intervals": "hessian"}, "intervals='hessian' is not one of"),
        ("crowd_bt", {"prior": None}, "VirtualItem"),
        ("crowd_bt", {"prior": sw.Normal()}, "VirtualItem"),
        ("crowd_bt", {"credit": (4,)}, "pair of numbers"),
        ("crowd_bt", {"ties": "davidson"}, "ties='davidson' is not one of"),
        ("factor_bt", {"credit": (-1, 1)}, "pair of numbers"),
        ("factor_bt", {"bias_sd": 0.0}, "bias_sd is a positive number, not 0.0"),
    ],
)
def test_wrong_options_are_explained(model, options, message):
    with pytest.raises(ModelError, match=message):
        MODELS[model](random_comparisons(8, 100, workers=5), **options)


@pytest.mark.parametrize("model", MODELS)
def test_a_fit_that_has_not_converged_says_so_and_strict_raises(model):
    answers = random_comparisons(8, 400, workers=5)
    with pytest.warns(NotConverged, match="the last of 2 steps"):
        ranking = MODELS[model](answers, limit=2)
    assert not ranking.fit.converged
    with pytest.raises(ConvergenceError):
        MODELS[model](answers, limit=2, strict=True)


def test_parts_that_were_never_compared_are_reported():
    first, second = random_comparisons(4, 200, workers=5, seed=1), random_comparisons(4, 200, workers=5, seed=2)
    left = [*(f"a{c}" for c in first.left), *(f"b{c}" for c in second.left)]
    right = [*(f"a{c}" for c in first.right), *(f"b{c}" for c in second.right)]
    worker = [f"w{k}" for k in [*first.worker, *second.worker]]
    outcome = np.concatenate([first.outcome, second.outcome])
    answers = sw.Comparisons.from_arrays(left=left, right=right, winner=outcome, worker=worker, winner_is="number")
    with pytest.warns(Disconnected, match="2 parts"):
        ranking = sw.worker_bt(answers)
    assert ranking.comparable


def test_where_only_neighbours_were_compared_the_prior_is_loosened():
    answers = replace(with_workers(neighbours(100, 5, 0.3, 4, seed=0), 20), sided=False)
    with pytest.warns(PriorConflict, match="loose prior"):
        ranking = sw.worker_bt(answers)
    assert np.ptp(ranking.raw) == pytest.approx(0.3 * 99, rel=0.25)


# What a second pair of eyes found


@pytest.mark.parametrize("model", ["hodge-rank", "linear-bias", "pairwise-hits", "thurstone"])
def test_the_other_models_pickle_too(model):
    ranking = sw.rank(random_comparisons(8, 400, workers=5), model)
    assert pickle.loads(pickle.dumps(ranking)).raw == pytest.approx(ranking.raw)  # noqa: S301


@pytest.mark.parametrize("name", ["", "side", "weight", "worker", "left"])
def test_a_factor_cannot_have_a_name_that_means_something_else(name):
    with pytest.raises(sw.SidewiseError, match="cannot be named"):
        sw.Comparisons.from_arrays(left=["a"], right=["b"], winner=["a"], factors={name: [1.0]})
    frame = random_comparisons(4, 20).to_frame()
    with pytest.raises(sw.SidewiseError, match="cannot be named"):
        sw.Comparisons.from_frame(frame, winner="outcome", factors=[name])


@pytest.mark.parametrize("model", [sw.worker_bt, sw.factor_bt])
def test_whoever_leans_to_a_side_is_not_called_random(model):
    answers = sw.read(Path(__file__).parents[1] / "examples" / "cakes.csv")
    leaning = {row["worker"] for row in model(answers).workers.to_pylist() if row["flag"] == "favours right"}
    assert leaning == {"w25", "w32", "w36", "w37"}  # as the crowd was made


def test_half_a_crowd_of_coins_is_still_found_and_nobody_else():
    simulation = crowd(["honest"] * 20 + ["random"] * 20, 20, 4800)
    flags = dict(zip(simulation.comparisons.workers, column(sw.worker_bt(simulation.comparisons), "flag"), strict=True))
    assert sum(flags[w] is not None for w, kind in simulation.kinds.items() if kind == "random") >= 12
    assert not any(flags[w] for w, kind in simulation.kinds.items() if kind == "honest")


def test_nobody_is_blamed_for_a_side_that_was_right_each_time():
    answers = crowd(["honest"] * 10, 6, 1500, spread=2.0)
    best, worst = (answers.comparisons.items[int(f(truth(answers)))] for f in (np.argmax, np.argmin))
    rows = answers.comparisons.to_frame().to_pylist()
    rows += [{"left": best, "right": worst, "outcome": 1.0, "worker": "new"}] * 12
    made = sw.Comparisons.from_arrays(
        left=[r["left"] for r in rows], right=[r["right"] for r in rows], winner=[r["outcome"] for r in rows],
        worker=[r["worker"] for r in rows], winner_is="number",
    )  # fmt: skip
    assert sw.worker_bt(made).workers.to_pylist()[-1]["flag"] is None


def test_answers_that_weigh_nothing_are_no_answers():
    answers = random_comparisons(8, 400, workers=5)
    silent = answers.worker == 4
    weighed = replace(answers, weight=np.where(silent, 0.0, 1.0))
    without = answers.select(~silent)
    for model in MODELS.values():
        row = model(weighed).workers.to_pylist()[4]
        assert (row["answers"], row["flag"]) == (0, None)
        assert model(weighed, tol=1e-6).raw == pytest.approx(model(without, tol=1e-6).raw, abs=1e-3)


def test_biases_of_workers_with_few_answers_have_intervals_that_hold_them():
    held = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        b = 0.5 * rng.standard_t(3, 30)
        simulation = crowd([Sensitive(1.0, {"side": x}) for x in b], 15, 300, seed=seed)
        ranking = sw.worker_bt(simulation.comparisons)
        held.append(np.mean((column(ranking, "side_bias_low") <= b) & (b <= column(ranking, "side_bias_high"))))
    assert np.mean(held) > 0.9


def test_rank_takes_bradley_terry_for_options_that_only_it_has():
    assert sw.rank(random_comparisons(8, 300, workers=5), covariates=["side"]).fit.model == "bradley_terry"


@pytest.mark.parametrize("options", [{"prior": None}, {"prior": sw.VirtualItem(1.0)}, {"intervals": "sandwich"}])
def test_rank_takes_bradley_terry_for_what_only_it_can_do_as_the_command_line_does(options):
    answers = random_comparisons(8, 300, workers=5)
    assert sw.rank(answers, **options).fit.model == "bradley_terry"
    with pytest.raises(ModelError):
        sw.rank(answers, "worker-bt", **options)


def test_an_option_that_no_model_has_is_no_fault_of_another_model():
    with pytest.raises(TypeError, match=r"thurstone\(\) got .* argument 'flow'; these take it: hodge-rank, pairwise"):
        sw.rank(random_comparisons(8, 300, workers=5), "thurstone", flow="mean")
    said = r"worker_bt\(\), the model that the data choose, got an unexpected keyword argument 'foo'$"
    with pytest.raises(TypeError, match=said):
        sw.rank(random_comparisons(8, 300, workers=5), foo=1)


@pytest.mark.parametrize("options", [{"limit": 0}, {"tol": -1.0}, {"level": 1.5}])
def test_numbers_out_of_range_are_explained(options):
    for model in MODELS.values():
        with pytest.raises(ModelError, match=next(iter(options))):
            model(random_comparisons(8, 100, workers=5), **options)
