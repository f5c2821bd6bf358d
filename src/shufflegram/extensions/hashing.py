"""Locality-sensitive hashing for the Euclidean distance: near points are likely to have the same hash value.

    h(x) = floor((a.x + b) / w),   a ~ N(0, I),   b uniform on [0, w)

The functions are drawn before there are any data and are public, and so is the box in which all points lie: so the
whole numbers that a function can give are known beforehand, and each can be a bin.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import is_finite, is_whole
from ..domain import MOST_BINS
from ..errors import InputError, ValuesError
from ..randomness import SeededSource

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class HashFamily:
    """Hash functions for points of the box from `low` to `high`; `hash_family` draws them.

    A function's values are counted from the least that it has in the box.
    """

    low: Floats
    high: Floats
    width: float
    directions: Floats = field(repr=False)  # a, a row a function
    offsets: Floats = field(repr=False)  # b

    @property
    def functions(self) -> int:
        """How many there are."""
        return self.offsets.size

    @cached_property
    def bins(self) -> int:
        """How many values the function with the most of them can have in the box; each is a bin."""
        return max(2, int((self._most - self._least).max()) + 1)

    def values(self, points: ArrayLike) -> Integers:
        """The hash values of points, a row each: a column a function."""
        inside = as_points(points, self.low.size)
        if np.any((inside < self.low) | (inside > self.high)):
            raise ValuesError("some points lie outside the box that the hash functions are for; np.clip moves them in")
        found = self._hashed(inside @ self.directions.T)
        # what is in the box can be outside the range by rounding only
        return np.clip(found, self._least, self._most) - self._least

    def _hashed(self, projected: Floats) -> Integers:
        return np.floor((projected + self.offsets) / self.width).astype(np.int64)

    @cached_property
    def _least(self) -> Integers:
        # a.x is least where each coordinate is at the end that makes it so
        return self._hashed(np.minimum(self.directions * self.low, self.directions * self.high).sum(axis=1))

    @cached_property
    def _most(self) -> Integers:
        return self._hashed(np.maximum(self.directions * self.low, self.directions * self.high).sum(axis=1))


def hash_family(low: ArrayLike, high: ArrayLike, width: float, functions: int, hash_seed: int) -> HashFamily:
    """So many independent hash functions for points between the corners `low` and `high`; the seed is public."""
    least, most = _corner(low), _corner(high)
    if least.shape != most.shape or not np.all(least < most):
        raise InputError("low and high must be points of one space, low below high in every coordinate")
    if not (is_finite(width) and width > 0):
        raise InputError(f"width must be a positive number, got {width!r}")
    if not is_whole(functions) or functions < 1:
        raise InputError(f"functions must be a whole number, at least 1, got {functions!r}")
    generator = SeededSource(hash_seed).generator
    directions = generator.normal(size=(functions, least.size))
    # No function has more values than the longest way through the box has widths, and two for its ends.
    longest = float((np.abs(directions) @ (most - least)).max())
    if longest / width + 2 > MOST_BINS:
        raise InputError(f"width {width:g} cuts the box into more than {MOST_BINS:,} values; take a larger one")
    return HashFamily(least, most, float(width), directions, generator.uniform(0, width, functions))


def collision_probability(distances: ArrayLike, width: float) -> Floats:
    """How likely points at these distances are to have the same value of one function: the kernel, 1 at distance 0."""
    from scipy.special import erf

    given = np.asarray(distances, dtype=np.float64)
    # t = w / distance:  k = 1 - 2 Phi(-t) - sqrt(2 / pi) (1 - exp(-t^2 / 2)) / t
    with np.errstate(divide="ignore", over="ignore"):
        t = width / given
        kernel = erf(t / math.sqrt(2)) + math.sqrt(2 / math.pi) * np.expm1(-t * t / 2) / t
    return np.asarray(kernel, dtype=np.float64)


def _corner(point: ArrayLike) -> Floats:
    corner: Floats = as_points(np.expand_dims(np.asarray(point), 0))[0]
    return corner


def as_points(points: ArrayLike, dimensions: int | None = None) -> Floats:
    """Points of a space, a row each, as finite floats."""
    try:
        rows = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise ValuesError("points must be rows of numbers, all of one length") from problem
    wanted = "rows of numbers" if dimensions is None else f"rows of {dimensions} numbers"
    if rows.ndim != 2 or rows.size == 0 or dimensions not in (None, rows.shape[1]):
        raise ValuesError(f"points must be {wanted}, a row each, got shape {rows.shape}")
    if not np.all(np.isfinite(rows)):
        raise ValuesError("points must be finite; leave out those with missing coordinates first")
    return rows
