"""How much an answer is expected to tell, for all pairs at once and in closed form.

A comparison of i and j tells only of d = r_i − r_j ~ N(m, v). An answer moves d by moment matching, and its expected
fall of Cov(r) = S is a aᵀ ρ with a = S (e_i − e_j), ρ = λ / (1 + v), λ = φ(z)² / (Φ(z) Φ(−z)) and z = m / √(1 + v).
What is wanted is a small Tr(C S), so the gain is aᵀ C a ρ. For accurate scores C = I, since Tr S is what RMSE
measures. For an order, C is the Laplacian of the density of each difference at 0: how near two items are to changing
places.
"""

import numpy as np

from sidewise.sampling.algebra import Algebra, Matrix, blocks
from sidewise.sampling.lapses import blunted

CERTAIN = 300.0  # z² / 2: beyond, an answer tells nothing, and its exponential would overflow
TINY = 1e-12  # a variance that is as good as none


def fall(place: Algebra, m: Matrix, v: Matrix, lapse: float = 0.0) -> Matrix:
    """ρ: the part of a aᵀ by which an answer about a difference N(m, v) is expected to lower the covariance.

    With E(x) = exp(x²) erfc(x) and x = |z| / √2, Φ(z) Φ(−z) / φ(z)² is (π / 2) E(x) (2 exp(x²) − E(x)), at all x; to
    which lapses add κ / φ(z)² = 2 π κ exp(2 x²).
    """
    spread = 1 + v
    square = place.xp.clip(m**2 / (2 * spread), None, CERTAIN)
    scaled, grown = place.erfcx(place.xp.sqrt(square)), place.xp.exp(square)
    inverse = scaled * (2 * grown - scaled)
    if lapse:
        inverse += 4 * blunted(lapse) * grown**2
    return 2 / np.pi / (inverse * spread)


def gains(place: Algebra, mean: Matrix, covariance: Matrix, worth: Matrix | None = None, lapse: float = 0.0) -> Matrix:
    """N × n: by how much Tr(C S) is expected to fall; C = I, or ``worth``."""
    found = place.square(covariance) if worth is None else covariance @ (worth @ covariance)
    diagonal, own = covariance.diagonal(), found.diagonal() * 1.0  # a copy: found is overwritten
    for rows in blocks(place, len(mean)):
        on, below = slice(rows.start, None), slice(rows.stop, None)  # left of the diagonal all is as above it
        v = diagonal[rows, None] + diagonal[on] - 2 * covariance[rows, on]
        lost = own[rows, None] + own[on] - 2 * found[rows, on]
        found[rows, on] = lost * fall(place, mean[rows, None] - mean[on], v, lapse)
        found[below, rows] = found[rows, below].T
    return found


def swaps(place: Algebra, mean: Matrix, covariance: Matrix, inside: Matrix | None = None) -> Matrix:
    """The Laplacian of φ(m / √v) / √v, the density of every difference at 0.

    ``inside`` says which items are among the best, where only pairs of one of them and another are of interest.
    """
    laplacian, diagonal = covariance * 0.0, covariance.diagonal()
    for rows in blocks(place, len(mean)):
        v = diagonal[rows, None] + diagonal - 2 * covariance[rows] + TINY
        density = place.xp.exp(-((mean[rows, None] - mean) ** 2) / (2 * v)) / place.xp.sqrt(v)
        laplacian[rows] = -density if inside is None else -density * (inside[rows, None] != inside)
    every = place.array(np.arange(len(mean)))
    laplacian[every, every] = 0.0
    laplacian[every, every] = -laplacian.sum(1)
    return laplacian


def narrowed(
    place: Algebra, covariance: Matrix, mean: Matrix, first: Matrix, second: Matrix, lapse: float = 0.0
) -> Matrix:
    """The covariance that is expected after answers about some pairs, by Woodbury's identity.

    An answer that lowers S by a aᵀ ρ is like a measurement of d with precision t, where ρ = t / (1 + v t).
    """
    if not len(first):
        return covariance
    moved = covariance[:, first] - covariance[:, second]
    shared = moved[first] - moved[second]
    v = shared.diagonal()
    rho = fall(place, mean[first] - mean[second], v, lapse)
    precision = place.xp.clip(rho, TINY, None) / (1 - v * rho)  # where nothing is told, next to nothing
    told = place.square(place.whitened(shared + place.xp.diag(1 / precision), moved))
    return place.xp.subtract(covariance, told, out=told)
