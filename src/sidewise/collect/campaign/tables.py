"""The tables of a campaign file, one class each: every key, what it means, its limits and its default, in one place."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

MediaKind = Literal["image", "text", "page", "video", "audio"]
TextFormat = Literal["plain", "markdown"]
Goal = Literal["rmse", "ranking", "top"]
Sides = Literal["by lot", "as listed"]
TaskKind = Literal["side-by-side"]
LONGEST_INSTRUCTIONS = 50_000  # characters


def key(
    tells: str,
    default: Any = None,
    *,
    least: float | None = None,
    most: float | None = None,
    longest: int | None = None,
    path: bool = False,
    needed: bool = False,
) -> Any:
    """A key: what it tells, its default, and what its value may be.

    Numbers lie between ``least`` and ``most``; texts have at most ``longest`` characters; a ``path`` names a file or a
    folder inside the campaign's own; one that is ``needed`` has no default in a file.
    """
    told = {
        "tells": tells,
        "least": least,
        "most": most,
        "longest": longest,
        "path": path,
        "needed": needed,
        "default": default,
    }
    if isinstance(default, Mapping):
        return field(default_factory=lambda: dict(default), metadata=told)
    return field(default=default, metadata=told)


@dataclass(frozen=True)
class Items:
    """``[items]``: what is compared."""

    source: str | None = key(
        "A table (`.csv`, `.tsv`, `.parquet`, `.jsonl`) with a row for each item, or a folder of media.",
        path=True, needed=True,
    )  # fmt: skip
    kind: MediaKind = key("What the media are: `image`, `text`, `page`, `video` or `audio`.", "image")
    id: str = key("Column of the ids.", "id", longest=200)
    media: str = key(
        "Column of the media: paths, from `folder` on, or `https:` addresses. Not read where `text` is given.",
        "media", longest=200,
    )  # fmt: skip
    text: str | None = key("Column that holds the texts themselves, for the kind `text`.", longest=200)
    group: str | None = key("Column of groups; only items of one group are compared.", longest=200)
    attributes: tuple[str, ...] = key("Columns to keep and export. Workers never see them.", (), longest=200)
    folder: str | None = key("Where the paths begin; the campaign's own folder otherwise.", path=True)
    format: TextFormat = key("How texts are written: `plain` or `markdown`.", "plain")

    @property
    def inline(self) -> bool:
        """Whether ``Item.media`` is the text itself, and not where it is."""
        return self.text is not None


@dataclass(frozen=True)
class Answers:
    """``[answers]``: what a worker can say. Left and right are always there."""

    tie: bool = key("Both are equally good.", False)
    both_bad: bool = key("Neither is any good.", False)
    skip: bool = key("I cannot tell; another worker is asked.", False)
    reasons: tuple[str, ...] = key("Reasons to choose from when skipping.", (), longest=100)
    labels: Mapping[str, str] = key("Words on the buttons, by answer.", {}, longest=60)
    keys: Mapping[str, str] = key("Keys of the keyboard, by answer, and of `undo`.", {}, longest=20)


@dataclass(frozen=True)
class Search:
    """``[search]``: groups are queries, shown above their items. Without this table, groups have no heading."""

    queries: str | None = key(
        "A table of the queries: their id (the items' group), the query, and if you like a description.",
        path=True, needed=True,
    )  # fmt: skip
    id: str = key("Its column of ids.", "id", longest=200)
    query: str = key("Its column of queries.", "query", longest=200)
    description: str = key("Its column of descriptions, which may be missing.", "description", longest=200)
    called: str = key("What a query is called on the page, such as `Prompt`.", "Query", longest=60)
    highlight: bool = key("Mark the words of the query in the documents.", True)
    not_relevant: bool = key("Offer “not relevant” for each document; all others are preferred to it.", True)
    duplicates: bool = key("Offer “duplicates”.", True)
    hold: bool = key("Hold one document fixed until it has been compared with all others of its query.", False)
    transitivity: bool = key(
        "Do not ask what answers have decided: a over b and b over c, duplicates, not relevant.", False
    )


@dataclass(frozen=True)
class Serving:
    """``[serving]``: how tasks reach workers."""

    tasks_per_page: int = key("Pairs on one page.", 1, least=1, most=50)
    overlap: int = key("Different workers who judge each pair that is asked.", 1, least=1, most=1_000)
    tasks_per_worker: int | None = key("A worker is done after so many.", least=1)
    lease_seconds: int = key("After so long without an answer a pair is given to others.", 600, least=10, most=604_800)
    undo_seconds: int = key("So long a worker can take back the last answer; 0 for never.", 60, least=0, most=86_400)
    preload: int = key("Tasks whose media are loaded ahead.", 1, least=0, most=5)
    sides: Sides = key(
        "What is on the left: `by lot`, or `as listed` in the table of allowed pairs; "
        "who is next asked about a pair sees it the other way round.",
        "by lot",
    )  # fmt: skip


@dataclass(frozen=True)
class Sampling:
    """``[sampling]``: which pairs are asked."""

    method: str = key("The strategy, by name; see [what to ask next](sampling.md).", "optimal")
    goal: Goal = key("What `optimal` is after: `rmse`, `ranking` or `top`.", "rmse")
    top: int | None = key("How many items the goal `top` is about.", least=1)
    allowed: str | None = key("A table of the pairs that may be asked, with columns `left` and `right`.", path=True)
    batch: int = key("Pairs that are planned ahead at a time.", 100, least=1, most=100_000)
    seed: int = key("The same answers and the same seed give the same pairs.", 0, least=0, most=2**53)
    model: str | None = key("The ranking model, by name; otherwise `worker-bt` once there are two workers.")


@dataclass(frozen=True)
class Stopping:
    """``[stopping]``: when it is enough. Either may be given, or both: then both are waited for."""

    rmse: float | None = key("Expected error of the scores, in probits.", least=0.0)
    top: int | None = key("The best so many items are settled …", least=1)
    confidence: float = key("… with this probability.", 0.95, least=0.0, most=1.0)


@dataclass(frozen=True)
class Budget:
    """``[budget]``: what may be spent."""

    answers: int | None = key("In all.", least=1)
    per_hour: int | None = key("In any hour; workers who come later are asked to come back.", least=1)


@dataclass(frozen=True)
class Access:
    """``[access]``: who may answer."""

    open: bool = key("Everybody who has the link.", True)
    workers: str | None = key("A table with a column `worker`, or a `.txt` of one id a line: the invited.", path=True)
    completion_code: str | None = key(
        "Shown on the last page; otherwise every worker gets a code of their own.", longest=100
    )
    redirect: str | None = key(
        "An `https:` address to go to from the last page; `{code}` and `{worker}` are filled in.", longest=2_000
    )


@dataclass(frozen=True)
class Output:
    """``[output]``: where the data of the campaign are kept."""

    folder: str = key("For the database, its secret and exports.", "output", path=True)


@dataclass(frozen=True)
class Task:
    """``[task]``: what a task is."""

    kind: TaskKind = key("Its kind; there is one so far, `side-by-side`.", "side-by-side")


TABLES: dict[str, type[Any]] = {
    "task": Task,
    "items": Items,
    "answers": Answers,
    "search": Search,
    "serving": Serving,
    "sampling": Sampling,
    "stopping": Stopping,
    "budget": Budget,
    "access": Access,
    "output": Output,
}
RULES: tuple[str, ...] = ()  # kinds of rules for quality control, each a [[rules]] table, none so far
