"""Plain, slow and independent versions of what is tested."""

import numpy as np
from scipy.optimize import minimize


def log_likelihood(comparisons, s, *, ties="half", shape=0.0, side=0.0):
    """The likelihood, comparison by comparison, as the papers write it."""
    total = 0.0
    for left, right, outcome, weight in zip(
        comparisons.left, comparisons.right, comparisons.outcome, comparisons.weights(), strict=True
    ):
        a, b = np.exp(s[left] + side), np.exp(s[right])
        if ties == "half":
            total += weight * (outcome * np.log(a / (a + b)) + (1 - outcome) * np.log(b / (a + b)))
        elif ties == "davidson":  # Davidson 1970, with ν = e^shape
            draw = np.exp(shape) * np.sqrt(a * b)
            total += weight * np.log({1.0: a, 0.0: b, 0.5: draw}[outcome] / (a + b + draw))
        else:  # Rao and Kupper 1967, with θ = e^shape
            theta = np.exp(shape)
            win, loss = a / (a + theta * b), b / (b + theta * a)
            total += weight * np.log({1.0: win, 0.0: loss, 0.5: 1 - win - loss}[outcome])
    return total


def maximum_likelihood(comparisons, *, ties):
    """Scores (mean 0) and shape, by a general optimiser that knows no derivatives of ours."""
    n = len(comparisons.items)

    def loss(x):
        s = np.concatenate([x[: n - 1], [-x[: n - 1].sum()]])
        return -log_likelihood(comparisons, s, ties=ties, shape=np.exp(x[-1]) if ties == "rao-kupper" else x[-1])

    found = minimize(loss, np.zeros(n), method="BFGS", options={"gtol": 1e-7})
    s = np.concatenate([found.x[: n - 1], [-found.x[: n - 1].sum()]])
    return s, float(np.exp(found.x[-1]) if ties == "rao-kupper" else found.x[-1])


def pair_accuracy(score, truth):
    """Eq. 3 of the factorBT paper: the share of pairs with different truth that the scores order as the truth does."""
    score, truth = np.asarray(score), np.asarray(truth)
    right = pairs = 0
    for level in np.unique(truth):
        below, above = score[truth == level], np.sort(score[truth > level])
        pairs += len(below) * len(above)
        right += len(below) * len(above) - np.searchsorted(above, below, side="right").sum()
    return right / pairs


def numerical_gradient(function, x, step=1e-6):
    """Central differences."""
    return np.array([(function(x + step * e) - function(x - step * e)) / (2 * step) for e in np.eye(len(x))])


def numerical_jacobian(function, x, step=1e-6):
    """Central differences of a vector."""
    return np.array([(function(x + step * e) - function(x - step * e)) / (2 * step) for e in np.eye(len(x))])
