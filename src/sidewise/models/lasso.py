"""Least squares with a bias for every worker, most of them 0: the LASSO on biases, with the scores left free.

Minimised is ½ Σ w (y − (s_left − s_right) − γ_worker)² + λ Σ |γ|. Given the scores, a worker's bias is the mean of the
worker's residuals, shortened by λ over their weight; put in, it leaves a convex function of the scores alone, quadratic
in pieces (Huber's, one per worker), which Newton's method climbs down in a few steps.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import block_array, coo_array, csr_array, eye_array

from sidewise.comparisons import Comparisons, Graph, PairCounts
from sidewise.comparisons.arrow import Floats, Mask
from sidewise.models.laplacian import PATIENCE, Factor, Laplacian, Pin, conjugate_gradients, factorised
from sidewise.models.newton import Slope, climb

# The share of a biased worker's answers that the curvature keeps: it is never singular then, even where a worker's only
# answer is an item's only one, and the steps are hardly shorter than Newton's.
KEPT = 1e-3
# Up to so many items and biased workers, with so many pairs and answers for each, a factorisation fills little.
MANY, SPARSE = 5_000, 3


@dataclass(frozen=True)
class Profile:
    """The curvature in the scores when the biases of some workers follow them: L − (1 − KEPT) C D⁻¹ Cᵀ."""

    laplacian: Laplacian
    between: csr_array  # C of the biased workers, with columns divided by √D

    @property
    def diagonal(self) -> Floats:
        """That of L: near enough to scale by."""
        return self.laplacian.diagonal

    def __matmul__(self, v: Floats) -> Floats:
        return np.asarray(self.laplacian @ v - (1 - KEPT) * (self.between @ (self.between.T @ v)))

    def dense(self) -> Floats:
        """The whole matrix."""
        between = self.between.toarray()
        return np.asarray(self.laplacian.dense() - (1 - KEPT) * (between @ between.T))

    def solve(self, b: Floats, tol: float) -> Floats:
        """The x of H x = b.

        Where nearly every worker has a bias and few answers, H is nearly singular: conjugate gradients take thousands
        of products there; but a graph of so few answers factorises without much fill.
        """
        if self._is_sparse:
            return self._solve_sparse(b)
        return conjugate_gradients(self, b, tol, 50 * PATIENCE)[0]

    @property
    def _is_sparse(self) -> bool:
        items_and_workers = sum(self.between.shape)
        return bool(
            items_and_workers <= MANY and self.laplacian.upper.nnz + self.between.nnz <= SPARSE * items_and_workers
        )

    def _solve_sparse(self, b: Floats) -> Floats:
        """By the factors. The pin is dense, so its direction is split off."""
        pin = self.laplacian.pin
        assert pin is not None
        part = pin.mean(b)
        x = self._factor.solve(np.concatenate([b - part, np.zeros(self.between.shape[1])]))[: len(b)]
        return np.asarray(x - pin.mean(x) + part)

    @cached_property
    def _factor(self) -> Factor:
        """Scores and biases together, of which H is what is left when the biases are eliminated."""
        across = self.between * np.sqrt(1 - KEPT)
        return factorised(block_array([[self.laplacian.grounded, across], [across.T, eye_array(across.shape[1])]]))


class Solution(NamedTuple):
    """Scores and biases at one penalty."""

    penalty: float
    scores: Floats
    bias: Floats
    steps: int
    gap: float
    converged: bool

    @property
    def biased(self) -> Mask:
        """The workers that have a bias."""
        return np.asarray(self.bias != 0)


@dataclass(frozen=True)
class Sums:
    """All that the LASSO needs to know of the comparisons, in sums over them."""

    laplacian: Laplacian
    between: csr_array  # C: how much of each worker's weight had an item on the left, less that on the right
    answers: Floats  # D: the weight of each worker's answers
    to_items: Floats  # Σ w y (e_left − e_right)
    to_workers: Floats  # Σ w y of each worker

    @classmethod
    def of(cls, comparisons: Comparisons, counts: PairCounts, graph: Graph) -> "Sums":
        """Add up; y is 1 for left, −1 for right, 0 for a tie."""
        rows, n, k = comparisons, len(counts.items), len(comparisons.workers)
        assert rows.worker is not None
        weight = rows.weights()
        y = weight * (2 * rows.outcome - 1)
        place = (np.concatenate([rows.left, rows.right]), np.tile(rows.worker, 2))
        upper = csr_array((counts.total, (counts.first, counts.second)), shape=(n, n))
        return cls(
            Laplacian(upper, np.zeros(n), Pin.to(graph.label)),
            coo_array((np.concatenate([weight, -weight]), place), shape=(n, k)).tocsr(),
            np.asarray(np.bincount(rows.worker, weight, k), float),
            np.asarray(np.bincount(rows.left, y, n) - np.bincount(rows.right, y, n), float),
            np.asarray(np.bincount(rows.worker, y, k), float),
        )

    def unbiased(self) -> Floats:
        """The scores where no worker has a bias."""
        return self.laplacian.solve(self.to_items, 1e-12)

    def pull(self, comparisons: Comparisons, said: Floats, biased: Mask) -> Floats:
        """What weighted answers ask of the scores, when the biases of these workers take their part of it."""
        rows, n = comparisons, self.laplacian.n
        assert rows.worker is not None
        of_worker = np.bincount(rows.worker, said, len(biased))
        share = np.divide(of_worker, self.answers, out=np.zeros_like(of_worker), where=biased)
        asked = np.bincount(rows.left, said, n) - np.bincount(rows.right, said, n)
        return np.asarray(asked - self.between @ share, float)

    def residual(self, scores: Floats) -> Floats:
        """Σ w (y − (s_left − s_right)) of each worker."""
        return np.asarray(self.to_workers - self.between.T @ scores)

    def bias(self, scores: Floats, penalty: float) -> Floats:
        """The best biases for these scores: mean residuals, shortened."""
        left = self.residual(scores)
        short = np.maximum(np.abs(left) - penalty, 0)
        return np.sign(left) * np.divide(short, self.answers, out=np.zeros_like(short), where=self.answers > 0)

    @cached_property
    def _scaled(self) -> csr_array:
        """C D^−½, by columns."""
        root = np.divide(1, np.sqrt(self.answers), out=np.zeros_like(self.answers), where=self.answers > 0)
        return (self.between * root).tocsc()

    @cached_property
    def _last(self) -> dict[bytes, Profile]:
        return {}

    def profile(self, biased: Mask) -> Profile:
        """The curvature where these workers are biased; the last one is kept, since most steps bias the same."""
        key = biased.tobytes()
        if key not in self._last:
            self._last.clear()
            self._last[key] = Profile(self.laplacian, self._scaled[:, np.flatnonzero(biased)].tocsr())
        return self._last[key]

    def slope(self, scores: Floats, penalty: float) -> Slope[Profile]:
        """Minus the gradient in the scores when the biases follow them, and the curvature."""
        bias = self.bias(scores, penalty)
        gradient = self.to_items - self.between @ bias - self.laplacian @ scores
        return Slope(np.asarray(gradient), lambda: self.profile(bias != 0))

    def solve(self, penalty: float, start: Floats, *, tol: float, limit: int) -> Solution:
        """Scores and biases at a penalty."""
        found = climb(lambda scores: self.slope(scores, penalty), start, tol=tol, limit=limit)
        bias = self.bias(found.point, penalty)
        return Solution(penalty, found.point, bias, found.steps, found.gap, found.converged)


def path(sums: Sums, points: int, reach: float, *, tol: float, limit: int) -> list[Solution]:
    """Solutions from the penalty that leaves no bias down to its ``reach``-th part, each started from the last."""
    scores = sums.unbiased()
    top = float(np.abs(sums.residual(scores)).max(initial=0.0)) * (1 + 1e-9)  # rounding must leave no bias there
    found = []
    for penalty in np.geomspace(top, top * reach, points) if top else [0.0]:
        found.append(sums.solve(float(penalty), scores, tol=tol, limit=limit))
        scores = found[-1].scores
    return found
