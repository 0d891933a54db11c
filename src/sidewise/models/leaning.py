"""Leanings: how far each worker follows the scores, a side or another factor, read off where the scores are known.

Models that weigh all workers alike have nobody's habits in their fit; each worker's answers tell them afterwards, with
the scores taken as known. Few answers tell little, so that normal priors hold a worker near one who follows the scores
as the crowd does and leans to nothing. What all lean to is in no prior: each has to show it by their own answers.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Floats
from sidewise.models.answers import Answers
from sidewise.models.factors import tellable, usual_sizes
from sidewise.models.likelihood import TieLink
from sidewise.models.newton import Slope, climb
from sidewise.models.reduced import Blocks
from sidewise.models.worker_table import SENSITIVITY, STRONG_PROBIT, Estimate, Reliability, counted, worker_table

# Of 3,000 honest workers, in crowds of 50 with 8 to 100 answers each about 30 items, 3 are random to thurstone; with an
# sd of 1.5, 14. Of 100 coins, a fifth of a crowd, it finds 45 with 50 answers each and 81 with 100 (worker_bt 49 and
# 86); with an sd of 0.7, 31 and 76. To hodge_rank 5 of the honest are, and 48 and 89 of the coins.
SD = 1.0  # of sensitivities
LOOSE = 10.0  # times the standard deviations of the priors, for the crowd as a whole
ROUGH, TOL, LIMIT = 1e-2, 1e-3, 100  # of the last step of Newton's method, which leaves about the square of it
# Two of three workers turn an even choice into 69 to 31 at most. Of 2,000 honest ones with 8 to 100 answers each, 4 are
# flagged for a bias, and of 80 who answer to one side nearly always 77 with 20 answers; with an sd of 0.35 it is 1 and
# 58, with 1.0 it is 21 and 80.
BIAS_SD = 0.5  # of biases, in probits


@dataclass(frozen=True)
class Leaning:
    """What is maximised for every worker: Σ log P(answer | θ·z) − Σ (θ − m)² / 2 sd².

    The columns z, the ``covariates`` of the answers, are what the scores foretell and the factors; θ is the worker's
    sensitivity to the one and biases to the others.
    """

    answers: Answers
    link: TieLink
    shape: float  # of ties
    mean: Floats  # m, one for every column
    sd: Floats

    def slope(self, point: Floats) -> Slope["Apart"]:
        """Gradient and curvature in θ, column by column, each with all workers."""
        q, k = len(self.mean), self.answers.k
        theta = point.reshape(q, k)
        gradient = (self.mean - theta.T).T / self.sd[:, None] ** 2
        curvature = np.zeros((q, q, k))
        curvature[np.arange(q), np.arange(q)] = self.sd[:, None] ** -2
        for _, seen, worker in self.answers.shards():
            z = seen.covariates.T
            u = sum(each[worker] * column for each, column in zip(theta, z, strict=True))
            slopes = self.link.slopes(np.asarray(u), self.shape, seen)
            for i, column in enumerate(z):
                gradient[i] += np.bincount(worker, slopes.d * column, k)
                weighted = slopes.dd * column
                for j in range(i + 1):
                    curvature[i, j] += np.bincount(worker, weighted * z[j], k)
        for i in range(q):
            curvature[:i, i] = curvature[i, :i]
        return Slope(gradient.ravel(), lambda: Apart(Blocks(curvature)))

    def relative(self) -> "Leaning":
        """The same in another unit of the first column, in which 1 is what the crowd as a whole follows it by.

        That is the θ of all answers as one worker's, of whom next to nothing is believed before. A prior that draws
        scores together makes it larger than 1: everybody would seem to follow them by more than they do.
        """
        one = replace(self.answers, worker=np.zeros_like(self.answers.worker), k=1)
        theta = replace(self, answers=one, sd=LOOSE * self.sd)._top(ROUGH)
        seen = self.answers.seen
        z = seen.covariates.copy(order="K")
        z[:, 0] *= max(float(theta[0]), 0.0)
        return replace(self, answers=replace(self.answers, seen=replace(seen, covariates=z)))

    def fitted(self) -> tuple[Floats, Floats]:
        """Every worker's θ and its variance, column by column."""
        top = self._top(TOL)
        inverse = self.slope(top).curvature().blocks.inverse
        variance = np.einsum("iik->ik", inverse)
        return top.reshape(variance.shape), variance

    def _top(self, tol: float) -> Floats:
        found = climb(self.slope, np.repeat(self.mean, self.answers.k), tol=tol, limit=LIMIT)
        if not found.converged:
            raise np.linalg.LinAlgError("overflown")  # it is concave: only weights beyond reason stop the climb
        return found.point


@dataclass(frozen=True)
class Apart:
    """The curvature of workers who have nothing to do with each other: a block each."""

    blocks: Blocks

    def solve(self, b: Floats, tol: float) -> Floats:  # noqa: ARG002 - it is exact
        """The x of H x = b."""
        return self.blocks.solve(b.reshape(len(self.blocks.c), -1)).ravel()


class Told(NamedTuple):
    """The workers' table, where somebody is named, and what a reader of it must know."""

    workers: pa.Table | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Known:
    """What is known of a fit that knows no workers: its scores, and what answers they foretell."""

    scores: Floats
    probits: Callable[[Floats], Floats]  # of the chance that a difference of scores gives to the left item
    link: TieLink
    shape: float = 0.0  # of ties

    def tell(self, comparisons: Comparisons, level: float) -> Told:
        """Read off what each worker follows, of the scores, the side and all other factors that can be told."""
        rows = counted(comparisons)
        names, notes = tellable(rows)
        answers = Answers.of(rows, names)
        sensitivity, *biases = self._estimates(answers, level)
        sizes = usual_sizes(rows, names)
        table = worker_table(
            rows, self.scores, reliability=Reliability.of(sensitivity, answers.answered, SENSITIVITY),
            biases={name: bias.by(size) for name, bias, size in zip(names, biases, sizes, strict=True)},
        )  # fmt: skip
        return Told(table, notes)

    def _estimates(self, answers: Answers, level: float) -> list[Estimate]:
        """The sensitivities, and the biases by a factor of its usual size."""
        foretold = self.probits(answers.seen.differences(self.scores))
        z = np.stack([foretold, *answers.seen.covariates.T]).T  # each column of one piece in memory
        rows, q = replace(answers, seen=replace(answers.seen, covariates=z)), z.shape[1]
        mean, sd = np.repeat([1.0, 0.0], [1, q - 1]), np.repeat([SD, BIAS_SD], [1, q - 1])
        values, variances = Leaning(rows, self.link, self.shape, mean, sd).relative().fitted()
        first, *others = (Estimate.normal(*some, level) for some in zip(values, variances, strict=True))
        alone = np.count_nonzero(answers.answered) == 1  # who follows scores of their own making
        return [first.unlimited() if alone else first, *(replace(some, strong=STRONG_PROBIT) for some in others)]
