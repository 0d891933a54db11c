"""The Swiss system: tournaments in rounds, in which items meet others with about as many wins, and nobody twice."""

import math
from collections.abc import Callable, Iterator

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.sampling.state import Mask, Positions, State, pair_counts

TRIES = 8  # matches per item that are tried before second meetings are put up with


def swiss(state: State, count: int, rng: np.random.Generator) -> Positions:
    """Pair items with about as many wins that have not met yet, round by round (Ponomarenko et al. 2015, TID2013).

    A tournament has ⌈log₂ n⌉ + 2 rounds (9 for the 120 pictures of TID2013), a round ⌊n/2⌋ pairs, which can be asked at
    once: a batch ends with its round. The first round is random. In the others the items are gone through from the most
    wins to the fewest, each meeting, of those left that it has not met in this tournament, the one with the closest
    number of wins; a few matches are made again where that leaves somebody without an opponent. Where no such round is
    found, items meet again, as seldom as can be. After the last round the next tournament begins with no wins.

    Nothing is remembered: rounds and tournaments are counted off from the answers in their order, then the pairs that
    are out. Where n is odd, who has played most, and of those who has won least, sits out. Sorting is cheap and easy to
    explain; the scores are poorer than with ``asap`` or ``optimal``.

    Examples
    --------
    >>> import numpy as np
    >>> from sidewise.sampling.state import State
    >>> pairs = swiss(State.empty(8), 10, np.random.default_rng(0))
    >>> sorted(pairs.ravel().tolist())
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    if count < 1 or not state.open.any():
        return np.empty((0, 2), np.int64)
    wins, met, playing = tournament(state)
    usable = state.open & ~playing[:, None] & ~playing
    if not usable.any():
        usable = state.open
    return paired(wins, met, usable, rng)[:count]


def tournament(state: State) -> tuple[Floats, Positions, Mask]:
    """Wins in the present tournament, how often pairs have met in it, and who plays in the present round already."""
    pairs, size = state.pairs, state.n // 2
    since = len(pairs) - len(pairs) % (size * (math.ceil(math.log2(state.n)) + 2))
    wins = state.only(slice(since, None)).wins.sum(axis=1)
    playing = np.zeros(state.n, bool)
    playing[pairs[len(pairs) - len(pairs) % size :]] = True
    return np.asarray(wins), pair_counts(pairs[since:], state.n), playing


def paired(wins: Floats, met: Positions, usable: Mask, rng: np.random.Generator) -> Positions:
    """One round, those with most wins first; where their number is odd, one sits out if the others find opponents."""
    luck, left = rng.random(len(wins)), np.asarray(usable.any(axis=1))
    if left.sum() % 2:
        sitting = max(np.flatnonzero(left), key=lambda item: (met[item].sum(), -wins[item], luck[item]))
        others = np.delete(np.arange(len(wins)), sitting)
        if usable[np.ix_(others, others)].any():
            left[sitting] = False
    order = [int(i) for i in np.lexsort((luck, -wins)) if left[i]]

    def opponents(i: int, again: Mask) -> list[int]:
        js = np.flatnonzero(usable[i] & left & again)
        return [int(j) for j in js[np.lexsort((luck[js], np.abs(wins[js] - wins[i]), met[i, js]))]]

    pairs = whole_round(order, lambda i: opponents(i, met[i] == 0)) or greedy(order, lambda i: opponents(i, left))
    return np.sort(np.array(pairs, np.int64), axis=1)


def whole_round(order: list[int], opponents: Callable[[int], list[int]]) -> list[tuple[int, int]] | None:
    """A match for everyone: where somebody is left without an opponent, the last matches are made again (backtracking).

    None where there is no such round, or none is found soon. Going down the list alone ends in a second meeting in
    every fifth round of 8 to 20 items; one or two steps back mend nearly all of these.
    """
    mate: dict[int, int] = {}
    tried: list[tuple[int, Iterator[int]]] = []
    for _ in range(TRIES * len(order)):
        best = next((i for i in order if i not in mate), None)
        if best is None:
            return [(i, mate[i]) for i, _ in tried]
        tried.append((best, iter(opponents(best))))
        while tried:
            i, others = tried[-1]
            mate.pop(mate.pop(i, -1), None)
            j = next((j for j in others if j not in mate), None)
            if j is not None:
                mate[i], mate[j] = j, i
                break
            tried.pop()
        if not tried:
            return None
    return None


def greedy(order: list[int], opponents: Callable[[int], list[int]]) -> list[tuple[int, int]]:
    """Each in turn meets the first of its opponents who is left; who has none sits out."""
    mate: dict[int, int] = {}
    pairs = []
    for i in order:
        j = None if i in mate else next((j for j in opponents(i) if j not in mate), None)
        if j is not None:
            mate[i], mate[j] = j, i
            pairs.append((i, j))
    return pairs
