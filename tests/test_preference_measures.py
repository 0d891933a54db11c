"""Precision and recall of preferences and their kin: hand-computed values, plain versions, others' evaluators."""

from itertools import combinations, pairwise, permutations
from math import log2

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidewise.errors import MeasureError
from sidewise.measures.compatibility import compatibility
from sidewise.measures.curve import plot_curves, preference_curve
from sidewise.measures.preference import average_ppref, nwppref, ppref, rpref, wppref
from sidewise.measures.preference_grades import run_err, run_ndcg
from sidewise.measures.preference_result import PerQuery
from sidewise.preferences import Preferences, Qrels, Run, closure, read_preferences, read_run

RANKS = (1, 5, 10, 25, 50)


def made(*rows, graded=False):
    first, second, judgment = zip(*rows, strict=True)
    return Preferences.from_arrays(
        query=["q"] * len(rows), first=first, second=second, judgment=judgment, graded=graded
    )


def preferred(judged, query="q", **options):
    """All preferences of a query: (better, worse) → degree."""
    table = closure(judged, **options).to_frame().to_pydict()
    rows = zip(table["query"], table["better"], table["worse"], table["degree"], strict=True)
    return {(a, b): degree for name, a, b, degree in rows if name == query}


class Plain:
    """The paper's definitions, pair by pair."""

    def __init__(self, pairs, ranked):
        rank = {name: place for place, name in enumerate(ranked, 1)}
        self.pairs = [(rank.get(a, np.inf), rank.get(b, np.inf), degree) for (a, b), degree in pairs.items()]
        self.last = len(ranked)

    def ordered(self, k):
        return [(a, b, degree) for a, b, degree in self.pairs if min(a, b) <= k]

    def correct(self, k):
        return [pair for pair in self.ordered(k) if pair[0] < pair[1]]

    def ppref(self, k):
        return len(self.correct(k)) / len(self.ordered(k)) if self.ordered(k) else 0.0

    def rpref(self, k):
        return len(self.correct(k)) / len(self.pairs)

    def average_ppref(self):
        rises = [k for k in range(1, self.last + 1) if len(self.correct(k)) > len(self.correct(k - 1))]
        return sum(map(self.ppref, rises)) / len(rises) if rises else 0.0

    def wppref(self, k):
        def weight(pairs):
            return sum((2**degree - 1) / log2(min(a, b) + 1) for a, b, degree in pairs)

        return weight(self.correct(k)) / weight(self.ordered(k)) if self.ordered(k) else 0.0


@st.composite
def judged_runs(draw):
    """Judgments along a hidden order, graded or not, some documents bad, and a run that has retrieved some of them."""
    size = draw(st.integers(2, 8))
    names = [f"d{place}" for place in range(size)]
    graded = draw(st.booleans())
    every = list(combinations(range(size), 2))
    chosen = draw(st.lists(st.sampled_from(every), min_size=1, max_size=12, unique=True))
    degree = st.integers(1, 3) if graded else st.just(1)
    rows = [(names[a], names[b], -draw(degree)) for a, b in chosen]
    rows += [(names[-1], "NA", -2)] if draw(st.booleans()) else []
    found = draw(st.permutations([*names, "x", "y", "z"]))
    return made(*rows, graded=graded), found[: draw(st.integers(1, size + 3))]


@given(judged_runs(), st.sampled_from([1, 2, 3, 5, 20, None]))
def test_the_measures_are_the_papers_definitions(some, k):
    judged, ranked = some
    plain = Plain(preferred(judged), ranked)
    deep = 100 if k is None else k
    run = {"q": ranked}
    assert ppref(run, judged, k)["q"] == pytest.approx(plain.ppref(deep))
    assert rpref(run, judged, k)["q"] == pytest.approx(plain.rpref(deep))
    assert average_ppref(run, judged)["q"] == pytest.approx(plain.average_ppref())
    assert wppref(run, judged, k)["q"] == pytest.approx(plain.wppref(deep))
    assert rpref(run, judged, k)["q"] <= ppref(run, judged, k)["q"]


def test_five_documents_at_the_top_order_5n_minus_15_pairs():
    """The paper's own example: k(2n − k − 1)/2 pairs, here of n = 20 documents in full order."""
    names = [f"d{place:02}" for place in range(20)]
    judged = made(*((a, b, -1) for a, b in combinations(names, 2)))
    assert rpref({"q": names}, judged, 5)["q"] == pytest.approx((5 * 20 - 15) / 190)
    assert ppref({"q": names[::-1]}, judged, 5)["q"] == 0
    assert ppref({"q": names}, judged, 5)["q"] == 1


def test_at_the_last_rank_they_are_kendalls_tau():
    from scipy.stats import kendalltau

    names = [f"d{place:02}" for place in range(15)]
    judged = made(*((a, b, -1) for a, b in pairwise(names)))
    ranked = list(np.random.default_rng(1).permutation(names))
    tau = kendalltau(range(15), [ranked.index(name) for name in names]).statistic
    for measure in (ppref, rpref):
        assert 2 * measure({"q": ranked}, judged, None)["q"] - 1 == pytest.approx(tau)


def test_a_document_that_was_not_retrieved_stands_below_all_that_were():
    judged = made(("a", "b", -1), ("c", "d", -1), ("e", "f", -1))
    found = {"q": ["a", "d"]}  # a over b rightly, d over c wrongly, e and f in no order
    assert ppref(found, judged, None)["q"] == 0.5
    assert rpref(found, judged, None)["q"] == pytest.approx(1 / 3)
    assert ppref(found, judged, 1)["q"] == 1
    assert ppref(found, judged, 1000)["q"] == 0.5  # fewer than k: all that there are


def test_pairs_without_a_preference_count_nowhere():
    judged = made(("a", "b", 0), ("c", "NA", -2), ("d", "NA", -2), ("a", "e", -1))
    assert ppref({"q": ["c", "d", "b", "a", "e"]}, judged, 2)["q"] == 0  # three good documents below each
    assert rpref({"q": ["b", "a", "e", "d", "c"]}, judged, None)["q"] == 1


def test_queries_without_preferences_are_left_out_and_missing_ones_are_zero():
    rows = [("one", "a", "b", -1), ("two", "a", "b", 0), ("three", "a", "NA", -2), ("four", "a", "b", -1)]
    query, first, second, judgment = zip(*rows, strict=True)
    judged = Preferences.from_arrays(query=query, first=first, second=second, judgment=judgment)
    run = {"one": ["a", "b"], "two": ["a", "b"], "stranger": ["a"]}
    found = ppref(run, judged)
    assert np.array_equal(found.values, [1, np.nan, np.nan, 0], equal_nan=True)
    assert found.mean == 0.5
    assert found.notes == (
        "2 queries (two, three): no preferences to measure by; left out",
        "1 query (four): judged, but not in the run; counted as 0",
        "1 query (stranger): in the run, but not judged; left out",
    )
    skipped = ppref(run, judged, missing="skip")
    assert skipped.mean == 1
    assert repr(skipped) == "PerQuery(ppref@10 = 1.0000, 1 query)"
    for measure in (rpref, wppref, nwppref, average_ppref, compatibility):
        assert np.isnan(measure(run, judged)["two"]) == (measure is not compatibility)
        assert np.isnan(measure(run, judged)["three"])
        assert measure(run, judged)["four"] == 0
        assert np.isnan(measure(run, judged, missing="skip")["four"])


def test_a_run_that_orders_nothing_scores_nothing():
    """Not NaN: the same queries count for all runs, and none gains by returning what nobody judged."""
    judged = made(("a", "b", -1))
    for measure in (ppref, rpref, wppref, nwppref, average_ppref, compatibility):
        assert measure({"q": ["x", "y"]}, judged)["q"] == 0
        assert measure({"q": []}, judged)["q"] == 0
    assert average_ppref({"q": ["b", "a"]}, judged)["q"] == 0  # nothing right: rpref never rises


def test_what_cannot_be_measured_is_said():
    judged = made(("a", "b", -1))
    with pytest.raises(MeasureError, match="no query that was judged: it has '7', and the data has 'q'"):
        ppref({"7": ["a"]}, judged)
    for run in ("run.txt", None, ["a"]):
        with pytest.raises(MeasureError, match="a run is wanted, not"):
            ppref(run, judged)
    for wrong in ("prefs.txt", Qrels({"q": {"a": 1.0}})):
        with pytest.raises(MeasureError, match="preferences are wanted, not"):
            average_ppref({"q": ["a"]}, wrong)
    with pytest.raises(MeasureError, match="grades of relevance are wanted, not Preferences"):
        run_ndcg({"q": ["a"]}, judged)
    for k in (0, -1, 2.5, True, "10"):
        with pytest.raises(MeasureError, match="a whole number of ranks, 1 or more, or None"):
            ppref({"q": ["a"]}, judged, k)
    with pytest.raises(MeasureError, match="missing='error' is neither 'zero' nor 'skip'"):
        rpref({"q": ["a"]}, judged, missing="error")
    with pytest.raises(MeasureError, match="p=1.5"):
        compatibility({"q": ["a"]}, judged, p=1.5)
    with pytest.raises(MeasureError, match="depth=0"):
        compatibility({"q": ["a"]}, judged, depth=0)
    with pytest.raises(MeasureError, match="levels=1"):
        preference_curve({"q": ["a"]}, judged, levels=1)


def test_strong_preferences_and_high_ranks_weigh_more():
    """By hand: a ≫ b (3), c > b (1); b c a: b > c wrong at 1 (weight 1), b > a wrong at 1 (7), c–a nothing."""
    judged = made(("a", "b", -3), ("c", "b", -1), graded=True)
    assert wppref({"q": ["b", "c", "a"]}, judged)["q"] == 0
    # c b a: c > b right at rank 1 (1 / log₂ 2), a ≫ b wrong at rank 2 (7 / log₂ 3)
    assert wppref({"q": ["c", "b", "a"]}, judged)["q"] == pytest.approx(1 / (1 + 7 / log2(3)))
    assert wppref({"q": ["a", "b", "c"]}, judged)["q"] == pytest.approx(7 / (7 + 1 / log2(3)))


@given(judged_runs(), st.integers(1, 4))
def test_the_best_possible_wppref_is_1(some, k):
    """Over all orders of the judged documents: so that nwppref is wppref where preferences contradict nothing."""
    judged, ranked = some
    names = sorted(judged.documents)[:5]
    held = {pair: degree for pair, degree in preferred(judged).items() if set(pair) <= set(names)}
    if held:
        assert max(Plain(held, order).wppref(k) for order in permutations(names)) == pytest.approx(1)
    assert nwppref({"q": ranked}, judged, k)["q"] == wppref({"q": ranked}, judged, k)["q"]


def test_the_best_run_of_contradictory_preferences_is_not_looked_for():
    ring = made(("a", "b", -1), ("b", "c", -1), ("c", "a", -1))
    stated = closure(ring, transitive=False)
    assert wppref({"q": ["a", "b", "c"]}, stated)["q"] > 0.5
    with pytest.raises(MeasureError, match="query q: the preferences contradict each other"):
        nwppref({"q": ["a", "b", "c"]}, stated)
    with pytest.raises(MeasureError, match="transitive=True"):
        compatibility({"q": ["a", "b", "c"]}, stated)
    straight = closure(made(("a", "b", -1), ("b", "c", -1)), transitive=False)
    assert nwppref({"q": ["a", "b", "c"]}, straight)["q"] == 1


def test_groups_of_judges_are_counted_together():
    judged = Preferences.from_arrays(
        query=["q"] * 3, first=["a", "a", "b"], second=["b", "c", "a"], judgment=[-1] * 3, group=["me", "me", "you"]
    )
    run = {"q": ["a", "b", "c"]}  # right: a > b and a > c, which I said; wrong: b > a, which you said
    assert ppref(run, judged, 1)["q"] == pytest.approx(2 / 3)
    assert rpref(run, judged, 1)["q"] == pytest.approx(2 / 3)
    assert average_ppref(run, judged)["q"] == pytest.approx(2 / 3)
    with pytest.raises(MeasureError, match="contradict"):
        nwppref(run, judged)


def expected(path):
    rows = (line.split() for line in path.read_text().splitlines())
    return {name: float(value) for name, _, value in rows}


def their_preferences(judged, run):
    """The other evaluator's preferences: a bad document stands only below those that are preferred to some other, and
    pairs of one of these that was not retrieved with a bad one that was are left out.
    """
    rows = []
    for query in judged.queries:
        pairs = preferred(judged.rows(np.flatnonzero(abs(judged.judgment) < 2)), query)
        bad = {name for order in closure(judged)[query] for name in order.bad_documents()}
        rows += [(query, a, b) for a, b in pairs]
        above = {a for a, _ in pairs}
        rows += [(query, a, b) for a in above for b in bad if a in run[query] or b not in run[query]]
    query, first, second = zip(*sorted(rows), strict=True)
    return Preferences.from_arrays(query=query, first=first, second=second, judgment=[-1] * len(rows))


@pytest.mark.parametrize("size", ["", "small_"])
def test_ppref_and_rpref_agree_with_another_evaluator(data, size):
    """To all of its four digits, given its preferences."""
    folder = data / "preference-measures"
    run = read_run(folder / f"{size}results.txt", order="rank")
    theirs = closure(their_preferences(read_preferences(folder / f"{size}preferences.txt"), run), transitive=False)
    told = expected(folder / f"{size}expected_results.txt")
    assert len(theirs) == told["mnum_pref_total"] * told["num_q"]
    for k in RANKS:
        assert float(ppref(run, theirs, k)) == pytest.approx(told[f"mppref{k}"], abs=5.1e-5)
        assert float(rpref(run, theirs, k)) == pytest.approx(told[f"mrpref{k}"], abs=5.1e-5)
    assert float(rpref(run, theirs, None)) == pytest.approx(told["mrprefMax"], abs=5.1e-5)


def test_a_query_without_bad_documents_agrees_with_no_more_ado(data):
    """The other evaluator prints means of two queries: one has no bad documents, and its preferences are ours."""
    folder = data / "preference-measures"
    judged, run = read_preferences(folder / "preferences.txt"), read_run(folder / "results.txt")
    theirs = closure(their_preferences(judged, run), transitive=False)
    assert [sum(map(len, closure(judged)[query])) for query in judged.queries] == [171, 329]
    assert [sum(map(len, theirs[query])) for query in judged.queries] == [171, 197]
    for measure in (ppref, rpref, wppref):
        assert measure(run, judged)["1435"] == measure(run, theirs)["1435"]
    # The paper has bad documents below all others: the mean of ppref@10 is then .8058, and not .6681.
    assert float(ppref(run, judged)) == pytest.approx(0.8058, abs=5e-5)


def test_where_the_other_evaluator_leaves_the_paper(data):
    """Its small example by hand: 1 > 2, 1 > 3, 3 > 2, and 4 is bad; the run is 1, 2, 3."""
    folder = data / "preference-measures"
    judged, run = read_preferences(folder / "small_preferences.txt"), read_run(folder / "small_results.txt")
    told = expected(folder / "small_expected_results.txt")
    # Bad documents are below all others: also 2 > 4, which it does not count.
    assert told["mppref5"] == 0.8
    assert ppref(run, judged, 5)["0"] == pytest.approx(5 / 6)
    # rpref rises at rank 1 (3 right of 3), rank 2 (4 of 5) and rank 3 (5 of 6).
    assert told["mAPpref"] == 0.9
    assert average_ppref(run, judged)["0"] == pytest.approx((1 + 4 / 5 + 5 / 6) / 3)
    # Weights 1, 1/log₂ 3 and 1/2 at ranks 1, 2 and 3: a share, where it has a sum, with 1/(log₂ r + 1).
    assert told["mwpref5"] == pytest.approx(3 + 1 / (log2(3) + 1), abs=5e-5)
    by_hand = (3 + 1 / log2(3) + 1 / 2) / (3 + 2 / log2(3) + 1 / 2)
    assert wppref(run, judged, 5)["0"] == pytest.approx(by_hand)
    # Its nwpref is that share, by its own weights and pairs; the paper divides by the best share, which is 1.
    assert told["mnwpref5"] == pytest.approx((3 + 1 / (log2(3) + 1)) / (3.5 + 1 / (log2(3) + 1)), abs=5e-5)
    assert nwppref(run, judged, 5)["0"] == pytest.approx(by_hand)


def test_the_other_evaluators_appref_averages_over_all_preferred_documents(data):
    """So computed, with rpref for those not retrieved, its figure comes out; the paper's average is another one."""
    folder = data / "preference-measures"
    run = read_run(folder / "results.txt", order="rank")
    judged = their_preferences(read_preferences(folder / "preferences.txt"), run)
    theirs = closure(judged, transitive=False)
    values = []
    for query in theirs.queries:
        pairs = preferred(judged, query, transitive=False)
        plain = Plain(pairs, run[query])
        ranks = {name: place for place, name in enumerate(run[query], 1)}
        at = [plain.ppref(ranks[name]) if name in ranks else plain.rpref(1000) for name in {a for a, _ in pairs}]
        values.append(np.mean(at))
        assert average_ppref(run, theirs)[query] == pytest.approx(plain.average_ppref())
    assert np.mean(values) == pytest.approx(expected(folder / "expected_results.txt")["mAPpref"], abs=5.1e-5)
    assert float(average_ppref(run, theirs)) == pytest.approx(0.7182, abs=5e-5)


def test_trec_evals_preference_measures(data):
    """rpref at the last rank is its prefs_simp, ppref its prefs_simp_imp; it says 0 where there are no preferences."""
    judged = read_preferences(data / "trec-eval" / "prefs.test")
    run = read_run(data / "trec-eval" / "prefs.results.test")
    told = {}
    for line in (data / "trec-eval" / "out.test.prefs").read_text().splitlines():
        name, query, value = line.split()
        told[name, query] = value
    recall, precision = rpref(run, judged, None), ppref(run, judged, None)
    for query in judged.queries:
        assert np.nan_to_num(recall[query]) == pytest.approx(float(told["prefs_simp", query]), abs=5.1e-5)
        assert np.nan_to_num(precision[query]) == pytest.approx(float(told["prefs_simp_imp", query]), abs=5.1e-5)
        total = sum(map(len, closure(judged)[query]))
        assert round(np.nan_to_num(recall[query]) * total) == int(told["prefs_num_prefs_ful", query])
    assert np.nan_to_num(recall.values).mean() == pytest.approx(float(told["prefs_simp", "all"]), abs=5.1e-5)


def rank_biased_overlap(ranked, ideal, p, depth):
    """The definition, depth by depth."""
    shares = [p ** (d - 1) * len(set(ranked[:d]) & set(ideal[:d])) / d for d in range(1, depth + 1)]
    return sum(shares) / sum(p ** (d - 1) for d in range(1, depth + 1))


@given(st.integers(0, 10**6), st.sampled_from([0.8, 0.95]))
def test_compatibility_with_grades_agrees_with_ir_measures(seed, p):
    rng = np.random.default_rng(seed)
    names = [f"d{place}" for place in range(12)]
    grades = {name: int(rng.integers(0, 4)) for name in names[: rng.integers(1, 12)]}
    grades[names[0]] = 2
    ranked = [str(name) for name in rng.permutation(names)[: rng.integers(1, 12)]]
    depth = max(len(ranked), sum(grade > 0 for grade in grades.values()))
    scores = {name: 100.0 - place for place, name in enumerate(ranked)}
    measure = ir_measures.Compat(p=p)
    told = ir_measures.calc_aggregate([measure], {"q": grades}, {"q": scores})[measure]
    found = compatibility({"q": ranked}, Qrels({"q": grades}), p=p, depth=depth)["q"]
    assert found == pytest.approx(told)
    as_preferences = Qrels({"q": grades}).preferences(zero="bad")
    if len({max(grade, 0) for grade in grades.values()}) > 1:
        assert compatibility({"q": ranked}, as_preferences, p=p, depth=depth)["q"] == pytest.approx(told)


@given(judged_runs())
def test_the_ideal_ranking_holds_every_preference_and_is_near_the_best(some):
    judged, ranked = some
    held = preferred(judged)
    bad = set(closure(judged)["q"][0].bad_documents())
    good = [name for name in judged.documents if name not in bad]
    among = [(a, b) for a, b in held if not {a, b} & bad]
    orders = permutations(good) if len(good) < 7 else ()
    ideals = [order for order in orders if all(order.index(a) < order.index(b) for a, b in among)]
    found = compatibility({"q": ranked}, judged, depth=30)["q"]
    if ideals:
        itself = rank_biased_overlap(good, good, 0.95, 30)
        best = max(rank_biased_overlap(ranked, order, 0.95, 30) for order in ideals) / itself
        assert 0.8 * best <= found <= best + 1e-9
        shares = {round(rank_biased_overlap(ranked, order, 0.95, 30) / itself, 9) for order in ideals}
        assert round(found, 9) in shares


def test_compatibility_by_hand():
    """p = 1/2, depth 3: the ideal ranking is a b c, overlaps 0/1, 2/2, 2/3 with b a x; with itself 1, 1, 1."""
    judged = made(("a", "b", -1), ("b", "c", -1), ("d", "NA", -2))
    found = compatibility({"q": ["b", "a", "x"]}, judged, p=0.5, depth=3)["q"]
    assert found == pytest.approx((0.5 * 1 + 0.25 * 2 / 3) / 1.75)
    assert compatibility({"q": ["a", "b", "c", "d"]}, judged)["q"] == pytest.approx(1)


def test_equal_documents_are_taken_in_the_runs_order():
    judged = made(("a", "c", -1), ("b", "c", -1), ("a", "d", -1), ("b", "d", -1))
    for ranked in (["a", "b", "c", "d"], ["b", "a", "d", "c"], ["a", "b", "d", "c"]):
        assert compatibility({"q": ranked}, judged)["q"] == pytest.approx(1)
    assert compatibility({"q": ["a", "c", "b", "d"]}, judged)["q"] < 1


@given(judged_runs())
def test_the_curve_is_the_best_precision_from_each_recall_on(some):
    judged, ranked = some
    plain = Plain(preferred(judged), ranked)
    curve = preference_curve({"q": ranked}, judged, levels=21)
    points = [(plain.rpref(k), plain.ppref(k)) for k in range(1, len(ranked) + 1)]
    for level, found in zip(curve.recall.tolist(), curve.precision.tolist(), strict=True):
        assert found == pytest.approx(max((p for r, p in points if r >= level - 1e-9), default=0.0))
    assert (np.diff(curve.precision) <= 0).all()


def test_curves_leave_out_what_has_no_preferences_and_have_intervals():
    query = ["1", "1", "2", "3", "4"]
    judged = Preferences.from_arrays(
        query=query, first=["a", "b", "a", "a", "a"], second=["b", "c", "b", "b", "b"], judgment=[-1, -1, -1, 0, -1]
    )
    run = Run.from_lists({"1": ["a", "b", "c"], "2": ["b", "a"], "3": ["a"]})
    curve = preference_curve(run, judged, levels=11)
    assert curve.queries == ("1", "2", "4")
    assert curve.precisions[:, 0].tolist() == [1, 0, 0]
    assert preference_curve(run, judged, missing="skip").queries == ("1", "2")
    low, high = curve.interval(seed=1)
    assert (low <= curve.precision).all()
    assert (curve.precision <= high).all()
    assert curve.to_frame().column_names == ["recall", "precision", "low", "high"]
    assert repr(curve) == "PreferenceCurve(3 queries, 11 levels)"
    with pytest.raises(MeasureError, match="no query has preferences"):
        preference_curve({"3": ["a"]}, judged.select(["3"]))
    drawn = plot_curves({"one": curve, "other": curve}).to_dict()
    assert drawn["layer"][1]["encoding"]["color"]["scale"]["domain"] == ["one", "other"]
    assert curve.plot().to_dict()["layer"][1]["encoding"]["color"]["legend"] is None


def test_values_of_queries_and_their_mean():
    found = PerQuery("ppref@10", ("1", "2", "3"), np.array([0.2, np.nan, 0.6]))
    assert found.mean == float(found) == pytest.approx(0.4)
    assert found.to_frame().to_pydict() == {"query": ["1", "2", "3"], "value": [0.2, None, 0.6]}
    assert found.estimate(seed=1).low == pytest.approx(0.2)
    assert len(found) == 3
    nothing = PerQuery("ppref@10", ("1",), np.array([np.nan]))
    assert np.isnan(nothing.mean)
    assert np.isnan(nothing.estimate().low)


def test_two_runs_are_told_apart_by_exchanging_their_values():
    """Three queries, all better by .1: of 8 exchanges two are as far apart, so p = 1/4."""
    names = ("1", "2", "3", "4")
    first = PerQuery("ppref@10", names, np.array([0.5, 0.6, 0.7, np.nan]))
    second = PerQuery("ppref@10", names, np.array([0.4, 0.5, 0.6, 0.2]))
    lead = first.against(second)
    assert lead.value == pytest.approx(0.1)
    assert lead.p_value == 0.25
    back = second.against(first)
    assert (back.value, back.p_value) == (pytest.approx(-0.1), 0.25)  # the worse run is as far from the better one
    assert first.against(first).p_value == 1
    with pytest.raises(MeasureError, match="ppref@10 of one run cannot be held against rpref of another"):
        first.against(PerQuery("rpref", names, second.values))
    with pytest.raises(MeasureError, match="no query for which both runs have a value"):
        first.against(PerQuery("ppref@10", ("9",), np.array([0.5])))


def test_the_sampled_test_agrees_with_scipys():
    from scipy.stats import permutation_test

    rng = np.random.default_rng(5)
    a, b = rng.random(30), rng.random(30) - 0.12
    names = tuple(map(str, range(30)))
    found = PerQuery("x", names, a).against(PerQuery("x", names, b), resamples=20_000, seed=1)
    told = permutation_test(
        (a - b,), lambda lead, axis: lead.mean(axis=axis), permutation_type="samples", n_resamples=20_000, rng=2
    )
    assert found.p_value == pytest.approx(told.pvalue, abs=0.01)


def test_ndcg_of_a_run_agrees_with_trec_eval():
    rng = np.random.default_rng(4)
    names = [f"d{place}" for place in range(30)]
    grades = {q: {name: int(rng.integers(-1, 4)) for name in rng.choice(names, 12, replace=False)} for q in ("1", "2")}
    ranked = {q: [str(name) for name in rng.permutation(names)[:size]] for q, size in (("1", 25), ("2", 4))}
    scores = {q: {name: 50.0 - place for place, name in enumerate(some)} for q, some in ranked.items()}
    for k in (3, 10):
        measure = ir_measures.nDCG @ k
        told = {one.query_id: one.value for one in ir_measures.iter_calc([measure], grades, scores)}
        found = run_ndcg(ranked, Qrels(grades), k)
        assert found.to_dict() == pytest.approx(told)
    assert run_ndcg(ranked, Qrels(grades), None, gain="exp2").values.max() <= 1
    with pytest.raises(MeasureError, match="gain='log' is neither"):
        run_ndcg(ranked, Qrels(grades), gain="log")


def test_err_of_a_run_by_hand():
    """Grades 1, unjudged, 2 of at most 2: 1/4 stop at once, none at rank 2, 3/4 of the rest at rank 3."""
    qrels = Qrels({"q": {"a": 2.0, "b": 1.0}, "none": {"a": 0.0}, "gone": {"a": 1.0}})
    found = run_err({"q": ["b", "x", "a"], "none": ["a"]}, qrels)
    assert found["q"] == pytest.approx(1 / 4 + 3 / 4 * 3 / 4 / 3)
    assert run_err({"q": ["b", "x", "a"]}, qrels, 2)["q"] == pytest.approx(1 / 4)
    assert np.isnan(found["none"])
    assert found["gone"] == 0
    assert run_ndcg({"q": []}, qrels)["q"] == 0
