"""Repeated judgments of a pair, reduced to what most of them say."""

from dataclasses import replace

import numpy as np

from sidewise.comparisons import Index
from sidewise.preferences.table import Preferences


def majority(preferences: Preferences) -> Preferences:
    """Repeated judgments of a pair as one, by the majority of them; a pair with as many on either side is left out.

    Where several people judged the same pairs, their judgments contradict each other, and there is no
    :func:`closure` of them. What most of them say contradicts itself less often; a ranking model, given all of them
    (:meth:`Preferences.to_comparisons`), not at all. Groups are joined and degrees are not kept. Duplicates and marks
    of bad documents stay as they are.

    Parameters
    ----------
    preferences
        The judgments.

    Examples
    --------
    >>> pairs = Preferences.from_arrays(query=["q"] * 3, first=["a"] * 3, second=["b"] * 3, judgment=[-1, 1, -1])
    >>> majority(pairs).judgment.tolist()
    [-1]
    """
    pairs = np.flatnonzero(abs(preferences.judgment) == 1)
    first, second = preferences.first[pairs], preferences.second[pairs]
    sides = np.stack([preferences.query[pairs], np.minimum(first, second), np.maximum(first, second)])
    _, start, pair = np.unique(sides, axis=1, return_index=True, return_inverse=True)
    # +1 where the judgment names the sides as the first judgment of its pair does, −1 where they are exchanged.
    same = np.where(first == first[start][pair], 1, -1)
    lead = np.bincount(pair, same * preferences.judgment[pairs], len(start))
    judgment = preferences.judgment.copy()
    judgment[pairs[start]] = np.sign(lead)
    others = np.flatnonzero(abs(preferences.judgment) != 1)
    keep = np.sort(np.concatenate([pairs[start][lead != 0], others]))
    form = "collection" if preferences.form == "prefs" else preferences.form
    found = replace(preferences, judgment=judgment, degree=None, group=None, groups=Index(), levels=None, form=form)
    return found.rows(keep)
