"""One answer more: what is believed, brought up to date in O(n²) where a fit from nothing costs O(n³).

An answer changes the site of its own pair most, those of pairs with one of its two items a little, and all others next
to nothing. The means follow all of them: with the old covariance for a guide, a few products find where they rest. The
covariance follows the FOLLOWED sites that changed most, by Woodbury's identity; what the others owe is kept, and is
paid when it has grown. The spread of the prior stays what it was: to learn it anew takes a fit.
"""

from dataclasses import dataclass, replace

import numpy as np

from sidewise.comparisons.arrow import Codes, Floats
from sidewise.models.likelihood import Observations
from sidewise.sampling.belief import Belief, matched, one_answer, told_by
from sidewise.sampling.state import Positions

FOLLOWED = 64  # sites
TURNS = 6  # of following among the pairs with one of the two items, before all others
CLOSE = 1e-8  # what a sweep over all sites may still move, in probits
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

    @classmethod
    def of(cls, belief: Belief) -> "Running":
        """Begin with a belief."""
        return cls(belief.mean, belief.precision.inverse, belief.spread, belief.seen, belief.sites)

    @property
    def belief(self) -> Belief:
        """The same as a belief, its precision made anew from the sites."""
        return told_by(self.seen, self.sites, self.spread, settled=True)

    def after(self, i: int, j: int, outcome: float, weight: float = 1.0) -> "Running":
        """With an answer about i and j: 1 for i, 0 for j, 0.5 for a tie; it may count for more or less than one."""
        here = self._with(min(i, j), max(i, j), outcome if i < j else 1 - outcome, weight)
        near = np.flatnonzero(np.isin(here.seen.left, (i, j)) | np.isin(here.seen.right, (i, j)))
        for _ in range(TURNS):
            here = here._swept(near, FOLLOWED)
        every = np.arange(len(here.seen.left))
        for _ in range(SWEEPS):
            before = here.mean
            here = here._swept(every, FOLLOWED)
            if np.abs(here.mean - before).max() < CLOSE:
                break
        return here

    @property
    def _said(self) -> Floats:
        return np.stack([self.seen.wins, self.seen.losses])

    def _swept(self, some: Positions, count: int) -> "Running":
        """Sites of some pairs anew. Who does not follow keeps its precision, and gets the shift that is right now."""
        own, i, j = self.covariance.diagonal(), self.seen.left[some], self.seen.right[some]
        d, v = self.mean[i] - self.mean[j], np.asarray(own[i] + own[j] - 2 * self.covariance[i, j])
        said, old = np.stack([self.seen.wins[some], self.seen.losses[some]]), self.sites[:, :, some]
        wanted = matched(d, v, one_answer(old, said, v))
        owed = (said * (wanted[0] - old[0])).sum(axis=0)
        count = min(count, len(v))
        most = np.argpartition(-np.abs(owed) * v, count - 1)[:count]
        site = np.stack([old[0], wanted[1] - (wanted[0] - old[0]) * d])
        site[:, :, most] = wanted[:, :, most]
        sites = self.sites.copy()
        sites[:, :, some] = site
        covariance = changed(self.covariance, i[most], j[most], owed[most])
        mean = covariance @ self.seen.to_items((self._said * sites[1]).sum(axis=0))
        return replace(self, mean=mean, covariance=covariance, sites=sites)

    def _with(self, low: int, high: int, outcome: float, weight: float) -> "Running":
        """With so much more about one pair, which may be a new one. A site counts by what was said: S falls at once."""
        seen, code = self.seen, low * self.seen.n + high
        codes = seen.left.astype(np.int64) * seen.n + seen.right
        place = int(np.searchsorted(codes, code))
        sites = self.sites
        if place == len(codes) or codes[place] != code:
            none = np.broadcast_to(0.0, len(codes) + 1)
            ends = np.insert(seen.left, place, low), np.insert(seen.right, place, high)
            said = np.insert(seen.wins, place, 0.0), np.insert(seen.losses, place, 0.0)
            seen = Observations(seen.n, *ends, *said, none, np.empty((len(none), 0)))
            sites = np.insert(sites, place, 0.0, axis=2)
        more = np.array([weight * outcome, weight * (1 - outcome)])
        wins, losses = seen.wins.copy(), seen.losses.copy()
        wins[place] += more[0]
        losses[place] += more[1]
        seen = replace(seen, wins=wins, losses=losses)
        told = np.array([more @ sites[0, :, place]])
        covariance = changed(self.covariance, seen.left[[place]], seen.right[[place]], told)
        mean = covariance @ seen.to_items((np.stack([wins, losses]) * sites[1]).sum(axis=0))
        return replace(self, mean=mean, covariance=covariance, seen=seen, sites=sites)


def changed(covariance: Floats, left: Codes | Positions, right: Codes | Positions, change: Floats) -> Floats:
    """The covariance when the precision of some differences is another, by Woodbury's identity."""
    if not len(change):
        return covariance
    along = covariance[:, left] - covariance[:, right]
    shared = along[left] - along[right]
    # S − A (D⁻¹ + U)⁻¹ Aᵀ with (D⁻¹ + U)⁻¹ = (I + D U)⁻¹ D, which also holds where a precision does not change.
    inner = np.linalg.solve(np.eye(len(change)) + change[:, None] * shared, change[:, None] * along.T)
    found = covariance - along @ inner
    return np.asarray((found + found.T) / 2)
