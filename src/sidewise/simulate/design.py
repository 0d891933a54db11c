"""Who is asked about which pair."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidewise.comparisons.arrow import Mask
from sidewise.errors import SidewiseError
from sidewise.numbers import check_count

Positions = NDArray[np.int64]
Draws = NDArray[np.uint64]

USUAL = 4000  # comparisons, where nothing else says how many
FEW = 64  # to draw at a time
MOST = 200_000_000  # answers at once, which fill a few gigabytes; and items and workers, whose names do so sooner


class Asked(NamedTuple):
    """The items shown and the worker who was asked, one row a comparison, in the order of time."""

    left: Positions
    right: Positions
    worker: Positions


class Sizes(NamedTuple):
    """How much is asked, as far as the caller says so."""

    comparisons: int | None = None
    pairs: int | None = None
    overlap: int | None = None
    answers: int | None = None


def design(n: int, workers: int, sizes: Sizes, rng: np.random.Generator) -> Asked:
    """Random pairs, or ``pairs`` different ones, to workers drawn evenly, or so many different ones for each."""
    count, pairs = settled(n, workers, sizes)
    if pairs is None:
        left, right = random_pairs(n, count, rng)
    else:
        left, right = different_pairs(n, pairs, rng)
        if sizes.overlap is not None:
            return spread_over(left, right, workers, sizes.overlap, rng)
        chosen = rng.integers(pairs, size=count)
        left, right = either_way(left[chosen], right[chosen], rng)
    if sizes.answers is not None:
        return Asked(left, right, rng.permutation(np.repeat(np.arange(workers), sizes.answers)))
    return Asked(left, right, rng.integers(workers, size=count))


def settled(n: int, workers: int, sizes: Sizes) -> tuple[int, int | None]:
    """The number of comparisons, and of different pairs where that is limited."""
    _check(sizes, workers)
    comparisons, pairs, overlap, answers = sizes
    if overlap is not None and pairs is not None:
        implied, by = pairs * overlap, "pairs times overlap"
    elif answers is not None:
        implied, by = workers * answers, "workers times answers"
    else:
        implied, by = comparisons or USUAL, "comparisons"
    if comparisons not in (None, implied):
        raise SidewiseError(f"comparisons is {comparisons}, but {by} is {implied}: leave out comparisons")
    if overlap is not None and pairs is None:
        if implied % overlap:
            raise SidewiseError(f"{implied} comparisons cannot be shared out among pairs by {overlap}")
        pairs = implied // overlap
    if implied > MOST:
        raise SidewiseError(f"that is {implied:,} comparisons; {MOST:,} are the most: make several files of them")
    if pairs is not None and pairs > n * (n - 1) // 2:
        raise SidewiseError(f"{n} items have {n * (n - 1) // 2} different pairs, and {pairs} were asked for")
    return implied, pairs


def _check(sizes: Sizes, workers: int) -> None:
    for name, value in sizes._asdict().items():
        if value is not None:
            check_count(name, value)
    if sizes.overlap is not None and sizes.answers is not None:
        raise SidewiseError("say overlap (workers for each pair) or answers (of each worker), not both")
    if sizes.overlap is not None and sizes.overlap > workers:
        raise SidewiseError(f"overlap is {sizes.overlap}, but there are only {workers} workers to judge a pair")


def random_pairs(n: int, count: int, rng: np.random.Generator) -> tuple[Positions, Positions]:
    """Pairs of different items, drawn evenly, either of them on either side."""
    left = rng.integers(n, size=count)
    return left, (left + 1 + rng.integers(n - 1, size=count)) % n


def different_pairs(n: int, count: int, rng: np.random.Generator) -> tuple[Positions, Positions]:
    """Pairs drawn from all n(n−1)/2 without drawing one twice."""
    return pairs_at(rng.choice(n * (n - 1) // 2, count, replace=False))


def pairs_at(number: Positions) -> tuple[Positions, Positions]:
    """The pairs of these numbers, the lower item first: 01, 02, 12, 03, 13, 23 and so on."""
    high = ((1 + np.sqrt(1 + 8.0 * number)) / 2).astype(np.int64)
    high -= high * (high - 1) // 2 > number  # where the root was rounded up
    return number - high * (high - 1) // 2, high


def spread_over(
    first: Positions, second: Positions, workers: int, overlap: int, rng: np.random.Generator
) -> Asked:  # fmt: skip
    """Every pair to ``overlap`` different workers, each shown it either way round, all in random order."""
    who = distinct(workers, overlap, len(first), rng).ravel()
    left, right = either_way(np.repeat(first, overlap), np.repeat(second, overlap), rng)
    order = rng.permutation(len(who))
    return Asked(left[order], right[order], who[order])


def either_way(first: Positions, second: Positions, rng: np.random.Generator) -> tuple[Positions, Positions]:
    """Each pair with its items left or right by the toss of a coin."""
    swap = rng.random(len(first)) < 0.5
    return np.where(swap, second, first), np.where(swap, first, second)


def distinct(n: int, count: int, times: int, rng: np.random.Generator) -> Positions:
    """So many times, ``count`` different numbers below n (Floyd's algorithm, all rows at once)."""
    if count > FEW:  # its work grows with the square of count
        rows = [rng.choice(n, count, replace=False) for _ in range(times)]
        return np.array(rows, np.int64).reshape(times, count)
    chosen = np.empty((times, count), np.int64)
    for column, last in enumerate(range(n - count, n)):
        drawn = rng.integers(last + 1, size=times)
        taken = (chosen[:, :column] == drawn[:, None]).any(axis=1)
        chosen[:, column] = np.where(taken, last, drawn)
    return chosen


def progress(worker: Positions, workers: int) -> NDArray[np.float64]:
    """The share of their answers that each row's worker has given before it."""
    answers = np.bincount(worker, minlength=workers)
    order = np.argsort(worker, kind="stable")
    position = np.empty(len(worker), np.int64)
    position[order] = np.arange(len(worker)) - np.repeat(np.cumsum(answers) - answers, answers)
    return np.asarray(position / answers[worker])


def pair_draws(left: Positions, right: Positions, salt: int) -> Draws:
    """A random number that belongs to the pair: the same wherever it appears, whichever way round."""
    low, high = (side.astype(np.uint64) for side in (np.minimum(left, right), np.maximum(left, right)))
    return scrambled(scrambled((high << np.uint64(32)) + low) + np.uint64(salt))


def scrambled(value: Draws) -> Draws:
    """Neighbouring numbers sent far apart (the finaliser of SplitMix64, Steele et al. 2014)."""
    value = value + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


def first_left(asked: Asked) -> Mask:
    """Whether the item that comes first in the list of items is shown on the left."""
    return asked.left < asked.right
