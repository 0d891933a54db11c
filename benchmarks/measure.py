"""Measurements from outside: one fresh process each, with a time limit. Nothing heavy is imported here, so that no
process starts with the memory of its parent.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile
from time import monotonic, perf_counter, sleep

from cases import ENOUGH_SECONDS, Command, Fit

HERE = Path(__file__).parent
SCRIPTS = Path(sys.executable).parent
STAT = Path("/proc/stat")
CORES = 2


class FailedError(Exception):
    """A measurement that came to nothing, with the reason to show."""


@dataclass(frozen=True)
class Measured:
    """What one row of a table shows."""

    seconds: tuple[float, ...]
    peak: int  # bytes
    above: int | None = None  # bytes, over imports and data
    rows: int | None = None
    agreement: str = ""
    check: str = ""

    @property
    def first(self) -> float:
        """What a user waits for the first time."""
        return self.seconds[0]

    @property
    def best(self) -> float:
        """The least disturbed call."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """The usual call; goals are judged by it."""
        return median(self.seconds)


def use_few_cores() -> None:
    """The goals are stated for two cores; processes started from here keep to them."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])


class Others:
    """How many cores other processes keep busy from now on."""

    def __init__(self) -> None:
        self.start, self.before = monotonic(), busy_elsewhere()

    def cores(self) -> float | None:
        """On average; None where this cannot be told."""
        after = busy_elsewhere()
        if self.before is None or after is None:
            return None
        return max(after - self.before, 0.0) / (monotonic() - self.start)


def busy_elsewhere() -> float | None:
    """Seconds of processor time that all processes but this run's have used since the machine started."""
    if not STAT.exists():
        return None
    user, nice, system, _idle, _wait, irq, soft, steal = map(int, STAT.read_text().split()[1:9])
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    everything = (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")
    return everything - sum(used.ru_utime + used.ru_stime for used in own)


def prepare(data: str, csv: str | None = None) -> Path:
    """Make a data set in a process of its own; its path."""
    where = "SETS[name].path" if csv is None else "SETS[name].csv(*kind)"
    code = f"import sys; from data import SETS; name, *kind = sys.argv[1:]; print({where})"
    arguments = [data] if csv is None else [data, csv]
    run_apart([sys.executable, "data.py", *arguments], limit=1200)
    return Path(run_apart([sys.executable, "-c", code, *arguments], limit=60).strip())


def fit(row: Fit, data: str, repeats: int) -> Measured:
    """Time a method."""
    out = run_apart([sys.executable, "child.py", row.name, data, str(repeats)], limit=row.limit)
    found = json.loads(out.splitlines()[-1])
    return Measured(tuple(found.pop("seconds")), **found)


def command(row: Command, data: str, repeats: int) -> Measured:
    """Time a command from start to end."""
    program, *rest = row.argv
    if not (SCRIPTS / program).exists():
        raise FailedError(f"there is no command {program}")
    file = str(prepare(data, row.csv)) if row.csv else ""
    argv = [str(SCRIPTS / program), *(word.replace("{}", file) for word in rest)]
    seconds: list[float] = []
    peak = 0
    while len(seconds) < (row.repeats or repeats) and sum(seconds) < ENOUGH_SECONDS:
        start = perf_counter()
        memory = _waited(argv, row.limit)
        seconds.append(perf_counter() - start)
        peak = max(peak, memory)
    return Measured(tuple(seconds), peak)


def run_apart(argv: Sequence[str], limit: int) -> str:
    """What a process of its own prints."""
    try:
        done = subprocess.run(argv, cwd=HERE, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        raise FailedError(f"stopped after {limit} s") from None
    if done.returncode:
        raise FailedError(_reason(done.returncode, done.stderr))
    return done.stdout


def _waited(argv: Sequence[str], limit: int) -> int:
    """Run to the end without showing the output; the peak of memory in bytes, as the kernel counted it."""
    with (
        TemporaryFile("w+") as errors,  # a pipe that nobody reads would stop a talkative program
        subprocess.Popen(argv, cwd=HERE, stdout=subprocess.DEVNULL, stderr=errors) as process,
    ):
        end = monotonic() + limit
        while (waited := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            if monotonic() > end:
                process.kill()
                raise FailedError(f"stopped after {limit} s")
            sleep(0.002)
        _, status, usage = waited
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            raise FailedError(_reason(process.returncode, errors.read()))
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _reason(code: int, stderr: str) -> str:
    """The last line of a failure, without the paths of this machine."""
    if code < 0:
        return f"ended by signal {-code}"
    last = (stderr.strip().splitlines() or [f"exit status {code}"])[-1]
    return "failed: " + last.replace(str(HERE.parent), "…").replace(str(SCRIPTS), "…")[:120]
