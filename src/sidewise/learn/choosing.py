"""How much should an error cost? C, chosen by queries that were not trained on."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sidewise.errors import MeasureError, ModelError
from sidewise.learn.features import Features
from sidewise.learn.svm import LinearRanker
from sidewise.measures.preference import average_ppref
from sidewise.preferences import Closure, Preferences, Run, closure

GRID = tuple(10.0**power for power in range(-6, 2))


class Trainer(Protocol):
    """What trains a ranker: :func:`rank_svm`, :func:`binary_svm`, or either with options, as a ``partial``."""

    def __call__(self, features: Features, preferences: Closure, *, C: float) -> LinearRanker:
        """Train."""
        ...


@dataclass(frozen=True, eq=False)
class Choice:
    """The ranker that was best on the validation queries, and how good each C was there."""

    ranker: LinearRanker
    figures: dict[float, float]  # C → the measure

    def __repr__(self) -> str:
        C = self.ranker.C
        return f"Choice(C = {C:g} of {len(self.figures)}, {self.figures[C]:.4f} on validation)"


def choose_ranker(
    train: Trainer,
    training: Features,
    validation: Features,
    preferences: Preferences | Closure,
    *,
    grid: Iterable[float] = GRID,
    measure: Callable[[Run, Closure], float] | None = None,
) -> Choice:
    """Train with every C of a grid, and keep the ranker that orders the validation queries best.

    Of several that are equally good, the one with the smallest C is kept. The ranker is the one trained on the
    training queries alone. Carterette et al. (2008) chose C in this way; they do not say by which measure.

    Parameters
    ----------
    train
        :func:`rank_svm` or :func:`binary_svm`; with options, ``functools.partial(rank_svm, scale="query")``.
    training, validation
        Features of the queries to learn from, and of those to choose by.
    preferences
        The judgments of both, or their closure.
    grid
        The values of C; 10⁻⁶ to 10 by factors of ten, if not said.
    measure
        A function of a run and a closure, more being better; the mean of :func:`~sidewise.measures.average_ppref` over
        the validation queries, if not said.

    Examples
    --------
    >>> from sidewise.learn import folds, rank_svm
    >>> from sidewise.simulate.search import search_collection
    >>> made = search_collection(10, documents=12, features=6, signal=0.9, seed=1)
    >>> table = Features.from_arrays(made.queries, made.documents, made.values)
    >>> fold = folds(table.rows_of)[0]
    >>> choose_ranker(rank_svm, table.of_queries(fold.train), table.of_queries(fold.validation), made.preferences)
    Choice(C = 1 of 8, 0.8669 on validation)
    """
    costs = sorted(set(grid))
    if not costs:
        raise ModelError("the grid has no C to choose from")
    _check_apart(training, validation)
    whole = preferences if isinstance(preferences, Closure) else closure(preferences)
    rankers = {C: train(training, whole, C=C) for C in costs}
    figures = {C: float((measure or _measure)(ranker.rank(validation), whole)) for C, ranker in rankers.items()}
    if np.isnan(list(figures.values())).any():
        raise MeasureError("the validation queries have no preferences to choose by")
    return Choice(rankers[max(costs, key=lambda C: (figures[C], -C))], figures)


def _measure(run: Run, whole: Closure) -> float:
    return average_ppref(run, whole, missing="skip").mean


def _check_apart(training: Features, validation: Features) -> None:
    both = set(training.rows_of) & set(validation.rows_of)
    if both:
        raise ModelError(
            f"query {min(both)!r} is among the training and the validation queries: what was learnt by heart would be "
            "chosen"
        )
