"""Random comparisons for tests, by hypothesis and by seed."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

import sidewise as sw

NAMES = ("ant", "bee", "cat", "dog", "elk", "fox")


@st.composite
def comparisons(draw, *, least=1, most=40, ties=True, outcomes=None, factors=False):
    """Comparisons of up to six items."""
    n = draw(st.integers(2, len(NAMES)))
    pair = st.tuples(st.integers(0, n - 1), st.integers(1, n - 1)).map(lambda p: (p[0], (p[0] + p[1]) % n))
    pairs = draw(st.lists(pair, min_size=least, max_size=most))
    if outcomes is None:
        outcomes = st.sampled_from([0.0, 1.0, 0.5] if ties else [0.0, 1.0])
    outcome = draw(st.lists(outcomes, min_size=len(pairs), max_size=len(pairs)))
    rows = len(pairs)
    made = (
        {"logo": draw(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=rows, max_size=rows))} if factors else None
    )
    return sw.Comparisons.from_arrays(
        left=[NAMES[a] for a, _ in pairs], right=[NAMES[b] for _, b in pairs], winner=outcome, factors=made,
        items=NAMES[:n], winner_is="number",
    )  # fmt: skip


def with_workers(answers, count, seed=0):
    """The same comparisons by workers drawn at random."""
    who = np.random.default_rng(seed).integers(count, size=len(answers)).astype(np.int32)
    return replace(answers, worker=who, workers=sw.Index([f"w{k}" for k in range(count)]))


def crowds(**options):
    """Comparisons by up to five workers."""
    return st.builds(with_workers, comparisons(**options), st.integers(1, 5), st.integers(0, 3))


def relabelled(answers, order):
    """The same comparisons with other names and numbers of the items, and the new number of each."""
    place = np.array([code for code in order if code < len(answers.items)], np.int32)
    items = sw.Index([f"new-{code}" for code in range(len(place))])
    return replace(answers, left=place[answers.left], right=place[answers.right], items=items), place


def random_comparisons(n=8, rows=400, *, seed=0, spread=1.0, ties=0.0, workers=0, side=0.0, weight=False):
    """Comparisons of items with known scores, with a share of ties; every item meets every other."""
    rng = np.random.default_rng(seed)
    score = rng.normal(0, spread, n)
    left = rng.integers(n, size=rows)
    right = (left + 1 + rng.integers(n - 1, size=rows)) % n
    outcome = (rng.logistic(size=rows) < score[left] - score[right] + side).astype(float)
    outcome[rng.random(rows) < ties] = 0.5
    names = np.array([f"item-{code}" for code in range(n)], object)
    return sw.Comparisons.from_arrays(
        left=names[left], right=names[right], winner=outcome, items=names,
        worker=[f"w{code}" for code in rng.integers(workers, size=rows)] if workers else None,
        weight=rng.gamma(2, 0.5, rows) if weight else None,
        factors={"logo": rng.integers(-1, 2, rows)},
    )  # fmt: skip
