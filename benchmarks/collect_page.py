"""Results of the benchmark of live collection: goals, tables as Markdown, rows as CSV."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression, mean

from collect_big import Big, Took
from collect_load import Found
from report import markdown_table, seconds
from verdict import Verdict

HEADER = ("case", "database", "workers", "answers", "a second", "p50 ms", "p95 ms", "p99 ms", "longest ms",
          "processor s", "memory MB", "drift", "other cores", "faults")  # fmt: skip
WORDS = ("case", "database", "faults", "what", "goal", "measured", "outcome")
FASTEST = {"20 workers": 200, "100 workers": 200, "20 workers, SQLite": 60}  # answers a second, at least
THINKING, PATIENCE = "200 who think", 0.25  # seconds, at the 95th percentile
STEPS = 20_000
FLAT = 0.03
PAGE, MEMORY = 1.0, 200e6
ABOUT = f"""\
A campaign is served as its users serve it (`sidewise serve`, two processes) and loaded over HTTP by workers in a
closed loop: each sends an answer by the programming interface, which brings the next task, and goes on when that has
come. That is "submit + next", and the latency is what it took. Only *who think* wait 1–3 s in between. Server,
database and crowd share two cores. PostgreSQL runs as installed, so that every acknowledged answer is on the disk.
The work: 5,000 pairs of 150 items, each wanted once (3,000 with SQLite; those who think choose among 79,800);
*running dry*: 1,000 pairs for 50 workers, planned 50 at a time. Unless they think, workers go on until every pair has
been answered, so that the pool runs dry at the end of every such run.

- **faults**: after each run the tables are compared with what the crowd was told: answers acknowledged and not there,
  or there twice; pairs with more answers and leases than wanted, or with a wrong count of them; requests that failed.
- **processor**: seconds of the server and its database; **other cores**: how many other processes kept busy meanwhile.
- **memory**: the resident sets of all processes of the server, pages that they share counted in each, on average;
  **drift**: how far a line through it rises after the first third of the run, as a share. It is flat below
  {FLAT:.0%}, judged over the {STEPS:,} answers of those who think.
"""
PEERS = """\
For comparison, on 5,000 pairs wanted once, by workers who do not think, measured earlier on a machine of the same kind,
and not in this run:
"""
PEER_ROWS = (
    ("Potato 2.12", "25", "1.0", "6.1"),
    ("Label Studio 1.23, PostgreSQL", "5–6", "4", "28"),
)
LARGE = """\
Tables filled past the server, then used through it, with PostgreSQL. Of each page the slowest of three calls. Exports:
seconds until the last byte, and how far the server process that grew most was above what it held before, at its peak.
Events: the one of each answer, and a few more.
"""


MEANWHILE = """\
A ranking of all took {ranking} s, and planning a batch of pairs at most {planning} s: in the background, each in a
process of its own. Meanwhile {workers} workers, who thought 0.2–0.5 s, waited {median} (median), {late} (95th
percentile) and at most {longest} for submit + next, and {dry:.1f} s in all because there was nothing to do.
"""


@dataclass(frozen=True)
class Result:
    """A run."""

    setting: str
    loads: tuple[Found, ...]
    large: Big | None
    whole: bool  # or too small to judge speed by

    def goals(self) -> list[Verdict]:
        """All, judged."""
        by = {found.case.name: found for found in self.loads}
        thinking = by.get(THINKING)
        fast = [self._fast(by.get(name), name, least) for name, least in FASTEST.items()]
        return [*fast, self._soon(thinking), self._exact(), self._flat(thinking), *self._large()]

    def _judged(self, words: str, found: str, *, met: bool) -> Verdict:
        return Verdict(words, found, met if self.whole else None)

    def _fast(self, found: Found | None, name: str, least: int) -> Verdict:
        words = f"{name}: at least {least} answers a second"
        if found is None:
            return Verdict(words, "", None)
        return self._judged(words, f"{found.measured.rate():.0f}", met=found.measured.rate() >= least)

    def _soon(self, found: Found | None) -> Verdict:
        words = f"{THINKING} 1–3 s: 95 % of submit + next under {PATIENCE * 1000:.0f} ms over {STEPS:,} answers"
        if found is None:
            return Verdict(words, "", None)
        late, steps = found.measured.latency(0.95), len(found.measured.took)
        said = f"{late * 1000:.0f} ms over {steps:,}"
        return self._judged(words, said, met=late < PATIENCE and steps >= STEPS)

    def _exact(self) -> Verdict:
        """Judged at any size."""
        words = "no answer lost, none double, overlap kept, also when the pool runs dry"
        wrong = [fault for found in self.loads for fault in faults(found)]
        answers = sum(len(found.measured.took) for found in self.loads)
        return Verdict(words, "; ".join(wrong) or f"{answers:,} answers", not wrong if self.loads else None)

    def _flat(self, found: Found | None) -> Verdict:
        words = f"memory flat: drift under {FLAT:.0%}"
        rise = None if found is None else drift(found.memory)
        return Verdict(words, "", None) if rise is None else self._judged(words, f"{rise:+.1%}", met=rise < FLAT)

    def _large(self) -> Iterator[Verdict]:
        pages, exports = (self.large.pages, self.large.exports) if self.large else ((), ())
        slow, big = max(pages, key=lambda one: one.seconds, default=None), max(exports, key=_grown, default=None)
        words = "100,000 items, 1,000,000 answers: every page of the requester under 1 s", "every export under 200 MB"
        if slow is None or big is None:
            yield from (Verdict(one, "", None) for one in words)
            return
        yield self._judged(words[0], f"{slow.what} {seconds(slow.seconds)} s", met=slow.seconds < PAGE)
        yield self._judged(words[1], f"{big.what} {_grown(big) / 1e6:.0f} MB", met=_grown(big) < MEMORY)


def _grown(one: Took) -> int:
    return one.grown or 0


def faults(found: Found) -> list[str]:
    """What went wrong, in words."""
    failed = found.measured.errors.total()
    return [*found.faults, *([f"{failed} requests failed"] if failed else [])]


def drift(memory: list[int]) -> float | None:
    """How far a line through the last two thirds rises, as a share of their mean; None of too few."""
    later = memory[len(memory) // 3 :]
    if len(later) < 3:
        return None
    return linear_regression(range(len(later)), later).slope * (len(later) - 1) / mean(later)


def told(found: Found) -> str:
    """A case in a line."""
    measured = found.measured
    late = ", ".join(f"p{share * 100:.0f} {measured.latency(share) * 1000:.0f} ms" for share in (0.5, 0.95))
    return (
        f"{found.case.name}: {len(measured.took):,} answers, {measured.rate():.0f} a second, {late}; "
        f"{'; '.join(faults(found)) or 'no faults'}; other processes kept {found.others:.1f} cores busy"
    )


def told_big(large: Big) -> str:
    """The large campaign in some lines."""
    parts = (*large.worked.jobs, *large.pages, *large.exports)
    return "\n".join(" ".join(_row(one)) for one in parts)


def write(folder: Path, name: str, result: Result) -> None:
    """Markdown for people, CSV for machines."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text("\n".join(markdown(result)), encoding="utf-8")
    with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((*HEADER, "seconds", "rows", "grown MB"))
        writer.writerows((*cells(found), f"{found.measured.seconds:.1f}", "", "") for found in result.loads)
        writer.writerows(_large_cells(one) for one in _parts(result.large))


def _parts(large: Big | None) -> tuple[Took, ...]:
    return () if large is None else (*large.worked.jobs, *large.pages, *large.exports)


def _large_cells(one: Took) -> tuple[str, ...]:
    size = "" if one.grown is None else f"{one.grown / 1e6:.1f}"
    rows = "" if one.rows is None else str(one.rows)
    return (one.what, "postgres", *[""] * (len(HEADER) - 2), f"{one.seconds:.3f}", rows, size)


def cells(found: Found) -> tuple[str, ...]:
    """A row of the table."""
    measured, case = found.measured, found.case
    late = (f"{measured.latency(share) * 1000:.0f}" for share in (0.5, 0.95, 0.99, 1.0))
    rise, held = drift(found.memory), mean(found.memory) if found.memory else 0
    return (
        case.name, case.database, str(case.workers), str(len(measured.took)), f"{measured.rate():.0f}", *late,
        f"{found.processor:.1f}", f"{held / 1e6:.0f}", "" if rise is None else f"{rise:+.1%}", f"{found.others:.1f}",
        "; ".join(faults(found)) or "none",
    )  # fmt: skip


def markdown(result: Result) -> Iterator[str]:
    """The page."""
    yield from ("# Benchmark of live collection", "", "Made by `make bench-collect`; do not edit.", "", result.setting)
    yield from ("", "## Goals", "")
    goals = ((goal.words, goal.found, goal.outcome) for goal in result.goals())
    yield from (*markdown_table(("goal", "measured", "outcome"), goals, WORDS), "")
    yield from ("## Answers a second", "", ABOUT, *markdown_table(HEADER, map(cells, result.loads), WORDS), "")
    yield from (
        PEERS,
        *markdown_table(("", "answers a second", "p95 s, 20 workers", "p95 s, 100"), PEER_ROWS, ("",)),
        "",
    )
    if result.large is not None:
        yield from _large(result.large)


def _large(large: Big) -> Iterator[str]:
    size, worked = large.size, large.worked
    yield f"## {size.items:,} items, {size.answers:,} answers, {size.workers:,} workers"
    header = ("what", "seconds", "rows", "rows a second", "memory MB")
    yield from ("", LARGE, *markdown_table(header, map(_row, (*large.pages, *large.exports)), WORDS), "")
    ranking, planning = (seconds(job.seconds) for job in worked.jobs)
    median, late, longest = (f"{worked.measured.latency(share) * 1000:.0f} ms" for share in (0.5, 0.95, 1.0))
    yield MEANWHILE.format(
        ranking=ranking, planning=planning, workers=worked.measured.users, median=median, late=late, longest=longest,
        dry=worked.dry,
    )  # fmt: skip


def _row(one: Took) -> tuple[str, ...]:
    rows = ("", "") if one.rows is None else (f"{one.rows:,}", f"{one.rows / one.seconds:,.0f}")
    return (one.what, seconds(one.seconds), *rows, "" if one.grown is None else f"{one.grown / 1e6:.0f}")
