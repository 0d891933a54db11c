"""Text as it is searched: small letters, one spelling for what looks alike, nothing that cannot be seen."""

import unicodedata
from collections.abc import Iterator, Sequence

DOTTED = "i\u0307"  # what the capital İ becomes


def folded(text: str) -> tuple[str, Sequence[int]]:
    r"""The text to be searched, and for each of its characters, and its end, the place in the text it came from.

    Capitals, wide and joined letters (NFKC), accents written as characters of their own, long and final s, and curly
    apostrophes become the plain letters that they stand for; characters without a shape, as soft hyphens, fall out.

    >>> folded("ＫＩ\u00adＬＬ’s")[0]
    "kill's"
    """
    if text.isascii():
        return text.lower(), range(len(text) + 1)
    made: list[str] = []
    places: list[int] = []
    for start, cluster in _clusters(text):
        plain = _plain(cluster)
        made.append(plain)
        places += [start] * len(plain)
    return "".join(made), [*places, len(text)]


def _clusters(text: str) -> Iterator[tuple[int, str]]:
    """Each character with the accents that follow it, and where it begins; shapeless ones are left out."""
    start, cluster = 0, ""
    for place, character in enumerate(text):
        if unicodedata.category(character) == "Cf":
            continue
        if unicodedata.combining(character) and cluster:
            cluster += character
            continue
        if cluster:
            yield start, cluster
        start, cluster = place, character
    if cluster:
        yield start, cluster


def _plain(cluster: str) -> str:
    small = unicodedata.normalize("NFKC", cluster).lower()  # casefold would make "ass" of the German "aß"
    return unicodedata.normalize("NFKC", small).replace(DOTTED, "i").replace("ς", "σ").replace("’", "'")
