"""One measurement of sampling, in a process of its own: ``python sampling_child.py WHAT NAME N REPEATS`` prints JSON.

WHAT is ``batch`` (n − 1 pairs by the strategy NAME), ``literal`` (plain ASAP, REPEATS pairs of it), ``answer`` (one
more answer, as :class:`sidewise.sampling.online.Running` takes it in) or ``refit`` (the same, from all answers anew).
What is imported at the first call is imported before the clock starts, by a call for FEW items.
"""

import gc
import json
import resource
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from campaigns import standard_trials
from cases import ENOUGH_SECONDS
from memory import peak, restart_peak

from sidewise.sampling.state import State

MOST_MEMORY = 16 << 30  # bytes: what asks for more is stopped, and not the machine
FEW = 5  # items
SWEEPS = 6  # of the messages of all answers in the published code of ASAP; four more for an imagined answer


def batch(name: str, n: int, repeats: int) -> dict[str, Any]:
    """Seconds and memory of n − 1 pairs."""
    from sidewise.sampling.by_name import STRATEGIES

    state, strategy = standard_trials(n), STRATEGIES[name]
    strategy(standard_trials(FEW), FEW - 1, np.random.default_rng(0))

    def work(call: int) -> int:
        fresh = replace(state)  # what a state has worked out once, it keeps; here every call works it out itself
        return len(strategy(fresh, n - 1, np.random.default_rng(call)))

    return repeated(work, repeats)


def answer(_name: str, n: int, repeats: int) -> dict[str, Any]:
    """One answer more about a random pair, each after the one before."""
    from sidewise.sampling.belief import believe
    from sidewise.sampling.online import Running

    running = [Running.of(believe(standard_trials(n)))]
    Running.of(believe(standard_trials(FEW))).after(0, 1, 1.0)

    def work(call: int) -> int:
        i, j = another(n, call)
        running[0] = running[0].after(i, j, 1.0)
        return 1

    return repeated(work, repeats)


def refit(_name: str, n: int, repeats: int) -> dict[str, Any]:
    """The same by a fit of all answers, covariance and all."""
    from sidewise.sampling.belief import believe

    state = standard_trials(n)
    believe(standard_trials(FEW))

    def work(call: int) -> int:
        more = state.with_answers(np.array([another(n, call)]), np.ones(1))
        return len(believe(more).covariance) // n

    return repeated(work, repeats)


def another(n: int, call: int) -> tuple[int, int]:
    """A random pair."""
    i, j = np.random.default_rng(call).choice(n, 2, replace=False).tolist()
    return i, j


def repeated(work: Callable[[int], int], repeats: int) -> dict[str, Any]:
    """Wall clock and processor time of every call, and the peak of memory."""
    gc.collect()
    before = restart_peak()
    seconds: list[float] = []
    busy: list[float] = []
    found = 0
    while len(seconds) < repeats and sum(seconds) < ENOUGH_SECONDS:
        start, used = perf_counter(), process_time()
        found = work(len(seconds))
        busy.append(process_time() - used)
        seconds.append(perf_counter() - start)
    most = peak()
    return {"seconds": seconds, "busy": busy, "peak": most, "above": most - before, "found": found}


def literal(_name: str, n: int, sample: int) -> dict[str, Any]:
    """A batch of plain ASAP: messages of all answers, then the gains of a random sample of pairs, times all pairs.

    The tree is left out, and the messages get as many sweeps as in the published code, not as many as they need:
    both make the literal thing look faster than it is.
    """
    sys.path.append(str(Path(__file__).parent.parent / "tests"))
    import literal_asap as plain  # type: ignore[import-not-found,unused-ignore]

    answers, pairs = decided(standard_trials(n)), np.column_stack(np.triu_indices(n, 1))
    chosen = np.random.default_rng(0).permutation(pairs)[:sample].tolist()
    start, used = perf_counter(), process_time()
    messages = [(plain.NOTHING, plain.NOTHING)] * len(answers)
    for _ in range(SWEEPS):
        messages = plain.sweep(n, answers, messages)
    settled, settled_busy = perf_counter() - start, process_time() - used
    start, used = perf_counter(), process_time()
    for i, j in chosen:
        plain.gain(n, answers, i, j, messages)
    times = len(pairs) / len(chosen)
    seconds = [settled + times * (perf_counter() - start)]
    busy = [settled_busy + times * (process_time() - used)]
    return {"seconds": seconds, "busy": busy, "peak": peak(), "above": None, "found": len(chosen)}


def decided(state: State) -> list[tuple[int, int]]:
    """Winner and loser of every answer."""
    won = state.outcome > 0.5
    ends = np.where(won, state.left, state.right), np.where(won, state.right, state.left)
    return [(int(i), int(j)) for i, j in zip(*ends, strict=True)]


WORKS = {"batch": batch, "literal": literal, "answer": answer, "refit": refit}


def main(what: str, name: str, n: str, repeats: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    print(json.dumps(WORKS[what](name, int(n), int(repeats))))


if __name__ == "__main__":
    main(*sys.argv[1:])
