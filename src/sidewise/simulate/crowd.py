"""A simulated crowd: careful workers, careless ones, and ones who favour a side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons import Comparisons
from sidewise.errors import SidewiseError

Positions = NDArray[np.int64]

CAREFUL, CARELESS, ONE_SIDED = "careful", "careless", "one-sided"


@dataclass(frozen=True)
class Simulation:
    """Answers, and what is true: the scores of the items and the kind of every worker."""

    comparisons: Comparisons
    truth: Mapping[str, float]
    kinds: Mapping[str, str]


def crowd(
    items: int | Sequence[str] = 40,
    *,
    workers: int = 50,
    comparisons: int = 4000,
    spread: float = 1.0,
    careless: float = 0.0,
    one_sided: float = 0.0,
    ties: float = 0.0,
    seed: int = 0,
) -> Simulation:
    """Simulate a crowd that compares random pairs.

    A worker prefers the left item with chance σ(a (s_left − s_right) + b): a is 1 for the careful and 0 for the
    careless, b is 0 but for the one-sided, whom it draws strongly to one side.

    Parameters
    ----------
    items
        How many, or their names.
    workers, comparisons
        How many.
    spread
        The standard deviation of the true scores.
    careless, one_sided
        Shares of such workers.
    ties
        A worker calls a tie where the scores differ by less than this.
    seed
        The same seed gives the same answers.

    Examples
    --------
    >>> simulation = crowd(10, workers=5, comparisons=200, seed=1)
    >>> simulation.comparisons
    Comparisons(10 items, 200 comparisons, 5 workers)
    """
    names = [f"item-{code:0{len(str(items - 1))}}" for code in range(items)] if isinstance(items, int) else list(items)
    if len(names) < 2 or workers < 1 or comparisons < 1:
        raise SidewiseError("a crowd needs two items, one worker and one comparison at the least")
    if careless < 0 or one_sided < 0 or careless + one_sided > 1:
        raise SidewiseError("careless and one_sided are shares of the workers: together no more than 1")
    rng = np.random.default_rng(seed)
    score = rng.normal(0, spread, len(names))
    kinds = np.full(workers, CAREFUL, object)
    odd = rng.permutation(workers)[: round((careless + one_sided) * workers)]
    kinds[odd[: round(careless * workers)]] = CARELESS
    kinds[odd[round(careless * workers) :]] = ONE_SIDED
    sensitivity = np.where(kinds == CARELESS, 0.0, 1.0)
    bias = np.where(kinds == ONE_SIDED, rng.choice([-3.0, 3.0], workers), 0.0)
    left, right = random_pairs(len(names), comparisons, rng)
    who = rng.integers(workers, size=comparisons)
    lead = score[left] - score[right]
    outcome = (rng.logistic(size=comparisons) < sensitivity[who] * lead + bias[who]).astype(float)
    outcome[(np.abs(lead) < ties) & (kinds[who] == CAREFUL)] = 0.5
    labels = np.array(names, object)
    ids = np.array([f"w{code:0{len(str(workers - 1))}}" for code in range(workers)], object)
    answers = Comparisons.from_arrays(
        left=labels[left], right=labels[right], winner=outcome, worker=ids[who], items=names
    )
    return Simulation(answers, dict(zip(names, score.tolist(), strict=True)), dict(zip(ids, kinds, strict=True)))


def random_pairs(n: int, count: int, rng: np.random.Generator) -> tuple[Positions, Positions]:
    """Pairs of different items, drawn evenly, either of them on either side."""
    left = rng.integers(n, size=count)
    return left, (left + 1 + rng.integers(n - 1, size=count)) % n
