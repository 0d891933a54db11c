"""Campaigns that are under way, as strategies see them: who was asked about what, and the answers."""

import numpy as np
from numpy.typing import NDArray

from sidewise.sampling.state import NO_PAIRS, Positions, State

TRIALS = 5  # standard trials: all pairs, once each
RANGE = 5.0  # scores are uniform on [0, RANGE], in units of the noise: P(i beats j) = Φ(r_i − r_j)
SEED = 2020


def standard_trials(n: int, trials: int = TRIALS, seed: int = SEED) -> State:
    """All pairs asked so often."""
    left, right = np.triu_indices(n, 1)
    rng = np.random.default_rng([seed, n])
    return _answered(n, np.tile(left, trials), np.tile(right, trials), rng)


def random_pairs(n: int, each: int, seed: int = SEED) -> State:
    """Every item in about so many comparisons, with random others."""
    rng = np.random.default_rng([seed, n])
    left = rng.integers(n, size=n * each // 2)
    right = (left + rng.integers(1, n, size=len(left))) % n
    return _answered(n, left, right, rng)


def _answered(n: int, left: Positions, right: Positions, rng: np.random.Generator) -> State:
    """With answers by chance, each of weight 1; in pieces, since at n = 5,000 they are 62 million."""
    score = rng.uniform(0, RANGE, n)
    won = np.empty(len(left))
    for start in range(0, len(left), 1 << 20):
        here = slice(start, start + (1 << 20))
        won[here] = score[left[here]] - score[right[here]] + rng.standard_normal(len(won[here])) > 0
    weight: NDArray[np.float64] = np.ones(len(left))
    return State(n, left, right, won, weight, NO_PAIRS)
