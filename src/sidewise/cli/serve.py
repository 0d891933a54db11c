"""``sidewise serve``: a campaign, live."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidewise.cli.console import err, explained, out, plain
from sidewise.errors import SidewiseError

if TYPE_CHECKING:
    from sidewise.collect.running import Place

CROWD = "6 honest workers, one who tosses coins, one who always clicks left"
OPTIONS = ("--workers", "8", "--kind", "random=0.125", "--kind", "always-left=0.125")  # the same, for the crowd


def serve(
    campaign: Annotated[Path | None, typer.Argument(help="The campaign file; sidewise campaign new writes one.", show_default=False)] = None,  # noqa: E501
    demo: Annotated[bool, typer.Option("--demo", help="A campaign of generated pictures, with a simulated crowd.")] = False,  # noqa: E501
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 is all of this machine's.")] = "127.0.0.1",  # noqa: E501
    port: Annotated[int, typer.Option(help="The port.", min=1, max=65_535)] = 8000,
    database: Annotated[str | None, typer.Option(help="postgres://user:password@host:port/name; SQLite if not given.", envvar="SIDEWISE_DATABASE")] = None,  # noqa: E501
    home: Annotated[Path | None, typer.Option(help="The server's folder: secret and database; the campaign's output folder if not given.")] = None,  # noqa: E501
    processes: Annotated[int, typer.Option(help="Web server processes; more than one needs PostgreSQL.", min=1, max=64)] = 1,  # noqa: E501
    hosts: Annotated[list[str] | None, typer.Option("--name", help="A name under which the server is reached; may be repeated.")] = None,  # noqa: E501
    https: Annotated[bool, typer.Option("--https", help="It is reached by https, through a proxy that says so.")] = False,  # noqa: E501
) -> None:  # fmt: skip
    """Serve a campaign: workers compare at one address, you watch the ranking settle at another.

    Everything that is answered is in the database before it is acknowledged. Stop with Ctrl-C, start again with the
    same command: the campaign goes on where it was.
    """
    from sidewise.collect.running import Place, listening, run, set_up

    with explained():
        if processes > 1 and not (database or "").startswith("postgres"):
            raise SidewiseError("several processes need PostgreSQL: give --database, or leave --processes out")
        if (campaign is None) == (not demo):
            raise SidewiseError("name a campaign file, or say --demo; sidewise campaign new writes an example")
        with _demo_folder(home) if demo else nullcontext() as folder:
            place = Place(
                home or folder or _output(campaign), database, host, port, processes, tuple(hosts or ()), https,
                proxy=https,
            )  # fmt: skip
            with listening(place) as door:
                set_up(place)
                name = _opened(campaign, folder)
                run(place, door, lambda: _say(place, name, demo=demo))


@contextmanager
def _demo_folder(home: Path | None) -> Iterator[Path]:
    """Where the demonstration lives: in the server's folder, if one is named, otherwise nowhere afterwards."""
    if home is not None:
        yield home
        return
    with tempfile.TemporaryDirectory(prefix="sidewise-demo-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _output(campaign: Path | None) -> Path:
    """The folder that a campaign file names for its data."""
    from sidewise.collect import Campaign

    assert campaign is not None
    spec = Campaign.read(campaign)
    return spec.folder / spec.output.folder


def _opened(path: Path | None, folder: Path | None) -> str:
    """Bring a campaign file to the server, unless it is there; its name."""
    from sidewise.collect import Campaign
    from sidewise.collect.campaign.demo import demo_campaign
    from sidewise.collect.server.starting import started

    if folder is not None:
        spec = demo_campaign(folder / "campaign")
    else:
        assert path is not None
        spec = Campaign.read(path)
    started(spec.check())
    return spec.name


def _say(place: "Place", name: str, *, demo: bool) -> list[list[str]]:
    """Where everything is; and what else is to be started."""
    from sidewise.collect.crowd import command
    from sidewise.collect.server.starting import first_password

    out.print(f"\n  workers    {place.address}/c/{name}/", highlight=False)
    out.print(f"  you        {place.address}/campaigns/{name}/", highlight=False)
    password = first_password(place.home)
    if password:
        out.print(f"             log in as [b]requester[/] with the password [b]{plain(password)}[/]", highlight=False)
    out.print("  stop       Ctrl-C\n", highlight=False)
    if not demo:
        return []
    err.print(f"a simulated crowd answers beside you: {CROWD}", highlight=False)
    return [command(place.address, name, *OPTIONS)]
