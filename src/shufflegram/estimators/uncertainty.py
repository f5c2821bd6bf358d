"""How far the truth may be from an estimate: bands and intervals, from truths that the reports leave plausible.

The truth that is meant is the CDF of the crowd that reported, not that of a population it may have been drawn from.

The usual parametric bootstrap (draw reports from the estimate, estimate again, look at the spread) does not work
here. Smoothing bends an estimate, and an estimate drawn from a bent one is bent hardly further, so the spread misses
most of the error. So truths are drawn instead of reports: `plausible` says how.

Bands of this kind hold the truth at the level that is asked for *on average over the edges*, where the data are
smooth through the mechanism's window (Nychka, 1988). A single edge can do worse, mostly one near an end at which the
density is high or begins steeply. `benchmarks/bands.py` measures it for many kinds of data, and docs/performance.md
holds what it printed: the mean over the edges, the worst single edge, and how often a simultaneous band holds all.

A pointwise band speaks of the truth alone: where smoothing has bent an estimate, the estimate may lie outside it. A
simultaneous band is stretched where needed to hold the estimate too. Detail much finer than the window that happens to
look smooth through it cannot be foreseen; `assume_smooth=False` lets the reports speak alone, for a wider band.
"""

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .plausible import Evidence

Floats = NDArray[np.float64]
Kind = Literal["pointwise", "simultaneous"]

# With fewer reports the noise is not yet normal and the estimate, at which its size is taken, is mostly noise itself.
FEWEST_REPORTS = 100


@dataclass(frozen=True, eq=False)
class Band:
    """A band for the CDF at the bins' edges.

    Pointwise: on average over the edges, an edge's interval holds the true value with probability `level`.
    Simultaneous: it is meant to hold all of them at once with that probability.
    """

    level: float
    kind: Kind
    edges: Floats = field(repr=False)
    lower: Floats = field(repr=False)
    upper: Floats = field(repr=False)


def plausible_cdfs(
    frequencies: Floats, evidence: Evidence, replicates: int, simulation_seed: int, assume_smooth: bool
) -> Floats:
    """A row for each plausible truth: its CDF at all edges, from 0 to 1. It may fall where it should rise."""
    from threadpoolctl import threadpool_limits

    if isinstance(replicates, bool) or not isinstance(replicates, (int, np.integer)) or replicates < 20:
        raise InputError(f"replicates must be a whole number, at least 20, got {replicates!r}")
    if isinstance(simulation_seed, bool) or not isinstance(simulation_seed, (int, np.integer)) or simulation_seed < 0:
        raise InputError(f"simulation_seed must be a whole number, at least 0, got {simulation_seed!r}")
    if evidence.reports < FEWEST_REPORTS:
        raise InputError(
            f"intervals and bands take at least {FEWEST_REPORTS} reports, there are {evidence.reports:g}; collect more"
        )
    generator = np.random.default_rng(simulation_seed)
    # On a busy machine linear algebra on several threads waits for them, up to a hundred times as long as one thread
    # would take.
    with threadpool_limits(1):
        truths = evidence.plausible_truths(frequencies, int(replicates), generator, assume_smooth)
    ends = np.zeros((len(truths), 1)), np.ones((len(truths), 1))
    return np.hstack((ends[0], np.cumsum(truths, axis=1)[:, :-1], ends[1]))


def cdf_band(cdfs: Floats, frequencies: Floats, edges: Floats, level: float, kind: Kind) -> Band:
    """The band that holds `level` of the plausible CDFs, edge by edge or at all edges at once."""
    tail = (1 - checked_level(level)) / 2
    if kind not in get_args(Kind):
        raise InputError(f"kind must be one of {', '.join(get_args(Kind))}, got {kind!r}")
    low, middle, high = np.quantile(cdfs, [tail, 0.5, 1 - tail], axis=0)
    if kind == "simultaneous":
        # Stretch the pointwise band about its middle until `level` of the plausible truths lie inside it everywhere.
        above = np.maximum(high - middle, np.finfo(np.float64).tiny)
        below = np.maximum(middle - low, np.finfo(np.float64).tiny)
        reach = np.maximum((cdfs - middle) / above, (middle - cdfs) / below)
        stretch = np.quantile(np.max(reach[:, 1:-1], axis=1), level)
        # What is drawn as one band shall hold the estimate that it is drawn with.
        estimated = np.concatenate(([0.0], np.cumsum(frequencies)[:-1], [1.0]))
        low = np.minimum(middle - stretch * (middle - low), estimated)
        high = np.maximum(middle + stretch * (high - middle), estimated)
        # A CDF rises, so one that is inside the band everywhere is inside these rising ends too.
        low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    return Band(float(level), kind, edges, np.clip(low, 0, 1), np.clip(high, 0, 1))


def share_between(cdfs: Floats, edges: Floats, low: float, high: float, level: float) -> tuple[float, float]:
    """Where `level` of the plausible truths have the share of users from low to high; past the cut where low > high."""
    tail = (1 - checked_level(level)) / 2
    shares = _at(cdfs, edges, high) - _at(cdfs, edges, low) + (low > high)
    ends = np.clip(np.quantile(shares, [tail, 1 - tail]), 0, 1)
    return float(ends[0]), float(ends[1])


def checked_level(level: float) -> float:
    """A level of confidence, or an error that says what one is."""
    number = isinstance(level, (int, float, np.integer, np.floating)) and not isinstance(level, bool)
    if not number or not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1, such as 0.9, got {level!r}")
    return float(level)


def _at(cdfs: Floats, edges: Floats, value: float) -> Floats:
    """Each CDF at one value, straight between the edges."""
    where = np.interp(value, edges, np.arange(edges.size))
    before = min(int(where), edges.size - 2)
    part = where - before
    between: Floats = (1 - part) * cdfs[:, before] + part * cdfs[:, before + 1]
    return between
