"""Percent agreement, Cohen's kappa for two workers, and Fleiss' kappa for any number of them."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError
from sidewise.measures.answers import Answers, find_answers
from sidewise.measures.estimate import Estimate, check_confidence, quantiles
from sidewise.measures.krippendorff import coded, ordered
from sidewise.measures.profiles import Profiles

Weights = Literal["none", "linear", "quadratic"]


def percent_agreement(
    answers: Any, *, unit: str | None = None, worker: str | None = None, value: str | None = None
) -> float:
    """The share of pairs of answers to the same unit that are equal, averaged over units.

    P = mean over units of Σ_v n_v (n_v − 1) / (n (n − 1)), with n_v of its n answers saying v (Fleiss 1971);
    units with one answer have no pairs and are left out. It takes no account of chance: two coins agree half of the
    time. Prefer :func:`krippendorff_alpha` to compare tasks with different numbers of values.

    Parameters
    ----------
    answers, unit, worker, value
        As of :func:`krippendorff_alpha`.

    Examples
    --------
    >>> percent_agreement({"unit": ["a", "a", "b", "b"], "value": ["yes", "no", "yes", "yes"]})
    0.5
    """
    profiles = named_profiles(find_answers(answers, unit=unit, worker=worker, value=value))
    return float(agreeing(profiles) @ profiles.times / profiles.times.sum())


def fleiss_kappa(
    answers: Any, *, unit: str | None = None, worker: str | None = None, value: str | None = None
) -> float:
    """Fleiss' kappa: percent agreement above that of answers drawn at random from all that were given.

    κ = (P − P_e) / (1 − P_e), with P of :func:`percent_agreement` and P_e = Σ_v p_v², p_v the share of answers that
    say v (Fleiss 1971). Fleiss has the same number of answers for every unit. Where the numbers differ, every unit
    counts the same in P and every answer the same in P_e; units with one answer are left out of both.

    :func:`krippendorff_alpha` with "nominal" is the same but for a correction for few answers; it also knows values
    that are more or less far apart.

    Parameters
    ----------
    answers, unit, worker, value
        As of :func:`krippendorff_alpha`.

    Examples
    --------
    >>> answers = {"unit": [1, 1, 2, 2, 3, 3, 4, 4], "value": ["y", "y", "y", "n", "n", "n", "n", "n"]}
    >>> round(fleiss_kappa(answers), 4)
    0.4667
    """
    profiles = named_profiles(find_answers(answers, unit=unit, worker=worker, value=value))
    kappa = float(fleiss(profiles)(profiles.times[None])[0])
    if np.isnan(kappa):
        raise MeasureError(
            "all answers are alike: with nothing to disagree about, kappa is not defined; report percent_agreement"
        )
    return kappa


def cohen_kappa(
    answers: Any,
    *,
    workers: tuple[str, str] | None = None,
    weights: Weights = "none",
    unit: str | None = None,
    worker: str | None = None,
    value: str | None = None,
    levels: Sequence[str] | None = None,
) -> float:
    """Cohen's kappa of two workers: how much less they disagree than if each kept to their own habits at random.

    Over the n units that both answered, with o_ij of them given i by one worker and j by the other::

        κ = 1 − Σ w_ij o_ij / Σ w_ij e_ij        e_ij = (Σ_k o_ik) (Σ_k o_kj) / n

    where w_ij is 1 for i ≠ j ("none"), the steps between i and j ("linear"), or their square ("quadratic"; Cohen 1960,
    1968). Weights are by position: i is the place of the value among those that either worker gave, sorted (all
    levels, where these are named).

    For more than two workers take :func:`fleiss_kappa` or :func:`krippendorff_alpha`.

    Parameters
    ----------
    answers, unit, worker, value
        As of :func:`krippendorff_alpha`.
    workers
        Which two, where there are more.
    weights
        "none" for names, "linear" or "quadratic" for values in an order.
    levels
        All values from the lowest to the highest, where they are words.

    Examples
    --------
    >>> answers = {"unit": [1, 1, 2, 2, 3, 3, 4, 4], "worker": list("abababab"), "value": list("yyynnnnn")}
    >>> cohen_kappa(answers)
    0.5
    """
    found = find_answers(answers, unit=unit, worker=worker, value=value)
    crossed = cross(found, workers, weights, levels)
    return _defined(cohen(crossed, weights), crossed)


def named_profiles(answers: Answers) -> Profiles:
    """Profiles of the answers, values taken as names."""
    codes, names = coded(answers.value)
    return Profiles.of(answers.unit, codes, len(names))


def agreeing(profiles: Profiles) -> Floats:
    """The share of equal pairs of answers in each profile."""
    return np.asarray(profiles.sums(profiles.count * (profiles.count - 1)) / (profiles.size * (profiles.size - 1)))


def fleiss(profiles: Profiles) -> Callable[[Floats], Floats]:
    """Fleiss' kappa as a function of how often each profile occurs; NaN where all answers are alike."""
    share = agreeing(profiles)

    def kappa(times: Floats) -> Floats:
        counts = profiles.counts_in(times)
        chance = ((counts / counts.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
        found = times @ share / times.sum(axis=1)
        single = np.count_nonzero(counts, axis=1) == 1
        return np.asarray((found - chance) / np.where(single, np.nan, 1 - chance))

    return kappa


class Crossed(NamedTuple):
    """How often one worker said i and the other j: the pairs (i, j) that occur, and how many values there are."""

    first: np.ndarray
    second: np.ndarray
    times: Floats
    values: int
    names: tuple[str, str]


def cross(
    answers: Answers, workers: tuple[str, str] | None, weights: Weights, levels: Sequence[str] | None
) -> Crossed:  # fmt: skip
    """The answers of two workers to the units that both answered, side by side."""
    if weights not in get_args(Weights):
        raise MeasureError(f"weights={weights!r} is none of {', '.join(get_args(Weights))}")
    names = _two(answers, workers)
    codes, values = _coded(answers, weights, levels)
    one, other = (np.flatnonzero(answers.worker == answers.workers.code(name)) for name in names)
    _, left, right = np.intersect1d(answers.unit[one], answers.unit[other], assume_unique=True, return_indices=True)
    if not len(left):
        raise MeasureError(f"no unit was answered by both {names[0]!r} and {names[1]!r}")
    i, j = codes[one[left]], codes[other[right]]
    if levels is None:  # positions are among the values that these two gave
        used, again = np.unique(np.concatenate([i, j]), return_inverse=True)
        i, j, values = again[: len(i)], again[len(i) :], len(used)
    cell, times = np.unique(i * values + j, return_counts=True)
    return Crossed(cell // values, cell % values, times.astype(float), values, names)


def cohen(crossed: Crossed, weights: Weights) -> Callable[[Floats], Floats]:
    """Cohen's kappa as a function of how often each pair of values occurs; NaN where one value alone does."""
    step = np.abs(crossed.first - crossed.second).astype(float)
    weight = {"none": np.minimum(step, 1), "linear": step, "quadratic": step**2}[weights]

    def kappa(times: Floats) -> Floats:
        rows, columns = (_margins(times, side, crossed.values) for side in (crossed.first, crossed.second))
        whole = times.sum(axis=1)
        expected = _expected(rows, columns, weights) / whole
        return np.asarray(1 - times @ weight / np.where(expected > 0, expected, np.nan))

    return kappa


def cohen_interval(
    crossed: Crossed, weights: Weights, *, confidence: float, resamples: int, seed: int
) -> Estimate:  # fmt: skip
    """Cohen's kappa with a bootstrap interval over units."""
    check_confidence(confidence)
    kappa, whole = cohen(crossed, weights), crossed.times.sum()
    times = np.random.default_rng(seed).multinomial(int(whole), crossed.times / whole, size=resamples)
    low, high = quantiles(kappa(times.astype(float)), confidence)
    return Estimate(_defined(kappa, crossed), low, high, confidence)


def _defined(kappa: Callable[[Floats], Floats], crossed: Crossed) -> float:
    found = float(kappa(crossed.times[None])[0])
    if np.isnan(found):
        first, second = crossed.names
        raise MeasureError(f"{first!r} and {second!r} gave one and the same value throughout: kappa is not defined")
    return found


def _margins(times: Floats, side: np.ndarray, values: int) -> Floats:
    found = np.zeros((values, len(times)))
    np.add.at(found, side, times.T)
    return np.ascontiguousarray(found.T)


def _expected(rows: Floats, columns: Floats, weights: Weights) -> Floats:
    """Σ w_ij r_i c_j, without the matrix of weights."""
    if weights == "none":
        return np.asarray(rows.sum(axis=1) * columns.sum(axis=1) - (rows * columns).sum(axis=1))
    if weights == "linear":  # |i − j| counts the steps k that lie between them
        below, under = np.cumsum(rows, axis=1), np.cumsum(columns, axis=1)
        return np.asarray((below * (under[:, -1:] - under) + under * (below[:, -1:] - below)).sum(axis=1))
    place = np.arange(rows.shape[1])
    whole = rows.sum(axis=1) * (columns @ place**2) + columns.sum(axis=1) * (rows @ place**2)
    return np.asarray(whole - 2 * (rows @ place) * (columns @ place))


def _two(answers: Answers, workers: tuple[str, str] | None) -> tuple[str, str]:
    if answers.worker is None:
        raise MeasureError("Cohen's kappa needs to know who answered: name the worker column")
    if workers is None:
        if len(answers.workers) != 2:
            raise MeasureError(
                f"Cohen's kappa is of two workers, and there are {len(answers.workers)}: name two with workers=(…, …), "
                "or take fleiss_kappa or krippendorff_alpha",
            )
        return answers.workers[0], answers.workers[1]
    first, second = map(str, workers)
    for name in (first, second):
        if name not in answers.workers:
            raise MeasureError(f"no worker {name!r} among the {len(answers.workers)}")
    if first == second:
        raise MeasureError(f"{first!r} always agrees with {first!r}: name two different workers")
    return first, second


def _coded(answers: Answers, weights: Weights, levels: Sequence[str] | None) -> tuple[np.ndarray, int]:
    if weights == "none" and levels is None:
        codes, names = coded(answers.value)
        return codes, len(names)
    codes, numbers = ordered(answers.value, levels, "ordinal")
    return codes, len(numbers)
