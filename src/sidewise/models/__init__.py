"""Who is better? One module per model, one function each: Comparisons in, a Ranking out."""

from sidewise.models.bradley_terry import bradley_terry
from sidewise.models.by_name import MODELS, find_model, rank
from sidewise.models.crowd_bt import crowd_bt
from sidewise.models.elo import elo
from sidewise.models.factor_bt import factor_bt
from sidewise.models.hodge_rank import hodge_rank
from sidewise.models.linear_bias import linear_bias
from sidewise.models.page_rank import page_rank
from sidewise.models.pairwise_hits import pairwise_hits
from sidewise.models.priors import Normal, VirtualItem
from sidewise.models.random_order import random_order
from sidewise.models.thurstone import thurstone
from sidewise.models.win_rate import win_rate
from sidewise.models.worker_bt import worker_bt

__all__ = [
    "MODELS",
    "Normal",
    "VirtualItem",
    "bradley_terry",
    "crowd_bt",
    "elo",
    "factor_bt",
    "find_model",
    "hodge_rank",
    "linear_bias",
    "page_rank",
    "pairwise_hits",
    "random_order",
    "rank",
    "thurstone",
    "win_rate",
    "worker_bt",
]
