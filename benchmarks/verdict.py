"""Goals of a benchmark, and what came of them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """A goal, and whether it is met; None where it was not measured."""

    words: str
    found: str
    met: bool | None

    @property
    def outcome(self) -> str:
        """In a word."""
        return "not measured" if self.met is None else "met" if self.met else "MISSED"

    @property
    def mark(self) -> str:
        """In a line."""
        return f"{self.words}: {self.found + ', ' if self.found else ''}{self.outcome}"
