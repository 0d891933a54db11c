"""Long studies that may be interrupted: every run is kept as soon as it is done, and is not done again."""

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TextIO, TypeVar

from sidewise import __version__
from sidewise.studies.parts import Setting
from sidewise.studies.trials import Row, pool_of

Task = TypeVar("Task")
# What a run is made of; another version of it is another run.
CODE = ("datasets", "sampling", "models", "measures", "studies")
SHOWN = ("_page.py", "_pictures.py", "_goals.py", "_words.py")  # what only reads the results


def resumed(task: Callable[[Task], list[Row]], tasks: Sequence[Task], setting: Setting) -> list[Row]:
    """The rows of all tasks, in their order; those that were done before an interruption are read, not run.

    A line of the setting's unfinished file is one task's rows, under a key made of the task, as ``repr`` writes it, of
    the version and of the code: where any of them has changed, the line is passed over. ``task`` and the tasks must go
    from process to process, so they are functions and named tuples of a module.
    """
    keys = [_key(task, one) for one in tasks]
    done = _kept(setting.unfinished)
    left = [(key, one) for key, one in zip(keys, tasks, strict=True) if key not in done]
    with _appending(setting.unfinished) as file:
        for key, rows in _finished(task, left, setting.jobs):
            done[key] = rows
            if file:
                file.write(json.dumps({"key": key, "rows": rows}) + "\n")
                file.flush()
            if setting.progress:
                setting.progress(sum(key in done for key in keys), len(keys))
    return [row for key in keys for row in done[key]]


def _finished(
    task: Callable[[Task], list[Row]], left: Sequence[tuple[str, Task]], jobs: int
) -> Iterator[tuple[str, list[Row]]]:
    """Keys and rows of tasks, each as soon as it is done."""
    if jobs <= 1:
        for key, one in left:
            yield key, task(one)
        return
    with pool_of(jobs) as pool:
        running: dict[Future[list[Row]], str] = {pool.submit(task, one): key for key, one in left}
        try:
            for future in as_completed(running):
                yield running[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _key(task: Callable[[Any], list[Row]], one: object) -> str:
    return f"{__version__} {code()} {task.__module__}.{task.__qualname__} {one!r}"


@cache
def code() -> str:
    """A digest of the code that makes the results."""
    package, digest = Path(__file__).parents[1], sha256()
    for path in sorted(path for folder in CODE for path in (package / folder).glob("*.py")):
        if not path.name.endswith(SHOWN):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _kept(path: Path | None) -> dict[str, list[Row]]:
    """What was done before; the last line may have been cut off in the middle."""
    done: dict[str, list[Row]] = {}
    if path is None or not path.exists():
        return done
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            found = json.loads(line)
        except json.JSONDecodeError:
            continue
        done[found["key"]] = found["rows"]
    return done


@contextmanager
def _appending(path: Path | None) -> Iterator[TextIO | None]:
    """The file to go on with, on a line of its own."""
    if path is None:
        yield None
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        if file.tell():
            file.write("\n")
        yield file
