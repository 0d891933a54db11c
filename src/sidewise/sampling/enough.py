"""Is it enough? Whether the answers so far settle the top items, or the scores, and how many more it takes if not.

Everything follows from what is believed about the scores: a Gaussian with its full covariance, in probits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Floats
from sidewise.errors import SidewiseError
from sidewise.numbers import is_number
from sidewise.sampling.asking import begun, check_top, check_two, whole
from sidewise.sampling.belief import Belief, believe
from sidewise.sampling.state import Positions, State
from sidewise.sampling.trust import Reliability

Unit = Literal["probit", "jod"]
JOD = 1.482602218505602  # in a probit: a lead of 1 JOD is preferred by 75 %, 1 / Φ⁻¹(0.75)
DRAWS = 20_000  # a chance of 95 % is known to ±0.3 % then
LEAST_DRAWS = 2_000
WORK = 4e9  # multiplications that drawing may take: with more items in doubt there are fewer draws
SLIGHT = 1e-4  # of the chance that the top is another one: pairs that add less in all are left out
FUTURES = 99  # truths that are drawn to say how many more answers it takes
MOST_DOUBTS = 4_000  # pairs at the border that are looked at for it
# An RMSE is believed where it hangs on the answers: with a prior twice as wide it may be above the target by this much.
# Where few answers contradict one another, as with items that lie far apart, nothing else tells how far.
SLACK = 1.25


@dataclass(frozen=True)
class Enough:
    """Whether the answers are enough, and what was found. It is true where they are: ``if sw.enough(…):``.

    Attributes
    ----------
    enough
        The answer.
    goal
        "top" or "rmse".
    found, wanted
        Of the goal "top": the chance that ``best`` are the top items, and the level that was asked for. Of the goal
        "rmse": the expected root of the mean squared error of the scores after the best shift, and the target.
    comparisons
        How many answers there are.
    more, more_low, more_high
        How many more it takes, if pairs are asked as they were until now: the middle and the quartiles of what can be
        expected; 0 where there are enough, None where nothing can be told.
    best
        The ids of the top items, the best first; empty for the goal "rmse".
    wider
        The RMSE if the scores are twice as spread out as the prior has it; far above ``found``, it says that too little
        is known to go by that, and the answers are not enough. None for the goal "top".
    unit
        Of the RMSE: "probit", or "jod". With a lead of 1 probit, 84 % prefer the item; with 1 JOD, 75 %.
    """

    enough: bool
    goal: Literal["top", "rmse"]
    found: float
    wanted: float
    comparisons: int
    more: int | None
    more_low: int | None
    more_high: int | None
    best: tuple[str, ...] = ()
    unit: Unit = "probit"
    wider: float | None = None

    def __bool__(self) -> bool:
        return self.enough

    def __str__(self) -> str:
        return "\n".join([f"{'enough' if self.enough else 'not yet enough'}: {self._finding()}", *self._missing()])

    def __repr__(self) -> str:
        more = "" if self.enough else f", {'unknown' if self.more is None else format(rounded(self.more), ',')} more"
        return f"Enough({self.enough}, {self._finding()}, {self.comparisons:,} comparisons{more})"

    def _finding(self) -> str:
        if self.goal == "top":
            few = f"top {len(self.best)}" if len(self.best) > 1 else "best item"
            return f"{few} settled with {percent(self.found)}, wanted {percent(self.wanted)}"
        other, factor = ("JOD", JOD) if self.unit == "probit" else ("probits", 1 / JOD)
        own = "JOD" if self.unit == "jod" else "probits"
        found, wanted = self.found, self.wanted
        return f"RMSE {found:.3f} {own}, wanted {wanted:.3f} ({found * factor:.3f} and {wanted * factor:.3f} {other})"

    def _missing(self) -> list[str]:
        """How many there are, and how many more it takes."""
        so_far = f"{self.comparisons:,} comparison{'' if self.comparisons == 1 else 's'} so far"
        if self.enough:
            return [so_far]
        if self.wider is not None and self.found <= self.wanted:
            so_far = f"but with a prior twice as wide it would be {self.wider:.3f}; {so_far}"
        if self.more is None:
            return [f"{so_far}; how many more it takes cannot be told yet"]
        span = ""
        if self.goal == "top" and self.more_low is not None:
            high = "any number" if self.more_high is None else f"{rounded(self.more_high):,}"
            span = f" ({rounded(self.more_low):,} to {high})"
        about = f"{so_far}; about {rounded(self.more):,} more are needed{span}"
        return [about, "with pairs as until now; fewer if sidewise next chooses them"]


def enough(
    comparisons: Comparisons | Sequence[str],
    *,
    top: int | None = None,
    level: float = 0.95,
    rmse: float | None = None,
    unit: Unit = "probit",
    reliability: Reliability | None = None,
    seed: int = 0,
) -> Enough:
    """Say whether the answers so far are enough: the top items settled, or the scores as accurate as wanted.

    Scores are believed to be normal, with their full covariance, on the scale of probits: P(i beats j) = Φ(r_i − r_j).

    Formula: of ``top``, P(min of the best > max of the others), counted over draws from the posterior; of ``rmse``,
    √((tr S − 1ᵀS1 / n) / n), which must stay near with a prior twice as wide. How many more it takes comes from the law
    that the precision of a difference, less what the prior had, grows as the number of answers does; of ``top``, over
    truths drawn from the posterior.

    Parameters
    ----------
    comparisons
        The answers so far; name items nobody has seen in their ``items=``, or they are not thought of.
    top, level
        Are the ``top`` best items settled with this chance?
    rmse, unit
        Or: are the scores accurate to this, in probits or in JOD (1 probit is 1.4826 JOD)?
    reliability
        Of workers, as :func:`~sidewise.next_pairs` takes it.
    seed
        Of the draws.

    Examples
    --------
    >>> import sidewise as sw
    >>> answers = sw.read("examples/cakes.csv")
    >>> print(sw.enough(answers, rmse=0.2))
    enough: RMSE 0.091 probits, wanted 0.200 (0.134 and 0.297 JOD)
    4,000 comparisons so far
    >>> sw.enough(answers, top=1)
    Enough(False, best item settled with 86.5 %, wanted 95.0 %, 4,000 comparisons, 8,100 more)
    """
    _check(top, level, rmse, unit)
    rng = np.random.default_rng(whole(seed, "seed", least=0))
    state, items = begun(comparisons, reliability)
    check_two(state.n)
    if rmse is not None:
        return _accurate(state, rmse, unit)
    assert top is not None
    top = check_top(top, state.n)
    belief, answers = believe(state), len(state.left)
    best = leading(belief.mean, top)
    chance = chance_of_top(belief.mean, belief.covariance, top, rng)
    low, middle, high = (0, 0, 0) if chance >= level else _more_for_top(belief, top, level, answers, rng)
    named = tuple(items[place] for place in best.tolist())
    return Enough(chance >= level, "top", chance, level, answers, middle, low, high, named)


def _accurate(state: State, target: float, unit: Unit) -> Enough:
    """Whether the expected RMSE is at the target, and stays near it with a wider prior."""
    probit, answers = JOD if unit == "jod" else 1.0, len(state.left)
    belief = believe(state)
    doubted = believe(state, spread=2 * belief.spread, lapse=belief.lapse, before=belief)
    found, wider = (probit * expected_rmse(one) for one in (belief, doubted))
    if found <= target and wider <= SLACK * target:
        return Enough(True, "rmse", found, target, answers, 0, 0, 0, unit=unit, wider=wider)
    needed = (
        _more_for_rmse(belief, target / probit, answers),
        _more_for_rmse(doubted, SLACK * target / probit, answers),
    )
    more = None if None in needed else max(filter(None, needed), default=0)
    return Enough(False, "rmse", found, target, answers, more, more, more, unit=unit, wider=wider)


def expected_rmse(belief: Belief) -> float:
    """Root of the mean squared error to expect after the best shift, in probits."""
    S = belief.covariance
    return float(np.sqrt(max(np.trace(S) - S.sum() / len(S), 0) / len(S)))


def leading(mean: Floats, top: int) -> Positions:
    """The positions of the best items, the best first."""
    return np.argsort(-mean, kind="stable")[:top]


def chance_of_top(mean: Floats, covariance: Floats, top: int, rng: np.random.Generator) -> float:
    """P(the items with the highest means are the best), by counting draws of those about whom there is a doubt.

    Pairs across the border whose order is all but certain are left out, as many as together could change the chance
    by SLIGHT: what is left are few items where much is known, and draws of a few are cheap.
    """
    first, second = _doubts(mean, covariance, top)
    if not len(first):
        return 1.0
    inside, outside = np.unique(first), np.unique(second)
    some = np.concatenate([inside, outside])
    root = np.linalg.cholesky(covariance[np.ix_(some, some)] + 1e-12 * np.eye(len(some)))
    draws = int(np.clip(WORK / len(some) ** 2, LEAST_DRAWS, DRAWS))
    right = 0
    for start in range(0, draws, LEAST_DRAWS):
        noise = rng.standard_normal((len(some), min(LEAST_DRAWS, draws - start)))
        scores = mean[some, None] + root @ noise
        right += int((scores[: len(inside)].min(axis=0) > scores[len(inside) :].max(axis=0)).sum())
    return right / draws


def _doubts(mean: Floats, covariance: Floats, top: int) -> tuple[Positions, Positions]:
    """Pairs of a top item and another one whose order is in doubt, the most doubtful first."""
    from scipy.special import ndtr

    order = np.argsort(-mean, kind="stable")
    i, j = order[:top], order[top:]
    variance = covariance.diagonal()
    wide = np.sqrt(np.maximum(variance[i, None] + variance[j] - 2 * covariance[np.ix_(i, j)], 1e-300))
    wrong = ndtr(-(mean[i, None] - mean[j]) / wide).ravel()
    doubtful = np.argsort(-wrong, kind="stable")
    tail = np.cumsum(wrong[doubtful][::-1])[::-1]  # what a pair and all that are surer could add
    row, column = np.divmod(doubtful[tail > SLIGHT], len(j))
    return i[row], j[column]


def _more_for_rmse(belief: Belief, target: float, answers: int) -> int | None:
    """How many more answers until the expected RMSE is down at the target."""
    n = len(belief.mean)
    before, now = belief.spread**2 * (n - 1) / n, expected_rmse(belief) ** 2
    told = 1 / now - 1 / before if now > 0 else np.inf
    if not answers or told <= 0:
        return None
    return int(np.ceil(max(1 / target**2 - 1 / now, 0) / told * answers))


def _more_for_top(
    belief: Belief, top: int, level: float, answers: int, rng: np.random.Generator
) -> tuple[int | None, int | None, int | None]:
    """Quartiles of how many more answers it takes to settle the top, over truths drawn from what is believed."""
    if not answers:
        return None, None, None
    root = np.linalg.cholesky(belief.covariance + 1e-12 * np.eye(len(belief.mean)))
    truths = belief.mean[:, None] + root @ rng.standard_normal((len(belief.mean), FUTURES))
    needed = np.array([_times(truth, belief, top, 1 - level) for truth in truths.T])
    low, middle, high = np.quantile(needed, [0.25, 0.5, 0.75], method="nearest")
    return tuple(int(np.ceil(max(f - 1, 0) * answers)) if np.isfinite(f) else None for f in (low, middle, high))  # type: ignore[return-value]


def _times(truth: Floats, belief: Belief, top: int, risk: float) -> float:
    """By what factor the answers must grow until the chance of a wrong top is below the risk, if this is the truth.

    Σ Φ(−d / √v(f)) over pairs across the border bounds the chance, with 1/v(f) = 1/v₀ + f (1/v − 1/v₀).
    """
    from scipy.special import ndtr

    order = np.argsort(-truth, kind="stable")
    near = int(np.sqrt(MOST_DOUBTS))
    i, j = order[:top][-near:], order[top:][:near]
    S, before = belief.covariance, 1 / (2 * belief.spread**2)
    v = S.diagonal()[i, None] + S.diagonal()[j] - 2 * S[np.ix_(i, j)]
    lead, told = truth[i, None] - truth[j], np.maximum(1 / v - before, 0)

    def wrong(log_times: float) -> float:
        return float(ndtr(-lead * np.sqrt(before + np.exp(log_times) * told)).sum())

    low, high = 0.0, np.log(1e6)
    if wrong(high) > risk:
        return float("inf")
    while high - low > 0.01:
        middle = (low + high) / 2
        low, high = (middle, high) if wrong(middle) > risk else (low, middle)
    return float(np.exp(high))


def _check(top: int | None, level: float, rmse: float | None, unit: str) -> None:
    if (top is None) == (rmse is None):
        raise SidewiseError("say what should be settled: either top=10, the ten best items, or rmse=0.15, the scores")
    if not (is_number(level) and 0 < level < 1):
        raise SidewiseError(f"level is {level!r}; it is a chance between 0 and 1, such as 0.95")
    if rmse is not None and not (is_number(rmse) and rmse > 0):
        raise SidewiseError(f"rmse is {rmse!r}; it is a number above 0, in probits, such as 0.15")
    if unit not in ("probit", "jod"):
        raise SidewiseError(f"unit={unit!r} is not one of probit, jod")


def percent(chance: float) -> str:
    """A chance that never reads as certain or impossible.

    >>> percent(0.951), percent(0.99996), percent(0.0)
    ('95.1 %', 'more than 99.9 %', 'less than 0.1 %')
    """
    if chance > 0.9995:
        return "more than 99.9 %"
    return "less than 0.1 %" if chance < 0.0005 else f"{100 * chance:.1f} %"


def rounded(count: float) -> int:
    """An estimate to two figures.

    >>> rounded(1234), rounded(99.7), rounded(7)
    (1200, 100, 7)
    """
    return int(float(f"{count:.2g}"))
