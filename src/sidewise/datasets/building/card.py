"""The data card: what the data set is, how it was made, and what to know before using it."""

from collections.abc import Sequence
from math import isnan, sqrt
from pathlib import Path

import numpy as np

from sidewise.datasets.building.choosing import group_label
from sidewise.datasets.building.graphs import Positions, all_pairs
from sidewise.datasets.building.pair_set import PairSet

Row = tuple[str, str]

FILES = {
    "items.csv": "the items, one a row",
    "pairs.csv": "the pairs to be asked, `left` and `right` by id, in random order",
    "controls.csv": "control comparisons and their right answer, `winner`",
    "pages.csv": "the tasks of every page in their order: `page`, `position`, `kind` (real, control), `left`, `right`",
    "left_out.csv": "rows of the source that were filtered out, each with the reason",
    "campaign.toml": "the campaign that asks about these pairs",
    "build.json": "what was asked for and what came out, for programs",
}
CAPTIONS = {
    "groups": "Items to choose from (pale) and chosen (dark), by group.",
    "truth": "The truth of the chosen items.",
    "degrees": "How many pairs items are in (bars), beside the binomial distribution of pairs drawn evenly (line).",
    "gaps": "How far apart the truths of the two items are, of pairs and of controls; the closer, the harder to judge.",
}


def card_text(made: PairSet, folder: Path, *, pictures: Sequence[str]) -> str:
    """The card, in Markdown."""
    settings = made.settings
    parts = [
        f"# {settings['title'] or 'A side-by-side data set'}",
        _about(made),
        "## At a glance\n\n" + _table(("", ""), _glance(made)),
        "## How it was made\n\n" + _steps(made),
        *_groups(made),
        *_pictures(pictures),
        "## Files\n\n" + _table(("file", "what", "size"), _files(folder)),
        "Check that they are whole with `sha256sum --check manifest.sha256`.",
        "## Before you use it\n\n" + _caveats(made, folder),
    ]
    return "\n\n".join(parts) + "\n"


def _about(made: PairSet) -> str:
    question, licence = made.settings["question"], made.settings["licence"]
    asked = f' Workers are asked: "{question}"' if question else ""
    return (
        f"{made.items.num_rows:,} items in {len(made):,} pairs, to be judged side by side.{asked}\n\n"
        f"Licence: {licence or 'not stated; state it before you publish'}. Source: {made.settings['source']}."
    )


def _glance(made: PairSet) -> list[Row]:
    n, degree, balance = made.items.num_rows, made.degree, made.side_balance
    rows = [("items", f"{n:,}")]
    if made.groups.names:
        rows.append(("groups", f"{int((made.groups.taken > 0).sum()):,} by {' and '.join(made.groups.names)}"))
        rows.append(("items of a group", _span(made.groups.taken[made.groups.taken > 0])))
    rows += [
        ("pairs", f"{len(made):,} of {all_pairs(n):,} ({len(made) / all_pairs(n):.3%})"),
        ("parts of the graph", "1: every item is joined to every other through pairs"),
        ("pairs of an item", f"{_span(degree)}, mean {degree.mean():.2f}, s.d. {degree.std():.2f} ({_chance(made)})"),
        ("share on the left, of an item", f"{balance.min():.3f} to {balance.max():.3f}, mean {balance.mean():.3f}"),
    ]
    if not isnan(made.left_wins_share):
        rows.append(("higher truth on the left", f"{made.left_wins_share:.3f} of pairs that differ"))
    if made.truth is not None:
        rows.append(
            (
                f"truth: {made.columns.truth}",
                f"{made.truth.min():g} to {made.truth.max():g}, mean {made.truth.mean():.2f}",
            )
        )
    rows.append(("controls", _controls(made)))
    rows.append(("pages", f"{made.pages:,} of {made.layout.tasks} real and {made.layout.controls} control tasks"))
    return [*rows, ("seed", str(made.settings["seed"]))]


def _chance(made: PairSet) -> str:
    """The spread of degrees if pairs are drawn evenly: binomial, n − 1 draws with the share of pairs."""
    n, p = made.items.num_rows, len(made) / all_pairs(made.items.num_rows)
    return f"pairs drawn evenly have {sqrt((n - 1) * p * (1 - p)):.2f}"


def _controls(made: PairSet) -> str:
    if not len(made.controls):
        return "none"
    left, margin = made.controls.left_wins.mean(), made.settings["margin"]
    return f"{len(made.controls):,} that differ by more than {margin:g}; the right answer is left for {left:.0%}"


def _steps(made: PairSet) -> str:
    kept, offered = made.read - sum(made.reasons.values()), int(made.groups.candidates.sum())
    steps = [f"{made.read:,} items were read."]
    steps += [
        f"{count:,} {'was' if count == 1 else 'were'} left out: {reason}." for reason, count in made.reasons.items()
    ]
    if made.columns.identity:
        best = f" of the highest {made.columns.quality}" if made.columns.quality else ", drawn at random"
        steps.append(
            f"Of each {made.columns.identity} in a group one item was kept, the one{best}: {offered:,} of {kept:,}."
        )
    steps.append(_choice(made, offered))
    steps.append(_design(made))
    steps.append("Left and right were drawn so that every item is on the left half of the time, or one time off.")
    if len(made.controls):
        wins = f"the item of the {'lower' if made.settings['lower_wins'] else 'higher'} {made.columns.truth}"
        steps.append(
            "Controls were drawn from all pairs that differ enough and are not asked anyway; the right answer is "
            f"{wins}."
        )
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))


def _choice(made: PairSet, offered: int) -> str:
    per_group, quality = made.settings["per_group"], made.columns.quality
    if per_group is None:
        return f"All {offered:,} were taken."
    best = f"those of the highest {quality}" if quality and made.settings["draw"] == "best" else "drawn at random"
    of = "each group" if made.groups.names else "them"
    most = "At most " if (made.groups.taken < per_group).any() else ""
    return f"{most}{per_group:,} of {of} were taken, {best}: {made.items.num_rows:,} items."


def _design(made: PairSet) -> str:
    name = {"erdos-renyi": "a connected Erdős–Rényi graph G(n, m)", "regular": "a connected random regular graph"}
    design = made.settings["design"]
    again = f" It was drawn {made.draws} times until it hung together." if made.draws > 1 else ""
    moved = f" {made.moved:,} pairs were moved to join its parts." if made.moved else ""
    return f"{len(made):,} pairs were drawn: {name.get(design, f'the strategy {design}')}.{again}{moved}"


def _groups(made: PairSet) -> list[str]:
    """A word about groups that are not all alike."""
    groups, per_group = made.groups, made.settings["per_group"]
    notes = []
    if groups.absent:
        notes.append(f"{groups.absent:,} combinations of {' and '.join(groups.names)} have no item at all.")
    short = np.flatnonzero(groups.taken < (per_group or 0))
    if len(short):
        named = "; ".join(
            f"{group_label(groups.names, groups.values[one])}: {groups.taken[one]:,}" for one in short[:20]
        )
        notes.append(
            f"{len(short):,} groups have fewer than {per_group:,} items: {named}{' …' if len(short) > 20 else ''}."
        )
    return ["**Mind:** " + " ".join(notes)] if notes else []


def _pictures(names: Sequence[str]) -> list[str]:
    if not names:
        return []
    return ["## Pictures", *(f"![{CAPTIONS[name]}](pictures/{name}.svg)\n\n*{CAPTIONS[name]}*" for name in names)]


def _files(folder: Path) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for name, what in FILES.items():
        if (folder / name).exists():
            rows.append((f"`{name}`", what, _size((folder / name).stat().st_size)))
    media = [path for path in (folder / "media").rglob("*") if path.is_file()]
    if media:
        rows.append(
            ("`media/`", f"{len(media):,} files that the items name", _size(sum(path.stat().st_size for path in media)))
        )
    return rows


def _caveats(made: PairSet, folder: Path) -> str:
    lines = ["- Nobody has answered yet: this is what is to be asked."]
    if made.media_paths and not (folder / "media").exists():
        lines.append(
            f"- The files of {len(made.media_paths):,} media are not in this folder: put them here, by the paths that "
            "`items.csv` has, before the campaign is served."
        )
    if made.groups.names and made.settings["per_group"]:
        lines.append("- Groups are of equal size by design, and do not show how frequent they are in the source.")
    if made.columns.truth:
        lines.append(f"- `{made.columns.truth}` is taken from the source as it stands; nothing here checked it.")
    if made.columns.identity:
        lines.append(f"- One {made.columns.identity} may stand in several groups, and so be compared with itself.")
    return "\n".join(lines)


def _span(values: Positions) -> str:
    low, high = int(values.min()), int(values.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _size(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
