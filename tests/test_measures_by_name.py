"""Measures by name: what is written, what it means, and what is said where it means nothing."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidewise.errors import MeasureError
from sidewise.measures import find_measure, kendall_tau, ndcg, pair_accuracy, rmse
from sidewise.measures.by_name import MEASURES, OF_RUNS, Measure, as_measure, make_measure
from sidewise.measures.preference import KERNELS

SCORE, TRUTH = {"a": 3, "b": 1, "c": 2}, {"a": 2, "b": 2, "c": 1}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("ndcg", "ndcg"),
        ("nDCG@10", "ndcg@10"),
        ("ndcg@10(gain=exp2)", "ndcg@10(gain=exp2)"),
        ("nDCG(gain='exp2')@10", "ndcg@10(gain=exp2)"),
        ("ndcg( ties = first, gain=exp2 ) @ 5", "ndcg@5(gain=exp2,ties=first)"),
        ("ndcg(gain=linear,ties=average)", "ndcg"),
        ("Pair_Accuracy", "pair-accuracy"),
        ("weighted-pair-accuracy", "pair-accuracy(weight=difference)"),
        ("kendall-tau-b", "kendall-tau"),
        ("kendall-tau-c", "kendall-tau(variant=c)"),
        ("tau", "kendall-tau"),
        ("SROCC", "spearman"),
        ("err@20", "err@20"),
        ("expected-reciprocal-rank(highest=4)", "err(highest=4)"),
        ("rmse(fit=scale)", "rmse(fit=scale)"),
    ],
)
def test_a_measure_has_one_name_however_it_is_written(written, name):
    found = find_measure(written)
    assert str(found) == name
    assert find_measure(str(found)) == found
    assert hash(find_measure(str(found))) == hash(found)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("ndgc@10", "no measure 'ndgc@10'; did you mean ndcg\\? there are: err, kendall-tau, ndcg"),
        ("kendal", "did you mean kendall or kendall-tau\\?"),
        ("zzz", "no measure 'zzz'; there are: err"),
        ("", "is not the name of a measure; names look like ndcg@10"),
        ("ndcg@5@10", "is not the name"),
        ("ndcg(gain=exp2", "is not the name"),
        ("ndcg@ten", "after @ comes a whole number"),
        ("ndcg@0", "after @ comes a whole number"),
        ("ndcg@", "after @ comes a whole number"),
        ("spearman@10", "spearman looks at all items, not at the top 10; of the top are: err@k, ndcg@k"),
        ("ndcg(gain=log)", "ndcg: gain='log' is not one of: linear, exp2"),
        ("ndcg(base=2)", "ndcg has no option 'base'; it takes: gain, ties"),
        ("pearson(ties=half)", "pearson has no option 'ties'; it takes none"),
        ("ndcg(exp2)", "write each option once, as in"),
        ("ndcg(gain=exp2,gain=linear)", "write each option once, as in"),
        ("kendall-tau-c(variant=b)", "write each option once, as in"),
        ("err(highest=high)", "err: highest='high' is not a number"),
        ("ppref@10", "give a run and preference judgments .*measures.ppref"),
        ("Average_ppref", "measures.average_ppref"),
    ],
)
def test_what_is_no_measure_is_explained(written, says):
    with pytest.raises(MeasureError, match=says):
        find_measure(written)


def test_measures_of_runs_are_known_for_what_they_are():
    assert set(OF_RUNS) == {*KERNELS, "compatibility"}


def every_measure():
    """Measures with any of their options."""
    return st.sampled_from(sorted(MEASURES)).flatmap(
        lambda name: st.builds(
            make_measure,
            st.just(name),
            st.one_of(st.none(), st.integers(1, 100)) if MEASURES[name].at else st.none(),
            st.fixed_dictionaries({}, optional={option: st.sampled_from(words)
                                                for option, words in MEASURES[name].options.items()}),
        )
    )  # fmt: skip


@given(every_measure())
def test_every_measure_can_be_read_from_its_name(measure):
    assert find_measure(str(measure)) == measure
    assert isinstance(measure(SCORE, TRUTH), float)


@pytest.mark.parametrize("name", MEASURES)
def test_a_name_gives_what_the_function_gives(name):
    assert find_measure(name)(SCORE, TRUTH) == MEASURES[name].function(SCORE, TRUTH)
    assert as_measure(MEASURES[name].function) == find_measure(name)


def test_options_reach_the_function():
    assert find_measure("ndcg@2(gain=exp2)")(SCORE, TRUTH) == ndcg(SCORE, TRUTH, k=2, gain="exp2")
    assert find_measure("tau-c")(SCORE, TRUTH) == kendall_tau(SCORE, TRUTH, variant="c")
    assert find_measure("accuracy(ties=half)")(SCORE, {**TRUTH, "d": 1}, missing="drop") == 0.5


def test_functions_and_partials_become_measures():
    assert as_measure(partial(ndcg, k=10, gain="exp2")) == find_measure("ndcg@10(gain=exp2)")
    assert as_measure(partial(ndcg, k=None)) == Measure("ndcg")
    assert as_measure(partial(rmse, fit="scale")) == find_measure("rmse(fit=scale)")
    with pytest.raises(MeasureError, match="pair-accuracy has no option 'item_weight'"):
        as_measure(partial(pair_accuracy, item_weight=[1, 2]))
    with pytest.raises(MeasureError, match="neither the name of a measure nor a function"):
        as_measure(10)
    own = lambda score, truth: 1.0  # noqa: E731, ARG005
    assert as_measure(own) is own
