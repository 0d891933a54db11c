"""What follows? The one result of every model: scores, intervals, rank intervals, tiers, and how it was fitted."""

from sidewise.ranking.result import Fit, Link, Ranking
from sidewise.ranking.uncertainty import Dense, Draws, Uncertainty

__all__ = ["Dense", "Draws", "Fit", "Link", "Ranking", "Uncertainty"]
