"""What is measured, and what it should come to: cases, their rows, and the goals of each."""

from dataclasses import dataclass
from typing import Literal

ENOUGH_SECONDS = 12.0  # what has taken this long is not repeated
TOO_SLOW = "takes minutes"
TOO_DENSE = "its items × items matrix would take 80 GB"
TOO_MANY = "needs all rows in memory"


# What the tables call the methods of ``peers.METHODS``: the tool and the call.
LABELS = {
    "sidewise": ("sidewise", "bradley_terry"),
    "sidewise-ml": ("sidewise", "bradley_terry, no prior"),
    "sidewise-intervals": ("sidewise", "bradley_terry, with intervals"),
    "sidewise-streamed": ("sidewise", "read_counts, bradley_terry"),
    "worker-bt": ("sidewise", "worker_bt"),
    "worker-bt-intervals": ("sidewise", "worker_bt, with intervals"),
    "crowd-bt": ("sidewise", "crowd_bt"),
    "crowd-bt-intervals": ("sidewise", "crowd_bt, with intervals"),
    "factor-bt": ("sidewise", "factor_bt, one factor"),
    "factor-bt-intervals": ("sidewise", "factor_bt, one factor, with intervals"),
    "evalica": ("evalica", "bradley_terry"),
    "evalica-objects": ("evalica", "bradley_terry, ids turned into objects first"),
    "evalica-converged": ("evalica", "bradley_terry, tolerance 1e-12"),
    "choix-ilsr": ("choix", "ilsr_pairwise_dense"),
    "choix-opt": ("choix", "opt_pairwise"),
    "crowdkit": ("crowd-kit", "BradleyTerry"),
    "crowdkit-noisy": ("crowd-kit", "NoisyBradleyTerry"),
    "arena-rank": ("arena-rank", "BradleyTerry, with intervals"),
}


@dataclass(frozen=True)
class Fit:
    """A method of ``peers.METHODS``, timed in a process of its own."""

    name: str
    limit: int = 120  # seconds, loading and checking included
    slow: bool = False  # left out of a quick run

    @property
    def tool(self) -> str:
        """The library."""
        return LABELS[self.name][0]

    @property
    def call(self) -> str:
        """What is called."""
        return LABELS[self.name][1]


@dataclass(frozen=True)
class Command:
    """A command, timed from start to end. ``{}`` stands for the file; a word in ``csv`` names its kind."""

    name: str
    tool: str
    call: str
    argv: tuple[str, ...]
    csv: Literal["item", "side"] | None = None
    repeats: int | None = None  # where it is not the run's number of repeats
    limit: int = 60
    slow: bool = False


@dataclass(frozen=True)
class Skip:
    """A tool that is not measured, and why."""

    tool: str
    why: str
    slow: bool = False

    @property
    def name(self) -> str:
        """The tool's."""
        return self.tool

    @property
    def call(self) -> str:
        """What would have been called; the reason stands in its place."""
        return f"skipped: {self.why}"


@dataclass(frozen=True)
class Goal:
    """What a row should come to: at most ``limit`` seconds (median or first call) or bytes, or a share of another's."""

    row: str
    measure: Literal["seconds", "first", "peak"]
    limit: float
    against: str | None = None


@dataclass(frozen=True)
class Case:
    """One data set, all tools, and the goals."""

    name: str
    title: str
    data: str
    rows: tuple[Fit | Command | Skip, ...]
    goals: tuple[Goal, ...]
    quick: bool = False
    notes: str = ""


def imported(module: str, tool: str, name: str) -> Command:
    """Starting Python and importing one module."""
    argv = ("python", "-c", f"import {module}")
    return Command(name, tool, f"import {module}", argv, repeats=5, slow=tool != "sidewise")


RANK = ("sidewise", "rank", "{}", "--format", "table")
EVALICA = ("evalica", "-i", "{}", "pairwise", "bradley-terry")

START = Case(
    "start",
    "Start to end: importing, and ranking a CSV file of 1,000 rows",
    "thousand",
    (
        imported("sidewise", "sidewise", "import"),
        imported("evalica", "evalica", "import-evalica"),
        imported("choix", "choix", "import-choix"),
        imported("crowdkit.aggregation", "crowd-kit", "import-crowdkit"),
        imported("arena_rank.models.bradley_terry", "arena-rank", "import-arena-rank"),
        Command("rank", "sidewise", "sidewise rank", RANK, "item"),
        Command("rank-evalica", "evalica", "evalica pairwise bradley-terry", EVALICA, "side"),
    ),
    (Goal("import", "seconds", 0.5), Goal("rank", "seconds", 1.5)),
    quick=True,
)

MODELS = Case(
    "models",
    "1,000 items, 100,000 comparisons, from a dataframe",
    "models",
    (
        Fit("sidewise"),
        Fit("sidewise-ml"),
        Fit("sidewise-intervals"),
        Fit("evalica"),
        Fit("evalica-objects", slow=True),
        Fit("evalica-converged"),
        Fit("arena-rank"),
        Fit("choix-ilsr"),
        Fit("choix-opt", slow=True),
        Fit("crowdkit", slow=True),
        Fit("crowdkit-noisy", slow=True),
    ),
    (Goal("sidewise", "seconds", 1 / 3, "evalica"), Goal("sidewise-intervals", "first", 1 / 20, "arena-rank")),
    quick=True,
    notes="Arena-rank compiles in its first call, which all pay who rank one data set: intervals are judged by it.",
)

CSV = Case(
    "csv",
    "9,150 items, 250,249 comparisons with long ids, from a CSV file through the command line",
    "faces",
    (
        Command("rank", "sidewise", "sidewise rank", RANK, "item"),
        Command("rank-evalica", "evalica", "evalica pairwise bradley-terry", EVALICA, "side"),
    ),
    (Goal("rank", "seconds", 1.5),),
)

FACES = Case(
    "faces",
    "9,150 items, 250,249 comparisons with long ids, from a dataframe",
    "faces",
    (
        Fit("sidewise"),
        Fit("sidewise-ml"),
        Fit("sidewise-intervals"),
        Fit("evalica"),
        Fit("evalica-converged"),
        Fit("arena-rank", limit=180),
        Fit("crowdkit"),
        Skip("choix", TOO_SLOW),
    ),
    (Goal("sidewise", "seconds", 1 / 20, "evalica"), Goal("sidewise", "peak", 1 / 5, "evalica")),
)

UNBEATEN = Case(
    "unbeaten",
    "The same, with items that never lose: there is no maximum likelihood",
    "unbeaten",
    (
        Fit("sidewise"),
        Fit("sidewise-intervals"),
        Fit("evalica"),
        Fit("crowdkit"),
        Skip("arena-rank", "as long as above"),
        Skip("choix", TOO_SLOW),
    ),
    (),
    notes="Evalica stops after two steps here and gives every item the same score, hence the shorter time than above: "
    "there is no result to be as fast as, so this table has no goal.",
)

WITH_WORKERS = (
    Fit("worker-bt"),
    Fit("worker-bt-intervals"),
    Fit("crowd-bt"),
    Fit("crowd-bt-intervals"),
    Fit("factor-bt"),
    Fit("factor-bt-intervals"),
    Fit("sidewise"),
    Fit("crowdkit-noisy", limit=1200),
)
ABOUT_WORKERS = (
    "NoisyBradleyTerry ends after the steps that it has by default, 100 at most. It is the model of factor_bt with one "
    "factor, the side; Bradley–Terry does not look at the workers."
)

CROWD = Case(
    "crowd",
    "With workers: 9,150 items, 250,249 comparisons by 4,091 workers of many kinds, from a dataframe",
    "crowd",
    WITH_WORKERS,
    (Goal("worker-bt", "seconds", 1.5), Goal("crowd-bt", "seconds", 1.5), Goal("factor-bt", "seconds", 2.5)),
    notes=ABOUT_WORKERS,
)

SMALL_CROWD = Case(
    "small-crowd",
    "With workers: 300 items, 10,000 comparisons by 200 workers of many kinds, from a dataframe",
    "small-crowd",
    WITH_WORKERS,
    (),
    quick=True,
    notes=ABOUT_WORKERS,
)

LARGE = Case(
    "large",
    "100,000 items, 10⁷ comparisons, from a dataframe and from its Parquet file",
    "large",
    (
        Fit("sidewise", limit=180),
        Fit("sidewise-streamed", limit=180),
        Skip("evalica", TOO_DENSE),
        Skip("arena-rank", "its intervals' items × items matrices would take 80 GB each"),
        Skip("crowd-kit", TOO_DENSE),
        Skip("choix", TOO_SLOW),
    ),
    (Goal("sidewise", "seconds", 15), Goal("sidewise", "peak", 3e9), Goal("sidewise-streamed", "peak", 3e9)),
)

HUGE = Case(
    "huge",
    "10⁸ rows of Parquet over 10,000 items, read in pieces",
    "huge",
    (
        Fit("sidewise-streamed", limit=400),
        Skip("evalica", TOO_MANY),
        Skip("arena-rank", TOO_MANY),
        Skip("crowd-kit", TOO_MANY),
        Skip("choix", TOO_MANY),
    ),
    (Goal("sidewise-streamed", "peak", 4e9),),
)

CASES = (START, MODELS, CSV, FACES, UNBEATEN, SMALL_CROWD, CROWD, LARGE, HUGE)
