"""What all mechanisms ask of their numbers: whole, rational, of a size that 64-bit integers can draw with."""

import math
import re
import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..checks import is_whole
from ..errors import MechanismError

# Every implementation shall be able to draw with 64-bit integers, so the weights of a mechanism must add up to less.
WEIGHT_LIMIT = 2**62


def require_whole(mechanism: object, *names: str) -> None:
    """Refuse what is no whole number, and make the others Python's own: NumPy's wrap round."""
    for name in names:
        number = getattr(mechanism, name)
        if not is_whole(number):
            raise MechanismError(f"{name} must be a whole number, got {number!r}")
        object.__setattr__(mechanism, name, int(number))


def require_ratios(mechanism: object, *names: str) -> None:
    """Refuse what is no Fraction, and make its parts Python's own whole numbers, which do not wrap round."""
    for name in names:
        ratio = getattr(mechanism, name)
        if not isinstance(ratio, Fraction):
            raise MechanismError(f"{name} must be a Fraction, got {type(ratio).__name__}")
        object.__setattr__(mechanism, name, Fraction(int(ratio.numerator), int(ratio.denominator)))


def logarithm_above(ratio: Fraction) -> float:
    """ln of a ratio of at least 1, rounded up: a loss must not be told too small."""
    if ratio == 1:
        return 0.0
    # ln(1 + x) keeps its digits where the difference of two logarithms would lose them; each step errs by an ulp or so.
    near_one = ratio < 2
    found = math.log1p(float(ratio - 1)) if near_one else math.log(ratio.numerator) - math.log(ratio.denominator)
    slack = 4 * found if near_one else 4 * (math.log(ratio.numerator) + math.log(ratio.denominator))
    return found + slack * sys.float_info.epsilon


def checked_record(record: Mapping[str, Any], kind: str, fields: Mapping[str, type]) -> None:
    """Refuse a record that is not of this kind, or does not hold exactly these fields."""
    name = kind.replace("_", " ")
    expected: dict[str, type] = {"kind": str, **fields}
    if set(record) != set(expected) or any(type(record[key]) is not of for key, of in expected.items()):
        raise MechanismError(
            f"the record of a {name} has the keys {', '.join(expected)}: whole numbers, and ratios as text"
        )
    if record["kind"] != kind:
        raise MechanismError(f"the record of a {name} has the kind {kind!r}, got {record['kind']!r:.60}")


def parsed_ratio(name: str, written: str) -> Fraction:
    """The ratio that a record holds as text."""
    # Digits only and no more than a weight can have: "1e999999999" would be a number too, a very long one.
    if not re.fullmatch(r"[0-9]{1,19}(/0*[1-9][0-9]{0,18})?", written):
        raise MechanismError(f"{name} must be like '7/2', got {written!r:.60}")
    return Fraction(written)
