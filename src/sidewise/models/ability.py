"""Ability: the share of a worker's decided answers that agree with the scores: how reliable they are."""

import numpy as np

from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Floats
from sidewise.models.win_rate import wilson
from sidewise.models.worker_table import Estimate, Reliability

EVEN = 1e-9  # of the largest score: two items that differ by less are level


def abilities(comparisons: Comparisons, scores: Floats) -> Floats:
    """The share of each worker's decided answers that agree with the scores; half where there are none.

    A soft outcome is a bit of both answers; where two items are level, an answer about them is half right.
    """
    lead = scores[comparisons.left] - scores[comparisons.right]
    lead[np.abs(lead) <= EVEN * np.abs(scores).max(initial=0.0)] = 0
    agreed = _per_worker(comparisons, 0.5 + np.sign(lead) * (comparisons.outcome - 0.5))
    answers = decided(comparisons)
    return np.divide(agreed, answers, out=np.full_like(answers, 0.5), where=answers > 0)


def decided(comparisons: Comparisons) -> Floats:
    """The weight of each worker's answers that are not ties."""
    return _per_worker(comparisons, np.ones(len(comparisons)))


def _per_worker(comparisons: Comparisons, of_row: Floats) -> Floats:
    assert comparisons.worker is not None
    counted = comparisons.weights() * (comparisons.outcome != 0.5)
    return np.asarray(np.bincount(comparisons.worker, counted * of_row, len(comparisons.workers)), float)


def as_reliability(ability: Floats, answers: Floats, level: float) -> Reliability:
    """Abilities with Wilson's limits; a typical worker agrees as often as the crowd does.

    One worker alone agrees with a ranking of their own making, which says nothing of how reliable they are: no limits.
    """
    low, high = wilson(ability, answers, level)
    if np.count_nonzero(answers) == 1:
        low, high = np.full_like(low, np.nan), np.full_like(high, np.nan)
    whole = answers.sum()
    typical = float(ability @ answers / whole) if whole else 1.0
    return Reliability(Estimate(ability, low, high), random=0.5, typical=typical)
