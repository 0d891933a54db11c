"""The page of what was wanted of the ASAP study, and of what came out."""

from collections.abc import Mapping
from typing import Any

from sidewise.studies.asap_goals import THEIRS
from sidewise.studies.asap_words import plain, shown
from sidewise.studies.parts import Rows, Shown
from sidewise.studies.tables import table_of

HEAD = ["", "wanted", "measured", "by median", "the limit", "the limit's pairs", "met"]


def goals(rows: Rows) -> Shown:
    """Wishes and facts."""
    same, published = ([row for row in rows if (row["estimator"] == THEIRS) == own] for own in (False, True))
    said = " ".join(sentence for row in same if (sentence := _out_of_reach(row) or _beyond_its_pairs(row)))
    text = f"""
What was wanted of `optimal` before the study was run, and what came out. With the same estimator for all, {_met(same)}
of {len(same)} wishes are met. A wish is met if it is by means over runs and by medians: on the large range, means say
little beside the limit. *The limit* is what the best design would have for one who knows the scores, by median, if
errors were as small as the bound says; *the limit's pairs* is what they do have, by mean and with the same estimator
as all; ± is one standard error.

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
            plain(row["as_limit"]), "yes" if row["met"] else "no"]  # fmt: skip


def _out_of_reach(row: Mapping[str, Any]) -> str:
    """A wish that the limit itself does not grant."""
    if (row["limit"] or 0) <= row["wanted"]:
        return ""
    begun = f"*{row['goal'].split(':')[0]}*: by the limit itself it could not be less than {plain(row['limit'])}"
    if row["limit"] >= 1:
        return f"{begun}, as a prior has taken `asap` below the limit already."
    near = f"{begun}: with a good estimator `asap` is near to the limit"
    if row["measured"] is not None and row["measured"] < row["limit"]:
        far = f"to {plain(row['measured'])}" if row["met"] else f"but not as far as {row['wanted']:g}"
        return f"{near}. A prior takes `optimal` below that, {far}."
    return f"{near}, so that {row['wanted']:g} is out of reach."


def _beyond_its_pairs(row: Mapping[str, Any]) -> str:
    """A wish that is not met, nor by those who know the scores and ask as the limit does."""
    if row["met"] or (row["as_limit"] or 0) <= row["wanted"]:
        return ""
    return (
        f"*{row['goal'].split(':')[0]}*: {row['wanted']:g} is not granted to one who knows the scores and asks for the "
        f"limit's pairs, either, who has {plain(row['as_limit'])} with the same estimator: the bound is one for many "
        f"answers. `optimal`, whose pairs go by the answers, has {plain(row['measured'])}."
    )
