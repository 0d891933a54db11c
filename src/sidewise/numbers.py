"""Numbers that a caller gives: refused, in words, where they are none or not such as they should be."""

from math import isfinite
from numbers import Integral, Real
from typing import TypeGuard

from sidewise.errors import ModelError, SidewiseError


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a finite number; "3" and True are none."""
    return not isinstance(value, bool) and isinstance(value, Real) and isfinite(value)


def is_count(value: object, least: int = 1) -> TypeGuard[int]:
    """Whether it is a whole number, and large enough."""
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= least


def check_count(name: str, value: object, *, least: int = 1, error: type[SidewiseError] = SidewiseError) -> None:
    """See that it is one."""
    if not is_count(value, least):
        raise error(f"{name} is {value!r}; it is a count, {least} at the least")


def check_seed(value: object) -> None:
    """See that it can begin a stream of random numbers, the same one each time."""
    if not is_count(value, 0):
        raise SidewiseError(f"seed is {value!r}; it is a whole number, 0 at the least")


def check_level(value: object) -> None:
    """See that it can be how sure an interval is."""
    if not (is_number(value) and 0 < value < 1):
        raise ModelError(f"an interval's level lies between 0 and 1, such as 0.95, not {value!r}")
