"""``PairSet``: a side-by-side data set before anybody has answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sidewise.comparisons.arrow import Floats
from sidewise.datasets.building.controls import Controls
from sidewise.datasets.building.graphs import Ends, Positions
from sidewise.datasets.building.items import Columns
from sidewise.datasets.building.pages import Layout, page_count
from sidewise.datasets.building.sides import left_counts

if TYPE_CHECKING:
    from sidewise.datasets.building.folder import Progress


@dataclass(frozen=True)
class Groups:
    """The groups of the items: their values, how many items were to choose from, and how many were taken."""

    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    candidates: Positions
    taken: Positions

    @property
    def absent(self) -> int:
        """Combinations of values that no item has."""
        levels = [len({value[place] for value in self.values}) for place in range(len(self.names))]
        return int(np.prod(levels, dtype=np.int64)) - len(self.values) if levels else 0


@dataclass(frozen=True, eq=False)
class PairSet:
    """Items, pairs and controls, chosen and drawn; :func:`build_pairs` makes one.

    ``left`` and ``right`` are positions in ``items``, pair by pair in random order. ``settings`` hold what was asked,
    ``left_out`` the rows of the source that were filtered out, each with its reason, and ``reasons`` their number.
    """

    items: pa.Table
    columns: Columns
    left: Ends
    right: Ends
    controls: Controls
    layout: Layout
    groups: Groups
    truth: Floats | None
    read: int
    left_out: pa.Table
    reasons: Mapping[str, int]
    settings: Mapping[str, Any]
    draws: int = 1
    moved: int = 0

    def __repr__(self) -> str:
        return (
            f"PairSet({self.items.num_rows:,} items, {len(self):,} pairs, {len(self.controls):,} controls, "
            f"{self.pages:,} pages)"
        )

    def __len__(self) -> int:
        return len(self.left)

    @property
    def ids(self) -> pa.Array:
        """The ids of the items, as text."""
        from sidewise.datasets.building.table import texts

        return texts(self.items, self.columns.id).combine_chunks()

    @cached_property
    def media_paths(self) -> tuple[str, ...]:
        """The media that are paths of files, and no addresses, each once."""
        from sidewise.datasets.building.table import texts

        if self.columns.media is None:
            return ()
        return tuple(
            path for path in dict.fromkeys(texts(self.items, self.columns.media).to_pylist()) if "://" not in path
        )

    @property
    def pages(self) -> int:
        """How many pages the pairs fill."""
        return page_count(len(self), self.layout)

    @cached_property
    def degree(self) -> Positions:
        """How many pairs each item is in."""
        n = self.items.num_rows
        return left_counts(n, self.left) + left_counts(n, self.right)

    @cached_property
    def side_balance(self) -> Floats:
        """The share of an item's pairs in which it is on the left."""
        return np.asarray(left_counts(self.items.num_rows, self.left) / self.degree)

    @cached_property
    def left_wins_share(self) -> float:
        """The share of pairs whose left item has the higher truth, of those that differ; NaN without a truth."""
        if self.truth is None:
            return float("nan")
        left, right = self.truth[self.left], self.truth[self.right]
        differ = left != right
        return float((left > right)[differ].mean()) if differ.any() else float("nan")

    def to_frame(self) -> pa.Table:
        """The pairs: left and right, by id."""
        return pa.table(
            {side: self.ids.take(pa.array(where)) for side, where in (("left", self.left), ("right", self.right))}
        )

    def write(
        self,
        folder: str | Path,
        *,
        media_folder: str | Path | None = None,
        force: bool = False,
        pictures: bool = True,
        progress: "Progress | None" = None,
    ) -> Path:
        """Write everything that a campaign needs into a new folder, all of it or nothing.

        Parameters
        ----------
        folder
            Where to write; it must not be there yet.
        media_folder
            Where the paths of the media begin: the chosen files are copied from there.
        force
            Take the place of a data set that is there, unless it holds files that are not of its making.
        pictures
            Draw pictures for the data card, which takes the extra ``plot``.
        progress
            Is called with steps done and steps in all.
        """
        from sidewise.datasets.building.folder import write_pair_set

        return write_pair_set(
            self, Path(folder), Path(media_folder) if media_folder is not None else None,
            force=force, pictures=pictures, progress=progress,
        )  # fmt: skip
