"""The forms in which preference judgments are published: recognised, read and written."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import get_args

from sidewise.errors import DataError
from sidewise.preferences.levels import Zero, from_levels
from sidewise.preferences.lines import Lines, check_name, read_lines, spelled, write_lines
from sidewise.preferences.qrels import Qrels, from_lines
from sidewise.preferences.table import NA, Form, Levels, Preferences, from_pairs
from sidewise.preferences.words import counted

JUDGMENTS = {"-2", "-1", "0", "1", "2"}


def read_preferences(
    path: str | Path, form: Form | None = None, *, graded: bool = False, zero: Zero = "level"
) -> Preferences:
    r"""Read preference judgments of documents for queries, in any of three published forms.

    ========== ================================ =======================================================================
    form       fields of a line                 means
    ========== ================================ =======================================================================
    collection query, document, document, code  −1 the first is preferred, 1 the second, 0 duplicates; −2 or 2 with
                                                ``NA`` for one of the two: the other is bad (Carterette, Bennett and
                                                Chapelle 2008); ids are names or LETOR's numbers
    prefs      query, group, sub-group,         of the documents of a sub-group, those of higher levels are preferred
               document, level                  (trec_eval)
    winner     query, document, document,       the winner is one of the two documents
               winner
    ========== ================================ =======================================================================

    Parameters
    ----------
    path
        A text file, gzipped or not.
    form
        One of the three; found out by itself where it is not given.
    graded
        Whether the codes of a collection are degrees of preference: then −3 says that the first document is strongly
        preferred, and 2 or −2 marks a bad document only beside ``NA``.
    zero
        What level 0 means in a ``prefs`` file: a "level" like others, as trec_eval has it, or that the document is
        "bad", below all others of the query.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "prefs.txt"
    >>> _ = path.write_text("1 96 5044 -1\n1 5044 322933 -1\n1 322933 NA -2\n")
    >>> read_preferences(path)
    Preferences(1 query, 3 documents, 3 judgments)
    """
    return _parsed(read_lines(path), form, graded=graded, zero=zero)


def _parsed(lines: Lines, form: Form | None, *, graded: bool, zero: Zero) -> Preferences:
    form = recognised(lines) if form is None else form
    if form not in get_args(Form):
        raise DataError(f"form={form!r} is not one of {', '.join(get_args(Form))}")
    if graded and form != "collection":
        raise DataError(f"{lines.source} has the form {form!r}, whose judgments have no degrees: leave out graded")
    if zero not in get_args(Zero):
        raise DataError(f"zero={zero!r} is neither 'level' nor 'bad'")
    if form == "prefs":
        return from_levels(lines, Levels(*map(tuple, lines.columns(5))), zero=zero)
    columns = lines.columns(4)
    if form == "winner":
        columns[3] = _codes(lines, *columns[1:])
    return from_pairs(lines, columns, graded=graded, form=form)


def read_judgments(path: str | Path, *, graded: bool = False, zero: Zero = "level") -> Preferences | Qrels:
    """Read preference judgments or grades of relevance, whichever the file holds.

    Lines of four fields are grades where the second is ``Q0`` or ``0`` in all of them and no grade is negative.

    Parameters
    ----------
    path, graded, zero
        As of :func:`read_preferences`.
    """
    lines = read_lines(path)
    return from_lines(lines) if is_qrels(lines) else _parsed(lines, None, graded=graded, zero=zero)


def recognised(lines: Lines) -> Form:
    """Which form the lines have: by the number of fields, and whether the last one names a document."""
    fields = lines.text[0].split()
    if len(fields) == 5:
        return "prefs"
    if len(fields) == 4 and not is_qrels(lines):
        return "winner" if _names_winners(lines) else "collection"
    what = {4: "grades of relevance (qrels): read them with read_qrels", 6: "a run: read it with read_run"}
    told = what.get(len(fields), f"a line of {counted(len(fields), 'field')}; preference judgments have 4 or 5")
    raise DataError(f"{lines.source} line {lines.number[0]}: {' '.join(fields)!r}: this looks like {told}")


def _names_winners(lines: Lines) -> bool:
    """Whether more lines end in one of their documents than in a code: a bad line, first or not, hides no form.

    Where documents are numbers, some lines may end in both.
    """
    rows = [text.split() for text, fields in zip(lines.text, lines.fields, strict=True) if fields == 4]
    return sum(row[3] in row[1:3] for row in rows) > sum(row[3] in JUDGMENTS for row in rows)


def is_qrels(lines: Lines) -> bool:
    """Whether lines of four fields are query, iteration, document and grade: the iteration is Q0 or 0 in all."""
    turns = {"Q0", "q0", "0"}
    if set(lines.fields) != {4} or lines.text[0].split()[1] not in turns:
        return False
    _, iteration, _, grade = lines.columns(4)
    return set(iteration) <= turns and not any(word.startswith("-") for word in set(grade))


def _codes(lines: Lines, first: Sequence[str], second: Sequence[str], winner: Sequence[str]) -> list[str]:
    """Winners as the codes of the test collection."""
    rows = list(zip(winner, first, second, strict=True))
    lines.refuse([won not in pair for won, *pair in rows], "winner is neither document")
    lines.check()
    return ["-1" if won == left else "1" for won, left, _ in rows]


def write_preferences(preferences: Preferences, path: str | Path, form: Form | None = None) -> None:
    """Write preference judgments, in the form in which they were read or in another.

    What the form cannot say is refused: ``winner`` and ``prefs`` know neither duplicates nor bad documents, and of
    degrees and groups each knows only one; ``closure(preferences).to_preferences(marks=False)`` states every
    preference without them.

    Parameters
    ----------
    preferences
        The judgments.
    path
        The file.
    form
        ``collection``, ``prefs`` or ``winner``; the form in which they were read, if not given.
    """
    write_lines(path, list(preference_lines(preferences, form, path)))


def preference_lines(
    preferences: Preferences, form: Form | None = None, path: str | Path = "the file"
) -> Iterator[str]:
    """The lines of a file of judgments."""
    form = form or preferences.form
    if form not in get_args(Form):
        raise DataError(f"form={form!r} is not one of {', '.join(get_args(Form))}")
    for name in (*preferences.queries, *preferences.documents, *preferences.groups):
        check_name(name, path)
    return _WRITERS[form](preferences)


def _collection(preferences: Preferences) -> Iterator[str]:
    _refuse(preferences, "collection", groups=True)
    for query, first, second, code in _rows(preferences):
        yield f"{query} {first} {second} {spelled(code)}"


def _winner(preferences: Preferences) -> Iterator[str]:
    _refuse(preferences, "winner", groups=True, marks=True, degrees=True)
    for query, first, second, code in _rows(preferences):
        yield f"{query} {first} {second} {first if code < 0 else second}"


def _prefs(preferences: Preferences) -> Iterator[str]:
    if preferences.levels is not None:
        yield from map(" ".join, zip(*preferences.levels, strict=True))
        return
    _refuse(preferences, "prefs", marks=True, degrees=True)
    group = None if preferences.group is None else preferences.group.tolist()
    for number, (query, first, second, code) in enumerate(_rows(preferences)):
        name = "0" if group is None else preferences.groups[group[number]]
        yield f"{query} {name} {number} {first} {2 if code < 0 else 1}"
        yield f"{query} {name} {number} {second} {1 if code < 0 else 2}"


_WRITERS: dict[str, Callable[[Preferences], Iterator[str]]] = {
    "collection": _collection,
    "prefs": _prefs,
    "winner": _winner,
}


def _rows(preferences: Preferences) -> Iterator[tuple[str, str, str, float]]:
    columns = (preferences.query, preferences.first, preferences.second, preferences.strength())
    for query, first, second, code in zip(*(column.tolist() for column in columns), strict=True):
        names = (preferences.documents[side] if side >= 0 else NA for side in (first, second))
        yield preferences.queries[query], *names, code


def _refuse(
    preferences: Preferences, form: Form, *, groups: bool = False, marks: bool = False, degrees: bool = False
) -> None:
    """Refuse what a form cannot say."""
    by_itself = "state every preference by itself, with closure(preferences).to_preferences(marks=False)"
    unsaid = {
        "groups of judges; write the form 'prefs'": groups and preferences.group is not None,
        "degrees of preference; write the form 'collection'": degrees and preferences.degree is not None,
        f"duplicates and bad documents; write the form 'collection', or {by_itself}": marks
        and bool((abs(preferences.judgment) != 1).any()),
    }
    for what, present in unsaid.items():
        if present:
            raise DataError(f"the form {form!r} cannot say {what}")
