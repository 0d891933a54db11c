"""The judgments of a query as a graph of classes of duplicates, and where they contradict each other."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from sidewise.preferences.bits import shortest_path, strong_components, turned
from sidewise.preferences.judged import Judged

Kind = Literal["cycle", "duplicates", "bad"]
Stated = dict[tuple[int, int], tuple[int, int, int]]  # edge → the better document, the worse one, the line
BAD_DEGREE = 1.0  # of the preference for any document over a bad one
TOLD = 10  # judgments of a chain that are told in words; its documents and lines are all there
TRIED = 200  # documents of a knot from which a way back is looked for


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Judgments of one query that cannot all hold.

    ``kind`` is "cycle" (each document is preferred to the next, and the last to the first), "duplicates" (one of two
    duplicates is preferred to the other) or "bad" (a document judged bad is preferred to one that was not).
    ``documents`` are those of a short chain of such judgments (of the shortest, where at most 200 documents are
    tangled), ``lines`` say where they stand, and ``tangled`` are all documents whose order they and others leave open.
    """

    query: str
    group: str | None
    kind: Kind
    documents: tuple[str, ...]
    lines: tuple[int, ...]
    tangled: tuple[str, ...]
    says: str

    def __str__(self) -> str:
        who = "" if self.group is None else f", group {self.group}"
        return f"query {self.query}{who}: {self.says}"


class Tangle(NamedTuple):
    """Classes of duplicates as nodes, preferences as edges, and one node more between the good and the bad.

    ``hub`` is that node, or −1: all good classes point to it and it points to all bad ones, so that every good
    document is above every bad one with as many edges as there are classes, and not classes squared.
    """

    judged: Judged
    class_of: list[int]
    classes: list[list[int]]
    bad: set[int]
    successors: list[dict[int, float]]
    predecessors: list[dict[int, float]]
    hub: int
    component: Sequence[int]


def tangle(judged: Judged) -> Tangle:
    """The graph of a query's judgments, with its strongly connected components."""
    class_of, classes = _classes(judged)
    bad = {class_of[document] for document, _ in judged.bad}
    successors: list[dict[int, float]] = [{} for _ in classes]
    for better, worse, degree, _ in judged.preferred:
        held, worse_class = successors[class_of[better]], class_of[worse]
        if degree > held.get(worse_class, 0.0):
            held[worse_class] = degree
    hub = len(classes) if bad else -1
    if bad:
        for node in range(len(classes)):
            if node not in bad:
                successors[node][hub] = BAD_DEGREE
        successors.append(dict.fromkeys(bad, BAD_DEGREE))
    predecessors = turned(successors)
    component = strong_components(successors, predecessors)
    return Tangle(judged, class_of, classes, bad, successors, predecessors, hub, component)


def stated_by(graph: Tangle) -> Stated:
    """Which judgment states each edge: the first that does."""
    found: Stated = {}
    for better, worse, _, line in graph.judged.preferred:
        found.setdefault((graph.class_of[better], graph.class_of[worse]), (better, worse, line))
    return found


def _classes(judged: Judged) -> tuple[list[int], list[list[int]]]:
    """The class of every document, and the documents of every class: duplicates are in one."""
    if not judged.duplicates:
        return list(range(len(judged.documents))), [[document] for document in range(len(judged.documents))]
    lead = list(range(len(judged.documents)))

    def leader(document: int) -> int:
        while lead[document] != document:
            lead[document] = lead[lead[document]]
            document = lead[document]
        return document

    for first, second, _ in judged.duplicates:
        one, other = sorted((leader(first), leader(second)))
        lead[other] = one
    number: dict[int, int] = {}
    class_of = [number.setdefault(leader(document), len(number)) for document in range(len(lead))]
    classes: list[list[int]] = [[] for _ in number]
    for document, place in enumerate(class_of):
        classes[place].append(document)
    return class_of, classes


def found_in(graph: Tangle) -> list[Contradiction]:
    """The contradictions of a query: one for every set of documents that they tie into a knot."""
    held = Counter(graph.component)
    inside: dict[int, list[int]] = {component: [] for component, nodes in held.items() if nodes > 1}
    for node, component in enumerate(graph.component):
        if component in inside:
            inside[component].append(node)
    loops = [node for node in range(len(graph.classes)) if node in graph.successors[node]]
    stated = stated_by(graph) if loops or inside else {}
    in_classes = [_in_class(graph, stated, node) for node in loops]
    return [*in_classes, *(_in_knot(graph, stated, nodes) for nodes in inside.values())]


def _in_class(graph: Tangle, stated: Stated, node: int) -> Contradiction:
    """A preference between duplicates."""
    better, worse, line = stated[node, node]
    links: list[dict[int, int]] = [{} for _ in graph.judged.documents]
    for first, second, at in graph.judged.duplicates:
        links[first].setdefault(second, at)
        links[second].setdefault(first, at)
    path = shortest_path(links, worse, better, set(graph.classes[node])) or [worse, better]
    steps = list(pairwise(path))
    lines = [line, *(links[a][b] for a, b in steps)]
    name = graph.judged.documents
    said = [at_line(f"{name[better]} > {name[worse]}", line)]
    said += [at_line(f"{name[a]} = {name[b]}", links[a][b]) for a, b in steps]
    documents = [name[document] for document in path[::-1]]
    return contradiction(graph, "duplicates", documents, lines, said, [node])


def _in_knot(graph: Tangle, stated: Stated, nodes: list[int]) -> Contradiction:
    """A shortest cycle within a strongly connected component."""
    cycle = _shortest_cycle(graph, nodes)
    name, marks = graph.judged.documents, dict(graph.judged.bad[::-1])
    said, lines, documents = [], [], []
    for node, after in pairwise(cycle):
        if node == graph.hub:
            mark = next(document for document in graph.classes[after] if document in marks)
            said.append(at_line(f"{name[mark]} is bad", marks[mark]))
            lines.append(marks[mark])
        elif after != graph.hub:
            better, worse, line = stated[node, after]
            said.append(at_line(f"{name[better]} > {name[worse]}", line))
            lines.append(line)
            documents.append(name[better])
        else:
            documents.append(name[graph.classes[node][0]])
    kind: Kind = "bad" if graph.hub in cycle else "cycle"
    return contradiction(graph, kind, documents, lines, said, nodes)


def _shortest_cycle(graph: Tangle, nodes: list[int]) -> list[int]:
    """There and back where two judgments contradict each other outright; otherwise a longer way round."""
    inside, best = set(nodes), list[int]()
    for node in nodes:
        for after in graph.successors[node]:
            if after != node and node in graph.successors[after]:
                return [node, after, node]
    for node in nodes[:TRIED]:
        path = None if node == graph.hub else shortest_path(graph.successors, node, node, inside)
        if path and (not best or len(path) < len(best)):
            best = path
        if len(best) == 4:  # three documents: there is no shorter one
            break
    return best


def contradiction(
    graph: Tangle, kind: Kind, documents: list[str], lines: list[int], said: list[str], nodes: list[int]
) -> Contradiction:
    """A contradiction, told in words."""
    held = [document for node in nodes if node != graph.hub for document in graph.classes[node]]
    tangled = tuple(graph.judged.documents[document] for document in sorted(held))
    at = tuple(line for line in lines if line)
    told = ", ".join(said if len(said) <= TOLD else [*said[: TOLD - 1], f"… {len(said) - TOLD:,} more …", said[-1]])
    return Contradiction(graph.judged.query, graph.judged.group, kind, tuple(documents), at, tangled, told)


def at_line(said: str, line: int) -> str:
    """What was said, and where, if that is known."""
    return f"{said} (line {line})" if line else said
