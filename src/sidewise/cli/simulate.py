"""``sidewise simulate`` and ``sidewise add-spammers``: answers that nobody gave, in files like any others."""

from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from sidewise.cli.columns import (
    Delimiter,
    Factor,
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
from sidewise.cli.console import err, explained, out, progress
from sidewise.cli.places import check_apart, check_place, write_place
from sidewise.comparisons import Comparisons
from sidewise.errors import SidewiseError
from sidewise.simulate import KINDS, SPAMMER_KINDS, add_spammers, crowd, draw_sides
from sidewise.simulate.scores import DISTRIBUTIONS, INTEGERS

Out = Annotated[Path, typer.Option("--out", help="Write the answers: .csv or .parquet.", show_default=False)]


def simulate(
    context: typer.Context,
    output: Annotated[Path | None, typer.Option("--out", help="Write the answers: .csv or .parquet.", show_default=False)] = None,  # noqa: E501
    items: Annotated[int, typer.Option(help="How many.")] = 40,
    workers: Annotated[int, typer.Option(help="How many.")] = 50,
    comparisons: Annotated[int | None, typer.Option(help="How many; 4,000, unless the next three say so.")] = None,
    pairs: Annotated[int | None, typer.Option(help="Ask about so many different pairs only.")] = None,
    overlap: Annotated[int | None, typer.Option(help="Have every pair judged by so many different workers.")] = None,
    answers: Annotated[int | None, typer.Option(help="Have every worker give so many answers.")] = None,
    kind: Annotated[list[str] | None, typer.Option(metavar="KIND=SHARE", help=f"Share of workers of a kind, the rest being honest; may be repeated. Kinds: {', '.join(KINDS)}, brand-biased (for a factor brand). A number after a colon is the kind's first parameter: honest:0.9=0.5.")] = None,  # noqa: E501
    factor: Annotated[list[str] | None, typer.Option(help="Name of a property that half of the items have, such as brand; may be repeated.")] = None,  # noqa: E501
    scores: Annotated[str, typer.Option(help=f"Distribution of the true scores: {', '.join([*DISTRIBUTIONS, INTEGERS])}.")] = "normal",  # noqa: E501
    spread: Annotated[float, typer.Option(help="Standard deviation of the true scores.")] = 1.0,
    ties: Annotated[float, typer.Option(help="Scores closer than this are called a tie.")] = 0.0,
    seed: Annotated[int, typer.Option(help="The same seed gives the same file.", min=0)] = 0,
    truth: Annotated[Path | None, typer.Option(help="Write the true scores: .csv or .parquet.")] = None,
    workers_out: Annotated[Path | None, typer.Option(help="Write the workers' kinds and parameters: .csv or .parquet.")] = None,  # noqa: E501
) -> None:  # fmt: skip
    """Simulate a crowd that compares items, and write its answers to a file that the other commands read.

    Workers are honest but for those of other kinds: --kind random=0.2 --kind always-left=0.1. `sidewise simulate crowd`
    answers at a running server instead.
    """
    if context.invoked_subcommand is not None:
        return
    with explained():
        if output is None:
            raise SidewiseError("--out is missing: say where to write the answers")
        for path in (output, truth, workers_out):
            check_place(path)
        check_apart(output, truth, workers_out)
        made = crowd(
            items, workers=workers, comparisons=comparisons, pairs=pairs, overlap=overlap, answers=answers,
            scores=scores, spread=spread, kinds=kind_shares(kind), factors=factor or (), ties=ties, seed=seed,
        )  # fmt: skip
        write_place("answers", as_table(made.comparisons), output)
        write_place("true scores", made.items, truth)
        write_place("workers", made.workers, workers_out)


def spam(
    file: File,
    output: Out,
    share: Annotated[float, typer.Option(help="Spammers for every worker: 1 doubles the crowd.")] = 1.0,
    kind: Annotated[list[str] | None, typer.Option(help=f"One of: {', '.join(SPAMMER_KINDS)}, or brand-biased (with --factor brand); several make equal parts. Where none is named, always-left.")] = None,  # noqa: E501
    answers: Annotated[int | None, typer.Option(help="Of each spammer, instead of the workers' average.")] = None,
    name: Annotated[str, typer.Option(help="The new workers are called after it.")] = "spammer",
    sides: Annotated[bool, typer.Option("--draw-sides", help="Draw left and right at random first, for files of winners and losers.")] = False,  # noqa: E501
    seed: Annotated[int, typer.Option(help="The same seed gives the same file.", min=0)] = 0,
    left: Left = None, right: Right = None, winner: Winner = None, loser: Loser = None, worker: Worker = None,
    weight: Weight = None, factor: Factor = None, winner_is: WinnerIsOption = None, undecided: UndecidedOption = None,
    outcome: OutcomeOption = None, delimiter: Delimiter = None, skip_bad: SkipBad = None,
) -> None:  # fmt: skip
    """Add the answers of spammers to a file of comparisons, to see what they do to a ranking.

    A spammer takes rows of the file at random for tasks and answers as their kind does: always-left, always-right,
    random, contrary (the opposite of what the row says), or mixed (equal parts of these four).
    """
    with explained():
        check_place(output, file)
        check_apart(output, skip_bad)
        found = read_answers(
            file, skip_bad, stream=False, left=left, right=right, winner=winner, loser=loser, worker=worker,
            weight=weight, factors=tuple(factor or ()), winner_is=winner_is, undecided=undecided,
            outcomes=outcome_words(outcome), delimiter=delimiter,
        )  # fmt: skip
        assert isinstance(found, Comparisons)
        found = draw_sides(found, seed) if sides else found
        spammed = add_spammers(found, share, kind or "always-left", seed=seed, answers=answers, name=name)
        if len(spammed) == len(found):
            err.print(
                f"[yellow]nobody was added:[/] {share:g} spammers for every worker are less than one", highlight=False
            )
        write_place("answers", as_table(spammed), output)


def kind_shares(pairs: list[str] | None) -> dict[str, float]:
    """Shares by kind, from kind=share and the like."""
    shares: dict[str, float] = {}
    for pair in pairs or ():
        name, _, share = pair.rpartition("=")
        try:
            value = float(share)
        except ValueError:
            name = ""
        if not name:
            raise SidewiseError(f"--kind {pair!r}: write the kind and its share of the workers: random=0.2")
        if name in shares:
            raise SidewiseError(f"--kind {name} stands more than once")
        shares[name] = value
    return shares


def as_table(answers: Comparisons) -> pa.Table:
    """Columns that are found by their usual names; data without sides stay winners and losers."""
    table = answers.to_frame()
    if answers.sided:
        return table
    winner, loser, _, *others = table.column_names
    decided = table.select([winner, loser, *others])
    return decided.rename_columns(["winner", "loser", *others])


def live_crowd(
    server: Annotated[str, typer.Option(help="Where the server is: http://127.0.0.1:8000.", show_default=False)],
    campaign: Annotated[str, typer.Option(help="Which campaign, by its name in the addresses.", show_default=False)],
    workers: Annotated[int, typer.Option(help="How many.", min=1, max=1_000)] = 8,
    answers: Annotated[int | None, typer.Option(help="In all; until there is nothing left to do, if not given.", min=1)] = None,  # noqa: E501
    think: Annotated[tuple[float, float], typer.Option(help="Seconds before an answer, at least and at most.")] = (1.0, 3.0),  # noqa: E501
    kind: Annotated[list[str] | None, typer.Option(metavar="KIND=SHARE", help=f"Share of workers of a kind, the rest being honest; may be repeated. Kinds: {', '.join(KINDS)}.")] = None,  # noqa: E501
    sharpness: Annotated[float, typer.Option(help="How surely the better one is seen; 0 tosses coins.", min=0)] = 1.0,
    seed: Annotated[int, typer.Option(help="Of what they say.", min=0)] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:  # fmt: skip
    """Answer at a running server as real workers do: join, look, think, answer. For demonstrations and load tests.

    Workers join under the names of their kinds, always-left-3, so that the table of workers shows who is found out.
    """
    from contextlib import nullcontext

    from sidewise.collect.crowd import Crowd

    with explained():
        with nullcontext() if quiet else progress("answers", counted=True) as bar:
            told = None if bar is None else lambda count: bar(count, answers)
            done = Crowd(server, campaign, workers, answers, think, sharpness, kind_shares(kind), seed, told).run()
        if not quiet:
            who = ", ".join(f"{count:,} {name}" for name, count in done.kinds.most_common())
            ends = "; ".join(f"the campaign is {why} for {count:,} of them" for why, count in done.ends.items())
            out.print(f"{done.answers:,} answers by {workers:,} workers ({who}){ends and '; '}{ends}", highlight=False)
        if done.problems:
            raise SidewiseError(f"{len(done.problems):,} of {workers:,} workers had to give up: {done.problems[0]}")
