"""``sidewise data``: data sets, got, checked and built."""

import typer

from sidewise.cli.data_build import app as build
from sidewise.cli.data_tables import diverging, filter_text, split

app = typer.Typer(no_args_is_help=True, help="Data sets: build new ones, split and filter tables.")
app.add_typer(build, name="build")
app.command()(split)
app.command("filter")(filter_text)
app.command()(diverging)
