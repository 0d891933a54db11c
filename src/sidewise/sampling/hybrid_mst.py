"""Hybrid-MST: what an answer tells about the difference of two Bradley–Terry scores, and a tree of the best pairs."""

from dataclasses import dataclass

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.models.newton import Slope, climb
from sidewise.sampling.batches import level
from sidewise.sampling.picking import spanning_tree
from sidewise.sampling.state import Positions, State, pair_counts

HEAD_START = (
    0.5  # wins of every item against every other before the first answer: the authors' start, and never taken back
)
NODES = 30  # of the quadrature, as the authors have it


def hybrid_mst(state: State, count: int, rng: np.random.Generator) -> Positions:
    """Ask the pairs of a minimum spanning tree of 1 / gain (Li, Mantiuk, Wang, Ling and Le Callet, NeurIPS 2018).

    The scores are those of the highest Bradley–Terry likelihood, S is the inverse of minus its Hessian. The gain of a
    pair is what its answer is expected to tell about d = s_i − s_j ~ N(m_i − m_j, S_ii + S_jj − 2 S_ij) alone:
    H(E p) − E H(p) with p = σ(d) and H the entropy of a coin, by Gauss–Hermite quadrature with 30 nodes.

    The edges come best first, and the first of them is the pair with the highest gain of all. So the paper's two modes
    are one: with ``count = 1`` this is its global maximum, which it asks for until as many comparisons are in as there
    are pairs; with a batch it is its tree, of n − 1 pairs at most, as the ASAP paper runs it from the start. Pairs that
    are out add to the Hessian what they are expected to. Prefer ``asap`` or ``optimal`` where accuracy counts.

    Examples
    --------
    >>> import numpy as np
    >>> from sidewise.sampling.state import State
    >>> answers = State.empty(4).with_answers(np.array([[0, 1], [0, 1], [0, 1], [2, 1]]), np.ones(4))
    >>> len(hybrid_mst(answers, 10, np.random.default_rng(0)))
    3
    """
    if count < 1 or not state.open.any():
        return np.empty((0, 2), np.int64)
    first, second = np.nonzero(np.triu(state.open, 1))
    score = bradley_terry(state.wins)
    covariance = uncertainty(score, state.wins + state.wins.T + pair_counts(state.out, state.n))
    diagonal = covariance.diagonal()
    variance = diagonal[first] + diagonal[second] - 2 * covariance[first, second]
    gain = np.zeros((state.n, state.n))
    gain[first, second] = information_gain(score[first] - score[second], variance)
    return spanning_tree(level(gain, state.open), state.open, rng)[:count]


def information_gain(difference: Floats, variance: Floats) -> Floats:
    """H(E σ(d)) − E H(σ(d)) of d ~ N(difference, variance): what the answer and the difference tell of each other."""
    from scipy.special import entr, expit

    nodes, weights = np.polynomial.hermite.hermgauss(NODES)
    mean, noise = np.zeros_like(difference), np.zeros_like(difference)
    for node, weight in zip(nodes, weights / np.sqrt(np.pi), strict=True):
        p = expit(difference + np.sqrt(2 * variance) * node)
        mean += weight * p
        noise += weight * (entr(p) + entr(1 - p))
    return np.asarray(entr(mean) + entr(1 - mean) - noise)


def bradley_terry(wins: Floats) -> Floats:
    """The scores of the highest likelihood, with a head start for all, and a mean of 0."""
    won = wins + HEAD_START * (1 - np.eye(len(wins)))
    total = won + won.T

    def slope(score: Floats) -> Slope[_Laplacian]:
        p = _chance(score)
        return Slope((won - total * p).sum(axis=1), lambda: _Laplacian(total * p * p.T))

    return climb(slope, np.zeros(len(won)), tol=1e-8, limit=50).point


def uncertainty(score: Floats, total: Floats) -> Floats:
    """The covariance of the scores, up to a shift of all, when pairs have been asked so often."""
    p = _chance(score)
    return np.asarray(np.linalg.inv(_Laplacian((total + 2 * HEAD_START) * p * p.T).matrix), float)


def _chance(score: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(score[:, None] - score))


@dataclass(frozen=True)
class _Laplacian:
    """Minus the Hessian: the Laplacian of the information of every pair, made regular along the shift of all scores."""

    weight: Floats

    @property
    def matrix(self) -> Floats:
        return np.asarray(np.diag(self.weight.sum(axis=1)) - self.weight + 1 / len(self.weight))

    def solve(self, b: Floats, tol: float) -> Floats:  # noqa: ARG002 - a direct solution is always exact
        return np.asarray(np.linalg.solve(self.matrix, b), float)
