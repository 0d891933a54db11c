"""Answers without a look at the items: P(i beats j) = ε/2 + (1 − ε) Φ(r_i − r_j), where ε is their share.

People err about items that are far apart more often than a normal noise lets them. Without lapses such answers draw far
items together, and whoever asks mostly about close ones finds them further apart than a balanced design does.
"""

import numpy as np
from scipy.special import ndtr

from sidewise.comparisons.arrow import Floats
from sidewise.models.probit import hazard

LOOKED = 30.0  # answers with a look that are imagined before the first: lapses have to be shown
MOST = 0.5  # of all answers
RARE = 1e-300  # the least chance of an answer


def tilt(z: Floats, lapse: float = 0.0) -> tuple[Floats, Floats]:
    """How an answer moves and narrows a normal difference: ψ = w φ(z) / Φ(z), and ψ (ψ + z).

    w is how likely it came with a look, 1 where there are no lapses. An answer against all odds tells rather that
    nobody looked, and would widen the difference: it is taken to tell nothing of it.
    """
    slope = hazard(z)
    if not lapse:
        return slope, slope * (slope + z)
    looked = (1 - lapse) * ndtr(z)
    slope *= looked / (lapse / 2 + looked)
    return slope, np.maximum(slope * (slope + z), 0.0)


def blunted(lapse: float) -> float:
    """κ = ε/2 (1 − ε/2) / (1 − ε)²: what lapses add to Φ(z) Φ(−z) / φ(z)² is κ / φ(z)²."""
    return lapse / 2 * (1 - lapse / 2) / (1 - lapse) ** 2


def likeliest(chance: Floats, said: Floats) -> float:
    """The ε with the highest Σ said · log(ε/2 + (1 − ε) chance), a concave function, and LOOKED answers with a look.

    ``chance`` is Φ of what all else says about an answer. Mostly it is 0, which one look at the slope there tells.

    >>> import numpy as np
    >>> likeliest(np.array([0.99, 0.01]), np.array([900.0, 0.0]))  # nobody is wrong
    0.0
    >>> round(likeliest(np.array([0.999, 0.001]), np.array([950.0, 50.0])), 2)  # one in twenty is, half of the lapses
    0.09
    """
    from scipy.optimize import brentq

    chance = np.maximum(chance, RARE)
    if (said / chance).sum() / 2 - said.sum() <= LOOKED:  # the slope at 0
        return 0.0
    wrong = said * (0.5 - chance)

    def slope(share: float) -> float:
        return float((wrong / (share / 2 + (1 - share) * chance)).sum()) - LOOKED / (1 - share)

    if slope(0.0) <= 0:  # by rounding
        return 0.0
    return MOST if slope(MOST) >= 0 else float(brentq(slope, 0.0, MOST, xtol=1e-5))
