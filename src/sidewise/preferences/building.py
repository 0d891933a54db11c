"""From the graph of a query's judgments to the order of its documents: with all that follows, or as stated."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sidewise.preferences.bits import Bits, gathered, positions, reached, turned
from sidewise.preferences.judged import Judged
from sidewise.preferences.order import PartialOrder
from sidewise.preferences.tangle import (
    BAD_DEGREE,
    Contradiction,
    Kind,
    Stated,
    Tangle,
    at_line,
    contradiction,
    stated_by,
)

Edges = list[dict[int, float]]


def silent(judged: Judged) -> PartialOrder:
    """The order of a query about which nothing was said."""
    return PartialOrder(judged.query, judged.group, (), (BAD_DEGREE,), [[]], [[]])


def closed(graph: Tangle, knots: Sequence[Contradiction]) -> PartialOrder:
    """What follows from the judgments; within a strongly connected component nothing does."""
    component, edges, back = graph.component, graph.successors, graph.predecessors
    count = max(component) + 1
    if knots:
        edges, back = (_condensed(some, component, count) for some in (edges, back))
        component = range(count)
    held: list[list[int]] = [[] for _ in range(count)]
    for node, members in enumerate(graph.classes):
        held[graph.component[node]] += members
    bits = _bits(held)
    sets = [bits[place] for place in component]
    order = sorted(range(count), key=component.__getitem__)
    degrees = _degrees(edges)
    place = [order[number] for number, members in enumerate(held) for _ in members]
    below = _spread(reached(edges, sets, order[::-1], degrees), place)
    above = _spread(reached(back, sets, order, degrees), place)
    return _order(graph, [document for members in held for document in members], degrees, below, above, knots)


def stated(graph: Tangle) -> tuple[PartialOrder, list[Contradiction]]:
    """What the judgments say and no more; of a pair that was judged both ways, nothing. No classes of duplicates."""
    edges: Edges = [dict(afters) for afters in graph.successors[: len(graph.classes)]]
    for afters in edges:
        if afters.pop(graph.hub, None) is not None:
            for mark in graph.bad:
                afters[mark] = max(BAD_DEGREE, afters.get(mark, 0.0))
    both = [(a, b) for a, afters in enumerate(edges) for b in afters if a < b and a in edges[b]]
    for a, b in both:
        del edges[a][b], edges[b][a]
    order = sorted(range(len(edges)), key=graph.component.__getitem__)
    place = {node: position for position, node in enumerate(order)}
    numbered = [{place[after]: degree for after, degree in edges[node].items()} for node in order]
    degrees = _degrees(edges)
    below, above = (_split(some, degrees) for some in (numbered, turned(numbered)))
    said = stated_by(graph) if both else {}
    knots = [_judged_both_ways(graph, said, a, b) for a, b in both]
    documents = [graph.classes[node][0] for node in order]
    return replace(_order(graph, documents, degrees, below, above, knots), transitive=False), knots


def _spread(levels: list[list[Bits]], place: list[int]) -> list[list[Bits]]:
    """What holds for a component, for each of its documents."""
    return [[level[component] for component in place] for level in levels]


def _split(edges: Edges, degrees: Sequence[float]) -> list[list[Bits]]:
    """For every degree and document, the documents it points to by at least that degree."""
    return [
        [gathered(other for other, degree in others.items() if degree >= least) for others in edges]
        for least in degrees
    ]


def _condensed(successors: Edges, component: Sequence[int], count: int) -> Edges:
    """The edges between components, each with its highest degree."""
    edges: Edges = [{} for _ in range(count)]
    for node, afters in enumerate(successors):
        here = component[node]
        held = edges[here]
        for after, degree in afters.items():
            there = component[after]
            if there != here and degree > held.get(there, 0.0):
                held[there] = degree
    return edges


def _degrees(edges: Edges) -> tuple[float, ...]:
    return tuple(sorted({degree for afters in edges for degree in afters.values()})) or (BAD_DEGREE,)


def _bits(held: Iterable[Sequence[int]]) -> list[Bits]:
    """The numbers of the members of each component, counted through."""
    found, before = [], 0
    for members in held:
        found.append(((1 << len(members)) - 1) << before)
        before += len(members)
    return found


def _order(
    graph: Tangle,
    numbered: Sequence[int],
    degrees: tuple[float, ...],
    below: list[list[Bits]],
    above: list[list[Bits]],
    knots: Sequence[Contradiction],
) -> PartialOrder:
    """The order, without the pairs of two bad documents."""
    place = {document: position for position, document in enumerate(numbered)}
    bad = gathered(place[document] for node in graph.bad for document in graph.classes[node])
    for levels in (below, above):
        for level in levels:
            for document in positions(bad):
                level[document] &= ~bad
    names = graph.judged.documents
    classes = [sorted(place[document] for document in members) for members in graph.classes if len(members) > 1]
    return PartialOrder(
        graph.judged.query,
        graph.judged.group,
        tuple(names[document] for document in numbered),
        degrees,
        below,
        above,
        tuple(tuple(members) for members in sorted(classes)),
        bad,
        tuple(knot.tangled for knot in knots),
    )


def _judged_both_ways(graph: Tangle, stated: Stated, a: int, b: int) -> Contradiction:
    """Two judgments of one pair that contradict each other, or a bad document that is preferred to a good one."""
    said, lines = [], []
    for edge in ((a, b), (b, a)):
        if edge in stated:
            better, worse, line = stated[edge]
            said.append(at_line(f"{graph.judged.documents[better]} > {graph.judged.documents[worse]}", line))
            lines.append(line)
    for document, line in graph.judged.bad:
        if len(lines) == 1 and document in (graph.classes[a][0], graph.classes[b][0]):
            said.append(at_line(f"{graph.judged.documents[document]} is bad", line))
            lines.append(line)
    documents = [graph.judged.documents[graph.classes[node][0]] for node in (a, b)]
    kind: Kind = "cycle" if (a, b) in stated and (b, a) in stated else "bad"
    return contradiction(graph, kind, documents, lines, said, [a, b])
