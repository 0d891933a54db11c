"""Optional power: libraries that are imported where they are used, with a message that says how to get them."""

from importlib import import_module
from typing import Any

from sidewise.errors import MissingExtra


def need(module: str, *, extra: str) -> Any:
    """Import an optional library, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as missing:
        raise MissingExtra(
            f"{module} is not installed; install it with: pip install 'sidewise[{extra}]'",
        ) from missing
