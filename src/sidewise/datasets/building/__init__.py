"""Build a data set: items and pairs to be judged side by side; parts of a table, and what to leave out of it."""

from sidewise.datasets.building.divergence import filter_divergent
from sidewise.datasets.building.pair_set import Groups, PairSet
from sidewise.datasets.building.pairs import build_pairs
from sidewise.datasets.building.splitting import Split, overlapping, split_table
from sidewise.datasets.building.words import Filtered, filter_words, read_words, word_forms

__all__ = [
    "Filtered",
    "Groups",
    "PairSet",
    "Split",
    "build_pairs",
    "filter_divergent",
    "filter_words",
    "overlapping",
    "read_words",
    "split_table",
    "word_forms",
]
