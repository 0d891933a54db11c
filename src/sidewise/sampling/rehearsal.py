"""A strategy tried out on items whose scores are known: what it asks is answered by chance, until enough is asked."""

from collections.abc import Iterator, Sequence

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import SidewiseError
from sidewise.sampling.asking import Limits, chosen
from sidewise.sampling.state import State, Strategy


def probit_chances(scores: Floats) -> Floats:
    """N × n: P(i beats j) = Φ(s_i − s_j), scores in probits."""
    from scipy.special import ndtr

    return np.asarray(ndtr(scores[:, None] - scores))


def rehearse(
    chance: Floats,
    strategy: Strategy,
    stops: Sequence[int],
    *,
    batch: int | None = None,
    seed: int | Sequence[int] = 0,
) -> Iterator[State]:
    """The states after so many answers, where i beats j with the chance that the matrix has in row i and column j.

    A batch is as many pairs as a tree of all items has, n − 1, unless it is stated; the last one before a stop is as
    large as is still missing.
    """
    n, rng = len(chance), np.random.default_rng(seed)
    state = State.empty(n)
    for stop in stops:
        while (missing := stop - len(state.left)) > 0:
            pairs = chosen(state, strategy, min(batch or n - 1, missing), Limits(), rng)
            if not len(pairs):
                raise SidewiseError(f"there is nothing to ask about {n} items after {len(state.left)} answers")
            won = rng.random(len(pairs)) < chance[pairs[:, 0], pairs[:, 1]]
            state = state.with_answers(pairs, won.astype(float))
        yield state
