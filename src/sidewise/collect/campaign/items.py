"""Items: what is compared. Read from a table, a folder or records, each checked."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidewise.collect.campaign.media import LONGEST_TEXT, Shelf, address_trouble, is_address, media_type
from sidewise.collect.campaign.rows import Rows, read_rows
from sidewise.names import HIDDEN, NAME, NAME_CURE, UNSTORABLE

if TYPE_CHECKING:
    from sidewise.collect.campaign.campaign import Campaign

IGNORED = ("thumbs.db", "desktop.ini")  # files that systems leave in folders of pictures
UNTIDY = re.compile(r"//|(^|/)\.(/|$)|/$")


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a campaign.

    Attributes
    ----------
    id
        Its name in answers and exports.
    media
        What is shown: a path from the campaign's media folder on, an ``https:`` address, or the text itself where
        ``[items]`` names a column of texts (``campaign.items.inline``).
    group
        Items are compared within it; None where all can be compared.
    attributes
        What else is known of it: kept and exported, never shown.
    """

    id: str
    media: str
    group: str | None
    attributes: Mapping[str, str | int | float | bool | None]


def items_of(campaign: "Campaign", rows: Rows) -> list[Item]:
    """The items of rows; whatever is wrong is noted in the rows."""
    asked = campaign.items
    ids = rows.texts(asked.id, "items", "id")
    groups = None if asked.group is None else rows.texts(asked.group, "items", "group")
    media = rows.texts(asked.text or asked.media, "items", "text" if asked.inline else "media")
    attributes = _attributes(rows, asked.attributes)
    if rows.problems and not (ids and media):
        return []
    _check_names(rows, "id", ids)
    _check_once(rows, ids)
    _check_groups(rows, ids, groups)
    trouble = text_trouble if asked.inline else _media_trouble(campaign)
    for row, one in enumerate(media):
        if (what := trouble(one)) is not None:
            rows.add(f"item {ids[row]!r}: {what}", row)
    grouped: Sequence[str | None] = groups or [None] * len(ids)
    return list(map(Item, ids, media, grouped, attributes))


def source_rows(campaign: "Campaign", path: Path) -> Rows:
    """The rows of a table, or of a folder of media."""
    assert campaign.items.source is not None
    return _folder_rows(campaign, path) if path.is_dir() else read_rows(path, campaign.items.source)


def text_trouble(text: str) -> str | None:
    """What is wrong with a text, if anything."""
    if not text.strip():
        return "it has no text; write one or take the item out"
    if len(text) > LONGEST_TEXT or len(text.encode("utf-8", "replace")) > LONGEST_TEXT:
        return (
            f"its text has {len(text):,} characters; {LONGEST_TEXT:,} bytes are the most that can be read side by side"
        )
    return "its text has a character that is none; take it out" if UNSTORABLE.search(text) else None


def _media_trouble(campaign: "Campaign") -> Callable[[str], str | None]:
    kind = campaign.items.kind
    shelf = Shelf(campaign.media_folder, campaign.folder, campaign.folder / campaign.output.folder)

    def trouble(media: str) -> str | None:
        if not media:
            return "it has no media; name a file or an https: address, or take the item out"
        what: str | None
        if HIDDEN.search(media):
            what = "has a hidden character; take it out"
        elif is_address(media):
            what = address_trouble(kind, media)
        elif UNTIDY.search(media):
            what = "is no tidy path; write it without ./ and //, from [items] folder on"
        else:
            what = shelf.trouble(kind, media)
        return None if what is None else f"{media!r} {what}"

    return trouble


def _check_names(rows: Rows, what: str, names: Sequence[str]) -> None:
    fits = NAME.fullmatch
    for row, name in enumerate(names):
        if fits(name) is None:
            what_is = f"the {what} is {name[:60]!r}" if name else f"there is no {what}"
            rows.add(f"{what_is}; {NAME_CURE}", row)


def _check_once(rows: Rows, ids: Sequence[str]) -> None:
    if len(set(ids)) == len(ids):
        return
    first: dict[str, int] = {}
    for row, name in enumerate(ids):
        if name and first.setdefault(name, row) != row:
            rows.add(f"the id {name!r} stands on {rows.word} {rows.lines[first[name]]} already; ids are unique", row)


def _check_groups(rows: Rows, ids: Sequence[str], groups: Sequence[str] | None) -> None:
    """Items are compared with others of their group: there should be one."""
    if groups is None:
        if len(ids) == 1:
            rows.add("there is one item only; a comparison takes two", 0)
        return
    _check_names(rows, "group", groups)
    sizes = Counter(groups)
    for row, group in enumerate(groups):
        if group and sizes[group] == 1:
            rows.add(f"item {ids[row]!r} is the only one of its group {group!r}; add another or take it out", row)


def _attributes(rows: Rows, names: Sequence[str]) -> list[dict[str, Any]]:
    columns = {name: rows.column(name, "items", "attributes") for name in names}
    known = {name: column for name, column in columns.items() if column is not None}
    for name, column in known.items():
        for row, value in enumerate(column):
            if type(value) is str and UNSTORABLE.search(value) is None:
                continue
            if not isinstance(value, int | float | None) or value != value:  # noqa: PLR0124 - NaN
                rows.add(f"the attribute {name} is {value!r:.60}; it is a text, a number, true, false or nothing", row)
    if not known:
        return [{} for _ in range(len(rows))]
    return [dict(zip(known, values, strict=True)) for values in zip(*known.values(), strict=True)]


def _folder_rows(campaign: "Campaign", root: Path) -> Rows:
    """A row for every file below a folder: its path without the ending as id, and its own folder as a group."""
    source = campaign.items.source
    rows = Rows(f"{source}", word="file")
    if campaign.items.inline:
        rows.add("it is a folder, and [items] text names a column; take it out, or name a table")
        return rows
    closed = (campaign.folder / campaign.output.folder).resolve()
    found = [path for path in _files(root, closed) if not _unfit(rows, campaign.items.kind, root, path)]
    paths = [path.relative_to(root) for path in found]
    rows.columns = {
        campaign.items.id: [path.with_suffix("").as_posix() for path in paths],
        campaign.items.media: [_from(campaign.media_folder, path) for path in found],
        "folder": [path.parent.as_posix() for path in paths],
        "file": [path.name for path in paths],
    }
    rows.lines = range(1, len(found) + 1)
    if not found and not rows.problems:
        rows.add(f"there is no {campaign.items.kind} in this folder; put some there")
    return rows


def _from(folder: Path, path: Path) -> str:
    """A path as seen from the media folder, if it lies there."""
    try:
        return path.resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        return "/" + path.name  # told to leave the folder by the check of media


def _files(root: Path, closed: Path) -> Iterator[Path]:
    """The files below a folder in order of their paths, without what systems hide there."""
    for path in sorted(root.rglob("*")):
        seen = path.relative_to(root).parts
        hidden = any(part.startswith(".") for part in seen) or path.name.lower() in IGNORED
        if path.is_file() and not hidden and not path.resolve().is_relative_to(closed):
            yield path


def _unfit(rows: Rows, kind: str, root: Path, path: Path) -> bool:
    if media_type(kind, path.name) is not None:
        return False
    rows.add(f"{path.relative_to(root)} is of another kind than {kind}; move it elsewhere or change [items] kind")
    return True
