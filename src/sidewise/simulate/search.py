"""A test collection that never existed: queries, documents with features, and preferences between them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from sidewise.comparisons.arrow import Floats, Mask
from sidewise.errors import SidewiseError
from sidewise.preferences import Preferences

Line = tuple[str, str, str, int]  # of the collection's file: query, first, second, judgment

FIELDS = 6  # of a page, whose text features go together: body, title, anchors …
LINKED = 0.25  # share of features that are about links
TOGETHER = 0.7  # correlation of a text feature with its field, and of a link feature with the page's standing
SPREAD_OF_BAD = 0.15  # standard deviation over queries of the share of bad documents


@dataclass(frozen=True, eq=False)
class SearchCollection:
    """Documents of queries, a row each, what they are worth, and the judgments that say so.

    ``values`` has a row for every document, ``feature_names`` says what its columns stand for. ``utility`` is the
    truth; ``bad`` marks documents that were judged not relevant. ``preferences`` are the fewest judgments that imply
    all others.
    """

    queries: tuple[str, ...]
    documents: tuple[str, ...]
    values: Floats
    feature_names: tuple[str, ...]
    utility: Floats
    bad: Mask
    preferences: Preferences


def search_collection(
    queries: int = 50,
    *,
    documents: int = 50,
    features: int = 64,
    signal: float = 0.25,
    bad: float = 0.4,
    duplicates: float = 0.02,
    seed: int = 0,
) -> SearchCollection:
    """Simulate a collection of preference judgments in the shape of that of Carterette et al. (2008).

    Theirs has 50 queries with 50 judged documents each, features that tell little of what assessors prefer, and more
    than half of the documents not bad. A document's utility here is

        u = signal · f + √(1 − signal²) · ε,

    where f is one weighted sum of the features for all queries (weights from N(0, 1)), standardised within the query,
    and ε is N(0, 1). Assessors are perfect: the higher utility is preferred, the lowest of each query are bad, and a
    duplicate is equal to the page it repeats. Nothing here knows of language or of links; only the shape is that of a
    real collection.

    Parameters
    ----------
    queries, documents, features
        How many: queries, documents of each, features of each document. A quarter of the features are about links,
        long-tailed, and the same for duplicates of one page no more than by chance; the others are about text, come
        in fields that go together, and one in each field is the same for all documents of a query.
    signal
        The correlation between utility and the best that a linear ranker could do; 1 leaves nothing to chance.
    bad
        The mean share of documents judged bad; over queries it has a standard deviation of 0.15.
    duplicates
        The share of documents that repeat another one of their query: the same text, other links.
    seed
        The same seed gives the same collection.

    Examples
    --------
    >>> made = search_collection(2, documents=4, features=8, seed=1)
    >>> made.values.shape, made.preferences
    ((8, 8), Preferences(2 queries, 8 documents, 6 judgments))
    """
    if queries < 1 or documents < 2 or features < 2:
        raise SidewiseError("a collection needs a query, two documents and two features")
    if not (0 <= signal <= 1 and 0 <= bad < 1 and 0 <= duplicates < 1):
        raise SidewiseError("signal goes from 0 to 1; shares of bad documents and duplicates from 0 to less than 1")
    rng = np.random.default_rng(seed)
    size = queries, documents
    original = _originals(size, duplicates, rng)
    text, links = _text(size, features - _linked(features), rng), _links(size, _linked(features), rng)
    copied = np.take_along_axis(text, original[..., None], axis=1)
    values = np.concatenate([copied, links], axis=2)
    utility = np.take_along_axis(_utility(values, signal, rng), original, axis=1)
    is_bad = _lowest(utility, bad, rng)
    names = _ids(size, rng)
    numbers = [str(query + 1) for query in range(queries)]
    judged = map(_judged, numbers, names, utility, original, is_bad)
    query, first, second, judgment = zip(*chain.from_iterable(judged), strict=True)
    return SearchCollection(
        tuple(np.repeat(numbers, documents).tolist()), tuple(names.ravel().tolist()), values.reshape(-1, features),
        _feature_names(features), utility.ravel(), is_bad.ravel(),
        Preferences.from_arrays(query=query, first=first, second=second, judgment=judgment),
    )  # fmt: skip


def _linked(features: int) -> int:
    return max(1, round(LINKED * features))


def _originals(size: tuple[int, int], share: float, rng: np.random.Generator) -> np.ndarray:
    """For every document the one that it repeats: mostly itself, never one that is a copy."""
    queries, documents = size
    itself = np.tile(np.arange(documents), (queries, 1))
    copy = rng.random(size) < share
    copy[:, 0] = False
    drawn = rng.integers(documents, size=size)
    repeated = np.where(np.take_along_axis(copy, drawn, axis=1), 0, drawn)  # who drew a copy repeats the first
    return np.where(copy, repeated, itself)


def _text(size: tuple[int, int], count: int, rng: np.random.Generator) -> Floats:
    """Skewed, and in fields that go together; the first of each field is the query's, like the rarity of its words."""
    field = np.arange(count) % FIELDS
    matched = rng.normal(size=(*size, FIELDS))[..., field]
    z = np.sqrt(TOGETHER) * matched + np.sqrt(1 - TOGETHER) * rng.normal(size=(*size, count))
    values: Floats = np.exp(0.5 * z)
    of_query = np.arange(count) < min(FIELDS, count - 1)
    return np.where(of_query, values[:, :1, :], values)


def _links(size: tuple[int, int], count: int, rng: np.random.Generator) -> Floats:
    """Long-tailed: most pages have few links, some very many."""
    standing = rng.normal(size=(*size, 1))
    z = np.sqrt(TOGETHER) * standing + np.sqrt(1 - TOGETHER) * rng.normal(size=(*size, count))
    return np.asarray(np.exp(z))


def _utility(values: Floats, signal: float, rng: np.random.Generator) -> Floats:
    scaled = values / np.maximum(values.std(axis=(0, 1)), 1e-12)
    f = scaled @ rng.normal(size=values.shape[2])
    f = (f - f.mean(axis=1, keepdims=True)) / f.std(axis=1, keepdims=True)
    return np.asarray(signal * f + np.sqrt(1 - signal**2) * rng.normal(size=f.shape))


def _lowest(utility: Floats, share: float, rng: np.random.Generator) -> Mask:
    """Which documents are bad: the lowest of each query; all copies of one page, or none. One is never bad."""
    documents = utility.shape[1]
    spread = min(SPREAD_OF_BAD, share / 2, (1 - share) / 2)
    shares = np.clip(rng.normal(share, spread, len(utility)), 0, 1)
    count = np.minimum(np.round(shares * documents), documents - 1).astype(int)
    bar = np.take_along_axis(np.sort(utility, axis=1), count[:, None], axis=1)
    return np.asarray(utility < bar)


def _ids(size: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Whole numbers that tell nothing, as LETOR has them."""
    count = size[0] * size[1]
    return rng.permutation(20 * count)[:count].reshape(size).astype(str)


def _judged(query: str, names: np.ndarray, utility: Floats, original: np.ndarray, bad: Mask) -> Iterator[Line]:
    """A chain from best to worst, duplicates beside the page they repeat, and the bad ones by themselves."""
    first = original == np.arange(len(original))
    good = [row for row in np.argsort(-utility, kind="stable").tolist() if first[row] and not bad[row]]
    for better, worse in pairwise(good):
        yield query, names[better], names[worse], -1
    for row in np.flatnonzero(~first & ~bad).tolist():
        yield query, names[original[row]], names[row], 0
    for row in np.flatnonzero(bad).tolist():
        if len(good) == 1 and not (~first & ~bad).any():
            yield query, names[good[0]], names[row], -1  # or nobody would know of the only good one
        yield query, names[row], "NA", -2


def _feature_names(features: int) -> tuple[str, ...]:
    text = features - _linked(features)
    links = (f"links {number + 1}" for number in range(_linked(features)))
    return (*(f"field {column % FIELDS + 1}, {column // FIELDS + 1}" for column in range(text)), *links)
