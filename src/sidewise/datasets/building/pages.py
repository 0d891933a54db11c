"""Pages: so many real tasks and so many controls on each, in random order."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidewise.datasets.building.graphs import Positions
from sidewise.errors import SidewiseError
from sidewise.numbers import check_count

PIECE = 1 << 18  # pages at a time


class Layout(NamedTuple):
    """What is on a page."""

    tasks: int = 3
    controls: int = 1


class PageRows(NamedTuple):
    """Rows of pages: which page, which place on it, and the pair (below the number of pairs) or the control (after)."""

    page: Positions
    position: Positions
    task: Positions


def page_count(pairs: int, layout: Layout) -> int:
    """How many pages the pairs fill; the last may have fewer tasks."""
    return -(-pairs // layout.tasks)


def check_layout(layout: Layout, controls: int) -> None:
    """See that a page can be filled."""
    check_count("tasks_per_page", layout.tasks)
    check_count("controls_per_page", layout.controls, least=0)
    if layout.controls > controls:
        raise SidewiseError(
            f"{layout.controls} controls a page, but there are {controls} in all: ask for more, or for fewer a page"
        )


def page_rows(pairs: int, controls: int, layout: Layout, rng: np.random.Generator) -> Iterator[PageRows]:
    """The pages, piece by piece: pairs in their order, controls dealt out so that each comes as often as the others."""
    pages = page_count(pairs, layout)
    dealt = _dealt(pages, controls, layout.controls, rng)
    for begin in range(0, pages, PIECE):
        page = np.arange(begin, min(begin + PIECE, pages))
        real = page[:, None] * layout.tasks + np.arange(layout.tasks)
        tasks = np.hstack([np.where(real < pairs, real, -1), pairs + dealt[page]])
        tasks = rng.permuted(tasks, axis=1)
        there = tasks >= 0
        yield PageRows(
            np.repeat(page + 1, there.sum(axis=1)), np.cumsum(there, axis=1, dtype=np.int64)[there], tasks[there],
        )  # fmt: skip


def _dealt(pages: int, controls: int, each: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """The controls of every page: all of them once, in random order, then all again; none twice on a page."""
    if not each:
        return np.empty((pages, 0), np.int32)
    per_round = controls // each  # pages
    rounds = -(-pages // per_round)
    deck = np.broadcast_to(np.arange(controls, dtype=np.int32), (rounds, controls))
    return rng.permuted(deck, axis=1)[:, : per_round * each].reshape(-1, each)[:pages]
