"""Measure ``optimal`` on a GPU: ``python benchmarks/sampling_gpu.py``, from the source tree with ``PYTHONPATH=src``.

It needs numpy, scipy, pyarrow and PyTorch. One batch is n − 1 pairs, with EACH comparisons of every item collected, of
random pairs: five standard trials, as in ``sampling.py``, would be 10⁹ answers at n = 20,000 and 6·10⁹ at n = 50,000.
The clock is stopped where a step ends on the GPU. Steps:

- belief: expectation propagation, on the processor;
- covariance: the inverse, with the doubt about the spread;
- gains: S² and the gains of all pairs, in every round;
- narrowing: S after the answers of a round are in, as expected;
- selection: the best pairs of which no two share an item, the walk on the processor included.
"""

import argparse
import csv
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from campaigns import random_pairs

import sidewise.sampling.optimal as strategy
from sidewise.sampling.state import Positions, State

SIZES = (2_000, 5_000, 20_000, 50_000)
EACH = 25  # comparisons of every item
GOALS = {20_000: 3.0, 50_000: 30.0}  # seconds a batch
STEPS = {"believe": "belief", "doubtful": "covariance", "gains": "gains", "narrowed": "narrowing",
         "matched": "selection"}  # fmt: skip
HEADER = ("device", "n", "answers", "batch", "rounds", "batches", "slowest", "seconds", *STEPS.values(), "rest",
          "peak GiB", "goal")  # fmt: skip
RESULTS = Path(__file__).parent / "results" / "sampling-gpu.csv"


class Clock:
    """Seconds of every step, and how often it was taken."""

    def __init__(self, device: str) -> None:
        self.device, self.seconds = device, dict.fromkeys(STEPS.values(), 0.0)
        self.calls = dict.fromkeys(STEPS.values(), 0)

    def now(self) -> float:
        """The time, once the device has nothing left to do."""
        if self.device.startswith("cuda"):
            torch.cuda.synchronize(self.device)
        return perf_counter()

    def timing(self, step: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, on the clock."""

        @wraps(function)
        def timed(*given: Any, **options: Any) -> Any:
            start = self.now()
            found = function(*given, **options)
            self.seconds[step] += self.now() - start
            self.calls[step] += 1
            return found

        return timed


@contextmanager
def on_the_clock(clock: Clock) -> Iterator[None]:
    """The steps of ``optimal``, timed where it calls them."""
    plain = {name: getattr(strategy, name) for name in STEPS}
    try:
        for name, step in STEPS.items():
            setattr(strategy, name, clock.timing(step, plain[name]))
        yield
    finally:
        for name, function in plain.items():
            setattr(strategy, name, function)


def measured(state: State, device: str) -> dict[str, Any]:
    """One batch, by steps."""
    clock = Clock(device)
    if device.startswith("cuda"):
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(device)
    with on_the_clock(clock):
        start = clock.now()
        pairs = strategy.optimal(state, state.n - 1, np.random.default_rng(0), device=device)
        seconds = clock.now() - start
    check(state, pairs)
    peak = torch.cuda.max_memory_allocated(device) / 2**30 if device.startswith("cuda") else None
    return {
        "device": torch.cuda.get_device_name(device) if device.startswith("cuda") else device,
        "n": state.n,
        "answers": len(state.left),
        "batch": len(pairs),
        "rounds": clock.calls["gains"],
        "seconds": seconds,
        **clock.seconds,
        "rest": seconds - sum(clock.seconds.values()),
        "peak GiB": peak,
    }


def repeated(state: State, device: str, times: int) -> dict[str, Any]:
    """The batch in the middle of several by its seconds, with those of the slowest, by which the goal is judged."""
    batches = sorted((measured(state, device) for _ in range(times)), key=lambda row: row["seconds"])
    slowest, goal = batches[-1]["seconds"], GOALS.get(state.n) if device.startswith("cuda") else None
    judged = "" if goal is None else f"< {goal:g} s: {'met' if slowest < goal else 'MISSED'}"
    return batches[times // 2] | {"batches": times, "slowest": slowest, "goal": judged}


def check(state: State, pairs: Positions) -> None:
    """A batch is n − 1 pairs, none twice."""
    codes = np.unique(pairs.min(axis=1) * state.n + pairs.max(axis=1))
    if len(codes) != state.n - 1:
        sys.exit(f"n = {state.n}: {len(pairs)} pairs, {len(codes)} of them different; {state.n - 1} were wanted")


def shown(row: dict[str, Any]) -> str:
    """One line of the table."""
    cells = (row[name] for name in HEADER[1:])
    return "  ".join(f"{_cell(cell):>10}" for cell in cells)


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """All rows, as CSV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows([_cell(row[name]) for name in HEADER] for row in rows)


def main(given: list[str] | None = None) -> None:
    """Measure every size, show each as it ends, and write all."""
    parser = argparse.ArgumentParser(description="Measure the strategy optimal on a GPU.")
    parser.add_argument("--device", default="cuda", help="a device of PyTorch (cuda)")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N", help="numbers of items")
    parser.add_argument("--repeat", type=int, default=9, metavar="K", help="batches of each size (9)")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="FILE", help="the CSV file")
    asked = parser.parse_args(given)
    if asked.device.startswith("cuda") and not torch.cuda.is_available():
        sys.exit("PyTorch sees no GPU here; --device cpu --sizes 300 tries this script without one")
    measured(random_pairs(300, EACH), asked.device)  # what starts up at the first use of a device is no batch's time
    print("  ".join(f"{name:>10}" for name in HEADER[1:]))
    rows: list[dict[str, Any]] = []
    for n in asked.sizes:
        state = random_pairs(n, EACH)
        rows.append(repeated(state, asked.device, asked.repeat))
        print(shown(rows[-1]), flush=True)
        write(asked.out, rows)


if __name__ == "__main__":
    main()
