"""Do comparisons agree with each other? Pairs asked again, pairs shown the other way round, and circles."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidewise.boxes.pairs import Positions
from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Floats
from sidewise.errors import MeasureError
from sidewise.measures.estimate import RESAMPLES, Estimate, estimate_mean
from sidewise.ranking.display import counted


@dataclass(frozen=True, slots=True)
class Consistency:
    """How often two answers to the same pair agree; ``share`` is NaN where there are no two to compare.

    ``groups`` counts the pairs (of each worker, or of all) with two answers or more, ``answers`` the answers in them.
    """

    share: Estimate
    groups: int
    answers: int

    def __str__(self) -> str:
        return f"{self.share} ({counted(self.answers, 'answer')}, {counted(self.groups, 'group')})"


@dataclass(frozen=True, slots=True)
class RepeatConsistency:
    """Agreement of answers to one pair: of a worker with themselves, and of different workers."""

    within: Consistency
    between: Consistency


@dataclass(frozen=True, slots=True)
class MirrorConsistency:
    """Agreement of answers to one pair shown both ways round, and which side the contradictions cling to.

    ``left`` is the share of contradictions between one worker's own answers that chose left both times; 0.5 where no
    side pulls. ``unturned`` is the agreement of one worker's answers to a pair shown the same way round: the yardstick
    for ``within``.
    """

    within: Consistency
    between: Consistency
    left: Estimate
    unturned: Consistency


def repeat_consistency(
    comparisons: Comparisons, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> RepeatConsistency:
    """How often two answers to the same pair agree, given by one worker, and by different ones.

    For a pair with several answers, the share of pairs of answers that prefer the same item, or both call a tie;
    averaged over the pairs (of each worker, for ``within``; by Fleiss 1971, of single pairs)::

        within = mean over worker and pair of Σ_o n_o (n_o − 1) / (n (n − 1))

    ``between`` takes the answers of different workers alone, or all, where workers are not named. Answers count
    whichever way round the pair was shown, and a soft outcome counts as the side that it leans to. Weights are not
    looked at. Guessing agrees half of the time; ``within`` bounds how well anybody can agree with this worker.
    A worker who is asked twice may remember: prefer :func:`mirror_consistency`, where they have to look again.

    Parameters
    ----------
    comparisons
        The answers.
    confidence, resamples, seed
        Of the bootstrap interval over pairs, as of :func:`estimate_mean`.

    Examples
    --------
    >>> rows = {"left": list("aaab"), "right": list("bbba"), "winner": list("aaba")}
    >>> answers = Comparisons.from_arrays(**rows, worker=list("xxyy"))
    >>> found = repeat_consistency(answers)
    >>> found.within.share.value, found.between.share.value
    (0.5, 0.5)
    """
    return RepeatConsistency(*_compared(_Tallies.of(comparisons), _repeated, confidence, resamples, seed))


def mirror_consistency(
    comparisons: Comparisons, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> MirrorConsistency:
    """How often answers to a pair agree with those to the same pair shown the other way round.

    As :func:`repeat_consistency`, but only an answer given one way round and one given the other way round are held
    against each other. With n_o answers that say o (one item, the other, a tie) one way round and m_o the other way
    (Zheng et al. 2023 call it consistency, of models that judge)::

        within = mean over worker and pair of Σ_o n_o m_o / (Σ_o n_o Σ_o m_o)

    Where a worker contradicts themselves, left won both times or right did: ``left`` is the share of the former, and
    far from 0.5 where a side pulls. Compare ``within`` with ``unturned``, the same of answers that were given the same
    way round: if mirrored pairs agree less than those, the sides matter, and a model should know them
    (``covariates=["side"]``, or :func:`sidewise.worker_bt`).

    Parameters
    ----------
    comparisons
        The answers, with sides.
    confidence, resamples, seed
        Of the bootstrap interval over pairs.

    Examples
    --------
    >>> answers = Comparisons.from_arrays(left=list("ab"), right=list("ba"), winner=list("ab"), worker=list("xx"))
    >>> found = mirror_consistency(answers)
    >>> found.within.share.value, found.left.value
    (0.0, 1.0)
    """
    if not comparisons.sided:
        raise MeasureError(
            "these are winners and losers, which do not say what was shown left or right: read left, right and winner"
        )
    tallies = _Tallies.of(comparisons)
    within, between = _compared(tallies, _mirrored, confidence, resamples, seed)
    both_left = tallies.own[:, 0, 2] * tallies.own[:, 1, 0]
    both_right = tallies.own[:, 0, 0] * tallies.own[:, 1, 2]
    clinging = _share(both_left, both_left + both_right, confidence, resamples, seed)
    unturned, _ = _compared(tallies, _unturned, confidence, resamples, seed)
    return MirrorConsistency(within, between, clinging, unturned)


@dataclass(frozen=True, slots=True)
class _Tallies:
    """Answers by pair, and by pair and worker: counts by the way round it was shown (2) and by what was said (3).

    What was said is 0, 1 or 2: the pair's second item, a tie, its first. The first of a pair is on the left, unless it
    was shown the other way round.
    """

    whole: Floats
    own: Floats
    pair: Positions  # of each row of own

    @classmethod
    def of(cls, comparisons: Comparisons) -> "_Tallies":
        left, right = comparisons.left.astype(np.int64), comparisons.right.astype(np.int64)
        turned = (left > right).astype(np.int64)
        key = np.minimum(left, right) * len(comparisons.items) + np.maximum(left, right)
        _, pair = np.unique(key, return_inverse=True)
        said = (np.sign(comparisons.outcome - 0.5) * (1 - 2 * turned) + 1).astype(np.int64)
        whole = _tally(pair, turned, said)
        if comparisons.worker is None:
            return cls(whole, np.empty((0, 2, 3)), np.empty(0, np.int64))
        mine, own = np.unique(pair * max(len(comparisons.workers), 1) + comparisons.worker, return_inverse=True)
        return cls(whole, _tally(own, turned, said), mine // max(len(comparisons.workers), 1))


def _tally(group: NDArray[Any], turned: Positions, said: Positions) -> Floats:
    groups = int(group.max(initial=-1)) + 1
    return np.bincount((group * 2 + turned) * 3 + said, minlength=groups * 6).reshape(groups, 2, 3).astype(float)


def _repeated(tally: Floats) -> tuple[Floats, Floats]:
    """Pairs of answers that agree, and all pairs of answers, whichever way round."""
    said = tally.sum(axis=1)
    count = said.sum(axis=1)
    return (said * (said - 1)).sum(axis=1) / 2, count * (count - 1) / 2


def _mirrored(tally: Floats) -> tuple[Floats, Floats]:
    """Of one answer this way round and one the other way round."""
    return (tally[:, 0] * tally[:, 1]).sum(axis=1), tally[:, 0].sum(axis=1) * tally[:, 1].sum(axis=1)


def _unturned(tally: Floats) -> tuple[Floats, Floats]:
    """Of two answers the same way round."""
    count = tally.sum(axis=2)
    return (tally * (tally - 1)).sum(axis=(1, 2)) / 2, (count * (count - 1)).sum(axis=1) / 2


def _compared(
    tallies: _Tallies, score: Callable[[Floats], tuple[Floats, Floats]], confidence: float, resamples: int, seed: int
) -> tuple[Consistency, Consistency]:
    """Within workers, and between them: what remains of all when each worker's own are taken away."""
    agree, pairs = score(tallies.own)
    all_agree, all_pairs = score(tallies.whole)
    others = all_pairs - np.bincount(tallies.pair, pairs, len(all_pairs))
    others_agree = all_agree - np.bincount(tallies.pair, agree, len(all_pairs))
    return (
        _told(agree, pairs, tallies.own, confidence, resamples, seed),
        _told(others_agree, others, tallies.whole, confidence, resamples, seed),
    )


def _told(
    agree: Floats, pairs: Floats, tally: Floats, confidence: float, resamples: int, seed: int
) -> Consistency:  # fmt: skip
    share = _share(agree, pairs, confidence, resamples, seed)
    return Consistency(share, int((pairs > 0).sum()), int(tally[pairs > 0].sum()))


def _share(part: Floats, whole: Floats, confidence: float, resamples: int, seed: int) -> Estimate:
    """The mean over groups of a share; groups that have nothing to share are left out."""
    some = whole > 0
    return estimate_mean(part[some] / whole[some], confidence=confidence, resamples=resamples, seed=seed)
