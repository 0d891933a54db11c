"""A simulated crowd: items with true scores, and workers of many kinds who compare them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from sidewise.comparisons import Comparisons, Index
from sidewise.comparisons.arrow import Floats
from sidewise.errors import SidewiseError
from sidewise.numbers import check_seed, is_count, is_number
from sidewise.simulate.design import MOST, Asked, Sizes, design, first_left, pair_draws, progress
from sidewise.simulate.factors import FactorOf, Factors, drawn_factors, factor_specs, seen_from_left
from sidewise.simulate.kinds import SIDE, Kind, OneSided, Seen, find_kind, parameters, stacked
from sidewise.simulate.scores import true_scores

USUAL_WORKERS = 50


@dataclass(frozen=True)
class Simulation:
    """Answers, and what is true: the scores of the items, and the kind and the parameters of every worker.

    ``items`` is a table of item, score and one column for every factor that is a property of items; ``workers`` one of
    worker, kind, answers and one column for every parameter, null for the kinds that do not have it.
    """

    comparisons: Comparisons
    items: pa.Table
    workers: pa.Table

    @cached_property
    def truth(self) -> Mapping[str, float]:
        """The true score of every item."""
        return dict(zip(self.items["item"].to_pylist(), self.items["score"].to_pylist(), strict=True))

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The kind of every worker."""
        return dict(zip(self.workers["worker"].to_pylist(), self.workers["kind"].to_pylist(), strict=True))


def crowd(
    items: int | Sequence[str] = 40,
    *,
    workers: int | None = None,
    comparisons: int | None = None,
    pairs: int | None = None,
    overlap: int | None = None,
    answers: int | None = None,
    scores: str | Sequence[float] | Mapping[str, float] = "normal",
    spread: float = 1.0,
    kinds: Mapping[str | Kind, float] | Mapping[str, float] | Sequence[str | Kind] = (),
    factors: Sequence[str] | Mapping[str, FactorOf] = (),
    ties: float = 0.0,
    seed: int = 0,
) -> Simulation:
    """Simulate a crowd that compares pairs.

    An honest worker prefers the left item with chance σ(s_left − s_right); every other kind has a formula of its own,
    which its class states. Without ``pairs`` and ``overlap``, pairs are drawn evenly, and so are workers, without
    ``answers``. Either item of a pair may be shown on either side.

    Parameters
    ----------
    items
        How many, or their names.
    workers
        How many; 50, unless ``kinds`` lists them.
    comparisons
        How many; 4,000, unless the next three say so.
    pairs
        Ask about so many different pairs only.
    overlap
        Have every pair judged by so many different workers.
    answers
        Have every worker give so many answers.
    scores
        The distribution of the true scores: "normal", "uniform", "exponential", "equal-steps" (evenly spaced, in random
        order), or "integers" (0 … n − 1 in random order, whose spread is their own); or the scores themselves.
    spread
        The standard deviation of that distribution.
    kinds
        Shares of kinds, by name or as objects, the rest being honest: ``{"random": 0.2, "honest:0.9": 0.8}``. Or a
        list with the kind of every worker.
    factors
        Names of what else may sway a worker. A factor is a property that half of the items have; it is seen from the
        left as 1 where only the left item has it, −1 where only the right one does, 0 elsewhere. A mapping says
        otherwise: "item" for that, "pair" for a property of the pair, −1, 0 or 1 by chance, or a mapping from items to
        numbers, seen as the left one's less the right one's.
    ties
        Where the scores differ by less than this, workers who look at the items call a tie (the honest, the contrary
        and the sleepy, with chance ``reliability``; those biased by a factor where it does not decide; no other kind).
    seed
        The same seed gives the same answers.

    Examples
    --------
    >>> simulation = crowd(10, comparisons=200, kinds={"always-left": 0.2}, seed=1)
    >>> simulation.comparisons
    Comparisons(10 items, 200 comparisons, 50 workers)
    >>> sorted(simulation.kinds.values()).count("always-left")
    10
    """
    names, known = item_names(items), factor_specs(factors)
    count = _how_many(workers, kinds)
    check_ties(ties)
    check_seed(seed)
    rng = np.random.default_rng(seed)
    score = true_scores(names, scores, spread, rng)
    dealt = deal(kinds, count, rng)
    asked = design(len(names), count, Sizes(comparisons, pairs, overlap, answers), rng)
    return simulated(names, score, dealt, asked, drawn_factors(known, names, rng), ties=ties, rng=rng)


def simulated(
    names: Sequence[str], score: Floats, kinds: Sequence[Kind], asked: Asked, factors: Factors, *, ties: float,
    rng: np.random.Generator,
) -> Simulation:  # fmt: skip
    """Have the workers answer what they are asked."""
    _check_factors(kinds, factors)
    salt = int(rng.spawn(1)[0].integers(2**63))  # spawned, so that what is drawn from rng stays as it is
    seen = Seen(
        score[asked.left] - score[asked.right], seen_from_left(factors, asked), progress(asked.worker, len(kinds)),
        pair_draws(asked.left, asked.right, salt), first_left(asked),
    )  # fmt: skip
    chance, attention = answering(kinds, asked.worker, seen)
    outcome = (rng.random(len(chance)) < chance).astype(float)
    if ties > 0:
        outcome[(np.abs(seen.lead) < ties) & (rng.random(len(chance)) < attention)] = 0.5
    ids = numbered("w", len(kinds))
    left, right, worker = (column.astype(np.int32) for column in asked)
    answers = Comparisons(left, right, outcome, Index(names), worker, Index(ids), factors=seen.factors)
    items = pa.table({"item": pa.array(names, pa.string()), "score": score, **factors.of_items})
    return Simulation(answers, items, _worker_table(ids, kinds, np.bincount(asked.worker, minlength=len(kinds))))


def answering(kinds: Sequence[Kind], who: np.ndarray, seen: Seen) -> tuple[Floats, Floats]:
    """The chance that each answer is "left", and that it rests on the items alone; one kind after the other."""
    chance, attention = np.empty(len(who)), np.empty(len(who))
    groups: dict[object, list[int]] = {}
    for code, kind in enumerate(kinds):
        groups.setdefault((type(kind), kind.name), []).append(code)
    group_of, place = np.empty(len(kinds), np.int64), np.empty(len(kinds), np.int64)
    for number, members in enumerate(groups.values()):
        group_of[members], place[members] = number, np.arange(len(members))
    for number, members in enumerate(groups.values()):
        rows = group_of[who] == number
        these = seen if rows.all() else seen.rows(rows)
        kind = stacked([kinds[code] for code in members], place[who[rows]])
        chance[rows], attention[rows] = kind.chance(these), kind.attention(these)
    return chance, attention


def deal(
    kinds: Mapping[str | Kind, float] | Mapping[str, float] | Sequence[str | Kind], workers: int,
    rng: np.random.Generator,
) -> list[Kind]:  # fmt: skip
    """A kind for every worker: as listed, or by shares, to workers drawn at random."""
    order = rng.permutation(workers)
    leaning = rng.choice([-1.0, 1.0], workers)  # the side that a worker would lean to
    dealt: list[Kind] = [find_kind("honest")] * workers
    specs: list[str | Kind] = ["honest"] * workers
    if isinstance(kinds, Mapping):
        ends = np.round(np.cumsum(_shares(kinds)) * workers).astype(int)
        for spec, start, end in zip(kinds, [0, *ends], ends, strict=False):
            kind = find_kind(spec)
            for worker in order[start:end]:
                dealt[worker], specs[worker] = kind, spec
    elif kinds:
        dealt, specs = [find_kind(spec) for spec in kinds], list(kinds)
    return [
        replace(kind, side_bias=kind.side_bias * side) if isinstance(kind, OneSided) and isinstance(spec, str) else kind
        for kind, spec, side in zip(dealt, specs, leaning, strict=True)
    ]


def numbered(word: str, count: int, *, first: int = 0, width: int = 0) -> list[str]:
    """A word and a number, in as many digits as the last one needs."""
    digits = max(width, len(str(first + count - 1)))
    return [f"{word}{number:0{digits}}" for number in range(first, first + count)]


def item_names(items: int | Sequence[str]) -> list[str]:
    """The names of the items, all different."""
    if isinstance(items, str):
        raise SidewiseError(f"items is how many there are, or a list of names: items=[{items!r}, …]")
    if isinstance(items, Iterable):
        names = [str(name) for name in items]
    elif is_count(items, least=-MOST):
        check_crowded("items", items)
        names = numbered("item-", items)
    else:
        raise SidewiseError(f"items is {items!r}; it is how many there are, or a list of names")
    if len(names) < 2:
        raise SidewiseError("a crowd needs two items at the least")
    wrong = [name for name in names if not name or name.strip() != name]
    if wrong:
        raise SidewiseError(f"items: {wrong[0]!r} is empty or has blanks around it")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise SidewiseError(f"items: {twice!r} stands more than once")
    return names


def check_ties(ties: float) -> None:
    """See that it is a difference of scores."""
    if not (is_number(ties) and ties >= 0):
        raise SidewiseError(f"ties is {ties!r}; it is a difference of scores, 0 at the least")


def _how_many(workers: int | None, kinds: object) -> int:
    if isinstance(kinds, str) or not isinstance(kinds, Mapping | Sequence):
        raise SidewiseError(f"kinds holds shares, as in kinds={{{kinds!r}: 0.2}}, or a list with every worker's kind")
    if isinstance(kinds, list) and not kinds:
        raise SidewiseError("kinds=[] lists nobody: leave it out for honest workers, or list every worker's kind")
    if isinstance(kinds, Sequence) and kinds:
        if workers not in (None, len(kinds)):
            raise SidewiseError(f"workers is {workers}, but kinds lists {len(kinds)} of them: leave out workers")
        return len(kinds)
    if workers is not None and not is_count(workers):
        raise SidewiseError(f"a crowd needs one worker at the least; workers is {workers!r}")
    count = USUAL_WORKERS if workers is None else workers
    check_crowded("workers", count)
    return count


def check_crowded(name: str, count: int) -> None:
    """See that there are not more than names can be thought of in a minute."""
    if count > MOST // 10:
        raise SidewiseError(f"{name} is {count:,}; {MOST // 10:,} are the most")


def _shares(kinds: Mapping[str | Kind, float] | Mapping[str, float]) -> list[float]:
    shares = list(kinds.values())
    if any(not (is_number(share) and share >= 0) for share in shares) or sum(shares) > 1 + 1e-9:
        said = ", ".join(f"{spec if isinstance(spec, str) else spec.name} {share}" for spec, share in kinds.items())
        raise SidewiseError(f"kinds are shares of the workers, none below 0 and together no more than 1: {said}")
    return shares


def _check_factors(kinds: Sequence[Kind], factors: Factors) -> None:
    known = {SIDE, *factors.names}
    for kind in kinds:
        missing = sorted(kind.follows() - known)
        if missing:
            raise SidewiseError(
                f"{kind.name} workers follow the factor {missing[0]!r}, which there is not: add "
                f"factors=[{missing[0]!r}] (command line: --factor {missing[0]})",
            )


def _worker_table(ids: Sequence[str], kinds: Sequence[Kind], answers: np.ndarray) -> pa.Table:
    found = [parameters(kind) for kind in kinds]
    columns = {
        name: pa.array([some.get(name) for some in found], pa.float64())
        for name in dict.fromkeys(name for some in found for name in some)
    }
    names = pa.array([kind.name for kind in kinds], pa.string())
    return pa.table({"worker": pa.array(ids, pa.string()), "kind": names, "answers": answers, **columns})
