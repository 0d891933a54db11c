"""Our strategy: the pairs whose answers narrow the scores most, all of them weighed in closed form."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.sampling.algebra import Algebra, Matrix, algebra
from sidewise.sampling.belief import believe, doubtful
from sidewise.sampling.gains import gains, narrowed, swaps
from sidewise.sampling.picking import spanning_tree
from sidewise.sampling.state import NO_PAIRS, Mask, Positions, State

WORTH = 0.9  # of the best gain in a round: who gains less waits for the next one, when more is known
JITTER = 0.01  # of a gain: chance, and not the order of items, settles what is nearly the same
PARTNERS = 32  # of every item that are looked at first
GROUP, WHOLE = 64, 256  # items that look for partners among themselves, where more than WHOLE are left
TURNS = 4  # of looking again, in a round
# Rounds in a batch of so many items, each of which costs n³; beyond, LAST. A round takes its share of the pairs
# that are wanted, whatever they are worth.
ROUNDS = {256: 20, 8192: 6}
LAST = 2


def optimal(
    state: State,
    count: int,
    rng: np.random.Generator,
    *,
    goal: str = "rmse",
    top: int | None = None,
    device: str | None = None,
) -> Positions:
    """Choose pairs that make the scores as accurate as so many answers can.

    The scores are believed to be Gaussian with a full covariance S, in which the doubt about how far apart the items
    lie at all is counted (see :mod:`~sidewise.sampling.belief`). A pair gains what its answer is expected to take off
    Tr(C S), in closed form (see :mod:`~sidewise.sampling.gains`). A round takes the best pairs, no item twice; then S
    is what it will be after their answers, and the next round takes the best pairs by that. Pairs that are out count
    as answered: S is narrowed by what they are expected to tell.

    Formula: argmax aᵀ C a ρ, with a = S (e_i − e_j) and ρ the expected fall of Var(r_i − r_j), over its square.

    Parameters
    ----------
    state, count, rng
        As for every strategy: see :class:`~sidewise.sampling.state.State`.
    goal
        "rmse" for accurate scores (C = I), "ranking" for the right order, "top" for the right ``top`` items.
    top
        How many items the goal "top" is about.
    device
        Where it is computed: None is this machine's processor, "cuda" a GPU by PyTorch.

    Examples
    --------
    >>> import numpy as np
    >>> from sidewise.sampling.state import State
    >>> answers = State.empty(4).with_answers(np.array([[0, 1], [0, 1], [0, 1], [1, 2]]), np.ones(4))
    >>> optimal(answers, 1, np.random.default_rng(0)).tolist()  # of the last item nothing is known
    [[2, 3]]
    """
    if state.n == 2 or (not len(state.left) and not len(state.out)):  # one pair is all there is, or nothing is known
        return circle(state, count, rng)
    place, belief = algebra(device), believe(state)
    covariance = doubtful(place, belief)
    mean = place.array(belief.mean)
    first, second = (place.array(end) for end in state.out.T)
    covariance = narrowed(place, covariance, mean, first, second, belief.lapse)
    inside = None if top is None else place.array(leading(belief.mean, top, rng))
    worth = None if goal == "rmse" else swaps(place, mean, covariance, inside)
    return chosen(Weighing(place, mean, worth, belief.lapse, state), covariance, count, rng)


def leading(mean: Floats, top: int, rng: np.random.Generator) -> Mask:
    """Which items are among the best, as many as there are to be: of those that are level, such as all of whom nothing
    is known yet, chance takes some. With all of them inside, or none, there would be no border to ask about.
    """
    inside = np.zeros(len(mean), bool)
    inside[np.lexsort((rng.random(len(mean)), -mean))[:top]] = True
    return inside


@dataclass(frozen=True)
class Weighing:
    """What stays the same from round to round."""

    place: Algebra
    mean: Matrix
    worth: Matrix | None
    lapse: float
    state: State

    def gains(self, covariance: Matrix, taken: Positions) -> Matrix:
        """The gains of all pairs, and −∞ for those that may not be asked."""
        found = gains(self.place, self.mean, covariance, self.worth, self.lapse)
        if self.state.usable is not None:
            found[self.place.array(~self.state.usable)] = -np.inf
        every = np.arange(self.state.n)
        closed = np.concatenate([np.column_stack([every, every]), self.state.closed, taken])
        first, second = (self.place.array(end) for end in closed.T)
        found[first, second] = found[second, first] = -np.inf
        return found


def chosen(weighing: Weighing, covariance: Matrix, count: int, rng: np.random.Generator) -> Positions:
    """Rounds of pairs by gain, until there are enough. The few that the last one misses may share items with others.

    Where nothing is left to be gained for an order or a top, which is sure already, it goes on for accurate scores.
    """
    pairs, place = NO_PAIRS, weighing.place
    rounds = next((rounds for most, rounds in ROUNDS.items() if weighing.state.n <= most), LAST)
    while len(pairs) < count:
        wanted = count - len(pairs)
        found = matched(place, weighing.gains(covariance, pairs), wanted, -(-wanted // max(rounds, 1)), rng)
        if not len(found) and weighing.worth is None:
            break
        if not len(found):
            weighing = replace(weighing, worth=None)
            continue
        rounds -= 1
        pairs = np.concatenate([pairs, found])
        if len(pairs) < count:
            first, second = (place.array(end) for end in found.T)
            covariance = narrowed(place, covariance, weighing.mean, first, second, weighing.lapse)
    return pairs


def matched(place: Algebra, gain: Matrix, count: int, share: int, rng: np.random.Generator) -> Positions:
    """The best pairs of which no two share an item; beyond a share of them, none is worth much less than the best.

    Of every item the best few partners are looked at. Where many want to meet the same few, that leaves pairs missing:
    then the items that are left look for partners in groups, drawn at random. Where all that are wanted must be found,
    the last ones come from the first look, with all items free once more. Gains are overwritten.
    """
    _shake(place, gain, rng)
    n, most = len(gain), min(count, len(gain) // 2)
    value, partner = place.best(gain, min(PARTNERS, n - 1))
    seen = Edges(np.repeat(np.arange(n), value.shape[1]), partner.ravel(), value.ravel())
    pairs = seen.walked(n, WORTH * float(value.max(initial=0.0)), share, most)
    for _ in range(TURNS):
        if len(pairs) >= min(share, most):
            break
        left = np.setdiff1d(np.arange(n), pairs)
        found = _among(place, gain, left, rng).walked(n, np.inf, share - len(pairs), most - len(pairs))
        if not len(found):
            break
        pairs = np.concatenate([pairs, found])
    if share < count or len(pairs) >= count:
        return pairs
    more = seen.without(pairs, n).walked(n, np.inf, count - len(pairs), count - len(pairs))
    return np.concatenate([pairs, more])


def _among(place: Algebra, gain: Matrix, items: Positions, rng: np.random.Generator) -> "Edges":
    """All pairs of items of the same group, the groups drawn at random."""
    size = GROUP if len(items) > WHOLE else max(len(items), 1)
    groups = np.array_split(rng.permutation(items), -(-len(items) // size))
    found = []
    for group in groups:
        at = place.array(group)
        i, j = np.triu_indices(len(group), 1)
        found.append((group[i], group[j], place.home(gain[at][:, at])[i, j]))
    first, second, worth = (np.concatenate(part) for part in zip(*found, strict=True))
    return Edges(first, second, worth)


class Edges(NamedTuple):
    """Pairs to choose from, and what they are worth; a pair may stand there either way round."""

    first: Positions
    second: Positions
    worth: Floats

    def without(self, pairs: Positions, n: int) -> "Edges":
        """But for these pairs."""
        code = np.minimum(self.first, self.second) * n + np.maximum(self.first, self.second)
        kept = ~np.isin(code, pairs @ [n, 1])
        return Edges(self.first[kept], self.second[kept], self.worth[kept])

    def walked(self, n: int, least: float, share: int, most: int) -> Positions:
        """Pairs from the best on whose items are free, until one is worth less than the least and there is a share.

        The best few are sorted and walked, then what they leave of the others: that is little, where few items are in
        most pairs, and to sort all takes most of the time of a batch on a GPU.
        """
        free = bytearray([True]) * n
        unused = np.frombuffer(free, bool)  # the same bytes, for all pairs at once
        pairs: list[tuple[int, int]] = []
        left = np.flatnonzero(self.worth > 0)
        while len(left):
            top, left = _parted(self.worth, left, n)
            for i, j, worth in zip(*(part[top].tolist() for part in self), strict=True):
                if len(pairs) >= most or (worth < least and len(pairs) >= share):
                    return np.array(pairs, np.int64).reshape(-1, 2)
                if free[i] and free[j]:
                    free[i] = free[j] = False
                    pairs.append((min(i, j), max(i, j)))
            left = left[unused[self.first[left]] & unused[self.second[left]]]
        return np.array(pairs, np.int64).reshape(-1, 2)


def _parted(worth: Floats, places: Positions, count: int) -> tuple[Positions, Positions]:
    """The places of the greatest numbers, greatest first, and the others; all of them are taken where they are few."""
    if len(places) <= 2 * count:
        return places[np.argsort(-worth[places], kind="stable")], places[:0]
    order = np.argpartition(worth[places], -count)
    top = np.sort(places[order[-count:]])
    return top[np.argsort(-worth[top], kind="stable")], places[order[:-count]]


def _shake(place: Algebra, gain: Matrix, rng: np.random.Generator) -> None:
    """Raise every gain by up to JITTER, by chance: a number for each item makes one for each pair, either way round."""
    luck = place.array(rng.random(len(gain)))
    for start in range(0, len(gain), step := max(1, place.block // len(gain))):
        rows = slice(start, start + step)
        both = luck[rows, None] + luck
        both -= place.xp.floor(both)
        gain[rows] *= 1 + JITTER * both


def circle(state: State, count: int, rng: np.random.Generator) -> Positions:
    """The first pairs, before anything is known: a random circle through all items, so that no part is left alone."""
    if state.n < 2:
        return NO_PAIRS
    order = rng.permutation(state.n)
    ring = np.column_stack([order, np.roll(order, -1)])[: state.n if state.n > 2 else 1]
    if state.usable is None and not len(state.closed):
        return ring[:count]
    allowed = ring[state.open[ring[:, 0], ring[:, 1]]][:count]
    if len(allowed) == min(count, len(ring)):
        return allowed
    luck: Floats = rng.random((state.n, state.n))
    return spanning_tree(luck, state.open, rng)[:count]
