"""ASAP: the pairs whose answers are expected to change most what is believed of all scores (Mikhailiuk et al. 2020)."""

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.sampling.batches import level
from sidewise.sampling.filtering import filtered
from sidewise.sampling.messages import NOISE, Factors, Marginals, Settled, settle
from sidewise.sampling.picking import best, spanning_tree
from sidewise.sampling.state import Mask, Positions, State
from sidewise.sampling.what_if import divergences


def asap(state: State, count: int, rng: np.random.Generator, *, selective: bool = True) -> Positions:
    """Ask the pairs with the largest expected information gain, all scores updated for both answers to every pair.

    The gain of a pair is Φ(z_ij) KL(i won) + Φ(z_ji) KL(j won): KL(…) is the divergence of the normal distributions
    that message passing gives to the scores after this answer from those that it gives now, and z_ij = (μ_i − μ_j) /
    √(1 + σ_i² + σ_j²). One pair is the one with the largest gain. More are the edges of the minimum spanning tree of
    1 / gain, best first: n − 1 pairs at most, which join all items; for more, call again with these as ``state.out``.

    What the paper leaves open is as the published code has it: noise of variance 1 on a difference and no √2 in z, four
    sweeps for an imagined answer. They start where the messages of all answers rest; the published code carries its
    distributions from batch to batch instead, and gets there in time. A tie is half a win for each, a weighted answer
    so much of one. A pair that is out counts as answered as expected: Φ(z_ij) of a win for i, Φ(z_ji) of one for j.
    Message passing keeps no covariances, which costs accuracy: prefer ``optimal``.

    Parameters
    ----------
    state
        The answers so far.
    count
        How many pairs are wanted.
    rng
        Where chance comes from.
    selective
        Weigh few of the pairs whose answer is nearly certain; see :func:`evaluation_chances`.

    Examples
    --------
    >>> import numpy as np
    >>> from sidewise.sampling.state import State
    >>> answers = State.empty(3).with_answers(np.array([[0, 1], [0, 1], [0, 1], [1, 2]]), np.ones(4))
    >>> asap(answers, 2, np.random.default_rng(0)).tolist()
    [[1, 2], [0, 2]]
    """
    settled = believed(state)
    worth = evaluated(settled.marginals, state.open, rng) if selective else state.open
    return _chosen(information_gain(settled, worth), worth, count, rng)


def asap_approx(state: State, count: int, rng: np.random.Generator) -> Positions:
    """Ask the pairs with the largest expected information gain, only the two scores of a pair updated by its answer.

    As ``asap``, but with assumed density filtering in place of message passing: every answer, in the order they came,
    updates the scores of its two items once and is forgotten, and so does an imagined one. The gain of a pair has a
    closed form then, and all pairs are weighed. Fast, and about as accurate as ``hybrid_mst``, in the paper as here.

    The noise has variance 1 as in ``asap``, so that the update is all in which they differ; the published code has 2
    here. A weighted answer moves both scores by so much of a whole one's message, a tie by half a win's and half a
    loss's, and a pair that is out by what its answer is expected to be.

    Examples
    --------
    >>> import numpy as np
    >>> from sidewise.sampling.state import State
    >>> answers = State.empty(3).with_answers(np.array([[0, 1], [0, 1], [0, 1], [1, 2]]), np.ones(4))
    >>> asap_approx(answers, 2, np.random.default_rng(0)).tolist()
    [[1, 2], [0, 2]]
    """
    return _chosen(online_gain(filtered(state)), state.open, count, rng)


def _chosen(gain: Floats, worth: Mask, count: int, rng: np.random.Generator) -> Positions:
    """The best pair, or the best edges of the tree.

    Both depend on the order of the gains alone. Logarithms keep it among small ones: the only edges that join two
    groups far apart may tell 1e-12 of what the best pair tells.
    """
    order = level(np.log(np.maximum(gain, np.finfo(float).tiny)), worth)
    if count <= 1:
        return best(order, worth, count, rng)
    return spanning_tree(order, worth, rng)[:count]


def believed(state: State) -> Settled:
    """Messages at rest after all answers, and after what is expected of the pairs that are out."""
    settled = settle(Factors.of(state.wins))
    if not len(state.out):
        return settled
    i, j = state.out.T
    wins, chance = state.wins.copy(), chances(settled.marginals)
    np.add.at(wins, (i, j), chance[i, j])
    np.add.at(wins, (j, i), chance[j, i])
    return settle(Factors.of(wins))


def chances(marginals: Marginals) -> Floats:
    """N × n: the chance that i wins against j, Φ(z_ij)."""
    from scipy.special import ndtr

    return np.asarray(ndtr(marginals.standardised()))


def evaluation_chances(marginals: Marginals, usable: Mask) -> Floats:
    """N × n, below the diagonal: the chance that the gain of a pair is worked out at all, by the paper's selection.

    It is min(p_ij, p_ji), divided by the largest of these in row i of j < i. So for every item some pair with one
    before it is sure to be weighed, which makes all pairs that are weighed a connected graph if all may be asked.
    """
    from scipy.special import log_ndtr

    rare = np.where(np.tril(usable, -1), log_ndtr(-np.abs(marginals.standardised())), -np.inf)
    most = rare.max(axis=1, keepdims=True, initial=-np.inf)
    return np.asarray(np.exp(rare - np.where(np.isfinite(most), most, 0)))


def evaluated(marginals: Marginals, usable: Mask, rng: np.random.Generator) -> Mask:
    """N × n, symmetric: the pairs that chance selects, items in random order, so that none is always first.

    Where some pairs may not be asked, an item may have none with one before it: then the tree of the least certain
    pairs is weighed too, so that the pairs that are weighed join what usable pairs can join.
    """
    order = rng.permutation(len(usable))
    shuffled = Marginals(marginals.precision[order], marginals.shift[order])
    chance = evaluation_chances(shuffled, usable[np.ix_(order, order)])
    selected = np.zeros_like(usable)
    selected[np.ix_(order, order)] = rng.random(chance.shape) < chance
    if not (usable | np.eye(len(usable), dtype=bool)).all():
        tree = spanning_tree(-np.abs(marginals.standardised()), usable, rng)
        selected[tree[:, 0], tree[:, 1]] = True
    return np.asarray(selected | selected.T)


def information_gain(settled: Settled, worth: Mask) -> Floats:
    """N × n, symmetric: the expected divergence of pairs that are worth it, 0 for others (the paper's equation 5)."""
    i, j = np.nonzero(np.triu(worth, 1))
    chance = chances(settled.marginals)
    for_i, for_j = np.split(divergences(settled, np.concatenate([i, j]), np.concatenate([j, i])), 2)
    gain = np.zeros(worth.shape)
    gain[i, j] = gain[j, i] = chance[i, j] * for_i + chance[j, i] * for_j
    return gain


def online_gain(marginals: Marginals) -> Floats:
    """N × n: the expected divergence where an answer updates its two items alone.

    With ψ = φ(z) / Φ(z), w = ψ (ψ + z) and V the variance of an item, v that of the difference with noise, the variance
    falls by the part f = V w / v and the mean moves by ψ V / √v: KL = ½ (ψ² V / v − f − log(1 − f)) for each of the
    two.
    """
    from sidewise.models.probit import hazard

    z, variance = marginals.standardised(), marginals.variance
    share = variance[:, None] / (NOISE + variance[:, None] + variance)
    slope = hazard(z)
    fall = slope * (slope + z) * share
    mine = slope**2 * share - fall - np.log1p(-fall)
    other_fall = slope * (slope + z) * share.T
    theirs = slope**2 * share.T - other_fall - np.log1p(-other_fall)
    expected = chances(marginals) * (mine + theirs) / 2
    return np.asarray(expected + expected.T)
