"""A pair set as files: what a campaign needs, a data card, and a manifest of everything."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa

from sidewise.datasets.building.campaign import campaign_text
from sidewise.datasets.building.card import FILES, card_text
from sidewise.datasets.building.card_pictures import pictures_of
from sidewise.datasets.building.fresh import fresh_folder, write_manifest
from sidewise.datasets.building.pages import page_rows
from sidewise.datasets.building.pair_set import PairSet
from sidewise.datasets.building.table import texts
from sidewise.errors import DataError, SidewiseError
from sidewise.extras import need

Progress = Callable[[int, int], None]
CARD, MEDIA, PICTURES = "README.md", "media", "pictures"
PIECE = 1 << 20  # rows that are written at a time
HOLDS = (*FILES, CARD, MEDIA, PICTURES)
NAMED = 3


def write_pair_set(
    made: PairSet, folder: Path, media_folder: Path | None, *, force: bool, pictures: bool, progress: Progress | None
) -> Path:
    """Write all files into a folder that is there whole or not at all."""
    if pictures:
        for library in ("altair", "vl_convert"):
            need(library, extra="plot")
    media = _media_files(made, media_folder)
    with fresh_folder(folder, holds=HOLDS, force=force) as place:
        steps: list[Callable[[], object]] = [
            lambda: _write_tables(made, place),
            lambda: _write_pages(made, place),
            lambda: _copy(media, place / MEDIA),
            lambda: _write_words(made, place, pictures=pictures, copied=bool(media)),
            lambda: write_manifest(place),
        ]
        for done, step in enumerate(steps, 1):
            step()
            if progress:
                progress(done, len(steps))
    return folder


def _write_tables(made: PairSet, place: Path) -> None:
    items, ids = made.items, made.ids
    items = items.set_column(items.column_names.index(made.columns.id), made.columns.id, ids)
    _write(place / "items.csv", _in_pieces(items))
    pairs = (
        {"left": ids.take(pa.array(made.left[part])), "right": ids.take(pa.array(made.right[part]))}
        for part in _parts(len(made))
    )
    _write(place / "pairs.csv", pairs)
    if len(made.controls):
        left, right = (ids.take(pa.array(side)) for side in (made.controls.left, made.controls.right))
        winner = np.where(made.controls.left_wins, made.controls.left, made.controls.right)
        _write(place / "controls.csv", [{"left": left, "right": right, "winner": ids.take(pa.array(winner))}])
    if made.left_out.num_rows:
        _write(place / "left_out.csv", _in_pieces(made.left_out))


def _write_pages(made: PairSet, place: Path) -> None:
    ids, pairs = made.ids, len(made)
    left = np.concatenate([made.left, made.controls.left])
    right = np.concatenate([made.right, made.controls.right])
    rng = np.random.default_rng([made.settings["seed"], 4])  # the stream after those of build_pairs
    kinds = pa.array(["real", "control"])
    rows = (
        {
            "page": pa.array(rows.page),
            "position": pa.array(rows.position),
            "kind": kinds.take(pa.array((rows.task >= pairs).astype(np.int8))),
            "left": ids.take(pa.array(left[rows.task])),
            "right": ids.take(pa.array(right[rows.task])),
        }
        for rows in page_rows(pairs, len(made.controls), made.layout, rng)
    )
    _write(place / "pages.csv", rows)


def _write_words(made: PairSet, place: Path, *, pictures: bool, copied: bool) -> None:
    """What is written for people and for programs, once the tables are there."""
    drawn = pictures_of(made) if pictures else {}
    for name, chart in drawn.items():
        text = need("vl_convert", extra="plot").vegalite_to_svg(chart.to_dict())
        _text(place / PICTURES / f"{name}.svg", text)
    _text(place / "campaign.toml", campaign_text(made, folder=MEDIA if copied else None))
    _text(place / "build.json", _record(made))
    _text(place / CARD, card_text(made, place, pictures=list(drawn)))


def _record(made: PairSet) -> str:
    from sidewise import __version__

    counts = {
        "read": made.read, "left_out": dict(made.reasons), "items": made.items.num_rows, "pairs": len(made),
        "controls": len(made.controls), "pages": made.pages, "draws": made.draws, "moved_pairs": made.moved,
    }  # fmt: skip
    record = {"sidewise": __version__, "settings": dict(made.settings), "counts": counts}
    return json.dumps(record, indent=1, ensure_ascii=False, default=lambda number: number.item()) + "\n"


def _text(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _parts(size: int) -> Iterator[slice]:
    return (slice(begin, begin + PIECE) for begin in range(0, size, PIECE))


def _in_pieces(table: pa.Table) -> Iterator[Mapping[str, Any]]:
    for part in _parts(table.num_rows):
        piece = table.slice(part.start, PIECE).combine_chunks()
        yield {name: piece[name] for name in piece.column_names}


def _write(path: Path, pieces: Any) -> None:
    """CSV, piece by piece."""
    from pyarrow.csv import CSVWriter

    writer = None
    for piece in pieces:
        table = pa.table(dict(piece))
        try:
            writer = writer or CSVWriter(path, table.schema)
            writer.write_table(table)
        except pa.ArrowException as error:
            raise DataError(f"{path.name}: a column cannot be written as CSV ({error}): leave it out") from None
    if writer:
        writer.close()


def _media_files(made: PairSet, media_folder: Path | None) -> dict[str, Path]:
    """The files to copy, by the path that items.csv has; refused before the work where one is not there."""
    if media_folder is None:
        return {}
    if made.columns.media is None:
        raise SidewiseError("media_folder says where media are, but no column names them: give media")
    paths = dict.fromkeys(texts(made.items, made.columns.media).to_pylist())
    for path in paths:
        if "://" in path or path.startswith("/") or ".." in PurePosixPath(path).parts or set(path) & set("\\\n\r"):
            raise DataError(f"{path!r} is no path inside {media_folder}; with media_folder, media are files in it")
    found = {path: media_folder / path for path in paths}
    lost = [path for path, file in found.items() if not file.is_file()]
    if lost:
        named = ", ".join(map(repr, lost[:NAMED])) + (", …" if len(lost) > NAMED else "")
        raise DataError(f"{len(lost):,} of {len(found):,} media are not in {media_folder}: {named}")
    return found


def _copy(media: Mapping[str, Path], place: Path) -> None:
    for path, source in media.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, place / path)
