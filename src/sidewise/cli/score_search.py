"""``sidewise score`` for search: a run of documents against preference judgments or grades of relevance."""

import re
from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from rich import box
from rich.table import Table

from sidewise.cli.console import err, out, plain
from sidewise.cli.places import JSON_TOO, check_place, write_place
from sidewise.errors import MeasureError
from sidewise.preferences.words import counted

if TYPE_CHECKING:
    from sidewise.measures.preference_result import PerQuery
    from sidewise.measures.preference_tally import Missing, Tallies
    from sidewise.preferences import Closure, Preferences, Qrels, Run

PREFERENCE = ("ppref", "rpref", "average-ppref", "wppref", "nwppref")
GRADES = ("ndcg", "err")
EITHER = ("compatibility",)
WHOLE = ("average-ppref", "compatibility")  # measures that take no rank
ALIASES = {"appref": "average-ppref", "ap-pref": "average-ppref", "compat": "compatibility",
           "expected-reciprocal-rank": "err"}  # fmt: skip
USUAL = {
    "preferences": ("ppref@10", "ppref", "rpref@10", "rpref", "average-ppref", "wppref@10", "compatibility"),
    "grades": ("ndcg@10", "err@20", "compatibility"),
}
NUMBER = re.compile(r"[+-]?\d+(\.\d*)?")
TABLES = (".csv", ".parquet", ".jsonl", ".ndjson", ".json", ".pq")


class Wanted(NamedTuple):
    """A measure and the rank down to which it looks; None for all."""

    name: str
    k: int | None


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
    confidence: float,
    resamples: int,
    seed: int,
    per_query: bool,
    against: Path | None,
    out: Path | None,
    graded: bool = False,
    drop_contradictions: bool = False,
    skip_missing: bool = False,
) -> None:
    """Measure a run, and print the means with their intervals; where another run is named, what they differ by."""
    from sidewise.preferences import Qrels, read_judgments, read_run

    check_place(out, run, judgments, endings=JSON_TOO, flag="--out")
    judged = read_judgments(judgments, graded=graded)
    names = measures or USUAL["grades" if isinstance(judged, Qrels) else "preferences"]
    wanted = list(dict.fromkeys(find_wanted(name, judged) for name in names))
    scales = _scales(judged, wanted, drop=drop_contradictions)
    runs = [read_run(path) for path in (run, against) if path is not None]
    found = [_measured(some, scales, wanted, "skip" if skip_missing else "zero") for some in runs]
    summary = _summary(found, confidence=confidence, resamples=resamples, seed=seed)
    values = pa.table({"query": list(found[0][0].queries), **{some.measure: _values(some) for some in found[0]}})
    if per_query:
        _print(values, {name: name for name in values.column_names})
    _print_summary(summary, confidence, against)
    for note in dict.fromkeys(note for some in found[0] for note in some.notes):
        err.print(f"[yellow]note:[/] {plain(note)}", highlight=False, soft_wrap=True)
    write_place("results", values if per_query else summary, out)


def find_wanted(text: str, judged: "Preferences | Qrels") -> Wanted:
    """A measure by its name: ppref@10, rpref@max, average-ppref, wppref@10, compatibility, ndcg@10, err@20."""
    from sidewise.preferences import Qrels

    name, at, depth = re.sub(r"\s", "", text).replace("_", "-").lower().partition("@")
    name = ALIASES.get(name, name)
    if name not in (*PREFERENCE, *GRADES, *EITHER):
        raise MeasureError(f"no measure {text!r} for search; there are: {', '.join((*PREFERENCE, *GRADES, *EITHER))}")
    if name in GRADES and not isinstance(judged, Qrels):
        raise MeasureError(
            f"{text} takes grades of relevance (qrels), and the judgments are preferences: use {', '.join(PREFERENCE)}"
        )
    if at and name in WHOLE:
        raise MeasureError(f"{text}: {name} looks at all ranks; leave out @{depth}")
    if at and depth != "max" and not (depth.isdecimal() and int(depth) > 0):
        raise MeasureError(f"{text}: after @ comes a rank, 1 or more, or max for all, as in {name}@10")
    return Wanted(name, int(depth) if depth.isdecimal() else None)


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

    counted = any(one.name in PREFERENCE for one in wanted) and scales.preferences is not None
    tallies = tallied(run, scales.preferences, missing=missing) if counted and scales.preferences else None
    return [_value(one, run, scales, tallies, missing) for one in wanted]


def _value(wanted: Wanted, run: "Run", scales: Scales, tallies: "Tallies | None", missing: "Missing") -> "PerQuery":
    from sidewise.measures.compatibility import compatibility
    from sidewise.measures.preference import check_best_is_known, measured
    from sidewise.measures.preference_grades import run_err, run_ndcg

    name, k = wanted
    judged = scales.grades or scales.preferences
    assert judged is not None
    if name == "compatibility":
        return compatibility(run, judged, missing=missing)
    if scales.grades is not None and name in GRADES:
        return (run_ndcg if name == "ndcg" else run_err)(run, scales.grades, k, missing=missing)
    assert tallies is not None
    assert scales.preferences is not None
    if name == "nwppref":
        check_best_is_known(scales.preferences)
    return measured(name, k, tallies)


def _summary(found: "list[list[PerQuery]]", **options: Any) -> pa.Table:
    """Means and intervals, and what the two runs differ by where there are two; without resamples no intervals."""
    rows = []
    for some, *others in zip(*found, strict=True):
        row: dict[str, Any] = {"measure": some.measure, "mean": some.mean}
        if options["resamples"]:
            known = some.estimate(**options)
            row |= {"low": known.low, "high": known.high}
        row["queries"] = sum(not isnan(value) for value in some.values.tolist())
        for other in others:
            row |= {"against": other.mean, "difference": some.mean - other.mean}
        for other in others if options["resamples"] else ():
            lead = some.against(other, **options)
            row |= {"difference": lead.value, "difference_low": lead.low, "difference_high": lead.high}
            row["p_value"] = lead.p_value
        rows.append(row)
    return pa.Table.from_pylist(rows)


def _values(some: "PerQuery") -> pa.Array:
    return some.to_frame()["value"].combine_chunks()


def _print_summary(table: pa.Table, confidence: float, against: Path | None) -> None:
    level = f"{100 * confidence:g} % interval"
    _print(table, {"measure": "measure", "mean": "mean", "low": level, "queries": "queries"})
    if against is not None:
        out.print(f"against {plain(against)}:", highlight=False, soft_wrap=True)
        columns = {"against": "mean", "difference": "difference", "difference_low": level, "p_value": "p"}
        _print(table, {"measure": "measure", **columns})


def _print(table: pa.Table, titles: Mapping[str, str]) -> None:
    """Some columns of a table; a low limit is shown with its high one."""
    known = {name: title for name, title in titles.items() if name in table.column_names}
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for place, title in enumerate(known.values()):
        shown.add_column(plain(title), justify="right" if place else "left", no_wrap=True)
    for row in table.to_pylist():
        shown.add_row(*(plain(_cell(name, row)) for name in known))
    out.print(shown)


def _cell(name: str, row: Mapping[str, Any]) -> str:
    value = row[name]
    if value is None or (isinstance(value, float) and isnan(value)):
        return "–"
    if isinstance(value, str | int):
        return f"{value:,}" if isinstance(value, int) else value
    sign = "+" if name.startswith("difference") else ""
    if name.endswith("low"):
        return f"{value:{sign}.4f} … {row[name.replace('low', 'high')]:{sign}.4f}"
    return f"{value:.3f}" if name == "p_value" else f"{value:{sign}.4f}"
