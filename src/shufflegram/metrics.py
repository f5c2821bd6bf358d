"""How far an estimate is from the truth.

Coordinates are those of the unit domain: all of it has length 1, and bin i is [i/m, (i+1)/m]. Both are frequencies on
the same m bins. P is the CDF, linear within a bin. `METRICS` is what a simulation and an experiment report.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import is_finite
from .errors import InputError

Floats = NDArray[np.float64]

LEVELS = tuple(percent / 100 for percent in range(5, 100, 5))

# Cumulative sums of decimals miss a level that they should meet by a few units of rounding.
ROUNDING = 1e-12


def range_query_error(
    truth: ArrayLike, estimate: ArrayLike, share: float, starts: ArrayLike | None = None, *, circular: bool = False
) -> float:
    """The mean over starts x of |R - R'|, where R(x) = P(x + share) - P(x) is the mass of a range of length `share`.

    By default over every bin edge at which such a range can start: on a line those up to 1 - share, on a circle all.
    """
    true, estimated = _frequencies(truth, estimate)
    if not (is_finite(share) and 0 < share < 1):
        raise InputError(f"share is the length of the range and must be between 0 and 1, got {share!r}")
    bins = true.size
    latest = 1.0 if circular else 1 - share
    if starts is None:
        edges = np.arange(bins + (not circular)) / bins
        begin = edges[edges <= latest + ROUNDING]
    else:
        given = _numbers(starts)
        if given is None or not np.all((given >= 0) & (given <= latest + ROUNDING)):
            raise InputError(f"starts must be numbers between 0 and {latest:g}")
        begin = given
    end = begin + share
    if circular:
        # Each range adds P(1) = 1 where it wraps, on both sides alike.
        end = np.where(end > 1, end - 1, end)
    edges = np.arange(bins + 1) / bins
    difference = np.concatenate(([0.0], np.cumsum(true - estimated)))
    return float(np.mean(np.abs(np.interp(end, edges, difference) - np.interp(begin, edges, difference))))


def quantile_error(truth: ArrayLike, estimate: ArrayLike, levels: ArrayLike = LEVELS) -> float:
    """The mean over levels of |Q - Q'|, where Q(level) is the last bin edge with P <= level."""
    true, estimated = _frequencies(truth, estimate)
    wanted = _numbers(levels)
    if wanted is None or not np.all((wanted > 0) & (wanted < 1)):
        raise InputError("levels must be numbers between 0 and 1, such as 0.05, 0.1, ..., 0.95")
    # Edge i is the last one when i of the m cumulative sums are at most the level.
    bins_below = [np.searchsorted(np.cumsum(f), wanted + ROUNDING, side="right") for f in (true, estimated)]
    return float(np.mean(np.abs(bins_below[0] - bins_below[1])) / true.size)


def wasserstein(truth: ArrayLike, estimate: ArrayLike, circular: bool = False) -> float:
    """W1: the mean over bins of |P - P'|; on a circle, with the cut where that is least."""
    true, estimated = _frequencies(truth, estimate)
    difference = np.cumsum(true - estimated)
    if circular:
        # Another cut shifts every difference by the same amount, and the median is the shift that leaves the least.
        difference -= np.median(difference)
    return float(np.mean(np.abs(difference)))


@dataclass(frozen=True, slots=True)
class Metric:
    """A distance by its name, with words for people; `measure` takes truth, estimate and whether it is a circle."""

    name: str
    title: str
    measure: Callable[[ArrayLike, ArrayLike, bool], float]


def _ranges(percent: int) -> Metric:
    share = percent / 100

    def measure(truth: ArrayLike, estimate: ArrayLike, circular: bool) -> float:
        return range_query_error(truth, estimate, share, circular=circular)

    return Metric(f"range_{share:g}", f"ranges of {percent}% of the domain (share of users)", measure)


METRICS: tuple[Metric, ...] = (
    Metric("wasserstein", "W1 (share of the domain)", wasserstein),
    _ranges(20),
    _ranges(40),
    Metric(
        "quantile",
        "quantiles, 5% to 95% (share of the domain)",
        lambda truth, estimate, circular: quantile_error(truth, estimate),
    ),
)


def errors(truth: ArrayLike, estimate: ArrayLike, *, circular: bool) -> dict[str, float]:
    """Every metric by its name."""
    return {metric.name: metric.measure(truth, estimate, circular) for metric in METRICS}


def _numbers(given: ArrayLike) -> Floats | None:
    """One number or a flat list of them as an array; None if they are not that."""
    try:
        numbers = np.atleast_1d(np.asarray(given, dtype=np.float64))
    except (TypeError, ValueError):
        return None
    return numbers if numbers.ndim == 1 and numbers.size > 0 else None


def _frequencies(truth: ArrayLike, estimate: ArrayLike) -> tuple[Floats, Floats]:
    """Both as distributions on the same bins, or an error that says which is not."""
    vectors = []
    for name, given in (("truth", truth), ("estimate", estimate)):
        try:
            vector = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError) as problem:
            raise InputError(f"{name} must be a flat list of frequencies") from problem
        if vector.ndim != 1 or vector.size == 0:
            raise InputError(f"{name} must be a flat list of frequencies, got shape {vector.shape}")
        if not np.all(np.isfinite(vector)) or np.any(vector < -ROUNDING):
            raise InputError(f"{name} must have finite frequencies, none below 0; norm_sub makes them so")
        if abs(vector.sum() - 1) > 1e-6:
            raise InputError(f"{name} must sum to 1, but sums to {vector.sum():g}; divide counts by their sum")
        vectors.append(vector)
    if vectors[0].size != vectors[1].size:
        raise InputError(f"truth and estimate must have the same bins, got {vectors[0].size} and {vectors[1].size}")
    return vectors[0], vectors[1]
