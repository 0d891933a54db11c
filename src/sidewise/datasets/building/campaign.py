"""The campaign file of a pair set: what is shown, what is asked, and which pairs."""

import json
from typing import Any

from sidewise.datasets.building.pair_set import PairSet

QUESTION = "Which of the two is better?"
HEAD = "# Asks about every pair of pairs.csv once, left and right as there.\n"
MEDIA = "# The paths of its media begin in this folder: put the files here before it is served.\n"
CONTROLS = """\
# It asks no controls: those of controls.csv, with their right answers, and the pages that pairs and controls make in
# pages.csv, are for who shows the pages by other means.
"""


def campaign_text(made: PairSet, *, folder: str | None) -> str:
    """A campaign file in TOML; ``folder`` is where the media were copied to."""
    columns, settings = made.columns, made.settings
    shown = {"media": columns.media} if columns.media else {"kind": "text", "text": columns.id}
    attributes = [name for name in dict.fromkeys([*columns.groups, columns.truth]) if name]
    tables: dict[str, dict[str, Any]] = {
        "campaign": {"title": settings["title"], "question": settings["question"] or QUESTION},
        "items": {"source": "items.csv", "id": columns.id, **shown, "folder": folder, "attributes": attributes},
        "serving": {"tasks_per_page": sum(made.layout), "overlap": 1, "sides": "as listed"},
        "sampling": {"method": "full", "allowed": "pairs.csv", "seed": settings["seed"]},
    }
    head = HEAD + (MEDIA if made.media_paths and not folder else "") + (CONTROLS if len(made.controls) else "")
    return head + "".join(f"\n[{name}]\n{_keys(table)}" for name, table in tables.items())


def _keys(table: dict[str, Any]) -> str:
    """Keys and values; texts and lists of texts are written in TOML as they are in JSON."""
    given = {key: value for key, value in table.items() if value not in (None, "", [])}
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in given.items())
