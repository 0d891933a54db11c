"""``sidewise preferences``: all that follows from judgments of documents, the fewest that say the same, and checks."""

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.table import Table

from sidewise.cli.console import err, explained, out, plain
from sidewise.cli.places import check_place
from sidewise.errors import SidewiseError
from sidewise.ranking.display import counted

if TYPE_CHECKING:
    from sidewise.preferences import Closure, Contradiction, Preferences

app = typer.Typer(
    no_args_is_help=True,
    help="Preference judgments for search: all that follows from them, the fewest that say the same, contradictions.",
)
SHOWN = 20  # contradictions that are printed
FORMS = ("collection", "prefs", "winner")

File = Annotated[Path, typer.Argument(help="Judgments: query, document, document, −1/1/0/±2; trec_eval's prefs; or query, document, document, winner.", show_default=False)]  # noqa: E501  # fmt: skip
Out = Annotated[Path | None, typer.Option("--out", help="Write the judgments to this file, and not to the terminal.")]
FormOption = Annotated[str | None, typer.Option("--form", help=f"Form of what is written: {', '.join(FORMS)}. The first, if not said.")]  # noqa: E501  # fmt: skip
Graded = Annotated[bool, typer.Option("--graded", help="Codes are degrees of preference: −3 is strongly preferred.")]
Drop = Annotated[
    bool, typer.Option("--drop-contradictions", help="Leave the pairs within contradictions undecided, and go on.")
]
Majority = Annotated[
    bool, typer.Option("--majority", help="Take what most judgments of a pair say, before anything else.")
]


@app.command()
def close(
    file: File, output: Out = None, form: FormOption = None, graded: Graded = False, majority: Majority = False,
    drop: Drop = False,
) -> None:  # fmt: skip
    """Write all preferences that follow from the judgments of each query.

    Forms other than collection have no words for duplicates and bad documents: only what they imply is written.
    """
    from sidewise.preferences import closure

    with explained():
        check_place(output, file, endings=None, flag="--out")
        checked = _form(form)
        whole = closure(_read(file, graded=graded, most=majority), on_contradiction="drop" if drop else "raise")
        _tell(whole)
        _write(whole.to_preferences(marks=checked == "collection"), checked, output)


@app.command()
def reduce(
    file: File, output: Out = None, form: FormOption = None, graded: Graded = False, majority: Majority = False
) -> None:
    """Write the fewest judgments from which all the others follow."""
    from sidewise.preferences import closure, reduction

    with explained():
        check_place(output, file, endings=None, flag="--out")
        checked = _form(form)
        whole = closure(_read(file, graded=graded, most=majority), on_contradiction="drop")  # which reduction refuses
        fewest = reduction(whole)
        _tell(whole)
        err.print(f"implied by {counted(len(fewest), 'judgment')}", highlight=False)
        _write(fewest, checked, output)


@app.command()
def check(file: File, graded: Graded = False, majority: Majority = False) -> None:
    """Count the judgments of each query and what follows from them, and name contradictions: exit code 2 if any."""
    from sidewise.preferences import closure, contradictions

    with explained():
        judged = _read(file, graded=graded, most=majority)
        found = contradictions(judged)
        _print_counts(judged, closure(judged, on_contradiction="drop"), found)
        for knot in found[:SHOWN]:
            more = f"; {len(knot.tangled):,} documents are tangled" if len(knot.tangled) > len(knot.documents) else ""
            out.print(plain(f"{knot}{more}"), highlight=False, soft_wrap=True)
        if len(found) > SHOWN:
            out.print(f"… and {len(found) - SHOWN:,} more", highlight=False)
        if found:
            raise typer.Exit(2)


def _read(file: Path, *, graded: bool, most: bool) -> "Preferences":
    from sidewise.preferences import majority, read_preferences

    judged = read_preferences(file, graded=graded)
    return majority(judged) if most else judged


def _form(form: str | None) -> str:
    if form is not None and form not in FORMS:
        raise SidewiseError(f"--form {form!r} is not one of {', '.join(FORMS)}")
    return form or FORMS[0]


def _tell(whole: "Closure") -> None:
    queries = f"{len(whole.queries):,} {'query' if len(whole.queries) == 1 else 'queries'}"
    err.print(f"{counted(len(whole), 'preference')} for {queries}", highlight=False)
    if whole.contradictions:
        undecided = sum(len(knot.tangled) for knot in whole.contradictions)
        many = counted(len(whole.contradictions), "contradiction")
        err.print(
            f"[yellow]dropped[/] {many}: the order of {counted(undecided, 'document')} is left open", highlight=False
        )


def _write(preferences: "Preferences", form: str, path: Path | None) -> None:
    from sidewise.preferences.forms import preference_lines, write_preferences

    if path is not None:
        write_preferences(preferences, path, form)  # type: ignore[arg-type]
        err.print(f"the judgments are in {path}", highlight=False, markup=False)
        return
    for line in preference_lines(preferences, form, "the output"):  # type: ignore[arg-type]
        sys.stdout.write(f"{line}\n")


def _print_counts(judged: "Preferences", whole: "Closure", found: "Iterable[Contradiction]") -> None:
    """A row for each query, and one for all of them; equals are sets of duplicates."""
    import numpy as np

    said = np.bincount(judged.query, minlength=len(judged.queries)).tolist()
    knots = Counter(knot.query for knot in found)
    rows = []
    for query, judgments in zip(judged.queries, said, strict=True):
        orders = whole[query]
        documents = len({name for order in orders for name in order.documents})
        bad, duplicates = sum(order.bad.bit_count() for order in orders), sum(len(order.duplicates) for order in orders)
        rows.append([query, documents, judgments, sum(map(len, orders)), bad, duplicates, knots[query]])
    rows.append(["all", *(sum(row[place] for row in rows) for place in range(1, 7))])
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in ("query", "documents", "judgments", "preferences", "bad", "equals", "contradictions"):
        table.add_column(name, justify="left" if name == "query" else "right", no_wrap=True)
    for place, row in enumerate(rows):
        last = place == len(rows) - 2
        table.add_row(plain(row[0]), *(f"{number:,}" for number in row[1:]), end_section=last)
    out.print(table)
