"""How good is a ranking where nobody knows the truth? By answers that it has not seen."""

import numpy as np
from numpy.typing import ArrayLike


def foretold(lead: ArrayLike, outcome: ArrayLike) -> float:
    """The share of decided answers that go to the item with the higher score; where scores are equal, half of one.

    With leads d and outcomes y, over the answers with y ≠ ½ (the accuracy on held-out answers, as in
    cross-validation, Stone 1974)::

        mean of [d > 0] where y > ½, of [d < 0] where y < ½, and ½ where d = 0

    Take it where there is no truth to compare with, on answers that were held out of the fit; with a truth, take
    :func:`pair_accuracy`. Without a decided answer it is NaN.

    Parameters
    ----------
    lead
        The left item's score less the right one's, of every answer.
    outcome
        1 where the left item was chosen, 0 where the right one was, 0.5 for a tie.

    >>> foretold([0.5, -1, 0, 2], [1, 1, 1, 0.5])
    0.5
    """
    ahead, said = np.sign(np.asarray(lead, float)), np.asarray(outcome, float)
    decided = said != 0.5
    agrees = (1 + ahead * np.sign(said - 0.5)) / 2
    return float(agrees[decided].mean()) if decided.any() else float("nan")
