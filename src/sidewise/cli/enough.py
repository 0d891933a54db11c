"""``sidewise enough``: whether the answers are enough, and how many more it takes if not."""

from typing import Annotated

import typer

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
)
from sidewise.cli.console import explained, out, plain
from sidewise.cli.places import check_place
from sidewise.cli.sampling_files import Items, ReliabilityOption, UnitName, check_pair, read_items, read_known
from sidewise.errors import SidewiseError
from sidewise.ranking.display import counted

LISTED = 20  # of the top items


def enough(
    file: File,
    top: Annotated[int | None, typer.Option(help="Are the best so many items settled?", min=1)] = None,
    level: Annotated[float | None, typer.Option(help="The chance with which they should be.", show_default="0.95")] = None,  # noqa: E501
    rmse: Annotated[float | None, typer.Option(help="Are the scores as accurate as this, on average over the items?")] = None,  # noqa: E501
    unit: Annotated[UnitName, typer.Option(help="Of the RMSE: probit (a lead of 1 is preferred by 84 %) or jod (by 75 %).")] = UnitName.probit,  # noqa: E501
    items: Items = None,
    reliability: ReliabilityOption = "auto",
    seed: Annotated[int, typer.Option(help="The same answers and the same seed give the same result.", min=0)] = 0,
    left: Left = None, right: Right = None, winner: Winner = None, loser: Loser = None, worker: Worker = None,
    weight: Weight = None, winner_is: WinnerIsOption = None, undecided: UndecidedOption = None,
    outcome: OutcomeOption = None, delimiter: Delimiter = None, skip_bad: SkipBad = None,
) -> None:  # fmt: skip
    """Say whether the answers are enough: the top items settled, or the scores accurate; and if not, how many more.

    The exit status is 0 where they are, 1 where they are not yet, and 2 where something is to mend.
    """
    with explained():
        _check(top, level, rmse, unit)
        check_place(skip_bad, file, items, reliability, endings=None, flag="--skip-bad")
        columns = {"left": left, "right": right, "winner": winner, "loser": loser, "worker": worker, "weight": weight,
                   "winner_is": winner_is, "undecided": undecided, "outcomes": outcome_words(outcome),
                   "delimiter": delimiter}  # fmt: skip
        known = read_known(file, read_items(items, delimiter), reliability, skip_bad, columns)
        check_pair(known)
        if top is not None and top >= len(known.items):
            raise SidewiseError(f"--top {top}: there are {counted(len(known.items), 'item')}; take fewer of them")
        from sidewise.sampling import enough as settle

        found = settle(
            known.answers, top=top, level=0.95 if level is None else level, rmse=rmse, unit=unit.value,
            reliability=known.reliability, seed=seed,
        )  # fmt: skip
        out.print(plain(found), highlight=False, soft_wrap=True)
        if found.best:
            hidden = len(found.best) - LISTED
            listed = ", ".join(found.best[:LISTED]) + (f" and {hidden:,} more" if hidden > 0 else "")
            out.print(plain(f"in front: {listed}"), highlight=False)
    if not found.enough:
        raise typer.Exit(1)


def _check(top: int | None, level: float | None, rmse: float | None, unit: UnitName) -> None:
    if (top is None) == (rmse is None):
        raise SidewiseError(
            "say what should be settled: either --top 10, the ten best items, or --rmse 0.15, the scores"
        )
    if level is not None and top is None:
        raise SidewiseError("--level goes with --top: an RMSE is below the target or it is not")
    if level is not None and not 0 < level < 1:
        raise SidewiseError(f"--level {level:g}: it is a chance between 0 and 1, such as 0.95")
    if rmse is not None and not 0 < rmse < float("inf"):
        raise SidewiseError(f"--rmse {rmse:g}: it is a number above 0, such as 0.15")
    if unit is not UnitName.probit and rmse is None:
        raise SidewiseError("--unit goes with --rmse: the top items are the same in any unit")
