"""What was said? The one table of judgments: any dataframe or file in, bad rows refused."""

from sidewise.comparisons.counts import PairCounts
from sidewise.comparisons.index import Index
from sidewise.comparisons.rejects import Rejects
from sidewise.comparisons.summary import Graph, Summary, components
from sidewise.comparisons.table import Comparisons, read, read_counts

__all__ = ["Comparisons", "Graph", "Index", "PairCounts", "Rejects", "Summary", "components", "read", "read_counts"]
