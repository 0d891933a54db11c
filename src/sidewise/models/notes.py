"""What a reader of a fit must know: each is a warning where it needs an eye, and a note on the result."""

import warnings

import numpy as np

from sidewise.comparisons import Graph, PairCounts
from sidewise.comparisons.arrow import Floats
from sidewise.errors import ConvergenceError, Disconnected, NotConverged


def not_converged(message: str, *, strict: bool, stacklevel: int) -> tuple[str, ...]:
    """Warn, or raise where that was asked for."""
    if strict:
        raise ConvergenceError(message)
    warnings.warn(message, NotConverged, stacklevel=stacklevel + 1)
    return (message,)


def of_the_graph(counts: PairCounts, graph: Graph, *, has_prior: bool, stacklevel: int) -> tuple[str, ...]:
    """Parts that were never compared with each other, and items that were never compared at all."""
    notes = []
    if (parts := int((np.bincount(graph.label) > 1).sum())) > 1:
        basis = "rests on the prior alone" if has_prior else "means nothing: each has its own zero"
        notes.append(f"the comparison graph falls into {parts} parts; the order between them {basis}")
        warnings.warn(notes[-1], Disconnected, stacklevel=stacklevel + 1)
    if unseen := len(counts.unseen()):
        stand = "stand where the prior puts them" if has_prior else "have no score"
        notes.append(f"{unseen} items were never compared and {stand}")
    return tuple(notes)


def of_the_crowd(answers: Floats) -> tuple[str, ...]:
    """One worker alone, by how much each has answered."""
    if np.count_nonzero(answers) != 1:
        return ()
    return ("there is one worker only: nobody to compare with, so nothing is learnt of how reliable they are",)
