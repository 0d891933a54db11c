"""What the commands about sampling read beside the answers: items, pairs, and how far workers can be trusted."""

import warnings
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import pyarrow as pa
import typer

from sidewise.cli.columns import lines, one_character, read_answers
from sidewise.cli.console import err
from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Floats, as_text
from sidewise.comparisons.columns import PAIRS, Columns
from sidewise.errors import DataError, NoComparisons, NotConverged, SidewiseError, SidewiseWarning
from sidewise.ranking import Ranking
from sidewise.ranking.display import counted

Pair = tuple[str, str]

Answers = Annotated[
    str | None,
    typer.Argument(
        help="The answers so far: CSV, TSV, Parquet or JSON Lines, also .gz; a pattern such as 'part-*.csv' reads all "
        "parts. Leave it out, or let it have a header only, before the first answer.",
        show_default=False,
    ),
]
Items = Annotated[
    Path | None,
    typer.Option(
        help="File with the whole set of items, so that those nobody has seen count too: one a line (.txt), or any "
        "table with a column item."
    ),
]
ReliabilityOption = Annotated[
    str,
    typer.Option(
        "--reliability",
        metavar="auto|none|FILE",
        help="How much each worker's answers count: auto (found by worker-bt where the data name workers, as sidewise "
        "rank does), none (all alike), or a file with columns worker and reliability, as rank --model worker-bt "
        "--workers-out writes it.",
    ),
]


class UnitName(StrEnum):
    """Of scores."""

    probit = "probit"
    jod = "jod"


class Known(NamedTuple):
    """The answers, or the items where there are none yet, and whom to trust."""

    answers: Comparisons | list[str]
    reliability: Ranking | dict[str, float] | None

    @property
    def items(self) -> Sequence[str]:
        """All items."""
        return self.answers.items if isinstance(self.answers, Comparisons) else self.answers

    @property
    def told(self) -> int:
        """How many answers there are."""
        return len(self.answers) if isinstance(self.answers, Comparisons) else 0


def read_known(
    file: str | None, items: Sequence[str], reliability: str, skip_bad: Path | None, columns: dict[str, Any]
) -> Known:
    """Read what is known: answers if there are any, else the items alone."""
    delimiter = columns["delimiter"]
    answers: Comparisons | list[str] = list(items)
    if file is not None:
        try:
            answers = read_answers(file, skip_bad, stream=False, items=items, **columns)  # type: ignore[assignment]
        except NoComparisons as error:
            if not items:
                raise SidewiseError(f"{error}; to begin with nothing, name the items with --items") from None
    if not answers:
        raise SidewiseError("there is nothing to choose from: name a file of answers, or the items with --items")
    return Known(answers, _reliability(answers, reliability, delimiter))


def check_pair(known: Known) -> None:
    """See that there are two items."""
    if len(known.items) < 2:
        raise SidewiseError(f"a pair takes two items, and there is only {known.items[0]!r}: name all with --items")


def read_items(path: Path | None, delimiter: str | None) -> tuple[str, ...]:
    """The items of a list, one a line, or of a table."""
    if path is None:
        return ()
    if not path.exists():
        raise SidewiseError(f"--items {path}: there is no such file")
    if path.suffix.lower() == ".txt":
        return _named_once(path, lines(path))

    def choose(names: Sequence[str]) -> Columns:
        from sidewise.measures.columns import ITEMS

        found = [name for name in ITEMS if name in names]
        if not found:
            raise DataError(
                f"--items {path}: no column item; there are {', '.join(map(repr, names))}. Rename one (to "
                f"{', '.join(ITEMS[:-1])} or {ITEMS[-1]}), or write one item a line and end the name in .txt"
            )
        return Columns(found[0], found[0], None)

    table, columns = _read(path, choose, delimiter)
    return tuple(dict.fromkeys(as_text(table[columns.left], columns.left).to_pylist()))


def _named_once(path: Path, items: tuple[str, ...]) -> tuple[str, ...]:
    """The lines of a list, each of which should be another item; a table may say more than one thing about an item."""
    if not items:
        raise SidewiseError(f"--items {path} names no items; write one a line")
    seen: set[str] = set()
    for item in items:
        if item.strip() != item:
            raise SidewiseError(f"--items {path}: {item!r} has blanks around it; take them out")
        if item in seen:
            raise SidewiseError(f"--items {path} names {item!r} twice; take one out")
        seen.add(item)
    return items


def read_pairs(path: Path | None, flag: str, delimiter: str | None) -> list[Pair] | None:
    """Pairs of items, as ``sidewise next --out`` writes them."""
    if path is None:
        return None
    if not path.exists():
        raise SidewiseError(f"{flag} {path}: there is no such file")

    def choose(names: Sequence[str]) -> Columns:
        found = [pair for pair in PAIRS if set(pair) <= set(names)]
        if len(found) != 1:
            raise DataError(
                f"{flag} {path}: the columns should be left and right; there are {', '.join(map(repr, names))}"
            )
        return Columns(*found[0], None)

    table, columns = _read(path, choose, delimiter)
    sides = [as_text(table[name], name).to_pylist() for name in (columns.left, columns.right)]
    for row, (first, second) in enumerate(zip(*sides, strict=True), 1):
        if not first or not second:
            raise DataError(f"{flag} {path} row {row}: an item is missing; a pair has a left and a right one")
        if first == second:
            raise DataError(f"{flag} {path} row {row} pairs {first!r} with itself; take it out")
    return list(zip(*sides, strict=True))


def _read(path: Path, choose: Any, delimiter: str | None) -> tuple[pa.Table, Columns]:
    from sidewise.cli.score_files import read_columns

    return read_columns(path, choose, one_character(delimiter))


def _reliability(
    answers: Comparisons | list[str], wanted: str, delimiter: str | None
) -> Ranking | dict[str, float] | None:
    """What is known of the workers, found here or read."""
    if wanted == "none" or (wanted == "auto" and not isinstance(answers, Comparisons)):
        return None
    if wanted == "auto":
        assert isinstance(answers, Comparisons)
        return _found(answers)
    path = Path(wanted)
    if not path.exists():
        raise SidewiseError(f"--reliability {wanted}: write auto, none, or the name of a file that there is")
    if not isinstance(answers, Comparisons) or answers.worker is None:
        raise SidewiseError(f"--reliability {path} is about workers, but the answers do not say who gave them")
    workers, values = _told(path, delimiter)
    known: dict[str, float] = {}
    for worker, value in zip(workers, values.tolist(), strict=True):
        if worker in known:
            raise SidewiseError(f"--reliability {path} names the worker {worker!r} twice: leave one of the rows out")
        if value == value:  # noqa: PLR0124 - NaN is of whom nothing is known
            known[worker] = value
    met = len(known.keys() & set(answers.workers))
    if not met:
        raise SidewiseError(f"--reliability {path} names none of the {len(answers.workers):,} workers of the answers")
    _say(f"{met:,} of {counted(len(answers.workers), 'worker')} weighed as {path} says")
    return known


def _told(path: Path, delimiter: str | None) -> tuple[list[str], Floats]:
    """The workers of a file and what their answers count for: with their doubt, where it stands there, as ``auto``."""
    from sidewise.cli.score_files import Asked, read_scores
    from sidewise.sampling.trust import DOUBTED, LEVEL, doubted

    def column(name: str) -> Any:
        return read_scores(path, Asked("worker", name, None, one_character(delimiter))).numbers

    names: list[str] = []

    def choose(found: Sequence[str]) -> Columns:
        names.extend(found)
        return Columns(found[0], found[0], None)

    first = column("reliability")
    assert first.ids is not None
    _read(path, choose, delimiter)
    there = [name for kind in DOUBTED if set(kind) <= set(names) for name in kind]
    if "reliability" not in there:
        return first.ids.to_pylist(), first.values
    return first.ids.to_pylist(), doubted({name: column(name).values for name in there}, LEVEL)


def _found(answers: Comparisons) -> Ranking | None:
    """What worker-bt finds, where there are workers to tell apart; its word on the ranking is not wanted here."""
    from sidewise.models import worker_bt
    from sidewise.models.by_name import default_model

    if default_model(answers) != "worker-bt":
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SidewiseWarning)
        warnings.simplefilter("always", NotConverged)
        ranking = worker_bt(answers)
    _say(f"{counted(len(answers.workers), 'worker')} weighed by worker-bt; --reliability none counts all alike")
    return ranking


def _say(line: str) -> None:
    err.print(line, highlight=False, markup=False, soft_wrap=True)
