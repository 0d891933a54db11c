"""The margins of the two support vector machines: of pairs of documents, and of documents with a sign."""

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.learn.features import Rows


class PairDesign:
    """A margin for every pair: by how much the better document's score is above the worse one's.

    D has a row x_better − x_worse for each pair, and there are O(n²) pairs of n documents; but D w is a difference of
    scores, Dᵀα a weighted sum of documents, and Dᵀ diag(θ) D = Xᵀ L X with L the Laplacian of the graph of pairs.
    """

    def __init__(self, x: Floats, better: Rows, worse: Rows) -> None:
        self.x, self.better, self.worse = x, better, worse
        self.size, self.penalty = len(better), np.ones(x.shape[1])
        # The pairs as a sparse matrix, of which only the values change from step to step.
        self.by_row = np.argsort(better, kind="stable")
        self.starts = np.concatenate([[0], np.cumsum(np.bincount(better, minlength=len(x)))])

    def margins(self, w: Floats) -> Floats:
        """w·(x_better − x_worse)."""
        score = self.x @ w
        return np.asarray(score[self.better] - score[self.worse])

    def pull(self, alpha: Floats) -> Floats:
        """Σ α (x_better − x_worse)."""
        rows = len(self.x)
        return np.asarray((np.bincount(self.better, alpha, rows) - np.bincount(self.worse, alpha, rows)) @ self.x)

    def gram(self, theta: Floats) -> Floats:
        """Σ θ (x_better − x_worse)(x_better − x_worse)ᵀ."""
        from scipy.sparse import csr_array

        rows = len(self.x)
        weighed = csr_array((theta[self.by_row], self.worse[self.by_row], self.starts), shape=(rows, rows))
        degree = np.bincount(self.better, theta, rows) + np.bincount(self.worse, theta, rows)
        half = self.x.T @ (degree[:, None] / 2 * self.x - weighed @ self.x)
        return np.asarray(half + half.T)


class SignDesign:
    """A margin for every document: how far its score lies on its own side of zero. The last weight is the intercept."""

    def __init__(self, x: Floats, sign: Floats) -> None:
        self.signed = np.column_stack([x, np.ones(len(x))]) * sign[:, None]
        self.size, self.penalty = len(x), np.append(np.ones(x.shape[1]), 0.0)

    def margins(self, w: Floats) -> Floats:
        """Of a document: y (w·x + b)."""
        return np.asarray(self.signed @ w)

    def pull(self, alpha: Floats) -> Floats:
        """Σ α y (x, 1)."""
        return np.asarray(alpha @ self.signed)

    def gram(self, theta: Floats) -> Floats:
        """Σ θ (x, 1)(x, 1)ᵀ."""
        return np.asarray((self.signed.T * theta) @ self.signed)
