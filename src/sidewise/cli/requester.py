"""``sidewise requester``: who may log in at a server, and with what; to be run where the server lives."""

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidewise.cli.console import err, explained, out, plain
from sidewise.errors import SidewiseError

if TYPE_CHECKING:
    from django.contrib.auth.models import User

app = typer.Typer(no_args_is_help=True, help="Requesters of a server: add one, change a password, make a token.")
Name = Annotated[str, typer.Argument(help="The requester's name.")]
Home = Annotated[Path, typer.Option(help="The server's folder, which sidewise serve keeps its secret in.")]
Database = Annotated[str | None, typer.Option(help="postgres://user:password@host:port/name; SQLite if not given.", envvar="SIDEWISE_DATABASE")]  # noqa: E501  # fmt: skip


@app.command()
def add(name: Name, home: Home = Path("output"), database: Database = None) -> None:
    """Add a requester, who sees nobody's campaigns but their own; prints the password."""
    with explained():
        users = _users(home, database)
        if users.filter(username=name).exists():
            raise SidewiseError(f"there is a requester {name!r} already; sidewise requester password changes theirs")
        if not name.isidentifier():
            raise SidewiseError(f"{name!r} is no name for a requester; write letters, digits and _")
        _give_password(users.create_user(name))


@app.command()
def password(name: Name, home: Home = Path("output"), database: Database = None) -> None:
    """Give a requester a new password, and print it; whoever is logged in with the old one is logged out."""
    with explained():
        _give_password(_found(_users(home, database), name))
        if name == "requester":
            (home / "password.txt").unlink(missing_ok=True)  # of the first start: that one is wrong now


@app.command()
def token(name: Name, home: Home = Path("output"), database: Database = None) -> None:
    """Make a token for programs of a requester, and print it; the page of tokens takes it away again."""
    with explained():
        user = _found(_users(home, database), name)
        from sidewise.collect.server.models import Token

        out.print(plain(Token.issue(user, "made on the command line")), highlight=False, soft_wrap=True)


def _users(home: Path, database: str | None) -> Any:
    from sidewise.collect.running import Place, set_up

    if not (home / "secret.key").exists():
        raise SidewiseError(f"no server lives in {home}; --home names the folder that sidewise serve made")
    set_up(Place(home, database))
    from django.contrib.auth.models import User

    return User.objects


def _found(users: Any, name: str) -> "User":
    found: User | None = users.filter(username=name).first()
    if found is None:
        known = ", ".join(users.order_by("username").values_list("username", flat=True)) or "none"
        raise SidewiseError(f"there is no requester {name!r}; there are: {known}")
    return found


def _give_password(user: "User") -> None:
    fresh = secrets.token_urlsafe(12)
    user.set_password(fresh)
    user.save(update_fields=["password"])
    err.print(f"{plain(user.username)} logs in with the password", highlight=False)
    out.print(plain(fresh), highlight=False)
