"""One measurement, in a process of its own: ``python child.py METHOD DATA REPEATS`` prints one line of JSON.

The clock runs around the work alone: libraries are imported and data loaded before. Memory is the process's resident
set: its peak while working, and how far that is above what it held just before.
"""

import gc
import json
import sys
from time import perf_counter
from typing import NamedTuple

import pyarrow as pa
from cases import ENOUGH_SECONDS
from data import SETS, DataSet, frame
from memory import peak, restart_peak
from peers import FROM_FILE, METHODS, WITH_WORKERS, Scores


class Timed(NamedTuple):
    """Seconds of every call, bytes of memory, and the last call's scores."""

    seconds: list[float]
    peak: int
    above: int
    scores: Scores


def timed(method: str, data: DataSet, repeats: int) -> Timed:
    """Call repeatedly; forget each result before the next call, so that only one is ever held."""
    work = METHODS[method]()
    given = data.path if method in FROM_FILE else frame(data, workers=method in WITH_WORKERS)
    gc.collect()
    pa.default_memory_pool().release_unused()  # what reading the file has left behind is no tool's doing
    before = restart_peak()
    seconds: list[float] = []
    scores = None
    while len(seconds) < repeats and sum(seconds) < ENOUGH_SECONDS:
        scores = None
        start = perf_counter()
        scores = work(given)
        seconds.append(perf_counter() - start)
    most = peak()
    assert scores is not None
    return Timed(seconds, most, most - before, scores)


def main(method: str, name: str, repeats: str) -> None:
    found = timed(method, SETS[name], int(repeats))

    from optimum import agreement

    words, check = agreement(SETS[name], found.scores)
    sizes = {"peak": found.peak, "above": found.above, "rows": SETS[name].comparisons}
    report = {"seconds": found.seconds, **sizes, "agreement": words, "check": check}
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
