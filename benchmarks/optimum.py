"""How far a tool's scores are from the optimum it aims at.

The optimum is fitted by Sidewise, far tighter than by default, and then not taken on trust: the gradient of the
objective, written out here in plain numpy over the raw rows, must vanish there. The objective is concave, so that no
other point will do. Where the likelihood has no maximum (some items never lose, or never win), its supremum is known
all the same, and a tool is judged by how far below it the likelihood of its scores is.

A prior whose spread the tool has estimated is taken as it was estimated. The number then says that the scores are the
right ones for that spread, not that the spread is: rows with and without such a prior are not comparable.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from data import DataSet, Piece, pieces, true_spread, truth
from numpy.typing import NDArray
from peers import Scores

Floats = NDArray[np.float64]
VANISHED = 1e-5  # of the gradient's largest entry: with dozens of comparisons per item, scores are right to 1e-6
FIT_AGAIN = 10**7  # comparisons; beyond, the gradient at the tool's own scores has to do


class Agreement(NamedTuple):
    """The distance from the optimum in words, and how the optimum itself was verified."""

    words: str
    check: str = ""


def agreement(data: DataSet, found: Scores) -> Agreement:
    """Compare scores with the optimum of what the tool was looking for; where workers differ, with the truth."""
    if data.crowd:
        return Agreement(f"pair accuracy {pair_accuracy(in_order(data, found), truth(data)):.4f}")
    if found.aim == "other model":
        return Agreement("another model")
    score = in_order(data, found)
    if not np.isfinite(score).all():
        return Agreement(f"NaN or infinite: {int((~np.isfinite(score)).sum()):,} items")
    if data.comparisons > FIT_AGAIN:
        rise = slope(score, pieces(data))
        precision = prior_precision(found, score, rise)
        return Agreement(
            f"gradient {steepest(rise - precision * score):.0e}{given(precision)}", spread(data, precision)
        )
    rows = list(pieces(data))
    if found.aim == "likelihood" and (inside := without_maximum(rows, data.items)) is not None:
        below = supremum(inside, data) - log_likelihood(score, rows)
        return Agreement(f"{below:,.1f} nats below", "there is no maximum: distance from the supremum")
    return distance(score, rows, data, prior_precision(found, score, slope(score, rows)))


def distance(score: Floats, rows: list[Piece], data: DataSet, precision: float) -> Agreement:
    """The largest distance of a score from a verified optimum."""
    best = fitted(rows, data, precision)
    left = steepest(slope(best, rows) - precision * best)
    if left > VANISHED:
        return Agreement("optimum not verified", f"gradient {left:.0e} at the supposed optimum")
    moved = np.abs((score - score.mean()) - (best - best.mean())).max()
    what = f"posterior, {spread(data, precision)}" if precision else "likelihood"
    return Agreement(f"{moved:.0e}{given(precision)}", f"{what}: gradient {left:.0e} at the optimum")


def given(precision: float) -> str:
    """A reminder that a fitted prior is taken as the tool found it: how well it was found is not measured here."""
    return ", given its spread" if precision else ""


def spread(data: DataSet, precision: float) -> str:
    """The spread that was estimated, beside the one that the data were drawn with."""
    return f"spread estimated {precision**-0.5:.4f}, drawn {true_spread(data):.4f}"


def in_order(data: DataSet, found: Scores) -> Floats:
    """Scores by code; NaN for an item that the tool has lost."""
    position = pc.index_in(pa.array(data.ids()), pa.array([str(label) for label in found.ids])).to_numpy(False)
    known = ~np.isnan(position)
    score = np.full(data.items, np.nan)
    score[known] = np.asarray(found.value)[position[known].astype(int)]
    return score


def pair_accuracy(score: Floats, true: Floats) -> float:
    """The share of all pairs of items that the scores put in the true order."""
    from scipy.stats import kendalltau

    return float((kendalltau(score, true).statistic + 1) / 2)


def slope(score: Floats, rows: Iterable[Piece]) -> Floats:
    """The gradient of Σ log σ(s_winner − s_loser)."""
    rise = np.zeros(len(score))
    for winner, loser in rows:
        surprise = 1 / (1 + np.exp(score[winner] - score[loser]))
        rise += np.bincount(winner, surprise, len(score)) - np.bincount(loser, surprise, len(score))
    return rise


def steepest(gradient: Floats) -> float:
    """The gradient's largest entry."""
    return float(np.abs(gradient).max())


def prior_precision(found: Scores, score: Floats, rise: Floats) -> float:
    """1 / sd² of the normal prior; 0 where there is none.

    Sidewise states the sd that it has fitted to six digits. The rest follows from the scores, at which the prior's
    pull balances the likelihood's: rise = precision · score.
    """
    if found.aim == "likelihood":
        return 0.0
    precision = float(rise @ score / (score @ score))
    assert abs(precision * found.prior_sd**2 - 1) < 1e-4, "the scores do not fit the prior that is stated"
    return precision


def log_likelihood(score: Floats, rows: Iterable[Piece]) -> float:
    """Σ log σ(s_winner − s_loser)."""
    return -float(sum(np.logaddexp(0, score[loser] - score[winner]).sum() for winner, loser in rows))


def without_maximum(rows: list[Piece], items: int) -> list[Piece] | None:
    """Where the likelihood has no maximum: the rows that keep it below 0; otherwise None.

    Items that beat each other in a circle form a group. Groups can be moved apart until the outcomes between them are
    certain, so that only rows within a group remain (Zermelo 1929, Ford 1957).
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    winner, loser = (np.concatenate(ends) for ends in zip(*rows, strict=True))
    beaten = coo_array((np.ones(len(winner), bool), (loser, winner)), shape=(items, items))
    groups, label = connected_components(beaten, directed=True, connection="strong")
    if groups == 1:
        return None
    within = label[winner] == label[loser]
    return [Piece(winner[within], loser[within])]


def supremum(inside: list[Piece], data: DataSet) -> float:
    """The least upper bound of the log-likelihood, from the rows within groups."""
    best = np.nan_to_num(fitted(inside, data, 0.0))
    assert steepest(slope(best, inside)) <= VANISHED, "the optimum within groups is not verified"
    return log_likelihood(best, inside)


def fitted(rows: list[Piece], data: DataSet, precision: float) -> Floats:
    """The optimum, by code, as Sidewise finds it when asked for ten digits."""
    import warnings

    import sidewise as sw

    winner, loser = (np.concatenate(ends) for ends in zip(*rows, strict=True))
    ids = pa.array(data.ids())
    table = pa.table({"winner": ids.take(pa.array(winner)), "loser": ids.take(pa.array(loser))})
    answers = sw.Comparisons.from_frame(table, items=data.ids())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sw.errors.Disconnected)  # groups are meant to be apart
        prior = sw.Normal(precision**-0.5) if precision else None
        return sw.bradley_terry(answers, prior=prior, intervals="none", tol=1e-10).raw
