"""Where a key stands in a TOML file, which Python's reader does not tell.

A file is a row of statements, each on a line of its own or, with long texts and lists, on several. The reader itself
says where a statement ends: where the lines so far make sense, and not before.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

Path = tuple[str | int, ...]


class Statement(NamedTuple):
    """A header or a key with its value: the first line and what the reader makes of it."""

    line: int
    text: str
    found: dict[str, Any]


class Lines:
    r"""The lines of the tables and keys of a text that the reader has found to be good TOML.

    >>> Lines('[serving]\noverlap = 3\n').of("serving", "overlap")
    2
    """

    def __init__(self, text: str) -> None:
        self._lines: dict[Path, int] = {}
        self._arrays: Counter[Path] = Counter()  # tables in each array of tables
        header: Path = ()
        for line, source, found in _statements(text):
            if source.lstrip().startswith("["):
                header = self._header(found, array=source.lstrip().startswith("[["))
                self._lines.setdefault(header, line)
            else:
                for path in _paths(found):
                    self._lines.setdefault(header + path, line)

    def of(self, *path: str | int) -> int | None:
        """The line of a key; of its table, where the key is not there."""
        for length in range(len(path), 0, -1):
            if path[:length] in self._lines:
                return self._lines[path[:length]]
        return None

    def _header(self, found: dict[str, Any], *, array: bool) -> Path:
        """The path of a header; below an array of tables it goes to the last of them."""
        path: Path = ()
        value: Any = found
        while value:
            name, value = next(iter(value.items()))
            path = (*path, name)
            if isinstance(value, list):
                value = value[0]
                if array and not value:
                    self._arrays[path] += 1
            if path in self._arrays:
                path = (*path, self._arrays[path] - 1)
        return path


def _statements(text: str) -> Iterator[Statement]:
    """The statements; what is blank or a comment is none."""
    pending: list[str] = []
    first = 1
    for line, source in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if not pending:
            first = line
        pending.append(source)
        try:
            found = tomllib.loads("\n".join(pending))
        except tomllib.TOMLDecodeError:
            continue
        if found:
            yield Statement(first, pending[0], found)
        pending = []


def _paths(found: dict[str, Any]) -> Iterator[Path]:
    """The path of every key in what one statement says, the outer ones first."""
    for name, value in found.items():
        yield (name,)
        if isinstance(value, dict):
            yield from ((name, *path) for path in _paths(value))
