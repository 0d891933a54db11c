"""What to ask next? Strategies that choose pairs, all behind one protocol; whether it is enough; what it will take."""

from sidewise.sampling.asking import next_pairs
from sidewise.sampling.by_name import STRATEGIES, find_strategy
from sidewise.sampling.enough import Enough, enough
from sidewise.sampling.planning import Cost, Plan, plan
from sidewise.sampling.state import State, Strategy

__all__ = [
    "STRATEGIES",
    "Cost",
    "Enough",
    "Plan",
    "State",
    "Strategy",
    "enough",
    "find_strategy",
    "next_pairs",
    "plan",
]
