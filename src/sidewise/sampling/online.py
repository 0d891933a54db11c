"""One answer more: what is believed, brought up to date in O(n²) where a fit from nothing costs O(n³).

An answer changes the site of its own pair most, those of pairs with one of its two items a little, and all others next
to nothing. The means follow all of them: with the old covariance for a guide, a few products find where they rest. The
covariance follows those sites whose change would be felt, by Woodbury's identity and at most FOLLOWED in a sweep; what
the others owe is kept, and is paid when it has grown. The spread of the prior and the share of lapses stay what they
were: to learn them anew takes a fit, which may begin with :attr:`Running.belief`.
"""

from dataclasses import dataclass, replace

import numpy as np

from sidewise.comparisons.arrow import Codes, Floats
from sidewise.models.likelihood import Observations
from sidewise.sampling.belief import PART, Belief, one_answer, told_by, without
from sidewise.sampling.state import Positions

FOLLOWED = 64  # sites
FAINT = 1e-10  # of a covariance, in square probits: a site that would change it by less waits
TURNS = 6  # of following among the pairs with one of the two items, before all others
CLOSE = 2e-8  # what a sweep over all sites may still move, in probits
SWEEPS = 10  # over all pairs at most


@dataclass(frozen=True)
class Running:
    """What is believed after answers that come one at a time.

    >>> from sidewise.sampling.belief import believe
    >>> from sidewise.sampling.state import State
    >>> answers = State.empty(3).with_answers(np.array([[0, 1], [1, 2], [0, 2]]), np.ones(3))
    >>> running = Running.of(believe(answers)).after(1, 2, 1.0)
    >>> bool(running.mean[1] > running.mean[2])
    True
    """

    mean: Floats
    covariance: Floats
    spread: float  # of the prior
    seen: Observations
    sites: Floats  # 2 × 2 × pairs, as those of a Belief
    pull: Floats  # of all sites, on every item: the mean is the covariance times it
    lapse: float = 0.0  # the share of answers without a look

    @classmethod
    def of(cls, belief: Belief) -> "Running":
        """Begin with a belief."""
        seen, shift = belief.seen, belief.sites[1]
        pull = seen.to_items(seen.wins * shift[0] + seen.losses * shift[1])
        return cls(belief.mean, belief.precision.inverse, belief.spread, seen, belief.sites, pull, belief.lapse)

    @property
    def belief(self) -> Belief:
        """The same as a belief, its precision made anew from the sites."""
        return told_by(self.seen, self.sites, self.spread, lapse=self.lapse, settled=True)

    def after(self, i: int, j: int, outcome: float, weight: float = 1.0) -> "Running":
        """With an answer about i and j: 1 for i, 0 for j, 0.5 for a tie; it may count for more or less than one."""
        here = self._with(min(i, j), max(i, j), outcome if i < j else 1 - outcome, weight)
        left, right = here.seen.left, here.seen.right
        near = np.flatnonzero((left == i) | (left == j) | (right == i) | (right == j))
        for some, most in ((near, TURNS), (None, SWEEPS)):
            for _ in range(most):
                before = here.mean
                here = here._swept(some)
                if np.abs(here.mean - before).max() < CLOSE:
                    break
        return here

    def _swept(self, some: Positions | None) -> "Running":
        """Sites of some pairs, or of all, anew, and what follows. The sites are overwritten: they are this answer's."""
        count = len(self.seen.left) if some is None else len(some)
        change, felt, pull = np.empty((2, count)), np.empty(count), self.pull.copy()
        for start in range(0, count, PART):
            here = slice(start, start + PART)
            change[:, here], felt[here], shift = self._shifted(here if some is None else some[here])
            pull += shift
        most = _largest(felt)
        at, change = most if some is None else some[most], change[:, most]
        i, j = self.seen.left[at], self.seen.right[at]
        said, shift = self._said(at), change * (self.mean[i] - self.mean[j])
        self.sites[0][:, at] += change
        self.sites[1][:, at] += shift
        covariance = changed(self.covariance, i, j, (said * change).sum(axis=0))
        pull += self._to_items(at, (said * shift).sum(axis=0))
        return replace(self, mean=covariance @ pull, covariance=covariance, pull=pull)

    def _shifted(self, at: Positions | slice) -> tuple[Floats, Floats, Floats]:
        """What the precision of sites should change by, how far that would be felt, and how all items are pulled.

        The sites keep their precision for now, and get the shift that is right with it.
        """
        own, i, j = self.covariance.diagonal(), self.seen.left[at], self.seen.right[at]
        d, v = self.mean[i] - self.mean[j], np.asarray(own[i] + own[j] - 2 * self.covariance[i, j])
        said, (old, before) = self._said(at), self.sites[:, :, at]
        told, shift = without(d, v, one_answer(np.stack([old, before]), said, v)).matched(self.lapse)
        change = told - old
        step = shift - change * d - before
        self.sites[1][:, at] += step
        return change, np.abs((said * change).sum(axis=0)) * v**2, self._to_items(at, (said * step).sum(axis=0))

    def _said(self, at: Positions | slice) -> Floats:
        return np.stack([self.seen.wins[at], self.seen.losses[at]])

    def _to_items(self, at: Positions | slice, per_pair: Floats) -> Floats:
        """Σ over some pairs of per_pair (e_left − e_right)."""
        ends = self.seen.left[at], self.seen.right[at]
        plus, minus = (np.bincount(end, per_pair, self.seen.n) for end in ends)
        return np.asarray(plus - minus, float)

    def _with(self, low: int, high: int, outcome: float, weight: float) -> "Running":
        """With so much more about one pair, which may be a new one. A site counts by what was said: S falls at once."""
        here, place = self._room(low, high)
        more = np.array([weight * outcome, weight * (1 - outcome)])
        wins, losses = here.seen.wins.copy(), here.seen.losses.copy()
        wins[place] += more[0]
        losses[place] += more[1]
        here = replace(here, seen=replace(here.seen, wins=wins, losses=losses))
        at = np.array([place])
        told, shift = (more @ part[:, at] for part in here.sites)
        covariance = changed(here.covariance, here.seen.left[at], here.seen.right[at], told)
        pull = here.pull + here._to_items(at, shift)
        return replace(here, mean=covariance @ pull, covariance=covariance, pull=pull)

    def _room(self, low: int, high: int) -> tuple["Running", int]:
        """The same, on sites of its own and with room for a pair; and where the pair stands."""
        seen, code = self.seen, low * self.seen.n + high
        codes = seen.left.astype(np.int64) * seen.n + seen.right
        place = int(np.searchsorted(codes, code))
        if place < len(codes) and codes[place] == code:
            return replace(self, sites=self.sites.copy()), place
        none = np.broadcast_to(0.0, len(codes) + 1)
        ends = np.insert(seen.left, place, low), np.insert(seen.right, place, high)
        said = np.insert(seen.wins, place, 0.0), np.insert(seen.losses, place, 0.0)
        seen = Observations(seen.n, *ends, *said, none, np.empty((len(none), 0)))
        return replace(self, seen=seen, sites=np.insert(self.sites, place, 0.0, axis=2)), place


def _largest(felt: Floats) -> Positions:
    """Those that are felt, and of many the FOLLOWED that are felt most."""
    heard = np.flatnonzero(felt > FAINT)
    return heard if len(heard) <= FOLLOWED else heard[np.argpartition(-felt[heard], FOLLOWED)[:FOLLOWED]]


def changed(covariance: Floats, left: Codes | Positions, right: Codes | Positions, change: Floats) -> Floats:
    """The covariance when the precision of some differences is another, by Woodbury's identity."""
    if not len(change):
        return covariance
    along = covariance[:, left] - covariance[:, right]
    shared = along[left] - along[right]
    # S − A (D⁻¹ + U)⁻¹ Aᵀ with (D⁻¹ + U)⁻¹ = (I + D U)⁻¹ D, which also holds where a precision does not change.
    inner = np.linalg.solve(np.eye(len(change)) + change[:, None] * shared, np.diag(change))
    lost = along @ ((inner + inner.T) / 2) @ along.T
    return np.asarray(np.subtract(covariance, lost, out=lost))
