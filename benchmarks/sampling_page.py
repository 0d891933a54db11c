"""Results of the benchmark of sampling: goals, tables as Markdown, rows as CSV, and the picture."""

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import sampling_picture as picture
from report import markdown_table, seconds
from sampling_rows import AIM, Extrapolation, Row, exponent, extrapolated
from verdict import Verdict

HEADER = ("what", "name", "n", "median s", "best s", "runs", "processor s", "peak MB", "above data MB", "pairs",
          "remark")  # fmt: skip
GPU = "sampling-gpu.csv"
TIMES_FASTER = 1000
WITHIN = {("optimal", 1000): 2.0, ("optimal", 5000): 60.0, ("asap", 100): 2.0}  # seconds a batch
ABOUT = """\
Time and memory of one batch of n − 1 pairs against the number n of items, when five standard trials have been collected
(all pairs asked five times: 2.5 n (n − 1) answers; scores uniform on [0, 5], probit answers, a fixed seed). This is
Figure 8 of Mikhailiuk et al. (2020), who time one pair rather than a batch. Every measurement ran in a fresh process on
two cores; the clock runs from the answers to the pairs. A time is the median of up to five calls; work that has taken
12 s is not repeated, and a strategy that took over 60 s is not asked for larger batches. Memory is the largest resident
set above what the process held with its imports and the answers; 1 MB = 10⁶ bytes.
"""
LITERAL = """\
The messages and gains of the paper in plain Python (`tests/literal_asap.py`), pair by pair and answer by answer, with
as many sweeps as the published code makes (six for all answers, four for an imagined one) and without selective
evaluation. A random sample of pairs was timed and multiplied by the number of all pairs; the tree is left out.
"""
ONLINE = """\
`sampling.online.Running.after` brings means and covariance up to date with one answer; a refit starts from all answers.
Both with five standard trials collected, so that all n (n − 1) / 2 pairs have been asked. Exponents are slopes of log
seconds against log n over all sizes in the table.
"""
ON_A_GPU = """\
By `benchmarks/sampling_gpu.py`, in float64, with 25 comparisons of every item collected, of random pairs: five standard
trials would be 10⁹ answers at n = 20,000. The belief is fitted on the processor; memory is the GPU's. Seconds are those
of the batch in the middle of several, by its seconds; a goal is judged by the slowest.
"""


@dataclass(frozen=True)
class Result:
    """A run."""

    setting: str
    rows: tuple[Row, ...]
    others: float | None  # cores that other processes kept busy meanwhile

    def only(self, what: str) -> list[Row]:
        """The rows of one kind."""
        return [row for row in self.rows if row.what == what]

    def time(self, name: str, n: int) -> float | None:
        """Of a batch."""
        return next((row.median for row in self.only("batch") if (row.name, row.n) == (name, n) and row.seconds), None)

    def goals(self) -> list[Verdict]:
        """All, judged."""
        return [self._faster(), *(self._within(name, n, limit) for (name, n), limit in WITHIN.items())]

    def _faster(self) -> Verdict:
        literal, own = extrapolated(self.rows), self.time("optimal", AIM)
        words = f"optimal at n = {AIM} at least {TIMES_FASTER:,} times as fast as literal ASAP, extrapolated"
        if literal is None or own is None:
            return Verdict(words, "", None)
        ratio = literal.cautious / own
        return Verdict(words, f"{ratio:,.0f} times ({seconds(own)} s)", ratio >= TIMES_FASTER)

    def _within(self, name: str, n: int, limit: float) -> Verdict:
        own = self.time(name, n)
        words = f"{name} at n = {n:,} under {limit:g} s"
        return Verdict(words, "" if own is None else f"{seconds(own)} s", None if own is None else own < limit)


def write(folder: Path, name: str, result: Result) -> None:
    """Markdown for people, CSV for machines, and the picture."""
    folder.mkdir(parents=True, exist_ok=True)
    picture.save(folder / f"{name}.svg", result.rows)
    (folder / f"{name}.md").write_text("\n".join(markdown(result, folder, name)), encoding="utf-8")
    with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(_cells(row) for row in result.rows)


def _cells(row: Row) -> tuple[str, ...]:
    if not row.seconds:
        return (row.what, row.name, str(row.n), *[""] * 7, row.why)
    times = row.median, min(row.seconds), sum(row.busy) / len(row.busy)
    median, best, busy = (f"{value:.6g}" for value in times)
    above = "" if row.above is None else f"{row.above / 1e6:.1f}"
    size = f"{row.peak / 1e6:.1f}"
    return (row.what, row.name, str(row.n), median, best, str(len(row.seconds)), busy, size, above, str(row.found), "")


def markdown(result: Result, folder: Path, name: str) -> Iterator[str]:
    """The page."""
    yield from ("# Benchmark of sampling", "", "Made by `make bench-sampling`; do not edit.", "", result.setting, "")
    if result.others is not None:
        yield from (f"Other processes kept {result.others:.1f} cores busy meanwhile.", "")
    yield from (ABOUT, f"![Seconds and memory of a batch against the number of items]({name}.svg)", "")
    yield from ("## Goals", "")
    goals = ((goal.words, goal.found, goal.outcome) for goal in result.goals())
    yield from (*markdown_table(("goal", "measured", "outcome"), goals, ("goal", "measured", "outcome")), "")
    batches = result.only("batch")
    yield from ("## Seconds of a batch", "", *_against_n(batches, _time), "")
    yield from ("## Megabytes of a batch", "", *_against_n(batches, _memory), "")
    yield from (*_failures(result.rows), *_literal(result), *_online(result), *_gpu(folder / GPU))


def _against_n(rows: list[Row], shown: Callable[[Row], str]) -> Iterable[str]:
    sizes = sorted({row.n for row in rows})
    by = {(row.name, row.n): shown(row) for row in rows if row.seconds}
    names = dict.fromkeys(row.name for row in rows)
    table = ([name, *(by.get((name, n), "–") for n in sizes)] for name in names)
    return markdown_table(("strategy", *(f"n = {n:,}" for n in sizes)), table, ("strategy",))


def _time(row: Row) -> str:
    return seconds(row.median)


def _memory(row: Row) -> str:
    return f"{(row.above or 0) / 1e6:,.0f}"


def _failures(rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        if not row.seconds:
            yield from (f"{row.name} at n = {row.n:,}: {row.why}.", "")


def _literal(result: Result) -> Iterator[str]:
    rows, found = [row for row in result.only("literal") if row.seconds], extrapolated(result.rows)
    yield from ("## Literal ASAP", "", LITERAL)
    cells = ((f"{row.n}", f"{row.found} of {row.n * (row.n - 1) // 2}", f"{row.median:,.1f}") for row in rows)
    yield from (*markdown_table(("n", "pairs timed", "seconds of a batch"), cells, ()), "")
    if found is not None:
        yield from (_extrapolation(found, max(row.n for row in rows)), "")


def _extrapolation(found: Extrapolation, largest: int) -> str:
    return (
        f"Seconds grow as n to the power {found.slope:.2f}, by least squares on the logarithms; theory says 4 (n² / 2 "
        f"pairs, and messages of 5 n² / 2 answers for each). At n = {AIM} that makes {found.by_fit:,.0f} s by the fit, "
        f"and {found.by_theory:,.0f} s by n⁴ from n = {largest}; the goal is judged by the smaller, "
        f"{found.cautious:,.0f} s."
    )


def _online(result: Result) -> Iterator[str]:
    kinds = {what: [row for row in result.only(what) if row.seconds] for what in ("answer", "refit")}
    both = {row.n: (row, other) for row in kinds["answer"] for other in kinds["refit"] if row.n == other.n}
    cells = [(f"{n:,}", *map(_time, pair), f"{pair[1].median / pair[0].median:.1f}") for n, pair in both.items()]
    slopes = [exponent(rows) for rows in kinds.values()]
    cells.append(("exponent", *("–" if slope is None else f"{slope[0]:.2f}" for slope in slopes), ""))
    yield from ("## One answer more", "", ONLINE)
    yield from (*markdown_table(("n", "one answer more, s", "refit, s", "times as fast"), cells, ()), "")


def _gpu(path: Path) -> Iterator[str]:
    """What was measured on a GPU, where it was."""
    if not path.exists():
        return
    with path.open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    yield from ("## On a GPU", "", ON_A_GPU, *markdown_table(header, rows, ("device", "goal")), "")
