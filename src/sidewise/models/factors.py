"""Factors: what may sway an answer besides the items, seen from the left; the side itself is 1 in every comparison."""

from collections.abc import Iterable, Sequence

import numpy as np

from sidewise.comparisons import Comparisons
from sidewise.comparisons.arrow import Floats
from sidewise.errors import ModelError

SIDE = "side"
VARIES = 1e-3  # of its size: a factor that varies by less is the side under another name


def chosen(option: str, names: object, comparisons: Comparisons) -> tuple[str, ...]:
    """The names that an option gives, each of them a factor that the data know and that can be told from the others."""
    found = as_names(option, names)
    if len(set(found)) < len(found):
        raise ModelError(f"{option} name one twice: {', '.join(found)}")
    for name in found:
        _check(option.removesuffix("s"), name, comparisons, with_side=SIDE in found)
    if option == "factors":  # effects that all share have a word of their own where they cannot be told apart
        _check_apart(found, comparisons)
    return found


def all_of(comparisons: Comparisons) -> tuple[str, ...]:
    """The side, where it is known, and all factors that the data name."""
    return (*([SIDE] if comparisons.sided else []), *comparisons.factors)


def tellable(comparisons: Comparisons) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those of all factors that workers can be told to be drawn to, and why the others cannot."""
    names = all_of(comparisons)
    if not len(comparisons):
        return names, ()
    try:
        return chosen("factors", names, comparisons), ()
    except ModelError:
        pass
    kept: tuple[str, ...] = ()
    why = []
    for name in names:
        try:
            kept = chosen("factors", (*kept, name), comparisons)
        except ModelError as error:
            why.append(f"the workers' table has no {name} bias: {error}")
    return kept, tuple(why)


def _check_apart(names: Sequence[str], comparisons: Comparisons) -> None:
    """See that no factor is made of those before it: nothing could tell then which of them sways anybody."""
    x = columns(comparisons, names)
    own = np.zeros(len(names))
    own[: len(x)] = np.abs(np.diagonal(np.linalg.qr(x, mode="r")))  # what each has that those before it have not
    for place, name in enumerate(names):
        if own[place] <= VARIES * np.linalg.norm(x[:, place]):
            raise ModelError(
                f"the factor {name!r} follows from {' and '.join(names[:place])}, so that nothing could tell which of "
                "them sways anybody: leave one out"
            )


def as_names(option: str, names: object) -> tuple[str, ...]:
    """See that it is a list of names, and not one name, which is a list of letters."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ModelError(f"{option} is a list of names: {option}=[{names!r}]")
    found = tuple(names)
    if not all(isinstance(name, str) for name in found):
        raise ModelError(f"{option} is a list of names, and {list(found)!r} is not")
    return found


def _check(what: str, name: str, comparisons: Comparisons, *, with_side: bool) -> None:
    if name == SIDE:
        if not comparisons.sided:
            raise ModelError(
                f"the data do not say what was shown on which side, so nobody's side can be told: name another {what}, "
                "or read the data with left, right and winner"
            )
        return
    if name not in comparisons.factors:
        known = ", ".join([SIDE, *comparisons.factors])
        raise ModelError(f"no {what} {name!r}; there are: {known}. Factors are named when the data are read")
    values = comparisons.factors[name]
    if not np.isfinite(values).all():
        raise ModelError(f"the factor {name!r} is not a number in some comparisons: leave those out")
    if not values.any():
        raise ModelError(f"the factor {name!r} is 0 in every comparison: it sways nobody")
    if with_side and values.max() - values.min() <= VARIES * np.abs(values).max():
        about = "" if values.min() == values.max() else "about "
        raise ModelError(
            f"the factor {name!r} is {about}{values[0]:g} in every comparison: it cannot be told from the side; leave "
            "it out, or let it be 0 where both items are alike"
        )


def columns(comparisons: Comparisons, names: Sequence[str]) -> Floats:
    """The factors of every comparison, one column each, measured by their usual size: no prior asks for their units."""
    known = {**comparisons.factors, SIDE: np.ones(len(comparisons))}
    found = np.array([known[name] for name in names]).T.reshape(len(comparisons), len(names))
    return found / usual_sizes(comparisons, names)


def usual_sizes(comparisons: Comparisons, names: Sequence[str]) -> Floats:
    """How large each factor is where it is not 0 (root mean square): 1 for the side, and for −1, 0 and 1."""
    return np.array([1.0 if name == SIDE else _size(comparisons.factors[name]) for name in names])


def _size(values: Floats) -> float:
    some = np.abs(values[values != 0])
    most = some.max(initial=0.0)
    return float(most * np.sqrt(np.mean((some / most) ** 2))) if most else 1.0
