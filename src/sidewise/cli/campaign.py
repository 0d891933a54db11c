"""``sidewise campaign``: write an example of a campaign file, and check one before anybody is asked."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from sidewise.cli.console import err, explained, out, plain
from sidewise.errors import SidewiseError
from sidewise.ranking.display import counted

if TYPE_CHECKING:
    from sidewise.collect.campaign import Campaign, Checked

SECONDS = 5  # that an answer takes: about what a page of five took in the collection of IMDB-WIKI-SbS, 23 s
MANY = 5_000  # items of one group, from which on choosing pairs by all that is known takes a minute and more
LIGHT = ("random", "swiss", "full", "nearest")

app = typer.Typer(no_args_is_help=True, help="Campaigns: write an example of a campaign file, or check one.")


class Kind(StrEnum):
    """Of examples."""

    faces = "faces"
    search = "search"
    llm = "llm"
    video = "video"
    dots = "dots"


@app.command()
def new(
    folder: Annotated[Path | None, typer.Argument(help="A new folder; named after the kind unless given.", show_default=False)] = None,  # noqa: E501
    kind: Annotated[Kind, typer.Option(help="faces (images), search (pages of queries), llm (texts), video, or dots (generated pictures with a known order).")] = Kind.faces,  # noqa: E501
) -> None:  # fmt: skip
    """Write a commented example of a campaign, with media, that can be served as it is."""
    from sidewise.collect.campaign.examples import write_example

    with explained():
        place = folder or Path(kind.value)
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise SidewiseError(f"{place} is there already and not empty; name a new folder")
        write_example(kind.value, place)
        out.print(f"the campaign is in {place / 'campaign.toml'}", highlight=False, markup=False, soft_wrap=True)
        err.print(f"check it with: sidewise campaign check {place / 'campaign.toml'}", highlight=False, markup=False)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A campaign file, such as campaign.toml.", show_default=False)],
) -> None:
    """Check a campaign file and everything that it names, and say what it will ask for."""
    from sidewise.collect.campaign import Campaign

    with explained():
        checked = Campaign.read(file).check()
        out.print(f"[bold]{plain(checked.campaign.title)}[/] ({checked.campaign.name})", highlight=False)
        table = Table(box=None, show_header=False, pad_edge=False)
        for name, said in _summary(checked):
            table.add_row(f"[dim]{name}[/]", plain(said))
        out.print(table)
        for note in _notes(checked):
            err.print(f"[yellow]note:[/] {plain(note)}", highlight=False, soft_wrap=True)


def _summary(checked: "Checked") -> Iterator[tuple[str, str]]:
    campaign = checked.campaign
    wanted = _wanted(checked)
    yield "question", campaign.question
    yield "items", f"{counted(len(checked.items), campaign.items.kind)} from {campaign.items.source}"
    yield "groups", _groups(checked)
    yield "pairs", f"{checked.pairs:,} can be asked"
    yield "answers", f"{_answers(checked)}, about {_hours(wanted)} at {SECONDS} seconds each"
    yield "chosen by", _chosen(campaign)
    yield "until", _until(campaign)
    yield "keys", " · ".join(f"{key} {campaign.labels.get(name, name)}" for name, key in campaign.keys.items())
    yield "workers", _workers(checked)


def _groups(checked: "Checked") -> str:
    sizes = checked.groups
    if checked.campaign.items.group is None:
        return "none: every item can be compared with every other"
    least, most = min(sizes.values()), max(sizes.values())
    word = checked.campaign.search.called.lower() if checked.campaign.search else "group"
    return f"{len(sizes):,} ({word}), {least}{f' to {most}' if most > least else ''} items each"


def _wanted(checked: "Checked") -> int:
    """How many answers the campaign asks for at the most."""
    full = checked.pairs * checked.campaign.serving.overlap
    return min(full, checked.campaign.budget.answers or full)


def _answers(checked: "Checked") -> str:
    full, wanted = checked.pairs * checked.campaign.serving.overlap, _wanted(checked)
    every = f"every pair by {counted(checked.campaign.serving.overlap, 'worker')} would be {full:,}"
    return (
        f"at most {wanted:,} ({every})" if wanted < full else f"at most {wanted:,} ({every.replace(' would be', ':')})"
    )


def _hours(answers: int) -> str:
    hours = answers * SECONDS / 3600
    return f"{hours:,.1f} hours" if hours >= 1 else counted(max(round(hours * 60), 1), "minute")


def _chosen(campaign: "Campaign") -> str:
    if campaign.search is not None and campaign.search.hold:
        by = "holding one item until it has met all others"
    else:
        goal = f", for {campaign.sampling.goal}" if campaign.sampling.method == "optimal" else ""
        by = campaign.sampling.method + goal
    return by + (", leaving out what follows" if campaign.search and campaign.search.transitivity else "")


def _until(campaign: "Campaign") -> str:
    stopping, ends = campaign.stopping, []
    if stopping.rmse is not None:
        ends.append(f"the expected error of the scores is {stopping.rmse}")
    if stopping.top is not None:
        ends.append(f"the top {stopping.top} is settled with {stopping.confidence:.0%}")
    end = " and ".join(ends) or "all pairs are judged"
    return end + (f", or {campaign.budget.answers:,} answers are there" if campaign.budget.answers else "")


def _workers(checked: "Checked") -> str:
    most = checked.campaign.serving.tasks_per_worker
    limit = f", {counted(most, 'task')} each at most" if most else ""
    if checked.workers is not None:
        return f"{len(checked.workers):,} invited{limit}"
    return ("whoever has the link" if checked.campaign.access.open else "by invitation; none is named yet") + limit


def _notes(checked: "Checked") -> Iterator[str]:
    """What is no error, but may not be meant."""
    from sidewise.collect.campaign.files import unpaired
    from sidewise.collect.campaign.media import is_address

    campaign, full = checked.campaign, checked.pairs * checked.campaign.serving.overlap
    if (campaign.budget.answers or 0) > full:
        yield f"[budget] answers is {campaign.budget.answers:,}, and no more than {full:,} can be asked for"
    if checked.allowed is not None and (left := unpaired(list(checked.allowed), list(checked.items))):
        yield f"{counted(len(left), 'item')} in no allowed pair, such as {left[0]!r}: nothing will be known of them"
    if max(checked.groups.values()) > MANY and campaign.sampling.method not in LIGHT:
        slow = f"more than {MANY:,} items in one group, among which {campaign.sampling.method} takes minutes to choose"
        yield f"{slow}; swiss does not"
    if not campaign.items.inline and any(is_address(item.media) for item in checked.items):
        yield "some media lie elsewhere: browsers will ask for them there, and their addresses may tell what they are"
    unused = len(checked.queries) - len({item.group for item in checked.items})
    if unused > 0:
        yield f"{counted(unused, 'query').replace('querys', 'queries')} without items will not be shown"
