"""All that follows from judgments, the fewest that say the same, and what contradicts itself."""

from collections import Counter
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidewise.errors import DataError
from sidewise.preferences import (
    Preferences,
    closure,
    contradictions,
    majority,
    read_preferences,
    reduction,
)


def made(*rows, graded=False):
    """Judgments of one query: (first, second, code)."""
    first, second, judgment = zip(*rows, strict=True)
    return Preferences.from_arrays(
        query=["q"] * len(rows), first=first, second=second, judgment=judgment, graded=graded
    )


def pairs(found):
    table = found.to_frame().to_pydict()
    return {(a, b): degree for a, b, degree in zip(table["better"], table["worse"], table["degree"], strict=True)}


def literal_closure(rows):
    """The paper's words in plain loops: every pair that follows, by repeating the rules until nothing new comes."""
    documents = {name for first, second, _ in rows for name in (first, second)} - {"NA"}
    same = {(a, a) for a in documents} | {side for a, b, code in rows if code == 0 for side in ((a, b), (b, a))}
    bad = {a if code == -2 else b for a, b, code in rows if abs(code) == 2}
    above = {(a, b) if code == -1 else (b, a) for a, b, code in rows if abs(code) == 1}
    while True:
        before = len(same), len(bad), len(above)
        same |= {(a, d) for a, b in same for c, d in same if b == c}
        bad |= {b for a, b in same if a in bad}
        above |= {(a, b) for a in documents - bad for b in bad}
        above |= {(a, d) for a, b in above for c, d in above if b == c}
        above |= {(a, d) for a, b in above for c, d in same if b == c} | {
            (c, b) for a, b in above for c, d in same if d == a
        }
        if before == (len(same), len(bad), len(above)):
            return {(a, b) for a, b in above if not (a in bad and b in bad)}


@st.composite
def consistent(draw):
    """Judgments that follow a hidden order, with duplicates and bad documents in their places."""
    size = draw(st.integers(2, 9))
    names = draw(st.permutations("abcdefghi"[:size]))
    same = draw(st.integers(1, 2))
    level = {name: place // same for place, name in enumerate(names)}
    good = draw(st.integers(1, size))
    rows = []
    for a, b in draw(st.lists(st.sampled_from(list(combinations(range(size), 2))), min_size=1, max_size=20)):
        one, other = names[a], names[b]
        if level[one] == level[other] and (a < good) == (b < good):
            rows.append((one, other, 0))
        elif a < good:  # of two bad documents nothing is said
            rows.append(draw(st.sampled_from([(one, other, -1), (other, one, 1)])))
    rows += [(names[place], "NA", -2) for place in range(good, size) if draw(st.booleans()) or not rows]
    return rows or [(names[0], names[1], -1)]


def test_fifty_documents_have_1225_preferences():
    """The paper's own figures: 49 judgments of neighbours say all, and one more that the last is bad."""
    names = [f"d{number:02}" for number in range(50)]
    chain = made(*((a, b, -1) for a, b in pairwise(names)), (names[-1], "NA", -2))
    found = closure(chain)
    assert len(chain) == 50
    assert len(found) == 1225
    assert found["q"][0].documents == tuple(names)
    assert len(reduction(found.to_preferences())) == 49  # 48 neighbours above the bad one, and its mark
    plain = made(*((a, b, -1) for a, b in combinations(names, 2)))
    assert len(plain) == 1225
    assert len(reduction(plain)) == 49
    assert closure(reduction(plain)) == closure(plain)


def test_duplicates_are_equal_and_bad_documents_below_all_others():
    found = closure(made(("a", "b", -1), ("c", "b", 0), ("d", "c", 1), ("x", "NA", -2), ("NA", "y", 2), ("z", "y", 0)))
    good, bad = ["a", "b", "c", "d"], ["x", "y", "z"]
    expected = {("a", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("c", "d")} | {(g, b) for g in good for b in bad}
    assert set(pairs(found)) == expected
    order = found["q"][0]
    assert set(order.bad_documents()) == set(bad)
    assert {frozenset(order.documents[place] for place in members) for members in order.duplicates} == {
        frozenset("bc"),
        frozenset("yz"),
    }


def test_two_bad_documents_have_no_order_even_where_one_was_stated():
    assert set(pairs(closure(made(("a", "x", -1), ("x", "y", -1), ("x", "NA", -2), ("y", "NA", -2))))) == {
        ("a", "x"),
        ("a", "y"),
    }


def test_documents_that_nothing_joins_stay_unordered():
    assert set(pairs(closure(made(("a", "b", -1), ("c", "d", -1))))) == {("a", "b"), ("c", "d")}


@given(consistent())
def test_the_closure_is_what_the_papers_rules_say(rows):
    judged = made(*rows)
    assert not contradictions(judged)
    found = closure(judged)
    assert set(pairs(found)) == literal_closure(rows)
    for order in found:
        assert all(better < worse for better, worse in zip(order.pairs.better, order.pairs.worse, strict=True))
        assert np.array_equal(order.matrix.T, np.array([[held >> k & 1 for k in range(len(order.documents))]
                                                        for held in order.above[0]], bool))  # fmt: skip


@given(consistent())
def test_the_reduction_implies_the_same_and_is_the_smallest(rows):
    judged = made(*rows)
    fewest = reduction(judged)
    assert closure(fewest) == closure(judged)
    assert len(fewest) <= max(len(judged), 1)
    for left_out in range(len(fewest)):
        rest = fewest.rows(np.delete(np.arange(len(fewest)), left_out))
        assert closure(rest) != closure(judged)


@given(st.integers(0, 10**6), st.integers(2, 14), st.floats(0.05, 0.9))
def test_closure_and_reduction_agree_with_networkx(seed, size, density):
    rng = np.random.default_rng(seed)
    names = [f"d{place}" for place in rng.permutation(size)]
    edges = [pair for pair in combinations(names, 2) if rng.random() < density] or [(names[0], names[1])]
    graph = nx.DiGraph(edges)
    judged = made(*((a, b, -1) for a, b in edges))
    assert set(pairs(closure(judged))) == set(nx.transitive_closure(graph).edges)
    fewest = reduction(judged).to_frame().to_pydict()
    assert set(zip(fewest["first"], fewest["second"], strict=True)) == set(nx.transitive_reduction(graph).edges)


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 40))
def test_knots_are_the_strongly_connected_components(seed, size, count):
    """What remains after dropping them is the closure of the condensed graph, member by member."""
    rng = np.random.default_rng(seed)
    edges = [tuple(f"d{place}" for place in rng.choice(size, 2, replace=False)) for _ in range(count)]
    graph = nx.DiGraph(edges)
    judged = made(*((a, b, -1) for a, b in edges))
    knots = {frozenset(some) for some in nx.strongly_connected_components(graph) if len(some) > 1}
    found = contradictions(judged)
    assert {frozenset(knot.tangled) for knot in found} == knots
    for knot in found:
        assert knot.kind == "cycle"
        assert all(graph.has_edge(a, b) for a, b in pairwise([*knot.documents, knot.documents[0]]))
        shortest = min(
            (len(path) for path in nx.simple_cycles(graph.subgraph(knot.tangled), length_bound=3)), default=4
        )
        assert len(knot.documents) == shortest or shortest == 4
        assert [edges[line - 1] for line in knot.lines] == list(pairwise([*knot.documents, knot.documents[0]]))
    member = nx.condensation(graph).graph["mapping"]
    expected = {(a, b) for a in graph for b in graph if member[a] != member[b] and nx.has_path(graph, a, b)}
    assert set(pairs(closure(judged, on_contradiction="drop"))) == expected
    if knots:
        with pytest.raises(DataError, match="the judgments contradict each other"):
            closure(judged)


def test_contradictions_are_told_with_their_lines(tmp_path):
    path = tmp_path / "prefs.txt"
    path.write_text(
        "1 a b -1\n1 b c -1\n1 c a -1\n2 a b -1\n2 b a -1\n3 a b -1\n3 b c 0\n3 c a 0\n4 x NA -2\n4 x y -1\n"
    )
    found = contradictions(read_preferences(path))
    assert [str(knot) for knot in found] == [
        "query 1: a > b (line 1), b > c (line 2), c > a (line 3)",
        "query 2: a > b (line 4), b > a (line 5)",
        "query 3: a > b (line 6), b = c (line 7), c = a (line 8)",
        "query 4: x > y (line 10), x is bad (line 9)",
    ]
    assert [knot.kind for knot in found] == ["cycle", "cycle", "duplicates", "bad"]
    assert [knot.documents for knot in found] == [("a", "b", "c"), ("a", "b"), ("a", "c", "b"), ("x", "y")]
    assert [knot.lines for knot in found] == [(1, 2, 3), (4, 5), (6, 7, 8), (10, 9)]
    with pytest.raises(DataError) as refused:
        closure(read_preferences(path))
    assert str(refused.value).startswith(f"{path}: the judgments contradict each other:\n  query 1: a > b (line 1)")
    assert "… and 1 more" in str(refused.value)
    dropped = closure(read_preferences(path), on_contradiction="drop")
    assert len(dropped) == 0
    assert len(dropped.contradictions) == 4
    assert dropped["1"][0].undecided == (("a", "b", "c"),)
    assert repr(dropped) == "Closure(4 queries, 0 preferences, 4 contradictions dropped)"


def test_a_knot_leaves_the_rest_in_order():
    found = closure(made(("a", "b", -1), ("b", "c", -1), ("c", "b", -1), ("c", "d", -1)), on_contradiction="drop")
    assert set(pairs(found)) == {("a", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("c", "d")}


def test_what_was_stated_and_no_more():
    judged = made(("a", "b", -1), ("b", "c", -1), ("c", "a", -1), ("d", "c", 0), ("x", "NA", -2))
    stated = closure(judged, transitive=False)  # a cycle of stated preferences contradicts no single pair
    assert set(pairs(stated)) == {("a", "b"), ("b", "c"), ("c", "a")} | {(name, "x") for name in "abcd"}
    both = made(("a", "b", -1), ("b", "a", -1), ("a", "c", -1))
    with pytest.raises(DataError, match="a > b \\(line 1\\), b > a \\(line 2\\)"):
        closure(both, transitive=False)
    assert set(pairs(closure(both, transitive=False, on_contradiction="drop"))) == {("a", "c")}
    bad = made(("x", "a", -1), ("x", "NA", -2))
    with pytest.raises(DataError, match="x > a \\(line 1\\), x is bad \\(line 2\\)"):
        closure(bad, transitive=False)


def test_an_implied_preference_is_as_strong_as_the_strongest_on_the_way():
    rows = (("a", "b", -1), ("b", "c", -3), ("c", "d", -2), ("a", "d", -1), ("x", "NA", -2), ("d", "x", -4))
    found = closure(made(*rows, graded=True))
    expected = {("a", "b"): 1, ("a", "c"): 3, ("a", "d"): 3, ("b", "c"): 3, ("b", "d"): 3, ("c", "d"): 2}
    assert pairs(found) == expected | {(name, "x"): 4 for name in "abcd"}
    order = found["q"][0]
    assert order.degree(order.documents.index("a"), order.documents.index("c")) == 3
    assert order.degree(order.documents.index("c"), order.documents.index("a")) == 0


@given(st.integers(0, 10**6), st.integers(2, 6), st.floats(0.2, 1))
def test_graded_closures_are_reduced_and_restored(seed, size, density):
    rng = np.random.default_rng(seed)
    names = [f"d{place}" for place in range(size)]
    edges = [(a, b, -int(rng.integers(1, 4))) for a, b in combinations(names, 2) if rng.random() < density]
    edges = [*(edges or [(names[0], names[1], -2)]), (names[-1], "NA", -2)]
    judged = made(*edges, graded=True)
    widest = {}  # the highest degree on any way, by trying all ways
    graph = nx.DiGraph()
    graph.add_weighted_edges_from((a, b, -code) for a, b, code in edges if b != "NA")
    for name in set(graph) - {names[-1]}:  # the mark of a bad document is a step of degree 1
        graph.add_edge(name, names[-1], weight=max(1, graph.get_edge_data(name, names[-1], {"weight": 1})["weight"]))
    for a in graph:
        for b in graph:
            for path in nx.all_simple_paths(graph, a, b) if a != b else ():
                widest[a, b] = max(widest.get((a, b), 0), *(graph[u][v]["weight"] for u, v in pairwise(path)))
    assert pairs(closure(judged)) == widest
    fewest = reduction(judged)
    assert closure(fewest) == closure(judged)
    for left_out in range(len(fewest)):
        assert closure(fewest.rows(np.delete(np.arange(len(fewest)), left_out))) != closure(judged)


def test_a_good_document_known_from_a_bad_one_alone_is_not_forgotten():
    judged = made(("a", "x", -1), ("b", "x", -1), ("x", "NA", -2))
    fewest = reduction(judged)
    assert len(fewest) == 3
    assert closure(fewest) == closure(judged)


def test_groups_of_judges_stay_apart():
    judged = Preferences.from_arrays(
        query=["q"] * 3, first=["a", "b", "b"], second=["b", "c", "a"], judgment=[-1] * 3, group=["me", "me", "you"]
    )
    found = closure(judged)
    assert [len(order) for order in found["q"]] == [3, 1]
    assert found.to_frame().column_names[-1] == "group"
    assert closure(reduction(judged)) == found
    assert closure(found.to_preferences()) == found


def test_the_closure_written_out_is_its_own_closure():
    judged = made(("a", "b", -1), ("c", "b", 0), ("d", "c", 1), ("x", "NA", -2), ("z", "x", 0))
    whole = closure(judged)
    assert closure(whole.to_preferences()) == whole
    assert Counter(whole.to_preferences().judgment.tolist()) == Counter({-1: 13, 0: 2, -2: 2})
    assert set(pairs(closure(whole.to_preferences(marks=False)))) == set(pairs(whole))


def test_contradictory_or_open_preferences_have_no_core():
    ring = made(("a", "b", -1), ("b", "a", -1))
    for some in (ring, closure(ring, on_contradiction="drop")):
        with pytest.raises(
            DataError, match=r"a > b \(line 1\), b > a \(line 2\)\n  such judgments have no smallest core"
        ):
            reduction(some)
    with pytest.raises(DataError, match="only all that follows has a smallest core"):
        reduction(closure(made(("a", "b", -1)), transitive=False))


def test_wrong_words_and_queries():
    judged = made(("a", "b", -1))
    with pytest.raises(DataError, match="neither 'raise' nor 'drop'"):
        closure(judged, on_contradiction="ignore")
    with pytest.raises(DataError, match="has no query 'r'"):
        closure(judged)["r"]


def test_a_long_ring_needs_no_recursion():
    names = [f"d{number}" for number in range(3000)]
    (knot,) = contradictions(made(*((a, b, -1) for a, b in pairwise([*names, names[0]]))))
    assert len(knot.documents) == len(knot.lines) == 3000
    assert str(knot).endswith("d8 > d9 (line 9), … 2,990 more …, d2999 > d0 (line 3000)")
    assert len(closure(made(*((a, b, -1) for a, b in pairwise(names))))) == 3000 * 2999 // 2


def test_real_judgments_of_a_crowd_contradict_each_other(data):
    """TREC DL 2021: several judgments of many pairs; the majority of them still has cycles in 48 of 50 queries."""
    judged = read_preferences(data / "trec-dl-2021" / "judgments.txt")
    assert (len(judged.queries), len(judged.documents), len(judged)) == (50, 1570, 11681)
    assert judged.form == "winner"
    found = contradictions(judged)
    assert len({knot.query for knot in found}) == len(found) == 50
    assert all(len(knot.documents) == 2 for knot in found[:1])
    most = majority(judged)
    assert len(most) == 8360  # of 8,685 pairs, 325 have as many judgments on either side
    knots = contradictions(most)
    assert len(knots) == len({knot.query for knot in knots}) == 48
    assert {len(knot.documents) for knot in knots} <= {3, 4}
    assert sum(len(knot.tangled) for knot in knots) == 1488
    answers = judged.to_comparisons("615176")
    assert len(answers) == 875


def test_the_preferences_of_trec_eval(data):
    """prefs_num_prefs_poss of every query, as trec_eval counts them."""
    found = closure(read_preferences(data / "trec-eval" / "prefs.test"))
    expected = {}
    for line in (data / "trec-eval" / "out.test.prefs").read_text().splitlines():
        name, query, value = line.split()
        if name == "prefs_num_prefs_poss":
            expected[query] = int(value)
    assert expected.pop("all") == len(found) == 326
    assert {query: sum(map(len, found[query])) for query in found.queries} == expected
