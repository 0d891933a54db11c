"""How good is it? Rankings against a truth, runs of a search engine, agreement of a crowd, boxes; with intervals."""

from sidewise.boxes.geometry import iou
from sidewise.measures.agreement import Agreement, agreement
from sidewise.measures.answers import read_answer_grid
from sidewise.measures.box_matching import BoxMatches, match_boxes
from sidewise.measures.boxes import BoxScores, average_iou, iou_accuracy, score_boxes
from sidewise.measures.by_name import Measure, find_measure
from sidewise.measures.by_worker import agreement_by_worker, agreement_picture
from sidewise.measures.compatibility import compatibility
from sidewise.measures.consistency import (
    Consistency,
    MirrorConsistency,
    RepeatConsistency,
    mirror_consistency,
    repeat_consistency,
)
from sidewise.measures.correlation import pearson, rmse, spearman
from sidewise.measures.curve import PreferenceCurve, plot_curves, preference_curve
from sidewise.measures.estimate import Estimate, estimate_mean
from sidewise.measures.gain import expected_reciprocal_rank, ndcg
from sidewise.measures.held_out import foretold
from sidewise.measures.kappa import cohen_kappa, fleiss_kappa, percent_agreement
from sidewise.measures.krippendorff import krippendorff_alpha, krippendorff_interval
from sidewise.measures.order import kendall_tau, pair_accuracy
from sidewise.measures.preference import average_ppref, nwppref, ppref, rpref, wppref
from sidewise.measures.preference_grades import run_err, run_ndcg
from sidewise.measures.preference_result import PerQuery
from sidewise.measures.resampling import Difference, bootstrap, compare
from sidewise.measures.triads import Transitivity, transitivity

__all__ = [
    "Agreement",
    "BoxMatches",
    "BoxScores",
    "Consistency",
    "Difference",
    "Estimate",
    "Measure",
    "MirrorConsistency",
    "PerQuery",
    "PreferenceCurve",
    "RepeatConsistency",
    "Transitivity",
    "agreement",
    "agreement_by_worker",
    "agreement_picture",
    "average_iou",
    "average_ppref",
    "bootstrap",
    "cohen_kappa",
    "compare",
    "compatibility",
    "estimate_mean",
    "expected_reciprocal_rank",
    "find_measure",
    "fleiss_kappa",
    "foretold",
    "iou",
    "iou_accuracy",
    "kendall_tau",
    "krippendorff_alpha",
    "krippendorff_interval",
    "match_boxes",
    "mirror_consistency",
    "ndcg",
    "nwppref",
    "pair_accuracy",
    "pearson",
    "percent_agreement",
    "plot_curves",
    "ppref",
    "preference_curve",
    "read_answer_grid",
    "repeat_consistency",
    "rmse",
    "rpref",
    "run_err",
    "run_ndcg",
    "score_boxes",
    "spearman",
    "transitivity",
    "wppref",
]
