"""What the page of the ASAP study says of effort: the time that choosing takes, and the answers that a target takes."""

from collections.abc import Mapping
from typing import Any

from sidewise.studies.asap_pictures import bars, curves
from sidewise.studies.asap_words import shown
from sidewise.studies.parts import Rows, Shown
from sidewise.studies.tables import table_of


def figure_8(rows: Rows) -> Shown:
    """Time."""
    sizes = sorted({row["n"] for row in rows})
    at = {(row["strategy"], row["n"]): row for row in rows}
    names = list(dict.fromkeys(row["strategy"] for row in rows))
    names.sort(key=lambda name: -max(row["seconds"] for row in rows if row["strategy"] == name))

    def table(what: str) -> str:
        lines = [[name, *(_seconds(at.get((name, n)), what) for n in sizes)] for name in names]
        return table_of(["", *map(str, sizes)], lines)

    text = f"""
The time it takes to choose the next pairs when all pairs have been asked five times, on one core: a batch of n − 1
pairs, and a single pair, as the paper has it. A strategy that takes more than five seconds is not asked about more
items. *The paper*: on a processor, ASAP takes longest of all; on a GPU it is faster than the others. `make
bench-sampling` measures memory too, up to 5,000 items, and a literal ASAP beside ours: see
[its results](../../benchmarks.md).

![Figure 8](figure-8.svg)

A batch, by the number of items:

{table("seconds")}

A single pair:

{table("seconds_one")}
"""
    drawn = [dict(row) | {"x": row["n"], "value": row["seconds"]} for row in rows]
    panels = {"A batch of n − 1 pairs": drawn}
    return shown(text, {"figure-8": curves(drawn, panels=panels, titles=("items", "seconds"), log_scale=True)})


def _seconds(row: Mapping[str, Any] | None, what: str) -> str:
    if row is None:
        return "–"
    value = float(f"{row[what]:.2g}")
    unit, size = ("s", 1.0) if value >= 1 else ("ms", 1e-3) if value >= 1e-3 else ("µs", 1e-6)
    return f"{value / size:g} {unit}"


def figure_9(rows: Rows) -> Shown:
    """Effort."""
    panels, tables = {}, []
    for n in dict.fromkeys(row["n"] for row in rows):
        own = sorted((row for row in rows if row["n"] == n), key=lambda row: row["comparisons"] or 10 * row["tried"])
        panels[f"{n} items"] = [_bar(row) for row in own]
        lines = [[row["strategy"], *_effort(row), f"{row['paper']:,}" if row["paper"] else "–"] for row in own]
        tables.append(f"{n} items:\n\n" + table_of(["", "comparisons", "hours", "the paper's"], lines))
    text = f"""
Comparisons until the mean RMSE is {rows[0]["target"]:g}, and hours if one takes 5 seconds; between stops, the error is
taken to fall as a power of the number of comparisons. Medium range. The diamonds are the paper's figures, which were
had on another simulator. Pale bars end where the study ended, above the target.

![Figure 9](figure-9.svg)

{(chr(10) * 2).join(tables)}
"""
    return shown(text, {"figure-9": bars(panels, title="comparisons")})


def _effort(row: Mapping[str, Any]) -> tuple[str, str]:
    if row["comparisons"] is None:
        return f"more than {row['tried']:,}", "–"
    return f"{row['comparisons']:,}", f"{row['hours']:.2f}"


def _bar(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"strategy": row["strategy"], "value": row["comparisons"] or row["tried"], "says": _effort(row)[0],
            "more": row["comparisons"] is None, "paper": row["paper"]}  # fmt: skip
