"""Graphs of preferences and sets of documents as bits of one whole number: kernels that know no names and no files.

A set of 1,000 documents is a number of 1,000 bits, and Python unites two of them in a tenth of a microsecond: the
closure of a query takes a millisecond, where a matrix of booleans takes fifty times as long.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

Bits = int
Graph = Sequence[dict[int, float]]  # node → the nodes it points to, each with a degree


def strong_components(successors: Graph, predecessors: Graph) -> list[int]:
    """The strongly connected component of every node; no edge leads to a component of a lower number (Kosaraju)."""
    component = [-1] * len(successors)
    count = 0
    for root in reversed(_finished(successors)):
        if component[root] >= 0:
            continue
        component[root], stack = count, [root]
        while stack:
            for node in predecessors[stack.pop()]:
                if component[node] < 0:
                    component[node] = count
                    stack.append(node)
        count += 1
    return component


def _finished(successors: Graph) -> list[int]:
    """The nodes in the order in which a search in depth leaves them, beginning from the last node.

    Read backwards, nodes that no path joins then stand in their own order.
    """
    order: list[int] = []
    seen = [False] * len(successors)
    for root in reversed(range(len(successors))):
        stack = [] if seen[root] else [(root, reversed(successors[root]))]
        seen[root] = True
        while stack:
            node, rest = stack[-1]
            for after in rest:
                if not seen[after]:
                    seen[after] = True
                    stack.append((after, reversed(successors[after])))
                    break
            else:
                order.append(node)
                stack.pop()
    return order


def turned(successors: Graph) -> list[dict[int, float]]:
    """The graph with all edges turned round."""
    found: list[dict[int, float]] = [{} for _ in successors]
    for node, afters in enumerate(successors):
        for after, degree in afters.items():
            found[after][node] = degree
    return found


def reached(
    successors: Graph, members: Sequence[Bits], order: Iterable[int], degrees: Sequence[float]
) -> list[list[Bits]]:
    """For every degree and node, the members of the nodes to which a path leads with a step of at least that degree.

    ``order`` names every node after those it points to; the first of the degrees is the least one.
    """
    found = [[0] * len(successors) for _ in degrees]
    whole = found[0]
    for node in order:
        for after in successors[node]:
            whole[node] |= members[after] | whole[after]
        for level, least in enumerate(degrees[1:], 1):
            for after, degree in successors[node].items():
                found[level][node] |= members[after] | whole[after] if degree >= least else found[level][after]
    return found


def shortest_path(
    successors: Sequence[Mapping[int, object]], start: int, goal: int, inside: set[int]
) -> list[int] | None:
    """The nodes of a shortest path of at least one step from start to goal, within a set of nodes."""
    came: dict[int, int] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for after in successors[node]:
            if after == goal:
                path = [goal, node]
                while path[-1] != start:
                    path.append(came[path[-1]])
                return path[::-1]
            if after in inside and after not in came and after != start:
                came[after] = node
                queue.append(after)
    return None


def positions(bits: Bits) -> Iterator[int]:
    """The members of a set, in rising order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def gathered(members: Iterable[int]) -> Bits:
    """The set of some members."""
    bits = 0
    for member in members:
        bits |= 1 << member
    return bits
