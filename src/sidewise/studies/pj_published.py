"""Table 1 of Carterette, Bennett and Chapelle, *A test collection of preference judgments* (2008)."""

from collections.abc import Mapping

RANK_SVM, BINARY_SVM, RANDOM = "RankSVM", "binary SVM", "random"
METHODS = (RANK_SVM, BINARY_SVM, RANDOM)

# The columns of the table: what each is called there → the measure here, and its rank (None: all ranks).
COLUMNS: Mapping[str, tuple[str, int | None]] = {
    "ppref@10": ("ppref", 10),
    "ppref@25": ("ppref", 25),
    "ppref@max": ("ppref", None),
    "rpref@10": ("rpref", 10),
    "rpref@25": ("rpref", 25),
    "rpref@max": ("rpref", None),
    "APpref": ("average-ppref", None),
}

_PRINTED = {
    RANK_SVM: (0.5997, 0.5663, 0.5549, 0.2545, 0.4484, 0.5549, 0.6039),
    BINARY_SVM: (0.5835, 0.5452, 0.5455, 0.2368, 0.4072, 0.5244, 0.5987),
    RANDOM: (0.4835, 0.4959, 0.5003, 0.1789, 0.3663, 0.4821, 0.5278),
}
TABLE_1: Mapping[str, Mapping[str, float]] = {
    method: dict(zip(COLUMNS, figures, strict=True)) for method, figures in _PRINTED.items()
}
