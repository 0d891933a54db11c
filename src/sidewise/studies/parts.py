"""A study in parts: tables and figures by name, each kept as soon as it is done, and one page of all that there are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv as pacsv

from sidewise.errors import Absent, SidewiseError
from sidewise.extras import need
from sidewise.studies.study import Progress

Rows = Sequence[Mapping[str, Any]]
QUICK = """**A quick run** (`--quick`): small settings that show that everything works. Its figures are too few for what
is said of them below, which is about the whole study."""


@dataclass(frozen=True)
class Setting:
    """How a part is run."""

    quick: bool = False  # a small setting that ends in seconds
    seed: int = 0
    jobs: int = 1  # processes
    progress: Progress | None = None
    part: str = ""
    folder: Path | None = None  # where the tables of the parts are kept

    @property
    def unfinished(self) -> Path | None:
        """Where runs of the part are kept until all are done, see :mod:`~sidewise.studies.resuming`."""
        return self.folder / f"{self.part}.unfinished.jsonl" if self.folder else None

    def rows_of(self, part: str) -> list[dict[str, Any]]:
        """The rows of another part, which must have been run before."""
        if self.folder is None or not (self.folder / f"{part}.csv").exists():
            raise Absent(f"it is made from the table of {part}: run that first")
        return kept(self.folder / f"{part}.csv")


class Shown(NamedTuple):
    """What the page has of a part: text with tables, and pictures by name (Altair charts)."""

    text: str
    pictures: Mapping[str, Any]


@dataclass(frozen=True)
class Part:
    """A table or a figure: how its rows come about, and how they are shown."""

    title: str
    run: Callable[[Setting], Rows]
    show: Callable[[Rows], Shown]


class Done(NamedTuple):
    """What has become of a part: the files that were written, or why it was skipped."""

    part: str
    paths: Sequence[Path] = ()
    skipped: str = ""


@dataclass(frozen=True)
class StudyInParts:
    """A study of several tables and figures, any of which can be run alone."""

    about: str
    title: str
    text: str
    parts: Mapping[str, Part] = field(default_factory=dict)

    def chosen(self, only: Sequence[str]) -> list[str]:
        """The parts that are asked for, in the study's order; all, where none is named."""
        for name in only:
            if name not in self.parts:
                raise SidewiseError(f"no part {name!r}; there are: {', '.join(self.parts)}")
        return [name for name in self.parts if not only or name in only]

    def run_part(self, name: str, folder: Path, setting: Setting) -> Done:
        """Run a part and write its table and pictures, or say why it cannot be run here."""
        setting = replace(setting, part=name, folder=folder)
        try:
            rows = self.parts[name].run(setting)
        except Absent as why:
            return Done(name, skipped=str(why))
        folder.mkdir(parents=True, exist_ok=True)
        table = folder / f"{name}.csv"
        pacsv.write_csv(pa.Table.from_pylist([dict(row) for row in rows]), table)
        if setting.unfinished:
            setting.unfinished.unlink(missing_ok=True)
        return Done(name, [table, *self._draw(name, folder)])

    def write_page(self, folder: Path, *, quick: bool = False) -> Path:
        """The page, made anew from all tables in the folder; of the quick setting it says that it is one."""
        page, head = folder / "README.md", [f"# {self.title}", *([QUICK] if quick else []), self.text.strip()]
        page.write_text("\n\n".join([*head, self.markdown(folder)]), encoding="utf-8")
        return page

    def markdown(self, folder: Path, only: Sequence[str] = ()) -> str:
        """What there is to say of the parts whose tables are in the folder."""
        shown = self._shown(folder, self.chosen(only))
        return "\n".join(f"## {self.parts[name].title}\n\n{found.text.strip()}\n" for name, found in shown)

    def _shown(self, folder: Path, names: Sequence[str]) -> Iterator[tuple[str, Shown]]:
        for name in names:
            if (folder / f"{name}.csv").exists():
                yield name, self.parts[name].show(kept(folder / f"{name}.csv"))

    def _draw(self, name: str, folder: Path) -> Iterator[Path]:
        convert = need("vl_convert", extra="plot")
        for picture, chart in self.parts[name].show(kept(folder / f"{name}.csv")).pictures.items():
            path = folder / f"{picture}.svg"
            path.write_text(convert.vegalite_to_svg(chart.to_dict()), encoding="utf-8")
            yield path


def kept(table: Path) -> list[dict[str, Any]]:
    """The rows of a table that was written before."""
    rows: list[dict[str, Any]] = pacsv.read_csv(table).to_pylist()
    return rows
