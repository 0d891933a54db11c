"""One measurement, in a process of its own: ``python child.py METHOD DATA REPEATS`` prints one line of JSON.

The clock runs around the work alone: libraries are imported and data loaded before. Memory is the process's resident
set: its peak while working, and how far that is above what it held just before.
"""

import gc
import json
import resource
import sys
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import pyarrow as pa
from cases import ENOUGH_SECONDS
from data import SETS, DataSet, frame
from peers import FROM_FILE, METHODS, WITH_WORKERS, Scores

STATUS, REFS = Path("/proc/self/status"), Path("/proc/self/clear_refs")


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
    before = _restart_peak()
    seconds: list[float] = []
    scores = None
    while len(seconds) < repeats and sum(seconds) < ENOUGH_SECONDS:
        scores = None
        start = perf_counter()
        scores = work(given)
        seconds.append(perf_counter() - start)
    peak = _peak()
    assert scores is not None
    return Timed(seconds, peak, peak - before, scores)


def _restart_peak() -> int:
    """Let the kernel count the peak from now on, so that loading the data does not hide the work; bytes held now."""
    if not REFS.exists():
        return _peak()
    REFS.write_text("5")
    return _status("VmRSS")


def _peak() -> int:
    if STATUS.exists():
        return _status("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _status(name: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024


def main(method: str, name: str, repeats: str) -> None:
    found = timed(method, SETS[name], int(repeats))

    from optimum import agreement

    words, check = agreement(SETS[name], found.scores)
    sizes = {"peak": found.peak, "above": found.above, "rows": SETS[name].comparisons}
    report = {"seconds": found.seconds, **sizes, "agreement": words, "check": check}
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
