"""How inconsistent a crowd is: the part of a flow that goes round in circles, in triangles or around longer holes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from sidewise.comparisons.arrow import Codes, Floats
from sidewise.models.least_squares import residual
from sidewise.models.problem import Problem

MOST_WEDGES = 5_000_000  # pairs of neighbours to look through for triangles; beyond, circles are not told apart

Places = NDArray[np.int64]


class Cycles(NamedTuple):
    """Shares of ‖flow‖²: what no scores explain, and of that the part in triangles and the part in longer circles.

    The last two are NaN where the graph has too many triangles to look at.
    """

    cyclic: float
    curl: float
    harmonic: float


def cycles(problem: Problem, point: Floats) -> Cycles:
    """Hodge's decomposition of the flow of a least-squares problem that these scores solve.

    What the scores leave is split by projecting it onto the flows around triangles (Jiang et al. 2011, section 3).
    """
    seen = problem.seen
    flow, left = residual(problem, point)
    some = seen.total > 0
    weight, left = seen.total[some], left[some]
    whole = float(weight @ flow[some] ** 2)
    if whole == 0:
        return Cycles(np.nan, np.nan, np.nan)
    cyclic = float(weight @ left**2) / whole
    around = around_triangles(seen.n, seen.left[some], seen.right[some])
    if around is None:
        return Cycles(cyclic, np.nan, np.nan)
    curl = float(np.sum(projected(around, weight, left) ** 2)) / whole
    return Cycles(cyclic, curl, max(cyclic - curl, 0.0))


def projected(around: csr_array, weight: Floats, flow: Floats) -> Floats:
    """√w times the part of a flow that is a sum of flows around triangles."""
    from scipy.sparse.linalg import lsmr

    if not around.shape[0]:
        return np.zeros_like(flow)
    root = np.sqrt(weight)
    basis = (around / root).T.tocsr()
    return np.asarray(basis @ lsmr(basis, root * flow, atol=1e-9, btol=1e-9, maxiter=1000)[0])


def around_triangles(n: int, first: Codes, second: Codes) -> csr_array | None:
    """One row per triangle: +1 and −1 for its pairs, in the direction of going around it; None where they are many.

    Pairs point from the item with fewer opponents to the one with more, so that even a hub has few wedges to look
    through: every triangle is found once, at the corner with the fewest.
    """
    opponents = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    place = np.empty(n, np.int64)
    place[np.lexsort((np.arange(n), opponents))] = np.arange(n)
    low, high = np.minimum(place[first], place[second]), np.maximum(place[first], place[second])
    order = np.argsort(low * n + high)
    key = (low * n + high)[order]
    edge, other = wedges(low[order], n)
    if edge is None or other is None:
        return None
    b, c = high[order][edge], high[order][other]  # opponents of the same item a, with a < b < c
    across = np.minimum(np.searchsorted(key, b * n + c), len(key) - 1)
    closed = key[across] == b * n + c if len(key) else np.zeros(0, bool)
    sides = [order[some[closed]] for some in (edge, across, other)]
    upward = np.where(place[first] < place[second], 1.0, -1.0)
    signs = [turn * upward[side] for turn, side in zip((1, 1, -1), sides, strict=True)]  # a → b → c → a
    rows = np.tile(np.arange(int(closed.sum())), 3)
    shape = (int(closed.sum()), len(first))
    return coo_array((np.concatenate(signs), (rows, np.concatenate(sides))), shape=shape).tocsr()


def wedges(low: Places, n: int) -> tuple[Places, Places] | tuple[None, None]:
    """Positions of all two pairs that begin at the same item, given the sorted beginnings of the pairs."""
    end = np.searchsorted(low, np.arange(n), side="right")
    later = end[low] - np.arange(len(low)) - 1
    if (total := int(later.sum())) > MOST_WEDGES:
        return None, None
    edge = np.repeat(np.arange(len(low)), later)
    return edge, edge + 1 + np.arange(total) - np.repeat(np.cumsum(later) - later, later)
