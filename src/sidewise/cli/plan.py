"""``sidewise plan``: how many comparisons, and hours, a campaign will take."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.table import Table

from sidewise.cli.console import err, explained, out, plain, progress
from sidewise.cli.next import Method
from sidewise.cli.sampling_files import UnitName
from sidewise.errors import SidewiseError

if TYPE_CHECKING:
    from sidewise.sampling import Plan

LARGE = 500  # items: from here on a rehearsal takes minutes


def plan(
    items: Annotated[int, typer.Option(help="How many there will be.", min=2, show_default=False)],
    target_rmse: Annotated[float | None, typer.Option(help="Until the scores are as accurate as this, on average over the items.")] = None,  # noqa: E501
    top: Annotated[int | None, typer.Option(help="Or until the best so many items are settled.", min=1)] = None,
    level: Annotated[float, typer.Option(help="The chance with which they should be.")] = 0.95,
    reach: Annotated[float | None, typer.Option("--range", help="Scores are drawn evenly from a range as wide as this: 1 hardly differ, 5 are usual, 20 are told apart at once.", show_default="5 probits")] = None,  # noqa: E501
    spread: Annotated[float | None, typer.Option(help="Or from a normal distribution with this standard deviation.")] = None,  # noqa: E501
    unit: Annotated[UnitName, typer.Option(help="Of target, range and spread: probit (a lead of 1 is preferred by 84 %) or jod (by 75 %).")] = UnitName.probit,  # noqa: E501
    method: Method = "optimal",
    batch: Annotated[int | None, typer.Option(help="How many pairs are asked before the answers are looked at; a pair for every item, without it.", min=1)] = None,  # noqa: E501
    seconds: Annotated[float, typer.Option(help="That one comparison takes.")] = 5.0,
    workers: Annotated[int, typer.Option(help="Who share the work.", min=1)] = 1,
    runs: Annotated[int | None, typer.Option(help="How often to rehearse: 20 times for 20 items, 5 times from 80 on, without it.", min=1)] = None,  # noqa: E501
    most: Annotated[int | None, typer.Option(help="Comparisons after which a run is given up; 500 for every item, without it.", min=1)] = None,  # noqa: E501
    seed: Annotated[int, typer.Option(help="The same seed gives the same plan.", min=0)] = 0,
) -> None:  # fmt: skip
    """Say how many comparisons and hours a campaign will take, by rehearsing it on made-up scores.

    Each run draws true scores, asks as the strategy would, and answers by chance; random pairs are tried beside it.
    """
    with explained():
        _check(items, target_rmse, top, level, reach, spread, seconds)
        if items >= LARGE:
            err.print(f"{items:,} items: this takes minutes; --runs 1 is quickest, --batch {4 * items} quicker",
                      highlight=False, soft_wrap=True)  # fmt: skip
        from sidewise.sampling import plan as rehearse

        with progress("rehearsing") as bar:
            made = rehearse(
                items, target_rmse=target_rmse, top=top, level=level, score_range=reach, spread=spread,
                unit=unit.value, method=method, batch=batch, seconds=seconds, workers=workers, runs=runs, most=most,
                seed=seed, progress=bar,
            )  # fmt: skip
        _print(made)


def _check(
    items: int, rmse: float | None, top: int | None, level: float, reach: float | None, spread: float | None,
    seconds: float,
) -> None:  # fmt: skip
    if (rmse is None) == (top is None):
        raise SidewiseError("say what is wanted: either --target-rmse 0.15, accurate scores, or --top 10, the ten best")
    if reach is not None and spread is not None:
        raise SidewiseError("--range and --spread both say how scores are drawn: leave out one of them")
    for flag, value in {"--target-rmse": rmse, "--range": reach, "--spread": spread, "--seconds": seconds}.items():
        if value is not None and not 0 < value < float("inf"):
            raise SidewiseError(f"{flag} {value:g}: it is a number above 0")
    if not 0 < level < 1:
        raise SidewiseError(f"--level {level:g}: it is a chance between 0 and 1, such as 0.95")
    if top is not None and top >= items:
        raise SidewiseError(f"--top {top}: there are {items:,} items; take fewer of them")


def _print(made: "Plan") -> None:
    """A line for every strategy, and what it was about."""
    from sidewise.sampling.planning import lasting

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    each = [f"each of {made.workers:,}"] if made.workers > 1 else []
    for name in ("method", "comparisons", "least … most", "work", *each):
        table.add_column(name, justify="left" if name == "method" else "right", no_wrap=True)
    for cost in (made.chosen, made.against):
        if cost is None:
            continue
        hours = made.hours_of(cost.comparisons)
        spent = ["–"] * (1 + len(each)) if hours is None else [lasting(hours / share) for share in (1, made.workers)]
        count = f"over {made.tried:,}" if cost.comparisons is None else f"{cost.comparisons:,}"
        table.add_row(cost.method, count, made.span(cost), *spent[: 1 + len(each)])
    out.print(table)
    said = [f"until {made.target}; {made.items:,} items, {made.scores}"]
    runs = len(made.chosen.runs)
    said.append(f"rehearsed {'once' if runs == 1 else f'{runs} times'}; {made.seconds:g} s a comparison")
    if made.saving is not None and made.saving > 0:
        said.append(f"{made.chosen.method} saves {made.saving:.0%} of the comparisons")
    if made.comparisons is None:
        said.append("no end in sight: ask for less, or let it go on with --most")
    for line in said:
        out.print(plain(line), highlight=False, soft_wrap=True)
