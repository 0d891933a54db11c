"""What a model is asked for: the options that models share, checked in one place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from sidewise.errors import ModelError
from sidewise.models.bootstrap import Progress, Unit
from sidewise.numbers import check_count, check_level, check_seed, is_count, is_number


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """How sure to be of the scores and how to find out, and when to stop; the models' own docstrings tell more.

    Models that solve one system of equations have no ``tol``, ``limit`` and ``strict``.
    """

    known: Sequence[str]  # the kinds of intervals that the model has
    intervals: str
    unit: Unit
    replicates: int
    level: float
    tol: float = 1.0
    limit: int = 1
    seed: int
    strict: bool = False
    progress: Progress | None

    def __post_init__(self) -> None:
        check_words(intervals=(self.intervals, self.known), unit=(self.unit, get_args(Unit)))
        check_level(self.level)
        if not is_count(self.replicates, 2):
            raise ModelError(f"a bootstrap needs at least 2 replicates, not {self.replicates!r}")
        check_positive("tol", self.tol)
        check_count("limit", self.limit, error=ModelError)
        check_seed(self.seed)


def check_words(**options: tuple[str, Sequence[str]]) -> None:
    """See that every option is one of the words that it may be."""
    for name, (value, allowed) in options.items():
        if not (isinstance(value, str) and value in allowed):
            raise ModelError(f"{name}={value!r} is not one of {', '.join(allowed)}")


def check_positive(option: str, value: object) -> None:
    """See that it is a positive number."""
    if not (is_number(value) and value > 0):
        raise ModelError(f"{option}={value!r} is not a positive number")
