"""The Hessian of a pairwise model: a weighted graph Laplacian, with a border for the few other parameters.

Solving with it is most of the work of a fit. Comparison graphs are either small, or expanders on which conjugate
gradients need a dozen products, or nearly trees, which factorise without fill: each gets its own way.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.sparse import csr_array, diags_array

from sidewise.comparisons.arrow import Codes, Floats

SMALL = 256  # up to here a dense factorisation is fastest
PATIENCE = 400  # products with the matrix before the graph is taken for one that conjugate gradients do not like


@dataclass(frozen=True)
class Pin:
    """Holds the mean of every component: adds 1_c 1_cᵀ / n_c, which makes a Laplacian without a prior invertible."""

    label: Codes
    size: Floats

    @classmethod
    def to(cls, label: Codes) -> "Pin":
        """Pin every component to its mean."""
        return cls(label, np.bincount(label).astype(float))

    def mean(self, v: Floats) -> Floats:
        """Every item's component's mean."""
        if v.ndim == 1:
            return (np.bincount(self.label, v, len(self.size)) / self.size)[self.label]
        return np.stack([self.mean(column) for column in v.T], axis=1)


@dataclass(frozen=True)
class Laplacian:
    """Σ w_ij (e_i − e_j)(e_i − e_j)ᵀ + diag(extra) (+ a pin), kept as its strict upper triangle."""

    upper: csr_array
    extra: Floats
    pin: Pin | None = None

    @property
    def n(self) -> int:
        """The number of items."""
        return len(self.extra)

    @cached_property
    def _lower(self) -> csr_array:
        return self.upper.T  # a view in the other orientation: no copy

    @cached_property
    def degree(self) -> Floats:
        """Σ_j w_ij + extra_i: the diagonal without the pin."""
        ones = np.ones(self.n)
        return np.asarray(self.upper @ ones + self._lower @ ones + self.extra)

    @cached_property
    def diagonal(self) -> Floats:
        """The diagonal."""
        return self.degree if self.pin is None else self.degree + 1 / self.pin.size[self.pin.label]

    def __matmul__(self, v: Floats) -> Floats:
        scaled = self.degree * v if v.ndim == 1 else self.degree[:, None] * v
        product = scaled - (self.upper @ v + self._lower @ v)
        return np.asarray(product if self.pin is None else product + self.pin.mean(v))

    def dense(self) -> Floats:
        """The whole matrix."""
        upper = self.upper.toarray()
        matrix = np.diag(self.degree) - upper - upper.T
        if self.pin is not None:
            matrix += (self.pin.label[:, None] == self.pin.label) / self.pin.size[self.pin.label]
        return np.asarray(matrix)

    def permuted(self, order: NDArray[np.intp]) -> "Laplacian":
        """The same with the items in another order."""
        place = places(order)
        edges = self.upper.tocoo()
        ends = place[edges.row], place[edges.col]
        upper = csr_array((edges.data, (np.minimum(*ends), np.maximum(*ends))), shape=self.upper.shape)
        pin = None if self.pin is None else Pin(self.pin.label[order], self.pin.size)
        return Laplacian(upper, self.extra[order], pin)

    @cached_property
    def inverse(self) -> Floats:
        """The inverse, for as many items as a dense matrix can hold."""
        return inverted(self.dense())

    @cached_property
    def _cholesky(self) -> tuple[Floats, bool]:
        return cho_factor(self.dense())  # type: ignore[no-any-return]

    def noise(self, count: int, rng: np.random.Generator) -> Floats:
        """Columns with mean 0 and covariance L: a random sign on every pair, item and pin.

        Signs do as well as normal numbers, since only second moments are used, and cost a tenth.
        """
        upper, n = self.upper.tocoo(), self.n
        root = np.sqrt(upper.data)
        b = np.sqrt(self.extra)[:, None] * signs(rng, (n, count))
        for column in range(count):
            drawn = root * signs(rng, len(root))
            b[:, column] += np.bincount(upper.row, drawn, n) - np.bincount(upper.col, drawn, n)
        if self.pin is not None:
            pins = signs(rng, (len(self.pin.size), count)) / np.sqrt(self.pin.size)[:, None]
            b += pins[self.pin.label]
        return np.asarray(b)

    def solve(self, b: Floats, tol: float = 1e-10) -> Floats:
        """The x of L x = b, for one right-hand side or a column of them."""
        if self.n <= SMALL:
            return np.asarray(cho_solve(self._cholesky, b))
        if "_factor" in self.__dict__:  # conjugate gradients have given up on this matrix before
            return self._solve_sparse(b)
        x, done = conjugate_gradients(self, b, tol, PATIENCE)
        if done:
            return x
        if self.upper.nnz <= 20 * self.n:
            return self._solve_sparse(b)
        return conjugate_gradients(self, b, tol, 50 * PATIENCE, start=x)[0]

    def _solve_sparse(self, b: Floats) -> Floats:
        """By a sparse factorisation. The pin is dense, so its direction is split off and one item grounded instead."""
        part = np.zeros_like(b) if self.pin is None else self.pin.mean(b)
        x = self._factor.solve(b - part)
        return np.asarray(x if self.pin is None else x - self.pin.mean(x) + part)

    @cached_property
    def grounded(self) -> csr_array:
        """The matrix with an item of each component grounded in place of the pin, which is dense.

        By as much as it is tied to others, since beside weights of 1e300 a 1 would be nothing.
        """
        ground = np.zeros(self.n)
        if self.pin is not None:
            first = np.unique(self.pin.label, return_index=True)[1]
            ground[first] = np.where(self.degree[first] > 0, self.degree[first], 1.0)
        return csr_array(diags_array(self.degree + ground) - self.upper - self._lower)

    @cached_property
    def _factor(self) -> "Factor":
        return factorised(self.grounded)


class Factor(Protocol):
    """A matrix taken apart."""

    def solve(self, b: Floats) -> Floats:
        """The x of A x = b."""
        ...


def factorised(matrix: csr_array) -> Factor:
    """A sparse symmetric positive matrix, taken apart in the order that fills least."""
    from scipy.sparse.linalg import splu

    options = {"SymmetricMode": True}
    return splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)  # type: ignore[no-any-return]


def places(order: NDArray[np.intp]) -> Codes:
    """Where each item goes when the items are put into this order."""
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return place


def inverted(matrix: Floats) -> Floats:
    """The inverse of a symmetric positive matrix: a third of the work of inverting any matrix."""
    factor, failed = dpotrf(np.asfortranarray(matrix), overwrite_a=True)
    if failed:
        raise np.linalg.LinAlgError("not positive definite")
    upper, _ = dpotri(factor, overwrite_c=True)
    lower = np.triu(upper, 1).T
    return np.asarray(np.triu(upper) + lower)


def signs(rng: np.random.Generator, shape: int | tuple[int, ...]) -> Floats:
    """Random signs."""
    return np.asarray(rng.integers(2, size=shape, dtype=np.int8) * 2.0 - 1.0, float)


class Product(Protocol):
    """A matrix that is known by its diagonal and its products."""

    @property
    def diagonal(self) -> Floats:
        """The diagonal; one column each where every right-hand side has a matrix of its own."""
        ...

    def __matmul__(self, v: Floats) -> Floats: ...


class Precision(Product, Protocol):
    """The information on scores: a Laplacian, or what is left of one where workers are unknown too."""

    @property
    def n(self) -> int:
        """The number of items."""
        ...

    @property
    def pin(self) -> Pin | None:
        """What holds it where there is no prior."""
        ...

    @property
    def inverse(self) -> Floats:
        """The whole inverse."""
        ...

    def dense(self) -> Floats:
        """The whole matrix."""
        ...

    def solve(self, b: Floats, tol: float = 1e-10) -> Floats:
        """The x of H x = b."""
        ...

    def permuted(self, order: NDArray[np.intp]) -> "Precision":
        """The same with the items in another order."""
        ...

    def noise(self, count: int, rng: np.random.Generator) -> Floats:
        """Columns with mean 0 and this covariance."""
        ...


def conjugate_gradients(
    matrix: Product, b: Floats, tol: float, limit: int, start: Floats | None = None, scale: Floats | None = None
) -> tuple[Floats, bool]:
    """Solve by conjugate gradients, scaled by the diagonal; columns are solved together, each with its own steps."""
    scale = matrix.diagonal if scale is None else scale
    scale = scale if scale.ndim == b.ndim else scale[:, None]
    x = np.zeros_like(b) if start is None else start
    r = b - matrix @ x if start is not None else b.copy()
    goal = tol * np.sqrt(np.sum(b * b, axis=0))
    z = r / scale
    p, rz = z, np.sum(r * z, axis=0)
    for _ in range(limit):
        left = np.sqrt(np.sum(r * r, axis=0))
        if np.all(left <= goal):
            return x, True
        if not np.isfinite(left).all():  # overflown: no number of steps brings it back
            return x, False
        q = matrix @ p
        pq = np.sum(p * q, axis=0)
        alpha = np.divide(rz, pq, out=np.zeros_like(pq), where=pq > 0)
        x = x + alpha * p
        r = r - alpha * q
        z = r / scale
        rz, before = np.sum(r * z, axis=0), rz
        p = z + np.divide(rz, before, out=np.zeros_like(rz), where=before > 0) * p
    return x, bool(np.all(np.sqrt(np.sum(r * r, axis=0)) <= goal))


P = TypeVar("P", bound=Precision)


@dataclass(frozen=True)
class Information(Generic[P]):
    """Minus the Hessian in all parameters: a Laplacian for the scores, a border and a corner for the few others."""

    laplacian: P
    border: Floats = field(repr=False)  # scores × others
    corner: Floats = field(repr=False)  # others × others

    @property
    def others(self) -> int:
        """How many parameters are not scores."""
        return len(self.corner)

    @cached_property
    def _known(self) -> dict[float, Floats]:
        return {}

    def across(self, tol: float) -> Floats:
        """Z = L⁻¹ C, solved once."""
        if tol not in self._known:
            self._known[tol] = self.laplacian.solve(self.border, tol)
        return self._known[tol]

    def schur(self, z: Floats) -> Floats:
        """Q − Cᵀ L⁻¹ C: the information on the other parameters when the scores are not known."""
        return np.asarray(self.corner - self.border.T @ z)

    def solve(self, b: Floats, tol: float = 1e-10) -> Floats:
        """The x of H x = b, by eliminating the scores."""
        if not self.others:
            return self.laplacian.solve(b, tol)
        n = self.laplacian.n
        z = self.across(tol)
        other = np.linalg.solve(self.schur(z), b[n:] - z.T @ b[:n])
        return np.concatenate([self.laplacian.solve(b[:n], tol) - z @ other, other])

    def dense(self) -> Floats:
        """The whole matrix."""
        return np.block([[self.laplacian.dense(), self.border], [self.border.T, self.corner]])
