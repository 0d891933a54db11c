"""Linear rankers: RankSVM, which learns from preferences, and a binary SVM, which learns who is bad."""

import warnings
from dataclasses import dataclass

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.errors import ConvergenceError, DataError, ModelError, NotConverged
from sidewise.learn.designs import PairDesign, SignDesign
from sidewise.learn.features import Features
from sidewise.learn.hinge import Design, Minimum, minimise
from sidewise.learn.pairs import Missing, TrainingPairs, preference_pairs, signed
from sidewise.learn.scaling import Scale, Scaling, fit_scaling
from sidewise.preferences import Closure, Preferences, Run
from sidewise.ranking import Fit


@dataclass(frozen=True, eq=False)
class LinearRanker:
    """A ranker whose scores are weighted sums of features: score = w·x + b, with features on the training scale."""

    weights: Floats
    intercept: float  # of no consequence for the order
    C: float
    scaling: Scaling
    fit: Fit  # how it was found: the gap is relative to the value at the minimum

    def scores(self, features: Features) -> Floats:
        """The score of every document, row by row; higher is better."""
        if features.width != len(self.weights):
            raise DataError(
                f"this ranker was trained on {len(self.weights)} features, and there are {features.width}; say "
                "width= when a feature file leaves out its last ones"
            )
        return np.asarray(self.scaling.apply(features) @ self.weights + self.intercept)

    def rank(self, features: Features) -> Run:
        """The documents of every query in order of their scores."""
        return Run.from_arrays(
            query=np.array(features.queries), document=np.array(features.documents), score=self.scores(features),
            tag=self.fit.model,
        )  # fmt: skip

    def __repr__(self) -> str:
        how = "converged" if self.fit.converged else "not converged"
        return f"LinearRanker({self.fit.model}, C = {self.C:g}, {len(self.weights)} weights, {how} in {self.fit.steps})"


def rank_svm(
    features: Features,
    preferences: Preferences | Closure | TrainingPairs,
    *,
    C: float,
    scale: Scale = "deviation",
    missing: Missing = "error",
    tol: float = 1e-8,
    limit: int = 100,
    strict: bool = False,
) -> LinearRanker:
    """Learn to rank from preferences: RankSVM (Joachims 2002) with a linear kernel.

    It finds the weights w that minimise

        ½ ‖w‖² + C Σ max(0, 1 − w·(x_i − x_j))

    over all pairs of documents of which i is preferred to j, as in Carterette et al. (2008): all O(n²) that follow
    from the n judgments of a query. This is a convex problem, and is solved exactly, with a certificate. C counts pairs
    one by one, as SVMlight does; SVMrank's C is for the sum over queries.

    Prefer :func:`binary_svm` where documents were only said to be relevant or not, and see whether it is worse.

    Parameters
    ----------
    features
        Of the queries to learn from.
    preferences
        The judgments, their closure, or pairs of rows, such as :func:`label_pairs` makes of labels. Preferences of
        queries without features are passed over.
    C
        What a pair in the wrong order costs; see :func:`choose_ranker`.
    scale
        "deviation" divides every feature by its standard deviation over these documents, "query" puts it between 0
        and 1 within each query, "none" leaves it (:func:`fit_scaling`).
    missing
        Documents that were judged but have no features are an "error", or "drop" leaves them out.
    tol, limit
        The relative gap between the value found and the best possible one, and the most steps.
    strict
        Whether it is an error not to get there.

    Examples
    --------
    >>> made = Features.from_arrays([1, 1, 1], "abc", [[0, 5], [1, 4], [2, 5]])
    >>> judged = Preferences.from_arrays(query=[1, 1], first=["c", "b"], second=["b", "a"], judgment=[-1, -1])
    >>> ranker = rank_svm(made, judged, C=10)
    >>> ranker.rank(made)["1"]
    ('c', 'b', 'a')
    """
    pairs = (
        preferences
        if isinstance(preferences, TrainingPairs)
        else preference_pairs(features, preferences, missing=missing)
    )
    if not len(pairs.better):
        raise ModelError("there are no pairs to learn from: no two documents with features, one preferred to the other")
    scaling = fit_scaling(features, scale)
    found = _fitted(PairDesign(scaling.apply(features), *pairs), C, tol, limit, strict=strict)
    return LinearRanker(found.w, 0.0, C, scaling, _how("rank-svm", found, len(pairs.better), C, scale))


def binary_svm(
    features: Features,
    preferences: Preferences | Closure,
    *,
    C: float,
    scale: Scale = "deviation",
    missing: Missing = "error",
    tol: float = 1e-8,
    limit: int = 100,
    strict: bool = False,
) -> LinearRanker:
    """Learn which documents are bad, and rank by how far they are from it: the baseline of Carterette et al. (2008).

    Documents marked as bad are not relevant, y = −1, all others relevant, y = 1. The weights minimise

        ½ ‖w‖² + C Σ max(0, 1 − y (w·x + b)),

    with b free, and w·x + b ranks. Queries are not told apart, and no use is made of which good document is better.

    Parameters
    ----------
    features
        Of the queries to learn from.
    preferences
        The judgments, or their closure; documents that they do not speak of are left out.
    C
        What a document on the wrong side costs.
    scale, missing, tol, limit, strict
        As in :func:`rank_svm`.

    Examples
    --------
    >>> made = Features.from_arrays([1, 1, 1], "abc", [[0, 5], [1, 4], [2, 5]])
    >>> judged = Preferences.from_arrays(query=[1, 1], first=["c", "a"], second=["b", "NA"], judgment=[-1, -2])
    >>> binary_svm(made, judged, C=0.1).rank(made)["1"]
    ('c', 'b', 'a')
    """
    marked = signed(features, preferences, missing=missing)
    if len(set(marked.sign.tolist())) < 2:
        raise ModelError("a binary SVM needs documents that were judged bad and others that were not, with features")
    scaling = fit_scaling(features, scale)
    found = _fitted(SignDesign(scaling.apply(features)[marked.rows], marked.sign), C, tol, limit, strict=strict)
    how = _how("binary-svm", found, len(marked.rows), C, scale)
    return LinearRanker(found.w[:-1], float(found.w[-1]), C, scaling, how)


def _fitted(design: Design, C: float, tol: float, limit: int, *, strict: bool) -> Minimum:
    if not (C > 0 and np.isfinite(C)):
        raise ModelError(f"C is a positive number, such as 0.01; it is {C!r}")
    found = minimise(design, C, tol=tol, limit=limit)
    if not found.converged:
        said = (
            f"the fit with C = {C:g} stopped after {found.steps} steps, at most a relative {found.gap:.1e} above the "
            "minimum; features on one scale (scale='deviation') and a smaller C help"
        )
        if strict:
            raise ConvergenceError(said)
        warnings.warn(said, NotConverged, stacklevel=3)
    return found


def _how(model: str, found: Minimum, count: int, C: float, scale: Scale) -> Fit:
    settings = {"C": C, "scale": scale}
    return Fit(model, settings, found.converged, found.steps, found.gap, comparisons=count)
