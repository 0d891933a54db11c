"""The page of what was wanted of the ASAP study, and of what came out."""

from collections.abc import Mapping
from typing import Any

from sidewise.studies.asap_goals import THEIRS
from sidewise.studies.asap_words import plain, shown
from sidewise.studies.parts import Rows, Shown
from sidewise.studies.tables import table_of

HEAD = ["", "wanted", "measured", "by median", "the limit", "met"]


def goals(rows: Rows) -> Shown:
    """Wishes and facts."""
    same, published = ([row for row in rows if (row["estimator"] == THEIRS) == own] for own in (False, True))
    said = " ".join(_out_of_reach(row) for row in same if (row["limit"] or 0) > row["wanted"])
    text = f"""
What was wanted of `optimal` before the study was run, and what came out. With the same estimator for all, {_met(same)}
of {len(same)} wishes are met. A wish is met if it is by means over runs and by medians: on the large range, means say
little beside the limit. *The limit* is what the best design would have for one who knows the scores, by median;
± is one standard error.

{table_of(HEAD, [_line(row) for row in same])}

{said or "No wish contradicts the limit."}

Most of what ASAP loses, it loses by its estimator, not by its choice of pairs. Who uses it as published, with the
scores of its own message passing, loses both; of the wishes that compare with it, {_met(published)} of
{len(published)} are met then:

{table_of(HEAD, [_line(row) for row in published])}
"""
    return shown(text, {})


def _met(rows: Rows) -> int:
    return sum(bool(row["met"]) for row in rows)


def _line(row: Mapping[str, Any]) -> list[str]:
    measured = plain(row["measured"]) + (f" ± {plain(row['error'])}" if row["error"] else "")
    return [row["goal"], f"≤ {row['wanted']:g}", measured, plain(row["by_median"]), plain(row["limit"]),
            "yes" if row["met"] else "no"]  # fmt: skip


def _out_of_reach(row: Mapping[str, Any]) -> str:
    """A wish that the limit itself does not grant."""
    begun = f"*{row['goal'].split(':')[0]}*: by the limit itself it could not be less than {plain(row['limit'])}"
    if row["limit"] >= 1:
        return f"{begun}, as a prior has taken `asap` below the limit already."
    near = f"{begun}: with a good estimator `asap` is near to the limit"
    if row["measured"] is not None and row["measured"] < row["limit"]:
        return f"{near}. A prior takes `optimal` below that, but not as far as {row['wanted']:g}."
    return f"{near}, so that {row['wanted']:g} is out of reach."
