"""What is believed about the scores by assumed density filtering: each answer is taken once, in turn, and forgotten.

This is TrueSkill's update (Herbrich, Minka and Graepel 2007) for two players without draws: the two scores get the
normal distributions that match the moments after the answer.
"""

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.sampling.messages import PRIOR, Marginals, answer, difference
from sidewise.sampling.state import Positions, State


def filtered(state: State, *, prior: float = PRIOR) -> Marginals:
    """One update of two scores for every answer in turn, then for every pair that is out; a precision before all.

    A weighted answer moves both scores by so much of a whole one's message, a tie by half a win's and half a loss's,
    and a pair that is out by what its answer is expected to be.
    """
    from scipy.special import ndtr

    ends = state.pairs.T
    won = np.concatenate([state.outcome, np.full(len(state.out), np.nan)])
    weight = np.concatenate([state.weight, np.ones(len(state.out))])
    known = np.stack([np.full(state.n, prior), np.zeros(state.n)])
    for wave in _waves(ends, state.n):
        pair = known[:, ends[:, wave]]
        expected = np.where(np.isnan(won[wave]), ndtr(difference(pair).z), won[wave])
        known[:, ends[:, wave]] += weight[wave] * _message(pair, expected)
    return Marginals(*known)


def _waves(ends: Positions, n: int) -> list[Positions]:
    """Answers that may be taken at once: no two about one item, and all earlier ones about their items come before."""
    last, wave = [0] * n, []
    for i, j in ends.T.tolist():
        last[i] = last[j] = max(last[i], last[j]) + 1
        wave.append(last[i])
    return np.split(np.argsort(wave, kind="stable"), np.cumsum(np.bincount(wave)[1:-1]))


def _message(pair: Floats, won: Floats) -> Floats:
    """What answers tell of their two items, by the share of the answer that the first has won."""
    won_by = np.where(won >= 0.5, pair, pair[:, ::-1])
    told = np.maximum(won, 1 - won) * answer(won_by)
    if ((won > 0) & (won < 1)).any():
        told += np.minimum(won, 1 - won) * answer(won_by[:, ::-1])[:, ::-1]
    return np.where(won >= 0.5, told, told[:, ::-1])
