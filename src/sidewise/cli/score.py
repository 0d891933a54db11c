"""``sidewise score``: how good a ranking is, against a truth; or a search run, against judgments."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pyarrow as pa
import typer

from sidewise.cli.columns import Delimiter, one_character
from sidewise.cli.console import err, explained, progress
from sidewise.cli.leaderboard import Format
from sidewise.cli.places import JSON_TOO, check_place
from sidewise.cli.score_table import Setting, print_scores, write_scores
from sidewise.errors import SidewiseError
from sidewise.ranking.display import counted

USUAL = ("pair-accuracy", "kendall-tau", "spearman", "pearson", "ndcg@10", "ndcg")
NAMES = ("pair-accuracy", "kendall-tau", "spearman", "pearson", "rmse", "ndcg", "err")  # a test compares
ALL = "all items"  # beside the groups
COLUMNS, SEARCH = "Columns", "Search runs"


class Side(StrEnum):
    """What may be turned round."""

    score = "score"
    truth = "truth"


class Absence(StrEnum):
    """What to do with items that one file has and the other has not."""

    error = "error"
    drop = "drop"


def score(
    ranking: Annotated[Path, typer.Argument(help="A ranking, as sidewise rank --out writes it, or any CSV, TSV, Parquet, JSON or JSON Lines file with an item and a score column; or a search run.", show_default=False)],  # noqa: E501
    truth: Annotated[Path, typer.Argument(help="A file with an item and a truth column; for search, judgments or qrels.", show_default=False)],  # noqa: E501
    measure: Annotated[list[str] | None, typer.Option("--measure", help=f"May be repeated: {', '.join(NAMES)}; of the top ten ndcg@10, with options ndcg@10(gain=exp2). For search: ppref@10, rpref@10, average-ppref, wppref@10, nwppref@10, compatibility(p=0.9), ndcg@10, err@20. Several, if none is named.", show_default=False)] = None,  # noqa: E501
    by: Annotated[str | None, typer.Option(help="Column of the truth: measure each of its groups, and all items.")] = None,  # noqa: E501
    against: Annotated[Path | None, typer.Option(help="Another ranking (or run): by how much does the first beat it, and could it be chance?")] = None,  # noqa: E501
    confidence: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="Of the items, for the intervals; 0 makes none.", min=0)] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same intervals.", min=0)] = 0,
    missing: Annotated[Absence, typer.Option(help="Items that one file has not, or has no number for: error, or drop to go on without them.")] = Absence.error,  # noqa: E501
    lower: Annotated[list[Side] | None, typer.Option("--lower-is-better", help="Turn the scores or the truth round, where low numbers are good, such as ranks; may be repeated.")] = None,  # noqa: E501
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.table,
    output: Annotated[Path | None, typer.Option("--out", help="Write the results: .csv, .parquet or .json.")] = None,
    item: Annotated[str | None, typer.Option("--item-column", help="Column of the item.", rich_help_panel=COLUMNS)] = None,  # noqa: E501
    value: Annotated[str | None, typer.Option("--score-column", help="Column of the score.", rich_help_panel=COLUMNS)] = None,  # noqa: E501
    true: Annotated[str | None, typer.Option("--truth-column", help="Column of the truth.", rich_help_panel=COLUMNS)] = None,  # noqa: E501
    true_item: Annotated[str | None, typer.Option("--truth-item-column", help="Column of the item in the truth, where it has another name there.", rich_help_panel=COLUMNS)] = None,  # noqa: E501
    delimiter: Delimiter = None,
    per_query: Annotated[bool, typer.Option("--per-query", help="Print every query.", rich_help_panel=SEARCH)] = False,
    graded: Annotated[bool, typer.Option("--graded", help="Codes of preferences are degrees: −3 is strongly preferred.", rich_help_panel=SEARCH)] = False,  # noqa: E501
    drop_contradictions: Annotated[bool, typer.Option("--drop-contradictions", help="Leave pairs within contradictions undecided, and go on.", rich_help_panel=SEARCH)] = False,  # noqa: E501
    skip_missing: Annotated[bool, typer.Option("--skip-missing", help="Leave out queries that the run has nothing for, which count 0 otherwise.", rich_help_panel=SEARCH)] = False,  # noqa: E501
) -> None:  # fmt: skip
    """Measure a ranking against a truth, with intervals; or a search run against judgments.

    Higher is better in both files. The columns are found by their usual names: item or id; score; truth, score, grade,
    relevance and so on. Otherwise name them.
    """
    with explained():
        for path in (ranking, truth, against):
            if path is not None and not path.exists():
                raise SidewiseError(f"there is no file {path}")
        setting = Setting(confidence, resamples, seed)
        for_search = {"--per-query": per_query, "--graded": graded, "--drop-contradictions": drop_contradictions,
                      "--skip-missing": skip_missing}  # fmt: skip
        columns = {"--item-column": item, "--score-column": value, "--truth-column": true,
                   "--truth-item-column": true_item, "--delimiter": delimiter}  # fmt: skip
        if _is_search(ranking, truth):
            _refuse({"--missing": missing is Absence.drop}, "search runs", "to leave out queries, say --skip-missing")
            _refuse({"--by": by, "--lower-is-better": lower} | columns, "search runs")
            _score_search(ranking, truth, against, measure or [], setting, form, output, list(for_search.values()))
            return
        _refuse_run(ranking, truth)
        _refuse(for_search, "rankings of items")
        check_place(output, ranking, truth, against, endings=JSON_TOO, flag="--out")
        sides = _read(ranking, truth, against, columns, by)
        table = _score(sides, lower or [], measure or [], missing, setting)
        print_scores(table, form, by, list(sides.numbers)[1] if against else None, setting)
        if output is not None:
            write_scores(table, setting, output)


def _is_search(ranking: Path, judgments: Path) -> bool:
    """Whether the judgments look like some; beside a run, whatever is no table is read as such, and bad lines named."""
    from sidewise.cli.score_search import TABLES, is_run, is_search

    if is_run(judgments):
        raise SidewiseError(f"{judgments} is a run of a search engine: name the run first, and then the judgments")
    return is_search(judgments) or (is_run(ranking) and judgments.suffix.lower() not in TABLES)


def _refuse_run(ranking: Path, truth: Path) -> None:
    from sidewise.cli.score_search import is_run

    if is_run(ranking):
        raise SidewiseError(
            f"{ranking} is a run of a search engine, and {truth} holds no judgments for one: their lines are query, "
            "document, document and judgment, or query, 0, document and grade"
        )


def _score_search(
    run: Path, judgments: Path, against: Path | None, measures: list[str], setting: Setting, form: Format,
    output: Path | None, flags: Sequence[bool],
) -> None:  # fmt: skip
    from sidewise.cli.score_search import score_search

    per_query, graded, drop_contradictions, skip_missing = flags
    score_search(
        run, judgments, measures, setting=setting, per_query=per_query, against=against, form=form, out=output,
        graded=graded, skip_missing=skip_missing, drop_contradictions=drop_contradictions,
    )  # fmt: skip


def _refuse(given: Mapping[str, Any], what: str, cure: str = "leave it out") -> None:
    for flag, value in given.items():
        if value:
            raise SidewiseError(f"{flag} is not for {what}: {cure}")


class Sides(NamedTuple):
    """The numbers of every file by its name, the truth last, and the groups of the items."""

    numbers: dict[str, Any]
    groups: dict[str, str]


def _read(ranking: Path, truth: Path, against: Path | None, named: Mapping[str, str | None], by: str | None) -> Sides:
    from sidewise.cli.score_files import Asked, read_scores, read_truth

    if against == ranking:
        raise SidewiseError(f"{ranking} would be compared with itself: name another ranking with --against")
    item, delimiter = named["--item-column"], one_character(named["--delimiter"])
    rankings = [ranking] if against is None else [ranking, against]
    read = [read_scores(path, Asked(item, named["--score-column"], None, delimiter)) for path in rankings]
    read.append(read_truth(truth, Asked(named["--truth-item-column"] or item, named["--truth-column"], by, delimiter)))
    names = [*map(str, rankings), f"{truth} (truth)" if truth in rankings else str(truth)]  # one file may hold both
    return Sides({name: one.numbers for name, one in zip(names, read, strict=True)}, read[-1].groups)


def _score(
    sides: Sides, lower: Sequence[Side], measures: Sequence[str], missing: Absence, setting: Setting
) -> pa.Table:  # fmt: skip
    """One row for every group and measure."""
    from sidewise.measures.aligned import align

    met = align(sides.numbers, missing=missing.value)
    if met.dropped:
        left = counted(met.dropped, "item")
        err.print(f"[yellow]left out[/] {left} without a number in every file, as asked", highlight=False)
    signs = [-1 if Side.score in lower else 1] * (len(met.values) - 1) + [-1 if Side.truth in lower else 1]
    values = [sign * one for sign, one in zip(signs, met.values, strict=True)]
    wanted = _wanted(measures, values[-1])
    tasks = [(group, places, one) for group, places in _groups(met.ids, sides.groups) for one in wanted]
    rows = []
    with progress("measuring") as bar:
        for done, (group, places, measure) in enumerate(tasks, 1):
            row = {"group": group, "measure": str(measure), "items": len(places)}
            rows.append(row | _measured(measure, [one[places] for one in values], setting))
            bar(done, len(tasks))
    table = pa.Table.from_pylist(rows)
    return table if sides.groups else table.drop_columns(["group"])


def _wanted(names: Sequence[str], truth: Any) -> list[Any]:
    """The measures of the names, or the usual ones that suit the truth."""
    from sidewise.measures import find_measure

    if not names and (truth < 0).any():
        err.print("without ndcg, since the truth has negative values, which are no gains", highlight=False)
        names = [name for name in USUAL if not name.startswith("ndcg")]
    return list(dict.fromkeys(find_measure(name) for name in names or USUAL))


def _groups(ids: pa.ChunkedArray, named: Mapping[str, str]) -> list[tuple[str, Any]]:
    """The places of all items, and of each group's, in the order of their names."""
    member = np.array([named[one] for one in ids.to_pylist()] if named else [], object)
    return [(ALL, np.arange(len(ids))), *((name, np.flatnonzero(member == name)) for name in sorted(set(member)))]


def _measured(measure: Any, values: Sequence[Any], setting: Setting) -> dict[str, float]:
    """A measure of the scores, and by how much it is above that of the others where there are any."""
    from sidewise.measures import bootstrap, compare

    options = setting._asdict()
    *scores, truth = values
    found = {"value": measure(scores[0], truth)}
    if setting.resamples:
        known = bootstrap(measure, scores[0], truth, **options)
        found |= {"low": known.low, "high": known.high}
    if len(scores) > 1:
        found["against"] = measure(scores[1], truth)
        found["difference"] = found["value"] - found["against"]
    if len(scores) > 1 and setting.resamples:
        lead = compare(measure, scores[0], scores[1], truth, **options)
        found |= {"difference_low": lead.low, "difference_high": lead.high, "p_value": lead.p_value}
    return found
