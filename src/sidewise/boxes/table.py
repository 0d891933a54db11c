"""``Boxes``: the one table of boxes, one row for each box that somebody drew or that is true."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sidewise.boxes.geometry import SIDES, area
from sidewise.comparisons.arrow import Codes, Floats, Mask
from sidewise.comparisons.index import Index
from sidewise.comparisons.rejects import Rejects
from sidewise.comparisons.writing import write_table
from sidewise.errors import DataError


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes on images: left, top, right and bottom edge, and who drew them. :func:`read_boxes` builds and checks one.

    ``edges`` has one row of four numbers for each box; ``image`` and ``worker`` hold the codes of ``images`` and
    ``workers``. ``size`` is the width and the height of each row's image, where the source tells; ``clipped`` counts
    the boxes that were cut to their frames.

    >>> from sidewise.boxes import read_boxes
    >>> read_boxes({"image": ["a", "b"], "left": [1, 2], "top": [1, 2], "right": [5, 6], "bottom": [5, 6]})
    Boxes(2 boxes, 2 images)
    """

    image: Codes
    images: Index
    edges: Floats
    worker: Codes | None = None
    workers: Index = field(default_factory=Index)
    size: Floats | None = None
    question: pa.ChunkedArray | None = None
    clipped: int = 0
    rejects: Rejects = field(default_factory=Rejects)

    def __len__(self) -> int:
        return len(self.image)

    def __repr__(self) -> str:
        crowd = f", {_counted(len(self.workers), 'worker', 'workers')}" if self.worker is not None else ""
        boxes, images = _counted(len(self), "box", "boxes"), _counted(len(self.images), "image", "images")
        return f"Boxes({boxes}, {images}{crowd})"

    @property
    def area(self) -> Floats:
        """The area of every box."""
        return area(self.edges)

    def select(self, rows: Mask | NDArray[np.int64]) -> "Boxes":
        """Some of the rows, by mask or by position; images and workers stay known."""
        return replace(
            self,
            image=self.image[rows],
            edges=self.edges[rows],
            worker=None if self.worker is None else self.worker[rows],
            size=None if self.size is None else self.size[rows],
            question=None if self.question is None else self.question.take(pa.array(np.arange(len(self))[rows])),
        )

    def to_frame(self) -> pa.Table:
        """An Arrow table of image, worker, width, height, the four edges and the question, as far as they are known."""
        columns: dict[str, Any] = {"image": labels(self.images, self.image)}
        if self.worker is not None:
            columns["worker"] = labels(self.workers, self.worker)
        if self.size is not None:
            columns |= {"width": self.size[:, 0], "height": self.size[:, 1]}
        columns |= {side: self.edges[:, column] for column, side in enumerate(SIDES)}
        if self.question is not None:
            columns["question"] = self.question
        return pa.table(columns)

    def write(self, path: str | Path) -> None:
        """Write the table to a file whose name ends in .csv or .parquet."""
        place = Path(path)
        if place.suffix not in (".csv", ".parquet"):
            raise DataError(f"{place}: end the name in .csv or .parquet")
        write_table(self.to_frame(), place)


def compacted(boxes: Boxes) -> Boxes:
    """Forget images and workers that no row speaks of."""
    image, images = _used(boxes.image, boxes.images)
    if boxes.worker is None:
        return replace(boxes, image=image, images=images)
    worker, workers = _used(boxes.worker, boxes.workers)
    return replace(boxes, image=image, images=images, worker=worker, workers=workers)


def _used(codes: Codes, index: Index) -> tuple[Codes, Index]:
    used, place = np.unique(codes, return_inverse=True)
    return (codes, index) if len(used) == len(index) else (place.astype(np.int32), Index(index[code] for code in used))


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def labels(index: Index, codes: Codes) -> pa.Array:
    """The ids behind codes."""
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(list(index), pa.string())).cast(pa.string())
