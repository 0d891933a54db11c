"""Strategies that hardly look at the answers: every pair in turn, pairs at random, neighbours in the order so far."""

import numpy as np

from sidewise.sampling.picking import best
from sidewise.sampling.state import Positions, State


def full(state: State, count: int, rng: np.random.Generator) -> Positions:
    """Every pair as often as every other: the pairs asked least come next, in random order."""
    return best(-state.asked.astype(float), state.open, count, rng)


def random(state: State, count: int, rng: np.random.Generator) -> Positions:
    """Pairs at random."""
    return best(np.zeros((state.n, state.n)), state.open, count, rng)


def nearest(state: State, count: int, rng: np.random.Generator) -> Positions:
    """Neighbours in the order by shares of wins so far, those asked least first (Zerman et al. 2018)."""
    wins = state.wins
    share = (wins.sum(axis=1) + 0.5) / (wins.sum(axis=1) + wins.sum(axis=0) + 1)
    place = np.empty(state.n)
    place[np.lexsort((rng.random(state.n), share))] = np.arange(state.n)
    apart = np.abs(place[:, None] - place)
    return best(-(apart + state.asked / (1 + state.asked.max(initial=0))), state.open, count, rng)
