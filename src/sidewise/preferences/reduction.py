"""The fewest judgments from which all others follow."""

from collections.abc import Iterator

from sidewise.errors import DataError
from sidewise.preferences.bits import Bits
from sidewise.preferences.closure import Closure, Row, as_preferences, closure, contradicting, mark_rows
from sidewise.preferences.judged import FIRST
from sidewise.preferences.order import PartialOrder
from sidewise.preferences.table import Preferences
from sidewise.preferences.tangle import BAD_DEGREE

NO_CORE = (
    "such judgments have no smallest core: mend them, or take what most people said first (majority; command line: "
    "--majority)"
)


def reduction(preferences: Preferences | Closure) -> Preferences:
    """The fewest judgments that imply all the others: ``closure(reduction(x)) == closure(x)``.

    Of the preferences, those that no document in between implies (the transitive reduction); of each class of
    duplicates, every member with the next; of bad documents, one mark for each class. A document that is good and in
    no other judgment keeps one preference over a bad one, without which nobody would know of it. The paper's 1,225
    preferences of 50 documents become 49 judgments (its files keep a 50th, which orders the last good document and the
    first bad one, and follows from the mark). Judgments that contradict each other are refused: they have no such core.

    Parameters
    ----------
    preferences
        The judgments, or all preferences that follow from them.

    Examples
    --------
    >>> from itertools import combinations
    >>> first, second = zip(*combinations("abcd", 2))
    >>> everything = Preferences.from_arrays(query=[1] * 6, first=first, second=second, judgment=[-1] * 6)
    >>> reduction(everything).to_frame().to_pydict()["second"]
    ['b', 'c', 'd']
    """
    whole = preferences if isinstance(preferences, Closure) else closure(preferences, on_contradiction="drop")
    if whole.contradictions:
        raise DataError(contradicting(whole.source, whole.contradictions, NO_CORE))
    if not all(order.transitive for order in whole.orders):
        raise DataError(
            f"{whole.source}: only all that follows has a smallest core: give closure(preferences) as it is"
        )
    return as_preferences((row for order in whole for row in _core(order)), whole.queries)


def _core(order: PartialOrder) -> Iterator[Row]:
    name, named = order.documents, {document for members in order.duplicates for document in members}
    later = {document for members in order.duplicates for document in members[1:]}
    first_of_class = sum(1 << document for document in range(len(name)) if document not in later)
    for document in range(len(name)):
        if document in later:
            continue
        for worse, degree in _needed(order, document, first_of_class):
            named |= {document, worse}
            yield Row(order.query, order.group, name[document], name[worse], FIRST, degree)
    good = [document for document in range(len(name)) if document not in named and not order.bad >> document & 1]
    for document in good:  # in no judgment so far: its preference over bad documents is all there is
        worst = (order.bad & -order.bad).bit_length() - 1
        yield Row(order.query, order.group, name[document], name[worst], FIRST, BAD_DEGREE)
    yield from mark_rows(order, representative=True)


def _needed(order: PartialOrder, document: int, among: Bits) -> Iterator[tuple[int, float]]:
    """The documents whose place below this one follows from nothing else, nearest first.

    Documents are numbered from the top, so that whatever lies between two is met before the lower one.
    """
    levels = range(len(order.degrees))
    at_least = [order.below[level][document] & among for level in levels]
    exactly = [at_least[level] & ~(at_least[level + 1] if level + 1 < len(levels) else 0) for level in levels]
    good = not order.bad >> document & 1
    implied = [order.bad if good and order.degrees[level] <= BAD_DEGREE else 0 for level in levels]
    while pending := _union(some & ~known for some, known in zip(exactly, implied, strict=True)):
        lowest = pending & -pending
        worse = lowest.bit_length() - 1
        own = next(level for level in reversed(levels) if exactly[level] & lowest)
        yield worse, order.degrees[own]
        for level in levels:
            implied[level] |= (lowest | order.below[0][worse]) if level <= own else order.below[level][worse]


def _union(sets: Iterator[Bits]) -> Bits:
    found = 0
    for some in sets:
        found |= some
    return found
