"""``sidewise score`` for search: a run of documents against preference judgments or grades of relevance."""

import re
from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from sidewise.cli.console import err, plain
from sidewise.cli.leaderboard import Format
from sidewise.cli.places import JSON_TOO, check_place
from sidewise.cli.score_table import Setting
from sidewise.cli.search_names import GRADES, PREFERENCE, Wanted, find_wanted
from sidewise.cli.search_table import Found, print_found, write_found
from sidewise.errors import SidewiseError
from sidewise.preferences.words import counted

if TYPE_CHECKING:
    from sidewise.measures.preference_result import PerQuery
    from sidewise.measures.preference_tally import Missing, Tallies
    from sidewise.preferences import Closure, Preferences, Qrels, Run

USUAL = {
    "preferences": ("ppref@10", "ppref", "rpref@10", "rpref", "average-ppref", "wppref@10", "compatibility"),
    "grades": ("ndcg@10", "err@20", "compatibility"),
}
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
TABLES = (".csv", ".parquet", ".jsonl", ".ndjson", ".json", ".pq")


def is_search(judgments: Path) -> bool:
    """Whether a file holds judgments for search: lines of 4 or 5 fields that blanks separate, and no header.

    The last field is a number, or names one of the documents.
    """
    fields = _first_fields(judgments)
    return len(fields) in (4, 5) and (bool(NUMBER.fullmatch(fields[-1])) or fields[-1] in fields[1:-1])


def is_run(path: Path) -> bool:
    """Whether a file holds a run: lines of 6 fields that blanks separate, of which the fifth is a score."""
    fields = _first_fields(path)
    return len(fields) == 6 and fields[1].upper() == "Q0" and bool(NUMBER.fullmatch(fields[4]))


def _first_fields(path: Path) -> list[str]:
    if path.suffix.lower() in TABLES or not path.is_file():
        return []
    with pa.input_stream(path, compression="detect") as stream:
        head = bytes(stream.read(1 << 16)).decode("utf-8-sig", errors="replace")
    return next((line.split() for line in head.split("\n") if line.strip()), [])


def score_search(
    run: Path,
    judgments: Path,
    measures: list[str],
    *,
    setting: Setting,
    per_query: bool = False,
    against: Path | None = None,
    form: Format = Format.table,
    out: Path | None = None,
    graded: bool = False,
    drop_contradictions: bool = False,
    skip_missing: bool = False,
) -> None:
    """Measure a run, and print the means with their intervals; where another run is named, what they differ by."""
    from sidewise.preferences import Qrels, read_judgments, read_run

    check_place(out, run, judgments, against, endings=JSON_TOO, flag="--out")
    if against == run:
        raise SidewiseError(f"{run} would be compared with itself: name another run with --against")
    for path in (run, against):
        _check_is_no_table(path, judgments)
    judged = read_judgments(judgments, graded=graded)
    names = measures or USUAL["grades" if isinstance(judged, Qrels) else "preferences"]
    wanted = list(dict.fromkeys(find_wanted(name, judged) for name in names))
    scales = _scales(judged, wanted, drop=drop_contradictions)
    runs = [read_run(path) for path in (run, against) if path is not None]
    found = [_measured(some, scales, wanted, "skip" if skip_missing else "zero") for some in runs]
    values = pa.table({"query": list(found[0][0].queries), **{some.measure: _values(some) for some in found[0]}})
    told = Found(_summary(found, setting), values if per_query else None, setting)
    print_found(told, form, against)
    for note in dict.fromkeys(note for some in found[0] for note in some.notes):
        err.print(f"[yellow]note:[/] {plain(note)}", highlight=False, soft_wrap=True)
    if out is not None:
        write_found(told, out)


def _check_is_no_table(run: Path | None, judgments: Path) -> None:
    if run is not None and run.suffix.lower() in TABLES:
        raise SidewiseError(
            f"{judgments} holds judgments for search, and {run} is a table: name a run, whose lines are query, Q0, "
            "document, rank, score and tag"
        )


class Scales(NamedTuple):
    """What runs are held against: grades, preferences, or grades and the preferences that follow from them."""

    grades: "Qrels | None"
    preferences: "Closure | None"


def _scales(judged: "Preferences | Qrels", wanted: Sequence[Wanted], *, drop: bool) -> Scales:
    from sidewise.preferences import Qrels, closure

    grades = judged if isinstance(judged, Qrels) else None
    if grades is not None and not any(one.name in PREFERENCE for one in wanted):
        return Scales(grades, None)
    pairs = judged.preferences() if isinstance(judged, Qrels) else judged
    whole = closure(pairs, on_contradiction="drop" if drop else "raise")
    if whole.contradictions:
        undecided = sum(len(knot.tangled) for knot in whole.contradictions)
        many = counted(len(whole.contradictions), "contradiction")
        err.print(
            f"[yellow]dropped[/] {many}: the order of {counted(undecided, 'document')} is left open", highlight=False
        )
    return Scales(grades, whole)


def _measured(run: "Run", scales: Scales, wanted: Sequence[Wanted], missing: "Missing") -> "list[PerQuery]":
    """All measures of one run; preferences are counted once for all of them."""
    from sidewise.measures.preference_tally import tallied

    asked = any(one.name in PREFERENCE for one in wanted)
    tallies = tallied(run, scales.preferences, missing=missing) if asked and scales.preferences is not None else None
    return [_value(one, run, scales, tallies, missing) for one in wanted]


def _value(wanted: Wanted, run: "Run", scales: Scales, tallies: "Tallies | None", missing: "Missing") -> "PerQuery":
    from sidewise.measures.compatibility import compatibility
    from sidewise.measures.preference import check_best_is_known, measured
    from sidewise.measures.preference_grades import run_err, run_ndcg

    name, k, options = wanted.name, wanted.k, dict(wanted.options)
    judged = scales.preferences if scales.grades is None else scales.grades
    assert judged is not None
    if name == "compatibility":
        return compatibility(run, judged, missing=missing, **options)
    if scales.grades is not None and name in GRADES:
        return (run_ndcg if name == "ndcg" else run_err)(run, scales.grades, k, missing=missing, **options)
    assert tallies is not None
    assert scales.preferences is not None
    if name == "nwppref":
        check_best_is_known(scales.preferences)
    return measured(name, k, tallies)


def _summary(found: "list[list[PerQuery]]", setting: Setting) -> pa.Table:
    """Means and intervals, and what the two runs differ by where there are two; without resamples no intervals."""
    options, rows = setting._asdict(), []
    for some, *others in zip(*found, strict=True):
        row: dict[str, Any] = {"measure": some.measure, "mean": some.mean}
        if setting.resamples:
            known = some.estimate(**options)
            row |= {"low": known.low, "high": known.high}
        row["queries"] = sum(not isnan(value) for value in some.values.tolist())
        for other in others:
            row |= {"against": other.mean, "difference": some.mean - other.mean}
        for other in others if setting.resamples else ():
            lead = some.against(other, **options)
            row |= {"difference": lead.value, "difference_low": lead.low, "difference_high": lead.high}
            row["p_value"] = lead.p_value
        rows.append(row)
    return pa.Table.from_pylist(rows)


def _values(some: "PerQuery") -> pa.Array:
    return some.to_frame()["value"].combine_chunks()
