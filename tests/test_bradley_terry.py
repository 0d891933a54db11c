"""Bradley–Terry against independent implementations, against published figures, and against what must hold."""

import csv
import warnings
from dataclasses import replace

import choix
import evalica
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from tests.making import NAMES, comparisons, random_comparisons
from tests.oracles import maximum_likelihood

import sidewise as sw
from sidewise.errors import ConvergenceError, Disconnected, ModelError, NotConverged
from sidewise.measures import kendall_tau, pair_accuracy
from sidewise.models import Normal, VirtualItem


def design(answers):
    rows = np.arange(len(answers))
    x = np.zeros((len(answers), len(answers.items)))
    x[rows, answers.left], x[rows, answers.right] = 1, -1
    return x


# Independent implementations


@pytest.mark.parametrize("seed", range(3))
def test_maximum_likelihood_agrees_with_choix(seed):
    answers = random_comparisons(10, 600, seed=seed)
    pairs = [(int(a), int(b)) if y else (int(b), int(a)) for a, b, y in
             zip(answers.left, answers.right, answers.outcome, strict=True)]  # fmt: skip
    expected = choix.opt_pairwise(10, pairs, alpha=0, tol=1e-10)
    ranking = sw.bradley_terry(answers, prior=None)
    assert ranking.score == pytest.approx(expected - expected.mean(), abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_maximum_likelihood_with_ties_and_weights_agrees_with_evalica(seed):
    answers = random_comparisons(10, 600, seed=seed, ties=0.3, weight=True)
    winner = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    names = np.array(answers.items, object)
    result = evalica.bradley_terry(
        names[answers.left].tolist(), names[answers.right].tolist(), [winner[y] for y in answers.outcome.tolist()],
        weights=answers.weights().tolist(), limit=100_000, tolerance=1e-14,
    )  # fmt: skip
    expected = np.log(result.scores.reindex(list(answers.items)).to_numpy())
    ranking = sw.bradley_terry(answers, prior=None)
    assert ranking.score == pytest.approx(expected - expected.mean(), abs=1e-5)


@pytest.mark.parametrize("sd", [0.3, 1.0, 4.0])
def test_a_normal_prior_agrees_with_penalised_logistic_regression(sd):
    answers = random_comparisons(12, 300, weight=True)
    model = LogisticRegression(C=sd**2, fit_intercept=False, tol=1e-10, max_iter=10_000)
    model.fit(design(answers), answers.outcome, sample_weight=answers.weights())
    ranking = sw.bradley_terry(answers, prior=Normal(sd), tol=1e-10)
    assert ranking.raw == pytest.approx(model.coef_[0], abs=1e-5)


def test_a_side_effect_agrees_with_an_intercept_and_a_factor_with_a_column():
    answers = random_comparisons(12, 800, side=0.6)
    logo = answers.factors["logo"]
    model = LogisticRegression(C=np.inf, fit_intercept=True, tol=1e-12, max_iter=10_000)
    model.fit(np.column_stack([design(answers)[:, :-1], logo]), answers.outcome)
    ranking = sw.bradley_terry(answers, prior=None, covariates=["side", "logo"], tol=1e-10)
    effects = dict(zip(*(ranking.effects[name].to_pylist() for name in ("effect", "estimate")), strict=True))
    expected = np.append(model.coef_[0][:-1], 0)
    assert effects["side"] == pytest.approx(model.intercept_[0], abs=1e-4)
    assert effects["logo"] == pytest.approx(model.coef_[0][-1], abs=1e-4)
    assert ranking.score == pytest.approx(expected - expected.mean(), abs=1e-4)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
@pytest.mark.parametrize("seed", range(2))
def test_models_of_ties_agree_with_a_general_optimiser(ties, seed):
    answers = random_comparisons(5, 250, seed=seed, ties=0.3)
    expected, shape = maximum_likelihood(answers, ties=ties)
    ranking = sw.bradley_terry(answers, prior=None, ties=ties)
    assert ranking.score == pytest.approx(expected, abs=1e-4)
    assert ranking.effects["estimate"][0].as_py() == pytest.approx(shape, abs=1e-4)
    a, b = ranking.order[0], ranking.order[-1]
    assert ranking.probability(a, b) + ranking.probability(b, a) == pytest.approx(1)
    assert ranking.tie_probability(a, b) == pytest.approx(ranking.tie_probability(b, a))
    assert 0 < ranking.tie_probability(a, b) < 1


def test_without_ties_all_models_of_ties_are_the_plain_one():
    answers = random_comparisons(6, 200)
    plain = sw.bradley_terry(answers, prior=Normal(1)).raw
    for ties in ("davidson", "rao-kupper", "drop"):
        assert sw.bradley_terry(answers, prior=Normal(1), ties=ties).raw == pytest.approx(plain)


def test_dropping_ties_is_leaving_the_rows_out():
    answers = random_comparisons(6, 200, ties=0.4)
    decided = answers.select(answers.outcome != 0.5)
    for source in (answers, answers.counts()):
        assert sw.bradley_terry(source, ties="drop").raw == pytest.approx(sw.bradley_terry(decided).raw, abs=1e-6)


def test_only_ties_are_nothing_for_a_model_of_ties():
    answers = sw.Comparisons.from_arrays(left=["a"], right=["b"], winner=[0.5])
    with pytest.raises(ModelError, match="every comparison is a tie"):
        sw.bradley_terry(answers, ties="davidson")
    assert sw.bradley_terry(answers).score == pytest.approx([0, 0])


# What must hold


def fitted(answers, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Disconnected)
        return sw.bradley_terry(answers, **options)


@given(comparisons(), st.permutations(range(len(NAMES))))
def test_relabelling_items_permutes_scores(answers, order):
    order = [code for code in order if code < len(answers.items)]
    renamed = sw.Comparisons.from_arrays(
        left=[f"new-{order[c]}" for c in answers.left], right=[f"new-{order[c]}" for c in answers.right],
        winner=answers.outcome, items=[f"new-{c}" for c in range(len(order))],
    )  # fmt: skip
    before, after = fitted(answers, tol=1e-10), fitted(renamed, tol=1e-10)
    assert after.raw[order] == pytest.approx(before.raw, abs=1e-4)
    assert after.interval()[0][order] == pytest.approx(before.interval()[0], abs=1e-3)


@given(comparisons(factors=True), st.sampled_from(["half", "davidson", "rao-kupper"]))
def test_mirroring_every_comparison_changes_nothing(answers, ties):
    assume(0 < (answers.outcome == 0.5).mean() < 1 and answers.factors["logo"].any())
    for covariates in ([], ["logo"]):
        one = fitted(answers, ties=ties, prior=Normal(1), covariates=covariates)
        other = fitted(answers.mirror(), ties=ties, prior=Normal(1), covariates=covariates)
        assert other.raw == pytest.approx(one.raw, abs=1e-6)


@given(comparisons())
def test_a_side_effect_changes_its_sign_in_the_mirror(answers):
    one, other = (fitted(some, covariates=["side"], prior=Normal(1), tol=1e-9) for some in (answers, answers.mirror()))
    assume(one.fit.converged)
    assert other.raw == pytest.approx(one.raw, abs=1e-5)
    assert other.effects["estimate"][0].as_py() == pytest.approx(-one.effects["estimate"][0].as_py(), abs=1e-5)


@given(comparisons(least=10), st.integers(2, 5))
def test_repeating_every_row_keeps_the_maximum_likelihood_and_narrows_the_intervals(answers, times):
    try:
        one = fitted(answers, prior=None, tol=1e-10)
    except ModelError:
        assume(False)
    many = fitted(answers.select(np.tile(np.arange(len(answers)), times)), prior=None, tol=1e-10)
    assert many.raw == pytest.approx(one.raw, abs=1e-6, nan_ok=True)
    width = [np.subtract(*ranking.interval()[::-1]) for ranking in (one, many)]
    assert width[1] * np.sqrt(times) == pytest.approx(width[0], rel=1e-4, abs=1e-6, nan_ok=True)


@given(comparisons(), st.sampled_from(["half", "davidson", "rao-kupper"]))
def test_a_tie_is_symmetric(answers, ties):
    """A tie moves two items towards each other, whichever stood on the left."""
    assume(0 < (answers.outcome == 0.5).mean() < 1)
    tied = answers.outcome == 0.5
    left, right = np.where(tied, answers.right, answers.left), np.where(tied, answers.left, answers.right)
    swapped = sw.Comparisons(left, right, answers.outcome, answers.items)
    one, other = (fitted(some, ties=ties, prior=VirtualItem(0.5)).raw for some in (answers, swapped))
    assert other == pytest.approx(one, abs=1e-6)


@given(comparisons(ties=False))
def test_weights_are_repetitions(answers):
    weight = np.arange(len(answers)) % 3 + 1
    weighted = sw.Comparisons(answers.left, answers.right, answers.outcome, answers.items, weight=weight.astype(float))
    repeated = answers.select(np.repeat(np.arange(len(answers)), weight))
    assert fitted(weighted).raw == pytest.approx(fitted(repeated).raw, abs=1e-6)


def test_more_comparisons_of_the_same_kind_narrow_the_intervals():
    widths = []
    for rows in (100, 400, 1600):
        low, high = sw.bradley_terry(random_comparisons(10, rows, seed=4)).interval()
        widths.append((high - low).mean())
    assert widths[0] > widths[1] > widths[2]


def test_an_unbeaten_item_stays_finite_and_an_unseen_one_stands_where_the_prior_puts_it():
    answers = sw.Comparisons.from_matrix([[0, 9, 9, 0], [0, 0, 5, 0], [0, 4, 0, 0], [0] * 4], ["top", "b", "c", "new"])
    ranking = sw.bradley_terry(answers)
    assert ranking.order[0] == "top"
    assert np.isfinite(ranking.raw).all()
    assert ranking.raw[3] == 0
    low, high = ranking.interval()
    assert (high - low)[3] == (high - low).max()
    assert "1 items were never compared" in ranking.fit.notes[0]


# Maximum likelihood that does not exist, and graphs that fall apart


def test_items_that_never_lost_are_named_where_there_is_no_maximum():
    answers = sw.Comparisons.from_matrix([[0, 3, 1], [0, 0, 2], [0, 2, 0]], ["top", "b", "c"])
    with pytest.raises(ModelError, match="Never lost .*'top'.*Never won against any outside: 'b', 'c'"):
        sw.bradley_terry(answers, prior=None)


@given(comparisons(ties=False))
def test_the_check_for_a_maximum_is_right(answers):
    """Where it says that there is a maximum, Newton's method finds it; where not, scores grow without end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            assert sw.bradley_terry(answers, prior=None).fit.converged
        except ModelError:
            wide, wider = (np.ptp(sw.bradley_terry(answers, prior=Normal(sd), limit=500).raw) for sd in (1e2, 1e4))
            assert wider > wide + 0.5


def test_parts_that_were_never_compared_are_reported_with_a_prior_and_apart_without():
    answers = sw.Comparisons.from_matrix([[0, 3, 0, 0], [1, 0, 0, 0], [0, 0, 0, 2], [0, 0, 1, 0]], list("abcd"))
    with pytest.warns(Disconnected, match="2 parts; the order between them rests on the prior alone"):
        ranking = sw.bradley_terry(answers)
    assert "component" in ranking.to_frame().column_names
    with pytest.warns(Disconnected, match="means nothing"):
        apart = sw.bradley_terry(answers, prior=None)
    assert apart.score[:2].sum() == pytest.approx(0)
    assert apart.score[0] - apart.score[1] == pytest.approx(np.log(3))
    assert apart.score[2] - apart.score[3] == pytest.approx(np.log(2))
    assert apart.rank_interval()[0].tolist() == [1, 1, 1, 1]
    with pytest.raises(ModelError, match="different parts"):
        apart.probability("a", "c")


def test_an_item_nobody_compared_has_no_maximum_likelihood_score():
    answers = sw.Comparisons.from_arrays(winner=["a", "b"], loser=["b", "a"], items=["a", "b", "new"])
    ranking = sw.bradley_terry(answers, prior=None)
    assert np.isnan(ranking.raw[2])
    row = ranking.to_frame().to_pylist()[-1]
    assert (row["item"], row["rank"], row["tier"]) == ("new", None, None)


# What users do wrong


def test_a_fit_that_has_not_converged_says_so_and_strict_raises():
    answers = random_comparisons(10, 300)
    with pytest.warns(NotConverged, match="last of 1 steps"):
        ranking = sw.bradley_terry(answers, prior=Normal(1), limit=1)
    assert not ranking.fit.converged
    assert "NOT converged" in repr(ranking)
    with pytest.raises(ConvergenceError):
        sw.bradley_terry(answers, prior=Normal(1), limit=1, strict=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "maybe"}, "ties='maybe' is not one of half, davidson, rao-kupper, drop"),
        ({"intervals": "wide"}, "intervals='wide' is not one of"),
        ({"unit": "day"}, "unit='day' is not one of"),
        ({"covariates": "side"}, "covariates is a list"),
        ({"covariates": ["price"]}, "no covariate 'price'; there are: side, logo"),
        ({"intervals": "bootstrap", "unit": "worker"}, "name the worker column"),
        ({"intervals": "sandwich", "unit": "worker"}, "name the worker column"),
        ({"intervals": "bootstrap", "prior": None}, "bootstrap with a prior"),
        ({"intervals": "bootstrap", "replicates": 1}, "at least 2 replicates"),
        ({"level": 1.5}, "between 0 and 1"),
    ],
)
def test_wrong_options_are_explained(options, message):
    with pytest.raises(ModelError, match=message):
        sw.bradley_terry(random_comparisons(5, 50), **options).interval()


def test_priors_are_checked():
    for wrong in (0, -1, float("nan")):
        with pytest.raises(ModelError, match="positive number"):
            Normal(wrong)
        with pytest.raises(ModelError, match="positive number"):
            VirtualItem(wrong)


def test_a_side_effect_needs_sides_and_a_factor_needs_values():
    decided = sw.Comparisons.from_arrays(winner=["a"], loser=["b"], factors={"logo": [0]})
    with pytest.raises(ModelError, match="which side"):
        sw.bradley_terry(decided, covariates=["side"])
    with pytest.raises(ModelError, match="'logo' is 0 in every comparison"):
        sw.bradley_terry(decided, covariates=["logo"])
    rows = {"left": ["a", "b"] * 2, "right": ["b", "a"] * 2, "winner": ["a", "a", "b", "b"]}
    answers = sw.Comparisons.from_arrays(**rows, factors={"one": [1] * 4, "two": [1, 0, 0, 1], "four": [2, 0, 0, 2]})
    with pytest.raises(ModelError, match="'one' is 1 in every comparison: it cannot be told from the side"):
        sw.bradley_terry(answers, covariates=["side", "one"])
    with pytest.raises(ModelError, match="covariates name one twice: side, side"):
        sw.bradley_terry(answers, covariates=["side", "side"])
    with pytest.raises(ModelError, match="two, four cannot be told apart"):
        sw.bradley_terry(answers, covariates=["two", "four"], prior=None)
    assert sw.bradley_terry(answers, covariates=["two", "four"]).fit.converged


@pytest.mark.parametrize("model", [sw.bradley_terry, sw.thurstone])
@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_the_unit_of_a_covariate_does_not_matter(model, unit):
    answers = sw.simulate.crowd(
        8, comparisons=300, factors=["logo"], kinds={"logo-biased:0.4": 1.0}, seed=1
    ).comparisons
    scaled = replace(answers, factors={"logo": unit * answers.factors["logo"]})
    plain, other = (model(rows, covariates=["side", "logo"]) for rows in (answers, scaled))
    np.testing.assert_allclose(other.raw, plain.raw, atol=1e-6)
    for name in ("estimate", "low", "high"):
        np.testing.assert_allclose(
            other.effects[name].to_numpy() * [1, unit], plain.effects[name].to_numpy(), rtol=1e-5
        )


def test_pair_counts_cannot_do_what_needs_the_single_comparisons():
    counts = random_comparisons(5, 50).counts()
    for options in ({"covariates": ["side"]}, {"intervals": "bootstrap"}, {"intervals": "sandwich"}):
        with pytest.raises(ModelError, match="forgotten the single comparisons"):
            sw.bradley_terry(counts, **options)


# Published figures


def reading_11763(data):
    with (data / "readability" / "items_472.csv").open(encoding="utf-8") as file:
        truth = {row["item"]: float(row["score"]) for row in csv.DictReader(file)}
    return sw.read(data / "readability" / "comparisons_11763.csv"), truth


def reading_12728(data):
    rows = np.loadtxt(data / "readability" / "all_pair.txt", dtype=str)
    level = dict(np.loadtxt(data / "readability" / "doc_info.txt", dtype=str))
    answers = sw.Comparisons.from_arrays(
        winner=rows[:, 1], loser=rows[:, 2], worker=rows[:, 0], items=level, on_bad="skip"
    )
    return answers, {item: float(value) for item, value in level.items()}


def imdb_48627(data):
    with (data / "imdb-wiki-sbs" / "items_9150.csv").open(encoding="utf-8") as file:
        truth = {row["item"]: float(row["score"]) for row in csv.DictReader(file)}
    return sw.read(data / "imdb-wiki-sbs" / "comparisons_union_48627.csv"), truth


# Bradley–Terry by λ, the strength of the virtual item: accuracy by Eq. 3 of the factorBT paper, and Kendall's tau-b.
# For 12,728 comparisons the CrowdBT paper prints .6760, .6796, .6815 and .6802 for λ = 0.1, 0.5, 1 and 10.
BY_STRENGTH = {
    reading_11763: {0.0001: (0.6804, 0.3407), 0.01: (0.6807, 0.3412), 0.1: (0.6825, 0.3446), 0.5: (0.6867, 0.3525),
                    1: (0.6900, 0.3588), 3: (0.6933, 0.3650), 10: (0.6907, 0.3601)},
    reading_12728: {0.0001: (0.6749, 0.3300), 0.01: (0.6751, 0.3303), 0.1: (0.6762, 0.3323), 0.5: (0.6799, 0.3393),
                    1: (0.6820, 0.3433), 3: (0.6850, 0.3490), 10: (0.6803, 0.3402)},
    imdb_48627: {0.0001: (None, 0.5029), 0.01: (None, 0.5044), 0.1: (None, 0.5088), 0.5: (None, 0.5130),
                 1: (None, 0.5128), 3: (None, 0.5079), 10: (None, 0.4972)},
}  # fmt: skip


@pytest.mark.parametrize("load", BY_STRENGTH, ids=lambda load: load.__name__)
def test_the_published_table_by_strength_of_the_virtual_item(data, load):
    answers, truth = load(data)
    for strength, (accuracy, tau) in BY_STRENGTH[load].items():
        ranking = sw.bradley_terry(answers, prior=VirtualItem(strength), intervals="none")
        assert ranking.fit.converged
        assert kendall_tau(ranking, truth, missing="drop") == pytest.approx(tau, abs=0.001)
        if accuracy is not None:
            assert pair_accuracy(ranking, truth, missing="drop") == pytest.approx(accuracy, abs=0.001)


@pytest.mark.parametrize("load", BY_STRENGTH, ids=lambda load: load.__name__)
def test_the_estimated_prior_is_nearly_as_good_as_the_best_of_the_table(data, load):
    """The default prior was chosen by this: without knowing the truth, it loses next to nothing anywhere."""
    answers, truth = load(data)
    ranking = sw.bradley_terry(answers, intervals="none")
    tau = kendall_tau(ranking, truth, missing="drop")
    assert tau > max(tau for _, tau in BY_STRENGTH[load].values()) - 0.005


def test_soft_outcomes_are_shares_of_a_win():
    soft = sw.Comparisons.from_arrays(left=["a"] * 2, right=["b"] * 2, winner=[0.7, 0.5])
    hard = sw.Comparisons.from_arrays(left=["a"] * 2, right=["b"] * 2, winner=[1.0, 0.0], weight=[1.2, 0.8])
    assert sw.bradley_terry(soft, prior=Normal(1)).raw == pytest.approx(sw.bradley_terry(hard, prior=Normal(1)).raw)
