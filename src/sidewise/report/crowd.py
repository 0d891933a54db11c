"""What the report says of the workers: who deserves a second look, and what became of their answers."""

from dataclasses import dataclass
from math import isnan
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sidewise.models.factors import SIDE
from sidewise.ranking import Ranking
from sidewise.ranking.display import counted, shorten_all
from sidewise.ranking.plot import LABEL
from sidewise.ranking.workers import BIAS, bias_names, flag_counts, in_number, worst_first

MOST_SHOWN = 60  # of a crowd that is small enough to be listed whole
MOST_FLAGGED = 500  # in the page's table; files hold them all


LOG_ODDS = "A bias of 1 turns an even choice into 73 to 27 for the {}, one of 3 into 95 to 5."
OUTCOMES = "A bias of 0.46 turns an even choice into 73 to 27 for the {}, one of 1 into a foregone conclusion."
PROBITS = "A bias of 0.62 turns an even choice into 73 to 27 for the {}, one of 1.64 into 95 to 5."
FOLLOWS = (
    "Reliability is a worker’s sensitivity to the scores: 1 is one who follows them as the crowd as a whole does, 0 a "
    "coin, and below 0 somebody who says the opposite."
)
ALIKE = (
    "Nothing: all answers count alike, whoever gave them, and what is told here was read off the ranking afterwards. "
    "Worker-BT weighs the workers."
)


@dataclass(frozen=True)
class Meaning:
    """What a model's reliability is, and what the model does with what workers say."""

    reliability: str
    done: str
    coin: float | None = None
    good: float | None = None
    best: str = ""  # what stands at ``good``
    bias: str = LOG_ODDS  # what a number in the column of a bias means


MEANINGS = {
    "worker_bt": Meaning(
        "Reliability is a worker’s sensitivity to the scores: 1 is the average worker, 0 a coin, and below 0 somebody "
        "who says the opposite.",
        "An answer counts as much as its worker is reliable: a coin’s counts for nothing, a contrary one’s is turned "
        "round and used. Biases are taken off first: what a worker always says tells nothing about the items.",
        0.0, 1.0, "the average worker",
    ),
    "crowd_bt": Meaning(
        "Reliability is the chance to be right where the better item is plain: 1 is a perfect worker, 0.5 a coin, and "
        "0 somebody who always says the opposite.",
        "An answer counts as much as its worker is reliable: a coin’s counts for nothing, a contrary one’s is turned "
        "round and used. This model knows no biases: somebody who always chooses one side looks like a coin to it.",
        0.5, 1.0, "a perfect worker",
    ),
    "factor_bt": Meaning(
        "Reliability is the chance that a worker answers the question, and not to the side or to another factor: 1 is "
        "always, 0 is never.",
        "An answer is believed as far as the worker’s biases do not explain it. Somebody who says the opposite has no "
        "place in this model, and looks like one who never answers the question.",
        0.0, 1.0, "always fair",
    ),
    "pairwise_hits": Meaning(
        "Reliability is the share of a worker’s answers that agree with the ranking: 1 is all of them, 0.5 a coin.",
        "Scores follow the workers in proportion to that share; a coin’s answers still count half.",
        0.5, 1.0, "always agrees",
    ),
    "linear_bias": Meaning(
        "This model has no reliability: it gives a bias towards a side to the few workers who need one.",
        "The biases are taken off before the scores are fitted; otherwise all answers count alike.",
        bias=OUTCOMES,
    ),
    "thurstone": Meaning(FOLLOWS, ALIKE, 0.0, 1.0, "the crowd as a whole", PROBITS),
    "hodge_rank": Meaning(FOLLOWS, ALIKE, 0.0, 1.0, "the crowd as a whole", PROBITS),
}  # fmt: skip
UNKNOWN = Meaning("What reliability means is for the model to say.", "", bias="")
FINDINGS = {
    "cyclic": "of what the comparisons say goes round in circles, which no order can explain",
    "curl": "goes round in circles of three: a beats b beats c beats a",
    "harmonic": "goes round in longer circles",
}


def crowd_facts(ranking: Ranking) -> dict[str, Any] | None:
    """What the section about the workers shows; None where the model knows none."""
    workers = ranking.workers
    if workers is None or not len(workers):
        return None
    counts, whole = flag_counts(workers), len(workers) <= MOST_SHOWN
    flagged = workers.filter(workers["flag"].is_valid())
    shown = worst_first(workers if whole else flagged).slice(0, MOST_FLAGGED)
    meaning, factors = MEANINGS.get(ranking.fit.model, UNKNOWN), bias_names(workers)
    return {
        "meaning": meaning,
        "verdict": verdict(workers) + (" All are weighed alike." if ranking.alike and len(workers) > 1 else ""),
        "counts": [(in_number(flag, count), count) for flag, count in counts.items()],
        "rated": "reliability" in workers.column_names,
        "factors": factors,
        "bias": meaning.bias.format("left side" if factors[0] == SIDE else factors[0]) if factors else "",
        "rows": _rows(shown),
        "whole": whole,
        "hidden": 0 if whole else len(flagged) - len(shown),
        "tall": len(shown) > MOST_SHOWN // 2,
    }


def verdict(workers: pa.Table) -> str:
    """How many deserve a second look, and how much of the data is theirs."""
    flagged = workers.filter(workers["flag"].is_valid())
    if not len(flagged) and len(workers) == 1:
        return "The one worker does not stand out."
    if not len(flagged):
        return f"None of the {counted(len(workers), 'worker')} stands out: nobody is flagged."
    answers, theirs = pc.sum(workers["answers"]).as_py(), pc.sum(flagged["answers"]).as_py()
    deserve = "deserves" if len(flagged) == 1 else "deserve"
    return (
        f"{len(flagged):,} of {counted(len(workers), 'worker')} {deserve} a second look. "
        f"They gave {theirs:,} of {answers:,} answers ({theirs / answers:.0%})."
    )


def _rows(table: pa.Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.to_pylist()
    short = shorten_all([row["worker"] for row in rows], LABEL)
    return [row | {"short": name} for row, name in zip(rows, short, strict=True)]


def number(value: float) -> str:
    """A number of the workers' table."""
    return "–" if isnan(value) else f"{value:z.2f}"


def findings(ranking: Ranking) -> list[tuple[str, str]]:
    """The numbers that a model found besides scores, each with what it is."""
    return [
        (f"{value:.1%}" if name in FINDINGS else f"{value:.4g}", FINDINGS.get(name, name))
        for name, value in ranking.fit.findings.items()
        if isinstance(value, float) and not isnan(value)
    ]


def bias_column(factor: str) -> str:
    """The name of a bias in the workers' table."""
    return f"{factor}{BIAS}"
