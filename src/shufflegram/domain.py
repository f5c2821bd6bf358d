"""The user's interval and its bins: values to cells and back.

Bins are equal, logarithmic, or given by their edges. A quantity that comes round again (a time of day, an angle) is
circular: its two ends are one point, and means, quantiles and distances take that into account.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import is_whole
from .errors import DomainError, ValuesError

Spacing = Literal["equal", "log", "given"]
Outside = Literal["error", "clamp", "wrap"]
Floats = NDArray[np.float64]
Cells = NDArray[np.int64]

# Wide enough for any histogram that a person reads, and for estimates and bands to take seconds and little memory.
MOST_BINS = 20_000

# Control and format characters, halves of characters, and line ends: what could make a unit look like something else.
UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


@dataclass(frozen=True)
class Domain:
    """An interval [low, high] cut into bins.

    `outside` says what happens to a value that is not in the interval: "error" refuses the whole input, "clamp" moves
    the value to the nearer end, "wrap" (circular domains only) takes it modulo the period.
    """

    low: float
    high: float
    bins: int
    circular: bool = False
    unit: str | None = None
    outside: Outside = "error"
    spacing: Spacing = field(default="equal", kw_only=True)
    given_edges: tuple[float, ...] | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        low, high = _finite_number("low", self.low), _finite_number("high", self.high)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        if not is_whole(self.bins):
            raise DomainError(f"bins must be a whole number, got {self.bins!r}")
        object.__setattr__(self, "bins", int(self.bins))
        if not low < high:
            raise DomainError(f"low must be below high, got low={low:g} and high={high:g}")
        if not np.isfinite(high - low):
            raise DomainError(f"the interval from {low:g} to {high:g} is too long for floating point")
        if not 2 <= self.bins <= MOST_BINS:
            raise DomainError(f"bins must be between 2 and {MOST_BINS:,}, got {self.bins}")
        if not isinstance(self.circular, bool):
            raise DomainError(f"circular must be True or False, got {self.circular!r}")
        if self.unit is not None and not isinstance(self.unit, str):
            raise DomainError(f"unit must be a word such as 'seconds', got {self.unit!r}")
        if self.unit is not None and any(unicodedata.category(letter) in UNSEEN for letter in self.unit):
            raise DomainError(f"unit must hold no control characters, got {self.unit!a}")
        if self.outside not in get_args(Outside):
            raise DomainError(f"outside must be one of {', '.join(get_args(Outside))}, got {self.outside!r}")
        if self.spacing not in get_args(Spacing):
            raise DomainError(f"spacing must be one of {', '.join(get_args(Spacing))}, got {self.spacing!r}")
        if (self.given_edges is not None) != (self.spacing == "given"):
            raise DomainError("edges and spacing disagree; use Domain.from_edges for bins of your own")
        if self.circular and self.spacing != "equal":
            raise DomainError("a circular domain needs equal bins; leave circular out or use equal bins")
        if self.outside == "wrap" and not self.circular:
            raise DomainError("outside='wrap' is for circular domains; on a line use 'error' or 'clamp'")
        if self.outside == "clamp" and self.circular:
            raise DomainError("a circular domain has no end to clamp to; use outside='wrap' or 'error'")
        if self.spacing == "log" and low <= 0:
            raise DomainError(f"logarithmic bins need low > 0, got low={low:g}")
        if not np.all(np.diff(self.edges) > 0):
            raise DomainError("edges must increase from each to the next; use fewer bins or a longer interval")

    @classmethod
    def log(cls, low: float, high: float, bins: int, unit: str | None = None, outside: Outside = "error") -> "Domain":
        """Bins whose edges grow by a constant factor: for incomes, response times, file sizes."""
        return cls(low, high, bins, unit=unit, outside=outside, spacing="log")

    @classmethod
    def from_edges(cls, edges: ArrayLike, unit: str | None = None, outside: Outside = "error") -> "Domain":
        """Bins between consecutive edges of your own."""
        try:
            # As objects, since an array of numbers would turn "1" and True into numbers too.
            entries = np.asarray(edges, dtype=object)
            given = entries.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as problem:
            raise DomainError("edges must be numbers in increasing order") from problem
        if any(isinstance(entry, (str, bytes, bool, np.bool_)) for entry in entries.flat):
            raise DomainError("edges must be numbers in increasing order, got text or booleans")
        if given.ndim != 1 or given.size < 3:
            raise DomainError(f"edges must be a list of at least 3 numbers (2 bins), got {given.size}")
        if not np.all(np.isfinite(given)):
            raise DomainError("edges must be finite numbers in increasing order")
        if not np.all(np.diff(given) > 0):
            raise DomainError("edges must increase from each to the next")
        return cls(
            float(given[0]),
            float(given[-1]),
            given.size - 1,
            unit=unit,
            outside=outside,
            spacing="given",
            given_edges=tuple(given.tolist()),
        )

    @cached_property
    def edges(self) -> Floats:
        """The bins + 1 edges, from low to high."""
        if self.given_edges is not None:
            edges = np.array(self.given_edges)
            if edges.shape != (self.bins + 1,) or edges[0] != self.low or edges[-1] != self.high:
                raise DomainError("edges do not fit low, high and bins; use Domain.from_edges")
        elif self.spacing == "log":
            edges = np.geomspace(self.low, self.high, self.bins + 1)
        else:
            edges = np.linspace(self.low, self.high, self.bins + 1)
        edges.setflags(write=False)
        return edges

    @cached_property
    def widths(self) -> Floats:
        """The length of each bin, in the user's unit."""
        return np.diff(self.edges)

    @cached_property
    def centers(self) -> Floats:
        """The middle of each bin (the geometric middle of logarithmic ones)."""
        if self.spacing == "log":
            return np.sqrt(self.edges[:-1] * self.edges[1:])
        return (self.edges[:-1] + self.edges[1:]) / 2

    @property
    def period(self) -> float:
        """The length of the interval: on a circular domain, once round."""
        return self.high - self.low

    def cells(self, values: ArrayLike) -> Cells:
        """The bin of each value: closed below and open above, but the last bin of a line holds `high` too."""
        inside = self._inside(values)
        found = self._equal_bins(inside) if self.spacing == "equal" else self._bins_by_search(inside)
        if self.circular:
            return np.where(found == self.bins, 0, found).astype(np.int64)
        return np.minimum(found, self.bins - 1).astype(np.int64)

    def _bins_by_search(self, inside: Floats) -> Cells:
        """The last edge that is not above each value: `bins` itself at the high end."""
        # An edge belongs to the bin it opens, decided by comparison with the very edges that are reported.
        return np.searchsorted(self.edges, inside, side="right").astype(np.int64) - 1

    def _equal_bins(self, inside: Floats) -> Cells:
        """The same, ten times as fast: a multiplication says which bin; where that is not so, it is searched for."""
        found = np.minimum((inside - self.low) * (self.bins / self.period), self.bins - 1).astype(np.int64)
        wrong = (inside < self.edges[found]) | (inside >= self.edges[found + 1])
        if wrong.any():
            found[wrong] = self._bins_by_search(inside[wrong])
        return found

    def unit_coordinates(self, values: ArrayLike) -> Floats:
        """Each value as a share of the way through the bins, in [0, 1]: bin i covers [i/m, (i+1)/m]."""
        inside = self._inside(values)
        return np.interp(inside, self.edges, np.linspace(0.0, 1.0, self.bins + 1))

    def histogram(self, values: ArrayLike) -> Cells:
        """How many values fall into each bin."""
        return np.bincount(self.cells(values), minlength=self.bins).astype(np.int64)

    def _inside(self, values: ArrayLike) -> Floats:
        """The values as finite floats inside the interval, or an error that says which rule they break."""
        numbers = as_numbers(values)
        outside = (numbers < self.low) | (numbers > self.high)
        if not outside.any():
            return numbers
        if self.outside == "clamp":
            return np.clip(numbers, self.low, self.high)
        if self.outside == "wrap":
            wrapped = self.low + np.mod(numbers - self.low, self.period)
            return np.clip(wrapped, self.low, self.high)
        count = int(outside.sum())
        remedy = "'wrap'" if self.circular else "'clamp'"
        raise ValuesError(
            f"{count:,} of {numbers.size:,} values lie outside the domain [{self.low:g}, {self.high:g}]; "
            f"widen the domain, or set outside={remedy}"
        )

    def to_dict(self) -> dict[str, Any]:
        """A readable record that `from_dict` turns back into the same domain."""
        record: dict[str, Any] = {
            "low": self.low,
            "high": self.high,
            "bins": self.bins,
            "spacing": self.spacing,
            "circular": self.circular,
            "unit": self.unit,
            "outside": self.outside,
        }
        if self.given_edges is not None:
            record["edges"] = list(self.given_edges)
        return record

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Domain":
        """The domain that `to_dict` recorded; anything missing or unknown is an error."""
        if not isinstance(record, Mapping):
            raise DomainError(f"a domain record must be a mapping, got {type(record).__name__}")
        expected = {"low", "high", "bins", "spacing", "circular", "unit", "outside"}
        if record.get("spacing") == "given":
            expected = expected | {"edges"}
        if set(record) != expected:
            raise DomainError(f"a domain record has the keys {', '.join(sorted(expected))}")
        edges = record.get("edges")
        if edges is not None and not isinstance(edges, list):
            raise DomainError("edges must be a list of numbers")
        return cls(
            record["low"],
            record["high"],
            record["bins"],
            circular=record["circular"],
            unit=record["unit"],
            outside=record["outside"],
            spacing=record["spacing"],
            given_edges=None if edges is None else tuple(_finite_number("edges", edge) for edge in edges),
        )

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        shape = (
            "circular" if self.circular else {"equal": "equal", "log": "logarithmic", "given": "given"}[self.spacing]
        )
        return f"{self.low:g} to {self.high:g}{unit}, {self.bins} {shape} bins"


def as_numbers(values: ArrayLike) -> Floats:
    """A one-dimensional array of finite floats from a list, an array, or a pandas, polars or Arrow column."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValuesError(f"{int(np.ma.getmaskarray(values).sum()):,} values are masked; leave them out first")
    try:
        array = np.atleast_1d(np.asarray(values))
    except ValueError as problem:
        raise ValuesError("values must be one flat list of numbers") from problem
    if array.ndim != 1:
        raise ValuesError(f"values must be one flat list of numbers, got {array.ndim} dimensions")
    if array.size == 0:
        raise ValuesError("there are no values; at least one is needed")
    if array.dtype == object:
        array = _numbers_from_objects(array)
    if array.dtype.kind not in "iuf":
        raise ValuesError(f"values must be numbers, got {_kind_of(array)}")
    numbers = array.astype(np.float64)
    unusable = ~np.isfinite(numbers)
    if unusable.any():
        row = int(np.argmax(unusable))
        what = "missing (NaN)" if np.isnan(numbers[row]) else "infinite"
        raise ValuesError(
            f"{int(unusable.sum()):,} of {numbers.size:,} values are not finite; the first is row {row}, {what}"
        )
    return numbers


def _numbers_from_objects(array: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers too long for NumPy, decimals and nullable columns arrive as Python objects."""
    for row, entry in enumerate(array):
        if isinstance(entry, (str, bytes, bool, np.bool_)):
            raise ValuesError(f"values must be numbers, got {type(entry).__name__} in row {row}")
        try:
            float(entry)
        except (TypeError, ValueError, OverflowError) as problem:
            raise ValuesError(f"values must be finite numbers, got {type(entry).__name__} in row {row}") from problem
    return array.astype(np.float64)


def _kind_of(array: NDArray[Any]) -> str:
    names = {
        "b": "booleans",
        "U": "text",
        "S": "text",
        "T": "text",
        "M": "dates",
        "m": "durations",
        "c": "complex numbers",
    }
    return names.get(array.dtype.kind, str(array.dtype))


def _finite_number(name: str, value: Any) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise DomainError(f"{name} must be a number, got {value!r}")
    try:
        number = float(value)
    except OverflowError as problem:
        raise DomainError(f"{name} is too large a number for floating point") from problem
    if not np.isfinite(number):
        raise DomainError(f"{name} must be finite, got {value}")
    return number
