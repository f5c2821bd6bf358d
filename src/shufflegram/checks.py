"""What counts as a number, asked in one way everywhere: Python's and NumPy's alike, and True is none."""

import math
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, TypeGuard

# `Any` and not `object`: callers have declared what they take, and check what they were really given.


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether the value is a whole number."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_finite(value: Any) -> TypeGuard[float]:
    """Whether the value is a number that a float can hold; a Fraction is meant for other places."""
    if not isinstance(value, Real) or isinstance(value, (bool, Fraction)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False
