"""Who should stand first? Rankers that learn from preferences."""

from sidewise.learn.choosing import GRID, Choice, choose_ranker
from sidewise.learn.features import Features
from sidewise.learn.folds import Fold, Folds, folds, read_folds, write_folds
from sidewise.learn.letor import read_features, write_features
from sidewise.learn.pairs import TrainingPairs, judged_only, label_pairs, preference_pairs
from sidewise.learn.scaling import Scaling, fit_scaling
from sidewise.learn.svm import LinearRanker, binary_svm, rank_svm

__all__ = [
    "GRID",
    "Choice",
    "Features",
    "Fold",
    "Folds",
    "LinearRanker",
    "Scaling",
    "TrainingPairs",
    "binary_svm",
    "choose_ranker",
    "fit_scaling",
    "folds",
    "judged_only",
    "label_pairs",
    "preference_pairs",
    "rank_svm",
    "read_features",
    "read_folds",
    "write_features",
    "write_folds",
]
