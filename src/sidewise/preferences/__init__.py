"""Which of two documents answers the query better? Preference judgments for search: files, closure, reduction, runs."""

from sidewise.preferences.closure import Closure, closure, contradictions
from sidewise.preferences.forms import read_judgments, read_preferences, write_preferences
from sidewise.preferences.majority import majority
from sidewise.preferences.order import Pairs, PartialOrder
from sidewise.preferences.qrels import Qrels, read_qrels, write_qrels
from sidewise.preferences.reduction import reduction
from sidewise.preferences.runs import Run, read_run, write_run
from sidewise.preferences.table import Preferences
from sidewise.preferences.tangle import Contradiction

__all__ = [
    "Closure",
    "Contradiction",
    "Pairs",
    "PartialOrder",
    "Preferences",
    "Qrels",
    "Run",
    "closure",
    "contradictions",
    "majority",
    "read_judgments",
    "read_preferences",
    "read_qrels",
    "read_run",
    "reduction",
    "write_preferences",
    "write_qrels",
    "write_run",
]
