"""Who is better? One module per model, one function each: Comparisons in, a Ranking out."""

from sidewise.models.bradley_terry import bradley_terry
from sidewise.models.by_name import MODELS, find_model, rank
from sidewise.models.elo import elo
from sidewise.models.page_rank import page_rank
from sidewise.models.priors import Normal, VirtualItem
from sidewise.models.random_order import random_order
from sidewise.models.win_rate import win_rate

__all__ = [
    "MODELS",
    "Normal",
    "VirtualItem",
    "bradley_terry",
    "elo",
    "find_model",
    "page_rank",
    "random_order",
    "rank",
    "win_rate",
]
