"""The Hessian of a crowd's likelihood: scores on a graph, and a small block for every worker.

Workers do not touch each other, so they are eliminated exactly: what is left is the information on the scores when
nobody's habits are known (the Schur complement), a matrix that is solved with like any other.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array

from sidewise.comparisons.arrow import Codes, Floats, Mask
from sidewise.models.laplacian import (
    PATIENCE,
    SMALL,
    Information,
    Laplacian,
    Pin,
    conjugate_gradients,
    inverted,
    places,
    signs,
)

IMMOVABLE = 1e15  # information: nothing moves that has so much


@dataclass(frozen=True)
class Blocks:
    """One small symmetric matrix for every worker, kept as parameter × parameter × worker.

    Where a sum of the first parameter is held, as the size of sensitivities is, ``held`` has the weight of each worker
    in it, and the inverse is that of the matrix with an infinite weight on that sum: nothing moves along it.
    """

    c: Floats
    held: Floats | None = None

    @cached_property
    def inverse(self) -> Floats:
        """Every block inverted."""
        return np.ascontiguousarray(np.linalg.inv(self.c.transpose(2, 0, 1)).transpose(1, 2, 0))

    def solve(self, v: Floats) -> Floats:
        """C⁻¹ v; further axes of ``v`` are columns."""
        inverse = self.inverse if v.ndim == 2 else self.inverse[..., None]
        found = np.stack([(row * v).sum(axis=0) for row in inverse])
        if self.held is not None:
            along = self.along if v.ndim == 2 else self.along[..., None]
            found -= along * np.tensordot(self.held, found[0], axes=(0, 0))
        return np.asarray(found)

    @cached_property
    def along(self) -> Floats:
        """How the parameters answer to a push along what is held, by one unit of it."""
        assert self.held is not None
        pushed = self.inverse[:, 0] * self.held
        return np.asarray(pushed / (self.held @ pushed[0]))


@dataclass(frozen=True)
class Rows:
    """The root of the whole matrix, before workers are eliminated: one row an answer, and a diagonal on workers."""

    left: Codes
    right: Codes
    worker: Codes
    d: Floats
    theta: tuple[Floats, ...]
    extra: Floats  # parameters × workers


@dataclass(frozen=True)
class Reduced:
    """L − Aᵀ C⁻¹ A: the information on the scores, the workers' parameters being unknown."""

    laplacian: Laplacian
    across: tuple[csr_array, ...] = field(repr=False)  # workers × items, one a parameter, all of one pattern
    worker: Codes = field(repr=False)  # of every entry of that pattern
    blocks: Blocks = field(repr=False)
    rows: "Rows" = field(repr=False)

    pin: Pin | None = field(default=None, init=False)

    @property
    def n(self) -> int:
        """The number of items."""
        return self.laplacian.n

    def to_workers(self, v: Floats) -> Floats:
        """A v: one row a parameter."""
        return np.stack([matrix @ v for matrix in self.across])

    def to_items(self, w: Floats) -> Floats:
        """Aᵀ w."""
        return np.asarray(sum(matrix.T @ row for matrix, row in zip(self.across, w, strict=True)))

    def __matmul__(self, v: Floats) -> Floats:
        return self.laplacian @ v - self.to_items(self.blocks.solve(self.to_workers(v)))

    @cached_property
    def diagonal(self) -> Floats:
        """The diagonal."""
        inverse, told = self.blocks.inverse, np.zeros(len(self.worker))
        for a, first in enumerate(self.across):
            for b, second in enumerate(self.across[: a + 1]):
                told += (1 if a == b else 2) * inverse[a, b][self.worker] * first.data * second.data
        found = self.laplacian.diagonal - np.bincount(self.across[0].indices, told, self.n)
        return np.asarray(found if self.blocks.held is None else found + self._along**2)

    @cached_property
    def _along(self) -> Floats:
        """What holding a sum of workers' parameters adds to the matrix is the square of this vector."""
        held = self.blocks.held
        assert held is not None
        return np.asarray(self.to_items(self.blocks.along) * np.sqrt(held @ (self.blocks.inverse[0, 0] * held)))

    def holding(self, weight: Floats) -> "Reduced":
        """The information where a sum of the first parameter over the workers is known."""
        return replace(self, blocks=replace(self.blocks, held=weight))

    def dense(self) -> Floats:
        """The whole matrix."""
        inverse, matrix = self.blocks.inverse, self.laplacian.dense()
        for a, first in enumerate(self.across):
            for b, second in enumerate(self.across):
                scaled = csr_array((second.data * inverse[a, b][self.worker], second.indices, second.indptr),
                                   shape=second.shape)  # fmt: skip
                matrix -= (first.T @ scaled).toarray()
        return matrix if self.blocks.held is None else matrix + np.outer(self._along, self._along)

    @cached_property
    def inverse(self) -> Floats:
        """The inverse, for as many items as a dense matrix can hold."""
        return inverted(self.dense())

    @cached_property
    def _cholesky(self) -> tuple[Floats, bool]:
        return cho_factor(self.dense())  # type: ignore[no-any-return]

    def solve(self, b: Floats, tol: float = 1e-10) -> Floats:
        """The x of H x = b, for one right-hand side or a column of them."""
        if self.n <= SMALL:
            return np.asarray(cho_solve(self._cholesky, b))
        # Scaled by the Laplacian's diagonal, which is at hand; its own takes as long as three products.
        return conjugate_gradients(self, b, tol, 50 * PATIENCE, scale=self.laplacian.diagonal)[0]

    def permuted(self, order: NDArray[np.intp]) -> "Reduced":
        """The same with the items in another order."""
        place = places(order)
        across = tuple(csr_array((m.data, place[m.indices], m.indptr), shape=m.shape) for m in self.across)
        rows = replace(self.rows, left=place[self.rows.left], right=place[self.rows.right])
        return replace(self, laplacian=self.laplacian.permuted(order), across=across, rows=rows)

    def noise(self, count: int, rng: np.random.Generator) -> Floats:
        """Columns with this covariance: a random sign on every row and prior, less what the workers explain of it."""
        columns = []
        for _ in range(count):
            rows, items = signs(rng, len(self.rows.d)), signs(rng, self.n)
            columns.append(self._noise(rows, items, signs(rng, self.rows.extra.shape)))
        return np.stack(columns, axis=1)

    def _noise(self, on_rows: Floats, on_items: Floats, on_workers: Floats) -> Floats:
        rows, (_, k) = self.rows, on_workers.shape
        drawn = rows.d * on_rows
        items = np.bincount(rows.left, drawn, self.n) - np.bincount(rows.right, drawn, self.n)
        workers = [np.bincount(rows.worker, column * on_rows, k) for column in rows.theta]
        known = self.blocks.solve(np.stack(workers) + np.sqrt(rows.extra) * on_workers)
        return np.asarray(items + np.sqrt(self.laplacian.extra) * on_items - self.to_items(known))


@dataclass(frozen=True)
class CrowdInformation:
    """Minus the Hessian in all parameters: scores, workers' parameters, and the shape of ties where it has one."""

    reduced: Reduced
    border: Floats = field(repr=False)  # scores × others
    worker_border: Floats = field(repr=False)  # parameters × workers × others
    corner: Floats = field(repr=False)

    @cached_property
    def scores(self) -> Information[Reduced]:
        """The information on scores and shape, with the workers eliminated."""
        known = self.reduced.blocks.solve(self.worker_border)
        border = self.border - self.reduced.to_items(known)
        return Information(self.reduced, border, self.corner - np.einsum("pkt,pku->tu", self.worker_border, known))

    def pinning(self, pinned: Mask) -> "CrowdInformation":
        """The same, where some workers' parameters (parameters × workers) do not move."""
        c = self.reduced.blocks.c.copy()
        for p, row in enumerate(pinned):
            c[p, p, row] += IMMOVABLE
        return replace(self, reduced=replace(self.reduced, blocks=Blocks(c)))

    def solve(self, b: Floats, tol: float = 1e-10) -> Floats:
        """The x of H x = b."""
        n, (p, _, k) = self.reduced.n, self.reduced.blocks.c.shape
        on_workers = b[n : n + p * k].reshape(p, k)
        known = self.reduced.blocks.solve(on_workers)
        on_others = b[n + p * k :] - np.einsum("pkt,pk->t", self.worker_border, known)
        x = self.scores.solve(np.concatenate([b[:n] - self.reduced.to_items(known), on_others]), tol)
        back = self.reduced.to_workers(x[:n]) + self.worker_border @ x[n:]
        return np.concatenate([x[:n], (known - self.reduced.blocks.solve(back)).ravel(), x[n:]])
