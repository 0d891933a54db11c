"""A campaign to try things out with: pictures that anybody can judge at once, and whose true order is known."""

import csv
from math import hypot, log
from pathlib import Path
from random import Random
from typing import NamedTuple

from sidewise.collect.campaign.campaign import Campaign

FEWEST, MOST = 14, 90  # dots on a picture
SPREAD = 2.0  # probits between pictures of which one has e times the dots: neighbours are hard to tell, others are not
SIZE, MARGIN, GAP = 400, 14, 3
PALETTES = (
    ("#fdf6e3", "#cb4b16", "#268bd2", "#859900", "#b58900"),
    ("#0b132b", "#5bc0be", "#ffd166", "#ef476f", "#f8f9fa"),
    ("#f4f1de", "#e07a5f", "#3d405b", "#81b29a", "#f2cc8f"),
    ("#1d3557", "#f1faee", "#a8dadc", "#e63946", "#ffb703"),
)
CAMPAIGN = """\
# A campaign to look around with. Which of two pictures has more dots can be seen at a glance, or nearly, and the
# table of items knows the truth.

[campaign]
name = "dots"
title = "Which picture has more dots?"
question = "Which picture has more dots?"
instructions = \"\"\"
Look at both pictures and choose the one with **more dots**. There is no need to count: your first impression is what
we are after.
\"\"\"

[items]
source = "items.csv"
kind = "image"
attributes = ["dots", "score"] # the truth: exported, never shown

[answers]
tie = true
skip = true
reasons = ["A picture does not load", "I cannot tell"]

[serving]
overlap = 3

[sampling]
method = "optimal"

[stopping]
rmse = 0.2

[budget]
answers = 600
"""


class Dot(NamedTuple):
    """A circle on a picture."""

    x: float
    y: float
    radius: float
    colour: str


def demo_campaign(folder: str | Path, *, pictures: int = 24, seed: int = 7) -> Campaign:
    """Write a campaign about generated pictures into a folder, and read it.

    The attribute ``score`` of each item is its true score, in probits: where one lies 1 above another, 84 % of honest
    answers say so.
    """
    folder, rng = Path(folder), Random(seed)  # noqa: S311 - pictures, no secrets
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    counts = _counts(pictures)
    middle = sum(map(log, counts)) / pictures
    rng.shuffle(counts)
    rows = []
    for number, count in enumerate(counts, 1):
        name = f"picture-{number:02d}"
        (folder / "pictures" / f"{name}.svg").write_text(_picture(count, rng), encoding="utf-8")
        rows.append([name, f"pictures/{name}.svg", count, round(SPREAD * (log(count) - middle), 4)])
    with (folder / "items.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([["id", "media", "dots", "score"], *rows])
    (folder / "campaign.toml").write_text(CAMPAIGN, encoding="utf-8")
    return Campaign.read(folder / "campaign.toml")


def _counts(pictures: int) -> list[int]:
    """Numbers of dots, each so many per cent more than the one before it, and at least one more."""
    steps = max(pictures - 1, 1)
    counts = [round(FEWEST * (MOST / FEWEST) ** (step / steps)) for step in range(pictures)]
    for place in range(1, pictures):
        counts[place] = max(counts[place], counts[place - 1] + 1)
    return counts


def _picture(count: int, rng: Random) -> str:
    ground, *colours = rng.choice(PALETTES)
    dots = _dots(count, rng, colours)
    circles = "\n".join(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{r:.1f}" fill="{colour}"/>' for x, y, r, colour in dots)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}">\n'
        f'<rect width="{SIZE}" height="{SIZE}" fill="{ground}"/>\n{circles}\n</svg>\n'
    )


def _dots(count: int, rng: Random, colours: list[str]) -> list[Dot]:
    """Dots that do not touch. Their sizes differ from picture to picture, lest the area tell what the count should."""
    largest = rng.uniform(0.75, 1.15) * min(26.0, 0.42 * SIZE / count**0.5)
    dots: list[Dot] = []
    while len(dots) < count:
        radius = rng.uniform(0.45, 1.0) * largest
        edge = MARGIN + radius
        x, y = rng.uniform(edge, SIZE - edge), rng.uniform(edge, SIZE - edge)
        if all(hypot(x - dot.x, y - dot.y) > radius + dot.radius + GAP for dot in dots):
            dots.append(Dot(x, y, radius, rng.choice(colours)))
        else:
            largest *= 0.999  # so that there is always room in the end
    return dots
