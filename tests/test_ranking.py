"""The one result: intervals, ranks, tiers, scales, and how it shows itself."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import expit, ndtr
from tests.making import random_comparisons

import sidewise as sw
from sidewise.errors import ModelError
from sidewise.ranking import Dense, Draws, Fit, Ranking
from sidewise.ranking.display import decimals, shorten, shorten_all
from sidewise.ranking.order import _count_above, rank_bounds, ranks, tier_numbers
from sidewise.ranking.workers import about, flag_counts, worker_cells, worst_first


def made(score, sd=0.1, **options):
    score = np.asarray(score, float)
    names = sw.Index([f"i{k}" for k in range(len(score))])
    spread = np.broadcast_to(np.asarray(sd, float), score.shape)
    return Ranking(
        names, score, Fit("made", comparisons=7), np.ones(len(score)), uncertainty=Dense(np.diag(spread**2)), **options
    )


def test_ranks_start_at_one_and_equal_scores_share_the_best():
    assert ranks(np.array([3.0, 1.0, 3.0, 2.0])).tolist() == [1, 4, 1, 3]
    assert ranks(np.array([1.0, 1.0 + 1e-13, np.nan])).tolist() == [1, 1, 0]


def test_tiers_do_not_chain():
    """Steps of one and a half standard errors: neighbours are never sure, but the slope is not one tier."""
    ranking = made(np.arange(10, 0, -1) * 0.15, sd=0.1)
    sizes = [len(tier) for tier in ranking.tiers()]
    assert sizes == [2] * 5
    assert ranking.tiers()[0] == ["i0", "i1"]


def test_a_tier_is_led_by_its_best_item_and_holds_those_not_surely_below_it():
    ranking = made([5, 4.9, 4.0, 3.95, 1.0])
    assert ranking.tiers() == [["i0", "i1"], ["i2", "i3"], ["i4"]]
    assert ranking.to_frame()["tier"].to_pylist() == [1, 1, 2, 2, 3]


@given(arrays(float, st.integers(1, 8), elements=st.floats(-3, 3)), st.integers(0, 10_000))
def test_rank_intervals_agree_with_a_loop_over_pairs(score, seed):
    n = len(score)
    half = np.random.default_rng(seed).normal(size=(n, n))
    covariance = half @ half.T / n
    low, high = rank_bounds(score, Dense(covariance), 0.9)
    for i in range(n):
        sure = []
        for j in set(range(n)) - {i}:
            variance = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
            sure.append((score[j] - score[i]) / np.sqrt(max(variance, 1e-30)))
        assert low[i] == 1 + sum(z > 1.6448536 for z in sure)
        assert high[i] == n - sum(z < -1.6448536 for z in sure)
    assert np.all(low <= ranks(score))
    assert np.all(ranks(score) <= high)


def test_counting_without_pairs_is_never_bolder_than_counting_pairs():
    rng = np.random.default_rng(0)
    score, spread = rng.normal(size=400), rng.gamma(2, 0.1, 400)
    exact = (score - score[:, None] > 1.96 * np.hypot(spread, spread[:, None])).sum(axis=1)
    fast = _count_above(score, spread, 1.96)
    assert np.all(fast <= exact)
    assert (exact - fast).max() <= 12


def test_moving_the_zero_moves_scores_and_intervals_without_refitting():
    ranking = sw.bradley_terry(random_comparisons(6, 200))
    assert ranking.score.mean() == pytest.approx(0)
    anchored = ranking.rescale(anchor="item-3")
    assert anchored.score[3] == 0
    assert anchored.score - anchored.score[0] == pytest.approx(ranking.score - ranking.score[0])
    low, high = anchored.interval()
    assert (low[3], high[3]) == pytest.approx((0, 0))
    matrix = ranking.uncertainty.covariance()
    contrast = matrix[0, 0] + matrix[3, 3] - 2 * matrix[0, 3]
    assert (high - low)[0] / 2 / 1.959964 == pytest.approx(np.sqrt(contrast))
    assert ranking.rescale(zero="model").score == pytest.approx(ranking.raw)
    assert anchored.tiers() == ranking.tiers()
    assert "the item 'item-3'" in anchored.scale


def test_the_elo_scale_makes_400_points_of_odds_of_ten_to_one():
    ranking = made([np.log(10), 0.0])
    elo = ranking.rescale(scale="elo")
    assert elo.score[0] - elo.score[1] == pytest.approx(400)
    assert elo.score.mean() == pytest.approx(1500)
    assert elo.rescale(anchor="i1", scale="elo").score[1] == 1500
    assert "Elo points" in elo.scale
    with pytest.raises(ModelError, match="not log-odds"):
        made([1, 2], unit="points").rescale(scale="elo")
    with pytest.raises(ModelError, match="anchor='i1'"):
        ranking.rescale(zero="i1")
    with pytest.raises(sw.SidewiseError, match="no item 'nobody'"):
        ranking.rescale(anchor="nobody")


def test_probability_and_confidence():
    ranking = sw.bradley_terry(random_comparisons(6, 200))
    a, b = ranking.order[:2]
    d = ranking.to_dict()[a] - ranking.to_dict()[b]
    assert ranking.probability(a, b) == pytest.approx(expit(d))
    i, j = ranking.items.code(a), ranking.items.code(b)
    matrix = ranking.uncertainty.covariance()
    spread = np.sqrt(matrix[i, i] + matrix[j, j] - 2 * matrix[i, j])
    assert ranking.confidence(a, b) == pytest.approx(ndtr(d / spread))
    assert ranking.confidence(a, b) + ranking.confidence(b, a) == pytest.approx(1)
    with pytest.raises(sw.SidewiseError, match="no item 'nobody'"):
        ranking.probability(a, "nobody")


def test_the_frame_is_sorted_and_complete():
    frame = made([1, 3, 2]).to_frame()
    assert frame.column_names == [
        "item", "score", "low", "high", "rank", "rank_low", "rank_high", "tier", "comparisons",
    ]  # fmt: skip
    assert frame["item"].to_pylist() == ["i1", "i2", "i0"]
    assert frame["rank"].to_pylist() == [1, 2, 3]
    assert frame.to_pandas().shape == (3, 9)


def test_levels_widen_intervals_and_wrong_ones_are_refused():
    ranking = made([1, 2, 3])
    narrow, wide = (np.subtract(*ranking.interval(level)[::-1]) for level in (0.5, 0.99))
    assert np.all(narrow < wide)
    for level in (0, 1, 95):
        with pytest.raises(ModelError, match="between 0 and 1"):
            ranking.interval(level)


def test_it_shows_itself():
    ranking = made([1, 3, 2])
    assert repr(ranking) == "Ranking(3 items, 7 comparisons, made, converged in 0, first 'i1')"
    text = str(ranking)
    assert text.splitlines()[1].split() == ["1", "i1", "1.000", "0.840", "…", "1.160", "1", "1", "1"]
    assert "scores: log-odds; 0 is the mean of the items" in text
    many = made(np.arange(100.0))
    assert "… and 80 more" in str(many)


def test_the_notebook_table_escapes_what_items_are_called():
    ranking = Ranking(sw.Index(["<script>", "b"]), np.array([1.0, 0]), Fit("m"), np.ones(2))
    assert "<script>" not in ranking._repr_html_()
    assert "&lt;script&gt;" in ranking._repr_html_()
    assert "<table>" in ranking._repr_html_()


def test_the_plot_is_a_chart_of_the_first_items():
    chart = sw.bradley_terry(random_comparisons(12, 300)).plot(limit=5).to_dict()
    assert len(chart["layer"]) == 2
    assert len(chart["data"]["values"]) == 5


def test_rankings_are_frozen_and_can_be_stored():
    ranking = sw.bradley_terry(random_comparisons(6, 100))
    with pytest.raises(AttributeError):
        ranking.raw = np.zeros(6)
    again = pickle.loads(pickle.dumps(ranking))  # noqa: S301
    assert again.to_frame().equals(ranking.to_frame())


def test_models_without_intervals_say_so():
    ranking = sw.random_order(random_comparisons(4, 20))
    with pytest.raises(ModelError, match="random_order gives no intervals; use bradley_terry"):
        ranking.interval()
    with pytest.raises(ModelError, match="elo gives no intervals; use bradley_terry"):
        sw.elo(random_comparisons(4, 20), orders=2).interval()
    with pytest.raises(ModelError, match="page_rank gives no intervals with .*; ask for intervals='bootstrap'"):
        sw.page_rank(random_comparisons(4, 20)).interval()
    with pytest.raises(ModelError, match="does not say how likely"):
        ranking.probability("item-0", "item-1")
    assert ranking.to_frame().column_names == ["item", "score", "rank", "comparisons"]
    assert str(ranking)


def test_the_scale_says_where_its_zero_is():
    parts = {"component": np.array([0, 0, 1, 1], np.int32), "comparable": False}
    apart = made([1, -1, 2, -2], **parts)
    assert apart.scale == "log-odds; each part has its own zero: 0 is the mean of its items"
    assert "other parts cannot be compared" in apart.rescale(anchor="i0").scale
    rating = sw.elo(random_comparisons(4, 20), orders=2)
    assert rating.scale == "points"
    assert rating.rescale(anchor="item-1").scale == "points; 0 is the item 'item-1'"
    assert rating.rescale(anchor="item-1").to_dict()["item-1"] == 0


def test_shares_have_no_other_zero():
    for ranking in (sw.win_rate(random_comparisons(4, 20)), sw.page_rank(random_comparisons(4, 20))):
        with pytest.raises(ModelError, match="measured from 0 and have no other zero"):
            ranking.rescale(anchor="item-1")
        with pytest.raises(ModelError, match="have no other zero"):
            ranking.rescale(zero="mean")
        assert ranking.rescale(zero="model").score == pytest.approx(ranking.score)


def test_items_of_separate_parts_show_their_part():
    ranking = made([1, -1, 2, -2], component=np.array([0, 0, 1, 1], np.int32))
    head, *rows = str(ranking).splitlines()
    assert head.split()[-1] == "part"
    assert [row.split()[-1] for row in rows[:4]] == ["2", "1", "1", "2"]
    assert "<th>part</th>" in ranking._repr_html_()
    assert "part" not in str(made([1, 2]))


def test_a_ranking_is_equal_to_itself_alone():
    ranking, other = made([1, 2]), made([1, 2])
    assert ranking == ranking  # noqa: PLR0124
    assert ranking != other
    assert len({ranking, other}) == 2


@pytest.mark.parametrize(
    ("score", "digits"),
    [([3.0, -2.0], 3), ([0.9, 0.2], 3), ([0.0012, 0.0001], 6), ([1 / 900, 1 / 900], 6), ([np.nan], 3)],
)
def test_decimals_follow_the_range_of_the_scores(score, digits):
    ranking = Ranking(made(score).items, np.array(score), Fit("m"), np.ones(len(score)), zero="model")
    assert decimals(ranking, least=3) == digits
    assert decimals(ranking, least=2) == digits - 1


def test_decimals_are_no_finer_than_intervals_and_points_have_none():
    assert decimals(made([0.001, -0.001], sd=0.5), least=3) == 3
    assert decimals(made([0.001, -0.001], sd=0.0001), least=3) == 6
    assert decimals(made([1, 2]).rescale(scale="elo"), least=3) == 0
    assert decimals(made([1000, 1200], unit="points"), least=3) == 0
    assert "-0.000" not in str(made([1e-9, -1e-9], sd=1))


def test_names_are_shortened_in_the_middle_to_the_cells_they_may_fill():
    assert shorten("short", 12) == "short"
    assert shorten("a very long name indeed", 12) == "a ver…indeed"
    assert shorten("two\nlines", 12) == "two lines"
    assert shorten("日本語の長い名前", 9) == "日本…名前"
    assert shorten_all(["x" * 30 + "a" + "y" * 9, "x" * 30 + "b" + "y" * 9], 16)[1].endswith("b" + "y" * 9)


def test_one_is_not_many():
    ranking = Ranking(sw.Index(["a"]), np.array([1.0]), Fit("m", comparisons=1), np.ones(1))
    assert repr(ranking).startswith("Ranking(1 item, 1 comparison, m")


def test_draws_hold_the_estimate_itself():
    """Percentiles of resamples can miss the estimate; an interval that does is of no use to a reader."""
    draws = Draws(np.random.default_rng(0).normal(1, 0.1, (200, 3)))
    low, high = draws.bounds(np.zeros(3), "model", 0.95)
    assert np.all(low <= 0)
    assert np.all(high > 1)


def test_parts_without_a_prior_are_never_sure_of_each_other():
    score = np.array([5.0, 0.0, 9.0, 1.0])
    separate = np.array([0, 0, 1, 1], np.int32)
    low, high = rank_bounds(score, Dense(np.eye(4) * 0.01), 0.95, separate)
    assert low.tolist() == [1, 2, 1, 2]
    assert high.tolist() == [3, 4, 3, 4]
    assert tier_numbers(score, Dense(np.eye(4) * 0.01), 0.95, separate).tolist() == [1, 2, 1, 2]


def crowd(flags, **columns):
    k = len(flags)
    table = {"worker": [f"w{number}" for number in range(k)], "answers": [10] * k, **columns, "agreement": [0.5] * k}
    return pa.table({**table, "flag": pa.array(flags, pa.string())})


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([None, "random", "favours left", "favours left"], "4 workers: 2 favour left, 1 random"),
        (["avoids logo", "avoids logo", "favours logo"], "3 workers: 2 avoid logo, 1 favours logo"),
        ([None, None], "2 workers, none flagged"),
        ([None], "1 worker, none flagged"),
    ],
)
def test_flagged_workers_are_counted_in_a_line(flags, said):
    assert about(crowd(flags)) == said
    assert sum(flag_counts(crowd(flags)).values()) == sum(flag is not None for flag in flags)


def test_a_ranking_says_who_deserves_a_second_look():
    ranking = made([1, 2], workers=crowd([None, "random"]))
    assert str(ranking).splitlines()[-1] == "2 workers: 1 random (see .workers)"
    assert "2 workers: 1 random (see <code>.workers</code>)." in ranking._repr_html_()
    odd = made([1, 2], workers=crowd(["favours <b>"]))
    assert "&lt;b&gt;" in odd._repr_html_()
    assert "worker" not in str(made([1, 2])) + made([1, 2])._repr_html_()


def test_the_worst_workers_come_first_and_the_flagged_ones_before_them():
    workers = crowd(
        [None, "random", None, "favours left"],
        reliability=[1.0, 0.1, -0.2, np.nan], reliability_low=[0.5, 0, -1, np.nan],
        reliability_high=[1.5, 0.3, 1, np.nan], side_bias=[0.0, 0.1, 0.2, 3.0],
    )  # fmt: skip
    assert worst_first(workers)["worker"].to_pylist() == ["w1", "w3", "w2", "w0"]
    head, rows = worker_cells(workers, 2)
    assert head == ["worker", "answers", "reliability", "interval", "side bias", "agreement", "flag"]
    assert rows == [
        ["w1", "10", "0.10", "0.00 … 0.30", "0.10", "50%", "random"],
        ["w3", "10", "–", "– … –", "3.00", "50%", "favours left"],
    ]
    assert worker_cells(crowd([None]), 1)[0] == ["worker", "answers", "agreement", "flag"]
