"""What others have reported of IMDB-WIKI-SbS, where it could be recovered; Tables 2 and 3 of the paper are lost."""

from collections.abc import Mapping

ITEMS, PAIRS, WORKERS = 9150, 250_249, 4091
LEFT_SHARE = 125_302 / PAIRS

# All 250,249 comparisons, from the result files of a public repository: accuracy by Eq. 3, and Kendall's tau-b.
WHOLE: Mapping[str, tuple[float, float]] = {
    "bradley-terry": (0.7901, 0.5754),
    "rank centrality": (0.7804, 0.5582),
    "factor-bt": (0.7916, 0.5785),
    "crowd-bt": (0.7917, 0.5787),
    "HBTL": (0.7920, 0.5793),
    "BoRaEM": (0.7921, 0.5795),
}

# The same data with spammers who always choose left: accuracy by their share of the original workers.
SHARES = (0.0, 0.2, 1.0, 4.0, 9.0)
_LEFT = {
    "bradley-terry": (0.790, 0.785, 0.761, 0.667, 0.590),
    "crowd-bt": (0.792, 0.792, 0.792, 0.791, 0.791),
    "factor-bt": (0.792, 0.792, 0.792, 0.792, 0.792),
    "BoRaEM": (0.792, 0.792, 0.792, 0.792, 0.791),
}
LEFT: Mapping[str, Mapping[float, float]] = {
    model: dict(zip(SHARES, figures, strict=True)) for model, figures in _LEFT.items()
}
