"""HR-active: least squares on the graph of comparisons, and what one more comparison is expected to tell."""

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.sampling.batches import one_by_one
from sidewise.sampling.state import Positions, State, pair_counts

RIDGE = 0.1  # the precision of every score before the first answer, as in the runs of the ASAP paper


def hodge(state: State, count: int, rng: np.random.Generator) -> Positions:
    """Ask the pair with the largest Bayesian information gain of HodgeRank (Xu, Xiong, Chen, Huang and Yao, AAAI 2018).

    An answer is y = ±1 (0 for a tie) with y ~ N(s_i − s_j, 1), the scores are N(0, 1/λ) before it: the posterior is
    N(m, S) with S = (L + λI)⁻¹, L the Laplacian of the graph of comparisons, and m = S Dᵀy. With d = m_i − m_j,
    v = S_ii + S_jj − 2 S_ij and p = (1 + erf d) / 2 the chance of a win, the expected divergence of the posterior after
    the answer from the one before is ½ [((1 + d)² − 4 d p) v / (1 + v)² + log(1 + v) − v / (1 + v)].

    In a batch, a chosen pair and one that is out shrink S as any answer would, and leave the scores as they are.
    Squares fit answers badly where items lie far apart; prefer ``optimal``, which keeps the whole covariance too.

    Examples
    --------
    >>> import numpy as np
    >>> from sidewise.sampling.state import State
    >>> answers = State.empty(3).with_answers(np.array([[0, 1], [0, 1]]), np.ones(2))
    >>> hodge(answers, 2, np.random.default_rng(0)).tolist()
    [[1, 2], [0, 2]]
    """
    if count < 1 or not state.open.any():
        return np.empty((0, 2), np.int64)
    score, covariance = posterior(state)
    residual = expected_square(score[:, None] - score)

    def gains() -> Floats:
        diagonal = covariance.diagonal()
        return information_gain(residual, diagonal[:, None] + diagonal - 2 * covariance)

    def asked(i: int, j: int) -> Floats:
        along = covariance[i] - covariance[j]
        covariance[...] -= np.outer(along, along) / (1 + along[i] - along[j])
        return gains()

    return one_by_one(gains(), state.open, count, rng, asked)


def information_gain(residual: Floats, variance: Floats) -> Floats:
    """½ [E(y − d)² v / (1 + v)² + log(1 + v) − v / (1 + v)]."""
    share = variance / (1 + variance)
    return np.asarray((residual * share / (1 + variance) + np.log1p(variance) - share) / 2)


def expected_square(difference: Floats) -> Floats:
    """E (y − d)² = (1 + d)² − 4 d p, with y = 1 at the chance p = (1 + erf d) / 2 and −1 otherwise."""
    from scipy.special import erf

    return np.asarray((1 + difference) ** 2 - 2 * difference * (1 + erf(difference)))


def posterior(state: State) -> tuple[Floats, Floats]:
    """The mean of the scores, given the answers, and their covariance, given the pairs that are out as well."""
    lead = (state.wins - state.wins.T).sum(axis=1)
    weight = state.wins + state.wins.T
    score = np.linalg.solve(_precision(weight), lead)
    return np.asarray(score), np.asarray(np.linalg.inv(_precision(weight + pair_counts(state.out, state.n))), float)


def _precision(weight: Floats) -> Floats:
    return np.asarray(np.diag(weight.sum(axis=1) + RIDGE) - weight)
