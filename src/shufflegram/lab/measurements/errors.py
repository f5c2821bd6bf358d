"""How far the estimate of one simulated collection is from the truth, on the bins and on coarser grids."""

import numpy as np
from numpy.typing import NDArray

from ...metrics import METRICS, errors
from ..cell import Cell
from ..contenders import contender_of
from ..names import ON_CHUNKS, ON_SIXTEEN
from .measurement import Measurement

Floats = NDArray[np.float64]

SIXTEEN = 16


def estimation_errors(cell: Cell, seed: int) -> dict[str, float]:
    """Every metric of one simulated collection, on each of three grids.

    The bins are what a user gets. A protocol's own chunks are as fine as it can tell apart, so they ask less of one
    that tells little apart; what tells all bins apart has the same errors there. Sixteen parts are the same for all.
    """
    domain, histogram = cell.crowd
    contender = contender_of(cell)
    truth = histogram / histogram.sum()
    found = contender.estimate(histogram, seed).frequencies
    return {
        f"{name}{grid}": error
        for grid, parts in (("", domain.bins), (ON_CHUNKS, contender.resolution), (ON_SIXTEEN, SIXTEEN))
        for name, error in errors(in_chunks(truth, parts), in_chunks(found, parts), circular=domain.circular).items()
    }


def in_chunks(frequencies: Floats, chunks: int) -> Floats:
    """The share in each of so many equal parts of the domain; bins that lie in two are spread evenly."""
    bins = frequencies.size
    if chunks == bins:
        return frequencies
    cumulative = np.concatenate(([0.0], np.cumsum(frequencies)))
    return np.diff(np.interp(np.arange(chunks + 1) * (bins / chunks), np.arange(bins + 1), cumulative))


ERRORS = Measurement(
    {
        **{metric.name: metric.title for metric in METRICS},
        **{f"{metric.name}{ON_CHUNKS}": f"{metric.title}, on its own chunks" for metric in METRICS},
        **{f"{metric.name}{ON_SIXTEEN}": f"{metric.title}, on 16 parts" for metric in METRICS},
    },
    estimation_errors,
)
