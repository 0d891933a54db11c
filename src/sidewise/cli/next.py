"""``sidewise next``: the pairs most worth asking next."""

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pyarrow as pa
import typer
from rich import box
from rich.cells import cell_len
from rich.table import Table

from sidewise.cli.columns import (
    Delimiter,
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
from sidewise.cli.console import err, explained, out, plain
from sidewise.cli.leaderboard import Format
from sidewise.cli.places import check_apart, check_place, json_text, write_place
from sidewise.cli.sampling_files import (
    Answers,
    Items,
    Known,
    Pair,
    ReliabilityOption,
    check_pair,
    read_items,
    read_known,
    read_pairs,
)
from sidewise.comparisons import Comparisons
from sidewise.errors import SidewiseError
from sidewise.ranking.display import counted, shorten_all

# Named here, and not asked of the strategies, so that --help need not load them; a test compares.
METHODS = (
    "optimal", "asap", "asap-approx", "hybrid-mst", "crowd-bt", "hodge", "trueskill", "knowledge-gradient", "quicksort",
    "swiss", "rectangular", "full", "nearest", "random",
)  # fmt: skip
NEW = 5  # of the items that are new to the answers, so many are named
LARGE = 2_000  # items: above, the table goes without chances, which take as long as choosing
Method = Annotated[str, typer.Option(help=f"The strategy, one of: {', '.join(METHODS)}.")]


class Goal(StrEnum):
    """What the questions are for."""

    rmse = "rmse"
    ranking = "ranking"
    top = "top"


WORDS = {Goal.rmse: "accurate scores", Goal.ranking: "the right order", Goal.top: "the right top"}


def next_pairs(
    file: Answers = None,
    method: Method = "optimal",
    batch: Annotated[int, typer.Option(help="How many pairs.", min=1)] = 20,
    goal: Annotated[Goal | None, typer.Option(help="What optimal is after: rmse (accurate scores), ranking (the right order) or top (the right --top items). By itself rmse, or top where --top is given.", show_default=False)] = None,  # noqa: E501
    top: Annotated[int | None, typer.Option(help="How many items the goal top is about.", min=1)] = None,
    items: Items = None,
    allowed: Annotated[Path | None, typer.Option(help="File of the pairs that may be asked (left, right), either way round; all, without it.")] = None,  # noqa: E501
    in_flight: Annotated[Path | None, typer.Option(help="File of the pairs that are with workers now (left, right): they count as asked.")] = None,  # noqa: E501
    most_per_pair: Annotated[int | None, typer.Option(help="How often a pair may be asked, all in all.", min=1)] = None,
    most_per_item: Annotated[int | None, typer.Option(help="How often an item may be, all in all.", min=1)] = None,
    reliability: ReliabilityOption = "auto",
    seed: Annotated[int, typer.Option(help="The same answers and the same seed give the same pairs.", min=0)] = 0,
    device: Annotated[str | None, typer.Option(help="Where optimal computes: cuda is a GPU (with the extra gpu).")] = None,  # noqa: E501
    output: Annotated[Path | None, typer.Option("--out", help="Write the pairs, left and right: .csv or .parquet.")] = None,  # noqa: E501
    form: Annotated[Format, typer.Option("--format", help="What to print where there is no --out.")] = Format.table,
    rows: Annotated[int, typer.Option(help="How many rows of the table to print; 0 prints all.", min=0)] = 50,
    left: Left = None, right: Right = None, winner: Winner = None, loser: Loser = None, worker: Worker = None,
    weight: Weight = None, winner_is: WinnerIsOption = None, undecided: UndecidedOption = None,
    outcome: OutcomeOption = None, delimiter: Delimiter = None, skip_bad: SkipBad = None,
) -> None:  # fmt: skip
    """Choose the pairs most worth asking next; which item stands left is drawn at random.

    Have them answered, add the answers to the file, and ask again; sidewise enough tells when to stop.
    """
    with explained():
        sources = (file, items, allowed, in_flight, reliability)
        check_place(output, *sources, flag="--out")
        check_place(skip_bad, *sources, endings=None, flag="--skip-bad")
        check_apart(output, skip_bad)
        limits = Bounds(
            read_pairs(allowed, "--allowed", delimiter), read_pairs(in_flight, "--in-flight", delimiter) or [],
            most_per_pair, most_per_item,
        )  # fmt: skip
        columns = {"left": left, "right": right, "winner": winner, "loser": loser, "worker": worker, "weight": weight,
                   "winner_is": winner_is, "undecided": undecided, "outcomes": outcome_words(outcome),
                   "delimiter": delimiter}  # fmt: skip
        if limits.allowed == []:
            raise SidewiseError(f"--allowed {allowed} names no pairs; leave it out if all may be asked")
        named = read_items(items, delimiter)
        known = read_known(file, named or _met(limits), reliability, skip_bad, columns)
        _check_met(known, "--allowed", allowed, limits.allowed)
        _check_met(known, "--in-flight", in_flight, limits.in_flight)
        if not named:
            _tell_new(known, _met(limits))
        aim, method = goal or (Goal.top if top else Goal.rmse), method.replace("_", "-").lower()
        pairs = _chosen(known, method, batch, aim, top, limits, seed, device)
        _explain(pairs, known, method, batch, aim, top, limits)
        if output is not None:
            write_place("pairs", _table(pairs), output)
        else:
            _print(pairs, known, limits, form, rows)


class Bounds(NamedTuple):
    """What may be asked."""

    allowed: list[Pair] | None
    in_flight: list[Pair]
    most_per_pair: int | None
    most_per_item: int | None


def _met(limits: Bounds) -> tuple[str, ...]:
    """The items of pairs that may be asked or are out: where no list says who is there, they are."""
    return tuple(dict.fromkeys(item for pair in (limits.allowed or []) + limits.in_flight for item in pair))


def _tell_new(known: Known, met: Sequence[str]) -> None:
    """Say which items are new to the answers: one of them may be a slip of the pen."""
    if not isinstance(known.answers, Comparisons) or not len(known.answers):
        return
    answers = known.answers
    asked = np.bincount(np.concatenate([answers.left, answers.right]), minlength=len(answers.items))
    new = [item for item in met if not asked[answers.items.code(item)]]
    if new:
        some = ", ".join(new[:NEW]) + (" …" if len(new) > NEW else "")
        _say(f"{counted(len(new), 'item')} nobody has seen yet: {some}")


def _check_met(known: Known, flag: str, path: Path | None, pairs: Sequence[Pair] | None) -> None:
    """Refuse pairs of items that a list of items does not have."""
    there = set(known.items)
    for row, pair in enumerate(pairs or [], 1):
        for item in pair:
            if item not in there:
                raise SidewiseError(
                    f"{flag} {path} row {row}: there is no item {item!r} in the answers or in --items; add it there"
                )


def _chosen(
    known: Known, method: str, batch: int, goal: Goal, top: int | None, limits: Bounds, seed: int,
    device: str | None,
) -> list[Pair]:  # fmt: skip
    from sidewise.sampling import find_strategy
    from sidewise.sampling import next_pairs as ask

    find_strategy(method)
    for flag, value in {"--top": top, "--goal": goal is not Goal.rmse, "--device": device}.items():
        if value and method != "optimal":
            raise SidewiseError(f"{flag} goes with --method optimal; {method} has none")
    if (goal is Goal.top) != (top is not None):
        raise SidewiseError("--goal top goes with --top, how many items it is about: --goal top --top 10")
    check_pair(known)
    if top is not None and top >= len(known.items):
        raise SidewiseError(f"--top {top}: there are {counted(len(known.items), 'item')}; take fewer of them")
    return ask(
        known.answers, method=method, batch=batch, seed=seed, goal=goal.value, top=top, device=device,
        reliability=known.reliability, **limits._asdict(),
    )  # fmt: skip


def _explain(
    pairs: Sequence[Pair], known: Known, method: str, batch: int, goal: Goal, top: int | None, limits: Bounds
) -> None:
    """What was chosen, from what, and why it is less than was asked for."""
    aim = f", for {WORDS[goal]}{f' {top}' if top else ''}" if method == "optimal" else ""
    source = f"from {counted(known.told, 'answer')}" if known.told else "before the first answer,"
    _say(
        f"{counted(len(pairs), 'pair')} by {method}{aim}, {source} about {counted(len(known.items), 'item')}"
        + (f"; {counted(len(limits.in_flight), 'pair')} in flight" if limits.in_flight else "")
    )
    if len(pairs) < batch:
        err.print(f"[yellow]{len(pairs):,} and not {batch:,}:[/] {plain(_why(known, method, batch, limits))}",
                  highlight=False, soft_wrap=True)  # fmt: skip


def _why(known: Known, method: str, batch: int, limits: Bounds) -> str:
    """What keeps a batch small: the limits that are reached, or the strategy itself."""
    times = _times(known, limits)
    n, reasons = len(known.items), []
    may = {_code(pair) for pair in limits.allowed} if limits.allowed is not None else None
    if may is not None:
        reasons.append(f"--allowed names {counted(len(may), 'pair')}")
    elif batch > n * (n - 1) // 2:
        reasons.append(
            f"{counted(n, 'item')} make {counted(n * (n - 1) // 2, 'pair')}, and none comes twice in a batch"
        )
    if (most := limits.most_per_pair) is not None:
        full = sum(count >= most for pair, count in times.pairs.items() if may is None or pair in may)
        often = counted(most, "time")
        if full:
            reasons.append(f"{counted(full, 'pair')} had been asked {often} already, as --most-per-pair allows")
    if (most := limits.most_per_item) is not None:
        left = sum(max(most - times.items.get(item, 0), 0) for item in known.items)
        reasons.append(f"--most-per-item {most} left room for {counted(left // 2, 'pair')} at most")
    return "; ".join(reasons) or f"{method} has no more to ask"


class Times(NamedTuple):
    """How often pairs and items were asked or are out."""

    pairs: dict[Pair, int]
    items: dict[str, int]


def _times(known: Known, limits: Bounds) -> Times:
    from collections import Counter

    from sidewise.comparisons import Comparisons

    asked = list(limits.in_flight)
    if isinstance(known.answers, Comparisons):
        ids = known.answers.items
        asked += [(ids[i], ids[j]) for i, j in zip(known.answers.left, known.answers.right, strict=True)]
    return Times(Counter(map(_code, asked)), Counter(item for pair in asked for item in pair))


def _code(pair: Pair) -> Pair:
    """A pair, whichever way round."""
    first, second = pair
    return (first, second) if first < second else (second, first)


def _table(pairs: Sequence[Pair]) -> pa.Table:
    sides = list(zip(*pairs, strict=True)) or [(), ()]
    return pa.table({name: pa.array(side, pa.string()) for name, side in zip(("left", "right"), sides, strict=True)})


def _print(pairs: Sequence[Pair], known: Known, limits: Bounds, form: Format, rows: int) -> None:
    """A table for people, CSV or JSON for programs."""
    if form is Format.json:
        sys.stdout.write(json_text(_table(pairs)) + "\n")
    elif form is Format.csv:
        from pyarrow.csv import write_csv

        write_csv(_table(pairs), sys.stdout.buffer)
    elif pairs:
        _print_table(pairs, rows or len(pairs), known, limits)


def _print_table(pairs: Sequence[Pair], rows: int, known: Known, limits: Bounds) -> None:
    """The pairs, how often each was asked before, and how likely it is thought that the left one wins."""
    shown = pairs[:rows]
    times, chances = _times(known, limits).pairs, _chances(shown, known)
    head = ["", "left", "right", "asked", *(["left wins"] if chances else [])]
    numbers = [[str(place), str(times.get(_code(pair), 0))] for place, pair in enumerate(shown, 1)]
    taken = len(numbers[-1][0]) + sum(map(cell_len, head[3:])) + 3 * len(head)
    names = [shorten_all([pair[side] for pair in shown], max((out.width - taken) // 2, 8)) for side in (0, 1)]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in head:
        table.add_column(name, justify="left" if name in ("left", "right") else "right", no_wrap=True)
    for (place, count), first, second, chance in zip(numbers, *names, chances or [""] * len(shown), strict=True):
        table.add_row(place, plain(first), plain(second), count, *([chance] if chances else []))
    out.print(table)
    if len(pairs) > len(shown):
        _print_rest(len(pairs) - len(shown))


def _print_rest(hidden: int) -> None:
    out.print(f"… and {hidden:,} more (--rows 0 prints all, --out writes them)", highlight=False, soft_wrap=True)


def _chances(pairs: Sequence[Pair], known: Known) -> list[str]:
    """How likely it is that the left item of a pair wins, by all that is known; nothing where that is nothing."""
    if not known.told or len(known.items) > LARGE:
        return []
    import numpy as np
    from scipy.special import ndtr

    from sidewise.sampling.asking import begun
    from sidewise.sampling.belief import believe

    state, items = begun(known.answers, known.reliability)
    belief = believe(state)
    place = {item: position for position, item in enumerate(items)}
    i, j = np.array([(place[first], place[second]) for first, second in pairs]).T
    S = belief.covariance
    variance = S[i, i] + S[j, j] - 2 * S[i, j]
    chance = ndtr((belief.mean[i] - belief.mean[j]) / np.sqrt(1 + variance))
    chance = belief.lapse / 2 + (1 - belief.lapse) * chance
    return [f"{one:.0%}" for one in chance.tolist()]


def _say(line: str) -> None:
    err.print(line, highlight=False, markup=False, soft_wrap=True)
