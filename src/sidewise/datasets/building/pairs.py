"""``build_pairs``: from a table of items to the pairs that workers are asked about."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.datasets.building.choosing import Chosen, Draw, Few, choose_items
from sidewise.datasets.building.controls import Controls, draw_controls
from sidewise.datasets.building.designs import check_design, draw_pairs
from sidewise.datasets.building.graphs import Graph, pair_numbers
from sidewise.datasets.building.items import Columns, Offered, Range, offered_items
from sidewise.datasets.building.pages import Layout, check_layout
from sidewise.datasets.building.pair_set import Groups, PairSet
from sidewise.datasets.building.sides import balanced_sides
from sidewise.errors import SidewiseError
from sidewise.numbers import check_count, check_seed, is_number


def build_pairs(
    source: Any,
    *,
    pairs: int,
    id: str = "id",  # noqa: A002 - what the column is called, here as everywhere
    media: str | None = None,
    groups: Sequence[str] = (),
    truth: str | None = None,
    quality: str | None = None,
    identity: str | None = None,
    keep: Sequence[str] = (),
    ranges: Mapping[str, Range] | None = None,
    per_group: int | None = None,
    draw: Draw = "best",
    few: Few = "error",
    design: str = "erdos-renyi",
    controls: int = 0,
    margin: float | None = None,
    lower_wins: bool = False,
    tasks_per_page: int = 3,
    controls_per_page: int | None = None,
    title: str = "",
    question: str = "",
    licence: str = "",
    seed: int = 0,
    delimiter: str | None = None,
) -> PairSet:
    """Build a side-by-side data set: choose items, draw pairs that join them all, sides, controls and pages.

    This is how IMDB-WIKI-SbS was made (Pavlichenko and Ustalov 2021): 75 photographs of each age from 10 to 70 and
    gender, one of a person in each group, 250,249 pairs of them, and controls that differ by more than 20 years.
    Items without a value of a named column, or out of range, are left out, and it is told which and why. The same seed
    gives the same data set. ``PairSet.write`` writes it to a folder.

    Parameters
    ----------
    source
        A table of items: the path of a CSV, TSV, Parquet or JSON Lines file, a dataframe, or a mapping of columns.
    pairs
        How many different pairs: from n − 1, which just join n items, to n(n−1)/2, which are all.
    id, media, groups, truth, quality, identity
        Columns: of the ids, which must differ; of the media's paths or addresses; by whose values items are grouped; of
        the truth, a number; of how good the medium is, a number; of whom or what it shows.
    keep
        Other columns to keep.
    ranges
        The lowest and the highest value of columns of numbers, both included, either of them maybe None.
    per_group
        How many items of each group; all, if it is not said.
    draw
        Of an identity in a group, the item of the best quality stands for it. Then "best" takes the best of a group
        first, and "random" any, as the paper did.
    few
        What to do about a group of too few items: "error" refuses, "keep" takes all of them, "drop" leaves it out.
    design
        "erdos-renyi", a random graph; "regular", a random graph in which items have equally many pairs, or one more; or
        a strategy of :mod:`sidewise.sampling` by its name, for up to 2,000 items.
    controls, margin, lower_wins
        How many control comparisons, whose truth differs by more than the margin; the right answer is the item of the
        higher truth, or of the lower one.
    tasks_per_page, controls_per_page
        Real tasks and controls on a page: 3 and 1, or none where there are no controls.
    title, question, licence
        For the data card and the campaign.
    seed
        Of all that is drawn.
    delimiter
        What separates the columns of a text file, where it is not a comma (a tab in .tsv).

    Examples
    --------
    >>> items = {"id": list("abcdef"), "age": [20, 30, 40, 50, 60, 70], "sex": ["f", "m"] * 3}
    >>> build_pairs(items, pairs=5, groups=["sex"], truth="age", per_group=3, controls=1, margin=20)
    PairSet(6 items, 5 pairs, 1 controls, 2 pages)
    """
    settings = {name: value for name, value in locals().items() if name not in ("source", "delimiter")}
    columns = Columns(id, media, _named(groups, "groups"), truth, quality, identity, _named(keep, "keep"))
    layout = Layout(tasks_per_page, controls_per_page if controls_per_page is not None else min(controls, 1))
    _check(columns, controls, margin, layout, seed)
    settings |= {"design": check_design(design), "controls_per_page": layout.controls, "source": _source_name(source)}
    offered = offered_items(source, columns, ranges or {}, delimiter=delimiter)
    # A stream of its own for every step: changing one leaves what the others draw as it was.
    choice, graph, sides, control = (np.random.default_rng([seed, step]) for step in range(4))
    chosen = choose_items(offered, columns.groups, per_group=per_group, draw=draw, few=few, rng=choice)
    drawn = draw_pairs(len(chosen.rows), pairs, settings["design"], graph)
    known = None if offered.truth is None else offered.truth[chosen.rows]
    asked = _controls(known, controls, margin, drawn, control, lower_wins=lower_wins)
    return _pair_set(
        offered, chosen, columns, drawn, balanced_sides(drawn.first, drawn.second, sides), asked, layout, settings
    )


def _pair_set(
    offered: Offered, chosen: Chosen, columns: Columns, drawn: Graph, sides: Any, controls: Controls, layout: Layout,
    settings: Mapping[str, Any],
) -> PairSet:  # fmt: skip
    left, right = sides
    return PairSet(
        items=offered.table.take(chosen.rows),
        columns=columns,
        left=left,
        right=right,
        controls=controls,
        layout=layout,
        groups=Groups(columns.groups, offered.groups, chosen.candidates, chosen.taken),
        truth=None if offered.truth is None else offered.truth[chosen.rows],
        read=offered.read,
        left_out=offered.left_out,
        reasons=offered.reasons,
        settings=dict(sorted(settings.items())),
        draws=drawn.draws,
        moved=drawn.moved,
    )


def _controls(
    truth: Floats | None, count: int, margin: float | None, drawn: Graph, rng: np.random.Generator, *, lower_wins: bool
) -> Controls:
    if not count or truth is None or margin is None:
        nobody = np.empty(0, np.int32)
        return Controls(nobody, nobody, np.empty(0, bool))
    taken = np.sort(pair_numbers(drawn.first, drawn.second))
    return draw_controls(truth, count, margin, taken, rng, lower_wins=lower_wins)


def _check(columns: Columns, controls: int, margin: float | None, layout: Layout, seed: int) -> None:
    check_seed(seed)
    check_count("controls", controls, least=0)
    if controls and columns.truth is None:
        raise SidewiseError("controls need a truth that their answers are held against: name its column with truth")
    if controls and not (is_number(margin) and margin >= 0):
        raise SidewiseError(f"controls need a margin by which their truth differs, 0 or more, not {margin!r}")
    if margin is not None and not controls:
        raise SidewiseError("a margin is for controls: say also how many controls")
    check_layout(layout, controls)


def _named(columns: Sequence[str], what: str) -> tuple[str, ...]:
    if isinstance(columns, str):
        raise SidewiseError(f"{what} is {columns!r}; it is a list of columns: [{columns!r}]")
    return tuple(columns)


def _source_name(source: Any) -> str:
    return Path(source).name if isinstance(source, str | Path) else "a table in memory"
