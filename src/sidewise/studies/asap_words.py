"""Words, tables and lines that parts of the ASAP study share."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from sidewise.studies.asap_pictures import curves
from sidewise.studies.asap_runs import FOR_ORDER, LIMIT, NO_STRATEGIES
from sidewise.studies.parts import Rows, Shown
from sidewise.studies.tables import table_of, three

X = "standard trials"
RMSE, ORDER, TIMES = "RMSE", "rank correlation, Fisher-transformed", "RMSE, as a multiple of the limit"
WITHOUT_RIVALS = ("optimal", FOR_ORDER, *NO_STRATEGIES)


def by_trials(rows: Rows, measure: str) -> str:
    """A line a strategy, best first at the last stop; a column a stop."""
    stops = sorted({row["trials"] for row in rows})
    names = [name for name in dict.fromkeys(row["strategy"] for row in rows) if measure == "rmse" or name != LIMIT]
    sign = -1 if measure == "srocc" else 1
    found = {(row["strategy"], row["trials"]): _drawn(row, measure) for row in rows}
    names.sort(key=lambda name: sign * (found[name, stops[-1]] or 0))
    runs = {row["strategy"]: row["runs"] for row in rows}
    lines = [
        [f"*{name}*" if name in NO_STRATEGIES else name, *(three(found[name, at]) for at in stops), str(runs[name])]
        for name in names
    ]
    return table_of(["", *(f"{at:g}" for at in stops), "runs"], lines)


def _drawn(row: Mapping[str, Any], measure: str) -> float | None:
    """The mean, but the median of the limit."""
    value: float | None = row["rmse_median" if row["strategy"] == LIMIT and measure == "rmse" else measure]
    return value


def standing(title: str, rows: Rows) -> str:
    """Who is best, and who is ahead of ``optimal`` by more than two standard errors."""
    last = max(row["trials"] for row in rows)
    own = [row for row in rows if row["strategy"] not in NO_STRATEGIES]
    best = min((row for row in own if row["trials"] == last), key=lambda row: row["rmse"])
    ahead: dict[str, list[Mapping[str, Any]]] = {}
    for row in own:
        if row["above_optimal_se"] and row["above_optimal"] < -2 * row["above_optimal_se"]:
            ahead.setdefault(row["strategy"], []).append(row)
    said = "; ".join(
        f"`{name}` after {', '.join(format(row['trials'], 'g') for row in some)} (by "
        f"{', '.join(three(-row['above_optimal']) for row in some)})"
        for name, some in ahead.items()
    )
    ours = "" if best["strategy"] == "optimal" else f"`optimal` has {three(mean_of(own, 'optimal', last))}, and "
    return (
        f"{title}: the lowest RMSE after {last:g} standard trials has `{best['strategy']}`, {three(best['rmse'])}; "
        f"{ours}the limit is {three(limit_at(rows, last))}. Ahead of `optimal` by more than two standard errors of the "
        f"difference, run by run: {said or 'none'}."
    )


def in_order(panels: Mapping[str, Rows], ours: str) -> str:
    """How many of the others are ahead of one of our two by rank correlation, half-way and in the end, by range."""
    said = []
    for title, rows in panels.items():
        stops = sorted({row["trials"] for row in rows})
        half, last = stops[len(stops) // 2], stops[-1]
        counts = " and ".join(str(sum(others > own for others in found)) for own, found in
                              (_correlations(rows, ours, at) for at in (half, last)))  # fmt: skip
        said.append(f"{counts} on the {title.split(',')[0].lower()}")
    others = len({row["strategy"] for row in rows} - set(WITHOUT_RIVALS))
    return (f"Of {others} others, after {half:g} and after {last:g} standard trials, ahead of `{ours}` are "
            f"{', '.join(said)}.")  # fmt: skip


def _correlations(rows: Rows, ours: str, at: float) -> tuple[float, list[float]]:
    """One strategy's at a stop, and those of all that are not ours."""
    own = {row["strategy"]: row["fisher"] for row in rows if row["trials"] == at}
    return own[ours], [value for name, value in own.items() if name not in WITHOUT_RIVALS]


def limit_at(rows: Rows, trials: float) -> float:
    """The median of the limit."""
    return mean_of(rows, LIMIT, trials, "rmse_median")


def errors(panels: Mapping[str, Rows]) -> Any:
    """RMSE against standard trials, a panel each."""
    of = {title: [_point(row, "rmse") for row in rows] for title, rows in panels.items()}
    return curves([row for rows in of.values() for row in rows], panels=of, titles=(X, RMSE), log_scale=True)


def orders(panels: Mapping[str, Rows]) -> Any:
    """Rank correlations against standard trials, a panel each."""
    of = {title: [_point(row, "fisher") for row in rows if row["fisher"] is not None]
          for title, rows in panels.items()}  # fmt: skip
    return curves([row for rows in of.values() for row in rows], panels=of, titles=(X, ORDER), log_scale=False)


def ratios(panels: Mapping[str, Rows]) -> Any:
    """RMSE as a multiple of the limit, by medians, a panel each."""
    of = {title: [{"strategy": row["strategy"], "x": row["trials"],
                   "value": row["rmse_median"] / limit_at(rows, row["trials"])} for row in rows]
          for title, rows in panels.items()}  # fmt: skip
    return curves([row for rows in of.values() for row in rows], panels=of, titles=(X, TIMES), log_scale=True)


def _point(row: Mapping[str, Any], measure: str) -> dict[str, Any]:
    return {"strategy": row["strategy"], "x": row["trials"], "value": _drawn(row, measure),
            "low": row[f"{measure}_low"], "high": row[f"{measure}_high"]}  # fmt: skip


def mean_of(rows: Rows, strategy: str, trials: float, name: str = "rmse") -> float:
    """One figure of a strategy at a stop."""
    return float(next(row[name] for row in rows if (row["strategy"], row["trials"]) == (strategy, trials)))


def value_of(rows: Rows, what: str, strategy: str, trials: float) -> float:
    """One figure of a table in long form."""
    wanted = (what, strategy, trials)
    return float(next(row["value"] for row in rows if (row["what"], row["strategy"], row["trials"]) == wanted))


def stops_of(rows: Rows, what: str) -> Sequence[float]:
    """The stops of a kind of figure, in a table in long form."""
    return sorted({row["trials"] for row in rows if row["what"] == what})


def runs_said(rows: Rows) -> str:
    """Over how many runs the figures are."""
    counts = sorted({row["runs"] for row in rows})
    return f"{' or '.join(map(str, counts))} {'run' if counts[-1] == 1 else 'runs'}."


def runs_of(rows: Rows, what: str) -> str:
    """Over how many runs a kind of figure is."""
    return runs_said([row for row in rows if row["what"] == what]).rstrip(".")


def run_counts(rows: Rows) -> str:
    """How many runs, and whose."""
    runs = {row["strategy"]: row["runs"] for row in rows if row["strategy"] != LIMIT}
    by_count = {count: [name for name, own in runs.items() if own == count] for count in sorted(set(runs.values()))}
    (usual, names), *others = sorted(by_count.items(), key=lambda item: -len(item[1]))
    said = "; ".join(f"{', '.join(f'`{name}`' for name in some)} {count}" for count, some in others)
    each = f" for each of {len({row['world'] for row in rows})} references" if " " in rows[0]["world"] else ""
    return f"{usual} {'run' if usual == 1 else 'runs'}{each}{f', but {said}' if names and said else ''}."


def percent(share: float, digits: int = 0) -> str:
    """A share, in per cent."""
    return f"{100 * share:.{digits}f} %"


def more(ratio: float) -> str:
    """By how many per cent a ratio is above or below 1."""
    return f"{abs(100 * ratio):.0f} % {'more' if ratio > 0 else 'less'}"


def plain(value: float | None) -> str:
    """Three digits, or a dash."""
    return "–" if value is None else f"{value:.3f}"


def shown(text: str, pictures: Mapping[str, Any]) -> Shown:
    """Text with its paragraphs wrapped, whatever the figures in them have done to the lines."""
    return Shown("\n\n".join(map(_wrapped, text.strip().split("\n\n"))), pictures)


def _wrapped(block: str) -> str:
    if block.startswith(("|", "#", "!", "-")):
        return block
    return fill(block.replace("\n", " "), 120, break_long_words=False, break_on_hyphens=False)
