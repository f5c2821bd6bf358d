"""What a crowd may look like before anyone has seen it: a few shapes that a design should serve alike.

They are nobody's data. Which half width is best depends on how smooth and how bare a histogram is, and hardly on where
its mass lies.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ValuesError

Floats = NDArray[np.float64]

# Where the spikes stand: multiples of the golden ratio never crowd.
SPIKES = 24


def _uniform(x: Floats) -> Floats:
    return np.ones(x.size)


def _smooth(x: Floats) -> Floats:
    """Two bells, of which one is broad."""
    return 0.7 * _bell(x, 0.4, 0.12) + 0.3 * _bell(x, 0.75, 0.06)


def _skewed(x: Floats) -> Floats:
    """A gamma density: much near the low end, and a long tail."""
    density: Floats = np.asarray((x / 0.08) * np.exp(-x / 0.08), dtype=np.float64)
    return density


def _spiky(x: Floats) -> Floats:
    """A skewed crowd, two thirds of whom name a round number."""
    places = np.sort((np.arange(1, SPIKES + 1) * (5**0.5 - 1) / 2) % 1.0)
    spikes = np.zeros(x.size)
    np.add.at(spikes, np.minimum((places * x.size).astype(int), x.size - 1), _skewed(places) + 0.02)
    ground = _skewed(x) + 1e-3
    density: Floats = ground / ground.sum() / 3 + spikes / spikes.sum() * 2 / 3
    return density


def _bell(x: Floats, center: float, width: float) -> Floats:
    bell: Floats = np.exp(-((x - center) ** 2) / (2 * width**2)) / width
    return bell


# Densities on the unit interval, at the middles of cells.
SHAPES: dict[str, Callable[[Floats], Floats]] = {
    "uniform": _uniform,
    "smooth": _smooth,
    "skewed": _skewed,
    "spiky": _spiky,
}


def shape_of(name_or_histogram: str | ArrayLike, cells: int) -> Floats:
    """The named shape, or a histogram on however many equal bins, as frequencies of so many cells."""
    if isinstance(name_or_histogram, str):
        if name_or_histogram not in SHAPES:
            raise ValuesError(f"a shape must be a histogram or one of {', '.join(SHAPES)}, got {name_or_histogram!r}")
        given = SHAPES[name_or_histogram]((np.arange(cells) + 0.5) / cells)
    else:
        given = _histogram(name_or_histogram)
    # F at the new edges: what lies in a bin is spread evenly over it
    edges = np.linspace(0.0, 1.0, given.size + 1)
    cumulative = np.concatenate(([0.0], np.cumsum(given / given.sum())))
    frequencies: Floats = np.diff(np.interp(np.linspace(0.0, 1.0, cells + 1), edges, cumulative))
    return frequencies


def _histogram(given: ArrayLike) -> Floats:
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise ValuesError("a shape must be a flat list of numbers, one for each bin") from problem
    if weights.ndim != 1 or weights.size < 2 or not np.all(np.isfinite(weights)):
        raise ValuesError("a shape must be a flat list of at least 2 finite numbers, one for each bin")
    if np.any(weights < 0) or weights.sum() <= 0:
        raise ValuesError("a shape must have no bin below 0 and some mass")
    return weights
