"""What every study has: a name, a run, and results that can be read, drawn and kept."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.csv as pacsv

from sidewise.extras import need

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Result:
    """The outcome of a study: rows of figures, what they say, and pictures of them."""

    title: str
    text: str
    rows: Sequence[Mapping[str, Any]]
    pictures: Mapping[str, Any] = field(default_factory=dict)  # name → Altair chart

    def markdown(self) -> str:
        """The page: the text, the table, the pictures."""
        pictures = "".join(f"\n![{name}]({name}.svg)\n" for name in self.pictures)
        return f"# {self.title}\n\n{self.text.strip()}\n\n{markdown_table(self.rows)}\n{pictures}"

    def write(self, folder: Path) -> list[Path]:
        """Write table, page and pictures; the paths that were written come back."""
        folder.mkdir(parents=True, exist_ok=True)
        table, page = folder / "results.csv", folder / "README.md"
        pacsv.write_csv(pa.Table.from_pylist([dict(row) for row in self.rows]), table)
        page.write_text(self.markdown(), encoding="utf-8")
        drawn = []
        for name, chart in self.pictures.items():
            convert = need("vl_convert", extra="plot")
            drawn.append(folder / f"{name}.svg")
            drawn[-1].write_text(convert.vegalite_to_svg(chart.to_dict()), encoding="utf-8")
        return [table, page, *drawn]


class Run(Protocol):
    """A study's run."""

    def __call__(self, *, quick: bool = False, seed: int = 0, progress: Progress | None = None) -> Result:
        """Do the work; ``quick`` is a small setting that ends in seconds."""
        ...


@dataclass(frozen=True)
class Study:
    """A study by name."""

    about: str
    run: Run


def markdown_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as a Markdown table; fractions get three digits."""
    names = list(rows[0])
    lines = [names, ["---"] * len(names), *([_cell(row[name]) for name in names] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
