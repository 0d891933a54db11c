"""Comparisons against each other: repeated and mirrored pairs, and circles."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from tests.making import comparisons, crowds, random_comparisons, relabelled

import sidewise as sw
from sidewise import simulate
from sidewise.errors import MeasureError
from sidewise.measures.consistency import mirror_consistency, repeat_consistency
from sidewise.measures.triads import transitivity


def leaning(answers):
    """For each row: the pair, whether it was shown the other way round, who said so, and which item they prefer."""
    workers = [None] * len(answers) if answers.worker is None else answers.worker.tolist()
    for left, right, outcome, worker in zip(
        answers.left.tolist(), answers.right.tolist(), answers.outcome.tolist(), workers, strict=True
    ):
        said = None if outcome == 0.5 else left if outcome > 0.5 else right
        yield (min(left, right), max(left, right)), left > right, worker, said


def plainly(answers, *, within, mirrored=None):
    """Every pair of answers to every pair, one by one; the mean over groups of the share that agree."""
    groups = {}
    rows = list(leaning(answers))
    for (pair, turn, worker, said), (other, turned, who, meant) in combinations(rows, 2):
        if pair == other and (worker == who) == within and mirrored in (None, turn != turned):
            groups.setdefault((pair, worker if within else None), []).append(said == meant)
    return np.mean([np.mean(group) for group in groups.values()]) if groups else np.nan, len(groups)


@given(crowds(most=25))
def test_repeats_and_mirrors_are_those_of_every_pair_of_answers(answers):
    again, turned = repeat_consistency(answers, resamples=1), mirror_consistency(answers, resamples=1)
    for found, mirrored in ((again, None), (turned, True)):
        for part, within in ((found.within, True), (found.between, False)):
            share, groups = plainly(answers, within=within, mirrored=mirrored)
            assert part.share.value == pytest.approx(share, nan_ok=True)
            assert part.groups == groups
    share, groups = plainly(answers, within=True, mirrored=False)
    assert (turned.unturned.share.value, turned.unturned.groups) == (pytest.approx(share, nan_ok=True), groups)


@given(crowds(most=25))
def test_what_was_left_may_be_right(answers):
    """Mirroring all answers changes nothing but the side that contradictions cling to."""
    one, other = mirror_consistency(answers, resamples=1), mirror_consistency(answers.mirror(), resamples=1)
    assert other.within.share.value == pytest.approx(one.within.share.value, nan_ok=True)
    assert other.left.value == pytest.approx(1 - one.left.value, nan_ok=True)
    again = repeat_consistency(answers.mirror(), resamples=1)
    assert again.between.share.value == pytest.approx(
        repeat_consistency(answers, resamples=1).between.share.value, nan_ok=True
    )


def test_those_who_always_say_left_contradict_themselves_to_the_left():
    made = simulate.crowd(6, workers=10, comparisons=2000, kinds={"always-left": 1.0}, seed=1).comparisons
    found = mirror_consistency(made)
    assert found.within.share.value == 0.0
    assert found.left.value == 1.0
    assert found.unturned.share.value == 1.0
    assert repeat_consistency(made).within.share.value == pytest.approx(0.5, abs=0.03)


def test_honest_workers_agree_with_themselves_as_with_others():
    made = simulate.crowd(8, workers=10, comparisons=6000, seed=2).comparisons
    found, turned = repeat_consistency(made), mirror_consistency(made)
    score = np.array([simulate.crowd(8, workers=10, comparisons=6000, seed=2).truth[item] for item in made.items])
    lead = np.array([score[a] - score[b] for a, b in combinations(range(8), 2)])
    chance = 1 / (1 + np.exp(-lead))
    expected = (chance**2 + (1 - chance) ** 2).mean()
    for part in (found.within, found.between, turned.within, turned.between):
        assert part.share.value == pytest.approx(expected, abs=0.02)
        assert part.share.low < expected < part.share.high
    assert turned.left.low < 0.5 < turned.left.high


def test_without_workers_all_answers_are_others():
    answers = sw.Comparisons.from_arrays(left=["a", "a", "b"], right=["b", "b", "a"], winner=["a", "b", "a"])
    found = repeat_consistency(answers)
    assert np.isnan(found.within.share.value)
    assert found.within.groups == 0
    assert found.between.share.value == pytest.approx(1 / 3)
    assert (found.between.answers, found.between.groups) == (3, 1)


def test_mirrors_need_sides():
    answers = sw.Comparisons.from_arrays(winner=["a", "b"], loser=["b", "a"])
    assert repeat_consistency(answers).between.share.value == 0.0
    with pytest.raises(MeasureError, match="left or right"):
        mirror_consistency(answers)


def tournament(n, rng):
    """Every pair decided once."""
    pairs = [(a, b) if rng.random() < 0.5 else (b, a) for a, b in combinations(range(n), 2)]
    return sw.Comparisons.from_arrays(winner=[f"i{a}" for a, _ in pairs], loser=[f"i{b}" for _, b in pairs])


@pytest.mark.parametrize("n", [3, 4, 5, 8, 13, 20])
def test_circles_of_a_tournament_are_those_of_kendall_and_babington_smith(n):
    answers = tournament(n, np.random.default_rng(n))
    wins = answers.counts().wins()
    circles = n * (n - 1) * (n - 2) // 6 - int((wins * (wins - 1) / 2).sum())
    found = transitivity(answers)
    assert found.triads == n * (n - 1) * (n - 2) // 6
    assert found.cyclic.value * found.triads == pytest.approx(circles)
    most = (n**3 - n) / 24 if n % 2 else (n**3 - 4 * n) / 24
    assert found.coefficient == pytest.approx(1 - circles / most)
    assert found.exact
    assert found.cyclic.low == found.cyclic.high == found.cyclic.value


@given(comparisons(most=40))
def test_circles_are_those_of_every_three_items(answers):
    graph = nx.DiGraph()
    counts = answers.counts()
    lead = counts.first_wins - counts.second_wins
    for a, b, gap in zip(counts.first.tolist(), counts.second.tolist(), lead.tolist(), strict=True):
        if gap:
            graph.add_edge(*((a, b) if gap > 0 else (b, a)))
    if not graph.edges:
        with pytest.raises(MeasureError, match="no pair is decided"):
            transitivity(answers)
        return
    three = [some for some in combinations(graph, 3) if len(nx.subgraph(graph, some).edges) == 3]
    circles = [some for some in three if all(d == 1 for _, d in nx.subgraph(graph, some).in_degree())]
    found = transitivity(answers)
    assert found.triads == len(three)
    assert found.cyclic.value == pytest.approx(len(circles) / len(three) if three else np.nan, nan_ok=True)
    assert (found.decided, found.undecided) == (len(graph.edges), int((lead == 0).sum()))


@given(comparisons(most=30, ties=False))
def test_names_do_not_matter(answers):
    one, other = transitivity_or_none(answers), transitivity_or_none(relabelled(answers, [3, 1, 0, 5, 2, 4])[0])
    assert (one is None) == (other is None)
    if one is not None:
        assert (one.triads, one.decided) == (other.triads, other.decided)
        assert one.cyclic.value == pytest.approx(other.cyclic.value, nan_ok=True)


def transitivity_or_none(answers):
    try:
        return transitivity(answers)
    except MeasureError:
        return None


def test_a_sample_finds_the_share_and_the_number():
    answers = random_comparisons(60, 3000, seed=1, spread=1.0)
    exact = transitivity(answers)
    drawn = transitivity(answers, most=0, sample=20_000, seed=1)
    assert not drawn.exact
    assert drawn.cyclic.low < exact.cyclic.value < drawn.cyclic.high
    assert drawn.triads == pytest.approx(exact.triads, rel=0.05)
    assert drawn.cyclic == transitivity(answers, most=0, sample=20_000, seed=1).cyclic
    assert np.isnan(drawn.coefficient)


def test_an_order_has_no_circles_and_coins_have_a_quarter():
    ordered = sw.Comparisons.from_arrays(
        winner=[f"i{a}" for a, _ in combinations(range(9), 2)], loser=[f"i{b}" for _, b in combinations(range(9), 2)]
    )
    assert transitivity(ordered).cyclic.value == 0.0
    assert transitivity(ordered).coefficient == 1.0
    assert transitivity(tournament(60, np.random.default_rng(0))).cyclic.value == pytest.approx(0.25, abs=0.02)


def test_results_can_be_read():
    answers = random_comparisons(8, 300, workers=3)
    assert str(transitivity(answers)) == "0.000 of 44 triads"
    one = sw.Comparisons.from_arrays(winner=list("abc"), loser=list("bca"))
    assert str(transitivity(one)) == "1.000 of 1 triad"
    assert "triads drawn from about" in str(transitivity(answers, most=0))
    assert "groups)" in str(repeat_consistency(answers).within)
