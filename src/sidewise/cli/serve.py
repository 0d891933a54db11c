"""``sidewise serve``: a campaign, live."""

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidewise.cli.console import err, explained, out, plain
from sidewise.errors import SidewiseError

if TYPE_CHECKING:
    from sidewise.collect.running import Place


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
    from sidewise.collect.running import Place, run, set_up

    with explained():
        if processes > 1 and database is None:
            raise SidewiseError("several processes need PostgreSQL: give --database, or leave --processes out")
        if (campaign is None) == (not demo):
            raise SidewiseError("name a campaign file, or say --demo; sidewise campaign new writes an example")
        folder = Path(tempfile.mkdtemp(prefix="sidewise-demo-")) if demo else None
        place = Place(
            home or (folder or _output(campaign)),
            database,
            host,
            port,
            processes,
            tuple(hosts or ()),
            https,
            proxy=https,
        )
        try:
            set_up(place)
            name = _opened(campaign, folder)
            run(place, lambda: _say(place, name, demo=demo))
        finally:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)


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


def _say(place: "Place", name: str, *, demo: bool) -> None:
    from sidewise.collect.server.starting import first_password

    out.print(f"\n  workers    {place.address}/c/{name}/", highlight=False)
    out.print(f"  you        {place.address}/campaigns/{name}/", highlight=False)
    password = first_password(place.home)
    if password:
        out.print(f"             log in as [b]requester[/] with the password [b]{plain(password)}[/]", highlight=False)
    out.print("  stop       Ctrl-C\n", highlight=False)
    if demo:
        from sidewise.collect.crowd import start_beside

        start_beside(place.address, name, environment=place.environment)
        err.print("a simulated crowd of 8 is answering beside you", highlight=False)
