"""Leave out rows whose text has a word of a list, with a report of what went and why."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sidewise.datasets.building.folding import folded
from sidewise.datasets.building.table import check_columns, read_table, texts
from sidewise.errors import DataError, SidewiseError

VOWELS = "aeiou"


@dataclass(frozen=True, eq=False)
class Filtered:
    """What is kept of a table, and what was removed: its rows with their number and the reason.

    ``reasons`` counts the rows of each reason.
    """

    kept: pa.Table
    removed: pa.Table
    reasons: Counter[str] = field(default_factory=Counter)

    def __repr__(self) -> str:
        return f"Filtered({self.kept.num_rows:,} kept, {self.removed.num_rows:,} removed)"


def filter_words(
    source: Any,
    words: Sequence[str] | str | Path,
    *,
    column: str = "question",
    unless: Sequence[str] = (),
    inflect: bool = True,
    delimiter: str | None = None,
) -> Filtered:
    """Remove the rows whose text has a word or a phrase of a list, as offensive questions were removed from Toloka VQA.

    Capitals do not matter, nor whether letters are wide, joined or have their accents apart, nor what cannot be seen. A
    word is found as a word of its own: "kill" is not in "skill", but it is in "kill-switch", for a hyphen ends a word.
    With ``inflect`` also in its regular English forms, see :func:`word_forms`; irregular ones (shot, stolen) have to be
    listed. Of a phrase only the last word is inflected, and any blanks may part its words.

    A list knows nothing of meaning: look at what was removed, and name phrases that are fine with ``unless``.

    Parameters
    ----------
    source
        A table: a path, a dataframe or a mapping of columns. All its columns are kept.
    words
        The words and phrases, or the path of a file with one a line; what follows a # is a comment.
    column
        The text that is searched.
    unless
        Phrases in which a word does not count: with "hit the ball", "hit" is fine there, and nowhere else.
    inflect
        Whether to look for inflected forms.
    delimiter
        Of text files.

    Examples
    --------
    >>> found = filter_words({"question": ["Who killed it?", "What skill is this?"]}, ["kill"])
    >>> found.removed.to_pylist()
    [{'row': 1, 'word': 'kill', 'found': 'killed', 'question': 'Who killed it?'}]
    """
    listed = read_words(words) if isinstance(words, str | Path) else _checked(words, "words")
    rows = read_table(source, delimiter=delimiter)
    check_columns([column], rows.table.column_names, rows.parts[0])
    search = _Search(listed, _checked(unless, "unless") if unless else (), inflect=inflect)
    hits = [search(text or "") for text in texts(rows.table, column).to_pylist()]
    out = np.array([bool(hit) for hit in hits], bool)
    gone = [hit for hit in hits if hit]
    told = {
        "row": pa.array(rows.number[out]),
        "word": pa.array([word for word, _ in gone], pa.string()),
        "found": pa.array([text for _, text in gone], pa.string()),
    }
    removed = with_reasons(rows.table.filter(pa.array(out)), told)
    return Filtered(rows.table.filter(pa.array(~out)), removed, Counter(word for word, _ in gone))


def with_reasons(table: pa.Table, told: dict[str, pa.Array]) -> pa.Table:
    """Rows with what is told of them in front; a column of the same name is kept under another."""
    given = set(table.column_names)
    kept = {}
    for name in table.column_names:
        free = name
        while free in told or (free != name and free in given):
            free += "_given"
        kept[free] = table[name]
    return pa.table({**told, **kept})


def read_words(path: str | Path) -> tuple[str, ...]:
    """The words of a file, one a line; what follows a # is a comment."""
    place = Path(path)
    if not place.is_file():
        raise DataError(f"there is no file {place} of words")
    try:
        lines = place.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise DataError(f"{place} is not UTF-8 text; save it as UTF-8") from None
    words = [line.partition("#")[0].strip() for line in lines]
    return _checked([word for word in words if word], str(place))


def word_forms(word: str) -> tuple[str, ...]:
    """A word and its regular English forms: -s, -'s, -ed, -ing, -er, -ers.

    Spelt as they usually are: an e at the end goes before -ed, -ing and -er; a y after a consonant becomes ies and ied;
    -s is -es after s, x, z, ch and sh; and one consonant after one vowel may be doubled.

    >>> word_forms("stab")
    ('stab', 'stabs', "stab's", 'stabed', 'stabing', 'staber', 'stabers', 'stabbed', 'stabbing', 'stabber', 'stabbers')
    >>> word_forms("bully")[:5]
    ('bully', 'bullies', "bully's", 'bullied', 'bullying')
    """
    after_consonant = len(word) > 1 and word[-2].isalpha() and word[-2] not in VOWELS
    plural, stem = f"{word}s", word
    if word.endswith("y") and after_consonant:
        plural, stem = f"{word[:-1]}ies", f"{word[:-1]}i"
        return (word, plural, f"{word}'s", f"{stem}ed", f"{word}ing", f"{stem}er", f"{stem}ers")
    if word.endswith(("s", "x", "z", "ch", "sh")):
        plural = f"{word}es"
    if word.endswith("e"):
        stem = word[:-1]
    forms = [word, plural, f"{word}'s", *(f"{stem}{end}" for end in ("ed", "ing", "er", "ers"))]
    if re.search(f"(^|[^{VOWELS}])[{VOWELS}][^{VOWELS}wxy\\W\\d_]$", word):
        forms += [f"{word}{word[-1]}{end}" for end in ("ed", "ing", "er", "ers")]
    return tuple(forms)


class _Search:
    """Finds the first listed word of a text, and how it is spelt there."""

    def __init__(self, words: Sequence[str], unless: Sequence[str], *, inflect: bool) -> None:
        self.word = {form: word for word in reversed(words) for form in (_forms(word) if inflect else (_tidy(word),))}
        self.pattern = _pattern(self.word)
        self.unless = _pattern([_tidy(phrase) for phrase in unless]) if unless else None

    def __call__(self, text: str) -> tuple[str, str] | None:
        plain, places = folded(text)
        if self.unless is not None:
            plain = self.unless.sub(lambda found: "\0" * len(found.group()), plain)
        found = self.pattern.search(plain)
        if not found:
            return None
        return self.word[_tidy(found.group())], text[places[found.start()] : places[found.end()]]


def _forms(phrase: str) -> list[str]:
    *before, last = _tidy(phrase).split(" ")
    return [" ".join([*before, form]) for form in word_forms(last)]


def _tidy(phrase: str) -> str:
    return " ".join(folded(phrase)[0].split())


def _pattern(phrases: Any) -> re.Pattern[str]:
    """Any of the phrases between ends of words, the longest first, for it tells most."""
    longest = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    spelt = "|".join(r"\s+".join(map(re.escape, phrase.split(" "))) for phrase in longest)
    return re.compile(rf"(?<!\w)(?:{spelt})(?!\w)")


def _checked(words: Sequence[str], where: str) -> tuple[str, ...]:
    if isinstance(words, str) or not all(isinstance(word, str) for word in words):
        raise SidewiseError(f"{where} is {words!r}; it is a list of words")
    if not words or not all(map(_tidy, words)):
        raise DataError(
            f"{where}: there is no word to look for" if not words else f"{where}: one of the words is blank"
        )
    return tuple(words)
