"""The front door: ``sidewise rank answers.csv``."""

from typing import Annotated

import typer

from sidewise import __version__
from sidewise.cli.console import out
from sidewise.cli.rank import rank
from sidewise.cli.reproduce import reproduce
from sidewise.cli.summary import summary

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    help="Turns human judgments into rankings and ground truth that people can trust.",
    epilog="Try it: sidewise rank examples/cakes.csv --report cakes.html",
)
app.command()(rank)
app.command()(summary)
app.command()(reproduce)


@app.callback(invoke_without_command=True)
def version(
    show: Annotated[bool, typer.Option("--version", help="Say which version this is.", is_eager=True)] = False,
) -> None:
    """Say which version this is."""
    if show:
        out.print(f"sidewise {__version__}", highlight=False)
        raise typer.Exit


def main() -> None:
    """Run the command line."""
    app()
