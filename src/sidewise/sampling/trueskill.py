"""TS-sampling: TrueSkill's belief about every item, and matches that are as close as they can be."""

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.sampling.batches import level
from sidewise.sampling.filtering import filtered
from sidewise.sampling.messages import NOISE, Marginals
from sidewise.sampling.state import Positions, State

VARIANCE = 2.0  # of every score before the first answer: TrueSkill's σ₀ = 2β, where 2β² is NOISE


def trueskill(state: State, count: int, rng: np.random.Generator) -> Positions:
    """Let the item asked least so far meet the one that it is most likely to draw with (Herbrich, Minka, Graepel 2007).

    Every score is believed to be N(μ_i, σ_i²), updated answer by answer by matching moments (TrueSkill without draws
    and without drift). With c² = 2β² + σ_i² + σ_j², the quality of a match is its chance of a draw, relative to that of
    two equal items whose scores are known: √(2β² / c²) · exp(−(μ_i − μ_j)² / 2c²).

    As in matchmaking, items that wait are matched, not the best match of all chosen: that one is of two items about
    which most is known already, and the same pairs would be asked for ever (with 12 items on [0, 5] and 198 answers, a
    rank correlation of 0.48 against 0.98). Ties, weights and pairs that are out count as in ``asap_approx``. Good where
    items lie far apart, poor where they are close, as the ASAP paper finds too: prefer ``optimal``.

    Examples
    --------
    >>> import numpy as np
    >>> from sidewise.sampling.state import State
    >>> answers = State.empty(3).with_answers(np.array([[0, 1], [0, 1]]), np.ones(2))
    >>> trueskill(answers, 1, np.random.default_rng(0)).tolist()
    [[1, 2]]
    """
    free = state.open.copy()
    quality = level(log_quality(filtered(state, prior=1 / VARIANCE)), free)
    games, partners = state.asked.sum(axis=1), free.sum(axis=1)
    pairs: list[tuple[int, int]] = []
    while len(pairs) < count and partners.any():
        i = _lowest(np.where(partners, games, np.inf), rng)
        j = _lowest(np.where(free[i], -quality[i], np.inf), rng)
        pairs.append((min(i, j), max(i, j)))
        free[i, j] = free[j, i] = False
        for k in (i, j):
            games[k] += 1
            partners[k] -= 1
    return np.array(pairs, np.int64).reshape(-1, 2)


def log_quality(known: Marginals) -> Floats:
    """N × n: the logarithm of √(2β² / c²) · exp(−(μ_i − μ_j)² / 2c²), which underflows for items far apart."""
    mean, variance = known.mean, known.variance
    spread = NOISE + variance[:, None] + variance
    return np.asarray(-(np.log(spread / NOISE) + (mean[:, None] - mean) ** 2 / spread) / 2)


def _lowest(value: Floats, rng: np.random.Generator) -> int:
    """Where the lowest value stands, or one of them at random."""
    lows = np.flatnonzero(value == value.min())
    return int(lows[rng.integers(len(lows))])
