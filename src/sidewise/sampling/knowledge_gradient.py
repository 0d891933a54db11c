"""AKG: the pair that is expected to bring the most agreement in order, one step ahead, with a Dirichlet belief."""

from typing import Any, NamedTuple

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.sampling.batches import level, one_by_one
from sidewise.sampling.order_reward import OrderReward
from sidewise.sampling.state import Positions, State, pair_counts

TINY = 1e-30  # the least α: losses in a row against weak items shrink it without end


def knowledge_gradient(state: State, count: int, rng: np.random.Generator) -> Positions:
    """Ask the pair with the largest approximated knowledge gradient (Chen, Jiao and Lin, JMLR 2016).

    The strengths θ (of sum 1; P(i beats j) = θ_i / (θ_i + θ_j)) are believed to be Dirichlet(α). After an answer, the
    posterior is replaced by the Dirichlet with the same mean and the same Σ E θ². The reward is how much of the order
    by α is expected to be true (Kendall's tau, but for its scale): R(α) = Σ over pairs of I_½(lesser α, greater α), I
    the incomplete beta function. The gradient of a pair is E R(α after its answer) − R(α).

    One answer moves every α, so a literal version costs n⁴; here, the sums over pairs that keep their ratio are
    interpolated, which costs n². In a batch, items that are in no pair of it yet go before others, since the gradient
    is made for one pair at a time. A pair that is out is worth its gradient over the looks at it, with this one: what
    is expected of an answer moves equal items alike, all of them, and would leave it as good as any other. No answer
    weighs more than another. Made for orders; where scores matter, prefer ``optimal``.

    Examples
    --------
    >>> import numpy as np
    >>> from sidewise.sampling.state import State
    >>> answers = State.empty(3).with_answers(np.array([[0, 1], [0, 1]]), np.ones(2))
    >>> knowledge_gradient(answers, 1, np.random.default_rng(0)).tolist()
    [[1, 2]]
    """
    if count < 1 or not state.open.any():
        return np.empty((0, 2), np.int64)
    first, second = np.nonzero(np.triu(state.open, 1))
    gain = np.zeros((state.n, state.n))
    looks = 1 + pair_counts(state.out, state.n)[first, second]
    gain[first, second] = gradient(strengths(state), first, second) / looks
    gain = level(gain, state.open)
    used = np.zeros(state.n)

    def asked(i: int, j: int) -> Floats:
        used[[i, j]] += 1
        return gain - 2 * (used[:, None] + used)

    return one_by_one(gain, state.open, count, rng, asked)


class Matched(NamedTuple):
    """The Dirichlet after a win: α of the winner and of the loser, and the factor for all others."""

    winner: Any
    loser: Any
    scale: Any


def matched(a: Any, b: Any, total: float, squares: float) -> Matched:
    """After a win of a over b, with Σα and Σα² of all items, for numbers or arrays (Chen, Jiao and Lin 2016, eq. 21).

    The share θ_i / (θ_i + θ_j) becomes Beta(a + 1, b), the sum θ_i + θ_j keeps its law: so the means are known, and so
    is Σ E θ², which gives the new Σα.
    """
    both = a + b
    winner, loser = both * (a + 1) / (both + 1), both * b / (both + 1)
    mean = (squares - a * a - b * b + winner * winner + loser * loser) / total**2
    pair = both * ((a + 1) * (a + 2) + b * (b + 1)) / (both + 2)
    second = (squares + total - a * (a + 1) - b * (b + 1) + pair) / (total * (total + 1))
    scale = (1 - second) / (second - mean) / total
    return Matched(scale * winner, scale * loser, scale)


def strengths(state: State) -> Floats:
    """α after all answers, in their order; ties and pairs that are out leave the average over both outcomes.

    An answer multiplies the α of all other items by one number, which is kept apart: so its cost does not grow with n.
    """
    alpha, scale, total, squares = [1.0] * state.n, 1.0, float(state.n), float(state.n)
    answers = zip(state.left.tolist(), state.right.tolist(), state.outcome.tolist(), strict=True)
    for i, j, y in [*answers, *((i, j, None) for i, j in state.out.tolist())]:
        a, b = scale * alpha[i], scale * alpha[j]
        after = averaged(a, b, total, squares, a / (a + b) if y is None else y)
        total = after.scale * (total - a - b) + after.winner + after.loser
        squares = after.scale**2 * (squares - a * a - b * b) + after.winner**2 + after.loser**2
        scale *= after.scale
        alpha[i], alpha[j] = max(after.winner, TINY) / scale, max(after.loser, TINY) / scale
    return np.array(alpha) * scale


def averaged(a: float, b: float, total: float, squares: float, y: float) -> Matched:
    """What an answer leaves on average if the first wins with the chance y."""
    if y == 1:
        return matched(a, b, total, squares)
    down = matched(b, a, total, squares)
    up = matched(a, b, total, squares) if y else Matched(0.0, 0.0, 0.0)
    return Matched(
        y * up.winner + (1 - y) * down.loser, y * up.loser + (1 - y) * down.winner, y * up.scale + (1 - y) * down.scale
    )


def gradient(alpha: Floats, first: Positions, second: Positions) -> Floats:
    """E R(α after the answer) − R(α) of each of the pairs, R the sum over pairs of items."""
    a, b = alpha[first], alpha[second]
    moments = float(alpha.sum()), float(alpha @ alpha)
    up, down = matched(a, b, *moments), matched(b, a, *moments)
    one = np.maximum(np.stack([up.winner, down.loser]), TINY)
    two = np.maximum(np.stack([up.loser, down.winner]), TINY)
    scale = np.stack([up.scale, down.scale])
    reward = OrderReward.around(alpha, scale, np.stack([one, two]) / scale)
    won, lost = (reward.after(first, second, *outcome) for outcome in zip(one, two, scale, strict=True))
    p = a / (a + b)
    return np.asarray(p * won + (1 - p) * lost - reward.now)
