"""The workers of a ranking, to look at: those who deserve a second look come first."""

from collections import Counter
from math import isnan

import numpy as np
import pyarrow as pa

BIAS = "_bias"


def worst_first(workers: pa.Table) -> pa.Table:
    """Flagged workers before the others, the least reliable of either first (or those who agree least)."""
    value = workers["reliability" if "reliability" in workers.column_names else "agreement"].to_numpy()
    unsuspected = workers["flag"].is_null().to_numpy()
    return workers.take(pa.array(np.lexsort((value, unsuspected))))


def flag_counts(workers: pa.Table) -> dict[str, int]:
    """How many workers have each flag, the most frequent one first."""
    return dict(Counter(workers["flag"].drop_null().to_pylist()).most_common())


def about(workers: pa.Table, *, alike: bool = False) -> str:
    """How many there are, and how many deserve a second look, in one line; ``alike`` where they were weighed alike."""
    weighed = ", all weighed alike" if alike and len(workers) > 1 else ""
    whole = f"{len(workers):,} worker{'s' * (len(workers) != 1)}{weighed}"
    counts = flag_counts(workers)
    if not counts:
        return f"{whole}, none flagged"
    return f"{whole}: {', '.join(f'{count:,} {in_number(flag, count)}' for flag, count in counts.items())}"


def in_number(flag: str, count: int) -> str:
    """A flag as it is said of so many workers.

    >>> in_number("favours left", 1), in_number("favours left", 2), in_number("random", 2)
    ('favours left', 'favour left', 'random')
    """
    verb, _, what = flag.partition(" ")
    return f"{verb.removesuffix('s')} {what}" if count != 1 and verb in ("favours", "avoids") else flag


def bias_names(workers: pa.Table) -> list[str]:
    """The factors that the workers may be biased by."""
    return [name.removesuffix(BIAS) for name in workers.column_names if name.endswith(BIAS)]


def worker_cells(workers: pa.Table, limit: int) -> tuple[list[str], list[list[str]]]:
    """The head and the first rows of the workers' table, as strings."""
    known, factors = "reliability" in workers.column_names, bias_names(workers)
    rated = ["reliability", "interval"] if known else []
    head = ["worker", "answers", *rated, *(f"{name} bias" for name in factors), "agreement", "flag"]
    rows = []
    for row in worst_first(workers).slice(0, limit).to_pylist():
        cells = [row["worker"], f"{row['answers']:,}"]
        if known:
            low, high = _number(row["reliability_low"]), _number(row["reliability_high"])
            cells += [_number(row["reliability"]), f"{low} … {high}"]
        cells += [_number(row[f"{name}{BIAS}"]) for name in factors]
        rows.append([*cells, "–" if isnan(row["agreement"]) else f"{row['agreement']:.0%}", row["flag"] or ""])
    return head, rows


def _number(value: float) -> str:
    return "–" if isnan(value) else f"{value:z.2f}"
