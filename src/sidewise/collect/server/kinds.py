"""Kinds of tasks: what can be said about one, and what that means. A new kind is a new entry here, with a template."""

from dataclasses import dataclass
from typing import Protocol

from sidewise.collect.campaign import Campaign

# What an answer says about the left item: 1 it wins, 0 it loses, ½ a tie. A skip says nothing. "Both are bad" is a tie
# between two that nobody wants; that they are bad stays in the answer itself. Who is not relevant is below everybody.
OUTCOMES = {
    "left": 1.0,
    "right": 0.0,
    "tie": 0.5,
    "both_bad": 0.5,
    "duplicates": 0.5,
    "left_not_relevant": 0.0,
    "right_not_relevant": 1.0,
}
MIRRORED = {"left": "right", "right": "left", "left_not_relevant": "right_not_relevant",
            "right_not_relevant": "left_not_relevant"}  # fmt: skip


class TaskKind(Protocol):
    """What the server has to know about a kind of task."""

    @property
    def name(self) -> str:
        """As campaign files write it."""

    @property
    def template(self) -> str:
        """Shows one task to a worker."""

    def refused(self, answer: str, campaign: Campaign) -> str:
        """What is wrong with an answer; nothing, if it is one of those that the campaign offers."""

    def outcome(self, answer: str) -> float | None:
        """What it says about the left item, if it is about two."""


@dataclass(frozen=True)
class SideBySide:
    """Which of two is better, or neither."""

    name: str = "side-by-side"
    template: str = "sidewise/task.html"

    def refused(self, answer: str, campaign: Campaign) -> str:
        """An answer is one of the campaign's choices."""
        return (
            "" if answer in campaign.choices else f"{answer!r} is not offered; there are: {', '.join(campaign.choices)}"
        )

    def outcome(self, answer: str) -> float | None:
        """1, 0 or ½."""
        return OUTCOMES.get(answer)


KINDS: dict[str, TaskKind] = {kind.name: kind for kind in (SideBySide(),)}
