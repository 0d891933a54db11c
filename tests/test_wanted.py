"""Options that models share: whatever the model, a wrong one is refused in words that name it."""

from inspect import signature
from math import inf, nan

import numpy as np
import pytest

import sidewise as sw
from sidewise.models.by_name import MODELS
from sidewise.models.wanted import Wanted

WRONG = {
    "level": ["0.9", 0, 1, 95, nan, True, [0.9]],
    "tol": ["x", None, 0, -1, nan, inf],
    "limit": ["5", None, 0, 2.5, -1, nan, True],
    "seed": ["x", -1, 1.5, None],
    "replicates": ["10", 0, 1, 2.5, None],
    "intervals": [None, "foo", 3, ["none"], np.array([1, 2])],
    "unit": [None, "x", ["worker"], np.array([1, 2])],
    "credit": [None, 3, ("a", 1), (1,), (1, -1), (nan, 1), "41"],
    "bias_sd": ["x", 0, -1, nan, 1e308, 1e-200, np.array([1, 2])],
    "sensitivity_sd": ["x", 0, -1, nan, inf, 1e308, 1e-200],
    "penalty": ["x", -1, nan],
    "points": ["x", 1, 2.5, None],
    "factors": ["side", ["nope"], 3, ["side", "side"]],
    "covariates": ["side", ["nope"], 3],
    "damping": ["x", 0, 1, None],
    "orders": ["x", -1, 1.5, None],
    "k": ["x", 0, None],
}
ANSWERS = sw.simulate.crowd(5, workers=12, comparisons=100, seed=1).comparisons


OPTIONS = [
    (name, option) for name, model in MODELS.items() for option in signature(model).parameters if option in WRONG
]


@pytest.mark.parametrize(("model", "option"), OPTIONS)
def test_a_wrong_option_is_refused_by_name(model, option):
    for value in WRONG[option]:
        with pytest.raises(sw.SidewiseError) as refused:
            sw.rank(ANSWERS, model, **{option: value})
        assert option.rstrip("s").split("_")[0] in str(refused.value), (value, refused.value)


@pytest.mark.parametrize("wrong", ["1", nan, inf, 0, -1, True])
@pytest.mark.parametrize("prior", [sw.Normal, sw.VirtualItem])
def test_a_prior_is_as_wide_as_a_number(prior, wrong):
    with pytest.raises(sw.SidewiseError, match="is a positive number, not"):
        prior(wrong)


def test_the_options_that_models_share_are_listed_once():
    """What a model calls by the name of a shared option is that option: none has a type of its own."""
    shared = {name for name in Wanted.__dataclass_fields__ if name not in ("known", "intervals")}
    kinds = {name: set() for name in shared}
    for model in MODELS.values():
        for name, parameter in signature(model).parameters.items():
            if name in shared:
                kinds[name].add(str(parameter.annotation))
    assert {name for name, found in kinds.items() if len(found) != 1} == set()


@pytest.mark.parametrize("wrong", [1e-200, 1e200])
def test_a_width_whose_square_is_out_of_reach_is_refused(wrong):
    with pytest.raises(sw.SidewiseError, match="between 1e-100 and 1e\\+100"):
        sw.Normal(wrong)


@pytest.mark.parametrize("two", [np.int64(2), np.float32(2)])
def test_widths_are_numbers_of_any_kind(two):
    """NumPy's whole numbers have no negative powers."""
    for model in (sw.bradley_terry, sw.worker_bt, sw.crowd_bt, sw.factor_bt):
        np.testing.assert_allclose(model(ANSWERS, prior=sw.Normal(two)).raw, model(ANSWERS, prior=sw.Normal(2)).raw)
    np.testing.assert_allclose(sw.factor_bt(ANSWERS, bias_sd=two).raw, sw.factor_bt(ANSWERS, bias_sd=2.0).raw)


def test_numbers_of_numpy_are_numbers():
    one, two = (
        sw.crowd_bt(ANSWERS, level=np.float64(0.9), limit=np.int64(300), tol=tol) for tol in (1e-3, np.float32(1e-3))
    )
    np.testing.assert_allclose(one.raw, two.raw, atol=1e-3)
