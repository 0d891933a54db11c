"""ARD: items on a rectangle, in a spiral by their scores so far; those in one row or column are compared."""

import math

import numpy as np

from sidewise.sampling.hybrid_mst import bradley_terry
from sidewise.sampling.picking import best
from sidewise.sampling.state import Mask, Positions, State, pair_numbers

SEED = 915  # of the first arrangement, which must be the same whenever the answers are replayed


def rectangular(state: State, count: int, rng: np.random.Generator) -> Positions:
    """Compare what stands in one row or column (ARD; ITU-T P.915 2016, after Li, Barkowsky and Le Callet 2013).

    The items stand in the cells of a rectangle, as square as can be, along a spiral from a corner to the middle: first
    in random order, then, each time that all pairs of a row or a column have been asked, in the order of their
    Bradley–Terry scores so far. So neighbours in the order meet every time, and others now and then: about n√n pairs a
    round instead of n²/2. Where n is no product of two such numbers, the last cells in the middle stay empty.

    Nothing is remembered: rounds are counted off from the answers in their order, then the pairs that are out; a batch
    ends with its round. It needs no model to explain, and spends on far pairs what ``optimal`` would not.

    Examples
    --------
    >>> import numpy as np
    >>> from sidewise.sampling.state import State
    >>> len(rectangular(State.empty(12), 100, np.random.default_rng(0)))  # 3 × 4: 3 rows of 6 pairs, 4 columns of 3
    30
    """
    if count < 1 or not state.open.any():
        return np.empty((0, 2), np.int64)
    left = unasked(state)
    return best(np.zeros(left.shape), left if left.any() else state.open, count, rng)


def unasked(state: State) -> Mask:
    """The upper triangle of the pairs of the present round that have not been asked in it yet.

    A round is over when all of its pairs that may be asked have been: of earlier rounds, this is read from the answers,
    since what may be asked changes.
    """
    n, keys, luck = state.n, pair_numbers(state.pairs, state.n), np.random.default_rng(SEED)
    start, score = 0, np.zeros(n)
    while True:
        mates = np.triu(neighbours(np.lexsort((luck.random(n), score))), 1)
        first = np.full(n * n, len(keys))
        first[keys[start:][::-1]] = np.arange(len(keys) - 1, start - 1, -1)
        when = first.reshape(n, n)
        asked = mates & (when < len(keys))
        left = mates & ~asked & state.open
        if left.any() or not asked.any():
            return np.asarray(left)
        end = int(when[asked].max()) + 1
        score, start = np.round(bradley_terry(state.only(slice(end)).wins), 9), end


def neighbours(order: Positions) -> Mask:
    """Whether two items stand in one row or column, when the items in this order stand along the spiral."""
    cells = np.empty((len(order), 2), int)
    cells[order] = spiral(len(order))
    return np.asarray((cells[:, None] == cells).any(axis=2))


def spiral(n: int) -> Positions:
    """Row and column of the first n cells of a rectangle as square as can be, from a corner to the middle."""
    rows = math.isqrt(n)
    grid = np.arange(rows * -(-n // rows)).reshape(rows, -1)
    path: list[int] = []
    width = grid.shape[1]
    while grid.size:
        path += grid[0].tolist()
        grid = np.rot90(grid[1:])
    return np.column_stack(np.divmod(np.array(path[:n], np.int64), width))
