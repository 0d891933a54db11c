"""Where data sets lie: in the folder that SIDEWISE_DATA names, or in the user's cache."""

import os
import sys
from pathlib import Path

VARIABLE = "SIDEWISE_DATA"


def data_folder() -> Path:
    """The folder of data sets, a folder each: ``SIDEWISE_DATA``, or ``sidewise/data`` in the user's cache.

    It need not exist: it is made when the first data set is got.
    """
    named = os.environ.get(VARIABLE)
    return Path(named).expanduser() if named else _cache() / "sidewise" / "data"


def _cache() -> Path:
    """The user's cache, by the XDG base directory specification; a relative path there is to be ignored."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    if Path(named).is_absolute():
        return Path(named)
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"])
    return Path.home() / ".cache"
