"""What is known when pairs are chosen: the answers so far, the pairs that are out, the pairs that may be asked."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons.arrow import Floats

Positions = NDArray[np.int64]
Mask = NDArray[np.bool_]
NO_PAIRS = np.empty((0, 2), np.int64)


def pair_numbers(pairs: Positions, n: int) -> Positions:
    """The number i·n + j of every pair i < j, whichever of the two comes first."""
    return np.asarray(pairs.min(axis=1) * n + pairs.max(axis=1))


def pair_counts(pairs: Positions, n: int) -> Positions:
    """N × n, symmetric: how often each pair stands among these."""
    once = np.bincount(pair_numbers(pairs, n), minlength=n * n).reshape(n, n)
    return np.asarray(once + once.T)


@dataclass(frozen=True)
class State:
    """Answers in the order they came, items as positions from 0 to n − 1.

    Every strategy is a function of a state, of how many pairs are wanted and of a random generator; it returns an
    array of pairs, one a row, no pair twice and none that may not be asked, at most as many as are wanted.
    """

    n: int
    left: Positions
    right: Positions
    outcome: Floats  # 1 where left won, 0 where right did, 0.5 for a tie
    weight: Floats  # how much an answer counts, such as the reliability of who gave it
    out: Positions  # pairs that workers are looking at now, one a row: they count as asked
    usable: Mask | None = None  # n × n, symmetric: pairs that may be asked; None are all
    # Pairs that may not be asked all the same, such as those that a batch has already.
    closed: Positions = field(default_factory=lambda: NO_PAIRS)

    @classmethod
    def empty(cls, n: int) -> "State":
        """Nothing asked yet."""
        none = np.empty(0, np.int64)
        return cls(n, none, none, np.empty(0), np.empty(0), NO_PAIRS)

    def with_answers(self, pairs: Positions, outcome: Floats) -> "State":
        """With answers about some pairs, each of weight 1."""
        return replace(
            self,
            left=np.concatenate([self.left, pairs[:, 0]]),
            right=np.concatenate([self.right, pairs[:, 1]]),
            outcome=np.concatenate([self.outcome, outcome]),
            weight=np.concatenate([self.weight, np.ones(len(pairs))]),
        )

    def only(self, part: slice) -> "State":
        """With some of the answers alone."""
        return replace(
            self,
            left=self.left[part],
            right=self.right[part],
            outcome=self.outcome[part],
            weight=self.weight[part],
        )

    @cached_property
    def pairs(self) -> Positions:
        """All pairs asked, one a row: those answered, in their order, then those that are out."""
        return np.concatenate([np.column_stack([self.left, self.right]), self.out])

    @cached_property
    def wins(self) -> Floats:
        """N × n: how much i has won against j; a tie is half a win for each."""
        size = self.n * self.n
        won = np.bincount(self.left * self.n + self.right, self.weight * self.outcome, size)
        lost = np.bincount(self.right * self.n + self.left, self.weight * (1 - self.outcome), size)
        return np.asarray((won + lost).reshape(self.n, self.n), float)  # bincount of nothing counts in whole numbers

    @cached_property
    def asked(self) -> Positions:
        """N × n, symmetric: how often a pair was asked or is out."""
        return pair_counts(self.pairs, self.n)

    @cached_property
    def open(self) -> Mask:
        """N × n: the pairs that may be asked, as a matrix whether or not some are forbidden."""
        every = np.ones((self.n, self.n), bool) if self.usable is None else self.usable.copy()
        np.fill_diagonal(every, val=False)
        every[self.closed[:, 0], self.closed[:, 1]] = every[self.closed[:, 1], self.closed[:, 0]] = False
        return every


Strategy = Callable[[State, int, np.random.Generator], Positions]
