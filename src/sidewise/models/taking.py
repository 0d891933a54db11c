"""What a model takes: comparisons, or the pair counts made from them."""

from sidewise.comparisons import Comparisons, PairCounts
from sidewise.errors import ModelError


def as_counts(data: Comparisons | PairCounts) -> PairCounts:
    """The pair counts of either; anything else is refused with the way to make them."""
    if isinstance(data, PairCounts):
        return data
    if isinstance(data, Comparisons):
        return data.counts()
    raise ModelError(
        f"a model takes Comparisons or PairCounts, not {type(data).__name__}: "
        "make them with sidewise.read(path) or sidewise.Comparisons.from_frame(frame)",
    )
