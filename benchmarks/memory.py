"""How much memory this process holds, and has held at most."""

import resource
import sys
from pathlib import Path

STATUS, REFS = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def restart_peak() -> int:
    """Let the kernel count the peak from now on, so that loading the data does not hide the work; bytes held now."""
    if not REFS.exists():
        return peak()
    REFS.write_text("5")
    return _status("VmRSS")


def peak() -> int:
    """Bytes at most, since the process started or the count did."""
    if STATUS.exists():
        return _status("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _status(name: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024
