"""Where dense matrices are worked on: this machine's processor, or a GPU. What is computed is the same."""

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import SidewiseError
from sidewise.extras import need
from sidewise.models.laplacian import Laplacian

Matrix = Any  # of numpy or of PyTorch, by whose operators alone the kernels are written


class Algebra(Protocol):
    """What the kernels need beside operators."""

    @property
    def xp(self) -> Any:
        """The module that has the functions of single numbers."""
        ...

    @property
    def block(self) -> int:
        """How many numbers a temporary may hold."""
        ...

    def array(self, values: Any) -> Matrix:
        """Values of numpy, here."""
        ...

    def home(self, values: Matrix) -> Any:
        """Values of numpy again."""
        ...

    def inverse(self, precision: Laplacian) -> Matrix:
        """The inverse of a positive matrix."""
        ...

    def erfcx(self, x: Matrix) -> Matrix:
        """exp(x²) erfc(x)."""
        ...

    def square(self, factor: Matrix) -> Matrix:
        """W Wᵀ."""
        ...

    def whitened(self, inner: Matrix, outer: Matrix) -> Matrix:
        """B L⁻ᵀ, with L Lᵀ = A the inner matrix and B the outer: its square is B A⁻¹ Bᵀ."""
        ...

    def best(self, matrix: Matrix, count: int) -> tuple[Floats, Any]:
        """The greatest numbers of every row, so many and in any order, and their columns; both of numpy."""
        ...


class Processor:
    """The processor of this machine, by numpy and LAPACK."""

    xp = np
    block = 1 << 18  # a few temporaries of it stay in the cache

    def array(self, values: Any) -> Matrix:
        """As it is."""
        return np.asarray(values)

    def home(self, values: Matrix) -> Any:
        """As it is."""
        return np.asarray(values)

    def inverse(self, precision: Laplacian) -> Matrix:
        """By Cholesky."""
        return precision.inverse.copy()

    def erfcx(self, x: Matrix) -> Matrix:
        """Of scipy."""
        from scipy.special import erfcx

        return erfcx(x)

    def square(self, factor: Matrix) -> Matrix:
        """By a product that works out one triangle only: half of the work."""
        from scipy.linalg.blas import dsyrk

        # dsyrk wants columns one after the other; for rows, that is the transpose.
        fortran = factor.flags.f_contiguous
        half = dsyrk(1.0, factor if fortran else factor.T, trans=0 if fortran else 1, lower=0)
        return _mirrored(half)

    def whitened(self, inner: Matrix, outer: Matrix) -> Matrix:
        """By Cholesky and a triangular solution."""
        from scipy.linalg import cholesky, solve_triangular

        lower = cholesky(inner, lower=True, check_finite=False)
        return np.asarray(solve_triangular(lower, outer.T, lower=True, check_finite=False).T)

    def best(self, matrix: Matrix, count: int) -> tuple[Floats, Any]:
        """By a partition of every row."""
        column = np.empty((len(matrix), count), np.int64)
        step = max(1, self.block // len(matrix))
        for start in range(0, len(matrix), step):
            rows = slice(start, start + step)
            column[rows] = np.argpartition(matrix[rows], -count, axis=1)[:, -count:]
        return np.take_along_axis(matrix, column, axis=1), column


class Accelerator:
    """A GPU, by PyTorch; with "cpu" its name, PyTorch on the processor, as the tests have it."""

    block = 1 << 28  # 2 GiB a temporary
    strips, narrow = 16, 1024  # of a product: how many at most, and how many rows at least, to keep a GPU busy

    def __init__(self, device: str) -> None:
        self.xp = need("torch", extra="gpu")
        try:
            self.device = self.xp.device(device)
            self.xp.zeros(1, device=self.device)
        except (RuntimeError, AssertionError, TypeError) as wrong:
            why = str(wrong).strip().splitlines()[0]
            raise SidewiseError(f"device={device!r} is not there; leave it out to use the processor ({why})") from None

    def array(self, values: Any) -> Matrix:
        """A copy on the device."""
        return self.xp.as_tensor(np.ascontiguousarray(values), device=self.device)

    def home(self, values: Matrix) -> Any:
        """A copy in this machine's memory."""
        return values.cpu().numpy()

    def inverse(self, precision: Laplacian) -> Matrix:
        """By Cholesky, from the edges: the dense matrix is made on the device."""
        edges = precision.upper.tocoo()
        ends = self.array(edges.row.astype(np.int64)), self.array(edges.col.astype(np.int64))
        matrix = self.xp.diag(self.array(precision.degree))
        weights = self.array(-edges.data)
        matrix[ends[0], ends[1]] = weights
        matrix[ends[1], ends[0]] = weights
        lower = self.xp.linalg.cholesky(matrix)
        del matrix
        return self.xp.cholesky_inverse(lower)

    def erfcx(self, x: Matrix) -> Matrix:
        """Of PyTorch."""
        return self.xp.special.erfcx(x)

    def square(self, factor: Matrix) -> Matrix:
        """In strips, of which what lies left of the diagonal is known from those above: half of the work."""
        found = self.xp.empty((len(factor), len(factor)), dtype=factor.dtype, device=self.device)
        step = max(-(-len(factor) // self.strips), self.narrow)
        for start in range(0, len(factor), step):
            rows, below = slice(start, start + step), slice(start + step, None)
            found[rows, start:] = factor[rows] @ factor[start:].T
            found[below, rows] = found[rows, below].T
        return found

    def whitened(self, inner: Matrix, outer: Matrix) -> Matrix:
        """By Cholesky and a triangular solution."""
        lower = self.xp.linalg.cholesky(inner)
        return self.xp.linalg.solve_triangular(lower, outer.T, upper=False).T

    def best(self, matrix: Matrix, count: int) -> tuple[Floats, Any]:
        """By topk."""
        found = self.xp.topk(matrix, count, dim=1, sorted=False)
        return self.home(found.values), self.home(found.indices)


def algebra(device: str | None) -> Algebra:
    """The place of a name: None is this machine's processor by numpy, anything else a device of PyTorch."""
    return Processor() if device is None else Accelerator(device)


def blocks(place: Algebra, n: int) -> Iterator[slice]:
    """Rows whose temporaries are not too large."""
    step = max(1, place.block // n)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def _mirrored(upper: Floats) -> Floats:
    """The whole of a symmetric matrix, of which the upper triangle is known."""
    n = len(upper)
    step = 256
    for start in range(0, n, step):  # in blocks, which stay in the cache
        here = slice(start, start + step)
        upper[start + step :, here] = upper[here, start + step :].T
        corner = upper[here, here]
        corner[...] = np.triu(corner) + np.triu(corner, 1).T
    return upper
