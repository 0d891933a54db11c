"""Crowd-BT: scores and workers learnt online, and the pair that is expected to move what is believed of them most."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.sampling.batches import one_by_one
from sidewise.sampling.state import Positions, State

CREDIT = (10.0, 1.0)  # right and wrong answers credited to the worker: the paper's prior for one taken to be perfect
VARIANCE = 1.0  # of every score before the first answer
FLOOR = 1e-4  # the least share of a variance that one answer leaves, the paper's κ


def crowd_bt(state: State, count: int, rng: np.random.Generator, *, exploration: float = 0.0) -> Positions:
    """Ask the pair whose answer is expected to move the beliefs most (Chen, Bennett, Collins-Thompson, Horvitz 2013).

    P(i beats j) = η σ(s_i − s_j) + (1 − η) σ(s_j − s_i). Every score is believed to be N(μ_i, σ_i²), the quality of the
    worker Beta(α, β); each answer updates the two scores and the worker in turn by matching moments. The gain of a pair
    is Σ over both outcomes of P(outcome) · [KL of the two scores + γ KL of the worker], KL(after ‖ before).

    A state names no workers, so all answers come from one, taken to be near perfect at first, and no answer weighs more
    than another. In a batch, and for pairs that are out, the beliefs about the scores are the average over both
    outcomes, each with its chance; so is what a tie leaves. Beliefs about different items are kept apart, so the method
    wastes answers where much is known: prefer ``asap`` or ``optimal``.

    Parameters
    ----------
    state, count, rng
        As for every strategy: see :class:`~sidewise.sampling.state.State`.
    exploration
        γ. The paper wants 5 to 10 where it also chooses whom to ask; with nobody to choose, 0 asks about items only.

    Examples
    --------
    >>> import numpy as np
    >>> from sidewise.sampling.state import State
    >>> answers = State.empty(3).with_answers(np.array([[0, 1], [0, 1]]), np.ones(2))
    >>> crowd_bt(answers, 1, np.random.default_rng(0)).tolist()
    [[1, 2]]
    """
    if count < 1 or not state.open.any():
        return np.empty((0, 2), np.int64)
    belief = Belief.after(state)
    mean, variance = np.array(belief.mean), np.array(belief.variance)
    gain = belief.gain(mean[:, None], mean, variance[:, None], variance, exploration)

    def asked(i: int, j: int) -> Floats:
        belief.expect(i, j)
        for k in (i, j):
            mean[k], variance[k] = belief.mean[k], belief.variance[k]
        for k in (i, j):
            gain[k] = gain[:, k] = belief.gain(mean[k], mean, variance[k], variance, exploration)
        return gain

    return one_by_one(gain, state.open, count, rng, asked)


class Moved(NamedTuple):
    """What a win does: how far the winner's mean rises per variance, both variances, the worker, how likely it was."""

    rise: Any
    winner: Any
    loser: Any
    alpha: Any
    beta: Any
    chance: Any


def moved(p: Any, winner: Any, loser: Any, alpha: float, beta: float) -> Moved:
    """The update by matching moments, of numbers or arrays, where p = σ(μ_winner − μ_loser) (Chen et al. 2013, §5).

    What is known of the worker then is Beta(α + 1, β) if the answer was right and Beta(α, β + 1) if it was wrong, each
    with its chance. The variance of this mixture is the mean of theirs and the variance of their means. The paper's
    difference of two moments near 1 cancels: at α = 10⁶, β = 1 a right answer added 17 to α, at 10⁹ it divided by 0.
    """
    r = alpha * p / (alpha * p + beta * (1 - p))
    bend = r * (1 - r) - p * (1 - p)
    right = at_least(p + (winner + loser) / 2 * p * (1 - p) * (1 - 2 * p), FLOOR)
    right = 1 - at_least(1 - right, FLOOR)
    n = alpha + beta
    chance = (right * alpha + (1 - right) * beta) / n
    share = right * alpha / (chance * n)  # the chance that an answer which is given is right
    first, other = (alpha + share) / (n + 1), (beta + 1 - share) / (n + 1)
    within = (share * (alpha + 1) * beta + (1 - share) * alpha * (beta + 1)) / (n + 2)
    size = first * other * (n + 1) ** 2 / (within + share * (1 - share)) - 1
    return Moved(
        r - p,
        winner * at_least(1 + winner * bend, FLOOR),
        loser * at_least(1 + loser * bend, FLOOR),
        first * size,
        other * size,
        chance,
    )


def at_least(x: Any, floor: float) -> Any:
    """The greater of both, of numbers and arrays alike."""
    return (x + floor + abs(x - floor)) / 2


@dataclass
class Belief:
    """N(mean, variance) of every score, and Beta(alpha, beta) of the worker; lists, since answers come one by one."""

    mean: list[float]
    variance: list[float]
    alpha: float
    beta: float

    @classmethod
    def after(cls, state: State) -> "Belief":
        """What is believed after all answers, in their order, and with the pairs that are out."""
        belief = cls([0.0] * state.n, [VARIANCE] * state.n, *CREDIT)
        for i, j, y in zip(state.left.tolist(), state.right.tolist(), state.outcome.tolist(), strict=True):
            belief.learn(i, j, y) if y else belief.learn(j, i, 1 - y)
        for i, j in state.out.tolist():
            belief.expect(i, j)
        return belief

    def win(self, i: int, j: int) -> Moved:
        """What a win of i over j does."""
        p = (1 + math.tanh((self.mean[i] - self.mean[j]) / 2)) / 2
        return moved(p, self.variance[i], self.variance[j], self.alpha, self.beta)

    def learn(self, i: int, j: int, y: float) -> None:
        """From an answer: 1 for a win of i; what a tie (½) leaves is the average over both outcomes."""
        up = self.win(i, j)
        down = up if y == 1 else self.win(j, i)
        self.move(i, j, up, down, y)
        self.alpha = y * up.alpha + (1 - y) * down.alpha
        self.beta = y * up.beta + (1 - y) * down.beta

    def move(self, i: int, j: int, up: Moved, down: Moved, y: float) -> None:
        """Believe of both scores what follows on average if i wins with the chance y."""
        rise = y * up.rise - (1 - y) * down.rise
        self.mean[i] += self.variance[i] * rise
        self.mean[j] -= self.variance[j] * rise
        self.variance[i] = y * up.winner + (1 - y) * down.loser
        self.variance[j] = y * up.loser + (1 - y) * down.winner

    def expect(self, i: int, j: int) -> None:
        """An answer that is still to come: what is believed of the scores then, on average; the worker stays."""
        up = self.win(i, j)
        self.move(i, j, up, self.win(j, i), up.chance)

    def gain(self, mean: Any, other: Floats, variance: Any, others: Floats, exploration: float) -> Floats:
        """How far an answer about pairs of an item and another is expected to move what is believed."""
        p = (1 + np.tanh((mean - other) / 2)) / 2
        total = np.zeros(())
        for after, one, two in (
            (moved(p, variance, others, self.alpha, self.beta), variance, others),
            (moved(1 - p, others, variance, self.alpha, self.beta), others, variance),
        ):
            told = normal_divergence(after.rise, after.winner / one, one)
            told = told + normal_divergence(after.rise, after.loser / two, two)
            if exploration:
                told = told + exploration * beta_divergence(after.alpha, after.beta, self.alpha, self.beta)
            total = total + after.chance * told
        return np.asarray(total)


def normal_divergence(rise: Any, ratio: Any, variance: Any) -> Any:
    """KL of N(μ + rise·v, ratio·v) from N(μ, v): ½ (ratio − 1 − log ratio + rise² v)."""
    return (ratio - 1 - np.log(ratio) + rise**2 * variance) / 2


def beta_divergence(alpha: Any, beta: Any, alpha_before: float, beta_before: float) -> Any:
    """KL of Beta(alpha, beta) from the one before."""
    from scipy.special import betaln, psi

    return (
        betaln(alpha_before, beta_before)
        - betaln(alpha, beta)
        + (alpha - alpha_before) * psi(alpha)
        + (beta - beta_before) * psi(beta)
        - (alpha - alpha_before + beta - beta_before) * psi(alpha + beta)
    )
