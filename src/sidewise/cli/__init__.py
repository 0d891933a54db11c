"""The front door: ``sidewise rank answers.csv``."""

import signal
import sys
from importlib.abc import MetaPathFinder
from typing import Annotated

import typer

from sidewise import __version__
from sidewise.cli.agreement import agreement
from sidewise.cli.boxes import app as boxes
from sidewise.cli.campaign import app as campaign
from sidewise.cli.console import out
from sidewise.cli.data import app as data
from sidewise.cli.enough import enough
from sidewise.cli.next import next_pairs
from sidewise.cli.plan import plan
from sidewise.cli.preferences import app as preferences
from sidewise.cli.rank import rank
from sidewise.cli.reproduce import reproduce
from sidewise.cli.requester import app as requester
from sidewise.cli.score import score
from sidewise.cli.serve import serve
from sidewise.cli.simulate import live_crowd, simulate, spam
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
app.command("next")(next_pairs)
app.command()(enough)
app.command()(plan)
app.command()(score)
app.command()(agreement)
app.command()(reproduce)
app.command()(serve)
app.command("add-spammers")(spam)
simulation = typer.Typer(invoke_without_command=True)
simulation.callback()(simulate)
simulation.command("crowd")(live_crowd)
app.add_typer(simulation, name="simulate")
app.add_typer(preferences, name="preferences")
app.add_typer(boxes, name="boxes")
app.add_typer(campaign, name="campaign")
app.add_typer(data, name="data")
app.add_typer(requester, name="requester")


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
    if hasattr(signal, "SIGPIPE"):  # whoever reads us may stop reading, as `head` does: end as other tools do, silently
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.meta_path.insert(0, WithoutPandas())
    app()


class WithoutPandas(MetaPathFinder):
    """Hides pandas from PyArrow, which imports it wherever it is installed, in case its frames come along.

    That takes a third of a second, in which the command line, which has no such frames, could have finished.
    """

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:  # noqa: ARG002
        """Say that there is no pandas, and nothing about other modules."""
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)
