"""Every tool's best fair call: from one dataframe of strings (left, right, winner) to scores.

A method is a function that imports its library and returns the work to be timed, so that imports are never on the
clock while every conversion that a tool needs is.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray


class Scores(NamedTuple):
    """What a tool found, on the log scale, and what it was looking for."""

    ids: Any
    value: NDArray[np.float64]
    aim: Literal["likelihood", "posterior", "other model"] = "likelihood"
    prior_sd: float = np.inf


Work = Callable[[Any], Scores]


def sidewise(*, prior: str = "estimated", intervals: str = "none") -> Callable[[], Work]:
    """Sidewise from a dataframe; with intervals, up to the table that a user reads them from."""

    def load() -> Work:
        import sidewise as sw

        options = {"prior": None} if prior == "none" else {}

        def work(frame: pd.DataFrame) -> Scores:
            answers = sw.Comparisons.from_frame(frame)
            ranking = sw.bradley_terry(answers, intervals=intervals, **options)
            if intervals != "none":
                ranking.to_frame()
            return _sidewise_scores(ranking)

        sw.bradley_terry  # noqa: B018 - loads the models, which are imported on first use
        return work

    return load


def sidewise_crowd(model: str, *, intervals: str = "none") -> Callable[[], Work]:
    """A model that knows workers; with intervals, up to the table that a user reads them from."""

    def load() -> Work:
        import sidewise as sw

        def work(frame: pd.DataFrame) -> Scores:
            ranking = sw.rank(sw.Comparisons.from_frame(frame), model, intervals=intervals)
            if intervals != "none":
                ranking.to_frame()
            return Scores(ranking.items, ranking.raw, "other model")

        sw.bradley_terry  # noqa: B018 - loads the models
        return work

    return load


def sidewise_streamed() -> Work:
    """Sidewise from a file that need not fit in memory."""
    import sidewise as sw

    def work(path: Path) -> Scores:
        return _sidewise_scores(sw.bradley_terry(sw.read_counts(path)))

    sw.bradley_terry  # noqa: B018 - loads the models
    return work


def _sidewise_scores(ranking: Any) -> Scores:
    stated = ranking.fit.settings["prior"]
    if stated == "None":
        return Scores(ranking.items, ranking.raw)
    sd = re.search(r"([\d.e+-]+)\)$", stated)  # the fitted spread, to the six digits that Sidewise states
    assert sd is not None, stated
    return Scores(ranking.items, ranking.raw, "posterior", float(sd[1]))


def evalica(*, ids: str = "as they are", **options: float) -> Callable[[], Work]:
    """Evalica on the dataframe's columns, over which it iterates in Python: columns of objects are faster."""

    def load() -> Work:
        from evalica import Winner, bradley_terry

        def work(frame: pd.DataFrame) -> Scores:
            left, right = frame["left"], frame["right"]
            winners = np.where(frame["winner"] == left, Winner.X, Winner.Y).tolist()
            if ids == "objects":
                left, right = left.astype(object), right.astype(object)
            scores = bradley_terry(left, right, winners, **options).scores
            return Scores(scores.index, _log(scores))

        return work

    return load


def choix_ilsr() -> Work:
    """Choix's fastest way to the maximum likelihood: its dense one; ids become codes first."""
    import choix

    def work(frame: pd.DataFrame) -> Scores:
        ids, winner, loser = _factorized(frame)
        wins = np.bincount(winner * len(ids) + loser, minlength=len(ids) ** 2).reshape(len(ids), -1)
        return Scores(ids, choix.ilsr_pairwise_dense(wins))

    return work


def choix_opt() -> Work:
    """Choix's `opt_pairwise`, the one its guide recommends for pairwise data; its penalty of 1e-6 stays."""
    import choix

    def work(frame: pd.DataFrame) -> Scores:
        ids, winner, loser = _factorized(frame)
        data = list(zip(winner.tolist(), loser.tolist(), strict=True))
        return Scores(ids, choix.opt_pairwise(len(ids), data))

    return work


def _factorized(frame: pd.DataFrame) -> tuple[Any, NDArray[np.int64], NDArray[np.int64]]:
    codes, ids = pd.factorize(pd.concat([frame["left"], frame["right"]]))
    left, right = np.split(codes, 2)
    won = (frame["winner"] == frame["left"]).to_numpy()
    return ids, np.where(won, left, right), np.where(won, right, left)


def crowdkit() -> Work:
    """Crowd-Kit's Bradley–Terry with room for 100 steps."""
    from crowdkit.aggregation import BradleyTerry

    def work(frame: pd.DataFrame) -> Scores:
        scores = BradleyTerry(n_iter=100).fit_predict(frame.rename(columns={"winner": "label"}))
        return Scores(scores.index, _log(scores))

    return work


def crowdkit_noisy() -> Work:
    """Crowd-Kit's model of careless workers: another model, whose scores have another optimum."""
    from crowdkit.aggregation import NoisyBradleyTerry

    def work(frame: pd.DataFrame) -> Scores:
        scores = NoisyBradleyTerry(n_iter=100).fit_predict(frame.rename(columns={"winner": "label"}))
        return Scores(scores.index, scores.to_numpy(), "other model")

    return work


def arena_rank() -> Work:
    """arena-rank with its default (sandwich) intervals, waiting until JAX has them."""
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    def work(frame: pd.DataFrame) -> Scores:
        side = np.where(frame["winner"] == frame["left"], "model_a", "model_b")
        pairs = PairDataset.from_pandas(frame.assign(winner=side), competitor_cols=["left", "right"])
        model = BradleyTerry(n_competitors=len(pairs.competitors))
        found = {name: np.asarray(values) for name, values in model.compute_ratings_and_cis(pairs).items()}
        return Scores(found["competitors"], (found["ratings"] - model.init_rating) / model.alpha)

    return work


def _log(scores: pd.Series) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(scores.to_numpy(float))


METHODS: dict[str, Callable[[], Work]] = {
    "sidewise": sidewise(),
    "sidewise-ml": sidewise(prior="none"),
    "sidewise-intervals": sidewise(intervals="posterior"),
    "sidewise-streamed": sidewise_streamed,
    "worker-bt": sidewise_crowd("worker-bt"),
    "worker-bt-intervals": sidewise_crowd("worker-bt", intervals="posterior"),
    "crowd-bt": sidewise_crowd("crowd-bt"),
    "crowd-bt-intervals": sidewise_crowd("crowd-bt", intervals="posterior"),
    "factor-bt": sidewise_crowd("factor-bt"),
    "factor-bt-intervals": sidewise_crowd("factor-bt", intervals="posterior"),
    "evalica": evalica(),
    "evalica-objects": evalica(ids="objects"),
    "evalica-converged": evalica(tolerance=1e-12, limit=10_000),
    "choix-ilsr": choix_ilsr,
    "choix-opt": choix_opt,
    "crowdkit": crowdkit,
    "crowdkit-noisy": crowdkit_noisy,
    "arena-rank": arena_rank,
}
FROM_FILE = {"sidewise-streamed"}  # gets the Parquet file's path, not a dataframe
WITH_WORKERS = {
    "crowdkit-noisy",
    *(f"{model}{end}" for model in ("worker-bt", "crowd-bt", "factor-bt") for end in ("", "-intervals")),
}
