"""Spammers added to answers that others gave, and sides drawn for data that have lost them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from sidewise.comparisons import Comparisons, Index
from sidewise.comparisons.arrow import Floats
from sidewise.errors import ComparisonError, SidewiseError
from sidewise.numbers import check_seed, is_count, is_number
from sidewise.simulate.crowd import numbered
from sidewise.simulate.design import MOST, Positions, distinct
from sidewise.simulate.kinds import BIASED

SIDED = ("always-left", "always-right")
MIXED = (*SIDED, "random", "contrary")
SPAMMER_KINDS = (*MIXED, "mixed")
FOR_SIDES, FOR_SPAM = 1, 2  # streams of their own: crowd, sides and spammers may have the same seed


def add_spammers(
    comparisons: Comparisons,
    share: float,
    kind: str | Sequence[str] = "always-left",
    *,
    seed: int = 0,
    answers: int | None = None,
    name: str = "spammer",
) -> Comparisons:
    """Append the answers of spammers, as the factorBT paper does to real data (Bugakova et al. 2019, section 6).

    ``share`` times as many spammers as there are workers come in, each with as many answers as a worker has on average.
    A spammer takes rows of the data at random, no row twice, for tasks: the items are shown where the row has them, and
    factors and weight are the row's. What the row's worker said does not matter, but to the contrary.

    Parameters
    ----------
    comparisons
        Answers with workers, and with sides for those who go by them (:func:`draw_sides` draws them if need be).
    share
        Spammers for every worker; 1 doubles the crowd, 9 makes nine tenths of it spammers.
    kind
        "always-left", "always-right", "random"; "contrary" says the opposite of what the row's worker said, and takes
        no rows that are ties, which have no opposite; "brand-biased" (for a factor "brand") chooses the item that has
        the factor, and tosses a coin where it is 0. A list of kinds makes equal parts; "mixed" is the first four.
    seed
        The same seed gives the same spammers.
    answers
        Of each spammer, instead of the workers' average.
    name
        New workers are called after it: spammer-001, spammer-002, …

    Examples
    --------
    >>> from sidewise.simulate import crowd
    >>> answers = crowd(10, workers=20, comparisons=400).comparisons
    >>> add_spammers(answers, 0.5, "always-left", seed=1)
    Comparisons(10 items, 600 comparisons, 30 workers)
    """
    workers = _workers(comparisons)
    kinds = _kinds(kind, comparisons)
    if not (is_number(share) and share >= 0):
        raise SidewiseError(f"share is {share!r}; it is the number of spammers for every worker, 0 at the least")
    check_seed(seed)
    if not (answers is None or is_count(answers, 0)):
        raise SidewiseError(f"answers is {answers!r}; it is a count, of each spammer")
    each = max(1, round(len(comparisons) / workers)) if answers is None else answers
    if share > MOST or round(share * workers) * each > MOST:
        raise SidewiseError(
            f"share is {share:g}: that is {share * workers:.2g} spammers with {share * workers * each:.2g} answers, "
            f"for {workers:,} workers; nine for every worker (9) is a lot already"
        )
    count = round(share * workers)
    ids = _new_ids(comparisons, name, count)
    rng = np.random.default_rng([seed, FOR_SPAM])
    parts = [comparisons]
    for number, one in enumerate(kinds):
        codes = np.arange(number, count, len(kinds)) + len(comparisons.workers)
        parts.append(_spam(comparisons, one, codes, each, rng))
    return _joined(parts, Index([*comparisons.workers, *ids]))


def draw_sides(comparisons: Comparisons, seed: int = 0) -> Comparisons:
    """Put each comparison's items left or right by the toss of a coin, for data that do not say where they were shown.

    What is learnt about sides from such data holds for answers that are added later, such as those of spammers.

    Examples
    --------
    >>> answers = Comparisons.from_arrays(winner=["a", "b"], loser=["b", "c"])
    >>> answers.sided, draw_sides(answers, seed=1).sided
    (False, True)
    """
    check_seed(seed)
    if not isinstance(comparisons, Comparisons):
        raise ComparisonError(f"sides are drawn for Comparisons, as sidewise.read gives, not for {comparisons!r}")
    if comparisons.sided:
        raise ComparisonError("these comparisons say what was shown on which side: there is nothing to draw")
    turn = np.random.default_rng([seed, FOR_SIDES]).random(len(comparisons)) < 0.5
    return replace(_turned(comparisons, turn), sided=True)


def _kinds(kind: str | Sequence[str], comparisons: Comparisons) -> tuple[str, ...]:
    """The kinds that there are to be in equal parts, all of them known and possible."""
    if not isinstance(kind, Iterable):
        raise SidewiseError(f"kind is {kind!r}, which is neither a kind of spammer nor a list of them")
    named = [kind] if isinstance(kind, str) else list(kind)
    kinds = tuple(one for given in named for one in (MIXED if given == "mixed" else (given,)))
    known = (*SPAMMER_KINDS, *(factor + BIASED for factor in comparisons.factors))
    for one in kinds:
        if one not in known:
            cure = " (name the factor when you read the data)" if str(one).endswith(BIASED) else ""
            raise SidewiseError(f"no kind of spammer {one!r}; for these data there are: {', '.join(known)}{cure}")
        if one in SIDED and not comparisons.sided:
            raise ComparisonError(
                f"{one} needs to know what was shown on which side, and the data do not say: draw the sides first, "
                "with sidewise.simulate.draw_sides (command line: --draw-sides)",
            )
    if not kinds:
        raise SidewiseError("name a kind of spammer")
    return kinds


def _workers(comparisons: Comparisons) -> int:
    """How many workers have answered."""
    if not isinstance(comparisons, Comparisons):
        raise ComparisonError("spammers are counted by workers, and pair counts have forgotten them: give Comparisons")
    if comparisons.worker is None:
        raise ComparisonError(
            "spammers are counted by workers, and the data do not say who said what: name the worker column "
            "(worker=…, --worker)",
        )
    if not len(comparisons):
        raise ComparisonError("spammers take their tasks from comparisons, and there are none")
    return len(np.unique(comparisons.worker))


def _new_ids(comparisons: Comparisons, name: str, count: int) -> list[str]:
    ids = numbered(f"{name}-", count, first=1, width=3)
    taken = [label for label in ids if label in comparisons.workers]
    if taken:
        raise SidewiseError(f"the data have a worker {taken[0]!r} already: choose another name= (command line: --name)")
    return ids


def _spam(
    comparisons: Comparisons, kind: str, codes: Positions, answers: int, rng: np.random.Generator
) -> Comparisons:  # fmt: skip
    """The answers of spammers of one kind, whose codes are given."""
    rows = np.flatnonzero(comparisons.outcome != 0.5) if kind == "contrary" else np.arange(len(comparisons))
    if not 1 <= answers <= len(rows):
        what = "decided rows" if kind == "contrary" else "rows"
        raise SidewiseError(f"answers is {answers}, which is not between 1 and the {len(rows)} {what} to take as tasks")
    taken = comparisons.select(rows[distinct(len(rows), answers, len(codes), rng).ravel()])
    spam = replace(taken, outcome=_said(taken, kind, rng), worker=np.repeat(codes, answers).astype(np.int32))
    # The left column of data without sides holds the winners.
    return spam if comparisons.sided else _turned(spam, spam.outcome < 0.5)


def _said(tasks: Comparisons, kind: str, rng: np.random.Generator) -> Floats:
    coin = rng.integers(2, size=len(tasks)).astype(float)
    match kind:
        case "always-left":
            return np.ones(len(tasks))
        case "always-right":
            return np.zeros(len(tasks))
        case "contrary":
            return 1 - tasks.outcome
        case "random":
            return coin
        case _:
            x = tasks.factors[kind.removesuffix(BIASED)]
            return np.where(x == 0, coin, x > 0)


def _turned(comparisons: Comparisons, turn: np.ndarray) -> Comparisons:
    """The same judgments with left and right exchanged in some rows."""
    return replace(
        comparisons,
        left=np.where(turn, comparisons.right, comparisons.left),
        right=np.where(turn, comparisons.left, comparisons.right),
        outcome=np.where(turn, 1 - comparisons.outcome, comparisons.outcome),
        factors={name: np.where(turn, 0 - values, values) for name, values in comparisons.factors.items()},
    )


def _joined(parts: Sequence[Comparisons], workers: Index) -> Comparisons:
    first = parts[0]
    return replace(
        first,
        left=np.concatenate([part.left for part in parts]),
        right=np.concatenate([part.right for part in parts]),
        outcome=np.concatenate([part.outcome for part in parts]),
        worker=np.concatenate([part.worker for part in parts if part.worker is not None]),
        workers=workers,
        weight=None if first.weight is None else np.concatenate([part.weights() for part in parts]),
        factors={name: np.concatenate([part.factors[name] for part in parts]) for name in first.factors},
    )
