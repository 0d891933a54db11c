"""``sidewise summary``: what is in a file."""

from sidewise.cli.columns import (
    Delimiter,
    File,
    Left,
    Loser,
    OutcomeOption,
    Right,
    SkipBad,
    UndecidedOption,
    Weight,
    Winner,
    WinnerIsOption,
    Worker,
    outcome_words,
    read_answers,
)
from sidewise.cli.console import explained, out
from sidewise.comparisons import Comparisons


def summary(
    file: File,
    left: Left = None, right: Right = None, winner: Winner = None, loser: Loser = None, worker: Worker = None,
    weight: Weight = None, winner_is: WinnerIsOption = None, undecided: UndecidedOption = None,
    outcome: OutcomeOption = None, delimiter: Delimiter = None, skip_bad: SkipBad = None,
) -> None:  # fmt: skip
    """Check a file of comparisons and say what is in it."""
    with explained():
        answers = read_answers(
            file, skip_bad, stream=False, left=left, right=right, winner=winner, loser=loser, worker=worker,
            weight=weight, winner_is=winner_is, undecided=undecided, outcomes=outcome_words(outcome),
            delimiter=delimiter,
        )  # fmt: skip
        assert isinstance(answers, Comparisons)
        out.print(str(answers.summary()), highlight=False)
