"""What every command says and how: errors as one message, warnings as lines, progress that goes away."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from sidewise.errors import SidewiseError, SidewiseWarning

out, err = Console(), Console(stderr=True)


@contextmanager
def explained() -> Iterator[None]:
    """Errors that a user can mend are one message and exit code 2; warnings are lines, not tracebacks."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", SidewiseWarning)
            yield
        for warning in caught:
            if issubclass(warning.category, SidewiseWarning):
                err.print(f"[yellow]warning:[/] {plain(warning.message)}", highlight=False)
    except (SidewiseError, OSError) as error:
        err.print(f"[red]error:[/] {plain(error)}", highlight=False, soft_wrap=True)
        raise typer.Exit(2) from None


def plain(message: object) -> str:
    """Text that rich does not take for markup."""
    return escape(str(message))


@contextmanager
def progress(what: str, *, counted: bool = False) -> Iterator[Any]:
    """A progress bar on the error stream, which goes away when the work is done.

    ``counted`` has it show how many instead of what share: for work whose end may be unknown.
    """
    share = TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn()
    count = TextColumn("{task.completed:,}"), TimeElapsedColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), *(count if counted else share))
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
