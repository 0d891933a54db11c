"""What is wrong with a campaign: all of it at once, each with the place and the cure."""

from collections.abc import Iterable
from typing import NamedTuple

from sidewise.errors import DataError

SHOWN = 25  # problems in one message; the rest are counted


class Problem(NamedTuple):
    """One thing to mend."""

    what: str  # and how to mend it
    file: str = ""
    line: int | None = None

    def __str__(self) -> str:
        place = self.file + (f" line {self.line}" if self.line else "")
        return f"{place}: {self.what}" if place else self.what


class CampaignError(DataError):
    """A campaign is not what it should be; ``problems`` has everything that is to be mended."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(_message(self.problems))


def _message(problems: tuple[Problem, ...]) -> str:
    """One problem as it is; several below each other."""
    if len(problems) == 1:
        return str(problems[0])
    rest = len(problems) - SHOWN
    lines = [f"{len(problems):,} things to mend", *map(str, problems[:SHOWN]), *([f"… and {rest:,} more"] * (rest > 0))]
    return "\n  ".join(lines)
